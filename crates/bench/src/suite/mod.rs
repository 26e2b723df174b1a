//! `impinge-bench run all`: every benchmark of the suite, one after another, then the report.
//!
//! **Question.** What does one command say about everything?
//! **Idea.** Each benchmark is this program started again, so that a crash costs its own part. A part may use its own time and whatever the
//! parts before it left over; then it is stopped. What a part prints becomes a record, and so does how it ended.
//! **Promise.** With `--preset quick` the time of all parts together is under fifteen minutes, whatever happens. A run that was stopped goes
//! on with `--resume` where it was, on whatever day, and so does a part that left something out because its time was up. A missing peer or package is named, and nothing else.
//! **Limits.** The figures of the quick preset are a look, nothing to quote.

mod resume_state;
mod subprocess;
mod suite_parts;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::Bar;
use crate::engines::PEERS;
use crate::folders::{create, from_here, installed, target};
use crate::report::{self, Machine};
use crate::result_sheet::{Cell, Failure, ResultSheet, Table};
use crate::rigid::{date, default_folder, earlier_folder, processor};
use resume_state::{EndedPart, ResumeState};
use subprocess::{PartCall, PartEnd, PartRun};
pub(crate) use suite_parts::part_command;
use suite_parts::{PARTS, Preset, SuitePart};

/// Every benchmark of the suite one after another, then the report; resumable
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How much: a look in under fifteen minutes, or everything
    #[arg(long, value_enum, default_value_t = Preset::Quick)]
    preset: Preset,
    /// Go on where the last run in this folder was stopped, leaving out what it finished; with the full preset on any later day
    #[arg(long)]
    resume: bool,
    /// Only these parts; --list names them
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<String>,
    /// Name the parts with their time, and stop
    #[arg(long)]
    list: bool,
    /// Fail when a bar is missed, and not only when something of ours breaks
    #[arg(long)]
    strict: bool,
    /// More arguments for the part, if it is one alone
    #[arg(last = true, value_name = "ARGUMENTS")]
    more: Vec<String>,
    /// Folder for the records [default: records/DATE-MACHINE, with the quick preset target/records/quick]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    if args.list {
        for part in PARTS {
            println!(
                "{:<14} {:>6} s quick {:>5} min full  {}",
                part.name, part.quick_seconds, part.full_minutes, part.what
            );
        }
        return Ok(Bar::Met);
    }
    let known = |wanted: &String| PARTS.iter().any(|part| part.name == wanted);
    if let Some(wanted) = args.only.iter().find(|wanted| !known(wanted)) {
        anyhow::bail!("there is no part `{wanted}`; `run all --list` names them");
    }
    anyhow::ensure!(
        args.more.is_empty() || args.only.len() == 1,
        "arguments after -- are for one part alone: name it with --only"
    );
    // Parts are told it as it is seen from here, and so are records.
    let folder = from_here(&match (&args.records, args.preset) {
        (Some(folder), _) => folder.clone(),
        (None, Preset::Quick) => target().join("records").join("quick"),
        // A run of an earlier day is gone on with in its own folder.
        (None, Preset::Full) => earlier_folder(|folder| folder.join(resume_state::FILE).is_file())
            .filter(|_| args.resume)
            .unwrap_or_else(default_folder),
    });
    create(&folder)?;
    let mut state = ResumeState::begin(&folder, args.preset.name(), args.resume)?;
    describe(&folder)?;
    let chosen: Vec<&SuitePart> = PARTS
        .iter()
        .filter(|part| args.only.is_empty() || args.only.iter().any(|only| only == part.name))
        .collect();
    let program = std::env::current_exe()?;
    let start = Instant::now();
    let mut granted = Duration::ZERO;
    for (k, part) in chosen.iter().enumerate() {
        if let Some(kept) = state.finished(part.name) {
            println!("{:<14} kept, {:.0} s", part.name, kept.seconds);
            granted += left_over(part, args.preset, kept);
            continue;
        }
        granted += part.time(args.preset);
        // What the parts before it left over is its own too.
        let limit = granted.saturating_sub(start.elapsed());
        let place = format!("[{}/{}]", k + 1, chosen.len());
        println!(
            "{place:<8} {:<14} {} (at most {} s)",
            part.name,
            part.what,
            limit.as_secs()
        );
        let run = subprocess::run(&PartCall {
            program: &program,
            part,
            preset: args.preset,
            folder: &folder,
            limit,
            resumes: args.resume,
            more: &args.more,
        })?;
        tell(part, &run);
        state.push(part.name, EndedPart::from(&run))?;
    }
    let sheet = sheet(args, &chosen, &state);
    sheet.write(&folder)?;
    crate::published::write(&folder)?;
    let page = folder.join("report.html");
    report::write(&folder, &page)?;
    println!(
        "\n{:.0} s. Records are in {}, the report is {}.",
        start.elapsed().as_secs_f64(),
        folder.display(),
        page.display()
    );
    conclude(&folder, args.strict)
}

