//! Axes for oriented boxes: frames along which a set of points is thin.
//!
//! Three candidates: the coordinate axes, the principal axes, and (for faces) the mean normal with the
//! principal directions across it. Which one is best depends on the volume; each takes the smallest of its own.

use glam::{DMat3, DVec3};

use super::BoundingVolume;
use super::ball::rounded_up;
use super::bounding_volume::coordinate_sum;
use crate::math::eigen::symmetric_eigen;
use crate::math::sort::sort_few;

/// Orthonormal axes.
pub(super) type Axes = [DVec3; 3];

/// The coordinate axes.
pub(super) const COORDINATE_AXES: Axes = [DVec3::X, DVec3::Y, DVec3::Z];

/// The part of a [`BoundingVolume`] that is the same in all that are the smallest along candidate frames.
macro_rules! fitted_to_frames {
    ($name:literal) => {
        $crate::bound::bounding_volume::compared_under_padded_pose!($name);

        fn enclosing(points: &[DVec3]) -> Self {
            Self::smallest(points, &CandidateFrames::of_points(points))
        }

        fn around_faces(faces: &[[DVec3; 3]]) -> Self {
            Self::smallest(faces.as_flattened(), &CandidateFrames::of_faces(faces))
        }
    };
}
pub(super) use fitted_to_frames;

/// Candidate frames, the first `count` of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct CandidateFrames {
    axes: [Axes; 3],
    count: usize,
}

impl CandidateFrames {
    /// The volume with the least surface that can be made along one of the frames; none without frames.
    pub(super) fn least<V: BoundingVolume>(&self, make: impl Fn(&Axes) -> V) -> Option<V> {
        let mut best: Option<V> = None;
        for axes in self.all() {
            let found = make(axes);
            if best.is_none_or(|b| found.surface_area() < b.surface_area()) {
                best = Some(found);
            }
        }
        best
    }

    /// The coordinate and the principal axes of points.
    pub(super) fn of_points(points: &[DVec3]) -> Self {
        let origin = points.first().copied().unwrap_or_default();
        let (mut first, mut second) = (DVec3::ZERO, DMat3::ZERO);
        for &p in points {
            let p = p - origin;
            first += p;
            second += outer(p);
        }
        let weight = 1.0 / points.len().max(1) as f64;
        let covariance = second * weight - outer(first * weight);
        Self::new(&[COORDINATE_AXES, principal(&covariance)])
    }

    /// The coordinate and the principal axes of faces by their area, and a frame along their mean normal.
    pub(super) fn of_faces(faces: &[[DVec3; 3]]) -> Self {
        let origin = faces.first().map(|f| f[0]).unwrap_or_default();
        let (mut area, mut normal) = (0.0, DVec3::ZERO);
        let (mut first, mut second) = (DVec3::ZERO, DMat3::ZERO);
        for face in faces {
            let [p, q, r] = face.map(|v| v - origin);
            let n = (q - p).cross(r - p);
            let weight = n.length();
            let sum = p + q + r;
            area += weight;
            normal += n;
            first += sum * (weight / 3.0);
            second += (outer(sum) + outer(p) + outer(q) + outer(r)) * (weight / 12.0);
        }
        // Faces without area have principal axes as points.
        if !(area > f64::MIN_POSITIVE && second.is_finite()) {
            return Self::of_points(faces.as_flattened());
        }
        let covariance = second * (1.0 / area) - outer(first / area);
        let mut frames = Self::new(&[COORDINATE_AXES, principal(&covariance)]);
        let length = normal.length();
        if length > 1e-9 * area {
            frames.axes[frames.count] = along_normal(normal / length, &covariance);
            frames.count += 1;
        }
        frames
    }

    fn new(axes: &[Axes; 2]) -> Self {
        Self {
            axes: [axes[0], axes[1], COORDINATE_AXES],
            count: 2,
        }
    }

