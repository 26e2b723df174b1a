//! Built-in models.

use impinge::generate::{MODELS, model};
use pyo3::prelude::*;

use crate::error::fail;
use crate::mesh::PyMesh;

/// A built-in model, with about as many faces as requested; ``models()`` names them.
///
/// >>> import impinge
/// >>> impinge.generate("torus-knot", faces=2000).is_closed
/// True
#[pyfunction]
#[pyo3(signature = (name, *, faces=None, seed=0))]
pub(crate) fn generate<'py>(
    py: Python<'py>,
    name: &str,
    faces: Option<usize>,
    seed: u64,
) -> PyResult<Bound<'py, PyMesh>> {
    let Some(kind) = model(name) else {
        return Err(fail(format!(
            "there is no model '{name}'; impinge.models() names them"
        )));
    };
    let mesh = py.detach(|| kind.make(faces, seed)).map_err(fail)?;
    PyMesh::of(py, mesh)
}

/// The names of the built-in models and a few words about each.
///
/// >>> import impinge
/// >>> "icosphere" in impinge.models()
/// True
#[pyfunction]
pub(crate) fn models() -> std::collections::BTreeMap<&'static str, &'static str> {
    MODELS.iter().map(|kind| (kind.name, kind.about)).collect()
}
