//! The trait of all broad phases, and what they share.

use std::fmt::Debug;

use super::body_table::{BodyTable, GROUP, UNWRITTEN, is_unbounded};
use super::object::{Bounds, BroadError, BroadWork, ObjectId, ObjectPair, PairChange};
use super::radix_sort::RadixSort;
use crate::bound::Aabb;
use crate::bvh::Violation;

/// Finds the pairs of bodies whose bounds overlap.
///
/// Every broad phase gives the same answers: exactly the pairs whose boxes along the axes share a point, touching
/// included, in the order of their ids. Two kinds may leave out more, when bodies have oriented boxes: a
/// [`Grid`](super::UniformGrid) and a [`SlabOctree`](super::SlabOctree) that are configured to use them.
///
/// ```
/// use impinge::bound::Aabb;
/// use impinge::broad::{BroadPhase, PairChange, ObjectId, ObjectPair, DynamicAabbTree};
/// use impinge::DVec3;
/// let at = |x: f64| Aabb { min: DVec3::splat(x), max: DVec3::splat(x + 1.0) }.into();
/// let (p, q) = (ObjectId::new(0, 0), ObjectId::new(1, 0));
/// let mut broad = DynamicAabbTree::default();
/// broad.insert(p, &at(0.0))?;
/// broad.insert(q, &at(1.0))?;
/// assert_eq!(broad.pairs(), [ObjectPair { a: p, b: q }]);
/// assert_eq!(broad.changes(), [PairChange::Began(ObjectPair { a: p, b: q })]);
/// broad.update(q, &at(5.0))?;
/// assert_eq!(broad.changes(), [PairChange::Ended(ObjectPair { a: p, b: q })]);
/// assert!(broad.changes().is_empty());
/// # Ok::<(), impinge::broad::BroadError>(())
/// ```
#[doc(alias = "broad phase")]
#[doc(alias = "broadphase")]
pub trait BroadPhase: Debug + Send + Sync {
    /// The name of the method, for tables and logs.
    fn name(&self) -> &'static str;

    /// Takes a body in.
    ///
    /// # Errors
    /// When the slot is taken or too large, or the box is empty or not a number. Nothing changes then.
    fn insert(&mut self, id: ObjectId, bounds: &Bounds) -> Result<(), BroadError>;

    /// Gives a body new bounds.
    ///
    /// # Errors
    /// When there is no such body, or the box is empty or not a number. Nothing changes then.
    fn update(&mut self, id: ObjectId, bounds: &Bounds) -> Result<(), BroadError>;

    /// Lets a body go.
    ///
    /// # Errors
    /// When there is no such body.
    fn remove(&mut self, id: ObjectId) -> Result<(), BroadError>;

    /// Gives many bodies new boxes without oriented ones; fastest when the ids ascend.
    ///
    /// # Errors
    /// As [`update`](Self::update), for the first body that is refused: refused ones keep their boxes, all others have their new ones.
    fn update_boxes(&mut self, ids: &[ObjectId], boxes: &[Aabb]) -> Result<(), BroadError> {
        check_lengths(ids, boxes)?;
        update_each(self, ids, boxes)
    }

    /// Takes many bodies in, without oriented boxes; fastest when the ids ascend.
    ///
    /// # Errors
    /// As [`insert`](Self::insert); bodies before the refused one are in then.
    fn insert_boxes(&mut self, ids: &[ObjectId], boxes: &[Aabb]) -> Result<(), BroadError> {
        check_lengths(ids, boxes)?;
        insert_each(self, ids, boxes)
    }

    /// All overlapping pairs, each once, sorted.
    fn pairs(&mut self) -> &[ObjectPair];

    /// The difference between the overlapping pairs now and at the last call, sorted by pair.
    ///
    /// For each pair `Began` and `Ended` alternate strictly, `Began` first. What began and ended between
    /// two calls is not reported.
    fn changes(&mut self) -> &[PairChange];

