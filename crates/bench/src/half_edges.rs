//! Does building half-edges take time linear in the edges, and what does it gain over list search?
//!
//! Published in 1994 for 1220 edges: 2.8 s by list search, 40 ms with neighbour lists, 70 times faster.

use std::hint::black_box;
use std::time::Instant;

use impinge::mesh::HalfEdges;
use impinge::{DVec3, TriMesh, math::Rng};

use crate::sample_statistics::{median, slope};
use crate::{Bar, Bars};

/// Largest allowed slope of log time over log edges.
const MAX_SLOPE: f64 = 1.1;
/// Largest allowed time for a million edges, on one core.
const MAX_MILLION_SECONDS: f64 = 0.5;
/// The gain published for [`PUBLISHED_EDGES`].
const PUBLISHED_GAIN: f64 = 70.0;
const PUBLISHED_EDGES: usize = 1220;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Largest mesh, in edges
    #[arg(long, default_value_t = 10_000_000)]
    max_edges: usize,
    /// Rounds; each visits every size once, and the median of the rounds counts
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let sizes: Vec<usize> = [
        10_000, 31_600, 100_000, 316_000, 1_000_000, 3_160_000, 10_000_000,
    ]
    .into_iter()
    .filter(|&n| n <= args.max_edges)
    .collect();
    let volume = sizes.iter().copied().max().unwrap_or(1);
    println!(
        "half-edges of a closed torus grid; median of {} rounds, {volume} edges per measurement",
        args.rounds
    );
    println!("warm: one mesh again and again; shuffled: faces and vertices in random order");
    println!(
        "{:>10}  {:>12} {:>8}  {:>8}  {:>8}",
        "edges", "time", "ns/edge", "warm", "shuffled"
    );
    let ordered = measure(&sizes, args.rounds, false)?;
    let warm = measure_warm(&sizes, args.rounds)?;
    let shuffled = measure(&sizes, args.rounds.min(3), true)?;
    for ((&(edges, time), &(_, warm)), &(_, shuffled)) in ordered.iter().zip(&warm).zip(&shuffled) {
        let per_edge = |seconds: f64| seconds * 1e9 / edges as f64;
        println!(
            "{edges:>10}  {:>9.3} ms {:>8.1}  {:>8.1}  {:>8.1}",
            time * 1e3,
            per_edge(time),
            per_edge(warm),
            per_edge(shuffled)
        );
    }
    let slope = growth(&ordered);
    println!(
        "slope of log time over log edges: {slope:.3}; warm {:.3}, shuffled {:.3}",
        growth(&warm),
        growth(&shuffled)
    );
    let mut bars = Bars::default();
    bars.say(
        Bar::at_most(slope, MAX_SLOPE),
        format_args!("slope {slope:.3} ≤ {MAX_SLOPE}"),
    );
    for (name, times) in [("in order", &ordered), ("shuffled", &shuffled)] {
        if let Some(&(edges, seconds)) = times
            .iter()
            .find(|(edges, _)| edges.abs_diff(1_000_000) < 2_000)
        {
            bars.say(
                Bar::of(seconds < MAX_MILLION_SECONDS),
                format_args!("{edges} edges {name} in {seconds:.3} s < {MAX_MILLION_SECONDS} s"),
            );
        }
    }

    println!();
    println!(
        "{:>10}  {:>12} {:>12} {:>8}",
        "edges", "list search", "counting", "gain"
    );
    // The largest takes as long as all others together.
    let compared = [PUBLISHED_EDGES, 10_000, 40_000];
    for wanted in compared
        .into_iter()
        .filter(|n| *n <= (args.max_edges / 4).max(10_000))
    {
        let mesh = torus(wanted, false)?;
        let mut naive = Vec::new();
        let mut counted = Vec::new();
        for _ in 0..args.rounds.max(3) {
            // A list search takes the square of the edges: all sizes do the same work.
            let again = (100 * PUBLISHED_EDGES.pow(2) / wanted.pow(2)).max(1);
            let all = seconds(|| {
                for _ in 0..again {
                    black_box(HalfEdges::by_list_search(black_box(&mesh)));
                }
            });
            naive.push(all / again as f64);
            let repeats = repeats(&mesh);
            let all = seconds(|| {
                for _ in 0..repeats {
                    black_box(HalfEdges::new(black_box(&mesh)));
                }
            });
            counted.push(all / repeats as f64);
        }
        anyhow::ensure!(
            HalfEdges::by_list_search(&mesh) == HalfEdges::new(&mesh),
            "the two builders disagree"
        );
        let (naive, counted) = (median(naive), median(counted));
        let edges = HalfEdges::new(&mesh).edge_count();
        let gain = naive / counted;
        println!(
            "{edges:>10}  {:>9.3} ms {:>9.3} ms {gain:>7.1}×",
            naive * 1e3,
            counted * 1e3
        );
        // Like beside like: the gain grows with the mesh, so that any could be had at some size.
        if wanted == PUBLISHED_EDGES {
            println!("            published: 2800 ms, 40 ms, {PUBLISHED_GAIN}×");
            bars.say(
                Bar::at_least(gain, PUBLISHED_GAIN),
                format_args!(
                    "gain over list search at {edges} edges, as published, {gain:.0}× ≥ {PUBLISHED_GAIN}×"
                ),
            );
        }
    }
    Ok(bars.end())
}

