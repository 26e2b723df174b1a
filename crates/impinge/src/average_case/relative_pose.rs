//! Two trees in one frame: that of the first, in single precision.
//!
//! **Promise.** Boxes that are reported disjoint are disjoint. Each number errs by less than a few
//! dozen units of rounding of the largest one that occurs, and [`RelativePose::margin`] is larger.
//! Far from the origin it includes the rounding of placed vertices.

use glam::{Vec3, Vec4};

use super::average_case_tree::{AverageTree, AverageVolume};
use super::node::AverageNode;
use crate::math::Pose;

/// A node's box along the axes of the first tree and along those of the second, in units of the first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlacedBox {
    pub(super) center: Vec4,
    pub(super) half: Vec4,
    /// Along the axes of the second tree.
    pub(super) center_b: Vec4,
    pub(super) half_b: Vec4,
    pub(super) node: u32,
    pub(super) cells: f32,
    pub(super) depth: f32,
    pub(super) inverse_edge: f32,
    /// One over the shortest side, and over the longest.
    pub(super) inverse_thin: f32,
    pub(super) inverse_long: f32,
    /// The volume of the box in that of the box around it along the axes of the other tree.
    pub(super) density: f32,
    pub(super) is_leaf: bool,
    pub(super) has_gaps: bool,
}

/// Rounding errors allowed for, in parts of the largest number.
const ROUNDING: f32 = 4e-6;
/// Rounding errors of places in double precision, in parts of how far from the origin they are: placing, and halving faces longer than leaves two dozen times.
const ROUNDING_OF_PLACES: f64 = 16.0 * f64::EPSILON;
/// Trees whose places are rounded by more than this fraction of the smaller one's size are not compared: about half a leaf.
const MAX_ROUNDING: f64 = 1.0 / 32.0;
/// Trees whose sizes differ by more are not compared.
const MAX_RATIO: f64 = (1_u64 << 20) as f64;

/// Why two trees are not searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SkipReason {
    /// They are far apart.
    Apart,
    /// One is a point to the other, or both are so far from the origin that rounding blurs them.
    Unlike,
}

/// The placement of the second tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelativePose {
    /// The axes of the second, in units of the first.
    pub(super) scaled: [Vec4; 3],
    scaled_abs: [Vec4; 3],
    /// The axes of the second, of length 1.
    pub(super) axes: [Vec4; 3],
    /// The axes of the first in the frame of the second.
    pub(super) back: [Vec4; 3],
    back_abs: [Vec4; 3],
    pub(super) shift: Vec4,
    pub(super) shift_b: Vec4,
    /// Units of the second in those of the first.
    pub(super) ratio: f32,
    pub(super) inverse_ratio: f32,
    pub(super) margin: f32,
}

#[inline(always)]
fn turned(columns: &[Vec4; 3], x: f32, y: f32, z: f32) -> Vec4 {
    columns[0] * x + columns[1] * y + columns[2] * z
}

/// One over the shortest side, over the longest, and the volume in that of the box around it: one division for all.
#[inline(always)]
fn quotients([u, v, w]: [f32; 3], around: Vec4) -> [f32; 3] {
    let parts = Vec4::new(0.5, 0.5, u * v * w, 0.0)
        / Vec4::new(
            u.min(v).min(w),
            u.max(v).max(w),
            around.x * around.y * around.z,
            1.0,
        );
    [parts.x, parts.y, parts.z]
}

