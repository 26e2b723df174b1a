//! Proven bounds on the distance of two clouds.
//!
//! Accepted zeros are within the overhang of the convex hull of their points. If the points of both
//! clouds are farther apart along a direction than both overhangs, so are the surfaces. The
//! directions tried are the axes of both boxes, and that between the nearest points of the clouds.
//! The distance of two points is an upper bound for surfaces that pass through them.

use glam::DVec3;

use super::node::{CloudTree, HierarchyNode, vector};
use super::relative_pose::RelativePose;

/// The highest point is found to this fraction of the sampling radius.
const ROOM: f64 = 0.01;
/// Nodes that are looked into for it; boxes bound the rest.
const MOST_NODES: usize = 200;
/// Each level halves the points, and leaves one node open.
const STACK: usize = 64;
/// What rotations may deviate from one, as a part of the size of what is placed, with room.
const ROTATION_SLACK: f64 = 1e-8;
/// What sums of coordinates may be off.
const ROUNDING_SLACK: f64 = 1e-14;

/// Bounds on the distance of two surfaces, in the units of the clouds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DistanceBounds {
    pub(super) lower: f64,
    pub(super) upper: f64,
}

/// The largest gap between the boxes of two clouds along an axis of either; negative when there is none, and infinite for an empty cloud.
pub(super) fn box_gap(a: &CloudTree, b: &CloudTree, placement: &RelativePose) -> f64 {
    let (Some(root_a), Some(root_b)) = (a.nodes.first(), b.nodes.first()) else {
        return f64::INFINITY;
    };
    // Boxes alone: the planes of coarse nodes are no bounds for what hangs over.
    let mut boxes = (RelativePose::of_a(root_a), placement.of_b(root_b));
    boxes.0.thickness = f64::INFINITY;
    boxes.1.thickness = f64::INFINITY;
    placement.gap(&boxes.0, &boxes.1) * a.unit
}

/// What is proven; `place` is where the surfaces seem to come nearest, and no two points that were `seen` are farther apart than that.
pub(super) fn distance_bounds(
    a: &CloudTree,
    b: &CloudTree,
    placement: &RelativePose,
    place: Option<DVec3>,
    seen: f64,
) -> DistanceBounds {
    if a.nodes.is_empty() || b.nodes.is_empty() {
        return DistanceBounds {
            lower: f64::INFINITY,
            upper: f64::INFINITY,
        };
    }
    let centre_b = placement.a_from_b * b.centre;
    let apart = centre_b - a.centre;
    let coordinates = a.centre.abs() + b.centre.abs() + placement.a_from_b.translation().abs();
    let slack = ROTATION_SLACK * (a.unit + b.unit + apart.length())
        + ROUNDING_SLACK * coordinates.max_element();
    let points = place.and_then(|x| {
        let near_a = a.surface.graph.tree().nearest(x)?;
        let near_b = b.surface.graph.tree().nearest(placement.b_from_a * x)?;
        let q = placement.a_from_b * b.place(near_b.point.raw());
        Some(q - a.place(near_a.point.raw()))
    });
    let along = points.and_then(DVec3::try_normalize);
    let mut gap = box_gap(a, b, placement);
    if let Some(u) = along.or_else(|| apart.try_normalize()) {
        let back = -(placement.a_from_b.rotation().transpose() * u);
        let between = u.dot(apart) - a.unit * a.highest(u) - b.unit * b.highest(back);
        gap = gap.max(between);
    }
    let found = points.map_or(f64::INFINITY, DVec3::length);
    DistanceBounds {
        // What is not a number becomes 0.
        lower: (gap - a.overhang - b.overhang - slack).max(0.0),
        upper: found.min(seen) + slack,
    }
}

impl CloudTree {
    /// A height in a direction that no point exceeds, from the middle of the tree in its units: that of the highest point, or little more.
    fn highest(&self, direction: DVec3) -> f64 {
        let most = |node: &HierarchyNode| {
            let corner = (vector(node.min) * direction).max(vector(node.max) * direction);
            corner.x + corner.y + corner.z
        };
        let room = ROOM * self.sampling_radius * self.per_unit;
        let (mut highest, mut left_out) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        let mut open = [0_u32; STACK];
        let (mut count, mut visits) = (1, MOST_NODES);
        while count > 0 {
            count -= 1;
            let node = &self.nodes[open[count] as usize];
            let bound = most(node);
            if bound <= highest.max(left_out) {
                continue;
            }
            if visits == 0 || count + 2 > STACK || bound <= highest + room {
                left_out = left_out.max(bound);
                continue;
            }
            visits -= 1;
            if node.is_leaf() {
                for &id in self.samples(node) {
                    highest = highest.max(direction.dot(self.to_units(self.place(id))));
                }
                continue;
            }
            // The better one is on top.
            let mut next = [node.low, node.low + 1];
            let bounds = next.map(|number| most(&self.nodes[number as usize]));
            if bounds[0] > bounds[1] {
                next.swap(0, 1);
            }
            open[count..count + 2].copy_from_slice(&next);
            count += 2;
        }
        highest.max(left_out)
    }
}
