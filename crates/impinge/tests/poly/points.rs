//! Points in outlines.

use super::*;

/// A convex outline on the grid, with corners in the middle of sides half the time.
fn grid_convex(rng: &mut Rng, reach: i64, points: usize) -> Vec<[i64; 2]> {
    let mut cloud: Vec<[i64; 2]> = (0..points).map(|_| grid_point(rng, reach)).collect();
    cloud.sort_unstable();
    cloud.dedup();
    let keep_flat = rng.below(2) == 0;
    let mut hull: Vec<[i64; 2]> = Vec::new();
    for _ in 0..2 {
        let start = hull.len();
        for &p in &cloud {
            while hull.len() >= start + 2 {
                let t = turn(hull[hull.len() - 2], hull[hull.len() - 1], p);
                if t < 0 || (t == 0 && !keep_flat) {
                    hull.pop();
                } else {
                    break;
                }
            }
            hull.push(p);
        }
        hull.pop();
        cloud.reverse();
    }
    let shift = rng.below(hull.len().max(1) as u64) as usize;
    hull.rotate_left(shift);
    if rng.below(2) == 0 {
        hull.reverse();
    }
    hull
}

#[test]
fn three_way_answers_equal_integer_winding_on_the_grid() {
    let mut rng = Rng::new(1);
    let mut seen = [0; 3];
    for _ in 0..2000 {
        let points = grid_star(&mut rng, 5);
        let outline = ring(&points);
        for _ in 0..10 {
            let q = grid_point(&mut rng, 6);
            let place = locate(&[&outline], vector(q));
            assert_eq!(place, judge(&points, q), "{points:?} {q:?}");
            seen[place as usize] += 1;
        }
    }
    assert!(seen.iter().all(|&n| n > 500), "{seen:?}");
}

#[test]
fn a_boundary_point_is_contained_as_its_neighbour_to_the_upper_right_is() {
    let mut rng = Rng::new(2);
    for _ in 0..2000 {
        let points = grid_star(&mut rng, 4);
        // (x + ε, y + ε²) with ε = 2^-12, in units of 2^-24.
        let scaled: Vec<[i64; 2]> = points.iter().map(|p| [p[0] << 24, p[1] << 24]).collect();
        let outline = ring(&points);
        for _ in 0..10 {
            let q = grid_point(&mut rng, 4);
            let shifted = judge(&scaled, [(q[0] << 24) + (1 << 12), (q[1] << 24) + 1]);
            assert_ne!(shifted, PolygonLocation::OnBoundary);
            let inside = contains(&[&outline], vector(q));
            assert_eq!(
                inside,
                shifted == PolygonLocation::Inside,
                "{points:?} {q:?}"
            );
        }
    }
}

#[test]
fn triangles_that_tile_a_region_own_each_point_once() {
    let mut rng = Rng::new(3);
    for _ in 0..500 {
        let points = grid_star(&mut rng, 5);
        let k = points.len();
        if (0..k).any(|i| cross(points[i], points[(i + 1) % k]) <= 0) {
            continue;
        }
        let outline = ring(&points);
        for x in -5..=5 {
            for y in -5..=5 {
                let q = DVec2::new(f64::from(x), f64::from(y));
                let owners = (0..k)
                    .filter(|&i| contains(&[[DVec2::ZERO, outline[i], outline[(i + 1) % k]]], q))
                    .count();
                assert_eq!(owners, usize::from(contains(&[&outline], q)));
            }
        }
    }
}

#[test]
fn angle_sums_agree_with_the_ray_away_from_the_boundary() {
    let mut rng = Rng::new(4);
    for _ in 0..500 {
        let outline = ring(&grid_star(&mut rng, 9));
        if !is_simple(&[&outline]) {
            continue;
        }
        for _ in 0..10 {
            let q = DVec2::new(rng.range(-9.0, 9.0), rng.range(-9.0, 9.0));
            let sum = angle_sum(&outline, q);
            assert_eq!(sum.abs() > std::f64::consts::PI, contains(&[&outline], q));
        }
    }
}

#[test]
fn the_logarithmic_tests_equal_the_linear_ones_on_convex_polygons() {
    let mut rng = Rng::new(5);
    let mut tried = 0;
    for round in 0..6000 {
        let (reach, cloud) = match round % 100 {
            0 => (400, 3000),
            1..20 => (60, 60),
            _ => (4, 9),
        };
        let points = grid_convex(&mut rng, reach, cloud);
        let outline = ring(&points);
        if !is_convex(&outline) {
            continue;
        }
        tried += 1;
        let wedges = Wedges::new(outline.clone()).expect("convex outlines are star-shaped");
        for _ in 0..12 {
            let q = vector(grid_point(&mut rng, reach + 1));
            let place = locate(&[&outline], q);
            let inside = contains(&[&outline], q);
            assert_eq!(convex_contains(&outline, q), inside, "{points:?} {q}");
            assert_eq!(convex_locate(&outline, q), place, "{points:?} {q}");
            assert_eq!(wedges.locate(q), place, "{points:?} {q}");
        }
    }
    assert!(tried > 3000);
}

