//! The arc length of the cubic B-spline that a polyline controls.

use glam::DVec3;

/// Chords per piece; the length is then short by less than a thousandth.
const CHORDS: usize = 8;

/// The length of the uniform cubic B-spline with these control points; its ends are the first and the last of them.
pub(super) fn spline_length(points: impl Iterator<Item = DVec3>) -> f64 {
    let points: Vec<DVec3> = points.collect();
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else {
        return 0.0;
    };
    if points.len() == 2 {
        return (last - first).length();
    }
    // Three copies of an end make the curve start there.
    let control = |i: usize| {
        let at = i.saturating_sub(2);
        points[at.min(points.len() - 1)]
    };
    let mut length = 0.0;
    let mut before = first;
    for piece in 0..points.len() + 1 {
        let [p, q, r, s] = [piece, piece + 1, piece + 2, piece + 3].map(control);
        for chord in 1..=CHORDS {
            let t = chord as f64 / CHORDS as f64;
            let u = 1.0 - t;
            let weights = [
                u * u * u,
                3.0 * t * t * t - 6.0 * t * t + 4.0,
                -3.0 * t * t * t + 3.0 * t * t + 3.0 * t + 1.0,
                t * t * t,
            ];
            let after = (p * weights[0] + q * weights[1] + r * weights[2] + s * weights[3]) / 6.0;
            length += (after - before).length();
            before = after;
        }
    }
    length
}
