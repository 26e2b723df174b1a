//! Parameters that come nearest to a wanted number of faces.

use super::error::MAX_FACES;

/// No parameter needs to be larger for [`MAX_FACES`].
const LARGEST: u32 = 100_000_000;

/// The parameter, at least `least`, whose count is nearest to the target; `count` must not fall.
pub(super) fn nearest(target: u64, least: u32, count: impl Fn(u64) -> u64) -> u32 {
    // Invariant: count(low) ≤ target, unless low is still the least.
    let (mut low, mut high) = (least, LARGEST);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if count(u64::from(middle)) <= target {
            low = middle;
        } else {
            high = middle;
        }
    }
    let (below, above) = (count(low.into()), count(high.into()));
    // The next size up may be nearer, but must not pass the limit the target kept.
    if above <= MAX_FACES && above.abs_diff(target) < below.abs_diff(target) {
        high
    } else {
        low
    }
}

/// Two parameters for a count that grows with both: first the second one, with the first one
/// `ratio` times as large, then the first one alone for the rest.
pub(super) fn nearest_pair(
    target: u64,
    least: (u32, u32),
    ratio: u64,
    count: impl Fn(u64, u64) -> u64,
) -> (u32, u32) {
    let second = nearest(target, least.1, |b| {
        count((ratio * b).max(u64::from(least.0)), b)
    });
    let first = nearest(target, least.0, |a| count(a, u64::from(second)));
    (first, second)
}

/// Three nearly equal parameters for a count that grows with each.
pub(super) fn nearest_triple(target: u64, count: impl Fn([u64; 3]) -> u64) -> [u32; 3] {
    let side = u64::from(nearest(target, 1, |a| count([a, a, a])));
    let mut best = ([side as u32; 3], u64::MAX);
    for a in side.saturating_sub(1).max(1)..=side + 1 {
        for b in a..=a + 2 {
            let c = nearest(target, 1, |c| count([a, b, c]));
            let miss = count([a, b, u64::from(c)]).abs_diff(target);
            if miss < best.1 {
                best = ([a as u32, b as u32, c], miss);
            }
        }
    }
    best.0
}
