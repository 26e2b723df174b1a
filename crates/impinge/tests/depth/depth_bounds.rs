//! Depths lie in their brackets, and the brackets close, however fine the meshes.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::{WideCache, WideTree};
use impinge::depth::{
    DepthOptions, Solid, deepest_point, deepest_point_of_a, penetration_depth,
    separating_translation, signed_distance,
};
use impinge::generate::{cuboid, icosphere, torus};
use impinge::geom::{closest_point_on_triangle, triangles_intersect};
use impinge::math::Rng;
use impinge::mesh::point_in_mesh::{InsideTest, Location};
use impinge::query::{Bounded, Limits, Outcome, Penetration};
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::generate::{meshes, poses};

fn tree(mesh: &TriMesh) -> WideTree {
    WideTree::new(Arc::new(mesh.clone()))
}

fn cube(size: f64) -> TriMesh {
    meshes::cuboid(DVec3::splat(-size / 2.0), DVec3::splat(size / 2.0))
}

/// The depth of a point, all faces tried.
fn depth_of(mesh: &TriMesh, test: &InsideTest<'_>, p: DVec3) -> f64 {
    let distance = mesh.face_ids().fold(f64::INFINITY, |m, face| {
        m.min(closest_point_on_triangle(p, &mesh.face(face).unwrap()).distance)
    });
    match test.locate(p).unwrap() {
        Location::Inside => distance,
        Location::Outside => -distance,
        Location::OnBoundary => 0.0,
    }
}

/// A lower bound on the deepest point's depth by samples on every face, and the largest gap between them.
fn sampled(inner: &TriMesh, outer: &TriMesh, steps: u32) -> (f64, f64) {
    let test = InsideTest::new(outer).unwrap();
    let (mut deepest, mut coarsest) = (0.0_f64, 0.0_f64);
    for face in inner.face_ids() {
        let [p, q, r] = inner.face(face).unwrap();
        let longest = (q - p).length().max((r - q).length()).max((p - r).length());
        coarsest = coarsest.max(longest / f64::from(steps));
        for i in 0..=steps {
            for j in 0..=steps - i {
                let (u, v) = (f64::from(i), f64::from(j));
                let at = p + (q - p) * (u / f64::from(steps)) + (r - p) * (v / f64::from(steps));
                deepest = deepest.max(depth_of(outer, &test, at));
            }
        }
    }
    (deepest, coarsest)
}

fn cold_deepest_point(a: &Solid<'_>, b: &Solid<'_>, pose: &Pose) -> Bounded<Option<Penetration>> {
    let (options, limits) = (DepthOptions::default(), Limits::default());
    deepest_point(a, b, pose, &options, limits, &mut WideCache::default())
}

#[test]
fn the_deepest_point_is_where_dense_samples_find_it() {
    let mut rng = Rng::new(21);
    for i in 0..40 {
        let (a, b) = match i % 4 {
            0 => (meshes::ball(1, 1.0), meshes::ball(1, 0.8)),
            1 => (cube(1.4), meshes::ball(1, 1.0)),
            2 => (torus(0.8, 0.3, 10, 6).unwrap(), cube(1.0)),
            _ => (cube(1.5), cube(1.0)),
        };
        let pose = poses::random(&mut rng, 0.8);
        let (tree_a, tree_b) = (tree(&a), tree(&b));
        let (solid_a, solid_b) = (
            Solid::closed(&tree_a).unwrap(),
            Solid::closed(&tree_b).unwrap(),
        );
        let (options, limits) = (DepthOptions::default(), Limits::default());
        let placed = b.placed(&pose).unwrap();
        let (truth, coarse) = sampled(&a, &placed, 12);
        let mut cache = WideCache::default();
        let one = deepest_point_of_a(&solid_a, &solid_b, &pose, &options, limits, &mut cache);
        assert_eq!(one.outcome, Outcome::Complete);
        assert!(one.upper >= truth - 1e-12, "{i} {truth} {one:?}");
        assert!(one.lower <= truth + coarse + 1e-12, "{i} {truth} {one:?}");
        let (back, coarse_back) = sampled(&placed, &a, 12);
        let both = cold_deepest_point(&solid_a, &solid_b, &pose);
        let truth = truth.max(back);
        assert!(both.upper >= truth - 1e-12);
        assert!(both.lower <= truth + coarse.max(coarse_back) + 1e-12);
        assert!(
            both.upper - both.lower <= 1e-3 * both.upper + 1e-12,
            "{both:?}"
        );
        if let Some(deep) = both.value {
            assert!(((deep.point_a - deep.point_b).length() - deep.depth).abs() < 1e-12);
            // One point is on each surface.
            for (mesh, p) in [(&a, deep.point_a), (&placed, deep.point_b)] {
                let d = mesh.face_ids().fold(f64::INFINITY, |m, f| {
                    m.min(closest_point_on_triangle(p, &mesh.face(f).unwrap()).distance)
                });
                assert!(d < 1e-12, "{i} {deep:?}");
            }
        }
    }
}

