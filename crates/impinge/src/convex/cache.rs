//! Cache of a pair of convex shapes between queries.

use glam::DVec3;

use super::epa::EpaScratch;
use crate::math::Pose;

/// A remembered answer is where to begin when nothing has moved by more than this fraction of the size, nor turned by more than this.
pub(super) const NEAR: f64 = 0.25;

/// What a pair stores between queries. It changes the work, not the promise.
#[derive(Clone, Debug, Default)]
#[doc(alias = "GJK")]
#[doc(alias = "warm start")]
#[doc(alias = "simplex")]
pub struct GjkCache {
    /// The last direction between the shapes, from `b` to `a`.
    pub(super) direction: Option<DVec3>,
    pub(super) pairs: [[u32; 2]; 4],
    pub(super) pair_count: usize,
    /// Whether the pairs proved that the shapes meet; fewer than four together with the ball inside the body of differences.
    pub(super) is_meeting: bool,
    pub(super) hints: [u32; 2],
    /// Where the shapes stood: the centre of one from the other, and two sides of its frame.
    stood: [DVec3; 3],
    pub(super) steps: u64,
    pub(super) exact_decisions: u64,
    pub(super) scratch: ScratchSlot,
}

/// Memory of EPA and of decisions in integers, kept between queries so that they do not allocate.
#[derive(Debug, Default)]
pub(super) struct ConvexScratch {
    pub(super) epa: EpaScratch,
    /// Vertices of both shapes, placed.
    pub(super) vertices: [Vec<DVec3>; 2],
}

/// A place for that memory, which many pairs never need. It holds no answers, so that a clone begins empty.
#[derive(Debug, Default)]
pub(super) struct ScratchSlot(Option<Box<ConvexScratch>>);

impl ScratchSlot {
    pub(super) fn get(&mut self) -> &mut ConvexScratch {
        self.0.get_or_insert_default()
    }
}

impl Clone for ScratchSlot {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl GjkCache {
    /// An empty cache.
    ///
    /// ```
    /// use impinge::convex::GjkCache;
    /// assert_eq!(GjkCache::new().steps(), 0);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Support points requested, over all queries.
    ///
    /// ```
    /// use impinge::{Pose, convex::{Cuboid, GjkCache, intersects}};
    /// let (cube, mut cache) = (Cuboid::new([1.0; 3])?, GjkCache::new());
    /// assert!(intersects(&cube, &cube, &Pose::from_translation([1.5, 0.5, 0.0])?, &mut cache));
    /// assert!(cache.steps() < 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Forgets everything but its memory, as if it were new.
    pub(crate) fn forget(&mut self) {
        *self = Self {
            scratch: std::mem::take(&mut self.scratch),
            ..Self::default()
        };
    }

    /// The last direction between the shapes, from `b` to `a`.
    pub(super) fn direction(&self) -> Option<DVec3> {
        self.direction
    }

    /// Queries that were decided in integers.
    ///
    /// ```
    /// use impinge::{Pose, convex::{Cuboid, GjkCache, intersects}};
    /// let (cube, mut cache) = (Cuboid::new([1.0; 3])?, GjkCache::new());
    /// assert!(intersects(&cube, &cube, &Pose::from_translation([1.5, 0.5, 0.0])?, &mut cache));
    /// assert!(cache.exact_decisions() < 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn exact_decisions(&self) -> u64 {
        self.exact_decisions
    }

    /// Whether shapes of this size, placed so, stand about as they did; from then on this counts as where they stood.
    #[inline(always)]
    pub(super) fn is_near(&mut self, between: DVec3, pose: &Pose, size: f64) -> bool {
        let stands = [between, pose.rotation().x_axis, pose.rotation().y_axis];
        let [moved, x, y] = [0, 1, 2].map(|i: usize| (stands[i] - self.stood[i]).abs());
        self.stood = stands;
        moved.max_element() <= NEAR * size && x.max(y).max_element() <= NEAR
    }
}
