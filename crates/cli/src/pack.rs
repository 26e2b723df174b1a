//! `impinge pack`: sphere packing of a mesh; sphere covers are in [`cover`](crate::cover).

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use impinge::bvh::wide::WideTree;
use impinge::io::{Drawing, DrawingSurface, drawing_bytes};
use impinge::spheres::{
    MeshSolid, PackEnd, PackOptions, Packing, SolidBall, medial_axis, pack_with, sphere_files,
};
use impinge::{TriMesh, generate};
use impinge_gpu::spheres::GpuPacker;
use serde::Serialize;

use crate::args::{CoverSide, PackArgs};
use crate::output::Output;
use crate::progress::{self, Progress};
use crate::render::{Body, Colour, Scene};
use crate::sphere_graph_files::{self, NodeFormat};
use crate::{ExitAnswer, atomic_file, cover, devices, number, picture, repair_report};

/// Balls that are drawn: the largest, more would not be distinguishable.
const MOST_DRAWN: usize = 30_000;
/// Balls when nothing is said about how many.
const DEFAULT_COUNT: usize = 1000;
/// Large, middle and small balls.
const COLOURS: [Colour; 3] = [picture::BLUE, picture::AMBER, picture::IVORY];

#[derive(Serialize)]
struct Record {
    file: String,
    balls: usize,
    fill: Option<f64>,
    largest_radius: f64,
    smallest_radius: f64,
    ended_by: &'static str,
    /// With --nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<usize>,
    /// With --graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    touching_pairs: Option<usize>,
    seed: u64,
    milliseconds: f64,
}

/// Packs or covers, and writes what was requested.
pub(crate) fn run(args: &PackArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    if let Some(path) = &args.output {
        format_of(path)?;
    }
    if cover::is_wanted(&args.covering) {
        return cover::run(args, out);
    }
    if args.covering.cover_mode != CoverSide::Outer || args.covering.hull {
        bail!("--cover-mode and --hull belong to --cover N, --max-excess F or --max-overshoot D");
    }
    let node_format = args.nodes.as_deref().map(NodeFormat::of).transpose()?;
    if let Some(path) = &args.graph {
        sphere_graph_files::check_graph(path)?;
    }
    let loaded = args.source.load(&args.reading)?;
    for note in &loaded.model.notes {
        out.remark(format_args!("{}: {note}", args.source));
    }
    let (mesh, was_welded) = loaded.connected();
    if was_welded {
        out.remark(format_args!(
            "{}: faces of this format share no corners; equal ones were joined",
            args.source
        ));
    }
    let start = Instant::now();
    let tree = progress::during("building the index", || WideTree::new(mesh));
    let solid = MeshSolid::new(&tree).map_err(|error| {
        anyhow!(
            "{} cannot be filled: {error}; {}",
            args.source,
            repair_report::hint(&args.source.to_string())
        )
    })?;
    let (balls, mut record) = packed(args, &solid, out)?;
    if let (Some(path), Some(format)) = (&args.nodes, node_format) {
        let axis = progress::during("looking for nodes", || medial_axis(&solid, args.node_cells))
            .with_context(|| format!("{} has no nodes", args.source))?;
        save(path, &sphere_graph_files::medial_axis(&axis, format)?)?;
        record.nodes = Some(axis.nodes().len());
    }
    if let Some(path) = &args.graph {
        let (bytes, pairs) = sphere_graph_files::graph(&balls)?;
        save(path, &bytes)?;
        record.touching_pairs = Some(pairs);
    }
    record.milliseconds = start.elapsed().as_secs_f64() * 1e3;
    write(args, &balls)?;
    report(&record, out)?;
    let written = [&args.output, &args.nodes, &args.graph, &args.glb, &args.png];
    out.wrote(written.into_iter().flatten())?;
    Ok(ExitAnswer::No)
}

