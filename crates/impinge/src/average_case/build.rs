//! Builds the nodes of an average-case tree from pieces of faces.
//!
//! **Idea.** From the top down: two children at the cheapest of a few planes by the surface-area heuristic or by volume, or up to eight about the
//! middle of the box. Nodes end at a size, not at single faces: what is below the resolution does not change the estimate.
//! **Promise.** Deterministic; the depth is bounded; the same pieces in another order make the same sets wherever no two planes cost the same.

use glam::{DVec3, Vec3};

use super::config::{Arity, AverageConfig, SplitCost};
use super::face_pieces::{FacePiece, UnitFrame, cut, items};
use super::node::{MAX_DEPTH, MAX_NODES, MAX_SIDE};
use crate::bound::Aabb;
use crate::mesh::TriMesh;

/// Faces are cut until no edge is longer than this many leaves.
const LONGEST_EDGE: f64 = 2.0;
/// Thinner boxes are widened to this fraction of their longest side, so that cells have a volume.
const THINNEST: f32 = 1.0 / 64.0;
/// Places at which a cut is tried.
const BINS: usize = 16;

/// A node while the tree is built.
#[derive(Clone, Copy, Debug)]
pub(super) struct DraftNode {
    pub(super) low: Vec3,
    pub(super) high: Vec3,
    /// Its items in the order.
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) first: u32,
    /// 0 for a leaf.
    pub(super) children: u32,
    pub(super) depth: u32,
    /// Of all faces below.
    pub(super) area: f64,
}

impl DraftNode {
    pub(super) fn is_leaf(&self) -> bool {
        self.children == 0
    }

    pub(super) fn child_range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.children) as usize
    }

    pub(super) fn center(&self) -> Vec3 {
        (self.low + self.high) * 0.5
    }

    /// Half the sides, widened to a least thickness and by a few units of rounding.
    pub(super) fn half(&self) -> Vec3 {
        let half = (self.high - self.low) * 0.5;
        let longest = half.max_element();
        let thin = (THINNEST * longest).max(1e-6);
        half.max(Vec3::splat(thin)) * (1.0 + 4.0 * f32::EPSILON)
    }

    /// The box with its least thickness, in the mesh's frame.
    pub(super) fn bounds(&self, frame: &UnitFrame) -> Aabb {
        let (center, half) = (self.center().as_dvec3(), self.half().as_dvec3());
        Aabb {
            min: frame.center + (center - half) / frame.scale,
            max: frame.center + (center + half) / frame.scale,
        }
    }

    pub(super) fn volume(&self) -> f64 {
        let half = self.half().as_dvec3();
        8.0 * half.x * half.y * half.z
    }
}

/// A tree without cells.
#[derive(Clone, Debug)]
pub(super) struct TreePlan {
    pub(super) frame: UnitFrame,
    /// In the mesh's frame.
    pub(super) pieces: Vec<[DVec3; 3]>,
    pub(super) order: Vec<FacePiece>,
    /// The root first, children after their parents.
    pub(super) nodes: Vec<DraftNode>,
    pub(super) max_depth: u32,
    /// Cells along each side of a node.
    pub(super) side: usize,
}

impl TreePlan {
    /// The pieces of a node.
    pub(super) fn faces(&self, node: &DraftNode) -> impl Iterator<Item = &[DVec3; 3]> + Clone {
        let order = &self.order[node.start as usize..node.end as usize];
        order.iter().map(|item| &self.pieces[item.piece as usize])
    }
}

pub(super) fn plan(mesh: &TriMesh, config: &AverageConfig) -> TreePlan {
    let bounds = mesh.bounds();
    let frame = UnitFrame::of(&bounds);
    let longest = bounds.diagonal().max_element();
    let resolution = if config.resolution > 0.0 {
        config.resolution.min(1.0)
    } else {
        0.0
    };
    let pieces = cut(mesh, LONGEST_EDGE * resolution * longest);
    let mut plan = TreePlan {
        frame,
        order: items(&pieces, &frame),
        pieces,
        nodes: Vec::new(),
        max_depth: 0,
        side: config.cells_per_side.clamp(1, MAX_SIDE) as usize,
    };
    if plan.order.is_empty() {
        return plan;
    }
    let leaf_side = (resolution * longest * frame.scale) as f32;
    let leaf_faces = config.leaf_faces.max(1) as usize;
    let count = plan.order.len();
    plan.nodes.push(draft(&plan.order, 0, count, 0));
    let mut open = vec![0_usize];
    let mut parts = Vec::new();
    while let Some(at) = open.pop() {
        let node = plan.nodes[at];
        plan.max_depth = plan.max_depth.max(node.depth);
        let (start, end) = (node.start as usize, node.end as usize);
        let is_small = (node.high - node.low).max_element() <= leaf_side;
        let is_full = plan.nodes.len() + 8 > MAX_NODES || node.depth >= MAX_DEPTH;
        if end - start <= leaf_faces || is_small || is_full {
            continue;
        }
        let items = &mut plan.order[start..end];
        parts.clear();
        match config.split {
            Arity::Binary => halves(items, config.cost, &mut parts),
            Arity::Octants => octants(items, &node, &mut parts),
        }
        if parts.len() < 2 {
            continue;
        }
        let first = plan.nodes.len();
        plan.nodes[at].first = first as u32;
        plan.nodes[at].children = parts.len() as u32;
        let mut begin = start;
        for &size in &parts {
            let child = draft(&plan.order, begin, begin + size, node.depth + 1);
            open.push(plan.nodes.len());
            plan.nodes.push(child);
            begin += size;
        }
    }
    plan
}

