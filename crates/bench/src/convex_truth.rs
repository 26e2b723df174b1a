//! Convex hulls against separating axes in integers, millions of pairs.

use std::time::Instant;

use impinge::convex::{GjkCache, Polyhedron, SatCache, intersects, penetration, polyhedra_depth};
use impinge::math::Rng;
use impinge::{DVec3, Pose};
use impinge_study::convex::clipped_edge;
use impinge_testkit::oracle;

use crate::parallel_cases::in_blocks;
use crate::{Bar, Bars};

/// Pairs between two looks at the common counter.
const BLOCK: u64 = 256;

/// One in so many small pairs is also measured for depth, which the oracle answers slowly.
const DEPTH_EVERY: u64 = 64;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Pairs of hulls of 4 to 8 points; half random, half on a grid
    #[arg(long, default_value_t = 1_000_000)]
    small: u64,
    /// Pairs of hulls of up to 64 points
    #[arg(long, default_value_t = 10_000)]
    large: u64,
    /// First seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: u64,
}

#[derive(Debug, Default)]
struct Tally {
    pairs: u64,
    meeting: u64,
    exact: u64,
    depths: u64,
    wrong: u64,
    shown: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.meeting += other.meeting;
        self.exact += other.exact;
        self.depths += other.depths;
        self.wrong += other.wrong;
        self.shown.extend(other.shown);
        self.shown.truncate(5);
    }

    fn note(&mut self, what: &str, a: &[DVec3], b: &[DVec3]) {
        self.wrong += 1;
        if self.shown.len() < 5 {
            self.shown.push(format!("{what}\n  a {a:?}\n  b {b:?}"));
        }
    }

    fn judge(&mut self, a: &[DVec3], b: &[DVec3], with_depth: bool) {
        let (Ok(hull_a), Ok(hull_b)) = (Polyhedron::new(a), Polyhedron::new(b)) else {
            return self.note("hull refused", a, b);
        };
        self.pairs += 1;
        let truth = oracle::hulls_meet(a, b);
        self.meeting += u64::from(truth);
        let mut cache = GjkCache::new();
        if intersects(&hull_a, &hull_b, &Pose::IDENTITY, &mut cache) != truth {
            self.note("search", a, b);
        }
        self.exact += u64::from(cache.exact_decisions() > 0);
        if !with_depth {
            return;
        }
        self.depths += 1;
        let grown = penetration(&hull_a, &hull_b, &Pose::IDENTITY, &mut cache);
        let axes = polyhedra_depth(&hull_a, &hull_b, &Pose::IDENTITY, &mut SatCache::new());
        let clipped = clipped_edge(&hull_a, &hull_b, &Pose::IDENTITY).0.is_some();
        if clipped != truth || axes.is_some() != truth || grown.is_some() != truth {
            self.note("depth, axes or clipping", a, b);
        }
        if let (oracle::HullContact::Meeting { depth }, Some(grown), Some(axes)) =
            (oracle::hull_contact(a, b), grown, axes)
        {
            if !(grown.lower <= depth && depth <= grown.upper) {
                self.note(&format!("depth {depth} outside {grown:?}"), a, b);
            }
            if (axes.depth - depth).abs() > 1e-12 {
                self.note(&format!("depth {depth}, by axes {}", axes.depth), a, b);
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Draw {
    SmallRandom,
    SmallGrid,
    Large,
}

fn pair(draw: Draw, rng: &mut Rng) -> [Vec<DVec3>; 2] {
    let (fewest, range) = match draw {
        Draw::Large => (9, 56),
        _ => (4, 5),
    };
    let counts = [fewest + rng.below(range), fewest + rng.below(range)];
    let centre = match draw {
        Draw::SmallRandom => rng.direction() * rng.range(0.0, 2.5),
        Draw::SmallGrid => grid_point(rng),
        Draw::Large => rng.direction() * rng.range(1.5, 2.1),
    };
    let mut set = |centre: DVec3, count: u64| -> Vec<DVec3> {
        (0..count)
            .map(|_| match draw {
                Draw::SmallRandom => ((rng.cube() + centre) * 65536.0).round() / 65536.0,
                Draw::SmallGrid => grid_point(rng) + centre,
                Draw::Large => ((rng.direction() + centre) * 4096.0).round() / 4096.0,
            })
            .collect()
    };
    [set(DVec3::ZERO, counts[0]), set(centre, counts[1])]
}

fn grid_point(rng: &mut Rng) -> DVec3 {
    let mut x = || rng.grid(-2, 2);
    DVec3::new(x(), x(), x())
}

fn tally(draw: Draw, pairs: u64, seed: u64, threads: u64) -> Tally {
    let blocks = pairs.div_ceil(BLOCK);
    let found = in_blocks(blocks, threads, |own: &mut Tally, block| {
        let mut rng = Rng::new(seed.wrapping_mul(0x9E37_79B9).wrapping_add(block));
        for i in block * BLOCK..((block + 1) * BLOCK).min(pairs) {
            let [a, b] = pair(draw, &mut rng);
            let with_depth = !matches!(draw, Draw::Large) && i % DEPTH_EVERY == 0;
            own.judge(&a, &b, with_depth);
        }
    });
    let mut all = Tally::default();
    found.into_iter().flatten().for_each(|own| all.add(own));
    all
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    println!(
        "{:<26} {:>9} {:>9} {:>11} {:>8} {:>7} {:>8}",
        "hulls", "pairs", "meeting", "in integers", "depths", "wrong", "seconds"
    );
    let mut bars = Bars::default();
    for (name, draw, pairs) in [
        ("4-8 points, random", Draw::SmallRandom, args.small / 2),
        (
            "4-8 points, grid",
            Draw::SmallGrid,
            args.small - args.small / 2,
        ),
        ("9-64 points, on a sphere", Draw::Large, args.large),
    ] {
        let begin = Instant::now();
        let t = tally(draw, pairs, args.seed, args.threads);
        println!(
            "{name:<26} {:>9} {:>9} {:>11} {:>8} {:>7} {:>8.1}",
            t.pairs,
            t.meeting,
            t.exact,
            t.depths,
            t.wrong,
            begin.elapsed().as_secs_f64()
        );
        for line in &t.shown {
            println!("{line}");
        }
        // A pair that a panic took with it is wrong.
        let wrong = t.wrong + (pairs - t.pairs.min(pairs));
        bars.say(
            Bar::none_wrong(wrong, t.pairs),
            format_args!(
                "{name}: every pair as the exact separating axes say, depth bounds hold their depth"
            ),
        );
    }
    Ok(bars.end())
}
