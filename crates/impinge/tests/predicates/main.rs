//! Exact predicates and exact triangle contact, against integer arithmetic that shares nothing with them.

mod contact;
mod laws;
mod signs;
mod tri_tri;

use impinge::geom::{
    Contact, TriangleOverlap, certified_contact, segment_meets_triangle, triangle_contact,
    triangle_overlap, triangles_intersect,
};
use impinge::math::{
    MAX_COORDINATE, Rng, Sign, incircle, insphere, orient2d, orient3d, orient3d_filter,
};
use impinge::{DVec2, DVec3};
use impinge_testkit::oracle::vectors::{cross, dot};

type V3 = [i128; 3];
type Face = [DVec3; 3];

fn sign(x: i128) -> Sign {
    match x.signum() {
        1 => Sign::Positive,
        -1 => Sign::Negative,
        _ => Sign::Zero,
    }
}

fn float(p: V3) -> DVec3 {
    DVec3::from_array(p.map(|x| {
        assert_eq!((x as f64) as i128, x, "must be exact");
        x as f64
    }))
}

fn minus(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn times(a: V3, k: i128) -> V3 {
    a.map(|x| x * k)
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// 2^k, also where that is denormal.
fn two_to(k: i32) -> f64 {
    let half = |k: i32| f64::from_bits(((k + 1023) as u64) << 52);
    half(k / 2) * half(k - k / 2)
}

fn integer_in(rng: &mut Rng, bits: u32) -> i128 {
    i128::from(rng.below(2 << bits)) - (1 << bits)
}

fn integer_point(rng: &mut Rng, bits: u32) -> V3 {
    [0; 3].map(|_| integer_in(rng, bits))
}

fn nudge(rng: &mut Rng, p: V3) -> V3 {
    p.map(|x| x + i128::from(rng.below(3)) - 1)
}
