//! **Question.** Does a point lie inside a closed mesh, outside, or on its surface?
//!
//! **Idea.** Count how often a ray along +x crosses the surface: odd is inside. The ray is moved
//! aside by an infinitesimal amount, so edges, vertices and faces along the ray need no special
//! rule and no second attempt. For open or damaged meshes, [`winding_number`] sums solid angles.
//!
//! **Source.** Parity is folklore; the tie-breaking follows Edelsbrunner and Mücke, 1990,
//! doi:10.1145/77635.77639. Solid angles: van Oosterom and Strackee, 1983,
//! doi:10.1109/TBME.1983.325207; their use on damaged meshes: Jacobson, Kavan and
//! Sorkine-Hornung, 2013, doi:10.1145/2461912.2461916.
//!
//! **Cost.** One pass over the faces per point; closedness is checked once per [`InsideTest`].
//!
//! **Promise.** Exact on every mesh in which each edge has an even number of faces, oriented or
//! not. For solids that overlap themselves, *inside* is meant in the sense of parity.
//!
//! **Limits.** Brute force: no tree is descended; [`Solid`](crate::bvh::Solid) descends one.

use std::ops::ControlFlow;

use glam::DVec3;
use thiserror::Error;

use super::TriMesh;
use super::half_edge::HalfEdges;
use super::ray_crossing::{RayCrossing, crossing};
pub use super::winding_number::winding_number;
use crate::math::is_valid_point;
use crate::query::VertexId;

/// Where a point lies with respect to a closed surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Location {
    /// In the interior.
    Inside,
    /// In the exterior.
    Outside,
    /// On a face, an edge or a vertex.
    OnBoundary,
}

/// Why a point could not be located.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InsideError {
    /// The surface has a border, so it has no inside.
    #[error(
        "the surface is open: the edge between {a} and {b} has {faces} faces, an odd number; use winding_number instead"
    )]
    NotClosed {
        /// One end of the first such edge.
        a: VertexId,
        /// The other end.
        b: VertexId,
        /// How many faces it has.
        faces: usize,
    },
    /// The point is not finite or too far away.
    #[error("the point has a coordinate that is not finite or out of range")]
    InvalidPoint,
}

/// A closed mesh, checked once and ready for many points.
///
/// ```
/// use impinge::{DVec3, TriMesh, mesh::point_in_mesh::{InsideTest, Location}};
/// let points = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
/// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// let test = InsideTest::new(&tetrahedron)?;
/// assert_eq!(test.locate(DVec3::ONE)?, Location::Inside);
/// assert_eq!(test.locate(DVec3::new(1.0, 1.0, 0.0))?, Location::OnBoundary);
/// assert_eq!(test.locate(DVec3::new(-1.0, 1.0, 1.0))?, Location::Outside);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[doc(alias = "point in polyhedron")]
#[doc(alias = "ray parity")]
pub struct InsideTest<'a> {
    mesh: &'a TriMesh,
}

impl<'a> InsideTest<'a> {
    /// The test for a mesh whose every edge has an even number of faces.
    ///
    /// # Errors
    /// [`InsideError::NotClosed`] naming the first edge that has not.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::point_in_mesh::InsideTest};
    /// let points = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
    /// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// assert!(InsideTest::new(&tetrahedron).is_ok());
    /// assert!(InsideTest::new(&TriMesh::from_points(points, [[0, 2, 1]])?).is_err());
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    pub fn new(mesh: &'a TriMesh) -> Result<Self, InsideError> {
        match HalfEdges::new(mesh).first_open_edge() {
            Some(edge) => Err(InsideError::NotClosed {
                a: edge.ends[0],
                b: edge.ends[1],
                faces: edge.half_edges.len(),
            }),
            None => Ok(Self { mesh }),
        }
    }

