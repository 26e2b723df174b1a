//! The rapier physics engine behind the adapter trait.
//!
//! **Limits.** Balls, boxes, capsules, cylinders, cones, convex polyhedra, half-spaces and meshes; other shapes are refused. A mesh that
//! moves has the mass of its triangles' solid as rapier computes it.

use impinge::convex::{Ball, Capsule, Cylinder, HalfSpace, Segment, SupportMap};
use impinge::pair::Shape;
use impinge::{DMat3, DVec3, Pose};
use rapier3d_f64::math::Matrix;
use rapier3d_f64::prelude::{
    ColliderBuilder, PhysicsWorld, Pose as RapierPose, RigidBodyBuilder, RigidBodyHandle, Rotation,
    Vector,
};

use super::{AdapterBody, AdapterError, PhysicsAdapter};
use crate::{Wrench, quantity};

/// A world of the rapier engine, in double precision.
///
/// ```
/// use impinge::{Pose, convex::{Ball, HalfSpace}};
/// use impinge_dynamics::adapter::{AdapterBody, PhysicsAdapter, RapierWorld};
/// let mut world = RapierWorld::new([0.0, 0.0, -9.81])?;
/// let ground = HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?.into();
/// world.add(AdapterBody { shape: ground, world_from_body: Pose::IDENTITY, density: None, friction: 0.5 })?;
/// let start = Pose::from_translation([0.0, 0.0, 1.0])?;
/// let shape = Ball::new(0.1)?.into();
/// let ball = world.add(AdapterBody { shape, world_from_body: start, density: Some(1000.0), friction: 0.5 })?;
/// for _ in 0..300 {
///     world.step(0.01)?;
/// }
/// let height = world.pose(ball).ok_or("gone")?.translation().z;
/// assert!((height - 0.1).abs() < 5e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RapierWorld {
    world: PhysicsWorld,
    pushed: Vec<RigidBodyHandle>,
}

impl std::fmt::Debug for RapierWorld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RapierWorld")
            .field("bodies", &self.world.bodies.len())
            .finish_non_exhaustive()
    }
}

impl RapierWorld {
    /// A world without bodies.
    ///
    /// # Errors
    /// [`AdapterError::Engine`] for gravity that is not finite.
    pub fn new(gravity: impl Into<DVec3>) -> Result<Self, AdapterError> {
        let gravity = gravity.into();
        if !gravity.is_finite() {
            let text = format!("gravity must be finite, not {gravity}");
            return Err(AdapterError::Engine(text));
        }
        let mut world = PhysicsWorld::new();
        world.gravity = vector(gravity);
        Ok(Self {
            world,
            pushed: Vec::new(),
        })
    }
}

impl PhysicsAdapter for RapierWorld {
    type Id = RigidBodyHandle;

    fn add(&mut self, body: AdapterBody) -> Result<RigidBodyHandle, AdapterError> {
        let friction = quantity::not_negative("friction", body.friction)?;
        let mut collider = collider(&body.shape)?.friction(friction);
        let rigid = match body.density {
            Some(density) => {
                collider = collider.density(quantity::positive("density", density)?);
                RigidBodyBuilder::dynamic()
            }
            None => RigidBodyBuilder::fixed(),
        };
        let rigid = rigid.pose(rapier_pose(&body.world_from_body));
        Ok(self.world.insert(rigid, collider).0)
    }

    fn pose(&self, body: RigidBodyHandle) -> Option<Pose> {
        let pose = self.world.bodies.get(body)?.position();
        let columns = [Vector::X, Vector::Y, Vector::Z].map(|axis| own(pose.rotation * axis));
        let rotation = DMat3::from_cols(columns[0], columns[1], columns[2]);
        Pose::new(rotation, own(pose.translation)).ok()
    }

    fn velocity(&self, body: RigidBodyHandle) -> Option<(DVec3, DVec3)> {
        let body = self.world.bodies.get(body)?;
        Some((own(body.linvel()), own(body.angvel())))
    }

