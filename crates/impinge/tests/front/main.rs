//! The front door: the same answers as below it, and casts against oracles of their own.
#![expect(
    clippy::unwrap_used,
    reason = "the input of a test is valid, and a panic is a failure"
)]

mod ball_casts;
mod files;
mod pairs;
mod programs;
mod ray_casts;
#[path = "../pair/shapes.rs"]
#[expect(
    dead_code,
    reason = "shared with the tests of pairs, which need more of it"
)]
mod shapes;
mod two_meshes;
mod worlds;
