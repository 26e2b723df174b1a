//! The validated triangle mesh.

use glam::DVec3;
use thiserror::Error;

use super::finding::Finding;
use super::finding_checks::{findings, first_finding, is_closed_manifold};
use super::half_edge::HalfEdges;
use crate::bound::Aabb;
use crate::math::{MAX_COORDINATE, Pose, is_valid_point};
use crate::query::{FaceId, VertexId};

/// Vertex positions and faces, as given: nothing is deleted, merged or reordered.
///
/// Construction checks what the algorithms rely on (finite coordinates, indices in range);
/// everything else that may be wrong with a mesh (holes, slivers, duplicates) is allowed and
/// reported as findings.
///
/// ```
/// use impinge::TriMesh;
/// let triangle = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// assert_eq!(triangle.face_count(), 1);
/// assert!(TriMesh::from_points([[f64::NAN, 0.0, 0.0]], []).is_err());
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    positions: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
}

/// Why a mesh was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not finite: {value}")]
    NotFinite {
        /// The vertex, counted from 0.
        vertex: usize,
        /// The offending coordinate.
        value: f64,
    },
    /// A coordinate exceeds [`MAX_COORDINATE`].
    #[error(
        "vertex {vertex} has coordinate {value:e}, beyond the largest allowed magnitude {MAX_COORDINATE:e}"
    )]
    TooFar {
        /// The vertex, counted from 0.
        vertex: usize,
        /// The offending coordinate.
        value: f64,
    },
    /// A face names a vertex that does not exist.
    #[error("face {face} uses vertex {index}, but there are only {vertices} vertices")]
    IndexOutOfRange {
        /// The face, counted from 0.
        face: usize,
        /// The index it holds.
        index: u64,
        /// How many vertices there are.
        vertices: usize,
    },
    /// More vertices or faces than 32-bit ids can name (half-edges need three per face).
    #[error("{count} {what} are more than the {limit} that ids can name")]
    TooMany {
        /// "vertices" or "faces".
        what: &'static str,
        /// How many were given.
        count: usize,
        /// How many are allowed.
        limit: usize,
    },
}

impl TriMesh {
    /// The most vertices a mesh may have.
    pub const MAX_VERTICES: usize = u32::MAX as usize - 1;
    /// The most faces a mesh may have: three half-edges of each must fit into a 32-bit id.
    pub const MAX_FACES: usize = (u32::MAX as usize - 1) / 3;

