//! How much do two solids penetrate each other: one question, three methods.
//!
//! **Question.** The volume that two solids share, bracketed, with its derivative and the forces that the method has.
//!
//! **Idea.** A [`PenetrationBody`] holds a solid as its methods need it: an index of its surface, a tree over inner balls, tetrahedra, or
//! several of them. A [`PenetrationQuery`] asks two of them by one method, the exact one where both have it.
//!
//! | method | value | bracket | derivative | under a budget | forces by cones |
//! |---|---|---|---|---|---|
//! | [`Method::Exact`] | boundary integral | rounding | yes | no derivative | no |
//! | [`Method::Spheres`] | lenses, gaps counted where they are known | lens sum, and gaps added | of the lenses | of the lenses looked at | as published, and symmetric |
//! | [`Method::Tetrahedra`] | clipped pair by pair | rounding | no | | no |
//!
//! [`overlap_boundary`] makes the shape of what two solids share, to be looked at.
//!
//! **Promise.** The truth lies in the bracket, whatever the method; under a budget too.
//!
//! ```
//! use impinge::penetration::{Method, PenetrationBody, PenetrationQuery};
//! use impinge::{DVec3, Pose, generate, query::Limits};
//! use std::sync::Arc;
//! let cube = PenetrationBody::exact(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?))?;
//! let mut query = PenetrationQuery::new(&cube, &cube)?;
//! assert_eq!(query.method(), Method::Exact);
//! let shared = query.ask(&Pose::from_translation([0.5, 0.0, 0.0])?, Limits::default())?;
//! assert_eq!(shared.value.volume, 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ask;
mod body;
mod boundary;

pub use ask::{PenetrationError, PenetrationQuery, PenetrationVolume};
pub use body::{Method, PenetrationBody};
pub use boundary::{BoundaryError, OverlapBoundary, overlap_boundary};
