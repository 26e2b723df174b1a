//! A face prepared for point and edge queries in space.

use glam::DVec3;

use super::convexity::is_convex;
use super::face_plane::FacePlane;
use super::point_in_convex::{convex_contains, convex_locate};
use super::point_in_polygon::{PolygonLocation, PrecheckHits, crosses_odd, locate_each};
use super::polymesh::PolyFace;
use super::ring::RingView;

/// From this many corners on, bisection beats the one-shot test on convex faces.
const BISECT_FROM: usize = 24;

/// An edge shorter than this in the direction of the normal, relative to its length, counts as parallel.
const PARALLEL_WITHIN: f64 = 1e-14;

/// A face with its plane, ready for point and edge tests.
#[derive(Clone, Copy, Debug)]
pub struct Polygon<'a> {
    face: PolyFace<'a>,
    plane: FacePlane,
    // The outline alone, when it is convex and long enough to be bisected.
    bisected: Option<RingView<'a>>,
}

/// Where an edge pierces a polygon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeHit {
    /// The place along the edge, 0 at its start and 1 at its end.
    pub t: f64,
    /// The point.
    pub point: DVec3,
}

impl<'a> Polygon<'a> {
    /// The prepared face; none when its outline encloses no area.
    ///
    /// ```
    /// use impinge::{DVec3, poly::{PolyMesh, Polygon, PolygonLocation}};
    /// let positions = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
    /// let mesh = PolyMesh::from_outlines(positions, [[0, 1, 2, 3]])?;
    /// let square = mesh.faces().next().and_then(Polygon::new).ok_or("no area")?;
    /// assert_eq!(square.locate(DVec3::new(0.5, 0.5, 9.0)), PolygonLocation::Inside);
    /// let hit = square.edge_hit(DVec3::new(0.5, 0.5, -1.0), DVec3::new(0.5, 0.5, 3.0));
    /// assert_eq!(hit.map(|h| h.t), Some(0.25));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(face: PolyFace<'a>) -> Option<Self> {
        let plane = FacePlane::new(&face)?;
        let mut rings = face.rings(plane.projection);
        let bisected = rings.next().filter(|outline| {
            rings.len() == 0 && face.outline().len() >= BISECT_FROM && is_convex(outline)
        });
        Some(Self {
            face,
            plane,
            bisected,
        })
    }

    /// The face.
    ///
    /// ```
    /// use impinge::poly::{PolyMesh, Polygon};
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let polygon = mesh.faces().next().and_then(Polygon::new).ok_or("no area")?;
    /// assert_eq!(polygon.face().outline(), [0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn face(&self) -> PolyFace<'a> {
        self.face
    }

    /// The face's plane.
    ///
    /// ```
    /// use impinge::{DVec3, poly::{PolyMesh, Polygon}};
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let polygon = mesh.faces().next().and_then(Polygon::new).ok_or("no area")?;
    /// assert_eq!((polygon.plane().normal, polygon.plane().deviation), (DVec3::Z, 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn plane(&self) -> &FacePlane {
        &self.plane
    }

    /// Whether the projection of a point is in the face, boundary points as in [`contains`](super::contains).
    ///
    /// ```
    /// use impinge::poly::{PolyMesh, Polygon};
    /// let mesh = PolyMesh::from_points([[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]], [[0, 1, 2]])?;
    /// let polygon = mesh.faces().next().and_then(Polygon::new).ok_or("no area")?;
    /// assert!(polygon.contains([1.0, 1.0, 7.0]) && !polygon.contains([3.0, 3.0, 0.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn contains(&self, p: impl Into<DVec3>) -> bool {
        let q = self.plane.projection.project(p.into());
        match self.bisected {
            Some(outline) => convex_contains(&outline, q),
            None => crosses_odd(self.face.rings(self.plane.projection), q, &mut ()),
        }
    }

    /// As [`Polygon::contains`], always by the one-shot test, adding to `hits` which check decided each edge.
    ///
    /// ```
    /// use impinge::poly::{PolyMesh, Polygon, PrecheckHits};
    /// let mesh = PolyMesh::from_points([[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]], [[0, 1, 2]])?;
    /// let polygon = mesh.faces().next().and_then(Polygon::new).ok_or("no area")?;
    /// let mut hits = PrecheckHits::default();
    /// assert!(polygon.contains_counted([1.0, 1.0, 0.0], &mut hits));
    /// assert_eq!(hits.total(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn contains_counted(&self, p: impl Into<DVec3>, hits: &mut PrecheckHits) -> bool {
        let q = self.plane.projection.project(p.into());
        crosses_odd(self.face.rings(self.plane.projection), q, hits)
    }

    /// Where the projection of a point is with respect to the face.
    ///
    /// ```
    /// use impinge::poly::{PolyMesh, Polygon, PolygonLocation};
    /// let mesh = PolyMesh::from_points([[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]], [[0, 1, 2]])?;
    /// let polygon = mesh.faces().next().and_then(Polygon::new).ok_or("no area")?;
    /// assert_eq!(polygon.locate([2.0, 2.0, 5.0]), PolygonLocation::OnBoundary);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn locate(&self, p: impl Into<DVec3>) -> PolygonLocation {
        let q = self.plane.projection.project(p.into());
        match self.bisected {
            Some(outline) => convex_locate(&outline, q),
            None => locate_each(self.face.rings(self.plane.projection), q),
        }
    }

    /// Where the edge from `u` to `v` meets the face, touching included; none when it does not or runs parallel.
    ///
    /// Comparisons first: the division is spent only on edges that pass the plane. The hit is a
    /// rounded point, so an edge that passes the rim within rounding may go either way.
    ///
    /// ```
    /// use impinge::{DVec3, poly::{PolyMesh, Polygon}};
    /// let mesh = PolyMesh::from_points([[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]], [[0, 1, 2]])?;
    /// let polygon = mesh.faces().next().and_then(Polygon::new).ok_or("no area")?;
    /// let hit = polygon.edge_hit([1.0, 1.0, -1.0], [1.0, 1.0, 1.0]);
    /// assert_eq!(hit.map(|hit| hit.point), Some(DVec3::new(1.0, 1.0, 0.0)));
    /// assert_eq!(polygon.edge_hit([1.0, 1.0, 1.0], [2.0, 1.0, 1.0]), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn edge_hit(&self, u: impl Into<DVec3>, v: impl Into<DVec3>) -> Option<EdgeHit> {
        let (u, v) = (u.into(), v.into());
        let along = v - u;
        let rise = self.plane.normal.dot(along);
        // An edge with a coordinate that is not finite gives NaN here, and no hit.
        let is_parallel = rise.abs() <= PARALLEL_WITHIN * along.abs().max_element();
        if is_parallel || !along.is_finite() {
            return None;
        }
        let reach = self.plane.normal.dot(self.plane.point - u);
        if rise > 0.0 {
            if reach < 0.0 || reach > rise {
                return None;
            }
        } else if reach > 0.0 || reach < rise {
            return None;
        }
        let t = reach / rise;
        let point = u + along * t;
        (self.locate(point) != PolygonLocation::Outside).then_some(EdgeHit { t, point })
    }
}
