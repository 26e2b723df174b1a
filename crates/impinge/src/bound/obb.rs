//! OBB: oriented bounding box.
//!
//! **Question.** Do two boxes, each along axes of its own, share a point?
//! **Idea.** Boxes are disjoint exactly when they are apart along one of 15 directions: the three axes of each, and the
//! nine cross products. Any direction proves disjointness, so only the projections need a margin, never the directions.
//! **Source.** Gottschalk, Lin, Manocha, *OBBTree*, 1996.
//! **Cost.** 54 multiplications for the relative axes, then at most 15 comparisons of sums; most disjoint pairs end
//! at one of the first six.
//! **Promise.** That of [`BoundingVolume`]. Nearly parallel edges cannot prove a false separation: each scalar product of two axes
//! is taken larger by a slack that exceeds all its errors, so the radii are never too small.

use glam::DVec3;

use super::bounding_volume::{PaddedPose, SKEW, coordinate_sum, margin};
use super::fit_axes::{
    Axes, COORDINATE_AXES, CandidateFrames, along, fitted_to_frames, projections,
};
use super::{Aabb, BoundingVolume};
use crate::math::Pose;

/// Less than what rounding can make of the sum of a gap's squares.
const ROUND_DOWN: f64 = 1.0 - 16.0 * f64::EPSILON;

/// A box along axes of its own, borders included.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "OBB")]
#[doc(alias = "oriented bounding box")]
pub struct Obb {
    center: DVec3,
    axes: Axes,
    half: DVec3,
    /// The largest coordinate sum of a point inside, about.
    reach: f64,
}

impl Obb {
    /// The middle.
    ///
    /// ```
    /// use impinge::{DVec3, bound::{BoundingVolume, Obb}};
    /// let rod = Obb::enclosing(&[DVec3::NEG_X, DVec3::X]);
    /// assert!(rod.center().length() < 1e-9);
    /// ```
    #[must_use]
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// The unit axes.
    ///
    /// ```
    /// use impinge::{DVec3, bound::{BoundingVolume, Obb}};
    /// let rod = Obb::enclosing(&[DVec3::NEG_X, DVec3::X]);
    /// assert!(rod.axes().iter().all(|axis| (axis.length() - 1.0).abs() < 1e-9));
    /// ```
    #[must_use]
    pub fn axes(&self) -> [DVec3; 3] {
        self.axes
    }

    /// Half the side lengths, along the axes.
    ///
    /// ```
    /// use impinge::{DVec3, bound::{BoundingVolume, Obb}};
    /// let rod = Obb::enclosing(&[DVec3::NEG_X, DVec3::X]);
    /// assert!((rod.half_extent().max_element() - 1.0).abs() < 1e-9);
    /// ```
    #[must_use]
    pub fn half_extent(&self) -> DVec3 {
        self.half
    }

    /// The smallest box along one of the candidate frames.
    pub(super) fn smallest(points: &[DVec3], frames: &CandidateFrames) -> Self {
        let origin = points.first().copied().unwrap_or_default();
        let mut best: Option<(f64, Axes, DVec3)> = None;
        for axes in frames.all() {
            let (low, high) = projections(points, origin, axes);
            let area = half_area((high - low) * 0.5);
            if best.is_none_or(|(least, ..)| area < least) {
                best = Some((area, *axes, (low + high) * 0.5));
            }
        }
        let (axes, middle) = match best {
            Some((_, axes, middle)) if middle.is_finite() => (axes, middle),
            _ => (COORDINATE_AXES, DVec3::ZERO),
        };
        let center = origin + axes[0] * middle.x + axes[1] * middle.y + axes[2] * middle.z;
        Self::about(points, center, axes)
    }

