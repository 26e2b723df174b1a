//! Point in a solid bounded by polygons.
//!
//! **Question.** Is a point inside a closed surface of polygon faces?
//! **Idea.** Shoot a ray and count faces in front of the point that it crosses. Whether it crosses
//! a face is decided in the plane across the ray, where the one-shot test is exact and treats
//! rays through edges and corners alike for all faces; only "in front or behind" needs the plane.
//! **Source.** G. Zachmann, 1994, discards a query when the ray is singular. Ours: the symbolic
//! shift removes nearly all such cases, the remaining ones are shot again in another direction.
//! **Cost.** O(corners) per ray, one ray nearly always.
//! **Promise.** Exact for closed surfaces of triangles. For larger faces right whenever the point
//! is farther from a face's plane than the face's corners are, plus rounding.
//! **Limits.** No hierarchy: for many queries triangulate and use an index.

use glam::{DMat3, DVec2, DVec3};

use super::orientation::turn;
use super::point_in_polygon::{PolygonLocation, crosses_odd, locate_each};
use super::polygon::Polygon;
use super::polymesh::{PolyFace, PolyMesh};
use super::ring::{Projection, Ring};
use crate::math::{Rng, orient3d};

/// Where a point is with respect to a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolidLocation {
    /// In the interior.
    Inside,
    /// In neither the interior nor the surface.
    Outside,
    /// On a face, edge or corner.
    OnBoundary,
    /// No ray gave a clear answer: some face is too bent to tell its sides apart at this point.
    Singular,
}

const AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];

/// How many rays are shot in general directions after the three along the axes.
const MAX_RESHOTS: usize = 13;

/// Relative rounding of a plane distance, generously: some twenty operations.
const PLANE_ROUNDING: f64 = 32.0 * f64::EPSILON;

/// A face that leans less than this towards the ray hides on which side of it the ray starts.
const EDGE_ON_WITHIN: f64 = 1e-10;

/// The faces of a polygon mesh, prepared for point-in-solid queries.
///
/// ```
/// use impinge::{DVec3, poly::{PolyMesh, PolySolid, SolidLocation}};
/// let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
/// let cube = PolyMesh::from_outlines(
///     (0..8).map(corner).collect(),
///     [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]],
/// )?;
/// let solid = PolySolid::new(&cube);
/// assert_eq!(solid.locate(DVec3::splat(0.5)), SolidLocation::Inside);
/// assert_eq!(solid.locate(DVec3::new(1.0, 0.5, 0.5)), SolidLocation::OnBoundary);
/// assert_eq!(solid.locate(DVec3::splat(2.0)), SolidLocation::Outside);
/// # Ok::<(), impinge::poly::PolyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PolySolid<'a> {
    faces: Vec<SolidFace<'a>>,
}

impl<'a> PolySolid<'a> {
    /// The solid that the faces of a closed mesh bound; larger faces without area are skipped.
    ///
    /// ```
    /// use impinge::poly::{PolyMesh, PolySolid, SolidLocation};
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2, 3]])?;
    /// // One face bounds nothing.
    /// assert_eq!(PolySolid::new(&mesh).locate([5.0, 5.0, 5.0]), SolidLocation::Outside);
    /// # Ok::<(), impinge::poly::PolyError>(())
    /// ```
    #[must_use]
    pub fn new(mesh: &'a PolyMesh) -> Self {
        Self {
            faces: mesh.faces().filter_map(SolidFace::new).collect(),
        }
    }

    /// Where the point is.
    ///
    /// ```
    /// use impinge::poly::{PolyMesh, PolySolid, SolidLocation};
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2, 3]])?;
    /// assert_eq!(PolySolid::new(&mesh).locate([0.5, 0.5, 0.0]), SolidLocation::OnBoundary);
    /// # Ok::<(), impinge::poly::PolyError>(())
    /// ```
    #[must_use]
    pub fn locate(&self, p: impl Into<DVec3>) -> SolidLocation {
        let p = p.into();
        if self.faces.iter().any(|face| face.is_at(p)) {
            return SolidLocation::OnBoundary;
        }
        let axes = AXES.map(RayView::Axis);
        let mut rng = Rng::new(0x9A7);
        let turned = std::iter::repeat_with(move || RayView::turned(&mut rng)).take(MAX_RESHOTS);
        for view in axes.into_iter().chain(turned) {
            if let Some(inside) = self.shoot(p, &view) {
                return if inside {
                    SolidLocation::Inside
                } else {
                    SolidLocation::Outside
                };
            }
        }
        SolidLocation::Singular
    }

    /// Whether the ray leaves the solid an odd number of times; none when a face is unclear.
    fn shoot(&self, p: DVec3, view: &RayView) -> Option<bool> {
        let mut odd = false;
        for face in &self.faces {
            if face.is_crossed(p, view) {
                odd ^= face.is_in_front(p, view)?;
            }
        }
        Some(odd)
    }
}

/// Triangles apart: three corners are always in one plane, so everything about them is exact.
#[derive(Clone, Debug)]
enum SolidFace<'a> {
    Triangle([DVec3; 3]),
    Polygon(Polygon<'a>),
}

