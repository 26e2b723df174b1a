//! A pair of any two shapes answers as the questions below it do, and as a shape asked once.

use impinge::math::Rng;
use impinge::pair::{
    ContactQuery, DepthQuery, DistanceQuery, ImpactQuery, IntersectionQuery, PairConfig,
    SharedVolumeError, UnsupportedReason, VolumeQuery,
};
use impinge::prelude::*;
use impinge_testkit::generate::meshes;

use crate::shapes::{all, angle, random_pose};

#[test]
fn every_two_kinds_are_answered_as_by_the_questions() {
    let mut rng = Rng::new(61);
    let (config, limits) = (PairConfig::default(), Limits::default());
    let shapes = all();
    let mut asked = 0;
    for (name_a, a) in &shapes {
        for (name_b, b) in &shapes {
            let pose = random_pose(&mut rng, 1.5);
            let mut pair = Pair::new(a, b).unwrap();
            let name = format!("{name_a} and {name_b}");
            let meet = IntersectionQuery::new(a, b, &config).unwrap().any(&pose);
            assert_eq!(pair.intersects(&pose), meet, "{name}");
            assert_eq!(a.intersects(b, &pose), Ok(meet), "{name}");
            assert_eq!(pair.limits(limits).intersects(&pose), Some(meet), "{name}");
            let gap = DistanceQuery::new(a, b, &config).unwrap().at(&pose, limits);
            assert_eq!(pair.distance(&pose), gap, "{name}");
            assert_eq!(a.distance(b, &pose), Ok(gap), "{name}");
            let contacts = ContactQuery::new(a, b, &config).map(|mut query| {
                let mut points = Vec::new();
                query.at(&pose, 0.1, &mut points);
                points.len()
            });
            assert_eq!(
                pair.contacts(&pose, 0.1).map(Manifold::len),
                contacts,
                "{name}"
            );
            let once = a.contacts(b, &pose, 0.1).map(|manifold| manifold.len());
            assert_eq!(once, contacts, "{name}");
            let mut every = Vec::new();
            let told = pair.all_contacts(&pose, 0.1, &mut every);
            assert_eq!(told.is_ok(), contacts.is_ok());
            if let Ok(count) = contacts {
                assert!(every.len() >= count, "{name}");
            }
            asked += 1;
        }
    }
    assert_eq!(asked, 256);
}

#[test]
fn depths_impacts_and_volumes_are_those_of_the_questions() {
    let mut rng = Rng::new(62);
    let (config, limits) = (PairConfig::default(), Limits::default());
    let shapes = all();
    let mut depths = 0;
    for (i, (name_a, a)) in shapes.iter().enumerate() {
        // Each kind with three others; every two would take a minute.
        for (name_b, b) in shapes.iter().cycle().skip(i).take(4).step_by(1) {
            let name = format!("{name_a} and {name_b}");
            let pose = random_pose(&mut rng, 0.75);
            let mut pair = Pair::new(a, b).unwrap();
            let depth = DepthQuery::new(a, b, &config).map(|mut q| q.at(&pose, limits));
            assert_eq!(pair.penetration(&pose), depth, "{name}");
            assert_eq!(a.penetration(b, &pose), depth, "{name}");
            depths += u32::from(depth.is_ok());
            let motion = Motion::between(&random_pose(&mut rng, 3.0), &pose);
            let still = Motion::still(&Pose::IDENTITY);
            let impact =
                ImpactQuery::new(a, b, &config).map(|mut q| q.during(&still, &motion, limits));
            assert_eq!(pair.impact(&motion), impact, "{name}");
            assert_eq!(a.impact(b, &motion), impact, "{name}");
            let volume = VolumeQuery::new(a, b).and_then(|mut query| query.at(&pose, limits));
            assert_eq!(pair.volume(&pose), volume, "{name}");
            assert_eq!(a.volume(b, &pose), volume, "{name}");
        }
    }
    assert!(depths > 20);
}