    /// The box with this centre and these axes around the points.
    fn about(points: &[DVec3], center: DVec3, axes: Axes) -> Self {
        // Measured from the centre as stored, so that errors are relative to the extent and not to the place.
        let mut half = DVec3::ZERO;
        for &p in points {
            half = half.max(along(&axes, p - center).abs());
        }
        // Axes are orthonormal within a few units of rounding: the coordinates of a point differ from its projections by as much of
        // their sum.
        half += DVec3::splat(32.0 * f64::EPSILON * coordinate_sum(half) + f64::MIN_POSITIVE);
        Self {
            center,
            axes,
            half,
            reach: coordinate_sum(center) + 2.0 * coordinate_sum(half),
        }
    }

    /// A box around this one at the given pose, widened by `by` on every side. It keeps its axes,
    /// rotated.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, bound::{BoundingVolume, Obb}};
    /// let rod = Obb::enclosing(&[DVec3::NEG_X, DVec3::X]);
    /// let upright = Pose::from_axis_angle(DVec3::Y, 0.5 * std::f64::consts::PI, [0.0, 5.0, 0.0])?;
    /// let placed = rod.placed(&upright, 0.25);
    /// assert!(placed.contains(DVec3::new(0.25, 5.0, 1.0)) && !placed.contains(DVec3::new(0.5, 5.0, 0.0)));
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[must_use]
    pub fn placed(&self, pose: &Pose, by: f64) -> Self {
        let center = pose.transform_point(self.center);
        let wide = self.half + DVec3::splat(by.max(0.0));
        let size = coordinate_sum(center) + coordinate_sum(pose.translation()) + self.reach;
        // A rotation within tolerance leaves the axes nearly perpendicular, and a placed point is rounded.
        let room = SKEW * coordinate_sum(wide) + margin(size + coordinate_sum(wide));
        let half = wide + DVec3::splat(room);
        Self {
            center,
            axes: self.axes.map(|axis| pose.transform_vector(axis)),
            half,
            reach: coordinate_sum(center) + 2.0 * coordinate_sum(half),
        }
    }

    /// The eight corners, rounded.
    ///
    /// ```
    /// use impinge::{DVec3, bound::{BoundingVolume, Obb}};
    /// let rod = Obb::enclosing(&[DVec3::NEG_X, DVec3::X]);
    /// assert!((rod.corners()[0] - rod.corners()[7]).length() > 1.999);
    /// ```
    #[must_use]
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|i| {
            let side = |k: usize| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
            self.center
                + self.axes[0] * (side(0) * self.half.x)
                + self.axes[1] * (side(1) * self.half.y)
                + self.axes[2] * (side(2) * self.half.z)
        })
    }
}

impl From<Aabb> for Obb {
    /// The same box, with a little room for rounding.
    ///
    /// ```
    /// use impinge::{DVec3, bound::{Aabb, BoundingVolume, Obb}};
    /// let cube = Obb::from(Aabb { min: DVec3::ZERO, max: DVec3::ONE });
    /// assert!(cube.contains(DVec3::ONE) && !cube.contains(DVec3::X * 1.001));
    /// ```
    fn from(aabb: Aabb) -> Self {
        let center = aabb.min * 0.5 + aabb.max * 0.5;
        Self::about(&[aabb.min, aabb.max], center, COORDINATE_AXES)
    }
}

/// A quarter of a box's surface area: half a fourth of what [`Aabb::surface_area`] says of full lengths.
fn half_area(half: DVec3) -> f64 {
    half.x * half.y + half.y * half.z + half.z * half.x
}

impl BoundingVolume for Obb {
    fitted_to_frames!("obb");

    fn union(&self, other: &Self) -> Self {
        let mut corners = [DVec3::ZERO; 16];
        corners[..8].copy_from_slice(&self.corners());
        corners[8..].copy_from_slice(&other.corners());
        let mut both = Self::enclosing(&corners);
        // The corners are rounded.
        both.half += DVec3::splat(margin(self.reach.max(other.reach)));
        both.reach = self.reach + other.reach;
        both
    }

    fn contains(&self, p: DVec3) -> bool {
        let spare = 16.0 * f64::EPSILON * coordinate_sum(self.half) + f64::MIN_POSITIVE;
        let s = along(&self.axes, p - self.center).abs();
        s.cmple(self.half + DVec3::splat(spare)).all()
    }

