//! Penetration depth of two nearly convex solids: the minimum of the support function of their Minkowski difference.
//!
//! **Question.** In which direction is the translation that separates two overlapping, nearly
//! convex solids the shortest?
//! **Idea.** Along a unit vector `n` they separate after a translation by `f(n)`, the support
//! function of the Minkowski difference `M = {p − q}`; the depth is the minimum of `f`. Any point
//! `s` of `M` bounds it from below, `f(n) ≥ s·n`, and in the cone of three unit vectors `s·n` is
//! smallest at one of them, as long as it is positive. So the best bound over a cone is the value
//! of a 3×3 matrix game: the best mixture of the three support points against the three corners.
//! Cones are split into four, the smallest bound first.
//! **Source.** Elementary; the mixture ends the search at the faces of polytopes, like the
//! expanding polytope of Van den Bergen, 2001.
//! **Cost.** Two descents of a tree per direction, some hundred directions; some ten thousand where
//! all directions are equally good, as for concentric spheres.
//! **Promise.** No translation shorter than `lower` separates the solids: all points used lie in
//! them (`bvh/near_convex.rs`).

use glam::DVec3;

use super::solid_queries::SolidPair;
use crate::bvh::wide::{DepthScratch, DirectionCone, SupportDirection};
use crate::bvh::{MeshIndex, Solid};
use crate::math::Pose;
use crate::math::sort::sort_few;
use crate::query::{FaceId, Limits, Work};

/// The most cones examined for one answer.
const MAX_CONES: u64 = 1 << 17;

/// A support point may miss the farthest by this fraction of the solid's reach: faces at right angles to the direction
/// are not searched for their last rounding.
const SUPPORT_SLACK: f64 = 1e-7;

/// The best direction found and what no direction is better than.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinWidth {
    pub(super) lower: f64,
    pub(super) direction: DVec3,
}

/// The narrowest way through two overlapping solids, to a tolerance; none when they are not nearly convex.
pub(super) fn narrowest(
    solids: SolidPair<'_>,
    tolerance: impl Fn(f64) -> f64,
    limits: Limits<'_>,
    scratch: &mut DepthScratch,
) -> Option<MinWidth> {
    let SolidPair { a, b, a_from_b } = solids;
    let kernels = [a.kernel()?, b.kernel()?];
    scratch.cones.clear();
    let mut search = MinWidthSearch {
        solids: [a, b],
        shrunk: [
            kernels[0].shrunk(DVec3::ZERO),
            kernels[1].shrunk(DVec3::ZERO),
        ],
        scale: kernels.map(|kernel| 1.0 - kernel.shrink),
        a_from_b,
        limits,
        scratch,
        order: 0,
        least: f64::INFINITY,
        direction: DVec3::X,
        work: Work::default(),
    };
    let lower = search.run(tolerance);
    Some(MinWidth {
        lower: (lower - 4.0 * solids.slack()).max(0.0),
        direction: search.direction,
    })
}

struct MinWidthSearch<'s, 't> {
    solids: [&'s Solid<'t>; 2],
    /// Where the origin of each solid goes when it is shrunk, and what remains of its size.
    shrunk: [DVec3; 2],
    scale: [f64; 2],
    a_from_b: &'s Pose,
    limits: Limits<'s>,
    scratch: &'s mut DepthScratch,
    order: u64,
    least: f64,
    direction: DVec3,
    work: Work,
}

impl MinWidthSearch<'_, '_> {
    /// What no direction is better than.
    fn run(&mut self, tolerance: impl Fn(f64) -> f64) -> f64 {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        let ends = axes.map(|n| [self.corner(n, None), self.corner(-n, None)]);
        for octant in 0..8 {
            let corners = [0, 1, 2].map(|axis| ends[axis][(octant >> axis) & 1]);
            self.offer(corners, 0.0);
        }
        let mut cones = 0_u64;
        while let Some(cone) = self.scratch.cones.pop() {
            cones += 1;
            if cone.lower >= self.least - tolerance(self.least)
                || cones >= MAX_CONES
                || !self.limits.allows(self.work.tests())
                || (cones.is_multiple_of(64) && self.limits.is_stopped())
            {
                return cone.lower;
            }
            let [p, q, r] = cone.corners;
            let (pq, qr, rp) = (
                self.between(&p, &q),
                self.between(&q, &r),
                self.between(&r, &p),
            );
            for corners in [[p, pq, rp], [pq, q, qr], [rp, qr, r], [pq, qr, rp]] {
                self.offer(corners, cone.lower);
            }
        }
        0.0
    }

