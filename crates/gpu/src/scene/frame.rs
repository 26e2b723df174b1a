//! One frame from positions to pairs: clusters, axes, sweep, culling, filter.

use glam::DVec3;
use impinge::deform::clustering::{CentreSeeding, seed_centers};
use impinge::deform::{Scene, SceneRequest};

use super::answer::{Found, meets};
use super::axes::{FIXED, SPREAD, SUM_SPREADS, direction_words, principal_directions};
use super::boxes::{ARRANGE, FIND_BOXES, FIND_CENTROIDS, RECORD};
use super::clusters::{FUZZY_CENTERS, FUZZY_SUMS, LIST_ENTRIES, MAP_FACES, SUMS};
use super::engine::GpuScene;
use super::filter::FILTER_PAIRS;
use super::sweep::{COLLECT, COUNT_OVERLAPS, CULL_PAIRS, EMIT_PAIRS, PAIRS_PER_GROUP, SUMMARISE};
use crate::primitives::{ScanOf, gather, iota, scan, sort_u32};
use crate::{Buffer, Dispatch, GpuError, Grid, POSITION_BITS};

/// Pairs that are culled at once, at most: their bits take 16 MiB, the sums of those 32.
pub(super) const MAX_RANGE: u64 = 1 << 27;
/// Candidates and results of one range, at most: with two words each they fill a default binding.
pub(super) const MAX_KEPT: u64 = (1 << 24) - 1;
/// A list grows at most so often for one range: capacities at least double up to their limits.
const MAX_GROWTHS: usize = 96;

/// Rounds of fuzzy c-means in the first frame, and in those that start from the last.
const FIRST_ROUNDS: u32 = 32;
const WARM_ROUNDS: u32 = 3;
/// Frames from one choice of the sweep axis to the next.
const CHOICE_INTERVAL: u32 = 31;
/// Faces that the first centres are chosen from.
const START_FACES: usize = 2048;

impl GpuScene {
    pub(super) fn frame(
        &mut self,
        scene: &Scene,
        request: &SceneRequest,
    ) -> Result<Found, GpuError> {
        let mut found = Found::default();
        let faces = scene.faces().len();
        found.counters.faces = faces as u64;
        if faces < 2 {
            return Ok(found);
        }
        // The top bit of a face tells unsure pairs.
        if faces >= 1 << 31 {
            return Err(GpuError::TooLarge {
                words: faces as u64,
                limit: (1 << 31) - 1,
            });
        }
        let grid = Grid::around(scene.positions());
        self.settle(scene, &grid)?;
        let words = grid.words(scene.positions());
        let Some(held) = &self.resident else {
            return Ok(found);
        };
        let (positions, clusters) = (held.positions, held.clusters);
        self.backend.write(positions, &words)?;
        let rounds = match (clusters, held.is_warm) {
            (1, _) => 0,
            (_, true) => WARM_ROUNDS,
            (_, false) => FIRST_ROUNDS,
        };
        let centroids = self.move_centers(faces as u32, rounds)?;
        found.counters.rounds = u64::from(rounds);
        self.choose_axis(faces as u32)?;
        found.counters.clusters = u64::from(clusters);
        // Entries are counted before they are listed, so that one repetition is enough.
        for _ in 0..2 {
            let mark = self.scratch.len();
            let sweep = self.sweep(faces as u32)?;
            self.sum_spreads(faces as u32, centroids, &sweep)?;
            let [mut first, end] = self.part(&sweep)?;
            loop {
                match self.range(scene, request, &sweep, [first, end], &mut found)? {
                    Step::TooManyEntries(needed) => {
                        self.entry_capacity = needed + needed / 16;
                        self.report.growths += 1;
                        break;
                    }
                    Step::Done {
                        entries,
                        total,
                        length,
                    } => {
                        found.counters.entries = entries;
                        found.counters.boxes = entries;
                        found.counters.sort_moves = entries;
                        self.report.ranges += 1;
                        first += length;
                        if first >= total.min(end) {
                            return Ok(found);
                        }
                    }
                }
            }
            self.drop_scratch(mark);
        }
        Err(GpuError::TooLarge {
            words: 2 * self.entry_capacity,
            limit: self.backend.max_words(),
        })
    }

