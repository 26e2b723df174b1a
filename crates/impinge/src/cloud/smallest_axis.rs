//! The direction in which a covariance is smallest.
//!
//! **Question.** Which unit vector is the eigenvector of the smallest eigenvalue of a positive semidefinite 3×3 matrix?
//! **Idea.** The smallest root of the characteristic cubic is approached from below by Newton's steps, which cannot overshoot there: the cubic is increasing and concave up to it.
//! What is left after subtracting it is semidefinite of rank 2 at most; elimination with the largest pivot gives the vector that it sends to zero.
//! **Source.** Klein, 4.5.3, which takes roots by trigonometric functions and eliminates by Cholesky's method; without the roots of the pivots the result is the same.
//! **Promise.** `|B n − λ n| ≤ 1e-10 |B|`; where the cubic cannot tell (nearly equal or nearly vanishing eigenvalues) Jacobi's method decides.

use glam::{DMat3, DVec3};

use crate::math::eigen::symmetric_eigen;

/// Newton's steps at most; four are usual.
const MAX_STEPS: usize = 24;
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
    let scale = 1.0 / trace;
    if !scale.is_finite() {
        // A trace whose reciprocal overflows: divided twice, nothing is lost.
        let far = 1.0 / f64::MIN_POSITIVE;
        let found = smallest_axis(covariance.map(|x| x * far))?;
        return Some(SmallestAxis {
            value: found.value / far,
            ..found
        });
    }
    let unit = covariance.map(|x| x * scale);
    let found = by_cubic(unit).or_else(|| by_rotation(unit))?;
    Some(SmallestAxis {
        value: found.value * trace,
        ..found
    })
}

/// For unit trace; none when another method should look.
#[inline]
fn by_cubic([xx, xy, xz, yy, yz, zz]: [f64; 6]) -> Option<SmallestAxis> {
    let minors = xx * yy - xy * xy + xx * zz - xz * xz + yy * zz - yz * yz;
    let determinant =
        xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    // Below this the determinant's rounding is as large as what it should tell.
    if minors.is_nan() || minors <= 1e-5 {
        return None;
    }
    let mut value = (determinant / minors).max(0.0);
    for _ in 0..MAX_STEPS {
        let p = ((value - 1.0) * value + minors) * value - determinant;
        let slope = (3.0 * value - 2.0) * value + minors;
        if slope.is_nan() || slope <= 1e-9 {
            return None;
        }
        let step = p / slope;
        value -= step;
        // The error left is about the square of the step times the curvature over twice the slope: once that is nothing, the
        // step that would only confirm it is saved.
        if step * step <= 1e-17 * slope {
            break;
        }
    }
    // The other two roots have this sum and product.
    let sum = 1.0 - value;
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
    (turned.abs().max_element() <= RESIDUAL && gap > 1e-6).then_some(SmallestAxis {
        axis,
        value,
        gap: gap / largest,
    })
}

/// The unit vector that a semidefinite matrix of rank 2 sends to zero.
#[inline]
fn null_vector([xx, xy, xz, yy, yz, zz]: [f64; 6]) -> Option<DVec3> {
    // The largest diagonal entry comes first: rows and columns are exchanged together. Which one that is cannot be guessed, so
    // entries are looked up instead of branched on.
    let (larger, at) = if yy > xx { (yy, 1) } else { (xx, 0) };
    let first: usize = if zz > larger { 2 } else { at };
    let entries = [xx, xy, xz, yy, yz, zz];
    let [pivot, side, other, d, e, f] = EXCHANGED[first].map(|i| entries[i]);
    if pivot <= 0.0 {
        return None;
    }
    let inverse = 1.0 / pivot;
    let (s, t, u) = (
        d - side * side * inverse,
        e - side * other * inverse,
        f - other * other * inverse,
    );
    // The order is (first, first + 1, first + 2), cyclic.
    let second = s.max(u);
    if second <= 1e-12 {
        return None;
    }
    // Without dividing: the vector times the second pivot.
    let (y, z) = if s >= u { (-t, second) } else { (second, -t) };
    let x = -(side * y + other * z) * inverse;
    let length = 1.0 / (x * x + y * y + z * z).sqrt();
    let ordered = [x, y, z];
    let back = TURNED[first].map(|i| ordered[i] * length);
    Some(DVec3::from_array(back))
}

/// Where the entries `[xx, xy, xz, yy, yz, zz]` come from when the axes are turned so that this one is first.
const EXCHANGED: [[usize; 6]; 3] = [[0, 1, 2, 3, 4, 5], [3, 4, 1, 5, 2, 0], [5, 2, 4, 0, 1, 3]];
/// Where the coordinates come from when they are turned back.
const TURNED: [[usize; 3]; 3] = [[0, 1, 2], [2, 0, 1], [1, 2, 0]];

#[cold]
fn by_rotation([xx, xy, xz, yy, yz, zz]: [f64; 6]) -> Option<SmallestAxis> {
    let matrix = DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
    let eigen = symmetric_eigen(&matrix);
    let [largest, middle, value] = eigen.values;
    (middle - value > NO_GAP).then_some(SmallestAxis {
        axis: eigen.vectors.z_axis,
        value,
        gap: (middle - value) / largest,
    })
}
