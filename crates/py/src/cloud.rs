//! Point clouds.

use std::path::PathBuf;
use std::sync::Arc;

use impinge::cloud::{
    CloudReadOptions, CloudShape, CloudWriteOptions, Neighbour, PointCloud, cloud_findings,
    read_cloud, write_cloud,
};
use impinge::pair::Shape;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::out_points;
use crate::batch::LINE_RUN;
use crate::error::fail;
use crate::run::{BatchHow, batch, each_of};
use crate::shape::PyShape;

/// A point cloud, without anything between its points; a shape like any other.
///
/// >>> import impinge
/// >>> cloud = impinge.Cloud([[0, 0, 0], [5, 0, 0]])
/// >>> cloud.distance(impinge.Ball(1.0), [7, 0, 0]).distance
/// 1.0
/// >>> cloud.nearest([[4, 0, 0]])[1].tolist()
/// [[1]]
#[pyclass(extends = PyShape, frozen, module = "impinge", name = "Cloud")]
#[derive(Debug)]
pub struct PyCloud;

fn made(py: Python<'_>, cloud: PointCloud) -> PyResult<PyClassInitializer<PyCloud>> {
    let kept = out_points(py, cloud.points().iter().copied())?.into_any();
    let normals = match cloud.normals() {
        Some(normals) => out_points(py, normals.iter().copied())?.into_any(),
        None => py.None().into_bound(py),
    };
    let mut base = PyShape::from(Shape::from(CloudShape::new(Arc::new(cloud))));
    base.made_of = Some(PyTuple::new(py, [kept, normals])?.unbind());
    Ok(PyClassInitializer::from(base).add_subclass(PyCloud))
}

/// Distances and numbers of points.
type Neighbours<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<i64>>);

fn cloud_of<'a>(slf: &'a Bound<'_, PyCloud>) -> PyResult<&'a Arc<CloudShape>> {
    match &slf.as_super().get().shape {
        Shape::Cloud(cloud) => Ok(cloud),
        _ => Err(fail("the shape is no cloud")),
    }
}

#[pymethods]
impl PyCloud {
    #[new]
    #[pyo3(signature = (points, normals=None))]
    fn new<'py>(
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        normals: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let places = crate::arrays::points(points, "points")?;
        let normals = normals
            .map(|given| crate::arrays::points(given, "normals"))
            .transpose()?;
        made(py, PointCloud::new(places, normals).map_err(fail)?)
    }

    /// The cloud in a file: PLY, PCD, XYZ, CSV, OBJ or LAS. Points that are not finite are refused, or left out on request.
    #[staticmethod]
    #[pyo3(signature = (path, *, drop_invalid=false))]
    fn open(py: Python<'_>, path: PathBuf, drop_invalid: bool) -> PyResult<Bound<'_, Self>> {
        let options = CloudReadOptions { drop_invalid };
        let file = py.detach(|| read_cloud(path, &options)).map_err(fail)?;
        Bound::new(py, made(py, file.cloud)?)
    }

    /// Writes the cloud; the file extension selects the format.
    fn save(slf: &Bound<'_, Self>, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let cloud = cloud_of(slf)?.cloud();
        py.detach(|| write_cloud(path, cloud, &CloudWriteOptions::default()))
            .map_err(fail)
    }

    /// The points, of shape (n, 3).
    #[getter]
    fn points<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        out_points(slf.py(), cloud_of(slf)?.cloud().points().iter().copied())
    }

    /// The normals, of shape (n, 3), or none.
    #[getter]
    fn normals<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let normals = cloud_of(slf)?.cloud().normals();
        normals
            .map(|normals| out_points(slf.py(), normals.iter().copied()))
            .transpose()
    }

    /// What is wrong with the cloud, one sentence each.
    fn findings(slf: &Bound<'_, Self>, py: Python<'_>) -> PyResult<Vec<String>> {
        let cloud = cloud_of(slf)?.cloud();
        let found = py.detach(|| cloud_findings(cloud));
        Ok(found.iter().map(ToString::to_string).collect())
    }

    /// The ``k`` nearest points of the cloud for each of many points, on all cores: distances and numbers, each of shape
    /// (m, k), nearest first.
    #[pyo3(signature = (points, *, k=1, threads=None, progress=None))]
    fn nearest<'py>(
        slf: &Bound<'py, Self>,
        points: &Bound<'py, PyAny>,
        k: usize,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Neighbours<'py>> {
        let py = slf.py();
        let asked = crate::arrays::points(points, "points")?;
        let cloud = cloud_of(slf)?;
        if k == 0 || k > cloud.cloud().len() {
            let count = cloud.cloud().len();
            return Err(fail(format!("k: expected 1 to {count}, found {k}")));
        }
        if let Some(wrong) = asked.iter().position(|p| !p.is_finite()) {
            return Err(fail(format!("points: point {wrong} is not finite")));
        }
        let how = BatchHow { threads, progress };
        let found = batch(py, &how, asked.len(), |state| {
            let tree = cloud.tree();
            let make = || Ok::<_, String>(Vec::<Neighbour>::new());
            each_of(state, &asked, LINE_RUN, make, |near, p, _| {
                tree.k_nearest(*p, k, near);
                Ok(near.clone())
            })
        })?;
        let found = found.map_err(fail)?;
        let far: Vec<f64> = found.iter().flatten().map(Neighbour::distance).collect();
        let ids = found
            .iter()
            .flatten()
            .map(|near| i64::from(near.point.raw()));
        let shape = [asked.len(), k];
        use numpy::PyArrayMethods;
        Ok((
            PyArray1::from_vec(py, far).reshape(shape)?,
            PyArray1::from_iter(py, ids).reshape(shape)?,
        ))
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(cloud_of(slf)?.cloud().len())
    }
}
