//! The counted sweep against all pairs.

use impinge_gpu::primitives::{ScanOf, iota, scan, sort_u32};
use impinge_gpu::scene::{
    ARRANGE, COUNT_OVERLAPS, CULL_PAIRS, EMIT_PAIRS, FIND_BOXES, KERNELS, PAIRS_PER_GROUP,
};
use impinge_gpu::{Backend, Dispatch};

use crate::backends::{Random, backends};
use crate::check_limits;

type Point = [i32; 3];

/// The counts, the number of axis pairs, and the candidates as the kernels wrote them.
fn swept(
    backend: &mut Backend,
    triangles: &[[Point; 3]],
    directions: [[i32; 3]; 3],
) -> (Vec<u32>, u64, Vec<[u32; 2]>) {
    let n = triangles.len();
    let count = n as u32;
    let words = |list: Vec<i32>| list.into_iter().map(|x| x as u32).collect::<Vec<u32>>();
    let positions = triangles.iter().flatten().flatten().copied().collect();
    let positions = backend.upload(&words(positions)).unwrap();
    let faces: Vec<u32> = (0..count)
        .flat_map(|f| [3 * f, 3 * f + 1, 3 * f + 2, f])
        .collect();
    let faces = backend.upload(&faces).unwrap();
    let entries: Vec<u32> = (0..count).flat_map(|f| [f, 0]).collect();
    let entries = backend.upload(&entries).unwrap();
    let directions = backend.upload(&words(directions.concat())).unwrap();
    let [keys, clusters, order, counts] = [n; 4].map(|n| backend.alloc(n).unwrap());
    let [records, arranged] = [8 * n; 2].map(|n| backend.alloc(n).unwrap());
    let sums = backend.alloc(2 * (n + 1)).unwrap();
    let masks = backend.upload(&[1, 0]).unwrap();
    let parents = backend.alloc(1).unwrap();

    let dispatch = Dispatch::new(FIND_BOXES.groups(count), &[count]);
    let bound = [
        positions, faces, entries, directions, keys, clusters, records,
    ];
    backend.run(&FIND_BOXES, &dispatch, &bound).unwrap();
    iota(backend, order, count).unwrap();
    let sorted = sort_u32(backend, keys, order, count, 32).unwrap();
    let dispatch = Dispatch::new(ARRANGE.groups(count), &[count]);
    backend
        .run(&ARRANGE, &dispatch, &[records, sorted.values, arranged])
        .unwrap();
    let dispatch = Dispatch::new(COUNT_OVERLAPS.groups(count), &[count]);
    backend
        .run(&COUNT_OVERLAPS, &dispatch, &[sorted.keys, arranged, counts])
        .unwrap();
    scan(backend, ScanOf::Items, counts, sums, count).unwrap();
    let total = backend.read(sums, 2 * n..2 * n + 2).unwrap();
    let total = u64::from(total[0]) | u64::from(total[1]) << 32;

    let words = (total.div_ceil(u64::from(PAIRS_PER_GROUP)) as u32 * PAIRS_PER_GROUP / 32).max(1);
    let bits = backend.alloc(words as usize).unwrap();
    let bit_sums = backend.alloc(2 * (words as usize + 1)).unwrap();
    let dispatch = Dispatch::new(CULL_PAIRS.groups(words), &[words, count, 0, 0, 3, 1]);
    backend
        .run(
            &CULL_PAIRS,
            &dispatch,
            &[sums, arranged, masks, parents, bits],
        )
        .unwrap();
    scan(backend, ScanOf::Bits, bits, bit_sums, words).unwrap();
    let at = 2 * words as usize;
    let kept = backend.read(bit_sums, at..at + 1).unwrap()[0];
    let pairs = backend.alloc(2 * kept as usize).unwrap();
    let dispatch = Dispatch::new(EMIT_PAIRS.groups(words), &[words, count, 0, 0, kept]);
    backend
        .run(
            &EMIT_PAIRS,
            &dispatch,
            &[sums, arranged, bits, bit_sums, parents, pairs],
        )
        .unwrap();
    let found = backend.read(pairs, 0..2 * kept as usize).unwrap();
    let counted = backend.read(counts, 0..n).unwrap();
    (
        counted,
        total,
        found.chunks(2).map(|pair| [pair[0], pair[1]]).collect(),
    )
}

