//! Kernels against exact integer oracles, closed forms and independent minimisation.

use impinge::DVec3;
use impinge::geom::{
    Hit, Ray, TriangleFeature, closest_point_on_triangle, ray_triangle, segment_distance,
    segment_parameters, triangle_distance, triangle_meets_box, triangles_intersect,
};
use impinge::math::Rng;

/// Half the distance from 1 to the next float.
const ROUNDING: f64 = f64::EPSILON / 2.0;

/// Integer points: distances between them are roots of fractions that 128 bits hold exactly.
mod oracle {
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
}

fn grid_point(rng: &mut Rng, size: i64) -> oracle::Point {
    std::array::from_fn(|_| rng.grid(-size, size) as i128)
}

/// Triangles of many kinds on a grid: small, large, sliver, degenerate.
fn grid_triangle(rng: &mut Rng, size: i64) -> [oracle::Point; 3] {
    let t: [_; 3] = std::array::from_fn(|_| grid_point(rng, size));
    match rng.below(5) {
        0 => {
            // A sliver: the third corner next to a point between the others.
            let near = grid_point(rng, 1);
            let middle = std::array::from_fn(|k| (t[0][k] + t[1][k]).div_euclid(2) + near[k]);
            [t[0], t[1], middle]
        }
        1 => {
            let near = grid_point(rng, 1);
            [t[0], t[1], std::array::from_fn(|k| t[1][k] + near[k])]
        }
        _ => t,
    }
}

fn float(p: oracle::Point) -> DVec3 {
    DVec3::new(p[0] as f64, p[1] as f64, p[2] as f64)
}

fn extent(points: &[DVec3]) -> f64 {
    let lowest = points.iter().fold(DVec3::INFINITY, |m, &p| m.min(p));
    let highest = points.iter().fold(DVec3::NEG_INFINITY, |m, &p| m.max(p));
    (highest - lowest).max_element()
}

/// Shifts and scales by powers of two, under which every difference stays exact.
const PLACES: [(f64, f64); 5] = [
    (1.0, 0.0),
    (1.0, 1_048_576.0),
    (9.332636185032189e-302, 0.0), // 2^-1000
    (6.223015277861142e-61, 0.0),  // 2^-200
    (1.329227995784916e36, 0.0),   // 2^120
];

#[test]
fn point_triangle_distance_is_within_16_roundings_of_the_exact_one() {
    let mut rng = Rng::new(1);
    let mut worst = 0.0_f64;
    for round in 0..200_000_usize {
        let size = [2, 30, 5_000][round % 3];
        let (t, p) = (grid_triangle(&mut rng, size), grid_point(&mut rng, size));
        let truth = oracle::point_triangle(p, t);
        let (scale, shift) = PLACES[round % PLACES.len()];
        let place = |p: oracle::Point| (float(p) + shift) * scale;
        let (triangle, query) = (t.map(place), place(p));
        let found = closest_point_on_triangle(query, &triangle);
        let size = extent(&[triangle[0], triangle[1], triangle[2], query]);
        let error = (found.distance - truth * scale).abs();
        worst = worst.max(if size > 0.0 {
            error / (ROUNDING * size)
        } else {
            error
        });
        let [b0, b1, b2] = found.barycentric;
        assert!(b0 >= 0.0 && b1 >= 0.0 && b2 >= 0.0 && (b0 + b1 + b2 - 1.0).abs() < 1e-15);
        let coordinates = query.abs().max_element().max(size);
        let span = ((found.point - query) / scale).length() * scale;
        assert!((span - found.distance).abs() <= 8.0 * f64::EPSILON * coordinates);
    }
    assert!(worst <= 16.0, "{worst} roundings");
}

