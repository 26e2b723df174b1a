//! Builds a point cloud hierarchy: splits the points, then gives each node its plane, samples, covering and border.

use std::sync::Arc;

use glam::DVec3;

use super::super::implicit_surface::CloudSurface;
use super::super::kd_tree::distance_sq;
use super::super::parallel::{map_all, map_shares};
use super::super::smallest_eigenvector::smallest_eigenvector;
use super::leaf_hulls::LeafHulls;
use super::leaf_test::rim_share;
use super::node::{CloudTree, HierarchyNode, NO_CHILD, NOT_LISTED, vector};
use super::options::{CloudTreeOptions, NodeSampling};
use super::sphere_cover::{CellSamples, choose_samples, covering};
use crate::math::eigen::products;
use crate::math::sort::sort_few;
use crate::math::{Rng, outward_rounding};

/// A node before it has its lists.
#[derive(Clone, Copy, Debug)]
pub(super) struct DraftNode {
    pub(super) min: DVec3,
    pub(super) max: DVec3,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) low: u32,
}

impl DraftNode {
    pub(super) const BLANK: Self = Self {
        min: DVec3::ZERO,
        max: DVec3::ZERO,
        start: 0,
        end: 0,
        low: NO_CHILD,
    };
}

/// A node and its lists.
struct FinishedNode {
    node: HierarchyNode,
    samples: Vec<u32>,
    border: Vec<u32>,
}

pub(super) fn build(surface: Arc<CloudSurface>, options: &CloudTreeOptions) -> CloudTree {
    let graph = &*surface.graph;
    let mut order: Vec<u32> = graph.ids().map(|id| id.raw()).collect();
    let drafts = halved(&graph.points, &mut order, options.leaf as usize);
    let (centre, unit) = match drafts.first() {
        Some(root) => units(root.min, root.max),
        None => (DVec3::ZERO, 1.0),
    };
    finish_all(surface, options, (centre, unit), &drafts, &order, |_| None)
}

/// A tree in these units, to be filled.
pub(super) fn without_nodes(
    surface: Arc<CloudSurface>,
    options: &CloudTreeOptions,
    (centre, unit): (DVec3, f64),
) -> CloudTree {
    CloudTree {
        options: *options,
        nodes: Vec::new(),
        ids: Vec::new(),
        centre,
        unit,
        per_unit: 1.0 / unit,
        sampling_radius: 0.0,
        overhang: overhang(&surface),
        surface,
    }
}

/// The tree of drafts, in these units; `kept` gives nodes of an earlier tree that need only a new border.
pub(super) fn finish_all<'t>(
    surface: Arc<CloudSurface>,
    options: &CloudTreeOptions,
    units: (DVec3, f64),
    drafts: &[DraftNode],
    order: &[u32],
    kept: impl Fn(usize) -> Option<(HierarchyNode, &'t [u32])> + Sync,
) -> CloudTree {
    let mut tree = without_nodes(surface, options, units);
    tree.nodes.reserve_exact(drafts.len());
    let cells = CellSamples::new(&tree.surface.graph, options.seed);
    let leaves = leaf_starts(drafts);
    let numbers: Vec<usize> = (0..drafts.len()).collect();
    let parts = map_shares(&numbers, |numbers| {
        let one = |&number: &usize| {
            let draft = &drafts[number];
            let hulls = LeafHulls::new(order, &leaves, draft.start, draft.end);
            match kept(number) {
                None => finish(&tree, &cells, draft, &hulls, number as u64),
                Some((node, samples)) => keep(&tree, node, samples, hulls.items),
            }
        };
        numbers.iter().map(one).collect::<Vec<FinishedNode>>()
    });
    let listed = |done: &FinishedNode| done.samples.len() + done.border.len();
    let total: usize = parts.iter().flatten().map(listed).sum();
    let mut ids = Vec::with_capacity(total);
    for done in parts.into_iter().flatten() {
        let node = HierarchyNode {
            first: ids.len() as u32,
            ..done.node
        };
        tree.nodes.push(node);
        ids.extend_from_slice(&done.samples);
        ids.extend_from_slice(&done.border);
    }
    tree.ids = ids;
    // Children come after their parents.
    for number in (0..tree.nodes.len()).rev() {
        let low = tree.nodes[number].low as usize;
        if !tree.nodes[number].is_leaf() {
            for child in [tree.nodes[low], tree.nodes[low + 1]] {
                let node = &mut tree.nodes[number];
                for (own, of_child) in node.min.iter_mut().zip(child.min) {
                    *own = own.min(of_child);
                }
                for (own, of_child) in node.max.iter_mut().zip(child.max) {
                    *own = own.max(of_child);
                }
            }
        }
    }
    tree.sampling_radius = middle_radius(&tree.nodes) * tree.unit;
    tree
}

