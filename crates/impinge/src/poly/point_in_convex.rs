//! Point in convex polygon in logarithmic time, with and without preparation.
//!
//! **Question.** Is a point inside a convex outline with very many corners?
//! **Idea.** The heights of the corners rise once and fall once, so the lowest and highest corner
//! and then the two edges at the point's height are found by bisection; or, prepared, the wedge
//! from a centre that holds the point is, and one half-plane test remains.
//! **Source.** G. Zachmann, 1994. Ours: the bisection looks at the slope at its probe (three
//! heights alone do not tell the half), ties of height are broken by x, the wedge comparison is
//! by exact signs instead of angles, and inside is left of a counter-clockwise edge.
//! **Cost.** O(log k); wedges O(k) once.
//! **Promise.** [`convex_contains`] and [`convex_locate`] give exactly the answers of
//! [`contains`](super::contains) and [`locate`](super::locate) when the outline
//! [`is_convex`](super::is_convex).
//! **Limits.** Convexity is not checked: for other outlines the answer is arbitrary, but the
//! function returns.

use glam::DVec2;

use super::orientation::{is_between, is_same_way, turn};
use super::point_in_polygon::{PolygonLocation, contains, crosses_right_of, locate};
use super::ring::Ring;
use crate::math::Sign;

/// Whether a convex outline contains the point, boundary points as in [`contains`](super::contains).
///
/// ```
/// use impinge::{DVec2, poly::convex_contains};
/// let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(DVec2::from);
/// assert!(convex_contains(&square, DVec2::ONE));
/// assert!(!convex_contains(&square, DVec2::new(3.0, 1.0)));
/// ```
#[must_use]
pub fn convex_contains<R: Ring + ?Sized>(ring: &R, q: DVec2) -> bool {
    let Some(chains) = Chains::new(ring) else {
        return contains(&[ring], q);
    };
    // Everything up to and including the height of q counts as below it.
    if q.y < chains.at(false, 0).y || q.y >= chains.at(false, chains.forward).y {
        return false;
    }
    let mut right = 0;
    for backward in [false, true] {
        let (a, b) = chains.edge(backward, |p| p.y <= q.y);
        right += usize::from(crosses_right_of(a, b, q));
    }
    right == 1
}

/// Where a point is with respect to a convex outline.
///
/// ```
/// use impinge::{DVec2, poly::{PolygonLocation, convex_locate}};
/// let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(DVec2::from);
/// assert_eq!(convex_locate(&square, DVec2::new(1.0, 2.0)), PolygonLocation::OnBoundary);
/// assert_eq!(convex_locate(&square, DVec2::ONE), PolygonLocation::Inside);
/// ```
#[must_use]
pub fn convex_locate<R: Ring + ?Sized>(ring: &R, q: DVec2) -> PolygonLocation {
    let Some(chains) = Chains::new(ring) else {
        return locate(&[ring], q);
    };
    if is_lower(q, chains.at(false, 0)) || is_lower(chains.at(false, chains.forward), q) {
        return PolygonLocation::Outside;
    }
    let mut left = 0;
    for backward in [false, true] {
        let (a, b) = chains.edge(backward, |p| !is_lower(q, p));
        let side = turn(a, b, q);
        if side.is_zero() && is_between(a, b, q) {
            return PolygonLocation::OnBoundary;
        }
        left += usize::from(side.is_positive());
    }
    // Between two rising chains the point is left of one and right of the other.
    if left == 1 {
        PolygonLocation::Inside
    } else {
        PolygonLocation::Outside
    }
}

/// The order by height, ties by x: as if the outline were turned by an infinitely small angle,
/// so that no edge is horizontal.
fn is_lower(a: DVec2, b: DVec2) -> bool {
    a.y < b.y || (a.y == b.y && a.x < b.x)
}

/// The two rising chains of a convex outline, from its lowest to its highest corner.
struct Chains<'a, R: ?Sized> {
    ring: &'a R,
    lowest: usize,
    // Edges of the forward chain; the backward chain has the rest.
    forward: usize,
}

impl<'a, R: Ring + ?Sized> Chains<'a, R> {
    fn new(ring: &'a R) -> Option<Self> {
        let k = ring.len();
        let lowest = lowest_corner(k, |i, j| is_lower(ring.corner(i), ring.corner(j)))?;
        let highest = lowest_corner(k, |i, j| is_lower(ring.corner(j), ring.corner(i)))?;
        Some(Self {
            ring,
            lowest,
            forward: (highest + k - lowest) % k,
        })
    }

    fn length(&self, backward: bool) -> usize {
        if backward {
            self.ring.len() - self.forward
        } else {
            self.forward
        }
    }

    fn at(&self, backward: bool, step: usize) -> DVec2 {
        let k = self.ring.len();
        let index = if backward {
            self.lowest + k - step
        } else {
            self.lowest + step
        };
        self.ring.corner(index % k)
    }

