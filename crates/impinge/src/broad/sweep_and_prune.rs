//! Sweep and prune (SAP): sorted interval ends, updated by insertion sort.
//!
//! **Question.** Which boxes overlap, when order along each axis changes little from frame to
//! frame?
//! **Idea.** Along each axis the ends of all boxes are kept sorted. Between frames insertion sort
//! exchanges neighbours; two boxes can begin to overlap only when a lower end passes an upper one
//! to the left, and stop only when an upper end passes a lower one.
//! **Source.** Cohen, Lin, Manocha, Ponamgi 1995; Sjöberg and Ylinenpää 2009, algorithm 3.
//! Corrected: the printed loop moves pointers instead of exchanging elements, omits the last
//! element and has no guard at the list's head. Ties: lower ends come first.
//! **Cost.** `O(n + exchanges)` per frame; a first fill sorts and sweeps. With counters, one entry
//! per pair that overlaps along any axis, thousands of times as many as overlap; without, one per
//! overlapping pair.
//! **Promise.** Exactly the overlapping pairs. Insertion sort exchanges each inverted pair of ends
//! once. So if an upper end passes a lower one, the boxes are disjoint along that axis at the end;
//! and for a pair that newly overlaps, a lower end has passed an upper one.
//! **Limits.** On a floor the vertical ends lie close together and are shuffled by the slightest
//! motion: up to `n²` exchanges. [`SweepAxes::Two`] leaves that axis out.

use super::body_table::{BodyTable, make_room};
use super::broad_phase::{Detector, DetectorPhase, key, slots};
use super::object::BroadWork;
use super::pair_counters::PairCounters;
use crate::bound::Aabb;

/// Sweep and prune.
#[doc(alias = "sweep and prune")]
#[doc(alias = "SAP")]
#[doc(alias = "sort and sweep")]
pub type SweepAndPrune = DetectorPhase<SweepAndPruneDetector>;

/// What is stored for pairs that overlap along some axes but not all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SweepCounters {
    /// Nothing: the boxes are compared when a lower end passes an upper one.
    #[default]
    None,
    /// How many axes, in a hash table, as published.
    Hash,
    /// How many axes, two bits in a triangular matrix; a hash table beyond [`SweepAndPruneDetector::MATRIX_SLOTS`] slots.
    Matrix,
}

/// The axes along which ends are kept sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SweepAxes {
    /// All three.
    #[default]
    Three,
    /// All but one, whose number is given (taken modulo 3): for bodies on a floor, the vertical one.
    Two(u8),
}

/// How a [`SweepAndPrune`] works; answers do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepConfig {
    /// What is kept of pairs.
    pub counters: SweepCounters,
    /// What is sorted.
    pub axes: SweepAxes,
}

impl SweepAndPrune {
    /// A sweep with these options.
    ///
    /// ```
    /// use impinge::broad::{BroadPhase, SweepAxes, SweepConfig, SweepAndPrune};
    /// let floor = SweepConfig { axes: SweepAxes::Two(2), ..Default::default() };
    /// assert_eq!(SweepAndPrune::new(floor).name(), "sweep and prune");
    /// ```
    #[must_use]
    pub fn new(config: SweepConfig) -> Self {
        Self::with(SweepAndPruneDetector {
            config,
            ..SweepAndPruneDetector::default()
        })
    }
}

/// One end of a box along an axis.
#[derive(Clone, Copy, Debug)]
struct Endpoint {
    value: f64,
    /// Slot and side: lower ends come before upper ones of the same value, so that touching overlaps.
    side: u32,
    slot: u32,
}

impl Endpoint {
    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        (self.value, self.side, self.slot) < (other.value, other.side, other.slot)
    }
}

/// The detector of [`SweepAndPrune`].
#[derive(Debug, Default)]
pub struct SweepAndPruneDetector {
    config: SweepConfig,
    ends: [Vec<Endpoint>; 3],
    /// Whether a slot has ends in the lists.
    listed: Vec<bool>,
    newcomers: Vec<u32>,
    has_departures: bool,
    /// The pairs that overlap along all sorted axes; without counters, that overlap.
    close: PairCounters,
    counters: PairCounters,
    matrix: Vec<u8>,
    active: Vec<u32>,
    exchanges: u64,
    tests: u64,
}

/// With more newcomers than one in this many, everything is sorted again.
const FEW_NEWCOMERS: usize = 16;

impl SweepAndPruneDetector {
    /// The most slots for which a matrix is kept: 33 megabytes.
    pub const MATRIX_SLOTS: usize = 16_384;

