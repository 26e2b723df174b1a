//! Clouds of any size and shape: none, few, equal, very many, within a budget.

use crate::clouds::{points, shape};
use crate::shapes::{self, random_pose, shape_of};
use impinge::convex::Ball;
use impinge::math::Rng;
use impinge::pair::{
    ContactPoint, ContactQuery, DepthQuery, DistanceQuery, IntersectionQuery, PairConfig, Shape,
};
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, Pose, generate};

#[test]
fn clouds_of_no_few_equal_collinear_and_planar_points_are_asked_like_all_others() {
    let mut rng = Rng::new(8);
    let mut clouds: Vec<Vec<DVec3>> = (0..=10).map(|n| points(0, n, &mut rng)).collect();
    clouds.push(points(5, 1000, &mut rng));
    clouds.push(points(4, 60, &mut rng));
    clouds.push(points(3, 60, &mut rng));
    clouds.push(vec![DVec3::splat(1e44), DVec3::splat(-1e44)]);
    let mut others = shapes::all();
    let many = clouds.clone();
    others.extend(many.iter().take(3).map(|points| ("cloud", shape(points))));
    for all in &clouds {
        let cloud = shape(all);
        for (name, other) in &others {
            let config = PairConfig {
                solid: true,
                ..PairConfig::default()
            };
            for (a, b) in [(&cloud, other), (other, &cloud)] {
                let pose = random_pose(&mut rng, 2.0);
                let is_empty = [a, b].iter().any(|s| {
                    s.bounds(&Pose::IDENTITY)
                        .is_some_and(|bounds| bounds.is_empty())
                });
                let mut meet = IntersectionQuery::new(a, b, &config).unwrap();
                let mut gap = DistanceQuery::new(a, b, &config).unwrap();
                let found = gap.at(&pose, Limits::default());
                assert_eq!(found.value.is_none(), is_empty, "{name} {}", all.len());
                assert!(!(is_empty && meet.any(&pose)), "{name}");
                if let Some(s) = found.value
                    && s.distance > 1e-9
                {
                    assert!(!meet.any(&pose), "{name} {found:?}");
                }
                let mut contacts: Vec<ContactPoint> = Vec::new();
                if all.len() < 100 {
                    ContactQuery::new(a, b, &config)
                        .unwrap()
                        .at(&pose, 0.1, &mut contacts);
                }
                if let Ok(mut depth) = DepthQuery::new(a, b, &config)
                    && all.len() < 20
                {
                    let few = Limits {
                        max_tests: Some(200),
                        ..Limits::default()
                    };
                    let deep = depth.at(&pose, few);
                    assert!(deep.lower <= deep.upper, "{name} {deep:?}");
                }
            }
        }
    }
}

#[test]
fn a_budget_ends_the_search_with_a_true_bracket() {
    let mut rng = Rng::new(9);
    let (mine, theirs) = (points(2, 2000, &mut rng), points(0, 2000, &mut rng));
    let cloud = shape(&mine);
    let others = [
        shape(&theirs),
        shape_of(generate::torus(1.0, 0.25, 24, 16).unwrap()),
        Shape::from(Ball::new(0.5).unwrap()),
    ];
    let config = PairConfig::default();
    for other in others {
        let pose = Pose::from_translation([0.25, 0.5, 1.0]).unwrap();
        let mut query = DistanceQuery::new(&cloud, &other, &config).unwrap();
        let truth = query.at(&pose, Limits::default()).value.unwrap().distance;
        for max_tests in [0, 1, 5, 20, 100, 1000] {
            let limits = Limits {
                max_tests: Some(max_tests),
                ..Limits::default()
            };
            let found = query.at(&pose, limits);
            assert!(
                found.lower <= truth && truth <= found.upper,
                "{max_tests}: {found:?} {truth}"
            );
        }
    }
}

#[test]
fn large_clouds_and_meshes_that_are_apart_cost_few_tests() {
    let mut rng = Rng::new(10);
    let many: Vec<DVec3> = (0..100_000).map(|_| rng.direction()).collect();
    let cloud = shape(&many);
    let mesh = shape_of(generate::icosphere(1.0, 70).unwrap());
    let limits = Limits {
        max_tests: Some(200_000),
        ..Limits::default()
    };
    let pose = Pose::from_translation([2.5, 0.5, 0.0]).unwrap();
    for other in [&mesh, &cloud] {
        let mut query = DistanceQuery::new(other, &cloud, &PairConfig::default()).unwrap();
        let found = query.at(&pose, limits);
        assert_eq!(found.outcome, Outcome::Complete);
        let apart = DVec3::new(2.5, 0.5, 0.0).length() - 2.0;
        assert!(
            found
                .value
                .is_some_and(|s| (s.distance - apart).abs() < 0.02),
            "{found:?}"
        );
    }
}
