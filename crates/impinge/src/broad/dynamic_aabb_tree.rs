//! Dynamic AABB tree with eight children per node: the default broad phase.
//!
//! **Question.** Which boxes overlap, when many move a little and some move far?
//! **Idea.** Boxes are sorted along a Morton curve and grouped by eight into nodes; then the tree
//! is traversed against itself. One SIMD instruction compares a box with eight others. Moving boxes
//! are first fattened by a few of their recent steps. As long as every box stays inside its fat
//! box, the overlapping fat pairs remain the only candidates: such a frame costs one comparison per
//! candidate and no traversal. A few boxes that leave their fat boxes are queried one by one; when
//! many do, the tree is rebuilt and traversed again.
//! **Source.** Trees over a space-filling order: Morton 1966, Karras 2012. Widened boxes: Verlet's
//! neighbour list, 1967.
//! **Cost.** A quiet frame: linear in the number of candidates. A rebuild: `O(n log n)`, with about
//! twelve comparisons of some nanoseconds per box at usual densities. Memory: about 100 bytes per
//! body and 8 per candidate.
//! **Promise.** Exactly the overlapping pairs: fattened boxes are rounded outward and only exclude
//! pairs; candidates are compared in double precision. The number of threads does not matter,
//! because candidates are sorted.
//! **Limits.** A single body that leaves its fat box costs a pass over all candidates.

use super::body_table::BodyTable;
use super::broad_phase::{Detector, DetectorPhase, key, slots};
use super::linear_bvh8::{Box32, GRAIN, JoinScratch, LinearBvh8, NOWHERE, UNSORTED};
use super::morton_order::MortonOrder;
use super::object::{BroadWork, ObjectId};
#[cfg(feature = "parallel")]
use super::parallel_filter;
use super::parallel_resize::grow;
use super::radix_sort::RadixSort;
use crate::bound::Aabb;
use crate::math::outward_rounding;
use crate::math::simd::Level;

/// A dynamic AABB tree over widened (fat) boxes.
#[doc(alias = "dynamic AABB tree")]
#[doc(alias = "AABB tree")]
#[doc(alias = "BVH")]
#[doc(alias = "DBVT")]
pub type DynamicAabbTree = DetectorPhase<DynamicAabbTreeDetector>;

/// A box is widened by this many of its recent steps.
const STEPS: f64 = 12.0;
/// A box is widened by at most this fraction of its largest side, to keep the number of candidates low.
const MOST: f64 = 0.125;
/// If more than one body in this many has left its widened box, all pairs are computed again.
const FEW_STRAYS: usize = 32;
/// This many strays never cause all pairs to be computed again.
const ALWAYS_FEW: usize = 8;
/// Places of the flat list that never cause a new join.
const YOUNG_AT_LEAST: usize = 64;
/// From this many bodies on, boxes are widened in parallel, in chunks of at most a quarter of this number.
#[cfg(feature = "parallel")]
const MANY_BODIES: usize = 8192;

/// How a [`DynamicAabbTree`] works; answers do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DynamicAabbTreeConfig {
    /// Whether long tasks are divided among the threads of the caller's pool; never without feature
    /// `parallel`.
    pub parallel: bool,
}

impl Default for DynamicAabbTreeConfig {
    fn default() -> Self {
        Self { parallel: true }
    }
}

impl DynamicAabbTree {
    /// A tree with these options.
    ///
    /// ```
    /// use impinge::broad::{BroadPhase, DynamicAabbTree, DynamicAabbTreeConfig};
    /// let mut tree = DynamicAabbTree::new(DynamicAabbTreeConfig { parallel: false });
    /// assert!(tree.pairs().is_empty());
    /// ```
    #[must_use]
    pub fn new(config: DynamicAabbTreeConfig) -> Self {
        Self::with(DynamicAabbTreeDetector {
            parallel: config.parallel,
            ..DynamicAabbTreeDetector::default()
        })
    }
}

/// What is kept of a body.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct TreeEntry {
    /// The widened box; NaN before the first join.
    wide: Box32,
    /// Where it is in the tree.
    place: u32,
    /// Whether it is among the strays.
    is_stray: u32,
}

