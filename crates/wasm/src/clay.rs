//! Virtual clay on a potter's wheel.

use impinge::TriMesh;
use impinge_dynamics::sculpt::{
    self, Clay, Operator, Pot, Repair, SculptOptions, Split, Tool, ToolKind,
};
use js_sys::{Float64Array, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::js::{fail, flat, integers, object, pose};
use crate::mesh::Mesh;
use crate::soft::{field, number};

/// Clay that a tool of one or more parts presses or drags; its topology and, unless set otherwise, its volume stay.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Sculptor {
    sculptor: sculpt::Sculptor,
}

/// Options over defaults, which are those of the library.
fn sculpt_options(options: &JsValue) -> Result<SculptOptions, JsError> {
    let mut out = SculptOptions::default();
    let vicinity = number(options, "vicinity", 1.5)?;
    let operator = field(options, "operator").as_string();
    out.operator = match operator.as_deref() {
        None | Some("press") => Operator::Press { vicinity },
        Some("drag") => Operator::Drag { vicinity },
        Some("plain") => Operator::Plain {
            step: number(options, "step", 0.01)?,
        },
        Some(other) => {
            return Err(fail(format!(
                "operator: expected press, drag or plain, found '{other}'"
            )));
        }
    };
    let truth = |name, otherwise| field(options, name).as_bool().unwrap_or(otherwise);
    out.keep_volume = truth("keepVolume", out.keep_volume);
    out.no_crumpling = truth("noCrumpling", out.no_crumpling);
    out.guard = truth("guard", out.guard);
    out.repair = truth("repair", false).then(Repair::default);
    out.split = truth("split", false).then(Split::default);
    Ok(out)
}

fn tool(options: &JsValue) -> Result<Tool, JsError> {
    let name = field(options, "tool").as_string();
    let name = name.as_deref().unwrap_or("fingertip");
    let Some(kind) = ToolKind::named(name) else {
        let known = ToolKind::ALL.map(ToolKind::name).join(", ");
        return Err(fail(format!(
            "tool: expected one of {known}, found '{name}'"
        )));
    };
    Tool::new(kind, number(options, "size", 1.0)?).map_err(fail)
}

/// Meshes as one.
fn merged<'m>(parts: impl Iterator<Item = &'m TriMesh>) -> TriMesh {
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for part in parts {
        let first = positions.len() as u32;
        positions.extend_from_slice(part.positions());
        faces.extend(part.faces().iter().map(|face| face.map(|v| v + first)));
    }
    // What comes from meshes is a mesh.
    TriMesh::new(positions, faces).unwrap_or_default()
}

#[wasm_bindgen]
impl Sculptor {
    /// Clay in the form of a closed mesh, and a tool.
    #[wasm_bindgen(constructor)]
    pub fn new(
        mesh: &Mesh,
        #[wasm_bindgen(unchecked_optional_param_type = "SculptOptions")] options: &JsValue,
    ) -> Result<Self, JsError> {
        let clay = Clay::new(mesh.mesh.tri_mesh()).map_err(fail)?;
        let (tool, options) = (tool(options)?, sculpt_options(options)?);
        let sculptor = sculpt::Sculptor::new(clay, tool, options).map_err(fail)?;
        Ok(Self { sculptor })
    }

    /// A pot to begin with, of 10 to 10 000 faces: `ball`, `torus`, `cylinder`, `tetra-flake` or `hyperboloid`.
    pub fn pot(name: &str, faces: usize) -> Result<Mesh, JsError> {
        let Some(pot) = Pot::named(name) else {
            let known = Pot::ALL.map(Pot::name).join(", ");
            return Err(fail(format!(
                "pot: expected one of {known}, found '{name}'"
            )));
        };
        Ok(pot.mesh(faces).map_err(fail)?.into())
    }

