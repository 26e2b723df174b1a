//! Kinds of the user's own.

use std::any::Any;
use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::bvh::engines::{ExternalEngine, MeshEngine};
use impinge::convex::{Ball, ConvexPenetration, Feature};
use impinge::math::Motion;
use impinge::pair::{
    Compound, ContactPoint, ContactQuery, CustomShape, DepthQuery, DistanceQuery, ImpactQuery,
    IntersectionQuery, PairConfig, PairFunctions, PairRegistry, Shape, ShapeKind,
    UnsupportedReason,
};
use impinge::query::{Bounded, FaceId, FacePair, Impact, Limits, Outcome, Separation, Sink};
use impinge::{DVec3, Pose, generate};

use super::shapes::shape_of;

/// A ball by another name.
#[derive(Debug)]
struct Bubble(f64);

impl CustomShape for Bubble {
    fn name(&self) -> &str {
        "bubble"
    }
    fn bounds(&self) -> Option<Aabb> {
        Some(Aabb {
            min: DVec3::splat(-self.0),
            max: DVec3::splat(self.0),
        })
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn radius(shape: &Shape) -> f64 {
    match shape {
        Shape::Custom(custom) => custom.as_any().downcast_ref::<Bubble>().unwrap().0,
        _ => 1.0,
    }
}

fn separation(a: &Shape, b: &Shape, pose: &Pose) -> Separation {
    let n = pose.translation().normalize_or(DVec3::X);
    let gap = pose.translation().length() - radius(a) - radius(b);
    Separation {
        distance: gap.max(0.0),
        point_a: n * radius(a),
        point_b: n * (radius(a) + gap),
    }
}

fn bounded<T>(value: T, at: f64) -> Bounded<T> {
    Bounded {
        value,
        lower: at,
        upper: at,
        outcome: Outcome::Complete,
    }
}

fn functions() -> PairFunctions {
    PairFunctions {
        intersection: Some(Arc::new(|a: &Shape, b: &Shape, pose: &Pose| {
            separation(a, b, pose).distance == 0.0
        })),
        distance: Some(Arc::new(
            |a: &Shape, b: &Shape, pose: &Pose, _: Limits<'_>| {
                let found = separation(a, b, pose);
                bounded(Some(found), found.distance)
            },
        )),
        depth: Some(Arc::new(
            |a: &Shape, b: &Shape, pose: &Pose, _: Limits<'_>| {
                let found = separation(a, b, pose);
                let way = found.point_a - found.point_b;
                let depth = way.length();
                let value = (found.distance == 0.0).then_some(ConvexPenetration {
                    depth,
                    normal: way / depth,
                    point_a: found.point_a,
                    point_b: found.point_b,
                });
                bounded(value, depth)
            },
        )),
        contact: Some(Arc::new(
            |a: &Shape, b: &Shape, pose: &Pose, _: f64, sink: &mut dyn Sink<ContactPoint>| {
                let found = separation(a, b, pose);
                let normal = pose.translation().normalize_or(DVec3::X);
                let _ = sink.accept(ContactPoint {
                    point_a: found.point_a,
                    point_b: found.point_b,
                    normal,
                    depth: (found.point_a - found.point_b).dot(normal),
                    feature_a: Feature::Face(1),
                    feature_b: Feature::Face(2),
                    child_a: 0,
                    child_b: 0,
                    id: 7,
                });
            },
        )),
        impact: Some(Arc::new(
            |_: &Shape, _: &Shape, a: &Motion, b: &Motion, _: Limits<'_>| {
                let normal =
                    (b.start().translation() - a.start().translation()).normalize_or(DVec3::X);
                let faces = FacePair {
                    a: FaceId::new(1),
                    b: FaceId::new(2),
                };
                bounded(
                    Some(Impact {
                        time: 0.5,
                        point: DVec3::ZERO,
                        normal,
                        faces,
                    }),
                    0.5,
                )
            },
        )),
    }
}

