//! Numbers that break things, and what can be made of them.

use std::sync::Arc;

use impinge::glam::{DQuat, DVec2};
use impinge::math::{MAX_COORDINATE, Motion, Rng, is_valid_point};
use impinge::query::{Bounded, Limits};
use impinge::{DMat3, DVec3, Pose, TriMesh};

pub(crate) const ODD: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    1e308,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    f64::from_bits(1),
    -f64::from_bits(1),
    f64::from_bits(0x000f_ffff_ffff_ffff),
    MAX_COORDINATE,
    -MAX_COORDINATE,
    2.0 * MAX_COORDINATE,
    MAX_COORDINATE * 1.000_000_000_000_000_2,
    1e300,
    1e-300,
    f64::EPSILON,
    -3.0,
];

pub(crate) const INDICES: [u32; 9] = [
    0,
    1,
    2,
    3,
    u32::MAX / 3,
    u32::MAX / 3 + 1,
    i32::MAX as u32,
    u32::MAX - 1,
    u32::MAX,
];

pub(crate) fn odd(rng: &mut Rng) -> f64 {
    ODD[rng.below(ODD.len() as u64) as usize]
}

pub(crate) fn odd_point(rng: &mut Rng) -> DVec3 {
    let (x, y, z) = (odd(rng), odd(rng), odd(rng));
    DVec3::new(x, y, z)
}

pub(crate) fn odd_point2(rng: &mut Rng) -> DVec2 {
    let (x, y) = (odd(rng), odd(rng));
    DVec2::new(x, y)
}

/// A number that a mesh accepts as a coordinate.
pub(crate) fn valid(rng: &mut Rng) -> f64 {
    loop {
        let x = odd(rng);
        if x.abs() <= MAX_COORDINATE {
            return x;
        }
    }
}

/// A point that a mesh accepts, with odd coordinates.
pub(crate) fn valid_point(rng: &mut Rng) -> DVec3 {
    let (x, y, z) = (valid(rng), valid(rng), valid(rng));
    DVec3::new(x, y, z)
}

pub(crate) fn valid_triangle(rng: &mut Rng) -> [DVec3; 3] {
    std::array::from_fn(|_| valid_point(rng))
}

pub(crate) fn odd_triangle(rng: &mut Rng) -> [DVec3; 3] {
    std::array::from_fn(|_| odd_point(rng))
}

/// A mesh of a few faces between a few odd points, degenerate and duplicate ones among them.
pub(crate) fn odd_mesh(rng: &mut Rng, max_faces: u64) -> Arc<TriMesh> {
    let n = 1 + rng.below(9);
    let positions: Vec<DVec3> = (0..n).map(|_| valid_point(rng)).collect();
    let faces = (0..rng.below(max_faces + 1))
        .map(|_| std::array::from_fn(|_| rng.below(n) as u32))
        .collect();
    Arc::new(TriMesh::new(positions, faces).unwrap())
}

/// Whatever the constructors accept of odd entries, if anything.
pub(crate) fn odd_pose(rng: &mut Rng) -> Option<Pose> {
    let columns = DMat3::from_cols(odd_point(rng), odd_point(rng), odd_point(rng));
    let made = match rng.below(5) {
        0 => Pose::new(columns, odd_point(rng)),
        1 => Pose::nearest(columns, odd_point(rng)),
        2 => Pose::from_translation(odd_point(rng)),
        3 => Pose::from_axis_angle(odd_point(rng), odd(rng), odd_point(rng)),
        _ => {
            let [x, y, z, w] = std::array::from_fn(|_| odd(rng));
            Pose::from_quaternion(DQuat::from_xyzw(x, y, z, w), odd_point(rng))
        }
    };
    let pose = made.ok()?;
    assert!(pose.rotation().is_finite() && is_valid_point(pose.translation()));
    Some(pose)
}

/// Whatever the constructors accept of odd poses and velocities.
pub(crate) fn odd_motion(rng: &mut Rng) -> Motion {
    let (start, end) = (
        odd_pose(rng).unwrap_or_default(),
        odd_pose(rng).unwrap_or_default(),
    );
    let made = match rng.below(4) {
        0 => Motion::between_about(&start, &end, odd_point(rng)),
        1 => Motion::screw(&start, &end),
        2 => Motion::from_velocity(&start, odd_point(rng), odd_point(rng), odd_point(rng)),
        _ => Ok(Motion::between(&start, &end)),
    };
    made.unwrap_or_else(|_| Motion::still(&end))
}

/// No limit, few tests, an odd distance.
pub(crate) fn odd_limits(rng: &mut Rng) -> Limits<'static> {
    Limits {
        max_tests: (rng.below(2) == 0).then(|| rng.below(40)),
        max_distance: (rng.below(2) == 0).then(|| odd(rng)),
        stop: (rng.below(20) == 0).then_some(&|| true),
    }
}

/// An answer's bounds are numbers, in order.
pub(crate) fn check_bracket<T>(answer: &Bounded<T>) {
    let Bounded { lower, upper, .. } = answer;
    assert!(lower <= upper, "{lower} {upper}");
}
