//! Scratch memory of a search.

use glam::DVec3;

use super::candidates::CandidateDraw;
use super::second_surface::SurfaceLook;
use super::surface_path::SurfacePath;
use crate::cloud::{EvaluationScratch, PointId};

/// Memory for searches between two surfaces. One per thread; nothing is allocated once it has grown.
///
/// ```
/// use impinge::cloud::InterpolationSearchScratch;
/// assert_eq!(InterpolationSearchScratch::default().surface.evaluations, 0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct InterpolationSearchScratch {
    /// Memory of evaluations, and their number in all searches.
    pub surface: EvaluationScratch,
    pub(super) draw: CandidateDraw,
    pub(super) route: SurfacePath,
    /// Candidates that are near enough to the second surface.
    pub(super) seen: Vec<CrossingCandidate>,
    /// Crossings so far.
    pub(super) found: Vec<DVec3>,
    /// Balls in which no candidate can be near.
    pub(super) far: Vec<(DVec3, f64)>,
    /// Pairs of nodes still to be visited, with a bound on their distance.
    pub(super) pairs: Vec<(u32, u32, f64)>,
}

/// A point of the first cloud and what it sees of the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrossingCandidate {
    pub(super) point: PointId,
    pub(super) place: DVec3,
    pub(super) look: SurfaceLook,
    /// The other end of the bracket that was searched from here.
    pub(super) partner: Option<PointId>,
}

impl CrossingCandidate {
    pub(super) fn new(point: PointId, place: DVec3, look: SurfaceLook) -> Self {
        Self {
            point,
            place,
            look,
            partner: None,
        }
    }
}