const _: () = assert!(size_of::<TreeEntry>() == 32);

impl TreeEntry {
    const NEW: Self = Self {
        wide: Box32 {
            min: [f32::NAN; 3],
            max: [f32::NAN; 3],
        },
        place: NOWHERE,
        is_stray: 0,
    };

    #[inline(always)]
    fn holds(&self, b: &Aabb) -> bool {
        let (lo, hi) = (&self.wide.min, &self.wide.max);
        (f64::from(lo[0]) <= b.min.x)
            & (f64::from(lo[1]) <= b.min.y)
            & (f64::from(lo[2]) <= b.min.z)
            & (b.max.x <= f64::from(hi[0]))
            & (b.max.y <= f64::from(hi[1]))
            & (b.max.z <= f64::from(hi[2]))
    }
}

/// Where a body was when its box was last widened.
#[derive(Clone, Copy, Debug)]
struct FatBoxOrigin {
    min: [f32; 3],
    max: [f32; 3],
    /// In which frame; `NEVER` before the first.
    frame: u32,
}

const NEVER: u32 = u32::MAX;

impl FatBoxOrigin {
    const NEW: Self = Self {
        min: [0.0; 3],
        max: [0.0; 3],
        frame: NEVER,
    };
}

/// The detector of [`DynamicAabbTree`].
#[derive(Debug)]
pub struct DynamicAabbTreeDetector {
    level: Level,
    parallel: bool,
    entries: Vec<TreeEntry>,
    homes: Vec<FatBoxOrigin>,
    levels: LinearBvh8,
    order: MortonOrder,
    /// Slots whose widened box is out of date, or that are gone; each once.
    strays: Vec<u32>,
    /// Whether so many stray that they were not listed: everything must be joined again.
    is_void: bool,
    /// Whether entries know their places in the tree; only looking up strays needs that.
    has_places: bool,
    /// Pairs of overlapping widened boxes, sorted.
    candidates: Vec<u64>,
    spare: Vec<u64>,
    radix: RadixSort,
    pieces: Vec<JoinScratch>,
    stack: Vec<(u32, u32)>,
    found: Vec<u32>,
    frame: u32,
    tests: u64,
    upkeep: u64,
}

impl Default for DynamicAabbTreeDetector {
    fn default() -> Self {
        Self {
            level: Level::detect(),
            parallel: DynamicAabbTreeConfig::default().parallel,
            entries: Vec::new(),
            homes: Vec::new(),
            levels: LinearBvh8::default(),
            order: MortonOrder::default(),
            strays: Vec::new(),
            is_void: false,
            has_places: true,
            candidates: Vec::new(),
            spare: Vec::new(),
            radix: RadixSort::default(),
            pieces: Vec::new(),
            stack: Vec::new(),
            found: Vec::new(),
            frame: 0,
            tests: 0,
            upkeep: 0,
        }
    }
}

impl DynamicAabbTreeDetector {
    fn stray(&mut self, slot: u32) {
        let entry = &mut self.entries[slot as usize];
        if entry.is_stray == 0 {
            entry.is_stray = 1;
            self.strays.push(slot);
        }
    }

    /// Everything again: order, widened boxes, tree, candidates.
    fn join_all(&mut self, bodies: &BodyTable) {
        for &slot in &self.strays {
            self.entries[slot as usize].is_stray = 0;
        }
        self.strays.clear();
        self.is_void = false;
        self.has_places = false;
        let slots = self.levels.slots_mut();
        self.order.sort(bodies, slots, self.parallel);
        self.upkeep += slots.len() as u64;
        let frame = self.frame;
        let boxes = bodies.boxes();
        let widen_one = |((entry, home), b): ((&mut TreeEntry, &mut FatBoxOrigin), &Aabb)| {
            if !b.min.x.is_nan() {
                entry.wide = widen(b, home, frame);
            }
        };
        let count = self.entries.len();
        for_all(
            &mut self.entries[..count],
            &mut self.homes[..count],
            &boxes[..count],
            self.parallel,
            widen_one,
        );
        let entries = &self.entries;
        let wide = |slot: u32| entries[slot as usize].wide;
        self.levels.fill(wide, self.parallel);
        let nodes = self.levels.nodes();
        let pieces = nodes.div_ceil(GRAIN);
        if self.pieces.len() < pieces {
            self.pieces.resize_with(pieces, JoinScratch::default);
        }
        let (levels, level) = (&self.levels, self.level);
        let piece = |(i, out): (usize, &mut JoinScratch)| {
            levels.join(level, i * GRAIN..((i + 1) * GRAIN).min(nodes), out)
        };
        self.tests += join_pieces(&mut self.pieces[..pieces], self.parallel, piece);
        self.radix.gather_pairs(
            &self.pieces[..pieces],
            |piece| &piece.keys,
            bodies.slots(),
            self.parallel,
            &mut self.candidates,
        );
    }

