//! The Python package `impinge`: NumPy arrays in, answers out.
//!
//! This crate only translates: arrays to points and poses, answers to objects and arrays, refusals to exceptions, Ctrl-C to limits.
//! Queries go through the library's [front door](impinge::front). Large batches of rays and points are answered in an order of their
//! own (`blocks`, `inside_grid`), which changes no answer.

#![allow(
    clippy::too_many_arguments,
    reason = "Python's keyword arguments, and constructors that unpickle every field"
)]

mod answers;
mod arrays;
mod assembly;
mod batch;
mod blocks;
mod cloud;
mod deform;
mod error;
mod kinds;
mod law;
mod mesh;
mod models;
mod pair;
mod poses;
mod proxy;
mod run;
mod shape;
mod spheres;
mod world;

use pyo3::prelude::*;

/// How many threads batches use.
///
/// >>> import impinge
/// >>> impinge.threads() >= 1
/// True
#[pyfunction]
fn threads() -> usize {
    rayon::current_num_threads()
}

#[pymodule]
fn _impinge(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Error", module.py().get_type::<error::Error>())?;
    module.add_class::<shape::PyShape>()?;
    module.add_class::<kinds::PyBall>()?;
    module.add_class::<kinds::PyCuboid>()?;
    module.add_class::<kinds::PyCapsuleShape>()?;
    module.add_class::<kinds::PyCylinder>()?;
    module.add_class::<kinds::PyCone>()?;
    module.add_class::<kinds::PyEllipsoid>()?;
    module.add_class::<kinds::PySegment>()?;
    module.add_class::<kinds::PyTriangle>()?;
    module.add_class::<kinds::PyHalfSpace>()?;
    module.add_class::<kinds::PyPolyhedron>()?;
    module.add_class::<kinds::PyHeightField>()?;
    module.add_class::<kinds::PyParticles>()?;
    module.add_class::<kinds::PyCompound>()?;
    module.add_class::<mesh::PyMesh>()?;
    module.add_class::<pair::PyPair>()?;
    module.add_class::<world::PyWorld>()?;
    module.add_class::<world::PyEvent>()?;
    module.add_class::<assembly::PyAssembly>()?;
    module.add_class::<cloud::PyCloud>()?;
    module.add_class::<deform::PyScene>()?;
    module.add_class::<deform::ScenePairs>()?;
    module.add_class::<deform::StepImpacts>()?;
    module.add_class::<spheres::Spheres>()?;
    module.add_class::<spheres::SphereOverlaps>()?;
    module.add_class::<spheres::PySphereTree>()?;
    module.add_class::<law::PyContactLaw>()?;
    module.add_class::<law::PyExactVolumeLaw>()?;
    module.add_class::<law::PyConeLaw>()?;
    module.add_class::<law::PyBudgetedSphereLaw>()?;
    module.add_class::<law::PyVoxmapLaw>()?;
    module.add_class::<law::PyDepthLaw>()?;
    module.add_class::<law::ContactResponse>()?;
    module.add_class::<law::ContactResponses>()?;
    module.add_class::<proxy::PyProxyScene>()?;
    module.add_class::<proxy::PyGodObject>()?;
    module.add_class::<proxy::ProxyStep>()?;
    module.add_class::<proxy::ProxyPath>()?;
    module.add_class::<answers::Distance>()?;
    module.add_class::<answers::Penetration>()?;
    module.add_class::<answers::Volume>()?;
    module.add_class::<answers::Impact>()?;
    module.add_class::<answers::RayHit>()?;
    module.add_class::<answers::BallHit>()?;
    module.add_class::<answers::ClosestPoint>()?;
    module.add_class::<answers::Mass>()?;
    module.add_class::<answers::Clash>()?;
    module.add_class::<answers::Finding>()?;
    module.add_class::<answers::Distances>()?;
    module.add_class::<answers::Penetrations>()?;
    module.add_class::<answers::Volumes>()?;
    module.add_class::<answers::Impacts>()?;
    module.add_class::<answers::RayHits>()?;
    module.add_class::<answers::AllRayHits>()?;
    module.add_class::<answers::ClosestPoints>()?;
    module.add_class::<answers::Contacts>()?;
    module.add_function(wrap_pyfunction!(threads, module)?)?;
    module.add_function(wrap_pyfunction!(models::generate, module)?)?;
    module.add_function(wrap_pyfunction!(models::models, module)?)?;
    module.add_function(wrap_pyfunction!(poses::translation, module)?)?;
    module.add_function(wrap_pyfunction!(poses::rotation, module)?)?;
    module.add_function(wrap_pyfunction!(poses::nearest_pose, module)?)?;
    module.add_function(wrap_pyfunction!(spheres::pack, module)?)?;
    module.add_function(wrap_pyfunction!(spheres::cover_with_spheres, module)?)?;
    Ok(())
}
