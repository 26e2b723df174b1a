//! `impinge study`: run a simulated user study, and the statistics of one.

use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use clap::{Args, Subcommand};
use impinge_dynamics::study::statistics::{Summary, anova_from_summaries, paired_t};
use impinge_dynamics::study::{GameConfig, Protocol, StudyTable, run_study};

use crate::ExitAnswer;
use crate::atomic_file;
use crate::number::count;
use crate::output::Output;
use crate::progress;

/// `impinge study`
#[derive(Debug, Args)]
pub(crate) struct StudyArgs {
    #[command(subcommand)]
    pub(crate) action: StudyAction,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum StudyAction {
    /// Play the two-player game with simulated participants under both conditions, seats swapped
    Run {
        /// How many take part, an even number
        #[arg(long, value_name = "N", default_value_t = 8)]
        participants: u32,
        /// Of the operators and the order of conditions
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Seconds of training at most
        #[arg(long, value_name = "S", default_value_t = 20.0)]
        training: f64,
        /// Seconds of play
        #[arg(long, value_name = "S", default_value_t = 20.0)]
        play: f64,
        /// Write the table of sessions
        #[arg(long, value_name = "CSV")]
        log: Option<PathBuf>,
    },
    /// Compare two columns of a CSV file by a paired t test
    Compare {
        /// A file with a line of column names
        file: PathBuf,
        /// Two column names
        #[arg(required = true, num_args = 2)]
        columns: Vec<String>,
    },
    /// One-way ANOVA from published means: each group as COUNT:MEAN:SD
    Anova {
        /// Such as 47:3.49:1.06
        #[arg(required = true, num_args = 2..)]
        groups: Vec<String>,
    },
}

pub(crate) fn run(args: &StudyArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    match &args.action {
        StudyAction::Run {
            participants,
            seed,
            training,
            play,
            log,
        } => {
            let config = GameConfig {
                training: *training,
                play: *play,
                ..GameConfig::default()
            };
            let protocol = Protocol::new(*participants, *seed)?;
            let table = progress::during("playing", || run_study(&protocol, config, *seed))?;
            if let Some(path) = log {
                atomic_file::write(path, table.to_csv().as_bytes())
                    .with_context(|| format!("cannot write {}", path.display()))?;
            }
            tell(&table, *participants, out)?;
            out.wrote(log)?;
        }
        StudyAction::Compare { file, columns } => {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            let [Some(first), Some(second)] = [columns.first(), columns.get(1)] else {
                bail!("name two columns");
            };
            let column = |name: &str| column(&text, name);
            let context = || format!("table {}", file.display());
            let found = paired_t(
                &column(first).with_context(context)?,
                &column(second).with_context(context)?,
            )?;
            paired(&format!("{first} against {second}"), &found, out)?;
        }
        StudyAction::Anova { groups } => {
            let groups: Vec<Summary> = groups.iter().map(|g| group(g)).collect::<Result<_, _>>()?;
            let found = anova_from_summaries(&groups)?;
            out.record(&serde_json::json!({
                "f": found.f, "between": found.between, "within": found.within, "p": found.p,
            }))?;
            out.line(format_args!(
                "F({}, {}) = {:.3}, p = {:.4}",
                found.between, found.within, found.f, found.p
            ))?;
        }
    }
    Ok(ExitAnswer::No)
}

fn tell(table: &StudyTable, participants: u32, out: &mut Output) -> anyhow::Result<()> {
    out.line(format_args!(
        "{} participants, {} sessions; simulated operators say nothing about people",
        participants,
        count(table.sessions.len())
    ))?;
    type Measure = fn(&impinge_dynamics::study::Session) -> f64;
    let measures: [(&str, Measure); 4] = [
        ("bodies pocketed", |s| f64::from(s.pocketed)),
        ("time to the first body, s", |s| s.first),
        ("path of the dominant hand, m", |s| s.path[0]),
        ("rotation of the dominant hand, rad", |s| s.rotation[0]),
    ];
    for (name, measure) in measures {
        match table.compare(measure) {
            Ok(found) => paired(&format!("{name}, 3 DOF against 6 DOF"), &found, out)?,
            Err(error) => out.line(format_args!("  {name}: {error}"))?,
        }
    }
    Ok(())
}

fn paired(
    name: &str,
    found: &impinge_dynamics::study::statistics::PairedT,
    out: &mut Output,
) -> anyhow::Result<()> {
    out.record(&serde_json::json!({
        "measure": name, "t": found.t, "freedom": found.freedom, "p": found.p,
    }))?;
    out.line(format_args!(
        "  {name}: t({}) = {:.3}, p = {:.4}",
        found.freedom, found.t, found.p
    ))?;
    Ok(())
}

/// The numbers of a named column.
fn column(text: &str, name: &str) -> anyhow::Result<Vec<f64>> {
    let mut lines = text.lines().enumerate();
    let (_, head) = lines.next().ok_or_else(|| anyhow!("the file is empty"))?;
    let names: Vec<&str> = head.split(',').map(str::trim).collect();
    let place = names.iter().position(|column| *column == name);
    let place =
        place.ok_or_else(|| anyhow!("no column '{name}'; there are {}", names.join(", ")))?;
    let mut numbers = Vec::new();
    for (line, row) in lines.filter(|(_, row)| !row.trim().is_empty()) {
        let cell = row.split(',').nth(place).unwrap_or("").trim();
        let number = cell.parse::<f64>();
        numbers
            .push(number.map_err(|_| {
                anyhow!("line {}: {name} must be a number, not '{cell}'", line + 1)
            })?);
    }
    Ok(numbers)
}

/// A group as it is printed in papers.
fn group(text: &str) -> anyhow::Result<Summary> {
    let parts: Vec<&str> = text.split(':').collect();
    let wrong = || anyhow!("a group is COUNT:MEAN:SD, not '{text}'");
    let [count, mean, deviation] = parts[..] else {
        return Err(wrong());
    };
    Ok(Summary {
        n: count.parse().map_err(|_| wrong())?,
        mean: mean.parse().map_err(|_| wrong())?,
        sd: deviation.parse().map_err(|_| wrong())?,
    })
}
