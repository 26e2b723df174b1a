//! Writes GLB files.

use serde_json::json;

use super::super::error::WriteError;
use super::super::model::Model;
use super::container::Container;

/// The model as GLB, one node and mesh per part, positions rounded to `f32`.
pub(in super::super) fn write_binary(model: &Model) -> Result<Vec<u8>, WriteError> {
    let mut file = Container::default();
    let mut first_vertex = 0;
    for part in &model.parts {
        let mesh = &part.mesh;
        // glTF has no empty accessors.
        if !mesh.is_empty() {
            let points = file.points(mesh.positions(), first_vertex)?;
            let indices = file.indices(mesh.faces().iter().flatten().copied());
            file.node(
                &part.name,
                json!({"attributes": {"POSITION": points}, "indices": indices}),
            );
        }
        first_vertex += mesh.vertex_count();
    }
    file.finish()
}
