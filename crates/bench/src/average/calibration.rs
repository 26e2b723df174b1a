//! Whether answers are as often right as they say.
//!
//! What a search states was fitted to every second model. So it is judged twice: by these, and by the others, of which it knows nothing. Each model
//! has the same weight, however often it was asked.

use std::sync::Arc;

use impinge::average::{AverageConfig, AverageOptions, AverageTree};
use impinge::bound::Aabb;

use super::Preset;
use super::models::{self, Model};
use super::tumble::{Round, answers, rounds};
use crate::sheet::{Axis, Cell, Plot, Series, Sheet, Table};

/// Ends of the classes of stated confidence.
const CLASSES: [f64; 9] = [0.5, 0.7, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 1.0];
/// How far stated and observed confidence may be apart on average over all answers.
const BAR: f64 = 0.02;
/// Classes with a smaller part of all answers are told beside the others.
const POPULATED: f64 = 0.01;

/// The models that the stated confidence was fitted to, whichever are asked; all others are held out.
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

fn is_fitted(model: &str) -> bool {
    FITTED.contains(&model)
}

/// Answers that state about the same, of models that have the same weight.
#[derive(Clone, Copy, Debug, Default)]
struct Class {
    count: usize,
    right_count: usize,
    weight: f64,
    stated: f64,
    right: f64,
}

impl Class {
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

/// Half of the models.
#[derive(Debug)]
struct Half {
    name: &'static str,
    classes: [Class; CLASSES.len() - 1],
    certain: Class,
    /// All answers that are not certain, model by model.
    models: Vec<(String, Class)>,
}

impl Half {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            classes: Default::default(),
            certain: Class::default(),
            models: Vec::new(),
        }
    }

    fn ask(&mut self, model: &Model, rounds: &[Round]) -> anyhow::Result<()> {
        let tree = Arc::new(AverageTree::<Aabb>::new(
            &model.mesh,
            &AverageConfig::default(),
        ));
        let mut all = Vec::new();
        for k_min in [10, 5] {
            let options = AverageOptions {
                k_min,
                ..AverageOptions::default()
            };
            all.extend(answers(rounds, &tree, &options)?);
        }
        let weight = 1.0 / all.len().max(1) as f64;
        let mut own = Class::default();
        for (answer, truth) in &all {
            let verdict = answer.verdict;
            let is_right = verdict.answer == *truth;
            if verdict.certain {
                self.certain.add(1.0, is_right, weight);
                continue;
            }
            let ends = CLASSES[1..CLASSES.len() - 1].iter();
            let class = ends.filter(|&&end| verdict.confidence >= end).count();
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
        Ok(())
    }

    /// The mean distance of stated and observed confidence over all uncertain answers.
    ///
    /// None without such an answer: nothing was stated that could be wrong.
    fn off(&self) -> Option<f64> {
        let weight: f64 = self.classes.iter().map(|class| class.weight).sum();
        let sum: f64 = self.classes.iter().map(|c| c.weight * c.off()).sum();
        (weight > 0.0).then(|| sum / weight)
    }

    /// Prints and keeps everything; whether the confidence is near enough is only judged `with_bar`.
    fn tell(&self, with_bar: bool, sheet: &mut Sheet) {
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
        match self.off() {
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
        // A model is no average: what is true of all together may be far off for one.
        let order =
            |x: &&(String, Class), y: &&(String, Class)| x.1.means().1.total_cmp(&y.1.means().1);
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
        let off = |own: &Class| {
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

/// Judges by the models of the table, which were asked anyway, and by others.
pub(super) fn run(
    played: &[(Model, Vec<Round>)],
    preset: Preset,
    step: f64,
    sheet: &mut Sheet,
) -> anyhow::Result<()> {
    println!();
    let mut halves = [Half::new("fitted models"), Half::new("held-out models")];
    let others = if preset == Preset::Tiny {
        Vec::new()
    } else {
        models::others()?
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
    }
    let series = |half: &Half| Series {
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
    use super::{FITTED, Half, is_fitted};
    use crate::Bar;
    use crate::average::models;
    use crate::sheet::Sheet;

    #[test]
    fn half_of_all_models_is_held_out_whichever_are_asked() {
        let all = [models::all(true).unwrap(), models::others().unwrap()].concat();
        let held_out = all.iter().filter(|model| !is_fitted(&model.name)).count();
        // The large pipes are left out where models are small; they are held out.
        assert_eq!((all.len(), held_out), (25, 12));
        assert!(!is_fitted("pipes-124736"));
        for name in FITTED {
            assert!(all.iter().any(|model| model.name == name), "{name}");
        }
    }

    #[test]
    fn without_an_uncertain_answer_no_confidence_is_confirmed() {
        let mut sheet = Sheet::new("average", "", "", "");
        let mut half = Half::new("held-out models");
        half.certain.add(1.0, true, 1.0);
        half.tell(true, &mut sheet);
        assert_eq!((sheet.open.len(), sheet.bar()), (1, Bar::Open));
        half.classes[3].add(0.96, true, 1.0);
        let mut sheet = Sheet::new("average", "", "", "");
        half.tell(true, &mut sheet);
        // Always right, and stated to be so in 96 % alone.
        assert_eq!((sheet.open.len(), sheet.bar()), (0, Bar::Missed));
    }
}
