//! GLB out.

use serde_json::{Value, json};

use super::super::error::WriteError;
use super::super::format::Format;
use super::super::model::Model;
use super::super::text;

/// The model as GLB, one node and mesh per part, positions rounded to `f32`.
pub(in super::super) fn write_binary(model: &Model) -> Result<Vec<u8>, WriteError> {
    let mut binary = Vec::new();
    let mut accessors = Vec::new();
    let mut views = Vec::new();
    let mut meshes = Vec::new();
    let mut nodes = Vec::new();
    let mut first_vertex = 0;
    for part in &model.parts {
        let mesh = &part.mesh;
        // glTF has no empty accessors.
        if mesh.is_empty() {
            first_vertex += mesh.vertex_count();
            continue;
        }
        let start = binary.len();
        let (mut least, mut most) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for (vertex, p) in mesh.positions().iter().enumerate() {
            for (axis, value) in p.to_array().into_iter().enumerate() {
                let single = value as f32;
                if !single.is_finite() {
                    return Err(WriteError::OutOfRange {
                        vertex: first_vertex + vertex,
                        value,
                        format: Format::Glb,
                    });
                }
                least[axis] = least[axis].min(single);
                most[axis] = most[axis].max(single);
                binary.extend_from_slice(&single.to_le_bytes());
            }
        }
        first_vertex += mesh.vertex_count();
        let middle = binary.len();
        for v in mesh.faces().iter().flatten() {
            binary.extend_from_slice(&v.to_le_bytes());
        }
        let view = views.len();
        views.push(json!({"buffer": 0, "byteOffset": start, "byteLength": middle - start, "target": 34962}));
        views.push(json!({"buffer": 0, "byteOffset": middle, "byteLength": binary.len() - middle, "target": 34963}));
        accessors.push(json!({
            "bufferView": view, "componentType": 5126, "count": mesh.vertex_count(),
            "type": "VEC3", "min": least, "max": most
        }));
        accessors.push(json!({
            "bufferView": view + 1, "componentType": 5125, "count": mesh.face_count() * 3,
            "type": "SCALAR"
        }));
        let primitive = json!({"attributes": {"POSITION": view}, "indices": view + 1});
        let mut node = json!({"mesh": meshes.len()});
        let mut mesh = json!({"primitives": [primitive]});
        let name = text::one_line(&part.name);
        if !name.is_empty() {
            node["name"] = Value::from(name.clone());
            mesh["name"] = Value::from(name);
        }
        meshes.push(mesh);
        nodes.push(node);
    }
    let mut document = json!({
        "asset": {"version": "2.0", "generator": "impinge"},
        "scene": 0,
        "scenes": [{}]
    });
    if !nodes.is_empty() {
        document["scenes"] = json!([{"nodes": (0..nodes.len()).collect::<Vec<_>>()}]);
        document["nodes"] = Value::from(nodes);
        document["meshes"] = Value::from(meshes);
        document["accessors"] = Value::from(accessors);
        document["bufferViews"] = Value::from(views);
        document["buffers"] = json!([{"byteLength": binary.len()}]);
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
