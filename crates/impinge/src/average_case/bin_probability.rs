//! The probability that bins hold balls of both colours.
//!
//! **Question.** Of `bins` bins, `blue` contain a blue ball and `red` a red one, at random. How
//! likely is it that some bin contains both?
//! **Idea.** The number of such bins is hypergeometric. A bin stands for a cell, a ball for enough
//! surface in the cell, and a bin with both colours for a place where two surfaces intersect with a
//! probability of at least `certainty`.
//! **Source.** Klein, *Efficient Collision Detection for Point and Polygon Based Models*, 2005,
//! 3.3.3 and 3.3.4. Ours: the expectation without a cap, and the floor that needs no sum.
//! **Promise.** `floor ≤ expectation`, and `capped ≤ expectation` up to the rounding of
//! [`clamp_probability`].

/// Up to this many bins sums begin at the first term. Beyond, it may be too small for a number, and they begin at the likeliest.
const MANY_BINS: u32 = 600;
/// Terms smaller than this fraction of the likeliest add nothing to a sum of 1.
const NOTHING: f64 = 1e-40;

/// What is at least this likely counts as certain, as in the tables.
pub(super) const SATURATION: f64 = 1.0 - 0.9e-5;

/// A probability as tables keep it.
pub(super) fn clamp_probability(p: f64) -> f64 {
    if p >= SATURATION {
        1.0
    } else {
        f64::from(p as f32)
    }
}

/// The logarithm of `n!`.
pub(super) fn ln_factorial(n: u32) -> f64 {
    libm::lgamma(f64::from(n) + 1.0)
}

/// The numbers of bins with both colours that are possible.
#[derive(Clone, Copy, Debug)]
pub(super) struct FilledBins {
    bins: u32,
    blue: u32,
    red: u32,
    least: u32,
    most: u32,
}

impl FilledBins {
    /// More balls than bins count as a ball in each.
    pub(super) fn new(bins: u32, blue: u32, red: u32) -> Self {
        let (blue, red) = (blue.min(bins), red.min(bins));
        Self {
            bins,
            blue: blue.min(red),
            red: blue.max(red),
            // What is more than all bins; written so that no sum is too large.
            least: blue.saturating_sub(bins - red),
            most: blue.min(red),
        }
    }

    /// The probability of exactly `count` bins with both.
    fn exactly(&self, count: u32, ln_factorial: impl Fn(u32) -> f64) -> f64 {
        let choose = |n: u32, k: u32| ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
        let ln = choose(self.red, count) + choose(self.bins - self.red, self.blue - count)
            - choose(self.bins, self.blue);
        libm::exp(ln)
    }

    /// What the probability of `count + 1` is in those of `count`.
    #[inline]
    fn growth(&self, count: u32) -> f64 {
        let (t, u) = (f64::from(count), f64::from(self.bins));
        let (v, w) = (f64::from(self.blue), f64::from(self.red));
        (w - t) * (v - t) / ((t + 1.0) * (u - w - v + t + 1.0))
    }

    /// The probabilities of at least 1, 2, … bins with both.
    pub(super) fn tails(&self, ln_factorial: impl Fn(u32) -> f64, tails: &mut [f64]) {
        if self.bins > MANY_BINS {
            let all = self.of_likeliest();
            for (x, tail) in (1_u32..).zip(tails) {
                *tail = self.tail(x, all);
            }
            return;
        }
        let mean = f64::from(self.blue) * f64::from(self.red) / f64::from(self.bins.max(1));
        let (mut count, mut below) = (self.least, 0.0);
        let mut term = self.exactly(count, &ln_factorial);
        for (x, tail) in (1_u32..).zip(tails) {
            if x > self.most {
                *tail = 0.0;
                continue;
            }
            while count < x {
                below += term;
                term *= self.growth(count);
                count += 1;
            }
            *tail = if x <= self.least {
                1.0
            } else if f64::from(x) > mean {
                // What is rare is summed, not subtracted from 1.
                self.upper(count, term)
            } else {
                (1.0 - below).clamp(0.0, 1.0)
            };
        }
    }