#[test]
fn the_feature_names_the_part_that_holds_the_nearest_point() {
    let mut rng = Rng::new(2);
    let mut seen = [0; 3];
    for _ in 0..100_000 {
        let (t, p) = (grid_triangle(&mut rng, 3), grid_point(&mut rng, 3));
        let triangle = t.map(float);
        let found = closest_point_on_triangle(float(p), &triangle);
        match found.feature {
            TriangleFeature::Vertex(i) => {
                seen[0] += 1;
                assert_eq!(found.point, triangle[i as usize]);
            }
            TriangleFeature::Edge(i) => {
                seen[1] += 1;
                assert_eq!(found.barycentric[(i as usize + 2) % 3], 0.0);
                let ends = oracle::edges(t)[i as usize];
                assert!((oracle::point_segment(p, ends) - found.distance).abs() < 1e-14);
            }
            TriangleFeature::Face => {
                seen[2] += 1;
                assert!(found.barycentric.iter().all(|&b| b > 0.0));
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 1_000), "{seen:?}");
}

#[test]
fn segment_distance_is_within_16_roundings_of_the_exact_one_even_for_nearly_parallel_segments() {
    let mut rng = Rng::new(3);
    let mut worst = 0.0_f64;
    for round in 0..300_000_usize {
        let size = [2, 30, 50_000][round % 3];
        let p = [grid_point(&mut rng, size), grid_point(&mut rng, size)];
        let mut q = [grid_point(&mut rng, size), grid_point(&mut rng, size)];
        if rng.below(2) == 0 {
            // Next to the first segment, at an angle of about 1/size.
            let near: [_; 2] = std::array::from_fn(|_| grid_point(&mut rng, 2));
            q = std::array::from_fn(|i| std::array::from_fn(|k| p[i][k] + near[i][k]));
        }
        let truth = oracle::segments(p, q);
        let (scale, shift) = PLACES[round % PLACES.len()];
        let place = |p: oracle::Point| (float(p) + shift) * scale;
        let (a, b) = (p.map(place), q.map(place));
        let found = segment_parameters(a[0], a[1], b[0], b[1]);
        let size = extent(&[a[0], a[1], b[0], b[1]]);
        let error = (found.distance - truth * scale).abs();
        worst = worst.max(if size > 0.0 {
            error / (ROUNDING * size)
        } else {
            error
        });
        assert!((0.0..=1.0).contains(&found.s) && (0.0..=1.0).contains(&found.t));
        let pair = segment_distance(a[0], a[1], b[0], b[1]);
        let coordinates = a[0].abs().max_element().max(size);
        let span = ((pair.point_a - pair.point_b) / scale).length() * scale;
        assert!((span - pair.distance).abs() <= 8.0 * f64::EPSILON * coordinates);
    }
    assert!(worst <= 16.0, "{worst} roundings");
}

#[test]
fn lines_crossing_at_angles_down_to_1e_minus_12_are_found_to_cross() {
    // Both segments pass through (1/2, 0, 0) exactly; normal equations lose this below an angle of 1e-8.
    for k in 1..40 {
        let slope = 0.5_f64.powi(k);
        let (p0, p1) = (DVec3::ZERO, DVec3::X);
        let (q0, q1) = (DVec3::new(0.0, -slope, 0.0), DVec3::new(1.0, slope, 0.0));
        let found = segment_parameters(p0, p1, q0, q1);
        assert!(found.distance <= 1e-16, "{k}: {:e}", found.distance);
    }
}

#[test]
fn triangle_distance_is_zero_exactly_for_contact_and_within_32_roundings_otherwise() {
    let mut rng = Rng::new(4);
    let (mut worst, mut contacts) = (0.0_f64, 0);
    for round in 0..90_000_usize {
        let size = [2, 30, 5_000][round % 3];
        let (s, t) = (grid_triangle(&mut rng, size), grid_triangle(&mut rng, size));
        let truth = oracle::triangles(s, t);
        let (scale, shift) = PLACES[round % PLACES.len()];
        let place = |p: oracle::Point| (float(p) + shift) * scale;
        let (a, b) = (s.map(place), t.map(place));
        let found = triangle_distance(&a, &b);
        assert_eq!(found.distance == 0.0, truth == 0.0, "{a:?} {b:?}");
        assert_eq!(triangles_intersect(&a, &b), truth == 0.0);
        contacts += usize::from(truth == 0.0);
        let size = extent(&[a[0], a[1], a[2], b[0], b[1], b[2]]);
        let error = (found.distance - truth * scale).abs();
        worst = worst.max(if size > 0.0 {
            error / (ROUNDING * size)
        } else {
            error
        });
        let coordinates = a[0].abs().max_element().max(size);
        let span = ((found.point_a - found.point_b) / scale).length() * scale;
        assert!((span - found.distance).abs() <= 8.0 * f64::EPSILON * coordinates);
        // Witnesses belong to their triangles; a contact point may be off by what the overlap promises.
        let slack = coordinates * if truth == 0.0 { 1e-11 } else { 1e-14 };
        assert!(closest_point_on_triangle(found.point_a, &a).distance <= slack);
        assert!(closest_point_on_triangle(found.point_b, &b).distance <= slack);
        let swapped = triangle_distance(&b, &a);
        assert!((swapped.distance - found.distance).abs() <= 64.0 * ROUNDING * size);
    }
    assert!(
        worst <= 32.0 && contacts > 10_000,
        "{worst} roundings, {contacts} contacts"
    );
}

/// Nearest point of the simplex of weights (sum 1, none negative): sort-free projection for three weights.
fn onto_simplex(w: [f64; 3]) -> [f64; 3] {
    let (mut lo, mut hi) = (-10.0, 10.0);
    for _ in 0..52 {
        let level = 0.5 * (lo + hi);
        let total: f64 = w.iter().map(|x| (x - level).max(0.0)).sum();
        if total > 1.0 { lo = level } else { hi = level }
    }
    w.map(|x| (x - lo).max(0.0))
}

#[test]
fn triangle_distance_agrees_with_projected_gradient_descent() {
    let mut rng = Rng::new(5);
    for _ in 0..150 {
        let offset = rng.cube() * 2.0;
        let a: [_; 3] = std::array::from_fn(|_| rng.cube());
        let b: [_; 3] = std::array::from_fn(|_| rng.cube() + offset);
        let found = triangle_distance(&a, &b);
        let (mut u, mut v) = ([1.0 / 3.0; 3], [1.0 / 3.0; 3]);
        let blend = |t: &[DVec3; 3], w: [f64; 3]| t[0] * w[0] + t[1] * w[1] + t[2] * w[2];
        let mut reference = f64::INFINITY;
        for _ in 0..1_500 {
            let gap = blend(&a, u) - blend(&b, v);
            reference = reference.min(gap.length());
            u = onto_simplex(std::array::from_fn(|i| u[i] - 0.02 * gap.dot(a[i])));
            v = onto_simplex(std::array::from_fn(|i| v[i] + 0.02 * gap.dot(b[i])));
        }
        assert!(found.distance <= reference + 1e-12);
        assert!(reference <= found.distance + 2e-2, "{reference} {found:?}");
    }
}

#[test]
fn no_sampled_pair_of_points_is_nearer_than_the_triangle_distance() {
    let mut rng = Rng::new(6);
    for round in 0..400 {
        let thin = if round % 2 == 0 { 1.0 } else { 1e-9 };
        let mut triangle = || -> [DVec3; 3] {
            let t: [_; 3] = std::array::from_fn(|_| rng.cube());
            [t[0], t[1], t[0].lerp(t[1], 0.4) + t[2] * thin]
        };
        let (a, b) = (triangle(), triangle());
        let found = triangle_distance(&a, &b).distance;
        let steps = 12;
        let points = |t: &[DVec3; 3]| -> Vec<DVec3> {
            let mut all = Vec::new();
            for i in 0..=steps {
                for j in 0..=steps - i {
                    let (x, y) = (f64::from(i) / 12.0, f64::from(j) / 12.0);
                    all.push(t[0] * (1.0 - x - y) + t[1] * x + t[2] * y);
                }
            }
            all
        };
        for p in points(&a) {
            for &q in &points(&b) {
                assert!((p - q).length() >= found - 1e-15 * 4.0);
            }
        }
    }
}

#[test]
fn triangle_box_decision_equals_exact_clipping_on_the_grid() {
    let mut rng = Rng::new(7);
    let mut met = 0;
    for round in 0..200_000_usize {
        let size = [2, 4, 40][round % 3];
        let t = grid_triangle(&mut rng, size);
        let (p, q) = (
            grid_point(&mut rng, size / 2 + 1),
            grid_point(&mut rng, size / 2 + 1),
        );
        let min: oracle::Point = std::array::from_fn(|k| p[k].min(q[k]));
        let max: oracle::Point = std::array::from_fn(|k| p[k].max(q[k]));
        let truth = oracle::triangle_box(t, min, max);
        let found = triangle_meets_box(&t.map(float), float(min), float(max));
        assert_eq!(found, truth, "{t:?} {min:?} {max:?}");
        met += usize::from(truth);
    }
    assert!((20_000..180_000).contains(&met), "{met}");
}

#[test]
fn triangle_box_decision_equals_the_twelve_triangles_of_the_box_at_any_scale() {
    let mut rng = Rng::new(8);
    for round in 0..20_000 {
        let (center, half) = (rng.cube(), rng.cube().abs() * 0.5);
        let (min, max) = (center - half, center + half);
        let corner = |i: usize| {
            DVec3::new(
                if i & 1 == 0 { min.x } else { max.x },
                if i & 2 == 0 { min.y } else { max.y },
                if i & 4 == 0 { min.z } else { max.z },
            )
        };
        let mut t: [DVec3; 3] = std::array::from_fn(|_| rng.cube() * 1.5);
        if round % 2 == 0 {
            // Nearly touching: the plane of the triangle passes within rounding of a corner.
            let touched = corner(rng.below(8) as usize);
            let (u, v) = (rng.direction(), rng.direction());
            t = [
                touched - u - v,
                touched + u - v * 0.1,
                touched + v - u * 0.1,
            ];
        }
        let quads = [
            [0, 1, 3, 2],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 3, 7, 6],
            [0, 2, 6, 4],
            [1, 3, 7, 5],
        ];
        let inside = t.iter().any(|p| p.cmpge(min).all() && p.cmple(max).all());
        let touches = quads.iter().any(|q| {
            let c = q.map(corner);
            triangles_intersect(&t, &[c[0], c[1], c[2]])
                || triangles_intersect(&t, &[c[0], c[2], c[3]])
        });
        assert_eq!(triangle_meets_box(&t, min, max), inside || touches);
    }
    let t = [DVec3::ZERO, DVec3::X, DVec3::Y];
    assert!(!triangle_meets_box(&t, DVec3::ONE, DVec3::ZERO));
}

