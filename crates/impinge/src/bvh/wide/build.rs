//! From a mesh to its tree.

use std::ops::Range;

use glam::DVec3;

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::fit::fit;
use super::layout::{LEAF, Leaf, NO_CHILD, Node, WIDTH};
use super::relative::{U, exp2};
use super::split::{Item, extent, split};
use super::tree::Frame;
use crate::math::round;
use crate::mesh::TriMesh;
use crate::query::FaceId;

/// Deeper than any tree the heuristic makes of real meshes (1 M faces: 7 wide levels); beyond it
/// every cut is at the median, so that no input makes a deep tree.
const MEDIAN_FROM_LEVEL: usize = 24;

/// Nodes, leaves and the frame they are stored in.
pub(super) struct Built {
    pub(super) root: Node,
    pub(super) nodes: Vec<Node>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) frame: Frame,
}

/// A wide node before its boxes are fitted.
struct Plan {
    /// Faces below each child, in the builder's order.
    ranges: [Range<u32>; WIDTH],
    child: [u32; WIDTH],
}

pub(super) fn build(mesh: &TriMesh) -> Built {
    let mut frame = Frame::of(mesh);
    if mesh.is_empty() {
        return Built {
            root: Node::EMPTY,
            nodes: Vec::new(),
            leaves: Vec::new(),
            frame,
        };
    }
    let mut items = items(mesh, &frame);
    let (plans, leaf_ranges) = plan(&mut items);
    let face_of = |range: &Range<u32>| {
        let items = &items[range.start as usize..range.end as usize];
        items.iter().map(|item| {
            mesh.triangle(FaceId::new(item.face))
                .map(|p| frame.local(p))
        })
    };
    let fill_node = |plan: &Plan| {
        let mut node = Node::EMPTY;
        let mut reach = 0.0_f64;
        for k in 0..WIDTH {
            if plan.child[k] != NO_CHILD {
                let fitted = fit(&face_of(&plan.ranges[k]), frame.slack);
                fitted.store(&mut node, k, plan.child[k]);
                reach = reach.max(fitted.reach());
            }
        }
        (node, reach)
    };
    let fill_leaf = |range: &Range<u32>| {
        let items = &items[range.start as usize..range.end as usize];
        leaf(items, face_of(range), frame.slack)
    };
    #[cfg(feature = "parallel")]
    let (nodes, leaves): (Vec<_>, Vec<_>) = rayon::join(
        || plans.par_iter().map(fill_node).collect(),
        || leaf_ranges.par_iter().map(fill_leaf).collect(),
    );
    #[cfg(not(feature = "parallel"))]
    let (nodes, leaves): (Vec<_>, Vec<_>) = (
        plans.iter().map(fill_node).collect(),
        leaf_ranges.iter().map(fill_leaf).collect(),
    );
    let mut root = Node::EMPTY;
    let whole = fit(&face_of(&(0..items.len() as u32)), frame.slack);
    whole.store(&mut root, 0, 0);
    frame.radius = nodes
        .iter()
        .fold(whole.reach(), |r: f64, n: &(Node, f64)| r.max(n.1));
    let nodes = nodes.into_iter().map(|(node, _)| node).collect();
    Built {
        root,
        nodes,
        leaves,
        frame,
    }
}

fn items(mesh: &TriMesh, frame: &Frame) -> Vec<Item> {
    let item = |face: u32| {
        let corners = mesh
            .triangle(FaceId::new(face))
            .map(|p| frame.local(p).as_vec3());
        Item {
            min: corners[0].min(corners[1]).min(corners[2]),
            face,
            max: corners[0].max(corners[1]).max(corners[2]),
        }
    };
    let count = mesh.face_count() as u32;
    #[cfg(feature = "parallel")]
    return (0..count).into_par_iter().map(item).collect();
    #[cfg(not(feature = "parallel"))]
    return (0..count).map(item).collect();
}

/// One node's worth of cutting: up to eight ranges, the largest by area cut first.
fn cut(items: &mut [Item], level: usize) -> ([Range<usize>; WIDTH], usize) {
    let mut ranges: [Range<usize>; WIDTH] = std::array::from_fn(|_| 0..0);
    let mut areas = [0.0_f32; WIDTH];
    ranges[0] = 0..items.len();
    areas[0] = f32::INFINITY;
    let mut count = 1;
    while count < WIDTH {
        // The largest that is not a leaf yet; an area of zero must still be cut.
        let mut chosen = None;
        for k in 0..count {
            if ranges[k].len() > WIDTH && chosen.is_none_or(|c: usize| areas[k] > areas[c]) {
                chosen = Some(k);
            }
        }
        let Some(k) = chosen else { break };
        let Range { start, end } = ranges[k];
        let part = &mut items[start..end];
        let middle = if level < MEDIAN_FROM_LEVEL {
            split(part, WIDTH)
        } else {
            part.len() / 2
        };
        ranges[k] = start..start + middle;
        ranges[count] = start + middle..end;
        areas[k] = extent(&items[start..start + middle]).area();
        areas[count] = extent(&items[start + middle..end]).area();
        count += 1;
    }
    (ranges, count)
}

/// The shape of the tree, level by level; the items of one level are cut side by side.
fn plan(items: &mut [Item]) -> (Vec<Plan>, Vec<Range<u32>>) {
    let mut plans: Vec<Plan> = Vec::new();
    let mut leaves = Vec::new();
    // Ranges that become nodes, in order of position, so that they can be borrowed apart.
    let whole = 0..items.len();
    let mut level_ranges = vec![whole];
    let mut level = 0;
    while !level_ranges.is_empty() {
        let mut rest = &mut *items;
        let mut offset = 0;
        let mut parts = Vec::with_capacity(level_ranges.len());
        for range in &level_ranges {
            let (_, tail) = rest.split_at_mut(range.start - offset);
            let (part, tail) = tail.split_at_mut(range.len());
            parts.push((range.start, part));
            rest = tail;
            offset = range.end;
        }
        #[cfg(feature = "parallel")]
        let cuts: Vec<_> = parts
            .into_par_iter()
            .map(|(start, part)| (start, cut(part, level)))
            .collect();
        #[cfg(not(feature = "parallel"))]
        let cuts: Vec<_> = parts
            .into_iter()
            .map(|(start, part)| (start, cut(part, level)))
            .collect();
        let mut next = Vec::new();
        let first_below = plans.len() as u32 + cuts.len() as u32;
        for (start, (mut ranges, count)) in cuts {
            ranges[..count].sort_unstable_by_key(|r| r.start);
            let mut plan = Plan {
                ranges: std::array::from_fn(|_| 0..0),
                child: [NO_CHILD; WIDTH],
            };
            for (k, range) in ranges[..count].iter().enumerate() {
                let range = start + range.start..start + range.end;
                plan.ranges[k] = range.start as u32..range.end as u32;
                if range.len() <= WIDTH {
                    plan.child[k] = leaves.len() as u32 | LEAF;
                    leaves.push(plan.ranges[k].clone());
                } else {
                    plan.child[k] = first_below + next.len() as u32;
                    next.push(range);
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
    items: &[Item],
    faces: impl Iterator<Item = [DVec3; 3]> + Clone,
    slack: f64,
) -> Leaf {
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
    let mut leaf = Leaf {
        corner: [[[f32::NAN; WIDTH]; 3]; 3],
        face: [u32::MAX; WIDTH],
        origin,
        half: reach.to_array().map(round::up),
        diameter: round::up(2.0 * reach.length()),
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
    leaf.slab = [round::down(low - spare), round::up(high + spare)];
    leaf
}

impl Frame {
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
