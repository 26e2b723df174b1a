//! Conservative advancement: the largest time step that no pair of faces forbids.

use glam::DVec3;

use super::motion_bounds::{MotionBounds, unit};
use crate::bvh::MeshIndex;
use crate::bvh::wide::{LaneCulling, NodeView, StopPoll, WIDTH, WideTree};
use crate::geom::disjoint_triangle_distance;
use crate::math::Pose;
use crate::query::{FaceId, FacePair, Limits, Work};

/// A pair of parts, both in the frame of `a`, and how long they certainly stay apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenPair {
    a: NodeView,
    b: NodeView,
    step: f64,
}

/// A pair of faces that is certainly apart until a time.
#[derive(Clone, Copy, Debug)]
struct HeldFacePair {
    pair: FacePair,
    until: f64,
}

/// Pairs of faces that alone can forbid steps until a time. Each is examined again only when its own time has come.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldFacePairs {
    pairs: Vec<HeldFacePair>,
    pub(super) until: f64,
}

/// What the next step may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct SafeStep {
    pub(super) size: f64,
    /// The faces that forbid a longer one, and the direction of the gap between them.
    pub(super) narrowest: Option<(FacePair, DVec3)>,
    /// Whether the search was finished; otherwise the step is 0.
    pub(super) finished: bool,
}

/// A search for the step.
pub(super) struct AdvancementSearch<'s> {
    pub(super) a: &'s WideTree,
    pub(super) b: &'s WideTree,
    pub(super) a_from_b: &'s Pose,
    pub(super) flows: MotionBounds,
    /// The present time.
    pub(super) now: f64,
    /// No longer step is of interest.
    pub(super) ceiling: f64,
    /// Faces to begin with.
    pub(super) guess: Option<FacePair>,
    pub(super) limits: Limits<'s>,
    pub(super) work: &'s mut Work,
    pub(super) stack: &'s mut Vec<OpenPair>,
    pub(super) kept: &'s mut HeldFacePairs,
    /// The lanes, when the meshes are of sizes that they can compare.
    pub(super) sieve: Option<LaneCulling>,
    /// Nothing approaches faster; set by the search itself.
    pub(super) speed: f64,
}

/// The best step so far.
struct BestStep {
    size: f64,
    /// Pairs with at least this step are skipped, when it is fixed: those with less are kept.
    horizon: Option<f64>,
    narrowest: Option<(FacePair, DVec3)>,
    /// The smallest step among pairs that were skipped.
    left_aside: f64,
}

/// A pair whose step is at least this fraction of the best step known is skipped: half the way is good enough while the
/// gap is wide, when many pairs have nearly the same step.
const GREED: f64 = 0.5;
/// What the lanes leave aside comes without a step of its own and counts as this fraction of the best.
const SIEVED_GREED: f64 = 0.8;
/// Pairs are kept that forbid a step this many times as long as the next.
const HORIZON: f64 = 1.5;
/// The most pairs kept.
const MAX_KEPT: usize = 1024;

impl BestStep {
    fn enough(&self) -> f64 {
        self.horizon.unwrap_or_else(|| self.part(GREED))
    }

    /// A part of the best step; all of it while that is the ceiling, for a motion that is free should be done in one.
    fn part(&self, greed: f64) -> f64 {
        if self.narrowest.is_some() {
            greed * self.size
        } else {
            self.size
        }
    }

    /// Whether a pair with this step can be skipped.
    fn leaves(&mut self, step: f64) -> bool {
        let leaves = step >= self.enough();
        if leaves {
            self.left_aside = self.left_aside.min(step);
        }
        leaves
    }
}

/// Faces nearer than this fraction of their extent are near: then pairs are kept for the steps to come.
const NEAR: f64 = 0.3;
/// Faces nearer than this fraction of their extent: the direction between their nearest points has lost half its digits, so
/// that crossing edges get theirs from the edges.
const CROSSED_EDGES: f64 = 1e-5;

