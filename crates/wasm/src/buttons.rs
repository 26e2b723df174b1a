//! Virtual buttons, and the rigid parts of a hand that press them.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge_dynamics::device::logical::{
    ButtonPlace, ControlPanel, LogicalDevices, LogicalId, LogicalValue,
};
use impinge_dynamics::sculpt::{Tool, ToolKind};
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

use crate::js::{fail, pose, poses, vector};
use crate::mesh::Mesh;

/// Events that wait to be polled, at most.
const EVENTS: usize = 1024;

/// The parts of a hand, each a mesh, in a frame in which the fingers point along −z and the foremost tip is at the origin.
#[wasm_bindgen(js_name = handParts)]
pub fn hand_parts(
    #[wasm_bindgen(
        unchecked_param_type = "'fingertip' | 'five-fingertips' | 'forefinger' | 'whole-hand'"
    )]
    kind: &str,
    size: f64,
) -> Result<Vec<Mesh>, JsError> {
    let Some(kind) = ToolKind::named(kind) else {
        return Err(fail(format!("there is no hand '{kind}'")));
    };
    let tool = Tool::new(kind, size).map_err(fail)?;
    let parts = tool.parts().iter();
    Ok(parts.map(|part| part.mesh().clone().into()).collect())
}

/// Buttons that any of several fingers may press. A tap between two updates is pressed and released: no tap is missed.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ButtonPanel {
    fingers: Vec<Arc<WideTree>>,
    panel: Option<ControlPanel>,
    devices: LogicalDevices,
    buttons: Vec<LogicalId>,
}

#[wasm_bindgen]
impl ButtonPanel {
    /// An empty panel.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self {
            fingers: Vec::new(),
            panel: None,
            devices: LogicalDevices::new(EVENTS),
            buttons: Vec::new(),
        }
    }

    /// Adds a finger, a closed mesh; before the first button.
    #[wasm_bindgen(js_name = addFinger)]
    pub fn add_finger(&mut self, mesh: &Mesh) -> Result<usize, JsError> {
        if self.panel.is_some() {
            return Err(fail("fingers come before buttons"));
        }
        self.fingers.push(Arc::clone(mesh.mesh.index()));
        Ok(self.fingers.len() - 1)
    }

    /// Adds a button, a closed mesh at a pose. The axis points out of it, in its frame. A finger presses it by going in so deep, and
    /// lets go when it is farther away than the gap or back to half of the depth.
    #[wasm_bindgen(js_name = addButton)]
    pub fn add_button(
        &mut self,
        mesh: &Mesh,
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] at: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] axis: &[f64],
        #[wasm_bindgen(js_name = pressDepth)] press_depth: f64,
        #[wasm_bindgen(js_name = releaseGap)] release_gap: f64,
    ) -> Result<usize, JsError> {
        let place = ButtonPlace {
            mesh: Arc::clone(mesh.mesh.index()),
            world_from_button: pose(Some(at))?,
            axis: vector(axis, "axis")?,
            press_depth,
            release_gap,
        };
        let fingers = &self.fingers;
        let panel = self
            .panel
            .get_or_insert_with(|| ControlPanel::new(fingers.clone()));
        let button = panel.add(&mut self.devices, &place).map_err(fail)?;
        self.buttons.push(button);
        Ok(self.buttons.len() - 1)
    }

    /// Moves the fingers to poses of sixteen numbers each, at a time in seconds. Returns for each button whether it is pressed.
    pub fn update(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] fingers: &[f64],
        seconds: f64,
    ) -> Result<Uint8Array, JsError> {
        let poses = poses(fingers)?;
        if let Some(panel) = &mut self.panel {
            let time = (seconds.max(0.0) * 1e9) as u64;
            panel
                .update(&mut self.devices, &poses, time)
                .map_err(fail)?;
        }
        let pressed = |&button: &LogicalId| {
            u8::from(self.devices.poll(button) == Some(LogicalValue::Button(true)))
        };
        let pressed: Vec<u8> = self.buttons.iter().map(pressed).collect();
        Ok(Uint8Array::from(pressed.as_slice()))
    }

    /// Events since the last call, two numbers each: the button, and 1 for pressed or 0 for released.
    pub fn events(&mut self) -> Vec<u32> {
        let mut out = Vec::new();
        for event in self.devices.events() {
            let button = self.buttons.iter().position(|&id| id == event.device);
            let is_down = event.value == LogicalValue::Button(true);
            out.extend([button.unwrap_or(0) as u32, u32::from(is_down)]);
        }
        out
    }
}

impl Default for ButtonPanel {
    fn default() -> Self {
        Self::new()
    }
}