    fn push(&mut self, body: RigidBodyHandle, wrench: Wrench) -> Result<(), AdapterError> {
        let found = self.world.bodies.get_mut(body);
        let rigid = found.ok_or(AdapterError::NoBody)?;
        rigid.add_force(vector(wrench.force), true);
        rigid.add_torque(vector(wrench.torque), true);
        self.pushed.push(body);
        Ok(())
    }

    fn step(&mut self, dt: f64) -> Result<(), AdapterError> {
        self.world.integration_parameters.dt = quantity::positive("step", dt)?;
        self.world.step();
        // Rapier keeps forces until told otherwise; here they act during one step.
        for body in self.pushed.drain(..) {
            if let Some(rigid) = self.world.bodies.get_mut(body) {
                rigid.reset_forces(false);
                rigid.reset_torques(false);
            }
        }
        Ok(())
    }
}

fn vector(v: DVec3) -> Vector {
    Vector::from_array(v.to_array())
}

fn own(v: Vector) -> DVec3 {
    DVec3::from_array(v.to_array())
}

fn rapier_pose(pose: &Pose) -> RapierPose {
    let matrix = Matrix::from_cols_array(&pose.rotation().to_cols_array());
    let rotation = Rotation::from_mat3(&matrix);
    RapierPose::from_parts(vector(pose.translation()), rotation)
}

/// The shape as rapier has it; cylinders and cones stand along y there.
fn collider(shape: &Shape) -> Result<ColliderBuilder, AdapterError> {
    let upright = || {
        let turn = Rotation::from_rotation_x(std::f64::consts::FRAC_PI_2);
        RapierPose::from_parts(Vector::ZERO, turn)
    };
    let refused = |why: &str| AdapterError::Engine(format!("rapier: {why}"));
    Ok(match shape {
        Shape::Ball(ball) => ColliderBuilder::ball(Ball::radius(ball)),
        Shape::Cuboid(cuboid) => {
            let half = cuboid.half_extent();
            ColliderBuilder::cuboid(half.x, half.y, half.z)
        }
        Shape::Capsule(capsule) => {
            let [a, b] = [0, 1].map(|k| vector(capsule.vertex(k)));
            ColliderBuilder::capsule_from_endpoints(a, b, Capsule::radius(capsule))
        }
        Shape::Cylinder(cylinder) => {
            let half = Cylinder::bounds(cylinder).half_extent();
            ColliderBuilder::cylinder(half.z, half.x).position(upright())
        }
        Shape::Cone(cone) => {
            let half = cone.bounds().half_extent();
            ColliderBuilder::cone(half.z, half.x).position(upright())
        }
        Shape::Polyhedron(hull) => {
            let points: Vec<Vector> = hull.vertices().iter().map(|&p| vector(p)).collect();
            let built = ColliderBuilder::convex_hull(&points);
            built.ok_or_else(|| refused("no hull of these points"))?
        }
        Shape::HalfSpace(plane) => half_space(plane)?,
        Shape::Mesh(mesh) => {
            let mesh = mesh.mesh();
            let points = mesh.positions().iter().map(|&p| vector(p)).collect();
            ColliderBuilder::trimesh(points, mesh.faces().to_vec())
                .map_err(|error| refused(&error.to_string()))?
        }
        other => {
            let text = format!("no shape for {}", other.kind().name());
            return Err(refused(&text));
        }
    })
}

fn half_space(plane: &HalfSpace) -> Result<ColliderBuilder, AdapterError> {
    let engine = |error: &dyn std::fmt::Display| AdapterError::Engine(format!("rapier: {error}"));
    let origin = Segment::new([0.0; 3], [0.0; 3]).map_err(|error| engine(&error))?;
    let offset = -plane.height_of(&origin, &Pose::IDENTITY).height;
    let normal = vector(plane.normal());
    let shape = rapier3d_f64::geometry::SharedShape::halfspace(normal);
    Ok(ColliderBuilder::new(shape).translation(normal * offset))
}
