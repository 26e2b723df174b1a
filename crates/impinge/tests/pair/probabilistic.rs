//! What is likely beside what is so.

use std::sync::Arc;

use impinge::Pose;
use impinge::average_case::{
    AverageConfig, AverageOptions, AverageQuery, AverageTree, OpeningOrder,
};
use impinge::cloud::{
    CloudCollision, CloudCollisionOptions, CloudShape, CloudSurface, CloudTree, CloudTreeOptions,
    GraphOptions, PointCloud, ProximityGraph, SurfaceOptions,
};
use impinge::generate::{icosphere, torus};
use impinge::math::Rng;
use impinge::pair::{
    IntersectionQuery, MeshShape, PairConfig, ProbabilisticError, ProbabilisticQuery,
    UnsupportedReason,
};
use impinge::pair::{Shape, ShapeKind};
use impinge::query::{Limits, Outcome};

use super::shapes::{all, random_pose};

#[test]
fn a_certain_no_is_a_no_and_most_answers_are_right() {
    let ring = Arc::new(torus(1.0, 0.4, 48, 24).unwrap());
    let ball = Arc::new(icosphere(0.9, 24).unwrap());
    let [a, b] = [&ring, &ball].map(|mesh| Shape::from(MeshShape::new(mesh.clone())));
    let [tree_a, tree_b] =
        [&ring, &ball].map(|mesh| Arc::new(AverageTree::new(mesh, &AverageConfig::default())));
    let options = AverageOptions::default();
    let mut likely = ProbabilisticQuery::new(&a, &b, options.clone()).unwrap();
    let mut direct: AverageQuery = AverageQuery::new(tree_a, tree_b, options).unwrap();
    let mut truth = IntersectionQuery::new(&a, &b, &PairConfig::default()).unwrap();
    let mut rng = Rng::new(77);
    let (mut certain, mut wrong) = (0, 0);
    for k in 0..400 {
        let pose = random_pose(&mut rng, 0.2 + 0.01 * f64::from(k));
        let found = likely.at(&pose, Limits::default());
        assert_eq!(found, direct.at(&pose, Limits::default()));
        let meets = truth.any(&pose);
        assert!(!found.verdict.certain || (!found.verdict.answer && !meets));
        certain += u32::from(found.verdict.certain);
        wrong += u32::from(found.verdict.answer != meets);
    }
    assert!(certain > 20 && wrong < 40, "{certain} {wrong}");
}

#[test]
fn the_order_that_asks_for_factors_has_them() {
    let ring = Arc::new(torus(1.0, 0.4, 48, 24).unwrap());
    let shape = Shape::from(MeshShape::new(ring.clone()));
    let options = AverageOptions {
        order: OpeningOrder::Shrinking,
        ..AverageOptions::default()
    };
    let keeping = AverageConfig {
        keep_factors: true,
        ..AverageConfig::default()
    };
    let tree = Arc::new(AverageTree::new(&ring, &keeping));
    let mut likely = ProbabilisticQuery::new(&shape, &shape, options.clone()).unwrap();
    let mut usual = ProbabilisticQuery::new(&shape, &shape, AverageOptions::default()).unwrap();
    let mut direct: AverageQuery = AverageQuery::new(tree.clone(), tree, options).unwrap();
    let mut rng = Rng::new(79);
    let mut differ = 0;
    for k in 0..60 {
        let pose = random_pose(&mut rng, 0.2 + 0.03 * f64::from(k));
        let found = likely.at(&pose, Limits::default());
        assert_eq!(found, direct.at(&pose, Limits::default()));
        differ += u32::from(found.work != usual.at(&pose, Limits::default()).work);
    }
    assert!(differ > 10, "the order changes the work: {differ}");
}

