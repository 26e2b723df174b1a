//! Eigenvalues and eigenvectors of symmetric 3×3 matrices.
//!
//! **Question.** What are the eigenvalues and eigenvectors of a symmetric matrix?
//! **Idea.** Cyclic Jacobi: rotate away one off-diagonal entry after the other until all are below
//! rounding. Slower than a closed formula, but accurate for repeated and nearly repeated values
//! too.
//! **Source.** Jacobi, 1846; the stable rotation formulas are Rutishauser's, 1966.
//! **Cost.** Six sweeps are typical, below a microsecond.
//! **Promise.** Values descend; vectors are orthonormal to a few units of rounding and right-handed;
//! errors are relative to the largest entry, at every scale.

use crate::math::sort::sort_few;
use glam::{DMat3, DVec3};

/// Jacobi converges quadratically: real inputs need at most eight sweeps.
const MAX_SWEEPS: usize = 40;

/// The axes of a symmetric matrix and the stretch along each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SymmetricEigen {
    /// The eigenvalues, largest first.
    pub values: [f64; 3],
    /// The eigenvectors as columns in the order of `values`: a rotation.
    pub vectors: DMat3,
}

/// The eigenvalues and eigenvectors of the symmetric part `(M + Mᵀ)/2`; entries that are not finite count as 0.
///
/// ```
/// use impinge::{math::eigen::symmetric_eigen, DMat3, DVec3};
/// let stretched = DMat3::from_diagonal(DVec3::new(1.0, 5.0, 3.0));
/// let eigen = symmetric_eigen(&stretched);
/// assert_eq!(eigen.values, [5.0, 3.0, 1.0]);
/// assert_eq!(eigen.vectors.x_axis.abs(), DVec3::Y);
/// ```
#[must_use]
pub fn symmetric_eigen(matrix: &DMat3) -> SymmetricEigen {
    let entries = matrix
        .to_cols_array()
        .map(|x| if x.is_finite() { x } else { 0.0 });
    let largest = entries.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if largest <= 0.0 {
        return SymmetricEigen {
            values: [0.0; 3],
            vectors: DMat3::IDENTITY,
        };
    }
    // A power of two brings the largest entry near 1 without rounding, so that no square below
    // over- or underflows.
    let (_, exponent) = libm::frexp(largest);
    let [xx, yx, zx, xy, yy, zy, xz, yz, zz] = entries.map(|x| libm::scalbn(x, -exponent));
    let half = |p: f64, q: f64| 0.5 * (p + q);
    let mut m = [
        [xx, half(xy, yx), half(xz, zx)],
        [half(xy, yx), yy, half(yz, zy)],
        [half(xz, zx), half(yz, zy), zz],
    ];
    let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..MAX_SWEEPS {
        let mut turned = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            turned |= turn_away(&mut m, &mut vectors, p, q);
        }
        if !turned {
            break;
        }
    }
    sorted([m[0][0], m[1][1], m[2][2]], &vectors, exponent)
}

/// One Jacobi rotation in the plane of axes `p` and `q`; `false` when the entry is already negligible.
fn turn_away(m: &mut [[f64; 3]; 3], vectors: &mut [[f64; 3]; 3], p: usize, q: usize) -> bool {
    let off = m[p][q];
    // Below this an entry moves an eigenvalue by less than the rounding of the largest one.
    if off.abs() <= 1e-17 * (m[p][p].abs() + m[q][q].abs()) || off.abs() < 1e-34 {
        m[p][q] = 0.0;
        m[q][p] = 0.0;
        return false;
    }
    let theta = (m[q][q] - m[p][p]) / (2.0 * off);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    m[p][p] -= t * off;
    m[q][q] += t * off;
    m[p][q] = 0.0;
    m[q][p] = 0.0;
    let r = 3 - p - q;
    let (rp, rq) = (m[r][p], m[r][q]);
    m[r][p] = c * rp - s * rq;
    m[r][q] = s * rp + c * rq;
    m[p][r] = m[r][p];
    m[q][r] = m[r][q];
    for row in vectors {
        let (vp, vq) = (row[p], row[q]);
        row[p] = c * vp - s * vq;
        row[q] = s * vp + c * vq;
    }
    true
}

fn sorted(values: [f64; 3], vectors: &[[f64; 3]; 3], exponent: i32) -> SymmetricEigen {
    let mut order = [0, 1, 2];
    sort_few(&mut order, |&i, &j| values[j].total_cmp(&values[i]));
    let column = |k: usize| DVec3::new(vectors[0][k], vectors[1][k], vectors[2][k]);
    let (x, y) = (column(order[0]), column(order[1]));
    let mut z = column(order[2]);
    if x.cross(y).dot(z) < 0.0 {
        z = -z;
    }
    SymmetricEigen {
        // The largest eigenvalue may exceed the largest entry threefold: keep it finite.
        values: order.map(|k| libm::scalbn(values[k], exponent).clamp(f64::MIN, f64::MAX)),
        vectors: DMat3::from_cols(x, y, z),
    }
}

/// The products xx, xy, xz, yy, yz, zz of the coordinates of two parallel vectors: a share of a covariance.
#[inline]
pub(crate) fn products(p: DVec3, q: DVec3) -> [f64; 6] {
    [
        p.x * q.x,
        p.x * q.y,
        p.x * q.z,
        p.y * q.y,
        p.y * q.z,
        p.z * q.z,
    ]
}
