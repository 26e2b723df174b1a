//! Stable sorting in little code.
//!
//! The stable sort of the standard library is 6 kB for each type and order. Pages download that, so in the browser a handful of items is sorted
//! by insertion, and the sort of many is compiled once, for their numbers. Elsewhere both are the standard library's. A stable sort has one
//! outcome, so every way gives the same.

use std::cmp::Ordering;

/// Sorts a handful of items, children of a node or axes; equal ones keep their order.
pub(crate) fn sort_few<T>(items: &mut [T], order: impl FnMut(&T, &T) -> Ordering) {
    #[cfg(target_arch = "wasm32")]
    by_insertion(items, order);
    #[cfg(not(target_arch = "wasm32"))]
    items.sort_by(order);
}

/// Sorts items, where that is a small part of the work; equal ones keep their order.
pub(crate) fn sort_many<T>(items: &mut [T], order: impl FnMut(&T, &T) -> Ordering) {
    #[cfg(target_arch = "wasm32")]
    by_numbers(items, order);
    #[cfg(not(target_arch = "wasm32"))]
    items.sort_by(order);
}

#[cfg(any(test, target_arch = "wasm32"))]
fn by_insertion<T>(items: &mut [T], mut order: impl FnMut(&T, &T) -> Ordering) {
    for i in 1..items.len() {
        let mut k = i;
        while k > 0 && order(&items[k], &items[k - 1]) == Ordering::Less {
            items.swap(k, k - 1);
            k -= 1;
        }
    }
}

#[cfg(any(test, target_arch = "wasm32"))]
fn by_numbers<T>(items: &mut [T], mut order: impl FnMut(&T, &T) -> Ordering) {
    let mut from: Vec<u32> = (0..items.len() as u32).collect();
    let mut is_before =
        |i: u32, j: u32| order(&items[i as usize], &items[j as usize]) == Ordering::Less;
    merge_sort(&mut from, &mut is_before);
    // Place `i` wants item `from[i]`; what stood there may have been swapped to a later place.
    for i in 0..from.len() {
        let mut source = from[i] as usize;
        while source < i {
            source = from[source] as usize;
        }
        items.swap(i, source);
        from[i] = source as u32;
    }
}

/// Sorts numbers of items from below: runs of 1, 2, 4 and so on are merged.
#[cfg(any(test, target_arch = "wasm32"))]
#[inline(never)]
fn merge_sort(numbers: &mut Vec<u32>, is_before: &mut dyn FnMut(u32, u32) -> bool) {
    let mut merged = Vec::with_capacity(numbers.len());
    let mut run = 1;
    while run < numbers.len() {
        merged.clear();
        for pair in numbers.chunks(2 * run) {
            let (mut left, mut right) = pair.split_at(run.min(pair.len()));
            while let ([i, rest_left @ ..], [j, rest_right @ ..]) = (left, right) {
                if is_before(*j, *i) {
                    merged.push(*j);
                    right = rest_right;
                } else {
                    merged.push(*i);
                    left = rest_left;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(numbers, &mut merged);
        run *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::{by_insertion, by_numbers};
    use crate::math::Rng;

    #[test]
    fn every_way_sorts_as_the_standard_library_does() {
        let mut random = Rng::new(7);
        for round in 0..400_u32 {
            let count = round % 40;
            // Few different keys, so that many items are equal; the second number tells them apart.
            let items: Vec<(u64, u32)> = (0..count)
                .map(|i| (random.next_u64() % (1 + u64::from(round / 40)), i))
                .collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            let (mut few, mut many) = (items.clone(), items);
            by_insertion(&mut few, |x, y| x.0.cmp(&y.0));
            by_numbers(&mut many, |x, y| x.0.cmp(&y.0));
            assert_eq!(few, expected);
            assert_eq!(many, expected);
        }
    }
}
