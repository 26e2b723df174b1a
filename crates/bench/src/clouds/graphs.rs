//! Do graphs take time linear in the points, and edits time that does not grow?

use anyhow::ensure;
use impinge::DVec3;
use impinge::cloud::{
    GraphOptions, Horizon, PathLength, PathMap, PointCloud, PointId, ProximityGraph,
};
use impinge::math::Rng;

use super::timing::{bar, median, own_seconds, timed};
use crate::Bar;

/// Largest allowed slope of log time over log points.
const MAX_SLOPE: f64 = 1.1;
/// Largest allowed time for a million points, on two cores.
const MAX_SECONDS: f64 = 3.0;
/// How much dearer an edit may be with a hundred times the points: 1.8 is the growth of the logarithm, the rest is cold memory.
const MAX_GROWTH: f64 = 3.0;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Largest cloud
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) max_points: usize,
    /// Rounds; the median counts
    #[arg(long, default_value_t = 3)]
    pub(crate) rounds: usize,
    /// Edits per cloud
    #[arg(long, default_value_t = 1000)]
    pub(crate) edits: usize,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let sizes: Vec<usize> = [10_000, 31_600, 100_000, 316_000, 1_000_000]
        .into_iter()
        .filter(|&n| n <= args.max_points)
        .collect();
    let mut met = true;
    type Draw = fn(&mut Rng) -> DVec3;
    let kinds: [(&str, Draw); 2] = [
        ("ball", |rng| rng.direction()),
        ("volume", |rng| rng.cube()),
    ];
    println!(
        "r-sphere-of-influence graph, order 4, long edges set apart; median of {} rounds",
        args.rounds
    );
    for (name, draw) in kinds {
        println!(
            "\n{name}: {:>9} {:>10} {:>12} {:>9} {:>9}",
            "points", "time", "processor", "ns/point", "edges/n"
        );
        let mut processor = Vec::new();
        let mut last = 0.0;
        for &n in &sizes {
            let mut rng = Rng::new(n as u64);
            let cloud = PointCloud::from_points((0..n).map(|_| draw(&mut rng)))?;
            let (mut walls, mut sums, mut edges) = (Vec::new(), Vec::new(), 0);
            for _ in 0..args.rounds.max(1) {
                // Small clouds are built often enough for the coarse clock of the processor.
                let repeats = (400_000 / n).max(1);
                let mut graph = None;
                let (wall, sum) = timed(|| {
                    for _ in 0..repeats {
                        graph = Some(ProximityGraph::new(&cloud, &GraphOptions::default()));
                    }
                });
                walls.push(wall / repeats as f64);
                sums.push(sum / repeats as f64);
                if let Some(graph) = graph {
                    let (near, far) = graph?.edge_count();
                    edges = near + far;
                }
            }
            let (wall, sum) = (median(walls), median(sums));
            println!(
                "{name}: {n:>9} {:>7.1} ms {:>9.1} ms {:>9.0} {:>9.2}",
                wall * 1e3,
                sum * 1e3,
                sum * 1e9 / n as f64,
                edges as f64 / n as f64
            );
            processor.push((n, sum));
            last = wall;
        }
        let slope = slope(&processor);
        met &= bar(
            slope <= MAX_SLOPE,
            &format!("{name}: processor time grows as n^{slope:.3} ≤ n^{MAX_SLOPE}"),
        );
        if sizes.last() == Some(&1_000_000) {
            let claim = format!("{name}: 1000000 points in {last:.2} s < {MAX_SECONDS} s");
            met &= bar(last < MAX_SECONDS, &claim);
        }
    }
    met &= edits(args, &sizes)?;
    Ok(if met { Bar::Met } else { Bar::Missed })
}

