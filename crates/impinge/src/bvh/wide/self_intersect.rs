//! Self-intersection: which faces of a mesh intersect each other?
//!
//! **Question.** Which faces of one mesh intersect beyond what they share as neighbours?
//!
//! **Idea.** The tree is traversed against itself, each pair of subtrees once. Faces that share no
//! vertex are decided like those of two meshes, neighbours by [`adjacent_triangles_intersect`].
//!
//! **Promise.** Exact: a pair is reported exactly when the two faces have a common point outside
//! the convex hull of the corners they share, or, if requested, share all three.

use std::ops::ControlFlow;

use super::descent::{PendingPair, opens_a};
use super::intersect::WideCache;
use super::layout::{LEAF, NO_CHILD, WIDTH};
use super::obb_lanes::{CarriedBox, overlapping};
use super::relative_pose::RelativePose;
use super::stop_poll::StopPoll;
use super::tree::WideTree;
use super::triangle_lanes::{CarriedFaces, Rows, classify};
use crate::geom::{SharedCorners, adjacent_triangles_intersect, triangles_intersect};
use crate::math::Pose;
use crate::math::simd::Level;
use crate::math::simd::lanes::{Kernel, Lanes, dispatch};
use crate::mesh::is_flat;
use crate::query::{FaceId, FacePair, Limits, Outcome, Sink};

/// When two faces share a corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SharedCornerRule {
    /// When they name the same vertex.
    #[default]
    ByVertex,
    /// When their corners are at the same position, as in files that repeat every corner.
    ByPosition,
}

/// What counts as self-intersection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(alias = "self-intersection")]
pub struct SelfIntersectOptions {
    /// When two faces share a corner.
    pub sharing: SharedCornerRule,
    /// Whether faces that share all three corners are reported.
    pub duplicates: bool,
    /// Whether faces without area take part.
    pub flat_faces: bool,
    /// The most pairs of faces that are examined one by one, because they are neighbours or too close to be tested
    /// apart eight at a time; without a limit where many faces share a corner there are quadratically many.
    pub max_pair_tests: Option<u64>,
}

impl Default for SelfIntersectOptions {
    /// Sharing by vertex; duplicates and faces without area included; no limit.
    fn default() -> Self {
        Self {
            sharing: SharedCornerRule::ByVertex,
            duplicates: true,
            flat_faces: true,
            max_pair_tests: None,
        }
    }
}

impl WideTree {
    /// Reports every pair of faces that meet beyond what they share, each once with the smaller id as
    /// `a`, in an order of the tree's own.
    ///
    /// Two faces that share nothing meet when they have a common point; that share a corner, when they have another common
    /// point; that share an edge, when one is folded onto the other.
    ///
    /// ```
    /// use impinge::bvh::wide::{WideCache, WideTree};
    /// use impinge::{TriMesh, query::Limits};
    /// use std::sync::Arc;
    /// let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, 0.5, 0.0], [0.0, 0.0, 1.0]];
    /// let folded = TriMesh::from_points(points, [[0, 1, 2], [1, 0, 3], [0, 4, 1]])?;
    /// let tree = WideTree::new(Arc::new(folded));
    /// let (mut cache, mut pairs) = (WideCache::default(), Vec::new());
    /// let _ = tree.self_intersections(&Default::default(), Limits::default(), &mut cache, &mut pairs);
    /// assert_eq!(pairs.iter().map(|p| (p.a.raw(), p.b.raw())).collect::<Vec<_>>(), [(0, 1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "self-collision")]
    pub fn self_intersections(
        &self,
        options: &SelfIntersectOptions,
        limits: Limits<'_>,
        cache: &mut WideCache,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome {
        cache.start();
        let level = cache.level.unwrap_or_else(Level::detect);
        let relative = RelativePose::both(&self.frame, &self.frame, &Pose::IDENTITY);
        // A frame is never too far from itself.
        let (Some([relative, _]), false) = (relative, self.nodes.is_empty()) else {
            return Outcome::Complete;
        };
        let search = SelfTraversal {
            tree: self,
            relative: &relative,
            options: *options,
            pair_tests: 0,
            limits,
            cache,
            sink,
        };
        dispatch(level, search)
    }
}

struct SelfTraversal<'s> {
    tree: &'s WideTree,
    /// The identity, with its margins.
    relative: &'s RelativePose,
    options: SelfIntersectOptions,
    /// Pairs of faces examined one by one.
    pair_tests: u64,
    limits: Limits<'s>,
    cache: &'s mut WideCache,
    sink: &'s mut dyn Sink<FacePair>,
}

impl Kernel for SelfTraversal<'_> {
    type Output = Outcome;

    #[inline(always)]
    fn run<T: Lanes>(mut self) -> Outcome {
        let search = self.search::<T>();
        search.break_value().unwrap_or(Outcome::Complete)
    }
}

