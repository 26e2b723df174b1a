//! Exact overlap volume of two solids, its centroid and its derivative by the pose.
//!
//! Integrals over patches of the two surfaces are stored in a tree; only faces that cross are
//! opened. Which faces cross is decided exactly, and the error of the volume is within the returned
//! bounds. Every edge must have as many faces one way as the other.
//! `docs/algorithms/overlap-volume.md`.

mod face_crossing;
mod moments;
mod overlap_volume;
mod symbolic_perturbation;
mod volume_index;
mod winding_classification;

pub use overlap_volume::{OverlapCache, OverlapError, OverlapVolume};
pub use volume_index::{VolumeError, VolumeIndex};
