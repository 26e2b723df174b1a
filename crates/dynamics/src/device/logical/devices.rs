//! Logical devices.

use std::fmt;

use impinge::glam::DQuat;
use impinge::{DVec3, Pose};
use thiserror::Error;

/// Joint angles of a hand.
const HAND_ANGLES: usize = 20;

/// The class of input of a logical device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LogicalClass {
    /// A button: pressed or not.
    Button,
    /// A choice: one of this many options.
    Choice(u32),
    /// A number.
    Value,
    /// A point.
    Location,
    /// A rotation.
    Orientation,
    /// A point and a rotation.
    Space,
    /// Twenty joint angles.
    Hand,
}

/// The value of a logical device.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LogicalValue {
    /// A button: pressed or not.
    Button(bool),
    /// Which of the choices.
    Choice(u32),
    /// A number.
    Value(f64),
    /// Metres.
    Location(DVec3),
    /// A unit quaternion.
    Orientation(DQuat),
    /// Where and how.
    Space(Pose),
    /// Radians.
    Hand([f64; HAND_ANGLES]),
}

impl LogicalValue {
    fn fits(&self, class: LogicalClass) -> bool {
        match (self, class) {
            (Self::Choice(index), LogicalClass::Choice(count)) => *index < count,
            (Self::Value(value), LogicalClass::Value) => value.is_finite(),
            (Self::Location(point), LogicalClass::Location) => point.is_finite(),
            (Self::Orientation(turn), LogicalClass::Orientation) => {
                turn.is_finite() && turn.is_normalized()
            }
            (Self::Hand(angles), LogicalClass::Hand) => angles.iter().all(|a| a.is_finite()),
            (Self::Button(_), LogicalClass::Button) | (Self::Space(_), LogicalClass::Space) => true,
            _ => false,
        }
    }

    fn at_rest(class: LogicalClass) -> Self {
        match class {
            LogicalClass::Button => Self::Button(false),
            LogicalClass::Choice(_) => Self::Choice(0),
            LogicalClass::Value => Self::Value(0.0),
            LogicalClass::Location => Self::Location(DVec3::ZERO),
            LogicalClass::Orientation => Self::Orientation(DQuat::IDENTITY),
            LogicalClass::Space => Self::Space(Pose::IDENTITY),
            LogicalClass::Hand => Self::Hand([0.0; HAND_ANGLES]),
        }
    }
}

/// A logical device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogicalId(usize);

/// A logical device changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputEvent {
    /// The device.
    pub device: LogicalId,
    /// The new value.
    pub value: LogicalValue,
    /// The time of the change.
    pub time_ns: u64,
}

/// Why a call was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LogicalError {
    /// No such device was added.
    #[error("there is no logical device {index}")]
    NoDevice {
        /// Its number.
        index: usize,
    },
    /// The value is of another class, out of range or not finite.
    #[error("the value does not fit a logical device of class {class:?}")]
    OtherClass {
        /// The class of the device.
        class: LogicalClass,
    },
    /// A choice without options.
    #[error("a choice needs at least one alternative")]
    NoChoice,
    /// Virtual devices are computed, not fed.
    #[error("logical device {index} is virtual and cannot be fed")]
    Virtual {
        /// Its number.
        index: usize,
    },
}

type Mapping = Box<dyn Fn(&[LogicalValue]) -> LogicalValue + Send>;

struct Device {
    class: LogicalClass,
    value: LogicalValue,
    /// Values of the sources of a button, which is pressed while any of them is.
    pressed_by: Vec<u32>,
    mapped: Option<(Vec<usize>, Mapping)>,
}

/// All logical devices of an application.
///
/// ```
/// use impinge_dynamics::device::logical::{LogicalClass, LogicalDevices, LogicalValue};
/// let mut devices = LogicalDevices::new(100);
/// let left = devices.add(LogicalClass::Button)?;
/// let right = devices.add(LogicalClass::Button)?;
/// let both = devices.add_virtual(LogicalClass::Button, &[left, right], |inputs| {
///     LogicalValue::Button(inputs.iter().all(|i| *i == LogicalValue::Button(true)))
/// })?;
/// devices.feed(left, 0, LogicalValue::Button(true), 10)?;
/// assert_eq!(devices.poll(both), Some(LogicalValue::Button(false)));
/// devices.feed(right, 1, LogicalValue::Button(true), 20)?;
/// assert_eq!(devices.poll(both), Some(LogicalValue::Button(true)));
/// assert_eq!(devices.events().map(|e| e.time_ns).collect::<Vec<_>>(), [10, 20, 20]);
/// assert_eq!((devices.events().count(), devices.lost()), (0, 0));
/// # Ok::<(), impinge_dynamics::device::logical::LogicalError>(())
/// ```
pub struct LogicalDevices {
    devices: Vec<Device>,
    events: Vec<InputEvent>,
    capacity: usize,
    lost: u64,
}

