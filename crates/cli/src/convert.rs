//! `impinge convert`: other formats, scales and repairs.

use std::sync::Arc;

use anyhow::{Context, bail};
use impinge::TriMesh;
use impinge::bvh::wide::WideTree;
use impinge::io::{Format, Model, Part, WriteOptions};
use impinge::mesh::repair::{
    FillOptions, Nesting, RepairCounts, RepairOptions, Repaired, drop_degenerate, fill_holes,
    reorient, repair_all, weld,
};
use impinge::wrap::{WrapOptions, wrap};
use serde::Serialize;

use crate::args::ConvertArgs;
use crate::did_you_mean::did_you_mean;
use crate::output::Output;
use crate::repair_report::RepairReport;
use crate::{ExitAnswer, atomic_file, number, progress};

#[derive(Serialize)]
struct Record {
    input: String,
    output: String,
    parts: usize,
    vertices: usize,
    faces: usize,
    repairs: Vec<String>,
    /// What --repair could not repair, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_repaired: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wrap: Option<WrapRecord>,
}

/// What is proven about the wrap.
#[derive(Serialize)]
struct WrapRecord {
    /// The requested offset.
    offset: f64,
    /// The width of gaps that are closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<f64>,
    /// No point of the wrap is nearer to the input than this.
    nearest: f64,
    /// No point of the wrap is farther from the input than this, closed gaps aside.
    farthest: f64,
}

/// Writes the mesh anew.
pub(crate) fn run(args: &ConvertArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let mut model = args.input.load(&args.reading)?.model;
    for note in &model.notes {
        out.remark(format_args!("{}: {note}", args.input));
    }
    if let Some(name) = &args.part {
        keep_part(&mut model, name).with_context(|| args.input.to_string())?;
    }
    let mut not_repaired = Vec::new();
    let mut repairs = if args.repair {
        let report = repair_everything(args, &mut model, out)?;
        let sentence = report.sentence();
        not_repaired = report.left;
        vec![sentence]
    } else {
        repair(args, &mut model).with_context(|| args.input.to_string())?
    };
    let wrap = match args.wrap {
        Some(_) => {
            let (sentence, record) =
                wrap_all(args, &mut model).with_context(|| args.input.to_string())?;
            repairs.push(sentence);
            warn_of_rounding(args, &model, out);
            Some(record)
        }
        None => None,
    };
    let options = WriteOptions {
        ascii: args.ascii,
        ..WriteOptions::default()
    };
    atomic_file::write_model(&args.output, &model, &options)?;
    let record = Record {
        input: args.input.to_string(),
        output: args.output.display().to_string(),
        parts: model.parts.len(),
        vertices: model.merged().0.vertex_count(),
        faces: model.face_count(),
        repairs,
        not_repaired,
        wrap,
    };
    out.record(&record)?;
    out.line(format_args!(
        "wrote {} with {} and {}",
        record.output,
        number::count_of(record.vertices, "vertex", "vertices"),
        number::count_of(record.faces, "face", "faces"),
    ))?;
    for repair in &record.repairs {
        out.line(format_args!("  {repair}"))?;
    }
    Ok(ExitAnswer::No)
}

fn keep_part(model: &mut Model, name: &str) -> anyhow::Result<()> {
    let names: Vec<String> = model.parts.iter().map(|part| part.name.clone()).collect();
    model.parts.retain(|part| part.name == name);
    if !model.parts.is_empty() {
        model.loose_vertices.clear();
        return Ok(());
    }
    match did_you_mean(name, names.iter().map(String::as_str)) {
        Some(near) => bail!("there is no part '{name}'; did you mean '{near}'?"),
        None if names.iter().all(String::is_empty) => bail!("the parts of this file have no names"),
        None => bail!("there is no part '{name}'; there are: {}", names.join(", ")),
    }
}

