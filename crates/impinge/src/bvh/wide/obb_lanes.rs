//! SIMD box test: one transformed box against the eight boxes of a node.

use super::layout::WideNode;
use super::relative_pose::{EDGE_MARGINS, RelativePose, U};
use crate::math::simd::lanes::{Lanes, Mask};

/// A box of the other tree, carried into this one's frame, margins included.
#[derive(Clone, Copy, Debug)]
pub(super) struct CarriedBox {
    center: [f32; 4],
    half: [f32; 3],
    axis: [[f32; 4]; 3],
}

impl CarriedBox {
    /// Box `k` of a node of the other tree.
    #[inline(always)]
    pub(super) fn new<T: Lanes>(node: &WideNode, k: usize, relative: &RelativePose) -> Self {
        let column = |v: &[[f32; 8]; 3]| [v[0][k], v[1][k], v[2][k]];
        let zero = [0.0; 4];
        let turned = |j: usize| T::combine(&relative.axis_column, column(&node.axis[j]), &zero);
        let center = column(&node.center);
        let half = column(&node.half);
        Self {
            center: T::combine(&relative.point_column, center, &relative.translation),
            half: [
                half[0] * relative.scale + relative.margin,
                half[1] * relative.scale + relative.margin,
                half[2] * relative.scale + relative.margin,
            ],
            axis: [turned(0), turned(1), turned(2)],
        }
    }

    /// A box that is in this tree's frame already; `half` is as [`inflate_half`](super::relative_pose::inflate_half) gives it, and
    /// `margin` covers what its centre and axes were rounded by.
    pub(super) fn placed(
        center: [f32; 3],
        half: [f32; 3],
        axis: [[f32; 3]; 3],
        margin: f32,
    ) -> Self {
        let four = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
        Self {
            center: four(center),
            half: half.map(|half| half + margin),
            axis: axis.map(four),
        }
    }
}

/// What both queries need: centre differences along both boxes' axes, and the axes' products.
struct ProjectedBoxes<T> {
    along_node: [T; 3],
    along_carried: [T; 3],
    /// Dot products of node axes with carried axes, and their magnitudes.
    signed: [[T; 3]; 3],
    product: [[T; 3]; 3],
    node_half: [T; 3],
    carried_half: [T; 3],
}

#[inline(always)]
fn project<T: Lanes>(node: &WideNode, b: &CarriedBox) -> ProjectedBoxes<T> {
    let t = [
        T::splat(b.center[0]) - T::load(&node.center[0]),
        T::splat(b.center[1]) - T::load(&node.center[1]),
        T::splat(b.center[2]) - T::load(&node.center[2]),
    ];
    let zero = T::splat(0.0);
    let mut p = ProjectedBoxes {
        along_node: [zero; 3],
        along_carried: [zero; 3],
        product: [[zero; 3]; 3],
        signed: [[zero; 3]; 3],
        node_half: [
            T::load(&node.half[0]),
            T::load(&node.half[1]),
            T::load(&node.half[2]),
        ],
        carried_half: [
            T::splat(b.half[0]),
            T::splat(b.half[1]),
            T::splat(b.half[2]),
        ],
    };
    for i in 0..3 {
        let u = [
            T::load(&node.axis[i][0]),
            T::load(&node.axis[i][1]),
            T::load(&node.axis[i][2]),
        ];
        p.along_node[i] = u[0].mul_add(t[0], u[1].mul_add(t[1], u[2] * t[2]));
        for j in 0..3 {
            let w = &b.axis[j];
            let dot = u[1].mul_add(T::splat(w[1]), u[2] * T::splat(w[2]));
            let dot = u[0].mul_add(T::splat(w[0]), dot);
            p.signed[i][j] = dot;
            p.product[i][j] = dot.abs();
        }
    }
    for j in 0..3 {
        let w = &b.axis[j];
        let dot = T::splat(w[1]).mul_add(t[1], T::splat(w[2]) * t[2]);
        p.along_carried[j] = T::splat(w[0]).mul_add(t[0], dot);
    }
    p
}

impl<T: Lanes> ProjectedBoxes<T> {
    /// Lanes that no face direction separates.
    #[inline(always)]
    fn overlap_along_faces(&self) -> T::Mask {
        let zero = T::splat(0.0);
        let mut mask = self.gap_along_node(0).le(zero);
        mask = mask & self.gap_along_node(1).le(zero);
        mask = mask & self.gap_along_node(2).le(zero);
        mask = mask & self.gap_along_carried(0).le(zero);
        mask = mask & self.gap_along_carried(1).le(zero);
        mask & self.gap_along_carried(2).le(zero)
    }

