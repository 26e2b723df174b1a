//! Primitives: against formulas that share no code with them, on the twin and on every device.

use crate::backends::{Random, backends};
use crate::check_limits;
use impinge_gpu::Backend;
use impinge_gpu::primitives::{
    KERNELS, ScanOf, compact, gather, reduce_max, reduce_sum, scan, segment_sums, sort_u32,
    sort_u64,
};

/// Around the sizes of workgroups and blocks, and where one workgroup no longer scans alone.
const SIZES: [usize; 16] = [
    0, 1, 2, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 4097, 65_535, 65_537, 100_000, 1_048_583,
];

/// Equal, sorted, reversed, few different, any, and as large as can be.
fn lists(n: usize) -> Vec<Vec<u32>> {
    let mut random = Random(n as u64);
    let any: Vec<u32> = (0..n).map(|_| random.word()).collect();
    let mut sorted = any.clone();
    sorted.sort_unstable();
    let reversed = sorted.iter().rev().copied().collect();
    let few = any.iter().map(|x| (x % 5) << 13).collect();
    vec![vec![7; n], sorted, reversed, few, any, vec![u32::MAX; n]]
}

fn words(sums: impl IntoIterator<Item = u64>) -> Vec<u32> {
    sums.into_iter()
        .flat_map(|sum| [sum as u32, (sum >> 32) as u32])
        .collect()
}

fn sums_before(values: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut all = vec![0];
    all.extend(values.scan(0, |sum, value| {
        *sum += value;
        Some(*sum)
    }));
    all
}

fn scanned(backend: &mut Backend, what: ScanOf, list: &[u32]) -> Vec<u32> {
    let n = list.len();
    let items = backend.upload(list).unwrap();
    let sums = backend.alloc(2 * (n + 1)).unwrap();
    scan(backend, what, items, sums, n as u32).unwrap();
    let out = backend.read(sums, 0..2 * (n + 1)).unwrap();
    backend.free(items);
    backend.free(sums);
    out
}

#[test]
fn sums_before_each_item_and_their_total_are_exact_beyond_one_word() {
    for mut backend in backends() {
        for n in SIZES {
            for list in lists(n) {
                let items = sums_before(list.iter().map(|&x| u64::from(x)));
                let of_items = scanned(&mut backend, ScanOf::Items, &list);
                assert!(of_items == words(items), "{} items, {}", n, backend.name());
                let bits = sums_before(list.iter().map(|x| u64::from(x.count_ones())));
                let of_bits = scanned(&mut backend, ScanOf::Bits, &list);
                assert!(
                    of_bits == words(bits),
                    "bits of {} items, {}",
                    n,
                    backend.name()
                );
                let some = sums_before(list.iter().map(|&x| u64::from(x != 0)));
                let of_some = scanned(&mut backend, ScanOf::NonZero, &list);
                assert!(of_some == words(some), "{} flags, {}", n, backend.name());
            }
        }
    }
}

#[test]
fn reductions_equal_the_sum_and_the_maximum() {
    for mut backend in backends() {
        for n in SIZES {
            for list in lists(n) {
                let items = backend.upload(&list).unwrap();
                let sum: u64 = list.iter().map(|&x| u64::from(x)).sum();
                let total = reduce_sum(&mut backend, ScanOf::Items, items, n as u32).unwrap();
                assert_eq!(total, sum, "{n}");
                let largest = list.iter().copied().max().unwrap_or(0);
                assert_eq!(
                    reduce_max(&mut backend, items, n as u32).unwrap(),
                    largest,
                    "{n}"
                );
                backend.free(items);
            }
        }
    }
}

#[test]
fn keys_of_one_word_are_sorted_and_equal_keys_keep_their_order() {
    for mut backend in backends() {
        for n in SIZES {
            for list in lists(n) {
                let mut expected: Vec<(u32, u32)> = list.iter().copied().zip(0..).collect();
                expected.sort_by_key(|&(key, _)| key);
                let keys = backend.upload(&list).unwrap();
                let numbers: Vec<u32> = (0..n as u32).collect();
                let values = backend.upload(&numbers).unwrap();
                let sorted = sort_u32(&mut backend, keys, values, n as u32, 32).unwrap();
                let keys = backend.read(sorted.keys, 0..n).unwrap();
                let values = backend.read(sorted.values, 0..n).unwrap();
                let found: Vec<(u32, u32)> = keys.into_iter().zip(values).collect();
                assert!(found == expected, "{n} keys, {}", backend.name());
                backend.free(sorted.keys);
                backend.free(sorted.values);
            }
        }
    }
}