/// Median seconds per mesh of each size. Every measurement builds the same number of edges in all,
/// as many meshes as that takes, and keeps the results: small meshes then find memory as cold as
/// large ones do, and growth is the builder's, not the caches'. Sizes are interleaved, so that a slow
/// moment of the machine hits all alike.
fn measure(sizes: &[usize], rounds: usize, shuffled: bool) -> anyhow::Result<Vec<(usize, f64)>> {
    let volume = sizes.iter().copied().max().unwrap_or(1);
    let mut times = vec![Vec::new(); sizes.len()];
    let mut edges = vec![0; sizes.len()];
    for _ in 0..rounds.max(1) {
        for (i, &size) in sizes.iter().enumerate() {
            let mesh = torus(size, shuffled)?;
            edges[i] = mesh.face_count() / 2 * 3;
            let meshes = vec![mesh; volume / size];
            let mut built = Vec::with_capacity(meshes.len());
            let all = seconds(|| built.extend(meshes.iter().map(HalfEdges::new)));
            times[i].push(all / meshes.len() as f64);
        }
    }
    Ok(edges
        .into_iter()
        .zip(times.into_iter().map(median))
        .collect())
}

/// Median seconds to build one mesh again and again, caches warm.
fn measure_warm(sizes: &[usize], rounds: usize) -> anyhow::Result<Vec<(usize, f64)>> {
    let meshes = sizes
        .iter()
        .map(|&n| torus(n, false))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut times = vec![Vec::new(); sizes.len()];
    for _ in 0..rounds.max(1) {
        for (mesh, times) in meshes.iter().zip(&mut times) {
            let repeats = repeats(mesh);
            let all = seconds(|| {
                for _ in 0..repeats {
                    black_box(HalfEdges::new(black_box(mesh)));
                }
            });
            times.push(all / repeats as f64);
        }
    }
    let edges = meshes.iter().map(|mesh| mesh.face_count() / 2 * 3);
    Ok(edges.zip(times.into_iter().map(median)).collect())
}

/// Seconds this thread computed for; where the system does not tell, seconds that passed.
fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let (clock, cpu) = (Instant::now(), cpu_seconds());
    black_box(work());
    match (cpu, cpu_seconds()) {
        (Some(before), Some(after)) => after - before,
        _ => clock.elapsed().as_secs_f64(),
    }
}

/// Linux counts the nanoseconds each thread was on a core, which other work on the machine does not disturb.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace()
        .next()?
        .parse::<f64>()
        .ok()
        .map(|ns| ns * 1e-9)
}

/// How often a small mesh is built per measurement, so that the clock's grain of some milliseconds does not show.
fn repeats(mesh: &TriMesh) -> usize {
    (2_000_000 / mesh.face_count().max(1)).max(1)
}

/// The slope, not a number where there is none.
fn growth(points: &[(usize, f64)]) -> f64 {
    slope(points).unwrap_or(f64::NAN)
}

/// A closed grid with about `edges` edges: three per vertex. Positions do not matter here and are those of the flat grid.
fn torus(edges: usize, shuffled: bool) -> anyhow::Result<TriMesh> {
    let width = ((edges as f64 / 3.0).sqrt().round() as u32).max(3);
    let height = ((edges as f64 / 3.0 / f64::from(width)).round() as u32).max(3);
    let mut name: Vec<u32> = (0..width * height).collect();
    let mut faces = Vec::with_capacity(2 * name.len());
    let mut rng = Rng::new(1);
    if shuffled {
        shuffle(&mut name, &mut rng);
    }
    for y in 0..height {
        for x in 0..width {
            let at =
                |dx: u32, dy: u32| name[((x + dx) % width + (y + dy) % height * width) as usize];
            faces.push([at(0, 0), at(1, 0), at(1, 1)]);
            faces.push([at(0, 0), at(1, 1), at(0, 1)]);
        }
    }
    if shuffled {
        shuffle(&mut faces, &mut rng);
    }
    let positions = (0..width * height)
        .map(|v| DVec3::new(f64::from(v % width), f64::from(v / width), 0.0))
        .collect();
    Ok(TriMesh::new(positions, faces)?)
}

fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, rng.below(i as u64 + 1) as usize);
    }
}
