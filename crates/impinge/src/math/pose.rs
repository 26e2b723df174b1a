//! Rigid poses.

use std::ops::Mul;

use glam::{DMat3, DQuat, DVec3};
use thiserror::Error;

use super::MAX_COORDINATE;

/// Largest entry of `|RᵀR − I|` that [`Pose::new`] accepts.
pub const ROTATION_TOLERANCE: f64 = 1e-9;

/// A rigid placement: `p_in_a == a_from_b * p_in_b`. Finite and orthonormal by construction.
///
/// It holds a matrix, not a quaternion, so that turns about the axes by 90° are exact and the
/// placed point is the same bytes on every machine: each coordinate is
/// `((r0·x + r1·y) + r2·z) + t`, rounded after every operation, without fused multiply-add.
///
/// ```
/// use impinge::{DMat3, DVec3, Pose};
/// let quarter_turn = DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z);
/// let world_from_body = Pose::new(quarter_turn, [10.0, 0.0, 0.0])?;
/// assert_eq!(world_from_body * DVec3::new(1.0, 2.0, 3.0), DVec3::new(8.0, 1.0, 3.0));
/// # Ok::<(), impinge::PoseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    rotation: DMat3,
    translation: DVec3,
}

/// Why a placement was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PoseError {
    /// An entry is NaN or infinite.
    #[error("pose has an entry that is not finite")]
    NotFinite,
    /// A translation coordinate exceeds [`MAX_COORDINATE`].
    #[error(
        "translation coordinate {value:e} exceeds the largest allowed magnitude {MAX_COORDINATE:e}"
    )]
    TooFar {
        /// The offending coordinate.
        value: f64,
    },
    /// The matrix stretches or shears.
    #[error(
        "matrix is not a rotation: the largest entry of |RᵀR − I| is {deviation:e}, allowed is {ROTATION_TOLERANCE:e}; use Pose::nearest to repair it"
    )]
    NotOrthonormal {
        /// Largest entry of `|RᵀR − I|`.
        deviation: f64,
    },
    /// The matrix mirrors.
    #[error("matrix mirrors: its determinant is {determinant}, a rotation has 1")]
    Mirrored {
        /// The determinant found.
        determinant: f64,
    },
    /// The matrix is too close to singular for a nearest rotation to be defined.
    #[error("matrix is singular: no nearest rotation exists")]
    Singular,
    /// The last row of a 4×4 matrix is not `0 0 0 1`.
    #[error("last row of the 4×4 matrix must be 0 0 0 1, found {row:?}")]
    NotAffine {
        /// The row found.
        row: [f64; 4],
    },
}

impl Pose {
    /// The placement that moves nothing.
    pub const IDENTITY: Self = Self {
        rotation: DMat3::IDENTITY,
        translation: DVec3::ZERO,
    };

    /// The placement with exactly these entries, or why they do not make a rigid placement.
    ///
    /// # Errors
    /// [`PoseError`] when an entry is not finite, the translation is out of range, the largest
    /// entry of `|RᵀR − I|` exceeds [`ROTATION_TOLERANCE`], or the determinant is not positive.
    ///
    /// ```
    /// use impinge::{DMat3, Pose, PoseError};
    /// let stretched = DMat3::from_diagonal([1.0, 2.0, 1.0].into());
    /// assert!(matches!(Pose::new(stretched, [0.0; 3]), Err(PoseError::NotOrthonormal { .. })));
    /// ```
    pub fn new(rotation: DMat3, translation: impl Into<DVec3>) -> Result<Self, PoseError> {
        let translation = translation.into();
        if is_surely_rotation(&rotation) && check_translation(translation).is_ok() {
            return Ok(Self {
                rotation,
                translation,
            });
        }
        check_translation(translation)?;
        if !rotation.is_finite() {
            return Err(PoseError::NotFinite);
        }
        let deviation = deviation_from_rotation(&rotation);
        if deviation > ROTATION_TOLERANCE || deviation.is_nan() {
            return Err(PoseError::NotOrthonormal { deviation });
        }
        let determinant = rotation.determinant();
        if determinant <= 0.0 || determinant.is_nan() {
            return Err(PoseError::Mirrored { determinant });
        }
        Ok(Self {
            rotation,
            translation,
        })
    }

