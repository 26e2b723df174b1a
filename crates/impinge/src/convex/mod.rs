//! Convex shapes: definitions, distance (GJK), penetration depth (EPA), separating axes, hulls.
//!
//! Two shapes are queried with `a_from_b`, which places `b` in the frame of `a`. Normals point from `a` to `b`.

mod boolean_gjk;
mod cache;
mod cached_plane;
mod choose_method;
mod conservative_advancement;
mod convex_pieces;
mod early_out;
mod epa;
mod error;
mod exact_fallback;
mod exact_gjk;
mod feature_walk;
mod gjk;
mod half_space;
mod hill_climbing;
mod hull;
mod inscribed_ball;
mod minkowski;
mod pair_setup;
mod point_blocks;
mod polyhedron;
mod primitives;
mod ray;
mod round_fallback;
mod sat;
mod segment_pair;
mod shape;
mod shrunk;
mod simplex;
mod stationary_plane;
mod support_map;
mod tight_box;
mod triangle_depth;
mod triangle_polytope;

pub(crate) use early_out::{bounding_balls_meet, early_out_balls};
pub(crate) use epa::contact_penetration;
pub(crate) use polyhedron::check_points;
pub(crate) use segment_pair::segment_pair;
pub(crate) use triangle_depth::triangle_penetration;
pub(crate) use triangle_polytope::{TriangleOverlap, triangle_in_cuboid, triangle_in_polyhedron};

pub use cache::GjkCache;
pub use cached_plane::{CachedPlane, SeparatingPlane, plane_from_witnesses};
pub use choose_method::{
    CACHED_PLANE_FROM, ConvexChoice, ConvexClass, ConvexMethod, ConvexQueryKind, choose_method,
};
pub use conservative_advancement::{ConvexAdvancement, MAX_ADVANCES, conservative_advancement};
pub use convex_pieces::{ConvexPieces, PieceCost, notches};
pub use epa::{ConvexPenetration, MAX_EXPANSIONS, penetration};
pub use error::ShapeError;
pub use exact_gjk::hulls_intersect;
pub use feature_walk::{Feature, FeatureWalk, feature_walk};
pub use gjk::{MAX_STEPS, distance, intersects};
pub use half_space::{HalfSpace, HalfSpaceHeight};
pub use polyhedron::{Edge, Polyhedron};
pub use primitives::{Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Segment, Triangle};
pub use ray::{ConvexHit, SUPPORT_TOLERANCE, ray_convex, ray_half_space};
pub use sat::{SatCache, cuboids_intersect, polyhedra_depth, polyhedra_intersect};
pub use shape::{Convex, ConvexSolid};
pub use support_map::{InnerOuterBalls, SupportMap, SupportPoint};
pub use tight_box::TightBox;
