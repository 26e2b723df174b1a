//! The engine for polygon meshes.

use std::ops::Range;
use std::sync::Arc;

use super::config::EdgePolygonConfig;
use super::prepared_mesh::EdgeFaceMesh;
use super::query;
use super::scratch::EdgePolygonCache;
use impinge::math::Pose;
use impinge::mesh::TriMesh;
use impinge::poly::{PolyMesh, triangulate};
use impinge::query::{FaceId, FacePair, Limits, Outcome, Sink};

/// A polygon mesh as edges and faces with holes, as they were read.
///
/// A polygon is treated as its triangles, so the answer is that of the triangulation with triangles named by their polygon.
/// Few of them are tested: an edge that passes away from the outline is decided by the outline alone,
/// and lines between triangles count as edges only where the placed corners are not exactly in one plane. Turning rounds corners out of their plane, so
/// that the second saving is lost under most rotations, and the first is not.
///
/// ```
/// use impinge_study::edge_polygon::{EdgePolygonCache, PolygonIndex};
/// use impinge::poly::PolyMesh;
/// use impinge::query::Limits;
/// use impinge::{DVec3, Pose};
/// use std::sync::Arc;
/// // A square of side 4 with a square hole of side 2, and one of side 1 that fits through.
/// let square = |half: f64| [[-half, -half], [half, -half], [half, half], [-half, half]];
/// let points = [square(2.0), square(1.0), square(0.5)].concat();
/// let points: Vec<DVec3> = points.into_iter().map(|[x, y]| DVec3::new(x, y, 0.0)).collect();
/// let frame = PolyMesh::new(points.clone(), [[vec![0, 1, 2, 3], vec![4, 5, 6, 7]]])?;
/// let plug = PolyMesh::from_outlines(points, [[8, 9, 10, 11]])?;
/// let [frame, plug] = [frame, plug].map(|mesh| PolygonIndex::build(Arc::new(mesh), &Default::default()));
/// let mut cache = EdgePolygonCache::default();
/// let mut pairs_at = |x: f64| -> Result<usize, impinge::PoseError> {
///     let mut pairs = Vec::new();
///     let pose = Pose::from_translation([x, 0.0, 0.0])?;
///     let _ = frame.intersections(&plug, &pose, Limits::default(), &mut cache, &mut pairs);
///     Ok(pairs.len())
/// };
/// assert_eq!((pairs_at(0.0)?, pairs_at(0.5)?), (0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "edge-polygon test")]
#[doc(alias = "polygon mesh")]
pub struct PolygonIndex {
    body: EdgeFaceMesh,
    config: EdgePolygonConfig,
}

