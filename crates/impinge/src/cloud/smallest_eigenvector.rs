//! Eigenvector of the smallest eigenvalue of a covariance matrix.
//!
//! **Question.** Which unit vector is the eigenvector of the smallest eigenvalue of a positive
//! semidefinite 3×3 matrix?
//! **Idea.** The smallest root of the characteristic cubic is approached from below by Halley's
//! method, which cannot overshoot there, since all its roots are real. Subtracting it leaves a
//! semidefinite matrix of rank 2 at most; the longest column of its adjugate is in its kernel.
//! **Source.** Klein, 4.5.3, who finds roots by trigonometric functions and eliminates by
//! Cholesky's method with the largest pivot. The column equals the result of that elimination times
//! its pivots, and its three candidates depend only on the root: half the time (elimination with
//! rows exchanged by index took 85 ns where this takes 40).
//! **Promise.** `|B n − λ n| ≤ 1e-10 |B|`; where the cubic cannot tell (nearly equal or nearly
//! vanishing eigenvalues) Jacobi's method decides.

use glam::{DMat3, DVec3};

use crate::math::eigen::symmetric_eigen;

/// Halley's steps at most after the first, which usually suffices.
const MAX_STEPS: usize = 16;
/// What a step may leave of the error.
const LEFT: f64 = 1e-17;
/// Traces whose sixth powers neither vanish nor overflow; what is smaller or larger is scaled before.
const LEAST: f64 = 1e-40;
const MOST: f64 = 1e40;
/// By less than the largest over the smallest of these, so that nothing is scaled past them.
const SCALE: f64 = 1e60;
/// A residual, for unit trace, beyond which Jacobi's method is used.
const RESIDUAL: f64 = 1e-11;
/// An eigenvalue gap, for unit trace, below which there is no one direction.
const NO_GAP: f64 = 1e-9;

/// The smallest eigenvalue of a covariance, its direction, and how well it is separated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmallestEigenvector {
    /// The eigenvector, of unit length; its sign is arbitrary.
    pub axis: DVec3,
    /// The eigenvalue.
    pub value: f64,
    /// (λ₂ − λ₁)/λ₃ with λ₁ the smallest: near 0 the axis is arbitrary.
    pub gap: f64,
}

