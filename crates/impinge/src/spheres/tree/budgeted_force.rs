//! The lens force under a budget, without jumps.
//!
//! **Question.** Which force separates two packed solids, in bounded time, without a jump where the
//! budget truncates the sum?
//! **Idea.** A pair of nodes stands for the pairs below it by `p(R)·p(S)·∇Vol(R∩S)`, where `p` is
//! the fraction of a node's sphere that its leaves fill. Whether it is opened is not a yes-or-no
//! decision: a weight grows from 0 to 1 as the volume that it may hide grows from one to two
//! thresholds, and blends both results. The threshold adapts to the budget from call to call. Each
//! pass also sums the derivative of the force by the logarithm of the threshold, in forward mode
//! along the weights, and the threshold moves only as far as that derivative lets the force move by
//! a fraction of a percent of its recent peak.
//! **Promise.** For a fixed threshold the force is a continuous function of the pose. Between calls
//! the threshold changes the force by [`BudgetedForce::threshold_step`], to first order. `lower` and
//! `upper` bound the overlap volume of the spheres: blends of bounds are bounds.
//! **Limits.** If a call suddenly needs more than its budget, as after a jump of the pose, pairs that
//! wait are left closed and the threshold jumps, and the answer says so. Such a call takes at most as
//! many tests more as pairs waited.

use glam::DVec3;

use super::inner_sphere_tree::InnerSphereTree;
use super::topology::{LEAF, NO_CHILD, WIDTH};
use super::tree_pair::{TreePair, TreeSide};
use crate::geom::lens;
use crate::math::Pose;
use crate::math::simd::Level;
use crate::query::PoseGradient;

/// The overlap of two packed solids, with a force that does not jump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BudgetedForce {
    /// Lower bound on the overlap volume of the spheres.
    pub lower: f64,
    /// Upper bound on it.
    pub upper: f64,
    /// The estimate of it from the visited pairs.
    pub volume: f64,
    /// Its derivative by the pose of `b`; rotations are about the origin of `a`'s frame.
    pub gradient: PoseGradient,
    /// What the change of the threshold before the next call will change the force by, to first
    /// order, as a fraction of the recent peak; of force or torque, whichever is larger.
    pub threshold_step: f64,
    /// Pairs of balls compared.
    pub tests: u64,
    /// Whether the budget ended early and the threshold jumps: the force may jump too.
    pub jumped: bool,
}

impl BudgetedForce {
    const NONE: Self = Self {
        lower: 0.0,
        upper: 0.0,
        volume: 0.0,
        gradient: PoseGradient {
            translation: DVec3::ZERO,
            rotation: DVec3::ZERO,
        },
        threshold_step: 0.0,
        tests: 0,
        jumped: false,
    };
}

#[derive(Clone, Copy, Debug)]
struct WeightedPair {
    a: u32,
    b: u32,
    weight: f64,
    /// Derivative of the weight by the logarithm of the threshold.
    slope: f64,
}

/// The result of a pass, and the derivative of its force by the logarithm of the threshold.
#[derive(Clone, Copy, Debug)]
struct Pass {
    found: BudgetedForce,
    slope: PoseGradient,
    /// Whether the budget ended before all pairs were opened that should be.
    is_overrun: bool,
}

/// Evaluates forces call by call within a budget. It keeps its threshold from call to call.
#[derive(Clone, Debug)]
pub struct BudgetedForces {
    level: Level,
    budget: u64,
    tolerance: f64,
    threshold: f64,
    /// Recent peaks of force and torque, which fade.
    peaks: [f64; 2],
    stack: Vec<WeightedPair>,
}

/// What the threshold grows by in a call that works twice as much as is aimed at: a part of itself, and a part of a small ball's volume.
const RISE: f64 = 0.15;
const FIRST_RISE: f64 = 0.1;
/// It falls more slowly, so that it does not swing.
const FALL: f64 = 0.02;
/// The part of the budget that is aimed at.
const AIM: f64 = 0.4;
/// What the threshold may change a force by in a call, as a part of its recent peak.
const STEP: f64 = 0.004;
/// What is left of a peak after a call.
const FADING: f64 = 0.999;
/// The threshold at which cutting begins to matter, as a part of the mean volume of a ball.
const SMALL: f64 = 0.1;
/// What the threshold is multiplied by after a call that would have exceeded its budget.
const OVERRUN: f64 = 4.0;

