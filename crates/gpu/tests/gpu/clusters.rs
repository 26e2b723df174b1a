//! Fuzzy c-means, the mapping of faces to clusters, and the engine with several.

use impinge::DVec3;
use impinge::deform::clustering::{ClusterMetric, FuzzyRules, StopRule, fuzzy_c_means};
use impinge::deform::{Scene, SceneEngine, SceneRequest};
use impinge_gpu::primitives::{ScanOf, scan};
use impinge_gpu::scene::{FUZZY_CENTERS, FUZZY_SUMS, GpuOptions, LIST_ENTRIES, MAP_FACES};
use impinge_gpu::{Backend, Dispatch};

use crate::backends::{Random, backends};
use crate::engine::{check, engines, moment, soup};

/// 3 · 2^28 in the units of centroids is 1.
const UNIT: f64 = 805_306_368.0;

fn blobs(random: &mut Random, count: usize) -> Vec<[i32; 3]> {
    let mut middles = [[0.0; 3]; 5];
    for middle in &mut middles {
        *middle = [0; 3].map(|_| 0.7 * random.unit());
    }
    (0..count)
        .map(|k| middles[k % 5].map(|x| ((x + 0.2 * random.unit()) * UNIT) as i32))
        .collect()
}

/// The centres, with the objective before, after each of so many rounds.
fn rounds(
    backend: &mut Backend,
    points: &[[i32; 3]],
    start: &[[f32; 3]],
    count: usize,
) -> Vec<Vec<u32>> {
    let (n, c) = (points.len() as u32, start.len() as u32);
    let words: Vec<u32> = points
        .iter()
        .flat_map(|&[x, y, z]| [x as u32, y as u32, z as u32, 0])
        .collect();
    let centroids = backend.upload(&words).unwrap();
    let words: Vec<u32> = start
        .iter()
        .flat_map(|&[x, y, z]| [x, y, z, 0.0].map(f32::to_bits))
        .collect();
    let centers = backend.upload(&words).unwrap();
    let groups = FUZZY_SUMS.groups(n);
    let sums = backend.alloc(8 * (groups * c) as usize).unwrap();
    let mut all = Vec::new();
    for _ in 0..count {
        let dispatch = Dispatch::new(groups, &[n, c, groups]);
        backend
            .run(&FUZZY_SUMS, &dispatch, &[centroids, centers, sums])
            .unwrap();
        let dispatch = Dispatch::new(1, &[c, groups]);
        backend
            .run(&FUZZY_CENTERS, &dispatch, &[sums, centers])
            .unwrap();
        all.push(backend.read(centers, 0..4 * c as usize).unwrap());
    }
    all
}

fn objective(centers: &[u32]) -> f64 {
    let costs = centers.iter().skip(3).step_by(4);
    costs.map(|&word| f64::from(f32::from_bits(word))).sum()
}

#[test]
fn rounds_of_c_means_follow_those_of_the_library_and_never_raise_the_objective() {
    let mut random = Random(6);
    for (count, clusters) in [(3, 2), (256, 5), (1000, 8), (2049, 64)] {
        let points = blobs(&mut random, count);
        let mut start = vec![[0.0_f32; 3]; clusters];
        for center in &mut start {
            *center = [0; 3].map(|_| random.unit() as f32);
        }
        let scaled: Vec<DVec3> = points
            .iter()
            .map(|q| DVec3::from(q.map(f64::from)) / UNIT)
            .collect();
        for mut backend in backends() {
            let found = rounds(&mut backend, &points, &start, 8);
            let mut centers: Vec<DVec3> = start
                .iter()
                .map(|c| DVec3::from(c.map(f64::from)))
                .collect();
            let rules = FuzzyRules {
                metric: ClusterMetric::L2,
                fuzzifier: 2.0,
                stop: StopRule::Centers(0.0),
                max_rounds: 1,
            };
            for (round, words) in found.iter().enumerate() {
                // Memberships that do not sum to one would change both.
                let report = fuzzy_c_means(&scaled, &mut centers, &rules);
                let cost = objective(words);
                assert!((cost - report.objective).abs() <= 1e-4 * report.objective + 1e-7);
                for (i, center) in centers.iter().enumerate() {
                    for axis in 0..3 {
                        let x = f64::from(f32::from_bits(words[4 * i + axis]));
                        assert!(
                            (x - center[axis]).abs() < 2e-3,
                            "round {round}: {x} {center}"
                        );
                    }
                }
            }
            for pair in found.windows(2) {
                let [before, after] = [&pair[0], &pair[1]].map(|words| objective(words));
                assert!(after <= before * (1.0 + 1e-5) + 1e-9, "{before} {after}");
            }
            let again = rounds(&mut backend, &points, &start, 8);
            assert!(again == found, "a device repeats its bits");
        }
    }
}

#[test]
fn points_on_centres_and_equal_centres_are_no_trouble() {
    let one = [(0.5 * UNIT) as i32; 3];
    for mut backend in backends() {
        for words in rounds(
            &mut backend,
            &[one; 300],
            &[[0.5; 3], [0.5; 3], [-1.0; 3]],
            4,
        ) {
            assert!(words.iter().all(|&word| f32::from_bits(word).is_finite()));
            assert!((f32::from_bits(words[0]) - 0.5).abs() < 1e-3);
        }
    }
}

