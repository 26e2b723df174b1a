//! A mesh with its indexes, each built once, when first needed.

use std::sync::{Arc, OnceLock};

use glam::DVec3;

use super::contact_hull::ContactHull;
use super::internal_edges::VertexRings;
use super::split_pair::MeshPieces;
use crate::average_case::{AverageConfig, AverageTree};
use crate::bound::Aabb;
use crate::bvh::wide::{WideConfig, WideTree};
use crate::bvh::{MeshIndex, Solid, SolidFacts};
use crate::convex::Polyhedron;
use crate::mesh::point_in_mesh::InsideTest;
use crate::mesh::{HalfEdges, TriMesh, is_convex};
#[cfg(feature = "spheres")]
use crate::penetration::PenetrationBody;
use crate::volume::{VolumeError, VolumeIndex};

/// A mesh as a shape. Objects that share it share its indexes.
///
/// ```
/// use impinge::{generate, pair::MeshShape};
/// use std::sync::Arc;
/// let ball = MeshShape::new(Arc::new(generate::icosphere(1.0, 4)?));
/// assert!(ball.is_closed() && ball.bounds().max.x > 0.9);
/// assert_eq!(ball.half_edges().half_edge_count(), 3 * ball.mesh().face_count());
/// assert!(ball.wide().bytes() > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MeshShape {
    mesh: Arc<TriMesh>,
    bounds: Aabb,
    wide: OnceLock<Arc<WideTree>>,
    half_edges: OnceLock<Arc<HalfEdges>>,
    is_closed: OnceLock<bool>,
    facts: OnceLock<Arc<SolidFacts>>,
    volume: OnceLock<Result<Arc<VolumeIndex>, VolumeError>>,
    hull: OnceLock<Option<Arc<Polyhedron>>>,
    outer_hull: OnceLock<Option<Arc<Polyhedron>>>,
    /// In so many pieces, as first requested.
    pieces: OnceLock<(usize, Arc<MeshPieces>)>,
    contact_hull: OnceLock<Option<Arc<ContactHull>>>,
    rings: OnceLock<Arc<VertexRings>>,
    outward: OnceLock<f64>,
    average: OnceLock<Arc<AverageTree>>,
    /// What it carries for queries of volume and force.
    #[cfg(feature = "spheres")]
    body: Option<Arc<PenetrationBody>>,
}

