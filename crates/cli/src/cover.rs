//! `impinge pack --cover`: a sphere cover of a mesh, or of each mesh of a folder.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};
use impinge::TriMesh;
use impinge::bvh::wide::WideTree;
use impinge::convex::Polyhedron;
use impinge::io::Format;
use impinge::spheres::{
    Cover, CoverMode, CoverOptions, CoverProof, CoverSequence, MeshSolid, SolidBall, SurfaceSolid,
    WindingSolid, cover, sphere_files,
};
use serde::Serialize;

use crate::args::{CoverArgs, CoverSide, PackArgs};
use crate::model_source::ModelSource;
use crate::output::Output;
use crate::pack::{ListFormat, draw, format_of, headline, radii, save};
use crate::{ExitAnswer, number, progress, sphere_graph_files};

/// Spheres at most where a target is given and no number.
const DEFAULT_MOST: usize = 256;

/// Whether a cover is wanted rather than a packing.
pub(crate) fn is_wanted(args: &CoverArgs) -> bool {
    args.cover.is_some()
        || args.cover_total.is_some()
        || args.max_excess.is_some()
        || args.max_overshoot.is_some()
}

#[derive(Serialize)]
struct CoverRecord {
    file: String,
    balls: usize,
    mode: &'static str,
    largest_radius: f64,
    smallest_radius: f64,
    /// Volume beyond the mesh, as a part of the mesh's; nothing when the mesh encloses none.
    excess: Option<f64>,
    /// Bounds of the same, where the cover contains the solid.
    #[serde(skip_serializing_if = "Option::is_none")]
    excess_bounds: Option<[f64; 2]>,
    /// Volume of the mesh beyond the spheres, as a part of the mesh's.
    missing: Option<f64>,
    /// A distance that no point of the spheres exceeds, and the largest that was found.
    overshoot: f64,
    overshoot_found: f64,
    undershoot: f64,
    proof: &'static str,
    is_within_target: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    touching_pairs: Option<usize>,
    milliseconds: f64,
}

/// One mesh that is covered.
struct NamedTree {
    file: String,
    link: String,
    tree: WideTree,
}

/// One mesh with its cover.
struct CoveredLink<'n> {
    named: &'n NamedTree,
    cover: Cover,
    volume: f64,
    milliseconds: f64,
}

/// Covers the mesh, or the meshes of the folder, and writes what was requested.
pub(crate) fn run(args: &PackArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    if args.nodes.is_some() {
        bail!("--nodes belongs to packings, not to covers");
    }
    if let Some(path) = &args.graph {
        sphere_graph_files::check_graph(path)?;
    }
    let folder = match &args.source {
        ModelSource::File(path) if path.is_dir() => Some(path.as_path()),
        _ => None,
    };
    let sources = match folder {
        Some(folder) => mesh_files(folder)?,
        None if args.covering.cover_total.is_some() => {
            bail!(
                "--cover-total shares spheres among the parts of a folder, and {} is none",
                args.source
            )
        }
        None => vec![args.source.clone()],
    };
    let mut trees = Vec::new();
    for source in &sources {
        match named_tree(args, source, out) {
            Ok(tree) => trees.push(tree),
            Err(error) if folder.is_some() => {
                out.complaint(format_args!("skipped {source}: {error:#}"));
            }
            Err(error) => return Err(error),
        }
    }
    let solids: Vec<Box<dyn SurfaceSolid + '_>> = trees
        .iter()
        .map(|named| solid_of(named, out))
        .collect::<anyhow::Result<_>>()?;
    let links = match args.covering.cover_total {
        Some(total) => shared(&trees, &solids, total)?,
        None => each(&args.covering, &trees, &solids)?,
    };
    if links.is_empty() {
        bail!("{}: no mesh can be covered", args.source);
    }
    write_lists(args, &links)?;
    let mut all: Vec<SolidBall> = links
        .iter()
        .flat_map(|link| link.cover.balls.iter().copied())
        .collect();
    all.sort_by(|x, y| y.radius.total_cmp(&x.radius));
    draw(args, &all)?;
    let mut pairs = None;
    if let Some(path) = &args.graph {
        let (bytes, count) = sphere_graph_files::graph(&all)?;
        save(path, &bytes)?;
        pairs = Some(count);
    }
    for link in &links {
        report(args, link, pairs, out)?;
    }
    let written = [&args.output, &args.graph, &args.glb, &args.png];
    out.wrote(written.into_iter().flatten())?;
    Ok(ExitAnswer::No)
}