    /// Counts the pairs along each of the axes of the last frame and along x, and keeps the best, now and
    /// then: it takes a sort and a readback each.
    fn choose_axis(&mut self, faces: u32) -> Result<(), GpuError> {
        let Some(held) = &mut self.resident else {
            return Ok(());
        };
        if held.axes.is_empty() {
            return Ok(());
        }
        if held.until_choice > 0 {
            held.until_choice -= 1;
            return Ok(());
        }
        held.until_choice = CHOICE_INTERVAL;
        let directions = held.directions;
        let fixed = vec![FIXED; held.clusters as usize];
        let mut choices = vec![direction_words(&fixed, 0)];
        choices.extend((0..3).map(|first| direction_words(&held.axes, first)));
        let mut best: Option<(u64, usize)> = None;
        for (i, words) in choices.iter().enumerate() {
            let mark = self.scratch.len();
            self.backend.write(directions, words)?;
            let sweep = self.sweep(faces)?;
            let last = 2 * sweep.entries as usize;
            let total = self.backend.read(sweep.sums, last..last + 2)?;
            self.drop_scratch(mark);
            let total = two_words(&total);
            if best.is_none_or(|(least, _)| total < least) {
                best = Some((total, i));
            }
        }
        if let Some(words) = best.and_then(|(_, i)| choices.get(i)) {
            self.backend.write(directions, words)?;
        }
        Ok(())
    }

    /// Sums what the axes of the next frame are found from, into the place behind the totals.
    fn sum_spreads(
        &mut self,
        faces: u32,
        centroids: Buffer,
        sweep: &Sweep,
    ) -> Result<(), GpuError> {
        let Some(held) = &self.resident else {
            return Ok(());
        };
        let (masks, clusters) = (held.masks, held.clusters);
        let dispatch = Dispatch::new(clusters, &[faces, clusters]);
        let bound = [centroids, masks, sweep.spreads];
        self.backend.run(&SUM_SPREADS, &dispatch, &bound)
    }

    /// Finds centroids, and moves the centres by fuzzy c-means.
    fn move_centers(&mut self, faces: u32, rounds: u32) -> Result<Buffer, GpuError> {
        let Some(held) = &mut self.resident else {
            return Err(crate::backend::UNKNOWN);
        };
        held.is_warm = true;
        let (positions, face_words) = (held.positions, held.face_words);
        let (centers, clusters) = (held.centers, held.clusters);
        let centroids = self.buffer(4 * faces as usize)?;
        let groups = FUZZY_SUMS.groups(faces);
        let sums = self.buffer(SUMS * (groups * clusters) as usize)?;
        let dispatch = Dispatch::new(FIND_CENTROIDS.groups(faces), &[faces]);
        let bound = [positions, face_words, centroids];
        self.backend.run(&FIND_CENTROIDS, &dispatch, &bound)?;
        for _ in 0..rounds {
            let dispatch = Dispatch::new(groups, &[faces, clusters, groups]);
            let bound = [centroids, centers, sums];
            self.backend.run(&FUZZY_SUMS, &dispatch, &bound)?;
            let dispatch = Dispatch::new(1, &[clusters, groups]);
            self.backend
                .run(&FUZZY_CENTERS, &dispatch, &[sums, centers])?;
        }
        self.backend.free(sums);
        Ok(centroids)
    }

