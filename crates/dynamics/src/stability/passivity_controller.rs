//! Passivity controllers: they keep the rendering passive.

use impinge::{DVec3, Pose};

use super::passivity_observer::PassivityObserver;
use crate::device::rotation_vector;
use crate::{QuantityError, Wrench, quantity};

/// Most damping that [`DamperController`] should add, N·s/m. Without a cap the damper itself acts like a stiff wall and
/// generates energy too.
pub const DEFAULT_MAX_DAMPING: f64 = 30.0;

/// The energy deficit, in joules, that [`DamperController`] allows where its cap prevents full dissipation.
pub const DEFAULT_RESERVE: f64 = 5e-3;

/// The acceleration, in m/s², that a hand with its device is not expected to exceed.
pub const DEFAULT_MAX_ACCELERATION: f64 = 400.0;

/// What is known of the energy at the hand, and what the coming interval may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
struct EnergyBudget {
    observer: PassivityObserver,
    period: f64,
    max_acceleration: f64,
}

impl EnergyBudget {
    fn new(period: f64, max_acceleration: f64) -> Result<Self, QuantityError> {
        Ok(Self {
            observer: PassivityObserver::default(),
            period: quantity::positive("servo period", period)?,
            max_acceleration: quantity::positive("largest acceleration", max_acceleration)?,
        })
    }

    /// Scales a force such that the coming interval cannot generate more energy than is available, for a tool whose mean
    /// velocity differs from that of the last interval by at most a period times an acceleration, and renders it.
    fn spend(&mut self, force: DVec3, velocity: DVec3, available: f64) -> DVec3 {
        let strength = force.length();
        let outward = if strength > 0.0 {
            (force.dot(velocity) / strength).max(0.0)
        } else {
            0.0
        };
        let (period, available) = (self.period, available.max(0.0));
        let farthest = outward * period + self.max_acceleration * period * period;
        let cost = strength * farthest;
        let out = if cost > available {
            force * (available / cost)
        } else {
            force
        };
        self.observer.hold(out);
        out
    }
}

/// Adds as much damping as the coming interval needs.
///
/// Damping is capped and computed from a past velocity: after a fast release the cap leaves energy that is not dissipated, and a
/// damper alone has no lower bound. Its force is therefore also scaled, as by an energy tank, where the coming interval could
/// generate more than a reserve of [`DEFAULT_RESERVE`]. Far from that bound the damper acts alone.
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::stability::DamperController;
/// let mut damper = DamperController::new(1e-3, 30.0, 1e-3)?;
/// // The hand moves out with a force that was never paid for.
/// let force = damper.control(DVec3::ZERO, DVec3::Y * 0.1, DVec3::Y);
/// assert!((force - DVec3::Y * (1.0 - 10.0 * 0.1)).length() < 1e-12);
/// assert_eq!(damper.energy(), 0.0);
/// // Limits let nothing out.
/// damper.hold(DVec3::ZERO);
/// # Ok::<(), impinge_dynamics::QuantityError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DamperController {
    budget: EnergyBudget,
    max_damping: f64,
    min_speed: f64,
    reserve: f64,
}

impl DamperController {
    /// A damper for a servo period (s), at most this damping (N·s/m), which treats speeds below `min_speed` (m/s) as that.
    ///
    /// # Errors
    /// [`QuantityError`] for a number that is not positive.
    pub fn new(period: f64, max_damping: f64, min_speed: f64) -> Result<Self, QuantityError> {
        Ok(Self {
            budget: EnergyBudget::new(period, DEFAULT_MAX_ACCELERATION)?,
            max_damping: quantity::positive("largest damping", max_damping)?,
            min_speed: quantity::positive("smallest speed", min_speed)?,
            reserve: DEFAULT_RESERVE,
        })
    }

