//! From which size on does a tree pay? The measurement behind `bvh::auto`.

use std::sync::Arc;
use std::time::Instant;

use impinge::bvh::choose_engine::{QueryMix, choose_mesh_engine};
use impinge::bvh::engines::MeshEngine;
use impinge::generate::ball;
use impinge::math::Rng;
use impinge::query::{First, Limits};
use impinge::{Pose, TriMesh};
use impinge_testkit::generate::poses;

use crate::Bar;
use crate::sample_statistics::median;

/// A choice is good when it costs at most this many times the better engine.
const FACTOR: f64 = 2.0;
/// What counts as many questions.
const MANY: f64 = 1000.0;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Rounds over all sizes
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// Placements of each pair
    #[arg(long, default_value_t = 40)]
    poses: usize,
}

/// Nanoseconds to build, and per question.
#[derive(Clone, Copy, Debug)]
struct Cost {
    build: f64,
    question: f64,
}

fn cost(engine: MeshEngine, a: &TriMesh, b: &TriMesh, places: &[Pose]) -> Cost {
    let (a, b) = (Arc::new(a.clone()), Arc::new(b.clone()));
    let start = Instant::now();
    let mut pair = engine.prepare(a, b);
    let build = start.elapsed();
    let ask = |pair: &mut dyn impinge::bvh::engines::PreparedPair| {
        for pose in places {
            let mut first = First::default();
            let _ = pair.intersections(pose, Limits::default(), &mut first);
        }
    };
    ask(&mut *pair);
    let start = Instant::now();
    ask(&mut *pair);
    let question = start.elapsed();
    Cost {
        build: build.as_nanos() as f64,
        question: question.as_nanos() as f64 / places.len().max(1) as f64,
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let sides = [
        (3, 2),
        (4, 3),
        (6, 4),
        (8, 6),
        (12, 8),
        (16, 12),
        (32, 24),
        (64, 48),
    ];
    let mut balls = Vec::new();
    for (segments, bands) in sides {
        balls.push(ball(1.0, segments, bands)?);
    }
    let mut pairs: Vec<(usize, usize)> = (0..balls.len()).map(|i| (i, i)).collect();
    // One small against one large.
    pairs.extend([(0, 4), (0, 6), (0, 7), (2, 7)]);
    let mut rng = Rng::new(1);
    let places: Vec<Pose> = (0..args.poses.max(1))
        .map(|_| poses::random(&mut rng, 1.5))
        .collect();
    let engines = [MeshEngine::FaceSweep, MeshEngine::WideTree];
    let mut samples = vec![[const { Vec::<Cost>::new() }; 2]; pairs.len()];
    for _ in 0..args.rounds.max(1) {
        for (pair, samples) in pairs.iter().zip(&mut samples) {
            for (engine, samples) in engines.iter().zip(samples) {
                samples.push(cost(*engine, &balls[pair.0], &balls[pair.1], &places));
            }
        }
    }
    println!(
        "microseconds: build, then each question (any intersection); chosen for one question, for many"
    );
    println!(
        "{:>6} {:>6}  {:>9} {:>9}  {:>9} {:>9}",
        "a", "b", "sweep", "", "tree", ""
    );
    let mut worst = 1.0_f64;
    for (pair, samples) in pairs.iter().zip(&samples) {
        let (a, b) = (&balls[pair.0], &balls[pair.1]);
        let of = |k: usize| Cost {
            build: median(samples[k].iter().map(|c| c.build).collect::<Vec<_>>()),
            question: median(samples[k].iter().map(|c| c.question).collect::<Vec<_>>()),
        };
        let costs = [of(0), of(1)];
        let mut chosen = Vec::new();
        for many in [false, true] {
            let choice = choose_mesh_engine(
                a,
                b,
                QueryMix {
                    distances: false,
                    many,
                },
            );
            let total = |c: &Cost| c.build + c.question * if many { MANY } else { 1.0 };
            let k = usize::from(choice.engine == MeshEngine::WideTree);
            worst = worst.max(total(&costs[k]) / total(&costs[0]).min(total(&costs[1])));
            chosen.push(choice.engine.name());
        }
        println!(
            "{:>6} {:>6}  {:>9.2} {:>9.3}  {:>9.2} {:>9.3}  {}, {}",
            a.face_count(),
            b.face_count(),
            costs[0].build * 1e-3,
            costs[0].question * 1e-3,
            costs[1].build * 1e-3,
            costs[1].question * 1e-3,
            chosen[0],
            chosen[1]
        );
    }
    let bar = if worst <= FACTOR {
        Bar::Met
    } else {
        Bar::Missed
    };
    println!(
        "bar: every choice within {FACTOR} times the better engine, worst {worst:.2}: {}",
        if bar == Bar::Met { "met" } else { "missed" }
    );
    Ok(bar)
}
