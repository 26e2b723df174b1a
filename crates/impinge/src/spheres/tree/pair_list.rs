//! List of ball pairs that may overlap soon, evaluated at later poses.
//!
//! **Question.** Which force acts between two packed solids, a thousand times a second, when a
//! traversal of both trees takes longer than that?
//! **Idea.** One thread lists the pairs of spheres whose gap is below a margin. Until bodies have
//! moved by the margin no other pair can overlap, so that another thread can evaluate the list at
//! newer poses and miss nothing.
//! **Source.** The separation lists of Weller's haptic workspace (2012), here with the margin that
//! makes them complete.
//! **Promise.** While no point of `b` has moved farther than the margin in the frame of `a`, the
//! sums are those of [`InnerSphereTree::overlap`], up to the order of summation.

use glam::DVec3;

use super::forces::{ConeForces, Wrench};
use super::inner_sphere_tree::InnerSphereTree;
use super::lens_batch::{LensBatch, ROW};
use super::tree_pair::{InnerSphereTreeCache, TreePair};
use crate::math::Pose;
use crate::math::simd::Level;
use crate::query::{Limits, Outcome, PoseGradient};

/// Pairs of balls of two trees.
#[derive(Clone, Debug)]
pub struct PairList {
    level: Level,
    pairs: Vec<(u32, u32)>,
    margin: f64,
    /// Balls of the two trees that the list was made of.
    counts: [usize; 2],
    rows: Box<LensBatch>,
}

/// The overlap of the pairs of a list at a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairForces {
    /// The overlap volume of the spheres.
    pub volume: f64,
    /// Its centroid.
    pub centroid: DVec3,
    /// The change of the volume per movement of `b`, as [`BallOverlap::gradient`](super::BallOverlap::gradient).
    pub gradient: PoseGradient,
    /// Forces by cones of normals.
    pub cones: ConeForces,
    /// Pairs that overlap.
    pub pairs: usize,
}

impl PairForces {
    /// Of balls that do not overlap.
    const NONE: Self = Self {
        volume: 0.0,
        centroid: DVec3::ZERO,
        gradient: PoseGradient {
            translation: DVec3::ZERO,
            rotation: DVec3::ZERO,
        },
        cones: ConeForces {
            push: NO_WRENCH,
            published_on_a: NO_WRENCH,
            published_on_b: NO_WRENCH,
        },
        pairs: 0,
    };
}

const NO_WRENCH: Wrench = Wrench {
    force: DVec3::ZERO,
    torque: DVec3::ZERO,
};

impl Default for PairList {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

impl PairList {
    /// A list with room for this many pairs; it grows when it must.
    ///
    /// ```
    /// use impinge::spheres::PairList;
    /// let list = PairList::with_capacity(100);
    /// assert!(list.is_empty() && list.len() == 0 && list.margin() == 0.0);
    /// ```
    #[must_use]
    pub fn with_capacity(pairs: usize) -> Self {
        Self {
            level: Level::detect(),
            pairs: Vec::with_capacity(pairs),
            margin: 0.0,
            counts: [0; 2],
            rows: Box::default(),
        }
    }

    /// Pairs in the list.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether no pair is in the list.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// How far bodies may move before the list misses a pair.
    #[must_use]
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// The pairs, by their places in [`InnerSphereTree::balls`].
    ///
    /// ```
    /// assert!(impinge::spheres::PairList::default().pairs().is_empty());
    /// ```
    #[must_use]
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// The overlap of the pairs at a pose. Nothing for trees other than those the list was made of;
    /// it does not allocate.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, query::Limits, spheres::*};
    /// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
    /// let tree = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?;
    /// let (mut list, mut cache) = (PairList::default(), InnerSphereTreeCache::default());
    /// let apart = Pose::from_translation([2.1, 0.0, 0.0])?;
    /// let _ = tree.overlap_pairs(&tree, &apart, 0.2, Limits::default(), &mut cache, &mut list);
    /// let near = Pose::from_translation([1.95, 0.0, 0.0])?;
    /// let forces = list.forces(&tree, &tree, &near);
    /// assert!(forces.pairs == 1 && forces.gradient.translation.x < 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn forces(
        &mut self,
        a: &InnerSphereTree,
        b: &InnerSphereTree,
        a_from_b: &Pose,
    ) -> PairForces {
        if self.counts != [a.balls.len(), b.balls.len()] {
            return PairForces::NONE;
        }
        let scene = TreePair::new(a, b, a_from_b, self.level);
        self.rows.clear();
        for row in self.pairs.chunks(ROW) {
            scene.add_row(row, &mut self.rows);
        }
        let sum = self.rows.sum(scene.has_cones());
        PairForces {
            volume: sum.volume,
            centroid: if sum.volume > 0.0 {
                sum.moment / sum.volume
            } else {
                DVec3::ZERO
            },
            gradient: sum.gradient,
            cones: sum.cones,
            pairs: sum.pairs,
        }
    }
}

impl InnerSphereTree {
    /// Fills the list with all pairs of balls whose gap is at most `margin`; a margin that is not a
    /// number counts as 0. When a limit ends the search the list is not complete.
    ///
    /// ```
    /// use impinge::{Pose, query::Limits, spheres::*};
    /// let empty = InnerSphereTree::new(&[], &InnerSphereTreeOptions::default())?;
    /// let (mut list, mut cache) = (PairList::default(), InnerSphereTreeCache::default());
    /// let _ = empty.overlap_pairs(&empty, &Pose::IDENTITY, 1.0, Limits::default(), &mut cache, &mut list);
    /// assert!(list.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlap_pairs(
        &self,
        other: &Self,
        self_from_other: &Pose,
        margin: f64,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
        list: &mut PairList,
    ) -> Outcome {
        let scene = TreePair::new(self, other, self_from_other, cache.level);
        list.pairs.clear();
        list.margin = margin.max(0.0);
        list.counts = [self.balls.len(), other.balls.len()];
        cache.tests = 0;
        cache.stack.clear();
        // Rounding of a pose moves a ball by this much at most.
        let room = 1e-13 * (self.span() + other.span());
        let within = list.margin + room;
        let root = scene.root().filter(|root| root.bound <= within);
        cache.stack.extend(root);
        while let Some(pair) = cache.stack.pop() {
            if let Some((a, b)) = pair.leaves() {
                list.pairs.push((a, b));
                continue;
            }
            if !limits.allows(cache.tests) || limits.is_stopped() {
                cache.stack.clear();
                return Outcome::OutOfBudget;
            }
            cache.tests += super::topology::WIDTH as u64;
            let stack = &mut cache.stack;
            scene.open(&pair, within, |child| stack.push(child));
        }
        Outcome::Complete
    }
}