impl PolygonIndex {
    /// The index of a polygon mesh.
    ///
    /// ```
    /// use impinge_study::edge_polygon::PolygonIndex;
    /// use impinge::poly::PolyMesh;
    /// use std::sync::Arc;
    /// let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = PolyMesh::from_points(square, [[0, 1, 2, 3]])?;
    /// let index = PolygonIndex::build(Arc::new(square), &Default::default());
    /// assert_eq!((index.polygon_count(), index.triangles().face_count()), (1, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn build(polygons: Arc<PolyMesh>, config: &EdgePolygonConfig) -> Self {
        let triangles = triangulate(&polygons);
        let count = polygons.face_count();
        let body = EdgeFaceMesh::of_polygons(
            Arc::new(triangles.mesh),
            &triangles.polygon_of_face,
            count,
            config,
        );
        Self {
            body,
            config: *config,
        }
    }

    /// The index of polygons that were cut into triangles before: neighbours in the list of faces that have the same number are one
    /// polygon, and faces beyond the end of the numbers are polygons of their own. Polygons are counted in this order.
    ///
    /// ```
    /// use impinge_study::edge_polygon::PolygonIndex;
    /// use impinge::TriMesh;
    /// use std::sync::Arc;
    /// let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriMesh::from_points(square, [[0, 1, 2], [0, 2, 3]])?;
    /// let index = PolygonIndex::from_triangles(Arc::new(square), &[7, 7], &Default::default());
    /// assert_eq!(index.polygon_count(), 1);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn from_triangles(
        mesh: Arc<TriMesh>,
        polygon_of_face: &[u32],
        config: &EdgePolygonConfig,
    ) -> Self {
        let mut own = Vec::with_capacity(mesh.face_count());
        let mut count = 0_u32;
        for face in 0..mesh.face_count() {
            let number = polygon_of_face.get(face);
            let continues = face > 0 && number.is_some() && number == polygon_of_face.get(face - 1);
            count += u32::from(!continues);
            own.push(count - 1);
        }
        Self {
            body: EdgeFaceMesh::of_polygons(mesh, &own, count as usize, config),
            config: *config,
        }
    }

    /// How many polygons there are.
    ///
    /// ```
    /// use impinge_study::edge_polygon::PolygonIndex;
    /// let index = PolygonIndex::from_triangles(Default::default(), &[], &Default::default());
    /// assert_eq!(index.polygon_count(), 0);
    /// ```
    #[must_use]
    pub fn polygon_count(&self) -> usize {
        self.body.face_count()
    }

    /// The numbers of the triangles of a polygon; none for a polygon that does not exist.
    ///
    /// ```
    /// use impinge::{generate::tetrahedron, query::FaceId};
    /// use impinge_study::edge_polygon::PolygonIndex;
    /// use std::sync::Arc;
    /// let mesh = Arc::new(tetrahedron(1.0)?);
    /// let index = PolygonIndex::from_triangles(mesh, &[], &Default::default());
    /// assert_eq!(index.faces_of(FaceId::new(2)), 2..3);
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn faces_of(&self, polygon: FaceId) -> Range<u32> {
        self.body.triangle_range(polygon.raw())
    }

    /// The triangles of the polygons, in the order of the polygons.
    ///
    /// ```
    /// use impinge::generate::tetrahedron;
    /// use impinge_study::edge_polygon::PolygonIndex;
    /// use std::sync::Arc;
    /// let mesh = Arc::new(tetrahedron(1.0)?);
    /// let index = PolygonIndex::from_triangles(mesh.clone(), &[], &Default::default());
    /// assert!(Arc::ptr_eq(index.triangles(), &mesh));
    /// # Ok::<(), impinge::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn triangles(&self) -> &Arc<TriMesh> {
        self.body.mesh()
    }

    query::intersections_of_bodies! {
        /// Reports every pair of polygons that share a point, each once, as
        /// [`MeshIndex::intersections`](impinge::bvh::MeshIndex::intersections) does for triangles.
        ///
        /// The face ids are those of the polygons.
        ///
        /// ```
        /// use impinge_study::edge_polygon::{EdgePolygonCache, PolygonIndex};
        /// use impinge::{Pose, generate::cuboid, query::Limits};
        /// use std::sync::Arc;
        /// let cube = Arc::new(cuboid(impinge::DVec3::ONE, [1; 3])?);
        /// let sides: Vec<u32> = (0..6).flat_map(|side| [side; 2]).collect();
        /// let cube = PolygonIndex::from_triangles(cube, &sides, &Default::default());
        /// let (pose, mut pairs) = (Pose::from_translation([1.0, 0.0, 0.0])?, Vec::new());
        /// let _ = cube.intersections(&cube, &pose, Limits::default(), &mut EdgePolygonCache::default(), &mut pairs);
        /// // Five sides of each touch the plane between the cubes.
        /// assert!(pairs.len() >= 5 && pairs.len() <= 25);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub fn
    }

    /// Bytes taken, triangles included.
    ///
    /// ```
    /// use impinge_study::edge_polygon::PolygonIndex;
    /// let empty = PolygonIndex::from_triangles(Default::default(), &[], &Default::default());
    /// assert!(empty.bytes() < 100);
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        let triangles = self.body.mesh();
        self.body.bytes() + size_of_val(triangles.positions()) + size_of_val(triangles.faces())
    }
}
