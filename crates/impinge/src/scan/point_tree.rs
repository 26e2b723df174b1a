//! Point tree: points in Morton order, in leaves of eight, with boxes around them.
//!
//! Eight points form a block, eight blocks a node, eight nodes a node of the next level, so that
//! the position of a child follows from its parent's. The first levels of octants are kept
//! separate, so that no node of the lowest level lies in two of them, and threads can fill them in
//! parallel.

use glam::DVec3;

use super::morton_grid::{FinestMortonGrid, MortonGrid};
use super::morton_sort::{KeyFilter, KeyRange, MortonSort, id_of};
use super::scan_frame::{ScanFrame, widen};
use super::thinning::{CubeSizeError, Thinning, checked};
use super::threads::join;
use crate::bound::Aabb;

/// Points of a block, blocks of a node, nodes of a node.
pub(super) const LANES: usize = 8;
/// Points below a node of the lowest level.
const NODE_POINTS: usize = LANES * LANES;
/// Levels of nodes that 2^28 points can need, and one more for what octants leave empty.
const MAX_LEVELS: usize = 10;
/// Keys that one thread takes at a time.
const SHARE: usize = 1 << 13;
/// Bits along an axis that order points, and from how many points on: about one cell of a surface for each.
const ORDER_BITS: [(usize, u32); 3] = [(1 << 17, 10), (1 << 14, 9), (0, 8)];

/// Eight points; absent ones are infinitely far away.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointBlock {
    pub(super) at: [[f64; LANES]; 3],
    pub(super) id: [u32; LANES],
}

impl PointBlock {
    const EMPTY: Self = Self {
        at: [[f64::INFINITY; LANES]; 3],
        id: [u32::MAX; LANES],
    };

    /// A point's coordinates, none where there is no point.
    pub(super) fn point(&self, lane: usize) -> Option<DVec3> {
        let p = DVec3::new(self.at[0][lane], self.at[1][lane], self.at[2][lane]);
        (self.id[lane] != u32::MAX).then_some(p)
    }

    /// The squares of the distances from `p`.
    #[inline(always)]
    pub(super) fn distances_sq(&self, p: DVec3) -> [f64; LANES] {
        let mut sum = [0.0; LANES];
        for (axis, p) in p.to_array().into_iter().enumerate() {
            for (sum, at) in sum.iter_mut().zip(&self.at[axis]) {
                let d = at - p;
                *sum += d * d;
            }
        }
        sum
    }

    fn bounds(&self) -> Aabb {
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in (0..LANES).filter_map(|lane| self.point(lane)) {
            min = min.min(p);
            max = max.max(p);
        }
        Aabb { min, max }
    }
}

/// The boxes of eight children; those of absent ones are empty and infinitely far from anything.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointNode {
    min: [[f64; LANES]; 3],
    max: [[f64; LANES]; 3],
}

impl PointNode {
    const EMPTY: Self = Self {
        min: [[f64::INFINITY; LANES]; 3],
        max: [[f64::NEG_INFINITY; LANES]; 3],
    };

    fn set(&mut self, lane: usize, bounds: &Aabb) {
        for axis in 0..3 {
            self.min[axis][lane] = bounds.min[axis];
            self.max[axis][lane] = bounds.max[axis];
        }
    }

    pub(super) fn child(&self, lane: usize) -> Aabb {
        let corner = |of: &[[f64; LANES]; 3]| DVec3::new(of[0][lane], of[1][lane], of[2][lane]);
        Aabb {
            min: corner(&self.min),
            max: corner(&self.max),
        }
    }

    fn bounds(&self) -> Aabb {
        (0..LANES).fold(Aabb::EMPTY, |all, lane| all.union(&self.child(lane)))
    }

    /// The squares of the distances from `p` to the boxes. Each step of it grows with what goes in, rounding included, so that no point of a box has a smaller
    /// [`PointBlock::distances_sq`].
    #[inline(always)]
    pub(super) fn distances_sq(&self, p: DVec3) -> [f64; LANES] {
        let mut sum = [0.0; LANES];
        for (axis, p) in p.to_array().into_iter().enumerate() {
            for (sum, (min, max)) in sum
                .iter_mut()
                .zip(self.min[axis].iter().zip(&self.max[axis]))
            {
                let (below, above) = (min - p, p - max);
                let gap = if below > above { below } else { above };
                let gap = if gap > 0.0 { gap } else { 0.0 };
                *sum += gap * gap;
            }
        }
        sum
    }
}

