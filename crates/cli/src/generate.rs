//! `impinge generate`: built-in models.

use anyhow::{Context, bail};
use impinge::generate::MODELS;
use impinge::io::WriteOptions;
use serde::Serialize;

use crate::args::GenerateArgs;
use crate::output::Output;
use crate::{ExitAnswer, atomic_file, model_source, number};

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    description: &'static str,
    closed: bool,
    seeded: bool,
    default_faces: usize,
}

#[derive(Serialize)]
struct Written<'a> {
    model: &'a str,
    file: String,
    vertices: usize,
    faces: usize,
    seed: u64,
}

/// Writes a model, or lists them.
pub(crate) fn run(args: &GenerateArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    if args.list {
        return list(out);
    }
    let (Some(name), Some(path)) = (&args.name, &args.output) else {
        bail!("give a model and a file: impinge generate NAME -o FILE");
    };
    let model = model_source::make(name, args.faces, args.seed)?;
    let vertices = model
        .parts
        .iter()
        .map(|part| part.mesh.vertex_count())
        .sum();
    let faces = model.face_count();
    atomic_file::write_model(path, &model, &WriteOptions::default())
        .with_context(|| format!("model {name} was not written"))?;
    out.record(&Written {
        model: name,
        file: path.display().to_string(),
        vertices,
        faces,
        seed: args.seed,
    })?;
    out.line(format_args!(
        "wrote {} with {} and {}",
        path.display(),
        number::count_of(vertices, "vertex", "vertices"),
        number::count_of(faces, "face", "faces"),
    ))?;
    Ok(ExitAnswer::No)
}

fn list(out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let width = MODELS.iter().map(|kind| kind.name.len()).max().unwrap_or(0);
    for kind in MODELS {
        out.record(&Listed {
            name: kind.name,
            description: kind.about,
            closed: kind.closed,
            seeded: kind.seeded,
            default_faces: kind.default_faces,
        })?;
        out.line(format_args!("{:<width$}  {}", kind.name, kind.about))?;
    }
    Ok(ExitAnswer::No)
}
