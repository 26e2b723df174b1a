//! `impinge` without arguments: every query once, on built-in models.

use std::env;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use impinge::spheres::{MeshSolid, PackOptions, Packing, pack_with};
use impinge::{DVec3, Mesh, Pose, TriMesh, generate};
use serde::Serialize;

use crate::args::TourArgs;
use crate::mesh_summary::MeshSummary;
use crate::output::Output;
use crate::progress::Progress;
use crate::query::{
    Answers, EngineArg, Indexes, LengthText, QueryKind, QueryMix, QueryRunner, Settings,
    SolidIndexes, SolidTrees, choose_engine, milliseconds_since,
};
use crate::render::Scene;
use crate::{ExitAnswer, number, pack, picture};

const FILE_NAME: &str = "impinge-tour.png";
const BALLS_FILE_NAME: &str = "impinge-tour-balls.png";
/// Balls put into the knot.
const BALLS: usize = 3000;
const TOWARDS_VIEWER: DVec3 = DVec3::new(0.45, -1.0, 0.7);

/// How far above the gear the knot begins to fall.
const HEIGHT: f64 = 5.0;

/// A lower and an upper bound.
type Bracket = [f64; 2];

#[derive(Serialize)]
struct Record {
    intersects: bool,
    face_pairs: usize,
    curves: usize,
    /// The penetration depth.
    depth: Bracket,
    /// The distance between the models while the second is above the first.
    distance: f64,
    /// The time of impact on the way down.
    impact: Bracket,
    /// The overlap volume.
    volume: Bracket,
    /// Balls in the second model, and the part of its volume that they fill.
    balls: usize,
    fill: f64,
    a: MeshSummary,
    b: MeshSummary,
    picture: String,
    picture_of_balls: String,
    milliseconds: f64,
}

/// Shows what the program does.
pub(crate) fn run(args: &TourArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let started = Instant::now();
    out.line(format_args!(
        "impinge {}: exact collision detection, a short tour\n",
        env!("CARGO_PKG_VERSION")
    ))?;

    let a = Mesh::from(gear()?);
    let b = Mesh::from(knot()?);
    let summary = |mesh: &Mesh| MeshSummary::of(mesh.tri_mesh());
    let (survey_a, survey_b) = (summary(&a), summary(&b));
    out.line("Two models")?;
    out.facts(&[
        ("gear", survey_a.sentence()),
        ("torus-knot", survey_b.sentence()),
    ])?;

    // The knot stands in the gear's bore and cuts through its rim.
    let inside = Pose::from_axis_angle([1.0, 0.0, 0.0], 1.2, [2.1, 0.0, 0.7])?;
    let above = Pose::from_axis_angle([1.0, 0.0, 0.0], 0.4, [2.1, 0.0, 0.7 + HEIGHT])?;
    let choice = choose_engine(
        EngineArg::Auto,
        [a.tri_mesh(), b.tri_mesh()],
        QueryMix {
            distances: true,
            many: true,
        },
    );
    let indexes = || Indexes::new(choice.clone(), [a.clone(), b.clone()], true);

    let first = indexes();
    let index_ms = first.milliseconds;
    let trees = SolidTrees::of(first.meshes.clone());
    let overlapping = Settings {
        asked: vec![
            QueryKind::Pairs,
            QueryKind::Curves,
            QueryKind::Depth,
            QueryKind::Volume,
        ],
        is_default: false,
        keeps_pairs: true,
        ..Settings::default()
    };
    let solids = SolidIndexes::new(&trees, &overlapping, ["gear", "torus-knot"])?;
    let mut inquiry = QueryRunner::new(&overlapping, first, Some(solids), out.is_quiet());
    let met = inquiry.ask(&inside)?;
    let falling = Settings {
        asked: vec![QueryKind::Distance, QueryKind::Impact],
        is_default: false,
        end: Some(inside),
        ..Settings::default()
    };
    let mut inquiry = QueryRunner::new(&falling, indexes(), None, out.is_quiet());
    let fell = inquiry.ask(&above)?;

    let pairs = met.kept_pairs().unwrap_or_default();
    let curves = met.curves.as_ref().map_or(0, |met| met.curves.len());
    let depth = met.depth.as_ref().map(|depth| &depth.escape);
    let depth = depth.map_or([0.0, f64::INFINITY], |depth| [depth.lower, depth.upper]);
    let words = LengthText { unit: None };
    out.line("\nThe knot stands in the gear")?;
    out.facts(&facts(words, &overlapping, &met))?;
    out.line("\nThe knot hangs above the gear and falls, turning")?;
    out.facts(&facts(words, &falling, &fell))?;
    out.line(format_args!(
        "  {} box tests and {} exact face tests in {}, indexes built in {}",
        number::count((met.work().volume_tests + fell.work().volume_tests) as usize),
        number::count((met.work().face_tests + fell.work().face_tests) as usize),
        number::duration(met.milliseconds() + fell.milliseconds()),
        number::duration(index_ms),
    ))?;

    let packing = filled(&b, out)?;
    out.line("\nThe knot is filled with balls")?;
    out.facts(&[(
        "balls",
        format!(
            "{}, disjoint, {:.0} % of its volume",
            number::count(packing.balls.len()),
            100.0 * packing.fill()
        ),
    )])?;

    let placed_b = b.tri_mesh().placed(&inside)?;
    let mut scene = picture::pair_scene(a.tri_mesh(), &placed_b, pairs);
    scene.towards_viewer = Some(TOWARDS_VIEWER);
    let path = save(&scene, args.output.as_deref(), FILE_NAME)?;
    let shapes = pack::shapes(&packing.balls)?;
    let mut scene = pack::scene(&shapes);
    scene.towards_viewer = Some(TOWARDS_VIEWER);
    let beside = args.output.as_deref().map(beside);
    let balls_path = save(&scene, beside.as_deref(), BALLS_FILE_NAME)?;
    out.line("\nPictures")?;
    out.facts(&[
        (
            "both",
            format!(
                "{}: faces that meet in amber, their curve in red",
                path.display()
            ),
        ),
        ("balls", balls_path.display().to_string()),
    ])?;
    out.line(format_args!(
        "\nTry next\n  \
         {0} query model:torus-knot model:blob --ask curves,depth --png both.png\n  \
         {0} info YOUR.stl --png findings.png\n  \
         {0} generate --list",
        how_it_was_started()
    ))?;
    let impact = fell.impact.as_ref().map(|impact| &impact.found);
    out.record(&Record {
        intersects: !pairs.is_empty(),
        face_pairs: pairs.len(),
        curves,
        depth,
        distance: fell
            .distance
            .as_ref()
            .and_then(|found| found.distance)
            .unwrap_or(f64::INFINITY),
        impact: impact.map_or([0.0, 1.0], |found| [found.lower, found.upper]),
        volume: met
            .volume
            .as_ref()
            .map_or([0.0, f64::INFINITY], |found| [found.lower, found.upper]),
        balls: packing.balls.len(),
        fill: packing.fill(),
        a: survey_a,
        b: survey_b,
        picture: path.display().to_string(),
        picture_of_balls: balls_path.display().to_string(),
        milliseconds: milliseconds_since(started),
    })?;
    Ok(ExitAnswer::No)
}

