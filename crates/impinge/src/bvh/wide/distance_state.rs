//! The goal, the state and the result of a search for the distance of two meshes.

use crate::math::outward_rounding;
use crate::query::{FacePair, Outcome, Separation};

/// How good a distance must be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct DistanceGoal {
    /// Subtrees that could improve the distance by less than this are left.
    pub(super) absolute_error: f64,
    /// Subtrees that could improve the distance by less than this fraction of it are left.
    pub(super) relative_error: f64,
    /// A distance this small ends the search; 0 means never.
    pub(super) enough: f64,
}

/// What a search found, distances in the mesh's own units.
#[derive(Clone, Copy, Debug)]
pub(super) struct DistanceResult {
    pub(super) nearest: Option<(Separation, FacePair)>,
    /// No distance is below this.
    pub(super) lower: f64,
    pub(super) outcome: Outcome,
}

/// The state while searching.
pub(super) struct DistanceState {
    pub(super) found: Option<(Separation, FacePair)>,
    /// The nearest candidate and its distance in a's tree units, as `CandidateDistances` measures.
    pub(super) chosen: Option<(f64, FacePair)>,
    /// An upper bound on the distance, in a's tree units; nothing above it matters.
    pub(super) bound: f32,
    /// The bound less the permitted error: subtrees at or above it are left.
    pub(super) prune: f32,
    pub(super) unit: f64,
    pub(super) slack: f64,
    pub(super) wanted: DistanceGoal,
}

impl DistanceState {
    #[inline]
    pub(super) fn lower_to(&mut self, bound: f32) {
        if bound < self.bound {
            self.bound = bound;
            let absolute = outward_rounding::down(self.wanted.absolute_error * self.unit);
            let relative = 1.0 - self.wanted.relative_error as f32;
            // With no error permitted both are the same number, and ties survive.
            self.prune = if absolute == 0.0 && relative == 1.0 {
                bound
            } else {
                bound * relative - absolute
            };
        }
    }

    #[inline]
    pub(super) fn offer(&mut self, separation: Separation, pair: FacePair) {
        let better = self
            .found
            .is_none_or(|(s, p)| (separation.distance, pair) < (s.distance, p));
        if better {
            self.lower_to(outward_rounding::up(
                separation.distance * self.unit + self.slack,
            ));
            self.found = Some((separation, pair));
        }
    }

    /// Whether nothing nearer is wanted. The bound is believed before its witness is evaluated.
    #[inline]
    pub(super) fn bound_is_enough(&self) -> bool {
        self.wanted.enough > 0.0 && f64::from(self.bound) <= self.wanted.enough * self.unit
    }
}
