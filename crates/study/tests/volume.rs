//! Shared volumes by tetrahedra.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use std::sync::Arc;

use impinge::math::Rng;
use impinge::penetration::{PenetrationBody, PenetrationMethod, PenetrationQuery};
use impinge::query::{Limits, Outcome};
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_study::volume::{TETRAHEDRA, TetError, TetMesh, TetPair};
use impinge_testkit::generate::meshes::nested;

fn pose(rng: &mut Rng, distance: f64) -> Pose {
    let turn = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 3.0), DVec3::ZERO).unwrap();
    Pose::from_translation(rng.direction() * distance).unwrap() * turn
}

#[test]
fn tetrahedra_of_boxes_share_the_product_of_their_sides() {
    let a = TetMesh::blocks(DVec3::ZERO, DVec3::ONE, [2, 1, 3]);
    let b = TetMesh::blocks(DVec3::ZERO, DVec3::ONE, [1, 2, 2]);
    let mut rng = Rng::new(1);
    for case in 0..200 {
        let offset = if case % 2 == 0 {
            DVec3::new(rng.grid(-2, 2), rng.grid(-2, 2), rng.grid(-2, 2)) * 0.5
        } else {
            rng.cube() * 1.2
        };
        let side = (DVec3::ONE - offset.abs()).max(DVec3::ZERO);
        let pose = Pose::from_translation(offset).unwrap();
        let found = a.shared_volume(&b, &pose, Limits::default());
        let truth = side.x * side.y * side.z;
        assert!(
            (found.value - truth).abs() < 1e-13,
            "{offset}: {} {truth}",
            found.value
        );
        assert!(found.lower <= truth + 1e-15 && truth <= found.upper + 1e-15);
    }
}

#[test]
fn tetrahedra_and_the_boundary_integral_agree() {
    let models = [
        generate::icosphere(1.0, 2).unwrap(),
        generate::torus(1.0, 0.4, 10, 6).unwrap(),
        generate::tetrahedron(1.5).unwrap(),
        generate::cuboid(DVec3::new(1.0, 1.5, 0.7), [1; 3]).unwrap(),
    ];
    let mut rng = Rng::new(6);
    let mut cache = OverlapCache::default();
    for a in &models {
        for b in &models {
            let (cones_a, cones_b) = (TetMesh::cones(a).unwrap(), TetMesh::cones(b).unwrap());
            let index = |mesh: &TriMesh| VolumeIndex::new(Arc::new(mesh.clone())).unwrap();
            let (exact_a, exact_b) = (index(a), index(b));
            for case in 0..6 {
                let a_from_b = if case == 0 {
                    Pose::IDENTITY
                } else {
                    pose(&mut rng, 0.3 * f64::from(case))
                };
                let truth = exact_a
                    .overlap(&exact_b, &a_from_b, Limits::default(), &mut cache)
                    .unwrap();
                let found = cones_a.shared_volume(&cones_b, &a_from_b, Limits::default());
                let error = (found.value - truth.value.volume).abs();
                // As promised, in area times diameter: those of the solid that has the larger product.
                let size = |index: &VolumeIndex| index.area() * index.diameter();
                let most = 1e-14 * size(&exact_a).max(size(&exact_b));
                let volume = truth.value.volume;
                assert!(
                    error <= most,
                    "{} {volume}: {error:e} {most:e}",
                    found.value
                );
            }
        }
    }
}

#[test]
fn cones_of_hollow_bodies_leave_the_hollow_out() {
    let hollow = TetMesh::cones(&nested(true)).unwrap();
    assert!((hollow.volume() - 7.0).abs() < 1e-12);
    let probe = TetMesh::blocks(DVec3::splat(-0.25), DVec3::splat(0.25), [1; 3]);
    let found = hollow.shared_volume(&probe, &Pose::IDENTITY, Limits::default());
    assert!(found.value.abs() < 1e-13);
    let pose = Pose::from_translation([0.5, 0.0, 0.0]).unwrap();
    let found = hollow.shared_volume(&probe, &pose, Limits::default());
    assert!((found.value - 0.0625).abs() < 1e-13);
}

#[test]
fn bad_tetrahedra_are_refused_by_name() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::splat(f64::NAN)];
    let nan = TetMesh::new(&corners, &[[0, 1, 2, 3]]).unwrap_err();
    assert!(matches!(nan, TetError::BadPosition { index: 3, .. }));
    let open = generate::cuboid(DVec3::ONE, [1; 3]).unwrap();
    let open = TriMesh::new(open.positions().to_vec(), open.faces()[1..].to_vec()).unwrap();
    assert!(matches!(
        TetMesh::cones(&open),
        Err(TetError::NotClosed { .. })
    ));
    let text = TetMesh::from_tetgen("2 3 0 0\n0 1 2 3\n1 0 x 0\n", "0 4 0\n").unwrap_err();
    assert_eq!(
        text.to_string(),
        "line 3 of the node file: a number is missing or unreadable"
    );
    let cube = TetMesh::blocks(DVec3::ZERO, DVec3::ONE, [2; 3]);
    let limits = Limits {
        max_tests: Some(3),
        ..Limits::default()
    };
    let part = cube.shared_volume(&cube, &Pose::IDENTITY, limits);
    assert_eq!(part.outcome, Outcome::OutOfBudget);
    assert!(part.lower <= 1.0 && 1.0 <= part.upper + 1e-12);
}

#[test]
fn the_door_to_all_methods_lets_tetrahedra_in() {
    let mesh = Arc::new(generate::blob(5).unwrap());
    let body = PenetrationBody::exact(Arc::clone(&mesh)).unwrap();
    let cones = TetMesh::cones(&mesh).unwrap();
    let pair = TetPair {
        a: cones.clone(),
        b: cones,
    };
    let mut query = PenetrationQuery::external(Box::new(pair));
    let mut exact = PenetrationQuery::new(&body, &body).unwrap();
    let mut rng = Rng::new(3);
    for case in 0..4 {
        let a_from_b = pose(&mut rng, 0.5 + 0.3 * f64::from(case));
        let truth = exact.ask(&a_from_b, Limits::default()).unwrap();
        let found = query.ask(&a_from_b, Limits::default()).unwrap();
        assert_eq!(found.value.method, PenetrationMethod::External(TETRAHEDRA));
        assert!(found.lower <= truth.upper && truth.lower <= found.upper);
        assert!((found.value.volume - truth.value.volume).abs() < 1e-11);
        // There are neither cones nor forces.
        assert_eq!(found.value.cones, None);
        assert_eq!(found.value.force_on_b(), None);
    }
    let method = PenetrationMethod::External(TETRAHEDRA);
    assert!(!body.has(method) && PenetrationQuery::by(method, &body, &body).is_err());
    let limits = Limits {
        max_tests: Some(1),
        ..Limits::default()
    };
    let near = Pose::from_translation([0.8, 0.0, 0.0]).unwrap();
    let cut = query.ask(&near, limits).unwrap();
    assert_eq!(cut.outcome, Outcome::OutOfBudget);
}
