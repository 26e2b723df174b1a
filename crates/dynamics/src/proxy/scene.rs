//! Meshes that a proxy can touch.

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{RayOrSegment, SingleTreeCache, WideTree};
use impinge::query::{Count, Limits};
use impinge::{DVec3, Pose};
use thiserror::Error;

use crate::friction::Friction;
use crate::shading::VertexNormals;

/// A body of a [`ProxyScene`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(crate) u32);

impl BodyId {
    /// Its place in the order of [`ProxyScene::add`].
    ///
    /// ```
    /// # use impinge::{DVec3, Pose, bvh::wide::WideTree, generate};
    /// # use std::sync::Arc;
    /// let mut scene = impinge_dynamics::proxy::ProxyScene::new();
    /// let tree = Arc::new(WideTree::new(Arc::new(generate::tetrahedron(1.0)?)));
    /// assert_eq!(scene.add(tree, Pose::IDENTITY)?.index(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Why a scene refused something.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// A mesh without faces cannot be touched.
    #[error("the mesh has no faces")]
    NoFaces,
    /// More bodies than ids.
    #[error("a scene holds at most {} bodies", u32::MAX)]
    TooManyBodies,
    /// Vertex normals belong to another mesh.
    #[error("{normals} vertex normals do not fit a mesh of {vertices} vertices")]
    OtherMesh {
        /// Normals given.
        normals: usize,
        /// Vertices of the mesh.
        vertices: usize,
    },
    /// A body of another scene.
    #[error("the scene has no body {index}")]
    NoBody {
        /// Its number.
        index: usize,
    },
    /// A point is not finite or too large.
    #[error("{what} {value} is not finite or too large")]
    Point {
        /// Which value.
        what: &'static str,
        /// The value passed.
        value: DVec3,
    },
    /// The proxy was to stay on its side of a new mesh, and other bodies leave no room there.
    #[error("the proxy has no room beside the new mesh of body {index}")]
    NoRoom {
        /// The body's number.
        index: usize,
    },
    /// The proxy must not start on a face: it would be on neither side.
    #[error("the proxy starts on a face, at {value}")]
    OnSurface {
        /// The position.
        value: DVec3,
    },
    /// A number is out of range.
    #[error(transparent)]
    Quantity(#[from] crate::QuantityError),
}

/// Placed meshes, and the memory that casting at them needs.
///
/// ```
/// use impinge::{DVec3, Pose, bvh::wide::WideTree, generate};
/// use impinge_dynamics::{friction::Friction, proxy::ProxyScene, shading::VertexNormals};
/// use std::sync::Arc;
/// let mesh = Arc::new(generate::icosphere(1.0, 4)?);
/// let mut scene = ProxyScene::new();
/// let body = scene.add(Arc::new(WideTree::new(mesh.clone())), Pose::IDENTITY)?;
/// scene.set_friction(body, Friction::coulomb(0.5, 0.3)?)?;
/// scene.set_shading(body, Some(Arc::new(VertexNormals::new(&mesh))))?;
/// scene.set_pose(body, Pose::from_translation([0.0, 0.1, 0.0])?)?;
/// assert_eq!(scene.pose(body).map(|pose| pose.translation()), Some(DVec3::Y * 0.1));
/// assert_eq!(scene.body_count(), 1);
/// assert!(scene.extent() > 1.9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct ProxyScene {
    pub(super) bodies: Vec<Body>,
}

#[derive(Debug)]
pub(super) struct Body {
    pub(super) tree: Arc<WideTree>,
    pub(super) world_from_body: Pose,
    pub(super) body_from_world: Pose,
    pub(super) friction: Friction,
    pub(super) normals: Option<Arc<VertexNormals>>,
    cache: SingleTreeCache,
}

/// Where a path is stopped, in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepHit {
    pub(super) body: BodyId,
    pub(super) face: impinge::query::FaceId,
    pub(super) t: f64,
    pub(super) point: DVec3,
    /// The face's normal, towards the side the path comes from.
    pub(super) normal: DVec3,
    pub(super) barycentric: [f64; 3],
    /// Whether `normal` is the face's own orientation reversed.
    pub(super) reversed: bool,
}

