//! Contacts of shapes that lie inside a solid mesh.

use impinge::convex::{Ball, Cuboid, Polyhedron};
use impinge::math::Rng;
use impinge::pair::{
    Compound, ContactPoint, ContactQuery, DepthQuery, HeightField, IntersectionQuery, PairConfig,
    Particles, Shape,
};
use impinge::query::Limits;
use impinge::{DVec3, Pose, generate};

use super::shapes::{angle, point, random_pose, scan, shape_of};

fn solid() -> PairConfig {
    PairConfig {
        solid: true,
        ..PairConfig::default()
    }
}

/// Small shapes and the points whose hull they are, with a radius.
fn small() -> Vec<(&'static str, Shape, Vec<DVec3>, f64)> {
    let tips: Vec<DVec3> = DVec3::AXES.into_iter().flat_map(|p| [p, -p]).collect();
    let tips: Vec<DVec3> = tips.into_iter().map(|p| p * 0.125).collect();
    let half = DVec3::new(0.1, 0.05, 0.125);
    let corners = (0..8)
        .map(|i| {
            let sign = |bit: i32| if i >> bit & 1 == 0 { 1.0 } else { -1.0 };
            half * DVec3::new(sign(0), sign(1), sign(2))
        })
        .collect();
    let mesh = generate::tetrahedron(0.1).unwrap();
    let own = mesh.positions().to_vec();
    vec![
        (
            "ball",
            Ball::new(0.125).unwrap().into(),
            vec![DVec3::ZERO],
            0.125,
        ),
        ("box", Cuboid::new(half).unwrap().into(), corners, 0.0),
        ("hull", Polyhedron::new(&tips).unwrap().into(), tips, 0.0),
        ("mesh", shape_of(mesh), own, 0.0),
    ]
}

fn contacts(query: &mut ContactQuery, pose: &Pose, margin: f64) -> Vec<ContactPoint> {
    let mut points = Vec::new();
    query.at(pose, margin, &mut points);
    points
}

fn check(name: &str, points: &[ContactPoint], pose: &Pose, meet: &mut IntersectionQuery) {
    let deepest = points.iter().max_by(|p, q| p.depth.total_cmp(&q.depth));
    let deepest = deepest.unwrap();
    for point in points {
        assert!(
            (point.normal.length() - 1.0).abs() < 1e-9,
            "{name}: {point:?}"
        );
        let along = (point.point_a - point.point_b).dot(point.normal);
        assert!((along - point.depth).abs() < 1e-9, "{name}: {point:?}");
    }
    assert!(deepest.depth > 0.0, "{name}: {deepest:?}");
    let out = deepest.normal * (deepest.depth * (1.0 + 1e-6) + 1e-6);
    let moved = Pose::new(*pose.rotation(), pose.translation() + out).unwrap();
    assert!(!meet.any(&moved), "{name}: {deepest:?} is no way out");
}

#[test]
fn a_shape_inside_a_solid_is_told_its_way_out() {
    let mut rng = Rng::new(41);
    let containers = [
        (
            "cube",
            shape_of(generate::cuboid(DVec3::splat(2.0), [1; 3]).unwrap()),
        ),
        ("angle", shape_of(angle())),
    ];
    let config = solid();
    for (container, mesh) in &containers {
        for (name, shape, ..) in small() {
            let name = format!("{name} in {container}");
            let mut meet = IntersectionQuery::new(mesh, &shape, &config).unwrap();
            let mut back = IntersectionQuery::new(&shape, mesh, &config).unwrap();
            let mut surfaces =
                IntersectionQuery::new(mesh, &shape, &PairConfig::default()).unwrap();
            let mut contact = ContactQuery::new(mesh, &shape, &config).unwrap();
            let mut turned = ContactQuery::new(&shape, mesh, &config).unwrap();
            let mut depth = DepthQuery::new(mesh, &shape, &config).unwrap();
            let mut inside = 0;
            for _ in 0..10 {
                let pose = random_pose(&mut rng, 1.0);
                let is_meeting = meet.any(&pose);
                let points = contacts(&mut contact, &pose, 0.0);
                assert_eq!(points.is_empty(), !is_meeting, "{name} {pose:?}");
                let others = contacts(&mut turned, &pose.inverse(), 0.0);
                assert_eq!(others.is_empty(), !is_meeting, "{name} {pose:?}");
                if !is_meeting || surfaces.any(&pose) {
                    continue;
                }
                inside += 1;
                check(&name, &points, &pose, &mut meet);
                check(&name, &others, &pose.inverse(), &mut back);
                // Being near the surface from within is no gap.
                let wide = contacts(&mut contact, &pose, 10.0);
                check(&name, &wide, &pose, &mut meet);
                assert!(wide.iter().all(|p| p.depth > 0.0), "{name}: {wide:?}");
                let found = depth.at(&pose, Limits::default());
                let deep = points[0].depth;
                assert!(
                    found.lower <= deep + 1e-9 && deep <= found.upper + 1e-9,
                    "{name}: {deep} {found:?}"
                );
                // No direction leads out sooner than the lower bound says.
                for _ in 0..40 {
                    let way = rng.direction() * (found.lower - 1e-9);
                    let moved = Pose::new(*pose.rotation(), pose.translation() + way).unwrap();
                    assert!(meet.any(&moved), "{name}: {way} {found:?}");
                }
            }
            assert!(inside > 0, "{name}");
        }
    }
}

