//! Every pair of kinds, every question, against closed forms, minimisation and laws.
#![expect(
    clippy::unwrap_used,
    reason = "the input of a test is valid, and a panic is a failure"
)]

mod cloud_limits;
mod cloud_penetration;
#[cfg(all(feature = "clouds", feature = "scene"))]
mod clouds;
mod contacts;
mod containment;
mod custom;
mod degenerate;
mod depths;
mod faces;
mod impacts;
#[cfg(feature = "clouds")]
mod inner_spheres;
mod laws;
mod manifolds;
mod matrix;
mod oracle;
#[cfg(feature = "clouds")]
mod probabilistic;
mod shapes;
#[path = "../../examples/stack.rs"]
mod stack;
mod surfaces;