/// A closed mesh as corner triples: the cube with its faces cut along varying diagonals.
fn cube() -> Vec<[DVec3; 3]> {
    let corner =
        |i: usize| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2 & 1) as f64) * 2.0 - 1.0;
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    quads
        .iter()
        .flat_map(|q| {
            let c = q.map(corner);
            [[c[0], c[1], c[2]], [c[0], c[2], c[3]]]
        })
        .collect()
}

fn icosahedron() -> Vec<[DVec3; 3]> {
    let g = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut points = Vec::new();
    for s in [-1.0, 1.0] {
        for t in [-g, g] {
            points.push(DVec3::new(0.0, s, t));
            points.push(DVec3::new(s, t, 0.0));
            points.push(DVec3::new(t, 0.0, s));
        }
    }
    let near = |a: DVec3, b: DVec3| ((a - b).length() - 2.0).abs() < 1e-9;
    let mut faces = Vec::new();
    for i in 0..12 {
        for j in 0..i {
            for k in 0..j {
                let (a, b, c) = (points[i], points[j], points[k]);
                if near(a, b) && near(b, c) && near(c, a) {
                    faces.push([a, b, c]);
                }
            }
        }
    }
    assert_eq!(faces.len(), 20);
    faces
}

fn hits(ray: &Ray, mesh: &[[DVec3; 3]]) -> Vec<Hit> {
    mesh.iter().filter_map(|t| ray_triangle(ray, t)).collect()
}

