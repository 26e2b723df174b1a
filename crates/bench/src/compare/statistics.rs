//! Medians with exact intervals.

/// A median and where it may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) middle: f64,
    pub(super) high: f64,
}

/// The value in the middle, of an even number the mean of both.
pub(super) fn median(sample: &[f64]) -> Option<f64> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    middle(&sorted)
}

fn middle(sorted: &[f64]) -> Option<f64> {
    let half = sorted.len().checked_sub(1)? / 2;
    let low = *sorted.get(half)?;
    let high = *sorted.get(sorted.len() / 2)?;
    Some(0.5 * (low + high))
}

/// How many values a sample needs before its median can differ from nothing at this level at all: by the sign test, n values
/// that all say the same have chance 2^(1−n).
pub(super) fn least_count(alpha: f64) -> usize {
    1 + (1.0 / alpha).log2().ceil().max(0.0) as usize
}

/// The median and its interval at 1 − `alpha`, between two values of the sample: whether a value lies below the true median is a fair coin, so that the
/// chance of the k-th smallest lying above it is a sum of binomial terms, whatever the values are spread like. None for a sample that is too small.
pub(super) fn interval(sample: &[f64], alpha: f64) -> Option<Interval> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = middle(&sorted)?;
    let left_out = in_each_tail(sorted.len(), alpha)?;
    Some(Interval {
        low: *sorted.get(left_out)?,
        middle,
        high: *sorted.get(sorted.len() - 1 - left_out)?,
    })
}

/// How many of `n` values may be left out at each end; none when all of them are too few.
fn in_each_tail(n: usize, alpha: f64) -> Option<usize> {
    // Terms by their logarithms: 2^−n is no number for large n.
    let mut term = -(n as f64) * std::f64::consts::LN_2;
    let mut chance = 2.0 * term.exp();
    if chance > alpha {
        return None;
    }
    let mut left_out = 0;
    for k in 0..n / 2 {
        term += ((n - k) as f64 / (k + 1) as f64).ln();
        chance += 2.0 * term.exp();
        if chance > alpha {
            break;
        }
        left_out = k + 1;
    }
    Some(left_out)
}

/// The level of each of several comparisons, of samples with so many values, so that the chance of any false alarm is at most `alpha`: those that are
/// too small for it are not judged, and so are not counted. Sizes alone decide, never what was measured.
pub(super) fn level_of_each(counts: &[usize], alpha: f64) -> f64 {
    let level = |m: usize| alpha / m as f64;
    let can_be_judged = |m: usize| {
        let least = least_count(level(m));
        counts.iter().filter(|count| **count >= least).count()
    };
    // More comparisons make each harder, and fewer possible.
    let enough = (1..=counts.len()).find(|m| can_be_judged(*m) <= *m);
    level(enough.unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use impinge::math::Rng;

    use super::{in_each_tail, interval, least_count, level_of_each, median};

    /// How often the interval of a sample of `n` misses the true median, of so many samples.
    fn misses(n: usize, alpha: f64, samples: usize) -> usize {
        let mut rng = Rng::new(4);
        (0..samples)
            .filter(|_| {
                // Skewed, with a median of 1.
                let sample: Vec<f64> = (0..n).map(|_| (rng.unit() / 0.5).powi(3)).collect();
                let found = interval(&sample, alpha).unwrap();
                assert!(found.low <= found.middle && found.middle <= found.high);
                found.low > 1.0 || found.high < 1.0
            })
            .count()
    }

    #[test]
    fn intervals_hold_the_truth_at_least_as_often_as_they_say() {
        assert!((50..=220).contains(&misses(60, 0.1, 2000)));
        // Far out, where resampling would need millions of samples: 2 in 20 000 are to be expected at most.
        assert!(misses(30, 1e-4, 20_000) <= 8);
    }

    #[test]
    fn as_many_values_are_left_out_as_tables_of_the_sign_test_say() {
        // Critical values of the two-sided sign test at 5 % and at 1 %.
        for (n, at_5, at_1) in [
            (8, 0, 0),
            (10, 1, 0),
            (15, 3, 2),
            (20, 5, 3),
            (25, 7, 5),
            (50, 17, 15),
        ] {
            assert_eq!(in_each_tail(n, 0.05), Some(at_5), "{n}");
            assert_eq!(in_each_tail(n, 0.01), Some(at_1), "{n}");
        }
        assert_eq!(in_each_tail(5, 0.05), None);
        assert_eq!(in_each_tail(7, 0.01), None);
        // Beyond what a power of two can say.
        let many = in_each_tail(20_000, 1e-5).unwrap();
        assert!((9_600..9_700).contains(&many), "{many}");
        for (n, alpha) in [(6, 0.05), (11, 0.001), (18, 1e-5)] {
            assert_eq!(least_count(alpha), n);
            assert!(in_each_tail(n, alpha).is_some() && in_each_tail(n - 1, alpha).is_none());
        }
    }

    #[test]
    fn medians_are_those_of_the_book() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
        assert_eq!(interval(&[1.0, 2.0, 3.0], 0.05), None);
    }

    #[test]
    fn only_what_can_be_judged_makes_the_others_harder() {
        // Two large ones among hundreds of small ones.
        let mut counts = vec![4; 500];
        counts.extend([60, 60]);
        assert_eq!(level_of_each(&counts, 0.05), 0.025);
        assert_eq!(level_of_each(&[60; 40], 0.05), 0.05 / 40.0);
        assert_eq!(level_of_each(&[], 0.05), 0.05);
        for sizes in [3..9, 5..12, 6..40] {
            let counts: Vec<usize> = sizes.flat_map(|n| [n; 7]).collect();
            let level = level_of_each(&counts, 0.05);
            let judged = counts.iter().filter(|n| **n >= least_count(level)).count();
            assert!(judged as f64 * level <= 0.05 + 1e-12, "{judged} at {level}");
        }
    }
}
