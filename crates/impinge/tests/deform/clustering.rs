//! Clusters: what c-means promises, what the published rules miss, and what the complete rule costs.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::DVec3;
use impinge::deform::clustering::{
    CentreSeeding, ClusterCount, ClusterMetric, ClusterPartition, FaceAssignment, FuzzyRules,
    MAX_SEGMENTS, PrincipalCurve, StopRule, SweepAxis, fuzzy_c_means, hard_c_means, memberships,
    nearest, overlap_counts, seed_centers,
};
use impinge::deform::{
    BruteForce, Clustering, ClusteringOptions, Scene, SceneEngine, SceneRequest,
};
use impinge::generate::moving_scene;
use impinge::math::Rng;

fn cloud(seed: u64, count: usize) -> Vec<DVec3> {
    let mut rng = Rng::new(seed);
    (0..count)
        .map(|i| rng.cube() + DVec3::X * if i % 3 == 0 { 6.0 } else { 0.0 })
        .collect()
}

fn rules(max_rounds: usize) -> FuzzyRules {
    FuzzyRules {
        metric: ClusterMetric::L2,
        fuzzifier: 2.0,
        stop: StopRule::Memberships(1e-5),
        max_rounds,
    }
}

/// Triangles of two sizes, 100 to 1, in a cube.
fn mixed(seed: u64) -> Scene {
    let mut rng = Rng::new(seed);
    let mut points = Vec::new();
    for i in 0..500 {
        let center = rng.cube();
        let size = if i % 10 == 0 { 1.0 } else { 0.01 };
        points.extend([(); 3].map(|()| center + rng.cube() * size));
    }
    let faces = (0..500).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    Scene::from_parts(points, faces, vec![0; 500]).unwrap()
}

