//! Cloth and nets.

use impinge::DVec3;
use impinge_dynamics::soft::{self, ClothDesc, SoftConfig};
use js_sys::{Float64Array, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::js::{fail, flat, integers, object};
use crate::mesh::Mesh;

/// A cloth or net (XPBD) that never crosses itself or what it touches; z is up.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SoftBody {
    body: soft::SoftBody,
}

pub(crate) fn field(options: &JsValue, name: &str) -> JsValue {
    Reflect::get(options, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

pub(crate) fn number(options: &JsValue, name: &str, otherwise: f64) -> Result<f64, JsError> {
    let value = field(options, name);
    if value.is_undefined() {
        return Ok(otherwise);
    }
    value
        .as_f64()
        .ok_or_else(|| fail(format!("{name}: expected a number")))
}

fn row<const N: usize>(
    options: &JsValue,
    name: &str,
    otherwise: [f64; N],
) -> Result<[f64; N], JsError> {
    let value = field(options, name);
    if value.is_undefined() {
        return Ok(otherwise);
    }
    let numbers = js_sys::Array::from(&value).into_iter().map(|x| x.as_f64());
    let numbers: Option<Vec<f64>> = numbers.collect();
    numbers
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| fail(format!("{name}: expected {N} numbers")))
}

#[wasm_bindgen]
impl SoftBody {
    /// A rectangle of cloth, or a net, around the z axis.
    pub fn cloth(
        #[wasm_bindgen(unchecked_param_type = "ClothOptions")] options: &JsValue,
    ) -> Result<Self, JsError> {
        let (cloth, config) = (ClothDesc::default(), SoftConfig::default());
        let cells = row(options, "cells", cloth.cells.map(f64::from))?;
        let cloth = ClothDesc {
            cells: cells.map(|cells| cells as u32),
            size: row(options, "size", cloth.size)?,
            height: number(options, "height", cloth.height)?,
            ..cloth
        };
        let config = SoftConfig {
            gravity: DVec3::from(row(options, "gravity", config.gravity.to_array())?),
            substeps: number(options, "substeps", config.substeps.into())? as u32,
            iterations: number(options, "iterations", config.iterations.into())? as u32,
            thickness: number(options, "thickness", config.thickness)?,
            friction: number(options, "friction", config.friction)?,
            self_contact: field(options, "selfContact")
                .as_bool()
                .unwrap_or(config.self_contact),
            ..config
        };
        let body = if field(options, "net").is_truthy() {
            soft::SoftBody::net(&cloth, config)
        } else {
            soft::SoftBody::cloth(&cloth, config)
        };
        Ok(Self {
            body: body.map_err(fail)?,
        })
    }

    /// Adds a mesh that does not move.
    #[wasm_bindgen(js_name = addObstacle)]
    pub fn add_obstacle(&mut self, mesh: &Mesh) -> Result<(), JsError> {
        self.body.add_obstacle(mesh.mesh.tri_mesh()).map_err(fail)
    }

    /// Holds a particle where it is.
    pub fn pin(&mut self, particle: usize) -> Result<(), JsError> {
        self.body.pin(particle).map_err(fail)
    }

    /// Advances by so many seconds: the contacts that were handled, and the particles held back.
    #[wasm_bindgen(unchecked_return_type = "{ contacts: number; held: number }")]
    pub fn step(&mut self, seconds: f64) -> Result<JsValue, JsError> {
        let report = self.body.step(seconds).map_err(fail)?;
        Ok(object([
            ("contacts", (report.contacts as f64).into()),
            ("held", (report.held as f64).into()),
        ]))
    }

    /// Where the particles are, three numbers each.
    #[wasm_bindgen(getter)]
    pub fn positions(&self) -> Float64Array {
        flat(self.body.positions().iter().copied())
    }

    /// The faces of the cloth.
    #[wasm_bindgen(getter)]
    pub fn faces(&self) -> Uint32Array {
        integers(self.body.faces().as_flattened())
    }

    /// The largest strain of a thread.
    #[wasm_bindgen(getter)]
    pub fn strain(&self) -> f64 {
        self.body.strain()
    }
}
