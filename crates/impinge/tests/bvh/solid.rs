//! Solids meet when they share a point, inside or on the surface.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::{SingleTreeCache, WideCache, WideTree};
use impinge::bvh::{InsideGrid, MeshIndex, Relation, Solid};
use impinge::math::Rng;
use impinge::mesh::point_in_mesh::{InsideError, InsideTest, Location};
use impinge::{DMat3, DVec3, Pose, TriMesh, generate};
use impinge_testkit::generate::{grid, meshes, poses};
use impinge_testkit::oracle::{self, Place};

fn tree(mesh: &TriMesh) -> WideTree {
    WideTree::new(Arc::new(mesh.clone()))
}

#[test]
fn points_on_the_grid_are_located_as_the_oracle_says() {
    let mut rng = Rng::new(61);
    let mut seen = [0; 3];
    for _ in 0..60 {
        let mesh = meshes::grid_solid(&mut rng, 3);
        let tree = tree(&mesh);
        let solid = Solid::closed(&tree).unwrap();
        for _ in 0..40 {
            let half = rng.below(2) as f64 * 0.5;
            let p = grid::point(&mut rng, (-2, 3)) + DVec3::splat(half);
            let expected = match oracle::locate(&mesh, p).unwrap() {
                Place::Inside => Location::Inside,
                Place::Outside => Location::Outside,
                Place::Boundary => Location::OnBoundary,
            };
            assert_eq!(solid.locate(p), Ok(expected), "{p}");
            seen[expected as usize] += 1;
        }
    }
    assert!(seen.iter().all(|&n| n > 20), "{seen:?}");
}

#[test]
fn points_in_models_are_located_as_by_all_faces() {
    let mut rng = Rng::new(62);
    for mesh in [
        generate::gear(14, 5, 1.0, 0.3).unwrap(),
        generate::torus_knot(2, 3, 0.3, 80, 10).unwrap(),
        generate::menger_sponge(2.0, 2).unwrap(),
    ] {
        let tree = tree(&mesh);
        let solid = Solid::closed(&tree).unwrap();
        let exact = InsideTest::new(&mesh).unwrap();
        let size = mesh.bounds().half_extent();
        let mut points: Vec<DVec3> = (0..300).map(|_| rng.cube() * size * 1.1).collect();
        // Rays through vertices and along faces.
        points.extend(mesh.positions().iter().take(100));
        points.extend(
            mesh.positions()
                .iter()
                .take(100)
                .map(|p| *p - DVec3::X * 0.3),
        );
        points.extend([1e9, 1e40].map(|far| rng.cube() * far));
        let expected: Vec<_> = points.iter().map(|p| exact.locate(*p).unwrap()).collect();
        assert_eq!(solid.locate_all(&points).unwrap(), expected);
        assert!(expected.contains(&Location::Inside));
        let mut cache = SingleTreeCache::default();
        for (p, place) in points.iter().zip(&expected) {
            assert_eq!(solid.locate_with(*p, &mut cache), Ok(*place));
        }
    }
}

#[test]
fn a_grid_locates_many_points_as_one_at_a_time() {
    let mut rng = Rng::new(63);
    let gear = generate::gear(14, 5, 1.0, 0.3).unwrap();
    let (points, faces) = generate::icosphere(1.0, 6).unwrap().into_parts();
    let far = points.iter().map(|&p| p * 1e-3 + DVec3::splat(1e9));
    let distant = TriMesh::new(far.collect(), faces).unwrap();
    for mesh in [gear, meshes::nested(true), distant] {
        let tree = tree(&mesh);
        let solid = Solid::closed(&tree).unwrap();
        let (center, half) = (mesh.bounds().center(), mesh.bounds().half_extent());
        let mut points: Vec<DVec3> = (0..20_000)
            .map(|_| center + rng.cube() * half * 1.05)
            .collect();
        points.extend(mesh.positions().iter().take(200));
        // Corners of the grid's cells, and what lies beside them.
        for k in 0..500 {
            let cell = DVec3::from([0; 3].map(|_| rng.grid(0, 64) / 32.0 - 1.0));
            let p = center + half * cell;
            let beside = p.to_array().map(|x| [x, x.next_up(), x.next_down()][k % 3]);
            points.extend([p, DVec3::from(beside)]);
        }
        let places = solid.locate_all(&points).unwrap();
        let grid = InsideGrid::new(&solid, points.len()).unwrap();
        let mut cache = SingleTreeCache::default();
        let mut inside = 0;
        for (p, place) in points.iter().zip(&places) {
            assert_eq!(solid.locate_with(*p, &mut cache), Ok(*place), "{p}");
            assert_eq!(grid.locate_with(*p, &mut cache), Ok(*place), "{p}");
            inside += usize::from(*place == Location::Inside);
        }
        assert!(inside > 100, "{inside}");
        assert!(grid.locate_with(DVec3::NAN, &mut cache).is_err());
        points[7] = DVec3::INFINITY;
        assert!(solid.locate_all(&points).is_err());
    }
}

