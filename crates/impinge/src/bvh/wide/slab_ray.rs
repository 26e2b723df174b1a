//! Ray or segment against the axis-aligned boxes of a node and the faces of a leaf.
//!
//! *Boxes.* A slab's ends along the line are `bound · inverse + shift`, one multiplication and addition each. As for oriented
//! boxes (`local_ray.rs`), a true point of the line lies in the box grown by 24u·r for the line as rounded: origin and
//! direction take 2u·r, the rounded `shift`, and the product where it is not fused, at most 6u·r. What remains are the roundings of
//! `inverse` and of the result, within 3u of the ends, which are at most `r` where they matter.
//!
//! *Faces.* Corners are projected along the line, by two unit vectors at right angles to it, to two coordinates relative to
//! the line. With corners and projections at most `R`, a coordinate errs by less than `e = 10u·R + 2·slack`: roundings of the corner, the
//! vector, the line's own coordinate, three products and three sums. The side on which the line passes an edge, `x·y' − y·x'`, is
//! then off by at most `2√2·e·R + 4u·R²`.

use glam::DVec3;

use super::layout::{WIDTH, WideLeaf};
use super::local_ray::{BoxEntries, LocalRay, TINY};
use super::ray_nodes::RayNode;
use super::relative_pose::U;
use super::triangle_lanes::dot;
use crate::math::outward_rounding;
use crate::math::simd::lanes::{Lanes, Mask};

/// Far above what subnormal arithmetic may lose, far below any side that matters.
const FLOOR: f32 = 1e-36;

/// The numbers of a line that tests of boxes and faces use.
pub(super) struct SlabRay {
    middle: DVec3,
    direction: DVec3,
    /// At right angles to the direction and each other.
    across: [DVec3; 2],
    heading: [f32; 3],
    across_lanes: [[f32; 3]; 2],
    inverse: [f32; 3],
    /// What is added for the ends at which the line enters, and leaves.
    shift: [[f32; 3]; 2],
    /// 1 for axes along which the line goes backwards.
    is_backward: [usize; 3],
    range: [f32; 2],
    /// The place of the origin of coordinates along the line, lowered by what rounding may hide.
    least_shift: f32,
    /// What the place of a corner along the line may be off by.
    place_error: f32,
    slack: f32,
}

impl SlabRay {
    #[inline(always)]
    pub(super) fn new(line: &LocalRay) -> Self {
        let (mut inverse, mut shift, mut is_backward) = ([0.0; 3], [[0.0; 3]; 2], [0; 3]);
        // The computed ends may be off by 3u on both sides.
        let ends = 8.0 * U * line.radius;
        for c in 0..3 {
            let d = line.heading[c];
            let d = if d.abs() < TINY { TINY.copysign(d) } else { d };
            inverse[c] = 1.0 / d;
            is_backward[c] = usize::from(d < 0.0);
            let (start, margin) = (line.origin[c] * inverse[c], line.margin * inverse[c].abs());
            shift[0][c] = -start - margin;
            shift[1][c] = margin - start + ends;
        }
        let across = at_right_angles(line.direction);
        let start = line.middle.dot(line.direction);
        let place_error = 64.0 * U * line.radius + line.margin;
        Self {
            middle: line.middle,
            direction: line.direction,
            across,
            heading: line.heading,
            across_lanes: across.map(|v| v.to_array().map(|x| x as f32)),
            inverse,
            shift,
            is_backward,
            range: [line.range[0], line.range[1] + ends],
            least_shift: outward_rounding::down(-start) - place_error,
            place_error,
            slack: outward_rounding::up(line.slack),
        }
    }

