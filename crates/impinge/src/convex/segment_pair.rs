//! Closest points of two segments, where plain arithmetic is certain of them.
//!
//! **Idea.** The parameters of the nearest points come from one division and clamping. Rounded or
//! not, these points bound the distance from above, and the plane across the line between them
//! bounds it from below.
//! **Promise.** Only what both bounds prove is returned; parallel, crossing and degenerate segments
//! may be left undecided.

use glam::DVec3;

/// Points of two segments and what they prove.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentPair {
    pub(crate) points: [DVec3; 2],
    /// The square of their distance.
    pub(crate) distance_sq: f64,
    /// The distance of two planes across the way between them that part the segments, times their distance; negative when they do not.
    pub(crate) plane: f64,
}

/// Points of the segments that are nearest, or nearly so.
#[inline]
pub(crate) fn segment_pair([p0, p1]: [DVec3; 2], [q0, q1]: [DVec3; 2]) -> SegmentPair {
    let (d, e, r) = (p1 - p0, q1 - q0, p0 - q0);
    let (dd, ee, de) = (d.length_squared(), e.length_squared(), d.dot(e));
    let (dr, er) = (d.dot(r), e.dot(r));
    // On the lines, then on the segments one after the other, without a branch. Zero divided by zero ends at 0.
    let s = between((de * er - dr * ee) / (dd * ee - de * de));
    let t = between((de * s + er) / ee);
    let s = between((de * t - dr) / dd);
    let points = [p0 + d * s, q0 + e * t];
    let way = points[0] - points[1];
    SegmentPair {
        points,
        distance_sq: way.length_squared(),
        plane: way.dot(r) + way.dot(d).min(0.0) - way.dot(e).max(0.0),
    }
}

/// The number in `[0, 1]` that is nearest; 0 for none.
#[inline]
fn between(x: f64) -> f64 {
    let x = if x > 0.0 { x } else { 0.0 };
    if x < 1.0 { x } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::segment_distance;
    use crate::math::Rng;

    #[test]
    fn both_bounds_hold_and_mostly_agree() {
        let mut rng = Rng::new(17);
        let mut agreed = 0;
        for round in 0..20_000 {
            let mut p = || {
                if round % 2 == 0 {
                    rng.cube()
                } else {
                    DVec3::new(rng.grid(-2, 2), rng.grid(-2, 2), rng.grid(-2, 2))
                }
            };
            let [p0, p1, q0, q1] = [p(), p(), p(), p()];
            let found = segment_pair([p0, p1], [q0, q1]);
            let truth = segment_distance(p0, p1, q0, q1).distance;
            let upper = found.distance_sq.sqrt();
            assert!(truth <= upper + 1e-14, "{truth} {upper}");
            assert!(found.plane <= truth * upper + 1e-14);
            agreed += usize::from(found.distance_sq - found.plane <= 1e-14);
        }
        assert!(agreed > 15_000, "{agreed}");
    }
}
