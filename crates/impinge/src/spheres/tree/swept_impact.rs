//! Time of impact by one quadratic equation for each pair of balls.
//!
//! **Question.** When do spheres of two moving trees first touch?
//! **Idea.** Over a short interval centres move almost straight. The nearest approach of two swept
//! spheres is at `r = −(d+e)/(a+2b+c)` in the products of their displacements; pairs of nodes that
//! stay apart are pruned, and so are those that touch later than the best pair of leaves, whose
//! time is the root of one quadratic. If bodies rotate, centres deviate from the straight line by
//! at most an eighth of their acceleration times the square of the duration: radii grow by that,
//! and intervals are halved until it is small.
//! **Source.** Weller 2012, Algorithm 5.5, with the denominator corrected; the bound for rotation
//! is ours.
//! **Promise.** No two spheres touch before `lower`. At the contact's time two spheres touch or
//! overlap, up to rounding.
//! **Limits.** [`InnerSphereTree::impact`], which advances by distances, also bounds the impact of
//! the solids.

use glam::DVec3;

use super::inner_sphere_tree::InnerSphereTree;
use super::topology::{LEAF, NO_CHILD};
use super::tree_pair::{InnerSphereTreeCache, TreeSide};
use crate::math::sort::sort_few;
use crate::math::{Motion, Pose};
use crate::query::{Limits, Outcome};
use crate::spheres::solid_ball::SolidBall;

/// How far a path may leave its straight line, as part of the sizes of both trees.
const STRAIGHT: f64 = 1e-9;
/// Intervals are halved no more often than this.
const MOST_HALVINGS: u32 = 40;

/// The first contact of spheres of two moving trees, as a fraction of the motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptImpact {
    /// No two balls touch before this time; 1 when none touch at all.
    pub lower: f64,
    /// A time at which two balls touch or overlap, and which.
    pub contact: Option<(f64, (usize, usize))>,
    /// Whether the motion was searched to its end or to a contact.
    pub outcome: Outcome,
}

/// Both trees at the two ends of an interval.
struct SweptPair<'t> {
    sides: [TreeSide<'t>; 2],
    starts: [Pose; 2],
    ends: [Pose; 2],
    /// What sums of radii grow by.
    room: f64,
}

/// Two parts of the trees and when they may first touch, as part of the interval.
#[derive(Clone, Copy)]
struct SweptStep {
    a: u32,
    b: u32,
    enters: f64,
}

impl SweptPair<'_> {
    /// When two balls first come together on straight ways; none when they do not.
    fn enters(&self, a: u32, b: u32) -> Option<f64> {
        let place = |k: usize, ball: &SolidBall| {
            let start = self.starts[k].transform_point(ball.center);
            (start, self.ends[k].transform_point(ball.center) - start)
        };
        let (ball_a, ball_b) = (self.sides[0].ball(a), self.sides[1].ball(b));
        let ((start_a, way_a), (start_b, way_b)) = (place(0, &ball_a), place(1, &ball_b));
        let reach = ball_a.radius + ball_b.radius + self.room;
        if reach < 0.0 {
            return None;
        }
        let (arm, drift) = (start_a - start_b, way_a - way_b);
        first_time(arm, drift, reach)
    }

    /// The first pair of leaves that touches.
    fn first(&self, tests: &mut u64, stack: &mut Vec<SweptStep>) -> Option<(f64, (u32, u32))> {
        let mut best: Option<(f64, (u32, u32))> = None;
        stack.clear();
        if let Some(enters) = self.enters(0, 0) {
            stack.push(SweptStep { a: 0, b: 0, enters });
        }
        while let Some(step) = stack.pop() {
            if best.is_some_and(|(t, _)| step.enters >= t) {
                continue;
            }
            let (leaf_a, leaf_b) = (step.a & LEAF != 0, step.b & LEAF != 0);
            if leaf_a && leaf_b {
                best = Some((step.enters, (step.a & !LEAF, step.b & !LEAF)));
                continue;
            }
            let [a, b] = &self.sides;
            let opens_b = leaf_a || (!leaf_b && b.ball(step.b).radius > a.ball(step.a).radius);
            let (side, code) = if opens_b { (b, step.b) } else { (a, step.a) };
            let Some(node) = side.tree.nodes.get(code as usize) else {
                continue;
            };
            let before = stack.len();
            for child in node.child {
                if child == NO_CHILD {
                    continue;
                }
                *tests += 1;
                let (a, b) = if opens_b {
                    (step.a, child)
                } else {
                    (child, step.b)
                };
                if let Some(enters) = self.enters(a, b)
                    && best.is_none_or(|(t, _)| enters < t)
                {
                    stack.push(SweptStep { a, b, enters });
                }
            }
            // The earliest is looked at first.
            let fresh = stack.get_mut(before..).unwrap_or_default();
            sort_few(fresh, |x, y| {
                y.enters
                    .total_cmp(&x.enters)
                    .then((y.a, y.b).cmp(&(x.a, x.b)))
            });
        }
        best
    }
}

