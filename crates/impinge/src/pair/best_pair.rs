//! Best-first search over two hierarchies of boxes for the pair of parts with the best value.
//!
//! **Idea.** The measure of two parts is never below a bound known from the boxes around them.
//! Boxes that cannot beat the best pair found are skipped; the most promising come first.

use super::item_bvh::{DescentEnd, ItemHierarchy, ItemNode, OpenPair, WorkMeter, descends_a};
use crate::bound::Aabb;
use crate::math::Pose;
use crate::math::sort::sort_few;

/// A distance between boxes is multiplied by this, for its rounding.
const BELOW: f64 = 1.0 - 8.0 * f64::EPSILON;

/// How a search ended, and what was not examined.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchEnd {
    pub(super) ended: DescentEnd,
    /// Nothing that was not visited is better than this.
    pub(super) unexplored: f64,
}

/// No points of the two boxes are nearer than this.
pub(super) fn box_gap(a: &Aabb, b: &Aabb) -> f64 {
    a.distance_sq_to(b).sqrt() * BELOW
}

/// Calls `visit` for two parts, until no others can be below what it returned last; it gets the bound of their boxes and returns the
/// best measure so far.
pub(super) fn best_pair<A: ItemHierarchy + ?Sized, B: ItemHierarchy + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    best: f64,
    meter: &mut WorkMeter<'_>,
    bound: &dyn Fn(&Aabb, &Aabb) -> f64,
    visit: &mut dyn FnMut(u32, u32) -> f64,
) -> SearchEnd {
    let mut searched = SearchEnd {
        ended: DescentEnd::Complete,
        unexplored: f64::INFINITY,
    };
    let (Some(root_a), Some(root_b)) = (a.root(), b.root()) else {
        return searched;
    };
    let mut best = best;
    let mut open = std::mem::take(&mut meter.stacks.best);
    open.clear();
    let (box_a, box_b) = (a.bounds(root_a), b.placed(root_b, a_from_b));
    open.push(OpenPair {
        at_least: bound(&box_a, &box_b),
        a: (root_a, box_a),
        b: (root_b, box_b),
    });
    while let Some(next) = open.pop() {
        if next.at_least > best {
            continue;
        }
        let is_pair = matches!((next.a.0, next.b.0), (ItemNode::Part(_), ItemNode::Part(_)));
        let is_allowed = if is_pair {
            meter.face()
        } else {
            meter.volume()
        };
        if !is_allowed {
            searched.ended = DescentEnd::OutOfBudget;
            searched.unexplored = open.iter().fold(next.at_least, |m, o| m.min(o.at_least));
            break;
        }
        if let (ItemNode::Part(part_a), ItemNode::Part(part_b)) = (next.a.0, next.b.0) {
            best = best.min(visit(part_a, part_b));
            continue;
        }
        let bottom = open.len();
        if descends_a(next.a.0, &next.a.1, next.b.0, &next.b.1) {
            for &child in a.below(next.a.0).as_slice() {
                let bounds = a.bounds(child);
                open.push(OpenPair {
                    at_least: bound(&bounds, &next.b.1).max(next.at_least),
                    a: (child, bounds),
                    b: next.b,
                });
            }
        } else {
            for &child in b.below(next.b.0).as_slice() {
                let bounds = b.placed(child, a_from_b);
                open.push(OpenPair {
                    at_least: bound(&next.a.1, &bounds).max(next.at_least),
                    a: next.a,
                    b: (child, bounds),
                });
            }
        }
        sort_few(&mut open[bottom..], |p, q| {
            q.at_least.total_cmp(&p.at_least)
        });
    }
    meter.stacks.best = open;
    searched
}

/// Calls `visit` for parts of one hierarchy as [`best_pair`] does for two.
pub(super) fn best_piece<A: ItemHierarchy + ?Sized>(
    a: &A,
    best: f64,
    meter: &mut WorkMeter<'_>,
    bound: &dyn Fn(&Aabb) -> f64,
    visit: &mut dyn FnMut(u32) -> f64,
) -> SearchEnd {
    let mut searched = SearchEnd {
        ended: DescentEnd::Complete,
        unexplored: f64::INFINITY,
    };
    let Some(root) = a.root() else {
        return searched;
    };
    let mut best = best;
    let mut open = std::mem::take(&mut meter.stacks.nodes);
    open.clear();
    open.push((bound(&a.bounds(root)), root));
    while let Some((at_least, node)) = open.pop() {
        if at_least > best {
            continue;
        }
        let is_allowed = match node {
            ItemNode::Part(_) => meter.face(),
            _ => meter.volume(),
        };
        if !is_allowed {
            searched.ended = DescentEnd::OutOfBudget;
            searched.unexplored = open.iter().fold(at_least, |m, &(l, _)| m.min(l));
            break;
        }
        if let ItemNode::Part(part) = node {
            best = best.min(visit(part));
            continue;
        }
        let bottom = open.len();
        for &child in a.below(node).as_slice() {
            open.push((bound(&a.bounds(child)).max(at_least), child));
        }
        sort_few(&mut open[bottom..], |p, q| q.0.total_cmp(&p.0));
    }
    meter.stacks.nodes = open;
    searched
}