#[test]
fn nothing_looked_at_is_nothing_known() {
    let ball = Shape::from(MeshShape::new(Arc::new(icosphere(1.0, 8).unwrap())));
    let mut query = ProbabilisticQuery::new(&ball, &ball, AverageOptions::default()).unwrap();
    let pose = random_pose(&mut Rng::new(1), 0.1);
    let limits = Limits {
        max_tests: Some(0),
        ..Limits::default()
    };
    let found = query.at(&pose, limits);
    assert_eq!(found.outcome, Outcome::OutOfBudget);
    assert!(!found.verdict.certain && found.verdict.confidence == 0.5);
}

/// A ball as a cloud with a surface.
fn scanned_ball(points: u32) -> CloudShape {
    let mut rng = Rng::new(u64::from(points));
    let cloud = PointCloud::from_points((0..points).map(|_| rng.direction())).unwrap();
    let graph = ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap();
    let surface = CloudSurface::new(graph.into(), SurfaceOptions::default()).unwrap();
    CloudShape::new(cloud.into()).with_surface(surface.into())
}

#[test]
fn surfaces_behind_clouds_meet_where_no_points_do() {
    let (a, b) = (scanned_ball(2000), scanned_ball(1500));
    let direct = |shape: &CloudShape| {
        let surface = shape.surface().unwrap().clone();
        Arc::new(CloudTree::new(surface, &CloudTreeOptions::default()).unwrap())
    };
    let options = CloudCollisionOptions::default();
    let mut direct = CloudCollision::new(direct(&a), direct(&b), options);
    let [a, b] = [a, b].map(Shape::from);
    let mut likely = ProbabilisticQuery::new(&a, &b, AverageOptions::default()).unwrap();
    let mut points = IntersectionQuery::new(&a, &b, &PairConfig::default()).unwrap();
    let mut rng = Rng::new(78);
    let (mut certain, mut wrong, mut met) = (0, 0, 0);
    for k in 0..200 {
        let distance = 0.5 + 0.015 * f64::from(k);
        let pose = Pose::from_axis_angle(rng.direction(), 1.0, rng.direction() * distance).unwrap();
        let found = likely.at(&pose, Limits::default());
        let beside = direct.at(&pose, Limits::default());
        assert_eq!(
            (found.verdict, found.outcome),
            (beside.verdict, beside.outcome)
        );
        assert_eq!(found.work.tests(), beside.node_pairs + beside.evaluations);
        assert!((0.0..=1.0).contains(&found.best) && likely.regions().is_empty());
        assert!(!points.any(&pose), "points do not coincide");
        let meets = distance <= 2.0;
        assert!(!found.verdict.certain || (!found.verdict.answer && !meets));
        certain += u32::from(found.verdict.certain);
        wrong += u32::from(found.verdict.answer != meets);
        met += u32::from(found.verdict.answer);
    }
    assert!(
        certain > 10 && wrong < 6 && met > 80,
        "{certain} {wrong} {met}"
    );
    let cut = Limits {
        max_tests: Some(3),
        ..Limits::default()
    };
    let found = likely.at(&Pose::from_translation([1.2, 1.2, 1.2]).unwrap(), cut);
    assert_eq!(found.outcome, Outcome::OutOfBudget);
    assert!(!found.verdict.certain);
}

#[test]
fn other_kinds_than_meshes_are_refused() {
    for (name, shape) in all() {
        let made = ProbabilisticQuery::new(&shape, &shape, AverageOptions::default());
        if shape.kind() == ShapeKind::Mesh {
            assert!(made.is_ok(), "{name}");
        } else {
            let is_refused = matches!(made, Err(ProbabilisticError::Shapes(refused)) if refused.reason == UnsupportedReason::NotMeshes);
            assert!(is_refused, "{name}");
        }
    }
    let ball = Shape::from(MeshShape::new(Arc::new(icosphere(1.0, 8).unwrap())));
    let options = AverageOptions {
        k_min: 0,
        ..AverageOptions::default()
    };
    assert!(matches!(
        ProbabilisticQuery::new(&ball, &ball, options),
        Err(ProbabilisticError::Options(_))
    ));
}
