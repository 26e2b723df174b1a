//! The god-object: a proxy that follows a device and never passes through a mesh.

use std::sync::Arc;

use impinge_dynamics::friction::{Friction, FrictionState};
use impinge_dynamics::proxy;
use impinge_dynamics::shading::VertexNormals;
use wasm_bindgen::prelude::*;

use crate::js::{fail, list, object, pose, triple, vector};
use crate::mesh::Mesh;

/// Placed meshes for a god-object to touch.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct ProxyScene {
    scene: proxy::ProxyScene,
}

#[wasm_bindgen]
impl ProxyScene {
    /// An empty scene.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self {
            scene: proxy::ProxyScene::new(),
        }
    }

    /// Adds a mesh and returns its number, with friction coefficients at rest and in motion. A smooth body is felt with interpolated normals.
    pub fn add(
        &mut self,
        mesh: &Mesh,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
        #[wasm_bindgen(js_name = staticFriction, unchecked_optional_param_type = "number")]
        static_friction: Option<f64>,
        #[wasm_bindgen(js_name = dynamicFriction, unchecked_optional_param_type = "number")]
        dynamic_friction: Option<f64>,
        #[wasm_bindgen(unchecked_optional_param_type = "boolean")] smooth: Option<bool>,
    ) -> Result<usize, JsError> {
        let index = Arc::clone(mesh.mesh.index());
        let body = self.scene.add(index, pose(at.as_deref())?).map_err(fail)?;
        if let Some(stick) = static_friction {
            let friction = Friction::coulomb(stick, dynamic_friction.unwrap_or(stick));
            self.scene
                .set_friction(body, friction.map_err(fail)?)
                .map_err(fail)?;
        }
        if smooth.unwrap_or(false) {
            let normals = Arc::new(VertexNormals::new(mesh.mesh.tri_mesh()));
            self.scene.set_shading(body, Some(normals)).map_err(fail)?;
        }
        Ok(body.index())
    }

    /// Moves a body. A proxy that rests on it is carried along.
    #[wasm_bindgen(js_name = setPose)]
    pub fn set_pose(
        &mut self,
        body: usize,
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] at: &[f64],
    ) -> Result<(), JsError> {
        let Some(known) = self.scene.body_id(body) else {
            return Err(fail(format!("the scene has no body {body}")));
        };
        self.scene.set_pose(known, pose(Some(at))?).map_err(fail)
    }
}

/// A proxy that follows a device's point and never passes through a mesh. The force is the stiffness, in N/m, times the way from the device
/// to the proxy.
#[wasm_bindgen]
#[derive(Debug)]
pub struct GodObject {
    proxy: proxy::GodObject,
}

#[wasm_bindgen]
impl GodObject {
    /// A proxy at a place; with a radius it is a ball.
    #[wasm_bindgen(constructor)]
    pub fn new(
        scene: &mut ProxyScene,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] start: &[f64],
        stiffness: f64,
        radius: Option<f64>,
    ) -> Result<Self, JsError> {
        let start = vector(start, "start")?;
        let made = proxy::GodObject::new(&mut scene.scene, stiffness, start).map_err(fail)?;
        let proxy = match radius {
            Some(radius) => made.with_radius(&mut scene.scene, radius).map_err(fail)?,
            None => made,
        };
        Ok(Self { proxy })
    }

    /// Moves the proxy towards the device's point, so many seconds after the last update (0.001).
    #[wasm_bindgen(unchecked_return_type = "ProxyStep")]
    pub fn update(
        &mut self,
        scene: &mut ProxyScene,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] target: &[f64],
        duration: Option<f64>,
    ) -> Result<JsValue, JsError> {
        let duration = duration.unwrap_or(0.001);
        if !(duration > 0.0 && duration.is_finite()) {
            return Err(fail(format!(
                "duration must be finite and positive, found {duration}"
            )));
        }
        let target = vector(target, "target")?;
        let step = self.proxy.update(&mut scene.scene, target, duration);
        let contacts = step.contacts().iter().map(|contact| {
            object([
                ("body", (contact.body.index() as u32).into()),
                ("face", contact.face.raw().into()),
                ("normal", triple(contact.plane.normal)),
                ("push", contact.push.into()),
            ])
        });
        Ok(object([
            ("proxy", triple(step.proxy)),
            ("force", triple(step.force)),
            ("held", step.held.into()),
            ("crossed", step.crossed.into()),
            ("sliding", (step.friction == FrictionState::Slip).into()),
            ("contacts", list(contacts).into()),
        ]))
    }
}