    /// The sum of all terms from this one on.
    fn upper(&self, mut count: u32, mut term: f64) -> f64 {
        let mut sum = 0.0;
        while count <= self.most && term > sum * 1e-18 {
            sum += term;
            term *= self.growth(count);
            count += 1;
        }
        sum.min(1.0)
    }

    /// The mode: the most likely number of bins with both.
    fn likeliest(&self) -> u32 {
        let (u, v, w) = (
            f64::from(self.bins),
            f64::from(self.blue),
            f64::from(self.red),
        );
        let place = ((v + 1.0) * (w + 1.0) / (u + 2.0)) as u32;
        place.clamp(self.least, self.most)
    }

    /// Two sequences of counts with their probabilities relative to the mode: upwards from the mode, and downwards from the
    /// count below it. Both end where the probability underflows, a few dozen standard deviations from the mode.
    fn beside_likeliest(
        &self,
    ) -> (
        impl Iterator<Item = (u32, f64)> + '_,
        impl Iterator<Item = (u32, f64)> + '_,
    ) {
        let middle = self.likeliest();
        let up = std::iter::successors(Some((middle, 1.0)), |&(count, term)| {
            let next = term * self.growth(count);
            (count < self.most && next > 0.0).then(|| (count + 1, next))
        });
        let down = std::iter::successors(Some((middle, 1.0)), |&(count, term)| {
            let below = count.checked_sub(1).filter(|below| *below >= self.least)?;
            let next = term / self.growth(below);
            (next > 0.0).then_some((below, next))
        });
        (up, down.skip(1))
    }

    /// The sum of all probabilities, relative to that of the mode.
    fn of_likeliest(&self) -> f64 {
        let (up, down) = self.beside_likeliest();
        let sum = |terms: &mut dyn Iterator<Item = (u32, f64)>| {
            terms
                .map(|(_, term)| term)
                .take_while(|term| *term > NOTHING)
                .sum::<f64>()
        };
        sum(&mut { up }) + sum(&mut { down })
    }

    /// The probability of at least `x` bins with both, when all probabilities add up to `all` in that of the likeliest number.
    fn tail(&self, x: u32, all: f64) -> f64 {
        if x <= self.least {
            return 1.0;
        }
        if x > self.most {
            return 0.0;
        }
        let (up, down) = self.beside_likeliest();
        if x > self.likeliest() {
            // What is rare is summed, not subtracted from 1.
            let mut sum = 0.0;
            for (_, term) in up.skip_while(|&(count, _)| count < x) {
                if term <= sum * 1e-18 {
                    break;
                }
                sum += term;
            }
            (sum / all).min(1.0)
        } else {
            let below = down
                .take_while(|&(_, term)| term > NOTHING)
                .filter(|&(count, _)| count < x)
                .map(|(_, term)| term)
                .sum::<f64>();
            (1.0 - below / all).clamp(0.0, 1.0)
        }
    }

    /// The expectation of `rest` to the power of the number of bins with both.
    fn power(&self, rest: f64) -> f64 {
        if self.bins > MANY_BINS {
            let (up, down) = self.beside_likeliest();
            let sum = |terms: &mut dyn Iterator<Item = (u32, f64)>| {
                terms
                    .take_while(|&(_, term)| term > NOTHING)
                    .map(|(count, term)| term * libm::pow(rest, f64::from(count)))
                    .sum::<f64>()
            };
            let sum = sum(&mut { up }) + sum(&mut { down });
            return (sum / self.of_likeliest()).clamp(0.0, 1.0);
        }
        let (mut sum, mut weight) = (0.0, libm::pow(rest, f64::from(self.least)));
        let mut term = self.exactly(self.least, ln_factorial);
        for count in self.least..=self.most {
            sum += term * weight;
            term *= self.growth(count);
            weight *= rest;
            if weight < 1e-18 {
                break;
            }
        }
        sum.clamp(0.0, 1.0)
    }
}

