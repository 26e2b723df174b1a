//! The engine against brute force, on the twin and on every device.

use impinge::deform::{BruteForce, Clustering, Scene, SceneAnswer, SceneEngine, SceneRequest};
use impinge::generate::chazelle;
use impinge::geom::{Contact, triangle_contact};
use impinge::query::Outcome;
use impinge::{DVec3, TriMesh};
use impinge_gpu::scene::GpuOptions;
use impinge_gpu::{Backend, GpuError, GpuScene};
pub(crate) use impinge_testkit::generate::scenes::moment;

use crate::backends::{Random, backends, devices};

pub(crate) fn engines(options: GpuOptions) -> Vec<GpuScene> {
    let on = |backend| GpuScene::on(backend, options).unwrap();
    backends().into_iter().map(on).collect()
}

/// Faces of any size, touching and degenerate ones among them where the points are of a small grid.
pub(crate) fn soup(seed: u64, faces: usize, points: u32, grid: Option<u32>) -> Scene {
    let mut random = Random(seed);
    let place = |random: &mut Random| match grid {
        Some(n) => DVec3::from([0; 3].map(|_| f64::from(random.below(n)))),
        None => DVec3::from([0; 3].map(|_| random.unit())),
    };
    let positions: Vec<DVec3> = (0..points).map(|_| place(&mut random)).collect();
    let list = (0..faces)
        .map(|_| [0; 3].map(|_| random.below(points)))
        .collect();
    let objects = (0..faces).map(|_| random.below(3)).collect();
    Scene::from_parts(positions, list, objects).unwrap()
}

fn expected(scene: &Scene, request: &SceneRequest) -> SceneAnswer {
    BruteForce::default().pairs(scene, request)
}

pub(crate) fn check(engines: &mut [GpuScene], scene: &Scene, what: &str) -> usize {
    let request = SceneRequest::default();
    let truth = expected(scene, &request);
    for engine in engines {
        let answer = engine.pairs(scene, &request);
        let name = engine.backend().name().to_owned();
        assert_eq!(engine.reason(), None, "{what}, {name}");
        assert!(
            answer.missing(&truth).is_empty(),
            "{what}, {name}: pairs are missing"
        );
        assert!(answer.pairs == truth.pairs, "{what}, {name}");
    }
    truth.pairs.len()
}

#[test]
fn soups_of_faces_are_answered_as_by_brute_force() {
    let mut engines = engines(GpuOptions::default());
    for seed in 0..6 {
        for (faces, points, grid) in [(300, 600, None), (200, 40, None), (200, 60, Some(4))] {
            let scene = soup(seed, faces, points, grid);
            assert!(check(&mut engines, &scene, &format!("soup {seed}")) > 20);
        }
    }
}

#[test]
fn scenes_of_no_and_one_face_have_no_pairs() {
    let mut engines = engines(GpuOptions::default());
    assert_eq!(check(&mut engines, &Scene::new(&[]).unwrap(), "nothing"), 0);
    let one = Scene::from_parts(vec![DVec3::X; 3], vec![[0, 1, 2]], vec![0]).unwrap();
    assert_eq!(check(&mut engines, &one, "one"), 0);
    let point = Scene::from_parts(vec![DVec3::X], vec![[0; 3]; 2], vec![0; 2]).unwrap();
    check(&mut engines, &point, "two faces in one point");
}

#[test]
fn scales_and_far_origins_change_nothing() {
    let mut engines = engines(GpuOptions::default());
    let scene = soup(8, 200, 400, None);
    for scale in [1e-310_f64, 1e-30, 1e44] {
        for shift in [0.0, 1e6] {
            let mut other = scene.clone();
            let offset = (shift * scale).min(1e45);
            let moved: Vec<DVec3> = scene
                .positions()
                .iter()
                .map(|&p| p * scale + DVec3::splat(offset))
                .collect();
            other.advance(&moved).unwrap();
            check(
                &mut engines,
                &other,
                &format!("scale {scale}, shift {shift}"),
            );
        }
    }
}

