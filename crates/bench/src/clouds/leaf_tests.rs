//! Ways to ask whether two clouds meet: tests of leaves, sizes of samples, budgets.

use std::sync::Arc;
use std::time::Instant;

use impinge::bvh::wide::WideCache;
use impinge::cloud::{
    BudgetController, BudgetOptions, CloudBudget, CloudCollision, CloudCollisionOptions, CloudTree,
    CloudTreeOptions, InterpolationSearchOptions, LeafTest, SampleSize,
};
use impinge::query::{Limits, Outcome};

use super::cloud_collision::{BuiltTree, DISTANCES, JUDGED_FROM, line};
use super::confidence_check::StatedConfidence;
use super::timing::{at_full_size, claim, own_seconds};
use super::tumble::{Tumbler, placements};
use crate::Bar;
use crate::result_sheet::{Cell, ResultSheet, Table};
use crate::sample_statistics::{median, quantile};

/// Of the budget, the 95th percentile.
const MAX_OVERRUN: f64 = 1.1;
/// In microseconds.
const BUDGETS: [f64; 4] = [20.0, 50.0, 100.0, 200.0];

/// What a way of asking costs and how often it is wrong, over placements at judged distances.
pub(super) struct TestCost {
    pub(super) mean: f64,
    pub(super) evaluations: f64,
    pub(super) wrong: f64,
}

pub(super) fn cost(
    model: &Tumbler,
    question: &mut CloudCollision,
    steps: usize,
) -> anyhow::Result<TestCost> {
    let mut cache = WideCache::default();
    let (mut time, mut evaluations, mut asked, mut counted, mut wrong) =
        (0.0, 0, 0_u64, 0_u64, 0_u64);
    for distance in DISTANCES.into_iter().filter(|&d| d >= JUDGED_FROM) {
        let poses = placements(distance, steps.max(1))?;
        let mut answers = Vec::with_capacity(poses.len());
        time += own_seconds(|| {
            answers.extend(
                poses
                    .iter()
                    .map(|pose| question.at(pose, Limits::default())),
            )
        });
        for (pose, answer) in poses.iter().zip(&answers) {
            evaluations += answer.evaluations;
            asked += 1;
            if !answer.verdict.certain {
                counted += 1;
                wrong += u64::from(answer.verdict.answer != model.meets(pose, &mut cache));
            }
        }
    }
    Ok(TestCost {
        mean: time / asked as f64,
        evaluations: evaluations as f64 / asked as f64,
        // Not a number when nothing was counted.
        wrong: wrong as f64 / counted as f64,
    })
}

pub(super) fn leaf_tests(
    model: &Tumbler,
    built: &BuiltTree,
    steps: usize,
    sheet: &mut ResultSheet,
) -> anyhow::Result<()> {
    println!("\nways to test two leaves, {}", model.name);
    println!(
        "{:<24} {:>9} {:>12} {:>8}",
        "way", "mean µs", "evaluations", "wrong %"
    );
    let radius = built.tree.sampling_radius();
    let ways = [
        ("Newton, 5 steps", LeafTest::Newton { steps: 5 }, None),
        ("Newton, 3 steps", LeafTest::Newton { steps: 3 }, None),
        (
            "random, 20 places",
            LeafTest::Random { tests: 20 },
            Some(0.3 * radius),
        ),
        (
            "random, 100 places",
            LeafTest::Random { tests: 100 },
            Some(0.2 * radius),
        ),
        (
            "brackets among leaves",
            LeafTest::Crossings(InterpolationSearchOptions {
                candidates: 12,
                ..InterpolationSearchOptions::default()
            }),
            None,
        ),
        (
            "lattice, radius/5",
            LeafTest::Precise {
                precision: 0.2 * radius,
            },
            Some(0.2 * radius),
        ),
    ];
    let mut table = Table {
        title: format!("Ways to test two leaves, {}", model.name),
        columns: ["way", "mean in µs", "evaluations", "wrong in %"]
            .map(str::to_owned)
            .to_vec(),
        rows: Vec::new(),
    };
    for (name, leaf, accept) in ways {
        let options = CloudCollisionOptions {
            leaf,
            accept,
            ..CloudCollisionOptions::default()
        };
        let found = cost(model, &mut built.question(options), steps)?;
        println!(
            "{name:<24} {:>9.1} {:>12.1} {:>8.2}",
            found.mean * 1e6,
            found.evaluations,
            found.wrong * 100.0
        );
        table.rows.push(vec![
            Cell::Text(name.to_owned()),
            Cell::Number(found.mean * 1e6),
            Cell::Number(found.evaluations),
            Cell::Number(found.wrong * 100.0),
        ]);
    }
    sheet.tables.push(table);
    Ok(())
}