#[test]
fn keys_of_two_words_are_sorted_and_equal_keys_keep_their_order() {
    for mut backend in backends() {
        for n in SIZES {
            let mut random = Random(3 * n as u64 + 1);
            for range in [1, 3, 64, u32::MAX] {
                let low: Vec<u32> = (0..n).map(|_| random.below(range)).collect();
                let high: Vec<u32> = (0..n).map(|_| random.below(64)).collect();
                let mut expected: Vec<u32> = (0..n as u32).collect();
                expected.sort_by_key(|&i| (high[i as usize], low[i as usize]));
                let numbers: Vec<u32> = (0..n as u32).collect();
                let values = backend.upload(&numbers).unwrap();
                let [low, high] = [low, high].map(|words| backend.upload(&words).unwrap());
                let sorted = sort_u64(&mut backend, low, high, values, n as u32, 6).unwrap();
                let found = backend.read(sorted.values, 0..n).unwrap();
                assert!(
                    found == expected,
                    "{n} keys below {range}, {}",
                    backend.name()
                );
                backend.free(sorted.keys);
                backend.free(sorted.values);
            }
        }
    }
}

#[test]
fn compaction_keeps_the_order_and_writes_nothing_beyond_its_capacity() {
    for mut backend in backends() {
        for n in SIZES {
            let mut random = Random(n as u64 + 5);
            for density in [0, 1, 4] {
                let word = |random: &mut Random| match density {
                    0 => 0,
                    1 => random.word() & random.word() & random.word() & random.word(),
                    _ => u32::MAX,
                };
                // A dense list of a million words would need a hundred megabytes.
                let n = if density == 4 { n.min(65_537) } else { n };
                let list: Vec<u32> = (0..n).map(|_| word(&mut random)).collect();
                let expected: Vec<u32> = (0..32 * n as u32)
                    .filter(|i| list[*i as usize / 32] >> (i % 32) & 1 == 1)
                    .collect();
                let bits = backend.upload(&list).unwrap();
                let sums = backend.alloc(2 * (n + 1)).unwrap();
                scan(&mut backend, ScanOf::Bits, bits, sums, n as u32).unwrap();
                let total = backend.read(sums, 2 * n..2 * n + 2).unwrap();
                assert_eq!(total, [expected.len() as u32, 0]);
                for capacity in [expected.len(), expected.len() / 2, 1] {
                    let kept = backend.alloc(capacity + 1).unwrap();
                    compact(&mut backend, bits, sums, kept, n as u32, capacity as u32).unwrap();
                    let mut prefix: Vec<u32> = expected.iter().take(capacity).copied().collect();
                    prefix.resize(capacity + 1, 0);
                    let found = backend.read(kept, 0..capacity + 1).unwrap();
                    assert!(found == prefix, "{n} words, {}", backend.name());
                    backend.free(kept);
                }
                backend.free(bits);
                backend.free(sums);
            }
        }
    }
}

#[test]
fn sums_of_segments_are_exact_for_empty_short_and_long_ones() {
    for mut backend in backends() {
        for n in SIZES {
            let list = lists(n).pop().unwrap();
            let mut random = Random(n as u64 + 9);
            let mut starts: Vec<u32> = (0..40).map(|_| random.below(n as u32 + 1)).collect();
            starts.extend([0, n as u32]);
            starts.sort_unstable();
            let segments = starts.len() - 1;
            let expected = starts.windows(2).map(|ends| {
                let part = &list[ends[0] as usize..ends[1] as usize];
                part.iter().map(|&x| u64::from(x)).sum()
            });
            let expected = words(expected);
            let items = backend.upload(&list).unwrap();
            let from = backend.upload(&starts).unwrap();
            let sums = backend.alloc(2 * segments).unwrap();
            segment_sums(&mut backend, items, from, sums, segments as u32).unwrap();
            assert!(
                backend.read(sums, 0..2 * segments).unwrap() == expected,
                "{n}"
            );
        }
    }
}

#[test]
fn gathering_by_a_permutation_and_by_its_inverse_changes_nothing() {
    for mut backend in backends() {
        let list = &lists(70_000)[4];
        let n = list.len();
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&i| list[i as usize]);
        let mut inverse = vec![0; n];
        for (place, &i) in order.iter().enumerate() {
            inverse[i as usize] = place as u32;
        }
        let [items, order, inverse] =
            [list, &order, &inverse].map(|words| backend.upload(words).unwrap());
        let there = backend.alloc(n).unwrap();
        let back = backend.alloc(n).unwrap();
        gather(&mut backend, items, order, there, n as u32).unwrap();
        gather(&mut backend, there, inverse, back, n as u32).unwrap();
        assert!(backend.read(back, 0..n).unwrap() == *list);
        let mut sorted = list.clone();
        sorted.sort_unstable();
        assert!(backend.read(there, 0..n).unwrap() == sorted);
    }
}

#[test]
fn every_kernel_stays_within_the_default_limits() {
    let mut names: Vec<&str> = KERNELS.iter().map(|kernel| kernel.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), KERNELS.len());
    check_limits(KERNELS);
}
