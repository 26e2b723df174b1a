//! Calibration: whether answers are right as often as their confidence states.
//!
//! The confidence was fitted to every second model. So it is evaluated twice: on these models, and
//! on the others; those similar to fitted ones are named. Each model has the same weight, however
//! often it was queried. Searches stopped by a limit are evaluated separately.

use std::sync::Arc;

use impinge::average_case::{AverageConfig, AverageOptions, AverageTree};
use impinge::bound::Aabb;
use impinge::query::{Limits, Outcome};

use super::Preset;
use super::thesis_models::{self, Model};
use super::tumble::{TumblePoses, answers, rounds};
use crate::result_sheet::{Axis, Cell, Plot, ResultSheet, Series, Table};

/// How many likely pairs make a yes.
const K_MINS: [u32; 2] = [10, 5];
/// The largest published share of wrong answers, in percent.
pub(crate) const MOST_PUBLISHED: f64 = 2.1;
/// Ends of the classes of stated confidence.
const CLASSES: [f64; 9] = [0.5, 0.7, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 1.0];
/// How far stated and observed confidence may be apart on average over all answers.
const BAR: f64 = 0.02;
/// Classes with a smaller part of all answers are named beside the others.
const POPULATED: f64 = 0.01;

/// The models that the stated confidence was fitted to, whichever are run; all others are held out.
const FITTED: [&str; 13] = [
    "car",
    "pipes-9814",
    "room-parallel",
    "blocks-parallel",
    "gear",
    "castle",
    "torus-knot",
    "torus",
    "screw",
    "menger-sponge",
    "chazelle",
    "capsule",
    "tetra-flake",
];

/// Held-out models that are like a fitted one: the same mesh shifted instead of turned, or a larger one made in the same way.
const TWINS: [&str; 5] = ["room", "hall", "hall-parallel", "blocks", "pipes-124736"];

/// Tests of boxes after which searches are cut.
const BUDGETS: [u64; 4] = [1, 4, 16, 64];

pub(super) fn is_fitted(model: &str) -> bool {
    FITTED.contains(&model)
}

/// Answers that state about the same, of models that have the same weight.
#[derive(Clone, Copy, Debug, Default)]
struct ConfidenceClass {
    count: usize,
    right_count: usize,
    weight: f64,
    stated: f64,
    right: f64,
}

impl ConfidenceClass {
    fn add(&mut self, stated: f64, is_right: bool, weight: f64) {
        self.count += 1;
        self.right_count += usize::from(is_right);
        self.weight += weight;
        self.stated += weight * stated;
        self.right += weight * f64::from(u8::from(is_right));
    }

    /// Means of what was stated and of what was observed.
    fn means(&self) -> (f64, f64) {
        let weight = if self.weight > 0.0 { self.weight } else { 1.0 };
        (self.stated / weight, self.right / weight)
    }

    fn off(&self) -> f64 {
        let (stated, observed) = self.means();
        (stated - observed).abs()
    }
}

/// By stated confidence.
type Classes = [ConfidenceClass; CLASSES.len() - 1];

/// Which class a stated confidence belongs to.
fn class_of(confidence: f64) -> usize {
    let ends = CLASSES[1..CLASSES.len() - 1].iter();
    ends.filter(|&&end| confidence >= end).count()
}

/// The mean distance of stated and observed confidence over all answers of these classes.
///
/// None without an answer: nothing was stated that could be wrong.
fn mean_off<'c>(classes: impl Iterator<Item = &'c ConfidenceClass> + Clone) -> Option<f64> {
    let weight: f64 = classes.clone().map(|class| class.weight).sum();
    let sum: f64 = classes.map(|class| class.weight * class.off()).sum();
    (weight > 0.0).then(|| sum / weight)
}

/// Answers of searches that were cut after so many tests.
#[derive(Clone, Copy, Debug, Default)]
struct TruncatedAnswers {
    /// Those that state anything.
    classes: Classes,
    /// Those that are no better than a coin, and say so.
    undecided: ConfidenceClass,
}

/// Half of the models.
#[derive(Debug)]
struct ModelHalf {
    name: &'static str,
    classes: Classes,
    cut: [TruncatedAnswers; BUDGETS.len()],
    certain: ConfidenceClass,
    /// All answers that are not certain, model by model.
    models: Vec<(String, ConfidenceClass)>,
    /// Of every model: how many answers there were with each k_min, and how many of them were
    /// wrong.
    wrong: Vec<(String, [Wrong; 2])>,
}

