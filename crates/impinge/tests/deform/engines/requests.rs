//! What is asked for: kinds of pairs, details, few pairs, threads.

use impinge::deform::{Auto, Scene, SceneEngine, SceneRequest};
use impinge::query::Outcome;
use impinge::{DVec3, TriMesh};

use super::{cloth_scene, every_engine, found, soup, truth, waving};

#[test]
fn kinds_and_duplicates_on_request() {
    let scene = soup(8, 150, 4.0, |_| 1.6, true).welded().scene;
    let mut faces = scene.faces().to_vec();
    let mut objects = scene.objects_of_faces().to_vec();
    for f in 0..20 {
        faces.push([faces[f][1], faces[f][2], faces[f][0]]);
        objects.push(1);
    }
    let scene = Scene::from_parts(scene.positions().to_vec(), faces, objects).unwrap();
    for bits in 0..8 {
        let request = SceneRequest {
            within: bits & 1 == 1,
            between: bits & 2 == 2,
            duplicates: bits & 4 == 4,
            ..SceneRequest::default()
        };
        let expected = truth(&scene, &request);
        for mut engine in every_engine() {
            let pairs = found(engine.as_mut(), &scene, &request);
            assert_eq!(pairs, expected, "{} {bits}", engine.name());
        }
    }
}

#[test]
fn details_say_where_and_how_deep() {
    let sheet = TriMesh::from_points(
        [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 8.0, 0.0]],
        [[0, 1, 2]],
    );
    let spike = TriMesh::from_points(
        [[0.0, 0.0, -0.25], [-1.0, 0.0, 3.0], [1.0, 0.0, 3.0]],
        [[0, 1, 2]],
    );
    let scene = Scene::new(&[sheet.unwrap(), spike.unwrap()]).unwrap();
    let request = SceneRequest {
        details: true,
        ..SceneRequest::default()
    };
    let answer = Auto::default().pairs(&scene, &request);
    let detail = answer.details[0];
    assert!((detail.depth - 0.25).abs() < 1e-12);
    assert!(
        (detail.normal - DVec3::Z).length() < 1e-12,
        "{}",
        detail.normal
    );
    let [p, q] = detail.segment;
    assert!((p.distance(q) - 2.0 * 0.25 / 3.25).abs() < 1e-12 && p.z == 0.0 && q.z == 0.0);
    let limited = SceneRequest {
        max_pairs: Some(0),
        ..SceneRequest::default()
    };
    let answer = Auto::default().pairs(&scene, &limited);
    assert_eq!(
        (answer.pairs.len(), answer.outcome),
        (0, Outcome::OutOfBudget)
    );
}

#[test]
fn the_same_pairs_and_counters_for_any_number_of_threads() {
    let n = 11;
    let mut scene = cloth_scene(n);
    let run = |scene: &Scene, engines: &mut [Box<dyn SceneEngine>]| {
        let request = SceneRequest {
            details: true,
            ..SceneRequest::default()
        };
        engines
            .iter_mut()
            .map(|engine| engine.pairs(scene, &request))
            .collect::<Vec<_>>()
    };
    let mut per_count: Vec<_> = [1, 2, 8]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            (pool.build().unwrap(), every_engine())
        })
        .into();
    for frame in [0.0, 3.0, 5.0] {
        scene.advance(&waving(n, frame)).unwrap();
        let answers: Vec<_> = per_count
            .iter_mut()
            .map(|(pool, engines)| pool.install(|| run(&scene, engines)))
            .collect();
        assert_eq!(answers[0], answers[1]);
        assert_eq!(answers[0], answers[2]);
    }
}
