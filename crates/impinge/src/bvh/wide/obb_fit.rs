//! Fits oriented boxes to faces.

use glam::{DMat3, DVec3};

use super::layout::{WIDTH, WideNode};
use super::relative_pose::{U, inflate_half};
use crate::math::eigen::{products, symmetric_eigen};
use crate::math::simd::Level;
use crate::math::simd::lanes::{Kernel, Lanes, Mask, dispatch_without_avx512};

/// Area-weighted moments of faces: what their principal axes and mean normal are found from.
///
/// Those of a node are merged from those below it, so that each face is examined once.
#[derive(Clone, Copy, Debug)]
pub(super) struct AreaMoments {
    pub(super) area: f64,
    pub(super) normal: DVec3,
    pub(super) mean: DVec3,
    /// Σ area·(x − mean)(x − mean)ᵀ: xx, yy, zz, then xy, yz, zx.
    pub(super) scatter: [f64; 6],
}

impl AreaMoments {
    pub(super) const NONE: Self = Self {
        area: 0.0,
        normal: DVec3::ZERO,
        mean: DVec3::ZERO,
        scatter: [0.0; 6],
    };

    /// The moments of both together, by the parallel axis theorem: nothing cancels, however far
    /// the faces are from the origin.
    pub(super) fn merged(&self, other: &Self) -> Self {
        if self.area <= 0.0 {
            return *other;
        }
        let area = self.area + other.area;
        let share = other.area / area;
        let d = other.mean - self.mean;
        let weight = self.area * share;
        let [xx, xy, xz, yy, yz, zz] = products(d, d);
        let products = [xx, yy, zz, xy, yz, xz];
        let mut scatter = self.scatter;
        for i in 0..6 {
            scatter[i] += other.scatter[i] + weight * products[i];
        }
        Self {
            area,
            normal: self.normal + other.normal,
            mean: self.mean + d * share,
            scatter,
        }
    }

    fn covariance(&self) -> DMat3 {
        let [xx, yy, zz, xy, yz, zx] = self.scatter;
        DMat3::from_cols(
            DVec3::new(xx, xy, zx),
            DVec3::new(xy, yy, yz),
            DVec3::new(zx, yz, zz),
        )
    }
}

/// An oriented box with axes as they will be stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct FittedObb {
    center: [f32; 3],
    half: DVec3,
    axes: [DVec3; 3],
}

