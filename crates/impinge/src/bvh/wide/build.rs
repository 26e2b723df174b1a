//! From a mesh to its tree.

use std::ops::Range;

use glam::DVec3;

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::layout::{LEAF, NO_CHILD, WIDTH, WideLeaf, WideNode};
use super::obb_fit::{FitScratch, FittedObb, fit, fit_upright};
use super::queries::BoxKind;
use super::relative_pose::{U, exp2};
use super::sah_split::{SplitCell, SplitItem, SplitSet, halves, split};
use super::tree::TreeFrame;
use crate::math::outward_rounding;
use crate::math::simd::Level;
use crate::mesh::TriMesh;

/// Deeper than any tree the heuristic makes of real meshes (1 M faces: 7 wide levels); beyond it
/// every cut is at the median, so that no input makes a deep tree.
const MEDIAN_FROM_LEVEL: usize = 24;

/// Nodes, leaves and the frame they are stored in.
pub(super) struct BuiltTree {
    pub(super) root: WideNode,
    pub(super) nodes: Vec<WideNode>,
    pub(super) leaves: Vec<WideLeaf>,
    pub(super) frame: TreeFrame,
}

/// A wide node before its boxes are fitted.
struct NodePlan {
    /// Faces below each child, in the builder's order.
    ranges: [Range<u32>; WIDTH],
    child: [u32; WIDTH],
}

pub(super) fn build(mesh: &TriMesh, boxes: BoxKind) -> BuiltTree {
    let mut frame = TreeFrame::of(mesh);
    if mesh.is_empty() {
        return BuiltTree {
            root: WideNode::EMPTY,
            nodes: Vec::new(),
            leaves: Vec::new(),
            frame,
        };
    }
    let local = local_positions(mesh, &frame);
    let (plans, leaf_ranges, items) = {
        let mut cells = cells(mesh, &local);
        let (plans, leaf_ranges) = plan(&mut cells);
        let items: Vec<SplitItem> = cells.iter().map(SplitCell::item).collect();
        (plans, leaf_ranges, items)
    };
    let faces = mesh.faces();
    let corners = |item: &SplitItem| faces[item.face as usize].map(|v| local[v as usize]);
    let slack = frame.slack;
    let level = Level::detect();
    let fit_range = |range: &Range<u32>, scratch: &mut FitScratch| {
        let items = &items[range.start as usize..range.end as usize];
        fit(
            items.len(),
            &|i: usize| corners(&items[i]),
            slack,
            level,
            scratch,
        )
    };
    let fill_node = |scratch: &mut FitScratch, plan: &NodePlan| {
        let mut node = WideNode::EMPTY;
        let mut reach = 0.0_f64;
        for k in 0..WIDTH {
            if plan.child[k] != NO_CHILD {
                let fitted = fit_range(&plan.ranges[k], scratch);
                fitted.store(&mut node, k, plan.child[k]);
                reach = reach.max(fitted.reach());
            }
        }
        (node, reach)
    };
    let fill_leaf = |range: &Range<u32>| {
        let items = &items[range.start as usize..range.end as usize];
        leaf(items, items.iter().map(corners), slack)
    };
    let fill_leaves = || -> Vec<WideLeaf> {
        #[cfg(feature = "parallel")]
        return leaf_ranges.par_iter().map(fill_leaf).collect();
        #[cfg(not(feature = "parallel"))]
        return leaf_ranges.iter().map(fill_leaf).collect();
    };
    let fill_oriented = || -> (Vec<(WideNode, f64)>, FittedObb) {
        let fit_whole = || fit_range(&(0..items.len() as u32), &mut FitScratch::default());
        #[cfg(feature = "parallel")]
        return rayon::join(
            || {
                plans
                    .par_iter()
                    .map_init(FitScratch::default, fill_node)
                    .collect()
            },
            fit_whole,
        );
        #[cfg(not(feature = "parallel"))]
        {
            let mut scratch = FitScratch::default();
            let fill = |plan| fill_node(&mut scratch, plan);
            (plans.iter().map(fill).collect(), fit_whole())
        }
    };
    let ((nodes, whole), leaves) = match boxes {
        #[cfg(feature = "parallel")]
        BoxKind::Oriented => rayon::join(fill_oriented, fill_leaves),
        #[cfg(not(feature = "parallel"))]
        BoxKind::Oriented => (fill_oriented(), fill_leaves()),
        BoxKind::AxisAligned => {
            let leaves = fill_leaves();
            (upright(&plans, &leaves, slack), leaves)
        }
    };
    let mut root = WideNode::EMPTY;
    whole.store(&mut root, 0, 0);
    frame.radius = nodes
        .iter()
        .fold(whole.reach(), |r: f64, n: &(WideNode, f64)| r.max(n.1));
    let nodes = nodes.into_iter().map(|(node, _)| node).collect();
    BuiltTree {
        root,
        nodes,
        leaves,
        frame,
    }
}