/// A node or a block: its level, 0 for blocks, and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodePlace {
    pub(super) level: u32,
    pub(super) index: u32,
}

impl NodePlace {
    pub(super) fn child(self, lane: usize) -> Self {
        Self {
            level: self.level - 1,
            index: self.index * LANES as u32 + lane as u32,
        }
    }
}

/// An index of the points of a frame, rebuilt for each frame in memory that it keeps.
///
/// ```
/// use impinge::{DVec3, scan::{PointIndex, PointTree, ScanFrame}};
/// let points = [DVec3::X, DVec3::Y, DVec3::Z];
/// let mut tree = PointTree::default();
/// tree.rebuild(&ScanFrame::new(&points)?);
/// assert_eq!(tree.nearest(DVec3::new(0.0, 2.0, 0.1)).map(|hit| hit.point), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PointTree {
    pub(super) order: MortonSort,
    blocks: Vec<PointBlock>,
    /// All levels, the lowest first.
    nodes: Vec<PointNode>,
    /// Where each level begins.
    starts: [u32; MAX_LEVELS],
    levels: u32,
    len: usize,
    bounds: Aabb,
    /// The size of cubes that may leave as many points as are allowed in the next frame; 0 when not known.
    pub(super) next_cell: f64,
    /// Placed points of all cameras.
    pub(super) merged: Vec<DVec3>,
}

impl Default for PointTree {
    fn default() -> Self {
        Self {
            order: MortonSort::default(),
            blocks: Vec::new(),
            nodes: Vec::new(),
            starts: [0; MAX_LEVELS],
            levels: 0,
            len: 0,
            bounds: Aabb::EMPTY,
            next_cell: 0.0,
            merged: Vec::new(),
        }
    }
}

/// Bits along an axis that are enough to order so many points.
pub(super) fn order_bits(count: usize) -> u32 {
    ORDER_BITS
        .iter()
        .find(|(least, _)| count >= *least)
        .map_or(0, |&(_, bits)| bits)
}

impl PointTree {
    /// Indexes the points of a frame instead of those before.
    ///
    /// ```
    /// use impinge::{DVec3, scan::{PointTree, ScanFrame}};
    /// let mut tree = PointTree::default();
    /// tree.rebuild(&ScanFrame::new(&[DVec3::X, DVec3::X])?);
    /// assert_eq!((tree.len(), tree.bounds().min), (2, DVec3::X));
    /// tree.rebuild(&ScanFrame::new(&[])?);
    /// assert!(tree.is_empty());
    /// # Ok::<(), impinge::scan::ScanFrameError>(())
    /// ```
    pub fn rebuild(&mut self, frame: &ScanFrame<'_>) {
        let points = frame.points();
        let bits = order_bits(points.len());
        let lattice = FinestMortonGrid::around(&frame.bounds(), bits);
        self.order
            .deal(&points, &mut [], 3 * bits, &|p| (lattice.code(p), 0));
        self.order.sort(KeyFilter::All);
        self.order.refine(points);
        self.fill(points);
    }

