//! Forces that do not come from geometry: viscosity, magnets, vibration, stick-slip, texture.
//!
//! **Question.** What else can the tool feel?
//! **Idea.** Each effect gives a force from position, velocity and time. They are added to the force of the
//! proxy; only [`Texture`] changes that force itself.
//! **Source.** The set that haptic libraries share; each has a closed form that tests check.
//! **Limits.** An effect may be active: a vibration puts energy in. The controllers of
//! [`stability`](crate::stability) come after effects.

mod texture;

pub use texture::{HeightMap, Texture, TextureError};

use impinge::DVec3;

use crate::{QuantityError, quantity};

/// The input of an effect: position, velocity and time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EffectInput {
    /// Position of the tool, in metres.
    pub position: DVec3,
    /// Velocity of the tool, in metres per second.
    pub velocity: DVec3,
    /// Seconds since the start.
    pub time: f64,
}

/// A force that depends on the tool's motion.
pub trait Effect {
    /// The force on the tool, in newtons. Not finite only if the input is not.
    fn force(&mut self, input: &EffectInput) -> DVec3;
}

/// A thick liquid: −b·v.
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::effect::{Effect, EffectInput, Viscosity};
/// let input = EffectInput { position: DVec3::ZERO, velocity: DVec3::X, time: 0.0 };
/// assert_eq!(Viscosity::new(2.0)?.force(&input), DVec3::X * -2.0);
/// # Ok::<(), impinge_dynamics::QuantityError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viscosity {
    damping: f64,
}

impl Viscosity {
    /// A damping in N·s/m.
    ///
    /// # Errors
    /// [`QuantityError`] when it is negative.
    pub fn new(damping: f64) -> Result<Self, QuantityError> {
        Ok(Self {
            damping: quantity::not_negative("viscosity", damping)?,
        })
    }
}

impl Effect for Viscosity {
    fn force(&mut self, input: &EffectInput) -> DVec3 {
        input.velocity * -self.damping
    }
}

/// A point that attracts: with stiffness times distance up to the largest force, which then falls linearly to
/// zero at the reach.
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::effect::{Effect, EffectInput, Magnet};
/// let mut magnet = Magnet::new([0.0; 3], 1000.0, 5.0, 0.025)?;
/// let at = |x: f64| EffectInput { position: DVec3::X * x, velocity: DVec3::ZERO, time: 0.0 };
/// assert_eq!(magnet.force(&at(0.004)), DVec3::X * -4.0);
/// assert!((magnet.force(&at(0.015)) - DVec3::X * -2.5).length() < 1e-12);
/// assert_eq!(magnet.force(&at(0.03)), DVec3::ZERO);
/// # Ok::<(), impinge_dynamics::QuantityError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Magnet {
    center: DVec3,
    stiffness: f64,
    max_force: f64,
    reach: f64,
}

impl Magnet {
    /// A magnet at `center` with a stiffness (N/m), a largest force (N) and a reach (m).
    ///
    /// # Errors
    /// [`QuantityError`] when a number is not positive, or the reach is shorter than largest force / stiffness.
    pub fn new(
        center: impl Into<DVec3>,
        stiffness: f64,
        max_force: f64,
        reach: f64,
    ) -> Result<Self, QuantityError> {
        let center = center.into();
        quantity::not_negative("magnitude of the magnet's centre", center.length())?;
        let [stiffness, max_force] = quantity::all_positive([
            ("magnet stiffness", stiffness),
            ("largest magnet force", max_force),
        ])?;
        let least = max_force / stiffness;
        Ok(Self {
            center,
            stiffness,
            max_force,
            reach: quantity::between("magnet reach", reach, least, f64::MAX)?,
        })
    }
}

impl Effect for Magnet {
    fn force(&mut self, input: &EffectInput) -> DVec3 {
        let way = self.center - input.position;
        let distance = way.length();
        let rise = self.max_force / self.stiffness;
        if distance <= rise {
            return way * self.stiffness;
        }
        if distance >= self.reach {
            return DVec3::ZERO;
        }
        let strength = self.max_force * (self.reach - distance) / (self.reach - rise);
        way * (strength / distance)
    }
}

/// A sine along a direction.
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::effect::{Effect, EffectInput, Vibration};
/// let mut vibration = Vibration::new([0.0, 3.0, 0.0], 2.0, 50.0)?;
/// let input = EffectInput { position: DVec3::ZERO, velocity: DVec3::ZERO, time: 0.005 };
/// assert!((vibration.force(&input) - DVec3::Y * 2.0).length() < 1e-12);
/// # Ok::<(), impinge_dynamics::QuantityError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vibration {
    direction: DVec3,
    amplitude: f64,
    frequency_hz: f64,
}

impl Vibration {
    /// A vibration along `direction` (of any length) of this amplitude (N) and frequency.
    ///
    /// # Errors
    /// [`QuantityError`] when the direction has no length or a number is negative.
    pub fn new(
        direction: impl Into<DVec3>,
        amplitude: f64,
        frequency_hz: f64,
    ) -> Result<Self, QuantityError> {
        let direction = direction.into();
        quantity::positive("length of the vibration's direction", direction.length())?;
        Ok(Self {
            direction: direction.normalize_or_zero(),
            amplitude: quantity::not_negative("vibration amplitude", amplitude)?,
            frequency_hz: quantity::positive("vibration frequency", frequency_hz)?,
        })
    }
}

impl Effect for Vibration {
    fn force(&mut self, input: &EffectInput) -> DVec3 {
        // Whole periods are taken off first, so that hours do not cost precision.
        let turns = input.time * self.frequency_hz;
        let phase = (turns - turns.floor()) * std::f64::consts::TAU;
        self.direction * (self.amplitude * libm::sin(phase))
    }
}

/// Stick-slip: a spring to an anchor point, which is reset to the tool when the force gets too large.
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::effect::{Effect, EffectInput, StickSlip};
/// let mut stick = StickSlip::new(1000.0, 2.0)?;
/// let at = |x: f64| EffectInput { position: DVec3::X * x, velocity: DVec3::ZERO, time: 0.0 };
/// assert_eq!(stick.force(&at(0.5)), DVec3::ZERO);
/// assert!((stick.force(&at(0.501)) - DVec3::X * -1.0).length() < 1e-9);
/// assert_eq!(stick.force(&at(0.6)), DVec3::ZERO);
/// # Ok::<(), impinge_dynamics::QuantityError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StickSlip {
    stiffness: f64,
    max_force: f64,
    anchor: Option<DVec3>,
}

impl StickSlip {
    /// A spring of this stiffness (N/m) that lets go beyond this force (N).
    ///
    /// # Errors
    /// [`QuantityError`] when a number is not positive.
    pub fn new(stiffness: f64, max_force: f64) -> Result<Self, QuantityError> {
        Ok(Self {
            stiffness: quantity::positive("stick-slip stiffness", stiffness)?,
            max_force: quantity::positive("largest stick-slip force", max_force)?,
            anchor: None,
        })
    }
}

impl Effect for StickSlip {
    fn force(&mut self, input: &EffectInput) -> DVec3 {
        let anchor = self.anchor.unwrap_or(input.position);
        let force = (anchor - input.position) * self.stiffness;
        if force.length() <= self.max_force {
            self.anchor = Some(anchor);
            return force;
        }
        self.anchor = Some(input.position);
        DVec3::ZERO
    }
}