impl FittedObb {
    /// The box around a centre whose corners project to within `half` of it on each axis.
    #[inline(always)]
    fn around(center: [f32; 3], half: DVec3, axes: &[DVec3; 3], slack: f64) -> Self {
        let skew = 16.0 * f64::from(U) * (half.x + half.y + half.z);
        Self {
            center,
            half: half + DVec3::splat(skew + slack),
            axes: *axes,
        }
    }

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

/// Eight points, in `f32`: `[c]` is component `c`.
type PointBlock = [[f32; WIDTH]; 3];

/// Points as the search for good axes sees them: relative to one of them. Kept between fits so that
/// they do not allocate.
#[derive(Clone, Debug, Default)]
pub(super) struct FitScratch {
    /// A lane without a point repeats one.
    blocks: Vec<PointBlock>,
    /// The same in a frame that is being turned.
    turned: Vec<PointBlock>,
    /// Largest magnitude of each component.
    reach: [f32; 3],
}

impl FitScratch {
    /// Takes points `0..count`, which must be at least one.
    fn gather(&mut self, count: usize, point: &impl Fn(usize) -> DVec3) {
        let origin = point(0);
        self.blocks.clear();
        self.reach = [0.0; 3];
        for start in (0..count).step_by(WIDTH) {
            let mut block = [[0.0; WIDTH]; 3];
            for k in 0..WIDTH {
                let p = point((start + k).min(count - 1)) - origin;
                block[0][k] = p.x as f32;
                block[1][k] = p.y as f32;
                block[2][k] = p.z as f32;
            }
            for c in 0..3 {
                for k in 0..WIDTH {
                    self.reach[c] = if block[c][k].abs() > self.reach[c] {
                        block[c][k].abs()
                    } else {
                        self.reach[c]
                    };
                }
            }
            self.blocks.push(block);
        }
    }
}

/// The smallest (by area) of three oriented boxes around points `0..count`: along the principal
/// axes of the faces, along their mean normal, and along the coordinate axes; around few points
/// turned further. Every point is inside, exactly, with `slack` to spare.
///
/// Axes are looked for in lanes, without fused operations, so that trees are the same on every
/// processor. The box along them is that of [`fit_along`].
pub(super) fn fit(
    count: usize,
    point: &impl Fn(usize) -> DVec3,
    moments: &AreaMoments,
    slack: f64,
    level: Level,
    scratch: &mut FitScratch,
) -> FittedObb {
    scratch.gather(count, point);
    let FitScratch { blocks, turned, .. } = scratch;
    let mut frames = [[DVec3::X, DVec3::Y, DVec3::Z]; 3];
    let mut frame_count = 1;
    let covariance = moments.covariance();
    let length = moments.normal.length();
    if length > 1e-6 * moments.area {
        frames[frame_count] = along_normal(moments.normal / length, &covariance);
        frame_count += 1;
    }
    // Few faces that look the same way: their normal is as good as the third principal axis.
    if count > FEW || length < 0.5 * moments.area {
        let principal = symmetric_eigen(&covariance).vectors;
        frames[frame_count] = [principal.x_axis, principal.y_axis, principal.z_axis];
        frame_count += 1;
    }
    let frames = &frames[..frame_count];
    let axes = if count <= REFINED {
        dispatch_without_avx512(
            level,
            TurnSearch {
                blocks: blocks.as_slice(),
                turned,
                frames,
            },
        )
    } else {
        let area = |axes: &[DVec3; 3]| {
            let axes = single(&axes.map(round_axis));
            let d = dispatch_without_avx512(level, AxisRange { blocks, axes })
                .map(|[low, high]| high - low);
            d[0] * d[1] + d[1] * d[2] + d[2] * d[0]
        };
        let (mut best, mut least) = (frames[0], area(&frames[0]));
        for frame in &frames[1..] {
            let area = area(frame);
            if area < least {
                (best, least) = (*frame, area);
            }
        }
        best
    };
    let axes = axes.map(round_axis);
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    if count <= FEW {
        for i in 0..count {
            widen(&axes, point(i), &mut low, &mut high);
        }
        return enclose(&axes, DVec3::from(low), DVec3::from(high), slack);
    }
    let (blocks, reach) = (scratch.blocks.as_slice(), scratch.reach);
    let axes_of = single(&axes);
    let range = dispatch_without_avx512(
        level,
        AxisRange {
            blocks,
            axes: axes_of,
        },
    );
    // A coordinate is off by u of itself, a product and two sums by 3u more: 8u of the sum of
    // the coordinates covers it. Points that in `f32` are farther than twice that from the
    // outermost cannot be the outermost; the others are measured in `f64`.
    let off = 16.0 * U * (reach[0] + reach[1] + reach[2]) + 1e-14;
    let mut extreme = ExtremeSearch {
        blocks,
        axes: axes_of,
        inner: range.map(|[low, high]| [low + off, high - off]),
        next: 0,
    };
    while let Some((block, lanes)) = dispatch_without_avx512(level, &mut extreme) {
        let mut lanes = lanes;
        while lanes != 0 {
            let i = block * WIDTH + lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            if i < count {
                widen(&axes, point(i), &mut low, &mut high);
            }
        }
    }
    enclose(&axes, DVec3::from(low), DVec3::from(high), slack)
}

/// So few points are all measured in `f64`.
const FEW: usize = 24;
/// Boxes around at most this many points are turned to be smaller: those near the leaves, where a
/// search spends its time. A tenth fewer boxes are tested then; for larger ones it does not pay.
const REFINED: usize = 160;
/// Rounds of turning about each of the three axes.
const ROUNDS: usize = 2;
/// Cosine and sine of the turns of each round: 5, 11, 20 and 35 degrees, then 2, 4.5, 9 and 16.
const TURNS: [[(f64, f64); WIDTH / 2]; ROUNDS] = [
    [
        (0.996_194_698_091_745_5, 0.087_155_742_747_658_17),
        (0.981_627_183_447_664, 0.190_808_995_376_544_8),
        (0.939_692_620_785_908_4, 0.342_020_143_325_668_7),
        (0.819_152_044_288_991_8, 0.573_576_436_351_046),
    ],
    [
        (0.999_390_827_019_095_8, 0.034_899_496_702_500_97),
        (0.996_917_333_733_128, 0.078_459_095_727_844_94),
        (0.987_688_340_595_137_8, 0.156_434_465_040_230_87),
        (0.961_261_695_938_318_9, 0.275_637_355_816_999_16),
    ],
];

/// The smallest of the boxes along given frames, turned about each of its axes to whichever of eight
/// angles makes it smallest, and again by smaller angles.
///
/// Lanes are frames or angles here and points come one by one, so that nothing has to be
/// gathered across lanes.
struct TurnSearch<'b> {
    blocks: &'b [PointBlock],
    turned: &'b mut Vec<PointBlock>,
    frames: &'b [[DVec3; 3]],
}

