//! Logical input devices, and buttons that are objects of the scene.
//!
//! **Question.** What does the application want to know, whatever device is plugged in?
//! **Idea.** Seven classes of input. Physical sources feed a logical device; a virtual device is computed from other
//! logical ones; a virtual button is a pair of meshes, pressed while the finger's touches the button's.
//! **Source.** Zachmann 2000, *Virtual Reality in Assembly Simulation*, on the toolkit Into. Ours: press depth,
//! hysteresis, and continuous detection.
//! **Promise.** Polling gives the newest value; events are every change once, in order. A virtual button does not miss
//! a tap, however fast.
//! **Limits.** A virtual device may use only devices that were added before it, so there are no cycles.

mod button;
mod devices;
mod panel;

pub use button::{ButtonError, ButtonUpdate, VirtualButton};
pub use devices::{
    InputEvent, LogicalClass, LogicalDevices, LogicalError, LogicalId, LogicalValue,
};
pub use panel::{ButtonPlace, ControlPanel, PanelError};
