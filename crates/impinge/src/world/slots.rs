//! Slot map: ids that are allocated, freed and reused.

use crate::broad::ObjectId;

/// Hands ids out; a slot that comes back is given again with its next generation.
#[derive(Clone, Debug, Default)]
pub(super) struct IdPool {
    /// The generation that each slot has, or will have when it is given next.
    generations: Vec<u32>,
    taken: Vec<bool>,
    free: Vec<u32>,
}

impl IdPool {
    /// A new id; none when there are no slots left.
    pub(super) fn take(&mut self) -> Option<ObjectId> {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                let slot = u32::try_from(self.taken.len()).ok()?;
                if slot > ObjectId::MAX_SLOT {
                    return None;
                }
                self.generations.push(0);
                self.taken.push(false);
                slot
            }
        };
        self.taken[slot as usize] = true;
        Some(ObjectId::new(slot, self.generations[slot as usize]))
    }

    /// How many slots were given so far.
    pub(super) fn len(&self) -> usize {
        self.taken.len()
    }

    /// Whether the id was given and did not come back.
    pub(super) fn has(&self, id: ObjectId) -> bool {
        let slot = id.slot() as usize;
        self.taken.get(slot) == Some(&true) && self.generations[slot] == id.generation()
    }

    /// Takes an id back; whether it was out.
    pub(super) fn give_back(&mut self, id: ObjectId) -> bool {
        if !self.has(id) {
            return false;
        }
        let slot = id.slot() as usize;
        self.taken[slot] = false;
        // A slot whose generations are used up is never given again.
        if let Some(next) = id.generation().checked_add(1) {
            self.generations[slot] = next;
            self.free.push(id.slot());
        }
        true
    }

    /// Takes out exactly this id, as another pool gave it; whether its slot was free.
    pub(super) fn follow(&mut self, id: ObjectId) -> bool {
        let slot = id.slot() as usize;
        if id.slot() > ObjectId::MAX_SLOT || self.taken.get(slot) == Some(&true) {
            return false;
        }
        while self.taken.len() <= slot {
            self.free.push(self.taken.len() as u32);
            self.generations.push(0);
            self.taken.push(false);
        }
        if id.generation() < self.generations[slot] {
            return false;
        }
        self.free.retain(|&other| other != id.slot());
        self.generations[slot] = id.generation();
        self.taken[slot] = true;
        true
    }
}

/// Values by id.
#[derive(Debug)]
pub(super) struct Slots<T> {
    pool: IdPool,
    values: Vec<Option<T>>,
    len: usize,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self {
            pool: IdPool::default(),
            values: Vec::new(),
            len: 0,
        }
    }
}

impl<T> Slots<T> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn pool(&self) -> &IdPool {
        &self.pool
    }

    pub(super) fn insert(&mut self, value: T) -> Option<ObjectId> {
        let id = self.pool.take()?;
        self.put(id, value);
        Some(id)
    }

    /// Takes in a value under an id that another pool gave; whether the slot was free.
    pub(super) fn insert_as(&mut self, id: ObjectId, value: T) -> bool {
        let follows = self.pool.follow(id);
        if follows {
            self.put(id, value);
        }
        follows
    }

    fn put(&mut self, id: ObjectId, value: T) {
        let slot = id.slot() as usize;
        if self.values.len() <= slot {
            self.values.resize_with(slot + 1, || None);
        }
        self.values[slot] = Some(value);
        self.len += 1;
    }

    pub(super) fn remove(&mut self, id: ObjectId) -> Option<T> {
        if !self.pool.give_back(id) {
            return None;
        }
        self.len -= 1;
        self.values[id.slot() as usize].take()
    }

    pub(super) fn get(&self, id: ObjectId) -> Option<&T> {
        if !self.pool.has(id) {
            return None;
        }
        self.values.get(id.slot() as usize)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, id: ObjectId) -> Option<&mut T> {
        if !self.pool.has(id) {
            return None;
        }
        self.values.get_mut(id.slot() as usize)?.as_mut()
    }

    /// All ids and values, by slot.
    pub(super) fn iter(&self) -> impl Iterator<Item = (ObjectId, &T)> {
        self.values.iter().enumerate().filter_map(|(slot, value)| {
            let id = ObjectId::new(slot as u32, self.pool.generations[slot]);
            Some((id, value.as_ref()?))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{IdPool, ObjectId, Slots};

    #[test]
    fn ids_come_back_with_the_next_generation() {
        let mut slots = Slots::default();
        let first = slots.insert("a").unwrap();
        assert_eq!(slots.remove(first), Some("a"));
        assert_eq!((slots.remove(first), slots.get(first)), (None, None));
        let second = slots.insert("b").unwrap();
        assert_eq!(second, ObjectId::new(0, 1));
        assert_eq!(slots.iter().collect::<Vec<_>>(), [(second, &"b")]);
    }

    #[test]
    fn a_follower_gives_what_the_leader_would() {
        let (mut leader, mut follower) = (IdPool::default(), IdPool::default());
        for _ in 0..3 {
            assert!(follower.follow(leader.take().unwrap()));
        }
        let middle = ObjectId::new(1, 0);
        assert!(leader.give_back(middle) && follower.give_back(middle));
        assert!(!follower.follow(middle), "that generation is over");
        assert_eq!(leader.take(), follower.take());
        assert!(follower.follow(ObjectId::new(9, 4)) && !follower.follow(ObjectId::new(9, 5)));
    }
}
