//! The best-fitting plane of a polygon whose corners need not be coplanar.

use glam::DVec3;

use super::polymesh::PolyFace;
use super::ring::Projection;

/// Half the sum of cross products along the outline: its length is the area of a planar polygon,
/// its direction the normal from which the corners run counter-clockwise.
///
/// The components are the signed areas of the three coordinate projections, so the vector is
/// meaningful for bent polygons too. Zero for fewer than three points.
///
/// ```
/// use impinge::{DVec3, poly::area_vector};
/// let corners = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 1.0, 7.0), DVec3::new(-2.0, 5.0, 1.0)];
/// assert_eq!(area_vector(corners), DVec3::new(-5.0, -3.0, 3.0));
/// ```
#[must_use]
pub fn area_vector(points: impl IntoIterator<Item = DVec3>) -> DVec3 {
    let mut points = points.into_iter();
    let Some(first) = points.next() else {
        return DVec3::ZERO;
    };
    // Relative to the first corner: far from the origin the sums would cancel badly.
    let mut previous = DVec3::ZERO;
    let mut sum = DVec3::ZERO;
    for p in points {
        let p = p - first;
        sum += newell_term(previous, p);
        previous = p;
    }
    // The closing edge ends in the first corner, which is the origin here.
    (sum + newell_term(previous, DVec3::ZERO)) * 0.5
}

fn newell_term(p: DVec3, q: DVec3) -> DVec3 {
    DVec3::new(
        (p.y - q.y) * (p.z + q.z),
        (p.z - q.z) * (p.x + q.x),
        (p.x - q.x) * (p.y + q.y),
    )
}

/// The best-fit plane of a face and how far the corners stray from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FacePlane {
    /// Unit vector from which the outline runs counter-clockwise.
    pub normal: DVec3,
    /// The mean of the outline's corners, a point of the plane.
    pub point: DVec3,
    /// The largest distance of a corner, of the outline or a hole, to the plane.
    pub deviation: f64,
    /// The projection that shows the face largest.
    pub projection: Projection,
}

impl FacePlane {
    /// The plane of a face; none when the outline encloses no area.
    ///
    /// ```
    /// use impinge::{DVec3, poly::{FacePlane, PolyMesh}};
    /// let positions = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
    /// let mesh = PolyMesh::from_outlines(positions, [[0, 1, 2, 3], [0, 1, 0, 1]])?;
    /// let planes: Vec<_> = mesh.faces().map(|f| FacePlane::new(&f)).collect();
    /// assert_eq!(planes[0].map(|p| p.normal), Some(DVec3::Z));
    /// assert!(planes[1].is_none());
    /// # Ok::<(), impinge::poly::PolyError>(())
    /// ```
    #[must_use]
    pub fn new(face: &PolyFace<'_>) -> Option<Self> {
        let outline = face.outline();
        let count = outline.len() as f64;
        let mut points = face.points(outline);
        let first = points.next()?;
        let extent = points
            .clone()
            .map(|p| (p - first).abs().max_element())
            .fold(0.0, f64::max);
        // Scaling by a power of two is exact and keeps the products of tiny faces from vanishing.
        let scale = power_of_two_below(extent)?;
        let scaled = face.points(outline).map(|p| (p - first) / scale);
        let area = area_vector(scaled);
        let length = area.length();
        // Rounding alone leaves this much of a polygon whose corners are collinear.
        if length <= count * f64::EPSILON {
            return None;
        }
        let normal = area / length;
        let sum: DVec3 = points.map(|p| p - first).sum();
        let point = first + sum / count;
        let deviation = face
            .loops()
            .flat_map(|l| face.points(l))
            .map(|p| normal.dot(p - point).abs())
            .fold(0.0, f64::max);
        Some(Self {
            normal,
            point,
            deviation,
            projection: Projection::along(normal),
        })
    }

    /// The signed distance of a point, positive on the side the normal points to.
    ///
    /// ```
    /// use impinge::{DVec3, poly::{FacePlane, PolyMesh}};
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2, 3]])?;
    /// let plane = mesh.faces().next().and_then(|face| FacePlane::new(&face)).ok_or("no area")?;
    /// assert_eq!(plane.signed_distance(DVec3::new(5.0, 5.0, -2.0)), -2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn signed_distance(&self, p: DVec3) -> f64 {
        self.normal.dot(p - self.point)
    }
}

/// The largest power of two not above a positive normal number; a number itself when subnormal; none for zero.
fn power_of_two_below(x: f64) -> Option<f64> {
    const MANTISSA: u64 = (1 << 52) - 1;
    if x <= 0.0 {
        return None;
    }
    let power = f64::from_bits(x.to_bits() & !MANTISSA);
    Some(if power > 0.0 { power } else { x })
}
