//! Packings of balls as they were first published.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

// The judge of the library's packings judges these too.
#[path = "../../../impinge/tests/spheres/pack/feasibility.rs"]
mod feasibility;
mod single;
mod voxels;
