//! The validated polygon mesh.

use glam::DVec3;
use thiserror::Error;

use super::ring::{Projection, RingView};
use crate::bound::Aabb;
use crate::mesh::{MeshError, check_count, check_positions};
use crate::query::FaceId;

/// Vertex positions and polygon faces, each an outer loop and any number of hole loops.
///
/// As with [`crate::TriMesh`], construction checks what the algorithms rely on (finite
/// coordinates, indices in range, three corners per loop); faces that are bent, crossed or empty
/// are allowed and reported by [`findings`](super::findings).
///
/// ```
/// use impinge::{DVec3, poly::PolyMesh};
/// let corners = [[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [0.0, 3.0], [1.0, 1.0], [1.0, 2.0], [2.0, 2.0]];
/// let positions = corners.map(|[x, y]| DVec3::new(x, y, 0.0)).to_vec();
/// let framed = PolyMesh::new(positions, [[vec![0, 1, 2, 3], vec![4, 5, 6]]])?;
/// assert_eq!(framed.face_count(), 1);
/// assert_eq!(framed.faces().next().map(|f| f.holes().count()), Some(1));
/// # Ok::<(), impinge::poly::PolyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PolyMesh {
    positions: Vec<DVec3>,
    // Three flat arrays instead of nested vectors: a million faces are three allocations.
    corners: Vec<u32>,
    loop_starts: Vec<u32>,
    face_starts: Vec<u32>,
}

/// Why a polygon mesh was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PolyError {
    /// What any mesh is refused for: a coordinate, an index, or too many of something.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A face has no loop at all.
    #[error("face {face} has no loop")]
    NoLoop {
        /// The face, counted from 0.
        face: usize,
    },
    /// A loop has fewer than three corners.
    #[error("loop {loop_index} of face {face} has {corners} corners, but needs at least 3")]
    LoopTooShort {
        /// The face, counted from 0.
        face: usize,
        /// The loop, 0 for the outer one.
        loop_index: usize,
        /// How many corners it has.
        corners: usize,
    },
}

impl PolyMesh {
    /// The most vertices, and the most corners of all faces together: few enough that the
    /// triangulation always fits into a [`crate::TriMesh`].
    pub const MAX_CORNERS: usize = (u32::MAX as usize - 1) / 6;

    /// The mesh with these vertices and faces; the first loop of a face is its outline, the others are holes.
    ///
    /// # Errors
    /// [`PolyError`] naming the vertex or face.
    ///
    /// ```
    /// use impinge::{DVec3, poly::PolyMesh};
    /// let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    /// assert!(PolyMesh::new(points.clone(), [[[0, 1, 2]]]).is_ok());
    /// assert!(PolyMesh::new(points, [[[0, 1, 3]]]).is_err());
    /// ```
    pub fn new<F, L>(
        positions: Vec<DVec3>,
        faces: impl IntoIterator<Item = F>,
    ) -> Result<Self, PolyError>
    where
        F: IntoIterator<Item = L>,
        L: AsRef<[u32]>,
    {
        check_positions(&positions, Self::MAX_CORNERS)?;
        let mut mesh = Self {
            positions,
            corners: Vec::new(),
            loop_starts: vec![0],
            face_starts: vec![0],
        };
        for (face, loops) in faces.into_iter().enumerate() {
            for (loop_index, corners) in loops.into_iter().enumerate() {
                mesh.push_loop(face, loop_index, corners.as_ref())?;
            }
            let loops = mesh.loop_starts.len() - 1;
            if mesh.face_starts.last().copied() == Some(loops as u32) {
                return Err(PolyError::NoLoop { face });
            }
            mesh.face_starts.push(loops as u32);
        }
        Ok(mesh)
    }

    /// The mesh whose faces are plain outlines without holes.
    ///
    /// # Errors
    /// As [`PolyMesh::new`].
    ///
    /// ```
    /// use impinge::{DVec3, poly::PolyMesh};
    /// let positions = vec![DVec3::ZERO, DVec3::X, DVec3::ONE, DVec3::Y];
    /// assert_eq!(PolyMesh::from_outlines(positions.clone(), [[0, 1, 2, 3]])?.corner_count(), 4);
    /// assert!(PolyMesh::from_outlines(positions, [[0, 1]]).is_err());
    /// # Ok::<(), impinge::poly::PolyError>(())
    /// ```
    pub fn from_outlines<L: AsRef<[u32]>>(
        positions: Vec<DVec3>,
        outlines: impl IntoIterator<Item = L>,
    ) -> Result<Self, PolyError> {
        Self::new(positions, outlines.into_iter().map(std::iter::once))
    }

