//! Voxmap-PointShell (VPS): contact forces between a voxelized solid and a sampled surface.
//!
//! The fixed solid is a [`Voxmap`], the moving one a [`Pointshell`]; a [`VoxmapQuery`] looks up the
//! voxel of each point. McNeely, Puterbaugh and Troy 1999, doi:10.1145/311535.311600. The surface
//! between the points is not seen. Layers, bounds and limits:
//! `docs/algorithms/voxmap-pointshell.md`.
//!
//! ```
//! use impinge::voxmap::{Pointshell, Voxmap, VoxmapQuery};
//! use impinge::{DVec3, Pose, generate, query::Limits};
//! let table = Voxmap::new(&generate::cuboid(DVec3::new(4.0, 1.0, 4.0), [1; 3])?, 40)?;
//! let ball = Pointshell::new(&generate::icosphere(0.5, 8)?, 20)?;
//! let query = VoxmapQuery::new(&table, &ball);
//! let pressed = query.at(&Pose::from_translation([0.0, 0.9, 0.0])?, Limits::default());
//! assert!(pressed.penetrating > 0 && pressed.force_on_a.y < 0.0);
//! let away = query.at(&Pose::from_translation([0.0, 3.0, 0.0])?, Limits::default());
//! assert_eq!((away.penetrating, away.force_on_a), (0, DVec3::ZERO));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bricks;
mod distance_transform;
mod error;
mod parallel;
mod point_groups;
mod pointshell;
mod voxel_grid;
mod voxel_map;
mod voxel_overlap;
mod voxelize;
mod voxmap_query;

pub use error::VoxmapError;
pub use pointshell::Pointshell;
pub use voxel_map::{Voxmap, VoxmapOptions};
pub use voxel_overlap::VoxelOverlap;
pub use voxmap_query::{PenaltyForce, VoxmapQuery};