pub(super) fn sample_sizes(
    model: &Tumbler,
    built: &BuiltTree,
    steps: usize,
    sheet: &mut ResultSheet,
) -> anyhow::Result<()> {
    println!("\nsamples per node, {}", model.name);
    println!(
        "{:<18} {:>9} {:>8} {:>7}",
        "samples", "mean µs", "wrong %", "bytes"
    );
    let mut table = Table {
        title: format!("Samples per node, {}", model.name),
        columns: ["samples", "mean in µs", "wrong in %", "bytes per node"]
            .map(str::to_owned)
            .to_vec(),
        rows: Vec::new(),
    };
    for samples in [
        SampleSize::Constant(5),
        SampleSize::Constant(11),
        SampleSize::Constant(22),
        SampleSize::Growth(70.0),
        SampleSize::Growth(50.0),
        SampleSize::Growth(25.0),
    ] {
        let options = CloudTreeOptions {
            samples,
            ..CloudTreeOptions::default()
        };
        let tree = Arc::new(CloudTree::new(built.surface.clone(), &options)?);
        let each = tree.bytes() as f64 / tree.nodes().max(1) as f64;
        let mut question =
            CloudCollision::new(tree.clone(), tree, CloudCollisionOptions::default());
        let found = cost(model, &mut question, steps)?;
        let name = format!("{samples:?}");
        println!(
            "{name:<18} {:>9.1} {:>8.2} {each:>7.1}",
            found.mean * 1e6,
            found.wrong * 100.0
        );
        table.rows.push(vec![
            Cell::Text(name),
            Cell::Number(found.mean * 1e6),
            Cell::Number(found.wrong * 100.0),
            Cell::Number(each),
        ]);
    }
    sheet.tables.push(table);
    Ok(())
}

/// Questions within budgets. Answers that are not certain are passed to `stated`, cut off or not: with less effort finished ones are less sure too.
pub(super) fn budgets(
    model: &Tumbler,
    built: &BuiltTree,
    (steps, is_full): (usize, bool),
    lines: &mut String,
    stated: &mut StatedConfidence,
    sheet: &mut ResultSheet,
) -> anyhow::Result<()> {
    println!("\nbudgets, {}", model.name);
    println!(
        "{:>9} {:>9} {:>9} {:>9} {:>9} {:>8}",
        "budget µs", "median µs", "p95 µs", "p95/budget", "cut off %", "wrong %"
    );
    let mut table = Table {
        title: format!("Budgets, {}", model.name),
        columns: [
            "budget in µs",
            "median in µs",
            "95th percentile in µs",
            "of the budget",
            "cut off in %",
            "wrong in %",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: Vec::new(),
    };
    let start = Instant::now();
    let clock = || start.elapsed().as_secs_f64() * 1e6;
    for budget in BUDGETS {
        let question = built.question(CloudCollisionOptions::default());
        let mut controller = BudgetController::new(
            question,
            CloudBudget::Time(budget),
            BudgetOptions::default(),
        )?;
        let mut cache = WideCache::default();
        let (mut times, mut cut, mut counted, mut wrong) = (Vec::new(), 0_u64, 0_u64, 0_u64);
        for distance in DISTANCES.into_iter().filter(|&d| d >= JUDGED_FROM) {
            for pose in placements(distance, steps.max(1))? {
                let before = clock();
                let answer = controller.at(&pose, &clock);
                times.push(clock() - before);
                let is_cut = answer.outcome == Outcome::OutOfBudget;
                cut += u64::from(is_cut);
                if !answer.verdict.certain {
                    let truth = model.meets(&pose, &mut cache);
                    let is_right = answer.verdict.answer == truth;
                    counted += 1;
                    wrong += u64::from(!is_right);
                    line(lines, model.name, distance, &answer, truth);
                    stated.push(answer.verdict.confidence, is_right);
                }
            }
        }
        let asked = times.len() as f64;
        let p95 = quantile(&mut times, 0.95);
        let ratio = p95 / budget;
        let middle = median(times);
        let (cut, wrong) = (
            cut as f64 / asked * 100.0,
            wrong as f64 / counted as f64 * 100.0,
        );
        println!("{budget:>9} {middle:>9.1} {p95:>9.1} {ratio:>10.2} {cut:>9.2} {wrong:>8.2}");
        table.rows.push(
            [budget, middle, p95, ratio, cut, wrong]
                .map(Cell::Number)
                .to_vec(),
        );
        claim(
            sheet,
            at_full_size(is_full, Bar::at_most(ratio, MAX_OVERRUN)),
            &format!(
                "{}: 95 of 100 questions take at most {MAX_OVERRUN} × the budget of {budget} µs",
                model.name
            ),
            &format!("{ratio:.2} ×"),
        );
    }
    sheet.tables.push(table);
    Ok(())
}
