//! The tests of the study: paired t, one-way analysis of variance, chi-square.
//!
//! **Promise.** Sums run in the order of the input, so the same input gives the same bytes.

use thiserror::Error;

use super::distribution::{chi_square_tail, f_tail, t_two_sided};

/// Why a test could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StatisticsError {
    /// Two paired samples have different lengths.
    #[error("paired samples must have one length, found {left} and {right}")]
    Unpaired {
        /// Length of the first.
        left: usize,
        /// Length of the second.
        right: usize,
    },
    /// A sample is too small for the test.
    #[error("sample {sample} has {found} values, the test needs {needed}")]
    TooFew {
        /// Which sample.
        sample: usize,
        /// How many values it has.
        found: usize,
        /// How many it needs.
        needed: usize,
    },
    /// Fewer groups or categories than two.
    #[error("the test needs at least two groups, found {found}")]
    TooFewGroups {
        /// How many there are.
        found: usize,
    },
    /// A value is NaN or infinite, or negative where that is invalid.
    #[error("value {value} of sample {sample} is out of range")]
    OutOfRange {
        /// Which sample.
        sample: usize,
        /// The value.
        value: f64,
    },
    /// All values are equal, so nothing varies that the effect could be compared with.
    #[error("the values do not vary within the groups")]
    NoVariance,
}

/// Size, mean and standard deviation of a group, as papers print them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many values.
    pub n: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, with n − 1 in the denominator.
    pub sd: f64,
}

impl Summary {
    /// The summary of values.
    ///
    /// # Errors
    /// [`StatisticsError`] for fewer than two values, or one that is not finite.
    ///
    /// ```
    /// use impinge_dynamics::study::statistics::Summary;
    /// let summary = Summary::of(&[1.0, 2.0, 3.0])?;
    /// assert_eq!((summary.mean, summary.sd), (2.0, 1.0));
    /// # Ok::<(), impinge_dynamics::study::statistics::StatisticsError>(())
    /// ```
    pub fn of(values: &[f64]) -> Result<Self, StatisticsError> {
        check(0, values, 2)?;
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        Ok(Self {
            n: values.len(),
            mean,
            sd: (squares / (n - 1.0)).sqrt(),
        })
    }
}

/// The result of a paired t-test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedT {
    /// The statistic; positive when the first sample is larger.
    pub t: f64,
    /// Degrees of freedom, n − 1.
    pub freedom: usize,
    /// Two-sided probability of a statistic as large by chance.
    pub p: f64,
    /// Mean difference in standard deviations of the differences (Cohen's d).
    pub effect: f64,
}

/// Whether two measurements of the same subjects differ.
///
/// # Errors
/// [`StatisticsError`] for samples of different length, fewer than two pairs, values that are not
/// finite, or differences that are all equal.
///
/// ```
/// use impinge_dynamics::study::statistics::paired_t;
/// let found = paired_t(&[2.0, 3.0, 5.0], &[1.0, 1.0, 2.0])?;
/// assert!((found.t - 2.0 * 3.0_f64.sqrt()).abs() < 1e-14 && found.freedom == 2);
/// # Ok::<(), impinge_dynamics::study::statistics::StatisticsError>(())
/// ```
pub fn paired_t(first: &[f64], second: &[f64]) -> Result<PairedT, StatisticsError> {
    if first.len() != second.len() {
        return Err(StatisticsError::Unpaired {
            left: first.len(),
            right: second.len(),
        });
    }
    check(0, first, 2)?;
    check(1, second, 2)?;
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let of = Summary::of(&differences)?;
    if of.sd <= 0.0 {
        return Err(StatisticsError::NoVariance);
    }
    let t = of.mean * (of.n as f64).sqrt() / of.sd;
    let freedom = of.n - 1;
    Ok(PairedT {
        t,
        freedom,
        p: t_two_sided(t, freedom as f64),
        effect: of.mean / of.sd,
    })
}

/// The result of a one-way analysis of variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anova {
    /// Variance between the groups over variance within them.
    pub f: f64,
    /// Degrees of freedom between, groups − 1.
    pub between: usize,
    /// Degrees of freedom within, values − groups.
    pub within: usize,
    /// Probability of an F as large by chance.
    pub p: f64,
    /// Share of the variance that the groups explain (η²).
    pub explained: f64,
}

/// Whether the means of groups differ, from their values.
///
/// # Errors
/// As [`anova_from_summaries`].
///
/// ```
/// use impinge_dynamics::study::statistics::anova;
/// let found = anova(&[&[1.0, 2.0, 3.0], &[3.0, 4.0, 5.0]])?;
/// assert!((found.f - 6.0).abs() < 1e-12 && (found.between, found.within) == (1, 4));
/// # Ok::<(), impinge_dynamics::study::statistics::StatisticsError>(())
/// ```
pub fn anova(groups: &[&[f64]]) -> Result<Anova, StatisticsError> {
    let mut summaries = Vec::with_capacity(groups.len());
    for (sample, values) in groups.iter().enumerate() {
        check(sample, values, 2)?;
        summaries.push(Summary::of(values)?);
    }
    anova_from_summaries(&summaries)
}