/// Answers with one k_min.
#[derive(Clone, Copy, Debug, Default)]
struct Wrong {
    asked: usize,
    wrong: usize,
}

impl Wrong {
    fn percent(self) -> f64 {
        100.0 * self.wrong as f64 / self.asked.max(1) as f64
    }
}

impl ModelHalf {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            classes: Default::default(),
            cut: Default::default(),
            certain: ConfidenceClass::default(),
            models: Vec::new(),
            wrong: Vec::new(),
        }
    }

    fn ask(&mut self, model: &Model, rounds: &[TumblePoses]) -> anyhow::Result<()> {
        let tree = Arc::new(AverageTree::<Aabb>::new(
            &model.mesh,
            &AverageConfig::default(),
        ));
        let ask = |max_tests: Option<u64>| -> anyhow::Result<Vec<_>> {
            let limits = Limits {
                max_tests,
                ..Limits::default()
            };
            let mut all = Vec::new();
            for k_min in K_MINS {
                let options = AverageOptions {
                    k_min,
                    ..AverageOptions::default()
                };
                all.extend(answers(rounds, &tree, &options, limits)?);
            }
            Ok(all)
        };
        for (cut, max_tests) in self.cut.iter_mut().zip(BUDGETS) {
            let all = ask(Some(max_tests))?;
            let weight = 1.0 / all.len().max(1) as f64;
            for (answer, truth) in &all {
                // What was decided in time is judged with the searches that had all of it.
                if answer.outcome == Outcome::OutOfBudget {
                    let verdict = answer.verdict;
                    let class = if verdict.confidence > 0.5 {
                        &mut cut.classes[class_of(verdict.confidence)]
                    } else {
                        &mut cut.undecided
                    };
                    class.add(verdict.confidence, verdict.answer == *truth, weight);
                }
            }
        }
        let all = ask(None)?;
        let weight = 1.0 / all.len().max(1) as f64;
        let mut own = ConfidenceClass::default();
        for (answer, truth) in &all {
            let verdict = answer.verdict;
            let is_right = verdict.answer == *truth;
            if verdict.certain {
                self.certain.add(1.0, is_right, weight);
                continue;
            }
            let class = class_of(verdict.confidence);
            self.classes[class].add(verdict.confidence, is_right, weight);
            own.add(verdict.confidence, is_right, weight);
        }
        let (stated, observed) = own.means();
        println!(
            "{:<15} {:<16} {:>7} answers, {:>6} uncertain: stated {stated:.3}, right {observed:.3}",
            self.name,
            model.name,
            all.len(),
            own.count
        );
        self.models.push((model.name.clone(), own));
        // Each k_min was asked about the same placements.
        let each = (all.len() / K_MINS.len()).max(1);
        let mut wrong = [Wrong::default(); K_MINS.len()];
        for (wrong, answers) in wrong.iter_mut().zip(all.chunks(each)) {
            wrong.asked = answers.len();
            wrong.wrong = answers
                .iter()
                .filter(|(answer, truth)| answer.verdict.answer != *truth)
                .count();
        }
        self.wrong.push((model.name.clone(), wrong));
        Ok(())
    }

    /// Holds the errors of models that no default was chosen by to the largest that was published.
    fn tell_errors(&self, sheet: &mut ResultSheet) {
        let others = self
            .wrong
            .iter()
            .filter(|(name, _)| thesis_models::is_other(name));
        for (name, wrong) in others {
            for (wrong, k_min) in wrong.iter().zip(K_MINS) {
                sheet.claim(
                    &format!("{name}, which no default was chosen by, errs at most as often as any published model, k_min {k_min}"),
                    &format!(
                        "{:.2} % of {}, allowed {MOST_PUBLISHED} %",
                        wrong.percent(),
                        wrong.asked
                    ),
                    wrong.percent() <= MOST_PUBLISHED,
                );
            }
        }
    }

    /// Of searches that were cut: prints and keeps everything, and judges `with_bar` those that state anything.
    fn tell_cut(&self, with_bar: bool, sheet: &mut ResultSheet) {
        println!(
            "\nConfidence of searches that were cut short, {}:",
            self.name
        );
        let mut table = Table {
            title: format!(
                "Stated and observed confidence of searches that were cut short, {}",
                self.name
            ),
            columns: [
                "tests",
                "stated",
                "mean stated",
                "observed",
                "answers",
                "part, %",
            ]
            .map(str::to_owned)
            .to_vec(),
            rows: Vec::new(),
        };
        let all = self.models.len().max(1) as f64;
        for (cut, tests) in self.cut.iter().zip(BUDGETS) {
            let ranges = CLASSES
                .windows(2)
                .map(|ends| format!("{} to {}", ends[0], ends[1]));
            let undecided = (String::from("undecided"), &cut.undecided);
            for (range, class) in [undecided]
                .into_iter()
                .chain(ranges.zip(&cut.classes))
                .filter(|(_, class)| class.count > 0)
            {
                let (stated, observed) = class.means();
                let part = 100.0 * class.weight / all;
                println!(
                    "  {tests:>3} tests, {range:>13}: stated {stated:.3}, right {observed:.3}, {} answers, {part:.1} %",
                    class.count
                );
                table.rows.push(vec![
                    Cell::Number(tests as f64),
                    Cell::Text(range),
                    Cell::Number(stated),
                    Cell::Number(observed),
                    Cell::Number(class.count as f64),
                    Cell::Number(part),
                ]);
            }
        }
        sheet.tables.push(table);
        if !with_bar {
            return;
        }
        let claim = format!(
            "stated confidence of searches that were cut after {BUDGETS:?} tests is within {BAR} of the observed on average, {}",
            self.name
        );
        let stated = || self.cut.iter().flat_map(|cut| &cut.classes);
        let counted = |classes: &mut dyn Iterator<Item = &ConfidenceClass>| -> usize {
            classes.map(|class| class.count).sum()
        };
        match mean_off(stated()) {
            None => sheet.leave_open(&claim),
            Some(off) => sheet.claim(
                &claim,
                &format!(
                    "{off:.4} over {} answers about {} models; {} more are no better than a coin and say so",
                    counted(&mut stated()),
                    self.models.len(),
                    counted(&mut self.cut.iter().map(|cut| &cut.undecided)),
                ),
                off <= BAR,
            ),
        }
    }

    /// How far stated and observed are apart in the mean over models, where too much about one does not make up for too little about another.
    fn tell_by_model(&self, sheet: &mut ResultSheet) {
        let mean = |is_asked: &dyn Fn(&str) -> bool| {
            let off: Vec<f64> = self
                .models
                .iter()
                .filter(|(name, own)| own.count > 0 && is_asked(name))
                .map(|(_, own)| own.off())
                .collect();
            (off.iter().sum::<f64>() / off.len().max(1) as f64, off.len())
        };
        let (off, count) = mean(&|_| true);
        if count == 0 {
            return;
        }
        let mut note = format!(
            "Model by model, {}: stated and observed confidence are {off:.3} apart in the mean over {count} models.",
            self.name
        );
        let twins: Vec<&str> = self
            .models
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| TWINS.contains(name))
            .collect();
        if !twins.is_empty() {
            let (off, count) = mean(&|name| !TWINS.contains(&name));
            note += &format!(
                " Of them {} are like fitted models; without these it is {off:.3} over {count} models.",
                twins.join(", ")
            );
        }
        println!("{note}");
        sheet.notes.push(note);
    }

    /// Prints and keeps everything; whether the confidence is near enough is only judged `with_bar`.
    fn tell(&self, with_bar: bool, sheet: &mut ResultSheet) {
        println!("\nConfidence, {}:", self.name);
        let mut table = Table {
            title: format!("Stated and observed confidence, {}", self.name),
            columns: ["stated", "mean stated", "observed", "answers", "part, %"]
                .map(str::to_owned)
                .to_vec(),
            rows: Vec::new(),
        };
        let all = self.models.len().max(1) as f64;
        let mut worst = [(0.0_f64, 0.0); 2];
        let ranges = CLASSES
            .windows(2)
            .map(|ends| format!("{} to {}", ends[0], ends[1]));
        let certain = (String::from("certain"), &self.certain);
        for (range, class) in ranges.zip(&self.classes).chain([certain]) {
            if class.count == 0 {
                continue;
            }
            let (stated, observed) = class.means();
            let part = 100.0 * class.weight / all;
            println!(
                "  {range:>13}: stated {stated:.3}, right {observed:.3}, {} answers, {part:.1} %",
                class.count
            );
            table.rows.push(vec![
                Cell::Text(range),
                Cell::Number(stated),
                Cell::Number(observed),
                Cell::Number(class.count as f64),
                Cell::Number(part),
            ]);
            // Of those with many answers, and of all.
            let counts = [class.weight > POPULATED * all, true];
            for (worst, is_counted) in worst.iter_mut().zip(counts) {
                if is_counted && class.off() > worst.0 {
                    *worst = (class.off(), part);
                }
            }
        }
        sheet.tables.push(table);
        let claim = format!("certain answers are right, {}", self.name);
        if self.certain.count == 0 {
            sheet.leave_open(&claim);
        } else {
            sheet.claim(
                &claim,
                &format!("{} of {}", self.certain.right_count, self.certain.count),
                self.certain.right_count == self.certain.count,
            );
        }
        if !with_bar {
            return;
        }
        let count: usize = self.classes.iter().map(|class| class.count).sum();
        let claim = format!(
            "stated confidence is within {BAR} of the observed on average, {}",
            self.name
        );
        match mean_off(self.classes.iter()) {
            None => sheet.leave_open(&claim),
            Some(off) => sheet.claim(
                &claim,
                &format!(
                    "{off:.4} over {count} answers about {} models; {:.3} in the worst class with at least {:.0} % of the answers, {:.3} in the worst of all, which has {:.1} %",
                    self.models.len(),
                    worst[0].0,
                    100.0 * POPULATED,
                    worst[1].0,
                    worst[1].1
                ),
                off <= BAR,
            ),
        }
        self.tell_by_model(sheet);
        // A model is no average: what is true of all together may be far off for one.
        let order = |x: &&(String, ConfidenceClass), y: &&(String, ConfidenceClass)| {
            x.1.means().1.total_cmp(&y.1.means().1)
        };
        let asked = || self.models.iter().filter(|(_, own)| own.count > 0);
        if let (Some(least), Some(most)) = (asked().min_by(order), asked().max_by(order)) {
            let note = format!(
                "Single models, {}: answers that are not certain are right in {:.1} % ({}) to {:.1} % ({}) of all cases; stated were {:.1} and {:.1} %.",
                self.name,
                100.0 * least.1.means().1,
                least.0,
                100.0 * most.1.means().1,
                most.0,
                100.0 * least.1.means().0,
                100.0 * most.1.means().0,
            );
            println!("{note}");
            sheet.notes.push(note);
        }
        let off = |own: &ConfidenceClass| {
            let (stated, observed) = own.means();
            stated - observed
        };
        let boldest = asked().max_by(|x, y| off(&x.1).total_cmp(&off(&y.1)));
        if let Some((name, own)) = boldest.filter(|(_, own)| off(own) > 0.0) {
            let (stated, observed) = own.means();
            let note = format!(
                "Stated too much, {}: most about {name}, {:.1} % stated and {:.1} % right: wrong {:.1} times as often as stated.",
                self.name,
                100.0 * stated,
                100.0 * observed,
                (1.0 - observed) / (1.0 - stated).max(1e-9),
            );
            println!("{note}");
            sheet.notes.push(note);
        }
    }

    fn points(&self) -> Vec<[f64; 2]> {
        let populated = self.classes.iter().filter(|class| class.count > 0);
        populated
            .map(|class| <[f64; 2]>::from(class.means()))
            .collect()
    }
}

