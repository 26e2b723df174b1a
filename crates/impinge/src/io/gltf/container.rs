//! Writes the container of a GLB file.

use glam::DVec3;
use serde_json::{Value, json};

use super::super::error::WriteError;
use super::super::format::Format;
use super::super::text;

/// The numbers and the JSON of a file in the making.
#[derive(Debug, Default)]
pub(super) struct Container {
    binary: Vec<u8>,
    /// Each accessor has a view of its own, with the same number.
    accessors: Vec<Value>,
    views: Vec<Value>,
    materials: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    extensions: Vec<&'static str>,
}

impl Container {
    /// Adds points, rounded to `f32`, and returns their accessor; `first` is the number of the first of them in errors.
    pub(super) fn points(&mut self, points: &[DVec3], first: usize) -> Result<usize, WriteError> {
        let start = self.binary.len();
        let (mut least, mut most) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for (vertex, p) in points.iter().enumerate() {
            for (axis, value) in p.to_array().into_iter().enumerate() {
                let single = value as f32;
                if !single.is_finite() {
                    return Err(WriteError::OutOfRange {
                        vertex: first + vertex,
                        value,
                        format: Format::Glb,
                    });
                }
                least[axis] = least[axis].min(single);
                most[axis] = most[axis].max(single);
                self.binary.extend_from_slice(&single.to_le_bytes());
            }
        }
        self.view(start, 34962);
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1, "componentType": 5126, "count": points.len(),
            "type": "VEC3", "min": least, "max": most
        }));
        Ok(self.accessors.len() - 1)
    }

    /// Adds indices and returns their accessor.
    pub(super) fn indices(&mut self, indices: impl Iterator<Item = u32>) -> usize {
        let start = self.binary.len();
        for v in indices {
            self.binary.extend_from_slice(&v.to_le_bytes());
        }
        self.view(start, 34963);
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1, "componentType": 5125,
            "count": (self.binary.len() - start) / 4, "type": "SCALAR"
        }));
        self.accessors.len() - 1
    }

    fn view(&mut self, start: usize, target: u32) {
        let length = self.binary.len() - start;
        self.views.push(
            json!({"buffer": 0, "byteOffset": start, "byteLength": length, "target": target}),
        );
    }

    /// Adds a material and returns its number; an extension that it uses is declared.
    pub(super) fn material(&mut self, material: Value, extension: Option<&'static str>) -> usize {
        self.materials.push(material);
        if let Some(name) = extension
            && !self.extensions.contains(&name)
        {
            self.extensions.push(name);
        }
        self.materials.len() - 1
    }

    /// Adds a node that shows one primitive.
    pub(super) fn node(&mut self, name: &str, primitive: Value) {
        let mut node = json!({"mesh": self.meshes.len()});
        let mut mesh = json!({"primitives": [primitive]});
        let name = text::one_line(name);
        if !name.is_empty() {
            node["name"] = Value::from(name.clone());
            mesh["name"] = Value::from(name);
        }
        self.meshes.push(mesh);
        self.nodes.push(node);
    }

    /// The bytes of the file.
    pub(super) fn finish(self) -> Result<Vec<u8>, WriteError> {
        let binary = self.binary;
        let mut document = json!({
            "asset": {"version": "2.0", "generator": "impinge"},
            "scene": 0,
            "scenes": [{}]
        });
        if !self.nodes.is_empty() {
            document["scenes"] = json!([{"nodes": (0..self.nodes.len()).collect::<Vec<_>>()}]);
            document["nodes"] = Value::from(self.nodes);
            document["meshes"] = Value::from(self.meshes);
            document["accessors"] = Value::from(self.accessors);
            document["bufferViews"] = Value::from(self.views);
            document["buffers"] = json!([{"byteLength": binary.len()}]);
        }
        if !self.materials.is_empty() {
            document["materials"] = Value::from(self.materials);
        }
        if !self.extensions.is_empty() {
            document["extensionsUsed"] = json!(self.extensions);
        }
        let mut json = document.to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let chunk = if binary.is_empty() {
            0
        } else {
            8 + binary.len()
        };
        let total = 20 + json.len() + chunk;
        let Ok(total) = u32::try_from(total) else {
            return Err(WriteError::TooMany {
                what: "bytes",
                count: total,
                limit: u64::from(u32::MAX),
                format: Format::Glb,
            });
        };
        let mut out = Vec::with_capacity(total as usize);
        out.extend_from_slice(b"glTF");
        out.extend_from_slice(&2u32.to_le_bytes());
        out.extend_from_slice(&total.to_le_bytes());
        // Both lengths are below the total, which fits.
        out.extend_from_slice(&(json.len() as u32).to_le_bytes());
        out.extend_from_slice(b"JSON");
        out.extend_from_slice(&json);
        if !binary.is_empty() {
            out.extend_from_slice(&(binary.len() as u32).to_le_bytes());
            out.extend_from_slice(b"BIN\0");
            out.extend_from_slice(&binary);
        }
        Ok(out)
    }
}
