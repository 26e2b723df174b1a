//! The motion nearest to a wanted one that no constraint forbids.
//!
//! **Idea.** Gauss's principle: of all motions with `n·(v + ω×r) ≥ −gap` the one that differs least from the wanted one, turns
//! measured at the tool's radius. Projections on one constraint at a time, with the pushes kept non-negative, converge to it.

use impinge::DVec3;

/// Constraints at a time.
pub const MAX_CONSTRAINTS: usize = 12;

/// Rounds of projections.
const ROUNDS: usize = 400;

/// A point of the tool that must not move against a direction by more than a gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionConstraint {
    /// Unit vector along which the point is free.
    pub normal: DVec3,
    /// From the tool's origin to the point.
    pub arm: DVec3,
    /// How far it may still go the other way.
    pub gap: f64,
}

impl MotionConstraint {
    pub(super) const NONE: Self = Self {
        normal: DVec3::ZERO,
        arm: DVec3::ZERO,
        gap: 0.0,
    };
}

/// The movement and turn nearest to the wanted ones that keep all constraints; of these the first twelve count.
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::guard::{MotionConstraint, constrained_motion};
/// let floor = MotionConstraint { normal: DVec3::Y, arm: DVec3::ZERO, gap: 0.0 };
/// let (movement, turn) = constrained_motion(DVec3::new(1.0, -1.0, 0.0), DVec3::ZERO, 1.0, &[floor]);
/// assert_eq!((movement, turn), (DVec3::X, DVec3::ZERO));
/// ```
#[must_use]
pub fn constrained_motion(
    movement: DVec3,
    turn: DVec3,
    radius: f64,
    constraints: &[MotionConstraint],
) -> (DVec3, DVec3) {
    let mut pushes = [0.0; MAX_CONSTRAINTS];
    let (mut v, mut w) = (movement, turn);
    // A solid ball of this radius of gyration.
    let ease = 1.0 / (radius * radius).max(f64::MIN_POSITIVE);
    for _ in 0..ROUNDS {
        let mut change = 0.0_f64;
        for (c, push) in constraints.iter().zip(&mut pushes) {
            let lever = c.arm.cross(c.normal);
            let moves = c.normal.dot(v) + lever.dot(w);
            let give = 1.0 + lever.length_squared() * ease;
            let wanted = *push - (moves + c.gap) / give;
            let more = wanted.max(0.0) - *push;
            *push += more;
            v += c.normal * more;
            w += lever * (more * ease);
            change = change.max(more.abs());
        }
        if change <= 1e-15 * (movement.length() + turn.length() * radius) {
            break;
        }
    }
    (v, w)
}