    /// The bodies and their bounds.
    fn bodies(&self) -> &BodyTable;

    /// The pairs that [`changes`](Self::changes) has reported as begun and not as ended, sorted.
    fn reported(&self) -> &[ObjectPair];

    /// Treats these pairs as reported, so that [`changes`](Self::changes) goes on from them.
    fn adopt(&mut self, reported: &[ObjectPair]);

    /// Whether the state is sound.
    ///
    /// # Errors
    /// The first broken promise, which only a bug can cause.
    fn validate(&self) -> Result<(), Violation>;

    /// The memory held, without the allocator's overhead.
    fn bytes(&self) -> usize;

    /// The work done so far.
    fn work(&self) -> BroadWork;
}

/// Moves all bodies, and what was reported of them, into an empty broad phase: no change is lost and none is
/// reported twice.
///
/// ```
/// use impinge::bound::Aabb;
/// use impinge::broad::{BroadPhase, BruteForce, ObjectId, DynamicAabbTree, swap_broad_phase};
/// use impinge::DVec3;
/// let mut old: Box<dyn BroadPhase> = Box::new(BruteForce::default());
/// for slot in 0..2 {
///     old.insert(ObjectId::new(slot, 0), &Aabb { min: DVec3::ZERO, max: DVec3::ONE }.into())?;
/// }
/// assert_eq!(old.changes().len(), 1);
/// let mut new: Box<dyn BroadPhase> = Box::new(DynamicAabbTree::default());
/// swap_broad_phase(&*old, &mut *new)?;
/// assert_eq!((new.pairs().len(), new.changes().len()), (1, 0));
/// # Ok::<(), impinge::broad::BroadError>(())
/// ```
///
/// # Errors
/// When the new one has bodies already.
pub fn swap_broad_phase(old: &dyn BroadPhase, new: &mut dyn BroadPhase) -> Result<(), BroadError> {
    let bodies = old.bodies();
    if !new.bodies().is_empty() {
        return Err(BroadError::NotEmpty {
            bodies: new.bodies().len(),
        });
    }
    for id in bodies.ids() {
        if let Some(bounds) = bodies.bounds(id) {
            new.insert(id, &bounds)?;
        }
    }
    new.adopt(old.reported());
    Ok(())
}

/// A way of finding overlapping pairs among bounded boxes; [`DetectorPhase`] makes a broad phase of it.
///
/// Its functions are called after the table has changed, and never for unbounded boxes: [`DetectorPhase`] compares these with
/// every other box.
pub trait Detector: Debug + Send + Sync {
    /// The name of the method.
    const NAME: &'static str;

    /// A body came into the slot.
    fn entered(&mut self, bodies: &BodyTable, slot: u32);

    /// Many bodies came; slots ascend.
    fn entered_many(&mut self, bodies: &BodyTable, ids: &[ObjectId]) {
        for id in ids {
            self.entered(bodies, id.slot());
        }
    }

    /// The body in the slot has new bounds; unless said otherwise, that is as if it came again.
    fn moved(&mut self, bodies: &BodyTable, slot: u32) {
        self.entered(bodies, slot);
    }

    /// Whether [`moved`](Self::moved) has to be called when the body in the slot gets this box; for other bodies the call may be
    /// left out.
    fn minds(&self, slot: u32, new: &Aabb) -> bool {
        let _ = (slot, new);
        true
    }

    /// Many bodies have new boxes, `group` by `group`; for each group the number of those that the detector
    /// [`minds`](Self::minds).
    fn moved_many(&mut self, bodies: &BodyTable, ids: &[ObjectId], group: usize, minded: &[u32]) {
        for (ids, &count) in ids.chunks(group).zip(minded) {
            if count > 0 {
                for id in ids {
                    self.moved(bodies, id.slot());
                }
            }
        }
    }

    /// The body in the slot is gone.
    fn left(&mut self, bodies: &BodyTable, slot: u32);

