//! A body gets another mesh while the proxy touches it.

use std::sync::Arc;

use impinge::DVec3;
use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{SingleTreeCache, WideTree};
use impinge::query::Limits;

use super::god_object::GodObject;
use super::scene::{BodyId, ProxyScene, SceneError};

/// Faces that are asked for their side at most: the faces around a vertex are equally near.
const MOST_FACES: usize = 16;

/// Where a point is beside a mesh.
struct Side {
    is_front: bool,
    /// The nearest point of the mesh.
    point: DVec3,
    distance: f64,
    /// The mean normal of the nearest faces.
    normal: DVec3,
}

impl Side {
    /// The side of the nearest face; of several at one edge or vertex, that of the face that the point is most clearly beside.
    fn of(tree: &WideTree, p: DVec3) -> Option<Self> {
        let mut found = Vec::new();
        let mut cache = SingleTreeCache::default();
        let limits = Limits::default();
        let searched = tree.nearest_faces(p, MOST_FACES, limits, &mut cache, &mut found);
        let _ = searched.ok()?;
        let nearest = *found.first()?;
        let size = tree.mesh().bounds().diagonal().length();
        let equal = found
            .iter()
            .take_while(|face| face.distance <= nearest.distance + 1e-9 * size);
        let (mut clearest, mut mean) = (0.0_f64, DVec3::ZERO);
        for face in equal {
            let Some(normal) = tree
                .mesh()
                .face(face.face)
                .and_then(|[v0, v1, v2]| (v1 - v0).cross(v2 - v0).try_normalize())
            else {
                continue;
            };
            mean += normal;
            let side = normal.dot(p - face.point);
            if side.abs() > clearest.abs() {
                clearest = side;
            }
        }
        Some(Self {
            is_front: clearest >= 0.0,
            point: nearest.point,
            distance: nearest.distance,
            normal: mean.try_normalize()?,
        })
    }
}

impl GodObject {
    /// Replaces the mesh of a body. The proxy stays on its side: where the new surface has passed it, it is put onto the surface. Force shading of the
    /// body ends until new normals are set. Not for the servo path: it allocates.
    ///
    /// Sides are those of the faces' orientation, so that both meshes should be oriented alike.
    ///
    /// # Errors
    /// [`SceneError`] when the mesh has no faces, the scene no such body, or other bodies leave the proxy no room; the mesh stays then.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, bvh::wide::WideTree, generate};
    /// use impinge_dynamics::proxy::{GodObject, ProxyScene};
    /// use std::sync::Arc;
    /// let ball = |radius| generate::icosphere(radius, 12).map(|mesh| Arc::new(WideTree::new(Arc::new(mesh))));
    /// let mut scene = ProxyScene::new();
    /// let body = scene.add(ball(1.0)?, Pose::IDENTITY)?;
    /// let mut proxy = GodObject::new(&mut scene, 1000.0, [0.0, 0.0, 1.1])?;
    /// proxy.update(&mut scene, DVec3::Z * 0.9, 1e-3);
    /// // A larger ball swallows the place where the proxy was.
    /// proxy.replace_mesh(&mut scene, body, ball(1.05)?)?;
    /// let step = proxy.update(&mut scene, DVec3::Z * 0.9, 1e-3);
    /// assert!(step.proxy.z > 1.04 && !step.crossed);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn replace_mesh(
        &mut self,
        scene: &mut ProxyScene,
        body: BodyId,
        tree: Arc<WideTree>,
    ) -> Result<(), SceneError> {
        self.meet_bodies(scene);
        let index = body.index();
        let missing = SceneError::NoBody { index };
        let felt = scene.bodies.get(index).ok_or(missing)?;
        let start = *self.starts.get(index).ok_or(missing)?;
        let (before, after) = (Side::of(&felt.tree, start), Side::of(&tree, start));
        let mut place = start;
        if let (Some(before), Some(after)) = (before, after) {
            let kept = self.offset + self.radius;
            if before.is_front != after.is_front || after.distance < 0.5 * self.offset + self.radius
            {
                let outward = if before.is_front { 1.0 } else { -1.0 };
                place = after.point + after.normal * (outward * kept);
            }
        }
        let goal = felt.world_from_body * place;
        let normals = felt.normals.clone();
        let old = scene.exchange_mesh(body, tree)?;
        if place == start {
            return Ok(());
        }
        let mut starts = self.starts.clone();
        if let Some(start) = starts.get_mut(index) {
            *start = place;
        }
        if scene.is_hit(&starts, goal, self.radius) {
            scene.exchange_mesh(body, old)?;
            scene.set_shading(body, normals)?;
            return Err(SceneError::NoRoom { index });
        }
        self.proxy = goal;
        for (body, (start, pose)) in
            (scene.bodies.iter()).zip(self.starts.iter_mut().zip(&mut self.poses))
        {
            *start = body.body_from_world * goal;
            *pose = body.world_from_body;
        }
        Ok(())
    }
}
