//! Lower bounds on the distance from a point to the boxes of a node.
//!
//! *Margins.* Let `u = 2^-24`, `P` the length of the point's local coordinates and `r` the tree's
//! radius. Rounding the point to `f32` and subtracting a centre moves each coordinate by at most
//! `u(2P + r)`, the vector by `√3` times that; projecting it on an axis adds `3.1u(P + r)`: below
//! `8u(P + r)` together. `10u(P + r)` is taken off each gap, which also covers what double
//! precision rounds, and the error of the distance that a face's exact evaluation has. Components
//! along axes that are orthonormal within 12u give a length within 16u; [`SHRINK`] covers it.

use glam::DVec3;

use super::layout::{WIDTH, WideLeaf, WideNode};
use super::relative_pose::{U, exp2};
use super::tree::TreeFrame;
use crate::math::outward_rounding;
use crate::math::simd::lanes::Lanes;

/// Distance from the tree, in its radii, up to which `f32` serves.
const FARTHEST_IN_LANES: f64 = 16.0;
/// Local coordinates beyond which nothing is culled: every face is equally far.
const FARTHEST: f64 = 1e30;
/// Lower bounds from components along a box's axes are multiplied by this before they are believed.
const SHRINK: f32 = 1.0 - 64.0 * U;

/// A point in a tree's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalPoint {
    exact: DVec3,
    rounded: [f32; 3],
    /// What is taken off each gap in lanes.
    margin: f32,
    /// The same in double precision.
    slack: f64,
    reach: PointReach,
    /// Local length of one unit of length.
    pub(super) unit: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PointReach {
    Lanes,
    Double,
    Beyond,
}

impl LocalPoint {
    pub(super) fn new(frame: &TreeFrame, p: DVec3) -> Self {
        let exact = frame.local(p);
        let size = exact.length() + frame.radius;
        let reach = if exact.length() <= FARTHEST_IN_LANES * frame.radius {
            PointReach::Lanes
        } else if size < FARTHEST {
            PointReach::Double
        } else {
            PointReach::Beyond
        };
        Self {
            exact,
            rounded: exact.to_array().map(|x| x as f32),
            margin: outward_rounding::up((10.0 * f64::from(U) + 1e-14) * size),
            slack: 1e-14 * size,
            reach,
            unit: exp2(-frame.exponent),
        }
    }

    /// A distance that no point of each box falls below; anything in absent lanes.
    #[inline(always)]
    pub(super) fn boxes_at_least<T: Lanes>(&self, node: &WideNode) -> [f32; WIDTH] {
        if self.reach != PointReach::Lanes {
            let mut least = [0.0; WIDTH];
            for (k, least) in least.iter_mut().enumerate() {
                *least = outward_rounding::down(self.box_at_least(node, k));
            }
            return least;
        }
        let p = &self.rounded;
        let t = [
            T::splat(p[0]) - T::load(&node.center[0]),
            T::splat(p[1]) - T::load(&node.center[1]),
            T::splat(p[2]) - T::load(&node.center[2]),
        ];
        point_boxes_at_least(node, &t, self.margin).store()
    }

    /// The same for one box in double precision, with the same bytes on every machine.
    pub(super) fn box_at_least(&self, node: &WideNode, k: usize) -> f64 {
        if self.reach == PointReach::Beyond {
            return 0.0;
        }
        let at = |x: &[[f32; WIDTH]; 3]| DVec3::from([x[0][k], x[1][k], x[2][k]].map(f64::from));
        let t = self.exact - at(&node.center);
        let half = at(&node.half);
        let axes = [at(&node.axis[0]), at(&node.axis[1]), at(&node.axis[2])];
        let length = t.length();
        let (mut by_axes, mut radius) = (0.0, 0.0);
        for i in 0..3 {
            let along = axes[i].dot(t).abs();
            let gap = (along - half[i] - self.slack).max(0.0);
            by_axes += gap * gap;
            radius += along * half[i];
        }
        // Along the line to the centre nothing is lost by axes that are not quite orthonormal.
        let by_center = if length > 0.0 {
            length - radius / length - self.slack
        } else {
            0.0
        };
        (by_axes.sqrt() * f64::from(SHRINK)).max(by_center)
    }

    /// A distance that no point of each face falls below; anything in absent lanes.
    #[inline(always)]
    pub(super) fn faces_at_least<T: Lanes>(&self, leaf: &WideLeaf) -> [f32; WIDTH] {
        if self.reach != PointReach::Lanes {
            return [0.0; WIDTH];
        }
        let offset = self.exact - leaf.origin;
        let zero = T::splat(0.0);
        // Corners and offset are rounded to f32 once each, and so is their difference.
        let margin = 4.0 * U * (leaf.diameter + offset.length() as f32) + self.slack as f32;
        let margin = T::splat(margin * 1.01);
        let mut sum = zero;
        for c in 0..3 {
            let p = T::splat(offset[c] as f32);
            let x = [
                T::load(&leaf.corner[0][c]),
                T::load(&leaf.corner[1][c]),
                T::load(&leaf.corner[2][c]),
            ];
            let below = x[0].min(x[1]).min(x[2]) - p;
            let above = p - x[0].max(x[1]).max(x[2]);
            let gap = (below.max(above) - margin).max(zero);
            sum = gap.mul_add(gap, sum);
        }
        (sum.sqrt() * T::splat(SHRINK)).store()
    }
}

/// A distance that no point of each box of the node falls below, from the point at `t` from the
/// centres of the boxes; half extents grow by `margin`.
#[inline(always)]
pub(super) fn point_boxes_at_least<T: Lanes>(node: &WideNode, t: &[T; 3], margin: f32) -> T {
    let zero = T::splat(0.0);
    let margin = T::splat(margin);
    let mut sum = zero;
    for i in 0..3 {
        let along = T::load(&node.axis[i][2]) * t[2];
        let along = T::load(&node.axis[i][1]).mul_add(t[1], along);
        let along = T::load(&node.axis[i][0]).mul_add(t[0], along);
        let gap = along.abs() - T::load(&node.half[i]) - margin;
        let gap = gap.max(zero);
        sum = gap.mul_add(gap, sum);
    }
    sum.sqrt() * T::splat(SHRINK)
}