    /// The mesh of any points that convert to [`DVec3`] (arrays, or `mint` points with feature `mint`), its faces
    /// plain outlines.
    ///
    /// # Errors
    /// As [`PolyMesh::new`].
    ///
    /// ```
    /// use impinge::poly::PolyMesh;
    /// let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// assert_eq!(PolyMesh::from_points(square, [[0, 1, 2, 3]])?.face_count(), 1);
    /// # Ok::<(), impinge::poly::PolyError>(())
    /// ```
    pub fn from_points<P: Into<DVec3>, L: AsRef<[u32]>>(
        positions: impl IntoIterator<Item = P>,
        outlines: impl IntoIterator<Item = L>,
    ) -> Result<Self, PolyError> {
        Self::from_outlines(positions.into_iter().map(Into::into).collect(), outlines)
    }

    fn push_loop(
        &mut self,
        face: usize,
        loop_index: usize,
        corners: &[u32],
    ) -> Result<(), PolyError> {
        if corners.len() < 3 {
            return Err(PolyError::LoopTooShort {
                face,
                loop_index,
                corners: corners.len(),
            });
        }
        let count = self.corners.len() + corners.len();
        // Each loop has three corners and each face a loop, so this bounds those counts too.
        check_count("corners", count, Self::MAX_CORNERS)?;
        let vertices = self.positions.len();
        if let Some(&index) = corners.iter().find(|&&v| v as usize >= vertices) {
            return Err(MeshError::IndexOutOfRange {
                face,
                index: u64::from(index),
                vertices,
            }
            .into());
        }
        self.corners.extend_from_slice(corners);
        self.loop_starts.push(count as u32);
        Ok(())
    }

    /// The vertex positions, in input order.
    ///
    /// ```
    /// use impinge::{DVec3, poly::PolyMesh};
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2, 3]])?;
    /// assert_eq!(mesh.positions()[1], DVec3::X);
    /// # Ok::<(), impinge::poly::PolyError>(())
    /// ```
    #[must_use]
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// How many faces there are.
    ///
    /// ```
    /// use impinge::poly::PolyMesh;
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2, 3]])?;
    /// assert_eq!(mesh.face_count(), 1);
    /// # Ok::<(), impinge::poly::PolyError>(())
    /// ```
    #[must_use]
    pub fn face_count(&self) -> usize {
        self.face_starts.len() - 1
    }

    /// How many corners all loops of all faces have together.
    ///
    /// ```
    /// use impinge::poly::PolyMesh;
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2, 3]])?;
    /// assert_eq!(mesh.corner_count(), 4);
    /// # Ok::<(), impinge::poly::PolyError>(())
    /// ```
    #[must_use]
    pub fn corner_count(&self) -> usize {
        self.corners.len()
    }

    /// The face with this id; none when the mesh has no such face.
    ///
    /// ```
    /// use impinge::{DVec3, poly::PolyMesh, query::FaceId};
    /// let mesh = PolyMesh::from_outlines(vec![DVec3::ZERO, DVec3::X, DVec3::ONE, DVec3::Y], [[0, 1, 2, 3]])?;
    /// assert_eq!(mesh.face(FaceId::new(0)).map(|face| face.corner_count()), Some(4));
    /// assert!(mesh.face(FaceId::new(1)).is_none());
    /// # Ok::<(), impinge::poly::PolyError>(())
    /// ```
    #[must_use]
    pub fn face(&self, face: FaceId) -> Option<PolyFace<'_>> {
        (face.index() < self.face_count()).then(|| self.face_at(face))
    }

    fn face_at(&self, face: FaceId) -> PolyFace<'_> {
        let loops =
            self.face_starts[face.index()] as usize..=self.face_starts[face.index() + 1] as usize;
        PolyFace {
            mesh: self,
            id: face,
            loop_starts: &self.loop_starts[loops],
        }
    }

    /// All faces, in input order.
    ///
    /// ```
    /// use impinge::poly::PolyMesh;
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2, 3]])?;
    /// assert_eq!(mesh.faces().len(), 1);
    /// # Ok::<(), impinge::poly::PolyError>(())
    /// ```
    pub fn faces(&self) -> impl ExactSizeIterator<Item = PolyFace<'_>> {
        (0..self.face_count() as u32).map(|f| self.face_at(FaceId::new(f)))
    }

    /// The smallest axis-aligned box around the vertices that faces use.
    ///
    /// ```
    /// use impinge::{DVec3, poly::PolyMesh};
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2, 3]])?;
    /// assert_eq!(mesh.bounds().max, DVec3::new(1.0, 1.0, 0.0));
    /// # Ok::<(), impinge::poly::PolyError>(())
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb::enclosing(self.corners.iter().map(|&v| self.positions[v as usize]))
    }
}

