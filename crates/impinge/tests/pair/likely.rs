//! What is likely beside what is so.

use std::sync::Arc;

use impinge::average::{AverageConfig, AverageOptions, AverageQuery, AverageTree};
use impinge::generate::{icosphere, torus};
use impinge::math::Rng;
use impinge::pair::{IntersectionQuery, LikelyError, LikelyQuery, MeshShape, PairConfig, Reason};
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
    let mut likely = LikelyQuery::new(&a, &b, options.clone()).unwrap();
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
fn nothing_looked_at_is_nothing_known() {
    let ball = Shape::from(MeshShape::new(Arc::new(icosphere(1.0, 8).unwrap())));
    let mut query = LikelyQuery::new(&ball, &ball, AverageOptions::default()).unwrap();
    let pose = random_pose(&mut Rng::new(1), 0.1);
    let limits = Limits {
        max_tests: Some(0),
        ..Limits::default()
    };
    let found = query.at(&pose, limits);
    assert_eq!(found.outcome, Outcome::OutOfBudget);
    assert!(!found.verdict.certain && found.verdict.confidence == 0.5);
}

#[test]
fn other_kinds_than_meshes_are_refused() {
    for (name, shape) in all() {
        let made = LikelyQuery::new(&shape, &shape, AverageOptions::default());
        if shape.kind() == ShapeKind::Mesh {
            assert!(made.is_ok(), "{name}");
        } else {
            let is_refused = matches!(made, Err(LikelyError::Shapes(refused)) if refused.reason == Reason::NotMeshes);
            assert!(is_refused, "{name}");
        }
    }
    let ball = Shape::from(MeshShape::new(Arc::new(icosphere(1.0, 8).unwrap())));
    let options = AverageOptions {
        k_min: 0,
        ..AverageOptions::default()
    };
    assert!(matches!(
        LikelyQuery::new(&ball, &ball, options),
        Err(LikelyError::Options(_))
    ));
}
