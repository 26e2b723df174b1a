//! Medians with intervals by seeded bootstrap.

use impinge::math::Rng;

/// Bootstrap samples: the tails that are looked at must hold some of them.
const LEAST_RESAMPLES: usize = 1_000;
const MOST_RESAMPLES: usize = 20_000;
const IN_EACH_TAIL: f64 = 10.0;
/// Random numbers drawn for one interval, so that many large samples do not take minutes; their intervals are narrow anyway.
const MOST_DRAWS: usize = 4_000_000;

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
    middle(&mut sorted)
}

fn middle(sample: &mut [f64]) -> Option<f64> {
    let n = sample.len();
    let half = n.checked_sub(1)? / 2;
    let (_, low, above) = sample.select_nth_unstable_by(half, f64::total_cmp);
    let low = *low;
    if n % 2 == 1 {
        return Some(low);
    }
    let high = above.iter().copied().min_by(f64::total_cmp)?;
    Some(0.5 * (low + high))
}

/// How many values a sample needs before its median can differ from nothing at this level at all: by the sign test, n values
/// that all say the same have chance 2^(1−n).
pub(super) fn least_count(alpha: f64) -> usize {
    1 + (1.0 / alpha).log2().ceil().max(0.0) as usize
}

/// The median and its interval at 1 − `alpha`, by percentiles of bootstrap samples; the seed is the quantity's name.
pub(super) fn interval(sample: &[f64], alpha: f64, name: &str) -> Interval {
    let Some(middle_value) = median(sample) else {
        return Interval {
            low: f64::NAN,
            middle: f64::NAN,
            high: f64::NAN,
        };
    };
    let wanted = (2.0 * IN_EACH_TAIL / alpha).ceil() as usize;
    let resamples = wanted
        .clamp(LEAST_RESAMPLES, MOST_RESAMPLES)
        .min((MOST_DRAWS / sample.len()).max(LEAST_RESAMPLES));
    let mut rng = Rng::new(seed(name));
    let mut drawn = vec![0.0; sample.len()];
    let mut medians: Vec<f64> = (0..resamples)
        .filter_map(|_| {
            for value in &mut drawn {
                let k = (rng.unit() * sample.len() as f64) as usize;
                *value = sample[k.min(sample.len() - 1)];
            }
            middle(&mut drawn)
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    let at = |part: f64| {
        let k = (part * (medians.len() - 1) as f64).round() as usize;
        medians.get(k).copied().unwrap_or(middle_value)
    };
    Interval {
        low: at(0.5 * alpha),
        middle: middle_value,
        high: at(1.0 - 0.5 * alpha),
    }
}

/// The 64-bit FNV-1a hash.
fn seed(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use impinge::math::Rng;

    use super::{interval, least_count, median};

    #[test]
    fn intervals_hold_the_truth_about_as_often_as_they_say() {
        let mut rng = Rng::new(4);
        let mut held = 0;
        for k in 0..200 {
            let sample: Vec<f64> = (0..60).map(|_| rng.unit() + rng.unit() - 1.0).collect();
            let found = interval(&sample, 0.1, &k.to_string());
            held += usize::from(found.low <= 0.0 && 0.0 <= found.high);
            assert!(found.low <= found.middle && found.middle <= found.high);
        }
        assert!((165..=198).contains(&held), "{held} of 200 at 90 %");
    }

    #[test]
    fn medians_and_counts_are_those_of_the_book() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
        assert_eq!(least_count(0.05), 6);
        assert_eq!(least_count(0.001), 11);
        let sample = [1.0, 2.0, 3.0];
        assert_eq!(interval(&sample, 0.05, "a"), interval(&sample, 0.05, "a"));
    }
}
