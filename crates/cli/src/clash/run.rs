//! Runs `impinge clash`.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Context, bail};
use impinge::clash::{ClashOptions, ClashProgress, ClashRules, find_clashes, rank};
use impinge::query::Outcome;

use super::args::ClashArgs;
use super::assembly::gather;
use super::record::{FORMAT, Record, SkippedRecord, read_baseline};
use super::report::Report;
use super::{bcf, drawing, html, snapshot, table};
use crate::output::Output;
use crate::progress::Progress;
use crate::{ExitAnswer, atomic_file};

/// Rows of the table without `--all`.
const SHOWN: usize = 40;

/// Finds, compares, writes.
pub(crate) fn run(args: &ClashArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let rules = match &args.rules {
        Some(path) => read_rules(path)?,
        None => ClashRules::default(),
    };
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    if args.new_only && baseline.is_none() {
        bail!("--new-only needs a --baseline to compare with");
    }
    let gathered = gather(&args.sources, &args.reading, out)?;
    if gathered.parts.is_empty() {
        bail!("there is no part to look at");
    }
    let filter = rules.filter(gathered.parts.iter().map(|part| part.name.as_str()));
    let options = ClashOptions {
        clearance: args.clearance,
        tolerance: args.tolerance,
        index_bytes: usize::try_from(args.memory.saturating_mul(1 << 20)).unwrap_or(usize::MAX),
    };
    let mut bar: Option<Progress> = None;
    let mut told = ClashProgress::default();
    let is_quiet = out.is_quiet();
    let mut progress = |now: &ClashProgress| {
        bar.get_or_insert_with(|| Progress::counted("looking at pairs", now.pairs, is_quiet))
            .done(now.pairs_done);
        told = *now;
        ControlFlow::Continue(())
    };
    let mut clashes = Vec::new();
    let outcome = find_clashes(
        &gathered.parts,
        &|a, b| filter.accepts(a, b),
        &options,
        &mut progress,
        &mut clashes,
    )?;
    drop(bar);
    rank(&mut clashes);
    let mut report = Report::new(gathered, clashes, told.pairs, outcome == Outcome::Complete);
    if let Some(baseline) = baseline {
        report.compare_with(baseline);
        if args.new_only {
            report.keep_new();
        }
    }
    write_files(args, &report, out)?;
    tell(args, &report, &told, out)?;
    let written = [&args.csv, &args.glb, &args.html, &args.bcf];
    out.wrote(written.into_iter().flatten())?;
    Ok(if !report.gathered.skipped.is_empty() {
        ExitAnswer::Failed
    } else if report.clashes.is_empty() {
        ExitAnswer::No
    } else {
        ExitAnswer::Yes
    })
}

fn read_rules(path: &Path) -> anyhow::Result<ClashRules> {
    let text = fs::read_to_string(path)
        .with_context(|| format!("cannot read the rules {}", path.display()))?;
    ClashRules::parse(&text).with_context(|| path.display().to_string())
}

fn write_files(args: &ClashArgs, report: &Report, out: &mut Output) -> anyhow::Result<()> {
    let save = |path: &Path, bytes: &[u8]| {
        atomic_file::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
    };
    if let Some(path) = &args.csv {
        save(path, table::csv(report).as_bytes())?;
    }
    if let Some(path) = &args.glb {
        let (bytes, leaves_out) = drawing::glb(report)?;
        if leaves_out {
            out.remark("parts without a clash are left out of the model: there are too many faces");
        }
        save(path, &bytes)?;
    }
    if args.html.is_none() && args.bcf.is_none() {
        return Ok(());
    }
    let count = report.clashes.len().min(args.pictures);
    let progress = Progress::counted("drawing", count, out.is_quiet());
    let mut pictures = Vec::new();
    for (number, clash) in report.clashes.iter().take(count).enumerate() {
        progress.done(number);
        pictures.push(snapshot::png(report, clash, args.up)?);
    }
    drop(progress);
    if let Some(path) = &args.html {
        let names: Vec<String> = args.sources.iter().map(ToString::to_string).collect();
        let title = format!("Clashes of {}", names.join(", "));
        save(path, html::page(report, &pictures, &title).as_bytes())?;
    }
    if let Some(path) = &args.bcf {
        save(path, &bcf::bcf(report, &pictures, args.up)?)?;
    }
    if count < report.clashes.len() {
        out.remark(format_args!(
            "pictures of the first {count} clashes only; --pictures N draws more"
        ));
    }
    Ok(())
}

fn tell(
    args: &ClashArgs,
    report: &Report,
    told: &ClashProgress,
    out: &mut Output,
) -> anyhow::Result<()> {
    let (meshes, _) = report.gathered.meshes();
    let skipped = report.gathered.skipped.iter().map(|part| SkippedRecord {
        name: &part.name,
        error: &part.error,
    });
    let counts = report
        .counts()
        .into_iter()
        .map(|(kind, count)| (kind.name().to_owned(), count.into()));
    out.record(&Record {
        format: FORMAT,
        clearance: args.clearance,
        tolerance: args.tolerance,
        parts: report.gathered.parts.len(),
        meshes,
        faces: report.gathered.faces(),
        pairs: told.pairs,
        complete: report.is_complete,
        skipped: skipped.collect(),
        counts: counts.collect(),
        clashes: &report.records,
        resolved: report
            .before
            .as_ref()
            .map(|before| before.resolved.as_slice()),
        unchecked: report
            .before
            .as_ref()
            .map(|before| before.unchecked.as_slice()),
    })?;
    for line in table::summary(report) {
        out.line(line)?;
    }
    let shown = if args.all { usize::MAX } else { SHOWN };
    for line in table::rows(&report.records, shown) {
        out.line(line)?;
    }
    if report.records.len() > shown {
        let more = report.records.len() - shown;
        out.line(format_args!("  and {more} more; --all lists them"))?;
    }
    if let Some(before) = &report.before {
        for record in before.resolved.iter().chain(&before.unchecked).take(shown) {
            out.line(format_args!(
                "  {}: {} {} – {}",
                record.status.as_deref().unwrap_or("resolved"),
                record.kind,
                record.a.name,
                record.b.name
            ))?;
        }
    }
    Ok(())
}