    /// The mesh with these vertices and faces, or the first thing that is wrong with them.
    ///
    /// # Errors
    /// [`MeshError`] naming the vertex or face.
    ///
    /// ```
    /// use impinge::{DVec3, MeshError, TriMesh};
    /// let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    /// assert_eq!(TriMesh::new(points.clone(), vec![[0, 1, 2]])?.face_count(), 1);
    /// assert!(matches!(TriMesh::new(points, vec![[0, 1, 3]]), Err(MeshError::IndexOutOfRange { index: 3, .. })));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    pub fn new(positions: Vec<DVec3>, faces: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        check_positions(&positions, Self::MAX_VERTICES)?;
        check_count("faces", faces.len(), Self::MAX_FACES)?;
        for (face, corners) in faces.iter().enumerate() {
            for &index in corners {
                if index as usize >= positions.len() {
                    return Err(MeshError::IndexOutOfRange {
                        face,
                        index: u64::from(index),
                        vertices: positions.len(),
                    });
                }
            }
        }
        Ok(Self { positions, faces })
    }

    /// The mesh of parts that came out of a valid mesh and were only selected or renumbered.
    pub(crate) fn from_valid(positions: Vec<DVec3>, faces: Vec<[u32; 3]>) -> Self {
        debug_assert!(positions.iter().all(|&p| is_valid_point(p)));
        debug_assert!(
            faces
                .iter()
                .flatten()
                .all(|&v| (v as usize) < positions.len())
        );
        Self { positions, faces }
    }

    /// The mesh of any points that convert to [`DVec3`]: arrays, or `mint` points with feature `mint`.
    ///
    /// # Errors
    /// As [`TriMesh::new`].
    ///
    /// ```
    /// use impinge::TriMesh;
    /// let mesh = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// assert_eq!(mesh.vertex_count(), 3);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    pub fn from_points<P: Into<DVec3>>(
        positions: impl IntoIterator<Item = P>,
        faces: impl IntoIterator<Item = [u32; 3]>,
    ) -> Result<Self, MeshError> {
        Self::new(
            positions.into_iter().map(Into::into).collect(),
            faces.into_iter().collect(),
        )
    }

    /// The vertex positions, in input order.
    ///
    /// ```
    /// use impinge::{DVec3, TriMesh};
    /// let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// assert_eq!(mesh.positions()[1], DVec3::X);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// The vertex numbers of each face, in input order.
    ///
    /// ```
    /// use impinge::{DVec3, TriMesh};
    /// let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// assert_eq!(mesh.faces(), [[0, 1, 2]]);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// How many vertices there are.
    ///
    /// ```
    /// use impinge::{DVec3, TriMesh};
    /// let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// assert_eq!(mesh.vertex_count(), 3);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// How many faces there are.
    ///
    /// ```
    /// use impinge::{DVec3, TriMesh};
    /// let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// assert_eq!(mesh.face_count(), 1);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn face_count(&self) -> usize {
        self.faces.len()
    }

    /// Whether the mesh has no face, and so touches nothing.
    ///
    /// ```
    /// use impinge::TriMesh;
    /// assert!(TriMesh::default().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.faces.is_empty()
    }

    /// All face ids, in order.
    ///
    /// ```
    /// use impinge::{DVec3, TriMesh};
    /// let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// assert_eq!(mesh.face_ids().len(), 1);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    pub fn face_ids(&self) -> impl ExactSizeIterator<Item = FaceId> + use<> {
        (0..self.faces.len() as u32).map(FaceId::new)
    }

    /// The corner positions of a face; none when the mesh has no such face.
    ///
    /// ```
    /// use impinge::{DVec3, TriMesh, query::FaceId};
    /// let mesh = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// assert_eq!(mesh.face(FaceId::new(0)), Some([DVec3::ZERO, DVec3::X, DVec3::Y]));
    /// assert_eq!(mesh.face(FaceId::new(1)), None);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn face(&self, face: FaceId) -> Option<[DVec3; 3]> {
        let corners = self.faces.get(face.index())?;
        Some(corners.map(|v| self.positions[v as usize]))
    }

    /// The position of a vertex; none when the mesh has no such vertex.
    ///
    /// ```
    /// use impinge::{DVec3, TriMesh, query::VertexId};
    /// let mesh = TriMesh::from_points([[1.0, 2.0, 3.0]], [])?;
    /// assert_eq!(mesh.vertex(VertexId::new(0)), Some(DVec3::new(1.0, 2.0, 3.0)));
    /// assert_eq!(mesh.vertex(VertexId::new(1)), None);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn vertex(&self, vertex: VertexId) -> Option<DVec3> {
        self.positions.get(vertex.index()).copied()
    }

    /// The corner positions of all faces, in order.
    ///
    /// ```
    /// use impinge::{DVec3, TriMesh};
    /// let mesh = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[2, 0, 1]])?;
    /// assert_eq!(mesh.triangles().next(), Some([DVec3::Y, DVec3::ZERO, DVec3::X]));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = [DVec3; 3]> + '_ {
        self.faces
            .iter()
            .map(|corners| corners.map(|v| self.positions[v as usize]))
    }

    /// As [`TriMesh::face`], for ids that are known to be the mesh's own.
    #[inline]
    #[must_use]
    pub(crate) fn triangle(&self, face: FaceId) -> [DVec3; 3] {
        self.faces[face.index()].map(|v| self.positions[v as usize])
    }

    /// As [`TriMesh::vertex`], for ids that are known to be the mesh's own.
    #[inline]
    #[must_use]
    pub(crate) fn position(&self, vertex: VertexId) -> DVec3 {
        self.positions[vertex.index()]
    }

    /// The smallest axis-aligned box around the vertices that faces use.
    ///
    /// ```
    /// use impinge::{DVec3, TriMesh};
    /// let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// assert_eq!(mesh.bounds().max, DVec3::new(1.0, 1.0, 0.0));
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb::enclosing(
            self.faces
                .iter()
                .flatten()
                .map(|&v| self.positions[v as usize]),
        )
    }

    /// The same faces with every vertex placed: the mesh whose coordinates decide all answers.
    ///
    /// # Errors
    /// [`MeshError::TooFar`] when a placed coordinate leaves the allowed range.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, TriMesh};
    /// let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let moved = mesh.placed(&Pose::from_translation([0.0, 0.0, 5.0])?)?;
    /// assert_eq!(moved.positions()[0], DVec3::new(0.0, 0.0, 5.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn placed(&self, pose: &Pose) -> Result<Self, MeshError> {
        let positions: Vec<DVec3> = self
            .positions
            .iter()
            .map(|&p| pose.transform_point(p))
            .collect();
        check_positions(&positions, Self::MAX_VERTICES)?;
        Ok(Self {
            positions,
            faces: self.faces.clone(),
        })
    }

    /// The same faces, centred at the origin and scaled so that the longest side of the bounding
    /// box has this length.
    ///
    /// # Errors
    /// [`MeshError`] when a coordinate leaves the allowed range.
    ///
    /// ```
    /// use impinge::{DVec3, generate};
    /// let bar = generate::cuboid(DVec3::new(4.0, 2.0, 1.0), [1; 3])?.resized(1.0)?;
    /// assert_eq!(bar.bounds().max, DVec3::new(0.5, 0.25, 0.125));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn resized(&self, longest_side: f64) -> Result<Self, MeshError> {
        let bounds = self.bounds();
        let longest = (2.0 * bounds.half_extent().max_element()).max(f64::MIN_POSITIVE);
        let scale = longest_side / longest;
        let place = |&p: &DVec3| (p - bounds.center()) * scale;
        Self::new(
            self.positions.iter().map(place).collect(),
            self.faces.clone(),
        )
    }

    /// The neighbourhoods of faces, edges and vertices.
    ///
    /// ```
    /// use impinge::{DVec3, TriMesh};
    /// let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// assert_eq!(mesh.half_edges().edge_count(), 3);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn half_edges(&self) -> HalfEdges {
        HalfEdges::new(self)
    }

    /// Everything imperfect about the mesh; see [`mesh::findings`](crate::mesh::findings).
    ///
    /// ```
    /// use impinge::{DVec3, TriMesh};
    /// let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// assert!(!mesh.findings().is_empty()); // it has a border
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        findings(self)
    }

    /// One finding, the most severe, if there is any; see [`mesh::first_finding`](crate::mesh::first_finding).
    ///
    /// ```
    /// use impinge::generate;
    /// assert!(generate::soup(1, 1.0, 1)?.first_finding().is_some());
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn first_finding(&self) -> Option<Finding> {
        first_finding(self)
    }

    /// Whether the mesh is an oriented manifold without border; see
    /// [`mesh::is_closed_manifold`](crate::mesh::is_closed_manifold).
    ///
    /// ```
    /// use impinge::generate;
    /// assert!(generate::tetrahedron(1.0)?.is_closed_manifold());
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn is_closed_manifold(&self) -> bool {
        is_closed_manifold(self)
    }

    /// The vertices and faces, taken apart without copying.
    ///
    /// ```
    /// use impinge::{DVec3, TriMesh};
    /// let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// assert_eq!(mesh.into_parts().1, [[0, 1, 2]]);
    /// # let _ = DVec3::X;
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn into_parts(self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        (self.positions, self.faces)
    }
}

/// Refuses vertices that are too many, or that have a coordinate out of range.
pub(crate) fn check_positions(positions: &[DVec3], limit: usize) -> Result<(), MeshError> {
    check_count("vertices", positions.len(), limit)?;
    match positions.iter().position(|&p| !is_valid_point(p)) {
        Some(vertex) => Err(coordinate_error(vertex, positions[vertex])),
        None => Ok(()),
    }
}

/// Refuses more of something than ids can name.
pub(crate) fn check_count(what: &'static str, count: usize, limit: usize) -> Result<(), MeshError> {
    if count > limit {
        return Err(MeshError::TooMany { what, count, limit });
    }
    Ok(())
}

fn coordinate_error(vertex: usize, p: DVec3) -> MeshError {
    for value in p.to_array() {
        if !value.is_finite() {
            return MeshError::NotFinite { vertex, value };
        }
        if value.abs() > MAX_COORDINATE {
            return MeshError::TooFar { vertex, value };
        }
    }
    MeshError::NotFinite {
        vertex,
        value: f64::NAN,
    }
}