    /// The same damper that is never short of more than `reserve` joules, for a tool that accelerates no faster than
    /// `max_acceleration` m/s².
    ///
    /// # Errors
    /// [`QuantityError`] for a number that is not positive.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::stability::DamperController;
    /// let mut damper = DamperController::new(1e-3, 30.0, 1e-3)?.with_reserve(1e-4, 100.0)?;
    /// // At rest the tool may cover 0.1 mm: the reserve pays for one newton.
    /// let force = damper.control(DVec3::ZERO, DVec3::ZERO, DVec3::Y * 5.0);
    /// assert!((force - DVec3::Y).length() < 1e-12);
    /// # Ok::<(), impinge_dynamics::QuantityError>(())
    /// ```
    pub fn with_reserve(
        mut self,
        reserve: f64,
        max_acceleration: f64,
    ) -> Result<Self, QuantityError> {
        self.reserve = quantity::positive("reserve of the damper", reserve)?;
        self.budget.max_acceleration =
            quantity::positive("largest acceleration", max_acceleration)?;
        Ok(self)
    }

    /// The force to render, given how far the tool moved since the last call, its velocity and the force
    /// wanted.
    pub fn control(&mut self, displacement: DVec3, velocity: DVec3, force: DVec3) -> DVec3 {
        let (energy, period) = (
            self.budget.observer.observe(displacement),
            self.budget.period,
        );
        let predicted = energy - force.dot(velocity) * period;
        let speed_sq = velocity
            .length_squared()
            .max(self.min_speed * self.min_speed);
        let damping = (-predicted / (period * speed_sq)).clamp(0.0, self.max_damping);
        let damped = force - velocity * damping;
        self.budget.spend(damped, velocity, energy + self.reserve)
    }

    /// Reports the value that was rendered instead, when limits after this controller changed it.
    pub fn hold(&mut self, force: DVec3) {
        self.budget.observer.hold(force);
    }

    /// Energy that the hand has put in so far, in joules.
    #[must_use]
    pub fn energy(&self) -> f64 {
        self.budget.observer.energy()
    }
}

/// Scales the force so that the coming interval cannot generate more energy than is in the tank.
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::stability::TankController;
/// let mut tank = TankController::new(1e-3, 4e-4, 400.0)?;
/// // At rest the tool may still cover 0.4 mm: one newton is what the tank can pay for.
/// let force = tank.control(DVec3::ZERO, DVec3::ZERO, DVec3::Y * 5.0);
/// assert!((force - DVec3::Y).length() < 1e-12);
/// assert_eq!(tank.energy(), 0.0);
/// # Ok::<(), impinge_dynamics::QuantityError>(())
/// ```
#[doc(alias = "energy tank")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TankController {
    budget: EnergyBudget,
    charge: f64,
}

impl TankController {
    /// A tank for a servo period (s), with this charge at the start (J), for a tool that accelerates no
    /// faster than `max_acceleration` (m/s²).
    ///
    /// # Errors
    /// [`QuantityError`] for a number that is not positive.
    pub fn new(period: f64, charge: f64, max_acceleration: f64) -> Result<Self, QuantityError> {
        Ok(Self {
            budget: EnergyBudget::new(period, max_acceleration)?,
            charge: quantity::positive("charge of the tank", charge)?,
        })
    }

    /// The force to render, given how far the tool moved since the last call and the force wanted. The
    /// velocity is the mean over the last interval; what the tool may have gained since is reserved.
    pub fn control(&mut self, displacement: DVec3, velocity: DVec3, force: DVec3) -> DVec3 {
        let available = self.budget.observer.observe(displacement) + self.charge;
        self.budget.spend(force, velocity, available)
    }

    /// Reports the value that was rendered instead, when limits after this controller changed it.
    pub fn hold(&mut self, force: DVec3) {
        self.budget.observer.hold(force);
    }

    /// Energy that the hand has put in so far, in joules, without the initial charge.
    #[must_use]
    pub fn energy(&self) -> f64 {
        self.budget.observer.energy()
    }
}

/// Either controller, or only the observer.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PassivityController {
    /// Observes and changes nothing.
    Off(PassivityObserver),
    /// Adds damping.
    Damper(DamperController),
    /// Scales force.
    Tank(TankController),
}

