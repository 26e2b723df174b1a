//! Exact segment-triangle intersection test.

use glam::DVec3;

use super::Contact;
use super::small_hull::{SmallHull, Stabbing, hull_contact};

/// Whether the closed segment `p q` and the closed triangle share a point; touching counts.
///
/// Exact for coordinates up to 4·[`MAX_COORDINATE`](crate::math::MAX_COORDINATE), also when they lie in one plane, when `p` equals `q`, and when the triangle is
/// degenerate to a segment or a point.
///
/// ```
/// use impinge::{geom::segment_meets_triangle, DVec3};
/// let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// assert!(segment_meets_triangle(DVec3::new(0.5, 0.5, -1.0), DVec3::new(0.5, 0.5, 1.0), &triangle));
/// assert!(!segment_meets_triangle(DVec3::new(0.6, 0.5, -1.0), DVec3::new(0.6, 0.5, 1.0), &triangle));
/// ```
#[inline]
#[must_use]
pub fn segment_meets_triangle(p: DVec3, q: DVec3, triangle: &[DVec3; 3]) -> bool {
    match Stabbing::of(p, q, triangle) {
        Stabbing::Coplanar => meets_in_a_plane(p, q, triangle),
        Stabbing::Missed => false,
        Stabbing::Met { .. } => true,
    }
}

#[cold]
#[inline(never)]
fn meets_in_a_plane(p: DVec3, q: DVec3, triangle: &[DVec3; 3]) -> bool {
    hull_contact(&SmallHull::segment(p, q), &SmallHull::triangle(triangle)) != Contact::Disjoint
}