    /// Writes all overlapping pairs of bounded boxes, each once, as [`key`]s in any order; returns whether they
    /// are sorted.
    fn find(&mut self, bodies: &BodyTable, keys: &mut Vec<u64>) -> bool;

    /// Whether the state is sound.
    ///
    /// # Errors
    /// The broken promise.
    fn check(&self, bodies: &BodyTable) -> Result<(), String>;

    /// The memory held.
    fn bytes(&self) -> usize;

    /// The work done so far.
    fn work(&self) -> BroadWork;

    /// Whether work on many bodies may be shared among threads.
    fn is_parallel(&self) -> bool {
        false
    }
}

/// The key of a pair of different slots, in either order; keys are ordered like pairs.
///
/// ```
/// use impinge::broad::{key, slots};
/// assert_eq!(key(7, 3), key(3, 7));
/// assert_eq!(slots(key(7, 3)), (3, 7));
/// ```
#[inline]
#[must_use]
pub fn key(x: u32, y: u32) -> u64 {
    u64::from(x.min(y)) << 32 | u64::from(x.max(y))
}

/// The slots of a [`key`], the smaller first.
///
/// ```
/// use impinge::broad::{key, slots};
/// assert_eq!(slots(key(1, 2)), (1, 2));
/// ```
#[inline]
#[must_use]
pub fn slots(key: u64) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

/// A broad phase made of a detector, the table of bodies and the list of pairs.
#[derive(Debug, Default)]
pub struct DetectorPhase<D> {
    bodies: BodyTable,
    pub(super) detector: D,
    keys: Vec<u64>,
    radix: RadixSort,
    pairs: Vec<ObjectPair>,
    reported: Vec<ObjectPair>,
    changes: Vec<PairChange>,
    minded: Vec<u32>,
    /// Whether `pairs` may be out of date.
    is_stale: bool,
    /// Whether `pairs` may differ from `reported`.
    is_untold: bool,
}

impl<D: Detector> DetectorPhase<D> {
    /// A broad phase with this detector, without bodies.
    ///
    /// ```
    /// use impinge::broad::{BroadPhase, BruteForce};
    /// assert!(BruteForce::default().pairs().is_empty());
    /// ```
    #[must_use]
    pub fn with(detector: D) -> Self {
        Self {
            bodies: BodyTable::default(),
            detector,
            keys: Vec::new(),
            radix: RadixSort::default(),
            pairs: Vec::new(),
            reported: Vec::new(),
            changes: Vec::new(),
            minded: Vec::new(),
            is_stale: false,
            is_untold: false,
        }
    }

    /// The detector, for its own methods.
    ///
    /// ```
    /// use impinge::broad::{Octree, OctreeConfig};
    /// let tree = Octree::new(OctreeConfig { depth: 1, ..Default::default() });
    /// assert_eq!(tree.detector().references().len(), 2);
    /// ```
    #[must_use]
    pub fn detector(&self) -> &D {
        &self.detector
    }

    fn touch(&mut self) {
        self.is_stale = true;
        self.is_untold = true;
    }

    fn settle(&mut self) {
        if !self.is_stale {
            return;
        }
        self.is_stale = false;
        let Self {
            bodies,
            detector,
            keys,
            pairs,
            ..
        } = self;
        keys.clear();
        let mut is_sorted = detector.find(bodies, keys);
        for (i, &u) in bodies.unbounded().iter().enumerate() {
            is_sorted = false;
            let rest = &bodies.unbounded()[..=i];
            let wide = &bodies.boxes()[u as usize];
            for (slot, b) in bodies.boxes().iter().enumerate() {
                // A pair of unbounded boxes is found from its larger slot.
                let slot = slot as u32;
                if b.overlaps(wide) && (!is_unbounded(b) || rest[..i].binary_search(&slot).is_ok())
                {
                    keys.push(key(slot, u));
                }
            }
        }
        if !is_sorted {
            self.radix
                .sort_pairs(keys, bodies.slots(), detector.is_parallel());
        }
        let pair = |&k: &u64| {
            let (a, b) = slots(k);
            ObjectPair {
                a: bodies.id(a),
                b: bodies.id(b),
            }
        };
        #[cfg(feature = "parallel")]
        if detector.is_parallel() && keys.len() >= MANY_PAIRS {
            use rayon::prelude::*;
            let all = keys.par_iter().with_min_len(MANY_PAIRS / 8);
            let all = all.with_max_len(MANY_PAIRS / 4);
            all.map(pair).collect_into_vec(pairs);
            return;
        }
        pairs.clear();
        pairs.extend(keys.iter().map(pair));
    }
}

