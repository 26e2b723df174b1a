//! Priority queue of node pairs.
//!
//! 64 buckets by rank, each last in, first out, in one list; one word has a bit for each bucket
//! that is not empty. Nothing is sorted.

const NONE: u32 = u32::MAX;
pub(super) const RANKS: usize = 64;

#[derive(Clone, Copy, Debug)]
struct QueueEntry {
    pair: [u32; 2],
    next: u32,
}

#[derive(Clone, Debug)]
pub(super) struct PairQueue {
    heads: [u32; RANKS],
    filled: u64,
    entries: Vec<QueueEntry>,
    free: u32,
}

impl Default for PairQueue {
    fn default() -> Self {
        Self {
            heads: [NONE; RANKS],
            filled: 0,
            entries: Vec::new(),
            free: NONE,
        }
    }
}

impl PairQueue {
    pub(super) fn clear(&mut self) {
        // The heads of ranks that are not filled are never read.
        self.filled = 0;
        self.entries.clear();
        self.free = NONE;
    }

    /// Ranks above the highest count as the highest.
    #[inline]
    pub(super) fn push(&mut self, rank: u32, pair: [u32; 2]) {
        let rank = (rank as usize).min(RANKS - 1);
        let entry = QueueEntry {
            pair,
            next: if self.filled >> rank & 1 == 0 {
                NONE
            } else {
                self.heads[rank]
            },
        };
        let place = self.free;
        let place = match self.entries.get_mut(place as usize) {
            Some(slot) => {
                self.free = slot.next;
                *slot = entry;
                place
            }
            None => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
        };
        self.heads[rank] = place;
        self.filled |= 1 << rank;
    }

    /// The last pair of the highest rank.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<[u32; 2]> {
        let rank = 63_u32.checked_sub(self.filled.leading_zeros())? as usize;
        let place = self.heads[rank];
        let slot = self.entries.get_mut(place as usize)?;
        let pair = slot.pair;
        self.heads[rank] = slot.next;
        if slot.next == NONE {
            self.filled &= !(1 << rank);
        }
        slot.next = self.free;
        self.free = place;
        Some(pair)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_rank_comes_first_and_the_last_of_it() {
        let mut queue = PairQueue::default();
        for (rank, pair) in [(3, [0, 0]), (99, [1, 0]), (3, [2, 0]), (63, [3, 0])] {
            queue.push(rank, pair);
        }
        let order: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|p| p[0]).collect();
        assert_eq!(order, [3, 1, 2, 0]);
        queue.push(0, [7, 7]);
        assert_eq!((queue.pop(), queue.pop()), (Some([7, 7]), None));
    }
}
