//! Two inner sphere trees as particles: the trees find the nearest pair of spheres.
//!
//! **Promise.** The answer is that of the kernel for two balls on the pair found. Where rounding
//! could decide between pairs, nothing is returned, and the general search answers. Without the
//! feature `spheres` there are no trees, and nothing is ever returned.

#[cfg(feature = "spheres")]
use super::composite::Composite;
#[cfg(feature = "spheres")]
use super::convex_piece::{PieceCache, gap};
#[cfg(feature = "spheres")]
use super::intersection::rounding_margin;
use super::shape::Shape;
#[cfg(feature = "spheres")]
use crate::math::Pose;
#[cfg(feature = "spheres")]
use crate::query::{Bounded, Limits, Outcome, Separation};
#[cfg(feature = "spheres")]
use crate::spheres::{InnerSphereTree, InnerSphereTreeCache};

/// The trees of two sets of particles that both have one, and the memory of a search.
#[cfg(feature = "spheres")]
#[derive(Debug)]
pub(super) struct SphereSearch {
    trees: [std::sync::Arc<InnerSphereTree>; 2],
    cache: InnerSphereTreeCache,
}

/// Without trees there is nothing to search.
#[cfg(not(feature = "spheres"))]
#[derive(Debug)]
pub(super) enum SphereSearch {}

impl SphereSearch {
    /// The search of two shapes that are particles with trees.
    pub(super) fn of(a: &Shape, b: &Shape) -> Option<Box<Self>> {
        #[cfg(feature = "spheres")]
        if let (Shape::Particles(a), Shape::Particles(b)) = (a, b) {
            let trees = [a.sphere_tree()?.clone(), b.sphere_tree()?.clone()];
            let cache = InnerSphereTreeCache::default();
            return Some(Box::new(Self { trees, cache }));
        }
        let _ = (a, b);
        None
    }
}

#[cfg(feature = "spheres")]
impl SphereSearch {
    /// Whether two spheres share a point; none where no more than rounding decides.
    pub(super) fn meets(&mut self, sides: [&Composite; 2], a_from_b: &Pose) -> Option<bool> {
        let (i, j) = self.nearest(a_from_b, Limits::default())?;
        let [a, b] = &self.trees;
        let (p, q) = (a.balls().get(i)?, b.balls().get(j)?);
        let between = p.center.distance(a_from_b.transform_point(q.center));
        let gap = between - p.radius - q.radius;
        let [a, b] = sides;
        (gap.abs() > rounding_margin(a, b, a_from_b)).then_some(gap < 0.0)
    }

    /// The distance of the nearest spheres; none where no more than rounding decides, or the limits end the search.
    pub(super) fn distance(
        &mut self,
        [a, b]: [&Composite; 2],
        a_from_b: &Pose,
        limits: Limits<'_>,
        pieces: &mut PieceCache,
    ) -> Option<Bounded<Option<Separation>>> {
        let (i, j) = self.nearest(a_from_b, limits)?;
        let own = gap(&a.part(i as u32), &b.part(j as u32), a_from_b, pieces);
        let margin = rounding_margin(a, b, a_from_b);
        if own.value.distance > 0.0 && own.value.distance <= margin {
            return None;
        }
        let within = limits.within();
        Some(Bounded {
            value: (own.value.distance <= within).then_some(own.value),
            lower: (own.lower - margin).max(0.0).min(within),
            upper: own.upper,
            outcome: Outcome::Complete,
        })
    }

    /// The nearest spheres of a search that was finished.
    fn nearest(&mut self, a_from_b: &Pose, limits: Limits<'_>) -> Option<(usize, usize)> {
        let [a, b] = &self.trees;
        let found = a.distance(b, a_from_b, limits, &mut self.cache)?;
        (found.outcome == Outcome::Complete).then_some(found.balls)
    }
}
