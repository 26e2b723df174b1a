//! Pairs of faces that are hard to tell: they touch, or nearly.

use impinge::DVec3;
use impinge::geom::{SharedCorners, adjacent_triangles_intersect, triangles_intersect};
use impinge::math::Rng;

/// Pairs of faces over common vertices, with the exact verdict of each.
pub(crate) struct Pairs {
    pub(crate) points: Vec<DVec3>,
    pub(crate) faces: Vec<[u32; 3]>,
    pub(crate) pairs: Vec<[u32; 2]>,
}

impl Pairs {
    fn corners(&self, face: u32) -> [DVec3; 3] {
        self.faces[face as usize].map(|v| self.points[v as usize])
    }

    /// None for pairs that share all corners, which are no question of geometry.
    pub(crate) fn meet(&self, [a, b]: [u32; 2]) -> Option<bool> {
        let (p, q) = (self.corners(a), self.corners(b));
        let shared = SharedCorners::by_index(self.faces[a as usize], self.faces[b as usize]);
        match shared.pairs().len() {
            0 => Some(triangles_intersect(&p, &q)),
            1 | 2 => Some(adjacent_triangles_intersect(&p, &q, &shared)),
            _ => None,
        }
    }

    pub(crate) fn add(&mut self, a: [DVec3; 3], b: [DVec3; 3], shared: usize) {
        let first = self.points.len() as u32;
        self.points.extend(a);
        let mut second = [first; 3];
        for (k, v) in second.iter_mut().enumerate() {
            if k < shared {
                *v = first + (2 - k as u32);
            } else {
                *v = self.points.len() as u32;
                self.points.push(b[k]);
            }
        }
        let face = self.faces.len() as u32;
        self.faces.extend([[first, first + 1, first + 2], second]);
        self.pairs.push([face, face + 1]);
    }
}

pub(crate) fn point(random: &mut Rng) -> DVec3 {
    DVec3::from([0; 3].map(|_| random.range(-1.0, 1.0)))
}

/// On a small grid, where faces touch, lie in one plane and are degenerate.
fn grid_point(random: &mut Rng, n: u64) -> DVec3 {
    DVec3::from([0; 3].map(|_| random.below(n) as f64))
}

/// Pairs that touch, or nearly: a corner is put on the other face, an edge across an edge, and then
/// moved by little, from nothing to a thousandth.
pub(crate) fn adversarial(random: &mut Rng, count: usize) -> Pairs {
    let mut pairs = Pairs {
        points: Vec::new(),
        faces: Vec::new(),
        pairs: Vec::new(),
    };
    for k in 0..count {
        let shared = random.below(3) as usize;
        let a = [0; 3].map(|_| point(random));
        let on = |random: &mut Rng| {
            let (s, t) = (random.range(-1.0, 1.0).abs(), random.range(-1.0, 1.0).abs());
            let (s, t) = if s + t > 1.0 {
                (1.0 - s, 1.0 - t)
            } else {
                (s, t)
            };
            a[0] + (a[1] - a[0]) * s + (a[2] - a[0]) * t
        };
        let mut b = [0; 3].map(|_| point(random));
        match k % 8 {
            // A corner on the face.
            0 => b[2] = on(random),
            // All corners in its plane.
            1 => b = [0; 3].map(|_| on(random) * 2.0 - a[0]),
            // An edge of one across an edge of the other.
            2 => {
                let middle = a[0] + (a[1] - a[0]) * random.range(-1.0, 1.0).abs();
                b[2] = middle * 2.0 - b[1];
            }
            // Small integers.
            3 => {
                let n = 2 + random.below(4);
                let a = [0; 3].map(|_| grid_point(random, n));
                let b = [0; 3].map(|_| grid_point(random, n));
                pairs.add(a, b, shared);
                continue;
            }
            // Needles.
            4 => b[2] = b[1] + (b[1] - b[0]) * 1e-6,
            // Parallel faces.
            5 => b = a.map(|p| p + (a[1] - a[0]).cross(a[2] - a[0]) * 1e-5),
            // Nearly folded onto each other.
            6 => b = [a[2], a[1], on(random)],
            _ => {}
        }
        let exponent = -3.0 - 14.0 * random.range(-1.0, 1.0).abs();
        let little = if random.below(4) == 0 {
            0.0
        } else {
            10.0_f64.powf(exponent)
        };
        let moved = point(random) * little;
        b = b.map(|p| p + moved);
        pairs.add(a, b, shared);
    }
    pairs
}
