//! A panel of virtual buttons, worked by several fingers.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::{DVec3, Pose};
use thiserror::Error;

use super::button::{ButtonError, VirtualButton};
use super::devices::{LogicalClass, LogicalDevices, LogicalError, LogicalId, LogicalValue};

/// Why a panel refused something.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PanelError {
    /// The button was refused.
    #[error(transparent)]
    Button(#[from] ButtonError),
    /// The logical device was refused.
    #[error(transparent)]
    Logical(#[from] LogicalError),
    /// Every finger needs a pose.
    #[error("the panel is worked by {expected} fingers, but there are poses of {found}")]
    Fingers {
        /// How many fingers there are.
        expected: usize,
        /// How many poses were given.
        found: usize,
    },
}

/// Where a button is and how it is pressed.
#[derive(Clone, Debug)]
pub struct ButtonPlace {
    /// The button's mesh.
    pub mesh: Arc<WideTree>,
    /// Its place.
    pub world_from_button: Pose,
    /// Out of the button, in its frame.
    pub axis: DVec3,
    /// How deep a finger presses it, in metres.
    pub press_depth: f64,
    /// How far a finger must be away to let go, in metres.
    pub release_gap: f64,
}

#[derive(Debug)]
struct PanelButton {
    device: LogicalId,
    button_from_world: Pose,
    /// One state for each finger.
    by_finger: Vec<VirtualButton>,
}

/// Virtual buttons that any of several fingers may press: each is a logical device of class
/// [`LogicalClass::Button`], and each finger one of its sources.
///
/// ```
/// use impinge::{DVec3, Pose, bvh::wide::WideTree, generate};
/// use impinge_dynamics::device::logical::{ButtonPlace, ControlPanel, LogicalDevices, LogicalValue};
/// use std::sync::Arc;
/// let ball = |radius| generate::icosphere(radius, 4).map(|mesh| Arc::new(WideTree::new(Arc::new(mesh))));
/// let mut devices = LogicalDevices::new(100);
/// let mut panel = ControlPanel::new(vec![ball(0.005)?, ball(0.005)?]);
/// let place = |x: f64| -> Result<ButtonPlace, Box<dyn std::error::Error>> {
///     let world_from_button = Pose::from_translation([x, 0.0, 0.0])?;
///     Ok(ButtonPlace { mesh: ball(0.01)?, world_from_button, axis: DVec3::Z, press_depth: 0.001, release_gap: 0.0005 })
/// };
/// let left = panel.add(&mut devices, &place(-0.1)?)?;
/// let right = panel.add(&mut devices, &place(0.1)?)?;
/// let fingers = |l: f64, r: f64| -> Result<[Pose; 2], impinge::PoseError> {
///     Ok([Pose::from_translation([-0.1, 0.0, l])?, Pose::from_translation([0.1, 0.0, r])?])
/// };
/// panel.update(&mut devices, &fingers(0.05, 0.05)?, 0)?;
/// panel.update(&mut devices, &fingers(0.012, 0.05)?, 1)?;
/// assert_eq!(devices.poll(left), Some(LogicalValue::Button(true)));
/// assert_eq!(devices.poll(right), Some(LogicalValue::Button(false)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ControlPanel {
    fingers: Vec<Arc<WideTree>>,
    buttons: Vec<PanelButton>,
}

impl ControlPanel {
    /// A panel without buttons, worked by these fingers.
    #[must_use]
    pub fn new(fingers: Vec<Arc<WideTree>>) -> Self {
        Self {
            fingers,
            buttons: Vec::new(),
        }
    }

    /// Adds a button and its logical device.
    ///
    /// # Errors
    /// [`PanelError`] when [`VirtualButton::new`] refuses the button with one of the fingers.
    pub fn add(
        &mut self,
        devices: &mut LogicalDevices,
        place: &ButtonPlace,
    ) -> Result<LogicalId, PanelError> {
        let button = |finger: &Arc<WideTree>| {
            VirtualButton::new(
                Arc::clone(&place.mesh),
                Arc::clone(finger),
                place.axis,
                place.press_depth,
                place.release_gap,
            )
        };
        let by_finger = self.fingers.iter().map(button).collect::<Result<_, _>>()?;
        let device = devices.add(LogicalClass::Button)?;
        self.buttons.push(PanelButton {
            device,
            button_from_world: place.world_from_button.inverse(),
            by_finger,
        });
        Ok(device)
    }

    /// Moves the fingers, in order, to their newest poses and feeds the logical devices. A tap within
    /// one update is pressed and released: two events.
    ///
    /// # Errors
    /// [`PanelError`] for another number of poses, or devices of another application; nothing has
    /// moved when the number is wrong.
    pub fn update(
        &mut self,
        devices: &mut LogicalDevices,
        world_from_fingers: &[Pose],
        time_ns: u64,
    ) -> Result<(), PanelError> {
        let (expected, found) = (self.fingers.len(), world_from_fingers.len());
        if expected != found {
            return Err(PanelError::Fingers { expected, found });
        }
        for button in &mut self.buttons {
            let states = button.by_finger.iter_mut().zip(world_from_fingers);
            for (source, (state, pose)) in states.enumerate() {
                let update = state.update(&(button.button_from_world * *pose));
                let mut feed = |pressed: bool| {
                    let value = LogicalValue::Button(pressed);
                    devices.feed(button.device, source as u32, value, time_ns)
                };
                if update.down {
                    feed(true)?;
                }
                if update.up {
                    feed(false)?;
                }
            }
        }
        Ok(())
    }
}