#[test]
fn no_ray_from_inside_a_closed_mesh_slips_through_an_edge_or_corner() {
    let mut rng = Rng::new(9);
    for (mesh, turned) in [
        (cube(), false),
        (icosahedron(), false),
        (cube(), true),
        (icosahedron(), true),
    ] {
        let angle = impinge::Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7, [0.1, 0.2, 0.3]).unwrap();
        let mesh: Vec<[DVec3; 3]> = mesh
            .iter()
            .map(|t| t.map(|p| if turned { angle * p } else { p }))
            .collect();
        let middle = if turned {
            angle * DVec3::ZERO
        } else {
            DVec3::ZERO
        };
        for round in 0..20_000 {
            let origin = match round % 3 {
                0 => middle,
                1 => middle + DVec3::new(rng.grid(-1, 1), rng.grid(-1, 1), rng.grid(-1, 1)) * 0.25,
                _ => middle + rng.cube() * 0.4,
            };
            let t = mesh[rng.below(mesh.len() as u64) as usize];
            let target = match rng.below(4) {
                0 => t[0],
                1 => t[0].lerp(t[1], 0.5),
                2 => t[1].lerp(t[2], rng.unit()),
                _ => middle + rng.direction() * 3.0,
            };
            let Ok(ray) = Ray::new(origin, target - origin) else {
                continue;
            };
            let found = hits(&ray, &mesh);
            assert!(!found.is_empty(), "{ray:?}");
            let first = found[0].t;
            assert!(
                found
                    .iter()
                    .all(|hit| (hit.t - first).abs() <= 1e-13 * (1.0 + first))
            );
        }
    }
}