impl RelativePose {
    /// The placement, or why no search is needed or possible.
    pub(super) fn new<V: AverageVolume>(
        a: &AverageTree<V>,
        b: &AverageTree<V>,
        a_from_b: &Pose,
    ) -> Result<Self, SkipReason> {
        let ratio = a.frame.scale / b.frame.scale;
        if !(1.0 / MAX_RATIO..=MAX_RATIO).contains(&ratio) {
            return Err(SkipReason::Unlike);
        }
        let turn = *a_from_b.rotation();
        let shift = (a_from_b.transform_point(b.frame.center) - a.frame.center) * a.frame.scale;
        // What shift and placed vertices may be off by.
        let far =
            b.frame.center.length() + a_from_b.translation().length() + a.frame.center.length();
        let rounding = ROUNDING_OF_PLACES * a.frame.scale * far;
        // No corner is farther than √3 from its centre, in units of its own tree.
        if shift.abs().max_element() > 2.0 * (1.0 + ratio) + rounding {
            return Err(SkipReason::Apart);
        }
        if rounding.is_nan() || rounding > MAX_ROUNDING * ratio.min(1.0) {
            return Err(SkipReason::Unlike);
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
            margin: ROUNDING * largest as f32 + rounding as f32,
        })
    }

    /// A node of the first tree.
    #[inline(always)]
    pub(super) fn first(&self, node: &AverageNode, at: u32) -> PlacedBox {
        let [[x, y, z], [u, v, w]] = [node.center(), node.half()].map(|v| v.to_array());
        let half_b = turned(&self.back_abs, u, v, w);
        let [inverse_thin, inverse_long, density] = quotients([u, v, w], half_b);
        PlacedBox {
            center: Vec4::new(x, y, z, 0.0),
            half: Vec4::new(u, v, w, 0.0),
            center_b: turned(&self.back, x, y, z),
            half_b,
            node: at,
            cells: node.cells() as f32,
            depth: node.depth() as f32,
            inverse_edge: node.inverse_edge(),
            inverse_thin,
            inverse_long,
            density,
            is_leaf: node.is_leaf(),
            has_gaps: node.has_gaps(),
        }
    }

    /// Transforms a node of the second tree.
    #[inline(always)]
    pub(super) fn second(&self, node: &AverageNode, at: u32) -> PlacedBox {
        let [[x, y, z], [u, v, w]] = [node.center(), node.half()].map(|v| v.to_array());
        let (half, half_b) = (
            turned(&self.scaled_abs, u, v, w),
            Vec4::new(u, v, w, 0.0) * self.ratio,
        );
        let [inverse_thin, inverse_long, density] = quotients([half_b.x, half_b.y, half_b.z], half);
        PlacedBox {
            center: turned(&self.scaled, x, y, z) + self.shift,
            half,
            center_b: Vec4::new(x, y, z, 0.0) * self.ratio + self.shift_b,
            half_b,
            node: at,
            cells: node.cells() as f32,
            depth: node.depth() as f32,
            inverse_edge: node.inverse_edge() * self.inverse_ratio,
            inverse_thin,
            inverse_long,
            density,
            is_leaf: node.is_leaf(),
            has_gaps: node.has_gaps(),
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

    /// The volumes that the boxes along the axes of the first tree and of the second share; none when they are apart.
    #[inline(always)]
    pub(super) fn shared(&self, a: &PlacedBox, b: &PlacedBox) -> Option<SharedBox> {
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
        Some(SharedBox {
            along_a: common.x * common.y * common.z,
            along_b: common_b.x * common_b.y * common_b.z,
        })
    }
}

/// What two boxes share, estimated by the boxes around them along the axes of each tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedBox {
    along_a: f32,
    along_b: f32,
}

/// A turned box is about so many times smaller than the box around it.
pub(super) const TURNED: f32 = 2.6;

impl SharedBox {
    /// Upper bound on the overlap volume.
    #[inline(always)]
    pub(super) fn slabs(&self) -> f32 {
        self.along_a.min(self.along_b)
    }

    /// How much of the strip in which two walls as large as the boxes would cross is common, if the surface of each box is spread over the box around it; at
    /// most all. Boxes with gaps are not walls: for them it is at most what cubes of the same volumes would have.
    #[inline(always)]
    pub(super) fn strip(&self, a: &PlacedBox, b: &PlacedBox) -> f32 {
        let spread = TURNED * (self.along_a * b.density).min(self.along_b * a.density);
        let longest = a.inverse_long.max(b.inverse_long);
        let strip = (spread * (a.inverse_thin * b.inverse_thin * longest)).min(TURNED);
        if a.has_gaps || b.has_gaps {
            strip.min(self.slabs() * as_cubes(a, b))
        } else {
            strip
        }
    }
}

/// One over the volume in which a sheet through the larger of two cubes is cut up as the smaller is.
#[inline(always)]
pub(super) fn as_cubes(a: &PlacedBox, b: &PlacedBox) -> f32 {
    let (few, many) = (
        a.inverse_edge.min(b.inverse_edge),
        a.inverse_edge.max(b.inverse_edge),
    );
    few * many * many
}
