//! The direction in which a covariance is smallest.
//!
//! **Question.** Which unit vector is the eigenvector of the smallest eigenvalue of a positive semidefinite 3×3 matrix?
//! **Idea.** The smallest root of the characteristic cubic is approached from below by Halley's steps, which cannot overshoot there, since all its roots are real.
//! What is left after subtracting it is semidefinite of rank 2 at most; elimination with the largest pivot gives the vector that it sends to zero.
//! **Source.** Klein, 4.5.3, which takes roots by trigonometric functions and eliminates by Cholesky's method; without the roots of the pivots the result is the same. Which pivot is largest is a matter of chance, so
//! rows are exchanged by numbers and not by branches; what it would divide by is multiplied through, so that only the length is divided by.
//! **Promise.** `|B n − λ n| ≤ 1e-10 |B|`; where the cubic cannot tell (nearly equal or nearly vanishing eigenvalues) Jacobi's method decides.

use glam::{DMat3, DVec3};

use crate::math::eigen::symmetric_eigen;

/// Halley's steps at most; one is usual.
const MAX_STEPS: usize = 16;
/// What a step may leave of the error.
const LEFT: f64 = 1e-17;
/// Traces whose sixth powers neither vanish nor overflow; what is smaller or larger is scaled before.
const LEAST: f64 = 1e-40;
const MOST: f64 = 1e40;
/// By less than the largest over the smallest of these, so that nothing is scaled past them.
const SCALE: f64 = 1e60;
/// The axes from each on.
const CYCLIC: [[usize; 3]; 3] = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];
/// A residual, for unit trace, beyond which Jacobi's method is asked.
const RESIDUAL: f64 = 1e-11;
/// An eigenvalue gap, for unit trace, below which there is no one direction.
const NO_GAP: f64 = 1e-9;

/// The smallest eigenvalue of a covariance, its direction, and how well it stands apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmallestAxis {
    /// The eigenvector, of unit length; its sign means nothing.
    pub axis: DVec3,
    /// The eigenvalue.
    pub value: f64,
    /// (λ₂ − λ₁)/λ₃ with λ₁ the smallest: near 0 the axis is a matter of chance.
    pub gap: f64,
}

/// The smallest eigenvalue of a covariance given by `[xx, xy, xz, yy, yz, zz]`; none when the two smallest are equal or all are 0.
///
/// ```
/// use impinge::{DVec3, cloud::smallest_axis};
/// let flat = smallest_axis([2.0, 0.0, 0.0, 3.0, 0.0, 0.5]).unwrap();
/// assert!(flat.axis.abs_diff_eq(DVec3::Z, 1e-12) && (flat.value - 0.5).abs() < 1e-12);
/// assert!(smallest_axis([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]).is_none());
/// ```
#[must_use]
pub fn smallest_axis(covariance: [f64; 6]) -> Option<SmallestAxis> {
    let [xx, _, _, yy, _, zz] = covariance;
    let trace = xx + yy + zz;
    if !(trace > 0.0 && trace.is_finite()) {
        return None;
    }
    if (LEAST..=MOST).contains(&trace) {
        return by_cubic(covariance, trace).or_else(|| by_rotation(covariance, trace));
    }
    scaled(covariance, trace)
}

/// The same for numbers whose products would vanish or overflow.
#[cold]
fn scaled(mut covariance: [f64; 6], trace: f64) -> Option<SmallestAxis> {
    let scale = if trace < LEAST { SCALE } else { 1.0 / SCALE };
    // The smallest and the largest numbers need it five times.
    for times in 1..=6 {
        covariance = covariance.map(|x| x * scale);
        let [xx, _, _, yy, _, zz] = covariance;
        let trace = xx + yy + zz;
        if (LEAST..=MOST).contains(&trace) {
            let found = by_cubic(covariance, trace).or_else(|| by_rotation(covariance, trace))?;
            let value = (0..times).fold(found.value, |value, _| value / scale);
            return Some(SmallestAxis { value, ..found });
        }
    }
    None
}

