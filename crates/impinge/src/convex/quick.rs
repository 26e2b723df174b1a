//! A short search for a proof that two cores meet, or that they do not.
//!
//! **Idea.** Yes or no needs no nearest point. Go towards the origin from the newest difference, sideways past the part of the simplex that
//! sees it, until a support plane lies behind the origin or a tetrahedron around it. There is no root and no division in a step.
//! **Source.** Gilbert, Johnson and Keerthi 1988 in the form of van den Bergen 1999; the regions after common practice.
//! **Promise.** Only proofs, rounding included; what is not proven in [`MAX_QUICK_STEPS`] is left to the search for the nearest difference.

use glam::DVec3;

use super::simplex::surely_hold_origin;

/// Support points of the short search.
const MAX_QUICK_STEPS: u32 = 12;

/// A difference and the two vertices it is of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Difference {
    pub(super) y: DVec3,
    pub(super) vertices: [u32; 2],
}

/// What was proven.
#[derive(Clone, Copy, Debug)]
pub(super) enum Proof {
    /// All differences lie beyond this direction from the origin.
    Apart(DVec3),
    /// These corners hold the origin.
    Meeting([Difference; 4]),
}

/// Up to four corners, the newest last, and where to look next.
struct Walk {
    corners: [Difference; 4],
    count: usize,
    toward: DVec3,
}

/// Searches with support points given by `corner`, the difference farthest along a direction; a plane counts when it lies more than `slack` behind
/// the origin.
#[inline]
pub(super) fn prove(
    start: DVec3,
    slack: f64,
    mut corner: impl FnMut(DVec3) -> Difference,
) -> Option<Proof> {
    let mut walk = Walk {
        corners: [Difference::default(); 4],
        count: 0,
        toward: start,
    };
    for _ in 0..MAX_QUICK_STEPS {
        let length_sq = walk.toward.length_squared();
        if length_sq.is_nan() || length_sq <= f64::MIN_POSITIVE {
            return None;
        }
        let next = corner(walk.toward);
        let along = walk.toward.dot(next.y);
        if along * along <= slack * slack * length_sq {
            return None;
        }
        if along < 0.0 {
            return Some(Proof::Apart(-walk.toward));
        }
        walk.corners[walk.count] = next;
        walk.count += 1;
        let is_around = match walk.count {
            1 => {
                walk.toward = -next.y;
                false
            }
            2 => walk.beyond_segment(1, 0),
            3 => walk.beyond_triangle(2, 1, 0),
            _ => walk.beyond_tetrahedron(),
        };
        if is_around {
            let y = walk.corners.map(|corner| corner.y);
            return surely_hold_origin(&y).then_some(Proof::Meeting(walk.corners));
        }
    }
    None
}

impl Walk {
    fn y(&self, i: usize) -> DVec3 {
        self.corners[i].y
    }

    fn keep<const N: usize>(&mut self, corners: [usize; N]) {
        let old = self.corners;
        for (slot, i) in corners.into_iter().enumerate() {
            self.corners[slot] = old[i];
        }
        self.count = N;
    }

    /// Past a segment whose newest end is `a`.
    fn beyond_segment(&mut self, a: usize, b: usize) -> bool {
        let (ab, to_origin) = (self.y(b) - self.y(a), -self.y(a));
        if ab.dot(to_origin) > 0.0 {
            self.toward = ab.cross(to_origin).cross(ab);
            if self.count > 2 || b > a {
                self.keep([b, a]);
            }
        } else {
            self.toward = to_origin;
            self.keep([a]);
        }
        false
    }

    /// Past a triangle whose newest corner is `a`.
    fn beyond_triangle(&mut self, a: usize, b: usize, c: usize) -> bool {
        let (ab, ac) = (self.y(b) - self.y(a), self.y(c) - self.y(a));
        let to_origin = -self.y(a);
        let normal = ab.cross(ac);
        if normal.cross(ac).dot(to_origin) > 0.0 {
            if ac.dot(to_origin) > 0.0 {
                self.toward = ac.cross(to_origin).cross(ac);
                self.keep([c, a]);
                return false;
            }
            return self.beyond_segment(a, b);
        }
        if ab.cross(normal).dot(to_origin) > 0.0 {
            return self.beyond_segment(a, b);
        }
        // The order of the corners makes the side of the origin the front, seen from the newest.
        if normal.dot(to_origin) > 0.0 {
            self.toward = normal;
            self.keep([c, b, a]);
        } else {
            self.toward = -normal;
            self.keep([b, c, a]);
        }
        false
    }

    /// Past a tetrahedron whose first three corners have the newest on the front; true when the origin is behind all new sides.
    fn beyond_tetrahedron(&mut self) -> bool {
        let [c, b, a, top] = [0, 1, 2, 3].map(|i: usize| self.y(i));
        let to_origin = -top;
        // Each new side has an edge of the old one and the newest corner; outward by the order of the old corners.
        let sides = [([2, 1], a, b), ([1, 0], b, c), ([0, 2], c, a)];
        for ([first, second], p, q) in sides {
            let normal = (p - top).cross(q - top);
            if normal.dot(to_origin) > 0.0 {
                return self.beyond_triangle(3, first, second);
            }
        }
        true
    }
}
