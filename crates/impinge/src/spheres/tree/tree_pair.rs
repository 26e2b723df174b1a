//! Two trees in one frame, and the traversal step that opens a node.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::face_refinement::FaceNeighbourhood;
use super::inflated_radii::InflatedRadii;
use super::inner_sphere_tree::InnerSphereTree;
use super::lens_batch::LensBatch;
use super::overlap_step::OverlapPairs;
use super::topology::{LEAF, WIDTH};
use crate::math::Pose;
use crate::math::outward_rounding;
use crate::math::simd::Level;
use crate::math::simd::lanes::{Kernel, Lanes, Mask as _, dispatch};
use crate::spheres::solid_ball::SolidBall;

/// What rounding to `f32` may do to a gap, in units of the frame and of the distance from its middle.
pub(super) const LANE_ERROR: f64 = 2e-6;

/// Scratch memory of queries, and the pair of balls that was nearest last time.
#[derive(Debug)]
pub struct InnerSphereTreeCache {
    pub(super) level: Level,
    pub(super) stack: Vec<NodePair>,
    pub(super) fresh: Vec<NodePair>,
    pub(super) found: OverlapPairs,
    pub(super) heap: BinaryHeap<RankedPair>,
    /// What overlaps are summed in; made when first needed.
    pub(super) rows: Option<Box<LensBatch>>,
    pub(super) nearest: Option<(u32, u32)>,
    /// Nodes of one tree still to be visited.
    pub(super) nodes: Vec<u32>,
    /// Faces that a walk looks at.
    pub(super) rings: FaceNeighbourhood,
    pub(super) tests: u64,
}

impl Default for InnerSphereTreeCache {
    fn default() -> Self {
        Self {
            level: Level::detect(),
            stack: Vec::new(),
            fresh: Vec::new(),
            found: OverlapPairs::default(),
            heap: BinaryHeap::new(),
            rows: None,
            nearest: None,
            nodes: Vec::new(),
            rings: FaceNeighbourhood::default(),
            tests: 0,
        }
    }
}

impl InnerSphereTreeCache {
    /// Work of the last query, in comparisons of two balls. A distance counts eight for each node that is opened, and a refined one the faces that
    /// were examined; an overlap counts its steps by the time that they take, so that a budget in tests is one in time.
    ///
    /// ```
    /// assert_eq!(impinge::spheres::InnerSphereTreeCache::default().tests(), 0);
    /// ```
    #[must_use]
    pub fn tests(&self) -> u64 {
        self.tests
    }
}

/// A part of each tree, a node or a ball, and a bound on their gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodePair {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) bound: f64,
}

impl NodePair {
    /// The numbers of both leaves, if both parts are leaves.
    #[inline]
    pub(super) fn leaves(&self) -> Option<(u32, u32)> {
        (self.a & self.b & LEAF != 0).then_some((self.a & !LEAF, self.b & !LEAF))
    }
}

/// A pair by how uncertain its share is.
#[derive(Debug)]
pub(super) struct RankedPair {
    pub(super) uncertainty: f64,
    pub(super) rest: UnopenedShare,
    pub(super) a: u32,
    pub(super) b: u32,
}

/// What pairs that were not opened share: probably, with gaps, and at most.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UnopenedShare {
    pub(super) expected: f64,
    pub(super) value: f64,
    pub(super) most: f64,
}

impl PartialEq for RankedPair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for RankedPair {}

impl PartialOrd for RankedPair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RankedPair {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |r: &Self| (r.a, r.b);
        self.uncertainty
            .total_cmp(&other.uncertainty)
            .then(key(other).cmp(&key(self)))
    }
}

/// A tree with the radii that a search uses.
#[derive(Clone, Copy)]
pub(super) struct TreeSide<'t> {
    pub(super) tree: &'t InnerSphereTree,
    pub(super) swollen: Option<&'t InflatedRadii>,
}

impl TreeSide<'_> {
    /// The ball around a part of the tree.
    #[inline]
    pub(super) fn ball(&self, code: u32) -> SolidBall {
        if code & LEAF == 0 {
            let node = code as usize;
            let ball = self.tree.around[node];
            let radius = self.swollen.map_or(ball.radius, |s| s.around[node]);
            SolidBall { radius, ..ball }
        } else {
            let leaf = (code & !LEAF) as usize;
            let ball = self.tree.balls[leaf];
            let radius = self.swollen.map_or(ball.radius, |s| s.leaves[leaf]);
            SolidBall { radius, ..ball }
        }
    }
}

