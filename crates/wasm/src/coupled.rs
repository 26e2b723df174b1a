//! A tool of six degrees of freedom on the springs of a virtual coupling.

use std::sync::Arc;

use impinge::Pose;
use impinge::query::Limits;
use impinge::volume::VolumeIndex;
use impinge_dynamics::coupling::{CouplingStiffness, QuasiStaticCoupling};
use impinge_dynamics::guard;
use impinge_dynamics::law::ExactVolumeLaw;
use js_sys::Float64Array;
use wasm_bindgen::prelude::*;

use crate::js::{fail, matrix, numbers, object, pose, triple};
use crate::mesh::Mesh;

/// A rigid tool that follows a device on springs and never passes a face of a solid.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ToolGuard {
    guard: guard::ToolGuard,
}

#[wasm_bindgen]
impl ToolGuard {
    /// A tool at a free pose beside a body at rest; the stiffness of the springs in N/m and Nm/rad.
    #[wasm_bindgen(constructor)]
    pub fn new(
        tool: &Mesh,
        body: &Mesh,
        translation: f64,
        rotation: f64,
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] start: &[f64],
    ) -> Result<Self, JsError> {
        let springs = CouplingStiffness::new(translation, rotation).map_err(fail)?;
        let bodies = vec![(Arc::clone(body.mesh.index()), Pose::IDENTITY)];
        let (tool, start) = (Arc::clone(tool.mesh.index()), pose(Some(start))?);
        let guard = guard::ToolGuard::new(tool, bodies, springs, start).map_err(fail)?;
        Ok(Self { guard })
    }

    /// Moves the tool towards the device as far as faces allow.
    #[wasm_bindgen(unchecked_return_type = "CoupledStep")]
    pub fn update(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] device: &[f64],
    ) -> Result<JsValue, JsError> {
        let step = self.guard.update(&pose(Some(device))?);
        Ok(object([
            ("tool", out_pose(&step.world_from_tool).into()),
            ("force", triple(step.wrench.force)),
            ("torque", triple(step.wrench.torque)),
            ("constraints", (step.constraints as f64).into()),
            ("evaluations", (step.rounds as f64).into()),
        ]))
    }
}

fn out_pose(pose: &Pose) -> Float64Array {
    numbers(&matrix(pose))
}

/// A tool in equilibrium between the springs to the device and the gradient of the exact volume that it shares with a solid.
#[wasm_bindgen]
#[derive(Debug)]
pub struct VirtualCoupling {
    coupling: QuasiStaticCoupling,
    law: ExactVolumeLaw,
}

#[wasm_bindgen]
impl VirtualCoupling {
    /// Closed meshes, the stiffness of the springs, and the pressure of contact in N/m².
    #[wasm_bindgen(constructor)]
    pub fn new(
        tool: &Mesh,
        body: &Mesh,
        translation: f64,
        rotation: f64,
        pressure: f64,
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] start: &[f64],
    ) -> Result<Self, JsError> {
        let springs = CouplingStiffness::new(translation, rotation).map_err(fail)?;
        let [body, tool] =
            [body, tool].map(|mesh| VolumeIndex::new(Arc::clone(mesh.mesh.tri_mesh())));
        let (body, tool) = (body.map_err(fail)?, tool.map_err(fail)?);
        let law = ExactVolumeLaw::new(Arc::new(body), Pose::IDENTITY, Arc::new(tool), pressure);
        Ok(Self {
            coupling: QuasiStaticCoupling::new(springs, pose(Some(start))?),
            law: law.map_err(fail)?,
        })
    }

    /// Brings the tool into equilibrium.
    #[wasm_bindgen(unchecked_return_type = "CoupledStep")]
    pub fn update(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] device: &[f64],
    ) -> Result<JsValue, JsError> {
        let device = pose(Some(device))?;
        let step = self
            .coupling
            .update(&mut self.law, &device, Limits::default());
        let is_touched = u8::from(step.contact != impinge_dynamics::Wrench::ZERO);
        Ok(object([
            ("tool", out_pose(&step.world_from_tool).into()),
            ("force", triple(step.wrench.force)),
            ("torque", triple(step.wrench.torque)),
            ("constraints", is_touched.into()),
            ("evaluations", (step.evaluations as f64).into()),
        ]))
    }
}