/// Memory for casts. Visiting every node grows the stack to the most that any cast can need, so that none
/// allocates later.
fn grown_cache(tree: &WideTree) -> SingleTreeCache {
    let mut cache = SingleTreeCache::default();
    let center = tree.mesh().bounds().center();
    let everything = tree.faces_within(
        center,
        f64::MAX,
        Limits::default(),
        &mut cache,
        &mut Count::default(),
    );
    debug_assert!(everything.is_ok(), "the centre of a mesh is a valid point");
    cache
}

impl ProxyScene {
    /// A scene without bodies.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a body. Not for the servo path: it allocates.
    ///
    /// # Errors
    /// [`SceneError`] when the mesh has no faces.
    pub fn add(
        &mut self,
        tree: Arc<WideTree>,
        world_from_body: Pose,
    ) -> Result<BodyId, SceneError> {
        if tree.mesh().is_empty() {
            return Err(SceneError::NoFaces);
        }
        let index = u32::try_from(self.bodies.len()).map_err(|_| SceneError::TooManyBodies)?;
        let cache = grown_cache(&tree);
        self.bodies.push(Body {
            tree,
            world_from_body,
            body_from_world: world_from_body.inverse(),
            friction: Friction::NONE,
            normals: None,
            cache,
        });
        Ok(BodyId(index))
    }

    /// Exchanges the mesh of a body and returns the one before. Shading ends: its normals are those of the other mesh.
    pub(super) fn exchange_mesh(
        &mut self,
        body: BodyId,
        tree: Arc<WideTree>,
    ) -> Result<Arc<WideTree>, SceneError> {
        if tree.mesh().is_empty() {
            return Err(SceneError::NoFaces);
        }
        let body = self.body_mut(body)?;
        body.cache = grown_cache(&tree);
        body.normals = None;
        Ok(std::mem::replace(&mut body.tree, tree))
    }

    fn body_mut(&mut self, body: BodyId) -> Result<&mut Body, SceneError> {
        let index = body.index();
        let found = self.bodies.get_mut(index);
        found.ok_or(SceneError::NoBody { index })
    }

    /// Moves a body. The proxy is carried along or pushed away at its next update.
    ///
    /// # Errors
    /// [`SceneError::NoBody`] for a body of another scene.
    pub fn set_pose(&mut self, body: BodyId, world_from_body: Pose) -> Result<(), SceneError> {
        let body = self.body_mut(body)?;
        body.world_from_body = world_from_body;
        body.body_from_world = world_from_body.inverse();
        Ok(())
    }

    /// Gives a body's surface friction.
    ///
    /// # Errors
    /// [`SceneError::NoBody`] for a body of another scene.
    pub fn set_friction(&mut self, body: BodyId, friction: Friction) -> Result<(), SceneError> {
        self.body_mut(body)?.friction = friction;
        Ok(())
    }

    /// Turns force shading of a body on or off.
    ///
    /// # Errors
    /// [`SceneError`] for a body of another scene, or normals of a mesh of another size.
    pub fn set_shading(
        &mut self,
        body: BodyId,
        normals: Option<Arc<VertexNormals>>,
    ) -> Result<(), SceneError> {
        let body = self.body_mut(body)?;
        let vertices = body.tree.mesh().vertex_count();
        if let Some(normals) = &normals
            && normals.count() != vertices
        {
            return Err(SceneError::OtherMesh {
                normals: normals.count(),
                vertices,
            });
        }
        body.normals = normals;
        Ok(())
    }

    /// Where a body is; none for a body of another scene.
    #[must_use]
    pub fn pose(&self, body: BodyId) -> Option<Pose> {
        Some(self.bodies.get(body.index())?.world_from_body)
    }

    /// The body of this number, in the order of [`ProxyScene::add`].
    ///
    /// ```
    /// assert!(impinge_dynamics::proxy::ProxyScene::new().body_id(0).is_none());
    /// ```
    #[must_use]
    pub fn body_id(&self, index: usize) -> Option<BodyId> {
        let id = u32::try_from(index).ok()?;
        (index < self.bodies.len()).then_some(BodyId(id))
    }

