//! Ray or segment in the frame of a tree, against the boxes of a node and the faces of a leaf.
//!
//! The line is cut to the ball around the tree and its origin moved to the point nearest to the
//! ball's centre, so that all coordinates and parameters are at most the ball's radius `r`.
//!
//! *Boxes.* With `u = 2^-24`, rounding origin and direction to `f32`, subtracting a centre and
//! projecting on an axis puts a point of the line off by at most 17u·r along that axis: half
//! extents grow by 24u·r. Then a true point of the line in the box satisfies the computed
//! inequality `|o + τd| ≤ h`, and the interval of τ that does is computed within 3u of its ends,
//! which are at most `r` where they matter.
//!
//! *Faces.* Relative to the foot of the leaf's origin on the line, corners `x` of length at most
//! `R` err by less than `e = 6u·R + 2·slack`; the side `det(xᵢ, xⱼ, d)` on which the line passes an
//! edge is then off by at most `2eR + 16u·R²`. A line that surely passes two edges of a face on
//! different sides misses it.
//!
//! *Double precision* and poses enter through `slack`.

use glam::DVec3;

use super::layout::{WIDTH, WideLeaf, WideNode};
use super::relative_pose::{U, exp2};
use super::tree::TreeFrame;
use super::triangle_lanes::{cross, dot};
use crate::math::outward_rounding;
use crate::math::simd::lanes::{Lanes, Mask};

/// Far above what subnormal arithmetic may lose, far below any determinant that matters.
const FLOOR: f32 = 1e-36;
/// Directions this small along an axis are as good as none, and may be divided by.
pub(super) const TINY: f32 = 1e-20;

/// The part of a ray or segment near a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalRay {
    /// The line's point nearest to the ball's centre.
    pub(super) middle: DVec3,
    /// Of unit length.
    pub(super) direction: DVec3,
    /// Local length per unit of the line's parameter.
    speed: f64,
    /// Local length from the line's start to `middle`.
    shift: f64,
    /// What double precision may be off by.
    pub(super) slack: f64,
    /// From where the line starts or enters the ball to where it leaves it, measured from `middle`.
    pub(super) range: [f32; 2],
    pub(super) origin: [f32; 3],
    pub(super) heading: [f32; 3],
    /// What half extents grow by.
    pub(super) margin: f32,
    /// The ball's radius.
    pub(super) radius: f32,
    /// The line's numbers are too large or small to cull by.
    pub(super) is_blind: bool,
}

/// Where a line passes the boxes of a node.
pub(super) struct BoxEntries {
    pub(super) mask: u32,
    /// Where it enters.
    pub(super) near: [f32; WIDTH],
    /// No point of the box lies before this along the line, whether the line meets it or not.
    pub(super) least: [f32; WIDTH],
}

impl LocalRay {
    /// The points `start + t·direction` with `0 ≤ t ≤ longest`, for lines that may be off by `extra` in
    /// the frame's units; `None` when they surely miss the tree.
    pub(super) fn new(
        frame: &TreeFrame,
        start: DVec3,
        direction: DVec3,
        longest: f64,
        extra: f64,
    ) -> Option<Self> {
        let unit = exp2(-frame.exponent);
        let largest = direction.abs().max_element();
        let scaled = direction / largest;
        let length = scaled.length();
        let direction = scaled / length;
        let speed = largest * length * unit;
        let origin = frame.local(start);
        let size = origin.length() + frame.radius;
        let slack = 16.0 * f64::EPSILON * size + extra;
        let radius = frame.radius * 1.001 + 2.0 * slack;
        let is_blind = !(slack < frame.radius && size < 1e30 && speed > 1e-250 && speed < 1e250);
        let shift = -origin.dot(direction);
        let middle = origin + direction * shift;
        let low = (-shift).max(-radius) - slack;
        let high = radius + slack;
        // A face that the line grazes may have a rounded hit before the place where the line enters its box, so only what
        // lies before the whole ball is cut off here.
        let end = longest * speed - shift + slack;
        if !is_blind && (middle.length() > radius || low > high || end < -radius) {
            return None;
        }
        Some(Self {
            middle,
            direction,
            speed,
            shift,
            slack,
            range: [outward_rounding::down(low), outward_rounding::up(high)],
            origin: middle.to_array().map(|x| x as f32),
            heading: direction.to_array().map(|x| x as f32),
            margin: outward_rounding::up(24.0 * f64::from(U) * radius + slack),
            radius: outward_rounding::up(radius),
            is_blind,
        })
    }