    /// The placement whose rotation is nearest to `matrix` (in the Frobenius norm), for repairing drift.
    ///
    /// # Errors
    /// [`PoseError`] when an entry is not finite or out of range, the matrix mirrors or is singular.
    ///
    /// ```
    /// use impinge::{DMat3, Pose};
    /// let drifted = DMat3::from_diagonal([1.01, 0.99, 1.0].into());
    /// let pose = Pose::nearest(drifted, [0.0; 3])?;
    /// assert!((pose.rotation() - DMat3::IDENTITY).abs_diff_eq(DMat3::ZERO, 1e-12));
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    pub fn nearest(matrix: DMat3, translation: impl Into<DVec3>) -> Result<Self, PoseError> {
        let translation = translation.into();
        check_translation(translation)?;
        if !matrix.is_finite() {
            return Err(PoseError::NotFinite);
        }
        // Scale to unit size first so that neither tiny nor huge matrices under- or overflow.
        let largest = matrix
            .to_cols_array()
            .iter()
            .fold(0.0_f64, |m, x| m.max(x.abs()));
        if largest < f64::MIN_POSITIVE {
            return Err(PoseError::Singular);
        }
        let r = matrix * (1.0 / largest);
        let determinant = r.determinant();
        if determinant < 0.0 {
            return Err(PoseError::Mirrored { determinant });
        }
        let r = polar_factor(r).ok_or(PoseError::Singular)?;
        Self::new(r, translation)
    }

    /// The placement that only moves.
    ///
    /// # Errors
    /// [`PoseError`] when a coordinate is not finite or out of range.
    ///
    /// ```
    /// use impinge::{DVec3, Pose};
    /// assert_eq!(Pose::from_translation([1.0, 2.0, 3.0])? * DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0));
    /// assert!(Pose::from_translation([f64::INFINITY, 0.0, 0.0]).is_err());
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    pub fn from_translation(translation: impl Into<DVec3>) -> Result<Self, PoseError> {
        let translation = translation.into();
        check_translation(translation)?;
        Ok(Self {
            rotation: DMat3::IDENTITY,
            translation,
        })
    }

    /// The placement that turns by `angle` radians about `axis` (of any length), then moves.
    ///
    /// Sine and cosine are computed portably: the same bytes on every machine.
    ///
    /// # Errors
    /// [`PoseError::Singular`] for a zero axis; [`PoseError`] for entries that are not finite.
    ///
    /// ```
    /// use impinge::{DVec3, Pose};
    /// let pose = Pose::from_axis_angle([0.0, 0.0, 2.0], std::f64::consts::PI, [0.0; 3])?;
    /// assert!((pose * DVec3::X + DVec3::X).length() < 1e-15);
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    pub fn from_axis_angle(
        axis: impl Into<DVec3>,
        angle: f64,
        translation: impl Into<DVec3>,
    ) -> Result<Self, PoseError> {
        let axis = axis.into();
        if !axis.is_finite() || !angle.is_finite() {
            return Err(PoseError::NotFinite);
        }
        let largest = axis.abs().max_element();
        if largest < f64::MIN_POSITIVE {
            return Err(PoseError::Singular);
        }
        let scaled = axis / largest;
        let unit = scaled / scaled.dot(scaled).sqrt();
        let (sine, cosine) = libm::sincos(angle);
        Self::new(rotation_about(unit, sine, cosine), translation.into())
    }

    /// The placement with the rotation of a quaternion (of any length but zero).
    ///
    /// # Errors
    /// [`PoseError::Singular`] for a zero quaternion; [`PoseError`] for entries that are not finite.
    ///
    /// ```
    /// use impinge::{glam::DQuat, Pose};
    /// let pose = Pose::from_quaternion(DQuat::from_xyzw(0.0, 0.0, 0.0, 5.0), [0.0; 3])?;
    /// assert_eq!(pose, Pose::IDENTITY);
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    pub fn from_quaternion(
        quaternion: DQuat,
        translation: impl Into<DVec3>,
    ) -> Result<Self, PoseError> {
        if !quaternion.is_finite() {
            return Err(PoseError::NotFinite);
        }
        let rotation = rotation_of(quaternion).ok_or(PoseError::Singular)?;
        Self::new(rotation, translation)
    }

    /// The placement written as 16 numbers, row-major 4×4, last row `0 0 0 1`.
    ///
    /// # Errors
    /// [`PoseError::NotAffine`] for another last row; otherwise as [`Pose::new`].
    ///
    /// ```
    /// use impinge::{DVec3, Pose};
    /// let rows = [0.0, -1.0, 0.0, 5.0,  1.0, 0.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  0.0, 0.0, 0.0, 1.0];
    /// let a_from_b = Pose::from_row_major(&rows)?;
    /// assert_eq!(a_from_b * DVec3::X, DVec3::new(5.0, 1.0, 0.0));
    /// assert_eq!(a_from_b.to_row_major(), rows);
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    pub fn from_row_major(rows: &[f64; 16]) -> Result<Self, PoseError> {
        let [xx, xy, xz, tx, yx, yy, yz, ty, zx, zy, zz, tz, a, b, c, d] = *rows;
        let row = [a, b, c, d];
        if row != [0.0, 0.0, 0.0, 1.0] {
            if rows.iter().any(|x| !x.is_finite()) {
                return Err(PoseError::NotFinite);
            }
            return Err(PoseError::NotAffine { row });
        }
        let rotation = DMat3::from_cols(
            DVec3::new(xx, yx, zx),
            DVec3::new(xy, yy, zy),
            DVec3::new(xz, yz, zz),
        );
        Self::new(rotation, DVec3::new(tx, ty, tz))
    }

