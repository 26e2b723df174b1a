//! Budget: how the tests of a tick are divided among pairs.

/// Divides `total` tests among devices, in proportion to the tests each spent last times the uncertainty of its answer; each gets at
/// least `least`, as far as `total` allows.
///
/// ```
/// use impinge_dynamics::workspace::split_budget;
/// let mut shares = [0; 3];
/// split_budget(1000, 100, &[10.0, 30.0, 0.0], &mut shares);
/// assert_eq!(shares, [275, 625, 100]);
/// // Too little for all: equal shares.
/// split_budget(90, 100, &[10.0, 30.0, 0.0], &mut shares);
/// assert_eq!(shares, [30, 30, 30]);
/// ```
pub fn split_budget(total: u64, least: u64, weights: &[f64], shares: &mut [u64]) {
    let count = shares.len().min(weights.len()) as u64;
    if count == 0 {
        return;
    }
    let least = least.min(total / count);
    let rest = (total - least * count) as f64;
    let valid = |w: f64| if w > 0.0 && w.is_finite() { w } else { 0.0 };
    let sum: f64 = weights.iter().map(|&w| valid(w)).sum();
    for (share, &weight) in shares.iter_mut().zip(weights) {
        let part = if sum > 0.0 {
            valid(weight) / sum
        } else {
            1.0 / count as f64
        };
        *share = least + (rest * part) as u64;
    }
}
