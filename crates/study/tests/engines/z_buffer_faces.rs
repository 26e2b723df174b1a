//! The z-buffer as an engine for pairs of faces: no pair is missed, and what is reported beyond them is about a pixel apart.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::generate::{icosphere, torus};
use impinge::geom::triangle_distance;
use impinge::math::Rng;
use impinge::query::{FacePair, Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh};
use impinge_study::engines::mesh_engine;
use impinge_study::z_buffer::{ZBufferCache, ZBufferConfig, ZBufferFaces};
use impinge_testkit::generate::{grid, meshes, poses};
use impinge_testkit::oracle;

fn ask(a: &TriMesh, b: &TriMesh, pose: &Pose, config: &ZBufferConfig) -> (Vec<FacePair>, f64) {
    let [a, b] = [a, b].map(|mesh| ZBufferFaces::build(Arc::new(mesh.clone()), config));
    let (mut cache, mut pairs) = (ZBufferCache::default(), Vec::new());
    let outcome = a.intersections(&b, pose, Limits::default(), &mut cache, &mut pairs);
    assert_eq!(outcome, Outcome::Complete);
    assert!(pairs.is_sorted_by(|p, q| p < q));
    (pairs, cache.pixel())
}

/// Random, on a grid, and closed surfaces, in turns.
fn case(i: u64, rng: &mut Rng) -> (TriMesh, TriMesh, Pose) {
    match i % 3 {
        0 => {
            let a = meshes::random_soup(rng, 20, 0.6);
            let b = meshes::random_soup(rng, 20, 0.6);
            (a, b, poses::random(rng, 0.5))
        }
        1 => {
            let range = grid::RANGES[(i / 3) as usize % grid::RANGES.len()];
            let a = meshes::grid_soup(rng, 12, range);
            let b = meshes::grid_soup(rng, 12, range);
            (a, b, poses::exact(rng, 1))
        }
        _ => {
            let a = meshes::ball(1, 1.0);
            (a, torus(1.0, 0.3, 8, 5).unwrap(), poses::random(rng, 0.8))
        }
    }
}

#[test]
fn every_pair_is_found_and_others_are_within_the_diagonal_of_a_pixel() {
    let mut rng = Rng::new(71);
    for i in 0..120 {
        let (a, b, pose) = case(i, &mut rng);
        let truth = oracle::face_pairs(&a, &b, &pose);
        let config = ZBufferConfig {
            resolution: [1, 7, 32, 100][i as usize % 4],
            direction: if i % 2 == 0 {
                DVec3::Z
            } else {
                rng.direction()
            },
            ..ZBufferConfig::default()
        };
        let (found, pixel) = ask(&a, &b, &pose, &config);
        for pair in &truth {
            assert!(found.contains(pair), "{i} {pair:?}");
        }
        let placed = b.placed(&pose).unwrap();
        let diagonal = 2.0_f64.sqrt() * pixel * (1.0 + 1e-9);
        for pair in &found {
            let corners = [a.face(pair.a).unwrap(), placed.face(pair.b).unwrap()];
            let apart = triangle_distance(&corners[0], &corners[1]).distance;
            assert!(apart <= diagonal, "{i} {pair:?}: {apart} > {diagonal}");
        }
    }
}

#[test]
fn the_error_shrinks_with_the_pixel() {
    let ball = icosphere(1.0, 10).unwrap();
    let pose = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7, [0.9, 0.2, 0.4]).unwrap();
    let truth = oracle::face_pairs(&ball, &ball, &pose).len();
    let errors: Vec<usize> = [8, 16, 32, 64, 128, 256]
        .map(|resolution| {
            let config = ZBufferConfig {
                resolution,
                ..ZBufferConfig::default()
            };
            ask(&ball, &ball, &pose, &config).0.len() - truth
        })
        .to_vec();
    assert!(errors.is_sorted_by(|p, q| p > q), "{errors:?}");
    // Pixels 32 times smaller: the pairs too many are those of a band about as wide as the pixel.
    assert!(errors[5] * 8 < errors[0], "{errors:?}");
}

#[test]
fn it_is_in_the_list_and_marked_as_inexact() {
    let engine = mesh_engine("z-buffer").unwrap();
    assert!(!engine.is_exact() && !engine.answers_distance());
    let ball = Arc::new(meshes::ball(1, 1.0));
    let mut pair = engine.prepare(ball.clone(), ball);
    let (mut all, mut few) = (Vec::new(), Vec::new());
    let pose = Pose::from_translation([0.5, 0.5, 0.0]).unwrap();
    let _ = pair.intersections(&pose, Limits::default(), &mut all);
    assert!(!all.is_empty() && pair.work().face_tests > 0);
    let limits = Limits {
        max_tests: Some(pair.work().tests() / 2),
        ..Limits::default()
    };
    assert_eq!(
        pair.intersections(&pose, limits, &mut few),
        Outcome::OutOfBudget
    );
    assert!(few.is_empty());
}
