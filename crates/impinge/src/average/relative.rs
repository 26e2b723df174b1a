//! Two trees in one frame: that of the first, in single precision.
//!
//! **Promise.** Boxes that are told apart are: every number is off by less than a few dozen units of rounding of the largest one that occurs,
//! and [`Relative::margin`] is more than that.

use glam::{Vec3, Vec4};

use super::node::Node;
use super::tree::{AverageTree, AverageVolume};
use crate::math::Pose;

/// A node's box along the axes of the first tree and along those of the second, in units of the first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Placed {
    pub(super) center: Vec4,
    pub(super) half: Vec4,
    /// Along the axes of the second tree.
    pub(super) center_b: Vec4,
    pub(super) half_b: Vec4,
    pub(super) node: u32,
    pub(super) cells: f32,
    pub(super) depth: f32,
    pub(super) inverse_edge: f32,
    pub(super) is_leaf: bool,
}

/// Rounding errors allowed for, in parts of the largest number.
const ROUNDING: f32 = 4e-6;
/// Trees whose sizes differ by more are not compared.
const MAX_RATIO: f64 = (1_u64 << 20) as f64;

/// Why two trees are not searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSearch {
    /// They are far apart.
    Apart,
    /// One is a point to the other.
    Unlike,
}

/// The placement of the second tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relative {
    /// The axes of the second, in units of the first.
    scaled: [Vec4; 3],
    scaled_abs: [Vec4; 3],
    /// The axes of the second, of length 1.
    pub(super) axes: [Vec4; 3],
    /// The axes of the first in the frame of the second.
    back: [Vec4; 3],
    back_abs: [Vec4; 3],
    shift: Vec4,
    shift_b: Vec4,
    /// Units of the second in those of the first.
    pub(super) ratio: f32,
    inverse_ratio: f32,
    pub(super) margin: f32,
}

#[inline(always)]
fn turned(columns: &[Vec4; 3], x: f32, y: f32, z: f32) -> Vec4 {
    columns[0] * x + columns[1] * y + columns[2] * z
}

impl Relative {
    /// The placement, or why no search is needed or possible.
    pub(super) fn new<V: AverageVolume>(
        a: &AverageTree<V>,
        b: &AverageTree<V>,
        a_from_b: &Pose,
    ) -> Result<Self, NoSearch> {
        let ratio = a.frame.scale / b.frame.scale;
        if !(1.0 / MAX_RATIO..=MAX_RATIO).contains(&ratio) {
            return Err(NoSearch::Unlike);
        }
        let turn = *a_from_b.rotation();
        let shift = (a_from_b.transform_point(b.frame.center) - a.frame.center) * a.frame.scale;
        // No corner is farther than √3 from its centre, in units of its own tree.
        if shift.abs().max_element() > 2.0 * (1.0 + ratio) {
            return Err(NoSearch::Apart);
        }
        let columns =
            |m: glam::DMat3| [m.x_axis, m.y_axis, m.z_axis].map(|c| c.as_vec3().extend(0.0));
        let (scaled, axes, back) = (
            columns(turn * ratio),
            columns(turn),
            columns(turn.transpose()),
        );
        let abs = |columns: [Vec4; 3]| columns.map(Vec4::abs);
        let largest = 2.0 + 2.0 * ratio + shift.abs().max_element();
        Ok(Self {
            scaled,
            scaled_abs: abs(scaled),
            axes,
            back,
            back_abs: abs(back),
            shift: shift.as_vec3().extend(0.0),
            shift_b: (turn.transpose() * shift).as_vec3().extend(0.0),
            ratio: ratio as f32,
            inverse_ratio: (1.0 / ratio) as f32,
            margin: ROUNDING * largest as f32,
        })
    }

    /// A node of the first tree.
    #[inline(always)]
    pub(super) fn first(&self, node: &Node, at: u32) -> Placed {
        let ([x, y, z], [u, v, w]) = (node.center, node.half);
        Placed {
            center: Vec4::new(x, y, z, 0.0),
            half: Vec4::new(u, v, w, 0.0),
            center_b: turned(&self.back, x, y, z),
            half_b: turned(&self.back_abs, u, v, w),
            node: at,
            cells: node.cells() as f32,
            depth: node.depth() as f32,
            inverse_edge: node.inverse_edge(),
            is_leaf: node.is_leaf(),
        }
    }

    /// A node of the second tree.
    #[inline(always)]
    pub(super) fn second(&self, node: &Node, at: u32) -> Placed {
        let ([x, y, z], [u, v, w]) = (node.center, node.half);
        Placed {
            center: turned(&self.scaled, x, y, z) + self.shift,
            half: turned(&self.scaled_abs, u, v, w),
            center_b: Vec4::new(x, y, z, 0.0) * self.ratio + self.shift_b,
            half_b: Vec4::new(u, v, w, 0.0) * self.ratio,
            node: at,
            cells: node.cells() as f32,
            depth: node.depth() as f32,
            inverse_edge: node.inverse_edge() * self.inverse_ratio,
            is_leaf: node.is_leaf(),
        }
    }

    /// A vector of the second tree's frame, of its length, in the first's.
    pub(super) fn forth(&self, v: Vec3) -> Vec3 {
        turned(&self.axes, v.x, v.y, v.z).truncate()
    }

    /// A vector of the first tree's frame along the axes of the second.
    pub(super) fn back(&self, v: Vec3) -> Vec3 {
        turned(&self.back, v.x, v.y, v.z).truncate()
    }

    /// The volume that the boxes share at most; none when they are apart.
    #[inline(always)]
    pub(super) fn shared(&self, a: &Placed, b: &Placed) -> Option<f32> {
        let (apart, reach) = ((a.center - b.center).abs(), a.half + b.half);
        let (apart_b, reach_b) = ((a.center_b - b.center_b).abs(), a.half_b + b.half_b);
        let margin = Vec4::splat(self.margin);
        let gap = (apart - reach).max(apart_b - reach_b);
        if gap.cmpgt(margin).any() {
            return None;
        }
        let common = (reach - apart).min(2.0 * a.half.min(b.half));
        let common_b = (reach_b - apart_b).min(2.0 * a.half_b.min(b.half_b));
        // Boxes that touch within the margin share next to nothing.
        let (common, common_b) = (common.max(margin), common_b.max(margin));
        Some((common.x * common.y * common.z).min(common_b.x * common_b.y * common_b.z))
    }
}
