//! `Pair`: repeated queries of two shapes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use impinge::Pair;
use impinge::pair::PairConfig;
use impinge::query::FacePair;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::answers::{self, by_patch, out_distance, out_impact, out_penetration, out_volume};
use crate::arrays::pose;
use crate::error::fail;
use crate::mesh::out_pairs;
use crate::run::ask;
use crate::shape::PyShape;

/// Two shapes for repeated queries: caches make the next answer cheap if the pose changed little. With ``solid``
/// closed meshes are solids for ``intersects`` too.
///
/// Answers may differ in the last digits from those of a fresh pair; whether meshes meet never does. Several threads may ask one
/// pair; they wait for each other.
///
/// >>> import impinge
/// >>> pair = impinge.Pair(impinge.Ball(1.0), impinge.Cuboid([1, 1, 1]))
/// >>> pair.distance([4, 0, 0]).distance, pair.intersects([1.5, 0, 0])
/// (2.0, True)
/// >>> pair
/// Pair(Ball(1.0), Cuboid([1.0, 1.0, 1.0]))
#[pyclass(frozen, module = "impinge", name = "Pair")]
#[derive(Debug)]
pub struct PyPair {
    pair: Mutex<Pair>,
    #[pyo3(get)]
    a: Py<PyShape>,
    #[pyo3(get)]
    b: Py<PyShape>,
    #[pyo3(get)]
    solid: bool,
}

impl PyPair {
    /// Caches stay usable after a panic: they only hold hints.
    fn held(&self) -> MutexGuard<'_, Pair> {
        self.pair.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyPair {
    #[new]
    #[pyo3(signature = (a, b, *, solid=false))]
    fn new(a: Bound<'_, PyShape>, b: Bound<'_, PyShape>, solid: bool) -> PyResult<Self> {
        let config = PairConfig {
            solid,
            ..PairConfig::default()
        };
        let pair = Pair::with_config(&a.get().shape, &b.get().shape, &config).map_err(fail)?;
        Ok(Self {
            pair: Mutex::new(pair),
            a: a.unbind(),
            b: b.unbind(),
            solid,
        })
    }

    /// As ``Shape.intersects``.
    #[pyo3(signature = (pose=None))]
    fn intersects(&self, py: Python<'_>, pose: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
        let at = crate::arrays::pose(pose, "pose")?;
        Ok(py.detach(|| self.held().intersects(&at)))
    }

    /// Every two faces that share a point: rows of face numbers, of shape (k, 2).
    #[pyo3(signature = (pose=None))]
    fn intersections<'py>(
        &self,
        py: Python<'py>,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let at = crate::arrays::pose(pose, "pose")?;
        let pairs: Vec<FacePair> = ask(py, None, |limits| {
            let mut pairs = Vec::new();
            let _ = self.held().limits(limits).intersections(&at, &mut pairs);
            pairs
        })?;
        out_pairs(py, pairs)
    }

    /// As ``Shape.distance``.
    #[pyo3(signature = (pose=None))]
    fn distance(
        &self,
        py: Python<'_>,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<answers::Distance>> {
        let at = crate::arrays::pose(pose, "pose")?;
        // Without limits the search may begin at the last answer.
        Ok(out_distance(py.detach(|| self.held().distance(&at))))
    }

    /// As ``Shape.penetration``.
    #[pyo3(signature = (pose=None))]
    fn penetration(
        &self,
        py: Python<'_>,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<answers::Penetration>> {
        let at = crate::arrays::pose(pose, "pose")?;
        let found = ask(py, None, |limits| {
            self.held().limits(limits).penetration(&at)
        })?;
        Ok(out_penetration(found.map_err(fail)?))
    }

    /// As ``Shape.volume``.
    #[pyo3(signature = (pose=None))]
    fn volume(&self, py: Python<'_>, pose: Option<&Bound<'_, PyAny>>) -> PyResult<answers::Volume> {
        let at = crate::arrays::pose(pose, "pose")?;
        let found = ask(py, None, |limits| self.held().limits(limits).volume(&at))?;
        Ok(out_volume(found.map_err(fail)?))
    }

    /// As ``Shape.contacts``.
    #[pyo3(signature = (pose=None, *, margin=0.0, every=false))]
    fn contacts(
        &self,
        py: Python<'_>,
        pose: Option<&Bound<'_, PyAny>>,
        margin: f64,
        every: bool,
    ) -> PyResult<answers::Contacts> {
        let at = crate::arrays::pose(pose, "pose")?;
        if !(margin >= 0.0 && margin.is_finite()) {
            return Err(fail(format!(
                "margin must be finite and not negative, found {margin}"
            )));
        }
        let found = py.detach(|| {
            let mut pair = self.held();
            if every {
                let mut points = Vec::new();
                pair.all_contacts(&at, margin, &mut points)?;
                let patches = vec![0; points.len()];
                return Ok((points, patches));
            }
            Ok(by_patch(pair.contacts(&at, margin)?))
        });
        let (points, patches) = found.map_err(|why: impinge::pair::Unsupported| fail(why))?;
        answers::out_contacts(py, &points, patches)
    }

    /// As ``Shape.impact``.
    #[pyo3(signature = (start, end, *, motion="straight"))]
    fn impact(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        motion: &str,
    ) -> PyResult<Option<answers::Impact>> {
        let (start, end) = (pose(Some(start), "start")?, pose(Some(end), "end")?);
        let moving = crate::arrays::motion(&start, &end, motion)?;
        let found = ask(py, None, |limits| {
            self.held().limits(limits).impact(&moving)
        })?;
        Ok(out_impact(found.map_err(fail)?))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (a, b) = (self.a.bind(py).repr()?, self.b.bind(py).repr()?);
        let solid = if self.solid { ", solid=True" } else { "" };
        Ok(format!("Pair({a}, {b}{solid})"))
    }

    #[staticmethod]
    fn _restore(a: Bound<'_, PyShape>, b: Bound<'_, PyShape>, solid: bool) -> PyResult<Self> {
        Self::new(a, b, solid)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let this = slf.get();
        let class: Bound<'py, PyType> = slf.get_type();
        let values = (this.a.bind(py), this.b.bind(py), this.solid);
        Ok((class.getattr("_restore")?, values.into_pyobject(py)?))
    }
}