#[test]
fn overlapping_balls_of_every_fineness_have_the_depth_of_their_polyhedra() {
    // 20·f² faces: 5 k, 20 k, 80 k.
    for frequency in [16, 32, 63] {
        let (fine, finer) = (
            icosphere(1.0, frequency).unwrap(),
            icosphere(0.75, frequency).unwrap(),
        );
        let (tree_a, tree_b) = (tree(&fine), tree(&finer));
        let (a, b) = (
            Solid::closed(&tree_a).unwrap(),
            Solid::closed(&tree_b).unwrap(),
        );
        // The polyhedra lie between their spheres and these inner ones.
        let inner = |mesh: &TriMesh| {
            mesh.face_ids().fold(f64::INFINITY, |m, f| {
                m.min(closest_point_on_triangle(DVec3::ZERO, &mesh.face(f).unwrap()).distance)
            })
        };
        let (inner_a, inner_b) = (inner(&fine), inner(&finer));
        let mut rng = Rng::new(22);
        for distance in [1.5, 1.25] {
            let offset = rng.direction() * distance;
            let turn = poses::random(&mut rng, 0.0);
            let pose = Pose::new(*turn.rotation(), offset).unwrap();
            let (least, most) = (inner_a + inner_b - distance, 1.75 - distance);
            assert!(most >= 0.25 && most - least < 0.01 * most * (20.0 / f64::from(frequency)));
            let (options, limits) = (DepthOptions::default(), Limits::default());
            let deep = deepest_point(&a, &b, &pose, &options, limits, &mut WideCache::default());
            assert!(deep.lower <= most + 1e-12 && deep.upper >= least - 1e-12);
            assert!(deep.upper - deep.lower <= 0.002 * deep.upper, "{deep:?}");
            let mut cache = WideCache::default();
            let out = penetration_depth(&a, &b, &pose, &options, limits, &mut cache);
            assert!(out.lower <= most + 1e-12 && out.upper >= least - 1e-12);
            assert!(
                out.upper - out.lower <= 0.01 * out.lower,
                "{frequency} {out:?}"
            );
            let signed = signed_distance(&a, &b, &pose, &options, limits, &mut cache);
            assert!((signed.value.unwrap().distance + deep.value.unwrap().depth).abs() < 1e-12);
        }
    }
}

