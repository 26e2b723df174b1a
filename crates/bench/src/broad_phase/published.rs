//! Ratios that theses published, measured on our own implementations of both sides.

use std::collections::BTreeMap;
use std::time::Instant;

use impinge::bound::Aabb;
use impinge::broad::{
    BroadPhase, BruteForce, DynamicAabbTree, DynamicAabbTreeConfig, HashGrid, HierarchicalGrid,
    ObjectId, Octree, SlabOctree, SweepAndPrune, SweepAxes, SweepConfig, SweepCounters,
    UniformGrid, UniformGridConfig,
};

use super::TargetVerdict;
use super::indexes_1994;
use super::scene::BoxScene;
use crate::Bar;
use crate::sample_statistics::median;

/// Bodies on the floor whose time is judged.
const FLOOR_BODIES: usize = 4000;

/// What a run of a scene took.
#[derive(Clone, Copy, Debug)]
pub(super) struct SceneTime {
    build_ms: f64,
    /// The median over frames of update and changes.
    pub(super) frame_ms: f64,
    /// Steps of upkeep in a frame on average: of sorted ends, exchanges.
    pub(super) upkeep: f64,
    entries: u64,
    pub(super) bytes: usize,
    pairs: usize,
}

pub(super) fn simulate(
    broad: &mut dyn BroadPhase,
    scene: &BoxScene,
    frames: usize,
) -> anyhow::Result<SceneTime> {
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
    Ok(SceneTime {
        build_ms,
        frame_ms: median(&mut times),
        upkeep: (broad.work().upkeep - upkeep) as f64 / frames.max(1) as f64,
        entries: broad.work().entries,
        bytes: broad.bytes(),
        pairs: broad.pairs().len(),
    })
}

fn sweep(counters: SweepCounters, axes: SweepAxes) -> SweepAndPrune {
    SweepAndPrune::new(SweepConfig { counters, axes })
}

/// The published ratios.
pub(super) fn ratios(quick: bool) -> anyhow::Result<Vec<TargetVerdict>> {
    let frames = if quick { 10 } else { 60 };
    let mut verdicts = Vec::new();
    let scene = BoxScene::fifth(4000);
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
    let one = BoxScene::one_mover(500);
    let plain = one_by_one(&one, frames);
    let alone = one_mover(&mut BruteForce::default(), &one, frames)?;
    let eighth = one_mover(
        &mut UniformGrid::new(UniformGridConfig {
            cells: 8,
            ..UniformGridConfig::default()
        }),
        &one,
        frames,
    )?;
    let tree = one_mover(
        &mut DynamicAabbTree::new(DynamicAabbTreeConfig { parallel: false }),
        &one,
        frames,
    )?;
    // Without a broad phase the mover's box is compared with the 499 others; who does not know that
    // only one moves compares all 124 750 pairs.
    println!(
        "one mover among 500: {plain:.5} ms the mover with all others, {alone:.4} ms all pairs, {eighth:.4} ms grid, {tree:.5} ms tree"
    );
    for (name, took) in [("grid", eighth), ("tree", tree)] {
        let ratio = plain / took;
        verdicts.push((
            Bar::at_least(ratio, 5.0),
            format!(
                "one mover among 500: {name} {ratio:.1}x the mover compared with its 499 others, asked 5x"
            ),
        ));
    }
    verdicts.push(cage(frames)?);
    verdicts.extend(indexes_1994::tables(frames)?);
    Ok(verdicts)
}