    /// The 16 numbers that [`Pose::from_row_major`] reads.
    ///
    /// ```
    /// use impinge::Pose;
    /// assert_eq!(Pose::from_translation([1.0, 2.0, 3.0])?.to_row_major()[..4], [1.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[must_use]
    pub fn to_row_major(&self) -> [f64; 16] {
        let (r, t) = (&self.rotation, self.translation);
        [
            r.x_axis.x, r.y_axis.x, r.z_axis.x, t.x, //
            r.x_axis.y, r.y_axis.y, r.z_axis.y, t.y, //
            r.x_axis.z, r.y_axis.z, r.z_axis.z, t.z, //
            0.0, 0.0, 0.0, 1.0,
        ]
    }

    /// The rotation, with the entries it was made from.
    ///
    /// ```
    /// use impinge::{DMat3, Pose};
    /// assert_eq!(*Pose::IDENTITY.rotation(), DMat3::IDENTITY);
    /// ```
    #[must_use]
    pub fn rotation(&self) -> &DMat3 {
        &self.rotation
    }

    /// The translation, with the entries it was made from.
    ///
    /// ```
    /// use impinge::{DVec3, Pose};
    /// assert_eq!(Pose::from_translation(DVec3::X)?.translation(), DVec3::X);
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[must_use]
    pub fn translation(&self) -> DVec3 {
        self.translation
    }

    /// The placed point, each coordinate rounded as the type's page says.
    ///
    /// ```
    /// use impinge::{DVec3, Pose};
    /// assert_eq!(Pose::from_translation(DVec3::X)?.transform_point(DVec3::Y), DVec3::X + DVec3::Y);
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn transform_point(&self, p: DVec3) -> DVec3 {
        self.transform_vector(p) + self.translation
    }

    /// The turned vector: the translation does not apply.
    ///
    /// ```
    /// use impinge::{DVec3, Pose};
    /// assert_eq!(Pose::from_translation(DVec3::X)?.transform_vector(DVec3::Y), DVec3::Y);
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn transform_vector(&self, v: DVec3) -> DVec3 {
        let r = &self.rotation;
        DVec3::new(
            r.x_axis.x * v.x + r.y_axis.x * v.y + r.z_axis.x * v.z,
            r.x_axis.y * v.x + r.y_axis.y * v.y + r.z_axis.y * v.z,
            r.x_axis.z * v.x + r.y_axis.z * v.y + r.z_axis.z * v.z,
        )
    }

    /// The largest entry of `|RᵀR − I|`.
    pub(crate) fn deviation(&self) -> f64 {
        deviation_from_rotation(&self.rotation)
    }

    /// The same rotation moved on by `offset`, or none when that leaves the range of coordinates.
    pub(crate) fn moved(&self, offset: DVec3) -> Option<Self> {
        Self::new(self.rotation, self.translation + offset).ok()
    }

