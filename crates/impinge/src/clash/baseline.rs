//! Compares with an earlier run: new, persistent and resolved clashes.

use std::collections::BTreeMap;

/// The data by which another run recognises a clash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownClash {
    /// Made of the names of its parts: see [`clash_id`](super::clash_id).
    pub id: String,
    /// The content of its parts: see [`content_hash`](super::content_hash).
    pub content: [u128; 2],
}

/// How a clash relates to an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClashStatus {
    /// It was not there.
    New,
    /// It was there.
    Persisting {
        /// Its place in the earlier run.
        before: usize,
        /// Whether a part has changed or moved since.
        is_changed: bool,
    },
}

/// Comparison of two runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BaselineComparison {
    /// The status of each clash of this run.
    pub now: Vec<ClashStatus>,
    /// Clashes of the earlier run that are gone, by their places in its list.
    pub resolved: Vec<usize>,
}

/// The status of clashes relative to an earlier run.
///
/// Two clashes are the same if their ids, that is, the names of their parts, are; otherwise if the
/// content of both parts is, because parts were renamed. Each clash matches at most one other.
///
/// ```
/// use impinge::clash::{KnownClash, ClashStatus, compare};
/// let clash = |id: &str, content| KnownClash { id: id.to_owned(), content };
/// let before = [clash("x", [1, 2]), clash("y", [3, 4]), clash("z", [5, 6])];
/// let now = [clash("x", [1, 7]), clash("renamed", [4, 3]), clash("w", [8, 9])];
/// let found = compare(&now, &before);
/// assert_eq!(found.now[0], ClashStatus::Persisting { before: 0, is_changed: true });
/// assert_eq!(found.now[1], ClashStatus::Persisting { before: 1, is_changed: false });
/// assert_eq!((found.now[2], found.resolved), (ClashStatus::New, vec![2]));
/// ```
#[must_use]
pub fn compare(now: &[KnownClash], before: &[KnownClash]) -> BaselineComparison {
    let sorted = |mut pair: [u128; 2]| {
        pair.sort_unstable();
        pair
    };
    let mut is_left = vec![true; before.len()];
    let mut status = vec![ClashStatus::New; now.len()];
    let mut by_id: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, clash) in before.iter().enumerate().rev() {
        by_id.entry(&clash.id).or_default().push(i);
    }
    for (status, clash) in status.iter_mut().zip(now) {
        if let Some(i) = by_id.get_mut(clash.id.as_str()).and_then(Vec::pop) {
            is_left[i] = false;
            *status = ClashStatus::Persisting {
                before: i,
                is_changed: sorted(before[i].content) != sorted(clash.content),
            };
        }
    }
    let mut by_content: BTreeMap<[u128; 2], Vec<usize>> = BTreeMap::new();
    for (i, clash) in before.iter().enumerate().rev().filter(|(i, _)| is_left[*i]) {
        by_content.entry(sorted(clash.content)).or_default().push(i);
    }
    for (status, clash) in status.iter_mut().zip(now) {
        if *status == ClashStatus::New
            && let Some(i) = by_content
                .get_mut(&sorted(clash.content))
                .and_then(Vec::pop)
        {
            is_left[i] = false;
            *status = ClashStatus::Persisting {
                before: i,
                is_changed: false,
            };
        }
    }
    BaselineComparison {
        now: status,
        resolved: (0..before.len()).filter(|&i| is_left[i]).collect(),
    }
}
