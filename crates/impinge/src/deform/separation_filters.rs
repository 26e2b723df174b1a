//! Cheap proofs that two faces do not intersect beyond what they share.
//!
//! **Question.** On a cloth nearly every candidate pair is a pair of neighbours, or of neighbours'
//! neighbours, that do not intersect. Can that be proven with a few multiplications, even where the
//! cloth is flat and every orientation is zero?
//! **Idea.** *Nothing shared*: a direction `d` along which one face lies strictly ahead of the
//! other; that of the centres is tried. *One corner `v` shared*: a direction `d` with
//! `d·(p − v) > 0` for the two other corners of `a` and `< 0` for those of `b`; then `a` and `b`
//! lie on either side of a plane that each touches in `v` only. *Two corners `v w` shared*: a
//! projection along an axis in which the third corners lie strictly on opposite sides of the line
//! `v w`; then points of `a` and `b` project to the same point only on that line, on which each
//! face has only the edge.
//! **Promise.** `true` is proven: `d` is any vector of floats, taken exactly, and the signs of the computed products exceed
//! bounds on their rounding. `false` says nothing; the exact test decides then.
//!
//! ## The bounds
//!
//! Let `u = 2^-53` and `m` hold, per axis, the largest computed magnitude of the differences used. A computed difference is off by `u`
//! of itself, a product by `u`, two sums by `u` each: a dot product with `d` errs by less than `4u(1+u)⁴ Σ|d|m`, the difference of two by less than
//! `9u Σ|d|m`; `16u` is used for both. A component of a cross product errs by less than `4u(1+u)⁴ · 2 m m'`, and so does the mean of two; `16u m m'` is used. Underflow adds less
//! than 2^-1074 to each product, times factors of at most 2^154: the added 2^-900 is far above.
//!
//! With linear motion the same proofs hold for a whole step when they hold at both ends: `d·(p − v)` is linear in time. (The
//! projection is not: there the middle coefficient of the quadratic is tested as well.)

use glam::DVec3;

/// See the page.
const BOUND: f64 = 8.0 * f64::EPSILON;
/// 2^-900.
const TINY: f64 = f64::from_bits((1023 - 900) << 52);

/// Whether the triangles lie strictly apart along the direction between their centres.
#[inline]
pub(super) fn strictly_apart(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    let o = b[0];
    let (a0, a1, a2) = (a[0] - o, a[1] - o, a[2] - o);
    let (b1, b2) = (b[1] - o, b[2] - o);
    let d = (a0 + a1 + a2) - (b1 + b2);
    apart_along(d, [a0, a1, a2], [b1, b2])
}

/// Whether all of `a` are strictly ahead of 0 and both of `b` along `d`.
#[inline]
fn apart_along(d: DVec3, a: [DVec3; 3], b: [DVec3; 2]) -> bool {
    let m = a[0]
        .abs()
        .max(a[1].abs())
        .max(a[2].abs())
        .max(b[0].abs())
        .max(b[1].abs());
    let bound = BOUND * d.abs().dot(m) + TINY;
    let low = d.dot(a[0]).min(d.dot(a[1])).min(d.dot(a[2]));
    let high = d.dot(b[0]).max(d.dot(b[1])).max(0.0);
    low - high > bound
}

/// Whether the triangles lie strictly apart, along one direction, during a whole step.
pub(super) fn strictly_apart_during(a: [&[DVec3; 3]; 2], b: [&[DVec3; 3]; 2]) -> bool {
    let relative = |t: usize| {
        let o = b[t][0];
        (a[t].map(|p| p - o), [b[t][1] - o, b[t][2] - o])
    };
    let (start, end) = (relative(0), relative(1));
    let middle = |(a, b): &([DVec3; 3], [DVec3; 2])| (a[0] + a[1] + a[2]) - (b[0] + b[1]);
    let d = middle(&start) + middle(&end);
    apart_along(d, start.0, start.1) && apart_along(d, end.0, end.1)
}

/// Whether two triangles with the common corner `v` meet there only, by the direction between the middles of their other corners.
#[inline]
pub(super) fn apart_at_corner(v: DVec3, a: [DVec3; 2], b: [DVec3; 2]) -> bool {
    let (a0, a1) = (a[0] - v, a[1] - v);
    let (b0, b1) = (b[0] - v, b[1] - v);
    corner_direction([a0, a1], [b0, b1]).is_some_and(|d| separates([a0, a1], [b0, b1], d))
}

/// A direction that may separate two corners; only a guess.
#[inline]
pub(super) fn corner_direction(a: [DVec3; 2], b: [DVec3; 2]) -> Option<DVec3> {
    let (middle_a, middle_b) = (a[0] + a[1], b[0] + b[1]);
    let lengths = (middle_a.length(), middle_b.length());
    let d = middle_a * lengths.1 - middle_b * lengths.0;
    // Coordinates of a large scene may leave the range here.
    d.is_finite().then_some(d)
}

/// Whether `d` has positive products with both of `a` and negative ones with both of `b`, for certain.
#[inline]
pub(super) fn separates(a: [DVec3; 2], b: [DVec3; 2], d: DVec3) -> bool {
    let m = a[0].abs().max(a[1].abs()).max(b[0].abs()).max(b[1].abs());
    let bound = BOUND * d.abs().dot(m) + TINY;
    d.dot(a[0]).min(d.dot(a[1])) > bound && d.dot(b[0]).max(d.dot(b[1])) < -bound
}