/// The first `r` in [0, 1] at which `arm + r·drift` is no longer than `reach`.
fn first_time(arm: DVec3, drift: DVec3, reach: f64) -> Option<f64> {
    let length = arm.length();
    let beyond = (length - reach) * (length + reach);
    if beyond <= 0.0 {
        return Some(0.0);
    }
    let closing = -arm.dot(drift);
    let speed_sq = drift.length_squared();
    if closing <= 0.0 {
        return None;
    }
    // The nearest approach; what is still apart there never meets.
    let nearest = (closing / speed_sq).min(1.0);
    if (arm + drift * nearest).length() > reach {
        return None;
    }
    let discriminant = (closing * closing - speed_sq * beyond).max(0.0);
    Some((beyond / (closing + discriminant.sqrt())).min(1.0))
}

impl InnerSphereTree {
    /// The first contact of spheres of two moving trees, by swept spheres and one quadratic
    /// equation per pair; nothing when a tree is empty.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, math::Motion, query::Limits, spheres::*};
    /// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
    /// let tree = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?;
    /// let still = Motion::still(&Pose::IDENTITY);
    /// let moving = Motion::between(&Pose::from_translation([10.0, 0.0, 0.0])?, &Pose::IDENTITY);
    /// let found = tree.swept_impact(&tree, &still, &moving, Limits::default(), &mut InnerSphereTreeCache::default());
    /// let time = found.and_then(|f| f.contact).map_or(1.0, |c| c.0);
    /// assert!((time - 0.8).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn swept_impact(
        &self,
        other: &Self,
        motion: &Motion,
        other_motion: &Motion,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
    ) -> Option<SweptImpact> {
        let size = self.root?.radius + other.root?.radius;
        let side = |tree| TreeSide {
            tree,
            swollen: None,
        };
        // Twice the area of a triangle over its base: acceleration times an eighth of the square of the duration.
        let bend = self.bend(motion)? + other.bend(other_motion)?;
        let rounding = 1e-14 * (size + self.span() + other.span());
        let mut stack = Vec::new();
        let mut intervals = vec![(0.0_f64, 1.0_f64, 0_u32)];
        let mut lower: Option<f64> = None;
        cache.tests = 0;
        while let Some((t0, t1, depth)) = intervals.pop() {
            if !limits.allows(cache.tests) || limits.is_stopped() {
                return Some(SweptImpact {
                    lower: lower.unwrap_or(t0),
                    contact: None,
                    outcome: Outcome::OutOfBudget,
                });
            }
            let duration = t1 - t0;
            let curved = bend * duration * duration;
            let mut pair = SweptPair {
                sides: [side(self), side(other)],
                starts: [motion.at(t0), other_motion.at(t0)],
                ends: [motion.at(t1), other_motion.at(t1)],
                room: curved + rounding,
            };
            let Some((r, _)) = pair.first(&mut cache.tests, &mut stack) else {
                continue;
            };
            if curved > STRAIGHT * size && depth < MOST_HALVINGS {
                let middle = t0 + 0.5 * duration;
                intervals.push((middle, t1, depth + 1));
                intervals.push((t0, middle, depth + 1));
                continue;
            }
            lower.get_or_insert(t0 + r * duration);
            pair.room = -curved;
            if let Some((r, (a, b))) = pair.first(&mut cache.tests, &mut stack) {
                return Some(SweptImpact {
                    lower: lower.unwrap_or(t0),
                    contact: Some((t0 + r * duration, (a as usize, b as usize))),
                    outcome: Outcome::Complete,
                });
            }
            // Grazing: nothing surely touches in this interval.
        }
        Some(SweptImpact {
            lower: lower.unwrap_or(1.0),
            contact: None,
            outcome: Outcome::Complete,
        })
    }

    /// Upper bound on how far the path of a ball's centre leaves its chord over the whole motion.
    fn bend(&self, motion: &Motion) -> Option<f64> {
        let root = self.root?;
        if motion.angle() == 0.0 {
            return Some(0.0);
        }
        let radius = (root.center - motion.center()).length() + root.radius;
        Some(motion.angle() * motion.max_speed(radius) / 8.0)
    }
}
