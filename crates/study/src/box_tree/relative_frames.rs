//! Two frames, and the margins that make "disjoint" certain.
//!
//! Boxes of `a` are in the frame of `a`, boxes of `b` in the frame of `b`. A [`BoxFrames`]
//! transforms straight lines along the axes of one frame into the other. The computation is
//! rounded, so every plane that may decide "disjoint" is moved back by one `margin`.
//!
//! *What a margin must cover.* Let `u = 2^-53` and `S` be the largest coordinate of both root
//! boxes plus that of the translation, as their sum. The pose is taken as it is, with its real, slightly
//! skew matrix `R`.
//!
//! - Its inverse is computed by cofactors: entries of `R` are at most 1, so a cofactor is off by
//!   3u, the determinant by 8u, an entry of the inverse by less than 16u. Three products with
//!   coordinates: 48u·S. The carried translation: 60u·S.
//! - A line parameter `(c ± margin − t)·i − x·p − y·q` with rounded quotients `i`, `p`, `q` is off by
//!   at most 8u of the sum of the terms' sizes, which is at most `3·S·|i|`: 24u·S, in units of the
//!   clipped coordinate (that is, times `|i|` in the parameter, just as the margin is).
//! - A placed vertex is rounded: each coordinate by at most 8u·S, a point by 14u·S.
//! - A line whose slope against a plane is below [`PARALLEL`]` = 128u` counts as parallel to it: 128u·S.
//!
//! Together 274u·S; [`ROUNDING`] is 320u. Underflow adds less than [`TINY`].
//!
//! *Thick planes.* Faces may stick out of their leaf's box by `thickness` on every side, and so up
//! to √3·`thickness` away from it. If faces of two leaves share a point, their boxes are at most
//! √3·(thickness of a + thickness of b) apart; two convex polytopes at distance d have an edge point
//! of one within d of the other (closest points are two features, and of two parallel faces the
//! closest points can slide to a border). So a margin of 1.75 times the sum, 1e-8 of skewness
//! included, misses nothing.

use glam::{DMat3, DVec3};

use impinge::bound::Aabb;
use impinge::math::Pose;

/// Slopes up to this count as none.
const PARALLEL: f64 = 64.0 * f64::EPSILON;
/// Part of the coordinates' size that planes stand back by.
const ROUNDING: f64 = 160.0 * f64::EPSILON;
/// More than underflow can take away.
const TINY: f64 = 1e-290;
/// √3, and the skewness a pose may have.
const DIAGONAL: f64 = 1.75;

/// The relative pose of two box trees, preprocessed for the tests between their boxes.
///
/// ```
/// use impinge::{bound::Aabb, DVec3, Pose};
/// use impinge_study::box_tree::BoxFrames;
/// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
/// let frames = BoxFrames::new(&Pose::IDENTITY, &unit, &unit, 0.0);
/// assert!(frames.margin() > 0.0 && frames.margin() < 1e-13);
/// ```
#[derive(Clone, Debug)]
pub struct BoxFrames {
    pub(super) a_from_b: Pose,
    /// Lines along the axes of `a`, in the frame of `b`.
    pub(super) a_in_b: CarriedLines,
    /// Lines along the axes of `b`, in the frame of `a`.
    pub(super) b_in_a: CarriedLines,
    /// Directions in the frame of `a` that can separate two boxes.
    pub(super) directions: [SatDirection; 15],
    pub(super) margin: f64,
}

/// Lines along the axes of one frame, seen from another.
#[derive(Clone, Debug)]
pub(super) struct CarriedLines {
    /// `slope[k][f]`: coordinate k gained per unit along axis f.
    slope: [[f64; 3]; 3],
    offset: [f64; 3],
    /// `1 / slope[k][f]`; zero where the line is parallel to the plane.
    inverse: [[f64; 3]; 3],
    /// `ratio[k][f][g]`: `slope[k][g] / slope[k][f]`.
    ratio: [[[f64; 3]; 3]; 3],
    margin: f64,
}

/// A direction and what one unit of each half extent of either box measures along it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SatDirection {
    pub(super) vector: DVec3,
    pub(super) reach_a: DVec3,
    pub(super) reach_b: DVec3,
}

/// Where a plane across axis `k` cuts the four parallel lines of a family.
pub(super) enum LineCrossing {
    /// At these parameters.
    At([f64; 4]),
    /// Nowhere; the lines have these coordinates.
    Parallel([f64; 4]),
}

impl BoxFrames {
    /// The preprocessed pose for boxes inside the root boxes `a` and `b`, whose contents may stick
    /// out by `thickness` in all (0 for none, and for anything that is not a positive number).
    ///
    /// ```
    /// use impinge::{DVec3, Pose, bound::Aabb};
    /// use impinge_study::box_tree::BoxFrames;
    /// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    /// assert!(BoxFrames::new(&Pose::IDENTITY, &unit, &unit, 0.5).margin() > 0.5);
    /// ```
    #[must_use]
    pub fn new(a_from_b: &Pose, a: &Aabb, b: &Aabb, thickness: f64) -> Self {
        let size = largest_coordinate(a)
            + largest_coordinate(b)
            + a_from_b.translation().abs().max_element();
        let thickness = if thickness > 0.0 && thickness.is_finite() {
            thickness
        } else {
            0.0
        };
        let margin = DIAGONAL * thickness + ROUNDING * size + TINY;
        let turn = *a_from_b.rotation();
        let back = inverse(&turn);
        let t = a_from_b.translation();
        Self {
            a_from_b: *a_from_b,
            a_in_b: CarriedLines::new(&back, -(back * t), margin),
            b_in_a: CarriedLines::new(&turn, t, margin),
            directions: directions(&turn),
            margin,
        }
    }

