//! Coloured surfaces and lines as glTF, for viewers.

use glam::DVec3;
use serde_json::json;

use super::super::error::WriteError;
use super::container::Container;
use crate::mesh::TriMesh;

/// Surfaces and lines, each in one colour, for any viewer of GLB files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// The surfaces, drawn from both sides; empty ones are left out.
    pub surfaces: Vec<DrawingSurface>,
    /// The lines; empty ones are left out.
    pub lines: Vec<DrawingLines>,
}

/// A surface in one colour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawingSurface {
    /// What it is called in the file.
    pub name: String,
    /// Its faces.
    pub mesh: TriMesh,
    /// Red, green, blue in linear light and opacity, each from 0 to 1.
    pub colour: [f32; 4],
}

/// Line segments in one colour, as thin as the viewer draws them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawingLines {
    /// What they are called in the file.
    pub name: String,
    /// Both ends of each.
    pub segments: Vec<[DVec3; 2]>,
    /// Red, green, blue in linear light and opacity, each from 0 to 1.
    pub colour: [f32; 4],
}

/// The drawing as the bytes of a GLB file, positions rounded to `f32`.
///
/// Lines shine by themselves (`KHR_materials_unlit`), for they have no side that light could fall on.
///
/// # Errors
/// [`WriteError`] for a coordinate beyond `f32`, or more bytes than the format counts.
///
/// ```
/// use impinge::io::{self, Drawing, Format, DrawingSurface};
/// use impinge::TriMesh;
/// let mesh = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// let amber = DrawingSurface { name: "amber".to_owned(), mesh, colour: [0.9, 0.4, 0.0, 1.0] };
/// let bytes = io::drawing_bytes(&Drawing { surfaces: vec![amber], lines: Vec::new() })?;
/// let back = io::read_bytes(&bytes, Format::Glb, &Default::default())?;
/// assert_eq!((back.parts[0].name.as_str(), back.face_count()), ("amber", 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn drawing_bytes(drawing: &Drawing) -> Result<Vec<u8>, WriteError> {
    let mut file = Container::default();
    let mut first = 0;
    for surface in drawing.surfaces.iter().filter(|s| !s.mesh.is_empty()) {
        let mesh = &surface.mesh;
        let points = file.points(mesh.positions(), first)?;
        first += mesh.vertex_count();
        let indices = file.indices(mesh.faces().iter().flatten().copied());
        let mut material = json!({
            "doubleSided": true,
            "pbrMetallicRoughness": {
                "baseColorFactor": surface.colour, "metallicFactor": 0.0, "roughnessFactor": 0.75
            }
        });
        if surface.colour[3] < 1.0 {
            material["alphaMode"] = json!("BLEND");
        }
        let material = file.material(material, None);
        file.node(
            &surface.name,
            json!({"attributes": {"POSITION": points}, "indices": indices, "material": material}),
        );
    }
    for lines in drawing.lines.iter().filter(|l| !l.segments.is_empty()) {
        let points = file.points(lines.segments.as_flattened(), first)?;
        first += 2 * lines.segments.len();
        let material = json!({
            "pbrMetallicRoughness": {"baseColorFactor": lines.colour, "metallicFactor": 0.0},
            "extensions": {"KHR_materials_unlit": {}}
        });
        let material = file.material(material, Some("KHR_materials_unlit"));
        file.node(
            &lines.name,
            json!({"attributes": {"POSITION": points}, "mode": 1, "material": material}),
        );
    }
    file.finish()
}