    /// How far the boxes are apart along node axis `i`; negative where they overlap.
    #[inline(always)]
    fn gap_along_node(&self, i: usize) -> T {
        let m = &self.product[i];
        let h = &self.carried_half;
        let radius = m[2].mul_add(h[2], self.node_half[i]);
        let radius = m[0].mul_add(h[0], m[1].mul_add(h[1], radius));
        self.along_node[i].abs() - radius
    }

    /// The same along axis `j` of the carried box.
    #[inline(always)]
    fn gap_along_carried(&self, j: usize) -> T {
        let h = &self.node_half;
        let radius = self.product[2][j].mul_add(h[2], self.carried_half[j]);
        let radius = self.product[0][j].mul_add(h[0], self.product[1][j].mul_add(h[1], radius));
        self.along_carried[j].abs() - radius
    }

    /// The square of the gap along the line between the centres, and of that line's length.
    #[inline(always)]
    fn gap_between_centers(&self) -> (T, T) {
        // Along L = t: |t|² − Σ hᵢ|uᵢ·t| − Σ hⱼ|wⱼ·t|, divided by |t|.
        let a = &self.along_node;
        let length_sq = a[0].mul_add(a[0], a[1].mul_add(a[1], a[2] * a[2]));
        let mut radius = self.node_half[0] * a[0].abs();
        radius = self.node_half[1].mul_add(a[1].abs(), radius);
        radius = self.node_half[2].mul_add(a[2].abs(), radius);
        for j in 0..3 {
            radius = self.carried_half[j].mul_add(self.along_carried[j].abs(), radius);
        }
        let gap = (length_sq * T::splat(SHRINK) - radius).max(T::splat(0.0));
        // Divided first: a fourth power would overflow where sizes differ much.
        let gap_sq = gap / length_sq.max(T::splat(f32::MIN_POSITIVE)) * gap;
        (gap_sq, length_sq)
    }
}

/// Lanes whose box may overlap the carried one; a lane left out is proven disjoint.
///
/// Only the six face directions are tried: above the leaves the nine edge directions cost as much
/// as they save.
#[inline(always)]
pub(super) fn overlapping<T: Lanes>(node: &WideNode, b: &CarriedBox) -> u32 {
    project::<T>(node, b).overlap_along_faces().bits()
}

/// As [`overlapping`], by all fifteen directions of the separating axis test: for pairs of leaves,
/// where a wrong yes costs more than the nine edge directions.
///
/// `margin` is that of the carried box; see [`relative`](super::relative_pose) for what it covers.
#[inline(always)]
pub(super) fn overlapping_by_edges<T: Lanes>(node: &WideNode, b: &CarriedBox, margin: f32) -> u32 {
    let p = project::<T>(node, b);
    let mut mask = p.overlap_along_faces();
    if mask.bits() == 0 {
        return 0;
    }
    let spare = T::splat(EDGE_MARGINS * margin);
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            // Along uᵢ × wⱼ, written in the node's axes.
            let along = p.along_node[i2] * p.signed[i1][j];
            let along = p.along_node[i1].neg_mul_add(p.signed[i2][j], along);
            let radius = p.node_half[i1].mul_add(p.product[i2][j], spare);
            let radius = p.node_half[i2].mul_add(p.product[i1][j], radius);
            let radius = p.carried_half[j1].mul_add(p.product[i][j2], radius);
            let radius = p.carried_half[j2].mul_add(p.product[i][j1], radius);
            mask = mask & along.abs().le(radius);
        }
    }
    mask.bits()
}

/// A distance that no two points of the boxes fall below, per lane; huge in absent lanes.
///
/// The largest of three bounds: the length of the gap vector in the node box's axes, the same in
/// the carried box's axes, and the gap along the line between the centres.
#[inline(always)]
pub(super) fn distance_at_least<T: Lanes>(node: &WideNode, b: &CarriedBox) -> T {
    let p = project::<T>(node, b);
    let zero = T::splat(0.0);
    let (mut sum_node, mut sum_carried) = (zero, zero);
    for i in 0..3 {
        let g = p.gap_along_node(i).max(zero);
        sum_node = g.mul_add(g, sum_node);
        let g = p.gap_along_carried(i).max(zero);
        sum_carried = g.mul_add(g, sum_carried);
    }
    // A vector's length from its components along axes orthonormal within 12u: 16u off covers it
    // and the rounding of squares, sum and root. All three bounds meet under one root.
    let (by_centers, _) = p.gap_between_centers();
    sum_node.max(sum_carried).max(by_centers).sqrt() * T::splat(SHRINK)
}

