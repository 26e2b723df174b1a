//! NumPy arrays in and out. Everything that comes in is copied while the interpreter is held, so that
//! a thread that changes the array later changes no answer.

use std::fmt::Display;

use impinge::Pose;
use impinge::geom::Ray;
use impinge::glam::{DMat3, DVec3};
use impinge::math::Motion;
use numpy::ndarray::{ArrayViewD, Axis};
use numpy::prelude::*;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayDyn};
use pyo3::intern;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::error::fail;

/// The numbers of an array or nested sequence as `float64`.
pub(crate) fn floats<'py>(
    given: &Bound<'py, PyAny>,
    what: &str,
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    if let Ok(array) = given.cast::<PyArrayDyn<f64>>() {
        return Ok(array.clone());
    }
    let array = as_array(given, what)?;
    let kind = kind_of(&array)?;
    // An empty list has no numbers that tell its type.
    if !matches!(kind, 'f' | 'i' | 'u') && !is_empty(&array)? {
        return Err(fail(format!(
            "{what}: expected real numbers, found {}",
            type_name(&array)?
        )));
    }
    let py = given.py();
    let array = array.call_method1(intern!(py, "astype"), (intern!(py, "float64"),))?;
    Ok(array.cast_into::<PyArrayDyn<f64>>()?)
}

fn as_array<'py>(given: &Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    numpy
        .call_method1(intern!(py, "asarray"), (given,))
        .map_err(|why| fail(format!("{what}: not an array: {why}")))
}

fn kind_of(array: &Bound<'_, PyAny>) -> PyResult<char> {
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    Ok(kind.chars().next().unwrap_or('?'))
}

fn type_name(array: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(array.getattr("dtype")?.str()?.to_string())
}

fn is_empty(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(array.getattr("size")?.extract::<usize>()? == 0)
}

fn shape_text(shape: &[usize]) -> String {
    let parts: Vec<String> = shape.iter().map(usize::to_string).collect();
    match parts.as_slice() {
        [one] => format!("({one},)"),
        _ => format!("({})", parts.join(", ")),
    }
}

fn wrong_shape(what: &str, wanted: &str, found: &[usize]) -> PyErr {
    let found = shape_text(found);
    fail(format!(
        "{what}: expected an array of shape {wanted}, found {found}"
    ))
}