    /// Maps faces to clusters, sorts their entries and counts the pairs along the axis.
    fn sweep(&mut self, faces: u32) -> Result<Sweep, GpuError> {
        let Some(held) = &self.resident else {
            return Err(crate::backend::UNKNOWN);
        };
        let (positions, face_words) = (held.positions, held.face_words);
        let (directions, clusters) = (held.directions, held.clusters);
        let (masks, centers) = (held.masks, held.centers);
        let (mut list, mut entry_sums) = (held.entries, held.entry_sums);
        let mut entries = faces;
        let mut entry_total = 0;
        if clusters > 1 {
            entries = u32::try_from(self.entry_capacity).unwrap_or(u32::MAX);
            let counts = self.buffer(faces as usize)?;
            entry_sums = self.buffer(2 * (faces as usize + 1))?;
            entry_total = 2 * faces;
            list = self.buffer(2 * entries as usize)?;
            let dispatch = Dispatch::new(MAP_FACES.groups(faces), &[faces, clusters]);
            let bound = [positions, face_words, centers, masks, counts];
            self.backend.run(&MAP_FACES, &dispatch, &bound)?;
            scan(&mut self.backend, ScanOf::Items, counts, entry_sums, faces)?;
            let groups = LIST_ENTRIES.groups(entries.max(faces));
            let dispatch = Dispatch::new(groups, &[faces, entries]);
            self.backend
                .run(&LIST_ENTRIES, &dispatch, &[masks, entry_sums, list])?;
        }
        let count = entries as usize;
        let keys = self.buffer(count)?;
        let names = self.buffer(count)?;
        let records = self.buffer(RECORD * count)?;
        let dispatch = Dispatch::new(FIND_BOXES.groups(entries), &[entries]);
        let bound = [
            positions, face_words, list, directions, keys, names, records,
        ];
        self.backend.run(&FIND_BOXES, &dispatch, &bound)?;

        let order = self.buffer(count)?;
        iota(&mut self.backend, order, entries)?;
        let sorted = if clusters == 1 {
            sort_u32(&mut self.backend, keys, order, entries, 32)?
        } else {
            // Sorting overwrites the keys: they are copied before and put in order behind.
            let kept = self.buffer(count)?;
            gather(&mut self.backend, keys, order, kept, entries)?;
            let by_low = sort_u32(&mut self.backend, keys, order, entries, 32)?;
            self.scratch.extend([by_low.keys, by_low.values]);
            let moved = self.buffer(count)?;
            gather(&mut self.backend, names, by_low.values, moved, entries)?;
            let by_cluster = sort_u32(&mut self.backend, moved, by_low.values, entries, 8)?;
            let lows = self.buffer(count)?;
            gather(&mut self.backend, kept, by_cluster.values, lows, entries)?;
            self.backend.free(by_cluster.keys);
            by_cluster.with_keys(lows)
        };
        self.scratch.extend([sorted.keys, sorted.values]);
        let arranged = self.buffer(RECORD * count)?;
        let dispatch = Dispatch::new(ARRANGE.groups(entries), &[entries]);
        let bound = [records, sorted.values, arranged];
        self.backend.run(&ARRANGE, &dispatch, &bound)?;
        self.backend.free(records);

        let counts = self.buffer(count)?;
        let sums = self.buffer(2 * (count + 1))?;
        let dispatch = Dispatch::new(COUNT_OVERLAPS.groups(entries), &[entries]);
        let bound = [sorted.keys, arranged, counts];
        self.backend.run(&COUNT_OVERLAPS, &dispatch, &bound)?;
        scan(&mut self.backend, ScanOf::Items, counts, sums, entries)?;
        let spreads = self.buffer(SPREAD * clusters as usize)?;
        Ok(Sweep {
            spreads,
            entries,
            sums,
            records: arranged,
            entry_sums,
            entry_total,
        })
    }

