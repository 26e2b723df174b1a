//! Adapter trait for physics engines, and a grip of two fingers on top of it.
//!
//! **Question.** How do haptics, workspace and demos run on a physics engine other than the small one of this crate?
//! **Idea.** They need five calls: add, pose, velocity, push, step. [`PhysicsAdapter`] is these; [`RigidWorld`] implements
//! it.
//! **Limits.** Shapes are those of [`Shape`]; an engine refuses shapes that it does not support.

mod grip;

pub use grip::{GripConfig, TwoFingerGrip};

use impinge::pair::Shape;
use impinge::{DVec3, Pose};
use thiserror::Error;

use crate::rigid::{BodyDesc, BodyId, RigidError, RigidWorld};
use crate::{QuantityError, Wrench};

/// A body, as every engine understands it.
#[derive(Clone, Debug)]
pub struct AdapterBody {
    /// Its shape.
    pub shape: Shape,
    /// The pose of the shape.
    pub world_from_body: Pose,
    /// Density in kg/m³; `None` for a static body.
    pub density: Option<f64>,
    /// Coefficient of friction.
    pub friction: f64,
}

/// Why an engine refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum AdapterError {
    /// The small engine of this crate.
    #[error(transparent)]
    Rigid(#[from] RigidError),
    /// A number is out of range.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
    /// The engine has no such body.
    #[error("the engine has no such body")]
    NoBody,
    /// Another engine, in its own words.
    #[error("{0}")]
    Engine(String),
}

/// What a physics engine must be able to do.
///
/// ```
/// use impinge::{Pose, convex::Ball};
/// use impinge_dynamics::adapter::{AdapterBody, PhysicsAdapter};
/// use impinge_dynamics::rigid::{RigidWorld, WorldConfig};
/// fn drop_a_ball(engine: &mut impl PhysicsAdapter) -> Result<f64, Box<dyn std::error::Error>> {
///     let shape = Ball::new(0.1)?.into();
///     let ball = AdapterBody { shape, world_from_body: Pose::IDENTITY, density: Some(1000.0), friction: 0.5 };
///     let id = engine.add(ball)?;
///     for _ in 0..100 {
///         engine.step(0.01)?;
///     }
///     Ok(engine.pose(id).ok_or("gone")?.translation().z)
/// }
/// let fell = drop_a_ball(&mut RigidWorld::new(WorldConfig::default())?)?;
/// assert!((fell + 9.81 / 2.0).abs() < 0.06);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait PhysicsAdapter {
    /// A body's name.
    type Id: Copy + std::fmt::Debug;

    /// Adds a body.
    ///
    /// # Errors
    /// [`AdapterError`] for a shape or number that the engine refuses.
    fn add(&mut self, body: AdapterBody) -> Result<Self::Id, AdapterError>;

    /// The pose of a body's shape.
    fn pose(&self, body: Self::Id) -> Option<Pose>;

    /// Velocity of the centre of mass, and angular velocity.
    fn velocity(&self, body: Self::Id) -> Option<(DVec3, DVec3)>;

    /// Lets a wrench about the centre of mass act during the next step.
    ///
    /// # Errors
    /// [`AdapterError`] for a body that is not there.
    fn push(&mut self, body: Self::Id, wrench: Wrench) -> Result<(), AdapterError>;

    /// Advances by `dt` seconds.
    ///
    /// # Errors
    /// [`AdapterError`] when the engine failed.
    fn step(&mut self, dt: f64) -> Result<(), AdapterError>;
}

impl PhysicsAdapter for RigidWorld {
    type Id = BodyId;

    fn add(&mut self, body: AdapterBody) -> Result<BodyId, AdapterError> {
        let desc = match body.density {
            Some(density) => BodyDesc::solid(body.shape, density, body.world_from_body)?,
            None => BodyDesc::fixed(body.shape, body.world_from_body),
        };
        let friction = body.friction;
        Ok(Self::add(self, BodyDesc { friction, ..desc })?)
    }

    fn pose(&self, body: BodyId) -> Option<Pose> {
        Some(*self.body(body)?.pose())
    }

    fn velocity(&self, body: BodyId) -> Option<(DVec3, DVec3)> {
        let body = self.body(body)?;
        Some((body.velocity(), body.angular_velocity()))
    }

    fn push(&mut self, body: BodyId, wrench: Wrench) -> Result<(), AdapterError> {
        Ok(self.apply(body, wrench.force, wrench.torque)?)
    }

    fn step(&mut self, dt: f64) -> Result<(), AdapterError> {
        Ok(Self::step(self, dt)?)
    }
}