#[test]
fn small_polyhedral_balls_have_the_sampled_translation() {
    // For convex polyhedra the penetration depth is the distance of the origin from the border of the difference body: the least, over
    // all normals of faces and pairs of edges, of the sum of supports.
    let mut rng = Rng::new(23);
    for i in 0..12 {
        let (a, b) = (meshes::ball(1, 1.0), meshes::ball(i % 2, 0.8));
        let pose = {
            let turn = poses::random(&mut rng, 0.0);
            Pose::new(*turn.rotation(), rng.direction() * 1.1).unwrap()
        };
        let placed = b.placed(&pose).unwrap();
        let support = |mesh: &TriMesh, n: DVec3| {
            let points = mesh.positions().iter();
            points.fold(f64::NEG_INFINITY, |m, p| m.max(p.dot(n)))
        };
        let edges = |mesh: &TriMesh| {
            let faces = mesh.triangles();
            faces
                .flat_map(|[p, q, r]| [q - p, r - q, p - r])
                .collect::<Vec<_>>()
        };
        let mut truth = f64::INFINITY;
        let mut offer = |n: DVec3| {
            if let Some(n) = n.try_normalize() {
                for n in [n, -n] {
                    truth = truth.min(support(&a, n) + support(&placed, -n));
                }
            }
        };
        for mesh in [&a, &placed] {
            for face in mesh.face_ids() {
                let [p, q, r] = mesh.face(face).unwrap();
                offer((q - p).cross(r - p));
            }
        }
        for u in edges(&a) {
            for v in edges(&placed) {
                offer(u.cross(v));
            }
        }
        let (tree_a, tree_b) = (tree(&a), tree(&b));
        let (a, b) = (
            Solid::closed(&tree_a).unwrap(),
            Solid::closed(&tree_b).unwrap(),
        );
        let (options, limits) = (DepthOptions::default(), Limits::default());
        let out = penetration_depth(&a, &b, &pose, &options, limits, &mut WideCache::default());
        assert!(
            out.lower <= truth + 1e-12 && truth <= out.upper + 1e-12,
            "{truth} {out:?}"
        );
        assert!(out.upper <= truth * 1.01, "{truth} {out:?}");
    }
}

#[test]
fn overlapping_boxes_of_every_fineness_have_their_closed_form_depth() {
    // 12·n² faces: 5 k, 20 k, 80 k.
    for divisions in [20, 41, 82] {
        let mesh = cuboid(DVec3::splat(2.0), [divisions; 3]).unwrap();
        let tree = tree(&mesh);
        let solid = Solid::closed(&tree).unwrap();
        for offset in [[1.6, 0.3, 0.2], [1.7, 0.0, 0.0], [0.2, -1.5, 1.0]] {
            let pose = Pose::from_translation(offset).unwrap();
            let overlap = DVec3::splat(2.0) - DVec3::from(offset).abs();
            let truth = overlap.min_element();
            let (options, limits) = (DepthOptions::default(), Limits::default());
            let mut cache = WideCache::default();
            // A point of the face that goes in is as deep as the overlap, for the overlap is less than half as deep as wide.
            let deep = cold_deepest_point(&solid, &solid, &pose);
            assert!(
                deep.lower <= truth && truth <= deep.upper,
                "{truth} {deep:?}"
            );
            assert!(deep.upper - deep.lower <= 0.002 * truth);
            let out = penetration_depth(&solid, &solid, &pose, &options, limits, &mut cache);
            assert!(out.lower <= truth && truth <= out.upper, "{truth} {out:?}");
            assert!(out.upper - out.lower <= 0.01 * truth, "{truth} {out:?}");
            for (direction, expected) in [
                (DVec3::X, 2.0 - offset[0]),
                (DVec3::NEG_Y, 2.0 + offset[1]),
                (DVec3::Z * 7.0, 2.0 - offset[2]),
            ] {
                let out =
                    separating_translation(&solid, &solid, &pose, direction, limits, &mut cache);
                assert!(
                    out.lower <= expected && expected <= out.upper,
                    "{expected} {out:?}"
                );
                assert!(
                    out.upper - out.lower <= 1e-3 * expected,
                    "{divisions} {out:?}"
                );
            }
        }
    }
}

/// Whether two meshes touch, all pairs tried.
fn touch(a: &TriMesh, b: &TriMesh) -> bool {
    a.face_ids().any(|fa| {
        let face = a.face(fa).unwrap();
        b.face_ids()
            .any(|fb| triangles_intersect(&face, &b.face(fb).unwrap()))
    })
}

