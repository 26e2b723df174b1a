//! Principal axes: exact sums, and a choice by counting.

use impinge::DVec3;
use impinge::deform::{Scene, SceneEngine, SceneRequest};
use impinge_gpu::Dispatch;
use impinge_gpu::scene::{GpuOptions, SUM_SPREADS};

use crate::backends::{Random, backends};
use crate::engine::{check, engines, moment, soup};

#[test]
fn sums_of_coordinates_and_products_are_exact_for_each_cluster() {
    let mut random = Random(12);
    // Where all lie at an end of the range, the sums are largest.
    let most = 3 << 28;
    for (n, is_extreme) in [
        (1, true),
        (255, false),
        (257, true),
        (20_000, true),
        (3001, false),
    ] {
        for clusters in [1, 2, 40] {
            let points: Vec<[i32; 3]> = (0..n)
                .map(|_| {
                    [0; 3].map(|_| match is_extreme {
                        true => -most,
                        false => random.below(2 * most as u32) as i32 - most,
                    })
                })
                .collect();
            let masks: Vec<u32> = (0..2 * n).map(|_| random.word()).collect();
            let mut expected = Vec::new();
            for c in 0..clusters {
                let mut sums = [0_i128; 10];
                for (f, point) in points.iter().enumerate() {
                    let mask = u64::from(masks[2 * f]) | u64::from(masks[2 * f + 1]) << 32;
                    if clusters == 1 || mask >> c & 1 == 1 {
                        let [x, y, z] = point.map(|x| i128::from(x).div_euclid(1 << 15));
                        let all = [1, x, y, z, x * x, x * y, x * z, y * y, y * z, z * z];
                        sums.iter_mut().zip(all).for_each(|(sum, x)| *sum += x);
                    }
                }
                expected.extend(sums.map(|sum| sum as i64 as u64));
            }
            for mut backend in backends() {
                let words: Vec<u32> = points
                    .iter()
                    .flat_map(|&[x, y, z]| [x as u32, y as u32, z as u32, 0])
                    .collect();
                let centroids = backend.upload(&words).unwrap();
                let bits = backend.upload(&masks).unwrap();
                let spreads = backend.alloc(20 * clusters).unwrap();
                let dispatch = Dispatch::new(clusters as u32, &[n as u32, clusters as u32]);
                backend
                    .run(&SUM_SPREADS, &dispatch, &[centroids, bits, spreads])
                    .unwrap();
                let found = backend.read(spreads, 0..20 * clusters).unwrap();
                let found: Vec<u64> = found
                    .chunks(2)
                    .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
                    .collect();
                assert_eq!(found, expected, "{n} faces, {}", backend.name());
            }
        }
    }
}

#[test]
fn the_chosen_axis_never_has_more_pairs_than_x() {
    let scenes: [Scene; 5] = [
        strip(),
        moment("curtain", 800, 0.6),
        moment("half-torus", 800, 0.5),
        soup(2, 300, 500, None),
        soup(3, 200, 60, Some(4)),
    ];
    let mut has_gained = false;
    for scene in &scenes {
        for clusters in [1, 4] {
            let options = GpuOptions {
                clusters,
                ..GpuOptions::default()
            };
            for engine in &mut engines(options) {
                // The first frame has the axes of the room, the second chooses.
                for _ in 0..3 {
                    check(std::slice::from_mut(engine), scene, "axes");
                }
                let answer = engine.pairs(scene, &SceneRequest::default());
                if clusters == 1 {
                    let fixed = first_x(scene);
                    assert!(answer.counters.axis_pairs <= fixed, "more than {fixed}");
                    has_gained |= 10 * answer.counters.axis_pairs < fixed;
                }
            }
        }
    }
    assert!(
        has_gained,
        "along an oblique strip there are far fewer pairs"
    );
}

/// Small faces along a line that is nearly at right angles to x.
fn strip() -> Scene {
    let mut random = Random(21);
    let mut positions = Vec::new();
    for face in 0..300 {
        let middle = DVec3::new(0.02, 1.0, -0.7) * f64::from(face);
        positions.extend([0; 3].map(|_| middle + DVec3::from([0; 3].map(|_| random.unit())) * 2.0));
    }
    let faces = (0..300).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    Scene::from_parts(positions, faces, (0..300).collect()).unwrap()
}

/// Pairs along x: what the first frame has.
fn first_x(scene: &Scene) -> u64 {
    let options = GpuOptions::default();
    let mut engine = impinge_gpu::GpuScene::on(impinge_gpu::Backend::twin(), options).unwrap();
    engine
        .pairs(scene, &SceneRequest::default())
        .counters
        .axis_pairs
}