    /// The numbers of the sorted axes.
    fn axes(&self) -> &'static [usize] {
        match self.config.axes {
            SweepAxes::Three => &[0, 1, 2],
            SweepAxes::Two(up) => [&[1, 2], &[0, 2], &[0, 1]][usize::from(up) % 3],
        }
    }

    fn counts(&self, slots: usize) -> SweepCounters {
        match self.config.counters {
            SweepCounters::Matrix if slots > Self::MATRIX_SLOTS => SweepCounters::Hash,
            counters => counters,
        }
    }

    fn sort(&mut self, bodies: &BodyTable) {
        let boxes = bodies.boxes();
        let axes = self.axes();
        let counts = self.counts(boxes.len());
        for &axis in axes {
            let mut ends = std::mem::take(&mut self.ends[axis]);
            for end in &mut ends {
                end.value = value(&boxes[end.slot as usize], axis, end.side);
            }
            for i in 1..ends.len() {
                let moving = ends[i];
                let mut at = i;
                while at > 0 && moving.is_before(&ends[at - 1]) {
                    let passed = ends[at - 1];
                    if moving.side != passed.side {
                        self.exchange(boxes, counts, axes.len() as u32, &moving, &passed);
                    }
                    ends[at] = passed;
                    at -= 1;
                    self.exchanges += 1;
                }
                ends[at] = moving;
            }
            self.ends[axis] = ends;
        }
    }

    #[inline]
    fn exchange(
        &mut self,
        boxes: &[Aabb],
        counts: SweepCounters,
        axes: u32,
        moving: &Endpoint,
        passed: &Endpoint,
    ) {
        let pair = key(moving.slot, passed.slot);
        let begins = moving.side == 0;
        if counts == SweepCounters::None {
            if begins {
                self.tests += 1;
                let (a, b) = (&boxes[moving.slot as usize], &boxes[passed.slot as usize]);
                let close = match self.config.axes {
                    SweepAxes::Three => a.overlaps(b),
                    SweepAxes::Two(_) => self.overlap_along_axes(a, b),
                };
                if close && self.close.get(pair) == 0 {
                    self.close.raise(pair);
                }
            } else {
                self.close.lower(pair);
            }
            return;
        }
        let count = self.count(counts, pair, begins);
        if begins && count == axes {
            self.close.raise(pair);
        } else if !begins && count + 1 == axes {
            self.close.lower(pair);
        }
    }

    fn overlap_along_axes(&self, a: &Aabb, b: &Aabb) -> bool {
        self.axes()
            .iter()
            .all(|&k| a.min[k] <= b.max[k] && b.min[k] <= a.max[k])
    }

    /// Changes the number of axes along which a pair overlaps, and returns it.
    fn count(&mut self, counts: SweepCounters, pair: u64, up: bool) -> u32 {
        if counts == SweepCounters::Hash {
            return if up {
                self.counters.raise(pair)
            } else {
                self.counters.lower(pair)
            };
        }
        let (at, shift) = cell(pair);
        if at >= self.matrix.len() {
            self.matrix.resize(at + 1, 0);
        }
        let old = self.matrix[at] >> shift & 3;
        let new = if up {
            (old + 1).min(3)
        } else {
            old.saturating_sub(1)
        };
        self.matrix[at] ^= (old ^ new) << shift;
        u32::from(new)
    }

    /// Sorts all ends again and sweeps over them.
    fn rebuild(&mut self, bodies: &BodyTable) {
        let boxes = bodies.boxes();
        self.listed.clear();
        self.listed.resize(bodies.slots(), false);
        self.close.clear();
        self.counters.clear();
        self.matrix.fill(0);
        let counts = self.counts(boxes.len());
        if counts == SweepCounters::Matrix {
            // The whole triangle at once, so that later frames need no more.
            let (last, _) = cell(key(0, boxes.len() as u32));
            self.matrix.resize(last + 1, 0);
        }
        let axes = self.axes();
        for &axis in axes {
            let mut ends = std::mem::take(&mut self.ends[axis]);
            ends.clear();
            for slot in bodies.bounded() {
                self.listed[slot as usize] = true;
                for side in 0..2 {
                    let value = value(&boxes[slot as usize], axis, side);
                    ends.push(Endpoint { value, side, slot });
                }
            }
            ends.sort_unstable_by(|x, y| {
                let rest = (x.side, x.slot).cmp(&(y.side, y.slot));
                x.value.total_cmp(&y.value).then(rest)
            });
            // The order of numbers knows one zero, that of bits two.
            for i in 1..ends.len() {
                let mut at = i;
                while at > 0 && ends[at].is_before(&ends[at - 1]) {
                    ends.swap(at, at - 1);
                    at -= 1;
                }
            }
            // Without counters one sweep finds everything.
            if counts != SweepCounters::None || axis == axes[0] {
                self.sweep(boxes, counts, axes.len() as u32, &ends);
            }
            self.ends[axis] = ends;
        }
    }

    fn sweep(&mut self, boxes: &[Aabb], counts: SweepCounters, axes: u32, ends: &[Endpoint]) {
        let mut active = std::mem::take(&mut self.active);
        active.clear();
        for end in ends {
            if end.side == 1 {
                if let Some(at) = active.iter().position(|&slot| slot == end.slot) {
                    active.swap_remove(at);
                }
                continue;
            }
            let own = &boxes[end.slot as usize];
            for &other in &active {
                self.tests += 1;
                let pair = key(end.slot, other);
                let found = if counts == SweepCounters::None {
                    self.overlap_along_axes(own, &boxes[other as usize])
                } else {
                    self.count(counts, pair, true) == axes
                };
                if found {
                    self.close.raise(pair);
                }
            }
            active.push(end.slot);
        }
        self.active = active;
    }

    /// Takes the ends of bodies that are gone out of the lists.
    fn purge(&mut self, bodies: &BodyTable) {
        let stays = |slot: u32| bodies.is_present(slot) && !bodies.is_unbounded(slot);
        for ends in &mut self.ends {
            ends.retain(|end| stays(end.slot));
        }
        self.close.retain(stays);
        self.counters.retain(stays);
        for slot in 0..self.listed.len() as u32 {
            if self.listed[slot as usize] && !stays(slot) {
                self.listed[slot as usize] = false;
                if !self.matrix.is_empty() {
                    for other in 0..self.listed.len() as u32 {
                        let (at, shift) = cell(key(slot, other));
                        if other != slot && at < self.matrix.len() {
                            self.matrix[at] &= !(3 << shift);
                        }
                    }
                }
            }
        }
    }

    /// Puts ends of new bodies behind all others, from where the sort brings them in.
    fn append(&mut self, bodies: &BodyTable) {
        for i in 0..self.newcomers.len() {
            let slot = self.newcomers[i];
            if self.listed[slot as usize] || !bodies.is_present(slot) || bodies.is_unbounded(slot) {
                continue;
            }
            self.listed[slot as usize] = true;
            for &axis in self.axes() {
                for side in 0..2 {
                    let value = value(&bodies.boxes()[slot as usize], axis, side);
                    self.ends[axis].push(Endpoint { value, side, slot });
                }
            }
        }
    }
}

