//! The table of bodies that every detector reads.

use glam::DVec3;

use super::Bounds;
use super::object::{BroadError, ObjectId};
use super::parallel_resize::grow;
use crate::bound::{Aabb, Obb};

/// What an unused slot holds: no comparison accepts it.
const ABSENT: Aabb = Aabb {
    min: DVec3::NAN,
    max: DVec3::NAN,
};

/// Coordinates beyond this are treated as infinite: such a box is compared with every other one.
pub(super) const LARGEST: f64 = 1e30;

/// Bodies by slot, with their bounds.
///
/// ```
/// use impinge::bound::Aabb;
/// use impinge::broad::{BroadPhase, BruteForce, ObjectId};
/// use impinge::DVec3;
/// let mut broad = BruteForce::default();
/// let id = ObjectId::new(2, 7);
/// broad.insert(id, &Aabb { min: DVec3::ZERO, max: DVec3::ONE }.into())?;
/// assert_eq!(broad.bodies().ids().collect::<Vec<_>>(), [id]);
/// # Ok::<(), impinge::broad::BroadError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BodyTable {
    boxes: Vec<Aabb>,
    generations: Vec<u32>,
    /// Only as long as the largest slot that ever had one.
    oriented: Vec<Option<Obb>>,
    /// Slots of unbounded boxes, ascending.
    unbounded: Vec<u32>,
    count: usize,
}

/// Lengthens a list by slot so that it has this one.
pub(super) fn make_room<T: Clone>(list: &mut Vec<T>, slot: u32, empty: T) {
    if slot as usize >= list.len() {
        list.resize(slot as usize + 1, empty);
    }
}

impl BodyTable {
    /// How many bodies there are.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// use impinge::broad::{BroadPhase, BruteForce, ObjectId};
    /// let mut broad = BruteForce::default();
    /// broad.insert(ObjectId::new(2, 7), &Aabb { min: DVec3::ZERO, max: DVec3::ONE }.into())?;
    /// let bodies = broad.bodies();
    /// assert_eq!(bodies.len(), 1);
    /// # Ok::<(), impinge::broad::BroadError>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no body.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// use impinge::broad::{BroadPhase, BruteForce, ObjectId};
    /// let mut broad = BruteForce::default();
    /// broad.insert(ObjectId::new(2, 7), &Aabb { min: DVec3::ZERO, max: DVec3::ONE }.into())?;
    /// let bodies = broad.bodies();
    /// assert!(!bodies.is_empty());
    /// # Ok::<(), impinge::broad::BroadError>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// One more than the largest slot that was ever used.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// use impinge::broad::{BroadPhase, BruteForce, ObjectId};
    /// let mut broad = BruteForce::default();
    /// broad.insert(ObjectId::new(2, 7), &Aabb { min: DVec3::ZERO, max: DVec3::ONE }.into())?;
    /// let bodies = broad.bodies();
    /// assert_eq!(bodies.slots(), 3);
    /// # Ok::<(), impinge::broad::BroadError>(())
    /// ```
    #[must_use]
    pub fn slots(&self) -> usize {
        self.boxes.len()
    }

