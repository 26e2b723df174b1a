//! Deforming scenes on the GPU.
//!
//! **Question.** Which faces of a deforming scene intersect, frame after frame?
//! **Idea.** Mainzer's pipeline: intervals along a sweep axis, sort, count, number all pairs, cull them,
//! filter triangles; see [`SceneEngine`](impinge::deform::SceneEngine) for what is answered. Clusters, if there is more than
//! one, are swept each for itself, all in one pass. Candidates
//! are found in integers. Pairs that the filter leaves open are decided on the host by the library's exact test.
//! **Promise.** The same pairs as every other engine, on every device. With one cluster the candidates are the
//! same too; how much the filter decides, and where several clusters lie, depends on the rounding of a device. A buffer
//! that is too small is detected and enlarged, and the work is repeated. A device that fails is replaced by the CPU, and
//! [`reason`](impinge::deform::SceneEngine::reason) says so.
//! **Limits.** Fewer than 2³¹ faces, and what a device binds: 4 million faces where that is 128 MiB.

mod answer;
mod boxes;
mod c_means;
mod engine;
mod filter;
mod fleet;
mod frame;
mod pieces;
mod principal_axes;
mod range;
mod schedule;
mod step;
mod sweep;

pub use boxes::{ARRANGE, FIND_BOXES, FIND_CENTROIDS, MAX_DIRECTION};
pub use c_means::{FUZZY_CENTERS, FUZZY_SUMS, LIST_ENTRIES, MAP_FACES, MAX_CLUSTERS};
pub use engine::{FrameReport, GpuOptions, GpuScene};
pub use filter::{APART, FILTER_PAIRS, MEET, UNSURE, filter_verdict};
pub use fleet::GpuFleet;
pub use pieces::{COUNT_PIECES, WRITE_PIECES};
pub use principal_axes::SUM_SPREADS;
pub use schedule::{ClusterWork, makespan, shared_out};
pub use step::GpuStep;
pub use sweep::{
    CLUSTER_TOTALS, COLLECT, COUNT_OVERLAPS, CULL_PAIRS, EMIT_PAIRS, PAIRS_PER_GROUP, SUMMARISE,
};

use crate::Kernel;

/// All kernels of this module.
pub static KERNELS: &[&Kernel] = &[
    &FIND_CENTROIDS,
    &FIND_BOXES,
    &ARRANGE,
    &COUNT_OVERLAPS,
    &CULL_PAIRS,
    &EMIT_PAIRS,
    &FILTER_PAIRS,
    &COLLECT,
    &SUMMARISE,
    &FUZZY_SUMS,
    &FUZZY_CENTERS,
    &MAP_FACES,
    &LIST_ENTRIES,
    &SUM_SPREADS,
    &CLUSTER_TOTALS,
    &COUNT_PIECES,
    &WRITE_PIECES,
];