#[inline]
fn value(b: &Aabb, axis: usize, side: u32) -> f64 {
    if side == 0 { b.min[axis] } else { b.max[axis] }
}

/// The byte and the shift of a pair in the triangle.
#[inline]
fn cell(pair: u64) -> (usize, u32) {
    let (a, b) = slots(pair);
    let (a, b) = (a as usize, b as usize);
    let at = b * b.saturating_sub(1) / 2 + a;
    (at / 4, 2 * (at % 4) as u32)
}

impl Detector for SweepAndPruneDetector {
    const NAME: &'static str = "sweep and prune";

    fn entered(&mut self, _: &BodyTable, slot: u32) {
        make_room(&mut self.listed, slot, false);
        // A body that comes into a slot whose ends are still listed is one that moved.
        if !self.listed[slot as usize] {
            self.newcomers.push(slot);
        }
    }

    fn moved(&mut self, _: &BodyTable, _: u32) {}

    fn left(&mut self, _: &BodyTable, _: u32) {
        self.has_departures = true;
    }

    fn find(&mut self, bodies: &BodyTable, keys: &mut Vec<u64>) -> bool {
        if self.newcomers.len() > 1 + bodies.len() / FEW_NEWCOMERS {
            self.rebuild(bodies);
        } else {
            if self.has_departures {
                self.purge(bodies);
            }
            self.append(bodies);
            self.sort(bodies);
        }
        self.has_departures = false;
        self.newcomers.clear();
        let pairs = self.close.iter().map(|(pair, _)| pair);
        if self.config.axes == SweepAxes::Three {
            keys.extend(pairs);
        } else {
            let boxes = bodies.boxes();
            keys.extend(pairs.filter(|&pair| {
                let (a, b) = slots(pair);
                boxes[a as usize].overlaps(&boxes[b as usize])
            }));
        }
        false
    }

    fn check(&self, bodies: &BodyTable) -> Result<(), String> {
        for &axis in self.axes() {
            let ends = &self.ends[axis];
            if !ends.is_sorted_by(|x, y| x.is_before(y)) {
                return Err(format!("the ends along axis {axis} are not sorted"));
            }
            let listed = self.listed.iter().filter(|&&is| is).count();
            if ends.len() != 2 * listed {
                return Err(format!(
                    "axis {axis} has {} ends for {listed} bodies",
                    ends.len()
                ));
            }
        }
        let waiting = |slot: &u32| !self.listed.get(*slot as usize).is_some_and(|&is| is);
        if let Some(slot) = bodies
            .bounded()
            .find(|slot| waiting(slot) && !self.newcomers.contains(slot))
        {
            return Err(format!("slot {slot} is neither listed nor new"));
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        let ends: usize = self.ends.iter().map(Vec::capacity).sum();
        ends * size_of::<Endpoint>()
            + self.listed.capacity()
            + self.matrix.capacity()
            + self.close.bytes()
            + self.counters.bytes()
            + (self.newcomers.capacity() + self.active.capacity()) * 4
    }

    fn work(&self) -> BroadWork {
        BroadWork {
            tests: self.tests,
            upkeep: self.exchanges,
            entries: (self.close.len() + self.counters.len() + 4 * self.matrix.len()) as u64,
        }
    }
}