    /// The ids, ascending.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// use impinge::broad::{BroadPhase, BruteForce, ObjectId};
    /// let mut broad = BruteForce::default();
    /// broad.insert(ObjectId::new(2, 7), &Aabb { min: DVec3::ZERO, max: DVec3::ONE }.into())?;
    /// let bodies = broad.bodies();
    /// assert_eq!(bodies.ids().collect::<Vec<_>>(), [ObjectId::new(2, 7)]);
    /// # Ok::<(), impinge::broad::BroadError>(())
    /// ```
    pub fn ids(&self) -> impl Iterator<Item = ObjectId> + '_ {
        self.present().map(|slot| self.id(slot))
    }

    /// The bounds of a body.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// use impinge::broad::{BroadPhase, BruteForce, ObjectId};
    /// let mut broad = BruteForce::default();
    /// broad.insert(ObjectId::new(2, 7), &Aabb { min: DVec3::ZERO, max: DVec3::ONE }.into())?;
    /// let bodies = broad.bodies();
    /// assert!(bodies.bounds(ObjectId::new(2, 7)).is_some());
    /// assert!(bodies.bounds(ObjectId::new(2, 8)).is_none());
    /// # Ok::<(), impinge::broad::BroadError>(())
    /// ```
    #[must_use]
    pub fn bounds(&self, id: ObjectId) -> Option<Bounds> {
        self.slot(id).ok().map(|slot| Bounds {
            aabb: self.boxes[slot as usize],
            oriented: self.oriented(slot).copied(),
        })
    }

    /// Slots with a body, ascending.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// use impinge::broad::{BroadPhase, BruteForce, ObjectId};
    /// let mut broad = BruteForce::default();
    /// broad.insert(ObjectId::new(2, 7), &Aabb { min: DVec3::ZERO, max: DVec3::ONE }.into())?;
    /// let bodies = broad.bodies();
    /// assert_eq!(bodies.present().collect::<Vec<_>>(), [2]);
    /// # Ok::<(), impinge::broad::BroadError>(())
    /// ```
    pub fn present(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.boxes.len() as u32).filter(|&slot| self.is_present(slot))
    }

    /// Slots with a body whose box is bounded, ascending: those that detectors see.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// use impinge::broad::{BroadPhase, BruteForce, ObjectId};
    /// let mut broad = BruteForce::default();
    /// broad.insert(ObjectId::new(2, 7), &Aabb { min: DVec3::ZERO, max: DVec3::ONE }.into())?;
    /// let bodies = broad.bodies();
    /// assert_eq!(bodies.bounded().collect::<Vec<_>>(), [2]);
    /// # Ok::<(), impinge::broad::BroadError>(())
    /// ```
    pub fn bounded(&self) -> impl Iterator<Item = u32> + '_ {
        self.present().filter(|&slot| !self.is_unbounded(slot))
    }

    /// Whether the slot has a body.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// use impinge::broad::{BroadPhase, BruteForce, ObjectId};
    /// let mut broad = BruteForce::default();
    /// broad.insert(ObjectId::new(2, 7), &Aabb { min: DVec3::ZERO, max: DVec3::ONE }.into())?;
    /// let bodies = broad.bodies();
    /// assert!(bodies.is_present(2) && !bodies.is_present(1));
    /// # Ok::<(), impinge::broad::BroadError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn is_present(&self, slot: u32) -> bool {
        self.boxes
            .get(slot as usize)
            .is_some_and(|b| !b.min.x.is_nan())
    }

    /// Whether the slot has a body whose box is infinite or nearly so.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// use impinge::broad::{BroadPhase, BruteForce, ObjectId};
    /// let mut broad = BruteForce::default();
    /// broad.insert(ObjectId::new(2, 7), &Aabb { min: DVec3::ZERO, max: DVec3::ONE }.into())?;
    /// let bodies = broad.bodies();
    /// assert!(!bodies.is_unbounded(2));
    /// # Ok::<(), impinge::broad::BroadError>(())
    /// ```
    #[must_use]
    pub fn is_unbounded(&self, slot: u32) -> bool {
        self.is_present(slot) && is_unbounded(&self.boxes[slot as usize])
    }

    /// The boxes by slot; a slot without a body has a box of NaN, which overlaps nothing.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// use impinge::broad::{BroadPhase, BruteForce, ObjectId};
    /// let mut broad = BruteForce::default();
    /// broad.insert(ObjectId::new(2, 7), &Aabb { min: DVec3::ZERO, max: DVec3::ONE }.into())?;
    /// let bodies = broad.bodies();
    /// assert_eq!(bodies.boxes()[2].max, DVec3::ONE);
    /// # Ok::<(), impinge::broad::BroadError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    /// The oriented box in a slot.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// use impinge::broad::{BroadPhase, BruteForce, ObjectId};
    /// let mut broad = BruteForce::default();
    /// broad.insert(ObjectId::new(2, 7), &Aabb { min: DVec3::ZERO, max: DVec3::ONE }.into())?;
    /// let bodies = broad.bodies();
    /// assert!(bodies.oriented(2).is_none());
    /// # Ok::<(), impinge::broad::BroadError>(())
    /// ```
    #[must_use]
    pub fn oriented(&self, slot: u32) -> Option<&Obb> {
        self.oriented.get(slot as usize)?.as_ref()
    }

    /// The id of the body in a slot, or of the last one there.
    #[inline]
    pub(super) fn id(&self, slot: u32) -> ObjectId {
        let generation = self.generations.get(slot as usize).copied();
        ObjectId::new(slot, generation.unwrap_or_default())
    }

    /// The slots of unbounded boxes, ascending.
    pub(super) fn unbounded(&self) -> &[u32] {
        &self.unbounded
    }

    /// The slot of an id that is here.
    #[inline]
    pub(super) fn slot(&self, id: ObjectId) -> Result<u32, BroadError> {
        let slot = id.slot() as usize;
        if self.generations.get(slot) == Some(&id.generation()) && self.is_present(id.slot()) {
            Ok(id.slot())
        } else {
            Err(BroadError::Unknown { id })
        }
    }

    pub(super) fn insert(&mut self, id: ObjectId, bounds: &Bounds) -> Result<u32, BroadError> {
        if id.slot() > ObjectId::MAX_SLOT {
            return Err(BroadError::SlotTooLarge { id });
        }
        if self.is_present(id.slot()) {
            return Err(BroadError::Occupied {
                id,
                by: self.id(id.slot()),
            });
        }
        check(id, &bounds.aabb)?;
        let slot = id.slot() as usize;
        if slot >= self.boxes.len() {
            self.boxes.resize(slot + 1, ABSENT);
            self.generations.resize(slot + 1, 0);
        }
        self.generations[slot] = id.generation();
        self.count += 1;
        self.write(id.slot(), bounds);
        Ok(id.slot())
    }

    pub(super) fn update(&mut self, id: ObjectId, bounds: &Bounds) -> Result<u32, BroadError> {
        let slot = self.slot(id)?;
        check(id, &bounds.aabb)?;
        self.write(slot, bounds);
        Ok(slot)
    }

    pub(super) fn remove(&mut self, id: ObjectId) -> Result<u32, BroadError> {
        let slot = self.slot(id)?;
        self.list_unbounded(slot, false);
        self.boxes[slot as usize] = ABSENT;
        if let Some(oriented) = self.oriented.get_mut(slot as usize) {
            *oriented = None;
        }
        self.count -= 1;
        Ok(slot)
    }

    #[inline]
    fn write(&mut self, slot: u32, bounds: &Bounds) {
        let place = slot as usize;
        let was = is_unbounded(&self.boxes[place]);
        let is = is_unbounded(&bounds.aabb);
        if was || is {
            self.list_unbounded(slot, is);
        }
        self.boxes[place] = bounds.aabb;
        if bounds.oriented.is_some() && place >= self.oriented.len() {
            self.oriented.resize(place + 1, None);
        }
        if let Some(oriented) = self.oriented.get_mut(place) {
            *oriented = bounds.oriented;
        }
    }

    #[inline(never)]
    fn list_unbounded(&mut self, slot: u32, is: bool) {
        match (self.unbounded.binary_search(&slot), is) {
            (Ok(at), false) => {
                self.unbounded.remove(at);
            }
            (Err(at), true) => self.unbounded.insert(at, slot),
            _ => {}
        }
    }

    /// Writes the boxes of many bodies, [`GROUP`] by [`GROUP`], and returns for each group how many of them are minded.
    ///
    /// Each group is checked, written and filtered while it is in the cache. One with an id that is unknown or out of order,
    /// or with a box that is refused or unbounded, is left as it was, and its number is [`UNWRITTEN`]. Bodies with oriented or
    /// unbounded boxes have all groups left.
    pub(super) fn update_groups(
        &mut self,
        ids: &[ObjectId],
        boxes: &[Aabb],
        parallel: bool,
        minds: impl Fn(u32, &Aabb) -> bool + Sync,
        counts: &mut Vec<u32>,
    ) {
        counts.clear();
        counts.resize(ids.len().div_ceil(GROUP), UNWRITTEN);
        if !self.oriented.is_empty() || !self.unbounded.is_empty() {
            return;
        }
        let groups = BodyGroups {
            ids,
            boxes,
            counts,
            table: &mut self.boxes,
            first: 0,
        };
        groups.write(&self.generations, parallel, &minds);
    }

    /// Takes many bodies in at once and returns whether it did: all of them must be new, bounded, in strictly ascending
    /// slots, and no body may have an oriented box. Otherwise nothing changes.
    pub(super) fn insert_plain(
        &mut self,
        ids: &[ObjectId],
        boxes: &[Aabb],
        parallel: bool,
    ) -> bool {
        let Some(last) = ids.last() else {
            return false;
        };
        let all_good = |from: usize, some: &[ObjectId], boxes: &[Aabb]| {
            // Each piece also looks at the last id of the one before it.
            let ascend = ids[from.saturating_sub(1)..from + some.len()]
                .is_sorted_by(|x, y| x.slot() < y.slot());
            ascend
                && some.iter().all(|id| !self.is_present(id.slot()))
                && boxes.iter().all(is_plain)
        };
        let are_good = last.slot() <= ObjectId::MAX_SLOT
            && self.oriented.is_empty()
            && all_pieces(ids, boxes, parallel, all_good);
        if !are_good {
            return false;
        }
        let needed = last.slot() as usize + 1;
        grow(&mut self.boxes, needed, ABSENT, parallel);
        grow(&mut self.generations, needed, 0, parallel);
        self.count += ids.len();
        let table = BodyColumns {
            boxes: &mut self.boxes,
            generations: &mut self.generations,
            first: 0,
        };
        table.write(ids, boxes, parallel);
        true
    }

    pub(super) fn bytes(&self) -> usize {
        self.boxes.capacity() * size_of::<Aabb>()
            + self.generations.capacity() * 4
            + self.oriented.capacity() * size_of::<Option<Obb>>()
            + self.unbounded.capacity() * 4
    }
}

