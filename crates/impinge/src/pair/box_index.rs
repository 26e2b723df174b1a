//! Many boxes in a tree, to find those that one ray, point or box comes near.

use std::ops::ControlFlow;

use super::best_pair::best_piece;
use super::item_bvh::{BoxedParts, ItemBvh, ItemHierarchy, ItemNode, WorkMeter};
use super::placed_box::ROUNDING;
use crate::bound::Aabb;
use crate::geom::Ray;
use crate::query::Limits;

/// Boxes in a tree.
#[derive(Clone, Debug)]
pub(crate) struct BoxIndex {
    tree: ItemBvh,
    boxes: Vec<Aabb>,
}

impl BoxIndex {
    pub(crate) fn new(boxes: Vec<Aabb>) -> Self {
        Self {
            tree: ItemBvh::new(&boxes),
            boxes,
        }
    }

    /// Calls `visit` for boxes by number until no bound of another is below what it returned last; the most promising come first.
    pub(crate) fn best_first(
        &self,
        best: f64,
        bound: &dyn Fn(&Aabb) -> f64,
        visit: &mut dyn FnMut(u32) -> f64,
    ) {
        let mut meter = WorkMeter::new(Limits::default());
        best_piece(self, best, &mut meter, bound, visit);
    }

    /// Calls `visit` for all boxes that meet this one.
    pub(crate) fn meeting(&self, with: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        let mut open: Vec<ItemNode> = self.root().into_iter().collect();
        while let Some(node) = open.pop() {
            if !self.bounds(node).overlaps(with) {
                continue;
            }
            if let ItemNode::Part(number) = node {
                if visit(number).is_break() {
                    return;
                }
            } else {
                open.extend(self.below_near(node, with).as_slice().iter().rev());
            }
        }
    }
}

impl BoxedParts for BoxIndex {
    fn tree(&self) -> &ItemBvh {
        &self.tree
    }
    fn part_bounds(&self, part: u32) -> Aabb {
        let own = self.boxes.get(part as usize);
        own.copied().unwrap_or(Aabb::EMPTY)
    }
}

/// A parameter of the ray before which it meets nothing in the box, rounding included; infinite when it never does.
pub(crate) fn ray_enters(ray: &Ray, bounds: &Aabb) -> f64 {
    if bounds.is_empty() {
        return f64::INFINITY;
    }
    let (origin, direction) = (ray.origin(), ray.direction());
    let (mut from, mut to) = (0.0_f64, f64::INFINITY);
    for k in 0..3 {
        let (low, high) = (bounds.min[k], bounds.max[k]);
        let far = low.abs().max(high.abs()).max(origin[k].abs());
        let room = if far.is_finite() { ROUNDING * far } else { 0.0 };
        let (low, high) = (low - room - origin[k], high + room - origin[k]);
        let step = direction[k];
        if step == 0.0 {
            if low > 0.0 || high < 0.0 {
                return f64::INFINITY;
            }
            continue;
        }
        let (enter, leave) = if step > 0.0 { (low, high) } else { (high, low) };
        from = from.max(enter / step);
        to = to.min(leave / step);
    }
    // Each quotient is off by half a unit of rounding.
    if from * (1.0 - 4.0 * f64::EPSILON) > to * (1.0 + 4.0 * f64::EPSILON) {
        f64::INFINITY
    } else {
        from * (1.0 - 4.0 * f64::EPSILON)
    }
}