#[test]
fn volumes_of_shapes_are_those_of_formulas() {
    let aside = |x: f64| Pose::from_translation([x, 0.0, 0.0]).unwrap();
    let cube = Shape::from(Cuboid::new([1.0; 3]).unwrap());
    let ball = Shape::from(Ball::new(1.0).unwrap());
    let shared = cube.volume(&cube, &aside(1.5)).unwrap();
    assert_eq!(shared.value.volume, 2.0);
    // Two unit balls one apart share 5/16 of a ball.
    let lens = ball.volume(&ball, &aside(1.0)).unwrap();
    let expected = 5.0 / 12.0 * std::f64::consts::PI;
    assert!(lens.lower <= expected && expected <= lens.upper);
    assert!((lens.value.volume - expected).abs() < 1e-14);
    assert!(lens.upper - lens.lower < 1e-12);
    assert_eq!(lens.value.centroid, Some(DVec3::new(0.5, 0.0, 0.0)));
    // The derivative, by differences.
    let step = 1e-6;
    let more = ball.volume(&ball, &aside(1.0 + step)).unwrap().value.volume;
    let less = ball.volume(&ball, &aside(1.0 - step)).unwrap().value.volume;
    let slope = (more - less) / (2.0 * step);
    assert!((lens.value.gradient.translation.x - slope).abs() < 1e-8);
    let mesh = Mesh::from(meshes::cuboid(DVec3::splat(-1.0), DVec3::ONE));
    let mixed = cube.volume(&mesh, &aside(1.5)).unwrap();
    assert!((mixed.value.volume - 2.0).abs() < 1e-12);
    let refused = ball.volume(&cube, &aside(0.5)).unwrap_err();
    assert!(matches!(refused, SharedVolumeError::Kinds { .. }));
    assert!(
        refused
            .to_string()
            .starts_with("no shared volume of ball and box")
    );
}

#[test]
fn surfaces_and_solids_differ_where_one_is_inside() {
    let (large, small) = (
        Mesh::from(meshes::ball(3, 5.0)),
        Mesh::from(meshes::ball(1, 1.0)),
    );
    let middle = Pose::IDENTITY;
    assert!(!large.intersects(&small, &middle));
    assert!(!Pair::new(&large, &small).unwrap().intersects(&middle));
    let mut solids = Pair::solids(&large, &small).unwrap();
    assert!(solids.intersects(&middle));
    assert_eq!(
        solids.limits(Limits::default()).intersects(&middle),
        Some(true)
    );
    assert_eq!(
        solids.distance(&middle).value.map(|gap| gap.distance),
        Some(0.0)
    );
    let manifold = solids.contacts(&middle, 0.0).unwrap();
    assert_eq!(manifold.len(), 1);
    assert!(manifold.points()[0].depth > 3.0);
}

#[test]
fn an_open_mesh_is_refused_as_a_solid() {
    let open = Mesh::from(meshes::sheet(3, |_, _| 0.0));
    let ball = Ball::new(1.0).unwrap();
    assert_eq!(
        Pair::solids(&open, ball).unwrap_err().reason,
        UnsupportedReason::OpenMesh
    );
    let mut surfaces = Pair::new(&open, ball).unwrap();
    assert!(surfaces.intersects(&Pose::IDENTITY));
    assert_eq!(
        surfaces.penetration(&Pose::IDENTITY).unwrap_err().reason,
        UnsupportedReason::OpenMesh
    );
}

#[test]
fn limits_end_the_work() {
    let mesh = Mesh::from(meshes::ball(4, 1.0));
    let mut pair = Pair::new(&mesh, &mesh).unwrap();
    let few = Limits {
        max_tests: Some(1),
        ..Limits::default()
    };
    let aside = Pose::from_translation([0.5, 0.0, 0.0]).unwrap();
    assert_eq!(pair.limits(few).intersects(&aside), None);
    assert_eq!(
        pair.limits(few).distance(&aside).outcome,
        Outcome::OutOfBudget
    );
    assert_eq!(
        pair.limits(few).volume(&aside).unwrap().outcome,
        Outcome::OutOfBudget
    );
    let motion = Motion::between(&Pose::from_translation([5.0, 0.0, 0.0]).unwrap(), &aside);
    assert_eq!(
        pair.limits(few).impact(&motion).unwrap().outcome,
        Outcome::OutOfBudget
    );
    // And leave nothing behind: without them the answer is whole.
    assert!(pair.intersects(&aside) && pair.distance(&aside).upper == 0.0);
}

#[test]
fn shapes_are_made_of_meshes() {
    let shapes: [Shape; 4] = [
        angle().into(),
        std::sync::Arc::new(angle()).into(),
        Mesh::from(angle()).into(),
        (&Mesh::from(angle())).into(),
    ];
    for shape in &shapes {
        assert_eq!(shape.kind(), impinge::pair::ShapeKind::Mesh);
        assert!(shape.contains([-0.5, 0.5, 0.0]).unwrap());
    }
}
