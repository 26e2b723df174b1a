//! Orientation of a body whose angular momentum is given.
//!
//! **Idea.** Implicit midpoint rule on the rotation group: the velocity that belongs to the orientation
//! half-way turns the body for the whole step. It is symmetric in time, so the energy of free rotation
//! oscillates within O(h²) and does not drift.

use impinge::glam::DQuat;
use impinge::{DMat3, DVec3};

/// Fixed-point iterations; each gains a factor of about the turned angle.
const MAX_ITERATIONS: usize = 12;

/// Angle beyond which a step is no longer resolved, in rad; the rule is then explicit.
const LARGEST_ANGLE: f64 = 1.0;

/// The rotation by a vector: its length is the angle.
pub(super) fn turn(vector: DVec3) -> DQuat {
    let angle = vector.length();
    let (sine, cosine) = libm::sincos(0.5 * angle);
    // sin(x/2)/x → 1/2.
    let scale = if angle < 1e-12 { 0.5 } else { sine / angle };
    DQuat::from_xyzw(vector.x * scale, vector.y * scale, vector.z * scale, cosine)
}

/// `R A Rᵀ`.
pub(super) fn turned(tensor: &DMat3, orientation: DQuat) -> DMat3 {
    let r = DMat3::from_quat(orientation);
    r * *tensor * r.transpose()
}

/// The orientation after the time `h`, for an angular momentum that stays.
pub(super) fn advance(orientation: DQuat, inverse: &DMat3, spin: DVec3, h: f64) -> DQuat {
    let velocity_at = |q: DQuat| q * (*inverse * (q.inverse() * spin));
    let mut velocity = velocity_at(orientation);
    if velocity.length() * h < LARGEST_ANGLE {
        for _ in 0..MAX_ITERATIONS {
            let next = velocity_at(turn(velocity * (0.5 * h)) * orientation);
            let change = (next - velocity).abs().max_element();
            velocity = next;
            if change <= 1e-16 * velocity.abs().max_element() {
                break;
            }
        }
    }
    (turn(velocity * h) * orientation).normalize()
}