    /// The first pair of this engine's part, and one past the last: whole words of bits.
    fn part(&mut self, sweep: &Sweep) -> Result<[u64; 2], GpuError> {
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
    fn range(
        &mut self,
        scene: &Scene,
        request: &SceneRequest,
        sweep: &Sweep,
        [first, end]: [u64; 2],
        found: &mut Found,
    ) -> Result<Step, GpuError> {
        for _ in 0..MAX_GROWTHS {
            let length = self.pair_capacity.min(end.saturating_sub(first));
            let mark = self.scratch.len();
            let (totals, results) = self.attempt(request, sweep, first, length)?;
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
            } else if kept > self.result_capacity {
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

    fn drop_scratch(&mut self, mark: usize) {
        for buffer in self.scratch.drain(mark..) {
            self.backend.free(buffer);
        }
    }

    /// One range with the capacities there are: the totals of axis pairs, candidates, results and
    /// entries, and the results, complete if all fitted.
    fn attempt(
        &mut self,
        request: &SceneRequest,
        sweep: &Sweep,
        first: u64,
        length: u64,
    ) -> Result<([u64; 4], Buffer), GpuError> {
        let Some(held) = &self.resident else {
            return Err(crate::backend::UNKNOWN);
        };
        let (positions, face_words) = (held.positions, held.face_words);
        let (masks, clusters) = (held.masks, held.clusters);
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
        let totals = self.buffer(8 + spread_words)?;
        let backend = &mut self.backend;

        let kinds = u32::from(request.within) | u32::from(request.between) << 1;
        let place = [words, sweep.entries, first as u32, (first >> 32) as u32];
        let [a, b, c, d] = place;
        let dispatch = Dispatch::new(CULL_PAIRS.groups(words), &[a, b, c, d, kinds, clusters]);
        backend.run(
            &CULL_PAIRS,
            &dispatch,
            &[sweep.sums, sweep.records, masks, bits],
        )?;
        scan(backend, ScanOf::Bits, bits, bit_sums, words)?;
        let dispatch = Dispatch::new(EMIT_PAIRS.groups(words), &[a, b, c, d, candidates]);
        let bound = [sweep.sums, sweep.records, bits, bit_sums, pairs];
        backend.run(&EMIT_PAIRS, &dispatch, &bound)?;

        let dispatch = Dispatch::new(FILTER_PAIRS.groups(candidates), &[candidates, 2 * words]);
        let bound = [positions, face_words, pairs, bit_sums, verdicts];
        backend.run(&FILTER_PAIRS, &dispatch, &bound)?;
        scan(backend, ScanOf::NonZero, verdicts, kept_sums, candidates)?;
        let dispatch = Dispatch::new(COLLECT.groups(candidates), &[candidates, room]);
        backend.run(&COLLECT, &dispatch, &[pairs, verdicts, kept_sums, results])?;

        let places = [
            2 * sweep.entries,
            2 * words,
            2 * candidates,
            sweep.entry_total,
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
        let read = backend.read(totals, 0..8 + spread_words)?;
        let mut sums = [0; 4];
        for (sum, pair) in sums.iter_mut().zip(read.chunks_exact(2)) {
            *sum = two_words(pair);
        }
        if let (Some(held), Some(spreads)) = (&mut self.resident, read.get(8..)) {
            held.axes = principal_directions(spreads);
        }
        Ok((sums, results))
    }

    /// Takes the pairs that meet and decides those that are unsure.
    fn decide(&mut self, scene: &Scene, request: &SceneRequest, words: &[u32], found: &mut Found) {
        for pair in words.chunks_exact(2) {
            let &[a, marked] = pair else { continue };
            let b = marked & !(1 << 31);
            let is_unsure = marked >> 31 == 1;
            if is_unsure {
                self.report.unsure += 1;
                found.counters.exact_tests += 1;
            }
            if !is_unsure || meets(scene, request, a, b) {
                found.counters.hits += 1;
                found.pairs.push(u64::from(a) << 32 | u64::from(b));
            }
        }
    }
}

/// The sorted entries of a frame.
#[derive(Clone, Copy, Debug)]
struct Sweep {
    entries: u32,
    sums: Buffer,
    records: Buffer,
    /// Where the number of entries that are needed is.
    entry_sums: Buffer,
    entry_total: u32,
    spreads: Buffer,
}

/// A number of two words, the low one first.
fn two_words(words: &[u32]) -> u64 {
    let join = |sum, &word: &u32| sum << 32 | u64::from(word);
    words.iter().rev().fold(0, join)
}

/// How a range went.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The list of entries is too short for so many.
    TooManyEntries(u64),
    /// Of so many pairs in all, a range of this length is done.
    Done {
        entries: u64,
        total: u64,
        length: u64,
    },
}

/// Centres to start from: centroids far from each other, of at most [`START_FACES`] faces.
pub(super) fn first_centers(scene: &Scene, grid: &Grid, clusters: usize) -> Vec<u32> {
    let unit = 1.0 / f64::from(3_u32 << POSITION_BITS);
    let stride = scene.faces().len().div_ceil(START_FACES).max(1);
    let middle = |face: &[u32; 3]| {
        let corners = face.map(|v| scene.positions().get(v as usize).copied());
        let corners = corners.into_iter().flatten().map(|p| grid.point(p));
        corners.fold(DVec3::ZERO, |sum, q| sum + DVec3::from(q.map(f64::from))) * unit
    };
    let points: Vec<DVec3> = scene.faces().iter().step_by(stride).map(middle).collect();
    seed_centers(&points, clusters, CentreSeeding::Spread)
        .into_iter()
        .flat_map(|p| [p.x, p.y, p.z, 0.0].map(|x| (x as f32).to_bits()))
        .collect()
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
