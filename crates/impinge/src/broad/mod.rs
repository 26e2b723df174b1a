//! Broad phases: which of many bodies come near each other?
//!
//! A broad phase knows bodies by their bounds and finds the pairs whose boxes overlap, so that only those need an exact answer.
//! All implement [`BroadPhase`], give the same answers, and can be exchanged at run time with [`exchange`].

mod bodies;
mod exhaustive;
mod levels;
mod object;
mod order;
mod phase;
mod radix;
mod tree;

pub use bodies::Bodies;
pub use exhaustive::{AllPairs, Exhaustive};
pub use object::{Bounds, BroadError, BroadWork, Change, ObjectId, Pair};
pub use phase::{BroadPhase, Detector, Phase, exchange, key, slots};
pub use tree::{BoxTree, Tree, TreeConfig};
