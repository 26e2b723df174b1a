//! Inspection of a tree: its leaves, and which leaf pairs of two trees overlap.

use glam::DVec3;

use super::node_view::{NodeBox, NodeView};
use super::tree::WideTree;
use crate::math::Pose;
use crate::query::FaceId;

/// What computed projections of boxes may be off by, as part of their reach; stored axes are rounded to `f32`.
const SKEW: f64 = 1e-6;

/// A leaf: a few faces and the oriented box around them.
#[derive(Clone, Debug, PartialEq)]
pub struct LeafBox {
    /// The corners of the box in the mesh's frame: bit `k` of a corner's number says on which side of axis `k` it lies.
    pub corners: [DVec3; 8],
    /// The faces inside.
    pub faces: Vec<FaceId>,
}

impl LeafBox {
    /// The twelve edges of the box, as numbers of corners.
    pub const EDGES: [[usize; 2]; 12] = [
        [0, 1],
        [2, 3],
        [4, 5],
        [6, 7],
        [0, 2],
        [1, 3],
        [4, 6],
        [5, 7],
        [0, 4],
        [1, 5],
        [2, 6],
        [3, 7],
    ];
}

impl WideTree {
    /// Every leaf, in an order of the tree's own that does not change.
    ///
    /// ```
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::icosphere;
    /// use std::sync::Arc;
    /// let leaves = WideTree::new(Arc::new(icosphere(1.0, 4)?)).leaf_boxes();
    /// assert_eq!(leaves.iter().map(|leaf| leaf.faces.len()).sum::<usize>(), 320);
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn leaf_boxes(&self) -> Vec<LeafBox> {
        let mut boxes = vec![None; self.leaves.len()];
        let mut stack: Vec<NodeView> = self.whole().into_iter().collect();
        while let Some(part) = stack.pop() {
            if let Some(slot) = part.leaf_number().and_then(|leaf| boxes.get_mut(leaf)) {
                *slot = Some(LeafBox {
                    corners: part.bounds.corners(),
                    faces: self
                        .faces_of(&part)
                        .iter()
                        .map(|&f| FaceId::new(f))
                        .collect(),
                });
            }
            stack.extend(self.parts(&part));
        }
        boxes.into_iter().flatten().collect()
    }

    /// For each leaf of both trees, as [`WideTree::leaf_boxes`] lists them, whether its box meets one of the other tree:
    /// the faces of those leaves are the ones that no box keeps apart.
    ///
    /// ```
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::{Pose, generate::icosphere};
    /// use std::sync::Arc;
    /// let ball = WideTree::new(Arc::new(icosphere(1.0, 8)?));
    /// let beside = Pose::from_translation([1.9, 0.0, 0.0])?;
    /// let [near, _] = ball.meeting_leaves(&ball, &beside);
    /// let count = near.iter().filter(|&&meets| meets).count();
    /// assert!(count > 0 && 3 * count < near.len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn meeting_leaves(&self, other: &Self, self_from_other: &Pose) -> [Vec<bool>; 2] {
        let mut meets = [
            vec![false; self.leaves.len()],
            vec![false; other.leaves.len()],
        ];
        let (Some(a), Some(b)) = (self.whole(), other.whole()) else {
            return meets;
        };
        let mut stack = vec![(a, b.placed(self_from_other))];
        while let Some((a, b)) = stack.pop() {
            if !meet(&a.bounds, &b.bounds) {
                continue;
            }
            match (a.leaf_number(), b.leaf_number()) {
                (Some(leaf_a), Some(leaf_b)) => {
                    for (side, leaf) in meets.iter_mut().zip([leaf_a, leaf_b]) {
                        if let Some(mark) = side.get_mut(leaf) {
                            *mark = true;
                        }
                    }
                }
                (leaf_a, leaf_b) => {
                    let larger = a.bounds.outer_radius() >= b.bounds.outer_radius();
                    if leaf_a.is_none() && (larger || leaf_b.is_some()) {
                        stack.extend(self.parts(&a).map(|part| (part, b)));
                    } else {
                        let placed = other.parts(&b).map(|part| part.placed(self_from_other));
                        stack.extend(placed.map(|part| (a, part)));
                    }
                }
            }
        }
        meets
    }
}

/// Whether two boxes in one frame meet; boxes within rounding of that count.
fn meet(a: &NodeBox, b: &NodeBox) -> bool {
    let between = b.center - a.center;
    let crossed = (0..9).map(|k| a.axes[k / 3].cross(b.axes[k % 3]));
    a.axes
        .into_iter()
        .chain(b.axes)
        .chain(crossed)
        // Axes that are nearly parallel have a cross product of nothing but rounding.
        .filter(|n| n.length_squared() > 1e-8)
        .all(|n| between.dot(n).abs() <= (a.radius(n) + b.radius(n)) * (1.0 + SKEW))
}