/// The mesh files of a folder, by name.
fn mesh_files(folder: &Path) -> anyhow::Result<Vec<ModelSource>> {
    let mut files = Vec::new();
    let look = || format!("cannot look into {}", folder.display());
    for entry in fs::read_dir(folder).with_context(look)? {
        let path = entry.with_context(look)?.path();
        if path.is_file() && Format::from_path(&path).is_some() {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        bail!("{}: no mesh file is in this folder", folder.display());
    }
    Ok(files.into_iter().map(ModelSource::File).collect())
}

fn named_tree(args: &PackArgs, source: &ModelSource, out: &Output) -> anyhow::Result<NamedTree> {
    let loaded = source.load(&args.reading)?;
    for note in &loaded.model.notes {
        out.remark(format_args!("{source}: {note}"));
    }
    let (mesh, was_welded) = loaded.connected();
    if was_welded {
        out.remark(format_args!(
            "{source}: faces of this format share no corners; equal ones were joined"
        ));
    }
    let mesh = if args.covering.hull {
        Arc::new(hull(&mesh).with_context(|| format!("{source} has no convex hull with volume"))?)
    } else {
        mesh
    };
    let link = match source {
        ModelSource::File(path) => path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into(),
        ModelSource::Builtin { name, .. } => (*name).to_owned(),
    };
    let tree = progress::during("building the index", || WideTree::new(mesh));
    Ok(NamedTree {
        file: source.to_string(),
        link,
        tree,
    })
}

/// The convex hull as a mesh that faces outwards.
fn hull(mesh: &TriMesh) -> anyhow::Result<TriMesh> {
    let hull = Polyhedron::new(mesh.positions())?;
    let mut faces = Vec::new();
    for face in 0..hull.face_count() as u32 {
        if let [first, rest @ ..] = hull.face(face) {
            for pair in rest.windows(2) {
                faces.push([*first, pair[0], pair[1]]);
            }
        }
    }
    Ok(TriMesh::new(hull.vertices().to_vec(), faces)?)
}

/// The solid of a closed mesh; of any other the points around which it winds.
fn solid_of<'t>(named: &'t NamedTree, out: &Output) -> anyhow::Result<Box<dyn SurfaceSolid + 't>> {
    match MeshSolid::new(&named.tree) {
        Ok(solid) => Ok(Box::new(solid)),
        Err(error) => {
            let solid = WindingSolid::new(&named.tree)
                .with_context(|| format!("{} cannot be covered", named.file))?;
            out.remark(format_args!(
                "{}: {error}; inside is where the mesh winds more than half a time",
                named.file
            ));
            Ok(Box::new(solid))
        }
    }
}

/// Every mesh with its own number of spheres.
fn each<'n>(
    args: &CoverArgs,
    trees: &'n [NamedTree],
    solids: &[Box<dyn SurfaceSolid + '_>],
) -> anyhow::Result<Vec<CoveredLink<'n>>> {
    let options = CoverOptions {
        count: args.cover.unwrap_or(DEFAULT_MOST),
        mode: match args.cover_mode {
            CoverSide::Outer => CoverMode::Outer,
            CoverSide::Inner => CoverMode::Inner,
            CoverSide::Fit => CoverMode::Fit,
        },
        max_excess: args.max_excess,
        max_overshoot: args.max_overshoot,
    };
    let mut links = Vec::new();
    for (named, solid) in trees.iter().zip(solids) {
        let start = Instant::now();
        let cover = progress::during("covering", || cover(&**solid, &options))
            .with_context(|| format!("{} cannot be covered", named.file))?;
        links.push(CoveredLink {
            named,
            cover,
            volume: solid.volume(),
            milliseconds: start.elapsed().as_secs_f64() * 1e3,
        });
    }
    Ok(links)
}