/// Does what was requested, part by part, and reports what it did.
fn repair(args: &ConvertArgs, model: &mut Model) -> anyhow::Result<Vec<String>> {
    let mut done = Vec::new();
    let several = model.parts.len() > 1;
    for part in &mut model.parts {
        let mut steps: Vec<(&str, Repaired)> = Vec::new();
        let latest = |steps: &[(&str, Repaired)]| -> TriMesh {
            match steps.last() {
                Some((_, repaired)) => repaired.mesh.clone(),
                None => part.mesh.clone(),
            }
        };
        if let Some(tolerance) = args.weld {
            steps.push(("weld", weld(&latest(&steps), tolerance)?));
            // Joined corners leave faces that are none.
            steps.push(("collapsed faces", drop_degenerate(&latest(&steps))));
        }
        if args.reorient {
            let turned = reorient(&latest(&steps), Nesting::AllOutward);
            steps.push(("reorient", turned));
        }
        if let Some(max_edges) = args.fill_holes {
            let filled = fill_holes(&latest(&steps), &FillOptions { max_edges });
            steps.push(("fill holes", filled));
        }
        if steps.is_empty() {
            return Ok(done);
        }
        let place = if several {
            format!("part '{}', ", part.name)
        } else {
            String::new()
        };
        done.extend(
            steps
                .iter()
                .filter(|(name, step)| *name != "collapsed faces" || !step.changes.is_none())
                .map(|(name, step)| format!("{place}{name}: {}", step.changes)),
        );
        replace(part, latest(&steps));
    }
    model.loose_vertices.clear();
    Ok(done)
}

/// Runs every repair on every part, and says what was done and what was not.
fn repair_everything(
    args: &ConvertArgs,
    model: &mut Model,
    out: &Output,
) -> anyhow::Result<RepairReport> {
    let fill = args
        .fill_holes
        .map_or_else(FillOptions::default, |max_edges| FillOptions { max_edges });
    let options = RepairOptions {
        weld: Some(args.weld.unwrap_or_default()),
        fill: Some(fill),
        ..RepairOptions::default()
    };
    let mut changes = RepairCounts::default();
    for part in &mut model.parts {
        let repaired = repair_all(&part.mesh, &options).with_context(|| args.input.to_string())?;
        changes += repaired.changes;
        replace(part, repaired.mesh);
    }
    changes.vertices_dropped += model.loose_vertices.len();
    model.loose_vertices.clear();
    let (merged, _) = model.merged();
    Ok(RepairReport::new(
        &Arc::new(merged),
        &changes,
        fill.max_edges,
        out.is_quiet(),
    ))
}

/// Makes one part of all: a closed surface around them.
fn wrap_all(args: &ConvertArgs, model: &mut Model) -> anyhow::Result<(String, WrapRecord)> {
    let (mesh, _) = model.merged();
    let offset = args.wrap.map_or(0.0, |length| length.of(&mesh));
    let gap = args.gap.map(|length| length.of(&mesh));
    let options = WrapOptions {
        gap: gap.unwrap_or_default(),
        ..WrapOptions::new(offset)
    };
    let wrapped = progress::during("wrapping", || {
        wrap(&WideTree::new(Arc::new(mesh)), &options)
    })?;
    let name = match &model.parts[..] {
        [only] => only.name.clone(),
        _ => String::new(),
    };
    model.parts = vec![Part::new(name, wrapped.mesh)];
    model.loose_vertices.clear();
    let mut sentence = format!(
        "wrapped: a closed surface facing outward that contains the input and is between {} and {} away from it",
        number::measure(wrapped.nearest),
        number::measure(wrapped.farthest),
    );
    sentence += &match gap {
        Some(gap) => format!(
            ", farther where it closes a gap of up to {}",
            number::measure(gap)
        ),
        None => "; wider gaps stay open unless --gap closes them".to_owned(),
    };
    let record = WrapRecord {
        offset,
        gap,
        nearest: wrapped.nearest,
        farthest: wrapped.farthest,
    };
    Ok((sentence, record))
}

/// A wrap far from the origin may lose what is proven about it when its coordinates lose bits.
fn warn_of_rounding(args: &ConvertArgs, model: &Model, out: &Output) {
    let is_single = match Format::from_path(&args.output) {
        Some(Format::Stl) => !args.ascii,
        Some(Format::Glb) => true,
        _ => false,
    };
    let is_exact = |x: f64| f64::from(x as f32).total_cmp(&x).is_eq();
    let mut positions = model.parts.iter().flat_map(|part| part.mesh.positions());
    if is_single && !positions.all(|p| p.to_array().into_iter().all(is_exact)) {
        out.remark(format_args!(
            "{}: this format rounds coordinates to 32 bits, which may let faces of the wrap cross; .ply, .obj and \
             .off keep them",
            args.output.display()
        ));
    }
}

fn replace(part: &mut Part, mesh: TriMesh) {
    part.mesh = mesh;
    // Faces are no longer those of the file.
    part.polygons = None;
    part.numbers = None;
}
