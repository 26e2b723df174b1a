//! The default index: an eight-wide tree of oriented boxes in `f32`, exact leaves in `f64`.
//!
//! **Question.** Do two placed meshes meet, in which faces, and how far apart are they?
//! **Idea.** Each node holds eight individually fitted boxes, so that one step compares a box of one
//! tree with eight of the other in vector lanes. Leaves hold eight faces around an origin of their
//! own; most pairs are settled in lanes as well, and only those that `f32` cannot tell are decided
//! by exact arithmetic, or measured in `f64`.
//! **Source.** Gottschalk, Lin and Manocha's oriented boxes (1996), made wide; the margins are derived
//! in `relative.rs` and `faces.rs`.
//! **Cost.** About 75 bytes a face; some 4 ns for a pair of boxes with AVX2.
//! **Promise.** The answers are those of exact arithmetic on the placed coordinates, whatever the
//! instructions, the cache or the number of threads that built the tree.
//! **Limits.** Meshes that differ a billionfold in size, or are farther apart than 64 times their
//! size, are answered by a slower search in `f64`.
#![expect(
    clippy::needless_range_loop,
    reason = "lanes, corners and axes are numbered; iterators with closures would lose the vector instructions"
)]

pub mod batch;
mod boxes;
mod build;
mod closest;
mod descent;
mod distance;
mod faces;
mod far;
mod fit;
mod follow;
mod front;
mod intersect;
mod kept;
mod layout;
mod leaf_bounds;
mod limited;
mod line;
mod local_line;
mod locate;
mod measure;
mod near;
mod nearest;
mod outline;
mod own;
mod part;
mod point_bound;
mod probe;
mod query;
mod ray;
mod relative;
mod sieve;
mod split;
mod store;
mod tree;
mod validate;
mod winding;

pub use intersect::WideCache;
pub use line::{FaceHit, Line};
pub use nearest::{ClosestFace, PointError};
pub use outline::LeafBox;
pub use own::{OwnOptions, Sharing};
pub use probe::ProbeCache;
pub use query::{BoxKind, DistanceError, WideConfig};
pub use store::LoadError;
pub(crate) use store::check_header;
pub use tree::WideTree;
pub use winding::WindingIndex;

pub(crate) use layout::WIDTH;
pub(crate) use part::{Part, PartBox};
pub(crate) use sieve::Sieve;
