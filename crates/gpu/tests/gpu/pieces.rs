//! Faces cut into pieces, and clusters along a curve.

use impinge::DVec3;
use impinge::deform::clustering::{ClusterCount, Clustering, ClusteringOptions, SweepAxis};
use impinge::deform::{BruteForce, Scene, SceneEngine, SceneRequest};
use impinge_gpu::primitives::{ScanOf, scan};
use impinge_gpu::scene::{COUNT_PIECES, GpuOptions, WRITE_PIECES};
use impinge_gpu::{Backend, Dispatch, GpuScene};

use crate::backends::{Random, backends};
use crate::engine::{check, engines, moment, soup};

/// Few faces across the whole room among many small ones.
fn mixed(seed: u64, count: u32) -> Scene {
    let mut random = Random(seed);
    let mut positions = Vec::new();
    for face in 0..count {
        let size = if face % 25 == 0 { 1.0 } else { 0.01 };
        let middle = DVec3::from([0; 3].map(|_| random.unit()));
        positions
            .extend([0; 3].map(|_| middle + DVec3::from([0; 3].map(|_| random.unit())) * size));
    }
    let faces = (0..count).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    Scene::from_parts(positions, faces, (0..count).collect()).unwrap()
}

#[test]
fn pieces_give_the_pairs_of_whole_faces() {
    for clusters in [1, 8] {
        for above in [1, 8, 30] {
            let mut engines = engines(GpuOptions {
                clusters,
                subdivide_above: Some(above),
                ..GpuOptions::default()
            });
            let mut all = 0;
            for scene in [mixed(1, 400), soup(9, 200, 60, Some(4)), mixed(2, 400)] {
                all += check(&mut engines, &scene, &format!("{clusters}, {above}"));
            }
            assert!(all > 30, "{all}");
            let faces = mixed(2, 400).faces().len() as u64;
            assert!(engines.iter().all(|e| e.last_frame().pieces > faces));
        }
    }
}

#[test]
fn faces_of_one_size_stay_whole() {
    let mut engines = engines(GpuOptions {
        subdivide_above: Some(1 << 20),
        ..GpuOptions::default()
    });
    check(&mut engines, &mixed(3, 100), "whole");
    assert!(engines.iter().all(|engine| engine.last_frame().pieces == 0));
}

/// The pieces of random faces: positions, faces and parents.
fn cut(backend: &mut Backend, positions: &[u32], faces: &[u32], limit: u32) -> [Vec<u32>; 3] {
    let n = (faces.len() / 4) as u32;
    let [p, f] = [positions, faces].map(|words| backend.upload(words).unwrap());
    let counts = backend.alloc(n as usize).unwrap();
    let sums = backend.alloc(2 * (n as usize + 1)).unwrap();
    let dispatch = Dispatch::new(COUNT_PIECES.groups(n), &[n, limit]);
    backend
        .run(&COUNT_PIECES, &dispatch, &[p, f, counts])
        .unwrap();
    scan(backend, ScanOf::Items, counts, sums, n).unwrap();
    let last = 2 * n as usize;
    let total = backend.read(sums, last..last + 1).unwrap()[0] as usize;
    let [a, b, c] = [9 * total, 4 * total, total].map(|n| backend.alloc(n).unwrap());
    let dispatch = Dispatch::new(WRITE_PIECES.groups(n), &[n, limit]);
    backend
        .run(&WRITE_PIECES, &dispatch, &[p, f, sums, a, b, c])
        .unwrap();
    [(a, 9), (b, 4), (c, 1)].map(|(buffer, k)| backend.read(buffer, 0..k * total).unwrap())
}

#[test]
fn pieces_are_the_same_bits_everywhere_and_cover_their_faces() {
    let mut random = Random(8);
    let most = 1 << 28;
    let n = 300;
    let positions: Vec<u32> = (0..9 * n)
        .map(|_| (random.below(2 * most) as i32 - most as i32) as u32)
        .collect();
    let faces: Vec<u32> = (0..n)
        .flat_map(|f| [3 * f, 3 * f + 1, 3 * f + 2, f])
        .collect();
    for limit in [1, 1 << 26, 1 << 30] {
        let mut first = None;
        for mut backend in backends() {
            let pieces = cut(&mut backend, &positions, &faces, limit);
            let twin = first.get_or_insert_with(|| pieces.clone());
            assert!(*twin == pieces, "{}", backend.name());
        }
        let [corners, _, parents] = first.unwrap();
        // Eight halvings of each where nothing is small enough; none where all is.
        let counts = match limit {
            1 => 256 * n..=256 * n,
            67_108_864 => n + 1..=256 * n,
            _ => n..=n,
        };
        assert!(counts.contains(&(parents.len() as u32)), "{limit}");
        // The areas of the pieces sum to that of the face, but for the rounding of middles.
        let area = |c: &[u32]| {
            let at = |k: usize| DVec3::from([0, 1, 2].map(|a| f64::from(c[3 * k + a] as i32)));
            (at(1) - at(0)).cross(at(2) - at(0)).length()
        };
        let mut sums = vec![0.0; n as usize];
        for (piece, &parent) in corners.chunks(9).zip(&parents) {
            sums[parent as usize] += area(piece);
        }
        for (f, sum) in sums.into_iter().enumerate() {
            let whole = area(&positions[9 * f..9 * f + 9]);
            assert!((sum - whole).abs() <= 1e-5 * whole + 1e10, "{sum} {whole}");
        }
    }
}

#[test]
fn clusters_along_a_curve_give_the_same_pairs() {
    for clusters in [2, 16, 64] {
        let mut engines = engines(GpuOptions {
            clusters,
            curve: true,
            ..GpuOptions::default()
        });
        for name in ["half-torus", "vase"] {
            for time in [0.0, 0.5] {
                let scene = moment(name, 900, time);
                check(&mut engines, &scene, &format!("{name}, {clusters}"));
            }
        }
        check(&mut engines, &soup(3, 200, 400, None), "soup");
    }
}

#[test]
fn a_curve_has_fewer_pairs_along_the_axis_than_principal_axes_have() {
    let request = SceneRequest::default();
    for name in ["half-torus", "vase"] {
        let scene = moment(name, 3000, 0.5);
        let one = ClusteringOptions {
            clusters: ClusterCount::Fixed(1),
            axis: SweepAxis::Principal,
            ..ClusteringOptions::default()
        };
        let principal = Clustering::new(one).pairs(&scene, &request);
        let options = GpuOptions {
            clusters: 64,
            curve: true,
            ..GpuOptions::default()
        };
        let mut engine = GpuScene::on(Backend::twin(), options).unwrap();
        let answer = engine.pairs(&scene, &request);
        assert_eq!(
            answer.pairs,
            BruteForce::default().pairs(&scene, &request).pairs
        );
        let (curve, straight) = (answer.counters.axis_pairs, principal.counters.axis_pairs);
        assert!(2 * curve < straight, "{name}: {curve} of {straight}");
    }
}
