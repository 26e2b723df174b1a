//! Best-first traversal: opens the most probable pair of nodes until enough pairs are likely.
//!
//! **Source.** Klein 2005, Algorithms 2 and 4. Ours: ranks instead of a heap, pairs of leaves that add up, and the answer at the end.

use std::ops::ControlFlow;

use glam::{DMat3, Vec3};

use super::average_case_tree::{AverageTree, AverageVolume};
use super::bin_probability::{capped_probability, expected_probability};
use super::box_overlap::BoxPair;
use super::config::{
    AverageOptions, CellCorrection, Certainty, Estimate, LeafRule, NodePair, OpeningOrder,
    SharedVolume, UndecidedAnswer,
};
use super::leaf_patches::{LeafPair, meetings};
use super::node::AverageNode;
use super::pair_lanes::{LanePairs, LanePose};
use super::pair_queue::{PairQueue, RANKS};
use super::query::ContactRegion;
use super::relative_pose::{PlacedBox, RelativePose, SharedBox, as_cubes};
use crate::query::{Limits, Outcome};

/// Pairs opened between two checks of [`Limits::stop`].
const OPENED_PER_LOOK: u32 = 32;
/// Nodes walked below larger ones between two such looks.
const WALKED_PER_LOOK: u64 = 1 << 12;
/// A node whose longest side is this many times the other's is opened alone.
const LARGER: f32 = 1.5;
/// Ranks for one expected meeting.
const RANKS_PER_MEETING: f32 = 8.0;

/// What follows from the options alone, worked out once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thresholds {
    /// Expected meetings from which on a pair is likely, and up to which it is ignored.
    pub(super) enough: f32,
    pub(super) ignored: f32,
}

impl Thresholds {
    pub(super) fn new(options: &AverageOptions) -> Self {
        Self {
            enough: meetings_of(options.p_min),
            ignored: ignored_below(options.ignore_below),
        }
    }
}

/// What is used again for the next query.
#[derive(Clone, Debug, Default)]
pub(super) struct TraversalScratch {
    queue: PairQueue,
    below: Vec<u32>,
}

/// The nodes of both trees that are compared next.
#[derive(Clone, Debug, Default)]
pub(super) struct NodePairSides {
    a: [PlacedBox; 8],
    b: [PlacedBox; 8],
}

/// The state of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TraversalResult {
    /// Pairs of nodes that are likely enough.
    pub(super) likely: u32,
    /// Expected meetings of all pairs of leaves.
    pub(super) leaf_meetings: f64,
    /// Of the most probable pair.
    pub(super) best: f32,
    pub(super) leaf_pairs: u64,
    /// Pairs that were compared.
    pub(super) tests: u64,
    /// Nodes that were compared below larger ones, to count their cells.
    pub(super) walked: u64,
    /// Whether pairs that overlap were passed over.
    pub(super) has_ignored: bool,
}

pub(super) struct AverageTraversal<'s, V: AverageVolume> {
    pub(super) a: &'s AverageTree<V>,
    pub(super) b: &'s AverageTree<V>,
    pub(super) options: &'s AverageOptions,
    /// For each node, if the order uses it; otherwise empty.
    factors: [&'s [f32]; 2],
    relative: RelativePose,
    digest: V::Digest,
    limits: Limits<'s>,
    /// Pairs that may be compared.
    max_tests: u64,
    thresholds: Thresholds,
    per_depth: f32,
    /// Cells along each side of a node, and of all.
    side: f32,
    all_cells: f64,
    per_cell: f32,
    refinement: f32,
    is_plain: bool,
    /// If four pairs are compared at once.
    lanes: Option<LanePose>,
    scratch: &'s mut TraversalScratch,
    regions: &'s mut Vec<ContactRegion>,
    found: TraversalResult,
}

/// Two nodes whose volumes overlap.
#[derive(Clone, Copy, Debug)]
struct WeighedPair {
    nodes: [u32; 2],
    /// Expected meetings, before cells are refined.
    expected: f32,
    /// Upper bound on the overlap volume.
    slabs: f32,
    /// From the first centre to the second.
    between: Vec3,
}

/// Expected meetings, for a probability that there is one.
pub(super) fn meetings_of(p: f64) -> f32 {
    (-libm::log1p(-p)).min(f64::from(f32::MAX)) as f32
}