    /// The candidates.
    pub(super) fn all(&self) -> &[Axes] {
        &self.axes[..self.count]
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

fn principal(covariance: &DMat3) -> Axes {
    let vectors = symmetric_eigen(covariance).vectors;
    [vectors.x_axis, vectors.y_axis, vectors.z_axis]
}

/// The normal, and the principal directions of what lies across it.
fn along_normal(normal: DVec3, covariance: &DMat3) -> Axes {
    let (e, f) = normal.any_orthonormal_pair();
    let (ce, cf) = (*covariance * e, *covariance * f);
    let (along, across) = (e.dot(ce) - f.dot(cf), 2.0 * e.dot(cf));
    let r = (along * along + across * across).sqrt();
    // Half the angle of (along, across), by the half-angle formulas.
    let (cosine, sine) = if r > 0.0 {
        let c = ((1.0 + along / r) * 0.5).max(0.0).sqrt();
        let s = ((1.0 - along / r) * 0.5).max(0.0).sqrt();
        (c, if across < 0.0 { -s } else { s })
    } else {
        (1.0, 0.0)
    };
    let major = e * cosine + f * sine;
    [normal, major, normal.cross(major)]
}

/// The smallest and largest projections on the axes of the points, seen from `origin`.
pub(super) fn projections(points: &[DVec3], origin: DVec3, axes: &Axes) -> (DVec3, DVec3) {
    let mut low = DVec3::INFINITY;
    let mut high = DVec3::NEG_INFINITY;
    for &p in points {
        let s = along(axes, p - origin);
        low = low.min(s);
        high = high.max(s);
    }
    (low, high)
}

/// The projections of a vector on the axes.
#[inline]
pub(super) fn along(axes: &Axes, v: DVec3) -> DVec3 {
    DVec3::new(axes[0].dot(v), axes[1].dot(v), axes[2].dot(v))
}

/// The axes in the order of their lengths, the shortest last.
pub(super) fn thinnest_last(axes: &Axes, lengths: DVec3) -> Axes {
    let mut order = [0, 1, 2];
    sort_few(&mut order, |&i, &j| lengths[j].total_cmp(&lengths[i]));
    order.map(|i| axes[i])
}

/// The radius around something of this extent from a distance as computed: with room for the rounding of the projections, and of axes that
/// are orthonormal within a few units. And the largest coordinate sum of a point inside, about.
pub(super) fn swept(center: DVec3, extent: f64, distance: f64) -> (f64, f64) {
    let size = extent + distance;
    let radius = rounded_up(distance) + 32.0 * f64::EPSILON * size;
    (radius, coordinate_sum(center) + 2.0 * size + 2.0 * radius)
}

/// A core, such as a segment or a rectangle, swept by a ball.
pub(super) trait SweptBall: Sized {
    /// How far a point is from the core.
    fn distance_to_core(&self, p: DVec3) -> f64;

    /// The points whose hull is the core, rounded.
    fn corners(&self) -> impl AsRef<[DVec3]>;

    /// The radius, and what the corners may be off by.
    fn thickness(&self) -> [f64; 2];

    /// Sets the radius from a distance as computed.
    fn set_radius(&mut self, distance: f64);

    /// The largest distance of the points from the core.
    fn farthest(&self, points: &[DVec3]) -> f64 {
        points
            .iter()
            .fold(0.0_f64, |far, &p| far.max(self.distance_to_core(p)))
    }

    /// The same core, around the points.
    fn around(mut self, points: &[DVec3]) -> Self {
        self.set_radius(self.farthest(points));
        self
    }

    /// The same core, around two others.
    ///
    /// The distance to a core is convex: over another core it is largest at a corner.
    fn around_both(mut self, a: &Self, b: &Self) -> Self {
        let far = |swept: &Self| {
            let [radius, margin] = swept.thickness();
            self.farthest(swept.corners().as_ref()) + radius + margin
        };
        let farthest = far(a).max(far(b));
        self.set_radius(farthest);
        self
    }
}
