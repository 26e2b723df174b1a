//! Do graphs take time linear in the points, and edits time that does not grow?

use impinge::DVec3;
use impinge::cloud::{
    GraphOptions, PathHorizon, PathLength, PathMap, PointCloud, PointId, ProximityGraph,
};
use impinge::math::Rng;

use super::timing::{at_full_size, own_seconds, right_at_full_size, timed};
use crate::sample_statistics::{median, slope};
use crate::{Bar, Bars};

/// Points of the clouds.
const SIZES: [usize; 5] = [10_000, 31_600, 100_000, 316_000, 1_000_000];
/// Edits that the bars ask for.
const EDITS: usize = 1000;
/// Largest allowed slope of log time over log points.
const MAX_SLOPE: f64 = 1.1;
/// Largest allowed time for a million points, on two cores.
const MAX_SECONDS: f64 = 3.0;
/// How much dearer an edit may be with a hundred times the points: the growth of the logarithm.
const MAX_GROWTH: f64 = 1.5;

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
    let sizes: Vec<usize> = SIZES
        .into_iter()
        .filter(|&n| n <= args.max_points)
        .collect();
    let is_full = sizes.len() == SIZES.len();
    let mut bars = Bars::default();
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
        let mut last = None;
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
            last = Some(wall);
        }
        let slope = slope(&processor);
        bars.say(
            at_full_size(is_full, Bar::at_most(slope, MAX_SLOPE)),
            format!(
                "{name}: processor time grows as n^{:.3} ≤ n^{MAX_SLOPE}",
                slope.unwrap_or(f64::NAN)
            ),
        );
        let seconds = last.filter(|_| is_full);
        let figure = seconds.map_or_else(String::new, |s: f64| format!(" in {s:.2} s"));
        bars.say(
            // Under the bar, not at it.
            seconds.map_or(Bar::Open, |s| Bar::of(s < MAX_SECONDS)),
            format!("{name}: 1000000 points{figure} < {MAX_SECONDS} s"),
        );
    }
    edits(args, &sizes, &mut bars)?;
    Ok(bars.end())
}

fn edits(args: &Args, sizes: &[usize], bars: &mut Bars) -> anyhow::Result<()> {
    println!("\nedits: insert, remove, move in turn; horizon of paths 3 spacings");
    println!(
        "{:>9} {:>12} {:>14} {:>10}",
        "points", "graph", "with paths", "sources"
    );
    let (mut costs, mut graph_costs) = (Vec::new(), Vec::new());
    for &n in sizes {
        let mut rng = Rng::new(n as u64);
        let cloud = PointCloud::from_points((0..n).map(|_| rng.direction()))?;
        let mut graph = ProximityGraph::new(&cloud, &GraphOptions::default())?;
        let spacing = (4.0 * std::f64::consts::PI / n as f64).sqrt();
        let horizon = PathHorizon::Length(3.0 * spacing);
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
        let per = |seconds: f64| seconds * 1e6 / args.edits.max(1) as f64;
        println!(
            "{n:>9} {:>9.1} µs {:>11.1} µs {:>10.0}",
            per(graph_time),
            per(all_time),
            sources as f64 / args.edits.max(1) as f64
        );
        costs.push(per(all_time));
        graph_costs.push(per(graph_time));
        if n == 10_000 {
            let is_equal = is_as_new(&graph, &paths, horizon)?;
            bars.say(
                right_at_full_size(args.edits >= EDITS, Bar::of(is_equal)),
                format!("{} edits of {n} points equal a rebuild", args.edits),
            );
        }
    }
    let is_full = sizes.len() == SIZES.len() && args.edits >= EDITS;
    for (what, costs) in [
        ("an edit of graph and paths", costs),
        // Beside the paths, which cost ten times as much, its growth would not be seen.
        ("an edit of the graph alone", graph_costs),
    ] {
        let growth = match (costs.first(), costs.last()) {
            (Some(first), Some(last)) if costs.len() > 1 => Some(last / first),
            _ => None,
        };
        let figure = growth.map_or_else(String::new, |growth| format!(", {growth:.2}×"));
        bars.say(
            at_full_size(is_full, Bar::at_most(growth, MAX_GROWTH)),
            format!(
                "{what} costs at most {MAX_GROWTH}×, as log n, from the smallest to the largest cloud{figure}"
            ),
        );
    }
    if sizes.is_empty() {
        bars.say(
            Bar::Open,
            format!("{EDITS} edits of 10000 points equal a rebuild"),
        );
    }
    Ok(())
}

fn is_as_new(
    graph: &ProximityGraph,
    paths: &PathMap,
    horizon: PathHorizon,
) -> anyhow::Result<bool> {
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