    /// Where the point lies, exactly.
    ///
    /// # Errors
    /// [`InsideError::InvalidPoint`].
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::point_in_mesh::{InsideTest, Location}};
    /// let points = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
    /// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let test = InsideTest::new(&tetrahedron)?;
    /// assert_eq!(test.locate([1.0, 1.0, 1.0])?, Location::Inside);
    /// assert!(test.locate([f64::NAN, 0.0, 0.0]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn locate(&self, p: impl Into<DVec3>) -> Result<Location, InsideError> {
        let p = p.into();
        if !is_valid_point(p) {
            return Err(InsideError::InvalidPoint);
        }
        let triangles = self.mesh.face_ids().map(|face| self.mesh.triangle(face));
        Ok(count(triangles, p).map_or(Location::OnBoundary, |count| count.location()))
    }

    /// The mesh.
    ///
    /// ```
    /// use impinge::{generate, mesh::point_in_mesh::InsideTest};
    /// let ball = generate::icosphere(1.0, 1)?;
    /// assert_eq!(InsideTest::new(&ball)?.mesh().face_count(), ball.face_count());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn mesh(&self) -> &'a TriMesh {
        self.mesh
    }

    /// Where the point lies when the vertices of the mesh are at these positions, exactly: a mesh that moves is checked once.
    ///
    /// A vertex without a position stays where it is.
    ///
    /// # Errors
    /// [`InsideError::InvalidPoint`] for the point or one of the positions.
    ///
    /// ```
    /// use impinge::{DVec3, TriMesh, mesh::point_in_mesh::{InsideTest, Location}};
    /// let points = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
    /// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let test = InsideTest::new(&tetrahedron)?;
    /// let moved: Vec<DVec3> = tetrahedron.positions().iter().map(|&p| p + 5.0 * DVec3::X).collect();
    /// assert_eq!(test.locate_moved(&moved, DVec3::new(6.0, 1.0, 1.0))?, Location::Inside);
    /// assert_eq!(test.locate_moved(&moved, DVec3::ONE)?, Location::Outside);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn locate_moved(
        &self,
        positions: &[DVec3],
        p: impl Into<DVec3>,
    ) -> Result<Location, InsideError> {
        let p = p.into();
        if !is_valid_point(p) || !positions.iter().all(|&q| is_valid_point(q)) {
            return Err(InsideError::InvalidPoint);
        }
        let own = self.mesh.positions();
        let at = |i: u32| positions.get(i as usize).unwrap_or(&own[i as usize]);
        let triangles = self.mesh.faces().iter().map(|face| face.map(|i| *at(i)));
        Ok(count(triangles, p).map_or(Location::OnBoundary, |count| count.location()))
    }

    /// The winding number of the surface at the point, exactly; none on the surface. Meaningful
    /// when every edge is used equally often in both directions: 1 inside an outward solid, 0
    /// outside, 2 where two such solids overlap.
    ///
    /// # Errors
    /// [`InsideError::InvalidPoint`].
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::point_in_mesh::InsideTest};
    /// let points = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
    /// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let test = InsideTest::new(&tetrahedron)?;
    /// assert_eq!(test.winding([1.0, 1.0, 1.0])?, Some(1));
    /// assert_eq!(test.winding([0.0, 0.0, 0.0])?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn winding(&self, p: impl Into<DVec3>) -> Result<Option<i64>, InsideError> {
        let p = p.into();
        if !is_valid_point(p) {
            return Err(InsideError::InvalidPoint);
        }
        let triangles = self.mesh.face_ids().map(|face| self.mesh.triangle(face));
        Ok(count(triangles, p).map(|count| count.leaving_minus_entering))
    }
}

/// Crossings of a ray along +x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CrossingCount {
    pub(crate) all: u64,
    pub(crate) leaving_minus_entering: i64,
}

impl CrossingCount {
    /// Counts a triangle in for the ray from `p`; `Break` if `p` lies on it.
    pub(crate) fn pass(&mut self, triangle: &[DVec3; 3], p: DVec3) -> ControlFlow<()> {
        let step = match crossing(triangle, p) {
            RayCrossing::None => return ControlFlow::Continue(()),
            RayCrossing::OnFace => return ControlFlow::Break(()),
            RayCrossing::Entering => -1,
            RayCrossing::Leaving => 1,
        };
        self.all += 1;
        self.leaving_minus_entering += step;
        ControlFlow::Continue(())
    }

    /// The location by parity of a point on no triangle.
    pub(crate) fn location(&self) -> Location {
        if self.all % 2 == 1 {
            Location::Inside
        } else {
            Location::Outside
        }
    }
}

/// The crossings of the ray from `p` along +x; none if `p` lies on a triangle.
pub(crate) fn count(
    triangles: impl IntoIterator<Item = [DVec3; 3]>,
    p: DVec3,
) -> Option<CrossingCount> {
    let mut crossings = CrossingCount::default();
    for triangle in triangles {
        if crossings.pass(&triangle, p).is_break() {
            return None;
        }
    }
    Some(crossings)
}

/// Where one point lies with respect to a closed mesh. For many points, keep an [`InsideTest`].
///
/// # Errors
/// [`InsideError`] when the mesh is open or the point is not finite.
///
/// ```
/// use impinge::{DVec3, TriMesh, mesh::point_in_mesh::locate_by_parity};
/// let triangle = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// assert!(locate_by_parity(&triangle, DVec3::ZERO).is_err());
/// # Ok::<(), impinge::MeshError>(())
/// ```
pub fn locate_by_parity(mesh: &TriMesh, p: impl Into<DVec3>) -> Result<Location, InsideError> {
    InsideTest::new(mesh)?.locate(p)
}
