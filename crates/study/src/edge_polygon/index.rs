//! The engine for triangle meshes.

use std::sync::Arc;

use super::config::EdgePolygonConfig;
use super::prepared_mesh::EdgeFaceMesh;
use super::query;
use super::scratch::EdgePolygonCache;
use crate::own_faces::OwnFaces;
use impinge::bound::Aabb;
use impinge::bvh::{MeshIndex, Violation};
use impinge::math::Pose;
use impinge::mesh::TriMesh;
use impinge::query::{FacePair, Limits, Outcome, Sink, Work};

/// Index for the edge-polygon test: the edges and faces of a mesh, without a hierarchy.
///
/// ```
/// use impinge::bvh::MeshIndex;
/// use impinge_study::edge_polygon::{EdgePolygon, EdgePolygonCache, EdgePolygonConfig};
/// use impinge::{Pose, TriMesh};
/// use std::sync::Arc;
/// let face = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// let index = EdgePolygon::build(Arc::new(face), &EdgePolygonConfig::default());
/// let mut cache = EdgePolygonCache::default();
/// assert!(index.meets_by_two(&index, &Pose::IDENTITY, &mut cache));
/// assert!(cache.counts().exact_tests > 0);
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "edge-polygon test")]
#[doc(alias = "edge-face test")]
pub struct EdgePolygon {
    body: EdgeFaceMesh,
    config: EdgePolygonConfig,
}

impl EdgePolygon {
    /// Whether any pair of faces would be reported: edges of `self` against faces of `other` on one
    /// thread, the other direction on another; on one thread without the feature `parallel`.
    ///
    /// The answer is that of [`MeshIndex::intersections`]. The work in the cache depends on which
    /// thread was first.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge_study::edge_polygon::{EdgePolygon, EdgePolygonCache};
    /// use impinge::{Pose, generate::tetrahedron};
    /// use std::sync::Arc;
    /// let index = EdgePolygon::build(Arc::new(tetrahedron(1.0)?), &Default::default());
    /// let mut cache = EdgePolygonCache::default();
    /// assert!(index.meets_by_two(&index, &Pose::IDENTITY, &mut cache));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn meets_by_two(
        &self,
        other: &Self,
        self_from_other: &Pose,
        cache: &mut EdgePolygonCache,
    ) -> bool {
        query::meets_by_two(
            &self.body,
            &other.body,
            self_from_other,
            &self.config,
            cache,
        )
    }

    /// Bytes taken, the mesh not counted.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge_study::edge_polygon::EdgePolygon;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let index = EdgePolygon::build(Arc::new(tetrahedron(1.0)?), &Default::default());
    /// assert!(index.bytes() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.body.bytes()
    }
}

impl MeshIndex for EdgePolygon {
    type Config = EdgePolygonConfig;
    type Cache = EdgePolygonCache;
    const NAME: &'static str = "edge-polygon";

    fn build(mesh: Arc<TriMesh>, config: &EdgePolygonConfig) -> Self {
        Self {
            body: EdgeFaceMesh::of_triangles(mesh, config),
            config: *config,
        }
    }

    fn mesh(&self) -> &Arc<TriMesh> {
        self.body.mesh()
    }

    query::intersections_of_bodies!(fn);

    fn work(cache: &EdgePolygonCache) -> Work {
        cache.counts().work()
    }

    fn validate(&self) -> Result<(), Violation> {
        let broken = |promise: String| {
            Err(Violation {
                index: Self::NAME,
                promise,
            })
        };
        let mesh = self.body.mesh();
        let mut sides = vec![0u32; mesh.face_count()];
        for (ends, uses) in self.body.edges.iter() {
            for side in uses {
                let Some(&[p, q, r]) = mesh.faces().get(side.face as usize) else {
                    return broken(format!("edge {ends:?} names face {}", side.face));
                };
                let has = |s: u32, t: u32| ends == [s.min(t), s.max(t)];
                let own = [has(p, q), has(q, r), has(r, p)];
                sides[side.face as usize] += own.iter().map(|&b| u32::from(b)).sum::<u32>();
            }
        }
        for face in mesh.face_ids() {
            if sides[face.index()] != 3 {
                return broken(format!("{face} has {} sides", sides[face.index()]));
            }
            if self.body.boxes[face.index()] != Aabb::enclosing(mesh.triangle(face)) {
                return broken(format!("box of {face} is not the box of its corners"));
            }
        }
        if self.body.bounds != mesh.bounds() {
            return broken("bounds are not those of the mesh".to_owned());
        }
        Ok(())
    }
}
