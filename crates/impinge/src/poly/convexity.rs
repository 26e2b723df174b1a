//! Convex and simple outlines.

use glam::DVec2;

use super::orientation::{is_same_way, segments_meet, turn};
use super::ring::Ring;
use crate::math::sort::sort_many;

/// Whether the outline bounds a convex region, corners in the middle of a straight side allowed.
///
/// Two conditions decide: the x- and the y-coordinates each rise once and fall once (which rules
/// out outlines that wind twice), and all turns go the same way (which alone would let those pass).
/// Outlines without area or with a corner repeated in a row are not convex.
///
/// ```
/// use impinge::{DVec2, poly::is_convex};
/// let dart = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [3.0, 1.0]].map(DVec2::from);
/// assert!(!is_convex(&dart));
/// assert!(is_convex(&dart[..3]));
/// ```
#[must_use]
pub fn is_convex(ring: &(impl Ring + ?Sized)) -> bool {
    turns_one_way(ring, false)
}

/// Whether the outline is convex and turns at every corner.
///
/// ```
/// use impinge::{DVec2, poly::{is_convex, is_strictly_convex}};
/// let flat_corner = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 2.0]].map(DVec2::from);
/// assert!(is_convex(&flat_corner) && !is_strictly_convex(&flat_corner));
/// ```
#[must_use]
pub fn is_strictly_convex(ring: &(impl Ring + ?Sized)) -> bool {
    turns_one_way(ring, true)
}

fn turns_one_way(ring: &(impl Ring + ?Sized), strictly: bool) -> bool {
    let k = ring.len();
    if k < 3 {
        return false;
    }
    let mut x_changes = SignChanges::default();
    let mut y_changes = SignChanges::default();
    let (mut left, mut right) = (false, false);
    let mut previous = ring.corner(k - 2);
    let mut corner = ring.corner(k - 1);
    for i in 0..k {
        let next = ring.corner(i);
        if corner == next {
            return false;
        }
        let sign = turn(previous, corner, next);
        left |= sign.is_positive();
        right |= sign.is_negative();
        if (left && right) || (strictly && sign.is_zero()) {
            return false;
        }
        x_changes.step(next.x - corner.x);
        y_changes.step(next.y - corner.y);
        previous = corner;
        corner = next;
    }
    (left || right) && x_changes.closed() == 2 && y_changes.closed() == 2
}

/// How often a cyclic sequence of differences changes its sign, zeros skipped.
#[derive(Default)]
struct SignChanges {
    first: f64,
    last: f64,
    count: usize,
}

impl SignChanges {
    fn step(&mut self, difference: f64) {
        if difference == 0.0 {
            return;
        }
        if self.last == 0.0 {
            self.first = difference;
        } else if (self.last > 0.0) != (difference > 0.0) {
            self.count += 1;
        }
        self.last = difference;
    }

    fn closed(&self) -> usize {
        self.count + usize::from((self.last > 0.0) != (self.first > 0.0))
    }
}

/// Whether no two edges of the outlines meet, except neighbours in their common corner.
///
/// Pass all loops of a face together to find holes that touch the outline or each other. Costs
/// O(k log k) when edges are short against the whole, O(k²) at worst.
///
/// ```
/// use impinge::{DVec2, poly::is_simple};
/// let bow_tie = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]].map(DVec2::from);
/// assert!(!is_simple(&[bow_tie]));
/// ```
#[must_use]
pub fn is_simple<R: Ring>(rings: &[R]) -> bool {
    let mut edges = Vec::new();
    for (ring_index, ring) in rings.iter().enumerate() {
        let k = ring.len();
        for i in 0..k {
            let next = if i + 1 == k { 0 } else { i + 1 };
            edges.push(OutlineEdge {
                a: ring.corner(i),
                b: ring.corner(next),
                ring: ring_index,
                from: i,
                to: next,
            });
        }
    }
    sort_many(&mut edges, |e, f| e.min_x().total_cmp(&f.min_x()));
    let mut active: Vec<&OutlineEdge> = Vec::new();
    for edge in &edges {
        active.retain(|other| other.max_x() >= edge.min_x());
        if active.iter().any(|other| edge.conflicts_with(other)) {
            return false;
        }
        active.push(edge);
    }
    true
}

struct OutlineEdge {
    a: DVec2,
    b: DVec2,
    ring: usize,
    from: usize,
    to: usize,
}

impl OutlineEdge {
    fn min_x(&self) -> f64 {
        self.a.x.min(self.b.x)
    }

    fn max_x(&self) -> f64 {
        self.a.x.max(self.b.x)
    }

    fn conflicts_with(&self, other: &Self) -> bool {
        if self.ring == other.ring && self.to == other.from {
            return folds_back(self.a, self.b, other.b);
        }
        if self.ring == other.ring && other.to == self.from {
            return folds_back(other.a, other.b, self.b);
        }
        segments_meet(self.a, self.b, other.a, other.b)
    }
}

/// Whether the path a → b → c returns along itself, or stands still.
fn folds_back(a: DVec2, b: DVec2, c: DVec2) -> bool {
    a == b || b == c || (turn(a, b, c).is_zero() && is_same_way(b, a, c))
}
