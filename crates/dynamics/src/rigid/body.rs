//! One rigid body.

use impinge::glam::DQuat;
use impinge::pair::Shape;
use impinge::{DMat3, DVec3, Pose};

use super::error::{RigidError, at_least};
use super::mass_properties::MassProperties;
use super::orientation::turned;

/// Names a body of a world. Ids are not used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(super) u32);

impl BodyId {
    /// The number of the body, in the order of insertion.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball};
    /// use impinge_dynamics::rigid::{BodyDesc, RigidWorld, WorldConfig};
    /// let mut world = RigidWorld::new(WorldConfig::default())?;
    /// let id = world.add(BodyDesc::fixed(Ball::new(1.0)?, Pose::IDENTITY))?;
    /// assert_eq!(id.index(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a body is made of and how it starts.
#[derive(Clone, Debug)]
pub struct BodyDesc {
    /// Its shape.
    pub shape: Shape,
    /// The pose of the shape.
    pub pose: Pose,
    /// Its mass; `None` for a static body.
    pub mass: Option<MassProperties>,
    /// Velocity of the centre of mass. A body without mass goes on with it for ever.
    pub velocity: DVec3,
    /// Angular velocity.
    pub angular_velocity: DVec3,
    /// Coefficient of restitution, 0 to 1. Of two bodies the larger counts.
    pub restitution: f64,
    /// Coefficient of friction. Of two bodies the geometric mean counts.
    pub friction: f64,
    /// Bodies of one group do not touch each other; 0 is no group.
    pub group: u32,
}

impl BodyDesc {
    /// A static body.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball};
    /// use impinge_dynamics::rigid::BodyDesc;
    /// assert!(BodyDesc::fixed(Ball::new(1.0)?, Pose::IDENTITY).mass.is_none());
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn fixed(shape: impl Into<Shape>, pose: Pose) -> Self {
        Self {
            shape: shape.into(),
            pose,
            mass: None,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            restitution: 0.0,
            friction: 0.5,
            group: 0,
        }
    }

    /// A solid of uniform density at rest.
    ///
    /// # Errors
    /// As [`MassProperties::of`].
    ///
    /// ```
    /// use impinge::{Pose, convex::Cuboid};
    /// use impinge_dynamics::rigid::BodyDesc;
    /// let brick = BodyDesc::solid(Cuboid::new([0.1, 0.05, 0.05])?, 2000.0, Pose::IDENTITY)?;
    /// assert!(brick.mass.is_some_and(|m| (m.mass - 4.0).abs() < 1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solid(shape: impl Into<Shape>, density: f64, pose: Pose) -> Result<Self, RigidError> {
        let shape = shape.into();
        let mass = MassProperties::of(&shape, density)?;
        Ok(Self {
            mass: Some(mass),
            ..Self::fixed(shape, pose)
        })
    }
}

/// A rigid body of a world.
#[derive(Clone, Debug)]
pub struct Body {
    pub(super) shape: Shape,
    pub(super) restitution: f64,
    pub(super) friction: f64,
    pub(super) group: u32,
    pub(super) mass: Option<MassProperties>,
    pub(super) inverse_mass: f64,
    /// In the frame of the shape; zero for a body without mass.
    pub(super) inverse_inertia: DMat3,
    /// The centre of mass in the frame of the shape.
    pub(super) local_center: DVec3,
    pub(super) center: DVec3,
    pub(super) orientation: DQuat,
    /// The velocity, for a body without mass.
    pub(super) momentum: DVec3,
    /// The angular velocity, for a body without mass.
    pub(super) spin: DVec3,
    pub(super) force: DVec3,
    pub(super) torque: DVec3,
    pub(super) pose: Pose,
    /// The largest distance of a point of the shape from its centre; infinite when unbounded.
    pub(super) reach: f64,
    pub(super) asleep: bool,
    /// For how long the body was still.
    pub(super) still: f64,
}

impl Body {
    pub(super) fn new(desc: BodyDesc) -> Result<Self, RigidError> {
        at_least("friction", desc.friction, 0.0)?;
        at_least("restitution", desc.restitution, 0.0)?;
        at_least("complement of restitution", 1.0 - desc.restitution, 0.0)?;
        finite("velocity", desc.velocity)?;
        finite("angular velocity", desc.angular_velocity)?;
        let mass = desc.mass.map(MassProperties::checked).transpose()?;
        let local_center = mass.map_or(DVec3::ZERO, |m| m.center);
        let reach = match desc.shape.bounds(&Pose::IDENTITY) {
            Some(bounds) if bounds.is_empty() => 0.0,
            Some(bounds) => {
                let far = (bounds.max - local_center).max(local_center - bounds.min);
                far.length()
            }
            None => f64::INFINITY,
        };
        let mut body = Self {
            shape: desc.shape,
            restitution: desc.restitution,
            friction: desc.friction,
            group: desc.group,
            mass,
            inverse_mass: mass.map_or(0.0, |m| 1.0 / m.mass),
            inverse_inertia: mass.map_or(DMat3::ZERO, |m| m.inertia.inverse()),
            local_center,
            center: desc.pose * local_center,
            orientation: DQuat::from_mat3(desc.pose.rotation()).normalize(),
            momentum: DVec3::ZERO,
            spin: DVec3::ZERO,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            pose: desc.pose,
            reach,
            asleep: false,
            still: 0.0,
        };
        body.set_velocities(desc.velocity, desc.angular_velocity);
        Ok(body)
    }

