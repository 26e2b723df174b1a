//! The resolutions at which an engine is best, given how long it may take.
//!
//! **Source.** Weller 2012, 6.4.4, after which three resolutions of each solid are tried, nine pairs in all. A plane through their mean times is cut with the time allowed;
//! along that line deviations are interpolated, a cubic is fitted to them, and its minimum is the pair that is taken.

/// Places on the line at which deviations are interpolated.
const PLACES: usize = 33;
/// Unknowns of a cubic.
const TERMS: usize = 4;

/// What one pair of resolutions took, and how far its forces are off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ResolutionTrial {
    pub(super) ms: f64,
    pub(super) eta: f64,
}

/// The pair that is taken: of the moving solid, and of the fixed one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ResolutionChoice {
    pub(super) resolution: [f64; 2],
    pub(super) predicted_eta: f64,
    pub(super) reach: TimeReach,
}

/// Whether the plane of times reaches the time allowed between the resolutions tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeReach {
    /// Along a line of equal time.
    Line,
    /// All are faster.
    Faster,
    /// All are slower.
    Slower,
}

/// The choice after nine trials; `trials[i][j]` is that of the i-th resolution of the moving solid and the j-th of the fixed one.
pub(super) fn choose(
    resolutions: &[[f64; 3]; 2],
    trials: &[[ResolutionTrial; 3]; 3],
    tau_ms: f64,
) -> ResolutionChoice {
    let plane = TimePlane::fitted(resolutions, trials);
    let [moving, fixed] = resolutions;
    let mut line: Vec<[f64; 2]> = Vec::new();
    for k in 0..PLACES {
        let part = k as f64 / (PLACES - 1) as f64;
        // Along the axis on which time depends less, the other follows.
        let place = if plane.slope[0].abs() * (moving[2] - moving[0])
            >= plane.slope[1].abs() * (fixed[2] - fixed[0])
        {
            let y = fixed[0] + part * (fixed[2] - fixed[0]);
            plane.where_time_is(tau_ms, 0, y).map(|x| [x, y])
        } else {
            let x = moving[0] + part * (moving[2] - moving[0]);
            plane.where_time_is(tau_ms, 1, x).map(|y| [x, y])
        };
        let is_between = |[x, y]: &[f64; 2]| {
            (moving[0]..=moving[2]).contains(x) && (fixed[0]..=fixed[2]).contains(y)
        };
        line.extend(place.filter(is_between));
    }
    if line.is_empty() {
        let is_fast = plane.time([moving[1], fixed[1]]) <= tau_ms;
        let best = best_of(trials, f64::INFINITY).filter(|_| is_fast);
        let best = best.unwrap_or((0, 0));
        return ResolutionChoice {
            resolution: [moving[best.0], fixed[best.1]],
            predicted_eta: trials[best.0][best.1].eta,
            reach: if is_fast {
                TimeReach::Faster
            } else {
                TimeReach::Slower
            },
        };
    }
    let etas: Vec<f64> = line
        .iter()
        .map(|place| interpolated(resolutions, trials, *place))
        .collect();
    let cubic = Cubic::fitted(&etas);
    let last = line.len() - 1;
    let best = (0..=last)
        .min_by(|&i, &j| cubic.at(i, last).total_cmp(&cubic.at(j, last)))
        .unwrap_or(0);
    ResolutionChoice {
        resolution: line[best],
        predicted_eta: cubic.at(best, last),
        reach: TimeReach::Line,
    }
}

/// The trial with the smallest deviation within a time; of equal ones, the finest.
pub(super) fn best_of(trials: &[[ResolutionTrial; 3]; 3], most_ms: f64) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    for i in (0..3).rev() {
        for j in (0..3).rev() {
            let trial = &trials[i][j];
            let is_better = best.is_none_or(|(k, l)| trial.eta < trials[k][l].eta);
            if trial.ms <= most_ms && is_better {
                best = Some((i, j));
            }
        }
    }
    best
}

/// Times as a linear function of both resolutions.
struct TimePlane {
    mean: [f64; 2],
    height: f64,
    slope: [f64; 2],
}

impl TimePlane {
    /// The regression; all pairs were tried, so that the two slopes are found one by one.
    fn fitted(resolutions: &[[f64; 3]; 2], trials: &[[ResolutionTrial; 3]; 3]) -> Self {
        let mean = resolutions.map(|r| r.iter().sum::<f64>() / 3.0);
        let height = trials.iter().flatten().map(|t| t.ms).sum::<f64>() / 9.0;
        let mut slope = [0.0; 2];
        for (axis, slope) in slope.iter_mut().enumerate() {
            let (mut over, mut under) = (0.0, 0.0);
            for (i, row) in trials.iter().enumerate() {
                for (j, trial) in row.iter().enumerate() {
                    let index = if axis == 0 { i } else { j };
                    let x = resolutions[axis][index] - mean[axis];
                    over += x * trial.ms;
                    under += x * x;
                }
            }
            *slope = if under > 0.0 { over / under } else { 0.0 };
        }
        Self {
            mean,
            height,
            slope,
        }
    }

    fn time(&self, at: [f64; 2]) -> f64 {
        self.height
            + self.slope[0] * (at[0] - self.mean[0])
            + self.slope[1] * (at[1] - self.mean[1])
    }

    /// The resolution on an axis at which the time is reached, given the other.
    fn where_time_is(&self, ms: f64, axis: usize, other: f64) -> Option<f64> {
        let rest = ms - self.height - self.slope[1 - axis] * (other - self.mean[1 - axis]);
        let at = self.mean[axis] + rest / self.slope[axis];
        at.is_finite().then_some(at)
    }
}