/// How far the centres of the node's boxes are from that of box `k` of another node.
#[inline(always)]
pub(super) fn between_centers<T: Lanes>(
    node: &WideNode,
    from: &WideNode,
    k: usize,
    relative: &RelativePose,
) -> T {
    let center = [from.center[0][k], from.center[1][k], from.center[2][k]];
    let c = T::combine(&relative.point_column, center, &relative.translation);
    let mut sum = T::splat(0.0);
    for i in 0..3 {
        let d = T::splat(c[i]) - T::load(&node.center[i]);
        sum = d.mul_add(d, sum);
    }
    sum.sqrt()
}

/// Lower bounds on distances, and per lane a direction that proves its bound.
pub(super) struct DirectedBounds {
    /// As [`distance_at_least`] gives them.
    pub(super) at_least: [f32; 8],
    /// From the node's box to the carried one, in the node's frame and of length one at most.
    pub(super) direction: [[f32; 8]; 3],
}

/// The gap along the direction of a bound is at least this fraction of the bound, minus a margin.
const DIRECTED_SHRINK: f32 = 1.0 - 64.0 * U;

impl DirectedBounds {
    /// How far everything in the carried box lies beyond everything in box `k` along its direction.
    ///
    /// Let `g` be the gaps along the three axes of one box, signed: points of the two boxes differ by at
    /// least `gᵢ` along axis `i`, so along `n = Σ gᵢuᵢ / |g|` by at least `Σ gᵢ² / |g| = |g|`, which is the
    /// bound. Axes orthonormal within 12u, and a direction shortened by 32u, make that 50u of the bound
    /// less; rounding turns `n` by less than 8u, over lengths that a margin is 16u of.
    #[inline(always)]
    pub(super) fn gap(&self, k: usize, margin: f32) -> f32 {
        self.at_least[k] * DIRECTED_SHRINK - margin
    }
}

/// As [`distance_at_least`], with the directions.
#[inline(always)]
pub(super) fn directed_bounds<T: Lanes>(
    node: &WideNode,
    b: &CarriedBox,
    scale: f32,
) -> DirectedBounds {
    let p = project::<T>(node, b);
    let zero = T::splat(0.0);
    let (mut sum_node, mut sum_carried) = (zero, zero);
    let (mut by_node, mut by_carried) = ([zero; 3], [zero; 3]);
    for i in 0..3 {
        let g = p.gap_along_node(i).max(zero);
        sum_node = g.mul_add(g, sum_node);
        let g = signed(g, p.along_node[i]);
        for c in 0..3 {
            by_node[c] = g.mul_add(T::load(&node.axis[i][c]), by_node[c]);
        }
        let g = p.gap_along_carried(i).max(zero);
        sum_carried = g.mul_add(g, sum_carried);
        let g = signed(g, p.along_carried[i]);
        for c in 0..3 {
            by_carried[c] = g.mul_add(T::splat(b.axis[i][c]), by_carried[c]);
        }
    }
    let (by_centers, length_sq) = p.gap_between_centers();
    let longer = sum_carried.lt(sum_node);
    let sum = sum_node.max(sum_carried);
    let by_axes = by_centers.lt(sum);
    let squared = T::select(by_axes, sum, length_sq);
    let length = squared.max(T::splat(f32::MIN_POSITIVE)).sqrt();
    let inverse = T::splat(1.0 - 32.0 * U) / length;
    let mut direction = [[0.0; 8]; 3];
    for c in 0..3 {
        let between = T::splat(b.center[c]) - T::load(&node.center[c]);
        let n = T::select(longer, by_node[c], by_carried[c]);
        direction[c] = (T::select(by_axes, n, between) * inverse).store();
    }
    let at_least = sum.max(by_centers).sqrt() * T::splat(SHRINK) * T::splat(scale);
    DirectedBounds {
        at_least: at_least.store(),
        direction,
    }
}

/// A gap with the sign of `along`.
#[inline(always)]
fn signed<T: Lanes>(gap: T, along: T) -> T {
    let zero = T::splat(0.0);
    T::select(along.lt(zero), zero - gap, gap)
}

/// Lower bounds are multiplied by this, 1 − 64u, before they are believed.
const SHRINK: f32 = 1.0 - 64.0 * 5.960_464_5e-8;
