//! Haptic rendering: each oracle of the specification, as a smaller seeded run.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

mod ball_proxy;
mod bridge;
mod deforming;
mod device;
mod effect;
mod friction;
mod logical;
mod penalty;
mod proxy;
mod rate;
mod record;
mod session;
mod shading;
mod stability;
mod tool;
mod volumetric_friction;
mod workspace;