fn packed(
    args: &PackArgs,
    solid: &MeshSolid<'_>,
    out: &Output,
) -> anyhow::Result<(Vec<SolidBall>, Record)> {
    let is_bounded = args.fill.is_some() || args.min_radius.is_some();
    let end = match args.minutes {
        None => None,
        Some(minutes) => {
            let time = Duration::try_from_secs_f64(60.0 * minutes);
            let time = time.with_context(|| format!("--minutes {minutes} is no time"))?;
            Instant::now().checked_add(time)
        }
    };
    let options = PackOptions {
        count: args.count.or((!is_bounded).then_some(DEFAULT_COUNT)),
        fill: args.fill,
        min_radius: args.min_radius,
        seed: args.seed,
        ..PackOptions::default()
    };
    if args.gpu {
        return packed_on_card(args, solid, &options);
    }
    let bar = match options.count {
        Some(count) => Progress::counted("packing", count, out.is_quiet()),
        None => Progress::new("packing", out.is_quiet()),
    };
    let bar = RefCell::new(bar);
    // A packing is valid after every batch; the first is made in any case.
    let packing = pack_with(solid, &options, &mut |now| {
        bar.borrow().done(now.count);
        if end.is_some_and(|end| Instant::now() >= end) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
    .with_context(|| format!("{} cannot be filled", args.source))?;
    drop(bar);
    Ok(told(args, packing))
}

fn told(args: &PackArgs, packing: Packing) -> (Vec<SolidBall>, Record) {
    let ended_by = match packing.end {
        PackEnd::Count => "count",
        PackEnd::Fill => "fill",
        PackEnd::MinRadius => "min-radius",
        PackEnd::Cancelled => "cancelled",
        _ => "full",
    };
    let record = Record {
        fill: Some(packing.fill()),
        ..record(args, &packing.balls, ended_by)
    };
    (packing.balls, record)
}

fn packed_on_card(
    args: &PackArgs,
    solid: &MeshSolid<'_>,
    options: &PackOptions,
) -> anyhow::Result<(Vec<SolidBall>, Record)> {
    let mut backends = devices::chosen(args.device.as_deref().unwrap_or("1"))?;
    let backend = backends.pop().context("there is no device")?;
    let mut packer = GpuPacker::new(backend);
    let packing = progress::during("packing", || packer.pack(solid, options))
        .with_context(|| format!("{} cannot be filled", args.source))?;
    Ok(told(args, packing))
}

fn record(args: &PackArgs, balls: &[SolidBall], ended_by: &'static str) -> Record {
    Record {
        file: args.source.to_string(),
        balls: balls.len(),
        fill: None,
        largest_radius: balls.first().map_or(0.0, |ball| ball.radius),
        smallest_radius: balls.last().map_or(0.0, |ball| ball.radius),
        ended_by,
        nodes: None,
        touching_pairs: None,
        seed: args.seed,
        milliseconds: 0.0,
    }
}

/// What was made of a file, and how long it took.
pub(crate) fn headline(
    out: &mut Output,
    file: &str,
    balls: &str,
    milliseconds: f64,
) -> anyhow::Result<()> {
    let time = number::duration(milliseconds);
    out.line(format_args!("{file}: {balls} in {time}"))?;
    Ok(())
}

/// The fact with the radii of balls.
pub(crate) fn radii(largest: f64, smallest: f64) -> (&'static str, String) {
    let [largest, smallest] = [largest, smallest].map(number::measure);
    ("radii", format!("{largest} to {smallest}"))
}

fn report(record: &Record, out: &mut Output) -> anyhow::Result<()> {
    out.record(record)?;
    let balls = number::count_of(record.balls, "ball", "balls");
    headline(out, &record.file, &balls, record.milliseconds)?;
    let mut facts = vec![radii(record.largest_radius, record.smallest_radius)];
    if let Some(fill) = record.fill {
        facts.push(("filled", format!("{:.2} % of the volume", 100.0 * fill)));
        match record.ended_by {
            "full" => facts.push(("ended", "no gap left that the search resolves".to_owned())),
            "cancelled" => facts.push(("ended", "the time is up".to_owned())),
            _ => {}
        }
    }
    if let Some(nodes) = record.nodes {
        facts.push(("nodes", number::count(nodes)));
    }
    if let Some(pairs) = record.touching_pairs {
        facts.push(("touching", number::count_of(pairs, "pair", "pairs")));
    }
    out.facts(&facts)?;
    Ok(())
}

/// How lists are written.
pub(crate) enum ListFormat {
    Json,
    Urdf,
    Curobo,
}

/// The format that the extension names.
pub(crate) fn format_of(path: &Path) -> anyhow::Result<ListFormat> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("json") => Ok(ListFormat::Json),
        Some("urdf" | "xml") => Ok(ListFormat::Urdf),
        Some("yaml" | "yml") => Ok(ListFormat::Curobo),
        _ => bail!(
            "balls are written as .json, .urdf, .xml or .yaml, not as {}; models of them with --glb OUT",
            path.display()
        ),
    }
}

