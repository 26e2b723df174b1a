//! Voxmap-PointShell: points of one solid in the voxels of another.

use impinge::query::Limits;
use impinge::voxmap::{self, VoxmapQuery};
use js_sys::{Float64Array, Int8Array};
use wasm_bindgen::prelude::*;

use crate::js::{fail, flat, object, points, pose, triple};
use crate::mesh::Mesh;

/// A solid in layers of voxels: 0 at the surface, 1, 2, … further in, −1, −2, … further out.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Voxmap {
    map: voxmap::Voxmap,
}

/// Points on the surface of a solid, each with the unit vector into it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Pointshell {
    shell: voxmap::Pointshell,
}

#[wasm_bindgen]
impl Voxmap {
    /// The voxels of a closed mesh, so many along its longest side.
    #[wasm_bindgen(constructor)]
    pub fn new(mesh: &Mesh, resolution: u32) -> Result<Self, JsError> {
        let map = voxmap::Voxmap::new(mesh.mesh.tri_mesh(), resolution).map_err(fail)?;
        Ok(Self { map })
    }

    /// The side of a voxel.
    #[wasm_bindgen(getter)]
    pub fn side(&self) -> f64 {
        self.map.side()
    }

    /// Bytes that the map takes.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> usize {
        self.map.bytes()
    }

    /// The centres of the voxels of a layer, three numbers each.
    pub fn layer(&self, layer: i8) -> Float64Array {
        let [nx, ny, nz] = self.map.counts();
        let mut centers = Vec::new();
        for z in 0..nz {
            for y in 0..ny {
                let row = (0..nx).map(|x| [x, y, z]);
                let held = row.filter(|&voxel| self.map.layer(voxel) == Some(layer));
                centers.extend(held.map(|voxel| self.map.center(voxel)));
            }
        }
        flat(centers)
    }

    /// The layers of the voxels that hold points at a pose; −128 beyond the counted layers.
    #[wasm_bindgen(js_name = layersAt)]
    pub fn layers_at(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] places: &[f64],
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
    ) -> Result<Int8Array, JsError> {
        let (places, at) = (points(places, "points")?, pose(at.as_deref())?);
        let layers = places
            .iter()
            .map(|&p| self.map.layer_at(at.transform_point(p)));
        Ok(Int8Array::from(layers.collect::<Vec<_>>().as_slice()))
    }

    /// The penalty force of the solid of points on the solid of voxels, per unit of stiffness, and bounds of the depth.
    #[wasm_bindgen(unchecked_return_type = "PenaltyForce")]
    pub fn force(
        &self,
        shell: &Pointshell,
        #[wasm_bindgen(unchecked_optional_param_type = "PoseLike")] at: Option<Vec<f64>>,
    ) -> Result<JsValue, JsError> {
        let query = VoxmapQuery::new(&self.map, &shell.shell);
        let pressed = query.at(&pose(at.as_deref())?, Limits::default());
        Ok(object([
            ("force", triple(pressed.force_on_a)),
            ("torque", triple(pressed.torque_on_a)),
            ("penetrating", (pressed.penetrating as f64).into()),
            ("lower", pressed.depth.lower.into()),
            ("upper", pressed.depth.upper.into()),
            ("tests", (pressed.tests as f64).into()),
        ]))
    }
}

#[wasm_bindgen]
impl Pointshell {
    /// The points of a closed mesh, one per voxel of its surface.
    #[wasm_bindgen(constructor)]
    pub fn new(mesh: &Mesh, resolution: u32) -> Result<Self, JsError> {
        let shell = voxmap::Pointshell::new(mesh.mesh.tri_mesh(), resolution).map_err(fail)?;
        Ok(Self { shell })
    }

    /// The points, three numbers each.
    #[wasm_bindgen(getter)]
    pub fn points(&self) -> Float64Array {
        flat(self.shell.points().iter().copied())
    }

    /// The unit vectors from the points into the solid.
    #[wasm_bindgen(getter)]
    pub fn normals(&self) -> Float64Array {
        flat(self.shell.normals().iter().copied())
    }

    /// Bytes that points and their balls take.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> usize {
        self.shell.bytes()
    }
}
