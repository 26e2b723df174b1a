//! The example plug-in, loaded: its convex kind is asked like the library's own, its torus by its distances.
#![expect(unsafe_code, reason = "a plug-in is loaded")]
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::path::PathBuf;
use std::sync::Arc;

use impinge::convex::{Ball, Capsule, Cuboid, Ellipsoid, HalfSpace};
use impinge::math::{Motion, Rng};
use impinge::pair::{
    ContactPoint, ContactQuery, DepthQuery, DistanceQuery, ImpactQuery, IntersectionQuery,
    MeshShape, PairConfig, PairRegistry, Particles, PluginError, PluginShape, Shape,
    UnsupportedReason,
};
use impinge::query::Limits;
use impinge::{DVec3, Pose, generate};
use impinge_plugin::Library;

/// The example, which is built beside this test as one of its dependencies.
fn library() -> Library {
    let name = format!(
        "{}impinge_plugin_example{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    let program = std::env::current_exe().unwrap();
    let beside: Vec<PathBuf> = program.ancestors().map(|p| p.join(&name)).collect();
    let file = beside.iter().find(|file| file.is_file()).unwrap();
    // SAFETY: built from the source in this repository.
    unsafe { Library::open(file) }.unwrap()
}

fn made(name: &str, parameters: &[f64]) -> Shape {
    PluginShape::create(library().kind(name).unwrap(), parameters).unwrap()
}

fn random_pose(rng: &mut Rng, reach: f64) -> Pose {
    let (axis, angle) = (rng.direction(), rng.range(0.0, 6.0));
    Pose::from_axis_angle(axis, angle, rng.direction() * reach).unwrap()
}

#[test]
fn a_superellipsoid_of_power_two_is_the_ellipsoid() {
    let mut rng = Rng::new(7);
    let (ours, theirs) = (
        Shape::from(Ellipsoid::new([1.0, 0.7, 0.4]).unwrap()),
        made("superellipsoid", &[1.0, 0.7, 0.4, 2.0]),
    );
    let mesh = generate::icosphere(0.8, 6).unwrap();
    let others = [
        Shape::from(Ball::new(0.5).unwrap()),
        Shape::from(Cuboid::new([0.3, 0.6, 0.9]).unwrap()),
        Shape::from(Capsule::new([0.0; 3], [0.0, 1.0, 0.0], 0.25).unwrap()),
        Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3]).unwrap()),
        Shape::from(MeshShape::new(Arc::new(mesh))),
        theirs.clone(),
    ];
    let config = PairConfig::default();
    for other in &others {
        let mut meet = [&ours, &theirs].map(|s| IntersectionQuery::new(other, s, &config).unwrap());
        let mut gap = [&ours, &theirs].map(|s| DistanceQuery::new(other, s, &config).unwrap());
        let mut deep = [&ours, &theirs].map(|s| DepthQuery::new(other, s, &config).unwrap());
        for _ in 0..60 {
            let reach = rng.range(0.2, 3.0);
            let pose = random_pose(&mut rng, reach);
            let [p, q] = gap.each_mut().map(|g| g.at(&pose, Limits::default()));
            let (near_p, near_q) = (p.value.unwrap().distance, q.value.unwrap().distance);
            assert!((near_p - near_q).abs() < 1e-7, "{near_p} {near_q}");
            if near_p > 1e-6 {
                let [p, q] = meet.each_mut().map(|m| m.any(&pose));
                assert!(!p && !q);
            }
            let [p, q] = deep.each_mut().map(|d| d.at(&pose, Limits::default()));
            let depth =
                |found: Option<impinge::convex::ConvexPenetration>| found.map_or(0.0, |d| d.depth);
            assert!((depth(p.value) - depth(q.value)).abs() < 1e-4);
        }
    }
}