    /// Tells every entry its place in a tree just made.
    fn find_places(&mut self) {
        for entry in &mut self.entries {
            entry.place = NOWHERE;
        }
        for (place, &slot) in self.levels.slots().iter().enumerate() {
            if slot != NOWHERE {
                self.entries[slot as usize].place = place as u32;
            }
        }
        self.has_places = true;
    }

    /// Looks the strays up one by one and patches the candidates.
    fn join_strays(&mut self, bodies: &BodyTable) {
        if !self.has_places {
            self.find_places();
        }
        self.strays.sort_unstable();
        for i in 0..self.strays.len() {
            let slot = self.strays[i];
            let entry = &mut self.entries[slot as usize];
            if bodies.is_present(slot) && !bodies.is_unbounded(slot) {
                let home = &mut self.homes[slot as usize];
                entry.wide = widen(&bodies.boxes()[slot as usize], home, self.frame);
                entry.place = self.levels.place(entry.place, slot, &entry.wide);
            } else if entry.place != NOWHERE {
                self.levels.remove(entry.place);
                entry.place = NOWHERE;
            }
        }
        self.upkeep += self.strays.len() as u64;
        self.spare.clear();
        for i in 0..self.strays.len() {
            let slot = self.strays[i];
            let entry = &self.entries[slot as usize];
            if entry.place == NOWHERE {
                continue;
            }
            self.found.clear();
            let wide = entry.wide;
            self.tests += self
                .levels
                .query(self.level, &wide, &mut self.stack, &mut self.found);
            for &other in &self.found {
                // Two strays find each other twice.
                if other > slot || (other < slot && self.entries[other as usize].is_stray == 0) {
                    self.spare.push(key(slot, other));
                }
            }
        }
        self.drop_strays();
        self.spare.sort_unstable();
        merge(&mut self.candidates, &self.spare);
        for &slot in &self.strays {
            self.entries[slot as usize].is_stray = 0;
        }
        self.strays.clear();
    }

    /// Leaves only the candidates of which neither body strays.
    fn drop_strays(&mut self) {
        let entries = &self.entries;
        let stays = |k: &u64| {
            let (a, b) = slots(*k);
            entries[a as usize].is_stray | entries[b as usize].is_stray == 0
        };
        #[cfg(feature = "parallel")]
        if self.parallel && self.candidates.len() >= 2 * parallel_filter::PIECE {
            let keep = |some: &[u64], kept: &mut Vec<u64>| {
                kept.extend(some.iter().copied().filter(|k| stays(k)));
            };
            let count = parallel_filter::parallel_filter(&self.candidates, &mut self.pieces, keep);
            self.candidates.clear();
            parallel_filter::append(&self.pieces[..count], &mut self.candidates);
            return;
        }
        self.candidates.retain(stays);
    }
}

/// Merges a sorted list into another from the back, so that nothing is moved twice.
fn merge(into: &mut Vec<u64>, from: &[u64]) {
    let mut i = into.len();
    into.resize(i + from.len(), 0);
    let mut end = into.len();
    for &new in from.iter().rev() {
        let at = into[..i].partition_point(|&old| old < new);
        into.copy_within(at..i, end - (i - at));
        end -= i - at + 1;
        into[end] = new;
        i = at;
    }
}

