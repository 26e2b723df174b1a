//! Assemblies of placed parts, and their clashes.

use std::sync::Arc;

use impinge::clash::{ClashOptions, unique_names};
use impinge::io::{self, Format, PlacedPart, ReadOptions, read_assembly_bytes};
use js_sys::{Array, Float64Array};
use wasm_bindgen::prelude::*;

use crate::js::{fail, list, matrix, numbers, object, pose, triple};
use crate::mesh::{Mesh, format_named};

/// Placed meshes with names.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Assembly {
    assembly: io::Assembly,
}

impl From<io::Assembly> for Assembly {
    fn from(assembly: io::Assembly) -> Self {
        Self { assembly }
    }
}

impl Default for Assembly {
    fn default() -> Self {
        Self::new()
    }
}

#[wasm_bindgen]
impl Assembly {
    /// No part yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        io::Assembly::default().into()
    }

    /// Adds a part and returns its number. Parts that share a mesh share its index.
    pub fn add(
        &mut self,
        name: &str,
        mesh: &Mesh,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
    ) -> Result<usize, JsError> {
        self.assembly.parts.push(PlacedPart {
            name: name.to_owned(),
            mesh: Arc::clone(mesh.mesh.tri_mesh()),
            world_from_part: pose(at.as_deref())?,
        });
        Ok(self.assembly.parts.len() - 1)
    }

    /// The parts in the bytes of a file: OBJ, STL, PLY, OFF, 3MF, glTF or GLB. Damaged parts are left out; `notes` names them.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self, JsError> {
        let named = format_named(name);
        let Some(format) = Format::from_content(bytes, named).or(named) else {
            return Err(fail(format!("{name}: not a known format")));
        };
        let assembly = read_assembly_bytes(bytes, format, &ReadOptions::default());
        Ok(assembly.map_err(fail)?.into())
    }

    /// The names of the parts, each once.
    #[wasm_bindgen(getter)]
    pub fn names(&self) -> Vec<String> {
        unique_names(self.assembly.parts.iter().map(|part| part.name.as_str()))
    }

    /// What was left out or guessed, one sentence each.
    #[wasm_bindgen(getter)]
    pub fn notes(&self) -> Vec<String> {
        let refused = self.assembly.refused.iter();
        let refused = refused.map(|part| format!("{}: {}", part.name, part.error));
        refused.chain(self.assembly.notes.iter().cloned()).collect()
    }

    /// The mesh of a part in its own frame.
    pub fn mesh(&self, part: usize) -> Result<Mesh, JsError> {
        let Some(found) = self.assembly.parts.get(part) else {
            return Err(fail(format!("there is no part {part}")));
        };
        Ok(Mesh {
            mesh: Arc::clone(&found.mesh).into(),
        })
    }

    /// Where the parts stand, sixteen numbers each.
    #[wasm_bindgen(getter)]
    pub fn poses(&self) -> Float64Array {
        let parts = self.assembly.parts.iter();
        let all: Vec<f64> = parts
            .flat_map(|part| matrix(&part.world_from_part))
            .collect();
        numbers(&all)
    }

    /// Every two parts that collide, or come closer than `clearance`, the most severe first. Overlaps up to `tolerance` count as touching.
    #[wasm_bindgen(unchecked_return_type = "Clash[]")]
    pub fn clashes(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] clearance: Option<f64>,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] tolerance: Option<f64>,
    ) -> Result<Array, JsError> {
        let options = ClashOptions {
            clearance,
            tolerance: tolerance.unwrap_or(0.0),
            ..ClashOptions::default()
        };
        let found = self.assembly.clashes(&options).map_err(fail)?;
        Ok(list(found.iter().map(|clash| {
            let depth = clash
                .depth
                .map(|depth| numbers(&[depth.lower, depth.upper]));
            object([
                ("a", clash.a.into()),
                ("b", clash.b.into()),
                ("kind", clash.kind.name().into()),
                ("depth", depth.map_or(JsValue::UNDEFINED, JsValue::from)),
                ("distance", clash.distance.into()),
                ("pointA", triple(clash.points[0])),
                ("pointB", triple(clash.points[1])),
            ])
        })))
    }
}