impl PassivityController {
    /// Whether forces are changed at all.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::stability::{PassivityController, PassivityObserver};
    /// let mut off = PassivityController::Off(PassivityObserver::default());
    /// assert!(!off.is_on());
    /// assert_eq!(off.control(DVec3::ZERO, DVec3::ZERO, DVec3::X), DVec3::X);
    /// off.control(DVec3::X, DVec3::ZERO, DVec3::X);
    /// assert_eq!(off.energy(), -1.0);
    /// ```
    #[must_use]
    pub fn is_on(&self) -> bool {
        !matches!(self, Self::Off(_))
    }

    /// The force to render.
    pub fn control(&mut self, displacement: DVec3, velocity: DVec3, force: DVec3) -> DVec3 {
        match self {
            Self::Off(observer) => {
                observer.observe(displacement);
                observer.hold(force);
                force
            }
            Self::Damper(damper) => damper.control(displacement, velocity, force),
            Self::Tank(tank) => tank.control(displacement, velocity, force),
        }
    }

    /// Reports the value that was rendered instead, when limits after this controller changed it.
    pub fn hold(&mut self, force: DVec3) {
        match self {
            Self::Off(observer) => observer.hold(force),
            Self::Damper(damper) => damper.hold(force),
            Self::Tank(tank) => tank.hold(force),
        }
    }

    /// Energy that the hand has put in so far, in joules.
    #[must_use]
    pub fn energy(&self) -> f64 {
        match self {
            Self::Off(observer) => observer.energy(),
            Self::Damper(damper) => damper.energy(),
            Self::Tank(tank) => tank.energy(),
        }
    }
}

/// One controller for force and one for torque.
///
/// ```
/// use impinge::{DVec3, Pose};
/// use impinge_dynamics::{Wrench, stability::{PassivityController, PassivityObserver, WrenchController}};
/// let off = PassivityController::Off(PassivityObserver::default());
/// let mut controller = WrenchController::new(off, off, 1e-3)?;
/// let push = Wrench::from_force(DVec3::Y);
/// assert_eq!(controller.control(&Pose::IDENTITY, push), push);
/// controller.control(&Pose::from_translation([0.0, -1.0, 0.0])?, push);
/// assert_eq!((controller.energy(), controller.rotation_energy()), (1.0, 0.0));
/// controller.hold(Wrench::ZERO);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrenchController {
    translation: PassivityController,
    rotation: PassivityController,
    period: f64,
    before: Option<Pose>,
}

impl WrenchController {
    /// These controllers, for a servo period in seconds.
    ///
    /// # Errors
    /// [`QuantityError`] for a period that is not positive.
    pub fn new(
        translation: PassivityController,
        rotation: PassivityController,
        period: f64,
    ) -> Result<Self, QuantityError> {
        Ok(Self {
            translation,
            rotation,
            period: quantity::positive("servo period", period)?,
            before: None,
        })
    }

    /// The wrench to render, for the tool's pose now and the wrench wanted.
    pub fn control(&mut self, pose: &Pose, wrench: Wrench) -> Wrench {
        let before = self.before.replace(*pose).unwrap_or(*pose);
        let moved = pose.translation() - before.translation();
        let turned = if before.rotation() == pose.rotation() {
            DVec3::ZERO
        } else {
            rotation_vector(&(*pose * before.inverse()))
        };
        let (period, translation) = (self.period, &mut self.translation);
        Wrench {
            force: translation.control(moved, moved / period, wrench.force),
            torque: self
                .rotation
                .control(turned, turned / period, wrench.torque),
        }
    }

    /// Reports the value that was rendered instead, when limits after this controller changed it.
    pub fn hold(&mut self, wrench: Wrench) {
        self.translation.hold(wrench.force);
        self.rotation.hold(wrench.torque);
    }

    /// Energy put in by translation, in joules.
    #[must_use]
    pub fn energy(&self) -> f64 {
        self.translation.energy()
    }

    /// Energy put in by rotation, in joules.
    #[must_use]
    pub fn rotation_energy(&self) -> f64 {
        self.rotation.energy()
    }
}