/// The probability that at least `at_least` of `bins` bins hold both a blue and a red ball. More balls than bins count as one in each.
///
/// Balls are in bins at random, at most one of each colour in a bin; surfaces are not, so what follows from this about meshes is an estimate.
///
/// ```
/// use impinge::average_case::filled_bins;
/// // All blue balls miss the red ones in C(6, 3) of C(8, 3) cases.
/// assert!((filled_bins(8, 3, 2, 1) - (1.0 - 20.0 / 56.0)).abs() < 1e-12);
/// assert_eq!(filled_bins(8, 5, 5, 2), 1.0);
/// ```
#[must_use]
pub fn filled_bins(bins: u32, blue: u32, red: u32, at_least: u32) -> f64 {
    let filled = FilledBins::new(bins, blue, red);
    if at_least == 0 || at_least <= filled.least {
        return 1.0;
    }
    if at_least > filled.most {
        return 0.0;
    }
    if bins <= MANY_BINS {
        // The last of the list is wanted; short lists, as at_least is at most the number of bins.
        let mut tails = [0.0; MANY_BINS as usize];
        let tails = &mut tails[..at_least as usize];
        filled.tails(ln_factorial, tails);
        return tails.last().copied().unwrap_or(0.0);
    }
    filled.tail(at_least, filled.of_likeliest())
}

/// Klein's estimate: the best over `x` up to `x_max` of "at least x bins are filled, and not all of them fail".
///
/// `certainty` is the probability that a filled bin is a collision; `x_max` beyond 64 counts as 64. Tails are rounded as tables keep them, so that both give the same bytes. Up to
/// that rounding it is never more than [`expected_probability`].
///
/// ```
/// use impinge::average_case::{capped_probability, expected_probability};
/// // The cap of ten cells costs: the largest term of this sum is the eighteenth.
/// let capped = capped_probability(100, 50, 50, 0.25, 10);
/// assert!((capped - 0.94369).abs() < 1e-4);
/// assert!(capped < expected_probability(100, 50, 50, 0.25));
/// ```
#[must_use]
pub fn capped_probability(bins: u32, blue: u32, red: u32, certainty: f64, x_max: u32) -> f64 {
    let filled = FilledBins::new(bins, blue, red);
    let mut tails = [0.0; MAX_TAILS];
    let tails = &mut tails[..(x_max as usize).min(MAX_TAILS)];
    filled.tails(ln_factorial, tails);
    best_of(tails.iter().map(|&tail| clamp_probability(tail)), certainty)
}

/// The maximum number of cells in a capped estimate.
pub(super) const MAX_TAILS: usize = 64;

/// The largest product of a tail and the probability that not all its cells fail.
pub(super) fn best_of(tails: impl Iterator<Item = f64>, certainty: f64) -> f64 {
    let (rest, mut all_fail, mut best) = (1.0 - certainty.clamp(0.0, 1.0), 1.0, 0.0_f64);
    for tail in tails {
        all_fail *= rest;
        best = best.max(tail * (1.0 - all_fail));
    }
    best
}

/// The probability that not all filled bins fail, over all numbers of them: never less than [`capped_probability`], without its cap.
///
/// ```
/// use impinge::average_case::expected_probability;
/// // Both bins hold both colours, and each fails in half of all cases.
/// assert!((expected_probability(2, 2, 2, 0.5) - 0.75).abs() < 1e-12);
/// assert!(expected_probability(100, 50, 50, 0.25) > 0.9931);
/// ```
#[must_use]
pub fn expected_probability(bins: u32, blue: u32, red: u32, certainty: f64) -> f64 {
    let filled = FilledBins::new(bins, blue, red);
    1.0 - filled.power(1.0 - certainty.clamp(0.0, 1.0))
}

/// A floor of [`expected_probability`] that needs only the mean number of filled bins: `1 − exp(−certainty·mean)`.
///
/// Drawing without putting back scatters less than drawing with it, which scatters less than a Poisson number of the same mean; and
/// `(1 − c)^T` is convex in `T`, so its expectation grows with the scatter.
///
/// ```
/// use impinge::average_case::{expected_probability, least_probability};
/// // 50 and 50 balls in 100 bins meet in 25 on average.
/// let floor = least_probability(25.0, 0.25);
/// assert!(floor > 0.998 * expected_probability(100, 50, 50, 0.25) && floor <= expected_probability(100, 50, 50, 0.25));
/// ```
#[must_use]
pub fn least_probability(mean: f64, certainty: f64) -> f64 {
    -libm::expm1(-(mean * certainty).max(0.0))
}