impl BudgetedForces {
    /// Forces for about this many tests per call; pairs that hide at most `tolerance` of volume are
    /// never opened.
    ///
    /// A budget of 0 counts as 1, a tolerance that is not a positive number as none.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, spheres::*};
    /// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
    /// let tree = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?;
    /// let mut forces = BudgetedForces::new(1000, 0.0);
    /// let found = forces.at(&tree, &tree, &Pose::from_translation([1.0, 0.0, 0.0])?);
    /// assert!((found.volume - 5.0 / 12.0 * std::f64::consts::PI).abs() < 1e-9);
    /// assert!(found.gradient.translation.x < 0.0 && !found.jumped);
    /// assert_eq!(forces.threshold(), 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(budget: u64, tolerance: f64) -> Self {
        let tolerance = if tolerance > 0.0 { tolerance } else { 0.0 };
        Self {
            level: Level::detect(),
            budget: budget.max(1),
            tolerance,
            threshold: tolerance,
            peaks: [0.0; 2],
            stack: Vec::with_capacity(4096),
        }
    }

    /// Volumes that pairs may hide without being opened.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Sets another budget, from the next call on.
    ///
    /// ```
    /// let mut forces = impinge::spheres::BudgetedForces::new(1000, 0.0);
    /// forces.set_budget(500);
    /// ```
    pub fn set_budget(&mut self, budget: u64) {
        self.budget = budget.max(1);
    }

    /// The overlap of the trees at a pose, with its force.
    pub fn at(
        &mut self,
        a: &InnerSphereTree,
        b: &InnerSphereTree,
        a_from_b: &Pose,
    ) -> BudgetedForce {
        let scene = TreePair::new(a, b, a_from_b, self.level);
        let mean = |tree: &InnerSphereTree| tree.filled() / tree.balls.len().max(1) as f64;
        let small = SMALL * mean(a).min(mean(b));
        let pass = self.pass(&scene, self.threshold, self.budget);
        let mut found = pass.found;
        if pass.is_overrun {
            self.threshold = (self.threshold * OVERRUN).max(small);
            found.jumped = true;
        } else {
            found.threshold_step = self.adapt(&pass, small);
        }
        found
    }

    /// Moves the threshold towards the work aimed at, as far as the force may change; returns by how
    /// much it will, as a part of its peak.
    fn adapt(&mut self, pass: &Pass, small: f64) -> f64 {
        let Pass { found, slope, .. } = pass;
        let sizes = |g: &PoseGradient| [g.translation.length(), g.rotation.length()];
        let mut relative = 0.0_f64;
        let each = sizes(&found.gradient).into_iter().zip(sizes(slope));
        for ((size, slope), peak) in each.zip(&mut self.peaks) {
            *peak = size.max(FADING * *peak);
            if *peak > 0.0 {
                relative = relative.max(slope / *peak);
            }
        }
        let excess = (found.tests as f64 / (AIM * self.budget as f64) - 1.0).clamp(-1.0, 1.0);
        let change = if excess > 0.0 {
            RISE * self.threshold + FIRST_RISE * small
        } else {
            FALL * (self.threshold + small)
        };
        let before = self.threshold;
        // d F = (d F / d ln T) · d T / T.
        let most = if relative > 0.0 {
            STEP * before / relative
        } else {
            f64::INFINITY
        };
        let change = (excess * change).clamp(-most, most);
        self.threshold = (before + change).max(self.tolerance);
        if before > 0.0 {
            relative * (self.threshold - before).abs() / before
        } else {
            0.0
        }
    }

    /// One evaluation. Once it has taken so many tests it opens no more pairs: those that wait are
    /// counted as a whole.
    fn pass(&mut self, scene: &TreePair<'_>, threshold: f64, most: u64) -> Pass {
        let mut is_overrun = false;
        let mut sum = BudgetedForce::NONE;
        let mut slope = BudgetedForce::NONE.gradient;
        self.stack.clear();
        if let Some(root) = scene.root().filter(|root| root.bound < 0.0) {
            self.stack.push(WeightedPair {
                a: root.a,
                b: root.b,
                weight: 1.0,
                slope: 0.0,
            });
        }
        while let Some(pair) = self.stack.pop() {
            sum.tests += 1;
            let (ball_a, ball_b) = (scene.a.ball(pair.a), scene.b.ball(pair.b));
            let center_b = scene.a_from_b.transform_point(ball_b.center);
            let shared = lens(ball_a.center, ball_a.radius, center_b, ball_b.radius);
            if shared.volume <= 0.0 {
                continue;
            }
            let moment = center_b.cross(shared.gradient);
            let mut add = |sum: &mut BudgetedForce, factor: f64, rate: f64| {
                sum.volume += shared.volume * factor;
                sum.gradient.translation += shared.gradient * factor;
                sum.gradient.rotation += moment * factor;
                slope.translation += shared.gradient * rate;
                slope.rotation += moment * rate;
            };
            if pair.a & pair.b & LEAF != 0 {
                add(&mut sum, pair.weight, pair.slope);
                sum.lower += shared.volume * pair.weight;
                sum.upper += shared.volume * pair.weight;
                continue;
            }
            let (fill_a, fill_b) = (fill(&scene.a, pair.a), fill(&scene.b, pair.b));
            let hidden = shared.volume.min(fill_a).min(fill_b);
            let is_late = sum.tests >= most;
            let opened = if is_late {
                is_overrun |= hidden > threshold;
                0.0
            } else if threshold > 0.0 {
                ((hidden - threshold) / threshold).clamp(0.0, 1.0)
            } else {
                1.0
            };
            let rate = if opened > 0.0 && opened < 1.0 {
                -hidden / threshold
            } else {
                0.0
            };
            let closed = pair.weight * (1.0 - opened);
            if closed > 0.0 {
                let dense = |fill: f64, volume: f64| (fill / volume).min(1.0);
                let part = dense(fill_a, ball_a.volume()) * dense(fill_b, ball_b.volume());
                let closes = pair.slope * (1.0 - opened) - pair.weight * rate;
                add(&mut sum, closed * part, closes * part);
                sum.upper += hidden * closed;
            }
            if opened > 0.0 {
                let weight = pair.weight * opened;
                let slope = pair.slope * opened + pair.weight * rate;
                let opens_b =
                    pair.a & LEAF != 0 || (pair.b & LEAF == 0 && ball_b.radius > ball_a.radius);
                let (side, code) = if opens_b {
                    (&scene.b, pair.b)
                } else {
                    (&scene.a, pair.a)
                };
                let Some(node) = side.tree.nodes.get(code as usize) else {
                    continue;
                };
                for lane in 0..WIDTH {
                    let child = node.child[lane];
                    if child == NO_CHILD {
                        continue;
                    }
                    let (a, b) = if opens_b {
                        (pair.a, child)
                    } else {
                        (child, pair.b)
                    };
                    if scene.gap(&scene.a.ball(a), &scene.b.ball(b)) < 0.0 {
                        self.stack.push(WeightedPair {
                            a,
                            b,
                            weight,
                            slope,
                        });
                    }
                }
            }
        }
        sum.lower *= 1.0 - 1e-12;
        sum.upper *= 1.0 + 1e-12;
        Pass {
            found: sum,
            slope,
            is_overrun: is_overrun || sum.tests > most,
        }
    }
}

/// The volume of the balls below a part of a tree.
fn fill(side: &TreeSide<'_>, code: u32) -> f64 {
    let (first, last) = if code & LEAF == 0 {
        side.tree.plan.ranges[code as usize]
    } else {
        (code & !LEAF, (code & !LEAF) + 1)
    };
    let before = &side.tree.before;
    before[last as usize] - before[first as usize]
}