impl MeshShape {
    /// The shape of a mesh. Nothing is built yet.
    ///
    /// ```
    /// use impinge::{generate, pair::MeshShape};
    /// let shape = MeshShape::new(std::sync::Arc::new(generate::tetrahedron(1.0)?));
    /// assert_eq!(shape.mesh().face_count(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(mesh: Arc<TriMesh>) -> Self {
        Self {
            // Vertices that no face uses are no part of the surface.
            bounds: Aabb::enclosing(mesh.triangles().flatten()),
            mesh,
            wide: OnceLock::new(),
            half_edges: OnceLock::new(),
            is_closed: OnceLock::new(),
            facts: OnceLock::new(),
            volume: OnceLock::new(),
            hull: OnceLock::new(),
            outer_hull: OnceLock::new(),
            pieces: OnceLock::new(),
            contact_hull: OnceLock::new(),
            rings: OnceLock::new(),
            outward: OnceLock::new(),
            average: OnceLock::new(),
            #[cfg(feature = "spheres")]
            body: None,
        }
    }

    /// The same shape with an inner sphere tree, voxels or an index of volume, by which
    /// [`OverlapQuery`](super::OverlapQuery) and worlds find shared volumes and forces. The body has to be that of this mesh;
    /// other queries do not use it.
    ///
    /// ```
    /// use impinge::{generate, pair::MeshShape, penetration::{BodyOptions, PenetrationBody, PenetrationMethod}};
    /// let ball = MeshShape::new(std::sync::Arc::new(generate::icosphere(1.0, 4)?));
    /// let options = BodyOptions { balls: 200, ..BodyOptions::default() };
    /// let body = PenetrationBody::prepared(ball.wide(), &options)?;
    /// let ball = ball.with_body(body);
    /// assert!(ball.body().is_some_and(|body| body.has(PenetrationMethod::Spheres)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "spheres")]
    #[must_use]
    pub fn with_body(self, body: PenetrationBody) -> Self {
        Self {
            body: Some(Arc::new(body)),
            ..self
        }
    }

    /// What it carries for queries of volume and force.
    #[cfg(feature = "spheres")]
    #[must_use]
    pub fn body(&self) -> Option<&PenetrationBody> {
        self.body.as_deref()
    }

    /// The mesh.
    #[must_use]
    pub fn mesh(&self) -> &Arc<TriMesh> {
        &self.mesh
    }

    /// The box around its faces; empty when there are none.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The default index, for queries about a mesh and anything else.
    #[must_use]
    pub fn wide(&self) -> &Arc<WideTree> {
        self.wide_with(&WideConfig::default())
    }

    /// The same, built with this configuration if it was not built yet.
    ///
    /// ```
    /// use impinge::{bvh::wide::WideConfig, generate, pair::MeshShape};
    /// let ball = MeshShape::new(std::sync::Arc::new(generate::icosphere(1.0, 4)?));
    /// let tree = ball.wide_with(&WideConfig::fast()).clone();
    /// assert!(std::sync::Arc::ptr_eq(&tree, ball.wide()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn wide_with(&self, config: &WideConfig) -> &Arc<WideTree> {
        self.wide
            .get_or_init(|| Arc::new(WideTree::build(self.mesh.clone(), config)))
    }

    /// The average-case tree, for probabilistic queries.
    ///
    /// ```
    /// use impinge::{generate, pair::MeshShape};
    /// let ball = MeshShape::new(std::sync::Arc::new(generate::icosphere(1.0, 4)?));
    /// assert!(ball.average().bytes_per_node() <= 36.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn average(&self) -> &Arc<AverageTree> {
        self.average
            .get_or_init(|| Arc::new(AverageTree::new(&self.mesh, &AverageConfig::default())))
    }

    /// The half-edge connectivity.
    #[must_use]
    pub fn half_edges(&self) -> &Arc<HalfEdges> {
        self.half_edges
            .get_or_init(|| Arc::new(self.mesh.half_edges()))
    }

    /// Whether it has an inside: each edge has an even number of faces.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        *self
            .is_closed
            .get_or_init(|| InsideTest::new(&self.mesh).is_ok())
    }

    /// A vertex of each connected piece of the surface.
    pub(super) fn samples(&self) -> &[DVec3] {
        &self.facts().samples
    }

    fn facts(&self) -> &Arc<SolidFacts> {
        self.facts.get_or_init(|| SolidFacts::of_any(&self.mesh))
    }

    /// The solid that the mesh bounds, known to be closed.
    pub(crate) fn solid(&self) -> Solid<'_> {
        Solid::with_facts(self.wide(), self.facts())
    }

    /// The index for queries about shared volume.
    ///
    /// # Errors
    /// [`VolumeError`] for a mesh that is open, inconsistently oriented or inside out.
    ///
    /// ```
    /// use impinge::{generate, pair::MeshShape};
    /// let ball = MeshShape::new(std::sync::Arc::new(generate::icosphere(1.0, 4)?));
    /// assert!(ball.volume()?.volume() > 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn volume(&self) -> Result<&Arc<VolumeIndex>, VolumeError> {
        let built = self.volume.get_or_init(|| {
            let tree = Arc::clone(self.wide());
            VolumeIndex::from_tree(tree).map(Arc::new)
        });
        built.as_ref().map_err(|refused| *refused)
    }

    /// The vertices around each vertex.
    pub(super) fn rings(&self) -> &VertexRings {
        self.rings
            .get_or_init(|| Arc::new(VertexRings::new(&self.mesh)))
    }

    /// Which side of its faces is outside, when the mesh is closed: 1 for the side of their normals, else -1.
    pub(super) fn outward(&self) -> Option<f64> {
        self.is_closed().then(|| {
            *self.outward.get_or_init(|| {
                let center = self.bounds.center();
                let volume: f64 = self
                    .mesh
                    .triangles()
                    .map(|corners| corners.map(|p| p - center))
                    .map(|[a, b, c]| a.cross(b).dot(c))
                    .sum();
                if volume < 0.0 { -1.0 } else { 1.0 }
            })
        })
    }

    /// The mesh in at most so many pieces. Those of the first requested number are kept.
    pub(super) fn pieces(&self, count: usize) -> Arc<MeshPieces> {
        let cut = || Arc::new(MeshPieces::new(&self.mesh, count));
        let (kept, pieces) = self.pieces.get_or_init(|| (count, cut()));
        if *kept == count {
            Arc::clone(pieces)
        } else {
            cut()
        }
    }

    /// The convex hull of its faces; none when they lie in a plane.
    pub(super) fn outer_hull(&self) -> Option<&Arc<Polyhedron>> {
        self.outer_hull
            .get_or_init(|| {
                let corners: Vec<DVec3> = self.mesh.triangles().flatten().collect();
                Polyhedron::new(&corners).ok().map(Arc::new)
            })
            .as_ref()
    }

    /// The same solid as a polyhedron, when the mesh is closed and convex.
    pub(super) fn hull(&self) -> Option<&Arc<Polyhedron>> {
        self.hull
            .get_or_init(|| {
                if !self.is_closed() || !is_convex(&self.mesh, self.half_edges()) {
                    return None;
                }
                let corners: Vec<DVec3> = self.mesh.triangles().flatten().collect();
                Polyhedron::new(&corners).ok().map(Arc::new)
            })
            .as_ref()
    }

    /// The polyhedron that contacts are computed with, when the mesh is closed and convex and has few sides.
    pub(super) fn contact_hull(&self) -> Option<&Arc<ContactHull>> {
        self.contact_hull
            .get_or_init(|| ContactHull::new(self).map(Arc::new))
            .as_ref()
    }
}