/// A number of spheres shared among the meshes: the next go where each saves most volume.
fn shared<'n>(
    trees: &'n [NamedTree],
    solids: &[Box<dyn SurfaceSolid + '_>],
    total: usize,
) -> anyhow::Result<Vec<CoveredLink<'n>>> {
    if total < trees.len() {
        bail!(
            "{total} spheres are not one for each of {} meshes",
            trees.len()
        );
    }
    let most = total - trees.len() + 1;
    let mut sequences = Vec::new();
    for (named, solid) in trees.iter().zip(solids) {
        let start = Instant::now();
        let sequence = progress::during("covering", || CoverSequence::new(&**solid, most))
            .with_context(|| format!("{} cannot be covered", named.file))?;
        sequences.push((sequence, start.elapsed()));
    }
    // Steps of a quarter, so that each part is measured only some dozen times.
    let step = |count: usize| (count / 4).max(1);
    let mut counts = vec![1_usize; trees.len()];
    let mut left = total - trees.len();
    let mut gains: Vec<f64> = sequences.iter_mut().map(|(s, _)| gain(s, 1, 1)).collect();
    while left > 0 {
        let best = gains
            .iter()
            .enumerate()
            .max_by(|x, y| x.1.total_cmp(y.1).then(y.0.cmp(&x.0)));
        let Some((best, _)) = best else {
            break;
        };
        let more = step(counts[best]).min(left);
        counts[best] += more;
        left -= more;
        let next = step(counts[best]).min(left.max(1));
        gains[best] = gain(&mut sequences[best].0, counts[best], next);
    }
    let mut links = Vec::new();
    for (((named, solid), (mut sequence, built)), count) in
        trees.iter().zip(solids).zip(sequences).zip(counts)
    {
        let start = Instant::now();
        links.push(CoveredLink {
            named,
            cover: sequence.cover(count),
            volume: solid.volume(),
            milliseconds: (built + start.elapsed()).as_secs_f64() * 1e3,
        });
    }
    Ok(links)
}

/// The volume that each of `more` further spheres saves.
fn gain(sequence: &mut CoverSequence<'_, dyn SurfaceSolid + '_>, count: usize, more: usize) -> f64 {
    (sequence.union_volume(count) - sequence.union_volume(count + more)) / more as f64
}

