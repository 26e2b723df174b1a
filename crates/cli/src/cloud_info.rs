//! `impinge cloud-info`: what a point cloud is and what is wrong with it.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use impinge::cloud::{
    BandwidthCalibration, CloudFile, CloudFindingKind, CloudReadOptions, CloudShape, GraphOptions,
    PointCloud, ProximityGraph, SamplingRadius, cloud_findings, read_cloud,
};
use serde::Serialize;

use crate::ExitAnswer;
use crate::args::CloudInfoArgs;
use crate::cloud::{CloudPicture, UNREAD_COLUMNS, oriented};
use crate::number;
use crate::output::Output;
use crate::progress;

/// The weight at which kernels end, as in the library's default.
const NEGLIGIBLE: f64 = 1e-3;

#[derive(Serialize)]
struct Record {
    file: String,
    format: String,
    points: usize,
    /// Points of the file that are not finite.
    dropped: usize,
    has_normals: bool,
    min: [f64; 3],
    max: [f64; 3],
    /// Half of the cells of the surface are covered by balls of this radius, and all.
    sampling_radius_median: Option<f64>,
    sampling_radius: Option<f64>,
    at_border: usize,
    /// Edges of the proximity graph, those set apart as too long, and the pieces that are left.
    edges: Option<usize>,
    far_edges: Option<usize>,
    pieces: Option<usize>,
    /// How far the points stray from the surface, and its mean curvature.
    noise: Option<f64>,
    curvature: Option<f64>,
    eta: Option<f64>,
    findings: Vec<FindingRecord>,
}

#[derive(Serialize)]
struct FindingRecord {
    kind: &'static str,
    text: String,
    count: usize,
    points: Vec<u32>,
}

/// Looks at every file; a bad one does not stop the others.
pub(crate) fn run(args: &CloudInfoArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    if args.files.len() > 1 && (args.png.is_some() || args.picture.glb.is_some()) {
        bail!(
            "--png and --glb show one cloud, and {} are named",
            args.files.len()
        );
    }
    let mut answer = ExitAnswer::No;
    for (number, path) in args.files.iter().enumerate() {
        if number > 0 {
            out.line("")?;
        }
        match look(path, args, out) {
            Ok(ExitAnswer::Yes) if answer == ExitAnswer::No => answer = ExitAnswer::Yes,
            Ok(_) => {}
            Err(error) => {
                out.failure(Some(&path.display().to_string()), &error);
                answer = ExitAnswer::Failed;
            }
        }
    }
    Ok(answer)
}

fn look(path: &Path, args: &CloudInfoArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let options = CloudReadOptions { drop_invalid: true };
    let file = progress::during("reading", || read_cloud(path, &options))?;
    let found = progress::during("looking for findings", || cloud_findings(&file.cloud));
    // Thousands of points in one place make no graph; the others do.
    let distinct = file.cloud.distinct().cloud;
    let graph = progress::during("finding neighbours", || {
        ProximityGraph::new(&distinct, &GraphOptions::default())
    })
    .with_context(|| format!("no graph of {}", path.display()))?;
    let radius = progress::during("measuring density", || SamplingRadius::of_graph(&graph));
    let has_surface = !found.iter().any(|f| {
        use CloudFindingKind as K;
        matches!(f.kind, K::Empty | K::Few | K::OnePlace | K::Collinear)
    });
    let calibration = has_surface.then(|| {
        progress::during("measuring noise", || {
            BandwidthCalibration::of(&graph, NEGLIGIBLE)
        })
    });
    let (near, far) = graph.edge_count();
    let bounds = file.cloud.bounds();
    let corner = |p: impinge::DVec3| {
        if file.cloud.is_empty() {
            [0.0; 3]
        } else {
            p.to_array()
        }
    };
    let record = Record {
        file: path.display().to_string(),
        format: file.format.to_string(),
        points: file.cloud.len(),
        dropped: file.dropped.len(),
        has_normals: file.cloud.normals().is_some(),
        min: corner(bounds.min),
        max: corner(bounds.max),
        sampling_radius_median: radius.quantile(0.5),
        sampling_radius: radius.covering(),
        at_border: radius.at_border(),
        edges: Some(near),
        far_edges: Some(far),
        pieces: Some(graph.components()),
        noise: calibration.map(|c| c.noise),
        curvature: calibration.map(|c| c.curvature),
        eta: calibration.map(|c| c.eta),
        findings: found
            .iter()
            .map(|f| FindingRecord {
                kind: f.kind.name(),
                text: f.to_string(),
                count: f.count,
                points: f.points.iter().map(|id| id.raw()).collect(),
            })
            .chain(file.has_unread_columns.then(|| FindingRecord {
                kind: "unread-columns",
                text: format!("note: {UNREAD_COLUMNS}"),
                count: file.cloud.len(),
                points: Vec::new(),
            }))
            .collect(),
    };
    let written = draw(args, &file, &distinct, graph, calibration)?;
    out.record(&record)?;
    out.line(path.display())?;
    out.facts(&facts(&file, &record))?;
    for finding in &found {
        out.line(format_args!("    {finding}"))?;
    }
    if file.has_unread_columns {
        out.line(format_args!("    note: {UNREAD_COLUMNS}"))?;
    }
    out.wrote(written)?;
    let is_warned = record.dropped > 0 || found.iter().any(|f| f.kind.is_warning());
    Ok(if is_warned {
        ExitAnswer::Yes
    } else {
        ExitAnswer::No
    })
}

