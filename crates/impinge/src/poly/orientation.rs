//! Exact signs in the plane, and the few comparisons that follow from them.

use glam::DVec2;

use crate::math::Sign;

/// The exact sign of the turn a → b → c: positive to the left.
pub(super) use crate::math::orient2d as turn;

/// Whether `q`, known to be on the line through `a` and `b`, is between them, ends included.
#[inline]
pub(super) fn is_between(a: DVec2, b: DVec2, q: DVec2) -> bool {
    a.x.min(b.x) <= q.x && q.x <= a.x.max(b.x) && a.y.min(b.y) <= q.y && q.y <= a.y.max(b.y)
}

/// Whether `q` is a point of the closed segment from `a` to `b`.
#[inline]
pub(super) fn is_on_segment(a: DVec2, b: DVec2, q: DVec2) -> bool {
    is_between(a, b, q) && turn(a, b, q).is_zero()
}

/// Whether `a` and `b`, both on one line through `o`, are on the same side of `o`.
pub(super) fn is_same_way(o: DVec2, a: DVec2, b: DVec2) -> bool {
    if a.x == o.x && b.x == o.x {
        (a.y > o.y && b.y > o.y) || (a.y < o.y && b.y < o.y)
    } else {
        (a.x > o.x && b.x > o.x) || (a.x < o.x && b.x < o.x)
    }
}

/// Whether two closed segments share a point.
pub(super) fn segments_meet(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> bool {
    if a.x.max(b.x) < c.x.min(d.x)
        || c.x.max(d.x) < a.x.min(b.x)
        || a.y.max(b.y) < c.y.min(d.y)
        || c.y.max(d.y) < a.y.min(b.y)
    {
        return false;
    }
    let (abc, abd) = (turn(a, b, c), turn(a, b, d));
    let (cda, cdb) = (turn(c, d, a), turn(c, d, b));
    if is_opposite(abc, abd) && is_opposite(cda, cdb) {
        return true;
    }
    (abc.is_zero() && is_between(a, b, c))
        || (abd.is_zero() && is_between(a, b, d))
        || (cda.is_zero() && is_between(c, d, a))
        || (cdb.is_zero() && is_between(c, d, b))
}

/// Whether two segments cross in a point inside both.
pub(super) fn segments_cross(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> bool {
    is_opposite(turn(a, b, c), turn(a, b, d)) && is_opposite(turn(c, d, a), turn(c, d, b))
}

fn is_opposite(s: Sign, t: Sign) -> bool {
    !s.is_zero() && s == t.reversed()
}