    /// Whether something at least this far along the line is beyond the parameter `t`.
    #[inline(always)]
    pub(super) fn is_beyond(&self, at_least: f32, t: f64) -> bool {
        f64::from(at_least) > t * self.speed - self.shift + self.slack
    }

    /// The place of the parameter `t` along the line, rounded up: what lies beyond it is beyond `t`.
    #[inline(always)]
    pub(super) fn place(&self, t: f64) -> f32 {
        outward_rounding::up(t * self.speed - self.shift + self.slack)
    }

    /// A parameter that nothing at least this far along the line falls below.
    pub(super) fn parameter(&self, at_least: f32) -> f64 {
        if self.is_blind {
            return 0.0;
        }
        ((f64::from(at_least) + self.shift - self.slack) / self.speed).max(0.0)
    }

    /// Where the line passes boxes; a lane left out is surely missed, or beyond the place `limit`.
    #[inline(always)]
    pub(super) fn boxes<T: Lanes>(&self, node: &WideNode, limit: f32) -> BoxEntries {
        if self.is_blind {
            return BoxEntries {
                mask: 0xFF,
                near: [0.0; WIDTH],
                least: [f32::NEG_INFINITY; WIDTH],
            };
        }
        let zero = T::splat(0.0);
        let t = [
            T::splat(self.origin[0]) - T::load(&node.center[0]),
            T::splat(self.origin[1]) - T::load(&node.center[1]),
            T::splat(self.origin[2]) - T::load(&node.center[2]),
        ];
        let heading = [
            T::splat(self.heading[0]),
            T::splat(self.heading[1]),
            T::splat(self.heading[2]),
        ];
        let margin = T::splat(self.margin);
        let tiny = T::splat(TINY);
        let (mut near, mut far) = (T::splat(self.range[0]), T::splat(self.range[1]));
        let mut radius = zero;
        for i in 0..3 {
            let axis = [
                T::load(&node.axis[i][0]),
                T::load(&node.axis[i][1]),
                T::load(&node.axis[i][2]),
            ];
            let (o, d) = (dot(&axis, &t), dot(&axis, &heading));
            let half = T::load(&node.half[i]) + margin;
            radius = half.mul_add(d.abs(), radius);
            let d = T::select(d.abs().lt(tiny), tiny, d);
            let (s, e) = ((zero - half - o) / d, (half - o) / d);
            near = near.max(s.min(e));
            far = far.min(s.max(e));
        }
        // An absent lane has negative extents, whose ends would swap.
        let present = zero.le(T::load(&node.half[0]));
        let least = zero - dot(&t, &heading) - radius - T::splat(64.0 * U * self.radius) - margin;
        let is_near = least.le(T::splat(limit));
        let mask = near.le(far + T::splat(8.0 * U * self.radius)) & present & is_near;
        BoxEntries {
            mask: mask.bits(),
            near: near.store(),
            least: least.store(),
        }
    }

    /// The faces of a leaf that the line may meet; one left out is surely missed.
    #[inline(always)]
    pub(super) fn faces<T: Lanes>(&self, leaf: &WideLeaf) -> u32 {
        if self.is_blind {
            return leaf.lanes();
        }
        let to_leaf = leaf.origin - self.middle;
        let foot = self.direction * to_leaf.dot(self.direction) - to_leaf;
        let away = foot.length() as f32;
        let slack = outward_rounding::up(self.slack);
        let reach = (0.5 * leaf.diameter + away) * 1.001 + slack;
        if away > 0.5 * leaf.diameter * 1.001 + 4.0 * slack + 8.0 * U * reach {
            return 0;
        }
        let e = 6.0 * U * reach + 2.0 * slack;
        let margin = 2.1 * e * reach + 16.0 * U * reach * reach + FLOOR;
        let zero = T::splat(0.0);
        let mut x = [[zero; 3]; 3];
        for (x, corner) in x.iter_mut().zip(&leaf.corner) {
            for c in 0..3 {
                x[c] = T::load(&corner[c]) - T::splat(foot[c] as f32);
            }
        }
        let d = [
            T::splat(self.heading[0]),
            T::splat(self.heading[1]),
            T::splat(self.heading[2]),
        ];
        let side = [
            dot(&cross(&x[1], &x[2]), &d),
            dot(&cross(&x[2], &x[0]), &d),
            dot(&cross(&x[0], &x[1]), &d),
        ];
        let least = side[0].min(side[1]).min(side[2]);
        let greatest = side[0].max(side[1]).max(side[2]);
        let differ = T::splat(margin).lt(greatest) & least.lt(T::splat(-margin));
        !differ.bits() & leaf.lanes()
    }
}
