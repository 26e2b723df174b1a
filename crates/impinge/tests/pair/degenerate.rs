//! Shapes without volume, area or length, and extreme sizes: answers without panics.

use std::sync::Arc;

use impinge::cloud::{CloudShape, PointCloud};
use impinge::convex::{
    Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Polyhedron, Segment, Triangle,
};
use impinge::math::{MAX_COORDINATE, Motion};
use impinge::pair::{
    Compound, ContactPoint, ContactQuery, DepthQuery, DistanceQuery, HeightField, ImpactQuery,
    IntersectionQuery, MeshShape, PairConfig, Particles, Shape,
};
use impinge::query::{FacePair, Limits};
use impinge::{DVec3, Pose, TriMesh};

fn shapes(size: f64) -> Vec<Shape> {
    let p = DVec3::splat(size);
    let thin = size * 1e-12;
    let cloud = |points| {
        Shape::from(CloudShape::new(
            PointCloud::new(points, None).unwrap().into(),
        ))
    };
    let mesh = |points: Vec<DVec3>, faces: Vec<[u32; 3]>| {
        Shape::from(MeshShape::new(Arc::new(
            TriMesh::new(points, faces).unwrap(),
        )))
    };
    vec![
        Ball::new(size).unwrap().into(),
        Ball::new(thin).unwrap().into(),
        Cuboid::new([size, thin, size]).unwrap().into(),
        Capsule::new(p, p, size).unwrap().into(),
        Cylinder::new(thin, size).unwrap().into(),
        Cone::new(size, thin).unwrap().into(),
        Ellipsoid::new([size, thin, size]).unwrap().into(),
        Segment::new(p, p).unwrap().into(),
        Triangle::new([p, p, p]).unwrap().into(),
        Triangle::new([p, -p, p]).unwrap().into(),
        HalfSpace::new([0.0, 0.0, 1.0], p).unwrap().into(),
        Polyhedron::new(&[p, p]).unwrap().into(),
        Polyhedron::new(&[p, -p, DVec3::X * size, DVec3::Y * size])
            .unwrap()
            .into(),
        HeightField::new(2, 2, [size * 0.25; 2], vec![size; 4])
            .unwrap()
            .into(),
        Particles::new(vec![p, p, -p], 0.0).unwrap().into(),
        Particles::new(vec![], 0.0).unwrap().into(),
        cloud(vec![p, p, -p, DVec3::X * size]),
        cloud(vec![]),
        mesh(vec![p, p, p], vec![[0, 1, 2]]),
        mesh(vec![], vec![]),
        mesh(vec![p, -p, DVec3::X * size], vec![[0, 1, 2], [0, 2, 1]]),
        mesh(
            vec![p, -p, DVec3::X * size, DVec3::Y * size],
            vec![[0, 1, 2], [0, 2, 1], [3, 3, 0], [0, 1, 3]],
        ),
        Compound::new([]).unwrap().into(),
    ]
}

#[test]
fn degenerate_shapes_are_asked_without_panic() {
    for size in [1.0, 1e-20, 1e20, MAX_COORDINATE * 0.25] {
        let shapes = shapes(size);
        let poses = [
            Pose::IDENTITY,
            Pose::from_translation([size, 0.0, 0.0]).unwrap(),
            Pose::from_axis_angle([1.0, 2.0, 3.0], 1.0, [0.0, size, size]).unwrap(),
        ];
        for a in &shapes {
            for b in &shapes {
                for solid in [false, true] {
                    let config = PairConfig {
                        solid,
                        ..PairConfig::default()
                    };
                    for pose in &poses {
                        if let Ok(mut query) = IntersectionQuery::new(a, b, &config) {
                            let mut pairs: Vec<FacePair> = Vec::new();
                            let _ = (
                                query.any(pose),
                                query.all(pose, Limits::default(), &mut pairs),
                            );
                        }
                        if let Ok(mut query) = DistanceQuery::new(a, b, &config) {
                            let found = query.at(pose, Limits::default());
                            assert!(!found.lower.is_nan() && !found.upper.is_nan());
                            assert!(found.value.is_none_or(|s| s.distance >= 0.0));
                        }
                        if solid {
                            continue;
                        }
                        if let Ok(mut query) = DepthQuery::new(a, b, &config) {
                            let found = query.at(
                                pose,
                                Limits {
                                    max_tests: Some(60),
                                    ..Limits::default()
                                },
                            );
                            assert!(
                                !found.lower.is_nan()
                                    && found.value.is_none_or(|d| !d.depth.is_nan())
                            );
                        }
                        if let Ok(mut query) = ContactQuery::new(a, b, &config) {
                            let mut points: Vec<ContactPoint> = Vec::new();
                            query.at(pose, size * 0.5, &mut points);
                            query.at(pose, f64::NAN, &mut points);
                            assert!(points.iter().all(|p| p.point_a.is_finite()
                                && p.point_b.is_finite()
                                && !p.depth.is_nan()));
                        }
                    }
                    if !solid && let Ok(mut query) = ImpactQuery::new(a, b, &config) {
                        let moving = Motion::between(&poses[1], &poses[2]);
                        let still = Motion::still(&Pose::IDENTITY);
                        let found = query.during(
                            &still,
                            &moving,
                            Limits {
                                max_tests: Some(300),
                                ..Limits::default()
                            },
                        );
                        assert!(!found.lower.is_nan() && (0.0..=1.0).contains(&found.lower));
                    }
                }
            }
        }
    }
}

#[test]
fn shapes_and_questions_cross_threads() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<Shape>();
    shared::<PairConfig>();
    sent::<IntersectionQuery>();
    sent::<DistanceQuery>();
    sent::<DepthQuery>();
    sent::<ContactQuery>();
    sent::<ImpactQuery>();
}

#[test]
fn boxes_hold_every_kind_wherever_it_is_placed() {
    let mut rng = impinge::math::Rng::new(9);
    for solid in super::shapes::solids() {
        for _ in 0..50 {
            let pose = super::shapes::random_pose(&mut rng, 3.0);
            let bounds = solid.shape.bounds(&pose).unwrap();
            for _ in 0..100 {
                let p = super::shapes::point(&mut rng, 2.0);
                if (solid.distance)(p) == 0.0 {
                    assert!(bounds.inflated(1e-12).contains(pose * p), "{}", solid.name);
                }
            }
            // Tight: every side is reached, as far as the distance from it tells.
            let size = bounds.diagonal().max_element();
            assert!(size < 4.0, "{}", solid.name);
        }
    }
}