#[test]
fn wedges_answer_star_shaped_outlines_and_refuse_others() {
    let mut rng = Rng::new(6);
    let mut star = 0;
    for _ in 0..4000 {
        let points = grid_star(&mut rng, 6);
        let outline = ring(&points);
        let Some(wedges) = Wedges::new(&outline) else {
            continue;
        };
        star += 1;
        for _ in 0..8 {
            let q = grid_point(&mut rng, 6);
            assert_eq!(wedges.locate(vector(q)), judge(&points, q));
        }
    }
    assert!(star > 300);
    let twice = [
        [4, 0],
        [0, 4],
        [-4, 0],
        [0, -4],
        [3, 0],
        [0, 3],
        [-3, 0],
        [0, -3],
    ];
    assert!(Wedges::new(ring(&twice)).is_none());
}

#[test]
fn inside_is_where_the_outward_half_plane_expression_is_not_positive() {
    let square = ring(&[[0, 0], [2, 0], [2, 2], [0, 2]]);
    let q = DVec2::new(0.5, 1.5);
    for i in 0..4 {
        let (p, next) = (square[i], square[(i + 1) % 4]);
        let outward = DVec2::new(next.y - p.y, p.x - next.x);
        assert!(outward.dot(q - p) <= 0.0);
    }
    assert_eq!(
        Wedges::new(&square).unwrap().locate(q),
        PolygonLocation::Inside
    );
}

#[test]
fn the_bisection_follows_the_slope_where_three_heights_mislead() {
    // Two rings of heights that compare alike at first, middle and last corner but have their
    // lowest corner on different sides of the middle one.
    for heights in [[10, 9, 8, 7, 6, 5, 20, 15], [10, 5, 8, 9, 12, 20, 18, 15]] {
        let low = heights.iter().position(|&h| h == 5).unwrap();
        let high = heights.iter().position(|&h| h == 20).unwrap();
        // A convex ring with these heights: x is ± a concave function of the height.
        let points: Vec<DVec2> = (0..8)
            .map(|i| {
                let h = f64::from(heights[i]);
                let bulge = (h - 5.0) * (20.0 - h);
                let rising = (i + 8 - low) % 8 < (high + 8 - low) % 8;
                DVec2::new(if rising { bulge } else { -bulge }, h)
            })
            .collect();
        assert!(is_strictly_convex(&points), "{points:?}");
        for y in 4..=21 {
            for x in -60..=60 {
                let q = DVec2::new(f64::from(x), f64::from(y));
                assert_eq!(convex_contains(&points, q), contains(&[&points], q));
            }
        }
    }
}

#[test]
fn convexity_needs_the_turns_as_well_as_the_extrema() {
    assert!(!is_convex(&ring(&[[0, 0], [4, 0], [4, 4], [3, 1]])));
    let pentagram: Vec<DVec2> = (0..5)
        .map(|i| DVec2::from_angle(f64::from(i) * 4.0 * std::f64::consts::PI / 5.0))
        .collect();
    assert!(!is_convex(&pentagram), "turns one way, but twice around");
    assert!(!is_convex(&ring(&[[0, 0], [1, 1], [2, 2]])), "no area");
    assert!(!is_convex(&ring(&[[0, 0], [2, 0], [1, 0], [3, 0]])));
    assert!(
        !is_convex(&ring(&[[0, 0], [0, 0], [1, 0], [0, 1]])),
        "repeated corner"
    );
    assert!(!is_convex(&ring(&[[0, 0], [1, 0]])));
    assert!(!is_convex(&ring(&[])));
    assert!(is_convex(&ring(&[[0, 0], [1, 0], [2, 0], [2, 2], [0, 2]])));
}

#[test]
fn simple_means_no_two_edges_meet_but_neighbours() {
    assert!(is_simple(&[ring(&[[0, 0], [4, 0], [4, 4], [3, 1]])]));
    let crossing = ring(&[[0, 0], [2, 2], [2, 0], [0, 2]]);
    assert!(!is_simple(&[crossing]));
    let folded = ring(&[[0, 0], [4, 0], [2, 0], [2, 2]]);
    assert!(!is_simple(&[folded]));
    let touching = ring(&[[0, 0], [4, 0], [4, 4], [2, 0], [0, 4]]);
    assert!(!is_simple(&[touching]));
    let outline = ring(&[[0, 0], [9, 0], [9, 9], [0, 9]]);
    assert!(is_simple(&[
        outline.clone(),
        ring(&[[1, 1], [1, 2], [2, 2]])
    ]));
    assert!(!is_simple(&[outline, ring(&[[1, 1], [1, 2], [20, 2]])]));
}