impl Kernel for TurnSearch<'_> {
    type Output = [DVec3; 3];

    #[inline(always)]
    fn run<T: Lanes>(self) -> [DVec3; 3] {
        let infinite = [T::splat(f32::INFINITY), T::splat(f32::NEG_INFINITY)];
        let mut lanes = [[[0.0_f32; WIDTH]; 3]; 3];
        for k in 0..WIDTH {
            let frame = self.frames.get(k).unwrap_or(&self.frames[0]);
            for i in 0..3 {
                for c in 0..3 {
                    lanes[i][c][k] = frame[i][c] as f32;
                }
            }
        }
        let axis = lanes.map(|axis| axis.map(|component| T::load(&component)));
        let mut range = [infinite; 3];
        for block in self.blocks {
            for k in 0..WIDTH {
                let p = [
                    T::splat(block[0][k]),
                    T::splat(block[1][k]),
                    T::splat(block[2][k]),
                ];
                for i in 0..3 {
                    let x = axis[i][0] * p[0] + axis[i][1] * p[1] + axis[i][2] * p[2];
                    range[i] = [x.min(range[i][0]), x.max(range[i][1])];
                }
            }
        }
        let d = range.map(|[low, high]| high - low);
        let (at, mut least) = smallest(d[0] * d[1] + d[1] * d[2] + d[2] * d[0]);
        let mut size = d.map(|d| d.store()[at]);
        let mut axes = *self.frames.get(at).unwrap_or(&self.frames[0]);
        let along_axes = single(&axes);
        self.turned.clear();
        for block in self.blocks {
            let p = load::<T>(block);
            let mut out = [[0.0; WIDTH]; 3];
            for i in 0..3 {
                out[i] = along(&along_axes[i], &p).store();
            }
            self.turned.push(out);
        }
        for turns in rolled(&TURNS[..]) {
            let (mut cos, mut sin) = ([0.0; WIDTH], [0.0; WIDTH]);
            for (k, &(c, s)) in turns.iter().enumerate() {
                (cos[2 * k], sin[2 * k]) = (c as f32, s as f32);
                (cos[2 * k + 1], sin[2 * k + 1]) = (c as f32, -s as f32);
            }
            let (cos, sin) = (T::load(&cos), T::load(&sin));
            for &[axis, i, j] in rolled(&AXES[..]) {
                let mut range = [infinite; 2];
                for block in &*self.turned {
                    for k in 0..WIDTH {
                        let (u, v) = (T::splat(block[i][k]), T::splat(block[j][k]));
                        let (x, y) = (u * cos + v * sin, v * cos - u * sin);
                        range[0] = [x.min(range[0][0]), x.max(range[0][1])];
                        range[1] = [y.min(range[1][0]), y.max(range[1][1])];
                    }
                }
                let [dx, dy] = range.map(|[low, high]| high - low);
                let (at, area) = smallest(dx * dy + (dx + dy) * T::splat(size[axis]));
                if area < least * ENOUGH {
                    least = area;
                    (size[i], size[j]) = (dx.store()[at], dy.store()[at]);
                    let (c, s) = turns[at / 2];
                    let s = if at % 2 == 0 { s } else { -s };
                    (axes[i], axes[j]) = (axes[i] * c + axes[j] * s, axes[j] * c - axes[i] * s);
                    let (cos, sin) = (T::splat(c as f32), T::splat(s as f32));
                    for block in &mut *self.turned {
                        let (u, v) = (T::load(&block[i]), T::load(&block[j]));
                        block[i] = (u * cos + v * sin).store();
                        block[j] = (v * cos - u * sin).store();
                    }
                }
            }
        }
        axes
    }
}

