//! Claims about polygon faces, judged by integer arithmetic and by areas.

use impinge::math::Rng;
use impinge::poly::{
    FacePlane, PolyError, PolyFindingKind, PolyMesh, PolySolid, Polygon, PrecheckHits, Projection,
    RingPlace, SolidPlace, Wedges, angle_sum, area_vector, contains, contains_counted,
    convex_contains, convex_locate, findings, is_convex, is_simple, is_strictly_convex, locate,
    triangulate,
};
use impinge::query::{FaceId, VertexId};
use impinge::{DVec2, DVec3, TriMesh};

fn ring(points: &[[i64; 2]]) -> Vec<DVec2> {
    points
        .iter()
        .map(|&[x, y]| DVec2::new(x as f64, y as f64))
        .collect()
}

fn flat(points: &[[i64; 2]]) -> Vec<DVec3> {
    ring(points).into_iter().map(|p| p.extend(0.0)).collect()
}

fn grid_point(rng: &mut Rng, reach: i64) -> [i64; 2] {
    let x = rng.grid(-reach, reach) as i64;
    [x, rng.grid(-reach, reach) as i64]
}

fn vector(q: [i64; 2]) -> DVec2 {
    DVec2::new(q[0] as f64, q[1] as f64)
}

/// An outline on the grid that goes around the origin once, at distinct directions.
fn grid_star(rng: &mut Rng, reach: i64) -> Vec<[i64; 2]> {
    let corners = 3 + rng.below(9) as usize;
    let mut points: Vec<[i64; 2]> = Vec::new();
    for _ in 0..corners * 4 {
        let p = grid_point(rng, reach);
        let same_way = |q: &[i64; 2]| cross(*q, p) == 0 && q[0] * p[0] + q[1] * p[1] > 0;
        if p != [0, 0] && points.len() < corners && !points.iter().any(same_way) {
            points.push(p);
        }
    }
    let angle = |p: &[i64; 2]| (p[1] as f64).atan2(p[0] as f64);
    points.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
    points
}

fn cross(p: [i64; 2], q: [i64; 2]) -> i64 {
    p[0] * q[1] - p[1] * q[0]
}

fn turn(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i64 {
    cross([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]])
}

/// The independent judge: boundary and winding number in integers.
fn judge(points: &[[i64; 2]], q: [i64; 2]) -> RingPlace {
    let k = points.len();
    let mut winding = 0;
    for i in 0..k {
        let (a, b) = (points[i], points[(i + 1) % k]);
        let side = turn(a, b, q);
        let between = |c: usize| q[c] >= a[c].min(b[c]) && q[c] <= a[c].max(b[c]);
        if side == 0 && between(0) && between(1) {
            return RingPlace::OnBoundary;
        }
        if a[1] <= q[1] && b[1] > q[1] && side > 0 {
            winding += 1;
        } else if a[1] > q[1] && b[1] <= q[1] && side < 0 {
            winding -= 1;
        }
    }
    if winding % 2 == 0 {
        RingPlace::Outside
    } else {
        RingPlace::Inside
    }
}

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
            assert_ne!(shifted, RingPlace::OnBoundary);
            let inside = contains(&[&outline], vector(q));
            assert_eq!(inside, shifted == RingPlace::Inside, "{points:?} {q:?}");
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
    assert_eq!(Wedges::new(&square).unwrap().locate(q), RingPlace::Inside);
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
    assert!(share(hits.computed) < 0.03, "{hits:?}");
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