/// Writes the pictures that are wanted and says which.
fn draw<'p>(
    args: &'p CloudInfoArgs,
    file: &CloudFile,
    distinct: &PointCloud,
    graph: ProximityGraph,
    calibration: Option<BandwidthCalibration>,
) -> anyhow::Result<Vec<&'p Path>> {
    let (png, glb) = (args.png.as_deref(), args.picture.glb.as_deref());
    if png.is_none() && glb.is_none() {
        return Ok(Vec::new());
    }
    let shape = CloudShape::new(Arc::new(file.cloud.clone()));
    // Few points, or all on a line, have no surface: they are drawn as points.
    let surface = calibration
        .map(|calibration| {
            progress::during("finding the surface", || {
                oriented(distinct, graph, calibration.bandwidth())
            })
        })
        .transpose()?;
    let exhibit = CloudPicture::of_cloud(&shape, surface.as_ref())?;
    exhibit.write(png, glb, args.picture.up, true)
}

fn facts(file: &CloudFile, record: &Record) -> Vec<(&'static str, String)> {
    let mut facts = vec![("format", record.format.clone())];
    let mut points = number::count_of(record.points, "point", "points");
    if record.has_normals {
        points += " with normals";
    }
    facts.push(("points", points));
    if record.dropped > 0 {
        facts.push((
            "dropped",
            format!(
                "{}, not finite",
                number::count_of(record.dropped, "point", "points")
            ),
        ));
    }
    if !file.cloud.is_empty() {
        let (min, max) = (
            number::point(record.min.into()),
            number::point(record.max.into()),
        );
        facts.push(("box", format!("{min} to {max}")));
    }
    if let (Some(median), Some(all)) = (record.sampling_radius_median, record.sampling_radius) {
        facts.push((
            "sampling radius",
            format!(
                "{}, at most {}",
                number::measure(median),
                number::measure(all)
            ),
        ));
        facts.push((
            "at border",
            number::count_of(record.at_border, "point", "points"),
        ));
    }
    if let (Some(edges), Some(far), Some(pieces)) = (record.edges, record.far_edges, record.pieces)
    {
        let pieces = number::count_of(pieces, "piece", "pieces");
        facts.push((
            "graph",
            format!(
                "{}, {} more set apart as too long, {pieces}",
                number::count_of(edges, "edge", "edges"),
                number::count(far)
            ),
        ));
    }
    if let (Some(noise), Some(curvature), Some(eta)) = (record.noise, record.curvature, record.eta)
    {
        facts.push((
            "surface",
            format!(
                "noise {}, mean curvature {}, eta {eta:.1}",
                number::measure(noise),
                number::measure(curvature)
            ),
        ));
    }
    facts
}
