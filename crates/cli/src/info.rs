//! `impinge info`: what a mesh is and what is wrong with it.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use impinge::TriMesh;
use impinge::mesh::{Finding, FindingKind, FindingOptions, Findings, Severity, findings_with};
use serde::Serialize;

use crate::args::InfoArgs;
use crate::finding_location::{faces_of, point_of, vertices_of};
use crate::mesh_summary::MeshSummary;
use crate::model_source::{Loaded, ModelSource};
use crate::output::Output;
use crate::polygon_findings::PolygonFindings;
use crate::progress::Progress;
use crate::{ExitAnswer, number, picture, repair_report, self_intersection};

/// Findings of each kind in text, without `--all`.
pub(crate) const SHOWN: usize = 3;
/// Findings of each kind in JSON, without `--all`.
const RECORDED: usize = 100;
/// Findings of each kind in pictures.
const DRAWN: usize = 20_000;

#[derive(Serialize)]
struct Record<'a> {
    file: String,
    parts: Vec<PartRecord<'a>>,
    unit: Option<&'static str>,
    notes: &'a [String],
    /// Whether vertices in the same place were taken as one, because the file cannot share them.
    welded: bool,
    #[serde(flatten)]
    survey: &'a MeshSummary,
    /// Whether all self-intersections were found; if not, the search was given up after so many pairs of faces.
    self_intersections_complete: bool,
    errors: usize,
    warnings: usize,
    counts: Vec<CountRecord>,
    findings: Vec<FindingRecord>,
    /// The command that makes a solid of the mesh, where it is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

#[derive(Serialize)]
struct PartRecord<'a> {
    name: &'a str,
    faces: usize,
}

#[derive(Serialize)]
pub(crate) struct CountRecord {
    pub(crate) kind: &'static str,
    pub(crate) severity: String,
    pub(crate) count: usize,
}

#[derive(Serialize)]
pub(crate) struct FindingRecord {
    pub(crate) kind: &'static str,
    pub(crate) severity: String,
    pub(crate) text: String,
    /// The file's polygon, where the finding is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) polygon: Option<u32>,
    pub(crate) faces: Vec<u32>,
    pub(crate) vertices: Vec<u32>,
    pub(crate) point: Option<[f64; 3]>,
}

/// Looks at every source; a bad one does not stop the others.
pub(crate) fn run(args: &InfoArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let mut answer = ExitAnswer::No;
    for (number, source) in args.sources.iter().enumerate() {
        if number > 0 {
            out.line("")?;
        }
        let png = args
            .png
            .as_deref()
            .map(|path| numbered(path, number, args.sources.len()));
        match look(source, png.as_deref(), args, out) {
            Ok(ExitAnswer::Yes) if answer == ExitAnswer::No => answer = ExitAnswer::Yes,
            Ok(_) => {}
            Err(error) => {
                out.failure(Some(&source.to_string()), &error);
                answer = ExitAnswer::Failed;
            }
        }
    }
    Ok(answer)
}

fn look(
    source: &ModelSource,
    png: Option<&Path>,
    args: &InfoArgs,
    out: &mut Output,
) -> anyhow::Result<ExitAnswer> {
    let loaded = source.load_with(&args.reading, true)?;
    let (mesh, welded) = loaded.connected();
    let survey = MeshSummary::of(&mesh);
    let progress = Progress::new("looking for self-intersections", out.is_quiet());
    let complete = Cell::new(true);
    let search = |_: &TriMesh| {
        let found = self_intersection::find(&mesh, &progress);
        complete.set(found.complete);
        found.pairs
    };
    let listed_per_kind = match (args.all, png) {
        (true, _) => usize::MAX,
        (false, Some(_)) => DRAWN,
        (false, None) => RECORDED,
    };
    let options = FindingOptions {
        listed_per_kind,
        self_intersections: Some(&search),
        ..FindingOptions::default()
    };
    let found = findings_with(&mesh, &options);
    let recorded = if args.all { usize::MAX } else { RECORDED };
    drop(progress);
    if let Some(path) = png {
        let mut scene = picture::finding_scene(&mesh, &found.listed);
        scene.up = args.up;
        picture::save(&scene, path)?;
    }

    let polygons = PolygonFindings::new(&loaded.model.polygon_findings, recorded);
    let [errors, warnings] = [Severity::Error, Severity::Warning]
        .map(|severity| total(&found, severity) + polygons.total(severity));
    let advice = (total(&found, Severity::Error) > 0)
        .then(|| repair_report::advice(&mesh, &found, &source.to_string()))
        .flatten();
    out.record(&Record {
        file: source.to_string(),
        parts: loaded
            .model
            .parts
            .iter()
            .map(|part| PartRecord {
                name: &part.name,
                faces: part.mesh.face_count(),
            })
            .collect(),
        unit: loaded.model.unit.map(|unit| unit.symbol()),
        notes: &loaded.model.notes,
        welded,
        survey: &survey,
        self_intersections_complete: complete.get(),
        errors,
        warnings,
        counts: counts(&found).chain(polygons.counts()).collect(),
        findings: first_of_each_kind(&found.listed, recorded)
            .map(|finding| record(finding, &mesh))
            .chain(polygons.records(&loaded.mesh))
            .collect(),
        advice: advice.clone(),
    })?;

    out.line(source)?;
    let mut facts = file_facts(&loaded, welded);
    facts.extend(survey.facts());
    facts.push(("findings", finding_words([errors, warnings])));
    out.facts(&facts)?;
    let shown = if args.all { usize::MAX } else { SHOWN };
    print_findings(&found, &mesh, shown, out)?;
    polygons.print(&loaded.mesh, shown, out)?;
    if !complete.get() {
        out.line(format_args!(
            "    note: {}",
            self_intersection::NOT_FULLY_CHECKED
        ))?;
    }
    if let Some(advice) = advice {
        out.line(format_args!("    help: {advice}"))?;
    }
    out.wrote(png)?;
    Ok(if [errors, warnings] == [0, 0] {
        ExitAnswer::No
    } else {
        ExitAnswer::Yes
    })
}