/// The box to be held, and where it was.
fn widen(b: &Aabb, home: &mut FatBoxOrigin, frame: u32) -> Box32 {
    let (lo, hi) = (b.min, b.max);
    let mut margin = 0.0;
    if home.frame != NEVER {
        let frames = f64::from(frame.wrapping_sub(home.frame).max(1));
        let shift = |x: f64, was: f32| (x - f64::from(was)).abs();
        let far = shift(lo.x, home.min[0])
            .max(shift(lo.y, home.min[1]))
            .max(shift(lo.z, home.min[2]))
            .max(shift(hi.x, home.max[0]))
            .max(shift(hi.y, home.max[1]))
            .max(shift(hi.z, home.max[2]));
        let step = far / frames;
        let most = MOST * (hi.x - lo.x).max(hi.y - lo.y).max(hi.z - lo.z);
        // A box that is about to leave any margin is not worth one.
        if 2.0 * step < most {
            margin = (STEPS * step).min(most);
        }
    }
    *home = FatBoxOrigin {
        min: [lo.x as f32, lo.y as f32, lo.z as f32],
        max: [hi.x as f32, hi.y as f32, hi.z as f32],
        frame,
    };
    let (min, max) = outward_rounding::outward(lo - margin, hi + margin);
    Box32 { min, max }
}

fn for_all(
    entries: &mut [TreeEntry],
    homes: &mut [FatBoxOrigin],
    boxes: &[Aabb],
    parallel: bool,
    f: impl Fn(((&mut TreeEntry, &mut FatBoxOrigin), &Aabb)) + Sync + Send,
) {
    #[cfg(feature = "parallel")]
    if parallel && entries.len() >= MANY_BODIES {
        use rayon::prelude::*;
        entries
            .par_iter_mut()
            .zip(homes)
            .zip(boxes)
            .with_min_len(MANY_BODIES / 8)
            .with_max_len(MANY_BODIES / 4)
            .for_each(f);
        return;
    }
    let _ = parallel;
    entries.iter_mut().zip(homes).zip(boxes).for_each(f);
}

/// How many strays are looked up one by one.
fn few_strays(bodies: &BodyTable) -> usize {
    ALWAYS_FEW.max(bodies.len() / FEW_STRAYS)
}

fn join_pieces(
    pieces: &mut [JoinScratch],
    parallel: bool,
    join: impl Fn((usize, &mut JoinScratch)) -> u64 + Sync + Send,
) -> u64 {
    #[cfg(feature = "parallel")]
    if parallel && pieces.len() > 1 {
        use rayon::prelude::*;
        let all = pieces.par_iter_mut().enumerate().with_max_len(1);
        return all.map(join).sum();
    }
    let _ = parallel;
    pieces.iter_mut().enumerate().map(join).sum()
}

/// Writes the candidates whose boxes overlap.
#[inline]
fn confirm(boxes: &[Aabb], candidates: &[u64], keys: &mut Vec<u64>) {
    // Every candidate is written and the end moves only for hits: no branch to guess wrong.
    let start = keys.len();
    keys.resize(start + candidates.len(), 0);
    let mut end = start;
    for &candidate in candidates {
        let (a, b) = slots(candidate);
        let (p, q) = (&boxes[a as usize], &boxes[b as usize]);
        let hit = (p.min.x <= q.max.x)
            & (q.min.x <= p.max.x)
            & (p.min.y <= q.max.y)
            & (q.min.y <= p.max.y)
            & (p.min.z <= q.max.z)
            & (q.min.z <= p.max.z);
        keys[end] = candidate;
        end += usize::from(hit);
    }
    keys.truncate(end);
}

impl Detector for DynamicAabbTreeDetector {
    const NAME: &'static str = "tree";

    fn entered(&mut self, _: &BodyTable, slot: u32) {
        let at = slot as usize;
        if at >= self.entries.len() {
            self.entries.resize(at + 1, TreeEntry::NEW);
            self.homes.resize(at + 1, FatBoxOrigin::NEW);
        }
        self.homes[at].frame = NEVER;
        self.stray(slot);
    }