/// None when another method should look.
#[inline]
fn by_cubic([xx, xy, xz, yy, yz, zz]: [f64; 6], trace: f64) -> Option<SmallestAxis> {
    let minors = xx * yy - xy * xy + xx * zz - xz * xz + yy * zz - yz * yz;
    let determinant =
        xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    // Below this the determinant's rounding is as large as what it should tell.
    let trace_sq = trace * trace;
    if minors.is_nan() || minors <= 1e-5 * trace_sq {
        return None;
    }
    // λ·minors = determinant + λ²(trace − λ), whose right side grows with λ up to two thirds of the trace: put in again and again, it leads up to the root.
    let inverse = 1.0 / minors;
    let mut value = (determinant * inverse).max(0.0);
    for _ in 0..2 {
        value = (determinant + value * value * (trace - value)).max(0.0) * inverse;
    }
    for _ in 0..MAX_STEPS {
        let p = ((value - trace) * value + minors) * value - determinant;
        let slope = (3.0 * value - 2.0 * trace) * value + minors;
        if slope.is_nan() || slope <= 1e-9 * trace_sq {
            return None;
        }
        let half_bend = 3.0 * value - trace;
        let slope_sq = slope * slope;
        let step = p * slope / (slope_sq - p * half_bend);
        value -= step;
        // The error that is left is the cube of the step over the square of the slope.
        if (step * step * step).abs() * trace <= LEFT * slope_sq {
            break;
        }
    }
    // The other two roots have this sum and product.
    let sum = trace - value;
    let product = minors - value * sum;
    let spread = (0.25 * sum * sum - product).max(0.0).sqrt();
    let (middle, largest) = (0.5 * sum - spread, 0.5 * sum + spread);
    let axis = null_vector([xx - value, xy, xz, yy - value, yz, zz - value])?;
    let turned = DVec3::new(
        (xx - value) * axis.x + xy * axis.y + xz * axis.z,
        xy * axis.x + (yy - value) * axis.y + yz * axis.z,
        xz * axis.x + yz * axis.y + (zz - value) * axis.z,
    );
    let gap = middle - value;
    (turned.abs().max_element() <= RESIDUAL * trace && gap > 1e-6 * trace).then_some(SmallestAxis {
        axis,
        value,
        gap: gap / largest,
    })
}

/// The unit vector that a semidefinite matrix of rank 2 sends to zero.
#[inline]
fn null_vector(matrix: [f64; 6]) -> Option<DVec3> {
    /// The entries once axis 0, 1 or 2 comes first, in cyclic order.
    const TURNED: [[usize; 6]; 3] = [[0, 1, 2, 3, 4, 5], [3, 4, 1, 5, 2, 0], [5, 2, 4, 0, 1, 3]];
    let [xx, _, _, yy, _, zz] = matrix;
    let of_two = usize::from(yy > xx);
    let first = if zz > xx.max(yy) { 2 } else { of_two };
    let [pivot, side, other, d, e, f] = TURNED[first].map(|at| matrix[at]);
    if pivot <= 0.0 {
        return None;
    }
    // What elimination leaves, times the pivot: divisions wait for the length.
    let (s, t, u) = (
        d * pivot - side * side,
        e * pivot - side * other,
        f * pivot - other * other,
    );
    if s.max(u) <= 1e-12 * pivot * pivot {
        return None;
    }
    let [y, z] = [[-t, s], [u, -t]][usize::from(s < u)];
    let vector = [-(side * y + other * z), pivot * y, pivot * z];
    let [x, y, z] = vector;
    let scale = 1.0 / (x * x + y * y + z * z).sqrt();
    Some(DVec3::from_array(
        CYCLIC[(3 - first) % 3].map(|at| vector[at] * scale),
    ))
}

#[cold]
fn by_rotation([xx, xy, xz, yy, yz, zz]: [f64; 6], trace: f64) -> Option<SmallestAxis> {
    let matrix = DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
    let eigen = symmetric_eigen(&matrix);
    let [largest, middle, value] = eigen.values;
    (middle - value > NO_GAP * trace).then_some(SmallestAxis {
        axis: eigen.vectors.z_axis,
        value,
        gap: (middle - value) / largest,
    })
}
