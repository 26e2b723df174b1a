//! Ratios that theses published, measured on our own implementations of both sides.

use std::time::Instant;

use impinge::broad::{
    BroadPhase, Exhaustive, Grid, GridConfig, HashGrid, HierarchicalGrid, ObjectId, Octree,
    OctreeConfig, SlabOctree, SweepAxes, SweepConfig, SweepCounters, SweepPrune, Tree, TreeConfig,
};

use super::Verdict;
use super::scene::Scene;
use crate::Bar;

/// Bodies on the floor whose time is judged.
const FLOOR_BODIES: usize = 4000;

/// What a run of a scene took.
#[derive(Clone, Copy, Debug)]
struct Run {
    build_ms: f64,
    /// The median over frames of update and changes.
    frame_ms: f64,
    /// Steps of upkeep in a frame on average: of sorted ends, exchanges.
    upkeep: f64,
    entries: u64,
    bytes: usize,
    pairs: usize,
}

fn simulate(broad: &mut dyn BroadPhase, scene: &Scene, frames: usize) -> anyhow::Result<Run> {
    let mut scene = scene.clone();
    let ids: Vec<_> = (0..scene.len())
        .map(|i| ObjectId::new(i as u32, 0))
        .collect();
    let boxes = scene.boxes();
    let start = Instant::now();
    for (id, b) in ids.iter().zip(&boxes) {
        broad.insert(*id, &(*b).into())?;
    }
    broad.changes();
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let mut times = Vec::new();
    let upkeep = broad.work().upkeep;
    for _ in 0..frames {
        scene.step();
        let boxes = scene.boxes();
        let start = Instant::now();
        broad.update_boxes(&ids, &boxes)?;
        broad.changes();
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(Run {
        build_ms,
        frame_ms: super::median(&mut times),
        upkeep: (broad.work().upkeep - upkeep) as f64 / frames.max(1) as f64,
        entries: broad.work().entries,
        bytes: broad.bytes(),
        pairs: broad.pairs().len(),
    })
}

fn sweep(counters: SweepCounters, axes: SweepAxes) -> SweepPrune {
    SweepPrune::new(SweepConfig { counters, axes })
}

/// The published ratios.
pub(super) fn ratios(quick: bool) -> anyhow::Result<Vec<Verdict>> {
    let frames = if quick { 10 } else { 60 };
    let mut verdicts = Vec::new();
    let scene = Scene::fifth(4000);
    let runs = [
        SweepCounters::None,
        SweepCounters::Hash,
        SweepCounters::Matrix,
    ]
    .map(|counters| simulate(&mut sweep(counters, SweepAxes::Three), &scene, frames));
    let [plain, hash, matrix] = runs;
    let (plain, hash, matrix) = (plain?, hash?, matrix?);
    println!("\nsweep and prune, 4000 bodies: ms per frame, entries, bytes");
    for (name, run) in [
        ("no counters", plain),
        ("hash table", hash),
        ("matrix", matrix),
    ] {
        println!(
            "{name:<14} {:>8.3} {:>10} {:>10}",
            run.frame_ms, run.entries, run.bytes
        );
    }
    let faster = hash.frame_ms / plain.frame_ms;
    verdicts.push((
        Bar::at_least(faster, 1.5),
        format!("sweep without counters {faster:.2}x the one with a hash table, asked 1.5x"),
    ));
    let fewer = hash.entries as f64 / plain.entries.max(1) as f64;
    verdicts.push((
        Bar::at_least(fewer, 100.0),
        format!("and {fewer:.0}x fewer entries, asked 100x"),
    ));
    verdicts.push(floor(quick, frames)?);
    let one = Scene::one_mover(500);
    let alone = one_mover(&mut Exhaustive::default(), &one, frames)?;
    let eighth = one_mover(
        &mut Grid::new(GridConfig {
            cells: 8,
            ..GridConfig::default()
        }),
        &one,
        frames,
    )?;
    let tree = one_mover(&mut Tree::new(TreeConfig { parallel: false }), &one, frames)?;
    // Without a broad phase the mover meets all 499 others; with one, those whose boxes it overlaps.
    println!(
        "one mover among 500: {alone:.4} ms all pairs, {eighth:.4} ms grid, {tree:.4} ms tree"
    );
    let ratio = alone / tree;
    verdicts.push((
        Bar::at_least(ratio, 5.0),
        format!("one mover among 500: tree {ratio:.1}x all pairs, asked 5x"),
    ));
    verdicts.push(cage(frames)?);
    allocations(frames)?;
    Ok(verdicts)
}

/// Prints how often an octree of the published depth asks for memory while as many bodies as published move.
fn allocations(frames: usize) -> anyhow::Result<()> {
    const DEPTH: u32 = 5;
    let mut scene = Scene::fifth(100);
    let mut octree = Octree::new(OctreeConfig {
        depth: DEPTH,
        ..OctreeConfig::default()
    });
    let boxes = scene.boxes();
    let ids: Vec<_> = (0..boxes.len())
        .map(|i| ObjectId::new(i as u32, 0))
        .collect();
    for (id, b) in ids.iter().zip(&boxes) {
        octree.insert(*id, &(*b).into())?;
    }
    octree.changes();
    let mut sums = [0; 2];
    for _ in 0..frames {
        scene.step();
        let boxes = scene.boxes();
        let mut updated = Ok(());
        let asked = crate::counting_alloc::allocations_of(|| {
            updated = octree.update_boxes(&ids, &boxes);
            octree.changes();
        });
        updated?;
        for (sum, asked) in sums.iter_mut().zip(asked) {
            *sum += asked;
        }
    }
    let [count, bytes] = sums.map(|sum| sum as f64 / frames.max(1) as f64);
    println!(
        "octree of depth {DEPTH}, {} bodies: {count:.1} allocations a frame, {:.1} kB of them; it holds {:.0} kB (published: 4821, and 2264 kB held)",
        boxes.len(),
        bytes / 1e3,
        octree.bytes() as f64 / 1e3
    );
    Ok(())
}

/// Bodies whose vertical ends cluster, beside bodies that float: the published worst case of sorted ends, and the way around it, which leaves the
/// vertical axis out of the sorted ones.
fn floor(quick: bool, frames: usize) -> anyhow::Result<Verdict> {
    let count = if quick { 1000 } else { FLOOR_BODIES };
    let (stacked, floating) = (Scene::floor(count, true), Scene::floor(count, false));
    println!("\nfloor of {count} bodies: ms per frame, exchanges per frame");
    let measure = |scene: &Scene, axes: SweepAxes, name: &str| -> anyhow::Result<Run> {
        let run = simulate(&mut sweep(SweepCounters::None, axes), scene, frames)?;
        println!("{name:<28} {:>8.3} {:>12.0}", run.frame_ms, run.upkeep);
        Ok(run)
    };
    let across = SweepAxes::Two(2);
    let loose = measure(&floating, SweepAxes::Three, "floating, three axes")?;
    let loose_flat = measure(&floating, across, "floating, two axes")?;
    measure(&stacked, SweepAxes::Three, "stacked, three axes")?;
    let flat = measure(&stacked, across, "stacked, two axes")?;
    // Beside the faster of the two ways to sweep bodies that do not cluster.
    let slower = flat.frame_ms / loose.frame_ms.min(loose_flat.frame_ms);
    let text = format!(
        "stacked floor of {count} with two axes {slower:.2}x the time of floating bodies, asked at most 2x with {FLOOR_BODIES}"
    );
    let bar = Bar::at_most((count >= FLOOR_BODIES).then_some(slower), 2.0);
    Ok((bar, text))
}

/// Thirty bodies between six walls: pairs that a grid leaves, beside all but those of two walls.
fn cage(frames: usize) -> anyhow::Result<Verdict> {
    let (mut scene, walls) = Scene::cage(30);
    let mut grid = Grid::new(GridConfig {
        cells: 8,
        ..GridConfig::default()
    });
    for (i, b) in scene.boxes().into_iter().enumerate() {
        grid.insert(ObjectId::new(i as u32, 0), &b.into())?;
    }
    let bodies = scene.len() - walls;
    let all = bodies * (bodies - 1) / 2 + bodies * walls;
    let mut left = 0;
    for _ in 0..frames {
        scene.step();
        for (i, b) in scene.boxes().into_iter().enumerate().take(bodies) {
            grid.update(ObjectId::new(i as u32, 0), &b.into())?;
        }
        let is_wall = |id: ObjectId| id.slot() as usize >= bodies;
        left += grid.pairs().iter().filter(|p| !is_wall(p.a)).count();
    }
    let mean = left as f64 / frames as f64;
    let fewer = all as f64 / mean.max(1.0);
    Ok((
        Bar::at_least(fewer, 4.0),
        format!(
            "cage of {bodies} and {walls} walls: grid leaves {mean:.0} of {all} pairs, {fewer:.1}x fewer, asked 4x"
        ),
    ))
}

/// Milliseconds per frame in which one body moves.
fn one_mover(broad: &mut dyn BroadPhase, scene: &Scene, frames: usize) -> anyhow::Result<f64> {
    let mut scene = scene.clone();
    for (i, b) in scene.boxes().into_iter().enumerate() {
        broad.insert(ObjectId::new(i as u32, 0), &b.into())?;
    }
    broad.changes();
    let mut times = Vec::new();
    for _ in 0..10 * frames {
        scene.step();
        let moved = scene.boxes()[0];
        let start = Instant::now();
        broad.update(ObjectId::new(0, 0), &moved.into())?;
        broad.changes();
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(super::median(&mut times))
}

/// Prints how each method grows with the number of bodies; whether each finds as many pairs as a plain sweep.
pub(super) fn growth(sizes: &[usize]) -> anyhow::Result<Bar> {
    let mut bars = Vec::new();
    println!("\na fifth overlapping: build ms / frame ms / bytes per body");
    for &count in sizes {
        let scene = Scene::fifth(count);
        let frames = if count > 100_000 { 2 } else { 5 };
        let mut kinds: Vec<(Box<dyn BroadPhase>, usize)> = vec![
            (
                Box::new(Tree::new(TreeConfig { parallel: false })),
                usize::MAX,
            ),
            (Box::new(HashGrid::default()), usize::MAX),
            (Box::new(HierarchicalGrid::default()), 200_000),
            (
                Box::new(Grid::new(GridConfig {
                    cells: 32,
                    ..GridConfig::default()
                })),
                200_000,
            ),
            (Box::new(Octree::default()), 20_000),
            (Box::new(SlabOctree::default()), 20_000),
            (Box::new(SweepPrune::default()), 20_000),
            (Box::new(Exhaustive::default()), 20_000),
        ];
        println!("{count} bodies");
        let expected = scene.after(frames).pairs(1);
        for (broad, most) in &mut kinds {
            if count > *most {
                continue;
            }
            let run = simulate(&mut **broad, &scene, frames)?;
            let per_body = run.bytes as f64 / count as f64;
            println!(
                "  {:<18} {:>10.3} {:>10.3} {per_body:>8.0}",
                broad.name(),
                run.build_ms,
                run.frame_ms
            );
            let is_right = expected == [run.pairs as u64];
            if !is_right {
                println!(
                    "  {} finds {} pairs of {expected:?}",
                    broad.name(),
                    run.pairs
                );
            }
            bars.push(is_right);
        }
    }
    Ok(Bar::every(bars))
}
