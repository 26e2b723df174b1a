//! Closed surfaces around dirty meshes.

use impinge::wrap::{WrapOptions, wrap};
use wasm_bindgen::prelude::*;

use crate::js::fail;
use crate::mesh::Mesh;

#[wasm_bindgen]
impl Mesh {
    /// A closed surface around the faces, whatever they are, nowhere farther from them than an offset. Gaps up to a width are closed.
    pub fn wrapped(&self, offset: f64, gap: Option<f64>) -> Result<Mesh, JsError> {
        let options = WrapOptions {
            gap: gap.unwrap_or(0.0),
            // Some hundred megabytes: a page has little memory.
            max_cells: 1 << 20,
            ..WrapOptions::new(offset)
        };
        let wrapped = wrap(self.mesh.index(), &options).map_err(fail)?;
        Ok(wrapped.mesh.into())
    }
}