/// Bodies whose vertical ends cluster, beside bodies that float: the published worst case of sorted ends, and the way around it, which leaves the
/// vertical axis out of the sorted ones.
fn floor(quick: bool, frames: usize) -> anyhow::Result<TargetVerdict> {
    let count = if quick { 1000 } else { FLOOR_BODIES };
    let (stacked, floating) = (BoxScene::floor(count, true), BoxScene::floor(count, false));
    println!("\nfloor of {count} bodies: ms per frame, exchanges per frame");
    let measure = |scene: &BoxScene, axes: SweepAxes, name: &str| -> anyhow::Result<SceneTime> {
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

/// The cells of a grid along each axis that a box covers, as the published grid lists it; what is
/// outside is in the outermost cells.
fn covered(universe: &Aabb, cells: u32, b: &Aabb) -> [[i64; 2]; 3] {
    let last = i64::from(cells) - 1;
    let size = universe.diagonal() / f64::from(cells);
    [0, 1, 2].map(|axis| {
        [b.min[axis], b.max[axis]].map(|x| {
            let cell = ((x - universe.min[axis]) / size[axis]).floor() as i64;
            cell.clamp(0, last)
        })
    })
}

/// Whether some cell is among both.
fn share_a_cell(a: &[[i64; 2]; 3], b: &[[i64; 2]; 3]) -> bool {
    a.iter()
        .zip(b)
        .all(|([lo, hi], [from, to])| lo <= to && from <= hi)
}

/// Thirty bodies between six walls: pairs that a grid leaves, beside all but those of two walls.
/// The published grid leaves those that share a cell, and compares no boxes; ours compares them
/// too, which leaves fewer still.
fn cage(frames: usize) -> anyhow::Result<TargetVerdict> {
    const CELLS: u32 = 8;
    let (mut scene, walls) = BoxScene::cage(30);
    let boxes = scene.boxes();
    let universe = boxes.iter().fold(Aabb::EMPTY, |sum, b| sum.union(b));
    let mut grid = UniformGrid::new(UniformGridConfig {
        cells: CELLS,
        universe: Some(universe),
        ..UniformGridConfig::default()
    });
    for (i, b) in boxes.into_iter().enumerate() {
        grid.insert(ObjectId::new(i as u32, 0), &b.into())?;
    }
    let bodies = scene.len() - walls;
    let all = bodies * (bodies - 1) / 2 + bodies * walls;
    let (mut sharing, mut overlapping) = (0, 0);
    for _ in 0..frames {
        scene.step();
        let boxes = scene.boxes();
        for (i, b) in boxes.iter().enumerate().take(bodies) {
            grid.update(ObjectId::new(i as u32, 0), &(*b).into())?;
        }
        let cells: Vec<_> = boxes.iter().map(|b| covered(&universe, CELLS, b)).collect();
        for (i, a) in cells.iter().enumerate().take(bodies) {
            let others = &cells[i + 1..];
            sharing += others.iter().filter(|b| share_a_cell(a, b)).count();
        }
        let is_wall = |id: ObjectId| id.slot() as usize >= bodies;
        overlapping += grid.pairs().iter().filter(|p| !is_wall(p.a)).count();
    }
    let [sharing, overlapping] = [sharing, overlapping].map(|n| n as f64 / frames as f64);
    let fewer = all as f64 / sharing.max(1.0);
    Ok((
        Bar::at_least(fewer, 4.0),
        format!(
            "cage of {bodies} and {walls} walls: {sharing:.0} of {all} pairs share a cell of the grid, {fewer:.1}x fewer, asked 4x; the boxes of {overlapping:.0} overlap"
        ),
    ))
}

/// Milliseconds per frame in which one body moves and its box is compared with all others, one by
/// one, to tell which pairs begin and end.
fn one_by_one(scene: &BoxScene, frames: usize) -> f64 {
    let mut scene = scene.clone();
    let mut boxes = scene.boxes();
    let mut met: Vec<bool> = Vec::new();
    let mut changes: Vec<u32> = Vec::new();
    let mut times = Vec::new();
    for _ in 0..10 * frames {
        scene.step();
        let moved = scene.boxes()[0];
        let start = Instant::now();
        boxes[0] = moved;
        changes.clear();
        met.resize(boxes.len(), false);
        for (i, (b, was)) in (0_u32..).zip(boxes.iter().zip(&mut met)).skip(1) {
            let is = moved.overlaps(b);
            if is != *was {
                *was = is;
                changes.push(i);
            }
        }
        std::hint::black_box(&changes);
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    median(&mut times)
}

/// Milliseconds per frame in which one body moves.
pub(super) fn one_mover(
    broad: &mut dyn BroadPhase,
    scene: &BoxScene,
    frames: usize,
) -> anyhow::Result<f64> {
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
    Ok(median(&mut times))
}

/// Prints how each method grows with the number of bodies; whether each finds as many pairs as a plain sweep.
pub(super) fn growth(sizes: &[usize]) -> anyhow::Result<Bar> {
    let mut bars = Vec::new();
    println!("\na fifth overlapping: build ms / frame ms / bytes per body");
    for &count in sizes {
        let scene = BoxScene::fifth(count);
        let frames = if count > 100_000 { 2 } else { 5 };
        let mut kinds: Vec<(Box<dyn BroadPhase>, usize)> = vec![
            (
                Box::new(DynamicAabbTree::new(DynamicAabbTreeConfig {
                    parallel: false,
                })),
                usize::MAX,
            ),
            (Box::new(HashGrid::default()), usize::MAX),
            (Box::new(HierarchicalGrid::default()), 200_000),
            (
                Box::new(UniformGrid::new(UniformGridConfig {
                    cells: 32,
                    ..UniformGridConfig::default()
                })),
                200_000,
            ),
            (Box::new(Octree::default()), 20_000),
            (Box::new(SlabOctree::default()), 20_000),
            (Box::new(SweepAndPrune::default()), 20_000),
            (Box::new(BruteForce::default()), 20_000),
        ];
        println!("{count} bodies");
        let expected = scene.after(frames).pairs(1);
        let mut frame_of = BTreeMap::new();
        for (broad, most) in &mut kinds {
            if count > *most {
                continue;
            }
            let run = simulate(&mut **broad, &scene, frames)?;
            frame_of.insert(broad.name(), run.frame_ms);
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
        let names = [
            SweepAndPrune::default().name(),
            BruteForce::default().name(),
        ];
        if let [Some(sweep), Some(all)] = names.map(|name| frame_of.get(name)) {
            let [changes, whole] = already_reported(&scene, 10 * frames)?;
            println!(
                "{count} bodies: sweep and prune takes {:.2} times as long a frame as all pairs; {:.1} % of these are for pairs already reported",
                sweep / all,
                100.0 * changes / whole
            );
        }
    }
    Ok(Bar::every(bars))
}

/// Milliseconds of frames in which all pairs are found and those that were reported before are distinguished from new ones: of the latter, and in all.
fn already_reported(scene: &BoxScene, frames: usize) -> anyhow::Result<[f64; 2]> {
    let mut scene = scene.clone();
    let mut broad = BruteForce::default();
    let ids: Vec<_> = (0..scene.len())
        .map(|i| ObjectId::new(i as u32, 0))
        .collect();
    for (id, b) in ids.iter().zip(scene.boxes()) {
        broad.insert(*id, &b.into())?;
    }
    broad.changes();
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..frames {
        scene.step();
        let boxes = scene.boxes();
        let start = Instant::now();
        broad.update_boxes(&ids, &boxes)?;
        std::hint::black_box(broad.pairs());
        let found = start.elapsed();
        std::hint::black_box(broad.changes());
        let all = start.elapsed();
        times[0].push((all - found).as_secs_f64() * 1e3);
        times[1].push(all.as_secs_f64() * 1e3);
    }
    Ok(times.each_mut().map(median))
}

#[cfg(test)]
mod tests {
    use impinge::DVec3;

    use super::*;

    #[test]
    fn boxes_share_a_cell_where_both_cover_it_and_not_only_where_they_overlap() {
        let universe = Aabb::enclosing([DVec3::ZERO, DVec3::splat(8.0)]);
        let at = |x: f64, size: f64| Aabb::enclosing([DVec3::splat(x), DVec3::splat(x + size)]);
        let cells = |b: &Aabb| covered(&universe, 8, b);
        let (a, b, c) = (at(0.1, 0.2), at(0.5, 0.2), at(0.9, 0.2));
        assert!(!a.overlaps(&b) && share_a_cell(&cells(&a), &cells(&b)));
        assert!(share_a_cell(&cells(&a), &cells(&c)));
        assert!(!share_a_cell(&cells(&a), &cells(&at(1.1, 0.2))));
        // What is outside counts as in the outermost cell.
        assert!(share_a_cell(&cells(&at(-9.0, 1.0)), &cells(&a)));
        let text = cage(2).unwrap().1;
        assert!(text.contains("of 615 pairs share a cell"), "{text}");
    }
}
