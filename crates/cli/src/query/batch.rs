//! The same queries at many relative poses.

use std::time::{Duration, Instant};

use impinge::query::Outcome;

use super::answers::Answers;
use super::query_kind::QueryKind;
use super::query_runner::QueryRunner;
use super::record::Record;
use crate::ExitAnswer;
use crate::number::{count, measure};
use crate::output::Output;
use crate::pose_file::ReadPose;
use crate::progress::Progress;

/// How long finished answers may wait before they are handed over.
const PATIENCE: Duration = Duration::from_millis(200);
/// Width of a column.
const WIDTH: usize = 12;

/// Answers for each placement, in their order: a line of JSON or a row of a table each.
pub(crate) fn run(
    inquiry: &mut QueryRunner<'_>,
    poses: &[ReadPose],
    unit: Option<&'static str>,
    out: &mut Output,
) -> anyhow::Result<ExitAnswer> {
    let asked = inquiry.settings().asked.clone();
    let mut heading = format!("{:>6}", "pose");
    for question in &asked {
        heading += &format!("  {:>WIDTH$}", question.name());
    }
    out.line(heading)?;
    let progress = Progress::counted("poses", poses.len(), out.is_quiet());
    let (mut hits, mut open) = (0, 0);
    let mut handed_over = Instant::now();
    for (number, pose) in poses.iter().enumerate() {
        let answers = inquiry.ask(&pose.a_from_b)?;
        match answers.exit_verdict(&asked) {
            Some(true) => hits += 1,
            Some(false) => {}
            None => open += 1,
        }
        let mut record = Record::new(inquiry, &answers);
        record.pose = Some(number);
        record.pose_repaired = pose.repaired;
        record.unit = unit;
        out.record(&record)?;
        let mut row = format!("{number:>6}");
        for &question in &asked {
            row += &format!("  {:>WIDTH$}", cell(question, &answers));
        }
        out.line(row)?;
        progress.done(number + 1);
        // Whoever interrupts the program keeps what was found so far.
        if handed_over.elapsed() > PATIENCE {
            out.flush()?;
            handed_over = Instant::now();
        }
    }
    drop(progress);
    let question = asked.iter().find(|q| q.is_yes_or_no()).or(asked.first());
    let mut summary = format!(
        "{} of {} poses: yes to {}",
        count(hits),
        count(poses.len()),
        question.map_or("", |q| q.name())
    );
    if question == Some(&QueryKind::Distance) {
        summary = format!("{} of {} poses: they meet", count(hits), count(poses.len()));
    }
    conclude(summary, hits, open, out)
}

/// Prints a summary with how many placements are undecided, and returns the exit code of all.
pub(super) fn conclude(
    mut summary: String,
    hits: usize,
    open: usize,
    out: &mut Output,
) -> anyhow::Result<ExitAnswer> {
    if open > 0 {
        summary += &format!("; {} undecided", count(open));
    }
    out.line(summary)?;
    Ok(match (hits, open) {
        (_, 1..) => ExitAnswer::Failed,
        (0, 0) => ExitAnswer::No,
        _ => ExitAnswer::Yes,
    })
}

/// What fits into a column.
fn cell(question: QueryKind, answers: &Answers) -> String {
    let yes_or_no = || match answers.verdict(question) {
        Some(true) => "yes".to_owned(),
        Some(false) => "no".to_owned(),
        None => "?".to_owned(),
    };
    match question {
        QueryKind::Intersects | QueryKind::Tolerance => yes_or_no(),
        QueryKind::Pairs => match answers.contact.as_ref().and_then(|c| c.pairs.as_ref()) {
            Some(pairs) if pairs.outcome == Outcome::Complete => count(pairs.count),
            Some(pairs) => format!(">={}", count(pairs.count)),
            None => "-".to_owned(),
        },
        QueryKind::Curves => match &answers.curves {
            Some(met) => count(met.curves.len()),
            None => "-".to_owned(),
        },
        QueryKind::Distance => match &answers.distance {
            Some(found) => match found.distance {
                Some(distance) => measure(distance),
                None => format!(">{}", measure(found.lower)),
            },
            None => "-".to_owned(),
        },
        QueryKind::Depth => match &answers.depth {
            Some(found) => measure(found.escape.upper),
            None => "-".to_owned(),
        },
        QueryKind::Volume => match &answers.volume {
            Some(found) if found.outcome == Outcome::Complete => measure(found.value.volume),
            _ => "-".to_owned(),
        },
        QueryKind::Force => match &answers.force {
            Some(found) if found.outcome == Outcome::Complete => match found.value.force_on_b() {
                Some(wrench) => measure(wrench.force.length()),
                None => "-".to_owned(),
            },
            _ => "-".to_owned(),
        },
        QueryKind::Impact => match &answers.impact {
            Some(found) if found.starts_inside => "0".to_owned(),
            Some(found) => match found.found.value {
                Some(hit) => measure(hit.time),
                None => yes_or_no(),
            },
            None => "-".to_owned(),
        },
    }
}
