//! Whether two adjacent faces of a mesh intersect beyond the corners they share.
//!
//! **Question.** Adjacent faces always touch in the corner or edge they share. Do they intersect
//! anywhere else?
//! **Idea.** They do exactly if their intersection has a point outside the convex hull of the
//! shared corners. The exact kind of the intersection decides: one shared corner accounts for a
//! point, two for the segment between them, three for everything. Most neighbours are decided by
//! orientations before: two faces at an edge that lie in different planes share that edge only; a
//! face at a corner whose other corners lie strictly on one side
//! of the other's plane meets it in that corner only.
//! **Promise.** Exact, for degenerate faces too.

use glam::DVec3;

use super::tri_tri::triangles_intersect;
use super::tri_tri_overlap::{TriangleOverlap, triangle_overlap};
use crate::math::orient3d;

/// Which corners two faces share: pairs of corner numbers, each corner in at most one.
///
/// ```
/// use impinge::geom::SharedCorners;
/// let shared = SharedCorners::by_index([7, 8, 9], [9, 5, 8]);
/// assert_eq!(shared.pairs(), [(1, 2), (2, 0)]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedCorners {
    pairs: [(usize, usize); 3],
    count: usize,
}

impl SharedCorners {
    /// The corners with the same vertex number.
    ///
    /// ```
    /// use impinge::geom::SharedCorners;
    /// assert_eq!(SharedCorners::by_index([4, 5, 6], [6, 7, 4]).pairs().len(), 2);
    /// ```
    #[must_use]
    pub fn by_index(a: [u32; 3], b: [u32; 3]) -> Self {
        Self::matching(|i, j| a[i] == b[j])
    }

    /// The corners at the same position.
    ///
    /// ```
    /// use impinge::{geom::SharedCorners, DVec3};
    /// let (a, b) = ([DVec3::ZERO, DVec3::X, DVec3::Y], [DVec3::Z, DVec3::X, DVec3::ONE]);
    /// assert_eq!(SharedCorners::by_position(&a, &b).pairs(), [(1, 1)]);
    /// ```
    #[must_use]
    pub fn by_position(a: &[DVec3; 3], b: &[DVec3; 3]) -> Self {
        Self::matching(|i, j| a[i] == b[j])
    }

    fn matching(is_same: impl Fn(usize, usize) -> bool) -> Self {
        let mut shared = Self::default();
        let mut taken = [false; 3];
        for i in 0..3 {
            if let Some(j) = (0..3).find(|&j| !taken[j] && is_same(i, j)) {
                taken[j] = true;
                shared.pairs[shared.count] = (i, j);
                shared.count += 1;
            }
        }
        shared
    }

    /// The shared corners, as corner of `a` and corner of `b`.
    ///
    /// ```
    /// use impinge::geom::SharedCorners;
    /// assert_eq!(SharedCorners::by_index([4, 5, 6], [7, 8, 5]).pairs(), [(1, 2)]);
    /// ```
    #[must_use]
    pub fn pairs(&self) -> &[(usize, usize)] {
        &self.pairs[..self.count]
    }
}

/// Whether two triangles share a point outside the convex hull of the corners that `shared` names, which must have the same
/// position in both.
///
/// With nothing shared, that is [`triangles_intersect`]. With all three corners shared it is never so: the faces are
/// duplicates, which is for the caller to judge.
///
/// ```
/// use impinge::{geom::{adjacent_triangles_intersect, SharedCorners}, DVec3};
/// let a = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let folded = [DVec3::X, DVec3::ZERO, DVec3::new(0.2, 0.2, 0.0)];
/// let hinged = [DVec3::X, DVec3::ZERO, DVec3::new(0.2, 0.2, 0.1)];
/// let shared = SharedCorners::by_position(&a, &folded);
/// assert!(adjacent_triangles_intersect(&a, &folded, &shared));
/// assert!(!adjacent_triangles_intersect(&a, &hinged, &shared));
/// ```
#[must_use]
pub fn adjacent_triangles_intersect(
    a: &[DVec3; 3],
    b: &[DVec3; 3],
    shared: &SharedCorners,
) -> bool {
    match *shared.pairs() {
        [] => triangles_intersect(a, b),
        [(i, j)] => {
            if touches_plane_only_at(a, b, j) || touches_plane_only_at(b, a, i) {
                return false;
            }
            matches!(
                triangle_overlap(a, b),
                TriangleOverlap::Segment(_) | TriangleOverlap::Polygon(_)
            )
        }
        [(i, j), (k, l)] => {
            // Corner numbers sum to three, so this is the third.
            let opposite = 3 - j - l;
            if !orient3d(a[0], a[1], a[2], b[opposite]).is_zero() {
                return false;
            }
            match triangle_overlap(a, b) {
                TriangleOverlap::None | TriangleOverlap::Point(_) => false,
                // The ends are corners, since both faces lie in one line or meet in an edge; those come unrounded.
                TriangleOverlap::Segment([p, q]) => {
                    let ends = [a[i], a[k]];
                    ends != [p, q] && ends != [q, p]
                }
                TriangleOverlap::Polygon(_) => true,
            }
        }
        _ => false,
    }
}

/// Whether `b` lies strictly on one side of the plane of `a`, except for its corner `j`, which lies in it.
fn touches_plane_only_at(a: &[DVec3; 3], b: &[DVec3; 3], j: usize) -> bool {
    let side = |v: DVec3| orient3d(a[0], a[1], a[2], v);
    let first = side(b[(j + 1) % 3]);
    !first.is_zero() && first == side(b[(j + 2) % 3])
}
