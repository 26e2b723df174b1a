//! What a run of `pair` comes to: per question and engine a time, and how much longer the others take.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::folders::create;
use crate::ground_truth::AnswerVerdict;
use crate::pair_measurement::EngineRow;
use crate::result_sheet::{Cell, ResultSheet, Table};

/// An engine and a question, over the poses that it and the fastest engine answered rightly.
struct SummaryLine<'a> {
    question: &'a str,
    engine: &'a str,
    /// Geometric mean over the poses with a time, in nanoseconds.
    mean_ns: Option<f64>,
    /// Times of this engine over those of the fastest, as a geometric mean over common poses.
    ratio: Option<f64>,
    right: usize,
    wrong: usize,
    without: usize,
}

fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        sum += value.max(f64::MIN_POSITIVE).ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

/// The lines of each question, the fastest engine first.
fn lines(rows: &[EngineRow]) -> Vec<SummaryLine<'_>> {
    let mut groups: BTreeMap<(&str, &str), Vec<&EngineRow>> = BTreeMap::new();
    let asked = |row: &&EngineRow| row.verdict != AnswerVerdict::Unsupported;
    for row in rows.iter().filter(asked) {
        let key = (row.question, row.engine.as_str());
        groups.entry(key).or_default().push(row);
    }
    let mean = |rows: &[&EngineRow]| geometric_mean(rows.iter().filter_map(|row| row.median_ns));
    let mut fastest: BTreeMap<&str, (f64, &str)> = BTreeMap::new();
    for ((question, engine), rows) in &groups {
        if let Some(mean) = mean(rows) {
            let best = fastest.entry(question).or_insert((mean, engine));
            if mean < best.0 {
                *best = (mean, engine);
            }
        }
    }
    let mut found: Vec<SummaryLine<'_>> = Vec::new();
    for ((question, engine), rows) in &groups {
        let best = fastest.get(question).map(|best| best.1);
        let best = best.and_then(|best| groups.get(&(*question, best)));
        let pairs = rows.iter().filter_map(|row| {
            let other = best?.iter().find(|other| other.pose == row.pose)?;
            Some(row.median_ns? / other.median_ns?)
        });
        let count = |is: &dyn Fn(&EngineRow) -> bool| rows.iter().filter(|row| is(row)).count();
        found.push(SummaryLine {
            question,
            engine,
            mean_ns: mean(rows),
            ratio: geometric_mean(pairs),
            right: count(&|row| row.median_ns.is_some()),
            wrong: count(&|row| row.verdict == AnswerVerdict::Wrong),
            without: count(&|row| row.median_ns.is_none() && row.verdict != AnswerVerdict::Wrong),
        });
    }
    let time = |line: &SummaryLine<'_>| line.mean_ns.unwrap_or(f64::INFINITY);
    found.sort_by(|x, y| {
        let questions = x.question.cmp(y.question);
        questions.then(time(x).total_cmp(&time(y)))
    });
    found
}

/// Prints the summary under the table of single poses.
pub(crate) fn print(rows: &[EngineRow]) {
    println!(
        "\nIn short (geometric means over poses; wrong answers have no time):\n{:<10} {:<16} {:>12} {:>10} {:>6} {:>6} {:>8}",
        "question", "engine", "mean us", "times", "right", "wrong", "without"
    );
    for line in lines(rows) {
        let number = |x: Option<f64>, digits| x.map_or("-".to_owned(), |x| format!("{x:.digits$}"));
        println!(
            "{:<10} {:<16} {:>12} {:>10} {:>6} {:>6} {:>8}",
            line.question,
            line.engine,
            number(line.mean_ns.map(|ns| ns / 1e3), 2),
            number(line.ratio, 2),
            line.right,
            line.wrong,
            line.without
        );
    }
}

/// Writes the sheet that the report shows, and all rows as CSV.
///
/// # Errors
/// A folder that cannot be written.
pub(crate) fn write(
    folder: &Path,
    [a, b]: [&str; 2],
    rows: &[EngineRow],
) -> anyhow::Result<PathBuf> {
    create(folder)?;
    let name = |path: &str| {
        let name = Path::new(path).file_name();
        name.map_or_else(
            || path.to_owned(),
            |name| name.to_string_lossy().into_owned(),
        )
    };
    let title = format!("{} and {}", name(a), name(b));
    let mut sheet = ResultSheet::new(
        "pair",
        &title,
        "How long does each engine take for these two meshes?",
        &format!("impinge-bench pair {a} {b}"),
    );
    let cell = |x: Option<f64>| match x {
        Some(x) => Cell::Number(x),
        None => Cell::Void {
            reason: "no right answer".to_owned(),
        },
    };
    let columns = [
        "question",
        "engine",
        "mean, µs",
        "times the fastest",
        "right",
        "wrong",
        "without",
    ];
    sheet.tables.push(Table {
        title: "Geometric means over poses".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: lines(rows)
            .iter()
            .map(|line| {
                vec![
                    Cell::Text(line.question.to_owned()),
                    Cell::Text(line.engine.to_owned()),
                    cell(line.mean_ns.map(|ns| ns / 1e3)),
                    cell(line.ratio),
                    Cell::Number(line.right as f64),
                    Cell::Number(line.wrong as f64),
                    Cell::Number(line.without as f64),
                ]
            })
            .collect(),
    });
    let mut text = "engine,question,pose,answer,median_ns,verdict\n".to_owned();
    for row in rows {
        let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
        // Writing to memory cannot fail.
        let _ = writeln!(
            text,
            "{},{},{},{},{},{}",
            row.engine,
            row.question,
            row.pose,
            number(row.answer),
            number(row.median_ns),
            row.verdict.name()
        );
    }
    std::fs::write(folder.join("pair.csv"), text).context("pair.csv")?;
    sheet.write(folder)
}