/// A ball of quads with many-cornered lids.
fn quad_ball(segments: u32, bands: u32) -> PolyMesh {
    let mut positions = Vec::new();
    for i in 1..bands {
        let polar = f64::from(i) / f64::from(bands) * std::f64::consts::PI;
        for j in 0..segments {
            let around = f64::from(j) / f64::from(segments) * std::f64::consts::TAU;
            let (r, z) = polar.sin_cos();
            positions.push(DVec3::new(r * around.cos(), r * around.sin(), z));
        }
    }
    let at = |i: u32, j: u32| i * segments + j % segments;
    let mut faces = Vec::new();
    for i in 0..bands - 2 {
        for j in 0..segments {
            faces.push(vec![at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    faces.push((0..segments).map(|j| at(0, j)).collect());
    faces.push((0..segments).rev().map(|j| at(bands - 2, j)).collect());
    PolyMesh::from_outlines(positions, faces).unwrap()
}

#[test]
fn the_area_vector_is_the_half_cross_product_shifts_with_the_corners_and_reverses() {
    let mut rng = Rng::new(9);
    for _ in 0..300 {
        let corners: Vec<DVec3> = (0..3 + rng.below(6)).map(|_| rng.cube()).collect();
        let n = area_vector(corners.iter().copied());
        let mut shifted = corners.clone();
        shifted.rotate_left(corners.len() / 2);
        assert!((area_vector(shifted) - n).length() < 1e-14);
        assert!((area_vector(corners.iter().rev().copied()) + n).length() < 1e-14);
        let [a, b, c] = [corners[0], corners[1], corners[2]];
        assert!((area_vector([a, b, c]) - (b - a).cross(c - a) / 2.0).length() < 1e-14);
    }
    let far = DVec3::splat(1e9);
    let unit = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y].map(|p| p + far);
    assert_eq!(area_vector(unit), DVec3::Z);
    assert_eq!(area_vector([]), DVec3::ZERO);
}

#[test]
fn planes_of_tiny_and_huge_faces_are_found() {
    for scale in [1e-300, 1e-160, 1.0, 1e44] {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y].map(|p| p * scale);
        let mesh = PolyMesh::from_outlines(corners.to_vec(), [[0, 1, 2, 3]]).unwrap();
        let plane = FacePlane::new(&mesh.face(FaceId::new(0))).unwrap();
        assert_eq!((plane.normal, plane.deviation), (DVec3::Z, 0.0));
    }
}

#[test]
fn the_projection_keeps_counter_clockwise_faces_so() {
    let mut rng = Rng::new(10);
    for _ in 0..500 {
        let corners = [rng.cube(), rng.cube(), rng.cube()];
        let projection = Projection::along(area_vector(corners));
        let [a, b, c] = corners.map(|p| projection.project(p));
        assert!((b - a).perp_dot(c - a) > 0.0);
    }
}

#[test]
fn bad_meshes_are_refused_by_name() {
    let four = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let nan = vec![DVec3::ZERO, DVec3::new(0.0, f64::NAN, 0.0)];
    let none: [[u32; 3]; 0] = [];
    assert!(matches!(
        PolyMesh::from_outlines(nan, none),
        Err(PolyError::NotFinite { vertex: 1, .. })
    ));
    let far = vec![DVec3::new(0.0, 0.0, 1e200)];
    assert!(matches!(
        PolyMesh::from_outlines(far, none),
        Err(PolyError::TooFar { vertex: 0, .. })
    ));
    assert_eq!(
        PolyMesh::from_outlines(four.clone(), [[0, 1, 2], [0, 1, 4]]),
        Err(PolyError::IndexOutOfRange {
            face: 1,
            index: 4,
            vertices: 4
        })
    );
    assert_eq!(
        PolyMesh::new(four.clone(), [vec![vec![0, 1, 2], vec![0, 3]]]),
        Err(PolyError::LoopTooShort {
            face: 0,
            loop_index: 1,
            corners: 2
        })
    );
    assert_eq!(
        PolyMesh::new(four.clone(), [Vec::<Vec<u32>>::new()]),
        Err(PolyError::NoLoop { face: 0 })
    );
    let error = PolyMesh::from_outlines(four, [[0u32; 0]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "loop 0 of face 0 has 0 corners, but needs at least 3"
    );
}

#[test]
fn findings_name_the_face_and_the_corner() {
    let mut positions = flat(&[[0, 0], [1, 0], [1, 1], [0, 1]]);
    positions.push(DVec3::new(-5.0, 0.5, 3.0));
    let faces: [&[u32]; 5] = [
        &[0, 1, 2, 3],
        &[0, 1, 2, 3, 4],
        &[0, 2, 1, 3],
        &[0, 1, 0],
        &[0, 1, 1, 2],
    ];
    let mesh = PolyMesh::from_outlines(positions, faces).unwrap();
    let found = findings(&mesh, 1e-9);
    let of = |face: u32| {
        found
            .iter()
            .filter(move |f| f.face == FaceId::new(face))
            .map(|f| f.kind)
    };
    assert_eq!(of(0).count(), 0);
    let plane = FacePlane::new(&mesh.face(FaceId::new(1))).unwrap();
    let height = |v: VertexId| plane.signed_distance(mesh.positions()[v.index()]).abs();
    assert!(of(1).any(|kind| match kind {
        PolyFindingKind::NotFlat { vertex, distance } =>
            distance > 0.1 && distance == height(vertex),
        _ => false,
    }));
    assert!(of(2).any(|kind| kind == PolyFindingKind::NoArea));
    assert!(of(3).any(|kind| kind == PolyFindingKind::NoArea));
    let vertex = VertexId::new(1);
    assert!(of(4).any(|kind| kind == PolyFindingKind::RepeatedVertex { vertex }));
    assert!(found[0].to_string().starts_with("face 1: "));
}

#[test]
fn edges_hit_triangles_where_the_solved_equations_say() {
    let mut rng = Rng::new(11);
    let mut hits = 0;
    for _ in 0..5000 {
        let corners = [rng.cube(), rng.cube(), rng.cube()];
        let (u, v) = (rng.cube(), rng.cube());
        let mesh = PolyMesh::from_outlines(corners.to_vec(), [[0, 1, 2]]).unwrap();
        let Some(polygon) = Polygon::new(mesh.face(FaceId::new(0))) else {
            continue;
        };
        // Solve u + t (v − u) = a + r (b − a) + s (c − a) by determinants.
        let [a, b, c] = corners;
        let (e, f, w, rhs) = (b - a, c - a, u - v, u - a);
        let det = e.cross(f).dot(w);
        let r = rhs.cross(f).dot(w) / det;
        let s = e.cross(rhs).dot(w) / det;
        let t = e.cross(f).dot(rhs) / det;
        let margin = [r, s, 1.0 - r - s, t, 1.0 - t]
            .into_iter()
            .fold(f64::INFINITY, f64::min);
        if margin.abs() < 1e-9 || det.abs() < 1e-9 {
            continue;
        }
        let hit = polygon.edge_hit(u, v);
        assert_eq!(hit.is_some(), margin > 0.0);
        if let Some(hit) = hit {
            hits += 1;
            assert!((hit.t - t).abs() < 1e-6 && (0.0..=1.0).contains(&hit.t));
            assert!(polygon.plane().signed_distance(hit.point).abs() < 1e-12);
        }
    }
    assert!(hits > 100);
}

#[test]
fn edges_pass_through_holes_and_along_faces() {
    let positions = flat(&[
        [0, 0],
        [6, 0],
        [6, 6],
        [0, 6],
        [2, 2],
        [4, 2],
        [4, 4],
        [2, 4],
    ]);
    let mesh = PolyMesh::new(positions, [[vec![0, 1, 2, 3], vec![4, 5, 6, 7]]]).unwrap();
    let framed = Polygon::new(mesh.face(FaceId::new(0))).unwrap();
    let falls_on = |x: f64, y: f64| {
        let (u, v) = (DVec3::new(x, y, 1.0), DVec3::new(x, y, -1.0));
        framed.edge_hit(u, v).is_some()
    };
    assert!(falls_on(1.0, 1.0) && !falls_on(3.0, 3.0) && falls_on(2.0, 3.0));
    assert!(falls_on(6.0, 3.0), "the rim counts");
    let along = framed.edge_hit(DVec3::ZERO, DVec3::ONE.with_z(0.0));
    assert!(along.is_none());
    let start = framed.edge_hit(DVec3::new(1.0, 1.0, 0.0), DVec3::ONE);
    assert_eq!(start.map(|h| h.t), Some(0.0));
}

#[test]
fn points_of_a_ball_of_polygons_are_located_by_their_radius() {
    let mesh = quad_ball(40, 20);
    let solid = PolySolid::new(&mesh);
    let mut rng = Rng::new(12);
    for _ in 0..400 {
        let p = rng.cube() * 1.3;
        let r = p.length();
        if r < 0.98 {
            assert_eq!(solid.locate(p), SolidPlace::Inside, "{p}");
        } else if r > 1.0001 {
            assert_eq!(solid.locate(p), SolidPlace::Outside, "{p}");
        }
    }
    let centre = solid.locate(DVec3::ZERO);
    assert_eq!(centre, SolidPlace::Inside, "rays through corners");
    let corner = mesh.positions()[17];
    assert_eq!(solid.locate(corner), SolidPlace::OnBoundary);
}

/// An L-shaped prism: two six-cornered lids, six quads.
fn l_prism() -> PolyMesh {
    let foot = flat(&[[0, 0], [4, 0], [4, 2], [2, 2], [2, 4], [0, 4]]);
    let mut positions = foot.clone();
    positions.extend(foot.iter().map(|p| p.with_z(3.0)));
    let mut faces: Vec<Vec<u32>> = vec![(0..6).rev().collect(), (6..12).collect()];
    for i in 0..6 {
        let j = (i + 1) % 6;
        faces.push(vec![i, j, j + 6, i + 6]);
    }
    PolyMesh::from_outlines(positions, faces).unwrap()
}

#[test]
fn every_lattice_point_of_a_prism_is_located_exactly_by_polygons_and_by_triangles() {
    let mesh = l_prism();
    let cut = triangulate(&mesh).mesh;
    let split =
        PolyMesh::from_outlines(cut.positions().to_vec(), cut.faces().iter().copied()).unwrap();
    let (solid, exact) = (PolySolid::new(&mesh), PolySolid::new(&split));
    for i in -2..=10 {
        for j in -2..=10 {
            for k in -2..=8 {
                let (x, y, z) = (f64::from(i) / 2.0, f64::from(j) / 2.0, f64::from(k) / 2.0);
                let p = DVec3::new(x, y, z);
                let positive = x > 0.0 && y > 0.0 && z > 0.0 && z < 3.0;
                let open = positive && ((x < 4.0 && y < 2.0) || (x < 2.0 && y < 4.0));
                let positive = x >= 0.0 && y >= 0.0 && (0.0..=3.0).contains(&z);
                let closed = positive && ((x <= 4.0 && y <= 2.0) || (x <= 2.0 && y <= 4.0));
                let expected = match (open, closed) {
                    (true, _) => SolidPlace::Inside,
                    (false, true) => SolidPlace::OnBoundary,
                    (false, false) => SolidPlace::Outside,
                };
                assert_eq!(solid.locate(p), expected, "{p}");
                assert_eq!(exact.locate(p), expected, "{p}");
            }
        }
    }
}

fn area(mesh: &TriMesh) -> f64 {
    mesh.face_ids()
        .map(|f| {
            let [a, b, c] = mesh.triangle(f);
            (b - a).cross(c - a).length() / 2.0
        })
        .sum()
}

fn signed_area(mesh: &TriMesh, normal: DVec3) -> f64 {
    mesh.face_ids()
        .map(|f| {
            let [a, b, c] = mesh.triangle(f);
            (b - a).cross(c - a).dot(normal) / 2.0
        })
        .sum()
}

fn shoelace(points: &[[i64; 2]]) -> f64 {
    let k = points.len();
    let doubled: i64 = (0..k).map(|i| cross(points[i], points[(i + 1) % k])).sum();
    doubled as f64 / 2.0
}

/// How many directed edges come without their reverse.
fn unmatched_edges(mesh: &TriMesh) -> usize {
    let edges: std::collections::BTreeSet<(u32, u32)> = mesh
        .faces()
        .iter()
        .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
        .collect();
    edges
        .iter()
        .filter(|&&(a, b)| !edges.contains(&(b, a)))
        .count()
}

#[test]
fn simple_polygons_of_the_grid_are_cut_into_their_own_area() {
    let mut rng = Rng::new(13);
    let mut tried = 0;
    while tried < 3000 {
        let points = grid_star(&mut rng, 6);
        let k = points.len();
        if k < 3 || !is_simple(&[ring(&points)]) {
            continue;
        }
        tried += 1;
        // Stand the outline on a plane that is exact on the grid: z = x − 2y.
        let positions = points
            .iter()
            .map(|p| DVec3::new(p[0] as f64, p[1] as f64, (p[0] - 2 * p[1]) as f64))
            .collect();
        let mut order: Vec<u32> = (0..k as u32).collect();
        if tried % 2 == 0 {
            order.reverse();
        }
        let mesh = PolyMesh::from_outlines(positions, [order]).unwrap();
        let cut = triangulate(&mesh);
        assert_eq!(cut.findings, [], "{points:?}");
        assert_eq!(cut.mesh.face_count(), k - 2);
        assert_eq!(cut.polygon_of_face, vec![0; k - 2]);
        let expected = shoelace(&points).abs() * 6.0f64.sqrt();
        assert!((area(&cut.mesh) - expected).abs() < 1e-9, "{points:?}");
        let normal = FacePlane::new(&mesh.face(FaceId::new(0))).unwrap().normal;
        assert!((signed_area(&cut.mesh, normal) - expected).abs() < 1e-9);
        assert_eq!(unmatched_edges(&cut.mesh), k);
    }
}

#[test]
fn holes_are_left_out_of_the_area() {
    let mut rng = Rng::new(14);
    for round in 0..400 {
        // Cells of a board hold a hole each, most of them; the rim has notches half the time.
        let cells = 1 + rng.below(5) as i64;
        let size = 10 * cells;
        let mut loops = vec![vec![[0, 0], [size, 0], [size, size], [0, size]]];
        if rng.below(2) == 0 {
            loops[0].insert(2, [size - 1, size / 2]);
            loops[0].insert(1, [size / 2, 1]);
        }
        let mut expected = shoelace(&loops[0]);
        for cell in 0..cells * cells {
            let mut hole = grid_star(&mut rng, 3);
            if hole.len() < 3 || !is_simple(&[ring(&hole)]) || rng.below(4) == 0 {
                continue;
            }
            let centre = [10 * (cell / cells) + 5, 10 * (cell % cells) + 5];
            for p in &mut hole {
                *p = [p[0] + centre[0], p[1] + centre[1]];
            }
            expected -= shoelace(&hole).abs();
            if rng.below(2) == 0 {
                hole.reverse();
            }
            loops.push(hole);
        }
        let holes = loops.len() - 1;
        let corners: usize = loops.iter().map(Vec::len).sum();
        let positions = flat(&loops.concat());
        let mut start = 0;
        let face: Vec<Vec<u32>> = loops
            .iter()
            .map(|l| {
                start += l.len() as u32;
                (start - l.len() as u32..start).collect()
            })
            .collect();
        let cut = triangulate(&PolyMesh::new(positions, [face]).unwrap());
        assert_eq!(cut.findings, [], "round {round}");
        assert_eq!(cut.mesh.face_count(), corners - 2 + 2 * holes);
        assert!((area(&cut.mesh) - expected).abs() < 1e-6, "round {round}");
        assert!((signed_area(&cut.mesh, DVec3::Z) - expected).abs() < 1e-6);
        assert_eq!(unmatched_edges(&cut.mesh), corners, "bridges are inside");
    }
}

#[test]
fn convex_polygons_become_fans_around_their_first_corner() {
    let mesh = quad_ball(12, 6);
    let cut = triangulate(&mesh);
    assert_eq!(cut.findings, []);
    let mut expected = Vec::new();
    for face in mesh.faces() {
        let outline = face.outline();
        for i in 1..outline.len() - 1 {
            expected.push([outline[0], outline[i], outline[i + 1]]);
        }
    }
    assert_eq!(cut.mesh.faces(), expected);
    assert_eq!(unmatched_edges(&cut.mesh), 0);
}

#[test]
fn a_dart_is_split_at_its_reflex_corner() {
    let positions = flat(&[[0, 0], [4, 4], [0, 8], [1, 4]]);
    let cut = triangulate(&PolyMesh::from_outlines(positions, [[0, 1, 2, 3]]).unwrap());
    assert!((area(&cut.mesh) - 12.0).abs() < 1e-12);
}

#[test]
fn garbage_is_cut_into_no_more_than_its_share_of_triangles() {
    let mut rng = Rng::new(15);
    for _ in 0..3000 {
        let vertices = 3 + rng.below(12);
        let reach = 1 + rng.below(3) as i64;
        let is_flat = rng.below(2) == 0;
        let positions: Vec<DVec3> = (0..vertices)
            .map(|_| {
                let z = if is_flat { 0.0 } else { rng.grid(0, reach) };
                DVec3::new(rng.grid(0, reach), rng.grid(0, reach), z)
            })
            .collect();
        let mut loops = Vec::new();
        for _ in 0..1 + rng.below(3) {
            let k = 3 + rng.below(12);
            let corners: Vec<u32> = (0..k).map(|_| rng.below(vertices) as u32).collect();
            loops.push(corners);
        }
        let holes = loops.len() - 1;
        let corners: usize = loops.iter().map(Vec::len).sum();
        let mesh = PolyMesh::new(positions, [loops]).unwrap();
        let cut = triangulate(&mesh);
        let share = corners - 2 + 2 * holes;
        assert!(cut.mesh.face_count() <= share);
        assert!(cut.mesh.face_count() == share || !cut.findings.is_empty());
        assert_eq!(cut.polygon_of_face.len(), cut.mesh.face_count());
        let _ = findings(&mesh, 0.0);
    }
}

#[test]
fn crossed_bent_and_collinear_outlines_still_give_all_their_triangles() {
    let mut rng = Rng::new(16);
    for kind in 0..3 {
        for _ in 0..300 {
            let k = 4 + rng.below(20) as u32;
            let positions = (0..k)
                .map(|i| match kind {
                    0 => rng.cube(),
                    1 => DVec3::new(rng.grid(0, 3), rng.grid(0, 3), 0.0),
                    _ => DVec3::new(f64::from(i), 0.0, 0.0),
                })
                .collect();
            let mesh = PolyMesh::from_outlines(positions, [(0..k).collect::<Vec<_>>()]).unwrap();
            assert_eq!(triangulate(&mesh).mesh.face_count() as u32, k - 2);
        }
    }
}

#[test]
fn a_hole_outside_its_outline_is_ignored_and_reported() {
    let positions = flat(&[[0, 0], [4, 0], [4, 4], [0, 4], [10, 1], [11, 1], [11, 2]]);
    let mesh = PolyMesh::new(positions, [[vec![0, 1, 2, 3], vec![4, 5, 6]]]).unwrap();
    let cut = triangulate(&mesh);
    let ignored = PolyFindingKind::HoleIgnored { hole: 0 };
    assert_eq!(cut.findings[0].kind, ignored);
    assert!((area(&cut.mesh) - 16.0).abs() < 1e-12);
}

#[test]
fn a_hole_that_touches_its_outline_is_cut_out_all_the_same() {
    let positions = flat(&[[0, 0], [6, 0], [6, 6], [0, 6], [6, 3], [4, 4], [4, 2]]);
    let mesh = PolyMesh::new(positions, [[vec![0, 1, 2, 3], vec![4, 5, 6]]]).unwrap();
    let cut = triangulate(&mesh);
    assert!((signed_area(&cut.mesh, DVec3::Z) - 34.0).abs() < 1e-12);
    assert!((area(&cut.mesh) - 34.0).abs() < 1e-12);
}

#[test]
fn a_long_spiral_is_cut_exactly() {
    let mut points = Vec::new();
    for i in 0..1500 {
        let (sin, cos) = (f64::from(i) * 0.2).sin_cos();
        points.push(DVec3::new(cos, sin, 0.0) * (10.0 + f64::from(i) * 0.1));
    }
    for i in (0..1500).rev() {
        let (sin, cos) = (f64::from(i) * 0.2).sin_cos();
        points.push(DVec3::new(cos, sin, 0.0) * (11.0 + f64::from(i) * 0.1));
    }
    let k = points.len() as u32;
    let expected = area_vector(points.iter().copied()).length();
    let cut = triangulate(&PolyMesh::from_outlines(points, [(0..k).collect::<Vec<_>>()]).unwrap());
    assert_eq!(cut.findings, []);
    assert_eq!(cut.mesh.face_count() as u32, k - 2);
    assert!((area(&cut.mesh) - expected).abs() < 1e-6 * expected);
}

#[test]
fn an_empty_mesh_has_no_triangles() {
    let none: [[u32; 3]; 0] = [];
    let mesh = PolyMesh::from_outlines(Vec::new(), none).unwrap();
    let cut = triangulate(&mesh);
    assert!(cut.mesh.is_empty() && cut.polygon_of_face.is_empty() && mesh.bounds().is_empty());
    let place = PolySolid::new(&mesh).locate(DVec3::ZERO);
    assert_eq!(place, SolidPlace::Outside);
}