/// Where a triangle lies along a direction, by the formula, in wide integers.
fn interval(triangle: &[Point; 3], d: [i32; 3]) -> [i64; 2] {
    let d = d.map(i64::from);
    let along = triangle.map(|p| (0..3).map(|k| d[k] * i64::from(p[k] >> 10)).sum::<i64>());
    let below: i64 = d.iter().map(|&x| x.min(0)).sum();
    let above: i64 = d.iter().map(|&x| x.max(0)).sum();
    let low = along.into_iter().min().unwrap() + below - 1;
    let high = along.into_iter().max().unwrap() + above + 1;
    [low, high]
}

fn overlap(a: [i64; 2], b: [i64; 2]) -> bool {
    a[0] <= b[1] && b[0] <= a[1]
}

fn soup(random: &mut Random, n: usize, spread: u32, size: u32) -> Vec<[Point; 3]> {
    let mut triangle = || {
        let middle = [0; 3].map(|_| random.below(2 * spread + 1) as i32 - spread as i32);
        [0; 3].map(|_| middle.map(|x| x + random.below(2 * size + 1) as i32 - size as i32))
    };
    (0..n).map(|_| triangle()).collect()
}

const DIRECTIONS: [[[i32; 3]; 3]; 4] = [
    [[511, 0, 0], [0, 511, 0], [0, 0, 511]],
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[-511, 511, -511], [3, -4, 500], [0, 0, -1]],
    [[100, 200, -300], [511, 511, 511], [-511, -511, -511]],
];

#[test]
fn candidates_are_all_overlapping_pairs_once_and_alike_on_every_device() {
    let mut random = Random(77);
    let most = (1 << 28) - (1 << 20);
    let mut scenes = vec![
        soup(&mut random, 2, 1000, 1000),
        soup(&mut random, 300, most, 1 << 20),
        soup(&mut random, 300, 1 << 22, 1 << 21),
        // Many equal beginnings, and all equal.
        soup(&mut random, 257, 3000, 0),
        vec![[[5, 6, 7]; 3]; 130],
        soup(&mut random, 1000, 1 << 26, 1 << 23),
    ];
    // Nested: each holds the next along x.
    scenes.push(
        (1..100)
            .map(|k| [[-k << 20, 0, 0], [k << 20, 0, 0], [0, k, 0]])
            .collect(),
    );
    let mut backends = backends();
    for (number, scene) in scenes.iter().enumerate() {
        for directions in DIRECTIONS {
            let boxes: Vec<[[i64; 2]; 3]> = scene
                .iter()
                .map(|t| directions.map(|d| interval(t, d)))
                .collect();
            let (mut axis, mut expected) = (0, Vec::new());
            for b in 0..scene.len() {
                for a in 0..b {
                    axis += u64::from(overlap(boxes[a][0], boxes[b][0]));
                    if (0..3).all(|k| overlap(boxes[a][k], boxes[b][k])) {
                        expected.push([a as u32, b as u32]);
                    }
                }
            }
            expected.sort_unstable();
            let mut first = None;
            for backend in &mut backends {
                let (_, total, mut found) = swept(backend, scene, directions);
                assert_eq!(total, axis, "scene {number}");
                let order = first.get_or_insert_with(|| found.clone());
                assert!(*order == found, "{} has another order", backend.name());
                found.sort_unstable();
                assert!(found == expected, "scene {number}, {}", backend.name());
            }
        }
    }
}

#[test]
fn faces_that_meet_are_candidates_along_any_direction() {
    // Two points that differ by less than a unit of the grid may fall on either side of any cut.
    let mut random = Random(5);
    for _ in 0..20_000 {
        let d = [0; 3].map(|_| random.below(1023) as i32 - 511);
        let p = [0; 3].map(|_| random.below(1 << 29) as i32 - (1 << 28));
        let near = p.map(|x| x - random.below(2) as i32);
        assert!(
            overlap(interval(&[p; 3], d), interval(&[near; 3], d)),
            "{p:?} {near:?} {d:?}"
        );
    }
}

#[test]
fn the_example_of_the_thesis_is_counted_as_there() {
    // A and C begin, then B; C ends, then A, then B; D is alone. In steps that the margins keep apart.
    let at = |x: i32| x << 20;
    let face = |low: i32, high: i32| [[at(low), 0, 0], [at(high), 0, 0], [at(low), 0, 0]];
    let scene = [face(0, 4), face(2, 5), face(1, 3), face(6, 7)];
    for mut backend in backends() {
        let (counts, total, found) = swept(&mut backend, &scene, DIRECTIONS[0]);
        assert_eq!((counts, total), (vec![2, 1, 0, 0], 3));
        assert_eq!(found, [[0, 2], [0, 1], [1, 2]]);
    }
}

