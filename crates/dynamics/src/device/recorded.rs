//! A device that plays back recorded states.

use thiserror::Error;

use super::{DeviceError, DeviceSpecification, DeviceState, HapticDevice, HeldWrench, Saturation};
use crate::Wrench;

/// Why recorded states are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The list is empty.
    #[error("a recorded device needs at least one state")]
    Empty,
    /// Times must not fall.
    #[error("state {index} is earlier than the one before it")]
    NotInOrder {
        /// The state that comes too early.
        index: usize,
    },
    /// A number is NaN or infinite.
    #[error("state {index} has an entry that is not finite")]
    NotFinite {
        /// The state.
        index: usize,
    },
}

/// A device that reports recorded states: at any time the newest that is not later, with the time
/// at which it was measured. Gaps in the recording thus look like a device that stopped sending.
///
/// ```
/// use impinge::Pose;
/// use impinge_dynamics::{Wrench, device::{DeviceSpecification, DeviceState, HapticDevice, RecordedDevice}};
/// let states = [10, 20].map(|time_ns| DeviceState::at_rest(time_ns, Pose::IDENTITY));
/// let mut device = RecordedDevice::new(DeviceSpecification::falcon(), states.to_vec())?;
/// assert_eq!(device.read(19)?.time_ns, 10);
/// assert_eq!(device.read(99)?.time_ns, 20);
/// assert_eq!(device.last_wrench(), Wrench::ZERO);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecordedDevice {
    specification: DeviceSpecification,
    states: Vec<DeviceState>,
    held: HeldWrench,
}

impl RecordedDevice {
    /// A device of this kind that plays these states.
    ///
    /// # Errors
    /// [`RecordingError`] when there is no state, their times fall, or a number is not finite.
    pub fn new(
        specification: DeviceSpecification,
        states: Vec<DeviceState>,
    ) -> Result<Self, RecordingError> {
        let mut before = states.first().ok_or(RecordingError::Empty)?.time_ns;
        for (index, state) in states.iter().enumerate() {
            if state.time_ns < before {
                return Err(RecordingError::NotInOrder { index });
            }
            if !state.is_finite() {
                return Err(RecordingError::NotFinite { index });
            }
            before = state.time_ns;
        }
        Ok(Self {
            specification,
            states,
            held: HeldWrench::default(),
        })
    }

    /// The last wrench written, after it was limited to the device.
    #[must_use]
    pub fn last_wrench(&self) -> Wrench {
        self.held.wrench
    }
}

impl HapticDevice for RecordedDevice {
    fn specification(&self) -> &DeviceSpecification {
        &self.specification
    }

    fn read(&mut self, now_ns: u64) -> Result<DeviceState, DeviceError> {
        let next = self.states.partition_point(|state| state.time_ns <= now_ns);
        let newest = self.states.get(next.saturating_sub(1));
        newest.copied().ok_or(DeviceError::Disconnected)
    }

    fn write(&mut self, wrench: Wrench) -> Result<Saturation, DeviceError> {
        self.held.write(&self.specification, wrench)
    }

    fn stop(&mut self) {
        self.held.stop();
    }
}