/// Bodies that are checked, written and filtered together.
pub(super) const GROUP: usize = 128;
/// In place of a number: the group was left as it was.
pub(super) const UNWRITTEN: u32 = u32::MAX;
/// Bodies per piece of parallel work.
#[cfg(feature = "parallel")]
const PIECE: usize = 16 * GROUP;

/// New boxes and the part of the table that they go to.
struct BodyGroups<'a> {
    ids: &'a [ObjectId],
    boxes: &'a [Aabb],
    counts: &'a mut [u32],
    table: &'a mut [Aabb],
    /// The slot at which that part begins.
    first: usize,
}

impl BodyGroups<'_> {
    /// Halves the work until a piece is small: the depth is bounded by the logarithm of the number of groups.
    fn write(
        self,
        generations: &[u32],
        parallel: bool,
        minds: &(impl Fn(u32, &Aabb) -> bool + Sync),
    ) {
        #[cfg(feature = "parallel")]
        if parallel && self.ids.len() > PIECE {
            let half = self.counts.len() / 2;
            let (low_ids, high_ids) = self.ids.split_at(half * GROUP);
            let (low_boxes, high_boxes) = self.boxes.split_at(half * GROUP);
            let (low_counts, high_counts) = self.counts.split_at_mut(half);
            let cut = high_ids[0].slot() as usize;
            // Slots that do not ascend leave a side without its part of the table, and its groups unwritten.
            let at = cut.saturating_sub(self.first).min(self.table.len());
            let (low_table, high_table) = self.table.split_at_mut(at);
            let low = BodyGroups {
                ids: low_ids,
                boxes: low_boxes,
                counts: low_counts,
                table: low_table,
                first: self.first,
            };
            let high = BodyGroups {
                ids: high_ids,
                boxes: high_boxes,
                counts: high_counts,
                table: high_table,
                first: self.first + at,
            };
            rayon::join(
                || low.write(generations, true, minds),
                || high.write(generations, true, minds),
            );
            return;
        }
        let _ = parallel;
        let groups = self.ids.chunks(GROUP).zip(self.boxes.chunks(GROUP));
        for ((ids, boxes), count) in groups.zip(self.counts) {
            if !are_plain(self.table, self.first, generations, ids, boxes) {
                continue;
            }
            *count = 0;
            for (id, new) in ids.iter().zip(boxes) {
                self.table[id.slot() as usize - self.first] = *new;
                *count += u32::from(minds(id.slot(), new));
            }
        }
    }
}

