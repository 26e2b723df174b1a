//! Cloth, nets and soft solids of particles and constraints.
//!
//! **Question.** How do deformable things fall, stretch, fold and lie on obstacles?
//! **Idea.** Extended position-based dynamics: each constraint has a compliance, its inverse stiffness, and
//! the result does not depend on the number of iterations once they converge. Corrections are applied to
//! shifts of the substep, not derived from positions, so that momentum is kept to rounding. Faces lie in patches; pairs of features that are
//! near are kept from substep to substep, until their patches, each seen from its own rigid motion, may have come closer than is known.
//! What will be closer than the thickness is slowed by impulses; what would still meet is pushed, and at last stays where it was.
//! Neighbours in a surface keep half of their distance at rest where that is less than the thickness.
//! **Source.** Macklin, Müller and Chentanez 2016, doi:10.1145/2994258.2994272; Bridson, Fedkiw and
//! Anderson 2002, doi:10.1145/566570.566623, for the last resort.
//! **Promise.** No face ever crosses another: each substep is proven to have no contact, by bounds of what patches and features can come
//! closer, or by exact continuous tests where these do not suffice; and the state before it was free of crossings. Momentum is kept unless something is pinned, touches an obstacle
//! or is held by the last resort.
//! **Limits.** Angular momentum is kept up to the error of the step. Obstacles do not move.
//!
//! ```
//! use impinge::DVec3;
//! use impinge_dynamics::soft::{ClothDesc, SoftBody, SoftConfig};
//! let mut cloth = SoftBody::cloth(&ClothDesc::default(), SoftConfig::default())?;
//! cloth.pin(0)?;
//! for _ in 0..30 {
//!     cloth.step(1.0 / 60.0)?;
//! }
//! assert_eq!(cloth.positions()[0], DVec3::new(-0.5, -0.5, 0.0));
//! assert!(cloth.positions()[440].z < -0.1);
//! # Ok::<(), impinge_dynamics::soft::SoftError>(())
//! ```

mod body;
mod contact;
mod error;
mod feature_boxes;
mod near;
mod patch;
mod proximity;
mod shapes;
mod springs;
mod step;
mod stuffed;

pub use body::{Constraint, SoftBody, SoftConfig};
pub use error::SoftError;
pub use shapes::{ClothDesc, SolidDesc};
pub use step::SoftReport;
pub use stuffed::{MembraneDesc, StuffedDesc};