/// The deviation between the trials, linear on both axes.
pub(super) fn interpolated(
    resolutions: &[[f64; 3]; 2],
    trials: &[[ResolutionTrial; 3]; 3],
    at: [f64; 2],
) -> f64 {
    let cell = |axis: usize| {
        let r = &resolutions[axis];
        let low = usize::from(at[axis] > r[1]);
        let part = (at[axis] - r[low]) / (r[low + 1] - r[low]);
        (low, part.clamp(0.0, 1.0))
    };
    let ((i, u), (j, v)) = (cell(0), cell(1));
    let eta = |i: usize, j: usize| trials[i][j].eta;
    (1.0 - u) * ((1.0 - v) * eta(i, j) + v * eta(i, j + 1))
        + u * ((1.0 - v) * eta(i + 1, j) + v * eta(i + 1, j + 1))
}

/// A cubic over 0..1.
struct Cubic([f64; TERMS]);

impl Cubic {
    /// By least squares through values that are evenly spaced; of lower degree where there are few.
    fn fitted(values: &[f64]) -> Self {
        let terms = values.len().min(TERMS);
        let last = values.len() - 1;
        // Normal equations, with the values as a last column.
        let mut rows = [[0.0; TERMS + 1]; TERMS];
        for (k, value) in values.iter().enumerate() {
            let powers = powers(k, last);
            for i in 0..terms {
                for j in 0..terms {
                    rows[i][j] += powers[i] * powers[j];
                }
                rows[i][TERMS] += powers[i] * value;
            }
        }
        for pivot in 0..terms {
            let largest = (pivot..terms)
                .max_by(|&i, &j| rows[i][pivot].abs().total_cmp(&rows[j][pivot].abs()))
                .unwrap_or(pivot);
            rows.swap(pivot, largest);
            let lead = rows[pivot];
            for (i, row) in rows.iter_mut().enumerate().take(terms) {
                if i != pivot && lead[pivot] != 0.0 {
                    let factor = row[pivot] / lead[pivot];
                    for (x, y) in row.iter_mut().zip(lead) {
                        *x -= factor * y;
                    }
                }
            }
        }
        let mut terms_of = [0.0; TERMS];
        for (i, term) in terms_of.iter_mut().enumerate().take(terms) {
            if rows[i][i] != 0.0 {
                *term = rows[i][TERMS] / rows[i][i];
            }
        }
        Self(terms_of)
    }

    fn at(&self, k: usize, last: usize) -> f64 {
        powers(k, last).iter().zip(self.0).map(|(p, t)| p * t).sum()
    }
}

fn powers(k: usize, last: usize) -> [f64; TERMS] {
    let x = if last == 0 {
        0.0
    } else {
        k as f64 / last as f64
    };
    [1.0, x, x * x, x * x * x]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(
        f: impl Fn(f64, f64) -> ResolutionTrial,
        r: &[[f64; 3]; 2],
    ) -> [[ResolutionTrial; 3]; 3] {
        std::array::from_fn(|i| std::array::from_fn(|j| f(r[0][i], r[1][j])))
    }

    #[test]
    fn the_minimum_on_the_line_of_equal_time_is_found() {
        let r = [[0.0, 1.0, 2.0]; 2];
        // On x + y = 2 the deviation is smallest where both are equal.
        let tried = trials(
            |x, y| ResolutionTrial {
                ms: 0.5 * (x + y),
                eta: 1.0 + (x - y).abs(),
            },
            &r,
        );
        let choice = choose(&r, &tried, 1.0);
        assert_eq!(choice.reach, TimeReach::Line);
        let [x, y] = choice.resolution;
        assert!(
            (x + y - 2.0).abs() < 1e-12 && (x - y).abs() < 0.3,
            "{x} {y}"
        );
    }

    #[test]
    fn one_axis_without_time_is_no_trouble() {
        let r = [[10.0, 20.0, 40.0], [1.0, 2.0, 3.0]];
        let tried = trials(
            |x, y| ResolutionTrial {
                ms: 0.05 * x,
                eta: 1.0 / x + 1.0 / y,
            },
            &r,
        );
        let choice = choose(&r, &tried, 0.9);
        assert_eq!(choice.reach, TimeReach::Line);
        assert!((choice.resolution[0] - 18.0).abs() < 1e-9);
        assert_eq!(choice.resolution[1], 3.0);
    }

    #[test]
    fn fast_engines_take_the_best_and_slow_ones_the_coarsest() {
        let r = [[10.0, 20.0, 40.0]; 2];
        let tried = trials(
            |x, y| ResolutionTrial {
                ms: 1.0,
                eta: 1.0 / (x + y),
            },
            &r,
        );
        let fast = choose(&r, &tried, 2.0);
        assert_eq!(
            (fast.resolution, fast.reach),
            ([40.0; 2], TimeReach::Faster)
        );
        let slow = choose(&r, &tried, 0.5);
        assert_eq!(
            (slow.resolution, slow.reach),
            ([10.0; 2], TimeReach::Slower)
        );
    }

    #[test]
    fn cubics_are_met_exactly() {
        let f = |x: f64| 2.0 - x + 3.0 * x * x - 0.5 * x * x * x;
        let values: Vec<f64> = (0..9).map(|k| f(f64::from(k) / 8.0)).collect();
        let cubic = Cubic::fitted(&values);
        assert!((0..9).all(|k| (cubic.at(k, 8) - values[k]).abs() < 1e-9));
        assert!((Cubic::fitted(&[5.0]).at(0, 0) - 5.0).abs() < 1e-12);
        let two = Cubic::fitted(&[1.0, 3.0]);
        assert!((two.at(0, 1) - 1.0).abs() < 1e-12 && (two.at(1, 1) - 3.0).abs() < 1e-12);
    }
}
