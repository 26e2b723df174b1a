//! Values in from JavaScript and out to it.

use impinge::geom::Ray;
use impinge::math::Motion;
use impinge::query::{FaceId, FacePair};
use impinge::{DMat3, DVec3, Pose};
use js_sys::{Array, Float64Array, Int32Array, Object, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

/// An `Error` with the message of `why`.
pub(crate) fn fail(why: impl std::fmt::Display) -> JsError {
    JsError::new(&why.to_string())
}

/// Numbers in threes as points.
pub(crate) fn points(numbers: &[f64], what: &str) -> Result<Vec<DVec3>, JsError> {
    let (rows, rest) = numbers.as_chunks::<3>();
    if !rest.is_empty() {
        let count = numbers.len();
        return Err(fail(format!(
            "{what}: expected numbers in threes, found {count}"
        )));
    }
    Ok(rows.iter().map(|&row| row.into()).collect())
}

/// Numbers in threes as faces.
pub(crate) fn faces(numbers: &[u32]) -> Result<Vec<[u32; 3]>, JsError> {
    let (rows, rest) = numbers.as_chunks::<3>();
    if !rest.is_empty() {
        let count = numbers.len();
        return Err(fail(format!(
            "faces: expected numbers in threes, found {count}"
        )));
    }
    Ok(rows.to_vec())
}

/// Three numbers.
pub(crate) fn vector(numbers: &[f64], what: &str) -> Result<DVec3, JsError> {
    match *numbers {
        [x, y, z] => Ok(DVec3::new(x, y, z)),
        _ => {
            let count = numbers.len();
            Err(fail(format!("{what}: expected 3 numbers, found {count}")))
        }
    }
}

/// A ray by its origin and its direction.
pub(crate) fn ray(origin: &[f64], direction: &[f64]) -> Result<Ray, JsError> {
    Ray::new(vector(origin, "origin")?, vector(direction, "direction")?).map_err(fail)
}

/// A placement: nothing, a translation, a translation and a quaternion, or a matrix column by column as three.js has it.
pub(crate) fn pose(numbers: Option<&[f64]>) -> Result<Pose, JsError> {
    match numbers {
        None | Some([]) => Ok(Pose::IDENTITY),
        Some(&[x, y, z]) => Pose::from_translation([x, y, z]).map_err(fail),
        Some(&[x, y, z, i, j, k, w]) => {
            let turn = impinge::glam::DQuat::from_xyzw(i, j, k, w).normalize();
            Pose::from_quaternion(turn, [x, y, z]).map_err(fail)
        }
        Some(&[a, b, c, 0.0, d, e, f, 0.0, g, h, i, 0.0, x, y, z, 1.0]) => {
            let columns = [a, b, c, d, e, f, g, h, i];
            Pose::new(DMat3::from_cols_array(&columns), [x, y, z]).map_err(fail)
        }
        Some(other) if other.len() == 16 => {
            Err(fail("pose: the last row of the matrix is not 0 0 0 1"))
        }
        Some(other) => {
            let count = other.len();
            Err(fail(format!(
                "pose: expected 3, 7 or 16 numbers, found {count}"
            )))
        }
    }
}

/// Many placements of sixteen numbers each.
pub(crate) fn poses(numbers: &[f64]) -> Result<Vec<Pose>, JsError> {
    let (rows, rest) = numbers.as_chunks::<16>();
    if !rest.is_empty() {
        let count = numbers.len();
        return Err(fail(format!(
            "poses: expected 16 numbers each, found {count}"
        )));
    }
    rows.iter().map(|row| pose(Some(row))).collect()
}

/// A matrix column by column.
pub(crate) fn matrix(pose: &Pose) -> [f64; 16] {
    let (r, t) = (pose.rotation(), pose.translation());
    let [x, y, z] = [r.x_axis, r.y_axis, r.z_axis];
    [
        x.x, x.y, x.z, 0.0, y.x, y.y, y.z, 0.0, z.x, z.y, z.z, 0.0, t.x, t.y, t.z, 1.0,
    ]
}

/// The motion between two placements.
pub(crate) fn motion(start: &[f64], end: &[f64], kind: Option<&str>) -> Result<Motion, JsError> {
    let (start, end) = (pose(Some(start))?, pose(Some(end))?);
    match kind {
        None | Some("straight") => Ok(Motion::between(&start, &end)),
        Some("screw") => Motion::screw(&start, &end).map_err(fail),
        Some(other) => Err(fail(format!(
            "motion: expected straight or screw, found '{other}'"
        ))),
    }
}

/// Where the second of two shapes is at a time from 0 to 1 of the motion that `impact` follows: sixteen numbers, column by column.
#[wasm_bindgen(js_name = motionAt)]
pub fn motion_at(
    #[wasm_bindgen(unchecked_param_type = "PoseLike")] start: &[f64],
    #[wasm_bindgen(unchecked_param_type = "PoseLike")] end: &[f64],
    time: f64,
    #[wasm_bindgen(unchecked_optional_param_type = "\"straight\" | \"screw\"")] kind: Option<
        String,
    >,
) -> Result<Float64Array, JsError> {
    let motion = motion(start, end, kind.as_deref())?;
    Ok(numbers(&matrix(&motion.at(time.clamp(0.0, 1.0)))))
}

pub(crate) fn numbers(values: &[f64]) -> Float64Array {
    Float64Array::from(values)
}

pub(crate) fn integers(values: &[u32]) -> Uint32Array {
    Uint32Array::from(values)
}

/// Three numbers out.
pub(crate) fn triple(point: DVec3) -> JsValue {
    numbers(&point.to_array()).into()
}

/// Points out, one after the other.
pub(crate) fn flat(points: impl IntoIterator<Item = DVec3>) -> Float64Array {
    let all: Vec<f64> = points.into_iter().flat_map(|p| p.to_array()).collect();
    numbers(&all)
}

/// Numbers of faces out, −1 for none.
pub(crate) fn face_numbers(faces: impl IntoIterator<Item = Option<FaceId>>) -> Int32Array {
    let all: Vec<i32> = faces
        .into_iter()
        .map(|face| face.map_or(-1, |face| face.raw() as i32))
        .collect();
    Int32Array::from(all.as_slice())
}

/// Sorted pairs of faces out, one after the other.
pub(crate) fn face_pairs(mut pairs: Vec<FacePair>) -> Uint32Array {
    pairs.sort_unstable();
    let all: Vec<u32> = pairs
        .iter()
        .flat_map(|pair| [pair.a.raw(), pair.b.raw()])
        .collect();
    integers(&all)
}

/// A plain object.
pub(crate) fn object<const N: usize>(fields: [(&str, JsValue); N]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        // A new object refuses nothing.
        let _ = Reflect::set(&object, &name.into(), &value);
    }
    object.into()
}

/// An array of anything.
pub(crate) fn list(values: impl IntoIterator<Item = JsValue>) -> Array {
    values.into_iter().collect()
}