#[test]
fn every_request_is_answered_as_by_brute_force() {
    let scene = soup(3, 150, 50, Some(5));
    for engine in &mut engines(GpuOptions::default()) {
        for bits in 0..16 {
            let request = SceneRequest {
                within: bits & 1 != 0,
                between: bits & 2 != 0,
                duplicates: bits & 4 != 0,
                details: true,
                max_pairs: (bits & 8 != 0).then_some(7),
                ..SceneRequest::default()
            };
            let (truth, answer) = (expected(&scene, &request), engine.pairs(&scene, &request));
            assert_eq!(answer.pairs, truth.pairs, "{request:?}");
            assert_eq!(answer.details, truth.details, "{request:?}");
            assert_eq!(answer.outcome, truth.outcome, "{request:?}");
            assert_eq!(engine.any(&scene, &request), !truth.pairs.is_empty());
        }
    }
}

#[test]
fn lists_that_are_too_small_grow_and_the_answer_is_the_same() {
    let tiny = GpuOptions {
        pair_capacity: 1,
        candidate_capacity: 1,
        result_capacity: 1,
        ..GpuOptions::default()
    };
    let scene = soup(5, 900, 1800, None);
    for engine in &mut engines(tiny) {
        check(std::slice::from_mut(engine), &scene, "tiny");
        let first = engine.last_frame();
        assert!(first.growths >= 3, "{first:?}");
        check(std::slice::from_mut(engine), &scene, "grown");
        assert_eq!(engine.last_frame().growths, 0);
    }
}

#[test]
fn ranges_of_pairs_one_after_the_other_give_the_same_answer() {
    let short = GpuOptions {
        range: 1,
        ..GpuOptions::default()
    };
    let scene = soup(6, 700, 1400, None);
    for engine in &mut engines(short) {
        check(std::slice::from_mut(engine), &scene, "short ranges");
        assert!(engine.last_frame().ranges > 5);
    }
}

#[test]
fn moving_scenes_are_followed_and_few_pairs_are_unsure() {
    let mut engines = engines(GpuOptions::default());
    let mut pairs = 0;
    for name in ["curtain", "expanding-balls", "vase", "half-torus"] {
        for time in [0.0, 0.45, 0.9] {
            let scene = moment(name, 1500, time);
            pairs += check(&mut engines, &scene, &format!("{name} at {time}"));
            for engine in &mut engines {
                let answer = engine.pairs(&scene, &SceneRequest::default());
                let (frame, candidates) = (engine.last_frame(), answer.counters.candidates);
                // No rounding tells whether faces touch: rows of a cloth may lie at one height.
                let touching = answer.pairs.iter().filter(|pair| {
                    let [a, b] = [pair.a, pair.b].map(|face| scene.triangle(face).unwrap());
                    triangle_contact(&a, &b) == Contact::Touching
                });
                let open = frame.unsure.saturating_sub(touching.count() as u64);
                assert!(
                    50 * open <= candidates,
                    "{name} at {time}: {frame:?}, {candidates}"
                );
            }
        }
    }
    assert!(pairs > 0);
}

#[test]
fn candidates_are_the_same_on_every_device_and_cover_those_of_the_cpu() {
    let scene = moment("curtain", 1000, 0.9);
    let mut engines = engines(GpuOptions::default());
    let counted: Vec<_> = engines
        .iter_mut()
        .map(|engine| {
            let counters = engine.pairs(&scene, &SceneRequest::default()).counters;
            (counters.axis_pairs, counters.candidates, counters.hits)
        })
        .collect();
    assert!(
        counted.iter().all(|counts| *counts == counted[0]),
        "{counted:?}"
    );
    let truth = Clustering::default().pairs(&scene, &SceneRequest::default());
    assert!(counted[0].1 >= truth.pairs.len() as u64);
}