#[test]
fn entries_are_the_bits_of_the_masks_and_the_rest_is_none() {
    let mut random = Random(40);
    let n = 1000_u32;
    let most = 1 << 28;
    let place = |random: &mut Random| random.below(2 * most) as i32 - most as i32;
    let positions: Vec<u32> = (0..3 * n).map(|_| place(&mut random) as u32).collect();
    let faces: Vec<u32> = (0..n).flat_map(|f| [f, f, random.below(n), 0]).collect();
    let centers: Vec<u32> = (0..40 * 4)
        .map(|_| (random.unit() as f32).to_bits())
        .collect();
    for mut backend in backends() {
        let [positions, faces, centers] =
            [&positions, &faces, &centers].map(|words| backend.upload(words).unwrap());
        let masks = backend.alloc(2 * n as usize).unwrap();
        let counts = backend.alloc(n as usize).unwrap();
        let sums = backend.alloc(2 * (n as usize + 1)).unwrap();
        let dispatch = Dispatch::new(MAP_FACES.groups(n), &[n, 40, u32::MAX, u32::MAX]);
        backend
            .run(
                &MAP_FACES,
                &dispatch,
                &[positions, faces, centers, masks, counts],
            )
            .unwrap();
        scan(&mut backend, ScanOf::Items, counts, sums, n).unwrap();
        let bits = backend.read(masks, 0..2 * n as usize).unwrap();
        let mut expected = Vec::new();
        for (f, mask) in bits.chunks(2).enumerate() {
            let mask = u64::from(mask[0]) | u64::from(mask[1]) << 32;
            assert!(
                mask != 0 && mask < 1 << 40,
                "every face has a cluster that exists"
            );
            expected.extend(
                (0..40)
                    .filter(|i| mask >> i & 1 == 1)
                    .map(|i| [f as u32, i]),
            );
        }
        assert!(expected.len() > n as usize);
        for capacity in [1, n as usize, expected.len(), expected.len() + 300] {
            let entries = backend.alloc(2 * capacity).unwrap();
            let groups = LIST_ENTRIES.groups(n.max(capacity as u32));
            let dispatch = Dispatch::new(groups, &[n, capacity as u32, u32::MAX, u32::MAX]);
            backend
                .run(&LIST_ENTRIES, &dispatch, &[masks, sums, entries])
                .unwrap();
            let mut wanted = expected.clone();
            wanted.resize(capacity, [u32::MAX, 255]);
            let found = backend.read(entries, 0..2 * capacity).unwrap();
            assert!(found == wanted.concat(), "{capacity}, {}", backend.name());
        }
    }
}

/// Few large faces among many a hundred times smaller.
fn mixed(seed: u64) -> Scene {
    let mut random = Random(seed);
    let mut positions = Vec::new();
    for face in 0..400 {
        let size = if face % 20 == 0 { 1.0 } else { 0.01 };
        let middle = DVec3::from([0; 3].map(|_| 0.3 * random.unit()));
        positions
            .extend([0; 3].map(|_| middle + DVec3::from([0; 3].map(|_| random.unit())) * size));
    }
    let faces = (0..400).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    Scene::from_parts(positions, faces, (0..400).collect()).unwrap()
}

#[test]
fn no_pair_is_missed_for_any_number_of_clusters_and_each_is_found_once() {
    for clusters in [2, 3, 8, 33, 64] {
        let mut engines = engines(GpuOptions {
            clusters,
            ..GpuOptions::default()
        });
        let mut scenes = vec![mixed(1), mixed(2)];
        scenes.push(soup(9, 200, 60, Some(4)));
        scenes.push(moment("curtain", 600, 0.9));
        for (number, scene) in scenes.iter().enumerate() {
            let pairs = check(
                &mut engines,
                scene,
                &format!("{clusters} clusters, {number}"),
            );
            assert!(pairs > 10);
            for engine in &mut engines {
                let answer = engine.pairs(scene, &SceneRequest::default());
                assert_eq!(answer.counters.hits, pairs as u64, "each pair once");
                assert_eq!(answer.counters.clusters, u64::from(clusters));
                assert!(answer.counters.entries >= scene.faces().len() as u64);
            }
        }
    }
}

#[test]
fn frames_follow_each_other_with_several_clusters() {
    let mut engines = engines(GpuOptions {
        clusters: 8,
        ..GpuOptions::default()
    });
    for frame in 0..5 {
        let scene = moment("curtain", 700, 0.2 * f64::from(frame));
        check(&mut engines, &scene, &format!("frame {frame}"));
    }
}

#[test]
fn fewer_different_faces_than_clusters_are_no_trouble() {
    let mut engines = engines(GpuOptions {
        clusters: 64,
        ..GpuOptions::default()
    });
    let same = Scene::from_parts(vec![DVec3::X; 3], vec![[0, 1, 2]; 5], vec![0; 5]).unwrap();
    check(&mut engines, &same, "all in one place");
    check(&mut engines, &soup(3, 3, 9, None), "three faces");
}

#[test]
fn clusters_save_pairs_along_the_axis() {
    let scene = moment("curtain", 3000, 0.9);
    let axis_pairs = |clusters: u32| {
        let options = GpuOptions {
            clusters,
            ..GpuOptions::default()
        };
        let mut engine = impinge_gpu::GpuScene::on(Backend::twin(), options).unwrap();
        engine
            .pairs(&scene, &SceneRequest::default())
            .counters
            .axis_pairs
    };
    let (one, many) = (axis_pairs(1), axis_pairs(64));
    assert!(4 * many <= one, "{many} of {one}");
}
