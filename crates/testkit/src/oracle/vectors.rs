//! Products of vectors of integers, exact while they fit 128 bits.

/// The cross product.
///
/// ```
/// use impinge_testkit::oracle::vectors::cross;
/// assert_eq!(cross([1, 0, 0], [0, 1, 0]), [0, 0, 1]);
/// ```
#[must_use]
pub fn cross(p: [i128; 3], q: [i128; 3]) -> [i128; 3] {
    [
        p[1] * q[2] - p[2] * q[1],
        p[2] * q[0] - p[0] * q[2],
        p[0] * q[1] - p[1] * q[0],
    ]
}

/// The dot product.
///
/// ```
/// use impinge_testkit::oracle::vectors::dot;
/// assert_eq!(dot([1, 2, 3], [4, 5, 6]), 32);
/// ```
#[must_use]
pub fn dot(p: [i128; 3], q: [i128; 3]) -> i128 {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}