/// One face of a [`PolyMesh`].
#[derive(Clone, Copy, Debug)]
pub struct PolyFace<'a> {
    mesh: &'a PolyMesh,
    id: FaceId,
    // One more entry than loops; at least two.
    loop_starts: &'a [u32],
}

impl<'a> PolyFace<'a> {
    /// The face's id.
    ///
    /// ```
    /// use impinge::poly::PolyMesh;
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2, 3]])?;
    /// let face = mesh.faces().next().ok_or("no face")?;
    /// assert_eq!(face.id().raw(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn id(&self) -> FaceId {
        self.id
    }

    /// The positions of the whole mesh, which the loops index.
    ///
    /// ```
    /// use impinge::poly::PolyMesh;
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2, 3]])?;
    /// let face = mesh.faces().next().ok_or("no face")?;
    /// assert_eq!(face.positions().len(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn positions(&self) -> &'a [DVec3] {
        &self.mesh.positions
    }

    /// All loops as vertex numbers, the outline first.
    ///
    /// ```
    /// use impinge::poly::PolyMesh;
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2, 3]])?;
    /// let face = mesh.faces().next().ok_or("no face")?;
    /// assert_eq!(face.loops().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn loops(&self) -> impl ExactSizeIterator<Item = &'a [u32]> + use<'a> {
        let corners = &self.mesh.corners;
        self.loop_starts
            .windows(2)
            .map(move |w| &corners[w[0] as usize..w[1] as usize])
    }

    /// The outline's vertex numbers.
    ///
    /// ```
    /// use impinge::poly::PolyMesh;
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2, 3]])?;
    /// let face = mesh.faces().next().ok_or("no face")?;
    /// assert_eq!(face.outline(), [0, 1, 2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn outline(&self) -> &'a [u32] {
        self.loops().next().unwrap_or_default()
    }

    /// The holes' vertex numbers.
    ///
    /// ```
    /// use impinge::poly::PolyMesh;
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2, 3]])?;
    /// let face = mesh.faces().next().ok_or("no face")?;
    /// assert_eq!(face.holes().len(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn holes(&self) -> impl ExactSizeIterator<Item = &'a [u32]> + use<'a> {
        self.loops().skip(1)
    }

    /// How many corners all loops have together.
    ///
    /// ```
    /// use impinge::poly::PolyMesh;
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2, 3]])?;
    /// let face = mesh.faces().next().ok_or("no face")?;
    /// assert_eq!(face.corner_count(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn corner_count(&self) -> usize {
        self.loops().map(<[u32]>::len).sum()
    }

    /// The corner positions of a loop, in order; numbers that are no vertices are left out.
    ///
    /// ```
    /// use impinge::{DVec3, poly::PolyMesh};
    /// let mesh = PolyMesh::from_outlines(vec![DVec3::ZERO, DVec3::X, DVec3::Y], [[0, 1, 2]])?;
    /// let face = mesh.faces().next().ok_or("no face")?;
    /// assert_eq!(face.points(face.outline()).last(), Some(DVec3::Y));
    /// assert_eq!(face.points(&[7]).count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn points(&self, corners: &'a [u32]) -> impl Iterator<Item = DVec3> + Clone + use<'a> {
        let positions = self.positions();
        corners
            .iter()
            .filter_map(move |&v| positions.get(v as usize).copied())
    }

    /// The loops seen through a projection, the outline first.
    ///
    /// ```
    /// use impinge::{DVec2, DVec3, poly::{PolyMesh, Projection, Ring}};
    /// let mesh = PolyMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2, 3]])?;
    /// let face = mesh.faces().next().ok_or("no face")?;
    /// let outline = face.rings(Projection::along(DVec3::Z)).next();
    /// assert_eq!(outline.map(|ring| ring.corner(2)), Some(DVec2::ONE));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rings(
        &self,
        projection: Projection,
    ) -> impl ExactSizeIterator<Item = RingView<'a>> + use<'a> {
        let positions = self.positions();
        self.loops()
            .map(move |corners| RingView::new(positions, corners, projection))
    }
}