/// The smallest eigenvalue of a covariance given by `[xx, xy, xz, yy, yz, zz]`; none when the two smallest are equal or all are 0.
///
/// ```
/// use impinge::{DVec3, cloud::smallest_eigenvector};
/// let flat = smallest_eigenvector([2.0, 0.0, 0.0, 3.0, 0.0, 0.5]).unwrap();
/// assert!(flat.axis.abs_diff_eq(DVec3::Z, 1e-12) && (flat.value - 0.5).abs() < 1e-12);
/// assert!(smallest_eigenvector([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]).is_none());
/// ```
#[must_use]
pub fn smallest_eigenvector(covariance: [f64; 6]) -> Option<SmallestEigenvector> {
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
fn scaled(mut covariance: [f64; 6], trace: f64) -> Option<SmallestEigenvector> {
    let scale = if trace < LEAST { SCALE } else { 1.0 / SCALE };
    // The smallest and the largest numbers need it five times.
    for times in 1..=6 {
        covariance = covariance.map(|x| x * scale);
        let [xx, _, _, yy, _, zz] = covariance;
        let trace = xx + yy + zz;
        if (LEAST..=MOST).contains(&trace) {
            let found = by_cubic(covariance, trace).or_else(|| by_rotation(covariance, trace))?;
            let value = (0..times).fold(found.value, |value, _| value / scale);
            return Some(SmallestEigenvector { value, ..found });
        }
    }
    None
}

/// None when another method should look.
#[inline(always)]
fn by_cubic([xx, xy, xz, yy, yz, zz]: [f64; 6], trace: f64) -> Option<SmallestEigenvector> {
    let [cofactor, side, other] = [yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy];
    let minors = cofactor + (xx * zz - xz * xz) + (xx * yy - xy * xy);
    let determinant = xx * cofactor + xy * side + xz * other;
    let cubic = Cubic {
        trace,
        minors,
        determinant,
    };
    // Below this the determinant's rounding is as large as what it should tell.
    let trace_sq = trace * trace;
    if minors.is_nan() || minors <= 1e-5 * trace_sq {
        return None;
    }
    let value = cubic.smallest_root()?;
    // The other two roots have this sum and product.
    let sum = trace - value;
    let product = minors - value * sum;
    let spread = or_zero(0.25 * sum * sum - product).sqrt();
    let (middle, largest) = (0.5 * sum - spread, 0.5 * sum + spread);
    let left = [xx - value, xy, xz, yy - value, yz, zz - value];
    let axis = null_vector(left, trace_sq)?;
    let [xx, xy, xz, yy, yz, zz] = left;
    let turned = DVec3::new(
        xx * axis.x + xy * axis.y + xz * axis.z,
        xy * axis.x + yy * axis.y + yz * axis.z,
        xz * axis.x + yz * axis.y + zz * axis.z,
    );
    let gap = middle - value;
    let most = RESIDUAL * trace;
    let turned = turned.abs();
    let is_zero = turned.x <= most && turned.y <= most && turned.z <= most;
    (is_zero && gap > 1e-6 * trace).then_some(SmallestEigenvector {
        axis,
        value,
        gap: gap / largest,
    })
}

/// The number if it is positive, else 0; `max` would mind numbers that are none, which takes longer.
#[inline(always)]
fn or_zero(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

/// λ³ − trace λ² + minors λ − determinant, whose roots are real and not negative.
#[derive(Clone, Copy)]
struct Cubic {
    trace: f64,
    minors: f64,
    determinant: f64,
}

impl Cubic {
    /// None when the slope there is too small to decide.
    #[inline(always)]
    fn smallest_root(self) -> Option<f64> {
        // λ = (determinant + λ²(trace − λ)) / minors, whose right side grows with λ up to two thirds of the trace: put in again and again, it leads up to
        // the root.
        let inverse = 1.0 / self.minors;
        let (first, bend) = (self.determinant * inverse, self.trace * inverse);
        let mut value = or_zero(first);
        for _ in 0..2 {
            value = first + value * value * (bend - value * inverse);
        }
        let (value, is_near) = self.step(or_zero(value))?;
        if is_near {
            return Some(value);
        }
        self.more_steps(value)
    }

    /// Halley's steps where one does not suffice.
    #[cold]
    fn more_steps(self, mut value: f64) -> Option<f64> {
        for _ in 0..MAX_STEPS {
            let (next, is_near) = self.step(value)?;
            value = next;
            if is_near {
                break;
            }
        }
        Some(value)
    }

    /// Where Halley's step leads, and whether that is as near as numbers can be.
    #[inline(always)]
    fn step(self, value: f64) -> Option<(f64, bool)> {
        let Self {
            trace,
            minors,
            determinant,
        } = self;
        let p = ((value - trace) * value + minors) * value - determinant;
        let slope = (3.0 * value - 2.0 * trace) * value + minors;
        if slope.is_nan() || slope <= 1e-9 * trace * trace {
            return None;
        }
        let half_bend = 3.0 * value - trace;
        let slope_sq = slope * slope;
        let step = p * slope / (slope_sq - p * half_bend);
        // The error that is left is the cube of the step over the square of the slope.
        let is_near = (step * step * step).abs() * trace <= LEFT * slope_sq;
        Some((value - step, is_near))
    }
}

/// The unit vector that a semidefinite matrix of rank 2 sends to zero: every column of its adjugate is a multiple of it, and the one with the largest
/// diagonal is the longest.
#[inline(always)]
fn null_vector([xx, xy, xz, yy, yz, zz]: [f64; 6], trace_sq: f64) -> Option<DVec3> {
    let (a, b, c) = (yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy);
    let (d, e, f) = (xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz);
    // Which is largest is a matter of chance: numbers are chosen, no branch is taken.
    let of_two = if b > a { [d, b, f] } else { [a, d, e] };
    let most_of_two = if b > a { b } else { a };
    let [x, y, z] = if c > most_of_two { [e, f, c] } else { of_two };
    let most = if c > most_of_two { c } else { most_of_two };
    if most.is_nan() || most <= 1e-12 * trace_sq {
        return None;
    }
    let scale = 1.0 / (x * x + y * y + z * z).sqrt();
    Some(DVec3::new(x * scale, y * scale, z * scale))
}

#[cold]
fn by_rotation([xx, xy, xz, yy, yz, zz]: [f64; 6], trace: f64) -> Option<SmallestEigenvector> {
    let matrix = DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
    let eigen = symmetric_eigen(&matrix);
    let [largest, middle, value] = eigen.values;
    (middle - value > NO_GAP * trace).then_some(SmallestEigenvector {
        axis: eigen.vectors.z_axis,
        value,
        gap: (middle - value) / largest,
    })
}