fn write_lists(args: &PackArgs, links: &[CoveredLink<'_>]) -> anyhow::Result<()> {
    let Some(path) = &args.output else {
        return Ok(());
    };
    let mut bytes = Vec::new();
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let named: Vec<(&str, &[SolidBall])> = links
        .iter()
        .map(|link| (link.named.link.as_str(), link.cover.balls.as_slice()))
        .collect();
    match (format_of(path)?, links) {
        (ListFormat::Json, [one]) => {
            sphere_files::write_weighted_json(&one.cover.balls, &one.cover.weights, &mut bytes)?;
        }
        (ListFormat::Json, _) => bytes = serde_json::to_vec_pretty(&json_parts(links))?,
        (ListFormat::Urdf, [one]) => {
            sphere_files::write_urdf(&name, &one.cover.balls, &mut bytes)?;
        }
        (ListFormat::Urdf, _) => sphere_files::write_urdf_links(&name, &named, &mut bytes)?,
        (ListFormat::Curobo, _) => sphere_files::write_curobo(&named, &mut bytes)?,
    }
    save(path, &bytes)
}

/// The lists of several parts.
fn json_parts(links: &[CoveredLink<'_>]) -> serde_json::Value {
    let parts: Vec<serde_json::Value> = links
        .iter()
        .map(|link| {
            let spheres: Vec<serde_json::Value> = link
                .cover
                .balls
                .iter()
                .zip(&link.cover.weights)
                .map(|(ball, weight)| {
                    serde_json::json!({
                        "center": ball.center.to_array(),
                        "radius": ball.radius,
                        "weight": weight,
                    })
                })
                .collect();
            serde_json::json!({ "name": link.named.link, "spheres": spheres })
        })
        .collect();
    serde_json::json!({ "format": "impinge-spheres", "version": 1, "parts": parts })
}

fn report(
    args: &PackArgs,
    link: &CoveredLink<'_>,
    pairs: Option<usize>,
    out: &mut Output,
) -> anyhow::Result<()> {
    let cover = &link.cover;
    let finite = |x: f64| x.is_finite().then_some(x);
    let is_around = matches!(cover.proof, CoverProof::Solid | CoverProof::Surface);
    let (mode, proof) = (
        match args.covering.cover_mode {
            CoverSide::Outer => "outer",
            CoverSide::Inner => "inner",
            CoverSide::Fit => "fit",
        },
        match cover.proof {
            CoverProof::Solid => "solid",
            CoverProof::Surface => "surface",
            CoverProof::Inside => "inside",
            _ => "none",
        },
    );
    let bounds = cover.union_bounds.map(|bound| bound / link.volume - 1.0);
    let record = CoverRecord {
        file: link.named.file.clone(),
        balls: cover.balls.len(),
        mode,
        largest_radius: cover.balls.first().map_or(0.0, |ball| ball.radius),
        smallest_radius: cover.balls.last().map_or(0.0, |ball| ball.radius),
        excess: finite(cover.excess),
        excess_bounds: (is_around && link.volume > 0.0).then_some(bounds),
        missing: finite(cover.missing),
        overshoot: cover.overshoot,
        overshoot_found: cover.overshoot_found,
        undershoot: cover.undershoot,
        proof,
        is_within_target: cover.is_within_target,
        touching_pairs: pairs,
        milliseconds: link.milliseconds,
    };
    out.record(&record)?;
    let balls = number::count_of(record.balls, "sphere", "spheres");
    headline(out, &record.file, &balls, record.milliseconds)?;
    let percent =
        |x: Option<f64>| x.map_or_else(|| "?".to_owned(), |x| format!("{:.1}", 100.0 * x));
    let mut facts = vec![radii(record.largest_radius, record.smallest_radius)];
    if link.volume > 0.0 {
        facts.push((
            "beyond",
            format!(
                "{} % of the volume, at most {} away",
                percent(record.excess),
                number::measure(record.overshoot)
            ),
        ));
    } else {
        facts.push((
            "beyond",
            format!("at most {} away", number::measure(record.overshoot)),
        ));
    }
    if args.covering.cover_mode != CoverSide::Outer {
        facts.push((
            "left out",
            format!(
                "{} % of the volume, {} away (sampled)",
                percent(record.missing),
                number::measure(record.undershoot)
            ),
        ));
    }
    facts.push((
        "proven",
        match cover.proof {
            CoverProof::Solid => "the spheres contain the solid".to_owned(),
            CoverProof::Surface => "the spheres contain every face".to_owned(),
            CoverProof::Inside => "the spheres lie inside".to_owned(),
            _ => "nothing".to_owned(),
        },
    ));
    if !cover.is_within_target {
        facts.push(("target", "not reached with so many spheres".to_owned()));
    }
    if let Some(pairs) = pairs {
        facts.push(("touching", number::count_of(pairs, "pair", "pairs")));
    }
    out.facts(&facts)?;
    Ok(())
}
