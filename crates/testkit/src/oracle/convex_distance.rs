//! Distances of convex shapes by closed forms and brute force.

use impinge::DVec3;

/// The distance of two disjoint convex hulls of points: the smallest over all triangles and segments spanned by the
/// points. Every nearest pair of points lies on a vertex and a triangle, or on two segments.
#[must_use]
pub fn hull_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    let mut best = f64::INFINITY;
    for (points, others) in [(a, b), (b, a)] {
        for &p in points {
            for i in 0..others.len() {
                for j in i..others.len() {
                    for k in j..others.len() {
                        best = best.min(point_triangle(p, [others[i], others[j], others[k]]));
                    }
                }
            }
        }
    }
    for i in 0..a.len() {
        for j in i + 1..a.len() {
            for k in 0..b.len() {
                for l in k + 1..b.len() {
                    best = best.min(lines(a[i], a[j], b[k], b[l]).unwrap_or(f64::INFINITY));
                }
            }
        }
    }
    best
}

fn point_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let d = b - a;
    let t = if d.length_squared() > 0.0 {
        ((p - a).dot(d) / d.length_squared()).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (a + d * t - p).length()
}

fn point_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let border = point_segment(p, a, b)
        .min(point_segment(p, b, c))
        .min(point_segment(p, c, a));
    let normal = (b - a).cross(c - a);
    let is_inside = [(a, b), (b, c), (c, a)]
        .iter()
        .all(|&(u, v)| (v - u).cross(p - u).dot(normal) > 0.0);
    if is_inside {
        border.min((p - a).dot(normal.normalize()).abs())
    } else {
        border
    }
}

/// The distance of two lines, when the feet of their common perpendicular lie on the segments.
fn lines(p: DVec3, q: DVec3, r: DVec3, s: DVec3) -> Option<f64> {
    let (d, e, w) = (q - p, s - r, r - p);
    let normal = d.cross(e);
    let size = normal.length_squared();
    if size <= 1e-24 * d.length_squared() * e.length_squared() {
        return None;
    }
    let (t, u) = (w.cross(e).dot(normal) / size, w.cross(d).dot(normal) / size);
    ((0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&u))
        .then(|| w.dot(normal).abs() / size.sqrt())
}

/// The distance of a point from the cylinder of this half height and radius along z; 0 inside.
#[must_use]
pub fn point_to_cylinder(p: DVec3, half_height: f64, radius: f64) -> f64 {
    let outward = (p.x.hypot(p.y) - radius).max(0.0);
    outward.hypot((p.z.abs() - half_height).max(0.0))
}

/// The distance of a point from the cone with base at `z = -half_height` and apex at `z = half_height`; 0 inside.
#[must_use]
pub fn point_to_cone(p: DVec3, half_height: f64, radius: f64) -> f64 {
    // In the half plane through the axis the cone is a triangle with a side on the axis.
    let q = DVec3::new(p.x.hypot(p.y), p.z, 0.0);
    let (axis, rim, apex) = (
        DVec3::new(0.0, -half_height, 0.0),
        DVec3::new(radius, -half_height, 0.0),
        DVec3::new(0.0, half_height, 0.0),
    );
    point_triangle(q, [axis, rim, apex])
}

/// The distance of a point outside from the ellipsoid with these half axes; 0 inside.
#[must_use]
pub fn point_to_ellipsoid(p: DVec3, radii: DVec3) -> f64 {
    let inside = |t: f64| {
        (0..3)
            .map(|i| (radii[i] * p[i] / (radii[i] * radii[i] + t)).powi(2))
            .sum::<f64>()
            - 1.0
    };
    if inside(0.0) <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, radii.max_element() * p.length() + 1.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if inside(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let nearest = DVec3::from_array([0, 1, 2].map(|i| {
        let square = radii[i] * radii[i];
        square * p[i] / (square + low)
    }));
    (p - nearest).length()
}
