//! Every engine answers about meshes and poses of odd numbers.

use impinge::bvh::engines::MeshEngine;
use impinge::math::Rng;
use impinge::query::{Count, FacePair};

use crate::ENGINES;
use crate::odd::{check_bracket, odd_limits, odd_mesh, odd_pose};

#[test]
fn every_engine_answers_for_all_valid_meshes_and_poses() {
    let mut rng = Rng::new(1);
    for round in 0..40 {
        let (a, b) = (odd_mesh(&mut rng, 30), odd_mesh(&mut rng, 30));
        for &engine in ENGINES {
            let mut pair = engine.prepare(a.clone(), b.clone());
            for _ in 0..4 {
                let pose = odd_pose(&mut rng).unwrap_or_default();
                let _ = pair.intersections(&pose, odd_limits(&mut rng), &mut Count::default());
                let distance = pair.distance(&pose, odd_limits(&mut rng));
                assert_eq!(distance.is_some(), engine.answers_distance(), "{engine}");
                if let Some(answer) = distance {
                    assert!(answer.lower >= 0.0, "{} round {round}", engine.name());
                    check_bracket(&answer);
                    if let Some(found) = answer.value {
                        assert!(found.distance >= 0.0, "{} round {round}", engine.name());
                        assert!(!found.point_a.is_nan() && !found.point_b.is_nan());
                    }
                }
                let _ = (pair.work(), pair.bytes());
            }
        }
    }
}

#[test]
fn every_engine_finds_the_same_pairs_among_odd_numbers() {
    let mut rng = Rng::new(2);
    for _ in 0..60 {
        let (a, b) = (odd_mesh(&mut rng, 20), odd_mesh(&mut rng, 20));
        let pose = odd_pose(&mut rng).unwrap_or_default();
        let pairs = |engine: MeshEngine| {
            let mut pairs = Vec::new();
            let mut pair = engine.prepare(a.clone(), b.clone());
            let _ = pair.intersections(&pose, Default::default(), &mut pairs);
            pairs.sort_unstable();
            pairs
        };
        let exact = &pairs(MeshEngine::FaceSweep);
        let holds = |all: &[FacePair], some: &[FacePair]| some.iter().all(|p| all.contains(p));
        for &engine in ENGINES {
            let pairs = &pairs(engine);
            let keeps_its_law = match engine.name() {
                _ if engine.is_exact() => pairs == exact,
                "edge-polygon-relaxed" => holds(exact, pairs),
                _ => holds(pairs, exact),
            };
            assert!(keeps_its_law, "{engine} {a:?} {b:?} {pose:?}");
        }
    }
}
