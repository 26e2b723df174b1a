//! `impinge sculpt`: shapes clay by a script of strokes.

mod script;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use impinge::TriMesh;
use impinge::io::WriteOptions;
use impinge::prelude::Mesh;
use impinge_dynamics::sculpt::{Clay, Sculptor, StrokeReport, Tool};
use serde::Serialize;

use self::script::{SCRIPTS, SculptScript};
use crate::args::png_path;
use crate::number::{count, duration, measure};
use crate::output::Output;
use crate::progress::Progress;
use crate::render::{Body, Colour, Scene};
use crate::{ExitAnswer, atomic_file, picture};

/// What `impinge sculpt --help` ends with.
pub(crate) const SCULPT_HELP: &str = "\
SCRIPT is a JSON file or a built-in script: vase, torus. `impinge sculpt --list` tells what they show.

  impinge sculpt -o vase.glb --png vase.png        # without a script: the vase
  impinge sculpt dents.json -o dents.stl

A script names a pot (ball, torus, cylinder, tetra-flake, hyperboloid) or a closed mesh, a tool (fingertip, five-fingertips,
forefinger, whole-hand) and a list of strokes:
  {\"pot\": \"ball\", \"polygons\": 5000, \"tool\": \"fingertip\", \"size\": 1,
   \"strokes\": [{\"from\": [0, 0, 1.3], \"to\": [0, 0, 0.7]}, {\"from\": [1.3, 0, 0], \"to\": [0.8, 0, 0], \"around\": 6}]}
Also: operator (press, drag, plain), vicinity, step, mode (serial, parallel, concurrent), keep_volume, no_crumpling, guard,
repair (passes), split (edge in radii of the tool), each for all strokes or for one; and of a stroke aim, frames, turns (of the
wheel) and around (copies).
Exit codes: 0 done, 2 error.";

/// Clay, as it comes from the pit.
const TERRACOTTA: Colour = Colour::hex(0xb9714a);

/// `impinge sculpt`
#[derive(Debug, Args)]
pub(crate) struct SculptArgs {
    /// A script file or the name of a built-in script [default: vase]
    pub(crate) script: Option<PathBuf>,

    /// File for the shaped clay: .obj, .stl, .ply, .off or .glb, each also .gz
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// Draw the clay and the tool to a .png file
    #[arg(long, value_name = "OUT", value_parser = png_path)]
    pub(crate) png: Option<PathBuf>,

    /// List the built-in scripts
    #[arg(long, conflicts_with_all = ["script", "output", "png"])]
    pub(crate) list: bool,
}

/// What a script did, for programs.
#[derive(Debug, Serialize)]
struct Summary {
    script: String,
    pot: String,
    faces_before: usize,
    faces: usize,
    vertices: usize,
    strokes: usize,
    frames: usize,
    hits: usize,
    vertices_moved: usize,
    splits: usize,
    frames_reduced: usize,
    frames_refused: usize,
    volume_before: f64,
    volume: f64,
    euler_number: i64,
    self_intersections: usize,
    frame_median_us: f64,
    frame_largest_us: f64,
}

/// Runs a script.
pub(crate) fn run(args: &SculptArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    if args.list {
        for (name, about, _) in SCRIPTS {
            out.line(format_args!("  {name:<6}  {about}"))?;
            out.record(&serde_json::json!({ "script": name, "about": about }))?;
        }
        return Ok(ExitAnswer::No);
    }
    let name = args.script.clone().unwrap_or_else(|| SCRIPTS[0].0.into());
    let script = SculptScript::open(&name)?;
    let (sculptor, summary) = shaped(&script, out.is_quiet())?;
    let mesh = sculptor.clay().mesh();
    if let Some(path) = &args.output {
        let model = mesh.clone().into();
        atomic_file::write_model(path, &model, &WriteOptions::default())
            .context("the clay was not written")?;
    }
    if let Some(path) = &args.png {
        draw(&script, &mesh, sculptor.tool(), path)?;
    }
    out.record(&summary)?;
    tell(&summary, out)?;
    out.wrote([&args.output, &args.png].into_iter().flatten())?;
    Ok(ExitAnswer::No)
}

/// The clay after all strokes.
fn shaped(script: &SculptScript, is_quiet: bool) -> anyhow::Result<(Sculptor, Summary)> {
    let clay = Clay::new(&script.mesh).with_context(|| format!("the clay {}", script.pot))?;
    let (volume_before, faces_before) = (clay.volume(), clay.faces().len());
    let first = script
        .strokes
        .first()
        .context("a script without strokes")?
        .setting;
    let tool = Tool::new(first.kind, first.size)?;
    let mut sculptor = Sculptor::new(clay, tool, first.options)?;
    // Nobody undoes a script.
    sculptor.clay_mut().keep_strokes(0);
    let progress = Progress::counted("strokes", script.strokes.len(), is_quiet);
    let mut report = StrokeReport::default();
    let mut times = Vec::new();
    for (index, line) in script.strokes.iter().enumerate() {
        if line.is_new_setting {
            let setting = line.setting;
            sculptor.set_tool(Tool::new(setting.kind, setting.size)?);
            let taken = sculptor.set_options(setting.options);
            taken.with_context(|| format!("stroke {index}"))?;
        }
        sculptor.begin_stroke();
        for frame in 0..line.stroke.frames() {
            let (tool, pot) = line.stroke.at(frame);
            sculptor.set_pose(&pot);
            let start = Instant::now();
            let frame = sculptor.frame(&tool);
            times.push(start.elapsed().as_secs_f64() * 1e6);
            report.add(&frame);
        }
        progress.done(index + 1);
    }
    times.sort_by(f64::total_cmp);
    let mesh = sculptor.clay().mesh();
    let summary = Summary {
        script: script.name.clone(),
        pot: script.pot.clone(),
        faces_before,
        faces: mesh.face_count(),
        vertices: mesh.vertex_count(),
        strokes: script.strokes.len(),
        frames: report.frames,
        hits: report.hits,
        vertices_moved: report.moved,
        splits: report.splits,
        frames_reduced: report.reduced,
        frames_refused: report.refused,
        volume_before,
        volume: sculptor.clay().volume(),
        euler_number: sculptor.clay().euler_number(),
        self_intersections: Mesh::from(mesh.clone()).self_intersections().len(),
        frame_median_us: times.get(times.len() / 2).copied().unwrap_or(0.0),
        frame_largest_us: times.last().copied().unwrap_or(0.0),
    };
    Ok((sculptor, summary))
}

fn tell(summary: &Summary, out: &mut Output) -> anyhow::Result<()> {
    out.line(format_args!("{}: {}", summary.script, summary.pot))?;
    let change = (summary.volume / summary.volume_before - 1.0) * 100.0;
    let change = if change.abs() < 1e-7 {
        "kept".to_owned()
    } else {
        format!("{change:+.2} %")
    };
    out.facts(&[
        (
            "clay",
            format!(
                "{} faces, {} before; {} vertices; Euler number {}",
                count(summary.faces),
                count(summary.faces_before),
                count(summary.vertices),
                summary.euler_number
            ),
        ),
        (
            "strokes",
            format!(
                "{} in {} frames; {} faces hit, {} vertices moved",
                count(summary.strokes),
                count(summary.frames),
                count(summary.hits),
                count(summary.vertices_moved)
            ),
        ),
        (
            "held back",
            format!(
                "{} frames in part, {} altogether",
                count(summary.frames_reduced),
                count(summary.frames_refused)
            ),
        ),
        ("volume", format!("{} ({change})", measure(summary.volume))),
        ("self-intersections", count(summary.self_intersections)),
        (
            "frame",
            format!(
                "{} median, {} largest",
                duration(summary.frame_median_us * 1e-3),
                duration(summary.frame_largest_us * 1e-3)
            ),
        ),
    ])?;
    Ok(())
}

/// The clay, and the tool where its last stroke began.
fn draw(
    script: &SculptScript,
    mesh: &TriMesh,
    tool: &Tool,
    path: &std::path::Path,
) -> anyhow::Result<()> {
    let mut parts: Vec<TriMesh> = Vec::new();
    if let Some(last) = script.strokes.last() {
        let (pose, _) = last.stroke.at(0);
        for part in tool.parts() {
            parts.push(part.mesh().placed(&pose)?);
        }
    }
    let mut bodies = vec![Body::new(mesh, TERRACOTTA)];
    bodies.extend(parts.iter().map(|part| Body::new(part, picture::IVORY)));
    let scene = Scene {
        bodies,
        ..Scene::default()
    };
    picture::save(&scene, path)
}