#[test]
fn closed_intervals_that_touch_overlap_and_their_neighbours_do_not() {
    // Along x, in units of the projection: [low − 1, high + 2] for the direction 1.
    let face = |x: i32| [[x << 10, 0, 0]; 3];
    for mut backend in backends() {
        let (_, touching, _) = swept(&mut backend, &[face(0), face(3)], DIRECTIONS[1]);
        let (_, beyond, _) = swept(&mut backend, &[face(0), face(4)], DIRECTIONS[1]);
        assert_eq!((touching, beyond), (1, 0));
    }
}

#[test]
fn pair_numbers_beyond_one_word_are_decoded() {
    // Four entries in one place, whose pairs are numbered from 2^33 − 2 on.
    let base = (1_u64 << 33) - 2;
    let sums: Vec<u32> = [0, 3, 5, 6, 6]
        .iter()
        .flat_map(|&k| [(base + k) as u32, ((base + k) >> 32) as u32])
        .collect();
    let records: Vec<u32> = (0..4).flat_map(|f| [0, 0, 0, 0, f, f, 0, 0]).collect();
    for mut backend in backends() {
        let [sums, records, masks] =
            [&sums, &records, &vec![1, 0]].map(|words| backend.upload(words).unwrap());
        let [bits, bit_sums, pairs, parents] = [1, 4, 12, 1].map(|n| backend.alloc(n).unwrap());
        let (low, high) = (base as u32, (base >> 32) as u32);
        let dispatch = Dispatch::new(1, &[1, 4, low, high, 3, 1]);
        backend
            .run(
                &CULL_PAIRS,
                &dispatch,
                &[sums, records, masks, parents, bits],
            )
            .unwrap();
        assert_eq!(backend.read(bits, 0..1).unwrap(), [0b11_1111]);
        scan(&mut backend, ScanOf::Bits, bits, bit_sums, 1).unwrap();
        let dispatch = Dispatch::new(1, &[1, 4, low, high, 6]);
        backend
            .run(
                &EMIT_PAIRS,
                &dispatch,
                &[sums, records, bits, bit_sums, parents, pairs],
            )
            .unwrap();
        let found = backend.read(pairs, 0..12).unwrap();
        assert_eq!(found, [0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3]);
    }
}

#[test]
fn only_the_kinds_that_are_wanted_are_kept() {
    let records: Vec<u32> = [[0, 7], [1, 7], [2, 8]]
        .into_iter()
        .flat_map(|[face, object]| [0, 0, 0, 0, face, object, 0, 0])
        .collect();
    for mut backend in backends() {
        let sums = backend.upload(&[0, 0, 2, 0, 3, 0, 3, 0]).unwrap();
        let records = backend.upload(&records).unwrap();
        let masks = backend.upload(&[1, 0]).unwrap();
        let [bits, parents] = [1, 1].map(|n| backend.alloc(n).unwrap());
        for (kinds, expected) in [(0, 0), (1, 0b001), (2, 0b110), (3, 0b111)] {
            let dispatch = Dispatch::new(1, &[1, 3, 0, 0, kinds, 1]);
            backend
                .run(
                    &CULL_PAIRS,
                    &dispatch,
                    &[sums, records, masks, parents, bits],
                )
                .unwrap();
            assert_eq!(backend.read(bits, 0..1).unwrap(), [expected]);
        }
    }
}

#[test]
fn a_pair_of_several_clusters_belongs_to_the_first() {
    // Faces 0 and 1 share clusters 33 and 40, as seen from the entries of either.
    let mask = |bits: u64| [bits as u32, (bits >> 32) as u32];
    let masks = [
        mask(1 << 2 | 1 << 33 | 1 << 40),
        mask(1 << 3 | 1 << 33 | 1 << 40),
    ]
    .concat();
    for mut backend in backends() {
        let masks = backend.upload(&masks).unwrap();
        let sums = backend.upload(&[0, 0, 1, 0, 1, 0]).unwrap();
        let [bits, parents] = [1, 1].map(|n| backend.alloc(n).unwrap());
        for (cluster, expected) in [(33, 1), (40, 0)] {
            let records: Vec<u32> = (0..2)
                .flat_map(|f| [0, 0, 0, 0, f, f, cluster, 0])
                .collect();
            let records = backend.upload(&records).unwrap();
            let dispatch = Dispatch::new(1, &[1, 2, 0, 0, 3, 64]);
            backend
                .run(
                    &CULL_PAIRS,
                    &dispatch,
                    &[sums, records, masks, parents, bits],
                )
                .unwrap();
            assert_eq!(backend.read(bits, 0..1).unwrap(), [expected]);
        }
    }
}

#[test]
fn every_kernel_stays_within_the_default_limits() {
    check_limits(KERNELS);
}