#[test]
fn nearly_all_edges_of_a_mesh_are_decided_by_comparisons() {
    let mesh = quad_ball(24, 12);
    let mut rng = Rng::new(7);
    let mut hits = PrecheckHits::default();
    let polygons: Vec<Polygon> = mesh.faces().filter_map(Polygon::new).collect();
    for _ in 0..4000 {
        // Short edges near the ball, as those of another mesh that comes close.
        let u = rng.direction() * rng.range(0.8, 1.2);
        let v = u + rng.cube() * 0.3;
        for polygon in &polygons {
            let plane = polygon.plane();
            let (from, to) = (plane.signed_distance(u), plane.signed_distance(v));
            if (from > 0.0) != (to > 0.0) {
                let _ = polygon.contains_counted(u + (v - u) * (from / (from - to)), &mut hits);
            }
        }
    }
    let share = |n: u64| n as f64 / hits.total() as f64;
    assert!(hits.total() > 20_000);
    assert!(share(hits.computed) < 0.01, "{hits:?}");
    assert!((0.35..0.65).contains(&share(hits.left)), "{hits:?}");
    assert!(
        share(hits.above) > 0.1 && share(hits.below) > 0.1,
        "{hits:?}"
    );
    let diagonal = share(hits.over_diagonal + hits.under_diagonal);
    assert!(diagonal < 0.02, "{hits:?}");
}

#[test]
fn counting_does_not_change_the_answer() {
    let mut rng = Rng::new(8);
    for _ in 0..500 {
        let outline = ring(&grid_star(&mut rng, 6));
        let q = vector(grid_point(&mut rng, 6));
        let mut hits = PrecheckHits::default();
        let counted = contains_counted(&[&outline], q, &mut hits);
        assert_eq!(counted, contains(&[&outline], q));
        assert_eq!(hits.total(), outline.len() as u64);
    }
}

#[test]
fn answers_stay_when_everything_shrinks_by_a_power_of_two() {
    // Products of such coordinates underflow to zero.
    let tiny = f64::from_bits((1023 - 1000) << 52);
    let mut rng = Rng::new(17);
    for _ in 0..300 {
        let outline = ring(&grid_star(&mut rng, 5));
        let shrunk: Vec<DVec2> = outline.iter().map(|p| *p * tiny).collect();
        assert_eq!(is_convex(&outline), is_convex(&shrunk));
        assert_eq!(is_simple(&[&outline]), is_simple(&[&shrunk]));
        for _ in 0..10 {
            let q = vector(grid_point(&mut rng, 6));
            assert_eq!(contains(&[&outline], q), contains(&[&shrunk], q * tiny));
            assert_eq!(locate(&[&outline], q), locate(&[&shrunk], q * tiny));
        }
    }
}

#[test]
fn a_tree_over_edges_gives_the_answers_of_all_edges() {
    let mut rng = Rng::new(9);
    let mut seen = [0; 3];
    for round in 0..800 {
        // Several outlines at once; long ones wander over a small grid, so that corners, edges and rays meet often.
        let mut outlines: Vec<Vec<DVec2>> = (0..1 + rng.below(3))
            .map(|_| ring(&grid_star(&mut rng, 6)))
            .collect();
        if round % 4 == 0 {
            let long = 20 + rng.below(200);
            outlines.push((0..long).map(|_| vector(grid_point(&mut rng, 6))).collect());
        }
        if round % 50 == 0 {
            outlines.push(Vec::new());
        }
        let tree = EdgeTree::new(&outlines);
        let edges: usize = outlines.iter().map(Vec::len).sum();
        assert_eq!(tree.edge_count(), edges);
        for _ in 0..20 {
            let q = vector(grid_point(&mut rng, 7));
            let place = locate(&outlines, q);
            assert_eq!(tree.locate(q), place, "{outlines:?} {q}");
            let mut work = EdgeTreeWork::default();
            let inside = tree.contains_counted(q, &mut work);
            assert_eq!(inside, contains(&outlines, q), "{outlines:?} {q}");
            assert_eq!(tree.contains(q), inside);
            assert!(work.edges.total() <= edges as u64);
            seen[place as usize] += 1;
        }
    }
    assert!(seen.iter().all(|&n| n > 1000), "{seen:?}");
}

#[test]
fn the_work_of_a_tree_over_edges_grows_with_the_logarithm_of_their_number() {
    let mut rng = Rng::new(10);
    let mut work_of = Vec::new();
    for corners in [64, 4096] {
        // A gear: it turns back and forth all the way round.
        let outline: Vec<DVec2> = (0..corners)
            .map(|i| {
                let size = if i / 2 % 2 == 0 { 1.0 } else { 0.95 };
                size * DVec2::from_angle(std::f64::consts::TAU * f64::from(i) / f64::from(corners))
            })
            .collect();
        let tree = EdgeTree::new(&[&outline]);
        let mut work = EdgeTreeWork::default();
        for _ in 0..1000 {
            let q = DVec2::new(rng.range(-1.2, 1.2), rng.range(-1.2, 1.2));
            assert_eq!(
                tree.contains_counted(q, &mut work),
                contains(&[&outline], q)
            );
        }
        work_of.push((work.boxes + work.edges.total()) as f64 / 1000.0);
    }
    // 64 times the edges, and half as many again for each doubling at most.
    assert!(
        work_of[1] < 6.0 * work_of[0] && work_of[1] < 200.0,
        "{work_of:?}"
    );
}
