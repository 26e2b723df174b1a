//! Settings of engines, and what they say about themselves.

use impinge::deform::clustering::{
    CentreSeeding, ClusterCount, ClusterMetric, ClusterPartition, FaceAssignment, StopRule,
    SweepAxis,
};
use impinge::deform::{
    Auto, AutoChoice, BruteForce, Clustering, ClusteringOptions, HashedGrid, SceneEngine,
    SceneRequest,
};
use impinge::math::Rng;

use super::{cloth_scene, found, soup, truth, waving};

#[test]
fn any_setting_of_the_clusters_gives_the_same_pairs() {
    let base = ClusteringOptions::default();
    let mut settings = Vec::new();
    for count in [1, 2, 4, 8, 16, 64] {
        let clusters = ClusterCount::Fixed(count);
        settings.push(ClusteringOptions { clusters, ..base });
        for metric in [ClusterMetric::L1, ClusterMetric::Linf] {
            settings.push(ClusteringOptions {
                clusters,
                metric,
                ..base
            });
        }
    }
    let four = ClusteringOptions {
        clusters: ClusterCount::Fixed(4),
        ..base
    };
    settings.extend([
        ClusteringOptions {
            partition: ClusterPartition::Hard,
            ..four
        },
        ClusteringOptions {
            fuzzifier: 1.4,
            ..four
        },
        ClusteringOptions {
            start: CentreSeeding::Random { seed: 3 },
            ..four
        },
        ClusteringOptions {
            start: CentreSeeding::NeuralGas,
            ..four
        },
        ClusteringOptions {
            stop: StopRule::Centers(1e-4),
            ..four
        },
        ClusteringOptions {
            axis: SweepAxis::Fixed(1),
            ..four
        },
        ClusteringOptions {
            axis: SweepAxis::Curve { segments: 5 },
            ..four
        },
        ClusteringOptions {
            third_axis: false,
            ..four
        },
        ClusteringOptions {
            subdivide_above: 1.5,
            ..four
        },
        ClusteringOptions {
            subdivide_above: 1.5,
            axis: SweepAxis::Curve { segments: 3 },
            ..base
        },
        ClusteringOptions {
            clusters: ClusterCount::Adaptive { most: 32 },
            ..base
        },
    ]);
    let request = SceneRequest::default();
    let mut engines: Vec<_> = settings.iter().map(|&s| Clustering::new(s)).collect();
    let n = 11;
    let mut cloth = cloth_scene(n);
    for frame in [0.0, 3.0, 5.0] {
        cloth.advance(&waving(n, frame)).unwrap();
        let expected = truth(&cloth, &request);
        for (engine, setting) in engines.iter_mut().zip(&settings) {
            assert_eq!(found(engine, &cloth, &request), expected, "{setting:?}");
        }
    }
    for seed in [2, 3] {
        let size = |rng: &mut Rng| if rng.below(6) == 0 { 1.5 } else { 0.015 };
        let scene = soup(seed, 400, 1.0, size, false);
        let expected = truth(&scene, &request);
        for (engine, setting) in engines.iter_mut().zip(&settings) {
            assert_eq!(found(engine, &scene, &request), expected, "{setting:?}");
        }
        let grid = soup(seed, 100, 4.0, |_| 1.6, true);
        let expected = truth(&grid, &request);
        for (engine, setting) in engines.iter_mut().zip(&settings) {
            assert_eq!(found(engine, &grid, &request), expected, "{setting:?}");
        }
    }
}

#[test]
fn cells_of_any_size_give_the_same_pairs() {
    let scene = soup(4, 300, 1.0, |rng| rng.range(0.01, 0.5), false);
    let request = SceneRequest::default();
    let expected = truth(&scene, &request);
    for factor in [0.05, 0.3, 1.0, 4.0, 100.0, f64::NAN] {
        assert_eq!(
            found(&mut HashedGrid::new(factor), &scene, &request),
            expected
        );
    }
}

#[test]
fn auto_says_why() {
    let scene = soup(1, 500, 1.0, |_| 0.1, false);
    let mut auto = Auto::default();
    let _ = auto.pairs(&scene, &SceneRequest::default());
    assert_eq!(auto.choice(), AutoChoice::Refit);
    assert!(
        auto.reason().to_string().contains("boxes per face"),
        "{}",
        auto.reason()
    );
    let engine: &dyn SceneEngine = &auto;
    assert_eq!(engine.reason(), Some(auto.reason().to_string()));
    assert_eq!(BruteForce::default().reason(), None);
    let few = soup(1, 5, 1.0, |_| 0.1, false);
    let _ = auto.pairs(&few, &SceneRequest::default());
    assert_eq!(auto.choice(), AutoChoice::BruteForce);
}

#[test]
fn rules_that_miss_pairs_say_so() {
    for assignment in [
        FaceAssignment::Threshold,
        FaceAssignment::RadiusThreshold,
        FaceAssignment::Nearest,
    ] {
        let options = ClusteringOptions {
            assignment,
            ..ClusteringOptions::default()
        };
        assert!(!Clustering::new(options).is_complete());
    }
}
