//! Sweep and prune that counts its pairs before it visits them.
//!
//! **Idea.** Entries are sorted by cluster and beginning. Entry `i` overlaps the run behind it that
//! begins not after its end; a binary search counts it. The sums of the counts number all pairs, in two
//! words; 32 of them become one word of bits, 8192 a workgroup. Bits are counted and written in order:
//! no atomic append, so that candidates have the same order on every device.
//! **Source.** Mainzer's thesis, 5.2.3 and 5.2.4; ranges, bits and two-word numbers are ours.
//! **Promise.** Closed intervals: every two entries of a cluster that overlap have exactly one number.

use super::boxes::{NONE, RECORD};
use crate::kernel::{Dispatch, GROUP, Kernel};

/// Pairs of one workgroup of the culling.
pub const PAIRS_PER_GROUP: u32 = 32 * GROUP;

/// How many entries overlap each along the axis, behind it in the order.
pub static COUNT_OVERLAPS: Kernel = Kernel {
    name: "count_overlaps",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/count.wgsl")
    ),
    twin: count_overlaps,
    buffers: 3,
    items: GROUP,
    bytes: 48,
    ops: 120,
    shared: 0,
};

fn count_overlaps(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, ..] = dispatch.parameters;
    let [keys, records, counts] = buffers else {
        return;
    };
    let n = n as usize;
    for i in 0..n {
        let record = &records[RECORD * i..RECORD * (i + 1)];
        if record[4] == NONE {
            counts[i] = 0;
            continue;
        }
        let is_within = |j: usize| {
            let other = &records[RECORD * j..RECORD * (j + 1)];
            other[4] != NONE && (other[6], keys[j]) <= (record[6], record[7])
        };
        let (mut low, mut high) = (i + 1, n);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_within(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        counts[i] = (low - i - 1) as u32;
    }
}

/// Which pairs overlap along the other axes, as bits.
pub static CULL_PAIRS: Kernel = Kernel {
    name: "cull_pairs",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/cull.wgsl"),
        include_str!("../shaders/pair_walk.wgsl")
    ),
    twin: cull_pairs,
    buffers: 5,
    items: GROUP,
    bytes: 8,
    ops: 32 * 20,
    shared: 0,
};

fn sum_at(sums: &[u32], i: usize) -> u64 {
    u64::from(sums[2 * i]) | u64::from(sums[2 * i + 1]) << 32
}

/// The row of pair `t`: the last whose sum is at most `t`.
fn row_of(sums: &[u32], t: u64, rows: usize) -> usize {
    let (mut low, mut high) = (0, rows);
    while low < high {
        let middle = low + (high - low) / 2;
        if t < sum_at(sums, middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low - 1
}

/// What the culling of a pair needs beside the records.
struct Culling<'b> {
    masks: &'b [u32],
    parents: &'b [u32],
    kinds: u32,
    clusters: u32,
    has_pieces: bool,
}

fn overlaps(a: &[u32], b: &[u32], by: &Culling<'_>) -> bool {
    let apart = |k: usize| a[k] as i32 > b[k + 1] as i32 || b[k] as i32 > a[k + 1] as i32;
    let kind = if a[5] == b[5] { 1 } else { 2 };
    if apart(0) || apart(2) || by.kinds & kind == 0 {
        return false;
    }
    if by.has_pieces && by.parents[a[4] as usize] == by.parents[b[4] as usize] {
        return false;
    }
    let masks = by.masks;
    let mask =
        |f: u32| u64::from(masks[2 * f as usize]) | u64::from(masks[2 * f as usize + 1]) << 32;
    by.clusters <= 1 || (mask(a[4]) & mask(b[4])).trailing_zeros() == a[6]
}

fn cull_pairs(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [words, entries, low, high, kinds, clusters, has_pieces, ..] = dispatch.parameters;
    let [sums, records, masks, parents, bits] = buffers else {
        return;
    };
    let by = Culling {
        masks,
        parents,
        kinds,
        clusters,
        has_pieces: has_pieces != 0,
    };
    let record = |i: usize| &records[RECORD * i..RECORD * (i + 1)];
    let total = sum_at(sums, entries as usize);
    let mut t = u64::from(low) | u64::from(high) << 32;
    bits[..words as usize].fill(0);
    if t >= total {
        return;
    }
    let mut i = row_of(sums, t, entries as usize + 1);
    let mut j = i + 1 + (t - sum_at(sums, i)) as usize;
    for word in bits[..words as usize].iter_mut() {
        for k in 0..32 {
            if t >= total {
                return;
            }
            while j > i + (sum_at(sums, i + 1) - sum_at(sums, i)) as usize {
                i += 1;
                j = i + 1;
            }
            let found = overlaps(record(i), record(j), &by);
            *word |= u32::from(found) << k;
            j += 1;
            t += 1;
        }
    }
}

/// The faces of each pair that was left.
pub static EMIT_PAIRS: Kernel = Kernel {
    name: "emit_pairs",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/emit.wgsl"),
        include_str!("../shaders/pair_walk.wgsl")
    ),
    twin: emit_pairs,
    buffers: 6,
    items: GROUP,
    bytes: 16,
    ops: 40,
    shared: 0,
};

