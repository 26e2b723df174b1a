//! The children of two nodes, compared in four lanes at once.
//!
//! **Idea.** Four nodes are placed together: two of the first tree, two of the second. The four
//! pairs of them then fill four lanes of every step of the comparison.
//! **Promise.** The same operations in the same order as for a single pair, so the same numbers.

use glam::{Vec3, Vec4, Vec4Swizzles};

use super::node::{AverageNode, HALF_STEP, RANGE};
use super::relative_pose::{RelativePose, TURNED};

/// A placement, for the lanes (first, first, second, second).
#[derive(Clone, Copy, Debug)]
pub(super) struct LanePose {
    /// Rows of the turn into the frame of the other tree.
    turn: [[Vec4; 3]; 3],
    turn_abs: [[Vec4; 3]; 3],
    shift: [Vec4; 3],
    /// Of the own frame, in units of the first tree.
    own_shift: [Vec4; 3],
    unit: Vec4,
    inverse_unit: Vec4,
    margin: Vec4,
    per_depth: f32,
    per_cell: f32,
}

/// What is known of the pairs (0, 0), (0, 1), (1, 0), (1, 1) of children.
#[derive(Clone, Copy, Debug)]
pub(super) struct LanePairs {
    /// A bit for each pair whose boxes overlap.
    pub(super) overlapping: u32,
    /// Expected meetings.
    pub(super) expected: [f32; 4],
    /// Upper bounds on the overlap volume.
    pub(super) slabs: [f32; 4],
    /// From the first centre to the second, by axis.
    between: [Vec4; 3],
}

impl LanePairs {
    /// From the centre of the first box of a pair to that of the second.
    pub(super) fn between(&self, pair: usize) -> Vec3 {
        Vec3::from(self.between.map(|axis| axis[pair]))
    }
}

/// A number of the first tree's nodes, and one of the second's, in the lanes of pairs.
#[inline(always)]
fn paired(nodes: Vec4) -> (Vec4, Vec4) {
    (nodes.xxyy(), nodes.zwzw())
}

#[inline(always)]
fn product([x, y, z]: [Vec4; 3]) -> Vec4 {
    x * y * z
}

#[inline(always)]
fn turned(rows: &[[Vec4; 3]; 3], [x, y, z]: [Vec4; 3]) -> [Vec4; 3] {
    rows.map(|[p, q, r]| p * x + q * y + r * z)
}

impl LanePose {
    pub(super) fn new(relative: &RelativePose, per_depth: f32, per_cell: f32) -> Self {
        let row = |of_a: [Vec4; 3], of_b: [Vec4; 3], k: usize| {
            [0, 1, 2].map(|j| Vec4::new(of_a[j][k], of_a[j][k], of_b[j][k], of_b[j][k]))
        };
        let turn = [0, 1, 2].map(|k| row(relative.back, relative.scaled, k));
        let second = |v: Vec4| [0, 1, 2].map(|k| Vec4::new(0.0, 0.0, v[k], v[k]));
        let unit = |ratio: f32| Vec4::new(1.0, 1.0, ratio, ratio);
        Self {
            turn,
            turn_abs: turn.map(|row| row.map(Vec4::abs)),
            shift: second(relative.shift),
            own_shift: second(relative.shift_b),
            unit: unit(relative.ratio),
            inverse_unit: unit(relative.inverse_ratio),
            margin: Vec4::splat(relative.margin),
            per_depth,
            per_cell,
        }
    }