    /// Another tool, operator or set of things that are kept.
    #[wasm_bindgen(js_name = setOptions)]
    pub fn set_options(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "SculptOptions")] options: &JsValue,
    ) -> Result<(), JsError> {
        let (tool, options) = (tool(options)?, sculpt_options(options)?);
        self.sculptor.set_options(options).map_err(fail)?;
        self.sculptor.set_tool(tool);
        Ok(())
    }

    /// Turns or moves the pot, as a wheel does.
    #[wasm_bindgen(js_name = setPose)]
    pub fn set_pose(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] at: &[f64],
    ) -> Result<(), JsError> {
        self.sculptor.set_pose(&pose(Some(at))?);
        Ok(())
    }

    /// Moves the tool and lets the clay respond.
    #[wasm_bindgen(unchecked_return_type = "SculptFrame")]
    pub fn frame(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] tool: &[f64],
    ) -> Result<JsValue, JsError> {
        let report = self.sculptor.frame(&pose(Some(tool))?);
        let count = |n: usize| JsValue::from(n as f64);
        Ok(object([
            ("parts", count(report.parts)),
            ("hitFaces", count(report.hit_faces)),
            ("moved", count(report.moved)),
            ("splits", count(report.splits)),
            ("allowed", report.allowed.into()),
            ("refused", report.is_refused.into()),
        ]))
    }

    /// Begins a stroke, which `undo` takes back as a whole, and lifts the tool.
    #[wasm_bindgen(js_name = beginStroke)]
    pub fn begin_stroke(&mut self) {
        self.sculptor.begin_stroke();
    }

    /// Takes back the latest stroke, to the last bit; false when there was none.
    pub fn undo(&mut self) -> bool {
        self.sculptor.undo()
    }

    /// Strokes that can be taken back.
    #[wasm_bindgen(getter)]
    pub fn strokes(&self) -> usize {
        self.sculptor.clay().strokes()
    }

    /// The vertices of the clay, three numbers each.
    #[wasm_bindgen(getter)]
    pub fn positions(&self) -> Float64Array {
        flat(self.sculptor.clay().positions().iter().copied())
    }

    /// The unit normals of the vertices.
    #[wasm_bindgen(getter)]
    pub fn normals(&self) -> Float64Array {
        flat(self.sculptor.clay().vertex_normals().iter().copied())
    }

    /// The faces of the clay. They change when faces are split, or a split is taken back.
    #[wasm_bindgen(getter)]
    pub fn faces(&self) -> Uint32Array {
        integers(self.sculptor.clay().faces().as_flattened())
    }

    /// The volume of the clay.
    #[wasm_bindgen(getter)]
    pub fn volume(&self) -> f64 {
        self.sculptor.clay().volume()
    }

    /// Vertices less edges plus faces: 2 for a ball, 0 for a ring.
    #[wasm_bindgen(getter, js_name = eulerNumber)]
    pub fn euler_number(&self) -> f64 {
        self.sculptor.clay().euler_number() as f64
    }

    /// Whether any two faces of the clay meet beyond what they share; exact.
    #[wasm_bindgen(js_name = intersectsItself)]
    pub fn intersects_itself(&mut self) -> bool {
        self.sculptor.intersects_itself()
    }

    /// The clay as a mesh, to be saved.
    #[wasm_bindgen(js_name = toMesh)]
    pub fn to_mesh(&self) -> Mesh {
        self.sculptor.clay().mesh().into()
    }

    /// The parts of the tool as one mesh in the tool's frame: it points along −z, its tip at the origin.
    #[wasm_bindgen(js_name = toolMesh)]
    pub fn tool_mesh(&self) -> Mesh {
        let parts = self.sculptor.tool().parts();
        merged(parts.iter().map(sculpt::ToolPart::mesh)).into()
    }

    /// The number of parts of the tool.
    #[wasm_bindgen(getter, js_name = toolParts)]
    pub fn tool_parts(&self) -> usize {
        self.sculptor.tool().parts().len()
    }

    /// The longest step of the tool between two frames that leaves no gaps.
    #[wasm_bindgen(getter, js_name = leastRadius)]
    pub fn least_radius(&self) -> f64 {
        self.sculptor.tool().least_radius()
    }
}
