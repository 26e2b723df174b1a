//! Runs `impinge clash`.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Context, bail};
use impinge::clash::{Clash, ClashFilter, ClashKind, ClashOptions, ClashProgress, ClashRules};
use impinge::query::Outcome;

use super::args::ClashArgs;
use super::assembly::gather;
use super::record::{FORMAT, GroupRecord, Record, Settings, SkippedRecord, read_baseline};
use super::report::Report;
use super::{bcf, drawing, html, snapshot, table};
use crate::output::Output;
use crate::progress::{self, Progress};
use crate::{ExitAnswer, atomic_file, number};

/// Rows of the table without `--all`.
const SHOWN: usize = 40;

/// Overlaps below this share of the assembly's size look like rounding.
const SUSPICIOUS: f64 = 1e-6;
/// Clashes this share of the assembly's size apart are one place, unless set otherwise.
const PLACE: f64 = 0.05;

/// Finds, compares, writes.
pub(crate) fn run(args: &ClashArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let (rules, rule_lines) = match &args.rules {
        Some(path) => read_rules(path)?,
        None => (ClashRules::default(), Vec::new()),
    };
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    if args.new_only && baseline.is_none() {
        bail!("--new-only needs a --baseline to compare with");
    }
    if args
        .group_distance
        .is_some_and(|d| !(d > 0.0 && d.is_finite()))
    {
        bail!("--group-distance must be above 0");
    }
    let mut gathered = gather(&args.sources, &args.reading, out)?;
    if gathered.parts().is_empty() {
        bail!("there is no part to look at");
    }
    if let Some(precision) = args.precision {
        (gathered.precision, gathered.precision_of) = (precision, None);
    }
    let filter = rules.filter(gathered.parts().iter().map(|part| part.name.as_str()));
    let options = ClashOptions {
        clearance: args.clearance,
        tolerance: args.tolerance,
        precision: gathered.precision,
        index_bytes: usize::try_from(args.memory.saturating_mul(1 << 20)).unwrap_or(usize::MAX),
        ..ClashOptions::default()
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
    let assembly = &gathered.assembly;
    let (mut clashes, outcome) = assembly.filtered_clashes(&filter, &options, &mut progress)?;
    drop(bar);
    let shown = if args.all {
        usize::MAX
    } else {
        SHOWN.max(args.pictures)
    };
    progress::during("narrowing depths", || {
        assembly.refine(&options, &mut clashes, shown);
    });
    let settings = Settings {
        clearance: args.clearance,
        tolerance: args.tolerance,
        rules: Some(rule_lines),
    };
    let mut report = Report::new(gathered, clashes, told.pairs, outcome == Outcome::Complete);
    let mut remarks = remarks(&report, &filter, args);
    let mut other_settings = Vec::new();
    if let Some(baseline) = baseline {
        other_settings = settings.differences(&baseline.settings);
        if !other_settings.is_empty() {
            remarks.push(format!(
                "the baseline was made with other settings ({}): new and resolved may be due to that",
                other_settings.join("; ")
            ));
        }
        report.compare_with(baseline.clashes);
        if args.new_only {
            report.keep_new();
        }
    }
    if let Some(by) = args.group {
        let distance = (args.group_distance).unwrap_or_else(|| PLACE * report.gathered.size());
        report.group(by, distance);
    }
    for remark in &remarks {
        out.remark(remark);
    }
    let findings = Findings {
        told,
        settings,
        idle_rules: filter.idle_lines(),
        other_settings,
        remarks,
    };
    write_files(args, &report, &findings, out)?;
    tell(args, &report, &findings, out)?;
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

/// What is known of a run besides its clashes.
struct Findings {
    told: ClashProgress,
    settings: Settings,
    idle_rules: Vec<usize>,
    other_settings: Vec<String>,
    remarks: Vec<String>,
}

/// What a user should know before reading the list.
fn remarks(report: &Report, filter: &ClashFilter, args: &ClashArgs) -> Vec<String> {
    let mut remarks = Vec::new();
    let idle: Vec<String> = filter.idle_lines().iter().map(usize::to_string).collect();
    if !idle.is_empty() {
        let what = if idle.len() == 1 { "line" } else { "lines" };
        remarks.push(format!(
            "rules: no part fits a pattern of {what} {}, so nothing follows from it",
            idle.join(", ")
        ));
    }
    // Overlaps that look like rounding, but that the format does not explain.
    let limit = SUSPICIOUS * report.gathered.size();
    let shallow =
        |c: &&Clash| c.kind == ClashKind::Crossing && c.depth.is_some_and(|d| d.upper <= limit);
    let deepest = (report.clashes.iter().filter(shallow))
        .filter_map(|c| c.depth)
        .map(|d| d.upper)
        .fold(0.0, f64::max);
    if deepest > 0.0 && args.tolerance == 0.0 {
        let count = report.clashes.iter().filter(shallow).count();
        // The next power of ten, so that the number is easy to type.
        let power = deepest.log10().floor() as i32 + 1;
        remarks.push(format!(
            "{} no deeper than {}, which may be rounding: --precision 5e{} calls such overlaps touching, --tolerance 1e{power} ignores them",
            number::count_of(count, "crossing is", "crossings are"),
            number::measure(deepest),
            power - 1
        ));
    }
    remarks
}

/// The rules, and their lines without remarks.
fn read_rules(path: &Path) -> anyhow::Result<(ClashRules, Vec<String>)> {
    let text = fs::read_to_string(path)
        .with_context(|| format!("cannot read the rules {}", path.display()))?;
    let rules = ClashRules::parse(&text).with_context(|| path.display().to_string())?;
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok((rules, lines.map(str::to_owned).collect()))
}

/// The options of the run, for the page.
fn settings_shown(args: &ClashArgs, report: &Report) -> Vec<(&'static str, String)> {
    let gathered = &report.gathered;
    let length = |x: Option<f64>| x.map_or_else(|| "none".to_owned(), |x| x.to_string());
    let precision = match (gathered.precision > 0.0, gathered.precision_of) {
        (false, _) => "coordinates taken as they are".to_owned(),
        (true, Some(of)) => format!("{} ({of})", number::measure(gathered.precision)),
        (true, None) => number::measure(gathered.precision),
    };
    let declared: Vec<String> = gathered.units.iter().map(ToString::to_string).collect();
    let unit = match (args.reading.units, declared.is_empty()) {
        (Some(unit), _) => format!("metres, converted from {unit}"),
        (None, false) => format!("{} (declared by the file)", declared.join(", ")),
        (None, true) => "of the file, which declares none".to_owned(),
    };
    let mut shown = vec![
        ("units", unit),
        ("clearance", length(args.clearance)),
        ("tolerance", args.tolerance.to_string()),
        ("precision", precision),
    ];
    if args.reading.scale != 1.0 {
        shown.push(("scale", args.reading.scale.to_string()));
    }
    for (name, path) in [("rules", &args.rules), ("baseline", &args.baseline)] {
        if let Some(path) = path {
            shown.push((name, path.display().to_string()));
        }
    }
    if args.new_only {
        shown.push(("listed", "new clashes only".to_owned()));
    }
    shown
}

fn write_files(
    args: &ClashArgs,
    report: &Report,
    findings: &Findings,
    out: &mut Output,
) -> anyhow::Result<()> {
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
    let chosen = snapshot::chosen(&report.clashes, args.pictures);
    let progress = Progress::counted("drawing", chosen.len(), out.is_quiet());
    let mut pictures = Vec::new();
    for (number, &index) in chosen.iter().enumerate() {
        progress.done(number);
        let png = snapshot::png(report, &report.clashes[index], args.up)?;
        pictures.push((index, png));
    }
    drop(progress);
    if let Some(path) = &args.html {
        let names: Vec<String> = args.sources.iter().map(ToString::to_string).collect();
        let page = html::PageParts {
            title: &format!("Clashes of {}", names.join(", ")),
            settings: &settings_shown(args, report),
            overview: &snapshot::overview(report, args.up)?,
            pictures: &pictures,
            remarks: &findings.remarks,
        };
        save(path, html::page(report, &page).as_bytes())?;
    }
    if let Some(path) = &args.bcf {
        save(path, &bcf::bcf(report, &pictures, args.up)?)?;
    }
    if chosen.len() < report.clashes.len() {
        out.remark(format_args!(
            "pictures of {} clashes only, the gravest of each kind; --pictures N draws more",
            chosen.len()
        ));
    }
    Ok(())
}

fn tell(
    args: &ClashArgs,
    report: &Report,
    findings: &Findings,
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
    let groups = report.groups.iter().map(|group| {
        let gravest = &report.records[group.members[0]];
        GroupRecord {
            name: &group.name,
            clashes: group.members.len(),
            kind: &gravest.kind,
            depth: gravest.depth,
        }
    });
    out.record(&Record {
        format: FORMAT,
        clearance: args.clearance,
        tolerance: args.tolerance,
        precision: report.gathered.precision,
        rules: findings.settings.rules.as_deref().unwrap_or_default(),
        parts: report.gathered.parts().len(),
        meshes,
        faces: report.gathered.faces(),
        pairs: findings.told.pairs,
        complete: report.is_complete,
        skipped: skipped.collect(),
        counts: counts.collect(),
        persisting: report.before.as_ref().map(|before| before.persisting),
        groups: groups.collect(),
        idle_rules: findings.idle_rules.clone(),
        other_settings: findings.other_settings.clone(),
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
