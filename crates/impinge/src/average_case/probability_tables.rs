//! Lookup tables for the probabilities of filled bins.
//!
//! **Idea.** For each number of bins and of balls of the rarer colour a row over the other colour; rows end where the probability is
//! one but for 0.9·10⁻⁵. The colours may be exchanged, so half of the rows are enough.
//! **Source.** Klein 2005, 3.4.4, who needed 93 hours and compressed by a factor of 17.
//! **Promise.** The same bytes as the functions that compute: see [`capped_probability`](super::capped_probability).

use std::fmt;

use super::bin_probability::{
    FilledBins, MAX_TAILS, SATURATION, best_of, clamp_probability, ln_factorial,
};

/// The tables up to a number of bins and of filled ones.
///
/// ```
/// use impinge::average_case::{BinTables, capped_probability, filled_bins};
/// let tables = BinTables::new(64, 10);
/// assert_eq!(tables.at(64, 9, 20, 2), f64::from(filled_bins(64, 9, 20, 2) as f32));
/// assert_eq!(tables.estimate(64, 9, 20, 0.5), capped_probability(64, 9, 20, 0.5, 10));
/// // Most of the rows are cut off.
/// assert!(tables.bytes() < 10 * 4 * 64 * 65 * 66 / 6);
/// ```
#[derive(Clone, PartialEq)]
pub struct BinTables {
    pub(super) bins: u32,
    pub(super) tables: Vec<BinTable>,
}

/// The table of one number of filled bins.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BinTable {
    /// Where each row begins, and the end of the last.
    pub(super) rows: Vec<u32>,
    pub(super) values: Vec<f32>,
}

/// The row of this many bins and rarer balls, both at least 1.
fn row(bins: u32, fewer: u32) -> usize {
    let bins = bins as usize;
    bins * (bins - 1) / 2 + fewer as usize - 1
}

impl BinTables {
    /// All tables for up to `bins` bins (at most 512) and up to `x_max` filled ones (at most 64).
    #[must_use]
    pub fn new(bins: u32, x_max: u32) -> Self {
        let bins = bins.min(512);
        let x_max = (x_max as usize).min(MAX_TAILS);
        let factorials: Vec<f64> = (0..=bins).map(ln_factorial).collect();
        let factorial = |n: u32| factorials.get(n as usize).copied().unwrap_or(0.0);
        let mut tables = vec![BinTable::default(); x_max];
        let mut tails = [0.0; MAX_TAILS];
        for all in 1..=bins {
            for fewer in 1..=all {
                for table in &mut tables {
                    table.rows.push(table.values.len() as u32);
                }
                // More bins cannot be filled than there are balls: such rows stay empty.
                let mut is_open = [false; MAX_TAILS];
                is_open[..x_max.min(fewer as usize)].fill(true);
                for more in fewer..=all {
                    if !is_open[..x_max].contains(&true) {
                        break;
                    }
                    FilledBins::new(all, fewer, more).tails(factorial, &mut tails[..x_max]);
                    for ((table, &tail), open) in tables.iter_mut().zip(&tails).zip(&mut is_open) {
                        if *open && tail >= SATURATION {
                            *open = false;
                        }
                        if *open {
                            table.values.push(tail as f32);
                        }
                    }
                }
            }
        }
        for table in &mut tables {
            table.rows.push(table.values.len() as u32);
        }
        Self { bins, tables }
    }

    /// The probability that at least `at_least` bins hold both colours, rounded to `f32`; 1 from saturation on. Computed where there is no table.
    ///
    /// ```
    /// use impinge::average_case::{BinTables, filled_bins};
    /// let tables = BinTables::new(16, 2);
    /// assert_eq!(tables.at(16, 3, 4, 2), f64::from(filled_bins(16, 3, 4, 2) as f32));
    /// // More filled bins, and more bins, than there are tables of.
    /// assert_eq!(tables.at(40, 9, 9, 5), f64::from(filled_bins(40, 9, 9, 5) as f32));
    /// ```
    #[must_use]
    pub fn at(&self, bins: u32, blue: u32, red: u32, at_least: u32) -> f64 {
        let (fewer, more) = (blue.min(red).min(bins), blue.max(red).min(bins));
        let table = (at_least as usize)
            .checked_sub(1)
            .and_then(|x| self.tables.get(x));
        if at_least > fewer {
            return 0.0;
        }
        let Some(table) = table.filter(|_| fewer > 0 && bins <= self.bins) else {
            return clamp_probability(super::filled_bins(bins, blue, red, at_least));
        };
        let row = row(bins, fewer);
        let (begin, end) = (table.rows[row] as usize, table.rows[row + 1] as usize);
        let place = begin + (more - fewer) as usize;
        if place < end {
            f64::from(table.values[place])
        } else {
            1.0
        }
    }

    /// What [`capped_probability`](super::capped_probability) gives, with as many cells as there are tables.
    ///
    /// ```
    /// use impinge::average_case::{BinTables, capped_probability};
    /// let tables = BinTables::new(32, 4);
    /// assert_eq!(tables.estimate(32, 12, 7, 0.3), capped_probability(32, 12, 7, 0.3, 4));
    /// ```
    #[must_use]
    pub fn estimate(&self, bins: u32, blue: u32, red: u32, certainty: f64) -> f64 {
        let most = (self.tables.len() as u32).min(blue.min(red));
        let tails = (1..=most).map(|x| self.at(bins, blue, red, x));
        best_of(tails, certainty)
    }

    /// The bytes of all tables.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let table =
            |t: &BinTable| size_of_val(t.values.as_slice()) + size_of_val(t.rows.as_slice());
        self.tables.iter().map(table).sum()
    }

    /// How many probabilities are kept of each number of filled bins, beginning with 1.
    ///
    /// ```
    /// let tables = impinge::average_case::BinTables::new(16, 2);
    /// assert!(tables.entries().all(|kept| kept < 16 * 17 * 18 / 6));
    /// ```
    pub fn entries(&self) -> impl Iterator<Item = usize> + '_ {
        self.tables.iter().map(|table| table.values.len())
    }
}

impl fmt::Debug for BinTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BinTables")
            .field("bins", &self.bins)
            .field("tables", &self.tables.len())
            .finish_non_exhaustive()
    }
}
