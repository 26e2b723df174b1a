//! Processes a range of the pairs along the sweep axis: culls, filters, decides; lists grow as needed.

use impinge::deform::{Scene, ScenePair, SceneRequest};
use impinge::query::FaceId;

use super::answer::Found;
use super::engine::GpuScene;
use super::filter::FILTER_PAIRS;
use super::frame::{Sweep, Swept};
use super::principal_axes::{SPREAD, principal_directions};
use super::sweep::{CLUSTER_TOTALS, COLLECT, CULL_PAIRS, EMIT_PAIRS, PAIRS_PER_GROUP, SUMMARISE};
use crate::primitives::{ScanOf, scan};
use crate::{Buffer, Dispatch, GpuError};

/// Pairs that are culled at once, at most: their bits take 16 MiB, the sums of those 32.
pub(super) const MAX_RANGE: u64 = 1 << 27;
/// Candidates and results of one range, at most: with two words each they fill a default binding.
pub(super) const MAX_KEPT: u64 = (1 << 24) - 1;
/// A list grows at most so often for one range: capacities at least double up to their limits.
const MAX_GROWTHS: usize = 96;

impl GpuScene {
    /// The first pair of this engine's part, and one past the last: whole words of bits.
    pub(super) fn part(&mut self, sweep: &Sweep) -> Result<[u64; 2], GpuError> {
        let [part, of] = self.share;
        if of == 1 {
            return Ok([0, u64::MAX]);
        }
        let last = 2 * sweep.entries as usize;
        let total = two_words(&self.backend.read(sweep.sums, last..last + 2)?);
        let border = |k: u64| {
            let exact = u128::from(total) * u128::from(k) / u128::from(of);
            if k == of {
                total
            } else {
                exact as u64 / 32 * 32
            }
        };
        Ok([border(part), border(part + 1)])
    }

    /// Culls and filters pairs from `first` on.
    pub(super) fn range(
        &mut self,
        scene: &Scene,
        request: &SceneRequest,
        swept: &Swept,
        sweep: &Sweep,
        [first, end]: [u64; 2],
        found: &mut Found,
    ) -> Result<Step, GpuError> {
        for _ in 0..MAX_GROWTHS {
            let length = self.pair_capacity.min(end.saturating_sub(first));
            let mark = self.scratch.len();
            let (totals, results) = self.attempt(request, swept, sweep, first, length)?;
            let [axis, candidates, kept, entries] = totals;
            let remaining = axis.min(end).saturating_sub(first);
            let is_short = remaining > length && self.pair_capacity < self.max_range;
            if entries > u64::from(sweep.entries) {
                self.drop_scratch(mark);
                return Ok(Step::TooManyEntries(entries));
            }
            if is_short {
                self.pair_capacity = grown(length, remaining, self.max_range);
            } else if candidates > MAX_KEPT {
                // As many pairs as there is room for candidates always fit.
                self.pair_capacity = whole_groups(length / 2).max(u64::from(PAIRS_PER_GROUP));
                self.max_range = self.pair_capacity;
                self.candidate_capacity = MAX_KEPT;
            } else if candidates > self.candidate_capacity {
                self.candidate_capacity = grown(self.candidate_capacity, candidates, MAX_KEPT);
            } else if kept > self.result_capacity && !self.is_step {
                self.result_capacity = grown(self.result_capacity, kept, MAX_KEPT);
            } else {
                let pairs = self.backend.read(results, 0..2 * kept as usize)?;
                self.drop_scratch(mark);
                self.decide(scene, request, &pairs, found);
                found.counters.axis_pairs = axis;
                found.counters.candidates += candidates;
                found.counters.separated += candidates - kept;
                return Ok(Step::Done {
                    entries,
                    total: axis,
                    length,
                });
            }
            self.drop_scratch(mark);
            self.report.growths += 1;
        }
        Err(GpuError::TooLarge {
            words: self.candidate_capacity,
            limit: MAX_KEPT,
        })
    }

    pub(super) fn drop_scratch(&mut self, mark: usize) {
        for buffer in self.scratch.drain(mark..) {
            self.backend.free(buffer);
        }
    }

