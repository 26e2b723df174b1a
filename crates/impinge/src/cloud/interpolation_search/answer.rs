//! Result of a search for crossings.

use glam::DVec3;

use crate::cloud::PointId;
use crate::query::{Outcome, Verdict};

/// A place where two surfaces cross.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SurfaceCrossing {
    /// The place, in the frame of `a`.
    pub point: DVec3,
    /// The radius of the intersection ball: about the root between two neighbouring points of `a`, through the farther of them.
    pub radius: f64,
    /// |f_a| + |f_b| at the place.
    pub residual: f64,
    /// The two neighbouring points of `a` between which f_b changes its sign.
    pub between: [PointId; 2],
    /// The ends of the path on which they were found.
    pub bracket: [PointId; 2],
}

/// Result of a search for crossings.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CrossingResult {
    /// Whether the surfaces cross. Certain only when the boxes of the clouds are farther apart than both surfaces may [reach](crate::cloud::CloudSurface::overhang) beyond their points. The confidence of *no* is the chance that every surfel was hit; that of *yes*
    /// falls from 1 to 0.5 as the residual grows to what is still accepted.
    pub verdict: Verdict,
    /// Evaluations of f_a and f_b.
    pub evaluations: u64,
    /// Searches for the nearest point of `b` that gave the side without an evaluation.
    pub lookups: u64,
    /// Points visited to find paths.
    pub path_steps: u64,
    /// Brackets that were searched.
    pub brackets: u64,
    /// Whether everything was examined.
    pub outcome: Outcome,
}
