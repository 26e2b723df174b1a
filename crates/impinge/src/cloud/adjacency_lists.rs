//! Many short lists in one vector, and a small map from ids: both keep their memory.

use super::point_cloud::PointId;

/// Where a list lies, and how far it may grow there.
#[derive(Clone, Copy, Debug, Default)]
struct ListSpan {
    start: usize,
    len: u32,
    room: u32,
}

/// One list per id, side by side; a list that outgrows its room moves to the end.
#[derive(Clone, Debug)]
pub(super) struct AdjacencyLists<T> {
    items: Vec<T>,
    spans: Vec<ListSpan>,
    wasted: usize,
}

impl<T> Default for AdjacencyLists<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            spans: Vec::new(),
            wasted: 0,
        }
    }
}

impl<T: Copy> AdjacencyLists<T> {
    /// The lists that belong to `order`, laid out in that order. `parts` are runs of lists: their lengths and items.
    pub(super) fn from_parts(ids: usize, order: &[u32], parts: &[(Vec<u32>, Vec<T>)]) -> Self {
        let mut spans = vec![ListSpan::default(); ids];
        let mut items = Vec::with_capacity(parts.iter().map(|(_, items)| items.len()).sum());
        let mut owners = order.iter();
        for (lengths, part) in parts {
            let mut start = items.len();
            items.extend_from_slice(part);
            for (&len, &owner) in lengths.iter().zip(owners.by_ref()) {
                spans[owner as usize] = ListSpan {
                    start,
                    len,
                    room: len,
                };
                start += len as usize;
            }
        }
        Self {
            items,
            spans,
            wasted: 0,
        }
    }

    /// Makes room for ids below `ids`; new lists are empty.
    pub(super) fn extend_to(&mut self, ids: usize) {
        if self.spans.len() < ids {
            self.spans.resize(ids, ListSpan::default());
        }
    }

    #[inline]
    pub(super) fn get(&self, id: usize) -> &[T] {
        match self.spans.get(id) {
            Some(span) => &self.items[span.start..span.start + span.len as usize],
            None => &[],
        }
    }

    pub(super) fn get_mut(&mut self, id: usize) -> &mut [T] {
        match self.spans.get(id) {
            Some(span) => &mut self.items[span.start..span.start + span.len as usize],
            None => &mut [],
        }
    }

    pub(super) fn set(&mut self, id: usize, list: &[T]) {
        self.extend_to(id + 1);
        let span = &mut self.spans[id];
        if list.len() > span.room as usize {
            self.wasted += span.room as usize;
            span.start = self.items.len();
            span.room = list.len() as u32;
            self.items.extend_from_slice(list);
        } else {
            self.items[span.start..span.start + list.len()].copy_from_slice(list);
        }
        span.len = list.len() as u32;
        if self.wasted > self.items.len() / 2 + 1024 {
            self.compact();
        }
    }

    fn compact(&mut self) {
        let mut items = Vec::with_capacity(self.items.len() - self.wasted);
        for span in &mut self.spans {
            let start = items.len();
            items.extend_from_slice(&self.items[span.start..span.start + span.len as usize]);
            span.start = start;
            span.room = span.len;
        }
        self.items = items;
        self.wasted = 0;
    }

    /// How many items all lists have together.
    pub(super) fn total(&self) -> usize {
        self.spans.iter().map(|span| span.len as usize).sum()
    }

    pub(super) fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.spans.capacity() * size_of::<ListSpan>()
    }
}

const NOBODY: u32 = u32::MAX;

/// A map from ids to values that remembers the order of insertion and clears in time of its content.
#[derive(Clone, Debug)]
pub(super) struct IdMap<V> {
    keys: Vec<u32>,
    values: Vec<V>,
    used: Vec<u32>,
}

impl<V> Default for IdMap<V> {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            values: Vec::new(),
            used: Vec::new(),
        }
    }
}

impl<V: Copy> IdMap<V> {
    pub(super) fn clear(&mut self) {
        for &at in &self.used {
            self.keys[at as usize] = NOBODY;
        }
        self.used.clear();
    }

    #[inline]
    fn find(&self, id: u32) -> usize {
        let mask = self.keys.len() - 1;
        // Neighbours in space often have neighbouring ids: the high bits of the product spread them.
        let mut at = (id.wrapping_mul(0x9E37_79B1) >> 7) as usize & mask;
        while self.keys[at] != id && self.keys[at] != NOBODY {
            at = (at + 1) & mask;
        }
        at
    }

    #[inline]
    pub(super) fn get(&self, id: PointId) -> Option<&V> {
        if self.keys.is_empty() {
            return None;
        }
        let at = self.find(id.raw());
        (self.keys[at] != NOBODY).then(|| &self.values[at])
    }

    /// The value of an id, `fresh` if it had none.
    #[inline]
    pub(super) fn entry(&mut self, id: PointId, fresh: V) -> &mut V {
        // At most half full, so that probing always ends and stays short.
        if 2 * (self.used.len() + 1) > self.keys.len() {
            self.grow(fresh);
        }
        let at = self.find(id.raw());
        if self.keys[at] == NOBODY {
            self.keys[at] = id.raw();
            self.values[at] = fresh;
            self.used.push(at as u32);
        }
        &mut self.values[at]
    }

    fn grow(&mut self, filler: V) {
        let size = (self.keys.len() * 2).max(256);
        let old: Vec<(u32, V)> = self
            .used
            .iter()
            .map(|&at| (self.keys[at as usize], self.values[at as usize]))
            .collect();
        self.keys.clear();
        self.keys.resize(size, NOBODY);
        self.values.clear();
        self.values.resize(size, filler);
        self.used.clear();
        for (id, value) in old {
            let at = self.find(id);
            self.keys[at] = id;
            self.values[at] = value;
            self.used.push(at as u32);
        }
    }

    /// Ids and values in the order in which they came.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = (PointId, &V)> {
        self.used.iter().map(|&at| {
            let at = at as usize;
            (PointId::new(self.keys[at]), &self.values[at])
        })
    }
}
