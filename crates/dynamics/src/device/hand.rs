//! A simulated hand that yields to the force: a mass on a spring and a damper that follows a script.
//!
//! **Question.** What would a person's hand do under the rendered force?
//! **Idea.** m·x″ = F + k(target − x) − b(x′ − target′), with the written force held between two
//! writes as a device does. Integrated by the classical Runge–Kutta rule in steps of at most 0.1 ms.
//! **Source.** The usual second-order model of the human arm in haptics, as in Colgate and Schenkel
//! 1994.
//! **Promise.** The error of the integration is of fourth order; tests compare with the closed form.
//! **Limits.** Only the position gives way; the orientation follows the script.

use impinge::{DVec3, Pose};

use super::{
    DeviceError, DeviceSpecification, DeviceState, HapticDevice, HeldWrench, Saturation, Script,
};
use crate::{QuantityError, Wrench, quantity};

/// Longest step of the integration.
const STEP_NS: u64 = 100_000;

/// Most integration steps for one read: after a pause of up to 10 s the hand catches up, after a longer
/// one it jumps to its target.
const MAX_STEPS: u64 = 100_000;

/// Mass, damping and stiffness of a hand.
///
/// ```
/// use impinge_dynamics::device::Hand;
/// assert!(Hand::new(0.2, 4.0, 200.0).is_ok());
/// assert!(Hand::new(0.0, 4.0, 200.0).is_err());
/// // A mass this small on a spring this stiff moves within one step of the integration.
/// assert!(Hand::new(1e-9, 0.0, 1e6).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hand {
    mass: f64,
    damping: f64,
    stiffness: f64,
}

impl Hand {
    /// A hand of this mass (kg), damping (N·s/m) and stiffness (N/m).
    ///
    /// # Errors
    /// [`QuantityError`] when the mass is not positive, another number is negative, or the hand is
    /// too fast for steps of 0.1 ms.
    pub fn new(mass: f64, damping: f64, stiffness: f64) -> Result<Self, QuantityError> {
        let mass = quantity::positive("hand mass", mass)?;
        let damping = quantity::not_negative("hand damping", damping)?;
        let stiffness = quantity::not_negative("hand stiffness", stiffness)?;
        let step = STEP_NS as f64 * 1e-9;
        quantity::between("hand damping / mass", damping / mass, 0.0, 0.5 / step)?;
        let most = 0.25 / (step * step);
        quantity::between("hand stiffness / mass", stiffness / mass, 0.0, most)?;
        Ok(Self {
            mass,
            damping,
            stiffness,
        })
    }
}

/// A device held by a [`Hand`] whose target follows a script.
///
/// ```
/// use impinge::{DVec3, Pose};
/// use impinge_dynamics::{Wrench, device::{DeviceSpecification, Hand, HandDevice, HapticDevice, Keyframe, Script}};
/// let rest = Script::new(vec![Keyframe { time_ns: 0, pose: Pose::IDENTITY }])?;
/// let hand = Hand::new(0.2, 12.0, 200.0)?;
/// let mut device = HandDevice::new(DeviceSpecification::falcon(), hand, rest);
/// device.write(Wrench::from_force(DVec3::X))?;
/// let pushed = device.read(1_000_000_000)?.pose.translation();
/// assert!((pushed - DVec3::X / 200.0).length() < 1e-6 && device.last_wrench().force == DVec3::X);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct HandDevice {
    specification: DeviceSpecification,
    hand: Hand,
    target: Script,
    time_ns: u64,
    position: DVec3,
    velocity: DVec3,
    held: HeldWrench,
}

impl HandDevice {
    /// A device at rest at the start of the script, at time 0.
    #[must_use]
    pub fn new(specification: DeviceSpecification, hand: Hand, target: Script) -> Self {
        let start = target.state(0);
        Self {
            specification,
            hand,
            time_ns: 0,
            position: start.pose.translation(),
            velocity: DVec3::ZERO,
            target,
            held: HeldWrench::default(),
        }
    }

    /// The last wrench written, after it was limited to the device.
    #[must_use]
    pub fn last_wrench(&self) -> Wrench {
        self.held.wrench
    }

    fn acceleration(&self, target: &DeviceState, position: DVec3, velocity: DVec3) -> DVec3 {
        let Hand {
            mass,
            damping,
            stiffness,
        } = self.hand;
        let pull = (target.pose.translation() - position) * stiffness;
        let drag = (target.linear_velocity - velocity) * damping;
        (self.held.wrench.force + pull + drag) / mass
    }

    fn step(&mut self, duration_ns: u64) {
        let h = duration_ns as f64 * 1e-9;
        let start = self.target.state(self.time_ns);
        let middle = self.target.state(self.time_ns + duration_ns / 2);
        // The velocity of the target may jump at a keyframe; the end belongs to this step.
        let last = self.target.state(self.time_ns + duration_ns);
        let (x, v) = (self.position, self.velocity);
        let (dx1, dv1) = (v, self.acceleration(&start, x, v));
        let (x2, v2) = (x + dx1 * (h / 2.0), v + dv1 * (h / 2.0));
        let (dx2, dv2) = (v2, self.acceleration(&middle, x2, v2));
        let (x3, v3) = (x + dx2 * (h / 2.0), v + dv2 * (h / 2.0));
        let (dx3, dv3) = (v3, self.acceleration(&middle, x3, v3));
        let (x4, v4) = (x + dx3 * h, v + dv3 * h);
        let (dx4, dv4) = (v4, self.acceleration(&last, x4, v4));
        self.position = x + (dx1 + (dx2 + dx3) * 2.0 + dx4) * (h / 6.0);
        self.velocity = v + (dv1 + (dv2 + dv3) * 2.0 + dv4) * (h / 6.0);
        self.time_ns += duration_ns;
    }

    fn advance(&mut self, now_ns: u64) {
        let ahead = now_ns.saturating_sub(self.time_ns);
        if ahead > STEP_NS * MAX_STEPS {
            let target = self.target.state(now_ns);
            self.position = target.pose.translation();
            self.velocity = target.linear_velocity;
            self.time_ns = now_ns;
            return;
        }
        while self.time_ns < now_ns {
            self.step((now_ns - self.time_ns).min(STEP_NS));
        }
    }
}

impl HapticDevice for HandDevice {
    fn specification(&self) -> &DeviceSpecification {
        &self.specification
    }

    fn read(&mut self, now_ns: u64) -> Result<DeviceState, DeviceError> {
        self.advance(now_ns);
        let target = self.target.state(self.time_ns);
        let pose = Pose::new(*target.pose.rotation(), self.position);
        Ok(DeviceState {
            time_ns: self.time_ns,
            pose: pose.map_err(|_| DeviceError::Disconnected)?,
            linear_velocity: self.velocity,
            ..target
        })
    }

    fn write(&mut self, wrench: Wrench) -> Result<Saturation, DeviceError> {
        self.held.write(&self.specification, wrench)
    }

    fn stop(&mut self) {
        self.held.stop();
    }
}
