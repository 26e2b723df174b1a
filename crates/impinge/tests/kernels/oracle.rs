//! Integer points: distances between them are roots of fractions that 128 bits hold exactly.

pub(crate) type Point = [i128; 3];

pub(crate) fn minus(a: Point, b: Point) -> Point {
    std::array::from_fn(|k| a[k] - b[k])
}

pub(crate) fn dot(a: Point, b: Point) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Point, b: Point) -> Point {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

pub(crate) fn det(a: Point, b: Point, c: Point) -> i128 {
    dot(cross(a, b), c)
}

/// `sqrt(n / d)`, off by one part in 10^16.
fn root(n: i128, d: i128) -> f64 {
    (n as f64 / d as f64).sqrt()
}

pub(crate) fn point_segment(p: Point, q: [Point; 2]) -> f64 {
    let (d, w) = (minus(q[1], q[0]), minus(p, q[0]));
    let along = dot(w, d);
    if along <= 0 {
        return root(dot(w, w), 1);
    }
    if along >= dot(d, d) {
        let w = minus(p, q[1]);
        return root(dot(w, w), 1);
    }
    let c = cross(w, d);
    root(dot(c, c), dot(d, d))
}

pub(crate) fn segments(p: [Point; 2], q: [Point; 2]) -> f64 {
    let mut best = point_segment(p[0], q)
        .min(point_segment(p[1], q))
        .min(point_segment(q[0], p))
        .min(point_segment(q[1], p));
    let (d, e, r) = (minus(p[1], p[0]), minus(q[1], q[0]), minus(q[0], p[0]));
    let n = cross(d, e);
    let n_sq = dot(n, n);
    let (s, t) = (det(r, e, n), det(r, d, n));
    if n_sq > 0 && (0..=n_sq).contains(&s) && (0..=n_sq).contains(&t) {
        let height = dot(n, r);
        best = best.min(root(height * height, n_sq));
    }
    best
}

pub(crate) fn edges(t: [Point; 3]) -> [[Point; 2]; 3] {
    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]
}

pub(crate) fn point_triangle(p: Point, t: [Point; 3]) -> f64 {
    let mut best = f64::INFINITY;
    for edge in edges(t) {
        best = best.min(point_segment(p, edge));
    }
    let (ab, ac, w) = (minus(t[1], t[0]), minus(t[2], t[0]), minus(p, t[0]));
    let n = cross(ab, ac);
    let n_sq = dot(n, n);
    let (b, c) = (det(w, ac, n), det(ab, w, n));
    if n_sq > 0 && b >= 0 && c >= 0 && b + c <= n_sq {
        let height = dot(n, w);
        best = best.min(root(height * height, n_sq));
    }
    best
}

/// Whether a segment with ends strictly on different sides of the triangle passes through it.
fn pierces(p: [Point; 2], t: [Point; 3]) -> bool {
    let n = cross(minus(t[1], t[0]), minus(t[2], t[0]));
    let side = |x: Point| dot(n, minus(x, t[0])).signum();
    if side(p[0]) * side(p[1]) >= 0 {
        return false;
    }
    let d = minus(p[1], p[0]);
    let around = edges(t).map(|[u, v]| det(minus(u, p[0]), minus(v, p[0]), d).signum());
    around.iter().all(|&s| s >= 0) || around.iter().all(|&s| s <= 0)
}

pub(crate) fn triangles(a: [Point; 3], b: [Point; 3]) -> f64 {
    let mut best = f64::INFINITY;
    for p in edges(a) {
        for q in edges(b) {
            best = best.min(segments(p, q));
        }
        if pierces(p, b) {
            return 0.0;
        }
    }
    for q in edges(b) {
        if pierces(q, a) {
            return 0.0;
        }
    }
    for i in 0..3 {
        best = best
            .min(point_triangle(a[i], b))
            .min(point_triangle(b[i], a));
    }
    best
}

/// Whether a triangle meets a box: clip it by the six sides in homogeneous integers.
pub(crate) fn triangle_box(t: [Point; 3], min: Point, max: Point) -> bool {
    let mut polygon: Vec<[i128; 4]> = t.iter().map(|p| [p[0], p[1], p[2], 1]).collect();
    for axis in 0..3 {
        for (sign, bound) in [(1, -min[axis]), (-1, max[axis])] {
            let height = |p: &[i128; 4]| sign * p[axis] + bound * p[3];
            let mut kept = Vec::new();
            for (i, p) in polygon.iter().enumerate() {
                let q = &polygon[(i + 1) % polygon.len()];
                let (h, k) = (height(p), height(q));
                if h >= 0 {
                    kept.push(*p);
                }
                if (h > 0 && k < 0) || (h < 0 && k > 0) {
                    let (h, k) = (h.abs(), k.abs());
                    let mut cut: [i128; 4] = std::array::from_fn(|j| p[j] * k + q[j] * h);
                    let common = cut.iter().fold(0, |g, &x| gcd(g, x.abs()));
                    cut = cut.map(|x| x / common);
                    kept.push(cut);
                }
            }
            polygon = kept;
        }
    }
    !polygon.is_empty()
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
