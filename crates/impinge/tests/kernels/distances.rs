//! Distances between points, segments and triangles.

use super::*;

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