/// Whether two triangles with the common edge `v w` and the third corners `p` and `q` meet in that edge only, by a projection along an axis.
#[inline]
pub(super) fn apart_at_edge(v: DVec3, w: DVec3, p: DVec3, q: DVec3) -> bool {
    let (e, x, y) = (w - v, p - v, q - v);
    let m = e.abs().max(x.abs()).max(y.abs());
    let bound = DVec3::new(m.y * m.z, m.z * m.x, m.x * m.y) * BOUND + DVec3::splat(TINY);
    let (one, two) = (e.cross(x), e.cross(y));
    let opposite = (one.cmpgt(bound) & two.cmplt(-bound)) | (one.cmplt(-bound) & two.cmpgt(bound));
    opposite.any()
}

/// Along which axes a triangle certainly turns: bit `k` counter-clockwise seen along axis `k`, bit `3 + k` clockwise.
#[inline]
pub(super) fn certain_turns(corners: &[DVec3; 3]) -> u8 {
    let (x, y) = (corners[1] - corners[0], corners[2] - corners[0]);
    let m = x.abs().max(y.abs());
    let bound = DVec3::new(m.y * m.z, m.z * m.x, m.x * m.y) * BOUND + DVec3::splat(TINY);
    let normal = x.cross(y);
    let (up, down) = (normal.cmpgt(bound), normal.cmplt(-bound));
    (up.bitmask() | down.bitmask() << 3) as u8
}

/// Along which axes a triangle certainly turns one way during a whole step; bits as for [`certain_turns`].
pub(super) fn certain_turns_during(start: &[DVec3; 3], end: &[DVec3; 3]) -> u8 {
    let [x, y] = [1, 2].map(|k| [start[k] - start[0], end[k] - end[0]]);
    let m = x[0].abs().max(x[1].abs()).max(y[0].abs()).max(y[1].abs());
    let bound = DVec3::new(m.y * m.z, m.z * m.x, m.x * m.y) * BOUND + DVec3::splat(TINY);
    let middle = (x[0].cross(y[1]) + x[1].cross(y[0])) * 0.5;
    let turns = [x[0].cross(y[0]), middle, x[1].cross(y[1])];
    turns.iter().fold(0x3F, |bits, turn| {
        let (up, down) = (turn.cmpgt(bound), turn.cmplt(-bound));
        bits & (up.bitmask() | down.bitmask() << 3) as u8
    })
}

/// Whether two triangles with a common corner meet there only, during a whole step; corners are given relative to the common one.
pub(super) fn apart_at_corner_during(a: [[DVec3; 2]; 2], b: [[DVec3; 2]; 2]) -> bool {
    let middle = |ends: [[DVec3; 2]; 2]| [0, 1].map(|i| ends[0][i] + ends[1][i]);
    corner_direction(middle(a), middle(b))
        .is_some_and(|d| separates(a[0], b[0], d) && separates(a[1], b[1], d))
}

/// Whether two triangles with a common edge meet in that only, during a whole step; the edge and the third corners are given relative to
/// one end of it, at both ends of the step.
pub(super) fn apart_at_edge_during(e: [DVec3; 2], x: [DVec3; 2], y: [DVec3; 2]) -> bool {
    let m = [e, x, y]
        .iter()
        .flatten()
        .fold(DVec3::ZERO, |m, v| m.max(v.abs()));
    let bound = DVec3::new(m.y * m.z, m.z * m.x, m.x * m.y) * BOUND + DVec3::splat(TINY);
    // The three coefficients of a quadratic; with one sign, it has that sign between them.
    let quadratic = |x: [DVec3; 2]| {
        let middle = (e[0].cross(x[1]) + e[1].cross(x[0])) * 0.5;
        [e[0].cross(x[0]), middle, e[1].cross(x[1])]
    };
    let (one, two) = (quadratic(x), quadratic(y));
    let above = |q: [DVec3; 3]| q[0].cmpgt(bound) & q[1].cmpgt(bound) & q[2].cmpgt(bound);
    let below = |q: [DVec3; 3]| q[0].cmplt(-bound) & q[1].cmplt(-bound) & q[2].cmplt(-bound);
    ((above(one) & below(two)) | (below(one) & above(two))).any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_sheet_is_settled_without_exact_arithmetic() {
        let p = |x: f64, y: f64| DVec3::new(0.1 * x, 0.1 * y, 0.3);
        assert!(apart_at_edge(
            p(0.0, 0.0),
            p(1.0, 1.0),
            p(1.0, 0.0),
            p(0.0, 1.0)
        ));
        assert!(apart_at_corner(
            p(0.0, 0.0),
            [p(1.0, 0.0), p(1.0, 1.0)],
            [p(-1.0, 0.0), p(-1.0, -1.0)]
        ));
        let a = [p(0.0, 0.0), p(1.0, 0.0), p(0.0, 1.0)];
        assert!(strictly_apart(&a, &[p(2.0, 1.0), p(2.0, 2.0), p(1.0, 2.0)]));
        assert!(!strictly_apart(
            &a,
            &[p(1.0, 0.0), p(2.0, 2.0), p(1.0, 2.0)]
        ));
    }
}
