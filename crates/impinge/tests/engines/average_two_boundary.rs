//! Nodes with two boundaries: inner volumes are free of faces, volumes are what sampling says, answers stay right.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::average_case::*;
use impinge::bound::{Aabb, Kdop, Obb};
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::generate;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::{DVec3, Pose, TriMesh};

fn bodies() -> Vec<(&'static str, TriMesh)> {
    let turn = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7, [0.3, -0.2, 0.5]).unwrap();
    vec![
        ("ball", generate::icosphere(1.0, 8).unwrap()),
        (
            "box",
            generate::cuboid(DVec3::new(1.0, 2.0, 0.5), [2, 3, 1])
                .unwrap()
                .placed(&turn)
                .unwrap(),
        ),
        (
            "cage",
            generate::merged(&generate::cage(4.0, 0.4, 2).unwrap()).unwrap(),
        ),
        ("gear", generate::gear(9, 2, 0.3, 0.4).unwrap()),
    ]
}

/// Points of a triangle, corners and edges among them.
fn points_of([p, q, r]: [DVec3; 3]) -> impl Iterator<Item = DVec3> {
    const N: u32 = 12;
    (0..=N).flat_map(move |i| {
        (0..=N - i).map(move |j| {
            let [u, v] = [i, j].map(|k| f64::from(k) / f64::from(N));
            p + (q - p) * u + (r - p) * v
        })
    })
}

fn inner_volumes_are_free<V: SlabVolume>(least_of_ball: f64) {
    for (name, mesh) in bodies() {
        let faces: Vec<_> = mesh.triangles().collect();
        for part in [&faces[..], &faces[..faces.len() / 3], &faces[..1]] {
            let volume = TwoBoundary::<V>::around(part);
            for p in part.iter().flat_map(|&face| points_of(face)) {
                assert!(!volume.is_empty_at(p), "{name} {p}");
            }
            assert!((0.0..1.0).contains(&volume.empty_part()));
        }
        let whole = TwoBoundary::<V>::around(&faces);
        if name == "ball" {
            assert!(whole.empty_part() > least_of_ball, "{}", whole.empty_part());
        }
        if name == "cage" {
            // Hollow but for its walls.
            assert!(whole.empty_part() > 0.4, "{}", whole.empty_part());
        }
    }
}

#[test]
fn no_face_enters_an_inner_volume() {
    // A cube in a ball has (1/√3)³ of the box around the ball.
    inner_volumes_are_free::<Aabb>(0.18);
    inner_volumes_are_free::<Obb>(0.15);
    inner_volumes_are_free::<Kdop<14>>(0.3);
    inner_volumes_are_free::<Kdop<18>>(0.3);
}

/// How many random points of a box are between both boundaries of both volumes, as a volume.
fn by_sampling<V: SlabVolume>(a: &TwoBoundary<V>, b: &TwoBoundary<V>, pose: &Pose) -> f64 {
    let bounds = a.outer().bounds();
    let (size, back) = (bounds.diagonal(), pose.inverse());
    let mut rng = Rng::new(11);
    const DRAWS: u32 = 200_000;
    let between =
        |volume: &TwoBoundary<V>, p: DVec3| volume.outer().contains(p) && !volume.is_empty_at(p);
    let hits = (0..DRAWS)
        .filter(|_| {
            let p = bounds.min + size * (rng.cube() + 1.0) * 0.5;
            between(a, p) && between(b, back.transform_point(p))
        })
        .count();
    size.x * size.y * size.z * hits as f64 / f64::from(DRAWS)
}

