//! Confidence of an answer, from the values at the samples.
//!
//! The farther samples lie on both sides of the other surface, or the farther the nearest leaves
//! are apart, the rarer wrong answers are. Their rate was measured on models with known truth
//! (`impinge-bench run clouds` compares stated and observed confidence).

use super::answer::CloudAnswer;
use super::options::LeafTest;
use super::query::ACCEPT;
use super::traverse::TraversalResult;
use crate::query::{Outcome, Verdict};

/// Chance that an answer without any margin is wrong.
const YES_AT_MARGIN: f64 = 0.025;
const NO_AT_MARGIN: f64 = 0.1;
/// Margin, in sampling radii, after which the chance is a third of that.
const SCALE: f64 = 0.5;
/// However much is accepted as meeting, a yes is no worse than a guess.
const MOST_WRONG: f64 = 0.5;
/// What is left however clear the samples are.
const REST: f64 = 3e-4;
/// How often guesses of unfinished queries are right, by the most samples on both sides of a pair that still waits. When none waits nothing is known.
const GUESSES: [f64; 4] = [0.5, 0.95, 0.99, 0.998];
/// Without samples on both sides, the guess depends on how near those of the waiting pairs are to each other. With p the smallest part of the covering radii that they are apart, s the sum of what all pairs leave of theirs
/// and t the pairs that were compared, the logarithm of the odds that the surfaces meet is c₀ + c₁ p + c₂ ln s + c₃ ln t + c₄ p ln t. Fitted to six models at budgets from 20 to 560 tests.
const ODDS: [f64; 5] = [8.14, -30.6, 1.28, -1.41, 3.53];
/// Pairs compared, of the queries that the odds were fitted to.
const COMPARED: (f64, f64) = (20.0, 560.0);
/// Of all pairs at least this is counted.
const LEAST_SUM: f64 = 1e-3;
/// How sure such a guess is at most: beyond that models differ.
const SUREST_GUESS: f64 = 0.97;

/// How far, in mean covering radii, an estimate of the distance may be off where leaves gave it, and how often it is no farther off, at least. The nearest places of both surfaces have points within
/// their covering radii: at edges, rims and corners, which few points show, estimates are off by up to that; elsewhere by a tenth of it.
const ERROR: f64 = 2.0;
const WITHIN_ERROR: f64 = 0.99;

/// The answer for clouds whose surfaces cannot meet.
pub(super) fn far() -> CloudAnswer {
    CloudAnswer {
        verdict: Verdict::proven(false),
        point: None,
        distance: f64::INFINITY,
        evaluations: 0,
        node_pairs: 0,
        outcome: Outcome::Complete,
    }
}

/// The verdict of a search; `radius` is the sampling radius.
pub(super) fn judge(sought: &TraversalResult, leaf: LeafTest, accept: f64, radius: f64) -> Verdict {
    let margin = |length: f64| {
        if radius > 0.0 {
            length / radius
        } else {
            f64::INFINITY
        }
    };
    if sought.is_met {
        // Surfaces that were found near each other, but not as near as is usually asked, are apart the more often the farther they were found; samples are then on both sides only by what exceeds that.
        let found = sought.distance.min(accept);
        let wider = margin(found) / ACCEPT;
        let at_margin = (YES_AT_MARGIN * wider.max(1.0)).min(MOST_WRONG);
        let excess = (found - ACCEPT * radius).max(0.0);
        let straddle = (sought.straddle - excess).max(0.0);
        return Verdict::likely(true, 1.0 - wrong(at_margin, margin(straddle)));
    }
    if sought.outcome == Outcome::OutOfBudget {
        return unfinished(sought);
    }
    let apart = (sought.leaf_distance - accept).max(0.0);
    let missed = if sought.evaluations > 0 {
        0.5 * missed(leaf, accept, radius)
    } else {
        0.0
    };
    let wrong = wrong(NO_AT_MARGIN, margin(apart));
    Verdict::likely(false, 1.0 - wrong - missed)
}

/// The chance that random places miss a crossing between two leaves: near it are those within `accept` of a chord, in a ball of the covering.
fn missed(leaf: LeafTest, accept: f64, radius: f64) -> f64 {
    match leaf {
        LeafTest::Random { tests } => {
            let near = if radius > 0.0 { accept / radius } else { 1.0 };
            libm::exp(-1.5 * f64::from(tests) * near * near)
        }
        _ => 0.0,
    }
}

fn wrong(at_margin: f64, margin: f64) -> f64 {
    REST + (at_margin - REST) * libm::exp(-margin / SCALE)
}

/// The guess when a limit came first.
fn unfinished(sought: &TraversalResult) -> Verdict {
    let near = sought.nearness;
    if sought.waiting == 0 && near.closest.is_finite() {
        let compared = (sought.node_pairs as f64).clamp(COMPARED.0, COMPARED.1);
        let (p, t) = (near.closest, libm::log(compared));
        let s = libm::log(near.sum.max(LEAST_SUM));
        let [c0, c1, c2, c3, c4] = ODDS;
        let odds = c0 + c1 * p + c2 * s + c3 * t + c4 * p * t;
        let meets = 1.0 / (1.0 + libm::exp(-odds));
        let surer = meets.max(1.0 - meets);
        return Verdict::likely(meets > 0.5, surer.min(SUREST_GUESS));
    }
    let at = (sought.waiting as usize).min(GUESSES.len() - 1);
    Verdict::likely(sought.waiting > 0, GUESSES[at])
}

/// The verdict of a search for the distance that a limit ended. Its samples are of nodes that need not be near each other, so that only what coverings exclude counts.
pub(super) fn told_apart(sought: &TraversalResult, accept: f64, radius: f64) -> Verdict {
    let apart = sought.covered.min(sought.distance) - accept;
    if apart <= 0.0 || radius <= 0.0 {
        return Verdict::likely(false, GUESSES[0]);
    }
    Verdict::likely(false, 1.0 - wrong(NO_AT_MARGIN, apart / radius))
}

/// How far the estimate of a distance may be off, and how often it is no farther off at least.
pub(super) fn distance_error(sought: &TraversalResult, radius: f64) -> (f64, f64) {
    if !sought.distance.is_finite() {
        return (f64::INFINITY, 1.0);
    }
    let open = (sought.distance - sought.covered).max(0.0);
    (open + ERROR * radius.max(sought.grain), WITHIN_ERROR)
}
