//! Traversal: which pair of nodes is opened next.
//!
//! Pairs wait in a priority queue. For the intersection query the first is the pair with most
//! samples on both sides of the other node, on a tie the one deepest in the trees. For the distance
//! query the first is the pair with the smallest lower bound; among pairs that may intersect, the
//! most likely one.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::leaf_test::{LeafMemory, LeafPair};
use super::node::{CloudTree, HierarchyNode};
use super::node_overlap::{NodeComparison, NodeOverlap};
use super::options::{CloudCollisionOptions, LeafTest, PairPriority};
use super::relative_pose::RelativePose;
use super::sign_priority::SignPriority;
use crate::math::Pose;
use crate::query::{Limits, Outcome};

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TraversalGoal {
    Meeting,
    Distance,
}

/// A pair of nodes that is to be examined.
#[derive(Clone, Copy, Debug)]
struct PendingPair {
    /// Larger first.
    key: f64,
    a: u32,
    b: u32,
    depth_a: u16,
    depth_b: u16,
    /// In units of a.
    gap: f64,
    straddle: f64,
    crossing: u32,
    /// How far the nearest samples are apart, as a part of the radii of both coverings.
    part: f64,
}

impl PartialEq for PendingPair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for PendingPair {}

impl PartialOrd for PendingPair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PendingPair {
    fn cmp(&self, other: &Self) -> Ordering {
        // Among equals the smaller numbers first, so that the order is always the same.
        let by_key = self.key.total_cmp(&other.key);
        by_key.then(other.a.cmp(&self.a)).then(other.b.cmp(&self.b))
    }
}

/// Memory of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchMemory {
    queue: BinaryHeap<PendingPair>,
    comparison: NodeComparison,
    leaves: LeafMemory,
    signs: SignPriority,
}

/// How near samples of pairs that wait are, as parts of the radii of both coverings.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingNearness {
    /// The smallest part; infinite without a pair.
    pub(super) closest: f64,
    /// What the parts leave of one, added up.
    pub(super) sum: f64,
}

impl PendingNearness {
    const NONE: Self = Self {
        closest: f64::INFINITY,
        sum: 0.0,
    };

    fn with(self, part: f64) -> Self {
        Self {
            closest: self.closest.min(part),
            sum: self.sum + (1.0 - part).max(0.0),
        }
    }
}

/// What a search came to; lengths are those of the clouds.
#[derive(Clone, Copy, Debug)]
pub(super) struct TraversalResult {
    /// The smallest distance that was seen.
    pub(super) distance: f64,
    pub(super) place: Option<DVec3>,
    /// Whether a place was found that is near enough to both surfaces.
    pub(super) is_met: bool,
    /// How far the samples on the way to that place are on both sides of the other surface.
    pub(super) straddle: f64,
    /// The smallest distance of leaves, by their tests or where these were not needed by their gaps.
    pub(super) leaf_distance: f64,
    /// Of the pairs that were still waiting, the most samples on both sides.
    pub(super) waiting: u32,
    /// Of a search for the distance: by the coverings, surfaces are no nearer than this, or than `distance`, where leaves told it.
    pub(super) covered: f64,
    /// Of a search for the distance: some two points are at most that far apart.
    pub(super) points: f64,
    /// The mean covering radius of the two leaves that the smallest distance was seen between.
    pub(super) grain: f64,
    /// Of a search for a meeting, how near the samples of those pairs are.
    pub(super) nearness: PendingNearness,
    pub(super) evaluations: u64,
    pub(super) node_pairs: u64,
    pub(super) outcome: Outcome,
}

/// Two trees, one placed.
pub(super) struct HierarchyTraversal<'q> {
    pub(super) a: &'q CloudTree,
    pub(super) b: &'q CloudTree,
    pub(super) options: &'q CloudCollisionOptions,
    pub(super) accept: f64,
    pub(super) limits: Limits<'q>,
    pub(super) wanted: TraversalGoal,
}

