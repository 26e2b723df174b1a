//! The engine for polygon meshes.

use std::sync::Arc;

use super::ask;
use super::body::Body;
use super::config::EdgePolygonConfig;
use super::scratch::EdgePolygonCache;
use crate::math::Pose;
use crate::mesh::TriMesh;
use crate::poly::{PolyMesh, triangulate};
use crate::query::{FacePair, Limits, Outcome, Sink};

/// A polygon mesh as edges and faces with holes, as they were read.
///
/// A polygon stands for its triangles, so the answer is that of the triangulation with triangles named by their polygon.
/// Few of them are looked at: an edge that passes clear of the outline is decided by the outline alone,
/// and lines between triangles count as edges only where the placed corners are not exactly in one plane. Turning rounds corners out of their plane, so
/// that the second saving is lost under most rotations, and the first is not.
///
/// ```
/// use impinge::bvh::edge_polygon::{EdgePolygonCache, PolygonIndex};
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
pub struct PolygonIndex {
    polygons: Arc<PolyMesh>,
    body: Body,
    config: EdgePolygonConfig,
}

impl PolygonIndex {
    /// The index of a polygon mesh.
    #[must_use]
    pub fn build(polygons: Arc<PolyMesh>, config: &EdgePolygonConfig) -> Self {
        let triangles = triangulate(&polygons);
        let count = polygons.face_count();
        let body = Body::of_polygons(
            Arc::new(triangles.mesh),
            &triangles.polygon_of_face,
            count,
            config,
        );
        Self {
            polygons,
            body,
            config: *config,
        }
    }

    /// The polygon mesh.
    #[must_use]
    pub fn polygons(&self) -> &Arc<PolyMesh> {
        &self.polygons
    }

    /// The triangles that the polygons stand for, in the order of the polygons.
    #[must_use]
    pub fn triangles(&self) -> &Arc<TriMesh> {
        self.body.mesh()
    }

    /// Reports every pair of polygons that share a point, each once, as
    /// [`MeshIndex::intersections`](crate::bvh::MeshIndex::intersections) does for triangles.
    ///
    /// The face ids are those of the polygons.
    pub fn intersections(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut EdgePolygonCache,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome {
        ask::intersections(
            &self.body,
            &other.body,
            self_from_other,
            &self.config,
            limits,
            cache,
            sink,
        )
    }

    /// Bytes taken, triangles included, the polygon mesh not counted.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let triangles = self.body.mesh();
        self.body.bytes() + size_of_val(triangles.positions()) + size_of_val(triangles.faces())
    }
}