/// The median of the covering radii of the leaves; 0 without one.
pub(super) fn middle_radius(nodes: &[HierarchyNode]) -> f64 {
    let leaves = nodes.iter().filter(|node| node.is_leaf());
    let mut radii: Vec<f32> = leaves.map(|leaf| leaf.radius).collect();
    radii.sort_unstable_by(f32::total_cmp);
    f64::from(radii.get(radii.len() / 2).copied().unwrap_or(0.0))
}

/// A node of an earlier tree; only points that come and go in its border may be new.
fn keep(tree: &CloudTree, mut node: HierarchyNode, samples: &[u32], items: &[u32]) -> FinishedNode {
    let mut border = Vec::new();
    if node.is_leaf() {
        // The width of the border depends on whether it is listed.
        node.border = 0;
        find_border(tree, items, &mut node, &mut border);
    }
    FinishedNode {
        node,
        samples: samples.to_vec(),
        border,
    }
}

/// A kernel under which too few points are is widened up to this much.
const WIDEST: f64 = 1.5;

/// No zero that counts is farther than this from the hull of the points: means are inside, and lag no farther behind. Leaf tests end surfaces at the rim or at the border.
pub(super) fn overhang(surface: &CloudSurface) -> f64 {
    let (bandwidth, _) = surface.width(surface.widest);
    let rim = rim_share(surface.options.kernel) * WIDEST * bandwidth;
    surface.overhang().max(rim)
}

/// The origin and length of units in which the points are at most 1 from the middle of their box.
pub(super) fn units(min: DVec3, max: DVec3) -> (DVec3, f64) {
    let half = (max * 0.5 - min * 0.5).max_element();
    let centre = min * 0.5 + max * 0.5;
    let mut unit = 1.0;
    if half > 0.0 {
        // Doubling and halving are exact; the exponent of a number has 11 bits.
        for _ in 0..2200 {
            if unit < half {
                unit *= 2.0;
            } else if unit >= 2.0 * half && unit > f64::MIN_POSITIVE {
                unit *= 0.5;
            } else {
                break;
            }
        }
    }
    (centre, unit)
}

/// Halves the points at the median of the axis that leaves the smallest boxes, until leaves are small enough. Level by level.
fn halved(points: &[DVec3], order: &mut [u32], leaf: usize) -> Vec<DraftNode> {
    if order.is_empty() {
        return Vec::new();
    }
    let mut drafts = vec![DraftNode::BLANK];
    let mut open: Vec<(usize, usize, &mut [u32])> = vec![(0, 0, order)];
    // Each level halves, so there are at most 32.
    while !open.is_empty() {
        let cuts = map_all(open, |(number, start, items)| {
            let bounds = bounds(points, items);
            if items.len() > leaf {
                divide(points, items);
            }
            (number, start, bounds, items)
        });
        open = Vec::new();
        for (number, start, (min, max), items) in cuts {
            let low = if items.len() > leaf {
                drafts.len() as u32
            } else {
                NO_CHILD
            };
            drafts[number] = DraftNode {
                min,
                max,
                start,
                end: start + items.len(),
                low,
            };
            if low != NO_CHILD {
                drafts.extend([DraftNode::BLANK; 2]);
                let middle = items.len() / 2;
                let (below, above) = items.split_at_mut(middle);
                open.push((low as usize, start, below));
                open.push((low as usize + 1, start + middle, above));
            }
        }
    }
    drafts
}

pub(super) fn bounds(points: &[DVec3], items: &[u32]) -> (DVec3, DVec3) {
    let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    items.iter().fold(none, |(min, max), &id| {
        let p = points[id as usize];
        (min.min(p), max.max(p))
    })
}

/// Orders points about the median of an axis: the one after which the two boxes have the smallest surface.
fn divide(points: &[DVec3], items: &mut [u32]) {
    let middle = items.len() / 2;
    let select = |items: &mut [u32], axis: usize| {
        // The id makes the order total, so the halves do not depend on how the selection works.
        items.select_nth_unstable_by(middle, |&a, &b| {
            let by_place = points[a as usize][axis].total_cmp(&points[b as usize][axis]);
            by_place.then(a.cmp(&b))
        });
    };
    let cost = |items: &[u32]| {
        let (min, max) = bounds(points, items);
        let d = max - min;
        d.x * d.y + d.y * d.z + d.z * d.x
    };
    let (min, max) = bounds(points, items);
    let size = max - min;
    let mut axes = [0, 1, 2];
    sort_few(&mut axes, |&a, &b| {
        size[b].total_cmp(&size[a]).then(a.cmp(&b))
    });
    let (mut best, mut at) = (f64::INFINITY, axes[0]);
    for axis in axes {
        // Short sides rarely win, and looking costs.
        if axis != axes[0] && size[axis] < 0.5 * size[axes[0]] {
            continue;
        }
        select(items, axis);
        let (below, above) = items.split_at(middle);
        let sum = cost(below) + cost(above);
        if sum < best {
            (best, at) = (sum, axis);
        }
    }
    select(items, at);
    // The order inside the halves must not depend on the axes that were tried.
    items[..middle].sort_unstable();
    items[middle..].sort_unstable();
}

