//! `impinge convert`: other formats, scales and repairs.

use anyhow::{Context, bail};
use impinge::TriMesh;
use impinge::io::{Model, WriteOptions};
use impinge::mesh::repair::{
    FillOptions, Nesting, Repaired, drop_degenerate, fill_holes, reorient, weld,
};
use serde::Serialize;

use crate::args::ConvertArgs;
use crate::did_you_mean::did_you_mean;
use crate::output::Output;
use crate::{ExitAnswer, atomic_file, number};

#[derive(Serialize)]
struct Record {
    input: String,
    output: String,
    parts: usize,
    vertices: usize,
    faces: usize,
    repairs: Vec<String>,
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
    let repairs = repair(args, &mut model).with_context(|| args.input.to_string())?;
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

/// Does what was asked for, part by part, and says what it did.
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
        part.mesh = latest(&steps);
        // Faces are no longer those of the file.
        part.polygons = None;
        part.numbers = None;
    }
    model.loose_vertices.clear();
    Ok(done)
}
