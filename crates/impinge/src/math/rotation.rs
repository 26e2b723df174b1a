//! Rotations as matrices: products in a fixed order, the turn between two of them, lengths that neither over- nor underflow.

use glam::{DMat3, DQuat, DVec3};

use super::Pose;
use super::pose::deviation_from_rotation;

/// A rotation this close to orthonormal is left as it is.
const ROUNDING_DEVIATION: f64 = 4e-15;

/// Matrix times vector with the order of operations fixed here.
pub(super) fn apply(m: &DMat3, v: DVec3) -> DVec3 {
    m.x_axis * v.x + m.y_axis * v.y + m.z_axis * v.z
}

pub(super) fn product(m: &DMat3, n: &DMat3) -> DMat3 {
    DMat3::from_cols(apply(m, n.x_axis), apply(m, n.y_axis), apply(m, n.z_axis))
}

/// The rotation of a pose, brought back to orthonormal when it is off by more than rounding.
pub(super) fn orthonormal(pose: &Pose) -> DMat3 {
    let rotation = *pose.rotation();
    if deviation_from_rotation(&rotation) <= ROUNDING_DEVIATION {
        return rotation;
    }
    Pose::nearest(rotation, DVec3::ZERO).map_or(rotation, |nearest| *nearest.rotation())
}

/// The axis and angle (0 to π) of the shortest turn from `start` to `end`, in world coordinates.
pub(super) fn turn_between(start: &Pose, end: &Pose) -> (DVec3, f64) {
    if start.rotation() == end.rotation() {
        return (DVec3::X, 0.0);
    }
    let turn = product(&orthonormal(end), &orthonormal(start).transpose());
    let [x, y, z, w] = quaternion(&turn).to_array();
    // q and −q are the same turn; the one with w ≥ 0 is the short way.
    let v = if w < 0.0 {
        DVec3::new(-x, -y, -z)
    } else {
        DVec3::new(x, y, z)
    };
    let sine = length(v);
    if sine == 0.0 {
        return (DVec3::X, 0.0);
    }
    (direction(v), 2.0 * libm::atan2(sine, w.abs()))
}

/// The quaternion of a rotation, of some length; a large component is the pivot, so none is lost to cancellation.
fn quaternion(r: &DMat3) -> DQuat {
    let (xx, yy, zz) = (r.x_axis.x, r.y_axis.y, r.z_axis.z);
    // Differences and sums of mirrored entries: 4wx, 4wy, 4wz and 4yz, 4zx, 4xy.
    let skew = DVec3::new(
        r.y_axis.z - r.z_axis.y,
        r.z_axis.x - r.x_axis.z,
        r.x_axis.y - r.y_axis.x,
    );
    let even = DVec3::new(
        r.y_axis.z + r.z_axis.y,
        r.z_axis.x + r.x_axis.z,
        r.x_axis.y + r.y_axis.x,
    );
    let pivots = [
        1.0 + xx + yy + zz,
        1.0 + xx - yy - zz,
        1.0 - xx + yy - zz,
        1.0 - xx - yy + zz,
    ];
    let unscaled = if pivots[0] >= 1.0 {
        [skew.x, skew.y, skew.z, pivots[0]]
    } else if pivots[1] >= pivots[2] && pivots[1] >= pivots[3] {
        [pivots[1], even.z, even.y, skew.x]
    } else if pivots[2] >= pivots[3] {
        [even.z, pivots[2], even.x, skew.y]
    } else {
        [even.y, even.x, pivots[3], skew.z]
    };
    DQuat::from_array(unscaled)
}

/// The length of a finite vector, without over- or underflow.
pub(super) fn length(v: DVec3) -> f64 {
    let largest = v.abs().max_element();
    if largest == 0.0 {
        return 0.0;
    }
    let scaled = v / largest;
    largest * scaled.dot(scaled).sqrt()
}

/// The unit vector along `v`; X for the zero vector.
pub(super) fn direction(v: DVec3) -> DVec3 {
    let largest = v.abs().max_element();
    if largest == 0.0 {
        return DVec3::X;
    }
    let scaled = v / largest;
    scaled / scaled.dot(scaled).sqrt()
}
