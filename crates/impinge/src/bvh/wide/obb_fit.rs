//! Oriented boxes around faces.

use glam::{DMat3, DVec3};

use super::layout::{WIDTH, WideNode};
use super::relative_pose::{U, inflate_half};
use crate::math::eigen::symmetric_eigen;
use crate::math::simd::Level;
use crate::math::simd::lanes::{Kernel, Lanes, Mask, dispatch};

/// Area-weighted moments of faces.
#[derive(Clone, Copy, Debug)]
struct AreaMoments {
    area: f64,
    normal: DVec3,
    covariance: DMat3,
}

/// An oriented box with axes as they will be stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct FittedObb {
    center: [f32; 3],
    half: DVec3,
    axes: [DVec3; 3],
}

impl FittedObb {
    /// Largest distance of a point of the box from the frame's origin.
    pub(super) fn reach(&self) -> f64 {
        DVec3::from(self.center.map(f64::from)).length() + self.half.length() * 1.001
    }

    /// Puts the box into lane `k`.
    pub(super) fn store(&self, node: &mut WideNode, k: usize, child: u32) {
        let half = inflate_half(self.half);
        for c in 0..3 {
            node.center[c][k] = self.center[c];
            node.half[c][k] = half[c];
            for i in 0..3 {
                // The axes were rounded to f32 before the extents were taken, so this is exact.
                node.axis[i][c][k] = self.axes[i][c] as f32;
            }
        }
        node.child[k] = child;
        const _: () = assert!(WIDTH == 8);
    }
}

/// Faces as the search for good axes sees them: eight by eight, in `f32`, relative to one of their
/// corners. Kept between fits so that they do not allocate.
#[derive(Clone, Debug, Default)]
pub(super) struct FitScratch {
    /// `[v][c]` is component `c` of corner `v`; a lane without a face repeats one.
    blocks: Vec<[[[f32; WIDTH]; 3]; 3]>,
}

impl FitScratch {
    /// Takes faces `0..count`, which must be at least one.
    fn gather(&mut self, count: usize, face: &impl Fn(usize) -> [DVec3; 3]) {
        let origin = face(0)[0];
        self.blocks.clear();
        let mut block = [[[0.0; WIDTH]; 3]; 3];
        for i in 0..count {
            let k = i % WIDTH;
            let corners = face(i);
            for v in 0..3 {
                let p = corners[v] - origin;
                block[v][0][k] = p.x as f32;
                block[v][1][k] = p.y as f32;
                block[v][2][k] = p.z as f32;
            }
            if i + 1 == count {
                for lane in k + 1..WIDTH {
                    for corner in block.as_flattened_mut() {
                        corner[lane] = corner[k];
                    }
                    // No area, so no weight.
                    block[1] = keep(block[1], &block[0], lane);
                    block[2] = keep(block[2], &block[0], lane);
                }
            }
            if k + 1 == WIDTH || i + 1 == count {
                self.blocks.push(block);
            }
        }
    }
}

/// A corner with one lane replaced by that of another.
fn keep(
    mut corner: [[f32; WIDTH]; 3],
    other: &[[f32; WIDTH]; 3],
    lane: usize,
) -> [[f32; WIDTH]; 3] {
    for c in 0..3 {
        corner[c][lane] = other[c][lane];
    }
    corner
}

/// The smallest (by area) of three oriented boxes around faces `0..count`: along their principal
/// axes, along their mean normal, and along the coordinate axes; around few faces turned further.
/// Every corner is inside, exactly, with `slack` to spare.
///
/// Axes are looked for in lanes, without fused operations, so that trees are the same on every
/// processor. The box along them is that of [`fit_along`].
pub(super) fn fit(
    count: usize,
    face: &impl Fn(usize) -> [DVec3; 3],
    slack: f64,
    level: Level,
    scratch: &mut FitScratch,
) -> FittedObb {
    scratch.gather(count, face);
    let blocks = scratch.blocks.as_slice();
    let (moments, reach) = dispatch(level, ScaledMoments { blocks });
    let mut frames = [[DVec3::X, DVec3::Y, DVec3::Z]; 3];
    let mut frame_count = 1;
    let principal = symmetric_eigen(&moments.covariance).vectors;
    frames[frame_count] = [principal.x_axis, principal.y_axis, principal.z_axis];
    frame_count += 1;
    let length = moments.normal.length();
    if length > 1e-6 * moments.area {
        frames[frame_count] = along_normal(moments.normal / length, &moments.covariance);
        frame_count += 1;
    }
    let frames = frames.map(|frame| frame.map(round_axis));
    let mut best = Tried::new(blocks, frames[0], level);
    for frame in &frames[1..frame_count] {
        best.offer(Tried::new(blocks, *frame, level));
    }
    if count <= REFINED {
        best = refined(best, blocks, level);
    }
    let Tried { axes, range, .. } = best;
    // A coordinate is off by u of itself, a product and two sums by 3u more: 8u of the sum of
    // the coordinates covers it. Corners that in `f32` are farther than twice that from the
    // outermost cannot be the outermost; the others are measured in `f64`.
    let off = 16.0 * U * (reach[0] + reach[1] + reach[2]) + 1e-14;
    let mut extreme = ExtremeSearch {
        blocks,
        axes: single(&axes),
        inner: range.map(|[low, high]| [low + off, high - off]),
        next: 0,
    };
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    while let Some((block, lanes)) = dispatch(level, &mut extreme) {
        let mut lanes = lanes;
        while lanes != 0 {
            let i = block * WIDTH + lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            if i < count {
                for p in face(i) {
                    widen(&axes, p, &mut low, &mut high);
                }
            }
        }
    }
    enclose(&axes, DVec3::from(low), DVec3::from(high), slack)
}