#[test]
fn solids_by_winding_have_no_grid() {
    let tree = tree(&generate::icosphere(1.0, 6).unwrap());
    assert!(InsideGrid::new(&Solid::by_winding(&tree), 1_000_000).is_none());
}

/// The relation by the oracles alone, with one point of each box or tetrahedron.
fn expected(a: &[TriMesh], b: &[TriMesh], pose: &Pose) -> Relation {
    let whole = |parts: &[TriMesh]| {
        parts[1..]
            .iter()
            .fold(parts[0].clone(), |m, p| meshes::merged(&m, p))
    };
    let placed: Vec<TriMesh> = b.iter().map(|m| m.placed(pose).unwrap()).collect();
    let (all_a, all_b) = (whole(a), whole(&placed));
    if !oracle::face_pairs(&all_a, &all_b, &Pose::IDENTITY).is_empty() {
        return Relation::SurfacesMeet;
    }
    let inside = |parts: &[TriMesh], other: &TriMesh| {
        let is_in = |m: &&TriMesh| oracle::locate(other, m.positions()[0]) == Some(Place::Inside);
        parts.iter().filter(is_in).count()
    };
    match (inside(a, &all_b), inside(&placed, &all_a)) {
        (0, 0) => Relation::Disjoint,
        (n, 0) if n == a.len() => Relation::AInsideB,
        (0, n) if n == b.len() => Relation::BInsideA,
        _ => Relation::Overlapping,
    }
}

fn boxes(rng: &mut Rng) -> Vec<TriMesh> {
    let (reach, largest) = [(3, 1), (3, 2), (0, 9), (4, 9)][rng.below(4) as usize];
    (0..1 + rng.below(2))
        .map(|_| {
            let center = grid::point(rng, (-reach, reach));
            let half = grid::point(rng, (1, largest));
            meshes::cuboid(center - half, center + half)
        })
        .collect()
}

#[test]
fn boxes_on_the_grid_lie_as_the_oracle_says() {
    let mut rng = Rng::new(63);
    let mut seen = [0; 5];
    for _ in 0..1500 {
        let (a, b) = (boxes(&mut rng), boxes(&mut rng));
        let pose = poses::exact(&mut rng, 2);
        // Half a step aside, so that surfaces do not always meet.
        let aside = pose.translation() + DVec3::splat(0.5);
        let pose = Pose::new(*pose.rotation(), aside).unwrap();
        let relation = expected(&a, &b, &pose);
        seen[relation as usize] += 1;
        let whole = |parts: &[TriMesh]| {
            parts[1..]
                .iter()
                .fold(parts[0].clone(), |m, p| meshes::merged(&m, p))
        };
        let (tree_a, tree_b) = (tree(&whole(&a)), tree(&whole(&b)));
        let (a, b) = (
            Solid::closed(&tree_a).unwrap(),
            Solid::closed(&tree_b).unwrap(),
        );
        let mut cache = WideCache::default();
        assert_eq!(a.relation(&b, &pose, &mut cache), relation);
        let meet = relation != Relation::Disjoint;
        assert_eq!(a.intersects(&b, &pose, &mut cache), meet);
    }
    assert!(seen.iter().all(|&n| n >= 3), "{seen:?}");
}

#[test]
fn balls_in_balls_are_told_apart_at_any_pose() {
    let mut rng = Rng::new(64);
    let small = tree(&generate::icosphere(0.5, 4).unwrap());
    let large = tree(&generate::icosphere(3.0, 5).unwrap());
    let (small, large) = (
        Solid::closed(&small).unwrap(),
        Solid::closed(&large).unwrap(),
    );
    let mut cache = WideCache::default();
    for _ in 0..100 {
        let turn = poses::random(&mut rng, 0.0);
        for (distance, forth, back) in [
            (0.0, Relation::AInsideB, Relation::BInsideA),
            (2.0, Relation::AInsideB, Relation::BInsideA),
            (3.0, Relation::SurfacesMeet, Relation::SurfacesMeet),
            (3.7, Relation::Disjoint, Relation::Disjoint),
            (900.0, Relation::Disjoint, Relation::Disjoint),
        ] {
            let pose = Pose::new(*turn.rotation(), rng.direction() * distance).unwrap();
            assert_eq!(small.relation(&large, &pose, &mut cache), forth);
            assert_eq!(large.relation(&small, &pose, &mut cache), back);
            assert_eq!(
                large.intersects(&small, &pose, &mut cache),
                forth != Relation::Disjoint
            );
        }
    }
}

