//! Trees of balls: building, and which split answers fastest.

use std::time::Instant;

use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::{
    InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, MeshSolid, NeuralGasOptions,
    PackOptions, SolidBall, SphereSplit, pack,
};
use impinge::{DVec3, Pose};

use super::{Args, held, model, open, sized};
use crate::Bar;
use crate::sample_statistics::median;
use crate::thread_cpu_time::process_time;

const MODELS: [&str; 3] = ["armadillo", "bunny", "knot-1"];
/// Gaps and depths along the line of approach, as parts of the size.
const OFFSETS: [f64; 5] = [0.1, 0.01, -0.01, -0.02, -0.1];
/// Those of them at which solids overlap.
const DEPTHS: [f64; 3] = [-0.01, -0.02, -0.1];
const LINES: usize = 6;
const BALLS: usize = 100_000;
/// Cells along the longest side in which gaps are measured.
const RESOLUTION: u32 = 48;
/// What is attached to the default tree: the more, the more an answer contains, and the longer it takes.
const ATTACHED: [&str; 4] = [
    "lens sum with its gradient, no cones, no gaps",
    "the same with cones",
    "cones, and gaps counted by secondary radii",
    "cones, gaps counted, and cells looked up for the bracket",
];

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    let count = args.balls(BALLS);
    let gas = NeuralGasOptions::default();
    let rules = [
        ("neural gas 8", SphereSplit::NeuralGas(gas), 8),
        ("neural gas 4", SphereSplit::NeuralGas(gas), 4),
        ("largest 8", SphereSplit::Largest, 8),
        ("largest 4", SphereSplit::Largest, 4),
        ("extreme 8", SphereSplit::Extreme, 8),
        ("extreme 4", SphereSplit::Extreme, 4),
        ("median 8", SphereSplit::Median, 8),
    ];
    println!("## Trees over {count} balls: µs per question, geometric mean over poses");
    println!("| model | tree | build s | distance | lens sum | tests |");
    println!("|---|---|---|---|---|---|");
    let mut logs = vec![(0.0, 0_usize); rules.len()];
    let mut depths = [[DepthSums::default(); 3]; ATTACHED.len()];
    let (mut threads, mut full) = (Vec::new(), 0);
    for name in MODELS {
        if !args.wants_model(name) || args.is_over() {
            continue;
        }
        let Some(tree) = model(name)? else {
            continue;
        };
        let solid = MeshSolid::new(&tree)?;
        let balls = packed(&solid, count)?;
        full += usize::from(balls.len() == BALLS);
        for (k, &(rule, split, width)) in rules.iter().enumerate() {
            let start = Instant::now();
            let spheres = InnerSphereTree::new(&balls, &InnerSphereTreeOptions { split, width })?;
            let build = start.elapsed().as_secs_f64();
            let times = ask(&spheres, &OFFSETS);
            println!(
                "| {name} | {rule} | {build:.2} | {:.1} | {:.1} | {:.0} |",
                times.distance, times.volume, times.tests
            );
            logs[k].0 += times.distance.ln() + times.volume.ln();
            logs[k].1 += 2;
            if k == 0 {
                let with_cones = spheres.clone().with_surface(&solid);
                let with_cells = with_cones.clone().with_gaps(&solid, RESOLUTION);
                let with_gaps = with_cells.clone().without_cells();
                let others = [with_cones, with_gaps, with_cells];
                let others = others.map(|tree| ask(&tree, &DEPTHS).depths);
                for (sums, own) in depths.iter_mut().zip([times.depths].iter().chain(&others)) {
                    for (sum, own) in sums.iter_mut().zip(own) {
                        sum.time += own.time;
                        sum.tests += own.tests;
                        sum.pairs += own.pairs;
                        sum.poses += own.poses;
                    }
                }
            }
        }
        threads.push(compare_threads(&balls, gas)?);
    }
    let mean = |k: usize| (logs[k].0 / logs[k].1.max(1) as f64).exp();
    if logs[0].1 == 0 {
        return Ok(open("trees: no model is there, or the time is up"));
    }
    let (extreme, largest) = (mean(5) / mean(1), mean(3) / mean(1));
    println!(
        "four children: extreme {extreme:.2} and largest {largest:.2} times the time of neural gas; eight children: {:.2} and {:.2}",
        mean(4) / mean(0),
        mean(2) / mean(0)
    );
    for (what, depths) in ATTACHED.iter().zip(&depths) {
        for (depth, name) in depths.iter().zip(["1 %", "2 %", "10 %"]) {
            let count = f64::from(depth.poses.max(1));
            println!(
                "pushed in by {name}, default tree, {what}: {:.0} µs; {:.0} tests of {:.2} ns, {:.0} pairs of balls overlap",
                depth.mean(),
                depth.tests / count,
                1e3 * depth.time / depth.tests.max(1.0),
                depth.pairs / count
            );
        }
    }
    let best = (1..rules.len()).all(|k| mean(0) <= mean(k));
    let claimed = extreme >= 4.0 && largest >= 1.2;
    println!(
        "the claim of 4 times the extreme split and 1.2 times the greedy one is {}; the default split is {}",
        if claimed { "confirmed" } else { "refuted" },
        if best {
            "the fastest"
        } else {
            "not the fastest"
        }
    );
    let is_full = args.is_full(BALLS) && full == MODELS.len();
    let [_, shallow, deep] = &depths[0];
    let met = [
        sized(
            "level-parallel neural gas 1.7 times as fast on two cores",
            Bar::every(threads.iter().map(|t| t.0 >= 1.7)),
            is_full,
        ),
        held(
            "level-parallel neural gas the same tree",
            Bar::every(threads.iter().map(|t| t.1)),
            is_full,
        ),
        sized(
            &format!("{} at 2 % within 60 µs, mean", ATTACHED[0]),
            Bar::at_most(shallow.mean(), 60.0),
            is_full,
        ),
        sized(
            &format!("{} at 10 % within 400 µs, mean", ATTACHED[0]),
            Bar::at_most(deep.mean(), 400.0),
            is_full,
        ),
        sized(
            &format!(
                "neural gas 4 times as fast as the extreme split, with four children: {extreme:.2}"
            ),
            Bar::at_least(extreme, 4.0),
            is_full,
        ),
        sized(
            &format!("neural gas 1.2 times as fast as the greedy split: {largest:.2}"),
            Bar::at_least(largest, 1.2),
            is_full,
        ),
        sized(
            "the default split is the fastest of all",
            Bar::of(best),
            is_full,
        ),
    ];
    Ok(super::all(&met))
}