impl SelfTraversal<'_> {
    #[inline(always)]
    fn search<T: Lanes>(&mut self) -> ControlFlow<Outcome> {
        self.cache.stack.clear();
        if self.limits.is_stopped() {
            return ControlFlow::Break(Outcome::OutOfBudget);
        }
        // A pair of a subtree and itself never looks at its lanes.
        self.cache.stack.push(PendingPair {
            a: 0,
            b: 0,
            lane_a: 0,
            lane_b: 0,
            at_least: 0.0,
        });
        let mut poll = StopPoll::new();
        while let Some(pair) = self.cache.stack.pop() {
            poll.look(&self.limits)?;
            if pair.a & pair.b & LEAF != 0 {
                self.leaves::<T>(pair.a & !LEAF, pair.b & !LEAF)?;
            } else if pair.a == pair.b {
                self.open_self::<T>(pair.a)?;
            } else {
                self.open_pair::<T>(pair)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// A node against itself: each child with itself and with the later ones it may meet.
    #[inline(always)]
    fn open_self<T: Lanes>(&mut self, index: u32) -> ControlFlow<Outcome> {
        let node = &self.tree.nodes[index as usize];
        for k in 0..WIDTH {
            if node.child[k] == NO_CHILD {
                continue;
            }
            self.cache.spend(&self.limits, WIDTH as u64)?;
            let carried = CarriedBox::new::<T>(node, k, self.relative);
            let later = !0_u32 << k << 1;
            let mut mask = overlapping::<T>(node, &carried) & later | 1 << k;
            while mask != 0 {
                let j = mask.trailing_zeros();
                mask &= mask - 1;
                // Far from the origin the margin may be infinite, and pass lanes without a child.
                if node.child[j as usize] == NO_CHILD {
                    continue;
                }
                self.cache.stack.push(PendingPair {
                    a: node.child[k],
                    b: node.child[j as usize],
                    lane_a: index * WIDTH as u32 + k as u32,
                    lane_b: index * WIDTH as u32 + j,
                    at_least: 0.0,
                });
            }
        }
        ControlFlow::Continue(())
    }

    /// Two different subtrees: the larger is opened.
    #[inline(always)]
    fn open_pair<T: Lanes>(&mut self, pair: PendingPair) -> ControlFlow<Outcome> {
        self.cache.spend(&self.limits, WIDTH as u64)?;
        let nodes = self.tree.nodes.as_slice();
        let opens_a = opens_a(nodes, nodes, &pair, 1.0);
        let (open, lane) = if opens_a {
            (pair.a, pair.lane_b as usize)
        } else {
            (pair.b, pair.lane_a as usize)
        };
        let node = &nodes[open as usize];
        let carried = CarriedBox::new::<T>(&nodes[lane / WIDTH], lane % WIDTH, self.relative);
        let mut mask = overlapping::<T>(node, &carried);
        while mask != 0 {
            let k = mask.trailing_zeros();
            mask &= mask - 1;
            let child = node.child[k as usize];
            if child == NO_CHILD {
                continue;
            }
            let at = open * WIDTH as u32 + k;
            self.cache.stack.push(if opens_a {
                PendingPair {
                    a: child,
                    lane_a: at,
                    ..pair
                }
            } else {
                PendingPair {
                    b: child,
                    lane_b: at,
                    ..pair
                }
            });
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn leaves<T: Lanes>(&mut self, a: u32, b: u32) -> ControlFlow<Outcome> {
        let (leaf_a, leaf_b) = (&self.tree.leaves[a as usize], &self.tree.leaves[b as usize]);
        let carried = CarriedFaces::new::<T>(leaf_a, leaf_b, self.relative);
        let mut near = carried.near::<T>(leaf_a) & leaf_b.lanes();
        let rows = Rows::new::<T>(leaf_a, &carried);
        while near != 0 {
            let j = near.trailing_zeros() as usize;
            near &= near - 1;
            // Within one leaf each pair once, and no face with itself.
            let lanes = if a == b { (1 << j) - 1 } else { leaf_a.lanes() };
            let tests = u64::from(lanes.count_ones());
            if tests == 0 {
                continue;
            }
            if !self.limits.allows(self.cache.work.tests() + tests - 1) {
                return ControlFlow::Break(Outcome::OutOfBudget);
            }
            self.cache.work.face_tests += tests;
            let verdicts = classify::<T>(leaf_a, &carried, &rows, j);
            let mut meeting = (verdicts.hit | verdicts.unsure) & lanes;
            while meeting != 0 {
                let i = meeting.trailing_zeros() as usize;
                meeting &= meeting - 1;
                let is_sure = verdicts.hit >> i & 1 == 1;
                self.pair_tests += 1;
                let most = self.options.max_pair_tests;
                if most.is_some_and(|most| self.pair_tests > most) {
                    return ControlFlow::Break(Outcome::OutOfBudget);
                }
                let (one, two) = (leaf_a.face[i], leaf_b.face[j]);
                let pair = FacePair {
                    a: FaceId::new(one.min(two)),
                    b: FaceId::new(one.max(two)),
                };
                if self.meet(pair, is_sure) && self.sink.accept(pair).is_break() {
                    return ControlFlow::Break(Outcome::StoppedBySink);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The exact answer for one pair, of which it may be sure that their insides cross.
    #[inline(never)]
    fn meet(&mut self, pair: FacePair, is_sure: bool) -> bool {
        let mesh = &self.tree.mesh;
        let (a, b) = (mesh.triangle(pair.a), mesh.triangle(pair.b));
        if !self.options.flat_faces && (is_flat(&a) || is_flat(&b)) {
            return false;
        }
        let shared = match self.options.sharing {
            SharedCornerRule::ByVertex => {
                SharedCorners::by_index(mesh.faces()[pair.a.index()], mesh.faces()[pair.b.index()])
            }
            SharedCornerRule::ByPosition => SharedCorners::by_position(&a, &b),
        };
        match shared.pairs().len() {
            0 if is_sure => true,
            0 => {
                self.cache.exact_tests += 1;
                triangles_intersect(&a, &b)
            }
            3 => self.options.duplicates,
            _ => {
                self.cache.exact_tests += 1;
                adjacent_triangles_intersect(&a, &b, &shared)
            }
        }
    }
}
