//! Shapes of every kind, and all queries of two of them.
//!
//! A query is a value: making it chooses the algorithm and may fail with [`Unsupported`] and a
//! reason; asking cannot fail. [`support_matrix`] lists which pairs support which query. Rays,
//! moving balls and nearest points are methods of [`Shape`]. How pairs are dispatched:
//! `docs/algorithms/shape-pairs.md`.
//!
//! ```
//! use impinge::{Pose, convex::{Ball, Cylinder}, pair::{DistanceQuery, PairConfig, Shape}, query::Limits};
//! let (ball, pillar) = (Shape::from(Ball::new(1.0)?), Shape::from(Cylinder::new(2.0, 0.5)?));
//! let mut query = DistanceQuery::new(&ball, &pillar, &PairConfig::default())?;
//! let found = query.at(&Pose::from_translation([4.0, 0.0, 0.0])?, Limits::default());
//! assert!(found.value.is_some_and(|s| (s.distance - 2.5).abs() < 1e-9));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod best_pair;
mod best_point;
#[cfg_attr(
    not(feature = "scene"),
    expect(dead_code, reason = "only worlds keep boxes")
)]
mod box_index;
mod capsule_capsule;
mod cast;
mod cloud_distance;
mod composite;
mod compound;
mod compound_pair;
mod config;
mod conservative_advancement;
mod contact_hull;
mod contact_id;
mod contact_manifold;
mod contact_patches;
mod contact_resolution;
mod contacts;
mod containment;
mod convex_piece;
mod convex_surface;
mod custom;
mod depth;
mod dispatch;
mod distance;
mod half_space;
mod height_field;
mod hull_contacts;
mod hull_planes;
mod impact;
mod internal_edges;
mod intersection;
mod item_bvh;
mod manifold_clipping;
mod mesh_shape;
mod min_translation;
mod pair_registry;
mod particles;
mod placed_box;
mod plane_contacts;
#[cfg(feature = "plugin")]
mod plugin;
mod point_containment;
mod probabilistic;
mod race;
mod shape;
mod shared_volume;
mod solid_overlap;
mod sphere_pair;
mod split_pair;
mod support_face;
mod support_matrix;
mod surface_contacts;
mod temporal_coherence;
mod tunnelling;
mod unsupported;

#[cfg(feature = "scene")]
pub(crate) use box_index::BoxIndex;
pub(crate) use cast::{Probe, at_mesh};
#[cfg(feature = "scene")]
pub(crate) use cast::{cast, cast_ball};
#[cfg(feature = "scene")]
pub(crate) use race::{PairRace, QuickDecision, Trust};

pub use cast::{BallHit, CastError, RayHit};
pub use compound::{Child, Compound, CompoundError, MAX_CHILDREN};
pub use config::PairConfig;
pub use contact_manifold::{ContactPatch, Manifold};
pub use contacts::{ContactPoint, ContactQuery};
pub use custom::CustomShape;
pub use depth::DepthQuery;
pub use dispatch::{PairMethod, pair_method};
pub use distance::DistanceQuery;
pub use height_field::{HeightField, HeightFieldError};
pub use impact::ImpactQuery;
pub use intersection::IntersectionQuery;
pub use mesh_shape::MeshShape;
pub use pair_registry::{
    ContactFn, DepthFn, DistanceFn, ImpactFn, IntersectionFn, KindName, PairFunctions, PairRegistry,
};
pub use particles::Particles;
#[cfg(feature = "plugin")]
pub use plugin::{PluginError, PluginShape};
pub use probabilistic::{ProbabilisticError, ProbabilisticQuery};
pub use race::RaceStats;
pub use shape::{Shape, ShapeKind};
pub use shared_volume::{SharedVolumeError, VolumeQuery};
pub use solid_overlap::{OverlapQuery, SolidOverlap, VolumeMethod};
pub use split_pair::SplitPair;
pub use support_matrix::{SupportRow, support_matrix, support_table};
pub use unsupported::{QueryKind, Unsupported, UnsupportedReason};
