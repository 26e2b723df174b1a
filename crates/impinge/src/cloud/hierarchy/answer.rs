//! Result of a query about two clouds.

use glam::DVec3;

use crate::query::{Outcome, Verdict};

/// Whether the surfaces of two clouds intersect, according to their samples.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct CloudAnswer {
    /// Yes or no. The confidence is a probability, measured on models with known truth. Certain only when the clouds are so far apart that their surfaces cannot meet.
    pub verdict: Verdict,
    /// A common point of the surfaces, in a's frame; if none was found, the examined place with the
    /// smallest sum of distances from both.
    pub point: Option<DVec3>,
    /// The smallest distance between the surfaces that was seen: an estimate from above, infinite when nothing was examined closely.
    pub distance: f64,
    /// Evaluations of the functions, those of both clouds together.
    pub evaluations: u64,
    /// Pairs of nodes that were compared.
    pub node_pairs: u64,
    /// Whether the search was finished.
    pub outcome: Outcome,
}

/// How far apart the surfaces of two clouds are: an estimate, how far off it may be, and what is proven.
///
/// `lower <= distance <= upper` always, whatever the outcome. When a limit came first, `error` is as large as the pairs that were still to be visited allow.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct CloudDistance {
    /// Whether they intersect. Certain only when they are proven apart; confidence 0.5 when a limit stopped the search before an intersection was
    /// excluded.
    pub verdict: Verdict,
    /// A common point of the surfaces, in a's frame; if none was found, the examined place with the
    /// smallest sum of distances from both, if any.
    pub point: Option<DVec3>,
    /// The estimate: 0 if they intersect, otherwise the smallest distance found. Infinite if a
    /// cloud is empty, or nothing was found within the distance of interest.
    pub distance: f64,
    /// How far the truth may be from the estimate, at the stated confidence; infinite with it.
    pub error: f64,
    /// The minimum probability that the truth is within `error` of the estimate, measured on models
    /// with known truth and with leaves tested by Newton's method.
    pub confidence: f64,
    /// Proven: surfaces that stay within the [overhang](super::super::CloudSurface::overhang) of the hull of their points, as all zeros that count do, are no nearer. 0 when nothing is proven.
    pub lower: f64,
    /// Proven: surfaces that pass through their points are no farther apart, since two points are not. Noise of the points is not in it. Infinite when no two points were seen within the distance of interest.
    pub upper: f64,
    /// Evaluations of the functions, those of both clouds together.
    pub evaluations: u64,
    /// Pairs of nodes that were compared.
    pub node_pairs: u64,
    /// Whether the search was finished.
    pub outcome: Outcome,
}
