//! Statistics of a sample: its median, and its growth with size.

/// The value in the middle, of an even number the larger of both; not a number without a value.
/// Sorts what it is given.
pub(crate) fn median(mut values: impl AsMut<[f64]>) -> f64 {
    let values = values.as_mut();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The value below which this part of the values lies; not a number without a value. Sorts what it
/// is given.
pub(crate) fn quantile(values: &mut [f64], part: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let at = (part * values.len() as f64) as usize;
    let last = values.len().saturating_sub(1);
    values.get(at.min(last)).copied().unwrap_or(f64::NAN)
}

/// The values in order, each once.
pub(crate) fn distinct(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// Slope of the line that fits the logarithms of sizes and figures best; none of fewer than two
/// different sizes.
pub(crate) fn slope(points: &[(usize, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .map(|&(n, t)| ((n as f64).ln(), t.ln()))
        .collect();
    let count = logs.len() as f64;
    let mean = logs
        .iter()
        .fold((0.0, 0.0), |m, l| (m.0 + l.0 / count, m.1 + l.1 / count));
    let (mut top, mut bottom) = (0.0, 0.0);
    for (x, y) in logs {
        top += (x - mean.0) * (y - mean.1);
        bottom += (x - mean.0) * (x - mean.0);
    }
    (bottom > 0.0).then_some(top / bottom)
}

#[cfg(test)]
mod tests {
    use super::{distinct, median, quantile, slope};

    #[test]
    fn the_middle_is_found_in_any_order() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0][..]), 4.0);
        assert!(median(Vec::new()).is_nan());
        let mut ten: Vec<f64> = (0..10).rev().map(f64::from).collect();
        let at = [0.0, 0.5, 0.95, 1.0].map(|part| quantile(&mut ten, part));
        assert_eq!(at, [0.0, 5.0, 9.0, 9.0]);
    }

    #[test]
    fn every_value_comes_once() {
        let values = [2.0, 1.0, 2.0, 0.5].into_iter();
        assert_eq!(distinct(values), [0.5, 1.0, 2.0]);
    }

    #[test]
    fn one_size_has_no_slope() {
        assert_eq!(slope(&[]), None);
        assert_eq!(slope(&[(10_000, 0.1)]), None);
        let square = slope(&[(10, 1.0), (100, 100.0), (1000, 10_000.0)]);
        assert!(square.is_some_and(|s| (s - 2.0).abs() < 1e-12));
    }
}