    /// The edge of a chain at which `is_below` changes from true to false.
    fn edge(&self, backward: bool, is_below: impl Fn(DVec2) -> bool) -> (DVec2, DVec2) {
        let (mut low, mut high) = (0, self.length(backward).max(1));
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if is_below(self.at(backward, middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        (self.at(backward, low), self.at(backward, high))
    }
}

/// The lowest of `k` corners whose heights rise once and fall once around the ring; none when the
/// bisection finds no such corner, because they do not.
fn lowest_corner(k: usize, is_lower: impl Fn(usize, usize) -> bool) -> Option<usize> {
    if k < 3 {
        return None;
    }
    let rises = |i: usize| is_lower(i % k, (i + 1) % k);
    let is_lowest = |i: usize| !rises(i + k - 1) && rises(i);
    if is_lowest(0) {
        return Some(0);
    }
    // The lowest corner is strictly between a and b.
    let (mut a, mut b) = (0, k);
    while b - a > 1 {
        let c = a + (b - a) / 2;
        if is_lowest(c) {
            return Some(c);
        }
        let below_probe = match (rises(a), rises(c)) {
            (true, false) => true,
            (true, true) => is_lower(a % k, c),
            (false, true) => false,
            (false, false) => is_lower(c, a % k),
        };
        if below_probe {
            a = c;
        } else {
            b = c;
        }
    }
    None
}

/// An outline that is star-shaped around the mean of its corners, prepared for many point queries.
///
/// ```
/// use impinge::{DVec2, poly::{PolygonLocation, Wedges}};
/// let kite = [[0.0, -1.0], [1.0, 0.0], [0.0, 3.0], [-1.0, 0.0]].map(DVec2::from);
/// let wedges = Wedges::new(kite).ok_or("not star-shaped")?;
/// assert_eq!(wedges.locate(DVec2::new(0.0, 2.0)), PolygonLocation::Inside);
/// assert_eq!(wedges.locate(DVec2::new(1.0, 2.0)), PolygonLocation::Outside);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug)]
pub struct Wedges<R> {
    ring: R,
    centre: DVec2,
    clockwise: bool,
}

impl<R: Ring> Wedges<R> {
    /// The prepared outline; none when it is not star-shaped around the mean of its corners.
    ///
    /// Every convex outline with some area is; checked here, exactly.
    ///
    /// ```
    /// use impinge::{DVec2, poly::Wedges};
    /// assert!(Wedges::new([DVec2::ZERO, DVec2::X, DVec2::Y]).is_some());
    /// assert!(Wedges::new([DVec2::ZERO, DVec2::X]).is_none());
    /// ```
    #[must_use]
    pub fn new(ring: R) -> Option<Self> {
        let k = ring.len();
        if k < 3 {
            return None;
        }
        let first = ring.corner(0);
        let sum: DVec2 = (1..k).map(|i| ring.corner(i) - first).sum();
        let centre = first + sum / k as f64;
        let clockwise = turn(centre, first, ring.corner(1)).is_negative();
        let wedges = Self {
            ring,
            centre,
            clockwise,
        };
        let mut wraps = 0;
        for i in 0..k {
            let (a, b) = (wedges.corner(i), wedges.corner((i + 1) % k));
            if !turn(centre, a, b).is_positive() {
                return None;
            }
            // Each wedge turns left by less than half a turn; the whole must be one turn.
            wraps += usize::from(wedges.is_second_half(a) && !wedges.is_second_half(b));
        }
        (wraps == 1).then_some(wedges)
    }

    /// Where a point is with respect to the outline.
    ///
    /// ```
    /// use impinge::{DVec2, poly::{PolygonLocation, Wedges}};
    /// let triangle = Wedges::new([DVec2::ZERO, DVec2::X, DVec2::Y]).ok_or("not star-shaped")?;
    /// assert_eq!(triangle.locate(DVec2::splat(0.5)), PolygonLocation::OnBoundary);
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn locate(&self, q: DVec2) -> PolygonLocation {
        if q == self.centre {
            return PolygonLocation::Inside;
        }
        let k = self.ring.len();
        let second_half = self.is_second_half(q);
        let (mut low, mut high) = (0, k);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            let corner = self.corner(middle);
            let reached = match (self.is_second_half(corner), second_half) {
                (false, true) => true,
                (true, false) => false,
                _ => !turn(self.centre, corner, q).is_negative(),
            };
            if reached {
                low = middle;
            } else {
                high = middle;
            }
        }
        match turn(self.corner(low), self.corner((low + 1) % k), q) {
            Sign::Positive => PolygonLocation::Inside,
            Sign::Negative => PolygonLocation::Outside,
            // In the wedge and on the line is on the edge.
            Sign::Zero => PolygonLocation::OnBoundary,
        }
    }

    /// The corners counter-clockwise.
    fn corner(&self, index: usize) -> DVec2 {
        if self.clockwise {
            self.ring.corner(self.ring.len() - 1 - index)
        } else {
            self.ring.corner(index)
        }
    }

    /// Whether the direction from the centre is at least half a turn past that of corner 0.
    fn is_second_half(&self, p: DVec2) -> bool {
        let first = self.corner(0);
        let side = turn(self.centre, first, p);
        side.is_negative() || (side.is_zero() && !is_same_way(self.centre, first, p))
    }
}
