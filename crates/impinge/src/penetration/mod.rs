//! Penetration of two solids: one query, several methods.
//!
//! **Question.** The overlap volume of two solids, bracketed, with its derivative and the forces that the method has.
//!
//! **Idea.** A [`PenetrationBody`] holds a solid as its methods need it: an index of its surface, a tree over inner balls, or
//! both. A [`PenetrationQuery`] asks two of them by one method, the exact one where both have it.
//!
//! | method | value | bracket | derivative | under a budget | forces by cones |
//! |---|---|---|---|---|---|
//! | [`PenetrationMethod::Exact`] | boundary integral | rounding | yes | no derivative | no |
//! | [`PenetrationMethod::Spheres`] | lenses, gaps counted where they are known | lens sum, and gaps added | of the lenses | of the lenses examined | as published, and symmetric |
//! | [`PenetrationMethod::External`] | of another crate: tetrahedra clipped pair by pair in `impinge-study` | its own | no | | no |
//!
//! [`overlap_boundary`] makes the shape of what two solids share, to be examined.
//!
//! **Promise.** The truth lies in the bracket, whatever the method; under a budget too.
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

mod overlap_boundary;
mod penetration_body;
mod query;

pub use overlap_boundary::{BoundaryError, OverlapBoundary, overlap_boundary};
pub use penetration_body::{PenetrationBody, PenetrationMethod};
pub use query::{PenetrationError, PenetrationQuery, PenetrationVolume, VolumePair};