fn packed(solid: &MeshSolid<'_>, count: usize) -> anyhow::Result<Vec<SolidBall>> {
    let options = PackOptions {
        count: Some(count),
        ..PackOptions::default()
    };
    Ok(pack(solid, &options)?.balls)
}

/// Level-parallel neural gas beside the sequential one.
fn compare_threads(balls: &[SolidBall], gas: NeuralGasOptions) -> anyhow::Result<(f64, bool)> {
    let build = |split| -> anyhow::Result<(Vec<u32>, f64, f64)> {
        let (start, before) = (Instant::now(), process_time());
        let tree = InnerSphereTree::new(balls, &InnerSphereTreeOptions { split, width: 4 })?;
        let wall = start.elapsed().as_secs_f64();
        let spent = process_time()
            .zip(before)
            .map_or(wall, |(after, before)| (after - before).as_secs_f64());
        Ok((tree.order().to_vec(), wall, spent))
    };
    let one = build(SphereSplit::NeuralGasSequential(gas))?;
    let all = build(SphereSplit::NeuralGas(gas))?;
    println!(
        "  neural gas: sequential {:.2} s, by levels {:.2} s ({:.2} s of processor); the same tree: {}",
        one.1,
        all.1,
        all.2,
        one.0 == all.0
    );
    Ok((one.1 / all.1, one.0 == all.0))
}

