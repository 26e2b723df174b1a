//! An editable k-d tree with buckets.
//!
//! **Question.** Which points are nearest to this one, or within this distance?
//! **Idea.** Boxes are split at the median of their longest side until a bucket holds a dozen
//! points. A bucket has room for a few more; a full one is split again. Each node stores the
//! largest *reach* of its points, so that the search also finds points by a radius of their own.
//! **Cost.** O(n log n) to build, in parallel level by level; a few boxes and buckets per query; an
//! edit follows one path.
//! **Promise.** Answers equal those of brute force: nearest first, smaller id first among equals.

use glam::DVec3;

use super::parallel::map_all;
use super::point_cloud::PointId;

/// Maximum number of points in a new bucket.
const FILL: usize = 12;
/// Points a bucket has room for.
pub(super) const ROOM: usize = 16;
/// The deepest node, and the size of the stack of a search. Halving 2³² points gives 29; edits beyond this rebuild.
const MAX_DEPTH: usize = 56;
pub(super) const STACK: usize = MAX_DEPTH + 4;
/// Marks a leaf in place of an axis.
const LEAF: u32 = 3;
pub(super) const NONE: u32 = u32::MAX;
/// Leaves that grew by this much in relation to the whole are worth a new tree.
const STRETCHED: f64 = 1.5;

#[derive(Clone, Copy, Debug)]
pub(super) struct KdNode {
    pub(super) min: DVec3,
    pub(super) max: DVec3,
    /// The largest reach of its points.
    pub(super) reach: f64,
    /// Points below have at most, points above at least this coordinate.
    split: f64,
    axis: u32,
    /// The child below, or of a leaf its first slot.
    pub(super) low: u32,
    /// The child above, or of a leaf how many points it has.
    pub(super) high: u32,
    parent: u32,
    /// No point of the node has a smaller id.
    pub(super) lowest: u32,
}

impl KdNode {
    fn new(parent: u32) -> Self {
        Self {
            min: DVec3::INFINITY,
            max: DVec3::NEG_INFINITY,
            reach: 0.0,
            split: 0.0,
            axis: LEAF,
            low: 0,
            high: 0,
            parent,
            lowest: NONE,
        }
    }

    /// The pairs of nodes below a pair that are not both leaves, by their numbers and with nothing known of their distance: the larger node is
    /// divided.
    #[inline]
    pub(super) fn divided([a, b]: [&Self; 2], [i, j]: [u32; 2]) -> [(u32, u32, f64); 2] {
        let extent = |n: &Self| (n.max - n.min).length_squared();
        if !a.is_leaf() && (b.is_leaf() || extent(a) >= extent(b)) {
            [(a.low, j, 0.0), (a.high, j, 0.0)]
        } else {
            [(i, b.low, 0.0), (i, b.high, 0.0)]
        }
    }

    #[inline]
    pub(super) fn is_leaf(&self) -> bool {
        self.axis == LEAF
    }

    /// Never more than the squared distance of any point in the node, as computed by [`distance_sq`]: each step rounds monotonically.
    #[inline]
    pub(super) fn distance_sq(&self, x: DVec3) -> f64 {
        let d = (self.min - x).max(x - self.max).max(DVec3::ZERO);
        d.x * d.x + d.y * d.y + d.z * d.z
    }
}

/// The squared distance, rounded the same way everywhere.
#[inline]
pub(super) fn distance_sq(p: DVec3, q: DVec3) -> f64 {
    let d = p - q;
    d.x * d.x + d.y * d.y + d.z * d.z
}

/// A point in a bucket.
#[derive(Clone, Copy, Debug)]
pub(super) struct BucketPoint {
    pub(super) place: DVec3,
    pub(super) id: u32,
}

/// Points in a tree, found by nearness; see the [module page](super).
///
/// ```
/// use impinge::{DVec3, cloud::{KdTree, PointId}};
/// let tree = KdTree::new(&[DVec3::ZERO, DVec3::X, DVec3::Y]);
/// let near = tree.nearest(DVec3::new(0.9, 0.1, 0.0)).unwrap();
/// assert_eq!(near.point, PointId::new(1));
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "nearest neighbour")]
pub struct KdTree {
    pub(super) nodes: Vec<KdNode>,
    pub(super) slots: Vec<BucketPoint>,
    /// The leaf of each id; `NONE` for ids that are not in the tree.
    leaf_of: Vec<u32>,
    reaches: Vec<f64>,
    count: usize,
    /// Edits since the tree was built.
    edits: usize,
}