    /// Where the line passes boxes; a lane left out is surely missed, or beyond the place `limit`.
    #[inline(always)]
    pub(super) fn boxes<T: Lanes>(&self, node: &RayNode, limit: f32) -> BoxEntries {
        let mut near = T::splat(self.range[0]);
        let mut far = T::splat(self.range[1]);
        let mut least = T::splat(self.least_shift);
        for c in 0..3 {
            let enters = T::load(&node.bound[c][self.is_backward[c] & 1]);
            let leaves = T::load(&node.bound[c][(self.is_backward[c] & 1) ^ 1]);
            let inverse = T::splat(self.inverse[c]);
            near = near.max(enters.mul_add(inverse, T::splat(self.shift[0][c])));
            far = far.min(leaves.mul_add(inverse, T::splat(self.shift[1][c])));
            // The corner that is first along the line.
            least = enters.mul_add(T::splat(self.heading[c]), least);
        }
        let mask = near.le(far) & least.le(T::splat(limit));
        BoxEntries {
            mask: mask.bits(),
            near: near.store(),
            least: least.store(),
        }
    }

    /// The faces of a leaf that the line may meet; one left out is surely missed.
    #[inline(always)]
    pub(super) fn faces<T: Lanes>(&self, leaf: &WideLeaf) -> u32 {
        let from_leaf = self.middle - leaf.origin;
        let at = self.across.map(|v| from_leaf.dot(v) as f32);
        // More than half a diameter, by more than these few roundings.
        let reach = 0.51 * leaf.diameter + 4.0 * self.slack;
        if at[0] * at[0] + at[1] * at[1] > reach * reach {
            return 0;
        }
        let reach = 2.0 * reach;
        let margin = T::splat((40.0 * U * reach + 6.0 * self.slack) * reach + FLOOR);
        let zero = T::splat(0.0);
        let mut p = [[zero; 2]; 3];
        for (p, corner) in p.iter_mut().zip(&leaf.corner) {
            let corner = [
                T::load(&corner[0]),
                T::load(&corner[1]),
                T::load(&corner[2]),
            ];
            for i in 0..2 {
                let v = &self.across_lanes[i];
                let sum = corner[0].mul_sub(T::splat(v[0]), T::splat(at[i]));
                let sum = corner[1].mul_add(T::splat(v[1]), sum);
                p[i] = corner[2].mul_add(T::splat(v[2]), sum);
            }
        }
        let side = |a: [T; 2], b: [T; 2]| a[0].mul_sub(b[1], a[1] * b[0]);
        let side = [side(p[1], p[2]), side(p[2], p[0]), side(p[0], p[1])];
        let least = side[0].min(side[1]).min(side[2]);
        let greatest = side[0].max(side[1]).max(side[2]);
        let differ = margin.lt(greatest) & least.lt(zero - margin);
        !differ.bits() & leaf.lanes()
    }

    /// The faces of a leaf of which some corner is not beyond the place `limit`.
    #[inline(always)]
    pub(super) fn faces_before<T: Lanes>(&self, leaf: &WideLeaf, limit: f32) -> u32 {
        let start = (leaf.origin - self.middle).dot(self.direction);
        let heading = [
            T::splat(self.heading[0]),
            T::splat(self.heading[1]),
            T::splat(self.heading[2]),
        ];
        let along = |corner: &[[f32; WIDTH]; 3]| {
            dot(
                &[
                    T::load(&corner[0]),
                    T::load(&corner[1]),
                    T::load(&corner[2]),
                ],
                &heading,
            )
        };
        let [a, b, c] = &leaf.corner;
        let least = along(a).min(along(b)).min(along(c));
        let beyond = outward_rounding::up(f64::from(limit) - start) + self.place_error;
        (!T::splat(beyond).lt(least)).bits()
    }
}

/// Two unit vectors at right angles to a third and to each other, so that the three are right-handed.
///
/// Duff and others 2017, *Building an orthonormal basis, revisited*, JCGT 6(1).
#[inline(always)]
fn at_right_angles(n: DVec3) -> [DVec3; 2] {
    let sign = 1.0_f64.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    [
        DVec3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x),
        DVec3::new(b, sign + n.y * n.y * a, -n.y),
    ]
}
