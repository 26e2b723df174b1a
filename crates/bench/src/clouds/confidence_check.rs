//! Whether answers are right as often as their confidence states.

use super::timing::{at_full_size, claim};
use crate::Bar;
use crate::result_sheet::{Axis, Cell, Plot, ResultSheet, Series, Table};

/// Upper ends of the classes of stated confidence.
const CLASSES: [f64; 9] = [0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.998, 1.0];
/// Classes with fewer answers say nothing.
const ENOUGH: usize = 100;
/// How far observed and stated may differ in a class, beside chance.
const MAX_DIFFERENCE: f64 = 0.1;
/// An answer that is said to be sure may be wrong at most this many times as often as it says, and by this much more: a difference alone would let a class that states one error in a thousand have a hundred.
const MAX_TIMES_WRONG: f64 = 2.0;
const MORE_WRONG: f64 = 0.005;

/// Answers by what they stated.
#[derive(Debug, Default)]
pub(super) struct StatedConfidence {
    /// Stated confidence, whether right.
    answers: Vec<(f64, bool)>,
}

impl StatedConfidence {
    pub(super) fn push(&mut self, confidence: f64, is_right: bool) {
        self.answers.push((confidence, is_right));
    }

    /// The table, the plot and the bars; over all answers stated and observed may differ by `allowed`. Without answers, or without a class that has enough of them, the bar is open.
    pub(super) fn report(&self, what: &str, allowed: f64, is_full: bool, sheet: &mut ResultSheet) {
        println!("\n{what}: stated confidence beside how often answers were right");
        println!(
            "{:>16} {:>9} {:>8} {:>9}",
            "class", "answers", "stated", "observed"
        );
        let mut table = Table {
            title: format!("{what}: stated and observed confidence"),
            columns: ["class", "answers", "stated", "observed"]
                .map(str::to_owned)
                .to_vec(),
            rows: Vec::new(),
        };
        let mut series = Series {
            name: what.to_owned(),
            is_scatter: true,
            ..Series::default()
        };
        let (mut worst, mut sum, mut all) = (None::<f64>, 0.0, 0);
        // By how much errors exceed what they may be at most.
        let mut excess = f64::NEG_INFINITY;
        let mut low = 0.0;
        for high in CLASSES {
            let is_last = high >= 1.0;
            let within = |&&(c, _): &&(f64, bool)| c >= low && (c < high || is_last);
            let found: Vec<&(f64, bool)> = self.answers.iter().filter(within).collect();
            let count = found.len();
            if count > 0 {
                let stated = found.iter().map(|(c, _)| c).sum::<f64>() / count as f64;
                let observed =
                    found.iter().filter(|(_, right)| *right).count() as f64 / count as f64;
                println!("{low:>8.3} – {high:.3} {count:>9} {stated:>8.4} {observed:>9.4}");
                table.rows.push(vec![
                    Cell::Text(format!("{low:.3} – {high:.3}")),
                    Cell::Number(count as f64),
                    Cell::Number(stated),
                    Cell::Number(observed),
                ]);
                series.points.push([stated, observed]);
                if count >= ENOUGH {
                    worst = Some(worst.unwrap_or(0.0).max((stated - observed).abs()));
                    let may_be_wrong = MAX_TIMES_WRONG * (1.0 - stated) + MORE_WRONG;
                    excess = excess.max(1.0 - observed - may_be_wrong);
                }
                sum += (stated - observed).abs() * count as f64;
                all += count;
            }
            low = high;
        }
        sheet.tables.push(table);
        sheet.plots.push(Plot {
            title: format!("{what}: how often answers are right"),
            x: Axis {
                label: "stated confidence".to_owned(),
                ..Axis::default()
            },
            y: Axis {
                label: "observed".to_owned(),
                ..Axis::default()
            },
            series: vec![series],
        });
        let mean = (all > 0).then(|| sum / all as f64);
        // Without a class that has enough answers, all together say nothing either.
        let bar = match worst {
            Some(worst) => Bar::at_most(mean, allowed).and(Bar::at_most(worst, MAX_DIFFERENCE)),
            None => Bar::Open,
        };
        let told =
            |figure: Option<f64>| figure.map_or_else(|| "–".to_owned(), |f| format!("{f:.4}"));
        claim(
            sheet,
            at_full_size(is_full, bar),
            &format!(
                "{what}: confidence is calibrated, to {allowed} over all answers and {MAX_DIFFERENCE} in each class"
            ),
            &format!("{}, {}", told(mean), told(worst)),
        );
        let bar = worst.map_or(Bar::Open, |_| Bar::at_most(excess, 0.0));
        claim(
            sheet,
            at_full_size(is_full, bar),
            &format!(
                "{what}: in no class are more wrong than {MAX_TIMES_WRONG} × what is stated and {MORE_WRONG}"
            ),
            &format!("{} beyond", told(worst.map(|_| excess.max(0.0)))),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::StatedConfidence;
    use crate::Bar;
    use crate::result_sheet::ResultSheet;

    fn bar(stated: &StatedConfidence, is_full: bool) -> Bar {
        let mut sheet = ResultSheet::new("s", "S", "?", "s");
        stated.report("answers", 0.01, is_full, &mut sheet);
        sheet.bar()
    }

    #[test]
    fn without_answers_nothing_is_calibrated() {
        assert_eq!(bar(&StatedConfidence::default(), true), Bar::Open);
        let mut few = StatedConfidence::default();
        few.push(0.99, true);
        assert_eq!(bar(&few, true), Bar::Open);
    }

    #[test]
    fn answers_are_right_as_often_as_they_say_or_they_are_not() {
        let mut stated = StatedConfidence::default();
        for k in 0..1000 {
            stated.push(0.9, k % 10 > 0);
        }
        assert_eq!(bar(&stated, true), Bar::Met);
        assert_eq!(bar(&stated, false), Bar::Open);
        for _ in 0..500 {
            stated.push(0.9, false);
        }
        assert_eq!(bar(&stated, true), Bar::Missed);
    }

    #[test]
    fn the_surest_answers_are_not_wrong_one_time_in_fifty() {
        let mut stated = StatedConfidence::default();
        for k in 0..1000 {
            stated.push(0.999, k % 200 > 0);
        }
        assert_eq!(bar(&stated, true), Bar::Met);
        for k in 0..1000 {
            stated.push(0.999, k % 50 > 0);
        }
        // Within a hundredth of what is stated over all, and far more errors.
        let mut sheet = ResultSheet::new("s", "S", "?", "s");
        stated.report("answers", 0.05, true, &mut sheet);
        assert_eq!(sheet.bar(), Bar::Missed);
    }
}