impl KdTree {
    /// The tree of these points, numbered in their order.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::KdTree};
    /// assert_eq!(KdTree::new(&[DVec3::ZERO, DVec3::X]).len(), 2);
    /// ```
    #[must_use]
    pub fn new(points: &[DVec3]) -> Self {
        let items = points.iter().zip(0..);
        Self::build(
            items
                .map(|(&place, id)| BucketPoint { place, id })
                .collect(),
        )
    }

    fn build(mut items: Vec<BucketPoint>) -> Self {
        let ids = items.iter().map(|s| s.id as usize + 1).max().unwrap_or(0);
        let mut tree = Self {
            nodes: vec![KdNode::new(NONE)],
            slots: Vec::with_capacity(items.len() / (FILL / 2) * ROOM + ROOM),
            leaf_of: vec![NONE; ids],
            reaches: vec![0.0; ids],
            count: items.len(),
            edits: 0,
        };
        let mut open: Vec<(u32, &mut [BucketPoint])> = vec![(0, &mut items)];
        // Each level halves, so there are at most 32.
        while !open.is_empty() {
            let cuts = map_all(open, |(node, items)| {
                let cut = SplitPlane::of(items);
                (node, cut, items)
            });
            open = Vec::new();
            for (number, cut, items) in cuts {
                tree.nodes[number as usize].min = cut.min;
                tree.nodes[number as usize].max = cut.max;
                tree.nodes[number as usize].lowest = cut.lowest;
                if items.len() <= FILL {
                    tree.fill(number, items);
                } else {
                    let (below, above) = items.split_at_mut(cut.middle);
                    let low = tree.divide(number, &cut);
                    open.push((low, below));
                    open.push((low + 1, above));
                }
            }
        }
        tree
    }

    /// Makes a node a leaf with these points, in new slots.
    fn fill(&mut self, number: u32, items: &[BucketPoint]) {
        let start = self.slots.len();
        self.slots.extend_from_slice(items);
        let blank = BucketPoint {
            place: DVec3::ZERO,
            id: NONE,
        };
        self.slots.resize(start + ROOM, blank);
        for item in items {
            self.leaf_of[item.id as usize] = number;
        }
        let node = &mut self.nodes[number as usize];
        node.axis = LEAF;
        node.low = start as u32;
        node.high = items.len() as u32;
    }

    /// Makes a node an inner one with two new children, and returns the first.
    fn divide(&mut self, number: u32, cut: &SplitPlane) -> u32 {
        let low = self.nodes.len() as u32;
        self.nodes.push(KdNode::new(number));
        self.nodes.push(KdNode::new(number));
        let node = &mut self.nodes[number as usize];
        node.axis = cut.axis as u32;
        node.split = cut.split;
        node.low = low;
        node.high = low + 1;
        low
    }