impl<'a> SolidFace<'a> {
    fn new(face: PolyFace<'a>) -> Option<Self> {
        match (<[u32; 3]>::try_from(face.outline()), face.holes().len()) {
            (Ok(corners), 0) => {
                let positions = face.positions();
                Some(Self::Triangle(corners.map(|v| positions[v as usize])))
            }
            _ => Polygon::new(face).map(Self::Polygon),
        }
    }

    /// Whether the point is on the face: exactly for triangles, else within the face's thickness.
    fn is_at(&self, p: DVec3) -> bool {
        match self {
            Self::Triangle(corners) => is_on_triangle(*corners, p),
            Self::Polygon(polygon) => {
                polygon.plane().signed_distance(p).abs() <= thickness(polygon, p)
                    && polygon.locate(p) != PolygonLocation::Outside
            }
        }
    }

    /// Whether the line of the ray crosses the face, in front of the point or behind it.
    fn is_crossed(&self, p: DVec3, view: &RayView) -> bool {
        let origin = view.across(p, p);
        match self {
            Self::Triangle(corners) => {
                crosses_odd([corners.map(|v| view.across(v, p))], origin, &mut ())
            }
            Self::Polygon(polygon) => {
                let face = polygon.face();
                let rings = face.loops().map(|corners| SeenLoop {
                    positions: face.positions(),
                    corners,
                    view,
                    p,
                });
                crosses_odd(rings, origin, &mut ())
            }
        }
    }

    /// Whether a crossed face is in front of the point; none when unclear.
    fn is_in_front(&self, p: DVec3, view: &RayView) -> Option<bool> {
        match self {
            Self::Triangle(corners) => {
                let [a, b, c] = corners.map(|v| view.across(v, p));
                let facing = turn(a, b, c);
                let [u, v, w] = *corners;
                // Positive behind the triangle, where its normal points away from.
                let behind = orient3d(u, v, w, p);
                (!facing.is_zero() && !behind.is_zero()).then_some(facing == behind)
            }
            Self::Polygon(polygon) => {
                let lean = polygon.plane().normal.dot(view.ray());
                let height = polygon.plane().signed_distance(p);
                if lean.abs() <= EDGE_ON_WITHIN || height.abs() <= thickness(polygon, p) {
                    return None;
                }
                Some((lean > 0.0) == (height < 0.0))
            }
        }
    }
}

/// The distance to the plane up to which a point's side is unknown.
fn thickness(polygon: &Polygon<'_>, p: DVec3) -> f64 {
    let plane = polygon.plane();
    let size = p.abs().max_element() + plane.point.abs().max_element();
    plane.deviation + PLANE_ROUNDING * size
}

fn is_on_triangle(corners: [DVec3; 3], p: DVec3) -> bool {
    let [u, v, w] = corners;
    if !orient3d(u, v, w, p).is_zero() {
        return false;
    }
    // A projection that keeps the triangle's area maps its plane one to one. A triangle without
    // area in any is a segment or point, which all three projections together describe.
    let mut at_all = true;
    for axis in AXES {
        let projection = Projection::along(axis);
        let [a, b, c] = corners.map(|v| projection.project(v));
        let place = locate_each([[a, b, c]], projection.project(p));
        if !turn(a, b, c).is_zero() {
            return place != PolygonLocation::Outside;
        }
        at_all &= place == PolygonLocation::OnBoundary;
    }
    at_all
}

/// How a ray sees the world: the plane across it.
enum RayView {
    /// Along a coordinate axis: coordinates are used as they are.
    Axis(DVec3),
    /// Along the third row of a rotation around the point. Each vertex is mapped alone, so faces
    /// that share it agree about it: the counted surface is closed as the given one is.
    Turned(DMat3),
}

impl RayView {
    fn turned(rng: &mut Rng) -> Self {
        let ray = rng.direction();
        let (across, up) = ray.any_orthonormal_pair();
        Self::Turned(DMat3::from_cols(across, up, ray).transpose())
    }

    fn ray(&self) -> DVec3 {
        match self {
            Self::Axis(axis) => *axis,
            Self::Turned(turn) => turn.transpose().z_axis,
        }
    }

    /// A vertex in the plane across the ray that starts in `p`.
    fn across(&self, vertex: DVec3, p: DVec3) -> DVec2 {
        match self {
            Self::Axis(axis) => Projection::along(*axis).project(vertex),
            Self::Turned(turn) => (*turn * (vertex - p)).truncate(),
        }
    }
}

/// A loop as a ray sees it.
struct SeenLoop<'a> {
    positions: &'a [DVec3],
    corners: &'a [u32],
    view: &'a RayView,
    p: DVec3,
}

impl Ring for SeenLoop<'_> {
    fn len(&self) -> usize {
        self.corners.len()
    }
    fn corner(&self, index: usize) -> DVec2 {
        let vertex = self.positions[self.corners[index] as usize];
        self.view.across(vertex, self.p)
    }
}
