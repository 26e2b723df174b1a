//! The overlap volume of two oriented boxes.
//!
//! **Idea.** There are three results. [`BoxPair::slabs`] clips each box to the box around the other
//! one in its frame, and takes the smaller volume. [`BoxPair::thesis`] is the published estimate
//! from sides and distance alone. [`BoxPair::exact`] clips the sides of each box to the other;
//! these faces bound the common part, and their pyramids to a common point add up to its volume.
//! **Source.** Klein 2005, 3.3.6, with negative brackets set to zero; slabs and the exact volume
//! are ours.
//! **Promise.** Slabs are an upper bound, up to rounding. The published expression claims to be
//! one, and is not for boxes that are not cubes.

use std::f64::consts::SQRT_2;

use glam::{DMat3, DVec3};

use crate::geom::lens_volume;
use crate::math::sort::sort_few;

/// Boxes whose volumes differ by more than this factor are compared as balls by the published estimate, which gives no number.
const ALIKE: f64 = 4.0;

/// Two boxes, the first about the origin and along the axes.
///
/// ```
/// use impinge::average_case::BoxPair;
/// use impinge::{DMat3, DVec3};
/// let unit = DVec3::splat(0.5);
/// let pair = BoxPair { half_a: unit, half_b: unit, center: DVec3::new(0.5, 0.0, 0.0), turn: DMat3::IDENTITY };
/// assert!((pair.exact() - 0.5).abs() < 1e-12);
/// assert!((pair.slabs() - 0.5).abs() < 1e-12);
/// assert!((pair.thesis() - 0.5).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxPair {
    /// Half the sides of the first.
    pub half_a: DVec3,
    /// Half the sides of the second.
    pub half_b: DVec3,
    /// The centre of the second.
    pub center: DVec3,
    /// The axes of the second, as columns.
    pub turn: DMat3,
}

fn product(v: DVec3) -> f64 {
    v.x * v.y * v.z
}

/// What a box shares with another one about the same axes.
fn along(half: DVec3, other: DVec3, apart: DVec3) -> f64 {
    let shared = (half + other - apart.abs()).min(2.0 * half.min(other));
    product(shared.max(DVec3::ZERO))
}

impl BoxPair {
    /// An upper bound on the overlap volume, up to rounding: exact for boxes along the same axes.
    ///
    /// ```
    /// use impinge::average_case::BoxPair;
    /// use impinge::{DMat3, DVec3};
    /// let turn = DMat3::from_rotation_z(0.6);
    /// let pair = BoxPair { half_a: DVec3::ONE, half_b: DVec3::ONE, center: DVec3::X, turn };
    /// assert!(pair.slabs() > pair.exact());
    /// ```
    #[must_use]
    pub fn slabs(&self) -> f64 {
        let size = self.turn.abs();
        let in_a = along(self.half_a, size * self.half_b, self.center);
        let in_b = along(
            self.half_b,
            size.transpose() * self.half_a,
            self.turn.transpose() * self.center,
        );
        in_a.min(in_b)
    }

    /// The published estimate: for boxes of about one size from their sides and distance, otherwise that of the balls around them. It was published as
    /// a bound, which it is for cubes alone.
    ///
    /// ```
    /// use impinge::average_case::BoxPair;
    /// use impinge::{DMat3, DVec3};
    /// let cubes = BoxPair { half_a: DVec3::ONE, half_b: DVec3::ONE, center: DVec3::X, turn: DMat3::IDENTITY };
    /// assert!((cubes.thesis() - 4.0).abs() < 1e-12);
    /// // Of bars that are shifted sideways half is common, and it says nearly all.
    /// let bar = DVec3::new(8.0, 0.5, 0.5);
    /// let bars = BoxPair { half_a: bar, half_b: bar, center: DVec3::new(0.0, 0.5, 0.0), turn: DMat3::IDENTITY };
    /// assert!((bars.exact() - 8.0).abs() < 1e-12 && bars.thesis() > 15.0);
    /// ```
    #[must_use]
    pub fn thesis(&self) -> f64 {
        let (volume_a, volume_b) = (8.0 * product(self.half_a), 8.0 * product(self.half_b));
        let (least, most) = (volume_a.min(volume_b), volume_a.max(volume_b));
        let distance = self.center.length();
        if most > ALIKE * least {
            let (r_a, r_b) = (self.half_a.length(), self.half_b.length());
            return lens_volume(r_a, r_b, distance).min(least);
        }
        let [c, b, a] = sorted(self.half_a + self.half_b);
        let bracket = |reach: f64| {
            if reach > 0.0 {
                (1.0 - distance / reach).max(0.0)
            } else {
                0.0
            }
        };
        let one = bracket(a);
        let two = bracket((a * a + b * b).sqrt());
        let three = bracket((a * a + b * b + c * c).sqrt());
        let best = one.max(two * two).max(three * three * three);
        (a * b * c * best).min(least)
    }