    /// One range with the capacities there are: the totals of axis pairs, candidates, results and
    /// entries, and the results, complete if all fitted.
    fn attempt(
        &mut self,
        request: &SceneRequest,
        swept: &Swept,
        sweep: &Sweep,
        first: u64,
        length: u64,
    ) -> Result<([u64; 4], Buffer), GpuError> {
        let Some(held) = &self.resident else {
            return Err(crate::backend::UNKNOWN);
        };
        let (positions, face_words, clusters) = (held.positions, held.face_words, held.clusters);
        let has_pieces = u32::from(swept.has_pieces);
        let words = length.div_ceil(32) as u32;
        let candidates = self.candidate_capacity as u32;
        let room = self.result_capacity as u32;
        let bits = self.buffer(words as usize)?;
        let bit_sums = self.buffer(2 * (words as usize + 1))?;
        let pairs = self.buffer(2 * candidates as usize)?;
        let verdicts = self.buffer(candidates as usize)?;
        let kept_sums = self.buffer(2 * (candidates as usize + 1))?;
        let results = self.buffer(2 * room as usize)?;
        let spread_words = SPREAD * clusters as usize;
        // With one cluster its pairs are those of all.
        let cluster_words = if clusters > 1 {
            2 * clusters as usize
        } else {
            0
        };
        let total_words = 8 + spread_words + cluster_words;
        let totals = self.buffer(total_words)?;
        let is_step = self.is_step;
        let backend = &mut self.backend;

        let kinds = u32::from(request.within) | u32::from(request.between) << 1;
        let place = [words, sweep.entries, first as u32, (first >> 32) as u32];
        let [a, b, c, d] = place;
        let dispatch = Dispatch::new(
            CULL_PAIRS.groups(words),
            &[a, b, c, d, kinds, clusters, has_pieces],
        );
        let bound = [sweep.sums, sweep.records, swept.masks, swept.parents, bits];
        backend.run(&CULL_PAIRS, &dispatch, &bound)?;
        scan(backend, ScanOf::Bits, bits, bit_sums, words)?;
        let dispatch = Dispatch::new(
            EMIT_PAIRS.groups(words),
            &[a, b, c, d, candidates, has_pieces],
        );
        let bound = [
            sweep.sums,
            sweep.records,
            bits,
            bit_sums,
            swept.parents,
            pairs,
        ];
        backend.run(&EMIT_PAIRS, &dispatch, &bound)?;

        // Over a step all candidates go to the exact tests of the host.
        if !is_step {
            let dispatch = Dispatch::new(FILTER_PAIRS.groups(candidates), &[candidates, 2 * words]);
            let bound = [positions, face_words, pairs, bit_sums, verdicts];
            backend.run(&FILTER_PAIRS, &dispatch, &bound)?;
            scan(backend, ScanOf::NonZero, verdicts, kept_sums, candidates)?;
            let dispatch = Dispatch::new(COLLECT.groups(candidates), &[candidates, room]);
            backend.run(&COLLECT, &dispatch, &[pairs, verdicts, kept_sums, results])?;
        }

        let places = [
            2 * sweep.entries,
            2 * words,
            2 * candidates,
            sweep.entry_total,
            spread_words as u32,
        ];
        let bound = [
            sweep.sums,
            bit_sums,
            kept_sums,
            sweep.entry_sums,
            sweep.spreads,
            totals,
        ];
        backend.run(&SUMMARISE, &Dispatch::new(1, &places), &bound)?;
        if clusters > 1 {
            let place = (8 + spread_words) as u32;
            let dispatch = Dispatch::new(1, &[sweep.entries, clusters, place]);
            let bound = [sweep.records, sweep.sums, totals];
            backend.run(&CLUSTER_TOTALS, &dispatch, &bound)?;
        }
        let read = backend.read(totals, 0..total_words)?;
        let mut sums = [0; 4];
        for (sum, pair) in sums.iter_mut().zip(read.chunks_exact(2)) {
            *sum = two_words(pair);
        }
        let results = if is_step { pairs } else { results };
        if is_step {
            sums[2] = sums[1];
        }
        let (spreads, by_cluster) = read.split_at(8 + spread_words);
        self.cluster_pairs = by_cluster.chunks_exact(2).map(two_words).collect();
        if let (Some(held), Some(spreads)) = (&mut self.resident, spreads.get(8..)) {
            let counts = spreads.chunks_exact(SPREAD).map(|own| own.iter().take(2));
            self.cluster_faces = counts
                .map(|words| two_words(&words.copied().collect::<Vec<u32>>()))
                .collect();
            held.axes = principal_directions(spreads);
        }
        Ok((sums, results))
    }

    /// Takes the pairs that meet and decides those that are unsure.
    fn decide(&mut self, scene: &Scene, request: &SceneRequest, words: &[u32], found: &mut Found) {
        for pair in words.chunks_exact(2) {
            let &[a, marked] = pair else { continue };
            let ids = [a, marked & !(1 << 31)].map(FaceId::new);
            if self.is_step {
                found.pairs.push(ids);
                continue;
            }
            let is_unsure = marked >> 31 == 1;
            if is_unsure {
                self.report.unsure += 1;
                found.counters.exact_tests += 1;
            }
            let [a, b] = ids;
            if !is_unsure || ScenePair::meets(scene, request, a, b) {
                found.counters.hits += 1;
                found.pairs.push(ids);
            }
        }
    }
}

/// A number of two words, the low one first.
pub(super) fn two_words(words: &[u32]) -> u64 {
    let join = |sum, &word: &u32| sum << 32 | u64::from(word);
    words.iter().rev().fold(0, join)
}

/// The result of a range.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// The list of entries is too short for this many.
    TooManyEntries(u64),
    /// Of so many pairs in all, a range of this length is done.
    Done {
        entries: u64,
        total: u64,
        length: u64,
    },
}

/// A capacity that holds what is needed and some more, up to a limit.
fn grown(capacity: u64, needed: u64, limit: u64) -> u64 {
    whole_groups((2 * capacity).max(needed + needed / 4)).min(limit)
}

/// Rounded up to whole workgroups of pairs.
pub(super) fn whole_groups(pairs: u64) -> u64 {
    let group = u64::from(PAIRS_PER_GROUP);
    pairs.div_ceil(group).clamp(1, MAX_RANGE / group) * group
}