struct BuildTimes {
    distance: f64,
    volume: f64,
    tests: f64,
    depths: [DepthSums; 3],
}

/// Sums over poses of one depth: of times in µs, tests, and pairs of balls that overlap.
#[derive(Clone, Copy, Default)]
struct DepthSums {
    time: f64,
    tests: f64,
    pairs: f64,
    poses: i32,
}

impl DepthSums {
    /// Not a number without a pose.
    fn mean(&self) -> f64 {
        self.time / f64::from(self.poses)
    }
}

/// How often all poses are queried in turn; the median of a pose counts.
const ROUNDS: usize = 9;

/// The median of several rounds, as geometric means over poses, and at each depth.
///
/// A round goes through all poses, so that no pose finds in the processor's caches what the same
/// pose left there a moment ago: a caller along a path queries each pose once.
fn ask(tree: &InnerSphereTree, offsets: &[f64]) -> BuildTimes {
    let mut rng = Rng::new(1);
    let mut cache = InnerSphereTreeCache::default();
    let size = tree.root().map_or(1.0, |root| 2.0 * root.radius);
    let mut asked: Vec<Asked> = Vec::new();
    for _ in 0..LINES {
        let turn = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 3.0), DVec3::ZERO);
        let Ok(turn) = turn else { continue };
        let direction = rng.direction();
        let at = |t: f64| Pose::from_translation(direction * t).map(|move_| move_ * turn);
        // Where they touch: the gap says how far to go.
        let mut touch = 1.5 * size;
        for _ in 0..40 {
            let Ok(pose) = at(touch) else { break };
            let gap = tree
                .distance(
                    tree,
                    &pose,
                    Limits::default(),
                    &mut InnerSphereTreeCache::default(),
                )
                .map_or(0.0, |found| found.upper);
            touch -= gap;
            if gap < 1e-6 * size {
                break;
            }
        }
        asked.extend(offsets.iter().filter_map(|&offset| {
            let pose = at(touch + offset * size).ok()?;
            Some(Asked {
                offset,
                pose,
                tests: 0,
                pairs: 0,
                times: Vec::with_capacity(ROUNDS),
            })
        }));
    }
    for _ in 0..ROUNDS {
        for one in &mut asked {
            let start = Instant::now();
            if one.offset > 0.0 {
                let mut fresh = InnerSphereTreeCache::default();
                let _ = tree.distance(tree, &one.pose, Limits::default(), &mut fresh);
                one.tests = fresh.tests();
            } else {
                let found = tree.overlap(tree, &one.pose, Limits::default(), &mut cache);
                one.pairs = found.pairs;
                one.tests = cache.tests();
            }
            one.times.push(start.elapsed().as_secs_f64() * 1e6);
        }
    }
    let (mut distance, mut volume, mut tests) = ((0.0, 0), (0.0, 0), 0.0);
    let mut depths = [DepthSums::default(); 3];
    for one in &mut asked {
        let time = median(&mut one.times);
        tests += one.tests as f64;
        if let Some(k) = DEPTHS.iter().position(|depth| *depth == one.offset) {
            depths[k].time += time;
            depths[k].tests += one.tests as f64;
            depths[k].pairs += one.pairs as f64;
            depths[k].poses += 1;
        }
        let sum = if one.offset > 0.0 {
            &mut distance
        } else {
            &mut volume
        };
        sum.0 += time.max(0.01).ln();
        sum.1 += 1;
    }
    let mean = |sum: (f64, i32)| (sum.0 / f64::from(sum.1.max(1))).exp();
    BuildTimes {
        distance: mean(distance),
        volume: mean(volume),
        tests: tests / asked.len().max(1) as f64,
        depths,
    }
}

/// A pose, and what asking about it took.
struct Asked {
    offset: f64,
    pose: Pose,
    tests: u64,
    pairs: usize,
    times: Vec<f64>,
}
