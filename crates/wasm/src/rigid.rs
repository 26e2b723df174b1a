//! Rigid bodies.

use impinge_dynamics::rigid::{self, BodyDesc, Sleep, WorldConfig};
use js_sys::Float64Array;
use wasm_bindgen::prelude::*;

use crate::js::{fail, flat, matrix, numbers, pose, vector};
use crate::shape::Shape;

/// Rigid bodies that fall, bounce, slide and rest; z is up.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RigidWorld {
    world: rigid::RigidWorld,
    bodies: Vec<rigid::BodyId>,
}

#[wasm_bindgen]
impl RigidWorld {
    /// An empty world; gravity of 9.81 m/s² unless given.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "Numbers")] gravity: Option<Vec<f64>>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] substeps: Option<u32>,
    ) -> Result<Self, JsError> {
        let mut config = WorldConfig {
            sleep: Some(Sleep::default()),
            ..WorldConfig::default()
        };
        if let Some(gravity) = gravity {
            config.gravity = vector(&gravity, "gravity")?;
        }
        config.substeps = substeps.unwrap_or(config.substeps);
        Ok(Self {
            world: rigid::RigidWorld::new(config).map_err(fail)?,
            bodies: Vec::new(),
        })
    }

    /// Adds a body of a density, or a static one with density 0; returns its number.
    pub fn add(
        &mut self,
        shape: &Shape,
        density: f64,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] friction: Option<f64>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] restitution: Option<f64>,
    ) -> Result<usize, JsError> {
        let at = pose(at.as_deref())?;
        let mut body = if density == 0.0 {
            BodyDesc::fixed(&shape.shape, at)
        } else {
            BodyDesc::solid(&shape.shape, density, at).map_err(fail)?
        };
        body.friction = friction.unwrap_or(body.friction);
        body.restitution = restitution.unwrap_or(body.restitution);
        self.bodies.push(self.world.add(body).map_err(fail)?);
        Ok(self.bodies.len() - 1)
    }

    /// Sets the velocities of a body.
    #[wasm_bindgen(js_name = setVelocities)]
    pub fn set_velocities(
        &mut self,
        body: usize,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] velocity: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] angular: &[f64],
    ) -> Result<(), JsError> {
        let Some(&known) = self.bodies.get(body) else {
            return Err(fail(format!("there is no body {body}")));
        };
        let (velocity, angular) = (vector(velocity, "velocity")?, vector(angular, "angular")?);
        self.world
            .set_velocities(known, velocity, angular)
            .map_err(fail)
    }

    /// Advances by so many seconds.
    pub fn step(&mut self, seconds: f64) -> Result<(), JsError> {
        self.world.step(seconds).map_err(fail)
    }

    /// Where all bodies are, sixteen numbers each.
    #[wasm_bindgen(getter)]
    pub fn poses(&self) -> Float64Array {
        let bodies = self.bodies.iter().filter_map(|&id| self.world.body(id));
        let all: Vec<f64> = bodies.flat_map(|body| matrix(body.pose())).collect();
        numbers(&all)
    }

    /// The contact points of the last step, three numbers each.
    #[wasm_bindgen(getter)]
    pub fn contacts(&self) -> Float64Array {
        flat(self.world.contacts().map(|contact| contact.point))
    }
}
