//! Limits force, torque and their rates of change.

use impinge::DVec3;

use crate::device::{DeviceSpecification, Saturation};
use crate::wrench::limited;
use crate::{QuantityError, Wrench, quantity};

/// How long the force rises to its full size after the start, in seconds.
pub const SOFT_START_S: f64 = 2.0;

/// The force, in newtons, below which a start is allowed.
pub const SOFT_START_FORCE: f64 = 0.2;

/// Lets a vector change by no more than a rate.
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::stability::SlewLimiter;
/// let mut slew = SlewLimiter::new(100.0)?;
/// assert!((slew.limit(DVec3::X * 5.0, 1e-3) - DVec3::X * 0.1).length() < 1e-15);
/// # Ok::<(), impinge_dynamics::QuantityError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlewLimiter {
    rate: f64,
    last: DVec3,
}

impl SlewLimiter {
    /// At most `rate` newtons per second.
    ///
    /// # Errors
    /// [`QuantityError`] for a rate that is not positive.
    pub fn new(rate: f64) -> Result<Self, QuantityError> {
        Ok(Self {
            rate: quantity::positive("force rate", rate)?,
            last: DVec3::ZERO,
        })
    }

    /// The value to render `duration` seconds after the last call. A value that is not finite comes back as it is and is not
    /// remembered, so that the next one starts from the last that was good.
    pub fn limit(&mut self, wanted: DVec3, duration: f64) -> DVec3 {
        if !wanted.is_finite() {
            return wanted;
        }
        let (change, _) = limited(wanted - self.last, self.rate * duration.max(0.0));
        self.last += change;
        self.last
    }

    /// The value, scaled down so that it exceeds what acted in its direction by no more than the rate allows. It may fall at once.
    fn rise(&self, value: DVec3, before: DVec3, duration: f64) -> DVec3 {
        let along = before.dot(value.normalize_or_zero()).max(0.0);
        limited(value, along + self.rate * duration.max(0.0)).0
    }
}

/// Soft start: renders no force until the wanted force is small, then lets it rise over two seconds.
///
/// ```
/// use impinge_dynamics::stability::SoftStart;
/// let mut start = SoftStart::default();
/// // Switched on inside a wall: nothing happens until the hand has left it.
/// assert_eq!(start.gain(9.0, 1e-3), 0.0);
/// assert_eq!(start.gain(0.1, 1.0), 0.0);
/// assert_eq!(start.gain(9.0, 1.0), 0.5);
/// assert_eq!(start.gain(9.0, 1.0), 1.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SoftStart {
    /// Seconds since the start; none before it.
    running: Option<f64>,
}

impl SoftStart {
    /// The fraction of the force to render, for the force wanted in newtons, `duration` seconds after the last call.
    pub fn gain(&mut self, force: f64, duration: f64) -> f64 {
        match &mut self.running {
            Some(seconds) => {
                *seconds += duration.max(0.0);
                (*seconds / SOFT_START_S).min(1.0)
            }
            None => {
                if force < SOFT_START_FORCE {
                    self.running = Some(0.0);
                }
                0.0
            }
        }
    }
}

/// All limits in order: soft start, size, rate of change.
///
/// A controller comes after [`OutputLimiter::limit`], because a force that may only fall slowly would give away energy that the controller
/// did not allow; [`OutputLimiter::settle`] then only takes away from what the controller returns.
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::{Wrench, device::DeviceSpecification, stability::OutputLimiter};
/// let mut limiter = OutputLimiter::new(&DeviceSpecification::falcon(), 2000.0, 50.0)?;
/// let (out, saturation) = limiter.limit(Wrench::from_force(DVec3::X * 99.0), 1e-3);
/// assert!(out == Wrench::ZERO && !saturation.any());
/// # Ok::<(), impinge_dynamics::QuantityError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutputLimiter {
    max_force: f64,
    max_torque: f64,
    start: SoftStart,
    force: SlewLimiter,
    torque: SlewLimiter,
    rendered: Wrench,
}

impl OutputLimiter {
    /// The limits of a device, with rates in N/s and Nm/s.
    ///
    /// # Errors
    /// [`QuantityError`] for a specification that is invalid or a rate that is not positive.
    pub fn new(
        specification: &DeviceSpecification,
        force_rate: f64,
        torque_rate: f64,
    ) -> Result<Self, QuantityError> {
        let specification = specification.clone().checked()?;
        Ok(Self {
            max_force: specification.max_force,
            max_torque: specification.max_torque,
            start: SoftStart::default(),
            force: SlewLimiter::new(force_rate)?,
            torque: SlewLimiter::new(torque_rate)?,
            rendered: Wrench::ZERO,
        })
    }

    /// What is rendered of a wrench that a controller returned: no more than the device can do, and no faster rise than the rates allow; each
    /// in its own direction.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::{Wrench, device::DeviceSpecification, stability::OutputLimiter};
    /// let mut limiter = OutputLimiter::new(&DeviceSpecification::falcon(), 2000.0, 50.0)?;
    /// let damping = Wrench::from_force(DVec3::X * 99.0);
    /// assert!((limiter.settle(damping, 1e-3).force - DVec3::X * 2.0).length() < 1e-12);
    /// assert!((limiter.settle(damping, 1e-3).force - DVec3::X * 4.0).length() < 1e-12);
    /// assert_eq!(limiter.settle(Wrench::ZERO, 1e-3), Wrench::ZERO);
    /// # Ok::<(), impinge_dynamics::QuantityError>(())
    /// ```
    pub fn settle(&mut self, controlled: Wrench, duration: f64) -> Wrench {
        let (force, torque) = (&self.force, &self.torque);
        let settled = Wrench {
            force: force.rise(controlled.force, self.rendered.force, duration),
            torque: torque.rise(controlled.torque, self.rendered.torque, duration),
        };
        self.rendered = Wrench {
            force: limited(settled.force, self.max_force).0,
            torque: limited(settled.torque, self.max_torque).0,
        };
        self.rendered
    }

    /// Begins anew: no force until the wanted one is small, then a slow rise.
    pub fn restart(&mut self) {
        self.start = SoftStart::default();
        self.force.last = DVec3::ZERO;
        self.torque.last = DVec3::ZERO;
        self.rendered = Wrench::ZERO;
    }

    /// The value to render `duration` seconds after the last call, and what was scaled to the device's limits.
    pub fn limit(&mut self, wanted: Wrench, duration: f64) -> (Wrench, Saturation) {
        let gain = self.start.gain(wanted.force.length(), duration);
        let wanted = wanted * gain;
        let (force, force_cut) = limited(wanted.force, self.max_force);
        let (torque, torque_cut) = limited(wanted.torque, self.max_torque);
        let out = Wrench {
            force: self.force.limit(force, duration),
            torque: self.torque.limit(torque, duration),
        };
        let saturation = Saturation {
            force: force_cut,
            torque: torque_cut,
        };
        (out, saturation)
    }
}