    /// How many points are in the tree.
    ///
    /// ```
    /// use impinge::cloud::KdTree;
    /// assert_eq!(KdTree::new(&[]).len(), 0);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether no point is in the tree.
    ///
    /// ```
    /// use impinge::cloud::KdTree;
    /// assert!(KdTree::new(&[]).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The ids in an order in which neighbours in space are mostly near each other.
    pub(super) fn order(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.count);
        // Buckets were made from left to right on each level.
        for node in self.nodes.iter().filter(|node| node.is_leaf()) {
            order.extend(self.bucket(node).iter().map(|slot| slot.id));
        }
        order
    }

    /// The same tree with points numbered by their place in its [`order`](Self::order); for searches that do not tell equals apart by their numbers, and not for edits.
    pub(super) fn renumbered(&self, order: &[u32]) -> Self {
        let mut tree = Self {
            nodes: self.nodes.clone(),
            slots: self.slots.clone(),
            leaf_of: Vec::new(),
            reaches: vec![0.0; order.len()],
            count: self.count,
            edits: self.edits,
        };
        let mut rank = 0;
        for node in self.nodes.iter().filter(|node| node.is_leaf()) {
            let start = node.low as usize;
            for slot in &mut tree.slots[start..start + node.high as usize] {
                slot.id = rank;
                rank += 1;
            }
        }
        tree
    }

    #[inline]
    pub(super) fn bucket(&self, leaf: &KdNode) -> &[BucketPoint] {
        &self.slots[leaf.low as usize..(leaf.low + leaf.high) as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<KdNode>()
            + self.slots.capacity() * size_of::<BucketPoint>()
            + self.leaf_of.capacity() * (4 + 8)
    }

    #[inline]
    pub(super) fn reach_of(&self, id: u32) -> f64 {
        self.reaches[id as usize]
    }

    /// Sets how far every point reaches, by id.
    pub(super) fn set_reaches(&mut self, reaches: Vec<f64>) {
        self.reaches = reaches;
        // Children have larger numbers than their parents.
        for number in (0..self.nodes.len()).rev() {
            self.nodes[number].reach = self.own_reach(number);
        }
    }

    /// The reach of a node by its points or children.
    fn own_reach(&self, number: usize) -> f64 {
        let node = &self.nodes[number];
        if node.is_leaf() {
            let reaches = self.bucket(node).iter();
            reaches.fold(0.0, |m: f64, s| m.max(self.reaches[s.id as usize]))
        } else {
            let child = |n: u32| self.nodes[n as usize].reach;
            child(node.low).max(child(node.high))
        }
    }

    /// Sets how far a point reaches.
    pub(super) fn set_reach(&mut self, id: PointId, reach: f64) {
        self.reaches[id.index()] = reach;
        self.update_reach(self.leaf_of[id.index()]);
    }

    fn update_reach(&mut self, mut number: u32) {
        while number != NONE {
            let reach = self.own_reach(number as usize);
            let node = &mut self.nodes[number as usize];
            if node.reach == reach {
                return;
            }
            node.reach = reach;
            number = node.parent;
        }
    }

    /// Puts a point in; its reach is 0.
    pub(super) fn insert(&mut self, id: PointId, place: DVec3) {
        if self.leaf_of.len() <= id.index() {
            self.leaf_of.resize(id.index() + 1, NONE);
            self.reaches.resize(id.index() + 1, 0.0);
        }
        self.reaches[id.index()] = 0.0;
        self.count += 1;
        self.edits += 1;
        let slot = BucketPoint {
            place,
            id: id.raw(),
        };
        let (mut number, mut depth) = (0, 0);
        loop {
            let node = &mut self.nodes[number as usize];
            node.min = node.min.min(place);
            node.max = node.max.max(place);
            node.lowest = node.lowest.min(id.raw());
            if node.is_leaf() {
                break;
            }
            number = if place[node.axis as usize] < node.split {
                node.low
            } else {
                node.high
            };
            depth += 1;
        }
        let leaf = self.nodes[number as usize];
        if (leaf.high as usize) < ROOM {
            self.slots[(leaf.low + leaf.high) as usize] = slot;
            self.nodes[number as usize].high += 1;
            self.leaf_of[id.index()] = number;
        } else {
            let mut items = self.bucket(&leaf).to_vec();
            items.push(slot);
            self.halve(number, &mut items);
        }
        if depth >= MAX_DEPTH || self.edits > self.count + 1024 {
            self.rebuild();
        }
    }

    /// Divides a full leaf. Its slots go to the half below.
    fn halve(&mut self, number: u32, items: &mut [BucketPoint]) {
        let start = self.nodes[number as usize].low;
        let cut = SplitPlane::of(items);
        let (below, above) = items.split_at(cut.middle);
        let low = self.divide(number, &cut);
        self.fill(low + 1, above);
        self.slots[start as usize..start as usize + below.len()].copy_from_slice(below);
        for item in below {
            self.leaf_of[item.id as usize] = low;
        }
        let leaf = &mut self.nodes[low as usize];
        leaf.low = start;
        leaf.high = below.len() as u32;
        for (child, items) in [(low, below), (low + 1, above)] {
            let bounds = SplitPlane::bounds(items);
            let node = &mut self.nodes[child as usize];
            (node.min, node.max, node.lowest) = bounds;
            self.nodes[child as usize].reach = self.own_reach(child as usize);
        }
    }

    /// Takes a point out; boxes stay as they are.
    pub(super) fn remove(&mut self, id: PointId) {
        let number = self.leaf_of[id.index()];
        if number == NONE {
            return;
        }
        let leaf = self.nodes[number as usize];
        let found = self.bucket(&leaf).iter().position(|s| s.id == id.raw());
        if let Some(at) = found {
            let last = leaf.low + leaf.high - 1;
            self.slots.swap(leaf.low as usize + at, last as usize);
            self.nodes[number as usize].high -= 1;
        }
        self.leaf_of[id.index()] = NONE;
        self.reaches[id.index()] = 0.0;
        self.count -= 1;
        self.edits += 1;
        self.update_reach(number);
    }

    /// Follows points to new places, by id: boxes are fitted anew over the same splits. If they grow much
    /// larger in relation to the whole than they were, the tree is built anew. Reaches are 0 then.
    pub(super) fn refit(&mut self, points: &[DVec3]) {
        let before = self.spread();
        for slot in &mut self.slots {
            if let Some(&place) = points.get(slot.id as usize) {
                slot.place = place;
            }
        }
        // Children have larger numbers than their parents.
        for number in (0..self.nodes.len()).rev() {
            let node = self.nodes[number];
            let (min, max, lowest) = if node.is_leaf() {
                SplitPlane::bounds(self.bucket(&node))
            } else {
                let (low, high) = (node.low as usize, node.high as usize);
                let (low, high) = (&self.nodes[low], &self.nodes[high]);
                (
                    low.min.min(high.min),
                    low.max.max(high.max),
                    low.lowest.min(high.lowest),
                )
            };
            let node = &mut self.nodes[number];
            (node.min, node.max, node.lowest, node.reach) = (min, max, lowest, 0.0);
        }
        self.reaches.fill(0.0);
        if self.spread() > STRETCHED * before {
            self.rebuild();
        }
    }

    /// The sizes of the leaves in relation to that of the whole: the cost of a search, roughly.
    fn spread(&self) -> f64 {
        let size = |node: &KdNode| (node.max - node.min).max(DVec3::ZERO).length();
        let leaves = self.nodes.iter().filter(|n| n.is_leaf() && n.high > 0);
        let whole = self.nodes.first().map_or(0.0, size);
        if whole > 0.0 {
            leaves.map(size).sum::<f64>() / whole
        } else {
            0.0
        }
    }

    fn rebuild(&mut self) {
        let leaves = self.nodes.iter().filter(|node| node.is_leaf());
        let items = leaves.flat_map(|leaf| self.bucket(leaf)).copied();
        let ids = self.leaf_of.len();
        let mut tree = Self::build(items.collect());
        tree.leaf_of.resize(ids, NONE);
        tree.set_reaches(std::mem::take(&mut self.reaches));
        *self = tree;
    }
}

