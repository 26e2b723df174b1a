//! A device that follows keyframes.

use impinge::Pose;
use impinge::math::Motion;
use thiserror::Error;

use super::{DeviceError, DeviceSpecification, DeviceState, HapticDevice, HeldWrench, Saturation};
use crate::{Wrench, seconds_between};

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// The time.
    pub time_ns: u64,
    /// The pose.
    pub pose: Pose,
}

/// Why keyframes are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// The list is empty.
    #[error("a script needs at least one keyframe")]
    Empty,
    /// Times must grow.
    #[error("keyframe {index} is not later than the one before it")]
    NotInOrder {
        /// The keyframe that comes too early.
        index: usize,
    },
}

/// Keyframes in order of time. Between two of them the tool moves at constant linear and angular
/// velocity; before the first and after the last it rests.
///
/// ```
/// use impinge::{DVec3, Pose};
/// use impinge_dynamics::device::{Keyframe, Script, ScriptError};
/// assert_eq!(Script::new(vec![]).err(), Some(ScriptError::Empty));
/// let end = Pose::from_translation([0.0, 0.0, 1.0])?;
/// let script = Script::new(vec![
///     Keyframe { time_ns: 0, pose: Pose::IDENTITY },
///     Keyframe { time_ns: 2_000_000_000, pose: end },
/// ])?;
/// assert_eq!(script.state(1_000_000_000).linear_velocity, DVec3::Z * 0.5);
/// assert_eq!(script.duration_ns(), 2_000_000_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    first: Keyframe,
    /// One for each pair of neighbouring keyframes.
    legs: Vec<Leg>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Leg {
    start_ns: u64,
    end_ns: u64,
    motion: Motion,
}

impl Script {
    /// The script through these keyframes.
    ///
    /// # Errors
    /// [`ScriptError`] when there is no keyframe or their times do not grow.
    pub fn new(keyframes: Vec<Keyframe>) -> Result<Self, ScriptError> {
        let first = *keyframes.first().ok_or(ScriptError::Empty)?;
        let mut legs = Vec::with_capacity(keyframes.len().saturating_sub(1));
        let mut before = first;
        for (index, &keyframe) in keyframes.iter().enumerate().skip(1) {
            if keyframe.time_ns <= before.time_ns {
                return Err(ScriptError::NotInOrder { index });
            }
            legs.push(Leg {
                start_ns: before.time_ns,
                end_ns: keyframe.time_ns,
                motion: Motion::between(&before.pose, &keyframe.pose),
            });
            before = keyframe;
        }
        Ok(Self { first, legs })
    }

    /// When the last keyframe is.
    #[must_use]
    pub fn duration_ns(&self) -> u64 {
        self.legs
            .last()
            .map_or(self.first.time_ns, |leg| leg.end_ns)
    }

    /// Pose and velocity at a time.
    #[must_use]
    pub fn state(&self, time_ns: u64) -> DeviceState {
        let next = self.legs.partition_point(|leg| leg.end_ns <= time_ns);
        let Some(leg) = self.legs.get(next) else {
            let last = self.legs.last();
            let pose = last.map_or(self.first.pose, |leg| leg.motion.at(1.0));
            return DeviceState::at_rest(time_ns, pose);
        };
        if time_ns < leg.start_ns {
            return DeviceState::at_rest(time_ns, self.first.pose);
        }
        let duration = seconds_between(leg.start_ns, leg.end_ns);
        let t = seconds_between(leg.start_ns, time_ns) / duration;
        let (start, end) = (leg.motion.at(0.0), leg.motion.at(1.0));
        DeviceState {
            linear_velocity: (end.translation() - start.translation()) / duration,
            angular_velocity: rotation_vector(&(end * start.inverse())) / duration,
            ..DeviceState::at_rest(time_ns, leg.motion.at(t))
        }
    }
}

/// Axis times angle of a pose's rotation, the angle in [0, π].
pub(crate) fn rotation_vector(pose: &Pose) -> impinge::DVec3 {
    let r = pose.rotation();
    // Twice the sine of the angle, along the axis.
    let twice = impinge::DVec3::new(
        r.y_axis.z - r.z_axis.y,
        r.z_axis.x - r.x_axis.z,
        r.x_axis.y - r.y_axis.x,
    );
    let trace = r.x_axis.x + r.y_axis.y + r.z_axis.z;
    let length = twice.length();
    let angle = libm::atan2(length, trace - 1.0);
    if length > 1e-9 {
        return twice * (angle / length);
    }
    if trace > 0.0 {
        return twice * 0.5;
    }
    // A half turn: the axis is a column of R + I.
    let columns = [
        r.x_axis + impinge::DVec3::X,
        r.y_axis + impinge::DVec3::Y,
        r.z_axis + impinge::DVec3::Z,
    ];
    let mut axis = columns[0];
    for column in columns {
        if column.length_squared() > axis.length_squared() {
            axis = column;
        }
    }
    axis.normalize_or_zero() * angle
}

/// A device whose tool follows a [`Script`], whatever force is put on it.
///
/// See the module's page for an example.
#[derive(Clone, Debug)]
pub struct ScriptedDevice {
    specification: DeviceSpecification,
    script: Script,
    held: HeldWrench,
}

impl ScriptedDevice {
    /// A device of this kind that follows this script.
    #[must_use]
    pub fn new(specification: DeviceSpecification, script: Script) -> Self {
        Self {
            specification,
            script,
            held: HeldWrench::default(),
        }
    }

    /// The last wrench written, after it was limited to the device.
    #[must_use]
    pub fn last_wrench(&self) -> Wrench {
        self.held.wrench
    }
}

impl HapticDevice for ScriptedDevice {
    fn specification(&self) -> &DeviceSpecification {
        &self.specification
    }

    fn read(&mut self, now_ns: u64) -> Result<DeviceState, DeviceError> {
        Ok(self.script.state(now_ns))
    }

    fn write(&mut self, wrench: Wrench) -> Result<Saturation, DeviceError> {
        self.held.write(&self.specification, wrench)
    }

    fn stop(&mut self) {
        self.held.stop();
    }
}