#[test]
fn volumes_with_two_boundaries_share_what_sampling_says() {
    let mut rng = Rng::new(5);
    let volumes = |mesh: &TriMesh| -> Vec<[DVec3; 3]> { mesh.triangles().collect() };
    let (ball, cage) = (
        volumes(&generate::icosphere(1.0, 6).unwrap()),
        volumes(&generate::merged(&generate::cage(3.0, 0.4, 2).unwrap()).unwrap()),
    );
    for _ in 0..6 {
        let (axis, away) = (rng.direction(), rng.direction() * rng.range(0.0, 2.0));
        let pose = Pose::from_axis_angle(axis, rng.range(0.0, 6.0), away).unwrap();
        let (a, b) = (
            TwoBoundary::<Aabb>::around(&cage),
            TwoBoundary::<Aabb>::around(&ball),
        );
        let (found, truth) = (a.overlap_volume(&b, &pose), by_sampling(&a, &b, &pose));
        assert!(
            (found - truth).abs() < 0.05 * truth.max(1.0),
            "{found} {truth}"
        );
        let (a, b) = (
            TwoBoundary::<Obb>::around(&cage),
            TwoBoundary::<Obb>::around(&ball),
        );
        let (found, truth) = (a.overlap_volume(&b, &pose), by_sampling(&a, &b, &pose));
        assert!(
            (found - truth).abs() < 0.05 * truth.max(1.0),
            "{found} {truth}"
        );
    }
    // Of a k-DOP, the volume alone: a box with as much.
    let dop = TwoBoundary::<Kdop<18>>::around(&ball);
    let (found, truth) = (
        dop.overlap_volume(&dop, &Pose::IDENTITY),
        by_sampling(&dop, &dop, &Pose::IDENTITY),
    );
    assert!((found - truth).abs() < 0.15 * truth, "{found} {truth}");
}

/// Wrong answers about tumbling copies, and tests of nodes.
fn tumble<V: AverageVolume>(mesh: &TriMesh, poses: &[(Pose, bool)]) -> [u64; 2] {
    let tree = Arc::new(AverageTree::<V>::new(mesh, &AverageConfig::default()));
    let mut query = AverageQuery::new(tree.clone(), tree, AverageOptions::default()).unwrap();
    let [mut wrong, mut tests] = [0; 2];
    for (pose, truth) in poses {
        let answer = query.at(pose, Limits::default());
        assert!(!answer.verdict.certain || answer.verdict.answer == *truth);
        wrong += u64::from(answer.verdict.answer != *truth);
        tests += answer.work.volume_tests;
    }
    [wrong, tests]
}

#[test]
fn nodes_with_two_boundaries_err_about_as_often_and_are_never_certain_and_wrong() {
    for (name, mesh) in bodies() {
        let exact = WideTree::new(Arc::new(mesh.clone()));
        let mut cache = WideCache::default();
        let poses: Vec<(Pose, bool)> = calibration_poses(&mesh.bounds(), &mesh.bounds(), 400, 9)
            .into_iter()
            .map(|pose| (pose, exact.intersects(&exact, &pose, &mut cache)))
            .collect();
        let [wrong, _] = tumble::<Aabb>(&mesh, &poses);
        for [with_two, _] in [
            tumble::<TwoBoundary<Aabb>>(&mesh, &poses),
            tumble::<TwoBoundary<Obb>>(&mesh, &poses),
            tumble::<TwoBoundary<Kdop<18>>>(&mesh, &poses),
        ] {
            assert!(
                with_two <= wrong + 16,
                "{name}: {with_two} instead of {wrong}"
            );
        }
    }
}

#[test]
fn a_body_in_an_empty_inner_volume_is_apart_after_one_test() {
    let hollow = generate::merged(&generate::cage(4.0, 0.4, 2).unwrap()).unwrap();
    let ball = generate::icosphere(0.8, 4).unwrap();
    let tests = |pose: &Pose| {
        let tree = |mesh| {
            Arc::new(AverageTree::<TwoBoundary<Aabb>>::new(
                mesh,
                &AverageConfig::default(),
            ))
        };
        let mut query =
            AverageQuery::new(tree(&hollow), tree(&ball), AverageOptions::default()).unwrap();
        let answer = query.at(pose, Limits::default());
        assert!(answer.verdict.certain && !answer.verdict.answer);
        answer.work.volume_tests
    };
    let center = hollow.bounds().center();
    assert_eq!(tests(&Pose::from_translation(center).unwrap()), 1);
    let turned = Pose::from_axis_angle(DVec3::ONE, 0.4, center).unwrap();
    assert_eq!(tests(&turned), 1);
}