/// Expected meetings below which a pair is not opened.
///
/// A threshold above 0 stays above 0 in `f32`: the smallest `f64` would round to 0, and then not
/// even pairs without any chance of a meeting would be pruned.
fn ignored_below(p: f64) -> f32 {
    if p > 0.0 {
        meetings_of(p).max(f32::MIN_POSITIVE)
    } else {
        0.0
    }
}

impl<'s, V: AverageVolume> AverageTraversal<'s, V> {
    pub(super) fn new(
        [(a, factors_a), (b, factors_b)]: [(&'s AverageTree<V>, &'s [f32]); 2],
        (options, thresholds): (&'s AverageOptions, Thresholds),
        relative: RelativePose,
        digest: V::Digest,
        limits: Limits<'s>,
        scratch: &'s mut TraversalScratch,
        regions: &'s mut Vec<ContactRegion>,
    ) -> Self {
        let is_plain = matches!(options.estimate, Estimate::Floor)
            && options.shared == SharedVolume::Spread
            && options.correction == CellCorrection::Sheet;
        let per_depth = 1.0 / (a.max_depth + b.max_depth).max(1) as f32;
        let side = f64::from(a.side);
        let all_cells = side * side * side;
        let per_cell = (1.0 / all_cells) as f32;
        let is_laned =
            is_plain && size_of::<V::Kept>() == 0 && matches!(options.certainty, Certainty::Depth);
        Self {
            a,
            b,
            options,
            factors: [factors_a, factors_b],
            relative,
            digest,
            limits,
            max_tests: limits.max_tests.unwrap_or(u64::MAX),
            thresholds,
            per_depth,
            side: side as f32,
            all_cells,
            per_cell,
            refinement: options.refinement.max(0.0) as f32,
            is_plain,
            lanes: is_laned.then(|| LanePose::new(&relative, per_depth, per_cell)),
            scratch,
            regions,
            found: TraversalResult::default(),
        }
    }

    /// Searches until enough is known; neither tree is empty.
    pub(super) fn run(mut self, sides: &mut NodePairSides) -> (TraversalResult, Outcome) {
        self.scratch.queue.clear();
        let mut opened = 0;
        let root_a = self.relative.first(&self.a.nodes[0], 0);
        let root_b = self.relative.second(&self.b.nodes[0], 0);
        let mut step = self.test(&root_a, &root_b);
        while step.is_continue() {
            let Some(pair) = self.scratch.queue.pop() else {
                return (self.found, Outcome::Complete);
            };
            if opened % OPENED_PER_LOOK == 0 && self.limits.is_stopped() {
                return (self.found, Outcome::OutOfBudget);
            }
            opened += 1;
            step = self.open(pair, sides);
        }
        match step {
            ControlFlow::Break(outcome) => (self.found, outcome),
            ControlFlow::Continue(()) => (self.found, Outcome::Complete),
        }
    }

    /// Tests the children of both nodes, or of one.
    #[inline]
    fn open(&mut self, [a, b]: [u32; 2], sides: &mut NodePairSides) -> ControlFlow<Outcome> {
        let (tree_a, tree_b) = (self.a, self.b);
        let (node_a, node_b) = (&tree_a.nodes[a as usize], &tree_b.nodes[b as usize]);
        let (size_a, size_b) = (
            node_a.largest_half(),
            node_b.largest_half() * self.relative.ratio,
        );
        let opens_a = !node_a.is_leaf() && (node_b.is_leaf() || size_b <= LARGER * size_a);
        let opens_b = !node_b.is_leaf() && (node_a.is_leaf() || size_a <= LARGER * size_b);
        let (first_a, count_a) = if opens_a { node_a.children() } else { (a, 1) };
        let (first_b, count_b) = if opens_b { node_b.children() } else { (b, 1) };
        if let Some(lanes) = &self.lanes
            && count_a <= 2
            && count_b <= 2
        {
            let last = [first_a + count_a - 1, first_b + count_b - 1];
            let numbers = [[first_a, last[0]], [first_b, last[1]]];
            let [[a0, a1], [b0, b1]] = numbers.map(|of| of.map(|at| at as usize));
            let (of_a, of_b) = (&tree_a.nodes, &tree_b.nodes);
            let pairs = lanes.compare([&of_a[a0], &of_a[a1], &of_b[b0], &of_b[b1]]);
            return self.account_lanes(&pairs, numbers, [count_a, count_b]);
        }
        for (side, at) in sides.a.iter_mut().zip(first_a..first_a + count_a) {
            *side = self.relative.first(&tree_a.nodes[at as usize], at);
        }
        for (side, at) in sides.b.iter_mut().zip(first_b..first_b + count_b) {
            *side = self.relative.second(&tree_b.nodes[at as usize], at);
        }
        for side_a in sides.a.iter().take(count_a as usize) {
            for side_b in sides.b.iter().take(count_b as usize) {
                self.test(side_a, side_b)?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn count_test(&mut self) -> ControlFlow<Outcome> {
        if self.found.tests >= self.max_tests {
            return ControlFlow::Break(Outcome::OutOfBudget);
        }
        self.found.tests += 1;
        ControlFlow::Continue(())
    }

    /// Compares two nodes and queues them if their volumes overlap.
    #[inline]
    fn test(&mut self, a: &PlacedBox, b: &PlacedBox) -> ControlFlow<Outcome> {
        self.count_test()?;
        match self.relative.shared(a, b) {
            Some(common) => self.weigh(a, b, common),
            None => ControlFlow::Continue(()),
        }
    }

    /// How likely it is that surfaces meet in two boxes that overlap.
    fn weigh(&mut self, a: &PlacedBox, b: &PlacedBox, common: SharedBox) -> ControlFlow<Outcome> {
        let (kept_a, kept_b) = (&self.a.kept[a.node as usize], &self.b.kept[b.node as usize]);
        if !V::meets(kept_a, kept_b, &self.digest) {
            return ControlFlow::Continue(());
        }
        let are_leaves = a.is_leaf && b.is_leaf;
        let certainty = self.certainty(a, b, are_leaves);
        let expected = if self.is_plain {
            // Cells of both in a strip of the smaller's length, as many as there are where walls cross.
            a.cells * b.cells * common.strip(a, b) * self.per_cell * certainty
        } else {
            self.by_options(a, b, common, certainty)?
        };
        self.account(&WeighedPair {
            nodes: [a.node, b.node],
            expected: expected * V::crowding(kept_a, kept_b, &self.digest),
            slabs: common.slabs(),
            between: (b.center - a.center).truncate(),
        })
    }

    /// The four pairs of children in order; with one child on a side it stands for both.
    #[inline]
    fn account_lanes(
        &mut self,
        pairs: &LanePairs,
        numbers: [[u32; 2]; 2],
        [count_a, count_b]: [u32; 2],
    ) -> ControlFlow<Outcome> {
        for i in 0..count_a as usize {
            for j in 0..count_b as usize {
                self.count_test()?;
                let lane = 2 * i + j;
                if pairs.overlapping >> lane & 1 == 1 {
                    self.account(&WeighedPair {
                        nodes: [numbers[0][i], numbers[1][j]],
                        expected: pairs.expected[lane],
                        slabs: pairs.slabs[lane],
                        between: pairs.between(lane),
                    })?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Counts what is expected of a pair, and queues it if it has to be opened.
    fn account(&mut self, pair: &WeighedPair) -> ControlFlow<Outcome> {
        let [a, b] = [
            &self.a.nodes[pair.nodes[0] as usize],
            &self.b.nodes[pair.nodes[1] as usize],
        ];
        let are_leaves = a.is_leaf() && b.is_leaf();
        let mut expected = pair.expected * self.refinement;
        if are_leaves {
            if self.options.leaves == LeafRule::Planes {
                let leaves = LeafPair {
                    a,
                    b,
                    between: pair.between,
                    side: self.side,
                };
                match meetings(&self.relative, &leaves, expected, self.refinement) {
                    Some(meetings) => expected = meetings,
                    None => return ControlFlow::Continue(()),
                }
            }
            self.found.leaf_pairs += 1;
            self.found.leaf_meetings += f64::from(expected);
        }
        self.found.best = self.found.best.max(expected);
        let is_likely = expected >= self.thresholds.enough;
        if is_likely {
            // Leaves are counted together below, unless each has to be likely by itself.
            let adds_up = are_leaves && self.options.at_end == UndecidedAnswer::Likelier;
            self.found.likely += u32::from(!adds_up);
            self.report(pair.nodes, expected);
        }
        if (is_likely || are_leaves) && self.likely() >= self.options.k_min {
            return ControlFlow::Break(Outcome::StoppedBySink);
        }
        if are_leaves {
            return ControlFlow::Continue(());
        }
        // The roots are always opened: by depth they have no certainty at all.
        let are_roots = pair.nodes == [0, 0];
        if expected < self.thresholds.ignored && !are_roots {
            self.found.has_ignored = true;
            return ControlFlow::Continue(());
        }
        let rank = self.rank([a, b], pair, expected);
        self.scratch.queue.push(rank, pair.nodes);
        ControlFlow::Continue(())
    }

    /// Likely pairs; leaves together count as often as all their meetings are enough for.
    fn likely(&self) -> u32 {
        let leaves = match self.options.at_end {
            UndecidedAnswer::No => 0,
            UndecidedAnswer::Likelier => {
                (self.found.leaf_meetings / f64::from(self.thresholds.enough)) as u32
            }
        };
        self.found.likely.saturating_add(leaves)
    }

    #[inline]
    fn certainty(&self, a: &PlacedBox, b: &PlacedBox, are_leaves: bool) -> f32 {
        match self.options.certainty {
            Certainty::Depth if are_leaves => 1.0,
            Certainty::DepthAtLeaves if self.a.max_depth + self.b.max_depth == 0 => 1.0,
            Certainty::Depth | Certainty::DepthAtLeaves => (a.depth + b.depth) * self.per_depth,
            Certainty::Fixed(certainty) => certainty.clamp(0.0, 1.0) as f32,
            Certainty::Own(certainty) => {
                let edge = |inverse: f32| 0.5 / f64::from(inverse);
                let pair = NodePair {
                    depths: [a.depth as u32, b.depth as u32],
                    max_depths: [self.a.max_depth, self.b.max_depth],
                    cells: [a.cells as u32, b.cells as u32],
                    edges: [edge(a.inverse_edge), edge(b.inverse_edge)],
                };
                let own = certainty(&pair);
                // What is no number is not above 0 either.
                if own > 0.0 { own.min(1.0) as f32 } else { 0.0 }
            }
        }
    }

    /// Expected meetings by the chosen estimates.
    fn by_options(
        &mut self,
        a: &PlacedBox,
        b: &PlacedBox,
        common: SharedBox,
        certainty: f32,
    ) -> ControlFlow<Outcome, f32> {
        let volume = self.volume(a, b, common);
        let (small, large) = if a.inverse_edge >= b.inverse_edge {
            (a, b)
        } else {
            (b, a)
        };
        let (per_small, per_large) = (f64::from(small.inverse_edge), f64::from(large.inverse_edge));
        let part = (f64::from(volume) * per_small * per_small * per_small).min(1.0);
        let cells = self.all_cells * part;
        let of_small = f64::from(small.cells) * part;
        let (share, of_one) = (f64::from(volume) * f64::from(large.cells), per_large);
        let of_large = match self.options.correction {
            CellCorrection::None => share * of_one * of_one * of_one,
            CellCorrection::Sheet => share * of_one * per_small * per_small,
            CellCorrection::Descend if std::ptr::eq(large, a) => {
                self.descended(small, large.node, true)?
            }
            CellCorrection::Descend => self.descended(small, large.node, false)?,
        };
        if cells <= 0.0 {
            return ControlFlow::Continue(0.0);
        }
        // Cells are whole; a node that has some keeps one.
        let bins = cells.round().clamp(1.0, self.all_cells) as u32;
        let balls = |count: f64| (count.ceil().min(self.all_cells) as u32).min(bins);
        let (blue, red) = (balls(of_small), balls(of_large));
        let certainty = f64::from(certainty);
        let p = match &self.options.estimate {
            Estimate::Floor => {
                let expected = of_small * of_large.min(cells) / cells * certainty;
                return ControlFlow::Continue(expected as f32);
            }
            Estimate::Expected => expected_probability(bins, blue, red, certainty),
            Estimate::Capped { x_max } => capped_probability(bins, blue, red, certainty, *x_max),
            Estimate::Tables(tables) => tables.estimate(bins, blue, red, certainty),
        };
        ControlFlow::Continue(meetings_of(p))
    }

    fn volume(&self, a: &PlacedBox, b: &PlacedBox, common: SharedBox) -> f32 {
        match self.options.shared {
            SharedVolume::Slabs => return common.slabs(),
            SharedVolume::Spread => return common.strip(a, b) / as_cubes(a, b),
            SharedVolume::Thesis | SharedVolume::Exact => {}
        }
        let [x, y, z] = self.relative.axes.map(|axis| axis.truncate().as_dvec3());
        let pair = BoxPair {
            half_a: a.half.truncate().as_dvec3(),
            half_b: b.half_b.truncate().as_dvec3(),
            center: (b.center - a.center).truncate().as_dvec3(),
            turn: DMat3::from_cols(x, y, z),
        };
        let volume = match self.options.shared {
            SharedVolume::Exact => pair.exact(),
            _ => pair.thesis(),
        };
        volume as f32
    }

    /// The cells of a larger node in those of a smaller one, by nodes below it that are as small. Each of them is a test, and limits hold for them.
    fn descended(
        &mut self,
        small: &PlacedBox,
        node: u32,
        is_first: bool,
    ) -> ControlFlow<Outcome, f64> {
        let mut open = std::mem::take(&mut self.scratch.below);
        open.clear();
        open.push(node);
        let sum = self.walk(small, &mut open, is_first);
        self.scratch.below = open;
        sum
    }

    fn walk(
        &mut self,
        small: &PlacedBox,
        open: &mut Vec<u32>,
        is_first: bool,
    ) -> ControlFlow<Outcome, f64> {
        let mut sum = 0.0;
        while let Some(at) = open.pop() {
            if self.found.tests >= self.max_tests {
                return ControlFlow::Break(Outcome::OutOfBudget);
            }
            // What is spent here is no longer left for pairs.
            self.max_tests -= 1;
            self.found.walked += 1;
            if self.found.walked.is_multiple_of(WALKED_PER_LOOK) && self.limits.is_stopped() {
                return ControlFlow::Break(Outcome::OutOfBudget);
            }
            let (part, shared) = if is_first {
                let part = self.relative.first(&self.a.nodes[at as usize], at);
                (part, self.relative.shared(&part, small))
            } else {
                let part = self.relative.second(&self.b.nodes[at as usize], at);
                (part, self.relative.shared(small, &part))
            };
            let Some(common) = shared else {
                continue;
            };
            let volume = match self.options.shared {
                SharedVolume::Thesis | SharedVolume::Exact if is_first => {
                    self.volume(&part, small, common)
                }
                SharedVolume::Thesis | SharedVolume::Exact => self.volume(small, &part, common),
                SharedVolume::Slabs | SharedVolume::Spread => common.slabs(),
            };
            if part.is_leaf || part.inverse_edge >= small.inverse_edge {
                // Larger cells are cut up and smaller ones joined, as those of a sheet.
                let (own, per_small) =
                    (f64::from(part.inverse_edge), f64::from(small.inverse_edge));
                sum += f64::from(volume) * own * per_small * per_small * f64::from(part.cells);
            } else {
                let tree = if is_first { self.a } else { self.b };
                let (first, count) = tree.nodes[at as usize].children();
                open.extend(first..first + count);
            }
        }
        ControlFlow::Continue(sum)
    }

    #[inline]
    fn rank(&self, [a, b]: [&AverageNode; 2], pair: &WeighedPair, expected: f32) -> u32 {
        const LAST: u32 = RANKS as u32 - 1;
        match self.options.order {
            OpeningOrder::Probable => (expected * RANKS_PER_MEETING) as u32,
            OpeningOrder::DepthFirst => 0,
            OpeningOrder::BreadthFirst => LAST - (a.depth() + b.depth()) / 2,
            OpeningOrder::LargestVolume => {
                // Two ranks for each power of two below the largest possible volume.
                let part = (pair.slabs / (8.0 + 8.0 * self.relative.ratio)).clamp(0.0, 1.0);
                LAST - (254 - (part.to_bits() >> 22).min(254)).min(LAST)
            }
            OpeningOrder::Shrinking => {
                let [a, b] = pair.nodes.map(|at| at as usize);
                let (of_a, of_b) = (self.factors[0][a], self.factors[1][b]);
                LAST - ((of_a * of_b).clamp(0.0, 1.0) * LAST as f32) as u32
            }
            OpeningOrder::Random(seed) => {
                let place = u64::from(pair.nodes[0]) << 32 | u64::from(pair.nodes[1]);
                let mixed = (place ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                (mixed >> 58) as u32
            }
        }
    }

    fn report(&mut self, [a, b]: [u32; 2], expected: f32) {
        if self.regions.len() < self.options.max_regions {
            self.regions.push(ContactRegion {
                a: self.a.world(&self.a.nodes[a as usize]),
                b: self.b.world(&self.b.nodes[b as usize]),
                probability: -libm::expm1(-f64::from(expected)),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::AverageConfig;
    use super::*;
    use crate::bound::Aabb;
    use crate::math::{Pose, Rng};
    use crate::mesh::TriMesh;
    use glam::DVec3;

    /// A torus of 1280 faces, stretched.
    fn ring(size: DVec3) -> Option<TriMesh> {
        const AROUND: u32 = 40;
        const ACROSS: u32 = 16;
        let turn =
            |k: u32, of: u32| (f64::from(k) * std::f64::consts::TAU / f64::from(of)).sin_cos();
        let places = (0..AROUND).flat_map(|i| (0..ACROSS).map(move |j| (i, j)));
        let points = places.clone().map(|(i, j)| {
            let ((s, c), (height, out)) = (turn(i, AROUND), turn(j, ACROSS));
            let radius = 1.0 + 0.3 * out;
            DVec3::new(radius * c, radius * s, 0.3 * height) * size
        });
        let faces = places.flat_map(|(i, j)| {
            let at = |i: u32, j: u32| (i % AROUND) * ACROSS + j % ACROSS;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        });
        TriMesh::new(points.collect(), faces.collect()).ok()
    }

    /// What a traversal finds at a pose, with pairs compared four at once or one by one.
    fn found(
        [a, b]: [&AverageTree<Aabb>; 2],
        options: &AverageOptions,
        pose: &Pose,
        is_laned: bool,
    ) -> Option<(TraversalResult, Outcome)> {
        let relative = RelativePose::new(a, b, pose).ok()?;
        let mut scratch = TraversalScratch::default();
        let mut regions = Vec::new();
        let mut search = AverageTraversal::new(
            [(a, &[]), (b, &[])],
            (options, Thresholds::new(options)),
            relative,
            (),
            Limits::default(),
            &mut scratch,
            &mut regions,
        );
        assert!(search.lanes.is_some());
        if !is_laned {
            search.lanes = None;
        }
        Some(search.run(&mut NodePairSides::default()))
    }

    #[test]
    fn four_pairs_at_once_find_what_one_by_one_finds() {
        let config = AverageConfig::default();
        let sizes = [
            DVec3::ONE,
            DVec3::new(0.5, 1.0, 2.0),
            DVec3::new(2.0, 1.0, 0.05),
        ];
        let rings = sizes.into_iter().filter_map(ring);
        let trees: Vec<AverageTree<Aabb>> = rings.map(|m| AverageTree::new(&m, &config)).collect();
        assert_eq!(trees.len(), 3);
        let mut rng = Rng::new(4);
        let mut seen = 0;
        for k_min in [1, 10, 1000] {
            let options = AverageOptions {
                k_min,
                ..AverageOptions::default()
            };
            for k in 0..600 {
                let trees = [&trees[k % 3], &trees[k / 3 % 3]];
                let (axis, away) = (rng.direction(), rng.direction() * rng.range(0.0, 1.8));
                let Ok(pose) = Pose::from_axis_angle(axis, rng.range(0.0, 6.3), away) else {
                    continue;
                };
                let (at_once, one_by_one) = (
                    found(trees, &options, &pose, true),
                    found(trees, &options, &pose, false),
                );
                assert_eq!(at_once, one_by_one, "{pose:?}");
                seen += usize::from(at_once.is_some_and(|(found, _)| found.leaf_pairs > 0));
            }
        }
        assert!(seen > 400, "{seen}");
    }
}