impl fmt::Debug for LogicalDevices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let classes = self.devices.iter().map(|device| device.class);
        f.debug_list().entries(classes).finish()
    }
}

impl LogicalDevices {
    /// No devices, and room for this many events between two calls of [`LogicalDevices::events`].
    #[must_use]
    pub fn new(events: usize) -> Self {
        Self {
            devices: Vec::new(),
            events: Vec::with_capacity(events),
            capacity: events,
            lost: 0,
        }
    }

    fn push(
        &mut self,
        class: LogicalClass,
        mapped: Option<(Vec<usize>, Mapping)>,
    ) -> Result<LogicalId, LogicalError> {
        if class == LogicalClass::Choice(0) {
            return Err(LogicalError::NoChoice);
        }
        self.devices.push(Device {
            class,
            value: LogicalValue::at_rest(class),
            pressed_by: Vec::new(),
            mapped,
        });
        Ok(LogicalId(self.devices.len() - 1))
    }

    /// Adds a device that sources feed.
    ///
    /// # Errors
    /// [`LogicalError::NoChoice`] for a choice among nothing.
    pub fn add(&mut self, class: LogicalClass) -> Result<LogicalId, LogicalError> {
        self.push(class, None)
    }

    /// Adds a device whose value is computed from others, each time one of them changes.
    ///
    /// # Errors
    /// [`LogicalError`] when an input is unknown or the value at rest is not of the class.
    pub fn add_virtual(
        &mut self,
        class: LogicalClass,
        inputs: &[LogicalId],
        map: impl Fn(&[LogicalValue]) -> LogicalValue + Send + 'static,
    ) -> Result<LogicalId, LogicalError> {
        let mut values = Vec::with_capacity(inputs.len());
        for input in inputs {
            let index = input.0;
            let device = self.devices.get(index);
            values.push(device.ok_or(LogicalError::NoDevice { index })?.value);
        }
        let value = map(&values);
        if !value.fits(class) {
            return Err(LogicalError::OtherClass { class });
        }
        let inputs = inputs.iter().map(|input| input.0).collect();
        let id = self.push(class, Some((inputs, Box::new(map))))?;
        if let Some(device) = self.devices.get_mut(id.0) {
            device.value = value;
        }
        Ok(id)
    }

    /// Feeds a value from a physical source. Of several sources of a device the newest counts; a button is pressed while any source
    /// presses it.
    ///
    /// # Errors
    /// [`LogicalError`] when the device is unknown or virtual, or the value is not of its class.
    pub fn feed(
        &mut self,
        id: LogicalId,
        source: u32,
        value: LogicalValue,
        time_ns: u64,
    ) -> Result<(), LogicalError> {
        let index = id.0;
        let device = self.devices.get_mut(index);
        let device = device.ok_or(LogicalError::NoDevice { index })?;
        if device.mapped.is_some() {
            return Err(LogicalError::Virtual { index });
        }
        if !value.fits(device.class) {
            let class = device.class;
            return Err(LogicalError::OtherClass { class });
        }
        let value = if let LogicalValue::Button(pressed) = value {
            device.pressed_by.retain(|&other| other != source);
            if pressed {
                device.pressed_by.push(source);
            }
            LogicalValue::Button(!device.pressed_by.is_empty())
        } else {
            value
        };
        self.set(index, value, time_ns);
        self.compute_from(index, time_ns);
        Ok(())
    }

    fn set(&mut self, index: usize, value: LogicalValue, time_ns: u64) {
        let Some(device) = self.devices.get_mut(index) else {
            return;
        };
        if device.value == value {
            return;
        }
        device.value = value;
        if self.events.len() < self.capacity {
            self.events.push(InputEvent {
                device: LogicalId(index),
                value,
                time_ns,
            });
        } else {
            self.lost += 1;
        }
    }

    /// Computes virtual devices again, in the order in which they were added: inputs come before.
    fn compute_from(&mut self, changed: usize, time_ns: u64) {
        for index in changed + 1..self.devices.len() {
            let Some(device) = self.devices.get(index) else {
                return;
            };
            let Some((inputs, map)) = &device.mapped else {
                continue;
            };
            let values: Vec<LogicalValue> = inputs
                .iter()
                .filter_map(|&input| Some(self.devices.get(input)?.value))
                .collect();
            let value = map(&values);
            // A mapping that gives nonsense leaves its device as it was.
            if value.fits(device.class) {
                self.set(index, value, time_ns);
            }
        }
    }

    /// The value of a device now; `None` for a device that was not added.
    #[must_use]
    pub fn poll(&self, id: LogicalId) -> Option<LogicalValue> {
        Some(self.devices.get(id.0)?.value)
    }

    /// All changes since the last call, in order.
    pub fn events(&mut self) -> impl Iterator<Item = InputEvent> + '_ {
        self.events.drain(..)
    }

    /// Changes dropped because the buffer was full.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }
}
