//! How far one face must move along a direction until it leaves another.

use glam::{DVec2, DVec3};

/// What a parameter of an edge or face may be outside its range and still count: too much only
/// makes the answer a rounding error too large.
const BORDER: f64 = 1e-12;

/// A direction with two others at right angles to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heading {
    pub(super) direction: DVec3,
    u: DVec3,
    v: DVec3,
}

impl Heading {
    /// The heading along a unit vector.
    pub(super) fn new(direction: DVec3) -> Self {
        let (u, v) = direction.any_orthonormal_pair();
        Self { direction, u, v }
    }

    /// Across the heading, and along it.
    fn split(&self, p: DVec3) -> (DVec2, f64) {
        (
            DVec2::new(self.u.dot(p), self.v.dot(p)),
            self.direction.dot(p),
        )
    }
}

/// The last contact of face `b` moving along the heading with face `a` standing.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastContact {
    /// How far `b` has moved.
    pub(super) distance: f64,
    /// The middle of where they touch, on `a`.
    pub(super) point: DVec3,
    /// How far the touching points are spread.
    pub(super) spread: f64,
    /// The direction across which they touch, from `a` to `b`, when it is known.
    pub(super) normal: DVec3,
}

/// The largest `s`, of either sign, for which `a` and `b + s·d` share a point; none when they never do.
///
/// Seen along `d` the two faces overlap in a convex polygon, over which the way from `b` to `a` is linear; its corners are corners
/// of one face over the other and crossings of edges.
pub(super) fn last_contact(
    a: &[DVec3; 3],
    b: &[DVec3; 3],
    heading: &Heading,
) -> Option<LastContact> {
    let flat_a = a.map(|p| heading.split(p));
    let flat_b = b.map(|p| heading.split(p));
    let mut most: Option<(f64, DVec3)> = None;
    let mut found = [(0.0, DVec3::ZERO); 15];
    let mut count = 0;
    let mut offer = |s: f64, at_a: DVec3, normal: DVec3| {
        found[count] = (s, at_a);
        count += 1;
        if most.is_none_or(|(m, _)| s > m) {
            most = Some((s, normal));
        }
    };
    let cross = |f: &[DVec3; 3]| (f[1] - f[0]).cross(f[2] - f[0]);
    for i in 0..3 {
        if let Some(w) = weights(flat_b[i].0, &flat_a) {
            let at = a[0] * w[0] + a[1] * w[1] + a[2] * w[2];
            let along = flat_a[0].1 * w[0] + flat_a[1].1 * w[1] + flat_a[2].1 * w[2];
            offer(along - flat_b[i].1, at, cross(a));
        }
        if let Some(w) = weights(flat_a[i].0, &flat_b) {
            let along = flat_b[0].1 * w[0] + flat_b[1].1 * w[1] + flat_b[2].1 * w[2];
            offer(flat_a[i].1 - along, a[i], cross(b));
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let (i1, j1) = ((i + 1) % 3, (j + 1) % 3);
            let crossing = edge_crossing(flat_a[i].0, flat_a[i1].0, flat_b[j].0, flat_b[j1].0);
            if let Some([x, y]) = crossing {
                let along_a = flat_a[i].1 + (flat_a[i1].1 - flat_a[i].1) * x;
                let along_b = flat_b[j].1 + (flat_b[j1].1 - flat_b[j].1) * y;
                let at = a[i] + (a[i1] - a[i]) * x;
                offer(along_a - along_b, at, (a[i1] - a[i]).cross(b[j1] - b[j]));
            }
        }
    }
    let (distance, normal) = most?;
    let size = a
        .iter()
        .chain(b)
        .fold(0.0_f64, |m, p| m.max(p.abs().max_element()));
    let tie = distance - 1e-12 * (size + distance.abs());
    let touching = || found[..count].iter().filter(|(s, _)| *s >= tie);
    let middle = touching().fold(DVec3::ZERO, |sum, (_, p)| sum + *p) / touching().count() as f64;
    let spread = touching().fold(0.0_f64, |m, (_, p)| m.max((*p - middle).length()));
    // b leaves along d, so the direction from a to b does not point against it.
    let normal = if normal.dot(heading.direction) < 0.0 {
        -normal
    } else {
        normal
    };
    Some(LastContact {
        distance,
        point: middle,
        spread,
        normal: normal.try_normalize().unwrap_or(heading.direction),
    })
}

/// The weights of a point with respect to a triangle in the plane, when it is in it.
fn weights(p: DVec2, corners: &[(DVec2, f64); 3]) -> Option<[f64; 3]> {
    let [a, b, c] = corners.map(|(q, _)| q - p);
    let parts = [b.perp_dot(c), c.perp_dot(a), a.perp_dot(b)];
    let whole = parts[0] + parts[1] + parts[2];
    if whole == 0.0 {
        return None;
    }
    let w = parts.map(|part| part / whole);
    w.iter().all(|&w| w >= -BORDER).then_some(w)
}

/// The parameters at which two segments in the plane cross.
fn edge_crossing(p: DVec2, p1: DVec2, q: DVec2, q1: DVec2) -> Option<[f64; 2]> {
    let (e, f, r) = (p1 - p, q1 - q, q - p);
    let whole = e.perp_dot(f);
    if whole == 0.0 {
        return None;
    }
    let (x, y) = (r.perp_dot(f) / whole, r.perp_dot(e) / whole);
    let within = |t: f64| (-BORDER..=1.0 + BORDER).contains(&t);
    (within(x) && within(y)).then(|| [x.clamp(0.0, 1.0), y.clamp(0.0, 1.0)])
}