/// What a part that is kept left of its time: it is for the others, in this run as in the one it was measured in.
fn left_over(part: &SuitePart, preset: Preset, kept: &EndedPart) -> Duration {
    let used = Duration::try_from_secs_f64(kept.seconds).unwrap_or(Duration::MAX);
    part.time(preset).saturating_sub(used)
}

/// How a part ended, in a line.
fn tell(part: &SuitePart, run: &PartRun) {
    let bars = format!(
        "{} bars met, {} missed, {} open",
        run.met, run.missed, run.open
    );
    let words = match &run.ended {
        PartEnd::Whole => bars,
        PartEnd::Unknown => "FAILED: not in this program".to_owned(),
        PartEnd::Unfinished(reason) => format!("{bars}; UNFINISHED: {reason}"),
        PartEnd::Broken(reason) => format!("FAILED: {reason}"),
        PartEnd::Stopped => format!("STOPPED after its time; {bars}"),
    };
    let clear = if std::io::stderr().is_terminal() {
        "\r"
    } else {
        ""
    };
    println!(
        "{clear}{:<8} {:<14} {:.0} s, {words}",
        "", part.name, run.seconds
    );
    for absent in &run.absent {
        println!("{:<8} {:<14} absent: {absent}", "", "");
    }
}

/// What this is measured on, beside the records.
fn describe(folder: &Path) -> anyhow::Result<()> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let memory = read("/proc/meminfo")
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<f64>().ok())
        .map_or(String::new(), |kb| format!("{:.0} GiB", kb / 1_048_576.0));
    let release = read("/proc/sys/kernel/osrelease");
    let compiler = std::process::Command::new("rustc")
        .arg("--version")
        .output()
        .map_or(String::new(), |output| {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        });
    let machine = Machine {
        date: date(),
        processor: processor(),
        cores: crate::thread_cpu_time::cores(),
        memory,
        system: format!("{} {}", std::env::consts::OS, release.trim())
            .trim()
            .to_owned(),
        compiler,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let text = serde_json::to_string_pretty(&machine)? + "\n";
    let path = folder.join("machine.json");
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// How the parts went, for the report.
fn sheet(args: &Args, chosen: &[&SuitePart], state: &ResumeState) -> ResultSheet {
    let preset = args.preset.name();
    let mut sheet = ResultSheet::new(
        "suite",
        "The run itself",
        "Did every part of the suite run to its end?",
        &format!("cargo run --release -p impinge-bench -- run all --preset {preset}"),
    );
    preset.clone_into(&mut sheet.preset);
    sheet
        .failures
        .extend(state.refused.as_ref().map(|reason| Failure {
            subject: "suite.state.json".to_owned(),
            reason: reason.clone(),
            is_ours: false,
        }));
    let mut rows = Vec::new();
    let mut total = 0.0;
    for part in chosen {
        let Some(kept) = state.get(part.name) else {
            continue;
        };
        total += kept.seconds;
        rows.push(vec![
            Cell::Text(part.name.to_owned()),
            Cell::Text(kept.ended.clone()),
            Cell::Number(kept.seconds),
            Cell::Number(kept.met as f64),
            Cell::Number(kept.missed as f64),
            Cell::Number(kept.open as f64),
            Cell::Text(kept.command.clone()),
        ]);
        if !kept.is_whole() {
            sheet.failures.push(Failure {
                subject: part.name.to_owned(),
                reason: kept.ended.clone(),
                is_ours: kept.is_ours(),
            });
        }
        for absent in &kept.absent {
            let failure = Failure {
                subject: absent.clone(),
                reason: format!("absent when `{}` ran", part.name),
                is_ours: false,
            };
            if !sheet.failures.iter().any(|f| f.subject == failure.subject) {
                sheet.failures.push(failure);
            }
        }
    }
    for (peer, _) in PEERS {
        let is_there = installed().join("peers").join(peer).is_file();
        let is_named = sheet.failures.iter().any(|f| f.subject.starts_with(peer));
        if !is_there && !is_named {
            sheet.failures.push(Failure {
                subject: (*peer).to_owned(),
                reason: "not installed: `cargo xtask peers` does".to_owned(),
                is_ours: false,
            });
        }
    }
    sheet.tables.push(Table {
        title: "Parts".to_owned(),
        columns: [
            "part",
            "ended",
            "seconds",
            "bars met",
            "bars missed",
            "bars open",
            "command",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows,
    });
    let broken = sheet.failures.iter().filter(|f| f.is_ours).count();
    let unfinished = chosen
        .iter()
        .filter(|part| !state.get(part.name).is_some_and(EndedPart::is_whole))
        .count();
    let claim = "every part of ours runs to its end";
    if broken > 0 {
        sheet.claim(claim, &format!("{broken} did not"), false);
    } else if unfinished > 0 && args.preset == Preset::Full {
        // A look leaves out what it has no time for; a full run is not full then.
        sheet.leave_open(&format!("{claim} ({unfinished} go on with --resume)"));
    } else {
        let reached = format!("all did, {unfinished} left something out");
        sheet.claim(claim, &reached, true);
    }
    if args.preset == Preset::Quick && args.only.is_empty() {
        claim_time(&mut sheet, total, unfinished);
        sheet
            .notes
            .push("The quick preset is a look: small models and few poses. Nothing of it is to be quoted.".to_owned());
    }
    sheet.notes.push(
        "Parts ran one after another as processes of their own; what each printed is in a text file of its name.".to_owned(),
    );
    sheet
}

/// That everything was done in the time: a run that left something out has not shown it.
fn claim_time(sheet: &mut ResultSheet, seconds: f64, unfinished: usize) {
    let claim = "everything in under 15 minutes";
    let minutes = format!("{:.1} minutes", seconds / 60.0);
    if unfinished > 0 && seconds < 900.0 {
        sheet.leave_open(&format!(
            "{claim} ({minutes}, {unfinished} parts left something out)"
        ));
    } else {
        sheet.claim(claim, &minutes, seconds < 900.0);
    }
}

/// Fails for our own failures alone, in whichever sheet they are; with `strict` for missed bars too.
fn conclude(folder: &Path, strict: bool) -> anyhow::Result<Bar> {
    let collection = report::gather(folder)?;
    let sheets = || collection.parts.iter().map(|part| &part.sheet);
    let broken = sheets()
        .flat_map(|sheet| &sheet.failures)
        .filter(|failure| failure.is_ours)
        .count();
    let missed = sheets()
        .flat_map(|sheet| &sheet.bars)
        .filter(|bar| !bar.is_met)
        .count();
    for refused in &collection.refused {
        println!("left out: {}: {}", refused.file, refused.reason);
    }
    println!("{missed} bars missed, {broken} failures of our own");
    Ok(if broken > 0 || (strict && missed > 0) {
        Bar::Missed
    } else {
        Bar::Met
    })
}

#[cfg(test)]
mod tests {
    use super::{Bar, Duration, EndedPart, PARTS, Preset, ResultSheet, claim_time, left_over};

    #[test]
    fn a_run_that_left_something_out_has_not_done_everything_in_time() {
        let bar = |seconds: f64, unfinished: usize| {
            let mut sheet = ResultSheet::default();
            claim_time(&mut sheet, seconds, unfinished);
            sheet.bar()
        };
        assert_eq!(bar(774.0, 0), Bar::Met);
        assert_eq!(bar(774.0, 1), Bar::Open);
        assert_eq!(bar(901.0, 0), Bar::Missed);
        assert_eq!(bar(901.0, 1), Bar::Missed);
    }

    #[test]
    fn what_a_kept_part_left_over_is_granted_to_the_others() {
        let kept = |seconds: f64| EndedPart {
            seconds,
            ..EndedPart::default()
        };
        let part = &PARTS[0];
        let all = part.time(Preset::Quick);
        let left = |seconds: f64| left_over(part, Preset::Quick, &kept(seconds));
        assert_eq!(left(0.0), all);
        assert_eq!(left(5.0), all - Duration::from_secs(5));
        assert_eq!(
            (left(1e9), left(f64::NAN)),
            (Duration::ZERO, Duration::ZERO)
        );
    }
}
