//! The distance of two rectangles, with a direction that proves it.
//!
//! **Question.** What is a lower bound on the distance of two rectangles in space?
//! **Idea.** For any direction, the gap between the projections is a lower bound; correctness rests
//! on projections alone. The search only looks for the direction of the true distance: nearest
//! points are a corner and the other rectangle, or points of two edges. It ends as soon as the gap
//! along a candidate equals the candidate's length.
//! **Source.** The volumes: Larsen, Gottschalk, Lin, Manocha, *Fast proximity queries with swept
//! sphere volumes*, 1999. The early end is ours.
//! **Cost.** 8 corners, then up to 16 pairs of edges; segments and points are rectangles too.

use glam::DVec3;

/// A rectangle as seen from the frame of another: the first one lies in the plane z = 0 about the origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct RectanglePair {
    /// Half the side lengths of the first, along x and y.
    pub(super) half_a: [f64; 2],
    /// The centre of the second.
    pub(super) center: DVec3,
    /// The axes of the second.
    pub(super) axes: [DVec3; 2],
    pub(super) half_b: [f64; 2],
}

/// A candidate as good as this fraction of its length ends the search.
const GOOD_ENOUGH: f64 = 1.0 - 1e-9;

impl RectanglePair {
    /// The gap between the projections on the vector, times its length.
    #[inline]
    fn gap_along(&self, v: DVec3) -> f64 {
        let radius_a = self.half_a[0] * v.x.abs() + self.half_a[1] * v.y.abs();
        let radius_b =
            self.half_b[0] * self.axes[0].dot(v).abs() + self.half_b[1] * self.axes[1].dot(v).abs();
        self.center.dot(v).abs() - radius_a - radius_b
    }

    /// The largest gap found between the projections on any unit vector; negative when none was found.
    ///
    /// It is at most the distance of the rectangles, up to a few units of rounding of the lengths that occur, and equals it up to
    /// a part in 10⁹ where no lengths underflow.
    pub(super) fn gap(&self) -> f64 {
        let mut search = RectangleSearch {
            pair: self,
            nearest_sq: f64::INFINITY,
            best: f64::NEG_INFINITY,
        };
        search.run();
        search.best
    }
}

struct RectangleSearch<'p> {
    pair: &'p RectanglePair,
    /// The square of the smallest distance of two points seen.
    nearest_sq: f64,
    /// The largest gap proven.
    best: f64,
}

impl RectangleSearch<'_> {
    /// Whether the vector between two nearest points ends the search.
    #[inline]
    fn offer(&mut self, between: DVec3) -> bool {
        let length_sq = between.length_squared();
        if length_sq >= self.nearest_sq {
            return false;
        }
        self.nearest_sq = length_sq;
        let length = length_sq.sqrt();
        if length < 1e-140 {
            // They meet, or are too near for squares to tell.
            self.best = self.best.max(0.0);
            return true;
        }
        let gap = self.pair.gap_along(between) / length;
        self.best = self.best.max(gap);
        gap >= length * GOOD_ENOUGH
    }

    fn run(&mut self) {
        let RectanglePair {
            half_a,
            center,
            axes,
            half_b,
        } = *self.pair;
        let clamp = |x: f64, half: f64| x.max(-half).min(half);
        let sides = [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)];
        // The corners of the second over the first.
        for (s, t) in sides {
            let corner = center + axes[0] * (s * half_b[0]) + axes[1] * (t * half_b[1]);
            let foot = DVec3::new(clamp(corner.x, half_a[0]), clamp(corner.y, half_a[1]), 0.0);
            if self.offer(corner - foot) {
                return;
            }
        }
        // The corners of the first over the second.
        for (s, t) in sides {
            let corner = DVec3::new(s * half_a[0], t * half_a[1], 0.0);
            let arm = corner - center;
            let foot = center
                + axes[0] * clamp(arm.dot(axes[0]), half_b[0])
                + axes[1] * clamp(arm.dot(axes[1]), half_b[1]);
            if self.offer(foot - corner) {
                return;
            }
        }
        self.edges();
    }

    /// All pairs of edges whose common perpendicular has both feet inside.
    fn edges(&mut self) {
        let pair = *self.pair;
        for i in 0..2 {
            let along_a = if i == 0 { DVec3::X } else { DVec3::Y };
            for j in 0..2 {
                // Lines p + s·a and q + t·b with unit a, b: the feet solve a 2×2 system.
                let cosine = along_a.dot(pair.axes[j]);
                let determinant = 1.0 - cosine * cosine;
                if determinant < 1e-12 {
                    // Parallel edges have corners that are as near.
                    continue;
                }
                for side_a in [-1.0, 1.0] {
                    let offset_a = if i == 0 {
                        DVec3::new(0.0, side_a * pair.half_a[1], 0.0)
                    } else {
                        DVec3::new(side_a * pair.half_a[0], 0.0, 0.0)
                    };
                    for side_b in [-1.0, 1.0] {
                        let q = pair.center + pair.axes[1 - j] * (side_b * pair.half_b[1 - j])
                            - offset_a;
                        let (qa, qb) = (q.dot(along_a), q.dot(pair.axes[j]));
                        let s = (qa - cosine * qb) / determinant;
                        let t = (cosine * qa - qb) / determinant;
                        if s.abs() <= pair.half_a[i]
                            && t.abs() <= pair.half_b[j]
                            && self.offer(q + pair.axes[j] * t - along_a * s)
                        {
                            return;
                        }
                    }
                }
            }
        }
    }
}
