//! Bodies that respond: rigid, soft, sphere-spring, and the study kit.
#![expect(
    clippy::unwrap_used,
    reason = "the input of a test is valid, and a panic is a failure"
)]

mod grip;
mod rigid;
mod soft;
mod sphere_spring;
mod study;