    /// Compares two nodes of the first tree with two of the second.
    #[inline(always)]
    pub(super) fn compare(&self, nodes: [&AverageNode; 4]) -> LanePairs {
        let sums = nodes.map(AverageNode::doubled_center);
        let sides = nodes.map(AverageNode::sides);
        let axis = |of: &[[f32; 3]; 4], k: usize| Vec4::from(of.map(|v| v[k])) * HALF_STEP;
        let center = [0, 1, 2].map(|k| axis(&sums, k) - RANGE);
        let half = [0, 1, 2].map(|k| axis(&sides, k));
        let other = turned(&self.turn, center);
        let other = [0, 1, 2].map(|k| other[k] + self.shift[k]);
        let own = [0, 1, 2].map(|k| center[k] * self.unit + self.own_shift[k]);
        let other_half = turned(&self.turn_abs, half);
        let own_half = half.map(|side| side * self.unit);

        let mut gap = Vec4::splat(f32::NEG_INFINITY);
        let (mut common_a, mut common_b) = ([Vec4::ZERO; 3], [Vec4::ZERO; 3]);
        let mut between = [Vec4::ZERO; 3];
        for k in 0..3 {
            // Along the axes of the first tree its nodes are as they are, along those of the second the others.
            let ((own_a, own_b), (other_a, other_b)) = (paired(own[k]), paired(other[k]));
            let ((size_a, size_b), (wide_a, wide_b)) = (paired(own_half[k]), paired(other_half[k]));
            between[k] = other_b - own_a;
            let (apart_a, apart_b) = ((own_a - other_b).abs(), (other_a - own_b).abs());
            let (reach_a, reach_b) = (size_a + wide_b, wide_a + size_b);
            gap = gap.max(apart_a - reach_a).max(apart_b - reach_b);
            common_a[k] = (reach_a - apart_a)
                .min(2.0 * size_a.min(wide_b))
                .max(self.margin);
            common_b[k] = (reach_b - apart_b)
                .min(2.0 * wide_a.min(size_b))
                .max(self.margin);
        }
        let overlapping = !gap.cmpgt(self.margin).bitmask() & 0b1111;
        if overlapping == 0 {
            return LanePairs {
                overlapping,
                expected: [0.0; 4],
                slabs: [0.0; 4],
                between,
            };
        }

        let [u, v, w] = own_half;
        let (thin_a, thin_b) = paired(0.5 / u.min(v).min(w));
        let (long_a, long_b) = paired(0.5 / u.max(v).max(w));
        let (density_a, density_b) = paired(product(own_half) / product(other_half));
        let (along_a, along_b) = (product(common_a), product(common_b));
        let slabs = along_a.min(along_b);
        let spread = TURNED * (along_a * density_b).min(along_b * density_a);
        let mut strip = (spread * (thin_a * thin_b * long_a.max(long_b))).min(Vec4::splat(TURNED));
        // Boxes with gaps are held to what cubes have in common; others to nothing.
        let limit = |node: &AverageNode| if node.has_gaps() { 0.0 } else { f32::INFINITY };
        let (limit_a, limit_b) = paired(Vec4::from(nodes.map(limit)));
        let edges = Vec4::from(nodes.map(AverageNode::inverse_edge)) * self.inverse_unit;
        let (edge_a, edge_b) = paired(edges);
        let (few, many) = (edge_a.min(edge_b), edge_a.max(edge_b));
        strip = strip.min((slabs * (few * many * many)).max(limit_a.min(limit_b)));

        let (cells_a, cells_b) = paired(Vec4::from(nodes.map(|node| node.cells() as f32)));
        let (depth_a, depth_b) = paired(Vec4::from(nodes.map(|node| node.depth() as f32)));
        let leaf = |node: &AverageNode| f32::from(u8::from(node.is_leaf()));
        let (leaf_a, leaf_b) = paired(Vec4::from(nodes.map(leaf)));
        let certainty = Vec4::select(
            leaf_a.min(leaf_b).cmpgt(Vec4::splat(0.5)),
            Vec4::ONE,
            (depth_a + depth_b) * self.per_depth,
        );
        let expected = cells_a * cells_b * strip * self.per_cell * certainty;
        LanePairs {
            overlapping,
            expected: expected.to_array(),
            slabs: slabs.to_array(),
            between,
        }
    }
}
