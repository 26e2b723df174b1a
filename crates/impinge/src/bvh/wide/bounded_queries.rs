//! Yes-or-no queries under limits: yes, no, or unknown.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::batch::BatchOptions;
use super::intersect::WideCache;
use super::ray_or_segment::{FaceHit, RayOrSegment};
use super::single_tree::SingleTreeCache;
use super::tree::WideTree;
use crate::bvh::MeshIndex;
use crate::math::Pose;
use crate::query::{Bounded, First, Limits, Outcome};

/// Whether something was found; none if the search ended before this was known.
fn known(is_found: bool, outcome: Outcome) -> Option<bool> {
    (is_found || outcome == Outcome::Complete).then_some(is_found)
}

impl WideTree {
    /// Whether any two faces share a point, as [`WideTree::intersects`] returns it; none when a
    /// limit was met first.
    ///
    /// ```
    /// use impinge::bvh::wide::{WideCache, WideTree};
    /// use impinge::{Pose, generate::icosphere, query::Limits};
    /// use std::sync::Arc;
    /// let ball = WideTree::new(Arc::new(icosphere(1.0, 8)?));
    /// let (pose, mut cache) = (Pose::from_translation([1.0, 0.0, 0.0])?, WideCache::default());
    /// assert_eq!(ball.bounded_intersects(&ball, &pose, Limits::default(), &mut cache), Some(true));
    /// let none = Limits { max_tests: Some(1), ..Limits::default() };
    /// assert_eq!(ball.bounded_intersects(&ball, &pose, none, &mut cache), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bounded_intersects(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut WideCache,
    ) -> Option<bool> {
        let mut first = First::default();
        let outcome = self.intersections(other, self_from_other, limits, cache, &mut first);
        known(first.0.is_some(), outcome)
    }

    /// Whether the line hits any face within [`Limits::max_distance`] of its start; none when another limit was met first.
    ///
    /// ```
    /// use impinge::bvh::wide::{RayOrSegment, SingleTreeCache, WideTree};
    /// use impinge::{generate::icosphere, query::Limits};
    /// use std::sync::Arc;
    /// let ball = WideTree::new(Arc::new(icosphere(1.0, 8)?));
    /// let (line, mut cache) = (RayOrSegment::ray([0.1, 0.2, 3.0], [0.0, 0.0, -1.0])?, SingleTreeCache::default());
    /// assert_eq!(ball.bounded_is_hit(&line, Limits::default(), &mut cache), Some(true));
    /// let near = Limits { max_distance: Some(1.0), ..Limits::default() };
    /// assert_eq!(ball.bounded_is_hit(&line, near, &mut cache), Some(false));
    /// let none = Limits { max_tests: Some(1), ..Limits::default() };
    /// assert_eq!(ball.bounded_is_hit(&line, none, &mut cache), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bounded_is_hit(
        &self,
        line: &RayOrSegment,
        limits: Limits<'_>,
        cache: &mut SingleTreeCache,
    ) -> Option<bool> {
        let mut first = First::default();
        let outcome = self.hits(line, limits, cache, &mut first);
        known(first.0.is_some(), outcome)
    }

    /// The first hit of each line, in their order, each under the limits of the options, as [`WideTree::first_hit`] returns it.
    ///
    /// With the feature `parallel` the lines are shared among threads; the answers are the same.
    ///
    /// ```
    /// use impinge::bvh::wide::{RayOrSegment, WideTree, batch::BatchOptions};
    /// use impinge::{generate::icosphere, query::Outcome};
    /// use std::sync::Arc;
    /// let ball = WideTree::new(Arc::new(icosphere(1.0, 8)?));
    /// let lines = [RayOrSegment::ray([0.1, 0.2, 3.0], [0.0, 0.0, -1.0])?];
    /// let few = BatchOptions { max_tests: Some(1), ..BatchOptions::default() };
    /// assert_eq!(ball.bounded_first_hits(&lines, &few)[0].outcome, Outcome::OutOfBudget);
    /// assert!(ball.bounded_first_hits(&lines, &BatchOptions::default())[0].value.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bounded_first_hits(
        &self,
        lines: &[RayOrSegment],
        options: &BatchOptions<'_>,
    ) -> Vec<Bounded<Option<FaceHit>>> {
        let new_cache = || {
            options
                .level
                .map_or_else(SingleTreeCache::default, SingleTreeCache::with_level)
        };
        let first = |cache: &mut SingleTreeCache, line: &RayOrSegment| {
            options.limited(|limits| self.first_hit(line, limits, cache))
        };
        #[cfg(feature = "parallel")]
        return lines.par_iter().map_init(new_cache, first).collect();
        #[cfg(not(feature = "parallel"))]
        {
            let mut cache = new_cache();
            lines.iter().map(|line| first(&mut cache, line)).collect()
        }
    }
}
