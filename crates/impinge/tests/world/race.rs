//! Racing and splitting give the serial answer.

use std::num::NonZeroUsize;
use std::sync::Arc;

use impinge::bvh::engines::MeshEngine;
use impinge::math::Rng;
use impinge::query::{FacePair, Limits};
use impinge::world::{IsOver, MeshRace, SplitPair, Winner, race};
use impinge::{Pose, TriMesh, generate};
use rayon::ThreadPoolBuilder;

use super::scene::pose;

fn models() -> Vec<Arc<TriMesh>> {
    let model = |name| generate::model(name).unwrap().make(Some(1000), 1).unwrap();
    vec![
        Arc::new(generate::icosphere(1.0, 4).unwrap()),
        Arc::new(model("torus")),
        Arc::new(model("torus-knot")),
        Arc::new(generate::tetrahedron(1.0).unwrap()),
    ]
}

fn serial(a: &Arc<TriMesh>, b: &Arc<TriMesh>, a_from_b: &Pose) -> Vec<FacePair> {
    let mut pair = MeshEngine::FaceSweep.prepare(Arc::clone(a), Arc::clone(b));
    let mut found = Vec::new();
    let _ = pair.intersections(a_from_b, Limits::default(), &mut found);
    found.sort_unstable();
    found
}

#[test]
fn a_race_gives_the_serial_answer_along_coherent_and_random_placements() {
    let models = models();
    for threads in [1, 2, 3] {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let mut rng = Rng::new(4);
        for (i, a) in models.iter().enumerate() {
            for b in &models[i..] {
                let mut raced = MeshRace::new(a, b);
                let mut exact = MeshEngine::WideTree.prepare(Arc::clone(a), Arc::clone(b));
                for k in 0..30 {
                    let placed = if k % 2 == 0 {
                        pose(&mut rng, 2.0)
                    } else {
                        Pose::from_translation([0.1 * f64::from(k), 0.0, 0.0]).unwrap()
                    };
                    let mut found = Vec::new();
                    let _ = exact.intersections(&placed, Limits::default(), &mut found);
                    let answer = pool.install(|| raced.intersects(&placed));
                    assert_eq!(answer, !found.is_empty(), "{placed:?}");
                }
                let stats = raced.stats();
                let planes = stats.kept_plane + stats.new_plane;
                assert_eq!(planes + stats.kept_faces + stats.exact, 30);
            }
        }
    }
}

#[test]
fn pieces_find_the_pairs_of_the_whole() {
    let models = models();
    let mut rng = Rng::new(6);
    for a in &models[1..] {
        for b in &models {
            for pieces in [1, 2, 7, 64] {
                let mut split = SplitPair::new(a, b, NonZeroUsize::new(pieces).unwrap());
                for _ in 0..3 {
                    let placed = pose(&mut rng, 1.0);
                    let expected = serial(a, b, &placed);
                    assert_eq!(split.intersects(&placed), !expected.is_empty());
                    assert_eq!(split.intersections(&placed), expected);
                }
            }
        }
    }
}

#[test]
fn the_loser_of_a_race_is_told_to_stop() {
    let endless = |is_over: &IsOver<'_>| {
        while !is_over() {
            std::thread::yield_now();
        }
        None
    };
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for k in 0..200 {
        let first = pool.install(|| race(|_| Some(k), endless));
        assert_eq!(first, Some((k, Winner::First)));
        let neither = race(|_| None::<u32>, |_| None);
        assert_eq!(neither, None);
        let second = race(|_| None, |_| Some(k));
        assert_eq!(second, Some((k, Winner::Second)));
    }
}

#[test]
fn hulls_that_meet_at_a_glance_are_left_to_the_exact_engine() {
    let ball = generate::icosphere(1.0, 40).unwrap();
    let positions = ball.positions().iter().map(|p| *p * 0.995).collect();
    let inner = Arc::new(TriMesh::new(positions, ball.faces().to_vec()).unwrap());
    let mut raced = MeshRace::new(&Arc::new(ball), &inner);
    for k in 0..40 {
        let pose = Pose::from_translation([1e-5 * f64::from(k), 0.0, 0.0]).unwrap();
        assert!(!raced.intersects(&pose));
    }
    let stats = raced.stats();
    assert_eq!((stats.exact, stats.raced), (40, 0));
}