pub(crate) fn save(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    atomic_file::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn write(args: &PackArgs, balls: &[SolidBall]) -> anyhow::Result<()> {
    if let Some(path) = &args.output {
        let mut bytes = Vec::new();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        match format_of(path)? {
            ListFormat::Json => sphere_files::write_json(balls, &mut bytes)?,
            ListFormat::Urdf => sphere_files::write_urdf(&name, balls, &mut bytes)?,
            ListFormat::Curobo => sphere_files::write_curobo(&[(&name, balls)], &mut bytes)?,
        }
        save(path, &bytes)?;
    }
    draw(args, balls)
}

/// Writes the model and the picture of balls, largest first, where they are wanted.
pub(crate) fn draw(args: &PackArgs, balls: &[SolidBall]) -> anyhow::Result<()> {
    if args.glb.is_none() && args.png.is_none() {
        return Ok(());
    }
    let shapes = shapes(balls)?;
    if let Some(path) = &args.glb {
        let surfaces = shapes
            .iter()
            .zip(COLOURS)
            .zip(["large", "middle", "small"])
            .map(|((mesh, colour), name)| {
                let [r, g, b] = colour.0.to_array().map(|c| c as f32);
                DrawingSurface {
                    name: format!("{name} balls"),
                    mesh: mesh.clone(),
                    colour: [r, g, b, 1.0],
                }
            })
            .collect();
        let drawing = Drawing {
            surfaces,
            lines: Vec::new(),
        };
        save(path, &drawing_bytes(&drawing)?)?;
    }
    if let Some(path) = &args.png {
        let scene = Scene {
            up: args.up,
            ..scene(&shapes)
        };
        picture::save(&scene, path)?;
    }
    Ok(())
}

/// The picture of balls that [`shapes`] made meshes of.
pub(crate) fn scene(shapes: &[TriMesh; 3]) -> Scene<'_> {
    Scene {
        bodies: shapes
            .iter()
            .zip(COLOURS)
            .filter(|(mesh, _)| !mesh.is_empty())
            .map(|(mesh, colour)| Body::new(mesh, colour))
            .collect(),
        ..Scene::default()
    }
}

/// The largest balls as meshes: a few large ones, those down to a tenth of them, and the others.
pub(crate) fn shapes(balls: &[SolidBall]) -> anyhow::Result<[TriMesh; 3]> {
    let largest = balls.first().map_or(0.0, |ball| ball.radius);
    let drawn = &balls[..balls.len().min(MOST_DRAWN)];
    let part = |from: f64, to: f64, frequency: u32| -> anyhow::Result<TriMesh> {
        let unit = generate::icosphere(1.0, frequency)?;
        let (mut positions, mut faces) = (Vec::new(), Vec::new());
        let chosen = |ball: &&SolidBall| {
            let share = ball.radius / largest;
            share > from && share <= to
        };
        for ball in drawn.iter().filter(chosen) {
            let first = positions.len() as u32;
            positions.extend(
                unit.positions()
                    .iter()
                    .map(|&p| ball.center + p * ball.radius),
            );
            faces.extend(unit.faces().iter().map(|f| f.map(|v| v + first)));
        }
        Ok(TriMesh::new(positions, faces)?)
    };
    Ok([
        part(0.3, 1.0, 12)?,
        part(0.08, 0.3, 6)?,
        part(0.0, 0.08, 3)?,
    ])
}
