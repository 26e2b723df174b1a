//! Penetration volume of two solids: one query, several methods.
//!
//! A [`PenetrationQuery`] queries two [`PenetrationBody`]s by one [`PenetrationMethod`]: exactly,
//! by inner sphere trees, by voxels, or by an engine of another crate. The returned bracket contains the exact
//! value, under a budget too. Comparison of the methods: `docs/algorithms/overlap-volume.md`.
//!
//! ```
//! use impinge::penetration::{PenetrationMethod, PenetrationBody, PenetrationQuery};
//! use impinge::{DVec3, Pose, generate, query::Limits};
//! use std::sync::Arc;
//! let cube = PenetrationBody::exact(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?))?;
//! let mut query = PenetrationQuery::new(&cube, &cube)?;
//! assert_eq!(query.method(), PenetrationMethod::Exact);
//! let shared = query.ask(&Pose::from_translation([0.5, 0.0, 0.0])?, Limits::default())?;
//! assert_eq!(shared.value.volume, 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod body_options;
mod body_overlap;
mod overlap_boundary;
mod penetration_body;
mod penetration_volume;
mod predicted_cost;
mod solid_voxels;

pub use body_options::{BodyError, BodyOptions};
pub use body_overlap::PenetrationCache;
pub use overlap_boundary::{BoundaryError, OverlapBoundary, overlap_boundary};
pub use penetration_body::{PenetrationBody, PenetrationMethod};
pub use penetration_volume::{PenetrationError, PenetrationQuery, PenetrationVolume, VolumePair};
pub use solid_voxels::SolidVoxels;
