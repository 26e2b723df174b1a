//! Numbers, poses, exact predicates and SIMD.

pub(crate) mod checksum;
mod cross_sign;
pub mod eigen;
mod exact;
mod interval;
mod limbs;
mod motion;
pub mod outward_rounding;
mod pose;
mod predicate;
mod rng;
mod rotation;
pub mod simd;
pub(crate) mod sort;

pub use interval::Interval;
pub use motion::{Motion, MotionError};
pub use pose::{Pose, PoseError, ROTATION_TOLERANCE};
pub use predicate::{Sign, incircle, insphere, orient2d, orient3d, orient3d_filter};
pub use rng::Rng;

pub(crate) use cross_sign::cross_sign;
pub(crate) use exact::{ExactRing, Integer, Scaled, odd_part, ray_side_sign};
#[cfg(feature = "formats")]
pub(crate) use pose::rotation_of;
pub(crate) use predicate::{orient2d_value, orient3d_signed, orient3d_value};

/// The largest coordinate magnitude a mesh, pose or cloud may hold, 2^150 (about 1.4e45).
///
/// Every finite `f32` is below it. Derived from the deepest polynomial the library evaluates on
/// coordinates: differences of placed points stay below 2^153, a product of six of them below
/// 2^918, and a sum of 2^32 such products times small constants below 2^960, far from the
/// overflow threshold 2^1024. There is no lower limit: predicates fall back to integer
/// arithmetic where floating-point expansions would underflow.
pub const MAX_COORDINATE: f64 = f64::from_bits((1023 + 150) << 52);

/// Whether a point may enter the library: finite and at most [`MAX_COORDINATE`] in each coordinate.
///
/// ```
/// use impinge::{math::is_valid_point, DVec3};
/// assert!(is_valid_point(DVec3::new(1.0, -2.0, 0.0)));
/// assert!(!is_valid_point(DVec3::new(f64::NAN, 0.0, 0.0)));
/// assert!(!is_valid_point(DVec3::new(1e300, 0.0, 0.0)));
/// ```
#[must_use]
pub fn is_valid_point(p: glam::DVec3) -> bool {
    // Written so that NaN fails: every comparison with NaN is false.
    p.x.abs() <= MAX_COORDINATE && p.y.abs() <= MAX_COORDINATE && p.z.abs() <= MAX_COORDINATE
}