/// Whether the means of groups differ, from printed means and standard deviations.
///
/// # Errors
/// [`StatisticsError`] for fewer than two groups, a group of fewer than two, values that are not
/// finite, or no variance within the groups.
///
/// ```
/// use impinge_dynamics::study::statistics::{Summary, anova_from_summaries};
/// let groups = [Summary { n: 3, mean: 2.0, sd: 1.0 }, Summary { n: 3, mean: 4.0, sd: 1.0 }];
/// assert!((anova_from_summaries(&groups)?.f - 6.0).abs() < 1e-12);
/// # Ok::<(), impinge_dynamics::study::statistics::StatisticsError>(())
/// ```
pub fn anova_from_summaries(groups: &[Summary]) -> Result<Anova, StatisticsError> {
    if groups.len() < 2 {
        return Err(StatisticsError::TooFewGroups {
            found: groups.len(),
        });
    }
    for (sample, group) in groups.iter().enumerate() {
        if group.n < 2 {
            return Err(StatisticsError::TooFew {
                sample,
                found: group.n,
                needed: 2,
            });
        }
        for value in [group.mean, group.sd] {
            if !value.is_finite() {
                return Err(StatisticsError::OutOfRange { sample, value });
            }
        }
        if group.sd < 0.0 {
            return Err(StatisticsError::OutOfRange {
                sample,
                value: group.sd,
            });
        }
    }
    let count: usize = groups.iter().map(|g| g.n).sum();
    let total: f64 = groups.iter().map(|g| g.n as f64 * g.mean).sum();
    let mean = total / count as f64;
    let between_squares: f64 = groups
        .iter()
        .map(|g| g.n as f64 * (g.mean - mean) * (g.mean - mean))
        .sum();
    let within_squares: f64 = groups.iter().map(|g| (g.n - 1) as f64 * g.sd * g.sd).sum();
    if within_squares <= 0.0 {
        return Err(StatisticsError::NoVariance);
    }
    let (between, within) = (groups.len() - 1, count - groups.len());
    let f = (between_squares / between as f64) / (within_squares / within as f64);
    Ok(Anova {
        f,
        between,
        within,
        p: f_tail(f, between as f64, within as f64),
        explained: between_squares / (between_squares + within_squares),
    })
}

/// The result of a chi-square test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquare {
    /// The statistic.
    pub chi_square: f64,
    /// Degrees of freedom, categories − 1.
    pub freedom: usize,
    /// Probability of a statistic as large by chance.
    pub p: f64,
}

/// Whether counts differ from equal frequencies.
///
/// # Errors
/// [`StatisticsError`] for fewer than two categories or no counts at all.
///
/// ```
/// use impinge_dynamics::study::statistics::chi_square_uniform;
/// let fair = chi_square_uniform(&[10, 10, 10])?;
/// assert_eq!((fair.chi_square, fair.p), (0.0, 1.0));
/// # Ok::<(), impinge_dynamics::study::statistics::StatisticsError>(())
/// ```
pub fn chi_square_uniform(counts: &[u64]) -> Result<ChiSquare, StatisticsError> {
    let total: u64 = counts.iter().sum();
    let expected = total as f64 / counts.len().max(1) as f64;
    chi_square(counts, &vec![expected; counts.len()])
}

/// Whether counts differ from expected frequencies.
///
/// # Errors
/// [`StatisticsError`] for fewer than two categories, lists of different length, or an expected
/// frequency that is not positive and finite.
///
/// ```
/// use impinge_dynamics::study::statistics::chi_square;
/// let found = chi_square(&[44, 56], &[50.0, 50.0])?;
/// assert!((found.chi_square - 1.44).abs() < 1e-12 && found.freedom == 1);
/// # Ok::<(), impinge_dynamics::study::statistics::StatisticsError>(())
/// ```
pub fn chi_square(counts: &[u64], expected: &[f64]) -> Result<ChiSquare, StatisticsError> {
    if counts.len() != expected.len() {
        return Err(StatisticsError::Unpaired {
            left: counts.len(),
            right: expected.len(),
        });
    }
    if counts.len() < 2 {
        return Err(StatisticsError::TooFewGroups {
            found: counts.len(),
        });
    }
    let wrong = |e: &&f64| !e.is_finite() || **e <= 0.0;
    if let Some(&value) = expected.iter().find(wrong) {
        return Err(StatisticsError::OutOfRange { sample: 1, value });
    }
    let chi_square = counts
        .iter()
        .zip(expected)
        .map(|(&count, &expected)| {
            let difference = count as f64 - expected;
            difference * difference / expected
        })
        .sum();
    let freedom = counts.len() - 1;
    Ok(ChiSquare {
        chi_square,
        freedom,
        p: chi_square_tail(chi_square, freedom as f64),
    })
}

fn check(sample: usize, values: &[f64], needed: usize) -> Result<(), StatisticsError> {
    if values.len() < needed {
        return Err(StatisticsError::TooFew {
            sample,
            found: values.len(),
            needed,
        });
    }
    match values.iter().find(|x| !x.is_finite()) {
        Some(&value) => Err(StatisticsError::OutOfRange { sample, value }),
        None => Ok(()),
    }
}