#[test]
fn faces_that_change_are_uploaded_again() {
    let mut scene = soup(1, 100, 200, None);
    let mut engines = engines(GpuOptions::default());
    check(&mut engines, &scene, "before");
    let mut faces = scene.faces().to_vec();
    faces.rotate_left(7);
    let (points, objects) = (
        scene.positions().to_vec(),
        scene.objects_of_faces().to_vec(),
    );
    scene.replace_faces(points, faces, objects).unwrap();
    check(&mut engines, &scene, "rotated");
    let other = soup(2, 140, 90, None);
    check(&mut engines, &other, "another");
    let objects = vec![0; 140];
    let mut same = other.clone();
    same.replace_faces(other.positions().to_vec(), other.faces().to_vec(), objects)
        .unwrap();
    let request = SceneRequest {
        between: false,
        ..SceneRequest::default()
    };
    for engine in &mut engines {
        let truth = expected(&same, &request).pairs;
        assert_eq!(engine.pairs(&same, &request).pairs, truth, "other objects");
    }
}

#[test]
fn interlocking_combs_have_all_their_pairs() {
    let comb = chazelle(12, 0.1).unwrap();
    let turned: Vec<DVec3> = comb
        .positions()
        .iter()
        .map(|p| DVec3::new(p.z, p.y, p.x))
        .collect();
    let other = TriMesh::new(turned, comb.faces().to_vec()).unwrap();
    let scene = Scene::new(&[comb, other]).unwrap();
    assert!(check(&mut engines(GpuOptions::default()), &scene, "combs") > 50);
}

#[test]
fn a_frame_takes_few_kernels_two_readbacks_and_twelve_bytes_a_vertex() {
    let scene = moment("curtain", 3000, 0.8);
    for engine in &mut engines(GpuOptions::default()) {
        // The first frame finds axes, the second chooses among them.
        for _ in 0..2 {
            let _ = engine.pairs(&scene, &SceneRequest::default());
        }
        let answer = engine.pairs(&scene, &SceneRequest::default());
        let report = engine.last_frame();
        let traffic = report.traffic;
        assert_eq!(report.growths, 0);
        assert!(traffic.kernels <= 40, "{traffic:?}");
        assert!(traffic.readbacks <= 2, "{traffic:?}");
        assert_eq!(traffic.bytes_up, 12 * scene.positions().len() as u64);
        let listed = answer.counters.candidates - answer.counters.separated;
        assert_eq!(traffic.bytes_down, 8 * listed + 32 + 80);
        assert_eq!(answer.outcome, Outcome::Complete);
    }
}

#[test]
fn a_lost_device_is_replaced_by_the_cpu_which_says_so() {
    let scene = soup(4, 200, 400, None);
    let truth = expected(&scene, &SceneRequest::default());
    for backend in devices() {
        let mut engine = GpuScene::on(backend, GpuOptions::default()).unwrap();
        check(std::slice::from_mut(&mut engine), &scene, "before");
        engine.lose_device();
        for _ in 0..2 {
            let answer = engine.pairs(&scene, &SceneRequest::default());
            assert_eq!(answer.pairs, truth.pairs);
            let reason = engine.reason().unwrap();
            assert!(
                reason.contains("the device failed") && reason.contains("CPU"),
                "{reason}"
            );
        }
        assert!(engine.any(&scene, &SceneRequest::default()));
    }
}

#[test]
fn options_that_make_no_sense_are_named() {
    for (name, options) in [
        (
            "clusters",
            GpuOptions {
                clusters: 0,
                ..GpuOptions::default()
            },
        ),
        (
            "range",
            GpuOptions {
                range: 0,
                ..GpuOptions::default()
            },
        ),
        (
            "result_capacity",
            GpuOptions {
                result_capacity: 0,
                ..GpuOptions::default()
            },
        ),
    ] {
        let refused = GpuScene::on(Backend::twin(), options).map(|_| ());
        assert!(matches!(refused, Err(GpuError::Option { name: n, .. }) if n == name));
    }
}