/// Axes, how far the corners reach along them, and half the surface of the box.
#[derive(Clone, Copy)]
struct Tried {
    axes: [DVec3; 3],
    range: [[f32; 2]; 3],
    area: f32,
}

impl Tried {
    fn new(blocks: &[[[[f32; WIDTH]; 3]; 3]], axes: [DVec3; 3], level: Level) -> Self {
        let axes_of = single(&axes);
        let range = dispatch(
            level,
            AxisRange {
                blocks,
                axes: axes_of,
            },
        );
        let d = range.map(|[low, high]| high - low);
        Self {
            axes,
            range,
            area: d[0] * d[1] + d[1] * d[2] + d[2] * d[0],
        }
    }

    /// Takes the other if its box is smaller.
    fn offer(&mut self, other: Self) -> bool {
        let is_smaller = other.area < self.area;
        if is_smaller {
            *self = other;
        }
        is_smaller
    }
}

/// Boxes around at most this many faces are turned to be smaller: those near the leaves, where a
/// search spends its time. A tenth fewer boxes are tested then; for larger ones it does not pay.
const REFINED: usize = 128;
/// Cosine and sine of the turns that are tried: 24, 12 and 6 degrees.
const TURNS: [(f64, f64); 3] = [
    (0.913_545_457_642_600_9, 0.406_736_643_075_800_2),
    (0.978_147_600_733_805_6, 0.207_911_690_817_759_34),
    (0.994_521_895_368_273_3, 0.104_528_463_267_653_46),
];

/// Turns a box about each of its axes, this way or that, as long as it becomes smaller.
fn refined(start: Tried, blocks: &[[[[f32; WIDTH]; 3]; 3]], level: Level) -> Tried {
    let mut best = start;
    for (cos, sin) in TURNS {
        for axis in 0..3 {
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            for sin in [sin, -sin] {
                let mut axes = best.axes;
                axes[i] = round_axis(best.axes[i] * cos + best.axes[j] * sin);
                axes[j] = round_axis(best.axes[j] * cos - best.axes[i] * sin);
                if best.offer(Tried::new(blocks, axes, level)) {
                    break;
                }
            }
        }
    }
    // Each turn has rounded the axes: they must end as orthogonal as one rounding leaves them.
    let [x, y, z] = best.axes;
    let x = x.normalize();
    let third = x.cross(y).normalize();
    let third = if third.dot(z) < 0.0 { -third } else { third };
    let second = third.cross(x).normalize();
    let second = if second.dot(y) < 0.0 { -second } else { second };
    Tried::new(blocks, [x, second, third].map(round_axis), level)
}

/// The box from `low` to `high`, along the coordinate axes.
pub(super) fn fit_upright(low: DVec3, high: DVec3, slack: f64) -> FittedObb {
    enclose(&[DVec3::X, DVec3::Y, DVec3::Z], low, high, slack)
}

#[inline(always)]
fn widen(axes: &[DVec3; 3], p: DVec3, low: &mut [f64; 3], high: &mut [f64; 3]) {
    for i in 0..3 {
        let x = axes[i].dot(p);
        low[i] = if x < low[i] { x } else { low[i] };
        high[i] = if x > high[i] { x } else { high[i] };
    }
}

/// Axes that were rounded to `f32` before.
fn single(axes: &[DVec3; 3]) -> [[f32; 3]; 3] {
    axes.map(|axis| [axis.x as f32, axis.y as f32, axis.z as f32])
}

