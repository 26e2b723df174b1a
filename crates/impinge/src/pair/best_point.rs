//! The point of a cloud that minimises some measure, by bounds at the middles of boxes.
//!
//! **Question.** Which point of a cloud is nearest to a shape, or deepest in it?
//! **Idea.** A distance changes by no more than the point moves. So no point of a box is nearer
//! than the middle of the box by more than half its diagonal, and one measurement there is a
//! tighter bound than a box around the shape.
//! **Cost.** Some dozens of measurements for a shape that is apart from the cloud; for one that
//! touches it everywhere, one per point.
//! **Promise.** The best point, up to the rounding of the measure; on a tie the first in the order
//! of the tree, which is deterministic.

use glam::DVec3;

use super::best_pair::SearchEnd;
use super::item_bvh::{DescentEnd, WorkMeter};
use crate::bound::Aabb;
use crate::cloud::KdTree;
use crate::math::ROTATION_TOLERANCE;

/// A pose is a rotation within a tolerance: it may stretch this much.
pub(super) const STRETCH: f64 = 1.0 + 4.0 * ROTATION_TOLERANCE;

/// Something that changes by no more than one moves.
pub(super) trait PointMeasure {
    /// No less than this, rounding included, is measured at a place; anything above `interest` may be called infinite.
    fn at_least(&mut self, place: DVec3, interest: f64) -> f64;
    /// No less than this is measured anywhere in a box: at its middle, less half its diagonal, unless more is known.
    fn box_at_least(&mut self, bounds: &Aabb, interest: f64) -> f64 {
        let (middle, radius) = middle_and_radius(bounds);
        self.at_least(middle, interest + radius) - radius
    }
    /// Measures a point. Gives back what others must not exceed to be of interest.
    fn visit(&mut self, point: u32) -> f64;
}

/// The middle of a box, and how far its corners are from there.
pub(super) fn middle_and_radius(bounds: &Aabb) -> (DVec3, f64) {
    let middle = bounds.center();
    let rounding = 4.0 * f64::EPSILON * middle.abs().max_element();
    (middle, bounds.half_extent().length() * STRETCH + rounding)
}

/// Visits points until no others can be within what the last visit gave back.
pub(super) fn best_point(
    tree: &KdTree,
    interest: f64,
    meter: &mut WorkMeter<'_>,
    measure: &mut dyn PointMeasure,
) -> SearchEnd {
    let mut open = std::mem::take(&mut meter.stacks.points);
    open.clear();
    let searched = descend(tree, interest, meter, &mut open, measure);
    meter.stacks.points = open;
    searched
}

fn descend(
    tree: &KdTree,
    interest: f64,
    meter: &mut WorkMeter<'_>,
    open: &mut Vec<(f64, u32)>,
    measure: &mut dyn PointMeasure,
) -> SearchEnd {
    let mut searched = SearchEnd {
        ended: DescentEnd::Complete,
        unexplored: f64::INFINITY,
    };
    let mut best = interest;
    open.extend(tree.top().map(|top| (f64::NEG_INFINITY, top)));
    while let Some((at_least, node)) = open.pop() {
        if at_least > best {
            continue;
        }
        let mut is_allowed = meter.volume();
        if let Some(halves) = tree.halves(node).filter(|_| is_allowed) {
            let [low, high] = halves.map(|half| {
                let here = measure.box_at_least(&tree.node_bounds(half), best);
                (at_least.max(here), half)
            });
            open.extend(if low.0 <= high.0 {
                [high, low]
            } else {
                [low, high]
            });
            continue;
        }
        if is_allowed {
            for (point, _) in tree.points_of(node) {
                is_allowed = meter.face();
                if !is_allowed {
                    break;
                }
                best = best.min(measure.visit(point));
            }
        }
        if !is_allowed {
            searched.ended = DescentEnd::OutOfBudget;
            searched.unexplored = open.iter().fold(at_least, |m, &(l, _)| m.min(l));
            return searched;
        }
    }
    searched
}