    /// The same with only the first point of each cube of this size. Points keep their numbers.
    ///
    /// # Errors
    /// [`CubeSizeError`] when the size is not a positive number.
    ///
    /// ```
    /// use impinge::{DVec3, scan::{PointTree, ScanFrame}};
    /// let points = [DVec3::ZERO, DVec3::splat(0.01), DVec3::ONE];
    /// let mut tree = PointTree::default();
    /// let thinned = tree.rebuild_thinned(&ScanFrame::new(&points)?, 0.1)?;
    /// assert_eq!((thinned.kept, thinned.dropped), (2, 1));
    /// assert!(thinned.error >= 0.0173 && thinned.error < 0.0174);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rebuild_thinned(
        &mut self,
        frame: &ScanFrame<'_>,
        cell: f64,
    ) -> Result<Thinning, CubeSizeError> {
        let points = frame.points();
        let lattice = MortonGrid::of_cubes(&frame.bounds(), checked(cell)?);
        self.order
            .deal(&points, &mut [], lattice.code_bits(), &|p| {
                (lattice.code(p), 0)
            });
        self.order.sort(KeyFilter::All);
        self.order.drop_crowded(points, &lattice);
        let thinning = Thinning::of(self.order.parts(), points.len(), cell);
        self.order.refine(points);
        self.fill(points);
        Ok(thinning)
    }

    /// Makes the tree of the points whose keys are kept.
    pub(super) fn fill(&mut self, points: &[DVec3]) {
        let (mut len, mut low) = (0, 0);
        for keys in self.order.kept() {
            len += keys.len();
            low += keys.len().div_ceil(NODE_POINTS);
        }
        self.len = len;
        self.bounds = Aabb::EMPTY;
        self.levels = 0;
        self.blocks.resize(low * LANES, PointBlock::EMPTY);
        self.starts = [0; MAX_LEVELS];
        let (mut count, mut total, mut levels) = (low, low, 0);
        while count > 0 && levels < MAX_LEVELS {
            self.starts[levels] = (total - count) as u32;
            levels += 1;
            if count == 1 {
                break;
            }
            count = count.div_ceil(LANES);
            total += count;
        }
        self.nodes.resize(total, PointNode::EMPTY);
        if levels == 0 {
            return;
        }
        let (blocks, nodes) = (&mut self.blocks[..], &mut self.nodes[..low]);
        gather(points, &self.order, self.order.parts(), blocks, nodes);
        self.levels = levels as u32;
        for level in 1..levels {
            let [below, own] = [level - 1, level].map(|level| self.starts[level] as usize);
            let end = if level + 1 < levels {
                self.starts[level + 1] as usize
            } else {
                total
            };
            for index in own..end {
                let first = below + (index - own) * LANES;
                let mut node = PointNode::EMPTY;
                for (lane, child) in self.nodes[first..own.min(first + LANES)].iter().enumerate() {
                    node.set(lane, &child.bounds());
                }
                self.nodes[index] = node;
            }
        }
        self.bounds = self.nodes.last().map_or(Aabb::EMPTY, PointNode::bounds);
    }

    /// How many points there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The box around all points; empty without points.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Bytes that the tree takes, with what it keeps for the next frame.
    ///
    /// ```
    /// assert_eq!(impinge::scan::PointTree::default().bytes(), 0);
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<PointBlock>()
            + self.nodes.capacity() * size_of::<PointNode>()
            + self.merged.capacity() * size_of::<DVec3>()
            + self.order.bytes()
    }

    /// The node above all others; none without points.
    pub(super) fn root(&self) -> Option<NodePlace> {
        (self.levels > 0 && self.len > 0).then_some(NodePlace {
            level: self.levels,
            index: 0,
        })
    }

    /// A node; levels count from 1.
    pub(super) fn node(&self, place: NodePlace) -> &PointNode {
        &self.nodes[(self.starts[place.level as usize - 1] + place.index) as usize]
    }

    pub(super) fn block(&self, index: u32) -> &PointBlock {
        &self.blocks[index as usize]
    }

    /// The box around what is below a place.
    pub(super) fn box_of(&self, place: NodePlace) -> Aabb {
        if place.level >= self.levels {
            return self.bounds;
        }
        let parent = NodePlace {
            level: place.level + 1,
            index: place.index / LANES as u32,
        };
        self.node(parent).child(place.index as usize % LANES)
    }

    /// Takes out the points in these slots, eight times the block and the lane, and fits the boxes above them.
    pub(super) fn remove(&mut self, slots: &mut Vec<u32>) -> usize {
        slots.sort_unstable();
        slots.dedup();
        for &slot in slots.iter() {
            let (block, lane) = (slot as usize / LANES, slot as usize % LANES);
            for axis in 0..3 {
                self.blocks[block].at[axis][lane] = f64::INFINITY;
            }
            self.blocks[block].id[lane] = u32::MAX;
        }
        let removed = slots.len();
        self.len -= removed;
        // From here on the places of a level whose boxes have changed.
        for slot in slots.iter_mut() {
            *slot /= LANES as u32;
        }
        for level in 0..self.levels {
            slots.dedup();
            for &index in slots.iter() {
                let own = NodePlace { level, index };
                let bounds = if level == 0 {
                    self.blocks[index as usize].bounds()
                } else {
                    self.node(own).bounds()
                };
                let above = (self.starts[level as usize] + index / LANES as u32) as usize;
                self.nodes[above].set(index as usize % LANES, &bounds);
            }
            for slot in slots.iter_mut() {
                *slot /= LANES as u32;
            }
        }
        self.bounds = self.nodes.last().map_or(Aabb::EMPTY, PointNode::bounds);
        slots.clear();
        removed
    }
}