#[test]
fn up_to_the_lower_translation_solids_overlap_and_at_the_upper_they_do_not() {
    let mut rng = Rng::new(24);
    let mut closed = 0;
    for i in 0..60 {
        let (a, b) = match i % 4 {
            0 => (meshes::ball(1, 1.0), cube(1.0)),
            1 => (
                torus(1.0, 0.25, 12, 6).unwrap(),
                torus(1.0, 0.2, 9, 5).unwrap(),
            ),
            2 => (torus(1.0, 0.3, 12, 6).unwrap(), meshes::ball(1, 0.5)),
            _ => (meshes::merged(&cube(1.0), &cube(0.2)), cube(0.5)),
        };
        let pose = poses::random(&mut rng, 0.9);
        let (tree_a, tree_b) = (tree(&a), tree(&b));
        let (solid_a, solid_b) = (
            Solid::closed(&tree_a).unwrap(),
            Solid::closed(&tree_b).unwrap(),
        );
        let direction = rng.direction();
        let mut cache = WideCache::default();
        let limits = Limits::default();
        let out = separating_translation(&solid_a, &solid_b, &pose, direction, limits, &mut cache);
        assert!(out.lower <= out.upper);
        closed += u32::from(out.outcome == Outcome::Complete);
        let test_a = InsideTest::new(&a).unwrap();
        let overlap = |s: f64| {
            let moved = Pose::new(*pose.rotation(), pose.translation() + direction * s).unwrap();
            let placed = b.placed(&moved).unwrap();
            let test = InsideTest::new(&placed).unwrap();
            let inside = |t: &InsideTest<'_>, mesh: &TriMesh| {
                let points = mesh.positions().iter();
                points
                    .clone()
                    .any(|p| t.locate(*p).unwrap() != Location::Outside)
            };
            touch(&a, &placed) || inside(&test, &a) || inside(&test_a, &placed)
        };
        assert!(!overlap(out.upper), "{i} {out:?}");
        for k in 0..10 {
            let s = out.lower * f64::from(k) / 10.0;
            assert!(out.lower == 0.0 || overlap(s), "{i} {s} {out:?}");
        }
    }
    assert!(closed >= 30, "{closed}");
}

#[test]
fn depth_measures_are_ordered() {
    let mut rng = Rng::new(25);
    for i in 0..30 {
        let (a, b) = match i % 3 {
            0 => (meshes::ball(2, 1.0), cube(1.2)),
            1 => (torus(1.0, 0.4, 14, 8).unwrap(), meshes::ball(1, 0.7)),
            _ => (cube(1.0), cube(0.7)),
        };
        let pose = poses::random(&mut rng, 0.7);
        let (tree_a, tree_b) = (tree(&a), tree(&b));
        let (a, b) = (
            Solid::closed(&tree_a).unwrap(),
            Solid::closed(&tree_b).unwrap(),
        );
        let (options, limits) = (DepthOptions::default(), Limits::default());
        let mut cache = WideCache::default();
        let deep = deepest_point(&a, &b, &pose, &options, limits, &mut WideCache::default());
        let out = penetration_depth(&a, &b, &pose, &options, limits, &mut cache);
        assert!(
            // Each is known to a thousandth.
            out.lower >= 0.998 * deep.lower && out.lower <= out.upper,
            "{deep:?} {out:?}"
        );
        for _ in 0..3 {
            let direction = rng.direction();
            let way = separating_translation(&a, &b, &pose, direction, limits, &mut cache);
            assert!(way.upper >= out.lower - 1e-12, "{i} {way:?} {out:?}");
        }
        if let Some(escape) = out.value {
            let moved = Pose::new(*pose.rotation(), pose.translation() + escape.translation);
            assert!(!a.intersects(&b, &moved.unwrap(), &mut cache));
        }
    }
}