    fn offer(&mut self, corners: [SupportDirection; 3], parent: f64) {
        self.order += 1;
        // What holds in the whole cone holds in its quarters.
        let lower = guaranteed(&corners).max(parent);
        self.scratch.cones.push(DirectionCone {
            lower,
            order: self.order,
            corners,
        });
    }

    fn between(&mut self, p: &SupportDirection, q: &SupportDirection) -> SupportDirection {
        let n = (p.n + q.n).try_normalize().unwrap_or(p.n);
        let hint = if p.s.dot(n) >= q.s.dot(n) { p } else { q };
        self.corner(n, Some(hint.points))
    }

    fn corner(&mut self, n: DVec3, hint: Option<[DVec3; 2]>) -> SupportDirection {
        let own = [n, -(self.a_from_b.rotation().transpose() * n)];
        let points = [0, 1].map(|side| self.farthest(side, own[side], hint.map(|h| h[side])));
        let [p, q] = [0, 1].map(|side| points[side] * self.scale[side] + self.shrunk[side]);
        let s = p - self.a_from_b.transform_point(q);
        let way = s.dot(n);
        if way < self.least {
            (self.least, self.direction) = (way, n);
        }
        SupportDirection { n, points, s }
    }

    /// A vertex farthest along a direction, in the solid's own frame.
    fn farthest(&mut self, side: usize, n: DVec3, hint: Option<DVec3>) -> DVec3 {
        let tree = self.solids[side].tree();
        let Some(whole) = tree.whole() else {
            return DVec3::ZERO;
        };
        let middle = whole.bounds.center;
        let slack = SUPPORT_SLACK * whole.bounds.outer_radius();
        let height = |p: DVec3| (p - middle).dot(n);
        let mut best = hint.unwrap_or(middle);
        let mut most = hint.map_or(f64::NEG_INFINITY, height);
        let stack = &mut self.scratch.parts;
        stack.clear();
        stack.push((f64::INFINITY, whole));
        while let Some((at_most, part)) = stack.pop() {
            if at_most <= most + slack {
                continue;
            }
            for &face in tree.faces_of(&part) {
                self.work.face_tests += 1;
                for p in tree.mesh().triangle(FaceId::new(face)) {
                    if height(p) > most {
                        (best, most) = (p, height(p));
                    }
                }
            }
            let bottom = stack.len();
            for child in tree.parts(&part) {
                self.work.volume_tests += 1;
                let at_most = height(child.bounds.center) + child.bounds.radius(n);
                if at_most > most + slack {
                    stack.push((at_most, child));
                }
            }
            sort_few(&mut stack[bottom..], |x, y| x.0.total_cmp(&y.0));
        }
        best
    }
}

/// The most that some mixture of the corners' points reaches along all three corners; never less than 0.
///
/// The value of the game whose rows are the points and whose columns are the directions. Any mixture gives a valid bound, so that rounding in
/// finding the best does no harm.
fn guaranteed(corners: &[SupportDirection; 3]) -> f64 {
    let rows = corners.map(|row| DVec3::from(corners.map(|column| row.s.dot(column.n))));
    let mut most = 0.0_f64;
    let mut offer = |weights: DVec3| {
        let mixed = rows[0] * weights.x + rows[1] * weights.y + rows[2] * weights.z;
        most = most.max(mixed.min_element());
    };
    for own in DVec3::AXES {
        offer(own);
    }
    for (i, k) in [(0, 1), (1, 2), (2, 0)] {
        for (j, l) in [(0, 1), (1, 2), (2, 0)] {
            // The mixture of two rows that is equal in two columns.
            let (first, second) = (rows[i][j] - rows[i][l], rows[k][j] - rows[k][l]);
            let share = second / (second - first);
            if (0.0..=1.0).contains(&share) {
                let mut weights = DVec3::ZERO;
                (weights[i], weights[k]) = (share, 1.0 - share);
                offer(weights);
            }
        }
    }
    // The mixture of all that is equal in all columns.
    let [u, v, w] = rows;
    let even = DVec3::new(
        v.cross(w).element_sum(),
        w.cross(u).element_sum(),
        u.cross(v).element_sum(),
    );
    let weights = even / even.element_sum();
    if weights.min_element() >= 0.0 {
        offer(weights);
    }
    most
}
