//! Point in polygon: one ray, six comparisons, rarely a determinant.
//!
//! **Question.** Is a point inside the region that some outlines bound?
//! **Idea.** Shoot a ray in +x and count the edges it crosses; odd is inside. Comparisons of
//! coordinates decide nearly all edges.
//! **Source.** G. Zachmann, 1994, with its order of checks. Ours: the diagonal checks are strict,
//! so that rounded differences cannot mislead them, and the last step takes the exact sign of the
//! numerator instead of dividing.
//! **Cost.** O(k).
//! **Promise.** Exact. [`contains`] treats a point (x, y) as (x + ε, y + ε²) for an infinitely small
//! ε: regions that tile the plane own each point once. [`locate`] names boundary points.
//! **Limits.** Regions are by parity: overlapping outlines cancel.

use glam::DVec2;

use super::orientation::{is_on_segment, turn};
use super::ring::Ring;

/// Where a point is with respect to a region of the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolygonLocation {
    /// In the open region.
    Inside,
    /// In neither the region nor its boundary.
    Outside,
    /// On an edge or corner.
    OnBoundary,
}

/// How many edges each check of the one-shot test has decided, in the order the checks are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrecheckHits {
    /// Edges left of the point.
    pub left: u64,
    /// Edges above the ray.
    pub above: u64,
    /// Edges on or below the ray.
    pub below: u64,
    /// Edges right of the point that cross the ray.
    pub right: u64,
    /// Edges above the rising diagonal through the point.
    pub over_diagonal: u64,
    /// Edges below the falling diagonal through the point.
    pub under_diagonal: u64,
    /// Edges that needed the sign of a determinant.
    pub computed: u64,
}

impl PrecheckHits {
    /// How many edges were examined.
    ///
    /// ```
    /// use impinge::poly::PrecheckHits;
    /// assert_eq!(PrecheckHits { left: 2, computed: 1, ..Default::default() }.total(), 3);
    /// ```
    #[must_use]
    pub fn total(&self) -> u64 {
        self.left
            + self.above
            + self.below
            + self.right
            + self.over_diagonal
            + self.under_diagonal
            + self.computed
    }
}

/// Whether the point is in the region bounded by the outlines, holes included among them.
///
/// Boundary points belong to the region on their right (above, for horizontal edges).
///
/// ```
/// use impinge::{DVec2, poly::contains};
/// let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(DVec2::from);
/// let hole = square.map(|p| p * 0.5 + 0.5);
/// assert!(contains(&[square], DVec2::ONE));
/// assert!(!contains(&[square, hole], DVec2::ONE));
/// assert!(contains(&[square], DVec2::new(0.0, 1.0)) && !contains(&[square], DVec2::new(2.0, 1.0)));
/// ```
#[must_use]
#[doc(alias = "point in polygon")]
pub fn contains<R: Ring>(rings: &[R], q: DVec2) -> bool {
    crosses_odd(rings.iter(), q, &mut ())
}

/// As [`contains`], adding to `hits` which check decided each edge.
///
/// ```
/// use impinge::{DVec2, poly::{PrecheckHits, contains_counted}};
/// let triangle = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]].map(DVec2::from);
/// let mut hits = PrecheckHits::default();
/// assert!(!contains_counted(&[triangle], DVec2::new(3.0, 1.0), &mut hits));
/// assert_eq!((hits.left, hits.total()), (3, 3));
/// ```
#[must_use]
pub fn contains_counted<R: Ring>(rings: &[R], q: DVec2, hits: &mut PrecheckHits) -> bool {
    crosses_odd(rings.iter(), q, hits)
}

/// Which check decided an edge; counting is compiled out for `()`.
pub(super) trait CheckTally {
    fn add(&mut self, check: fn(&mut PrecheckHits) -> &mut u64);
}

impl CheckTally for () {
    #[inline]
    fn add(&mut self, _: fn(&mut PrecheckHits) -> &mut u64) {}
}

impl CheckTally for PrecheckHits {
    #[inline]
    fn add(&mut self, check: fn(&mut PrecheckHits) -> &mut u64) {
        *check(self) += 1;
    }
}

/// Whether the ray in +x from `q` crosses the outlines an odd number of times.
#[inline]
pub(super) fn crosses_odd<R: Ring>(
    rings: impl IntoIterator<Item = R>,
    q: DVec2,
    tally: &mut impl CheckTally,
) -> bool {
    let mut odd = false;
    any_edge(rings, |a, b| {
        odd ^= is_crossed(a, b, q, tally);
        false
    });
    odd
}