    /// The margin by which every deciding plane is moved back.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, bound::Aabb};
    /// use impinge_study::box_tree::BoxFrames;
    /// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    /// assert!(BoxFrames::new(&Pose::IDENTITY, &unit, &unit, 0.0).margin() < 1e-13);
    /// ```
    #[must_use]
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// The same frames with another margin; a negative one makes "overlapping" the promise.
    pub(super) fn with_margin(&self, margin: f64) -> Self {
        let mut frames = self.clone();
        frames.margin = margin;
        frames.a_in_b.margin = margin;
        frames.b_in_a.margin = margin;
        frames
    }

    /// The box around a box of `a`, in the frame of `b`.
    pub(super) fn a_box_in_b(&self, a: &Aabb) -> Aabb {
        self.a_in_b.box_around(a)
    }
}

impl CarriedLines {
    fn new(matrix: &DMat3, offset: DVec3, margin: f64) -> Self {
        let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        let mut slope = [[0.0; 3]; 3];
        let mut inverse = [[0.0; 3]; 3];
        let mut ratio = [[[0.0; 3]; 3]; 3];
        for k in 0..3 {
            for f in 0..3 {
                slope[k][f] = columns[f][k];
            }
            for f in 0..3 {
                if slope[k][f].abs() > PARALLEL {
                    inverse[k][f] = 1.0 / slope[k][f];
                    for g in 0..3 {
                        ratio[k][f][g] = slope[k][g] * inverse[k][f];
                    }
                }
            }
        }
        Self {
            slope,
            offset: offset.to_array(),
            inverse,
            ratio,
            margin,
        }
    }

    /// Where the plane at `coordinate` across axis `k`, moved outward by the margin, cuts the lines
    /// along axis `f` through the corners of the box from `min` to `max`.
    ///
    /// Line `i` runs through `max` instead of `min` on the lower of the two other axes if bit 0 is
    /// set, on the higher if bit 1 is.
    #[inline]
    pub(super) fn crossing(
        &self,
        f: usize,
        k: usize,
        coordinate: f64,
        min: &[f64; 3],
        max: &[f64; 3],
    ) -> LineCrossing {
        let [g, h] = OTHERS[f];
        let inverse = self.inverse[k][f];
        if inverse == 0.0 {
            let [sg, sh] = [self.slope[k][g], self.slope[k][h]];
            let base = self.offset[k];
            let (g0, g1) = (base + sg * min[g], base + sg * max[g]);
            let (h0, h1) = (sh * min[h], sh * max[h]);
            return LineCrossing::Parallel([g0 + h0, g1 + h0, g0 + h1, g1 + h1]);
        }
        let [rg, rh] = [self.ratio[k][f][g], self.ratio[k][f][h]];
        let base = (coordinate - self.offset[k]) * inverse;
        let (g0, g1) = (base - rg * min[g], base - rg * max[g]);
        let (h0, h1) = (rh * min[h], rh * max[h]);
        LineCrossing::At([g0 - h0, g1 - h0, g0 - h1, g1 - h1])
    }

    /// Whether lines along axis `f` leave a half-space below a plane across `k` as they go up.
    #[inline]
    pub(super) fn rises(&self, f: usize, k: usize) -> bool {
        self.slope[k][f] > 0.0
    }

    #[inline]
    pub(super) fn margin(&self) -> f64 {
        self.margin
    }

    fn box_around(&self, of: &Aabb) -> Aabb {
        let mut found = Aabb::EMPTY;
        for k in 0..3 {
            let (mut low, mut high) = (self.offset[k], self.offset[k]);
            for f in 0..3 {
                let (p, q) = (self.slope[k][f] * of.min[f], self.slope[k][f] * of.max[f]);
                low += p.min(q);
                high += p.max(q);
            }
            found.min[k] = low;
            found.max[k] = high;
        }
        found
    }
}

/// The two other axes of each axis, ascending.
pub(super) const OTHERS: [[usize; 2]; 3] = [[1, 2], [0, 2], [0, 1]];

fn largest_coordinate(of: &Aabb) -> f64 {
    of.min.abs().max_element().max(of.max.abs().max_element())
}

/// The inverse by cofactors; the matrix is a rotation up to 1e-9.
fn inverse(m: &DMat3) -> DMat3 {
    let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis];
    let rows = [y.cross(z), z.cross(x), x.cross(y)];
    let determinant = x.dot(rows[0]);
    DMat3::from_cols(
        rows[0] / determinant,
        rows[1] / determinant,
        rows[2] / determinant,
    )
    .transpose()
}

/// Three axes of `a`, three of `b`, and their nine cross products, with what they measure.
fn directions(turn: &DMat3) -> [SatDirection; 15] {
    let of_a = [DVec3::X, DVec3::Y, DVec3::Z];
    let of_b = [turn.x_axis, turn.y_axis, turn.z_axis];
    let mut all = [SatDirection::default(); 15];
    for i in 0..3 {
        all[i].vector = of_a[i];
        all[3 + i].vector = of_b[i];
        for j in 0..3 {
            all[6 + 3 * i + j].vector = of_a[i].cross(of_b[j]);
        }
    }
    for direction in &mut all {
        direction.reach_a = direction.vector.abs();
        direction.reach_b = DVec3::from_array(of_b.map(|axis| axis.dot(direction.vector).abs()));
    }
    all
}
