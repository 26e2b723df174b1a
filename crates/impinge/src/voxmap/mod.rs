//! Voxmap-PointShell: contact forces between a voxelized solid and a sampled surface.
//!
//! **Question.** Force and torque between two solids at a thousand poses a second, whatever their shape, and roughly how deep they are in each
//! other or how far apart.
//!
//! **Idea.** One solid, the fixed one, is a [`Voxmap`]: cubes that know how many layers they lie below or above the surface. The
//! other, the moving one, is a [`Pointshell`]: points on its surface with normals that point inwards. A query looks up the voxel of each
//! point. A point in layer `v ≥ 0` is pushed along its normal `n` by `max(n · (centre of the voxel − point) + v · side, 0)`: the depth below the
//! plane through the centre of the voxel, tangent to the point's own surface, and the layers above it. Points
//! are kept in balls, and balls far from the surface are passed over at once.
//!
//! **Source.** McNeely, Puterbaugh and Troy, 1999, doi:10.1145/311535.311600; the force with layers as in the benchmark of Weller and Zachmann
//! and of Sagardia. Layers there are counted in steps; here they are Euclidean distances, rounded, so that bounds hold in every direction.
//!
//! **Cost.** One look-up per point near the surface. A byte per voxel in blocks that are not uniform; four per voxel of the grid while it is built.
//!
//! **Promise.** Which voxels the surface meets is decided exactly, and so is which of the others lie inside. The sum is that over all points, bit by bit,
//! balls or not. Depth and distance of the points come with bounds of 2.24 sides of a voxel.
//!
//! **Limits.** Between the points the surface is not seen: thin parts of the fixed solid may slip through, and force is no better than
//! the sampling is even. More than 126 layers deep counts as 126.
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
mod penalty_force;
mod point_groups;
mod pointshell;
mod voxel_grid;
mod voxel_map;
mod voxelize;

pub use error::VoxmapError;
pub use penalty_force::{PenaltyForce, VoxmapQuery};
pub use pointshell::Pointshell;
pub use voxel_map::{Voxmap, VoxmapOptions};
