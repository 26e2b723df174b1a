//! Whether answers are as often right as they say.

use std::sync::Arc;

use impinge::average::{AverageConfig, AverageOptions, AverageTree};
use impinge::bound::Aabb;
use impinge::query::Verdict;

use super::models::Model;
use super::tumble::{Round, answers};
use crate::sheet::{Axis, Cell, Plot, Series, Sheet, Table};

/// Ends of the classes of stated confidence.
const CLASSES: [f64; 7] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.98, 1.0];

#[derive(Clone, Copy, Debug, Default)]
struct Class {
    count: usize,
    stated: f64,
    right: usize,
}

/// Classes of fewer answers say little.
const POPULATED: usize = 100;

pub(super) fn run(
    played: &[(Model, Vec<Round>)],
    which: &str,
    bar: f64,
    sheet: &mut Sheet,
) -> anyhow::Result<()> {
    println!("\nConfidence, {which}:");
    let mut classes = [Class::default(); CLASSES.len() - 1];
    let mut certain = Class::default();
    for (model, rounds) in played {
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
            let asked = answers(rounds, &tree, &options)?;
            let is_wrong = |verdict: Verdict, truth: bool| verdict.answer != truth;
            let wrong = asked
                .iter()
                .filter(|(answer, truth)| is_wrong(answer.verdict, *truth));
            let tests: u64 = asked
                .iter()
                .map(|(answer, _)| answer.work.volume_tests)
                .sum();
            let count = asked.len().max(1) as f64;
            println!(
                "{:14} k_min {k_min:2}: {:5.2} % wrong, {:.1} pairs compared",
                model.name,
                100.0 * wrong.count() as f64 / count,
                tests as f64 / count
            );
            all.extend(asked);
        }
        for (answer, truth) in all {
            let verdict = answer.verdict;
            let class = if verdict.certain {
                &mut certain
            } else {
                let ends = CLASSES[1..CLASSES.len() - 1].iter();
                &mut classes[ends.filter(|&&end| verdict.confidence >= end).count()]
            };
            class.count += 1;
            class.stated += verdict.confidence;
            class.right += usize::from(verdict.answer == truth);
        }
    }
    let mut table = Table {
        title: format!("Stated and observed confidence, {which}"),
        columns: ["stated", "mean stated", "observed", "answers"]
            .map(str::to_owned)
            .to_vec(),
        rows: Vec::new(),
    };
    let mut points = Vec::new();
    let (mut off, mut all, mut worst) = (0.0, 0, 0.0_f64);
    for (i, class) in classes.iter().enumerate() {
        let count = class.count.max(1) as f64;
        let (stated, observed) = (class.stated / count, class.right as f64 / count);
        println!(
            "confidence {:.2} to {:.2}: stated {stated:.3}, right {observed:.3}, {} answers",
            CLASSES[i],
            CLASSES[i + 1],
            class.count
        );
        table.rows.push(vec![
            Cell::Text(format!("{:.2} to {:.2}", CLASSES[i], CLASSES[i + 1])),
            Cell::Number(stated),
            Cell::Number(observed),
            Cell::Number(class.count as f64),
        ]);
        if class.count > 0 {
            points.push([stated, observed]);
        }
        if class.count >= POPULATED {
            worst = worst.max((stated - observed).abs());
        }
        off += (stated - observed).abs() * class.count as f64;
        all += class.count;
    }
    println!(
        "certain: {} answers, {} right",
        certain.count, certain.right
    );
    table.rows.push(vec![
        Cell::Text("certain".to_owned()),
        Cell::Number(1.0),
        Cell::Number(certain.right as f64 / certain.count.max(1) as f64),
        Cell::Number(certain.count as f64),
    ]);
    sheet.tables.push(table);
    sheet.plots.push(Plot {
        title: format!("Stated and observed confidence, {which}"),
        x: Axis {
            label: "stated".to_owned(),
            ..Axis::default()
        },
        y: Axis {
            label: "observed".to_owned(),
            ..Axis::default()
        },
        series: vec![
            Series {
                name: "answers".to_owned(),
                points,
                is_scatter: true,
                ..Series::default()
            },
            Series {
                name: "as stated".to_owned(),
                points: vec![[0.5, 0.5], [1.0, 1.0]],
                ..Series::default()
            },
        ],
    });
    sheet.claim(
        &format!("certain answers are right, {which}"),
        &format!("{} of {}", certain.right, certain.count),
        certain.right == certain.count,
    );
    let off = off / all.max(1) as f64;
    sheet.claim(
        &format!("stated confidence is within {bar} of the observed on average, {which}"),
        &format!("{off:.4} over {all} answers"),
        off <= bar,
    );
    println!("No class of {POPULATED} answers is off by more than {worst:.3}.");
    Ok(())
}