/// Boxes along the coordinate axes, each the union of those below it; and the box of everything.
fn upright(
    plans: &[NodePlan],
    leaves: &[WideLeaf],
    slack: f64,
) -> (Vec<(WideNode, f64)>, FittedObb) {
    let mut nodes = vec![(WideNode::EMPTY, 0.0_f64); plans.len()];
    let mut extents = vec![(DVec3::ZERO, DVec3::ZERO); plans.len()];
    // Nodes come before those below them.
    for (i, plan) in plans.iter().enumerate().rev() {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (node, reach) = &mut nodes[i];
        for k in 0..WIDTH {
            let child = plan.child[k];
            if child == NO_CHILD {
                continue;
            }
            let (min, max) = if child & LEAF == 0 {
                extents[child as usize]
            } else {
                let leaf = &leaves[(child & !LEAF) as usize];
                let half = DVec3::from(leaf.half.map(f64::from));
                (leaf.origin - half, leaf.origin + half)
            };
            let fitted = fit_upright(min, max, slack);
            fitted.store(node, k, child);
            *reach = reach.max(fitted.reach());
            low = low.min(min);
            high = high.max(max);
        }
        extents[i] = (low, high);
    }
    let (low, high) = extents.first().copied().unwrap_or_default();
    (nodes, fit_upright(low, high, slack))
}

/// The vertices in the frame.
fn local_positions(mesh: &TriMesh, frame: &TreeFrame) -> Vec<DVec3> {
    let positions = mesh.positions();
    #[cfg(feature = "parallel")]
    return positions.par_iter().map(|&p| frame.local(p)).collect();
    #[cfg(not(feature = "parallel"))]
    return positions.iter().map(|&p| frame.local(p)).collect();
}

fn cells(mesh: &TriMesh, local: &[DVec3]) -> Vec<SplitCell> {
    let faces = mesh.faces();
    let cell = |face: usize| {
        let [p, q, r] = faces[face].map(|v| local[v as usize].as_vec3());
        SplitCell::new(p.min(q).min(r), p.max(q).max(r), face as u32)
    };
    #[cfg(feature = "parallel")]
    return (0..faces.len()).into_par_iter().map(cell).collect();
    #[cfg(not(feature = "parallel"))]
    return (0..faces.len()).map(cell).collect();
}

/// One node's worth of cutting: up to eight ranges, the largest by area cut first.
fn cut(
    cells: &mut [SplitCell],
    set: &SplitSet,
    level: usize,
) -> ([Range<usize>; WIDTH], [SplitSet; WIDTH], usize) {
    let mut ranges: [Range<usize>; WIDTH] = std::array::from_fn(|_| 0..0);
    let mut sets = [*set; WIDTH];
    ranges[0] = 0..cells.len();
    let mut count = 1;
    while count < WIDTH {
        // The largest that is not a leaf yet; an area of zero must still be cut.
        let mut chosen = None;
        for k in 0..count {
            let is_larger = |c: usize| sets[k].area > sets[c].area;
            if ranges[k].len() > WIDTH && chosen.is_none_or(is_larger) {
                chosen = Some(k);
            }
        }
        let Some(k) = chosen else { break };
        let Range { start, end } = ranges[k];
        let part = &mut cells[start..end];
        let (middle, [left, right]) = if level < MEDIAN_FROM_LEVEL {
            split(part, &sets[k], WIDTH)
        } else {
            halves(part)
        };
        ranges[k] = start..start + middle;
        ranges[count] = start + middle..end;
        sets[k] = left;
        sets[count] = right;
        count += 1;
    }
    (ranges, sets, count)
}