#[test]
fn the_way_out_of_a_cube_is_the_shortest() {
    let mut rng = Rng::new(43);
    let cube = shape_of(generate::cuboid(DVec3::splat(2.0), [2; 3]).unwrap());
    for (name, shape, corners, radius) in small() {
        let mut contact = ContactQuery::new(&cube, &shape, &solid()).unwrap();
        for _ in 0..12 {
            let pose = random_pose(&mut rng, 0.75);
            let points = contacts(&mut contact, &pose, 0.0);
            // A small shape leaves a cube through a face.
            let truth = DVec3::AXES
                .into_iter()
                .flat_map(|axis| [axis, -axis])
                .map(|out| {
                    let along = corners.iter().map(|&p| (pose * p).dot(out));
                    1.0 - along.fold(f64::INFINITY, f64::min) + radius
                })
                .fold(f64::INFINITY, f64::min);
            assert_eq!(points.len(), 1, "{name}");
            let off = (points[0].depth - truth).abs();
            assert!(off < 1e-5, "{name}: {} for {truth}", points[0].depth);
        }
    }
}

#[test]
fn every_kind_inside_a_solid_has_a_contact() {
    let cube = shape_of(generate::cuboid(DVec3::splat(8.0), [2; 3]).unwrap());
    let mut rng = Rng::new(44);
    let dust = (0..10).map(|_| point(&mut rng, 0.5)).collect();
    let pair = Compound::new([
        (Pose::IDENTITY, Shape::from(Ball::new(0.5).unwrap())),
        (
            Pose::from_translation([0.5, 0.0, 0.0]).unwrap(),
            Shape::from(Cuboid::new([0.5, 0.25, 0.25]).unwrap()),
        ),
    ]);
    let kinds: Vec<(&str, Shape)> = vec![
        ("particles", Particles::new(dust, 0.125).unwrap().into()),
        ("cloud", scan().into()),
        (
            "height field",
            HeightField::new(3, 3, [0.5, 0.5], vec![0.0; 9])
                .unwrap()
                .into(),
        ),
        ("compound", pair.unwrap().into()),
        ("mesh", shape_of(angle())),
    ];
    for (name, shape) in &kinds {
        let config = solid();
        let mut meet = IntersectionQuery::new(&cube, shape, &config).unwrap();
        let mut back = IntersectionQuery::new(shape, &cube, &config).unwrap();
        let pose = random_pose(&mut rng, 1.0);
        assert!(meet.any(&pose), "{name}");
        let mut contact = ContactQuery::new(&cube, shape, &config).unwrap();
        let points = contacts(&mut contact, &pose, 0.0);
        assert!(!points.is_empty(), "{name}");
        let mut turned = ContactQuery::new(shape, &cube, &config).unwrap();
        let others = contacts(&mut turned, &pose.inverse(), 0.0);
        assert!(!others.is_empty(), "{name}");
        if *name != "compound" {
            check(name, &points, &pose, &mut meet);
            check(name, &others, &pose.inverse(), &mut back);
        }
    }
}

#[test]
fn surfaces_have_no_contact_from_within() {
    let cube = shape_of(generate::cuboid(DVec3::splat(8.0), [1; 3]).unwrap());
    let ball = Shape::from(Ball::new(0.5).unwrap());
    let mut contact = ContactQuery::new(&cube, &ball, &PairConfig::default()).unwrap();
    assert!(contacts(&mut contact, &Pose::IDENTITY, 0.0).is_empty());
}