fn draft(order: &[FacePiece], start: usize, end: usize, depth: u32) -> DraftNode {
    let (mut low, mut high, mut area) = (Vec3::INFINITY, Vec3::NEG_INFINITY, 0.0);
    for item in &order[start..end] {
        low = low.min(item.low);
        high = high.max(item.high);
        area += f64::from(item.area);
    }
    DraftNode {
        low,
        high,
        start: start as u32,
        end: end as u32,
        first: 0,
        children: 0,
        depth,
        area,
    }
}

/// The box and number of the items in a bin.
#[derive(Clone, Copy, Debug)]
struct Bin {
    low: Vec3,
    high: Vec3,
    count: u32,
}

impl Bin {
    const EMPTY: Self = Self {
        low: Vec3::INFINITY,
        high: Vec3::NEG_INFINITY,
        count: 0,
    };

    fn join(&mut self, other: &Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.count += other.count;
    }

    /// Half the surface area times the number of items, or the volume.
    fn cost(&self, cost: SplitCost) -> f32 {
        let d = (self.high - self.low).max(Vec3::ZERO);
        match cost {
            SplitCost::SurfaceArea => (d.x * d.y + d.y * d.z + d.z * d.x) * self.count as f32,
            SplitCost::ChildVolume => {
                let d = d.max(Vec3::splat(THINNEST * d.max_element()));
                d.x * d.y * d.z
            }
        }
    }
}

/// Orders the items in two parts and pushes their sizes; none when all middles coincide.
fn halves(items: &mut [FacePiece], by: SplitCost, parts: &mut Vec<usize>) {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for item in items.iter() {
        low = low.min(item.key());
        high = high.max(item.key());
    }
    let mut best = (f32::INFINITY, 0, 0);
    for axis in 0..3 {
        let span = high[axis] - low[axis];
        if span <= 0.0 {
            continue;
        }
        let mut bins = [Bin::EMPTY; BINS];
        for item in items.iter() {
            bins[bin(item, axis, low[axis], span)].join(&Bin {
                low: item.low,
                high: item.high,
                count: 1,
            });
        }
        let mut right = [0.0; BINS];
        let mut sum = Bin::EMPTY;
        for i in (1..BINS).rev() {
            sum.join(&bins[i]);
            right[i] = sum.cost(by);
        }
        let mut sum = Bin::EMPTY;
        for (i, bin) in bins.iter().enumerate().take(BINS - 1) {
            sum.join(bin);
            let cost = sum.cost(by) + right[i + 1];
            if sum.count > 0 && (sum.count as usize) < items.len() && cost < best.0 {
                best = (cost, axis, i);
            }
        }
    }
    let (cost, axis, last) = best;
    if cost == f32::INFINITY {
        return;
    }
    let span = high[axis] - low[axis];
    let left = stable_partition(items, |item| bin(item, axis, low[axis], span) <= last);
    parts.extend([left, items.len() - left]);
}

fn bin(item: &FacePiece, axis: usize, low: f32, span: f32) -> usize {
    let place = (item.key()[axis] - low) / span * BINS as f32;
    (place as usize).min(BINS - 1)
}

/// Brings those first for which this holds, and says how many they are.
fn stable_partition(items: &mut [FacePiece], is_first: impl Fn(&FacePiece) -> bool) -> usize {
    items.sort_by_key(|item| !is_first(item));
    items.partition_point(|item| is_first(item))
}

/// Orders the items by octants of the box and pushes their sizes; of the middles' box where all are in one.
fn octants(items: &mut [FacePiece], node: &DraftNode, parts: &mut Vec<usize>) {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for item in items.iter() {
        low = low.min(item.key());
        high = high.max(item.key());
    }
    for middle in [node.low + node.high, (low + high) * 0.5] {
        let octant = |item: &FacePiece| {
            let above = item.key().cmpgt(middle);
            above.bitmask() as usize
        };
        items.sort_by_key(octant);
        let mut sizes = [0; 8];
        for item in items.iter() {
            sizes[octant(item)] += 1;
        }
        parts.clear();
        parts.extend(sizes.into_iter().filter(|&size| size > 0));
        if parts.len() > 1 {
            return;
        }
    }
}
