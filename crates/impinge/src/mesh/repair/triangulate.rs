//! Triangles that span a closed chain of points in space.

use glam::DVec3;

/// Up to this many corners the best of all triangulations is found, in cubic time.
pub(super) const BEST_UP_TO: usize = 64;

/// The triangulation of least area among all that use allowed chords only, as corner numbers; none
/// if there is none. Cubic in the corners.
pub(super) fn least_area(
    points: &[DVec3],
    is_allowed: impl Fn(usize, usize) -> bool,
) -> Option<Vec<[usize; 3]>> {
    let n = points.len();
    // cost[i][j]: least area of the polygon i, i+1, …, j closed by the chord i–j.
    let mut cost = vec![vec![0.0_f64; n]; n];
    let mut apex = vec![vec![0_usize; n]; n];
    for span in 2..n {
        for i in 0..n - span {
            let j = i + span;
            let is_border = i == 0 && j == n - 1;
            cost[i][j] = f64::INFINITY;
            if !is_border && !is_allowed(i, j) {
                continue;
            }
            for k in i + 1..j {
                let area = (points[k] - points[i])
                    .cross(points[j] - points[i])
                    .length();
                let total = cost[i][k] + cost[k][j] + area;
                if total < cost[i][j] {
                    cost[i][j] = total;
                    apex[i][j] = k;
                }
            }
        }
    }
    if !cost[0][n - 1].is_finite() {
        return None;
    }
    let mut triangles = Vec::with_capacity(n.saturating_sub(2));
    let mut stack = vec![(0, n - 1)];
    while let Some((i, j)) = stack.pop() {
        if j - i >= 2 {
            let k = apex[i][j];
            triangles.push([i, k, j]);
            stack.push((i, k));
            stack.push((k, j));
        }
    }
    Some(triangles)
}

/// A triangulation by cutting off ears of the chain seen along its mean normal, using allowed
/// chords only; none if no ear is left before the end. Quadratic in the corners in practice.
pub(super) fn by_ears(
    points: &[DVec3],
    is_allowed: impl Fn(usize, usize) -> bool,
) -> Option<Vec<[usize; 3]>> {
    let n = points.len();
    let normal = (0..n).fold(DVec3::ZERO, |sum, i| {
        sum + (points[i] - points[0]).cross(points[(i + 1) % n] - points[0])
    });
    let turn = |a: usize, b: usize, c: usize| {
        (points[b] - points[a])
            .cross(points[c] - points[a])
            .dot(normal)
    };
    let mut ring: Vec<usize> = (0..n).collect();
    let mut triangles = Vec::with_capacity(n.saturating_sub(2));
    let mut at = 0;
    let mut tries = 0;
    while ring.len() > 3 {
        let m = ring.len();
        if tries >= m {
            return None;
        }
        let (a, b, c) = (ring[(at + m - 1) % m], ring[at % m], ring[(at + 1) % m]);
        let is_ear = turn(a, b, c) > 0.0
            && is_allowed(a.min(c), a.max(c))
            && ring.iter().all(|&p| {
                p == a
                    || p == b
                    || p == c
                    || turn(a, b, p) < 0.0
                    || turn(b, c, p) < 0.0
                    || turn(c, a, p) < 0.0
            });
        if is_ear {
            triangles.push([a, b, c]);
            ring.remove(at % m);
            // Skipping a corner spreads the cuts instead of making one long fan.
            at %= m - 1;
            tries = 0;
        } else {
            tries += 1;
        }
        at = (at + 1) % ring.len();
    }
    triangles.push([ring[0], ring[1], ring[2]]);
    Some(triangles)
}