#[test]
fn rays_on_the_grid_hit_exactly_the_closed_triangles_they_meet() {
    let mut rng = Rng::new(10);
    let (mut hit_count, mut border) = (0, 0);
    for round in 0..200_000_usize {
        let size = [2, 5, 200][round % 3];
        let (t, o, d) = (
            grid_triangle(&mut rng, size),
            grid_point(&mut rng, size),
            grid_point(&mut rng, size.min(3)),
        );
        if d == [0; 3] {
            continue;
        }
        let arms = t.map(|v| oracle::minus(v, o));
        let sides: [i128; 3] =
            std::array::from_fn(|i| oracle::det(arms[(i + 1) % 3], arms[(i + 2) % 3], d));
        let total: i128 = sides.iter().sum();
        let volume = oracle::det(arms[0], arms[1], arms[2]);
        let around = sides.iter().all(|&s| s >= 0) || sides.iter().all(|&s| s <= 0);
        let truth = total != 0 && around && volume * total >= 0;
        let ray = Ray::new(float(o), float(d)).unwrap();
        let found = ray_triangle(&ray, &t.map(float));
        assert_eq!(found.is_some(), truth, "{t:?} {o:?} {d:?}");
        if let Some(Hit { t, barycentric }) = found {
            hit_count += 1;
            border += usize::from(sides.contains(&0));
            let exact_t = volume as f64 / total as f64;
            assert!(
                (t - exact_t).abs() <= 1e-12 * (1.0 + exact_t.abs()),
                "{t} {exact_t}"
            );
            for i in 0..3 {
                let exact_weight = sides[i] as f64 / total as f64;
                assert!((barycentric[i] - exact_weight).abs() < 1e-12);
                assert_eq!(barycentric[i] == 0.0, sides[i] == 0);
            }
        }
    }
    assert!(hit_count > 5_000 && border > 1_000, "{hit_count} {border}");
}

#[test]
fn tiny_and_huge_rays_hit_like_ordinary_ones() {
    for scale in [1e-300, 1e-120, 1e-30, 1e30, 1e44] {
        let t = [DVec3::ZERO, DVec3::X * scale, DVec3::Y * scale];
        for stretch in [1e-300, 1.0, 1e40] {
            let ray = Ray::new(
                DVec3::new(0.25, 0.25, -2.0) * scale,
                DVec3::new(0.0, 0.0, stretch),
            )
            .unwrap();
            let hit = ray_triangle(&ray, &t).unwrap();
            let expected = 2.0 * scale / stretch;
            assert!(!hit.t.is_nan());
            assert!(
                !expected.is_normal() || (hit.t / expected - 1.0).abs() < 1e-14,
                "{scale:e} {stretch:e} {hit:?}"
            );
            assert!((hit.barycentric[0] - 0.5).abs() < 1e-14);
        }
    }
    assert!(Ray::new([f64::NAN, 0.0, 0.0], [1.0, 0.0, 0.0]).is_err());
    assert!(Ray::new([0.0; 3], [f64::INFINITY, 0.0, 0.0]).is_err());
}
