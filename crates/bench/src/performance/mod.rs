//! `impinge-bench run performance`: every engine at the same configurations, target by target.
//!
//! **Question.** How long does each engine take when the models are a given distance apart, or share a given volume?
//!
//! **Idea.** The difficulty of a question is fixed, the placement is sampled: see [`configurations`](crate::configurations). Scenario I queries, at given
//! distances whether the models intersect and how far apart they are, scenario II at given shared volumes whether they intersect, how much they share and which
//! way is out. The two are never mixed in one ranking. Configurations of a target are queried in a shuffled order, so that an engine whose time is up was run on a fair sample.
//!
//! **Source.** Weller's and Mainzer's theses.
//!
//! **Limits.** Engines that lay hold of earlier answers gain nothing here: configurations are independent of each other.

mod answer_check;
mod engine_selection;
mod overlap_scenario;
mod plots;
mod preset;
mod record;
mod record_filter;
mod record_writer;
mod run_notes;
mod runners;
mod scenario_run;
mod separated_scenario;
mod summary;
mod tables;
mod target_poses;
mod time_budget;
mod volume_engines;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::Bar;
use crate::arguments::at_least_one;
use crate::configurations::{Kind, LARGE_PAIRS, ModelPair, chosen};
use crate::folders::{from_here, target};
use crate::manifold::MANIFOLD;
use crate::result_sheet::Failure;
use crate::rigid::{default_folder, earlier_folder};
use preset::Preset;
use record_writer::{RecordWriter, holds};
use run_notes::RunNotes;
use scenario_run::{ScenarioRun, measure};
use summary::Unmeasured;
use time_budget::TimeBudget;

/// Every engine at placements of equal difficulty: yes or no, distance, shared volume, force
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(long, value_enum, default_value = "quick")]
    preset: Preset,
    /// Only these pairs of models; two files or generated models in a row make a pair of your own, as in A.obj,B.obj or gear:20000,torus:5000
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pairs: Vec<String>,
    /// Only models of 50 000 to 300 000 faces instead of the twelve small pairs: with --preset everyday some 8 hours, in as many pieces as you like with --minutes and --resume
    #[arg(long, conflicts_with = "pairs")]
    large: bool,
    /// Engines, as for `pair`; absent ones are named and left out
    #[arg(long, value_delimiter = ',', default_value = EVERYBODY)]
    engines: Vec<String>,
    /// What the run may take; targets that no longer fit are left to --resume [default: 3.5 for quick, else no end]
    #[arg(long)]
    minutes: Option<f64>,
    /// Configurations per target at most [default: 17 for quick, 200 for everyday, all for full]
    #[arg(long, value_parser = at_least_one)]
    most: Option<usize>,
    /// Go on with a run that was interrupted or whose time was up, on whatever day: with full in the newest folder of this machine that has one. Targets measured at fewer
    /// configurations than --most says are measured anew; engines that were not run then are named
    #[arg(long)]
    resume: bool,
    /// Folder for performance.csv and performance.sheet.json [default: target/records, with full records/DATE-MACHINE]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// Folder of the configurations; files that are missing are made, damaged ones are left as they are, and left out [default: target/configurations/everyday, with
    /// quick its own; damaged ones are set aside there, and made anew]
    #[arg(long, value_name = "FOLDER")]
    configurations: Option<PathBuf>,
}

impl Args {
    /// What to type for the same sheet; a run that went on with another does so as well.
    fn command(&self) -> String {
        let mut command = format!(
            "impinge-bench run performance --preset {}",
            self.preset.name()
        );
        if !self.pairs.is_empty() {
            command += &format!(" --pairs {}", self.pairs.join(","));
        }
        if self.large {
            command += " --large";
        }
        if self.engines != EVERYBODY.split(',').collect::<Vec<_>>() {
            command += &format!(" --engines {}", self.engines.join(","));
        }
        if let Some(minutes) = self.minutes {
            command += &format!(" --minutes {minutes}");
        }
        if let Some(most) = self.most {
            command += &format!(" --most {most}");
        }
        if let Some(folder) = &self.configurations {
            command += &format!(" --configurations {}", folder.display());
        }
        if self.resume {
            command += " --resume";
        }
        command
    }
}

/// The engines of a run that names none.
const EVERYBODY: &str = "all,ours";

