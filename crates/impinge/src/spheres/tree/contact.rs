//! Combined query: distance when apart, overlap when penetrating.

use super::distance::BallSeparation;
use super::inner_sphere_tree::InnerSphereTree;
use super::overlap::BallOverlap;
use super::tree_pair::{InnerSphereTreeCache, TreePair};
use crate::math::Pose;
use crate::query::{Limits, Outcome, Verdict};

/// The confidence in an answer about which nothing is known.
const UNKNOWN: f64 = 0.5;
/// That in balls which touch up to rounding.
const TOUCHING: f64 = 0.75;

/// How two packed solids lie to each other, by their balls.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "an answer is read and dropped; boxing it would allocate in every question"
)]
pub enum BallProximity {
    /// No two balls overlap: how far they are apart.
    Apart(BallSeparation),
    /// Balls overlap: how much.
    Overlapping(BallOverlap),
}

/// Whether two packed solids share a point, and two witness spheres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallContact {
    /// Proven *yes* if two spheres overlap by more than rounding. Proven *no* if a finished search
    /// found a gap larger than both surfaces can close, and too large for either solid to lie in a
    /// gap of the other's packing. Otherwise likely, with confidence 0.5 where a surface is not
    /// known or the budget ended first.
    pub verdict: Verdict,
    /// Two balls that touch or overlap, numbered as in [`InnerSphereTree::balls`].
    pub witness: Option<(usize, usize)>,
    /// Whether all relevant pairs were visited.
    pub outcome: Outcome,
}

impl InnerSphereTree {
    /// The distance if no two spheres overlap, the overlap if some do; nothing when a tree is
    /// empty.
    ///
    /// The search begins as a distance query and becomes an overlap query at the first two spheres
    /// that overlap: pairs pruned before were apart, so nothing is missed. The result equals
    /// [`InnerSphereTree::distance`] and [`InnerSphereTree::overlap`], except for the order of
    /// sums.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, query::Limits, spheres::*};
    /// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
    /// let tree = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?;
    /// let mut cache = InnerSphereTreeCache::default();
    /// let apart = Pose::from_translation([5.0, 0.0, 0.0])?;
    /// let found = tree.proximity(&tree, &apart, Limits::default(), &mut cache);
    /// assert!(matches!(found, Some(BallProximity::Apart(s)) if s.upper == 3.0));
    /// let near = Pose::from_translation([1.0, 0.0, 0.0])?;
    /// let found = tree.proximity(&tree, &near, Limits::default(), &mut cache);
    /// assert!(matches!(found, Some(BallProximity::Overlapping(o)) if o.pairs == 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn proximity(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
    ) -> Option<BallProximity> {
        let scene = TreePair::new(self, other, self_from_other, cache.level);
        cache.tests = 0;
        cache.stack.clear();
        cache.stack.push(scene.root()?);
        let nearest = scene.nearest(limits, cache, |gap| gap < 0.0);
        if nearest.gap >= 0.0 {
            return Some(BallProximity::Apart(self.separation(other, &nearest)));
        }
        let enlarged = TreePair::new(self, other, self_from_other, cache.level).with_gaps();
        let overlap = if enlarged.a.swollen.is_some() || enlarged.b.swollen.is_some() {
            // Enlarged balls overlap also where the balls themselves were found to be apart.
            cache.stack.clear();
            cache.stack.extend(enlarged.root());
            enlarged.measure(limits, cache)
        } else {
            cache.stack.retain(|pair| pair.bound < 0.0);
            scene.measure(limits, cache)
        };
        Some(BallProximity::Overlapping(overlap))
    }

    /// Whether the solids share a point, if spheres and surfaces prove it.
    ///
    /// A proven *no* needs [`InnerSphereTree::with_surface`] on both sides. It is never proven if a
    /// solid may lie entirely in a gap of the other's packing.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, query::Limits, spheres::*};
    /// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
    /// let tree = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?;
    /// let near = Pose::from_translation([1.0, 0.0, 0.0])?;
    /// let found = tree.contact(&tree, &near, Limits::default(), &mut InnerSphereTreeCache::default());
    /// assert!(found.verdict.answer && found.verdict.certain);
    /// assert_eq!(found.witness, Some((0, 0)));
    /// // The balls are apart, but nothing is known about the surfaces around them.
    /// let far = Pose::from_translation([9.0, 0.0, 0.0])?;
    /// let found = tree.contact(&tree, &far, Limits::default(), &mut InnerSphereTreeCache::default());
    /// assert!(!found.verdict.answer && !found.verdict.certain && found.verdict.confidence == 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contact(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
    ) -> BallContact {
        let scene = TreePair::new(self, other, self_from_other, cache.level);
        cache.tests = 0;
        cache.stack.clear();
        let Some(root) = scene.root() else {
            return BallContact {
                verdict: Verdict::likely(false, UNKNOWN),
                witness: None,
                outcome: Outcome::Complete,
            };
        };
        cache.stack.push(root);
        let nearest = scene.nearest(limits, cache, |gap| gap <= 0.0);
        let found = self.separation(other, &nearest);
        let room = self.gap_rounding(other, nearest.gap);
        let is_touching = nearest.gap <= 0.0;
        let verdict = match (self.reach, other.reach) {
            _ if nearest.gap < -room => Verdict::proven(true),
            _ if is_touching => Verdict::likely(true, TOUCHING),
            _ if found.lower > 0.0 => Verdict::proven(false),
            // The larger the gap beside what solids may close of it, the likelier they are apart. It is not above that: at most ¾ comes out.
            (Some(a), Some(b)) if found.outcome == Outcome::Complete => {
                let part = found.upper / (found.upper + a.inner + b.inner + room);
                Verdict::likely(false, 0.5 + 0.5 * part)
            }
            _ => Verdict::likely(false, UNKNOWN),
        };
        BallContact {
            verdict,
            witness: is_touching.then_some(found.balls),
            outcome: found.outcome,
        }
    }
}