impl AdvancementSearch<'_> {
    pub(super) fn run(mut self) -> SafeStep {
        let mut best = BestStep {
            size: self.ceiling,
            horizon: None,
            narrowest: None,
            left_aside: f64::INFINITY,
        };
        self.kept.pairs.clear();
        self.kept.until = 0.0;
        let (Some(whole_a), Some(whole_b)) = (self.a.whole(), self.b.whole()) else {
            return self.done(&best);
        };
        let whole_b = whole_b.placed(self.a_from_b);
        self.speed = self.flows.speed_at_most(&whole_a.bounds, &whole_b.bounds);
        if let Some(pair) = self.guess {
            let a = self.a.mesh().triangle(pair.a);
            let b = self.placed(pair.b);
            let is_near = self.try_faces(pair, &a, &b, &mut best);
            if is_near && best.size > 0.0 {
                best.horizon = Some((HORIZON * best.size).min(self.ceiling));
            }
        }
        self.stack.clear();
        self.stack.push(OpenPair {
            a: whole_a,
            b: whole_b,
            step: 0.0,
        });
        let mut poll = StopPoll::new();
        while let Some(pair) = self.stack.pop() {
            if best.leaves(pair.step) {
                continue;
            }
            let look = poll.is_due();
            if !self.limits.allows(self.work.tests()) || (look && self.limits.is_stopped()) {
                return SafeStep {
                    size: 0.0,
                    narrowest: best.narrowest,
                    finished: false,
                };
            }
            if pair.a.is_leaf() && pair.b.is_leaf() {
                self.leaves(&pair, &mut best);
            } else {
                self.open(&pair, &mut best);
            }
        }
        if let Some(horizon) = best.horizon {
            let lasts = horizon.min(best.left_aside);
            self.kept.until = self.now + lasts;
            self.ceiling = lasts;
            return self.run_kept();
        }
        self.done(&best)
    }

    /// The step that the kept pairs allow, which is the one that all pairs do while the horizon lasts.
    pub(super) fn run_kept(self) -> SafeStep {
        let mut best = BestStep {
            size: self.ceiling,
            horizon: None,
            narrowest: None,
            left_aside: f64::INFINITY,
        };
        if !self.limits.allows(self.work.tests()) || self.limits.is_stopped() {
            return SafeStep {
                size: 0.0,
                narrowest: None,
                finished: false,
            };
        }
        let mut pairs = std::mem::take(&mut self.kept.pairs);
        // The pair whose time comes first sets a short step, which spares the others.
        let first = (0..pairs.len()).min_by(|&i, &j| pairs[i].until.total_cmp(&pairs[j].until));
        for i in first.into_iter().chain(0..pairs.len()) {
            let HeldFacePair { pair, until } = pairs[i];
            if until - self.now >= best.size {
                continue;
            }
            self.work.face_tests += 1;
            let a = self.a.mesh().triangle(pair.a);
            let b = self.placed(pair.b);
            let (step, normal, _) = self.face_step(&a, &b, best.size);
            // A pair known to be apart for longer than it now seems is apart for longer.
            let until = until.max(self.now + step);
            pairs[i].until = until;
            let step = until - self.now;
            if step < best.size {
                best.size = step;
                best.narrowest = Some((pair, normal.unwrap_or(DVec3::X)));
            }
        }
        self.kept.pairs = pairs;
        self.done(&best)
    }

    fn done(&self, best: &BestStep) -> SafeStep {
        SafeStep {
            size: best.size.min(best.left_aside),
            narrowest: best.narrowest,
            finished: true,
        }
    }

    fn placed(&self, face: FaceId) -> [DVec3; 3] {
        let corners = self.b.mesh().triangle(face);
        corners.map(|p| self.a_from_b.transform_point(p))
    }

    /// Opens the larger part; children that may forbid a step go on the stack, the shortest step last.
    fn open(&mut self, pair: &OpenPair, best: &mut BestStep) {
        let size = |part: &NodeView| part.bounds.half.element_sum();
        let opens_a = pair.b.is_leaf() || (!pair.a.is_leaf() && size(&pair.a) >= size(&pair.b));
        let bottom = self.stack.len();
        self.work.volume_tests += WIDTH as u64;
        // The lanes bound distances; where distance over speed is enough, nothing else is asked.
        let distances = self.sieve.as_ref().and_then(|sieve| {
            if opens_a {
                sieve.nodes_of_a(self.a, &pair.a, self.b, &pair.b)
            } else {
                sieve.nodes_of_b(self.b, &pair.b, self.a, &pair.a)
            }
        });
        for k in 0..WIDTH {
            let distance = distances.map_or(0.0, |d| d[k]);
            let step = self.flows.step_at_speed(distance, self.speed);
            if best.leaves(step) {
                continue;
            }
            let opened = if opens_a {
                self.a.part(&pair.a, k).map(|a| OpenPair { a, ..*pair })
            } else {
                let part = self.b.part(&pair.b, k);
                part.map(|b| OpenPair {
                    b: b.placed(self.a_from_b),
                    ..*pair
                })
            };
            if let Some(opened) = opened {
                self.push(opened, distance, bottom, best);
            }
        }
    }

    fn push(&mut self, mut pair: OpenPair, distance: f64, bottom: usize, best: &mut BestStep) {
        let (a, b) = (&pair.a.bounds, &pair.b.bounds);
        let speed = self.flows.speed_at_most(a, b);
        let step = self.flows.step_at_speed(distance, speed).max(pair.step);
        if best.leaves(step) {
            return;
        }
        pair.step = self.flows.box_step(a, b, best.enough()).max(step);
        if best.leaves(pair.step) {
            return;
        }
        let mut i = self.stack.len();
        self.stack.push(pair);
        while i > bottom && self.stack[i - 1].step < pair.step {
            self.stack[i] = self.stack[i - 1];
            i -= 1;
        }
        self.stack[i] = pair;
    }

    fn leaves(&mut self, pair: &OpenPair, best: &mut BestStep) {
        let (tree_a, tree_b) = (self.a, self.b);
        let (faces_a, faces_b) = (tree_a.faces_of(&pair.a), tree_b.faces_of(&pair.b));
        self.work.face_tests += (faces_a.len() * faces_b.len()) as u64;
        let near = match &self.sieve {
            Some(sieve) => {
                let speed = self.flows.speed_at_most(&pair.a.bounds, &pair.b.bounds);
                let enough = best.horizon.unwrap_or_else(|| best.part(SIEVED_GREED));
                best.left_aside = best.left_aside.min(enough);
                let distance = self.flows.distance_for(enough, speed);
                sieve.near_faces(tree_a, &pair.a, tree_b, &pair.b, distance)
            }
            None => [u32::MAX; WIDTH],
        };
        if best.horizon.is_none() {
            // The nearest by their middles first: the others are then left aside sooner.
            let mut nearest: Option<(f64, FacePair)> = None;
            self.each_near(pair, near, |_, pair, a, b| {
                let between = (b[0] + b[1] + b[2]) - (a[0] + a[1] + a[2]);
                let distance_sq = between.length_squared();
                if nearest.is_none_or(|(least, _)| distance_sq < least) {
                    nearest = Some((distance_sq, pair));
                }
            });
            if let Some((_, pair)) = nearest {
                let a = self.a.mesh().triangle(pair.a);
                let b = self.placed(pair.b);
                let _ = self.try_faces(pair, &a, &b, best);
            }
        }
        self.each_near(pair, near, |search, pair, a, b| {
            if best.horizon.is_some() {
                search.keep(pair, a, b, best);
            } else {
                let _ = search.try_faces(pair, a, b, best);
            }
        });
    }

    /// Visits the pairs of faces of two leaves that are set in the masks, one mask per face of b's leaf.
    fn each_near(
        &mut self,
        leaves: &OpenPair,
        near: [u32; WIDTH],
        mut visit: impl FnMut(&mut Self, FacePair, &[DVec3; 3], &[DVec3; 3]),
    ) {
        let (tree_a, tree_b) = (self.a, self.b);
        let faces_a = tree_a.faces_of(&leaves.a);
        for (&face_b, mut near) in tree_b.faces_of(&leaves.b).iter().zip(near) {
            near &= (1 << faces_a.len()) - 1;
            if near == 0 {
                continue;
            }
            let face_b = FaceId::new(face_b);
            let b = self.placed(face_b);
            while near != 0 {
                let i = near.trailing_zeros() as usize;
                near &= near - 1;
                let face_a = FaceId::new(faces_a[i]);
                let a = tree_a.mesh().triangle(face_a);
                let pair = FacePair {
                    a: face_a,
                    b: face_b,
                };
                visit(self, pair, &a, &b);
            }
        }
    }

    /// Keeps a pair with a first guess of its step, unless that is beyond the horizon.
    fn keep(&mut self, pair: FacePair, a: &[DVec3; 3], b: &[DVec3; 3], best: &mut BestStep) {
        let between = (b[0] + b[1] + b[2]) - (a[0] + a[1] + a[2]);
        let step =
            unit(between).map_or(0.0, |n| self.flows.face_step_along(a, b, n, best.enough()));
        if best.leaves(step) {
            return;
        }
        self.kept.pairs.push(HeldFacePair {
            pair,
            until: self.now + step,
        });
        if self.kept.pairs.len() > MAX_KEPT {
            // Too many to keep: those so far are decided now, and no more are kept.
            let kept = std::mem::take(&mut self.kept.pairs);
            best.horizon = None;
            for HeldFacePair { pair, .. } in &kept {
                let a = self.a.mesh().triangle(pair.a);
                let b = self.placed(pair.b);
                let _ = self.try_faces(*pair, &a, &b, best);
            }
            self.kept.pairs = kept;
            self.kept.pairs.clear();
        }
    }

    /// Lowers the best step to what a pair of faces allows; whether the faces are near each other, when they do.
    fn try_faces(
        &mut self,
        pair: FacePair,
        a: &[DVec3; 3],
        b: &[DVec3; 3],
        best: &mut BestStep,
    ) -> bool {
        let (step, normal, is_near) = self.face_step(a, b, best.enough());
        if best.leaves(step) {
            return false;
        }
        if step < best.size {
            best.size = step;
            best.narrowest = Some((pair, normal.unwrap_or(DVec3::X)));
        }
        is_near
    }

    /// How long two faces stay apart, the direction that shows it, and whether they are near each other; the search for a longer
    /// time ends at `enough`.
    fn face_step(&self, a: &[DVec3; 3], b: &[DVec3; 3], enough: f64) -> (f64, Option<DVec3>, bool) {
        let (mut step, mut normal) = (0.0, None);
        let between = (b[0] + b[1] + b[2]) - (a[0] + a[1] + a[2]);
        // Cheap directions first; the one between the nearest points decides when they do not.
        for n in [between, face_cross(b), face_cross(a)] {
            let n = if n.dot(between) < 0.0 { -n } else { n };
            let Some(n) = unit(n) else { continue };
            let along = self.flows.face_step_along(a, b, n, enough);
            if along > step {
                (step, normal) = (along, Some(n));
            }
            if step >= enough {
                return (step, normal, false);
            }
        }
        let nearest = disjoint_triangle_distance(a, b);
        if let Some(n) = unit(nearest.point_b - nearest.point_a) {
            let along = self.flows.face_step_along(a, b, n, enough);
            if along >= step || normal.is_none() {
                (step, normal) = (along.max(step), Some(n));
            }
        }
        let extent = extent(a, b);
        if step < enough && nearest.distance < CROSSED_EDGES * extent {
            for n in edge_crosses(a, b) {
                let Some(n) = unit(n) else { continue };
                for n in [n, -n] {
                    let along = self.flows.face_step_along(a, b, n, enough);
                    if along > step {
                        (step, normal) = (along, Some(n));
                    }
                }
            }
        }
        (step, normal, nearest.distance < NEAR * extent)
    }
}

fn edge_crosses(a: &[DVec3; 3], b: &[DVec3; 3]) -> [DVec3; 9] {
    std::array::from_fn(|k| {
        let (i, j) = (k / 3, k % 3);
        (a[(i + 1) % 3] - a[i]).cross(b[(j + 1) % 3] - b[j])
    })
}

fn extent(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let edges = [a[1] - a[0], a[2] - a[0], b[1] - b[0], b[2] - b[0]];
    edges
        .iter()
        .fold(0.0_f64, |m, e| m.max(e.abs().max_element()))
}

fn face_cross(face: &[DVec3; 3]) -> DVec3 {
    (face[1] - face[0]).cross(face[2] - face[0])
}