/// A wavy sheet whose layers do not meet.
fn cloth(n: u32, waves: f64) -> Scene {
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    for i in 0..=n {
        for j in 0..=n {
            let (x, y) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
            // Along the diagonal, so that no axis of the world is that of the sheet.
            let z = 0.1 * (waves * (x + 0.3 * y)).sin();
            points.push(DVec3::new(3.0 * x - y, 3.0 * x + y + 0.2 * z, 2.0 * x + z));
            if i < n && j < n {
                faces.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                faces.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    let objects = vec![0; faces.len()];
    Scene::from_parts(points, faces, objects).unwrap()
}

fn clusters(count: usize, assignment: FaceAssignment) -> ClusteringOptions {
    ClusteringOptions {
        clusters: ClusterCount::Fixed(count),
        assignment,
        ..ClusteringOptions::default()
    }
}

#[test]
fn memberships_sum_to_one_in_every_metric() {
    let points = cloud(1, 200);
    let centers = seed_centers(&points, 5, CentreSeeding::Spread);
    let mut u = [0.0; 5];
    for metric in [ClusterMetric::L1, ClusterMetric::L2, ClusterMetric::Linf] {
        for fuzzifier in [1.05, 1.5, 2.0, 7.0] {
            for &p in &points {
                memberships(p, &centers, metric, fuzzifier, &mut u);
                assert!((u.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                assert!(u.iter().all(|x| (0.0..=1.0).contains(x)));
                let most = nearest(p, &centers, metric);
                assert!(u.iter().all(|&x| x <= u[most]));
            }
        }
    }
    // On two equal centres the membership is shared.
    let mut two = [0.0; 2];
    memberships(
        DVec3::X,
        &[DVec3::X, DVec3::X],
        ClusterMetric::L2,
        2.0,
        &mut two,
    );
    assert_eq!(two, [0.5, 0.5]);
}

#[test]
fn the_objective_never_rises() {
    let points = cloud(2, 300);
    let mut centers = seed_centers(&points, 4, CentreSeeding::Random { seed: 1 });
    let mut last = f64::INFINITY;
    for _ in 0..40 {
        let report = fuzzy_c_means(&points, &mut centers, &rules(1));
        assert!(
            report.objective <= last * (1.0 + 1e-12),
            "{} after {last}",
            report.objective
        );
        last = report.objective;
    }
}

#[test]
fn two_blobs_get_one_centre_each_from_every_start() {
    let points = cloud(3, 600);
    for start in [
        CentreSeeding::Random { seed: 5 },
        CentreSeeding::Spread,
        CentreSeeding::NeuralGas,
    ] {
        for stop in [StopRule::Centers(1e-5), StopRule::Memberships(1e-5)] {
            let mut centers = seed_centers(&points, 2, start);
            let report = fuzzy_c_means(&points, &mut centers, &FuzzyRules { stop, ..rules(100) });
            assert!(report.converged, "{start:?} {stop:?}");
            let (left, right) = (centers[0].min(centers[1]), centers[0].max(centers[1]));
            assert!(
                left.x.abs() < 0.3 && (right.x - 6.0).abs() < 0.3,
                "{centers:?}"
            );
        }
    }
}

#[test]
fn a_fuzzifier_near_one_is_hard_c_means() {
    let points = cloud(4, 200);
    let start = seed_centers(&points, 2, CentreSeeding::Spread);
    let (mut fuzzy, mut hard) = (start.clone(), start);
    let nearly_hard = FuzzyRules {
        fuzzifier: 1.02,
        ..rules(100)
    };
    fuzzy_c_means(&points, &mut fuzzy, &nearly_hard);
    assert!(hard_c_means(&points, &mut hard, ClusterMetric::L2, 100).converged);
    for (p, q) in fuzzy.iter().zip(&hard) {
        assert!(p.distance(*q) < 1e-3);
    }
}

#[test]
fn a_warm_start_on_a_still_scene_takes_one_round_less_than_two() {
    let scene = cloth(20, 9.0);
    let mut engine = Clustering::new(ClusteringOptions {
        stop: StopRule::Centers(1e-4),
        ..clusters(2, FaceAssignment::Safe)
    });
    let request = SceneRequest::default();
    let first = engine.pairs(&scene, &request).counters;
    let second = engine.pairs(&scene, &request).counters;
    assert!(first.rounds > 1 && second.rounds == 1);
    assert!(
        second.sort_moves == 0,
        "a sorted list stays sorted: {}",
        second.sort_moves
    );
}

#[test]
fn the_published_threshold_misses_pairs_and_the_safe_rule_none() {
    let request = SceneRequest::default();
    let mut missed = [0; 3];
    let mut all = 0;
    for seed in 0..6 {
        let scene = mixed(seed);
        let truth = BruteForce::default().pairs(&scene, &request);
        all += truth.pairs.len();
        for (i, count) in [2, 4, 8].into_iter().enumerate() {
            let published =
                Clustering::new(clusters(count, FaceAssignment::Threshold)).pairs(&scene, &request);
            assert!(truth.missing(&published).is_empty(), "none is invented");
            missed[i] += published.missing(&truth).len();
            let safe =
                Clustering::new(clusters(count, FaceAssignment::Safe)).pairs(&scene, &request);
            assert_eq!(safe.pairs, truth.pairs);
            let radius = Clustering::new(clusters(count, FaceAssignment::RadiusThreshold))
                .pairs(&scene, &request);
            assert!(radius.missing(&truth).is_empty(), "the band is wide enough");
        }
    }
    assert!(
        missed.iter().all(|&m| m > 0),
        "{missed:?} of {all} missed with 2, 4, 8 clusters"
    );
}

#[test]
fn hard_clusters_miss_the_pair_across_the_border() {
    // Four triangles in a row; the middle two meet, and lie in different clusters.
    let mut points = Vec::new();
    for (x, tilt) in [(0.0, 0.0), (1.0, 0.3), (1.5, -0.3), (2.5, 0.0)] {
        points.extend([
            DVec3::new(x - 0.4, -0.4, -tilt),
            DVec3::new(x + 0.4, -0.4, tilt),
            DVec3::new(x, 0.4, 0.0),
        ]);
    }
    let faces = (0..4).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    let scene = Scene::from_parts(points, faces, vec![0, 1, 2, 3]).unwrap();
    let request = SceneRequest::default();
    assert_eq!(BruteForce::default().pairs(&scene, &request).pairs.len(), 1);
    let found = |assignment, partition| {
        let options = ClusteringOptions {
            partition,
            ..clusters(2, assignment)
        };
        Clustering::new(options).pairs(&scene, &request).pairs.len()
    };
    assert_eq!(found(FaceAssignment::Nearest, ClusterPartition::Hard), 0);
    assert_eq!(found(FaceAssignment::Safe, ClusterPartition::Hard), 1);
    assert_eq!(found(FaceAssignment::Safe, ClusterPartition::Fuzzy), 1);
}

#[test]
fn on_cloth_the_safe_rule_copies_no_more_than_the_published_one() {
    let request = SceneRequest::default();
    for waves in [0.0, 25.0] {
        let scene = cloth(40, waves);
        for count in [2, 4, 8, 16] {
            let copies = |assignment| {
                let answer = Clustering::new(clusters(count, assignment)).pairs(&scene, &request);
                answer.counters.replication()
            };
            let (safe, published) = (
                copies(FaceAssignment::Safe),
                copies(FaceAssignment::Threshold),
            );
            assert!(
                safe <= published && safe >= 1.0,
                "{safe} and {published} with {count}"
            );
        }
    }
}

/// A wavy strip of `long × wide` squares, turned.
fn strip(long: u32, wide: u32, seed: u64) -> Scene {
    let mut rng = Rng::new(seed);
    let along = rng.direction();
    let across = along.cross(rng.direction()).normalize();
    let up = along.cross(across);
    let at = |i: u32, j: u32| i * (wide + 1) + j;
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    for i in 0..=long {
        for j in 0..=wide {
            let (x, y) = (f64::from(i), f64::from(j));
            points.push(along * x + across * y + up * (0.3 * x).sin());
            if i < long && j < wide {
                faces.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                faces.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    let objects = vec![0; faces.len()];
    Scene::from_parts(points, faces, objects).unwrap()
}

#[test]
fn the_principal_axis_leaves_fewer_pairs_than_any_fixed_axis_when_things_turn() {
    let request = SceneRequest::default();
    let mut sums = [0; 4];
    for seed in 0..8 {
        let scene = strip(80, 10, seed);
        let axes = [0, 1, 2].map(SweepAxis::Fixed);
        let axes = axes.into_iter().chain([SweepAxis::Principal]);
        for (sum, axis) in sums.iter_mut().zip(axes) {
            let options = ClusteringOptions {
                axis,
                ..clusters(2, FaceAssignment::Safe)
            };
            let counters = Clustering::new(options).pairs(&scene, &request).counters;
            *sum += counters.axis_pairs;
        }
    }
    let [x, y, z, principal] = sums;
    assert!(principal < x && principal < y && principal < z, "{sums:?}");
}

#[test]
fn two_clusters_leave_fewer_pairs_along_the_axis_than_one() {
    let request = SceneRequest::default();
    let scene = strip(40, 40, 1);
    let pairs = |count| {
        let mut engine = Clustering::new(clusters(count, FaceAssignment::Safe));
        engine.pairs(&scene, &request).counters.axis_pairs
    };
    assert!(pairs(2) < pairs(1) && pairs(8) < pairs(2));
}

#[test]
fn thin_faces_across_a_diagonal_overlap_along_every_fixed_axis_and_not_along_their_own() {
    // Figure 5.9 of the thesis: the boxes of the first two and of the last two overlap.
    let mut points = Vec::new();
    for place in [0.0, 0.5, 3.0, 3.5] {
        let c = DVec3::new(1.0, 1.0, 0.0) * place;
        let (along, across) = (DVec3::new(0.05, 0.05, 0.0), DVec3::new(0.4, -0.4, 0.0));
        points.extend([c - across, c + across, c + along]);
    }
    let faces: Vec<_> = (0..4).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    let scene = Scene::from_parts(points, faces, vec![0; 4]).unwrap();
    let count = |axis| {
        let options = ClusteringOptions {
            axis,
            ..clusters(1, FaceAssignment::Safe)
        };
        Clustering::new(options)
            .pairs(&scene, &SceneRequest::default())
            .counters
            .axis_pairs
    };
    assert_eq!([0, 1, 2].map(|k| count(SweepAxis::Fixed(k))), [2, 2, 6]);
    assert_eq!(count(SweepAxis::Principal), 0);
}

#[test]
fn counts_of_overlaps_are_those_of_all_pairs() {
    let mut rng = Rng::new(7);
    for round in 0..200 {
        let n = rng.below(30) as usize;
        let mut spans: Vec<(f32, f32)> = (0..n)
            .map(|_| {
                let start = if round % 2 == 0 {
                    rng.grid(0, 9)
                } else {
                    rng.range(0.0, 9.0)
                } as f32;
                (
                    start,
                    start
                        + if round % 3 == 0 {
                            0.0
                        } else {
                            rng.grid(0, 4) as f32
                        },
                )
            })
            .collect();
        spans.sort_by(|p, q| p.0.total_cmp(&q.0));
        let (starts, ends): (Vec<f32>, Vec<f32>) = spans.iter().copied().unzip();
        let (counts, sums) = overlap_counts(&starts, &ends);
        let mut all = 0;
        for i in 0..n {
            let own = (i + 1..n).filter(|&j| starts[j] <= ends[i]).count();
            assert_eq!((counts[i] as usize, sums[i] as usize), (own, all));
            all += own;
        }
        assert_eq!(sums[n] as usize, all);
    }
}

#[test]
fn pieces_of_large_faces_find_the_same_pairs() {
    let request = SceneRequest::default();
    for seed in 0..3 {
        let scene = mixed(seed);
        let options = clusters(8, FaceAssignment::Safe);
        let whole = Clustering::new(options).pairs(&scene, &request);
        for subdivide_above in [1.0, 8.0, 30.0] {
            let options = ClusteringOptions {
                subdivide_above,
                ..options
            };
            let cut = Clustering::new(options).pairs(&scene, &request);
            assert_eq!(whole.pairs, cut.pairs);
            assert!(cut.counters.entries > whole.counters.entries);
        }
    }
}

fn axis_pairs(scene: &Scene, options: ClusteringOptions) -> u64 {
    let request = SceneRequest::default();
    Clustering::new(options)
        .pairs(scene, &request)
        .counters
        .axis_pairs
}

#[test]
fn the_number_of_clusters_is_chosen_by_counted_pairs() {
    for (what, scene) in [
        ("cloth", cloth(60, 9.0)),
        ("square", strip(70, 70, 3)),
        ("curtain", moment("curtain", 20_000, 0.9)),
    ] {
        let mut engine = Clustering::default();
        let chosen = engine
            .pairs(&scene, &SceneRequest::default())
            .counters
            .axis_pairs;
        let counts = [1, 2, 4, 8, 16, 32, 64];
        let fixed = counts.map(|count| axis_pairs(&scene, clusters(count, FaceAssignment::Safe)));
        let count = engine.clusters();
        assert!(count > 1, "{what}: {fixed:?}");
        assert!(
            5 * chosen < 4 * fixed[0],
            "{what}: {chosen} with {count} of {fixed:?}"
        );
        // Work is more than pairs, so that the least may be passed over, but not by much where pairs are most of it.
        if what == "curtain" {
            let least = fixed.into_iter().min().unwrap();
            assert!(
                chosen < 3 * least && 2 * chosen < fixed[1],
                "{chosen} with {count} of {fixed:?}"
            );
        }
    }
}

#[test]
fn a_strip_that_gains_nothing_by_cuts_stays_whole() {
    let scene = strip(400, 2, 5);
    let mut engine = Clustering::default();
    let _ = engine.pairs(&scene, &SceneRequest::default());
    assert!(engine.clusters() <= 2, "{}", engine.clusters());
}

#[test]
fn the_number_of_clusters_depends_on_neither_threads_nor_the_question() {
    let scene = cloth(50, 9.0);
    let mut engines = vec![Clustering::default(); 4];
    for _ in 0..40 {
        let mut seen = Vec::new();
        for (k, engine) in engines.iter_mut().enumerate() {
            let request = SceneRequest {
                parallel: k % 2 == 0,
                ..SceneRequest::default()
            };
            if k < 2 {
                let _ = engine.any(&scene, &request);
            } else {
                let _ = engine.pairs(&scene, &request);
            }
            assert_eq!(engine.centers().len(), engine.clusters());
            seen.push(engine.clusters());
        }
        assert!(seen.iter().all(|&count| count == seen[0]), "{seen:?}");
    }
}

/// A built-in moving scene with the vertices of a moment.
fn moment(name: &str, faces: usize, time: f64) -> Scene {
    let moving = moving_scene(name).unwrap().make(Some(faces), 1).unwrap();
    let parts: Vec<_> = moving
        .parts()
        .iter()
        .map(|part| part.mesh.clone())
        .collect();
    let mut scene = Scene::new(&parts).unwrap();
    scene.advance(&moving.positions(time)).unwrap();
    scene
}

#[test]
fn cells_along_a_curve_have_fewer_pairs_than_one_straight_axis_and_lose_none() {
    let request = SceneRequest::default();
    let one = clusters(1, FaceAssignment::Safe);
    for name in ["half-torus", "vase"] {
        let scene = moment(name, 8000, 0.5);
        let expected = Clustering::new(one).pairs(&scene, &request);
        let mut last = expected.counters.axis_pairs;
        for segments in [4, 16, 64] {
            let axis = SweepAxis::Curve { segments };
            let options = ClusteringOptions { axis, ..one };
            let answer = Clustering::new(options).pairs(&scene, &request);
            assert_eq!(answer.pairs, expected.pairs);
            assert_eq!(answer.counters.hits, expected.pairs.len() as u64, "once");
            let pairs = answer.counters.axis_pairs;
            assert!(pairs < last, "{name}, {segments}: {pairs} after {last}");
            last = pairs;
        }
    }
}

#[test]
fn a_curve_through_a_half_circle_has_its_radius() {
    let mut rng = Rng::new(11);
    let points: Vec<DVec3> = (0..2000)
        .map(|_| {
            let (sin, cos) = rng.range(0.0, std::f64::consts::PI).sin_cos();
            DVec3::new(3.0 * cos, 3.0 * sin, 0.0) + rng.cube() * 0.05
        })
        .collect();
    let curve = PrincipalCurve::fit(&points, DVec3::X, 16);
    assert_eq!(curve.vertices().len(), 17);
    for middle in curve.middles() {
        let radius = middle.length();
        assert!((radius - 3.0).abs() < 0.1, "{radius}");
    }
    let mut length = 0.0;
    for pair in curve.vertices().windows(2) {
        length += pair[0].distance(pair[1]);
    }
    assert!(
        (length / (3.0 * std::f64::consts::PI) - 1.0).abs() < 0.06,
        "{length}"
    );
}

#[test]
fn equal_and_single_points_have_a_curve_too() {
    for count in [1, 5] {
        let curve = PrincipalCurve::fit(&vec![DVec3::ONE; count], DVec3::X, 3);
        assert_eq!(curve.middles(), [DVec3::ONE; 3]);
        assert_eq!(curve.directions(), [DVec3::X; 3]);
    }
}

#[test]
fn axes_and_segments_beyond_all_bounds_are_taken_back_into_them() {
    let scene = cloth(12, 9.0);
    let request = SceneRequest::default();
    let expected = BruteForce::default().pairs(&scene, &request).pairs;
    let answer = |axis: SweepAxis| {
        let options = ClusteringOptions {
            axis,
            ..ClusteringOptions::default()
        };
        Clustering::new(options).pairs(&scene, &request)
    };
    for (wild, tame) in [
        (
            SweepAxis::Fixed(usize::MAX),
            SweepAxis::Fixed(usize::MAX % 3),
        ),
        (
            SweepAxis::Curve {
                segments: usize::MAX,
            },
            SweepAxis::Curve {
                segments: MAX_SEGMENTS,
            },
        ),
        (
            SweepAxis::Curve { segments: 0 },
            SweepAxis::Curve { segments: 1 },
        ),
    ] {
        let [wild, tame] = [wild, tame].map(answer);
        assert_eq!(wild.pairs, expected);
        assert_eq!((wild.pairs, wild.counters), (tame.pairs, tame.counters));
    }
}
