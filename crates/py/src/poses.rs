//! Functions that make poses.

use numpy::PyArray2;
use pyo3::prelude::*;

use crate::error::fail;

/// The pose matrix of a translation.
///
/// >>> import impinge
/// >>> impinge.translation([1, 2, 3])[:3, 3].tolist()
/// [1.0, 2.0, 3.0]
#[pyfunction]
pub(crate) fn translation<'py>(
    py: Python<'py>,
    offset: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let offset = crate::arrays::vector(offset, "offset")?;
    let pose = impinge::Pose::from_translation(offset).map_err(fail)?;
    crate::arrays::out_pose(py, &pose)
}

/// The pose matrix of a turn about an axis by an angle in radians, then a translation.
///
/// >>> import impinge
/// >>> impinge.rotation([0, 0, 1], 0.0).tolist() == impinge.translation([0, 0, 0]).tolist()
/// True
#[pyfunction]
#[pyo3(signature = (axis, angle, offset=None))]
pub(crate) fn rotation<'py>(
    py: Python<'py>,
    axis: &Bound<'py, PyAny>,
    angle: f64,
    offset: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let axis = crate::arrays::vector(axis, "axis")?;
    let offset = match offset {
        Some(given) => crate::arrays::vector(given, "offset")?,
        None => impinge::DVec3::ZERO,
    };
    let pose = impinge::Pose::from_axis_angle(axis, angle, offset).map_err(fail)?;
    crate::arrays::out_pose(py, &pose)
}

/// The pose nearest to a matrix that is nearly one: its rotation made orthonormal.
///
/// >>> import impinge, numpy as np
/// >>> rough = np.eye(4); rough[0, 0] = 1.0001
/// >>> impinge.nearest_pose(rough).round(9).tolist() == np.eye(4).tolist()
/// True
#[pyfunction]
pub(crate) fn nearest_pose<'py>(
    py: Python<'py>,
    matrix: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (turn, offset) = crate::arrays::matrix(matrix, "matrix")?;
    let pose = impinge::Pose::nearest(turn, offset).map_err(fail)?;
    crate::arrays::out_pose(py, &pose)
}