/// The first line of each answer.
fn facts(words: LengthText, settings: &Settings, answers: &Answers) -> Vec<(&'static str, String)> {
    let first = |&question: &QueryKind| {
        let lines = words.answer(question, answers, None);
        (
            question.name(),
            lines.into_iter().next().unwrap_or_default(),
        )
    };
    settings.asked.iter().map(first).collect()
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

/// Balls in a mesh, with progress.
fn filled(mesh: &Mesh, out: &Output) -> anyhow::Result<Packing> {
    let options = PackOptions {
        count: Some(BALLS),
        ..PackOptions::default()
    };
    let bar = Progress::counted("packing", BALLS, out.is_quiet());
    Ok(pack_with(
        &MeshSolid::new(mesh.index())?,
        &options,
        &mut |now| {
            bar.done(now.count);
            ControlFlow::Continue(())
        },
    )?)
}

/// The second picture's name beside the first's.
fn beside(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}-balls.png"))
}

/// Writes the picture where it was wanted, else into the current folder (into cargo's `target` when
/// that is there, so as not to litter a working copy), else where temporary files go.
fn save(scene: &Scene<'_>, wanted: Option<&Path>, name: &str) -> anyhow::Result<PathBuf> {
    let image = picture::drawn(scene);
    if let Some(path) = wanted {
        image
            .save(path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        return Ok(path.to_owned());
    }
    let here = if Path::new("target/CACHEDIR.TAG").exists() {
        Path::new("target").join(name)
    } else {
        PathBuf::from(name)
    };
    if image.save(&here).is_ok() {
        return Ok(here);
    }
    let elsewhere = env::temp_dir().join(name);
    image
        .save(&elsewhere)
        .with_context(|| format!("cannot write {}", elsewhere.display()))?;
    Ok(elsewhere)
}
