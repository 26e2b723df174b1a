//! How long single calls take along a path.
//!
//! The published search compares mean times, and so does ours. Whoever feels forces feels the slowest ones: a mean within a millisecond says nothing of them, so that
//! every call is kept.

use crate::pair_measurement::quantile;

/// From so many calls on, the 99.9th percentile is one of them and not the largest.
const MANY: usize = 1000;

/// The times of all calls along a path, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CallTimes {
    single: Vec<f64>,
    /// The processor time of the thread for each; empty where nobody says.
    processor: Vec<f64>,
    /// Of each place that of the fastest call.
    fastest: Vec<f64>,
}

impl CallTimes {
    /// Adds a place with all of its calls.
    pub(super) fn push(&mut self, calls: &[f64]) {
        self.single.extend(calls);
        let least = calls.iter().copied().fold(f64::INFINITY, f64::min);
        self.fastest.push(least);
    }

    /// Adds the processor time of the thread for one call, where the system says.
    pub(super) fn push_processor(&mut self, call: Option<f64>) {
        self.processor.extend(call);
    }

    /// The 99.9th percentile of processor times, in which waiting for other programs does not count; none where it would be the largest, and where nobody says.
    pub(super) fn processor_99_9(&self) -> Option<f64> {
        let at = quantile(&self.processor, 0.999);
        at.filter(|_| self.processor.len() >= MANY)
    }

    /// The mean over all places, of each the fastest call: what equivalent resolutions are chosen by.
    pub(super) fn mean(&self) -> f64 {
        self.fastest.iter().sum::<f64>() / self.fastest.len().max(1) as f64
    }

    pub(super) fn calls(&self) -> usize {
        self.single.len()
    }

    pub(super) fn median(&self) -> Option<f64> {
        quantile(&self.single, 0.5)
    }

    /// None where it would be the largest.
    pub(super) fn percentile_99_9(&self) -> Option<f64> {
        let at = quantile(&self.single, 0.999);
        at.filter(|_| self.single.len() >= MANY)
    }

    pub(super) fn largest(&self) -> Option<f64> {
        quantile(&self.single, 1.0)
    }

    /// The part of all calls that took longer.
    pub(super) fn longer_than(&self, ms: f64) -> f64 {
        let longer = self.single.iter().filter(|time| **time > ms).count();
        longer as f64 / self.single.len().max(1) as f64
    }

    /// Two questions one after the other at each place.
    pub(super) fn then(&self, next: &Self) -> Self {
        let both = |of: &[f64], and: &[f64]| of.iter().zip(and).map(|(x, y)| x + y).collect();
        Self {
            single: both(&self.single, &next.single),
            processor: both(&self.processor, &next.processor),
            fastest: both(&self.fastest, &next.fastest),
        }
    }

    /// What a haptic loop has to expect, in words.
    pub(super) fn most_in_words(&self) -> String {
        let count = self.calls();
        match (self.percentile_99_9(), self.largest()) {
            (Some(ms), _) => format!("99.9 % of {count} calls within {ms:.3} ms"),
            (None, Some(ms)) => format!("the longest of {count} calls {ms:.3} ms"),
            (None, None) => "nothing was asked".to_owned(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// One place that took so long, twice.
    pub(in crate::quality) fn lasting(ms: f64) -> CallTimes {
        let mut times = CallTimes::default();
        times.push(&[ms, ms]);
        times
    }

    #[test]
    fn the_mean_is_of_the_faster_calls_and_all_else_of_every_single_one() {
        let mut times = CallTimes::default();
        assert_eq!(
            (times.mean(), times.median(), times.largest()),
            (0.0, None, None)
        );
        for k in 0..500 {
            times.push(&[2.0 + f64::from(k), 1.0]);
        }
        assert_eq!(times.mean(), 1.0);
        assert_eq!(times.calls(), 1000);
        // A half of them is 1; of the others, 2 to 501, the last but one is the 99.9th percentile.
        assert_eq!(times.median(), Some(2.0));
        assert_eq!(times.percentile_99_9(), Some(500.0));
        assert_eq!(times.largest(), Some(501.0));
        assert_eq!(times.longer_than(500.0), 1e-3);
        assert_eq!(times.processor_99_9(), None);
        for k in 0..1000 {
            times.push_processor(Some(f64::from(k)));
            times.push_processor(None);
        }
        assert_eq!(times.processor_99_9(), Some(998.0));
        assert_eq!(
            times.most_in_words(),
            "99.9 % of 1000 calls within 500.000 ms"
        );
    }

    #[test]
    fn of_few_calls_the_largest_is_told_and_named_so() {
        let mut times = CallTimes::default();
        for _ in 0..499 {
            times.push(&[0.5, 0.25]);
        }
        times.push(&[0.75]);
        assert_eq!(times.percentile_99_9(), None);
        assert_eq!(times.most_in_words(), "the longest of 999 calls 0.750 ms");
    }

    #[test]
    fn two_questions_take_the_time_of_both() {
        let mut other = lasting(0.5);
        other.push(&[4.0, 3.0]);
        let mut times = lasting(0.25);
        times.push(&[1.0, 2.0]);
        let both = times.then(&other);
        assert_eq!(both.mean(), 0.5 * (0.75 + 4.0));
        assert_eq!((both.calls(), both.largest()), (4, Some(5.0)));
    }
}
