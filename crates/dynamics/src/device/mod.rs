//! Haptic devices: the trait, device specifications, and simulated devices.
//!
//! **Question.** Where is the hand, and which wrench can be put on it?
//! **Idea.** One trait with four calls. Time comes in by argument, so that a simulated device is a
//! function of its script and of the wrenches written, and a recording replays byte for byte.
//! **Promise.** A wrench written is scaled to what the device can do, keeping its direction, and the
//! call says so. `stop` ends all force and is latched.
//! **Limits.** No driver of a physical device is in this crate; it would implement [`HapticDevice`].
//!
//! ```
//! use impinge::{DVec3, Pose};
//! use impinge_dynamics::{Wrench, device::{DeviceSpecification, HapticDevice, Keyframe, Script, ScriptedDevice}};
//! let script = Script::new(vec![
//!     Keyframe { time_ns: 0, pose: Pose::IDENTITY },
//!     Keyframe { time_ns: 1_000_000_000, pose: Pose::from_translation([0.02, 0.0, 0.0])? },
//! ])?;
//! let mut device = ScriptedDevice::new(DeviceSpecification::falcon(), script);
//! let state = device.read(500_000_000)?;
//! assert_eq!(state.pose.translation(), DVec3::new(0.01, 0.0, 0.0));
//! let saturated = device.write(Wrench::from_force(DVec3::X * 100.0))?;
//! assert!(saturated.force && device.last_wrench().force == DVec3::X * 10.0);
//! device.stop();
//! assert!(device.write(Wrench::ZERO).is_err());
//! assert_eq!(device.specification().name, "Novint Falcon");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bridge;
mod hand;
pub mod logical;
mod recorded;
mod script;
mod specification;
mod velocity;

pub use hand::{Hand, HandDevice};
pub use recorded::{RecordedDevice, RecordingError};
pub(crate) use script::rotation_vector;
pub use script::{Keyframe, Script, ScriptError, ScriptedDevice};
pub use specification::{DeviceSpecification, Saturation, Workspace};
pub use velocity::{AdaptiveVelocity, VELOCITY_WINDOW_NS, WindowVelocity};

use impinge::{DVec3, Pose};
use thiserror::Error;

use crate::Wrench;

/// The state that a device reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceState {
    /// When it was measured, on the clock of the servo loop.
    pub time_ns: u64,
    /// The pose of the tool.
    pub pose: Pose,
    /// Metres per second.
    pub linear_velocity: DVec3,
    /// Radians per second, about the world's axes.
    pub angular_velocity: DVec3,
    /// One bit for each button that is pressed.
    pub buttons: u32,
    /// How far the gripper is open: an angle in radians, 0 when there is none.
    pub gripper: f64,
}

impl DeviceState {
    /// A state at rest without buttons.
    ///
    /// ```
    /// use impinge_dynamics::device::DeviceState;
    /// assert!(DeviceState::at_rest(5, Default::default()).is_finite());
    /// ```
    #[must_use]
    pub fn at_rest(time_ns: u64, pose: Pose) -> Self {
        Self {
            time_ns,
            pose,
            linear_velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            buttons: 0,
            gripper: 0.0,
        }
    }

    /// Whether no number is NaN or infinite. A [`Pose`] always is finite; velocities may not be.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.linear_velocity.is_finite()
            && self.angular_velocity.is_finite()
            && self.gripper.is_finite()
    }
}

/// Why a device call failed.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// [`HapticDevice::stop`] was called.
    #[error("the device is stopped")]
    Stopped,
    /// A wrench with a NaN or infinite entry was written; the device renders no force.
    #[error("the wrench has an entry that is not finite")]
    WrenchNotFinite,
    /// The device does not answer any more.
    #[error("the device is disconnected")]
    Disconnected,
}

/// A haptic device: it reports the pose of the hand and renders a wrench.
pub trait HapticDevice {
    /// What the device can do.
    fn specification(&self) -> &DeviceSpecification;

    /// The newest state at time `now_ns`. It may be older than `now_ns`; its own time says so.
    ///
    /// # Errors
    /// [`DeviceError`] when the device does not answer.
    fn read(&mut self, now_ns: u64) -> Result<DeviceState, DeviceError>;

    /// Puts the wrench on the hand until the next call, and says what had to be scaled down.
    ///
    /// # Errors
    /// [`DeviceError`] when the device does not take it; the force is 0 then.
    fn write(&mut self, wrench: Wrench) -> Result<Saturation, DeviceError>;

    /// Ends all force, for good.
    fn stop(&mut self);
}

/// The wrench a simulated device holds, with the checks all of them share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct HeldWrench {
    pub(crate) wrench: Wrench,
    pub(crate) stopped: bool,
}

impl HeldWrench {
    pub(crate) fn write(
        &mut self,
        specification: &DeviceSpecification,
        wrench: Wrench,
    ) -> Result<Saturation, DeviceError> {
        self.wrench = Wrench::ZERO;
        if self.stopped {
            return Err(DeviceError::Stopped);
        }
        if !wrench.is_finite() {
            return Err(DeviceError::WrenchNotFinite);
        }
        let (wrench, saturation) = specification.saturated(wrench);
        self.wrench = wrench;
        Ok(saturation)
    }

    pub(crate) fn stop(&mut self) {
        *self = Self {
            wrench: Wrench::ZERO,
            stopped: true,
        };
    }
}