#[test]
fn a_convex_kind_answers_contacts_and_impacts() {
    let config = PairConfig::default();
    let cushion = made("superellipsoid", &[1.0, 1.0, 0.5, 4.0]);
    let cube = Shape::from(Cuboid::new([1.0, 1.0, 1.0]).unwrap());
    let mut impact = ImpactQuery::new(&cube, &cushion, &config).unwrap();
    let at = |z| Pose::from_translation([0.1, 0.2, z]).unwrap();
    let falling = Motion::between(&at(3.5), &at(0.5));
    let still = Motion::still(&Pose::IDENTITY);
    let hit = impact.during(&still, &falling, Limits::default());
    // The top of the cube is at 1, the bottom of the cushion 0.5 below its middle.
    let time = hit.value.unwrap().time;
    assert!((time - 2.0 / 3.0).abs() < 1e-6, "{time}");
    let mut contact = ContactQuery::new(&cube, &cushion, &config).unwrap();
    let mut points: Vec<ContactPoint> = Vec::new();
    contact.at(&at(1.4), 0.0, &mut points);
    assert!(!points.is_empty());
}

#[test]
fn a_torus_is_as_far_from_balls_as_its_formula_says() {
    let library = library();
    let registry = PairRegistry::new();
    registry.register_plugin(&library);
    let config = PairConfig {
        registry: Some(Arc::new(registry)),
        ..PairConfig::default()
    };
    let (ring, tube, radius) = (2.0, 0.5, 0.25);
    let torus = PluginShape::create(library.kind("torus").unwrap(), &[ring, tube]).unwrap();
    let ball = Shape::from(Ball::new(radius).unwrap());
    let mut gap = DistanceQuery::new(&torus, &ball, &config).unwrap();
    let mut swapped = DistanceQuery::new(&ball, &torus, &config).unwrap();
    let mut meet = IntersectionQuery::new(&torus, &ball, &config).unwrap();
    let truth = |p: DVec3| ((p.x.hypot(p.y) - ring).hypot(p.z) - tube - radius).max(0.0);
    let mut rng = Rng::new(3);
    let mut points = Vec::new();
    for _ in 0..500 {
        let at = rng.cube() * 4.0;
        points.push(at);
        let pose = Pose::from_translation(at).unwrap();
        let found = gap.at(&pose, Limits::default());
        let s = found.value.unwrap();
        assert!((s.distance - truth(at)).abs() < 1e-12);
        assert!(found.lower <= truth(at) && truth(at) <= found.upper);
        assert!(found.upper - found.lower < 1e-6, "{found:?}");
        assert_eq!(meet.any(&pose), truth(at) == 0.0);
        if s.distance > 0.0 {
            assert!((s.point_a.distance(s.point_b) - s.distance).abs() < 1e-6);
            assert!((s.point_b.distance(at) - radius).abs() < 1e-12);
        }
        let turned = swapped.at(&pose.inverse(), Limits::default());
        assert!((turned.value.unwrap().distance - truth(at)).abs() < 1e-12);
    }
    let dust = Shape::from(Particles::new(points.clone(), radius).unwrap());
    let mut gap = DistanceQuery::new(&torus, &dust, &config).unwrap();
    let away = DVec3::new(0.0, 0.0, 9.0);
    let found = gap.at(&Pose::from_translation(away).unwrap(), Limits::default());
    let expected = points.iter().map(|p| truth(*p + away));
    let expected = expected.fold(f64::INFINITY, f64::min);
    assert!((found.value.unwrap().distance - expected).abs() < 1e-12);
}

#[test]
fn what_a_plugin_does_not_answer_is_refused() {
    let config = PairConfig::default();
    let torus = made("torus", &[2.0, 0.5]);
    let ball = Shape::from(Ball::new(1.0).unwrap());
    let refused = DistanceQuery::new(&torus, &ball, &config).unwrap_err();
    assert_eq!(refused.reason, UnsupportedReason::NotRegistered);
    let refused = DepthQuery::new(&torus, &torus, &config).unwrap_err();
    assert_eq!(refused.reason, UnsupportedReason::NotRegistered);
}

#[test]
fn a_shape_with_bad_parameters_is_refused() {
    let library = library();
    let torus = library.kind("torus").unwrap();
    for parameters in [&[1.0][..], &[1.0, 2.0], &[f64::NAN, 1.0]] {
        let refused = PluginShape::create(torus, parameters).unwrap_err();
        assert!(matches!(refused, PluginError::Create(_)));
    }
    let refused = PluginShape::create(torus, &[1e60, 1.0]).unwrap_err();
    assert!(matches!(refused, PluginError::TooLarge { .. }));
}
