//! What haptic rendering has beside the god-object: penalty forces, textures, and the energy that they generate.

use impinge_dynamics::effect::{self, HeightMap};
use impinge_dynamics::penalty::{self, PenaltyVolume};
use impinge_dynamics::stability::PassivityObserver;
use js_sys::Float64Array;
use wasm_bindgen::prelude::*;

use crate::js::{fail, numbers, vector};

/// Simple solids that push a point out by its depth below the nearest face: the method before the god-object, with its failures.
#[wasm_bindgen]
#[derive(Debug)]
pub struct PenaltyField {
    stiffness: f64,
    volumes: Vec<PenaltyVolume>,
    field: penalty::PenaltyField,
}

impl PenaltyField {
    fn push(&mut self, volume: PenaltyVolume) -> Result<(), JsError> {
        self.volumes.push(volume);
        let volumes = self.volumes.clone();
        self.field = penalty::PenaltyField::new(self.stiffness, volumes).map_err(fail)?;
        Ok(())
    }
}

#[wasm_bindgen]
impl PenaltyField {
    /// No solids yet; the stiffness is in newtons per metre.
    #[wasm_bindgen(constructor)]
    pub fn new(stiffness: f64) -> Result<Self, JsError> {
        Ok(Self {
            stiffness,
            volumes: Vec::new(),
            field: penalty::PenaltyField::new(stiffness, Vec::new()).map_err(fail)?,
        })
    }

    /// Adds a ball.
    #[wasm_bindgen(js_name = addBall)]
    pub fn add_ball(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] center: &[f64],
        radius: f64,
    ) -> Result<(), JsError> {
        let ball = PenaltyVolume::ball(vector(center, "center")?, radius);
        self.push(ball.map_err(fail)?)
    }

    /// Adds the box between two corners.
    #[wasm_bindgen(js_name = addBox)]
    pub fn add_box(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] low: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] high: &[f64],
    ) -> Result<(), JsError> {
        let cuboid = PenaltyVolume::cuboid(vector(low, "low")?, vector(high, "high")?);
        self.push(cuboid.map_err(fail)?)
    }

    /// The force on a point.
    pub fn force(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] point: &[f64],
    ) -> Result<Float64Array, JsError> {
        let force = self.field.force(vector(point, "point")?);
        Ok(numbers(&force.to_array()))
    }
}

/// A height map that makes contact forces lean, as if the surface had its slopes.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Texture {
    texture: effect::Texture,
}

#[wasm_bindgen]
impl Texture {
    /// Heights in metres, row by row, so many in a row and so many metres apart; its corner, and the directions of rows and columns.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Numbers")] heights: &[f64],
        columns: usize,
        spacing: f64,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] origin: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] u: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] v: &[f64],
    ) -> Result<Self, JsError> {
        let rows = heights.len().checked_div(columns).unwrap_or(0);
        let map = HeightMap::from_heights(columns, rows, spacing, heights).map_err(fail)?;
        let (u, v) = (vector(u, "u")?, vector(v, "v")?);
        let texture = effect::Texture::new(map, vector(origin, "origin")?, u, v);
        Ok(Self {
            texture: texture.map_err(fail)?,
        })
    }

    /// The force of a contact at a point of the surface, leaning.
    pub fn apply(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] point: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] force: &[f64],
    ) -> Result<Float64Array, JsError> {
        let (point, force) = (vector(point, "point")?, vector(force, "force")?);
        Ok(numbers(&self.texture.apply(point, force).to_array()))
    }
}

/// The energy that a hand has put into what it feels, in joules; below zero something has generated energy.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct EnergyMeter {
    observer: PassivityObserver,
}

#[wasm_bindgen]
impl EnergyMeter {
    /// At zero.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The hand moves by so much against the force that acts; returns the energy.
    pub fn observe(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] displacement: &[f64],
    ) -> Result<f64, JsError> {
        Ok(self.observer.observe(vector(displacement, "displacement")?))
    }

    /// The force that acts on the hand from now on.
    pub fn hold(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] force: &[f64],
    ) -> Result<(), JsError> {
        self.observer.hold(vector(force, "force")?);
        Ok(())
    }
}