/// Whether `found` says so of an edge of the outlines; later ones are ignored.
#[inline]
fn any_edge<R: Ring>(
    rings: impl IntoIterator<Item = R>,
    mut found: impl FnMut(DVec2, DVec2) -> bool,
) -> bool {
    for ring in rings {
        let k = ring.len();
        if k == 0 {
            continue;
        }
        let mut a = ring.corner(k - 1);
        for i in 0..k {
            let b = ring.corner(i);
            if found(a, b) {
                return true;
            }
            a = b;
        }
    }
    false
}

/// Whether the ray in +x from `q` crosses the edge.
#[inline]
pub(super) fn is_crossed(a: DVec2, b: DVec2, q: DVec2, tally: &mut impl CheckTally) -> bool {
    if a.x <= q.x && b.x <= q.x {
        tally.add(|h| &mut h.left);
        return false;
    }
    if a.y > q.y && b.y > q.y {
        tally.add(|h| &mut h.above);
        return false;
    }
    if a.y <= q.y && b.y <= q.y {
        tally.add(|h| &mut h.below);
        return false;
    }
    if a.x > q.x && b.x > q.x {
        tally.add(|h| &mut h.right);
        return true;
    }
    let (da, db) = (a - q, b - q);
    if da.y > da.x && db.y > db.x {
        tally.add(|h| &mut h.over_diagonal);
        return false;
    }
    if -da.y > da.x && -db.y > db.x {
        tally.add(|h| &mut h.under_diagonal);
        return false;
    }
    tally.add(|h| &mut h.computed);
    crosses_right_of(a, b, q)
}

/// Whether an edge that passes the height of `q` does so right of it.
#[inline]
pub(super) fn crosses_right_of(a: DVec2, b: DVec2, q: DVec2) -> bool {
    let side = turn(a, b, q);
    if b.y > a.y {
        side.is_positive()
    } else {
        side.is_negative()
    }
}

/// Whether the point is inside, outside, or on the boundary of the region the outlines bound.
///
/// ```
/// use impinge::{DVec2, poly::{PolygonLocation, locate}};
/// let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(DVec2::from);
/// assert_eq!(locate(&[square], DVec2::new(2.0, 1.0)), PolygonLocation::OnBoundary);
/// ```
#[must_use]
pub fn locate<R: Ring>(rings: &[R], q: DVec2) -> PolygonLocation {
    locate_each(rings.iter(), q)
}

pub(super) fn locate_each<R: Ring>(
    rings: impl IntoIterator<Item = R>,
    q: DVec2,
) -> PolygonLocation {
    let mut odd = false;
    let is_on_boundary = any_edge(rings, |a, b| {
        odd ^= is_crossed(a, b, q, &mut ());
        is_on_segment(a, b, q)
    });
    if is_on_boundary {
        PolygonLocation::OnBoundary
    } else if odd {
        PolygonLocation::Inside
    } else {
        PolygonLocation::Outside
    }
}

/// The sum of the signed angles under which a point sees the edges of an outline, in radians.
///
/// Near 2π inside a simple counter-clockwise outline, near −2π inside a clockwise one, near 0
/// outside; half-way between, |sum| > π, is the threshold. Slower than [`contains`] and less
/// accurate near the boundary, but it does not depend on a ray.
///
/// ```
/// use impinge::{DVec2, poly::angle_sum};
/// let triangle = [[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]].map(DVec2::from);
/// assert!(angle_sum(&triangle, DVec2::ONE) > std::f64::consts::PI);
/// assert!(angle_sum(&triangle, DVec2::splat(5.0)).abs() < 1e-9);
/// ```
#[must_use]
pub fn angle_sum(ring: &(impl Ring + ?Sized), q: DVec2) -> f64 {
    let k = ring.len();
    if k == 0 {
        return 0.0;
    }
    let mut a = sight(ring.corner(k - 1), q);
    let mut sum = 0.0;
    for i in 0..k {
        let b = sight(ring.corner(i), q);
        sum += libm::atan2(a.perp_dot(b), a.dot(b));
        a = b;
    }
    sum
}

/// The direction from `q` to `p`, of length about 1 so that no product over- or underflows; zero if they are one
/// point or not finite.
fn sight(p: DVec2, q: DVec2) -> DVec2 {
    let offset = p - q;
    let size = offset.abs().max_element();
    if size > 0.0 && size.is_finite() && offset.is_finite() {
        offset / size
    } else {
        DVec2::ZERO
    }
}