/// Where points are divided.
struct SplitPlane {
    min: DVec3,
    max: DVec3,
    lowest: u32,
    axis: usize,
    middle: usize,
    split: f64,
}

impl SplitPlane {
    fn bounds(items: &[BucketPoint]) -> (DVec3, DVec3, u32) {
        let none = (DVec3::INFINITY, DVec3::NEG_INFINITY, NONE);
        items.iter().fold(none, |(min, max, lowest), item| {
            (
                min.min(item.place),
                max.max(item.place),
                lowest.min(item.id),
            )
        })
    }

    /// Orders the points about the median of the longest side of their box.
    fn of(items: &mut [BucketPoint]) -> Self {
        let (min, max, lowest) = Self::bounds(items);
        let size = max - min;
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let middle = items.len() / 2;
        let mut split = 0.0;
        if items.len() > FILL {
            // The id makes the order total, so the halves do not depend on how the selection works.
            let order = |s: &BucketPoint, t: &BucketPoint| {
                let by_place = s.place[axis].total_cmp(&t.place[axis]);
                by_place.then(s.id.cmp(&t.id))
            };
            let (_, median, _) = items.select_nth_unstable_by(middle, order);
            split = median.place[axis];
        }
        Self {
            min,
            max,
            lowest,
            axis,
            middle,
            split,
        }
    }
}
