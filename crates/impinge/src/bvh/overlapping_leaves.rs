//! Which leaves of two box trees overlap.

use glam::DVec3;

use super::wide::LeafBox;
use crate::bound::Aabb;
use crate::math::Pose;

/// What computed projections of corners may be off by, as part of their reach.
const ROUNDING: f64 = 1e-6;

/// For each leaf of both lists whether its box meets one of the other list; boxes within rounding of that count.
///
/// ```
/// use impinge::bvh::{overlapping_boxes, wide::WideTree};
/// use impinge::{Pose, generate::icosphere};
/// use std::sync::Arc;
/// let leaves = WideTree::new(Arc::new(icosphere(1.0, 8)?)).leaf_boxes();
/// let [near, _] = overlapping_boxes(&leaves, &leaves, &Pose::from_translation([1.9, 0.0, 0.0])?);
/// let count = near.iter().filter(|&&meets| meets).count();
/// assert!(count > 0 && 3 * count < near.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn overlapping_boxes(a: &[LeafBox], b: &[LeafBox], a_from_b: &Pose) -> [Vec<bool>; 2] {
    let placed = |leaf: &LeafBox, pose: &Pose| leaf.corners.map(|p| pose.transform_point(p));
    let boxes_a: Vec<PlacedBox> = a
        .iter()
        .map(|leaf| PlacedBox::new(placed(leaf, &Pose::IDENTITY)))
        .collect();
    let boxes_b: Vec<PlacedBox> = b
        .iter()
        .map(|leaf| PlacedBox::new(placed(leaf, a_from_b)))
        .collect();
    let mut meets = [vec![false; a.len()], vec![false; b.len()]];
    // A sweep along x over both lists.
    let mut order: Vec<(f64, usize, usize)> = Vec::with_capacity(a.len() + b.len());
    for (side, boxes) in [&boxes_a, &boxes_b].into_iter().enumerate() {
        order.extend(
            boxes
                .iter()
                .enumerate()
                .map(|(k, b)| (b.bounds.min.x, side, k)),
        );
    }
    order.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then((p.1, p.2).cmp(&(q.1, q.2))));
    let mut open: [Vec<usize>; 2] = Default::default();
    for (from, side, k) in order {
        let (own, others) = if side == 0 {
            (&boxes_a, &boxes_b)
        } else {
            (&boxes_b, &boxes_a)
        };
        open[1 - side].retain(|&other| others[other].bounds.max.x >= from);
        for &other in &open[1 - side] {
            if (meets[side][k] && meets[1 - side][other]) || !own[k].meets(&others[other]) {
                continue;
            }
            meets[side][k] = true;
            meets[1 - side][other] = true;
        }
        open[side].push(k);
    }
    meets
}

/// A box of any orientation by its corners.
#[derive(Clone, Copy, Debug)]
struct PlacedBox {
    corners: [DVec3; 8],
    bounds: Aabb,
}

impl PlacedBox {
    fn new(corners: [DVec3; 8]) -> Self {
        let bounds = Aabb::enclosing(corners);
        Self {
            corners,
            bounds: bounds.inflated(ROUNDING * bounds.diagonal().length()),
        }
    }

    fn sides(&self) -> [DVec3; 3] {
        [1, 2, 4].map(|k| (self.corners[k] - self.corners[0]).normalize_or_zero())
    }

    fn along(&self, n: DVec3) -> [f64; 2] {
        let heights = self.corners.map(|p| p.dot(n));
        [
            heights.into_iter().fold(f64::INFINITY, f64::min),
            heights.into_iter().fold(f64::NEG_INFINITY, f64::max),
        ]
    }

    fn meets(&self, other: &Self) -> bool {
        if !self.bounds.overlaps(&other.bounds) {
            return false;
        }
        let (own, others) = (self.sides(), other.sides());
        let crossed = (0..9).map(|k| own[k / 3].cross(others[k % 3]));
        own.into_iter()
            .chain(others)
            .chain(crossed)
            .filter(|n| n.length_squared() > 1e-8)
            .all(|n| {
                let ([low_a, high_a], [low_b, high_b]) = (self.along(n), other.along(n));
                let room = ROUNDING * ((high_a - low_a) + (high_b - low_b));
                low_a <= high_b + room && low_b <= high_a + room
            })
    }
}