/// Reads an array while nothing can change it.
fn read<R>(
    array: &Bound<'_, PyArrayDyn<f64>>,
    what: &str,
    f: impl FnOnce(ArrayViewD<'_, f64>) -> PyResult<R>,
) -> PyResult<R> {
    let held = array
        .try_readonly()
        .map_err(|why| fail(format!("{what}: {why}")))?;
    f(held.as_array())
}

/// The rows of an `(n, 3)` array.
pub(crate) fn points(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<DVec3>> {
    let array = floats(given, what)?;
    read(&array, what, |view| match view.shape() {
        [_, 3] => Ok(rows(&view)),
        [0] => Ok(Vec::new()),
        found => Err(wrong_shape(what, "(n, 3)", found)),
    })
}

fn rows(view: &ArrayViewD<'_, f64>) -> Vec<DVec3> {
    if let Some(flat) = view.as_slice() {
        let (rows, _) = flat.as_chunks::<3>();
        return rows.iter().copied().map(DVec3::from_array).collect();
    }
    let one = |row: numpy::ndarray::ArrayViewD<'_, f64>| {
        let mut values = row.iter().copied();
        let mut next = || values.next().unwrap_or_default();
        DVec3::new(next(), next(), next())
    };
    view.axis_iter(Axis(0)).map(one).collect()
}

/// The numbers of an `(n,)` array.
pub(crate) fn numbers(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<f64>> {
    let array = floats(given, what)?;
    read(&array, what, |view| match view.shape() {
        [_] => Ok(view.iter().copied().collect()),
        found => Err(wrong_shape(what, "(n,)", found)),
    })
}

/// The numbers of a `(rows, columns)` array, row by row.
pub(crate) fn grid(given: &Bound<'_, PyAny>, what: &str) -> PyResult<([usize; 2], Vec<f64>)> {
    let array = floats(given, what)?;
    read(&array, what, |view| match *view.shape() {
        [rows, columns] => Ok(([rows, columns], view.iter().copied().collect())),
        ref found => Err(wrong_shape(what, "(rows, columns)", found)),
    })
}

/// Three numbers.
pub(crate) fn vector(given: &Bound<'_, PyAny>, what: &str) -> PyResult<DVec3> {
    if let Ok([x, y, z]) = given.extract::<[f64; 3]>() {
        return Ok(DVec3::new(x, y, z));
    }
    let array = floats(given, what)?;
    read(&array, what, |view| {
        let mut values = view.iter().copied();
        match (view.shape(), values.next(), values.next(), values.next()) {
            ([3], Some(x), Some(y), Some(z)) => Ok(DVec3::new(x, y, z)),
            (found, ..) => Err(wrong_shape(what, "(3,)", found)),
        }
    })
}

/// The rows of an `(m, 3)` array of whole numbers from 0 on.
pub(crate) fn faces(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<[u32; 3]>> {
    let array = as_array(given, what)?;
    let kind = kind_of(&array)?;
    let empty = is_empty(&array)?;
    if !matches!(kind, 'i' | 'u') && !empty {
        return Err(fail(format!(
            "{what}: expected whole numbers, found {}",
            type_name(&array)?
        )));
    }
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    match shape.as_slice() {
        [_, 3] | [0] => {}
        found => return Err(wrong_shape(what, "(m, 3)", found)),
    }
    if empty {
        return Ok(Vec::new());
    }
    let py = given.py();
    if kind == 'u' {
        let largest: u64 = array.call_method0("max")?.extract()?;
        if largest > u64::from(u32::MAX) {
            return Err(fail(format!(
                "{what}: the vertex number {largest} is too large"
            )));
        }
    }
    let array = array.call_method1(intern!(py, "astype"), (intern!(py, "int64"),))?;
    let array = array.cast_into::<PyArray2<i64>>()?;
    let held = array
        .try_readonly()
        .map_err(|why| fail(format!("{what}: {why}")))?;
    let one = |index: i64| {
        u32::try_from(index).map_err(|_| {
            fail(format!(
                "{what}: {index} is not the number of a vertex (0 to {})",
                u32::MAX
            ))
        })
    };
    held.as_array()
        .rows()
        .into_iter()
        .map(|row| {
            let mut values = row.iter().copied();
            let mut next = || one(values.next().unwrap_or_default());
            Ok([next()?, next()?, next()?])
        })
        .collect()
}

/// A pose: none for the identity, a `(4, 4)` matrix, or the three numbers of a translation.
pub(crate) fn pose(given: Option<&Bound<'_, PyAny>>, what: &str) -> PyResult<Pose> {
    let Some(given) = given else {
        return Ok(Pose::IDENTITY);
    };
    if let Ok(matrix) = given.cast::<PyArray2<f64>>()
        && let Ok(held) = matrix.try_readonly()
        && let Ok(flat) = held.as_slice()
        && let ([4, 4], Ok(rows)) = (held.shape(), <&[f64; 16]>::try_from(flat))
    {
        return Pose::from_row_major(rows).map_err(|why| fail(format!("{what}: {why}")));
    }
    let array = floats(given, what)?;
    read(&array, what, |view| one_pose(&view, what))
}

fn one_pose(view: &ArrayViewD<'_, f64>, what: &str) -> PyResult<Pose> {
    let values: Vec<f64> = view.iter().copied().collect();
    let found = match view.shape() {
        [4, 4] => <[f64; 16]>::try_from(values).map(|rows| Pose::from_row_major(&rows)),
        [3] => <[f64; 3]>::try_from(values).map(Pose::from_translation),
        found => return Err(wrong_shape(what, "(4, 4) or (3,)", found)),
    };
    match found {
        Ok(Ok(pose)) => Ok(pose),
        Ok(Err(why)) => Err(fail(format!("{what}: {why}"))),
        Err(_) => Err(wrong_shape(what, "(4, 4) or (3,)", view.shape())),
    }
}

/// How many rays are read between two looks for Ctrl-C.
const RAYS_PER_LOOK: usize = 1 << 16;

/// Poses: an `(m, 4, 4)` array, or `(m, 3)` translations.
pub(crate) fn poses(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<Pose>> {
    let array = floats(given, what)?;
    let (numbers, is_matrix) = read(&array, what, |view| match view.shape() {
        [_, 4, 4] | [_, 3] | [0] => {
            let flat = view.as_standard_layout();
            let numbers = flat.as_slice().unwrap_or_default().to_vec();
            Ok((numbers, view.ndim() == 3))
        }
        found => Err(wrong_shape(what, "(m, 4, 4) or (m, 3)", found)),
    })?;
    if is_matrix {
        let (rows, _) = numbers.as_chunks::<16>();
        made(given.py(), rows, Pose::from_row_major, what)
    } else {
        let (rows, _) = numbers.as_chunks::<3>();
        let made_of = |offset: &[f64; 3]| Pose::from_translation(*offset);
        made(given.py(), rows, made_of, what)
    }
}

/// What each row says, made on all cores without the interpreter; of several errors the first row's.
fn made<R: Sync, T: Send, E: Display + Send>(
    py: Python<'_>,
    rows: &[R],
    make: impl Fn(&R) -> Result<T, E> + Sync + Send,
    what: &str,
) -> PyResult<Vec<T>> {
    // Few rows are not worth a thread.
    const FEW: usize = 1 << 10;
    let all: Result<Vec<T>, E> = py.detach(|| match rows.len() {
        ..FEW => rows.iter().map(&make).collect(),
        FEW.. => rows.par_iter().with_min_len(FEW).map(&make).collect(),
    });
    all.or_else(|_| {
        let rows = rows.iter().enumerate();
        rows.map(|(index, row)| make(row).map_err(|why| fail(format!("{what}[{index}]: {why}"))))
            .collect()
    })
}

/// The rays of two arrays; one origin or direction serves for all.
pub(crate) fn rays(
    origins: &Bound<'_, PyAny>,
    directions: &Bound<'_, PyAny>,
) -> PyResult<Vec<Ray>> {
    let (from, along) = (
        floats(origins, "origins")?,
        floats(directions, "directions")?,
    );
    read(&from, "origins", |from| {
        read(&along, "directions", |along| {
            // Copies only when the numbers do not lie in order.
            let (from, along) = (from.as_standard_layout(), along.as_standard_layout());
            let (from, along) = (
                triples(&from.view(), "origins")?,
                triples(&along.view(), "directions")?,
            );
            let count = match (from.len(), along.len()) {
                (1, count) | (count, 1) => count,
                (count, other) if count == other => count,
                (from, along) => {
                    return Err(fail(format!("{from} origins but {along} directions")));
                }
            };
            let mut made = Vec::with_capacity(count);
            let of = |rows: &[[f64; 3]], k: usize| {
                let row = if rows.len() == 1 { 0 } else { k };
                rows.get(row).copied().unwrap_or_default()
            };
            for k in 0..count {
                if k % RAYS_PER_LOOK == RAYS_PER_LOOK - 1 {
                    origins.py().check_signals()?;
                }
                let ray = Ray::new(of(from, k), of(along, k));
                made.push(ray.map_err(|why| fail(format!("ray {k}: {why}")))?);
            }
            Ok(made)
        })
    })
}

/// The rows of an `(n, 3)` array whose numbers lie in order; three numbers are one row.
fn triples<'a>(view: &ArrayViewD<'a, f64>, what: &str) -> PyResult<&'a [[f64; 3]]> {
    match view.shape() {
        [_, 3] | [3] | [0] => Ok(view.to_slice().unwrap_or_default().as_chunks::<3>().0),
        found => Err(wrong_shape(what, "(n, 3)", found)),
    }
}

/// The motion from one pose to another.
pub(crate) fn motion(start: &Pose, end: &Pose, kind: &str) -> PyResult<Motion> {
    match kind {
        "straight" => Ok(Motion::between(start, end)),
        "screw" => Motion::screw(start, end).map_err(fail),
        _ => Err(fail(format!(
            "motion: expected 'straight' or 'screw', found '{kind}'"
        ))),
    }
}

/// A matrix of any kind, for repair.
pub(crate) fn matrix(given: &Bound<'_, PyAny>, what: &str) -> PyResult<(DMat3, DVec3)> {
    let array = floats(given, what)?;
    read(&array, what, |view| {
        let at = |row: usize, column: usize| view.get([row, column]).copied().unwrap_or(f64::NAN);
        match view.shape() {
            [4, 4] => {}
            found => return Err(wrong_shape(what, "(4, 4)", found)),
        }
        let column = |k: usize| DVec3::new(at(0, k), at(1, k), at(2, k));
        Ok((DMat3::from_cols(column(0), column(1), column(2)), column(3)))
    })
}

/// Three numbers out.
pub(crate) fn out_vector(py: Python<'_>, v: DVec3) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_slice(py, &v.to_array())
}

/// An `(n, K)` array out.
pub(crate) fn out_rows<T: numpy::Element, const K: usize>(
    py: Python<'_>,
    rows: Vec<[T; K]>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let count = rows.len();
    PyArray1::from_vec(py, rows.into_flattened()).reshape([count, K])
}

/// An `(n, 3)` array out.
pub(crate) fn out_points(
    py: Python<'_>,
    points: impl IntoIterator<Item = DVec3>,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    out_rows(py, points.into_iter().map(|p| p.to_array()).collect())
}

/// A `(4, 4)` matrix out.
pub(crate) fn out_pose<'py>(py: Python<'py>, pose: &Pose) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_slice(py, &pose.to_row_major()).reshape([4, 4])
}

/// An `(m, 4, 4)` array out.
pub(crate) fn out_poses<'py>(
    py: Python<'py>,
    poses: &[Pose],
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let flat: Vec<f64> = poses.iter().flat_map(Pose::to_row_major).collect();
    PyArray1::from_vec(py, flat).reshape([poses.len(), 4, 4])
}
