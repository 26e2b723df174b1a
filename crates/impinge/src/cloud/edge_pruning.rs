//! Which edges at a point are much longer than the others.

/// Lengths are compared with this much room, so that equal spacings that differ by rounding stay equal.
const ROUNDING: f64 = 1e-9;
/// With fewer edges a point does not judge.
const FEWEST: usize = 4;

/// Which edges are set apart as too long.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum EdgePruning {
    /// None.
    Nothing,
    /// Those longer than the third quartile and `factor` interquartile ranges of the edges at one of their ends.
    Outliers {
        /// 1 does better than the customary 1.5.
        factor: f64,
    },
}

/// The length beyond which an edge is an outlier among `lengths`.
pub(super) fn limit_of(lengths: &mut [f64], prune: EdgePruning) -> f64 {
    let EdgePruning::Outliers { factor } = prune else {
        return f64::INFINITY;
    };
    if lengths.len() < FEWEST {
        return f64::INFINITY;
    }
    lengths.sort_unstable_by(f64::total_cmp);
    let quartile = |part: f64| {
        let at = part * (lengths.len() - 1) as f64;
        let below = at as usize;
        let above = (below + 1).min(lengths.len() - 1);
        lengths[below] + (at - below as f64) * (lengths[above] - lengths[below])
    };
    let (first, third) = (quartile(0.25), quartile(0.75));
    (third + factor * (third - first)) * (1.0 + ROUNDING)
}
