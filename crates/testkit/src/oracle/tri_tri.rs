//! Do two triangles meet, and do they cross?
//!
//! **Idea.** Two convex sets A and B share a point exactly when the origin lies in `A − B`, and
//! their relative interiors share one exactly when it lies in the relative interior of `A − B`
//! (relative interiors add). `A − B` is a polytope whose facets are known: in space each contains
//! a triangle, or an edge of each, so its normal is a normal of A, of B, or a product of two
//! edges; in a plane each contains an edge; on a line the facets are the end points. So every
//! facet is looked at, in the dimension that `A − B` has, and the origin is outside, on or inside
//! it. No orientation predicates, no projection, no case distinction by signs.
//!
//! **Cost.** At most eleven directions, six products each.
//!
//! **Promise.** Exact for all finite coordinates, triangles of any degeneracy.

use std::cmp::Ordering;

use super::Triangle;
use super::integer::{Integer, Point, Scaled, cross, difference, dot, is_zero, scaled};

/// How the closed convex hulls of two triangles meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contact {
    /// They share no point.
    Disjoint,
    /// They share a point, but their relative interiors do not.
    Touching,
    /// Their relative interiors share a point.
    Crossing,
}

/// How the two triangles meet, decided in integers.
///
/// ```
/// use impinge::DVec3;
/// use impinge_testkit::oracle::{Contact, contact};
/// let floor = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// assert_eq!(contact(&floor, &floor.map(|p| p + DVec3::Z)), Contact::Disjoint);
/// assert_eq!(contact(&floor, &floor.map(|p| p + DVec3::X)), Contact::Touching);
/// assert_eq!(contact(&floor, &floor), Contact::Crossing);
/// ```
#[must_use]
pub fn contact(a: &Triangle, b: &Triangle) -> Contact {
    match scaled(&[a[0], a[1], a[2], b[0], b[1], b[2]]) {
        Scaled::Narrow([a0, a1, a2, b0, b1, b2]) => decide(&[a0, a1, a2], &[b0, b1, b2]),
        Scaled::Wide([a0, a1, a2, b0, b1, b2]) => decide(&[a0, a1, a2], &[b0, b1, b2]),
    }
}

/// Whether the two triangles share a point.
#[must_use]
pub fn intersects(a: &Triangle, b: &Triangle) -> bool {
    contact(a, b) != Contact::Disjoint
}

fn decide<I: Integer>(a: &[Point<I>; 3], b: &[Point<I>; 3]) -> Contact {
    let edges_a = edges(a);
    let edges_b = edges(b);
    // Any point of A − B: the origin lies in its affine hull when this one lies in the span.
    let offset = difference(&a[0], &b[0]);
    let mut facets = Facets {
        a,
        b,
        found: Contact::Crossing,
    };
    let all = || edges_a.iter().chain(&edges_b);

    let Some(line) = all().find(|e| !is_zero(e)) else {
        return if is_zero(&offset) {
            Contact::Crossing
        } else {
            Contact::Disjoint
        };
    };
    let Some(normal) = all().map(|e| cross(line, e)).find(|n| !is_zero(n)) else {
        if !is_zero(&cross(line, &offset)) {
            return Contact::Disjoint;
        }
        facets.look(line);
        return facets.found;
    };
    if all().all(|e| dot(&normal, e).against_zero().is_eq()) {
        if dot(&normal, &offset).against_zero().is_ne() {
            return Contact::Disjoint;
        }
        for e in all() {
            if facets.look(&cross(&normal, e)) {
                break;
            }
        }
        return facets.found;
    }
    let own = [
        cross(&edges_a[0], &edges_a[1]),
        cross(&edges_b[0], &edges_b[1]),
    ];
    for n in &own {
        if facets.look(n) {
            return facets.found;
        }
    }
    for e in &edges_a {
        for f in &edges_b {
            if facets.look(&cross(e, f)) {
                return facets.found;
            }
        }
    }
    facets.found
}

fn edges<I: Integer>(t: &[Point<I>; 3]) -> [Point<I>; 3] {
    [
        difference(&t[1], &t[0]),
        difference(&t[2], &t[1]),
        difference(&t[0], &t[2]),
    ]
}

struct Facets<'a, I> {
    a: &'a [Point<I>; 3],
    b: &'a [Point<I>; 3],
    /// The worst seen so far.
    found: Contact,
}

impl<I: Integer> Facets<'_, I> {
    /// Looks at both facets of `A − B` across a direction of its span; whether all is decided.
    fn look(&mut self, direction: &Point<I>) -> bool {
        if is_zero(direction) {
            return false;
        }
        let (min_a, max_a) = extent(self.a, direction);
        let (min_b, max_b) = extent(self.b, direction);
        let gap = min_a.compare(&max_b).max(min_b.compare(&max_a));
        self.found = self.found.min(match gap {
            Ordering::Greater => Contact::Disjoint,
            Ordering::Equal => Contact::Touching,
            Ordering::Less => Contact::Crossing,
        });
        self.found == Contact::Disjoint
    }
}

fn extent<I: Integer>(t: &[Point<I>; 3], direction: &Point<I>) -> (I, I) {
    let [x, y, z] = [
        dot(&t[0], direction),
        dot(&t[1], direction),
        dot(&t[2], direction),
    ];
    let (mut min, mut max) = if x.compare(&y).is_le() {
        (x, y)
    } else {
        (y, x)
    };
    if z.compare(&min).is_lt() {
        min = z;
    } else if z.compare(&max).is_gt() {
        max = z;
    }
    (min, max)
}