    fn entered_many(&mut self, bodies: &BodyTable, ids: &[ObjectId]) {
        let Some(last) = ids.last() else {
            return;
        };
        if ids.len() <= few_strays(bodies) {
            for id in ids {
                self.entered(bodies, id.slot());
            }
            return;
        }
        // So many that everything is joined anew, which needs no list of them.
        self.is_void = true;
        let needed = last.slot() as usize + 1;
        let before = self.homes.len();
        grow(&mut self.entries, needed, TreeEntry::NEW, self.parallel);
        grow(&mut self.homes, needed, FatBoxOrigin::NEW, self.parallel);
        // Only slots that others had before remember them.
        for id in ids.iter().take_while(|id| (id.slot() as usize) < before) {
            self.homes[id.slot() as usize].frame = NEVER;
        }
    }

    fn moved(&mut self, bodies: &BodyTable, slot: u32) {
        if !self.entries[slot as usize].holds(&bodies.boxes()[slot as usize]) {
            self.stray(slot);
        }
    }

    fn minds(&self, slot: u32, new: &Aabb) -> bool {
        let entry = self.entries.get(slot as usize);
        !self.is_void && entry.is_none_or(|entry| !entry.holds(new))
    }

    fn moved_many(&mut self, bodies: &BodyTable, ids: &[ObjectId], group: usize, minded: &[u32]) {
        if self.is_void {
            return;
        }
        let count: usize = minded.iter().map(|&n| n as usize).sum();
        if count + self.strays.len() > few_strays(bodies) {
            self.is_void = true;
            return;
        }
        for (ids, &count) in ids.chunks(group).zip(minded) {
            if count > 0 {
                for id in ids {
                    self.moved(bodies, id.slot());
                }
            }
        }
    }

    fn left(&mut self, _: &BodyTable, slot: u32) {
        self.stray(slot);
    }

    fn find(&mut self, bodies: &BodyTable, keys: &mut Vec<u64>) -> bool {
        self.frame = (self.frame + 1) % NEVER;
        let young = YOUNG_AT_LEAST.max(bodies.len() / FEW_STRAYS);
        let are_few = self.strays.len() <= few_strays(bodies);
        if self.is_void || !are_few || self.levels.young() + self.strays.len() > young {
            self.join_all(bodies);
        } else if !self.strays.is_empty() {
            self.join_strays(bodies);
        }
        self.tests += self.candidates.len() as u64;
        let boxes = bodies.boxes();
        #[cfg(feature = "parallel")]
        if self.parallel && self.candidates.len() >= 2 * parallel_filter::PIECE {
            let keep = |some: &[u64], kept: &mut Vec<u64>| confirm(boxes, some, kept);
            let count = parallel_filter::parallel_filter(&self.candidates, &mut self.pieces, keep);
            parallel_filter::append(&self.pieces[..count], keys);
            return true;
        }
        confirm(boxes, &self.candidates, keys);
        true
    }

    fn check(&self, bodies: &BodyTable) -> Result<(), String> {
        self.levels.check()?;
        if !self.candidates.is_sorted_by(|x, y| x < y) {
            return Err("candidates are not sorted".to_owned());
        }
        for slot in bodies.bounded() {
            let entry = &self.entries[slot as usize];
            if entry.is_stray != 0 || self.is_void {
                continue;
            }
            if !entry.holds(&bodies.boxes()[slot as usize]) {
                return Err(format!("slot {slot} left its widened box unnoticed"));
            }
            if !self.has_places {
                continue;
            }
            let (there, wide) = self.levels.box_at(entry.place);
            if there != slot || wide != entry.wide {
                let kind = if entry.place & UNSORTED == 0 {
                    "tree"
                } else {
                    "list"
                };
                return Err(format!("slot {slot} is not at its place in the {kind}"));
            }
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        let pieces: usize = self.pieces.iter().map(|p| p.keys.capacity() * 8).sum();
        self.entries.capacity() * size_of::<TreeEntry>()
            + self.homes.capacity() * size_of::<FatBoxOrigin>()
            + self.levels.bytes()
            + self.order.bytes()
            + self.radix.bytes()
            + (self.candidates.capacity() + self.spare.capacity()) * 8
            + pieces
            + self.strays.capacity() * 4
    }

    fn work(&self) -> BroadWork {
        BroadWork {
            tests: self.tests,
            upkeep: self.upkeep,
            entries: self.candidates.len() as u64,
        }
    }

    fn is_parallel(&self) -> bool {
        self.parallel
    }
}
