//! From values to places in a picture, and the values worth a mark.

use crate::result_sheet::Axis;

/// An axis of a picture. The script of the page has the same one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    is_logarithmic: bool,
    from: f64,
    to: f64,
}

/// Marks with a label, and finer ones without.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ticks {
    pub(super) labelled: Vec<f64>,
    pub(super) fine: Vec<f64>,
}

/// Labels closer than this to the next would touch it.
const CLOSE: f64 = 52.0;

impl Ticks {
    /// The same with labels that have room beside each other; the others become fine marks.
    pub(super) fn thinned(self, room: f64) -> Self {
        let mut kept = self.labelled.clone();
        while kept.len() > 2 && room < CLOSE * kept.len() as f64 {
            kept = kept.into_iter().step_by(2).collect();
        }
        Self {
            fine: if kept.len() < self.labelled.len() {
                self.labelled
            } else {
                self.fine
            },
            labelled: kept,
        }
    }
}

impl Scale {
    /// The scale that holds all values. A linear one begins at zero if it may.
    pub(super) fn new(values: &[f64], axis: &Axis, [from, to]: [f64; 2], at_zero: bool) -> Self {
        let is_logarithmic = axis.is_logarithmic && values.iter().any(|x| *x > 0.0);
        let shown = values
            .iter()
            .copied()
            .filter(|x| x.is_finite() && (!is_logarithmic || *x > 0.0));
        let (mut low, mut high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| {
            (l.min(x), h.max(x))
        });
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if is_logarithmic {
            let pad = (high / low).powf(0.05).max(1.15);
            (low, high) = (low / pad, high * pad);
        } else {
            if at_zero {
                (low, high) = (low.min(0.0), high.max(0.0));
            }
            if low == high {
                let size = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
                (low, high) = (low - size, high + size);
            }
            let pad = 0.05 * (high - low);
            // Nothing lies below zero where nothing is negative.
            low = if low == 0.0 && at_zero {
                0.0
            } else {
                low - pad
            };
            high = if high == 0.0 && at_zero {
                0.0
            } else {
                high + pad
            };
        }
        Self {
            low,
            high,
            is_logarithmic,
            from,
            to,
        }
    }

    /// The linear scale from one value to another, with no room beside them.
    pub(super) fn between([low, high]: [f64; 2], [from, to]: [f64; 2]) -> Self {
        Self {
            low,
            high,
            is_logarithmic: false,
            from,
            to,
        }
    }

    /// Where a value lies; none for what a logarithmic axis cannot show.
    pub(super) fn place(&self, x: f64) -> Option<f64> {
        let part = if self.is_logarithmic {
            if x <= 0.0 {
                return None;
            }
            (x / self.low).ln() / (self.high / self.low).ln()
        } else {
            (x - self.low) / (self.high - self.low)
        };
        x.is_finite()
            .then_some(self.from + part * (self.to - self.from))
    }

    pub(super) fn ticks(&self) -> Ticks {
        if !self.is_logarithmic {
            return Ticks {
                labelled: linear(self.low, self.high),
                fine: Vec::new(),
            };
        }
        let (first, last) = (
            self.low.log10().floor() as i32,
            self.high.log10().ceil() as i32,
        );
        let inside = |x: &f64| *x >= self.low && *x <= self.high;
        let at = |exponents: &[i32], factors: &[f64]| -> Vec<f64> {
            let all = exponents
                .iter()
                .flat_map(|e| factors.iter().map(|f| f * 10f64.powi(*e)));
            all.filter(inside).collect()
        };
        let exponents: Vec<i32> = (first..=last).collect();
        let whole = at(&exponents, &[1.0]);
        if whole.len() >= 3 {
            let step = whole.len().div_ceil(7);
            return Ticks {
                labelled: whole.iter().copied().step_by(step).collect(),
                fine: if step > 1 || whole.len() > 5 {
                    whole
                } else {
                    at(&exponents, &[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])
                },
            };
        }
        let halves = at(&exponents, &[1.0, 2.0, 5.0]);
        Ticks {
            labelled: if halves.len() >= 3 {
                halves
            } else {
                linear(self.low, self.high)
            },
            fine: Vec::new(),
        }
    }
}

/// About five round numbers.
fn linear(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let unit = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|f| f * unit)
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(10.0 * unit);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    // Not by adding up, so that a third of a hundred is no 33.000000000000004.
    (first..=last.min(first + 20))
        .map(|k| k as f64 * step)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Scale, Ticks, linear};
    use crate::result_sheet::Axis;

    #[test]
    fn labels_that_would_touch_become_fine_marks() {
        let ticks = Ticks {
            labelled: vec![1.0, 10.0, 100.0, 1000.0, 10_000.0],
            fine: vec![2.0],
        };
        assert_eq!(ticks.clone().thinned(600.0), ticks);
        let thin = ticks.thinned(200.0);
        assert_eq!(thin.labelled, [1.0, 100.0, 10_000.0]);
        assert_eq!(thin.fine.len(), 5);
    }

    #[test]
    fn marks_are_round_and_inside() {
        assert_eq!(linear(0.0, 31.0), [0.0, 10.0, 20.0, 30.0]);
        let axis = Axis {
            is_logarithmic: true,
            ..Axis::default()
        };
        let scale = Scale::new(&[2.0, 30_000.0, -1.0], &axis, [0.0, 100.0], true);
        assert_eq!(scale.ticks().labelled, [10.0, 100.0, 1000.0, 10_000.0]);
        assert_eq!(scale.place(-1.0), None);
        let (two, many) = (scale.place(2.0), scale.place(30_000.0));
        assert!(two.is_some_and(|x| x > 0.0) && many.is_some_and(|x| x < 100.0));
        // One value, no value, and none that can be shown logarithmically.
        for values in [&[3.0][..], &[], &[-1.0, 0.0]] {
            let scale = Scale::new(values, &axis, [0.0, 1.0], true);
            assert!(!scale.ticks().labelled.is_empty());
        }
    }
}