#[test]
fn registered_functions_answer_in_both_orders_and_inside_compounds() {
    let registry = PairRegistry::new();
    registry.register("bubble", ShapeKind::Ball, functions());
    let config = PairConfig {
        registry: Some(Arc::new(registry)),
        ..PairConfig::default()
    };
    let bubble = Shape::Custom(Arc::new(Bubble(2.0)));
    let ball = Shape::from(Ball::new(1.0).unwrap());
    let pose = Pose::from_axis_angle([0.0, 0.0, 1.0], 1.0, [5.0, 0.0, 0.0]).unwrap();
    let near = Pose::from_translation([2.5, 0.0, 0.0]).unwrap();
    let lone =
        |shape: &Shape| Shape::from(Compound::new([(Pose::IDENTITY, shape.clone())]).unwrap());
    let pairs = [
        (bubble.clone(), ball.clone()),
        (ball.clone(), bubble.clone()),
        (lone(&bubble), ball.clone()),
        (lone(&ball), lone(&bubble)),
    ];
    for (a, b) in &pairs {
        let mut meet = IntersectionQuery::new(a, b, &config).unwrap();
        assert!(!meet.any(&pose) && meet.any(&near));
        let found = DistanceQuery::new(a, b, &config)
            .unwrap()
            .at(&pose, Limits::default())
            .value
            .unwrap();
        assert!((found.distance - 2.0).abs() < 1e-12);
        assert!(
            (found.point_b - found.point_a - DVec3::X * 2.0).length() < 1e-9,
            "{found:?}"
        );
        let deep = DepthQuery::new(a, b, &config)
            .unwrap()
            .at(&near, Limits::default())
            .value
            .unwrap();
        assert!(
            (deep.depth - 0.5).abs() < 1e-6 && (deep.normal - DVec3::X).length() < 1e-3,
            "{deep:?}"
        );
        let mut points: Vec<ContactPoint> = Vec::new();
        ContactQuery::new(a, b, &config)
            .unwrap()
            .at(&near, 0.0, &mut points);
        assert!(
            points.len() == 1
                && (points[0].normal - DVec3::X).length() < 1e-9
                && (points[0].depth - 0.5).abs() < 1e-9
        );
        let (still, moving) = (Motion::still(&Pose::IDENTITY), Motion::still(&near));
        let hit = ImpactQuery::new(a, b, &config)
            .unwrap()
            .during(&still, &moving, Limits::default())
            .value
            .unwrap();
        assert!(hit.time == 0.5 && (hit.normal - DVec3::X).length() < 1e-9);
    }
}

#[test]
fn what_is_not_registered_is_refused_and_never_a_no() {
    let registry = Arc::new(PairRegistry::new());
    let config = PairConfig {
        registry: Some(registry.clone()),
        ..PairConfig::default()
    };
    let bubble = Shape::Custom(Arc::new(Bubble(2.0)));
    let ball = Shape::from(Ball::new(1.0).unwrap());
    let refused = IntersectionQuery::new(&bubble, &ball, &config).unwrap_err();
    assert_eq!(refused.reason, UnsupportedReason::NotRegistered);
    let inside = Shape::from(Compound::new([(Pose::IDENTITY, bubble.clone())]).unwrap());
    assert!(IntersectionQuery::new(&ball, &inside, &config).is_err());
    // Functions may come later, and one by one.
    let only = PairFunctions {
        intersection: functions().intersection,
        ..PairFunctions::default()
    };
    registry.register(ShapeKind::Ball, "bubble", only);
    assert!(IntersectionQuery::new(&bubble, &ball, &config).is_ok());
    assert!(DistanceQuery::new(&bubble, &ball, &config).is_err());
    assert!(IntersectionQuery::new(&bubble, &bubble, &config).is_err());
}

#[test]
fn an_engine_that_claims_distances_and_has_none_is_replaced_by_a_search_of_the_faces() {
    static CLAIMS: ExternalEngine = ExternalEngine {
        name: "claims",
        is_exact: true,
        answers_distance: true,
        prepare: |a, b| MeshEngine::FaceSweep.prepare(a, b),
    };
    let ball = shape_of(generate::icosphere(1.0, 4).unwrap());
    let claimed = PairConfig {
        engine: Some(MeshEngine::External(&CLAIMS)),
        ..PairConfig::default()
    };
    let pose = Pose::from_translation([3.0, 0.5, 0.25]).unwrap();
    let [found, known] = [claimed, PairConfig::default()].map(|config| {
        let mut query = DistanceQuery::new(&ball, &ball, &config).unwrap();
        query.at(&pose, Limits::default())
    });
    assert_eq!(found.outcome, Outcome::Complete);
    let [found, known] = [found, known].map(|found| found.value.unwrap().distance);
    assert!((found - known).abs() < 1e-12, "{found} {known}");
}