    /// The overlap volume, rounded.
    ///
    /// ```
    /// use impinge::average_case::BoxPair;
    /// use impinge::{DMat3, DVec3};
    /// // A cube and the same one turned by an eighth: an octagon of that height.
    /// let turn = DMat3::from_rotation_z(std::f64::consts::FRAC_PI_4);
    /// let pair = BoxPair { half_a: DVec3::ONE, half_b: DVec3::ONE, center: DVec3::ZERO, turn };
    /// let octagon = 8.0 * (std::f64::consts::SQRT_2 - 1.0);
    /// assert!((pair.exact() - 2.0 * octagon).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn exact(&self) -> f64 {
        let back = self.turn.transpose();
        let center = -(back * self.center);
        let in_b = |p: DVec3| back * p + center;
        let in_a = |p: DVec3| self.turn * p + self.center;
        let mut six_times = 0.0;
        for (normal, corners) in sides(self.half_a) {
            // The other box is along the axes in its own frame: sides are cut there.
            let part = ClippedPolygon::new(corners.map(in_b)).inside(self.half_b);
            six_times += part.double_area() * normal.dot(corners[0]);
        }
        for (normal, corners) in sides(self.half_b) {
            let placed = corners.map(in_a);
            let outward = self.turn * normal;
            // A side in common is counted with the first box.
            let is_common = sides(self.half_a).any(|(normal_a, corners_a)| {
                normal_a.dot(outward) > 1.0 - 1e-12
                    && placed.iter().all(|p| {
                        (*p - corners_a[0]).dot(normal_a).abs() <= 1e-12 * self.half_a.length()
                    })
            });
            if !is_common {
                let part = ClippedPolygon::new(placed).inside(self.half_a);
                six_times += part.double_area() * outward.dot(placed[0]);
            }
        }
        (six_times / 6.0).max(0.0)
    }
}

/// The coordinates in ascending order.
pub(super) fn sorted(v: DVec3) -> [f64; 3] {
    let mut sides = v.to_array();
    sort_few(&mut sides, f64::total_cmp);
    sides
}

/// The area of the largest planar section of a box with these sides.
///
/// Through two opposite edges along the longest side: √2·a² for a cube.
///
/// ```
/// use impinge::{DVec3, average_case::largest_section};
/// assert!((largest_section(DVec3::ONE) - std::f64::consts::SQRT_2).abs() < 1e-15);
/// assert_eq!(largest_section(DVec3::new(4.0, 5.0, 3.0)), 25.0);
/// ```
#[must_use]
pub fn largest_section(sides: DVec3) -> f64 {
    let [c, b, a] = sorted(sides);
    if a == c {
        return SQRT_2 * a * a;
    }
    a * (b * b + c * c).sqrt()
}

/// The six sides of a box about the origin: outward normal and corners in order.
fn sides(half: DVec3) -> impl Iterator<Item = (DVec3, [DVec3; 4])> {
    (0..6).map(move |i| {
        let (axis, sign) = (i / 2, if i % 2 == 0 { 1.0 } else { -1.0 });
        let axes = DVec3::AXES;
        let (n, u, v) = (axes[axis], axes[(axis + 1) % 3], axes[(axis + 2) % 3]);
        let corner = |s: f64, t: f64| (n * sign + u * s + v * t) * half;
        let corners = [
            corner(-1.0, -1.0),
            corner(1.0, -1.0),
            corner(1.0, 1.0),
            corner(-1.0, 1.0),
        ];
        (n * sign, corners)
    })
}

/// A convex polygon of few corners.
#[derive(Clone, Copy, Debug)]
struct ClippedPolygon {
    corners: [DVec3; 12],
    count: usize,
}

impl ClippedPolygon {
    fn new(corners: [DVec3; 4]) -> Self {
        let mut all = [DVec3::ZERO; 12];
        all[..4].copy_from_slice(&corners);
        Self {
            corners: all,
            count: 4,
        }
    }

    /// The part within the box about the origin.
    fn inside(mut self, half: DVec3) -> Self {
        for axis in 0..3 {
            for sign in [1.0, -1.0] {
                self = self.below(|p| sign * p[axis] - half[axis]);
            }
        }
        self
    }

    fn below(&self, height: impl Fn(DVec3) -> f64) -> Self {
        let mut cut = Self {
            corners: [DVec3::ZERO; 12],
            count: 0,
        };
        for i in 0..self.count {
            let (p, q) = (self.corners[i], self.corners[(i + 1) % self.count]);
            let (at_p, at_q) = (height(p), height(q));
            if at_p <= 0.0 {
                cut.push(p);
            }
            if (at_p < 0.0 && at_q > 0.0) || (at_p > 0.0 && at_q < 0.0) {
                cut.push(p + (q - p) * (at_p / (at_p - at_q)));
            }
        }
        cut
    }

    fn push(&mut self, p: DVec3) {
        if self.count < self.corners.len() {
            self.corners[self.count] = p;
            self.count += 1;
        }
    }

    fn double_area(&self) -> f64 {
        let corners = &self.corners[..self.count];
        let Some(&first) = corners.first() else {
            return 0.0;
        };
        let mut sum = DVec3::ZERO;
        for pair in corners.windows(2) {
            sum += (pair[0] - first).cross(pair[1] - first);
        }
        sum.length()
    }
}