#[test]
fn a_contained_solid_is_as_deep_as_its_way_out() {
    let (large, small) = (cube(4.0), cube(1.0));
    let (tree_a, tree_b) = (tree(&large), tree(&small));
    let (a, b) = (
        Solid::closed(&tree_a).unwrap(),
        Solid::closed(&tree_b).unwrap(),
    );
    let pose = Pose::from_translation([0.5, 0.0, 0.0]).unwrap();
    let (options, limits) = (DepthOptions::default(), Limits::default());
    let mut cache = WideCache::default();
    let signed = signed_distance(&a, &b, &pose, &options, limits, &mut cache);
    // The middle of the small cube's side at x = 0, the middle of the large one.
    assert!(
        signed.upper <= -1.999 && signed.lower >= -2.001,
        "{signed:?}"
    );
    let out = penetration_depth(&a, &b, &pose, &options, limits, &mut cache);
    assert!(
        out.lower <= 2.0 && 2.0 <= out.upper && out.upper < 2.001,
        "{out:?}"
    );
}

#[test]
fn touching_and_separate_solids_have_no_depth() {
    let mesh = cube(1.0);
    let tree = tree(&mesh);
    let solid = Solid::closed(&tree).unwrap();
    let (options, limits) = (DepthOptions::default(), Limits::default());
    let mut cache = WideCache::default();
    for (x, distance) in [(1.0, 0.0), (1.25, 0.25), (9.0, 8.0)] {
        let pose = Pose::from_translation([x, 0.0, 0.0]).unwrap();
        let deep = cold_deepest_point(&solid, &solid, &pose);
        assert!(deep.lower == 0.0 && deep.upper < 1e-12, "{deep:?}");
        let signed = signed_distance(&solid, &solid, &pose, &options, limits, &mut cache);
        assert_eq!(signed.value.unwrap().distance, distance);
        let out = penetration_depth(&solid, &solid, &pose, &options, limits, &mut cache);
        assert!(out.upper < 1e-10, "{out:?}");
    }
}

#[test]
fn coincident_copies_end_soon() {
    let mesh = meshes::ball(4, 1.0);
    let tree = tree(&mesh);
    let solid = Solid::closed(&tree).unwrap();
    let (options, limits) = (DepthOptions::default(), Limits::default());
    let deep = deepest_point(
        &solid,
        &solid,
        &Pose::IDENTITY,
        &options,
        limits,
        &mut WideCache::default(),
    );
    assert!(
        deep.upper < 1e-12 && deep.outcome == Outcome::Complete,
        "{deep:?}"
    );
    let mut cache = WideCache::default();
    let out = penetration_depth(
        &solid,
        &solid,
        &Pose::IDENTITY,
        &options,
        limits,
        &mut cache,
    );
    assert!(out.upper < 2.01 && out.upper > 1.9, "{out:?}");
}

#[test]
fn open_meshes_are_refused() {
    let open = tree(&meshes::sheet(2, |_, _| 0.0));
    assert!(Solid::closed(&open).is_err());
}

#[test]
fn budgets_leave_valid_brackets() {
    let (a, b) = (meshes::ball(3, 1.0), meshes::ball(3, 0.9));
    let (tree_a, tree_b) = (tree(&a), tree(&b));
    let (a, b) = (
        Solid::closed(&tree_a).unwrap(),
        Solid::closed(&tree_b).unwrap(),
    );
    let pose = Pose::from_translation([0.3, 1.1, 0.2]).unwrap();
    let options = DepthOptions::default();
    let whole = cold_deepest_point(&a, &b, &pose);
    for max_tests in [0, 10, 100, 1000, 10_000] {
        let limits = Limits {
            max_tests: Some(max_tests),
            ..Limits::default()
        };
        let cut = deepest_point(&a, &b, &pose, &options, limits, &mut WideCache::default());
        assert!(
            cut.lower <= whole.upper && cut.upper >= whole.lower,
            "{cut:?}"
        );
        let mut cache = WideCache::default();
        let cut = penetration_depth(&a, &b, &pose, &options, limits, &mut cache);
        assert!(
            cut.lower <= cut.upper && cut.upper >= whole.lower,
            "{cut:?}"
        );
    }
}