/// Fills blocks and the lowest nodes from sorted keys; each part begins a node of its own.
fn gather(
    points: &[DVec3],
    order: &MortonSort,
    parts: &[KeyRange],
    blocks: &mut [PointBlock],
    nodes: &mut [PointNode],
) {
    if parts.len() > 1 && nodes.len() > SHARE / NODE_POINTS {
        let (mut half, mut middle) = (0, 0);
        while half + 1 < parts.len() && 2 * middle < nodes.len() {
            middle += parts[half].kept.div_ceil(NODE_POINTS);
            half += 1;
        }
        let (parts_a, parts_b) = parts.split_at(half);
        let (nodes_a, nodes_b) = nodes.split_at_mut(middle);
        let (blocks_a, blocks_b) = blocks.split_at_mut(middle * LANES);
        join(
            || gather(points, order, parts_a, blocks_a, nodes_a),
            || gather(points, order, parts_b, blocks_b, nodes_b),
        );
        return;
    }
    let (mut blocks, mut nodes) = (blocks, nodes);
    for part in parts {
        let keys = order.kept_of(part);
        let middle = keys.len().div_ceil(NODE_POINTS);
        let (own_nodes, after_nodes) = nodes.split_at_mut(middle);
        let (own_blocks, after_blocks) = blocks.split_at_mut(middle * LANES);
        gather_keys(points, keys, own_blocks, own_nodes);
        (blocks, nodes) = (after_blocks, after_nodes);
    }
}

fn gather_keys(points: &[DVec3], keys: &[u64], blocks: &mut [PointBlock], nodes: &mut [PointNode]) {
    if keys.len() > SHARE {
        let middle = (keys.len() / 2).next_multiple_of(NODE_POINTS);
        let (keys_a, keys_b) = keys.split_at(middle);
        let (blocks_a, blocks_b) = blocks.split_at_mut(middle / LANES);
        let (nodes_a, nodes_b) = nodes.split_at_mut(middle / NODE_POINTS);
        join(
            || gather_keys(points, keys_a, blocks_a, nodes_a),
            || gather_keys(points, keys_b, blocks_b, nodes_b),
        );
        return;
    }
    let each = keys
        .chunks(NODE_POINTS)
        .zip(blocks.chunks_exact_mut(LANES))
        .zip(nodes);
    let mut fetched = [DVec3::ZERO; NODE_POINTS];
    for ((keys, blocks), node) in each {
        // All at once, so that the memory is asked for many before one is needed.
        for (slot, &key) in fetched.iter_mut().zip(keys) {
            *slot = points[id_of(key)];
        }
        *node = PointNode::EMPTY;
        if keys.len() < NODE_POINTS {
            blocks.fill(PointBlock::EMPTY);
        }
        let fetched = fetched.chunks_exact(LANES);
        for (lane, ((keys, block), fetched)) in
            keys.chunks(LANES).zip(blocks).zip(fetched).enumerate()
        {
            let mut bounds = Aabb::EMPTY;
            for (k, (&key, &p)) in keys.iter().zip(fetched).enumerate() {
                block.at[0][k] = p.x;
                block.at[1][k] = p.y;
                block.at[2][k] = p.z;
                block.id[k] = id_of(key) as u32;
                widen(&mut bounds, p);
            }
            node.set(lane, &bounds);
        }
    }
}