    /// How many bodies there are.
    #[must_use]
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// The diagonal of the largest body; 0 without bodies.
    #[must_use]
    pub fn extent(&self) -> f64 {
        let diagonals = self.bodies.iter();
        diagonals
            .map(|body| body.tree.mesh().bounds().diagonal().length())
            .fold(0.0, f64::max)
    }

    /// Whether some body has force shading.
    pub(super) fn is_shaded(&self) -> bool {
        self.bodies.iter().any(|body| body.normals.is_some())
    }

    /// The first face on the way to `goal`, of all bodies; each path starts where the proxy was in the body's
    /// own frame.
    pub(super) fn first_hit(
        &mut self,
        starts: &[DVec3],
        goal: DVec3,
        radius: f64,
    ) -> Option<SweepHit> {
        if radius > 0.0 {
            return self.first_ball_hit(starts, goal, radius);
        }
        let mut first: Option<SweepHit> = None;
        for (index, (body, &start)) in self.bodies.iter_mut().zip(starts).enumerate() {
            let end = body.body_from_world * goal;
            // Callers check the goal; a body so far away that its frame has no such point is not near.
            let Ok(line) = RayOrSegment::segment(start, end) else {
                continue;
            };
            let found = body
                .tree
                .first_hit(&line, Limits::default(), &mut body.cache);
            let Some(hit) = found.value else {
                continue;
            };
            if first.as_ref().is_some_and(|first| first.t <= hit.t) {
                continue;
            }
            let Some([v0, v1, v2]) = body.tree.mesh().face(hit.face) else {
                continue;
            };
            let travel = (end - start).normalize_or_zero();
            let across = (v1 - v0).cross(v2 - v0);
            // A face without area has no normal: it stops the proxy against its travel.
            let normal = across.try_normalize().unwrap_or(-travel);
            let side = normal.dot(start - v0);
            let along = if side == 0.0 {
                -normal.dot(travel)
            } else {
                side
            };
            let reversed = along < 0.0;
            let towards = if reversed { -normal } else { normal };
            first = Some(SweepHit {
                body: BodyId(index as u32),
                face: hit.face,
                t: hit.t,
                point: body.world_from_body * hit.point,
                normal: body.world_from_body.transform_vector(towards),
                barycentric: hit.barycentric,
                reversed,
            });
        }
        first
    }

    /// The first face that a ball touches on its way to `goal`.
    fn first_ball_hit(&mut self, starts: &[DVec3], goal: DVec3, radius: f64) -> Option<SweepHit> {
        let mut first: Option<SweepHit> = None;
        for (index, (body, &start)) in self.bodies.iter_mut().zip(starts).enumerate() {
            let end = body.body_from_world * goal;
            let found =
                body.tree
                    .first_ball_hit(radius, start, end, Limits::default(), &mut body.cache);
            let Some(hit) = found.ok().and_then(|found| found.value) else {
                continue;
            };
            if first.as_ref().is_some_and(|first| first.t <= hit.t) {
                continue;
            }
            let side = body
                .tree
                .mesh()
                .face(hit.face)
                .map_or(1.0, |[v0, v1, v2]| (v1 - v0).cross(v2 - v0).dot(hit.normal));
            first = Some(SweepHit {
                body: BodyId(index as u32),
                face: hit.face,
                t: hit.t,
                point: body.world_from_body * hit.point,
                normal: body.world_from_body.transform_vector(hit.normal),
                barycentric: hit.barycentric,
                reversed: side < 0.0,
            });
        }
        first
    }

    /// Whether the way to `goal` meets a face: decided exactly for a point, by the closed form for a ball.
    pub(super) fn is_hit(&mut self, starts: &[DVec3], goal: DVec3, radius: f64) -> bool {
        if radius > 0.0 {
            return self.first_ball_hit(starts, goal, radius).is_some();
        }
        self.bodies.iter_mut().zip(starts).any(|(body, &start)| {
            let line = RayOrSegment::segment(start, body.body_from_world * goal);
            // A path outside the range of coordinates is not known to be free.
            line.map_or(true, |line| body.tree.is_hit(&line, &mut body.cache))
        })
    }
}