fn check_lengths(ids: &[ObjectId], boxes: &[Aabb]) -> Result<(), BroadError> {
    if ids.len() == boxes.len() {
        return Ok(());
    }
    Err(BroadError::Lengths {
        ids: ids.len(),
        boxes: boxes.len(),
    })
}

/// Takes the bodies in one by one, up to the first that is refused.
fn insert_each(
    broad: &mut (impl BroadPhase + ?Sized),
    ids: &[ObjectId],
    boxes: &[Aabb],
) -> Result<(), BroadError> {
    ids.iter()
        .zip(boxes)
        .try_for_each(|(&id, &aabb)| broad.insert(id, &aabb.into()))
}

/// Gives all bodies their new boxes one by one; the first refusal comes back.
fn update_each(
    broad: &mut (impl BroadPhase + ?Sized),
    ids: &[ObjectId],
    boxes: &[Aabb],
) -> Result<(), BroadError> {
    let mut first = Ok(());
    for (&id, &aabb) in ids.iter().zip(boxes) {
        first = first.and(broad.update(id, &aabb.into()));
    }
    first
}

/// From this many on, threads share the naming of pairs.
#[cfg(feature = "parallel")]
const MANY_PAIRS: usize = 1 << 13;

impl<D: Detector> BroadPhase for DetectorPhase<D> {
    fn name(&self) -> &'static str {
        D::NAME
    }

    fn insert(&mut self, id: ObjectId, bounds: &Bounds) -> Result<(), BroadError> {
        let slot = self.bodies.insert(id, bounds)?;
        self.touch();
        if !is_unbounded(&bounds.aabb) {
            self.detector.entered(&self.bodies, slot);
        }
        Ok(())
    }

    fn update(&mut self, id: ObjectId, bounds: &Bounds) -> Result<(), BroadError> {
        let slot = self.bodies.slot(id)?;
        let was = is_unbounded(&self.bodies.boxes()[slot as usize]);
        self.bodies.update(id, bounds)?;
        self.touch();
        match (was, is_unbounded(&bounds.aabb)) {
            (false, false) => self.detector.moved(&self.bodies, slot),
            (false, true) => self.detector.left(&self.bodies, slot),
            (true, false) => self.detector.entered(&self.bodies, slot),
            (true, true) => {}
        }
        Ok(())
    }

    fn remove(&mut self, id: ObjectId) -> Result<(), BroadError> {
        let slot = self.bodies.slot(id)?;
        let was = is_unbounded(&self.bodies.boxes()[slot as usize]);
        self.bodies.remove(id)?;
        self.touch();
        if !was {
            self.detector.left(&self.bodies, slot);
        }
        Ok(())
    }

    fn update_boxes(&mut self, ids: &[ObjectId], boxes: &[Aabb]) -> Result<(), BroadError> {
        check_lengths(ids, boxes)?;
        let Self {
            bodies,
            detector,
            minded,
            ..
        } = self;
        let parallel = detector.is_parallel() && ids.len() >= MANY_BOXES;
        let minds = |slot: u32, new: &Aabb| detector.minds(slot, new);
        bodies.update_groups(ids, boxes, parallel, minds, minded);
        // From the first group on that must be looked at one by one, all are: an id may be there twice, and the last box counts.
        let unwritten = minded.iter().position(|&count| count == UNWRITTEN);
        let (written, _) = minded.split_at(unwritten.unwrap_or(minded.len()));
        if !written.is_empty() {
            let end = (written.len() * GROUP).min(ids.len());
            detector.moved_many(bodies, &ids[..end], GROUP, written);
            self.touch();
        }
        let rest = unwritten.map_or(ids.len(), |group| group * GROUP);
        update_each(self, &ids[rest..], &boxes[rest..])
    }

    fn insert_boxes(&mut self, ids: &[ObjectId], boxes: &[Aabb]) -> Result<(), BroadError> {
        check_lengths(ids, boxes)?;
        let parallel = self.detector.is_parallel() && ids.len() >= MANY_BOXES;
        if self.bodies.insert_plain(ids, boxes, parallel) {
            self.touch();
            self.detector.entered_many(&self.bodies, ids);
            return Ok(());
        }
        insert_each(self, ids, boxes)
    }

    fn pairs(&mut self) -> &[ObjectPair] {
        self.settle();
        &self.pairs
    }

    fn changes(&mut self) -> &[PairChange] {
        self.settle();
        self.changes.clear();
        if self.is_untold {
            self.is_untold = false;
            pair_changes(&self.reported, &self.pairs, &mut self.changes);
            if !self.changes.is_empty() {
                self.reported.clone_from(&self.pairs);
            }
        }
        &self.changes
    }

    fn bodies(&self) -> &BodyTable {
        &self.bodies
    }

    fn reported(&self) -> &[ObjectPair] {
        &self.reported
    }

    fn adopt(&mut self, reported: &[ObjectPair]) {
        self.reported.clear();
        self.reported.extend_from_slice(reported);
        self.reported.sort_unstable();
        self.reported.dedup();
        self.is_untold = true;
    }

    fn validate(&self) -> Result<(), Violation> {
        let sorted =
            self.pairs.is_sorted_by(|x, y| x < y) && self.reported.is_sorted_by(|x, y| x < y);
        let counted = self.bodies.present().count() == self.bodies.len();
        let whole = if !sorted {
            Err("pairs are not sorted".to_owned())
        } else if !counted {
            Err("the number of bodies is wrong".to_owned())
        } else {
            self.detector.check(&self.bodies)
        };
        whole.map_err(|promise| Violation {
            index: D::NAME,
            promise,
        })
    }

    fn bytes(&self) -> usize {
        self.bodies.bytes()
            + self.detector.bytes()
            + self.radix.bytes()
            + self.keys.capacity() * 8
            + self.minded.capacity() * 4
            + (self.pairs.capacity() + self.reported.capacity()) * size_of::<ObjectPair>()
            + self.changes.capacity() * size_of::<PairChange>()
    }

    fn work(&self) -> BroadWork {
        self.detector.work()
    }
}

/// From this many on, threads share the writing of boxes.
const MANY_BOXES: usize = 1 << 13;

/// What is in one sorted list and not in the other.
pub(super) fn pair_changes(
    before: &[ObjectPair],
    now: &[ObjectPair],
    changes: &mut Vec<PairChange>,
) {
    let (mut i, mut k) = (0, 0);
    while i < before.len() || k < now.len() {
        match (before.get(i), now.get(k)) {
            (Some(x), Some(y)) if x == y => {
                i += 1;
                k += 1;
            }
            (Some(x), Some(y)) if y < x => {
                changes.push(PairChange::Began(*y));
                k += 1;
            }
            (Some(x), _) => {
                changes.push(PairChange::Ended(*x));
                i += 1;
            }
            (None, Some(y)) => {
                changes.push(PairChange::Began(*y));
                k += 1;
            }
            (None, None) => {}
        }
    }
}
