//! What haptic rendering asks of the library: swept balls, pair lists, forces under a budget, contact at time zero.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

mod ball_cast;
mod forces;
mod swept_impact;
mod time_zero;