#[inline(always)]
fn corner<T: Lanes>(block: &[[[f32; WIDTH]; 3]; 3], v: usize) -> [T; 3] {
    [
        T::load(&block[v][0]),
        T::load(&block[v][1]),
        T::load(&block[v][2]),
    ]
}

/// Not fused, unlike the one for queries: the same bits everywhere.
#[inline(always)]
fn along<T: Lanes>(axis: &[f32; 3], p: &[T; 3]) -> T {
    T::splat(axis[0]) * p[0] + T::splat(axis[1]) * p[1] + T::splat(axis[2]) * p[2]
}

#[inline(always)]
fn total<T: Lanes>(x: T) -> f64 {
    let x = x.store();
    let mut sum = 0.0;
    for k in 0..WIDTH {
        sum += f64::from(x[k]);
    }
    sum
}

/// The moments of faces, in units of their largest coordinate; and the largest magnitude of each.
struct ScaledMoments<'b> {
    blocks: &'b [[[[f32; WIDTH]; 3]; 3]],
}

impl Kernel for ScaledMoments<'_> {
    type Output = (AreaMoments, [f32; 3]);

    #[inline(always)]
    fn run<T: Lanes>(self) -> (AreaMoments, [f32; 3]) {
        let zero = T::splat(0.0);
        let mut most = [zero; 3];
        for block in self.blocks {
            for v in 0..3 {
                for c in 0..3 {
                    most[c] = T::load(&block[v][c]).abs().max(most[c]);
                }
            }
        }
        let mut reach = [0.0_f32; 3];
        for c in 0..3 {
            let lanes = most[c].store();
            for k in 0..WIDTH {
                reach[c] = reach[c].max(lanes[k]);
            }
        }
        let largest = reach[0].max(reach[1]).max(reach[2]);
        let unit = if largest > 1e-30 { 1.0 / largest } else { 1.0 };
        let unit = T::splat(unit);
        let (mut area, mut first, mut normal) = (zero, [zero; 3], [zero; 3]);
        let (mut squares, mut products) = ([zero; 3], [zero; 3]);
        for block in self.blocks {
            let (mut p, mut q, mut r) = (
                corner::<T>(block, 0),
                corner::<T>(block, 1),
                corner::<T>(block, 2),
            );
            let (mut s, mut e, mut f) = ([zero; 3], [zero; 3], [zero; 3]);
            for c in 0..3 {
                p[c] = p[c] * unit;
                q[c] = q[c] * unit;
                r[c] = r[c] * unit;
                s[c] = p[c] + q[c] + r[c];
                e[c] = q[c] - p[c];
                f[c] = r[c] - p[c];
            }
            let n = [
                e[1] * f[2] - e[2] * f[1],
                e[2] * f[0] - e[0] * f[2],
                e[0] * f[1] - e[1] * f[0],
            ];
            // A touch of weight for faces without area, so that a mesh of them has a box too.
            let a = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt() + T::splat(1e-9);
            area = area + a;
            for c in 0..3 {
                let d = (c + 1) % 3;
                first[c] = first[c] + s[c] * a;
                normal[c] = normal[c] + n[c];
                let square = s[c] * s[c] + p[c] * p[c] + q[c] * q[c] + r[c] * r[c];
                squares[c] = squares[c] + square * a;
                let product = s[c] * s[d] + p[c] * p[d] + q[c] * q[d] + r[c] * r[d];
                products[c] = products[c] + product * a;
            }
        }
        let area = total(area);
        let mean = DVec3::new(total(first[0]), total(first[1]), total(first[2])) / (3.0 * area);
        let w = 1.0 / (12.0 * area);
        let (xx, yy, zz) = (total(squares[0]), total(squares[1]), total(squares[2]));
        let (xy, yz, zx) = (total(products[0]), total(products[1]), total(products[2]));
        let covariance = DMat3::from_cols(
            DVec3::new(xx, xy, zx) * w - mean * mean.x,
            DVec3::new(xy, yy, yz) * w - mean * mean.y,
            DVec3::new(zx, yz, zz) * w - mean * mean.z,
        );
        let moments = AreaMoments {
            area,
            normal: DVec3::new(total(normal[0]), total(normal[1]), total(normal[2])),
            covariance,
        };
        (moments, reach)
    }
}

/// How far the corners reach along three axes, down and up.
struct AxisRange<'b> {
    blocks: &'b [[[[f32; WIDTH]; 3]; 3]],
    axes: [[f32; 3]; 3],
}