/// Both trees and where they are.
pub(super) struct TreePair<'t> {
    pub(super) a: TreeSide<'t>,
    pub(super) b: TreeSide<'t>,
    pub(super) a_from_b: &'t Pose,
    pub(super) b_from_a: Pose,
    pub(super) level: Level,
    /// Whether nodes inside a sphere are counted as a whole: forces are not summed then.
    pub(super) counts_whole: bool,
    /// Whether gaps within reach of both solids are looked up for a narrow bracket.
    pub(super) looks_up_gaps: bool,
}

impl<'t> TreePair<'t> {
    /// Both trees with their own radii.
    pub(super) fn new(
        a: &'t InnerSphereTree,
        b: &'t InnerSphereTree,
        a_from_b: &'t Pose,
        level: Level,
    ) -> Self {
        let side = |tree| TreeSide {
            tree,
            swollen: None,
        };
        Self {
            a: side(a),
            b: side(b),
            a_from_b,
            b_from_a: a_from_b.inverse(),
            level,
            counts_whole: false,
            looks_up_gaps: true,
        }
    }

    /// The same with secondary radii where a tree has them.
    pub(super) fn with_gaps(mut self) -> Self {
        self.a.swollen = self.a.tree.swollen.as_ref();
        self.b.swollen = self.b.tree.swollen.as_ref();
        self
    }

    pub(super) fn root(&self) -> Option<NodePair> {
        self.a.tree.frame?;
        self.b.tree.frame?;
        Some(NodePair {
            a: 0,
            b: 0,
            bound: self.gap(&self.a.ball(0), &self.b.ball(0)),
        })
    }

    pub(super) fn gap(&self, a: &SolidBall, b: &SolidBall) -> f64 {
        let center = self.a_from_b.transform_point(b.center);
        (center - a.center).length() - a.radius - b.radius
    }

    /// Replaces the larger of the two by its children; shows those pairs whose gap is below `within`.
    #[inline]
    pub(super) fn open(&self, pair: &NodePair, within: f64, mut show: impl FnMut(NodePair)) {
        let a_is_leaf = pair.a & LEAF != 0;
        let (ball_a, ball_b) = (self.a.ball(pair.a), self.b.ball(pair.b));
        let opens_b = a_is_leaf || (pair.b & LEAF == 0 && ball_b.radius > ball_a.radius);
        let (side, code, other) = if opens_b {
            let center = self.b_from_a.transform_point(ball_a.center);
            let radius = ball_a.radius;
            (&self.b, pair.b, SolidBall { center, radius })
        } else {
            let center = self.a_from_b.transform_point(ball_b.center);
            let radius = ball_b.radius;
            (&self.a, pair.a, SolidBall { center, radius })
        };
        let tree = side.tree;
        let (Some(frame), Some(node)) = (&tree.frame, tree.nodes.get(code as usize)) else {
            return;
        };
        let radii = match side.swollen {
            Some(swollen) => &swollen.nodes[code as usize],
            None => &node.radius,
        };
        let center = frame.enter(other.center);
        let far = f64::from(center.abs().max_element());
        let radius = other.radius * frame.inverse;
        let error = LANE_ERROR * (1.0 + far + radius);
        let (mut bits, gaps) = dispatch(
            self.level,
            BallGaps {
                centers: &node.center,
                radii,
                center: center.to_array(),
                radius: radius as f32,
                limit: outward_rounding::up(within * frame.inverse + error),
            },
        );
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let child = node.child[lane];
            let bound = (f64::from(gaps[lane]) - error) * frame.scale;
            show(if opens_b {
                NodePair {
                    b: child,
                    bound,
                    ..*pair
                }
            } else {
                NodePair {
                    a: child,
                    bound,
                    ..*pair
                }
            });
        }
    }
}

/// Gaps between one ball and the eight of a node, and which of them are below the limit.
struct BallGaps<'n> {
    centers: &'n [[f32; WIDTH]; 3],
    /// Negative and infinite where there is no child: such a gap is never below a limit.
    radii: &'n [f32; WIDTH],
    center: [f32; 3],
    radius: f32,
    limit: f32,
}

impl Kernel for BallGaps<'_> {
    type Output = (u32, [f32; WIDTH]);

    #[inline(always)]
    fn run<T: Lanes>(self) -> (u32, [f32; WIDTH]) {
        let mut sq = T::splat(0.0);
        for axis in 0..3 {
            let d = T::splat(self.center[axis]) - T::load(&self.centers[axis]);
            sq = sq + d * d;
        }
        let gaps = sq.sqrt() - T::load(self.radii) - T::splat(self.radius);
        (gaps.lt(T::splat(self.limit)).bits(), gaps.store())
    }
}
