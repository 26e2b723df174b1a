//! Parallel primitives: scan, reduce, stable radix sort, gather, compaction, segmented sums.
//!
//! **Question.** The building blocks of every stage, equal on every device.
//! **Idea.** Reduce-then-scan, which needs no progress of other workgroups; sums have two words, so
//! that totals beyond 2³² are seen. A radix pass counts digits by block, scans, and scatters; the rank
//! of an item within its block is counted in bits, which makes it stable without atomic order.
//! **Promise.** Integers only: a device and the twin agree bit for bit.
//! **Limits.** At most 2³² − 1 items, and what a device binds.

mod compact;
mod scan;
mod segments;
mod sort;

pub use compact::{COMPACT, compact};
pub use scan::{
    REDUCE_MAX, SCAN_APPLY, SCAN_BLOCKS, SCAN_REDUCE, SCAN_SMALL, ScanOf, reduce_max, reduce_sum,
    scan,
};
pub use segments::{SEGMENT_SUMS, segment_sums};
pub use sort::{
    GATHER, IOTA, RADIX_COUNT, RADIX_SCATTER, SortedKeys, gather, iota, sort_u32, sort_u64,
};

use crate::Kernel;

/// All kernels of this module.
pub static KERNELS: &[&Kernel] = &[
    &SCAN_REDUCE,
    &SCAN_BLOCKS,
    &SCAN_APPLY,
    &SCAN_SMALL,
    &REDUCE_MAX,
    &RADIX_COUNT,
    &RADIX_SCATTER,
    &IOTA,
    &GATHER,
    &COMPACT,
    &SEGMENT_SUMS,
];