fn file_facts(loaded: &Loaded, welded: bool) -> Vec<(&'static str, String)> {
    let model = &loaded.model;
    let mut facts = Vec::new();
    if model.parts.len() > 1 {
        let names: Vec<&str> = model
            .parts
            .iter()
            .map(|part| part.name.as_str())
            .filter(|name| !name.is_empty())
            .take(8)
            .collect();
        let mut text = number::count(model.parts.len());
        if !names.is_empty() {
            text += &format!(": {}", names.join(", "));
            if names.len() < model.parts.len() {
                text += ", …";
            }
        }
        facts.push(("parts", text));
    }
    if let Some(unit) = model.unit {
        facts.push(("unit", unit.to_string()));
    }
    facts.extend(model.notes.iter().map(|note| ("note", note.clone())));
    if welded {
        facts.push((
            "note",
            "the file shares no vertices; those in the same place are taken as one".to_owned(),
        ));
    }
    facts
}

fn finding_words([errors, warnings]: [usize; 2]) -> String {
    let words: Vec<String> = [
        (errors, number::count_of(errors, "error", "errors")),
        (warnings, number::count_of(warnings, "warning", "warnings")),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(_, words)| words)
    .collect();
    if words.is_empty() {
        "no errors, no warnings".to_owned()
    } else {
        words.join(", ")
    }
}

fn total(found: &Findings, severity: Severity) -> usize {
    found
        .counts()
        .iter()
        .filter(|(kind, _)| kind.severity() == severity)
        .map(|(_, count)| count)
        .sum()
}

fn counts(found: &Findings) -> impl Iterator<Item = CountRecord> + '_ {
    found.counts().iter().map(|&(kind, count)| CountRecord {
        kind: kind.name(),
        severity: kind.severity().to_string(),
        count,
    })
}

fn record(finding: &Finding, mesh: &TriMesh) -> FindingRecord {
    FindingRecord {
        kind: finding.kind.name(),
        severity: finding.severity.to_string(),
        text: finding.to_string(),
        polygon: None,
        faces: faces_of(&finding.place).iter().map(|f| f.raw()).collect(),
        vertices: vertices_of(&finding.place)
            .iter()
            .map(|v| v.raw())
            .collect(),
        point: point_of(&finding.place, mesh).map(|p| p.to_array()),
    }
}

/// The first `limit` findings of each kind; kinds come one after the other.
fn first_of_each_kind(listed: &[Finding], limit: usize) -> impl Iterator<Item = &Finding> {
    listed
        .chunk_by(|one, other| one.kind == other.kind)
        .flat_map(move |kind| kind.iter().take(limit))
}

fn print_findings(
    found: &Findings,
    mesh: &TriMesh,
    shown: usize,
    out: &mut Output,
) -> anyhow::Result<()> {
    for &(kind, count) in found.counts() {
        // Notes are about what is as it should be: one of a kind is enough.
        let shown = match kind.severity() {
            Severity::Note if shown == SHOWN => 1,
            _ => shown,
        };
        let listed = |kind: FindingKind| found.listed.iter().filter(move |f| f.kind == kind);
        for finding in listed(kind).take(shown) {
            match point_of(&finding.place, mesh) {
                Some(p) => out.line(format_args!("    {finding} near {}", number::point(p)))?,
                None => out.line(format_args!("    {finding}"))?,
            }
        }
        if count > shown {
            out.line(format_args!(
                "    {}: {} more of kind {kind} (--all lists them)",
                kind.severity(),
                number::count(count - shown)
            ))?;
        }
    }
    Ok(())
}

/// The picture's name; of several, each gets its number before the extension.
fn numbered(path: &Path, number: usize, of: usize) -> PathBuf {
    if of == 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut name = format!("{stem}-{}", number + 1);
    if let Some(extension) = path.extension() {
        name += &format!(".{}", extension.to_string_lossy());
    }
    path.with_file_name(name)
}