/// Where the points of each leaf start, ascending.
fn leaf_starts(drafts: &[DraftNode]) -> Vec<usize> {
    let leaves = drafts.iter().filter(|draft| draft.low == NO_CHILD);
    let mut starts: Vec<usize> = leaves.map(|leaf| leaf.start).collect();
    starts.sort_unstable();
    starts
}

fn finish(
    tree: &CloudTree,
    cells: &CellSamples,
    draft: &DraftNode,
    hulls: &LeafHulls<'_>,
    number: u64,
) -> FinishedNode {
    let graph = &*tree.surface.graph;
    let items = hulls.items;
    let is_leaf = draft.low == NO_CHILD;
    let mut rng = Rng::new(tree.options.seed ^ number.wrapping_mul(0xD134_2543_DE82_EF95));
    let mut samples = Vec::new();
    if is_leaf {
        samples.extend_from_slice(items);
    } else {
        let count = tree.options.sample_count(items.len());
        match tree.options.sampling {
            NodeSampling::Farthest => {
                choose_samples(&graph.points, items, count, &mut rng, &mut samples);
            }
            NodeSampling::RandomWeights => {
                hulls.choose_samples(&graph.points, count, &mut rng, &mut samples);
            }
        }
    }
    let cover = covering(
        graph,
        cells,
        items,
        &samples,
        hulls,
        (tree.options.covered, tree.options.cover),
        &mut rng,
    );
    // The cells of a leaf stick out of the box of its points, and meet those of the next leaf.
    let (min, max) = outward_rounding::outward(
        tree.to_units(draft.min.min(cover.min)),
        tree.to_units(draft.max.max(cover.max)),
    );
    let mut node = HierarchyNode {
        min,
        max,
        radius: outward_rounding::up(cover.radius / tree.unit),
        normal: [0.0; 3],
        offset: 0.0,
        thickness: f32::INFINITY,
        low: draft.low,
        first: 0,
        samples: samples.len() as u16,
        border: 0,
    };
    fit_plane(tree, cells, items, &mut node);
    let mut border = Vec::new();
    if is_leaf {
        find_border(tree, items, &mut node, &mut border);
    }
    FinishedNode {
        node,
        samples,
        border,
    }
}

/// The surface bends a little beyond the points.
const BULGE: f64 = 1.1;

/// Sets the plane that the points are nearest to, and how thick they and their cells lie about it.
fn fit_plane(tree: &CloudTree, cells: &CellSamples, items: &[u32], node: &mut HierarchyNode) {
    let middle = node.centre();
    let place = |&id: &u32| tree.to_units(tree.place(id)) - middle;
    let count = items.len() as f64;
    let mean = items.iter().map(place).sum::<DVec3>() / count;
    let mut sums = [0.0; 6];
    for d in items.iter().map(place).map(|p| p - mean) {
        for (sum, product) in sums.iter_mut().zip(products(d, d)) {
            *sum += product;
        }
    }
    let Some(smallest) = smallest_eigenvector(sums) else {
        return;
    };
    let normal = smallest.axis.to_array().map(|x| x as f32);
    let axis = vector(normal);
    // Heights are taken from the rounded plane, so its rounding is in the thickness.
    let offset = axis.dot(middle + mean) as f32;
    let mut thickness = 0.0_f64;
    for id in items {
        let height = axis.dot(place(id) + middle) - f64::from(offset);
        thickness = thickness.max(height.abs());
        for off in cells.offsets(*id) {
            thickness = thickness.max((height + axis.dot(off) / tree.unit).abs());
        }
    }
    node.normal = normal;
    node.offset = offset;
    node.thickness = outward_rounding::up(thickness * BULGE + 1e-7);
}

/// A leaf lists no more points of its border.
const MAX_BORDER: usize = 100;

/// Lists the points outside a leaf that are in its box, widened by the covering radius.
pub(super) fn find_border(
    tree: &CloudTree,
    items: &[u32],
    node: &mut HierarchyNode,
    border: &mut Vec<u32>,
) {
    let known = tree.widened_box(node, node.border_width());
    let middle = known.min * 0.5 + known.max * 0.5;
    let reach = distance_sq(middle, known.max)
        .max(distance_sq(middle, known.min))
        .sqrt();
    let kd_tree = tree.surface.graph.tree();
    kd_tree.visit_within(middle, reach * (1.0 + 1e-9), |slot, _| {
        if border.len() <= MAX_BORDER && known.contains(slot.place) && !items.contains(&slot.id) {
            border.push(slot.id);
        }
    });
    if border.len() > MAX_BORDER {
        border.clear();
        node.border = NOT_LISTED;
    } else {
        border.sort_unstable();
        node.border = border.len() as u16;
    }
}