impl Kernel for AxisRange<'_> {
    type Output = [[f32; 2]; 3];

    #[inline(always)]
    fn run<T: Lanes>(self) -> [[f32; 2]; 3] {
        let mut low = [T::splat(f32::INFINITY); 3];
        let mut high = [T::splat(f32::NEG_INFINITY); 3];
        for block in self.blocks {
            for v in 0..3 {
                let p = corner::<T>(block, v);
                for i in 0..3 {
                    let x = along(&self.axes[i], &p);
                    low[i] = x.min(low[i]);
                    high[i] = x.max(high[i]);
                }
            }
        }
        let mut range = [[f32::INFINITY, f32::NEG_INFINITY]; 3];
        for i in 0..3 {
            let (low, high) = (low[i].store(), high[i].store());
            for k in 0..WIDTH {
                range[i][0] = range[i][0].min(low[k]);
                range[i][1] = range[i][1].max(high[k]);
            }
        }
        range
    }
}

/// Finds the next block with faces that have a corner at or beyond `inner` along one of the axes.
struct ExtremeSearch<'b> {
    blocks: &'b [[[[f32; WIDTH]; 3]; 3]],
    axes: [[f32; 3]; 3],
    inner: [[f32; 2]; 3],
    next: usize,
}

impl Kernel for &mut ExtremeSearch<'_> {
    type Output = Option<(usize, u32)>;

    #[inline(always)]
    fn run<T: Lanes>(self) -> Option<(usize, u32)> {
        while let Some(block) = self.blocks.get(self.next) {
            self.next += 1;
            let mut found = T::splat(1.0).lt(T::splat(0.0));
            for v in 0..3 {
                let p = corner::<T>(block, v);
                for i in 0..3 {
                    let x = along(&self.axes[i], &p);
                    let [low, high] = self.inner[i];
                    found = found | x.le(T::splat(low)) | T::splat(high).le(x);
                }
            }
            let lanes = found.bits();
            if lanes != 0 {
                return Some((self.next - 1, lanes));
            }
        }
        None
    }
}

/// The box around the faces along axes that were fitted before, and rounded to `f32`.
pub(super) fn fit_along(
    axes: &[DVec3; 3],
    faces: &(impl Iterator<Item = [DVec3; 3]> + Clone),
    slack: f64,
) -> FittedObb {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for face in faces.clone() {
        for p in face {
            for i in 0..3 {
                let x = axes[i].dot(p);
                low[i] = if x < low[i] { x } else { low[i] };
                high[i] = if x > high[i] { x } else { high[i] };
            }
        }
    }
    enclose(axes, DVec3::from(low), DVec3::from(high), slack)
}

/// The box with these axes around points whose projections on the axes lie in `low..high`.
fn enclose(axes: &[DVec3; 3], low: DVec3, high: DVec3, slack: f64) -> FittedObb {
    // Solve for the point whose projections are the middle ones: the axes are orthonormal only
    // up to rounding, so the transpose is not the inverse.
    let projections = DMat3::from_cols(axes[0], axes[1], axes[2]).transpose();
    let middle = (low + high) * 0.5;
    let center = projections.inverse() * middle;
    let center = center.to_array().map(|x| x as f32);
    let stored = projections * DVec3::from(center.map(f64::from));
    // Projections x − stored are Σ sⱼ·(axisᵢ·axisⱼ); with axes orthonormal within 4u, the
    // coordinate s differs from the projection by at most 13u of their sum.
    let half = (high - stored).max(stored - low);
    let skew = 16.0 * f64::from(U) * (half.x + half.y + half.z);
    FittedObb {
        center,
        half: half + DVec3::splat(skew + slack),
        axes: *axes,
    }
}

/// An orthonormal frame: the normal, and the principal directions of what lies across it.
fn along_normal(normal: DVec3, covariance: &DMat3) -> [DVec3; 3] {
    let (e, f) = normal.any_orthonormal_pair();
    let (ce, cf) = (*covariance * e, *covariance * f);
    let (xx, xy, yy) = (e.dot(ce), e.dot(cf), f.dot(cf));
    // The angle of the larger eigenvector of a symmetric 2×2 matrix, by a tangent half-angle.
    let (dx, dy) = (xx - yy, 2.0 * xy);
    let r = (dx * dx + dy * dy).sqrt();
    let (cosine, sine) = if r > 0.0 {
        let c = ((1.0 + dx / r) * 0.5).max(0.0).sqrt();
        let s = ((1.0 - dx / r) * 0.5).max(0.0).sqrt();
        (c, if dy < 0.0 { -s } else { s })
    } else {
        (1.0, 0.0)
    };
    let major = e * cosine + f * sine;
    [normal, major, normal.cross(major)]
}

fn round_axis(axis: DVec3) -> DVec3 {
    DVec3::new(
        f64::from(axis.x as f32),
        f64::from(axis.y as f32),
        f64::from(axis.z as f32),
    )
}