/// An axis and the two that a turn about it moves.
const AXES: [[usize; 3]; 3] = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];

/// What a loop runs over. In the browser the compiler is not told how often that is: six copies of the loops inside are 240 kB to download.
#[inline(always)]
fn rolled<T>(items: &[T]) -> &[T] {
    if cfg!(target_arch = "wasm32") {
        std::hint::black_box(items)
    } else {
        items
    }
}

/// A turn has to make a box smaller by more than rounding does.
const ENOUGH: f32 = 0.9999;

/// The first lane with the smallest number, and the number.
#[inline(always)]
fn smallest<T: Lanes>(x: T) -> (usize, f32) {
    let x = x.store();
    let mut at = 0;
    for k in 1..WIDTH {
        if x[k] < x[at] {
            at = k;
        }
    }
    (at, x[at])
}

/// The box from `low` to `high`, along the coordinate axes.
pub(super) fn fit_upright(low: DVec3, high: DVec3, slack: f64) -> FittedObb {
    // As `enclose` with these axes, whose inverse is themselves.
    let center = ((low + high) * 0.5).to_array().map(|x| x as f32);
    let stored = DVec3::from(center.map(f64::from));
    FittedObb::around(
        center,
        (high - stored).max(stored - low),
        &[DVec3::X, DVec3::Y, DVec3::Z],
        slack,
    )
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
fn load<T: Lanes>(block: &PointBlock) -> [T; 3] {
    [T::load(&block[0]), T::load(&block[1]), T::load(&block[2])]
}

/// Not fused, unlike the one for queries: the same bits everywhere.
#[inline(always)]
fn along<T: Lanes>(axis: &[f32; 3], p: &[T; 3]) -> T {
    T::splat(axis[0]) * p[0] + T::splat(axis[1]) * p[1] + T::splat(axis[2]) * p[2]
}

/// How far the points reach along three axes, down and up.
struct AxisRange<'b> {
    blocks: &'b [PointBlock],
    axes: [[f32; 3]; 3],
}

impl Kernel for AxisRange<'_> {
    type Output = [[f32; 2]; 3];

    #[inline(always)]
    fn run<T: Lanes>(self) -> [[f32; 2]; 3] {
        let mut low = [T::splat(f32::INFINITY); 3];
        let mut high = [T::splat(f32::NEG_INFINITY); 3];
        for block in self.blocks {
            let p = load::<T>(block);
            for i in 0..3 {
                let x = along(&self.axes[i], &p);
                low[i] = x.min(low[i]);
                high[i] = x.max(high[i]);
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

/// Finds the next block with points at or beyond `inner` along one of the axes.
struct ExtremeSearch<'b> {
    blocks: &'b [PointBlock],
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
            let p = load::<T>(block);
            for i in 0..3 {
                let x = along(&self.axes[i], &p);
                let [low, high] = self.inner[i];
                found = found | x.le(T::splat(low)) | T::splat(high).le(x);
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
    FittedObb::around(center, (high - stored).max(stored - low), axes, slack)
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