/// The shape of the tree, level by level; the items of one level are cut side by side.
fn plan(cells: &mut [SplitCell]) -> (Vec<NodePlan>, Vec<Range<u32>>) {
    let mut plans: Vec<NodePlan> = Vec::new();
    let mut leaves = Vec::new();
    // Ranges that become nodes, in order of position, so that they can be borrowed apart.
    let mut level_ranges = vec![(0..cells.len(), SplitSet::of(cells))];
    let mut level = 0;
    while !level_ranges.is_empty() {
        let mut rest = &mut *cells;
        let mut offset = 0;
        let mut parts = Vec::with_capacity(level_ranges.len());
        for (range, set) in &level_ranges {
            let (_, tail) = rest.split_at_mut(range.start - offset);
            let (part, tail) = tail.split_at_mut(range.len());
            parts.push((range.start, part, set));
            rest = tail;
            offset = range.end;
        }
        #[cfg(feature = "parallel")]
        let cuts: Vec<_> = parts
            .into_par_iter()
            .map(|(start, part, set)| (start, cut(part, set, level)))
            .collect();
        #[cfg(not(feature = "parallel"))]
        let cuts: Vec<_> = parts
            .into_iter()
            .map(|(start, part, set)| (start, cut(part, set, level)))
            .collect();
        let mut next = Vec::new();
        let first_below = plans.len() as u32 + cuts.len() as u32;
        for (start, (ranges, sets, count)) in cuts {
            let mut order: [usize; WIDTH] = std::array::from_fn(|k| k);
            order[..count].sort_unstable_by_key(|&k| ranges[k].start);
            let mut plan = NodePlan {
                ranges: std::array::from_fn(|_| 0..0),
                child: [NO_CHILD; WIDTH],
            };
            for (k, &at) in order[..count].iter().enumerate() {
                let range = &ranges[at];
                let range = start + range.start..start + range.end;
                plan.ranges[k] = range.start as u32..range.end as u32;
                if range.len() <= WIDTH {
                    plan.child[k] = leaves.len() as u32 | LEAF;
                    leaves.push(plan.ranges[k].clone());
                } else {
                    plan.child[k] = first_below + next.len() as u32;
                    next.push((range, sets[at]));
                }
            }
            plans.push(plan);
        }
        level_ranges = next;
        level += 1;
    }
    (plans, leaves)
}

pub(super) fn leaf(
    items: &[SplitItem],
    faces: impl Iterator<Item = [DVec3; 3]> + Clone,
    slack: f64,
) -> WideLeaf {
    let (mut min, mut max, mut normal) = (DVec3::INFINITY, DVec3::NEG_INFINITY, DVec3::ZERO);
    for face in faces.clone() {
        for p in face {
            min = min.min(p);
            max = max.max(p);
        }
        normal += (face[1] - face[0]).cross(face[2] - face[0]);
    }
    let origin = (min + max) * 0.5;
    let reach = (max - origin).max(origin - min) * (1.0 + 4.0 * f64::from(U)) + slack;
    let length = normal.length();
    let normal = if length > 0.0 {
        normal / length
    } else {
        DVec3::X
    };
    let normal = normal.to_array().map(|x| x as f32);
    let stored = DVec3::from(normal.map(f64::from));
    let mut leaf = WideLeaf {
        corner: [[[f32::NAN; WIDTH]; 3]; 3],
        face: [u32::MAX; WIDTH],
        origin,
        half: reach.to_array().map(outward_rounding::up),
        diameter: outward_rounding::up(2.0 * reach.length()),
        normal,
        slab: [0.0; 2],
        count: items.len() as u32,
    };
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (k, (item, face)) in items.iter().zip(faces).enumerate() {
        leaf.face[k] = item.face;
        for (v, p) in face.into_iter().enumerate() {
            let local = p - origin;
            let along = stored.dot(local);
            low = low.min(along);
            high = high.max(along);
            for c in 0..3 {
                leaf.corner[v][c][k] = local[c] as f32;
            }
        }
    }
    let spare = f64::from(leaf.diameter) * 1e-9 + 2.0 * slack;
    leaf.slab = [
        outward_rounding::down(low - spare),
        outward_rounding::up(high + spare),
    ];
    leaf
}

impl TreeFrame {
    /// The frame of a mesh: its box's centre, and the power of two that brings it to unit size.
    pub(super) fn of(mesh: &TriMesh) -> Self {
        let bounds = mesh.bounds();
        if mesh.is_empty() {
            return Self {
                center: DVec3::ZERO,
                exponent: 0,
                radius: 0.0,
                slack: 0.0,
            };
        }
        let center = bounds.min * 0.5 + bounds.max * 0.5;
        let reach = (bounds.max - center).max(center - bounds.min).max_element();
        let exponent = if reach > 0.0 {
            // The exponent field, corrected for subnormal numbers by the clamp.
            ((reach.to_bits() >> 52) as i32 - 1022).clamp(-900, 900)
        } else {
            0
        };
        let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
        Self {
            center,
            exponent,
            radius: 0.0,
            slack: 2.0 * f64::EPSILON * (largest * exp2(-exponent) + 1.0),
        }
    }

    /// A point in the frame.
    #[inline(always)]
    pub(super) fn local(&self, p: DVec3) -> DVec3 {
        (p - self.center) * exp2(-self.exponent)
    }
}
