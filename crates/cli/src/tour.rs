//! `impinge` alone: everything once, on built-in models.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use impinge::bvh::engines::MeshEngine;
use impinge::{DVec3, Pose, TriMesh, generate};
use serde::Serialize;

use crate::args::TourArgs;
use crate::intersection::{self, milliseconds_since};
use crate::output::Output;
use crate::progress::Progress;
use crate::survey::Survey;
use crate::{Answer, number, picture};

const FILE_NAME: &str = "impinge-tour.png";
const TOWARDS_VIEWER: DVec3 = DVec3::new(0.45, -1.0, 0.7);

#[derive(Serialize)]
struct Record {
    intersects: bool,
    face_pairs: usize,
    a: Survey,
    b: Survey,
    picture: String,
    milliseconds: f64,
}

/// Shows what the program does.
pub(crate) fn run(args: &TourArgs, out: &mut Output) -> anyhow::Result<Answer> {
    let started = Instant::now();
    out.line(format_args!(
        "impinge {}: exact collision detection, a short tour\n",
        env!("CARGO_PKG_VERSION")
    ))?;

    let a = Arc::new(gear()?);
    let b = Arc::new(knot()?);
    // The knot stands in the gear's bore and cuts through its rim.
    let a_from_b = Pose::from_axis_angle([1.0, 0.0, 0.0], 1.2, [2.1, 0.0, 0.7])?;
    let placed_b = b.placed(&a_from_b)?;
    let (survey_a, survey_b) = (Survey::of(&a), Survey::of(&b));
    out.line("Two models")?;
    out.facts(&[
        ("gear", survey_a.sentence()),
        ("torus-knot", survey_b.sentence()),
    ])?;

    let found = intersection::intersect(
        MeshEngine::WideTree,
        &a,
        &b,
        &a_from_b,
        None,
        true,
        &Progress::new("intersecting", out.is_quiet()),
    );
    out.line("\nDo they intersect?")?;
    out.facts(&[
        (
            "answer",
            format!(
                "{}: {}",
                if found.pairs.is_empty() { "no" } else { "yes" },
                number::count_of(found.pairs.len(), "face pair", "face pairs"),
            ),
        ),
        (
            "work",
            format!(
                "{} box tests, {} exact face tests, {}",
                number::count(found.work.volume_tests as usize),
                number::count(found.work.face_tests as usize),
                number::duration(found.index_ms + found.search_ms),
            ),
        ),
    ])?;

    let mut scene = picture::pair_scene(&a, &placed_b, &found.pairs);
    scene.towards_viewer = Some(TOWARDS_VIEWER);
    let path = save(&scene, args.output.as_deref())?;
    out.line("\nPicture")?;
    out.facts(&[
        ("file", path.display().to_string()),
        (
            "shows",
            "both models, intersecting faces in amber, their common curve in red".to_owned(),
        ),
    ])?;
    out.line(format_args!(
        "\nTry next\n  \
         {0} query model:torus-knot model:blob --pairs pairs.csv --png both.png\n  \
         {0} info YOUR.stl --png findings.png\n  \
         {0} generate --list",
        how_it_was_started()
    ))?;
    out.record(&Record {
        intersects: !found.pairs.is_empty(),
        face_pairs: found.pairs.len(),
        a: survey_a,
        b: survey_b,
        picture: path.display().to_string(),
        milliseconds: milliseconds_since(started),
    })?;
    Ok(Answer::No)
}

/// The words that start this program again: through cargo, when that is how it was started.
fn how_it_was_started() -> &'static str {
    if std::env::var_os("CARGO").is_some() {
        "cargo run --release --"
    } else {
        "impinge"
    }
}

fn gear() -> anyhow::Result<TriMesh> {
    let (mut positions, faces) = generate::gear(30, 4, 0.42, 0.42)?.into_parts();
    for p in &mut positions {
        *p *= 10.0 / 3.0;
    }
    Ok(TriMesh::new(positions, faces)?)
}

fn knot() -> anyhow::Result<TriMesh> {
    Ok(generate::torus_knot(2, 3, 0.4, 240, 20)?)
}

/// Writes the picture where it was wanted, else into the current folder (into cargo's `target` when
/// that is there, so as not to litter a working copy), else where temporary files go.
fn save(scene: &crate::render::Scene<'_>, wanted: Option<&Path>) -> anyhow::Result<PathBuf> {
    let image = picture::drawn(scene);
    if let Some(path) = wanted {
        image
            .save(path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        return Ok(path.to_owned());
    }
    let here = if Path::new("target/CACHEDIR.TAG").exists() {
        Path::new("target").join(FILE_NAME)
    } else {
        PathBuf::from(FILE_NAME)
    };
    if image.save(&here).is_ok() {
        return Ok(here);
    }
    let elsewhere = env::temp_dir().join(FILE_NAME);
    image
        .save(&elsewhere)
        .with_context(|| format!("cannot write {}", elsewhere.display()))?;
    Ok(elsewhere)
}