    /// The reverse placement, `b_from_a` of `a_from_b`.
    ///
    /// ```
    /// use impinge::{DVec3, Pose};
    /// let a_from_b = Pose::from_translation([1.0, 2.0, 3.0])?;
    /// assert_eq!(a_from_b.inverse() * DVec3::new(1.0, 2.0, 3.0), DVec3::ZERO);
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        let turned = Self {
            rotation,
            translation: DVec3::ZERO,
        }
        .transform_vector(self.translation);
        Self {
            rotation,
            translation: within_range(-turned),
        }
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Mul<DVec3> for Pose {
    type Output = DVec3;
    #[inline]
    fn mul(self, p: DVec3) -> DVec3 {
        self.transform_point(p)
    }
}

/// Composition: `a_from_b * b_from_c` is `a_from_c`. A product is a rotation within half of
/// [`ROTATION_TOLERANCE`], however long the chain: one that has drifted farther is replaced by the
/// nearest rotation. A translation beyond [`MAX_COORDINATE`] stops there.
impl Mul for Pose {
    type Output = Self;
    fn mul(self, b_from_c: Self) -> Self {
        let r = &b_from_c.rotation;
        let rotation = DMat3::from_cols(
            self.transform_vector(r.x_axis),
            self.transform_vector(r.y_axis),
            self.transform_vector(r.z_axis),
        );
        Self {
            // Products of rotations within tolerance may leave it; they are near enough to one
            // that the nearest always exists.
            rotation: if deviation_from_rotation(&rotation) > ROTATION_TOLERANCE / 2.0 {
                polar_factor(rotation).unwrap_or(self.rotation)
            } else {
                rotation
            },
            translation: within_range(self.transform_point(b_from_c.translation)),
        }
    }
}

/// The rotation of a finite quaternion of any length; none for zero.
pub(crate) fn rotation_of(quaternion: DQuat) -> Option<DMat3> {
    let [x, y, z, w] = quaternion.to_array();
    let largest = x.abs().max(y.abs()).max(z.abs()).max(w.abs());
    // Written so that NaN fails.
    if !(largest >= f64::MIN_POSITIVE && largest.is_finite()) {
        return None;
    }
    let (x, y, z, w) = (x / largest, y / largest, z / largest, w / largest);
    let s = 2.0 / (x * x + y * y + z * z + w * w);
    Some(DMat3::from_cols(
        DVec3::new(
            1.0 - s * (y * y + z * z),
            s * (x * y + w * z),
            s * (x * z - w * y),
        ),
        DVec3::new(
            s * (x * y - w * z),
            1.0 - s * (x * x + z * z),
            s * (y * z + w * x),
        ),
        DVec3::new(
            s * (x * z + w * y),
            s * (y * z - w * x),
            1.0 - s * (x * x + y * y),
        ),
    ))
}

/// The rotation by an angle with this sine and cosine about a unit axis (Rodrigues).
pub(super) fn rotation_about(unit: DVec3, sine: f64, cosine: f64) -> DMat3 {
    let (x, y, z, k) = (unit.x, unit.y, unit.z, 1.0 - cosine);
    DMat3::from_cols(
        DVec3::new(
            cosine + x * x * k,
            y * x * k + z * sine,
            z * x * k - y * sine,
        ),
        DVec3::new(
            x * y * k - z * sine,
            cosine + y * y * k,
            z * y * k + x * sine,
        ),
        DVec3::new(
            x * z * k + y * sine,
            y * z * k - x * sine,
            cosine + z * z * k,
        ),
    )
}

/// The rotation nearest to a matrix of about unit size and positive determinant, if there is one.
fn polar_factor(matrix: DMat3) -> Option<DMat3> {
    let mut r = matrix;
    // Newton's iteration for the polar factor, X ← (X + X⁻ᵀ)/2, converges quadratically from
    // any regular matrix; each halving brings a large condition number nearer, so 100 suffice.
    for _ in 0..100 {
        let determinant = r.determinant();
        if determinant.abs() <= 1e-30 || determinant.is_nan() {
            return None;
        }
        let next = (r + r.inverse().transpose()) * 0.5;
        if !next.is_finite() {
            return None;
        }
        let change = (next - r)
            .to_cols_array()
            .iter()
            .fold(0.0_f64, |m, x| m.max(x.abs()));
        r = next;
        if change < 1e-15 {
            break;
        }
    }
    Some(r)
}

fn within_range(t: DVec3) -> DVec3 {
    t.clamp(DVec3::splat(-MAX_COORDINATE), DVec3::splat(MAX_COORDINATE))
}

fn check_translation(t: DVec3) -> Result<(), PoseError> {
    for value in t.to_array() {
        if !value.is_finite() {
            return Err(PoseError::NotFinite);
        }
        if value.abs() > MAX_COORDINATE {
            return Err(PoseError::TooFar { value });
        }
    }
    Ok(())
}

/// Whether a matrix is within half the tolerance of a rotation, so that the full check would pass it.
#[inline]
fn is_surely_rotation(r: &DMat3) -> bool {
    let (x, y, z) = (r.x_axis, r.y_axis, r.z_axis);
    let near = |d: f64| d.abs() <= 0.5 * ROTATION_TOLERANCE;
    near(x.dot(x) - 1.0)
        & near(y.dot(y) - 1.0)
        & near(z.dot(z) - 1.0)
        & near(x.dot(y))
        & near(y.dot(z))
        & near(z.dot(x))
        & (x.cross(y).dot(z) > 0.0)
}

pub(super) fn deviation_from_rotation(r: &DMat3) -> f64 {
    let gram = r.transpose() * *r - DMat3::IDENTITY;
    gram.to_cols_array().iter().fold(
        0.0_f64,
        |m, x| if x.is_nan() { f64::NAN } else { m.max(x.abs()) },
    )
}