/// Judges by the models of the table, which were run anyway, and by others.
pub(super) fn run(
    played: &[(Model, Vec<TumblePoses>)],
    preset: Preset,
    step: f64,
    sheet: &mut ResultSheet,
) -> anyhow::Result<()> {
    println!();
    let mut halves = [
        ModelHalf::new("fitted models"),
        ModelHalf::new("held-out models"),
    ];
    let others = if preset == Preset::Tiny {
        Vec::new()
    } else {
        thesis_models::others()?
    };
    for (model, rounds) in played {
        halves[usize::from(!is_fitted(&model.name))].ask(model, rounds)?;
    }
    for model in &others {
        let rounds = rounds(model, preset.pick(10, 120, 1000), step)?;
        halves[usize::from(!is_fitted(&model.name))].ask(model, &rounds)?;
    }
    for half in &halves {
        // Coarse models err more often, and nothing was fitted to them.
        half.tell(preset.is_timed(), sheet);
        half.tell_cut(preset.is_timed(), sheet);
        half.tell_errors(sheet);
    }
    let series = |half: &ModelHalf| Series {
        name: half.name.to_owned(),
        points: half.points(),
        is_scatter: true,
        ..Series::default()
    };
    sheet.plots.push(Plot {
        title: "Stated and observed confidence".to_owned(),
        x: Axis {
            label: "stated".to_owned(),
            ..Axis::default()
        },
        y: Axis {
            label: "observed".to_owned(),
            ..Axis::default()
        },
        series: vec![
            series(&halves[0]),
            series(&halves[1]),
            Series {
                name: "as stated".to_owned(),
                points: vec![[0.5, 0.5], [1.0, 1.0]],
                ..Series::default()
            },
        ],
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{FITTED, ModelHalf, TWINS, Wrong, class_of, is_fitted};
    use crate::Bar;
    use crate::average_case::thesis_models;
    use crate::result_sheet::ResultSheet;

    #[test]
    fn half_of_all_models_is_held_out_whichever_are_asked() {
        let all = [
            thesis_models::all(true).unwrap(),
            thesis_models::others().unwrap(),
        ]
        .concat();
        let held_out = all.iter().filter(|model| !is_fitted(&model.name)).count();
        // The large pipes are left out where models are small; they are held out.
        assert_eq!((all.len(), held_out), (25, 12));
        assert!(!is_fitted("pipes-124736"));
        for name in FITTED {
            assert!(all.iter().any(|model| model.name == name), "{name}");
        }
        assert!(!TWINS.iter().any(|name| is_fitted(name)));
    }

    #[test]
    fn models_that_no_default_was_chosen_by_are_held_to_the_published_errors() {
        let judged = |name: &str, wrong: usize| {
            let mut half = ModelHalf::new("held-out models");
            let of = |wrong| Wrong { asked: 1000, wrong };
            half.wrong.push((name.to_owned(), [of(0), of(wrong)]));
            let mut sheet = ResultSheet::new("average", "", "", "");
            half.tell_errors(&mut sheet);
            (sheet.bars.len(), sheet.bar())
        };
        assert_eq!(judged("vase", 21), (2, Bar::Met));
        assert_eq!(judged("vase", 22), (2, Bar::Missed));
        // Those that defaults were chosen by have bars of their own.
        assert_eq!(judged("car", 500), (0, Bar::Open));
    }

    #[test]
    fn cut_searches_are_judged_by_what_they_state() {
        let mut half = ModelHalf::new("held-out models");
        let judged = |half: &ModelHalf| {
            let mut sheet = ResultSheet::new("average", "", "", "");
            half.tell_cut(true, &mut sheet);
            (sheet.open.len(), sheet.bar())
        };
        // A coin states nothing, however often it is wrong.
        half.cut[0].undecided.add(0.5, false, 1.0);
        assert_eq!(judged(&half), (1, Bar::Open));
        for i in 0..10 {
            half.cut[1].classes[class_of(0.8)].add(0.8, i < 8, 0.1);
        }
        assert_eq!(judged(&half), (0, Bar::Met));
        // Too bold after 4 tests and too timid after 16: one does not make up for the other.
        half.cut[1].classes[class_of(0.92)].add(0.92, false, 0.1);
        half.cut[2].classes[class_of(0.6)].add(0.6, true, 0.2);
        assert_eq!(judged(&half), (0, Bar::Missed));
    }

    #[test]
    fn models_do_not_make_up_for_each_other() {
        let mut half = ModelHalf::new("held-out models");
        for (name, is_right) in [("room", true), ("vase", false)] {
            let mut own = super::ConfidenceClass::default();
            own.add(0.7, is_right, 1.0);
            half.models.push((name.to_owned(), own));
        }
        let mut sheet = ResultSheet::new("average", "", "", "");
        half.tell_by_model(&mut sheet);
        // 0.3 and 0.7 apart, where the mean of both is 0.2.
        assert!(sheet.notes[0].contains("0.500 apart in the mean over 2 models"));
        assert!(sheet.notes[0].contains("room are like fitted models; without these it is 0.700"));
    }

    #[test]
    fn without_an_uncertain_answer_no_confidence_is_confirmed() {
        let mut sheet = ResultSheet::new("average", "", "", "");
        let mut half = ModelHalf::new("held-out models");
        half.certain.add(1.0, true, 1.0);
        half.tell(true, &mut sheet);
        assert_eq!((sheet.open.len(), sheet.bar()), (1, Bar::Open));
        half.classes[3].add(0.96, true, 1.0);
        let mut sheet = ResultSheet::new("average", "", "", "");
        half.tell(true, &mut sheet);
        // Always right, and stated to be so in 96 % alone.
        assert_eq!((sheet.open.len(), sheet.bar()), (0, Bar::Missed));
    }
}
