//! Kernels against their twins, and the engine against those of the library.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests say what they expect by panicking"
)]

mod adversarial;
mod axes;
mod backends;
mod clusters;
mod engine;
mod faults;
mod filter;
mod fixed;
mod fleet;
mod pieces;
mod primitives;
mod spheres;
mod step;
mod sweep;
