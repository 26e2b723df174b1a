//! The vocabulary that every question shares.
//!
//! Conventions, defined here once: distances are never negative; normals are unit vectors that
//! point from `a` towards `b`; a force on `a` acts at the origin of a's frame and is expressed in
//! that frame; times are in `[0, 1]` of a motion. Touching counts as intersecting.

mod answer;
mod bounded;
mod gradient;
mod id;
mod limits;
mod sink;
mod verdict;
mod work;

pub use answer::{FacePair, Impact, NearPair, Penetration, Separation};
pub use bounded::{Bounded, Outcome};
pub use gradient::PoseGradient;
pub(crate) use id::typed_id;
pub use id::{FaceId, HalfEdgeId, VertexId};
pub use limits::Limits;
pub use sink::{Count, First, Sink};
pub use verdict::Verdict;
pub use work::Work;