/// Passes over the targets of a run whose time is short.
const MOST_PASSES: usize = 4;

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let start = Instant::now();
    let preset = args.preset;
    let mut findings = RunNotes::default();
    // Solids have a peer of their own.
    let mut names = args.engines.clone();
    names.push(MANIFOLD.to_owned());
    let engines = engine_selection::engines(&names, preset.sizes(), &mut findings.failures)?;
    let mut runners = None;
    let mut pairs = if args.large {
        LARGE_PAIRS.to_vec()
    } else {
        chosen(&args.pairs)?
    };
    if preset == Preset::Quick && args.pairs.is_empty() && !args.large {
        pairs.retain(|pair| pair.is_quick);
    }
    let folder = match &args.records {
        Some(folder) => folder.clone(),
        None if preset == Preset::Full => args
            .resume
            .then(|| earlier_folder(|folder| holds(folder, preset)))
            .flatten()
            .unwrap_or_else(default_folder),
        None => target().join("records"),
    };
    let minutes = args.minutes.or((preset == Preset::Quick).then_some(3.5));
    let total = minutes
        .map(|minutes| Duration::try_from_secs_f64(60.0 * minutes))
        .transpose()
        .context("--minutes must be a time")?;
    let deadline = total.map(|total| start + total);
    let is_short = total.is_some() && preset != Preset::Full && !args.resume;
    let effort = TimeBudget::new(preset, total, is_short, pairs.len());
    let mut journal = RecordWriter::begin(&folder, preset, args.resume)?;
    let mut effort = effort;
    for pass in 0..MOST_PASSES {
        let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
        if pass > 0 {
            // What is left goes to targets that were left out or cut short, each with at least twice the time it had.
            let unfinished = findings.left_out + journal.cut();
            let Some(again) = left.and_then(|left| effort.again(left, unfinished)) else {
                break;
            };
            eprintln!("{unfinished} targets were left out or cut short: once more, with more time");
            effort = again;
            findings.left_out = 0;
            findings.notes.clear();
        }
        let places: Vec<(&ModelPair, Kind)> = pairs
            .iter()
            .flat_map(|pair| Kind::ALL.map(|kind| (pair, kind)))
            .collect();
        for (number, &(pair, kind)) in places.iter().enumerate() {
            let place = ScenarioRun {
                args,
                pair,
                kind,
                effort: TimeBudget { deadline, ..effort },
                // What is left is shared among the parts that are left; a run that another goes on with takes one after the other.
                deadline: deadline.map(|end| {
                    if !is_short || pass > 0 {
                        return end;
                    }
                    let left = end.saturating_duration_since(Instant::now());
                    Instant::now() + left / (places.len() - number) as u32
                }),
            };
            measure(&place, &engines, &mut runners, &mut journal, &mut findings)
                .with_context(|| format!("{}, {}", pair.name, kind.name()))
                .unwrap_or_else(|error| {
                    eprintln!("{error:#}");
                    findings.failures.push(Failure {
                        subject: format!("{}, {}", pair.name, kind.name()),
                        reason: format!("{error:#}"),
                        is_ours: true,
                    });
                });
        }
    }
    let left = Unmeasured {
        out: findings.left_out,
        cut: journal.cut(),
        files: findings.files_left_out.len(),
        engines: journal.unasked(&engines, |name| {
            pairs.iter().any(|pair| pair.name == name && pair.is_solid)
        }),
    };
    let kept = journal.kept;
    let (csv, records) = journal.end(left.out == 0 && left.cut == 0)?;
    let mut sheet = summary::sheet(&records, preset.name(), &args.command());
    if kept > 0 {
        sheet.notes.push(format!(
            "{kept} of the {} records were kept from an earlier run (--resume).",
            records.len()
        ));
    }
    findings.add_to(&mut sheet);
    summary::claims(&mut sheet, &records);
    summary::claim_whole(&mut sheet, records.len(), &left);
    println!("{:.0} s in all.", start.elapsed().as_secs_f64());
    println!(
        "wrote {} and {}",
        from_here(&csv).display(),
        sheet.write(&folder)?.display()
    );
    Ok(sheet.bar())
}

#[cfg(test)]
mod tests {
    use super::Args;

    #[test]
    fn the_command_of_a_sheet_is_the_one_that_was_typed() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            args: Args,
        }
        let parse = |words: &[&str]| {
            <Line as clap::Parser>::try_parse_from([&["performance"][..], words].concat())
        };
        for words in [
            &["--preset", "quick"][..],
            &["--preset", "quick", "--minutes", "11", "--resume"],
            &[
                "--preset",
                "everyday",
                "--pairs",
                "blob,gear",
                "--engines",
                "impinge,fcl",
            ],
            &["--preset", "quick", "--most", "3", "--configurations", "c1"],
            &[
                "--preset",
                "everyday",
                "--large",
                "--minutes",
                "60",
                "--resume",
            ],
        ] {
            let command = parse(words).unwrap().args.command();
            assert_eq!(
                command,
                format!("impinge-bench run performance {}", words.join(" "))
            );
        }
        assert!(parse(&["--most", "0"]).is_err());
    }
}
