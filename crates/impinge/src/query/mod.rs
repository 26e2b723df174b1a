//! Common types of all queries.
//!
//! Conventions, defined here once: distances are never negative; normals are unit vectors that
//! point from `a` towards `b`; a force on `a` acts at the origin of a's frame and is expressed in
//! that frame; times are in `[0, 1]` of a motion. Touching counts as intersecting.

mod bounded;
mod ids;
mod limits;
mod pose_gradient;
mod results;
mod sink;
mod verdict;
mod work;

pub use bounded::{Bounded, Outcome};
pub(crate) use ids::typed_id;
pub use ids::{FaceId, HalfEdgeId, VertexId};
pub use limits::Limits;
pub use pose_gradient::PoseGradient;
pub use results::{FacePair, Impact, NearPair, Penetration, Separation};
pub use sink::{Count, First, Sink};
pub use verdict::Verdict;
pub use work::Work;