    pub(super) fn set_velocities(&mut self, velocity: DVec3, angular: DVec3) {
        match self.mass {
            Some(mass) => {
                self.momentum = velocity * mass.mass;
                self.spin = turned(&mass.inertia, self.orientation) * angular;
            }
            None => (self.momentum, self.spin) = (velocity, angular),
        }
        self.wake();
    }

    pub(super) fn wake(&mut self) {
        self.asleep = false;
        self.still = 0.0;
    }

    /// The pose of its shape.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball};
    /// use impinge_dynamics::rigid::{BodyDesc, RigidWorld, WorldConfig};
    /// let mut world = RigidWorld::new(WorldConfig::default())?;
    /// let id = world.add(BodyDesc::solid(Ball::new(1.0)?, 1.0, Pose::IDENTITY)?)?;
    /// let body = world.body(id).ok_or("gone")?;
    /// assert_eq!((*body.pose(), body.is_asleep()), (Pose::IDENTITY, false));
    /// assert!(body.mass().is_some() && body.shape().convex().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// The centre of mass; the origin of the shape for a body without mass.
    #[must_use]
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// Its shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its mass; `None` for a static body.
    #[must_use]
    pub fn mass(&self) -> Option<&MassProperties> {
        self.mass.as_ref()
    }

    /// Whether it sleeps.
    #[must_use]
    pub fn is_asleep(&self) -> bool {
        self.asleep
    }

    /// The velocity of its centre of mass.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::Ball};
    /// use impinge_dynamics::rigid::{BodyDesc, RigidWorld, WorldConfig};
    /// let mut world = RigidWorld::new(WorldConfig::default())?;
    /// let ball = BodyDesc::solid(Ball::new(1.0)?, 1.0, Pose::IDENTITY)?;
    /// let id = world.add(BodyDesc { velocity: DVec3::X, angular_velocity: DVec3::Z, ..ball })?;
    /// let body = world.body(id).ok_or("gone")?;
    /// assert!((body.velocity() - DVec3::X).length() < 1e-15);
    /// assert!((body.angular_velocity() - DVec3::Z).length() < 1e-15);
    /// assert!((body.momentum().x - body.mass().ok_or("none")?.mass).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn velocity(&self) -> DVec3 {
        match self.mass {
            Some(_) => self.momentum * self.inverse_mass,
            None => self.momentum,
        }
    }

    /// Its angular velocity.
    #[must_use]
    pub fn angular_velocity(&self) -> DVec3 {
        match self.mass {
            Some(_) => turned(&self.inverse_inertia, self.orientation) * self.spin,
            None => self.spin,
        }
    }

    /// Its momentum; zero without mass.
    #[must_use]
    pub fn momentum(&self) -> DVec3 {
        self.mass.map_or(DVec3::ZERO, |_| self.momentum)
    }

    /// Its angular momentum about its own centre; zero without mass.
    #[must_use]
    pub fn spin(&self) -> DVec3 {
        self.mass.map_or(DVec3::ZERO, |_| self.spin)
    }

    /// Its kinetic energy; zero without mass.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::Ball};
    /// use impinge_dynamics::rigid::{BodyDesc, MassProperties, RigidWorld, WorldConfig};
    /// let mut world = RigidWorld::new(WorldConfig::default())?;
    /// let shape = Ball::new(1.0)?;
    /// let mass = MassProperties::of(&shape.into(), 1.0)?.with_mass(2.0)?;
    /// let ball = BodyDesc::fixed(shape, Pose::IDENTITY);
    /// let id = world.add(BodyDesc { mass: Some(mass), velocity: DVec3::X * 3.0, ..ball })?;
    /// assert!(world.body(id).is_some_and(|b| (b.kinetic_energy() - 9.0).abs() < 1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        let own = self.momentum().dot(self.velocity());
        0.5 * (own + self.spin().dot(self.angular_velocity()))
    }
}

pub(super) fn finite(what: &'static str, v: DVec3) -> Result<DVec3, RigidError> {
    match v.to_array().into_iter().find(|x| !x.is_finite()) {
        Some(value) => Err(RigidError::OutOfRange { what, value }),
        None => Ok(v),
    }
}
