//! Durations, counted in bins of about 1 %.

/// Bins for each doubling. A duration is reported at most 1/64 too large.
const SUB_BINS: u64 = 64;

/// Doublings from 64 ns on: the last bin begins beyond an hour.
const DOUBLINGS: u64 = 37;

const BINS: usize = ((DOUBLINGS + 1) * SUB_BINS) as usize;

/// How often durations occurred. Its size is fixed; adding does not allocate.
///
/// ```
/// use impinge_dynamics::rate::DurationHistogram;
/// let mut histogram = DurationHistogram::new();
/// for ns in 1..=1000 {
///     histogram.add(ns);
/// }
/// let summary = histogram.summary();
/// assert_eq!((summary.count, summary.largest_ns), (1000, 1000));
/// assert!((500..=508).contains(&summary.median_ns));
/// assert!((999..=1000).contains(&summary.p999_ns));
/// assert_eq!(histogram.quantile_ns(0.0), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DurationHistogram {
    bins: Vec<u64>,
    count: u64,
    largest_ns: u64,
}

/// A summary of the durations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DurationSummary {
    /// The number of durations.
    pub count: u64,
    /// The median.
    pub median_ns: u64,
    /// The 99.9th percentile.
    pub p999_ns: u64,
    /// The maximum, exactly.
    pub largest_ns: u64,
}

fn bin_of(duration_ns: u64) -> usize {
    if duration_ns < SUB_BINS {
        return duration_ns as usize;
    }
    let doubling = u64::from(duration_ns.ilog2()) - 5;
    let within = (duration_ns >> (doubling - 1)) - SUB_BINS;
    ((doubling * SUB_BINS + within) as usize).min(BINS - 1)
}

/// The largest duration of a bin.
fn end_of(bin: u64) -> u64 {
    if bin < SUB_BINS {
        return bin;
    }
    let (doubling, within) = (bin / SUB_BINS, bin % SUB_BINS);
    ((SUB_BINS + within + 1) << (doubling - 1)) - 1
}

impl DurationHistogram {
    /// No durations.
    #[must_use]
    pub fn new() -> Self {
        Self {
            bins: vec![0; BINS],
            count: 0,
            largest_ns: 0,
        }
    }

    /// Counts a duration.
    pub fn add(&mut self, duration_ns: u64) {
        if let Some(bin) = self.bins.get_mut(bin_of(duration_ns)) {
            *bin += 1;
        }
        self.count += 1;
        self.largest_ns = self.largest_ns.max(duration_ns);
    }

    /// The smallest duration that at least this share of all do not exceed, up to 1/64 too large; 0 when there is
    /// none.
    #[must_use]
    pub fn quantile_ns(&self, share: f64) -> u64 {
        let wanted = (self.count as f64 * share).ceil().max(1.0);
        let mut seen = 0;
        for (bin, &count) in (0..).zip(&self.bins) {
            seen += count;
            if count > 0 && seen as f64 >= wanted {
                return end_of(bin).min(self.largest_ns);
            }
        }
        self.largest_ns
    }

    /// Median, 99.9 % and largest.
    #[must_use]
    pub fn summary(&self) -> DurationSummary {
        DurationSummary {
            count: self.count,
            median_ns: self.quantile_ns(0.5),
            p999_ns: self.quantile_ns(0.999),
            largest_ns: self.largest_ns,
        }
    }
}

impl Default for DurationHistogram {
    fn default() -> Self {
        Self::new()
    }
}