    #[inline]
    fn overlaps(&self, other: &Self, relative: &PaddedPose) -> bool {
        let margin = margin(self.reach + other.reach + relative.size);
        let offset = relative.point(other.center) - self.center;
        let carried = other.axes.map(|axis| relative.vector(axis));
        let (a, b) = (self.half.to_array(), other.half.to_array());
        // Component i of the offset and row i of the relative axes, tested as soon as known.
        let mut t = [0.0; 3];
        let mut r = [[0.0; 3]; 3];
        let mut abs = [[0.0; 3]; 3];
        for i in 0..3 {
            let axis = self.axes[i];
            t[i] = axis.dot(offset);
            for j in 0..3 {
                r[i][j] = axis.dot(carried[j]);
                abs[i][j] = r[i][j].abs() + SKEW;
            }
            let radius = a[i] + b[0] * abs[i][0] + b[1] * abs[i][1] + b[2] * abs[i][2];
            if t[i].abs() > radius + margin {
                return false;
            }
        }
        let skew = SKEW * (b[0] + b[1] + b[2]) + margin;
        for j in 0..3 {
            let distance = t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j];
            let radius = b[j] + a[0] * abs[0][j] + a[1] * abs[1][j] + a[2] * abs[2][j];
            if distance.abs() > radius + skew {
                return false;
            }
        }
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
                let distance = t[i2] * r[i1][j] - t[i1] * r[i2][j];
                let radius = a[i1] * abs[i2][j]
                    + a[i2] * abs[i1][j]
                    + b[j1] * abs[i][j2]
                    + b[j2] * abs[i][j1];
                if distance.abs() > radius + skew {
                    return false;
                }
            }
        }
        true
    }

    #[inline]
    fn distance_at_least(&self, other: &Self, relative: &PaddedPose) -> f64 {
        let margin = margin(self.reach + other.reach + relative.size);
        let offset = relative.point(other.center) - self.center;
        let carried = other.axes.map(|axis| relative.vector(axis));
        let t = along(&self.axes, offset);
        let rows = self.axes.map(|axis| along(&carried, axis));
        // The gap between this box and the box along its axes around the other, and the reverse.
        let b = other.half;
        let spread = DVec3::new(
            b.dot(rows[0].abs()),
            b.dot(rows[1].abs()),
            b.dot(rows[2].abs()),
        );
        let skew = SKEW * (b.x + b.y + b.z) + margin;
        let gap_a = t.abs() - self.half - spread - DVec3::splat(skew);
        let t_b = rows[0] * t.x + rows[1] * t.y + rows[2] * t.z;
        let spread =
            rows[0].abs() * self.half.x + rows[1].abs() * self.half.y + rows[2].abs() * self.half.z;
        let skew = skew + SKEW * coordinate_sum(self.half);
        let gap_b = t_b.abs() - other.half - spread - DVec3::splat(skew);
        length_of_gap(gap_a).max(length_of_gap(gap_b) / (1.0 + SKEW))
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn size(&self) -> f64 {
        2.0 * self.half.length()
    }

    fn surface_area(&self) -> f64 {
        8.0 * half_area(self.half)
    }

    fn volume(&self) -> f64 {
        8.0 * self.half.x * self.half.y * self.half.z
    }

    fn bounds(&self) -> Aabb {
        let reach = self.axes[0].abs() * self.half.x
            + self.axes[1].abs() * self.half.y
            + self.axes[2].abs() * self.half.z;
        Aabb {
            min: self.center - reach,
            max: self.center + reach,
        }
    }
}

/// The length of the positive part, rounded down.
#[inline]
pub(super) fn length_of_gap(gap: DVec3) -> f64 {
    let gap = gap.max(DVec3::ZERO);
    let largest = gap.max_element();
    // Squares of tiny numbers are rounded to multiples of the smallest one.
    if largest < 1e-140 {
        return largest;
    }
    gap.dot(gap).sqrt() * ROUND_DOWN
}
