//! The filter against the exact tests of the library, on pairs that nearly touch.

use impinge::DVec3;
use impinge::math::Rng;
use impinge_gpu::scene::{APART, FILTER_PAIRS, MEET, UNSURE, filter_verdict};
use impinge_gpu::{Dispatch, Grid};

use crate::adversarial::{Pairs, adversarial, point};
use crate::backends::backends;

/// The verdicts of a backend.
fn verdicts(backend: &mut impinge_gpu::Backend, pairs: &Pairs) -> Vec<u32> {
    let grid = Grid::around(&pairs.points);
    let positions = backend.upload(&grid.words(&pairs.points)).unwrap();
    let faces: Vec<u32> = pairs
        .faces
        .iter()
        .flat_map(|&[a, b, c]| [a, b, c, 0])
        .collect();
    let faces = backend.upload(&faces).unwrap();
    let list = backend.upload(&pairs.pairs.concat()).unwrap();
    let count = pairs.pairs.len() as u32;
    let total = backend.upload(&[count, 0]).unwrap();
    let out = backend.alloc(count as usize).unwrap();
    let dispatch = Dispatch::new(FILTER_PAIRS.groups(count), &[count, 0]);
    backend
        .run(
            &FILTER_PAIRS,
            &dispatch,
            &[positions, faces, list, total, out],
        )
        .unwrap();
    let verdicts = backend.read(out, 0..count as usize).unwrap();
    for buffer in [positions, faces, list, total, out] {
        backend.free(buffer);
    }
    verdicts
}

#[test]
fn no_verdict_is_wrong_on_pairs_that_nearly_touch() {
    let mut random = Rng::new(2024);
    let mut backends = backends();
    // 500 rounds are ten million pairs.
    let rounds = std::env::var("IMPINGE_GPU_FILTER_ROUNDS").ok();
    for _ in 0..rounds.map_or(10, |rounds| rounds.parse().unwrap()) {
        let mut pairs = adversarial(&mut random, 20_000);
        // The grid is as coarse as the scene is large: the farther this point, the fewer bits are left.
        let far = 2.0_f64.powi(random.below(12) as i32);
        pairs.points.extend([DVec3::splat(far), DVec3::splat(-far)]);
        let exact: Vec<Option<bool>> = pairs.pairs.iter().map(|&pair| pairs.meet(pair)).collect();
        for backend in &mut backends {
            let found = verdicts(backend, &pairs);
            let mut tally = [0; 3];
            for (k, (verdict, truth)) in found.iter().zip(&exact).enumerate() {
                tally[*verdict as usize] += 1;
                match *verdict {
                    APART => assert_eq!(*truth, Some(false), "pair {k}, {}", backend.name()),
                    MEET => assert_eq!(*truth, Some(true), "pair {k}, {}", backend.name()),
                    other => assert_eq!(other, UNSURE),
                }
            }
            assert!(
                tally.iter().all(|&count| count > 500),
                "all verdicts occur: {tally:?}"
            );
        }
    }
}

#[test]
fn pairs_in_general_position_are_decided() {
    let mut random = Rng::new(9);
    let mut pairs = Pairs {
        points: Vec::new(),
        faces: Vec::new(),
        pairs: Vec::new(),
    };
    for k in 0..6000 {
        let a = [0; 3].map(|_| point(&mut random));
        let b = [0; 3].map(|_| point(&mut random));
        pairs.add(a, b, k % 3);
    }
    for mut backend in backends() {
        let found = verdicts(&mut backend, &pairs);
        let unsure = found.iter().filter(|&&verdict| verdict == UNSURE).count();
        assert!(unsure < 60, "{unsure} of 6000 are unsure");
        let meet = found.iter().filter(|&&verdict| verdict == MEET).count();
        let exact = pairs
            .pairs
            .iter()
            .filter(|&&pair| pairs.meet(pair) == Some(true))
            .count();
        assert!(meet <= exact && exact - meet <= unsure && meet > 500);
    }
}

#[test]
fn a_flat_sheet_is_decided_without_the_host() {
    // Neighbours in one plane that is parallel to no axis: all volumes are 0 there.
    let place = |x: i32, y: i32| {
        let (x, y) = (f64::from(x), f64::from(y));
        DVec3::new(0.31, 0.52, 0.79) * x + DVec3::new(-0.66, 0.71, 0.24) * y
    };
    let n = 8;
    let mut pairs = Pairs {
        points: (0..n * n).map(|i| place(i % n, i / n)).collect(),
        faces: Vec::new(),
        pairs: Vec::new(),
    };
    let n = n as u32;
    for i in 0..(n - 1) * (n - 1) {
        let v = i / (n - 1) * n + i % (n - 1);
        pairs
            .faces
            .extend([[v, v + 1, v + n], [v + 1, v + n + 1, v + n]]);
    }
    let count = pairs.faces.len() as u32;
    pairs.pairs = (0..count)
        .flat_map(|b| (0..b).map(move |a| [a, b]))
        .collect();
    for mut backend in backends() {
        let found = verdicts(&mut backend, &pairs);
        assert!(
            found.iter().all(|&verdict| verdict == APART),
            "{}",
            backend.name()
        );
    }
}

#[test]
fn faces_with_all_corners_in_common_or_repeated_corners_go_to_the_host() {
    let m = 1 << 20;
    let a = [[0, 0, 0], [m, 0, 0], [0, m, 0]];
    assert_eq!(filter_verdict([4, 5, 6], [6, 4, 5], &a, &a), UNSURE);
    let b = [[0, 0, 0], [0, 0, 0], [0, 0, m]];
    assert_eq!(filter_verdict([4, 5, 6], [4, 4, 9], &a, &b), UNSURE);
}

#[test]
fn swapping_the_faces_and_turning_their_corners_never_contradicts() {
    let mut random = Rng::new(31);
    let pairs = adversarial(&mut random, 3000);
    let grid = Grid::around(&pairs.points);
    let corners = |face: [u32; 3]| face.map(|v| grid.point(pairs.points[v as usize]));
    for &[f, g] in &pairs.pairs {
        let (a, b) = (pairs.faces[f as usize], pairs.faces[g as usize]);
        let mut seen = [false; 3];
        for turn in 0..3 {
            let c = [a[turn], a[(turn + 1) % 3], a[(turn + 2) % 3]];
            let d = [b[(turn + 2) % 3], b[(turn + 1) % 3], b[turn]];
            seen[filter_verdict(c, d, &corners(c), &corners(d)) as usize] = true;
            seen[filter_verdict(d, c, &corners(d), &corners(c)) as usize] = true;
        }
        assert!(!(seen[APART as usize] && seen[MEET as usize]));
    }
}