impl HierarchyTraversal<'_> {
    pub(super) fn run(&self, a_from_b: &Pose, memory: &mut SearchMemory) -> TraversalResult {
        let placement = RelativePose::new(self.a, self.b, a_from_b);
        let SearchMemory {
            queue,
            comparison,
            leaves,
            signs,
        } = memory;
        queue.clear();
        comparison.forget();
        if self.options.priority == PairPriority::Signs {
            signs.prepare(self.a, self.b);
        }
        leaves.scratch.evaluations = 0;
        let mut sought = TraversalResult {
            distance: f64::INFINITY,
            place: None,
            is_met: false,
            straddle: 0.0,
            leaf_distance: f64::INFINITY,
            waiting: 0,
            covered: f64::INFINITY,
            points: f64::INFINITY,
            grain: 0.0,
            nearness: PendingNearness::NONE,
            evaluations: 0,
            node_pairs: 0,
            outcome: Outcome::Complete,
        };
        if self.a.nodes.is_empty() || self.b.nodes.is_empty() {
            return sought;
        }
        self.offer(
            (0, 0),
            (0, 0),
            0.0,
            &placement,
            comparison,
            signs,
            &mut sought,
            queue,
        );
        // Gaps of leaves whose tests did not tell how near they come.
        let mut unsettled = f64::INFINITY;
        while let Some(next) = queue.pop() {
            if self.wanted == TraversalGoal::Distance
                && next.gap * self.a.unit > self.reach(&sought)
            {
                // Everything else is farther.
                queue.clear();
                break;
            }
            let spent = sought.node_pairs + leaves.scratch.evaluations;
            if !self.limits.allows(spent) || self.limits.is_stopped() {
                queue.push(next);
                sought.outcome = Outcome::OutOfBudget;
                break;
            }
            let nodes = (
                &self.a.nodes[next.a as usize],
                &self.b.nodes[next.b as usize],
            );
            let may_split = (
                !nodes.0.is_leaf() && self.is_divided(next.depth_a),
                !nodes.1.is_leaf() && self.is_divided(next.depth_b),
            );
            let splits_a = match may_split {
                (true, true) => {
                    let size_a = nodes.0.half().max_element() * self.a.unit;
                    size_a >= nodes.1.half().max_element() * self.b.unit
                }
                (splits_a, _) => splits_a,
            };
            if splits_a || may_split.1 {
                for side in 0..2 {
                    let (pair, depths) = if splits_a {
                        (
                            (nodes.0.low + side, next.b),
                            (next.depth_a + 1, next.depth_b),
                        )
                    } else {
                        (
                            (next.a, nodes.1.low + side),
                            (next.depth_a, next.depth_b + 1),
                        )
                    };
                    self.offer(
                        pair,
                        depths,
                        next.straddle,
                        &placement,
                        comparison,
                        signs,
                        &mut sought,
                        queue,
                    );
                }
            } else {
                let test = LeafPair {
                    a: self.a,
                    b: self.b,
                    nodes,
                    placement: &placement,
                    accept: self.accept,
                    limits: &self.limits,
                    spent: sought.node_pairs,
                    seed: self.options.seed
                        ^ (u64::from(next.a) << 32 | u64::from(next.b))
                            .wrapping_mul(0x9E37_79B9_7F4A_7C15),
                };
                let found = test.test(self.options.leaf, leaves);
                sought.leaf_distance = sought.leaf_distance.min(found.distance);
                if found.distance < sought.distance || sought.place.is_none() {
                    sought.distance = sought.distance.min(found.distance);
                    sought.place = Some(found.place);
                    sought.grain = self.grain(nodes);
                }
                // Only Newton's steps look for the nearest place; the others look for a meeting.
                let is_settled = matches!(self.options.leaf, LeafTest::Newton { .. })
                    && nodes.0.is_leaf()
                    && nodes.1.is_leaf()
                    && found.distance.is_finite()
                    && !found.is_cut_short;
                if !is_settled {
                    unsettled = unsettled.min(next.gap * self.a.unit);
                }
                if found.is_met {
                    sought.is_met = true;
                    let straddle = match self.wanted {
                        TraversalGoal::Meeting => next.straddle,
                        // Samples far from the other node say nothing about a meeting there.
                        TraversalGoal::Distance => {
                            let near = self.accept / self.a.unit;
                            let trees = (self.a, self.b);
                            let pair = (next.a, next.b);
                            let meeting = comparison.compare(trees, pair, &placement, near);
                            meeting.map_or(0.0, |meeting| meeting.straddle)
                        }
                    };
                    sought.straddle = straddle * self.a.unit;
                    sought.distance = found.distance;
                    sought.place = Some(found.place);
                    break;
                }
                if found.is_cut_short {
                    sought.outcome = Outcome::OutOfBudget;
                }
            }
        }
        if !sought.is_met {
            sought.waiting = queue.iter().map(|w| w.crossing).max().unwrap_or(0);
            if self.wanted == TraversalGoal::Meeting {
                let parts = queue.iter().map(|w| w.part);
                sought.nearness = parts.fold(PendingNearness::NONE, PendingNearness::with);
            }
        }
        if self.wanted == TraversalGoal::Distance {
            let gaps = queue.iter().map(|w| w.gap * self.a.unit);
            let nearest = gaps.fold(unsettled, f64::min);
            sought.covered = nearest.min(self.limits.within()).max(0.0);
        }
        sought.evaluations = leaves.scratch.evaluations;
        sought
    }

    /// The mean covering radius of two nodes.
    fn grain(&self, nodes: (&HierarchyNode, &HierarchyNode)) -> f64 {
        let (a, b) = (f64::from(nodes.0.radius), f64::from(nodes.1.radius));
        0.5 * (a * self.a.unit + b * self.b.unit)
    }

    /// Whether nodes at this depth are divided further.
    fn is_divided(&self, depth: u16) -> bool {
        self.options
            .resolution
            .is_none_or(|resolution| u32::from(depth) < resolution)
    }

    /// Surfaces farther apart than this are of no interest.
    fn reach(&self, sought: &TraversalResult) -> f64 {
        match self.wanted {
            TraversalGoal::Meeting => self.accept,
            TraversalGoal::Distance => sought.distance.min(self.limits.within()).max(self.accept),
        }
    }

    /// Compares two nodes and lets them wait unless they are apart.
    #[expect(
        clippy::too_many_arguments,
        reason = "parts of one memory, borrowed one by one"
    )]
    fn offer(
        &self,
        pair: (u32, u32),
        depths: (u16, u16),
        straddle: f64,
        placement: &RelativePose,
        comparison: &mut NodeComparison,
        signs: &SignPriority,
        sought: &mut TraversalResult,
        queue: &mut BinaryHeap<PendingPair>,
    ) {
        sought.node_pairs += 1;
        let nodes = (
            &self.a.nodes[pair.0 as usize],
            &self.b.nodes[pair.1 as usize],
        );
        let are_leaves = nodes.0.is_leaf() && nodes.1.is_leaf();
        let reach = self.reach(sought) / self.a.unit;
        match comparison.compare((self.a, self.b), pair, placement, reach) {
            Ok(meeting) => {
                if self.wanted == TraversalGoal::Distance {
                    sought.points = sought.points.min(meeting.farthest() * self.a.unit);
                    let nearest = meeting.nearest * self.a.unit;
                    if nearest < sought.distance {
                        sought.distance = nearest;
                        sought.grain = if are_leaves { self.grain(nodes) } else { 0.0 };
                    }
                }
                let key = match (self.options.priority, self.wanted) {
                    (PairPriority::Signs, TraversalGoal::Meeting) => {
                        signs.of_pair(self.a, self.b, pair, placement)
                    }
                    _ => self.key(&meeting, depths, are_leaves),
                };
                queue.push(PendingPair {
                    key,
                    a: pair.0,
                    b: pair.1,
                    depth_a: depths.0,
                    depth_b: depths.1,
                    gap: meeting.gap,
                    straddle: straddle.max(meeting.straddle),
                    crossing: meeting.crossing,
                    part: self.part(&meeting, nodes),
                });
            }
            Err(gap) => {
                if are_leaves {
                    sought.leaf_distance = sought.leaf_distance.min(gap * self.a.unit);
                }
            }
        }
    }

    /// How far samples are apart, as a part of the radii of both coverings.
    fn part(&self, meeting: &NodeOverlap, nodes: (&HierarchyNode, &HierarchyNode)) -> f64 {
        let ratio = self.b.unit / self.a.unit;
        let radii = f64::from(nodes.0.radius) + f64::from(nodes.1.radius) * ratio;
        if radii > 0.0 {
            meeting.nearest / radii
        } else {
            1.0
        }
    }

    fn key(&self, meeting: &NodeOverlap, depths: (u16, u16), are_leaves: bool) -> f64 {
        match self.wanted {
            TraversalGoal::Distance if meeting.gap > 0.0 => -meeting.gap,
            // What may meet comes before what is apart, in an order that finds a meeting soon.
            TraversalGoal::Distance => {
                1.0 + promise(meeting, depths, are_leaves).max(0.0) + 1.0 / (1.0 + meeting.nearest)
            }
            TraversalGoal::Meeting => promise(meeting, depths, are_leaves) - meeting.nearest,
        }
    }
}

/// More samples on both sides do not make a crossing more likely.
const MOST_CROSSING: u32 = 4;
/// Levels that a sample on the other side counts.
const PER_CROSSING: f64 = 2.0;
/// Levels that two leaves without such samples wait.
const WAITING: f64 = 3.0;

/// How promising a pair is, in levels.
fn promise(meeting: &NodeOverlap, depths: (u16, u16), are_leaves: bool) -> f64 {
    let crossing = f64::from(meeting.crossing.min(MOST_CROSSING));
    let deep = f64::from(depths.0) + f64::from(depths.1);
    // Testing leaves costs more than comparing nodes: those without signs of crossing wait for what is near them.
    let waits = if are_leaves && meeting.crossing == 0 {
        WAITING
    } else {
        0.0
    };
    crossing * PER_CROSSING + deep - waits
}