#[test]
fn a_hollow_is_outside_and_pieces_count_one_by_one() {
    let ball = |r: f64| generate::icosphere(r, 4).unwrap();
    let hollow = meshes::merged(&ball(3.0), &ball(2.0));
    let (hollow, inner, shell) = (
        tree(&hollow),
        tree(&ball(1.0)),
        tree(&meshes::merged(&ball(5.0), &ball(1.0))),
    );
    let hollow = Solid::closed(&hollow).unwrap();
    let inner = Solid::closed(&inner).unwrap();
    let shell = Solid::closed(&shell).unwrap();
    let mut cache = WideCache::default();
    let here = Pose::IDENTITY;
    assert_eq!(hollow.locate(DVec3::ZERO), Ok(Location::Outside));
    assert_eq!(
        inner.relation(&hollow, &here, &mut cache),
        Relation::Disjoint
    );
    assert!(!hollow.intersects(&inner, &here, &mut cache));
    // The thick shell, hollow only up to 1, contains the hollow ball whole.
    assert_eq!(
        hollow.relation(&shell, &here, &mut cache),
        Relation::AInsideB
    );
    let pair = meshes::merged(
        &ball(1.0),
        &ball(1.0)
            .placed(&Pose::from_translation([9.0, 0.0, 0.0]).unwrap())
            .unwrap(),
    );
    let pair = tree(&pair);
    let pair = Solid::closed(&pair).unwrap();
    let large = tree(&ball(5.0));
    let large = Solid::closed(&large).unwrap();
    assert_eq!(
        pair.relation(&large, &here, &mut cache),
        Relation::Overlapping
    );
}

#[test]
fn open_meshes_are_refused_unless_the_winding_number_is_asked() {
    let ball = generate::icosphere(1.0, 6).unwrap();
    let (points, mut faces) = ball.into_parts();
    faces.truncate(faces.len() - 3);
    let open = tree(&TriMesh::new(points, faces).unwrap());
    assert!(matches!(
        Solid::closed(&open),
        Err(InsideError::NotClosed { .. })
    ));
    let solid = Solid::by_winding(&open);
    let mut rng = Rng::new(65);
    for _ in 0..200 {
        let p = rng.cube() * 1.5;
        if (p.length() - 1.0).abs() > 0.3 {
            let inside = solid.locate(p).unwrap() == Location::Inside;
            assert_eq!(inside, p.length() < 1.0, "{p}");
        }
    }
    let small = tree(&generate::icosphere(0.2, 3).unwrap());
    let small = Solid::closed(&small).unwrap();
    let mut cache = WideCache::default();
    let turned = Pose::from_axis_angle([1.0, 1.0, 0.0], 1.0, [0.3, 0.1, 0.0]).unwrap();
    assert_eq!(
        small.relation(&solid, &turned, &mut cache),
        Relation::AInsideB
    );
    assert_eq!(
        solid.relation(&small, &turned, &mut cache),
        Relation::BInsideA
    );
    let nowhere = DVec3::splat(f64::NAN);
    assert_eq!(solid.locate(nowhere), Err(InsideError::InvalidPoint));
    assert!(solid.locate_all(&[DVec3::ZERO, nowhere]).is_err());
}

#[test]
fn a_matrix_at_the_edge_of_what_is_a_rotation_changes_nothing() {
    // The transpose is not the inverse within 1e-9, far from the origin: culling must allow for it.
    let far = DVec3::new(1e6, -2e6, 3e6);
    let (points, faces) = generate::icosphere(1.0, 5).unwrap().into_parts();
    let mesh = TriMesh::new(points.iter().map(|&p| p + far).collect(), faces).unwrap();
    let stretch = 1.0 + 4e-10;
    let matrix = DMat3::from_diagonal(DVec3::splat(stretch));
    let there = Pose::new(matrix, -(far * stretch)).unwrap();
    let big = tree(&mesh);
    let big = Solid::closed(&big).unwrap();
    let mut rng = Rng::new(66);
    let placed = mesh.placed(&there).unwrap();
    let exact = InsideTest::new(&placed).unwrap();
    let mut cache = WideCache::default();
    let mut seen = [0; 3];
    for _ in 0..100 {
        let p = rng.cube() * 1.1;
        let e = DVec3::splat(1e-6);
        let dot = tree(&meshes::cuboid(p - e, p + e));
        let dot = Solid::closed(&dot).unwrap();
        let relation = dot.relation(&big, &there, &mut cache);
        let place = exact.locate(dot.tree().mesh().positions()[0]).unwrap();
        match relation {
            Relation::SurfacesMeet => {}
            Relation::AInsideB => assert_eq!(place, Location::Inside),
            _ => assert_eq!((relation, place), (Relation::Disjoint, Location::Outside)),
        }
        seen[place as usize] += 1;
    }
    assert!(seen[0] > 10 && seen[1] > 10, "{seen:?}");
}
