//! Contact of a vertex and a face, or of two edges, whose vertices move on straight lines.
//!
//! By normals and dots, with cases for degenerate elements, at roots isolated by Sturm's chain: nothing of this is how the
//! library decides.

use std::cmp::Ordering;

use dashu_int::IBig;
use impinge::DVec3;

use super::sturm::{Dyadic, Poly, RealRoot, roots};

/// Four points at the start and at the end: a vertex and the three of a face, or the ends of one edge and of another.
pub type Moving = [[DVec3; 4]; 2];

type Vector = [Poly; 3];

/// The first contact, as an exact root that can be compared with numbers.
#[derive(Clone, Debug)]
pub struct FirstContact(RealRoot);

impl FirstContact {
    /// Whether the time is in `[lower, upper]`.
    #[must_use]
    pub fn is_within(&self, lower: f64, upper: f64) -> bool {
        let mut root = self.0.clone();
        let not_before = |root: &mut RealRoot, x: f64| {
            // x - t at the root.
            let (k, level) = dyadic(x);
            let line = Poly::new(vec![k, -(IBig::ONE << level)]);
            root.sign(&line)
        };
        not_before(&mut root, lower).is_le() && not_before(&mut root, upper).is_ge()
    }
}

fn dyadic(x: f64) -> Dyadic {
    let bits = x.to_bits();
    let field = ((bits >> 52) & 0x7FF) as i64;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) = if field == 0 {
        (fraction, -1074)
    } else {
        (fraction | (1 << 52), field - 1075)
    };
    let k = IBig::from(if x < 0.0 { -mantissa } else { mantissa });
    if exponent >= 0 {
        (k << exponent as usize, 0)
    } else {
        (k, (-exponent) as usize)
    }
}

fn integers(points: &Moving) -> [[[IBig; 3]; 4]; 2] {
    let level = points
        .iter()
        .flatten()
        .flat_map(|p| p.to_array())
        .map(|x| {
            let (k, level) = dyadic(x);
            level.saturating_sub(k.trailing_zeros().unwrap_or(level))
        })
        .max()
        .unwrap_or(0);
    points.map(|four| {
        four.map(|p| {
            p.to_array().map(|x| {
                let (k, own) = dyadic(x);
                if own <= level {
                    k << (level - own)
                } else {
                    k >> (own - level)
                }
            })
        })
    })
}

fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| a[k].minus(&b[k]))
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].times(&b[j]).minus(&a[j].times(&b[i]))
    })
}

fn dot(a: &Vector, b: &Vector) -> Poly {
    a[0].times(&b[0])
        .plus(&a[1].times(&b[1]))
        .plus(&a[2].times(&b[2]))
}

/// A point against a segment: on its line, and between its ends.
struct OnSegment {
    off_line: Vector,
    outside: Poly,
}

impl OnSegment {
    fn new(p: &Vector, a: &Vector, b: &Vector) -> Self {
        let (pa, pb) = (minus(a, p), minus(b, p));
        Self {
            off_line: cross(&pa, &pb),
            outside: dot(&pa, &pb),
        }
    }

    fn holds(&self, at: &mut RealRoot) -> bool {
        self.off_line.iter().all(|x| at.sign(x).is_eq()) && at.sign(&self.outside).is_le()
    }
}

/// Everything that decides contact, as polynomials of time.
struct Question {
    coplanar: Poly,
    normal: Vector,
    /// Not negative, where the normal is not zero.
    within: Vec<Poly>,
    /// One must hold where the normal is zero.
    segments: Vec<OnSegment>,
}

impl Question {
    fn vertex_face([p, a, b, c]: &[Vector; 4]) -> Self {
        let normal = cross(&minus(b, a), &minus(c, a));
        let within =
            [(a, b), (b, c), (c, a)].map(|(v, w)| dot(&normal, &cross(&minus(w, v), &minus(p, v))));
        Self {
            coplanar: dot(&normal, &minus(p, a)),
            normal,
            within: within.into(),
            segments: [(a, b), (b, c), (c, a)]
                .map(|(v, w)| OnSegment::new(p, v, w))
                .into(),
        }
    }

    fn edge_edge([a, b, c, d]: &[Vector; 4]) -> Self {
        let (u, v, w) = (minus(b, a), minus(d, c), minus(c, a));
        let normal = cross(&u, &v);
        let whole = dot(&normal, &normal);
        // a + s u = c + r v.
        let s = dot(&cross(&w, &v), &normal);
        let r = dot(&cross(&w, &u), &normal);
        Self {
            coplanar: dot(&normal, &w),
            normal,
            within: vec![s.clone(), whole.minus(&s), r.clone(), whole.minus(&r)],
            segments: vec![
                OnSegment::new(a, c, d),
                OnSegment::new(b, c, d),
                OnSegment::new(c, a, b),
                OnSegment::new(d, a, b),
            ],
        }
    }

    fn is_contact(&self, at: &mut RealRoot) -> bool {
        if at.sign(&self.coplanar).is_ne() {
            return false;
        }
        if self.normal.iter().any(|x| at.sign(x).is_ne()) {
            self.within.iter().all(|x| at.sign(x).is_ge())
        } else {
            self.segments.iter().any(|segment| segment.holds(at))
        }
    }

    /// Times in `[0, 1]` between which nothing changes.
    fn times(&self) -> Vec<RealRoot> {
        if !self.coplanar.is_zero() {
            return roots(&self.coplanar);
        }
        let segments = self
            .segments
            .iter()
            .flat_map(|s| s.off_line.iter().chain([&s.outside]));
        let mut times = vec![
            RealRoot::number((IBig::ZERO, 0)),
            RealRoot::number((IBig::ONE, 0)),
        ];
        for poly in self.normal.iter().chain(&self.within).chain(segments) {
            if !poly.is_zero() {
                times.extend(roots(poly));
            }
        }
        times
    }

    fn first(&self) -> Option<FirstContact> {
        let mut best: Option<RealRoot> = None;
        for mut time in self.times() {
            if best.as_ref().is_some_and(|b| !is_before(&time, b)) {
                continue;
            }
            if self.is_contact(&mut time) {
                best = Some(time);
            }
        }
        best.map(FirstContact)
    }
}

fn compare((k, level): &Dyadic, (l, other): &Dyadic) -> Ordering {
    (k << *other).cmp(&(l << *level))
}

/// Whether one time is certainly before another; times that agree to many digits count as equal.
fn is_before(a: &RealRoot, b: &RealRoot) -> bool {
    /// Far beyond what brackets are compared to.
    const HALVINGS: usize = 90;
    let (mut a, mut b) = (a.clone(), b.clone());
    for _ in 0..HALVINGS {
        if compare(&a.upper, &b.lower).is_lt() {
            return true;
        }
        if compare(&b.upper, &a.lower).is_le() {
            return false;
        }
        a.halve();
        b.halve();
    }
    compare(&a.upper, &b.lower).is_le()
}

fn lines(points: &Moving) -> [Vector; 4] {
    let [start, end] = integers(points);
    std::array::from_fn(|i| std::array::from_fn(|k| Poly::line(&start[i][k], &end[i][k])))
}

/// When a vertex, the first of the points, first meets the face of the others; none if never.
#[must_use]
pub fn vertex_face_contact(points: &Moving) -> Option<FirstContact> {
    Question::vertex_face(&lines(points)).first()
}

/// When the edge of the first two points first meets that of the others; none if never.
#[must_use]
pub fn edge_edge_contact(points: &Moving) -> Option<FirstContact> {
    Question::edge_edge(&lines(points)).first()
}
