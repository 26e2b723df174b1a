//! The volume that two tetrahedra share, in rational numbers.
//!
//! Each face of one is clipped by the four planes of the other, and the cones over what is left are added up. Where faces of both lie in
//! one plane and look the same way, only one of them bounds the overlap; where they look at each other, both are kept and cancel.

use dashu_int::IBig;
use dashu_ratio::RBig;
use impinge::DVec3;

type Point = [RBig; 3];

/// The exact volume common to two tetrahedra, given by their corners, rounded at the very end.
#[must_use]
pub fn shared_by_tetrahedra(a: &[DVec3; 4], b: &[DVec3; 4]) -> f64 {
    let (Some(a), Some(b)) = (Tetrahedron::new(a), Tetrahedron::new(b)) else {
        return 0.0;
    };
    let mut six = RBig::ZERO;
    for face in &a.faces {
        six += cone(clip(face.to_vec(), &b));
    }
    for face in &b.faces {
        if !a.faces.iter().any(|f| same_plane_and_side(f, face)) {
            six += cone(clip(face.to_vec(), &a));
        }
    }
    (six / RBig::from(6)).to_f64().value()
}

struct Tetrahedron {
    /// Counter-clockwise from outside.
    faces: [[Point; 3]; 4],
}

impl Tetrahedron {
    fn new(corners: &[DVec3; 4]) -> Option<Self> {
        let mut p = corners.map(rational);
        let volume = side(&[p[0].clone(), p[1].clone(), p[2].clone()], &p[3]);
        if volume == RBig::ZERO {
            return None;
        }
        if volume > RBig::ZERO {
            // The fourth corner lies in front of the first three: turn the order round.
            p.swap(1, 2);
        }
        let face = |i: usize, j: usize, k: usize| [p[i].clone(), p[j].clone(), p[k].clone()];
        Some(Self {
            faces: [face(0, 1, 2), face(0, 3, 1), face(1, 3, 2), face(0, 2, 3)],
        })
    }
}

fn rational(p: DVec3) -> Point {
    p.to_array().map(|x| {
        let bits = x.to_bits();
        let field = ((bits >> 52) & 0x7FF) as i64;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, exponent) = if field == 0 {
            (fraction, -1074)
        } else {
            (fraction | 1 << 52, field - 1075)
        };
        let mut value = RBig::from(IBig::from(mantissa));
        let power = RBig::from(IBig::from(1) << exponent.unsigned_abs() as usize);
        value = if exponent < 0 {
            value / power
        } else {
            value * power
        };
        if x < 0.0 { -value } else { value }
    })
}

fn minus(p: &Point, q: &Point) -> Point {
    [&p[0] - &q[0], &p[1] - &q[1], &p[2] - &q[2]]
}

fn cross(p: &Point, q: &Point) -> Point {
    let minor = |i: usize, j: usize| &p[i] * &q[j] - &p[j] * &q[i];
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

fn dot(p: &Point, q: &Point) -> RBig {
    &p[0] * &q[0] + &p[1] * &q[1] + &p[2] * &q[2]
}

fn normal(face: &[Point; 3]) -> Point {
    cross(&minus(&face[1], &face[0]), &minus(&face[2], &face[0]))
}

/// Positive in front of the face.
fn side(face: &[Point; 3], p: &Point) -> RBig {
    dot(&normal(face), &minus(p, &face[0]))
}

fn clip(mut polygon: Vec<Point>, by: &Tetrahedron) -> Vec<Point> {
    for face in &by.faces {
        let mut kept = Vec::new();
        for i in 0..polygon.len() {
            let (p, q) = (&polygon[i], &polygon[(i + 1) % polygon.len()]);
            let (at_p, at_q) = (side(face, p), side(face, q));
            if at_p <= RBig::ZERO {
                kept.push(p.clone());
            }
            if (at_p < RBig::ZERO && at_q > RBig::ZERO) || (at_p > RBig::ZERO && at_q < RBig::ZERO)
            {
                let s = &at_p / (&at_p - &at_q);
                let step = minus(q, p);
                kept.push(std::array::from_fn(|k| &p[k] + &s * &step[k]));
            }
        }
        polygon = kept;
    }
    polygon
}

/// Six times the volume of the cone from the origin over a flat polygon.
fn cone(polygon: Vec<Point>) -> RBig {
    let mut six = RBig::ZERO;
    for i in 2..polygon.len() {
        six += dot(&polygon[0], &cross(&polygon[i - 1], &polygon[i]));
    }
    six
}

fn same_plane_and_side(f: &[Point; 3], g: &[Point; 3]) -> bool {
    g.iter().all(|p| side(f, p) == RBig::ZERO) && dot(&normal(f), &normal(g)) > RBig::ZERO
}