/// Slope of the line that fits the logarithms best.
fn slope(times: &[(usize, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = times
        .iter()
        .map(|&(n, t)| ((n as f64).ln(), t.ln()))
        .collect();
    let count = logs.len() as f64;
    let mean = logs
        .iter()
        .fold((0.0, 0.0), |m, l| (m.0 + l.0 / count, m.1 + l.1 / count));
    let (mut top, mut bottom) = (0.0, 0.0);
    for (x, y) in logs {
        top += (x - mean.0) * (y - mean.1);
        bottom += (x - mean.0) * (x - mean.0);
    }
    top / bottom
}

fn edits(args: &Args, sizes: &[usize]) -> anyhow::Result<bool> {
    println!("\nedits: insert, remove, move in turn; horizon of paths 3 spacings");
    println!(
        "{:>9} {:>12} {:>14} {:>10}",
        "points", "graph", "with paths", "sources"
    );
    let mut costs = Vec::new();
    for &n in sizes {
        let mut rng = Rng::new(n as u64);
        let cloud = PointCloud::from_points((0..n).map(|_| rng.direction()))?;
        let mut graph = ProximityGraph::new(&cloud, &GraphOptions::default())?;
        let spacing = (4.0 * std::f64::consts::PI / n as f64).sqrt();
        let horizon = Horizon::Length(3.0 * spacing);
        let mut paths = PathMap::new(&graph, horizon, PathLength::Polyline)?;
        let edit = |graph: &mut ProximityGraph, rng: &mut Rng, i: usize| {
            let place = rng.direction();
            let near = graph.tree().nearest(rng.direction());
            let id = near.map_or(PointId::new(0), |near| near.point);
            match i % 3 {
                0 => graph.insert(place),
                1 => graph.remove(id),
                _ => graph.relocate(id, place),
            }
        };
        // The same edits twice: the clock of a thread is too coarse for the parts of one.
        let (mut alone, mut alone_rng) = (graph.clone(), rng.clone());
        let mut result = Ok(());
        let graph_time = own_seconds(|| {
            for i in 0..args.edits {
                result = result.and(edit(&mut alone, &mut alone_rng, i).map(|_| ()));
            }
        });
        let mut sources = 0;
        let all_time = own_seconds(|| {
            for i in 0..args.edits {
                match edit(&mut graph, &mut rng, i) {
                    Ok(change) => sources += paths.update(&graph, &change),
                    Err(error) => result = Err(error),
                }
            }
        });
        result?;
        let per = |seconds: f64| seconds * 1e6 / args.edits as f64;
        println!(
            "{n:>9} {:>9.1} µs {:>11.1} µs {:>10.0}",
            per(graph_time),
            per(all_time),
            sources as f64 / args.edits as f64
        );
        costs.push(per(all_time));
        if n == 10_000 {
            let is_equal = is_as_new(&graph, &paths, horizon)?;
            ensure!(is_equal, "the edited graph or map is not that of a rebuild");
            bar(
                true,
                &format!("{} edits of {n} points equal a rebuild", args.edits),
            );
        }
    }
    let (Some(first), Some(last)) = (costs.first(), costs.last()) else {
        return Ok(true);
    };
    let growth = last / first;
    Ok(bar(
        growth <= MAX_GROWTH,
        &format!(
            "an edit costs {growth:.2}× from the smallest to the largest cloud ≤ {MAX_GROWTH}×"
        ),
    ))
}

fn is_as_new(graph: &ProximityGraph, paths: &PathMap, horizon: Horizon) -> anyhow::Result<bool> {
    let ids: Vec<PointId> = graph.ids().collect();
    let points = ids.iter().filter_map(|&id| graph.place(id)).collect();
    let fresh = ProximityGraph::new(&PointCloud::new(points, None)?, graph.options())?;
    let fresh_paths = PathMap::new(&fresh, horizon, PathLength::Polyline)?;
    let number = |id: &PointId| ids.binary_search(id).map_or(u32::MAX, |n| n as u32);
    for (old, new) in ids.iter().zip(0..) {
        let new = PointId::new(new);
        let sorted = |list: &[PointId]| {
            let mut list: Vec<u32> = list.iter().map(number).collect();
            list.sort_unstable();
            list
        };
        let raw = |list: &[PointId]| list.iter().map(|id| id.raw()).collect::<Vec<_>>();
        let mut mine: Vec<_> = paths
            .from(*old)
            .iter()
            .map(|r| (r.length.to_bits(), number(&r.point)))
            .collect();
        let mut theirs: Vec<_> = fresh_paths
            .from(new)
            .iter()
            .map(|r| (r.length.to_bits(), r.point.raw()))
            .collect();
        mine.sort_unstable();
        theirs.sort_unstable();
        if sorted(graph.neighbours(*old)) != raw(fresh.neighbours(new))
            || sorted(graph.far_neighbours(*old)) != raw(fresh.far_neighbours(new))
            || mine != theirs
        {
            return Ok(false);
        }
    }
    Ok(true)
}
