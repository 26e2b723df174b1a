//! Passivity controllers: they keep the rendering passive.

use impinge::{DVec3, Pose};

use super::energy_budget::{EnergyBudget, SeenMotion};
use super::passivity_observer::PassivityObserver;
use crate::device::rotation_vector;
use crate::{QuantityError, Wrench, quantity, seconds_between};

/// Most damping that [`DamperController`] should add, N·s/m. Without a cap the damper itself acts like a stiff wall and
/// generates energy too.
pub const DEFAULT_MAX_DAMPING: f64 = 30.0;

/// The energy deficit, in joules, that [`DamperController`] allows where its cap prevents full dissipation.
pub const DEFAULT_RESERVE: f64 = 5e-3;

/// The acceleration, in m/s², that a hand with its device is not expected to exceed.
pub const DEFAULT_MAX_ACCELERATION: f64 = 400.0;

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
        self.budget.set_max_acceleration(max_acceleration)?;
        Ok(self)
    }

    /// The same damper for a force that may be held for up to `seconds`, where ticks are skipped or poses are late.
    ///
    /// # Errors
    /// [`QuantityError`] for a time below the servo period.
    ///
    /// ```
    /// use impinge_dynamics::stability::DamperController;
    /// assert!(DamperController::new(1e-3, 30.0, 1e-3)?.with_longest_hold(3e-3).is_ok());
    /// assert!(DamperController::new(1e-3, 30.0, 1e-3)?.with_longest_hold(5e-4).is_err());
    /// # Ok::<(), impinge_dynamics::QuantityError>(())
    /// ```
    pub fn with_longest_hold(mut self, seconds: f64) -> Result<Self, QuantityError> {
        self.budget.set_longest_hold(seconds)?;
        Ok(self)
    }

    /// The force to render, given how far the tool moved since the last call, its velocity and the force
    /// wanted.
    pub fn control(&mut self, displacement: DVec3, velocity: DVec3, force: DVec3) -> DVec3 {
        let seen = SeenMotion::now(displacement, velocity, self.budget.period());
        self.decide(&seen, force, true)
    }

    fn decide(&mut self, seen: &SeenMotion, force: DVec3, damps: bool) -> DVec3 {
        let energy = self.budget.observe(seen);
        let (period, velocity) = (self.budget.period(), self.budget.velocity());
        let damped = if damps {
            let predicted = energy - force.dot(velocity) * period;
            let speed_sq = velocity
                .length_squared()
                .max(self.min_speed * self.min_speed);
            let damping = (-predicted / (period * speed_sq)).clamp(0.0, self.max_damping);
            force - velocity * damping
        } else {
            force
        };
        self.budget.spend(damped, energy + self.reserve)
    }

    /// Reports the value that was rendered instead, when limits after this controller changed it.
    pub fn hold(&mut self, force: DVec3) {
        self.budget.hold(force);
    }

    /// Energy that the hand has put in so far, in joules.
    #[must_use]
    pub fn energy(&self) -> f64 {
        self.budget.energy()
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

    /// The same tank for a force that may be held for up to `seconds`, where ticks are skipped or poses are late.
    ///
    /// # Errors
    /// [`QuantityError`] for a time below the servo period.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::stability::TankController;
    /// let mut tank = TankController::new(1e-3, 4e-4, 400.0)?.with_longest_hold(2e-3)?;
    /// // In 2 ms the tool may cover 1.2 mm from rest: the tank can pay for a third of a newton.
    /// let force = tank.control(DVec3::ZERO, DVec3::ZERO, DVec3::Y * 5.0);
    /// assert!((force - DVec3::Y / 3.0).length() < 1e-12);
    /// # Ok::<(), impinge_dynamics::QuantityError>(())
    /// ```
    pub fn with_longest_hold(mut self, seconds: f64) -> Result<Self, QuantityError> {
        self.budget.set_longest_hold(seconds)?;
        Ok(self)
    }

    /// The force to render, given how far the tool moved since the last call and the force wanted. The
    /// velocity is the mean over the last interval; what the tool may have gained since is reserved.
    pub fn control(&mut self, displacement: DVec3, velocity: DVec3, force: DVec3) -> DVec3 {
        let seen = SeenMotion::now(displacement, velocity, self.budget.period());
        self.decide(&seen, force)
    }

    fn decide(&mut self, seen: &SeenMotion, force: DVec3) -> DVec3 {
        let available = self.budget.observe(seen) + self.charge;
        self.budget.spend(force, available)
    }

    /// Reports the value that was rendered instead, when limits after this controller changed it.
    pub fn hold(&mut self, force: DVec3) {
        self.budget.hold(force);
    }

    /// Energy that the hand has put in so far, in joules, without the initial charge.
    #[must_use]
    pub fn energy(&self) -> f64 {
        self.budget.energy()
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

    fn decide(&mut self, seen: &SeenMotion, force: DVec3, damps: bool) -> DVec3 {
        match self {
            Self::Off(observer) => {
                observer.observe(seen.displacement);
                observer.hold(force);
                force
            }
            Self::Damper(damper) => damper.decide(seen, force, damps),
            Self::Tank(tank) => tank.decide(seen, force),
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
    /// When the last pose was measured.
    measured_ns: u64,
}

/// When a tick runs, and when its pose was measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PoseTimes {
    pub(crate) measured_ns: u64,
    pub(crate) now_ns: u64,
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
            measured_ns: 0,
        })
    }

    /// The wrench to render, for the tool's pose now, a servo period after the last call, and the wrench wanted.
    pub fn control(&mut self, pose: &Pose, wrench: Wrench) -> Wrench {
        let interval = Some(self.period);
        self.decide(pose, interval, 0.0, wrench, true)
    }

    /// The wrench to render by the times of a tick. A pose that was measured before is no news: what the tool has done since
    /// is unknown and is reserved for. While a force fades, nothing is added to it.
    pub(crate) fn control_at(
        &mut self,
        pose: &Pose,
        times: PoseTimes,
        wrench: Wrench,
        is_fading: bool,
    ) -> Wrench {
        let is_new = self.before != Some(*pose) || times.measured_ns > self.measured_ns;
        let passed = seconds_between(self.measured_ns, times.measured_ns);
        // Another pose with the time of the last one: the device has no clock.
        let passed = if passed > 0.0 { passed } else { self.period };
        let interval = is_new.then_some(if self.before.is_none() {
            self.period
        } else {
            passed
        });
        if is_new {
            self.measured_ns = times.measured_ns;
        }
        let age = seconds_between(self.measured_ns, times.now_ns);
        self.decide(pose, interval, age, wrench, !is_fading)
    }

    fn decide(
        &mut self,
        pose: &Pose,
        interval: Option<f64>,
        age: f64,
        wrench: Wrench,
        damps: bool,
    ) -> Wrench {
        let before = self.before.replace(*pose).unwrap_or(*pose);
        let moved = pose.translation() - before.translation();
        let turned = if before.rotation() == pose.rotation() {
            DVec3::ZERO
        } else {
            rotation_vector(&(*pose * before.inverse()))
        };
        let seen = |displacement: DVec3| SeenMotion {
            displacement,
            velocity: displacement / interval.unwrap_or(self.period),
            interval,
            age,
        };
        let (moved, turned) = (seen(moved), seen(turned));
        Wrench {
            force: self.translation.decide(&moved, wrench.force, damps),
            torque: self.rotation.decide(&turned, wrench.torque, damps),
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