/// Whether all are known, in ascending slots of this part of the table, and have plain boxes.
fn are_plain(
    table: &[Aabb],
    first: usize,
    generations: &[u32],
    ids: &[ObjectId],
    boxes: &[Aabb],
) -> bool {
    let mut next = first;
    ids.iter().zip(boxes).all(|(id, new)| {
        let slot = id.slot() as usize;
        let is_ascending = slot >= next && slot - first < table.len();
        next = slot + 1;
        is_ascending
            && generations[slot] == id.generation()
            && !table[slot - first].min.x.is_nan()
            && is_plain(new)
    })
}

/// Whether all pieces of the list are good; pieces get the place where they begin.
fn all_pieces(
    ids: &[ObjectId],
    boxes: &[Aabb],
    parallel: bool,
    are_good: impl Fn(usize, &[ObjectId], &[Aabb]) -> bool + Sync + Send,
) -> bool {
    #[cfg(feature = "parallel")]
    if parallel {
        use rayon::prelude::*;
        let pieces = ids.par_chunks(PIECE).zip(boxes.par_chunks(PIECE));
        return pieces
            .enumerate()
            .all(|(i, (ids, boxes))| are_good(i * PIECE, ids, boxes));
    }
    let _ = parallel;
    are_good(0, ids, boxes)
}

