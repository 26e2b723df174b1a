//! The memory of a search.

use glam::DVec3;

use super::candidates::Draw;
use super::other::Look;
use super::route::Route;
use crate::cloud::{PointId, Scratch};

/// Memory for searches between two surfaces. One per thread; nothing is allocated once it has grown.
///
/// ```
/// use impinge::cloud::BracketScratch;
/// assert_eq!(BracketScratch::default().surface.evaluations, 0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct BracketScratch {
    /// Memory of evaluations, and their number in all searches.
    pub surface: Scratch,
    pub(super) draw: Draw,
    pub(super) route: Route,
    /// Candidates that are near enough to the second surface.
    pub(super) seen: Vec<Candidate>,
    /// Crossings so far.
    pub(super) found: Vec<DVec3>,
    /// Balls in which no candidate can be near.
    pub(super) far: Vec<(DVec3, f64)>,
    /// Pairs of nodes still to be looked at, with a bound on their distance.
    pub(super) pairs: Vec<(u32, u32, f64)>,
}

/// A point of the first cloud and what it sees of the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) point: PointId,
    pub(super) place: DVec3,
    pub(super) look: Look,
    /// The other end of the bracket that was searched from here.
    pub(super) partner: Option<PointId>,
}

impl Candidate {
    pub(super) fn new(point: PointId, place: DVec3, look: Look) -> Self {
        Self {
            point,
            place,
            look,
            partner: None,
        }
    }
}
