//! Clouds that deform: what following costs beside building anew.

use std::hint::black_box;
use std::sync::Arc;

use impinge::cloud::{
    CloudSurface, CloudTree, CloudTreeOptions, EvaluationScratch, GraphOptions, ImplicitSurface,
    InterpolationSearchOptions, InterpolationSearchScratch, PointCloud, ProximityGraph,
    SurfaceCrossing, SurfaceOptions,
};
use impinge::math::Rng;
use impinge::{DVec3, Pose};

use super::crossings::crossings;
use super::timing::{claim, right_at_full_size, timed};
use crate::Bar;
use crate::result_sheet::{Cell, ResultSheet, Table};
use crate::sample_statistics::median;

/// Points of the clouds.
const SIZES: [usize; 2] = [10_000, 100_000];
/// Rounds of which the median counts.
const ROUNDS: usize = 3;
/// Points above this height move in the smaller deformation: a twentieth of the ball.
const CAP: f64 = 0.9;

/// Adds a row for every size and deformation; `is_full` selects the full sizes.
pub(super) fn deforming(is_full: bool, sheet: &mut ResultSheet) -> anyhow::Result<()> {
    let columns = [
        "points",
        "moved",
        "new surface in ms",
        "moved surface in ms",
        "new tree in ms",
        "refit in ms",
        "nodes made anew",
        "paths searched again",
        "crossings in ms",
    ];
    let mut table = Table {
        title: "Clouds that deform".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: Vec::new(),
    };
    println!("\nclouds that deform, processor time of all threads");
    println!(
        "{:>7} {:>6} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7} {:>9}",
        "points", "moved", "new", "moved", "new tree", "refit", "nodes", "paths", "crossings"
    );
    let mut is_equal = true;
    let sizes = if is_full { &SIZES[..] } else { &[2_000][..] };
    for &size in sizes {
        for moves_all in [true, false] {
            let one = follow(size, moves_all)?;
            is_equal &= one.is_equal;
            let moved = if moves_all { "all" } else { "a cap" };
            let [new, followed, tree, refit, crossings] = one.milliseconds;
            println!(
                "{size:>7} {moved:>6} {new:>9.1} {followed:>9.1} {tree:>9.1} {refit:>9.1} {:>7} {:>7} {crossings:>9.3}",
                one.nodes, one.paths
            );
            table.rows.push(vec![
                Cell::Number(size as f64),
                Cell::Text(moved.to_owned()),
                Cell::Number(new),
                Cell::Number(followed),
                Cell::Number(tree),
                Cell::Number(refit),
                Cell::Number(one.nodes as f64),
                Cell::Number(one.paths as f64),
                Cell::Number(crossings),
            ]);
        }
    }
    sheet.tables.push(table);
    claim(
        sheet,
        right_at_full_size(is_full, Bar::of(is_equal)),
        "graphs, paths, normals and values of clouds that moved are those of new ones",
        "compared at all points",
    );
    Ok(())
}

/// Medians, and what the last round did.
struct Following {
    /// New surface, moved surface, new tree, refit, crossings.
    milliseconds: [f64; 5],
    nodes: usize,
    paths: usize,
    is_equal: bool,
}

fn surface_of(points: &[DVec3]) -> anyhow::Result<CloudSurface> {
    let cloud = PointCloud::new(points.to_vec(), None)?;
    let graph = ProximityGraph::new(&cloud, &GraphOptions::default())?;
    Ok(CloudSurface::new(graph.into(), SurfaceOptions::default())?)
}

/// A ball whose points wave, all of them or those of a cap.
fn follow(size: usize, moves_all: bool) -> anyhow::Result<Following> {
    let mut rng = Rng::new(size as u64);
    let start: Vec<DVec3> = (0..size).map(|_| rng.direction()).collect();
    let options = CloudTreeOptions::default();
    let mut surface = surface_of(&start)?;
    let mut tree = CloudTree::new(Arc::new(surface.clone()), &options)?;
    let other = surface.clone();
    let mut times: [Vec<f64>; 5] = Default::default();
    let (mut nodes, mut paths, mut is_equal) = (0, 0, true);
    for round in 0..ROUNDS {
        let phase = 1.0 + round as f64;
        let places: Vec<DVec3> = start
            .iter()
            .map(|p| {
                let wave = 0.05 * (4.0 * p.x + phase).sin();
                if moves_all || p.z > CAP {
                    *p * (1.0 + wave)
                } else {
                    *p
                }
            })
            .collect();
        let mut fresh = None;
        let (_, new) = timed(|| fresh = Some(surface_of(&places)));
        let Some(fresh) = fresh else { continue };
        let fresh = fresh?;
        let mut searched = Ok(0);
        let (_, followed) = timed(|| searched = surface.relocate_all(&places, None));
        paths = searched?;
        is_equal &= is_same(&surface, &fresh);
        let fresh = Arc::new(fresh);
        let (_, made) = timed(|| black_box(CloudTree::new(fresh.clone(), &options)));
        let now = Arc::new(surface.clone());
        let mut refitted = None;
        let (_, refit) = timed(|| refitted = Some(tree.refit(now)));
        if let Some(refitted) = refitted {
            nodes = refitted?.nodes;
        }
        is_equal &= tree.validate().is_ok();
        let pose = Pose::from_translation([0.9, 0.3, 0.1])?;
        let mut scratch = InterpolationSearchScratch::default();
        let (_, crossings) = timed(|| {
            let mut found: Vec<SurfaceCrossing> = Vec::new();
            let options = InterpolationSearchOptions::default();
            crossings(
                [&surface, &other],
                &pose,
                &options,
                &mut scratch,
                &mut found,
            )
        });
        for (list, seconds) in times
            .iter_mut()
            .zip([new, followed, made, refit, crossings])
        {
            list.push(seconds * 1e3);
        }
    }
    Ok(Following {
        milliseconds: times.map(median),
        nodes,
        paths,
        is_equal,
    })
}

/// Whether two surfaces of the same points agree in everything at every point.
fn is_same(one: &CloudSurface, other: &CloudSurface) -> bool {
    let mut scratch = EvaluationScratch::default();
    one.normals() == other.normals()
        && one.graph().ids().eq(other.graph().ids())
        && one.graph().ids().all(|id| {
            let list = |s: &CloudSurface| s.paths().map(|paths| paths.from(id).to_vec());
            let place = one.graph().place(id).unwrap_or_default();
            one.graph().neighbours(id) == other.graph().neighbours(id)
                && one.graph().far_neighbours(id) == other.graph().far_neighbours(id)
                && list(one) == list(other)
                && one.evaluate(place, &mut scratch) == other.evaluate(place, &mut scratch)
        })
}