/// A part of the table that bodies are written to.
struct BodyColumns<'a> {
    boxes: &'a mut [Aabb],
    generations: &'a mut [u32],
    /// The slot at which the part begins.
    first: usize,
}

impl BodyColumns<'_> {
    /// Writes bodies of ascending slots. Halving the list until a piece is small bounds the depth by the logarithm of its length.
    fn write(self, ids: &[ObjectId], boxes: &[Aabb], parallel: bool) {
        #[cfg(feature = "parallel")]
        if parallel && ids.len() > PIECE {
            let half = ids.len() / 2;
            let cut = ids[half].slot() as usize;
            let (low_boxes, high_boxes) = self.boxes.split_at_mut(cut - self.first);
            let (low_generations, high_generations) =
                self.generations.split_at_mut(cut - self.first);
            let low = BodyColumns {
                boxes: low_boxes,
                generations: low_generations,
                first: self.first,
            };
            let high = BodyColumns {
                boxes: high_boxes,
                generations: high_generations,
                first: cut,
            };
            rayon::join(
                || low.write(&ids[..half], &boxes[..half], true),
                || high.write(&ids[half..], &boxes[half..], true),
            );
            return;
        }
        let _ = parallel;
        for (id, new) in ids.iter().zip(boxes) {
            let at = id.slot() as usize - self.first;
            self.generations[at] = id.generation();
            self.boxes[at] = *new;
        }
    }
}

#[inline]
pub(super) fn is_unbounded(b: &Aabb) -> bool {
    let least = b.min.x.min(b.min.y).min(b.min.z);
    let most = b.max.x.max(b.max.y).max(b.max.z);
    // Without a body the box is NaN, and both are false.
    least < -LARGEST || most > LARGEST
}

/// Whether the box is one that [`check`] takes, and bounded.
#[inline]
fn is_plain(b: &Aabb) -> bool {
    (b.min.x <= b.max.x)
        & (b.min.y <= b.max.y)
        & (b.min.z <= b.max.z)
        & (b.min.x >= -LARGEST)
        & (b.min.y >= -LARGEST)
        & (b.min.z >= -LARGEST)
        & (b.max.x <= LARGEST)
        & (b.max.y <= LARGEST)
        & (b.max.z <= LARGEST)
}

#[inline]
fn check(id: ObjectId, b: &Aabb) -> Result<(), BroadError> {
    let ordered = b.min.x <= b.max.x && b.min.y <= b.max.y && b.min.z <= b.max.z;
    let reachable = b.min.x.max(b.min.y).max(b.min.z) <= f64::MAX
        && b.max.x.min(b.max.y).min(b.max.z) >= f64::MIN;
    if ordered && reachable {
        return Ok(());
    }
    Err(refusal(id, b))
}

#[cold]
fn refusal(id: ObjectId, b: &Aabb) -> BroadError {
    if b.min.is_nan() || b.max.is_nan() {
        BroadError::NotANumber { id }
    } else {
        BroadError::Inverted {
            id,
            min: b.min,
            max: b.max,
        }
    }
}
