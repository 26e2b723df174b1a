//! Grip: two fingers that hold a body between them.

use impinge::{DVec3, Pose};

use super::{AdapterBody, AdapterError, PhysicsAdapter};
use crate::device::rotation_vector;
use crate::{Wrench, quantity};

/// How fingers follow the hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GripConfig {
    /// Stiffness of the spring between a finger and its target pose, N/m.
    pub stiffness: f64,
    /// Damping of that spring, N·s/m.
    pub damping: f64,
    /// Torsional stiffness that keeps a finger upright, Nm/rad.
    pub turning_stiffness: f64,
    /// Torsional damping, Nm·s/rad.
    pub turning_damping: f64,
    /// The largest force of a finger's spring, N.
    pub max_force: f64,
}

impl Default for GripConfig {
    fn default() -> Self {
        Self {
            stiffness: 2000.0,
            damping: 20.0,
            turning_stiffness: 1.0,
            turning_damping: 1.5e-3,
            max_force: 10.0,
        }
    }
}

/// Two fingers of one hand: bodies of a physics engine, each pulled by a spring to its target on the hand.
///
/// A finger that is stopped by an object presses on it with its spring, and friction holds the object. If the spring is too weak
/// for the weight, the object slips.
///
/// ```
/// use impinge::{DVec3, convex::Ball};
/// use impinge_dynamics::adapter::{GripConfig, PhysicsAdapter, TwoFingerGrip};
/// use impinge_dynamics::rigid::{RigidWorld, WorldConfig};
/// let mut world = RigidWorld::new(WorldConfig { gravity: DVec3::ZERO, ..WorldConfig::default() })?;
/// let (left, right) = (DVec3::X * -0.05, DVec3::X * 0.05);
/// let finger = Ball::new(0.01)?;
/// let mut grip = TwoFingerGrip::new(&mut world, finger.into(), [left, right], GripConfig::default())?;
/// for _ in 0..500 {
///     grip.drive(&mut world, [left * 0.5, right * 0.5])?;
///     PhysicsAdapter::step(&mut world, 1e-3)?;
/// }
/// let apart = grip.fingers(&world).map(|pose| pose.map_or(0.0, |pose| pose.translation().x));
/// assert!((apart[1] - 0.025).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TwoFingerGrip<I> {
    fingers: [I; 2],
    config: GripConfig,
    forces: [DVec3; 2],
}

impl<I: Copy + std::fmt::Debug> TwoFingerGrip<I> {
    /// Fingers of a shape at two places.
    ///
    /// # Errors
    /// [`AdapterError`] for numbers that are not positive, and what the engine refuses.
    pub fn new<E: PhysicsAdapter<Id = I>>(
        engine: &mut E,
        finger: impinge::pair::Shape,
        places: [DVec3; 2],
        config: GripConfig,
    ) -> Result<Self, AdapterError> {
        quantity::all_positive([
            ("stiffness of a finger", config.stiffness),
            ("damping of a finger", config.damping),
            ("largest force of a finger", config.max_force),
        ])?;
        let mut add = |place: DVec3| {
            let pose =
                Pose::from_translation(place).map_err(|e| AdapterError::Engine(e.to_string()))?;
            engine.add(AdapterBody {
                shape: finger.clone(),
                world_from_body: pose,
                density: Some(12_000.0),
                friction: 1.0,
            })
        };
        Ok(Self {
            fingers: [add(places[0])?, add(places[1])?],
            config,
            forces: [DVec3::ZERO; 2],
        })
    }

    /// Pulls the fingers towards their targets on the hand, for the next step.
    ///
    /// # Errors
    /// [`AdapterError`] for fingers that are not there.
    pub fn drive<E: PhysicsAdapter<Id = I>>(
        &mut self,
        engine: &mut E,
        targets: [DVec3; 2],
    ) -> Result<(), AdapterError> {
        let config = self.config;
        for ((&finger, target), felt) in self.fingers.iter().zip(targets).zip(&mut self.forces) {
            let pose = engine.pose(finger).ok_or(AdapterError::NoBody)?;
            let (velocity, spin) = engine.velocity(finger).ok_or(AdapterError::NoBody)?;
            let spring = (target - pose.translation()) * config.stiffness;
            let spring = spring.clamp_length_max(config.max_force);
            let turn = rotation_vector(&pose);
            *felt = -spring;
            engine.push(
                finger,
                Wrench {
                    force: spring - velocity * config.damping,
                    torque: turn * -config.turning_stiffness - spin * config.turning_damping,
                },
            )?;
        }
        Ok(())
    }

    /// The finger bodies.
    pub fn fingers<E: PhysicsAdapter<Id = I>>(&self, engine: &E) -> [Option<Pose>; 2] {
        self.fingers.map(|finger| engine.pose(finger))
    }

    /// What the hand felt at each finger in the last drive.
    #[must_use]
    pub fn forces(&self) -> [DVec3; 2] {
        self.forces
    }
}