fn emit_pairs(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [words, entries, low, high, capacity, has_pieces, ..] = dispatch.parameters;
    let [sums, records, bits, bit_sums, parents, pairs] = buffers else {
        return;
    };
    let first = u64::from(low) | u64::from(high) << 32;
    for (w, &word) in bits[..words as usize].iter().enumerate() {
        let (mut rest, mut place) = (word, sum_at(bit_sums, w));
        while rest != 0 && place < u64::from(capacity) {
            let t = first + 32 * w as u64 + u64::from(rest.trailing_zeros());
            let i = row_of(sums, t, entries as usize + 1);
            let j = i + 1 + (t - sum_at(sums, i)) as usize;
            let face = |record: usize| match records[RECORD * record + 4] {
                piece if has_pieces != 0 => parents[piece as usize],
                face => face,
            };
            let (f, g) = (face(i), face(j));
            pairs[2 * place as usize] = f.min(g);
            pairs[2 * place as usize + 1] = f.max(g);
            rest &= rest - 1;
            place += 1;
        }
    }
}

/// The pairs that meet or must be decided.
pub static COLLECT: Kernel = Kernel {
    name: "collect",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/collect.wgsl")
    ),
    twin: collect,
    buffers: 4,
    items: GROUP,
    bytes: 16,
    ops: 4,
    shared: 0,
};

fn collect(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [most, capacity, ..] = dispatch.parameters;
    let [pairs, verdicts, sums, results] = buffers else {
        return;
    };
    for i in 0..most as usize {
        let place = sums[2 * i] as usize;
        if verdicts[i] != 0 && place < capacity as usize {
            results[2 * place] = pairs[2 * i];
            results[2 * place + 1] = pairs[2 * i + 1] | u32::from(verdicts[i] == 2) << 31;
        }
    }
}

/// All totals in one place.
pub static SUMMARISE: Kernel = Kernel {
    name: "summarise",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/summarise.wgsl")
    ),
    twin: summarise,
    buffers: 6,
    items: 1,
    bytes: 64,
    ops: 8,
    shared: 0,
};

fn summarise(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [a, b, c, d, words, ..] = dispatch.parameters;
    let [axis, bits, kept, entries, spreads, totals] = buffers else {
        return;
    };
    let lists = [(axis, a), (bits, b), (kept, c), (entries, d)];
    for (i, (sums, at)) in lists.into_iter().enumerate() {
        totals[2 * i] = sums[at as usize];
        totals[2 * i + 1] = sums[at as usize + 1];
    }
    let words = words as usize;
    totals[8..8 + words].copy_from_slice(&spreads[..words]);
}

/// The pairs along the axis of each cluster, two words each.
pub static CLUSTER_TOTALS: Kernel = Kernel {
    name: "cluster_totals",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/cluster_totals.wgsl")
    ),
    twin: cluster_totals,
    buffers: 3,
    items: GROUP,
    bytes: 200,
    ops: 120,
    shared: 0,
};

fn cluster_totals(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [entries, clusters, at, ..] = dispatch.parameters.map(|word| word as usize);
    let [records, sums, totals] = buffers else {
        return;
    };
    let is_before = |i: usize, cluster: usize| {
        records[RECORD * i + 4] != NONE && (records[RECORD * i + 6] as usize) < cluster
    };
    let begin = |cluster: usize| {
        let (mut low, mut high) = (0, entries);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(middle, cluster) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    };
    for c in 0..clusters {
        let total = sum_at(sums, begin(c + 1)) - sum_at(sums, begin(c));
        totals[at + 2 * c] = total as u32;
        totals[at + 2 * c + 1] = (total >> 32) as u32;
    }
}
