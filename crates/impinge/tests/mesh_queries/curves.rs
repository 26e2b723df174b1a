//! The curves of two meshes are made of exactly the segments that their faces share.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says what it expects by panicking"
)]

use std::collections::BTreeSet;
use std::sync::Arc;

use impinge::bvh::wide::{WideCache, WideTree};
use impinge::bvh::{Curve, CurvePointOrigin, Curves, FaceSweep, MeshIndex, intersection_curves};
use impinge::geom::{TriangleOverlap, triangle_overlap};
use impinge::math::Rng;
use impinge::query::{FacePair, Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_testkit::generate::{grid, meshes, poses};
use impinge_testkit::oracle;

fn curves(a: &TriMesh, b: &TriMesh, pose: &Pose) -> Curves {
    let tree_a = WideTree::new(Arc::new(a.clone()));
    let tree_b = WideTree::new(Arc::new(b.clone()));
    let mut cache = WideCache::default();
    let met = intersection_curves(&tree_a, &tree_b, pose, Limits::default(), &mut cache);
    assert_eq!(met.outcome, Outcome::Complete);
    let config = Default::default();
    let sweep_a = FaceSweep::build(Arc::new(a.clone()), &config);
    let sweep_b = FaceSweep::build(Arc::new(b.clone()), &config);
    let mut cache = Default::default();
    let swept = intersection_curves(&sweep_a, &sweep_b, pose, Limits::default(), &mut cache);
    assert_eq!(met, swept, "the curves depend on the index");
    met
}

/// The segments of a curve with their faces.
fn segments(curve: &Curve) -> impl Iterator<Item = ([DVec3; 2], FacePair)> {
    let points = &curve.points;
    (0..curve.pairs.len()).map(|i| {
        let next = (i + 1) % points.len();
        ([points[i].point, points[next].point], curve.pairs[i])
    })
}

fn is_shape_right(curve: &Curve) {
    let open = usize::from(!curve.is_closed);
    assert_eq!(curve.pairs.len() + open, curve.points.len());
    assert!(curve.points.len() >= 2);
}

fn is_flat([a, b, c]: &[DVec3; 3]) -> bool {
    (*b - *a).cross(*c - *a) == DVec3::ZERO
}

/// Whether it is a single box or tetrahedron with volume.
fn is_simple_solid(mesh: &TriMesh) -> bool {
    let [p, q, r, .., s] = *mesh.positions() else {
        return false;
    };
    mesh.vertex_count() <= 8 && mesh.face_count() <= 12 && (q - p).cross(r - p).dot(s - p) != 0.0
}

/// On small integers: the segments are those of all face pairs that the oracle knows to meet.
fn check_on_grid(a: &TriMesh, b: &TriMesh, pose: &Pose) -> usize {
    let met = curves(a, b, pose);
    let placed = b.placed(pose).unwrap();
    let near = |p: DVec3, q: DVec3| (p - q).length() <= 1e-12 * (1.0 + p.length());
    let mut expected: Vec<[DVec3; 2]> = Vec::new();
    let mut points: Vec<DVec3> = Vec::new();
    let mut coplanar = BTreeSet::new();
    for pair in oracle::face_pairs(a, b, pose) {
        let (ta, tb) = (a.face(pair.a).unwrap(), placed.face(pair.b).unwrap());
        if is_flat(&ta) || is_flat(&tb) {
            continue;
        }
        let normal = (ta[1] - ta[0]).cross(ta[2] - ta[0]);
        if tb.iter().all(|p| normal.dot(*p - ta[0]) == 0.0) {
            coplanar.insert(pair);
            continue;
        }
        match triangle_overlap(&ta, &tb) {
            TriangleOverlap::Segment(ends) => expected.push(ends),
            TriangleOverlap::Point(p) => points.push(p),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(met.coplanar, coplanar.into_iter().collect::<Vec<_>>());
    let same = |[p, q]: &[DVec3; 2], [r, s]: &[DVec3; 2]| {
        (near(*p, *r) && near(*q, *s)) || (near(*p, *s) && near(*q, *r))
    };
    let mut found = Vec::new();
    let is_simple = is_simple_solid(a) && is_simple_solid(b);
    for curve in &met.curves {
        is_shape_right(curve);
        for (ends, pair) in segments(curve) {
            // Two boxes in one mesh may have edges at the same place.
            let is_twice = found.iter().any(|f| same(f, &ends));
            assert!(!(is_simple && is_twice), "a segment comes twice: {ends:?}");
            let own = triangle_overlap(&a.face(pair.a).unwrap(), &placed.face(pair.b).unwrap());
            assert!(matches!(own, TriangleOverlap::Segment(e) if same(&e, &ends)));
            found.push(ends);
        }
    }
    for ends in &expected {
        assert!(found.iter().any(|f| same(f, ends)), "missing {ends:?}");
    }
    for (touch, _) in &met.touches {
        assert!(points.iter().any(|p| near(*p, touch.point)));
        let mut corners = met.curves.iter().flat_map(|c| &c.points);
        assert!(corners.all(|p| p.place != touch.place));
        assert!(!is_simple || !found.iter().flatten().any(|p| near(*p, touch.point)));
    }
    for p in &points {
        let touched = met.touches.iter().any(|(t, _)| near(t.point, *p));
        // Inside a segment a point of contact is no news, but it is not one of its ends.
        assert!(touched || found.iter().flatten().any(|q| near(*q, *p)));
    }
    found.len()
}

#[test]
fn soups_on_the_grid_have_the_segments_of_all_pairs() {
    let mut rng = Rng::new(51);
    let mut found = 0;
    for i in 0..120 {
        let range = grid::RANGES[i % grid::RANGES.len()];
        let a = meshes::grid_soup(&mut rng, 12, range);
        let b = meshes::grid_soup(&mut rng, 12, range);
        found += check_on_grid(&a, &b, &poses::exact(&mut rng, 1));
    }
    assert!(found > 500, "{found}");
}

#[test]
fn solids_on_the_grid_have_the_segments_of_all_pairs() {
    let mut rng = Rng::new(52);
    let mut found = 0;
    for _ in 0..400 {
        let a = meshes::grid_solid(&mut rng, 3);
        let b = meshes::grid_solid(&mut rng, 3);
        found += check_on_grid(&a, &b, &poses::exact(&mut rng, 2));
    }
    assert!(found > 800, "{found}");
}

/// In general position all curves close, and every corner comes from an edge through a face.
fn check_closed(a: &TriMesh, b: &TriMesh, pose: &Pose) -> Curves {
    let met = curves(a, b, pose);
    assert!(met.touches.is_empty() && met.coplanar.is_empty());
    let placed = b.placed(pose).unwrap();
    let pairs: usize = met.curves.iter().map(|c| c.pairs.len()).sum();
    let tree_a = WideTree::new(Arc::new(a.clone()));
    let tree_b = WideTree::new(Arc::new(b.clone()));
    let mut all: Vec<FacePair> = Vec::new();
    let mut cache = WideCache::default();
    let _ = tree_a.intersections(&tree_b, pose, Limits::default(), &mut cache, &mut all);
    assert_eq!(pairs, all.len(), "one segment per pair");
    for curve in &met.curves {
        is_shape_right(curve);
        assert!(curve.is_closed);
        for point in &curve.points {
            let (edge, mesh) = match point.place {
                CurvePointOrigin::EdgeOfA { edge, .. } => (edge, a),
                CurvePointOrigin::EdgeOfB { edge, .. } => (edge, &placed),
                other => panic!("{other:?}"),
            };
            let [p, q] = edge.map(|v| mesh.vertex(v).unwrap());
            let t = (point.point - p).dot(q - p) / (q - p).length_squared();
            let off = (p + (q - p) * t - point.point).length();
            assert!((-1e-9..=1.0 + 1e-9).contains(&t) && off < 1e-9, "{off}");
        }
        for (ends, pair) in segments(curve) {
            let own = triangle_overlap(&a.face(pair.a).unwrap(), &placed.face(pair.b).unwrap());
            let TriangleOverlap::Segment([p, q]) = own else {
                panic!("{own:?}");
            };
            let gap = |r: DVec3, s: DVec3| (r - ends[0]).length() + (s - ends[1]).length();
            assert!(gap(p, q).min(gap(q, p)) < 1e-9);
        }
    }
    met
}

#[test]
fn two_balls_meet_in_one_loop_as_long_as_a_circle() {
    let ball = generate::icosphere(1.0, 12).unwrap();
    let mut rng = Rng::new(53);
    for _ in 0..10 {
        let turn = poses::random(&mut rng, 0.0);
        let pose = Pose::new(*turn.rotation(), rng.direction() * 1.1).unwrap();
        let met = check_closed(&ball, &ball, &pose);
        assert_eq!(met.curves.len(), 1);
        let radius = (1.0_f64 - 0.55 * 0.55).sqrt();
        let length = met.curves[0].length();
        assert!(
            (length / (std::f64::consts::TAU * radius) - 1.0).abs() < 0.03,
            "{length}"
        );
    }
}

#[test]
fn a_knot_and_a_gear_meet_in_loops() {
    let knot = generate::torus_knot(2, 3, 0.35, 120, 12).unwrap();
    let gear = generate::gear(14, 5, 1.5, 0.3).unwrap();
    let mut rng = Rng::new(54);
    let mut loops = 0;
    for _ in 0..12 {
        let pose = poses::random(&mut rng, 1.5);
        loops += check_closed(&knot, &gear, &pose).curves.len();
    }
    assert!(loops > 10, "{loops}");
}

#[test]
fn repeated_corners_join_like_shared_ones() {
    let ball = generate::icosphere(1.0, 5).unwrap();
    let torn = meshes::soup(ball.triangles());
    let pose = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7, [0.9, 0.31, -0.22]).unwrap();
    let (whole, loose) = (curves(&ball, &ball, &pose), curves(&torn, &torn, &pose));
    assert_eq!((loose.curves.len(), loose.curves[0].is_closed), (1, true));
    let points =
        |met: &Curves| -> Vec<DVec3> { met.curves[0].points.iter().map(|p| p.point).collect() };
    assert_eq!(points(&whole), points(&loose));
}

#[test]
fn a_sheet_through_a_cube_leaves_open_ends_at_its_border() {
    let cube = meshes::cuboid(DVec3::ZERO, DVec3::splat(4.0));
    let sheet = meshes::sheet(4, |_, _| 0.0);
    // Half in, half out, above the grid of the cube's own edges.
    let pose = Pose::from_axis_angle([0.1, 0.2, 1.0], 0.3, [2.1, 0.6, 1.3]).unwrap();
    let met = curves(&cube, &sheet, &pose);
    assert_eq!(met.curves.len(), 1);
    assert!(!met.curves[0].is_closed);
    // A corner of one cube through the face of another: a triangle.
    let small = meshes::cuboid(DVec3::ZERO, DVec3::ONE);
    let pose = Pose::from_axis_angle([1.0, -0.4, 0.2], 0.6, [1.3, 1.1, 3.7]).unwrap();
    let met = check_closed(&cube, &small, &pose);
    assert_eq!(met.curves.len(), 1);
}

#[test]
fn stacked_cubes_list_the_faces_in_their_common_plane() {
    let cube = meshes::cuboid(DVec3::ZERO, DVec3::ONE);
    let on_top = Pose::from_translation([0.25, 0.25, 1.0]).unwrap();
    let met = curves(&cube, &cube, &on_top);
    assert!(!met.coplanar.is_empty());
    let apart = Pose::from_translation([0.0, 0.0, 1.5]).unwrap();
    let none = curves(&cube, &cube, &apart);
    assert!(none.curves.is_empty() && none.coplanar.is_empty() && none.touches.is_empty());
    let corner = Pose::from_translation([1.0, 1.0, 1.0]).unwrap();
    let met = curves(&cube, &cube, &corner);
    assert_eq!((met.curves.len(), met.touches.len()), (0, 1));
    assert_eq!(met.touches[0].0.point, DVec3::ONE);
}
