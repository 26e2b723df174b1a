//! Separating planes: the published error table next to ours, and cached planes compared with new
//! ones.

use std::hint::black_box;
use std::time::Instant;

use impinge::convex::{CachedPlane, GjkCache, Polyhedron, intersects};
use impinge::math::Rng;
use impinge::{DVec3, Pose};
use impinge_study::convex::{InitialPlane, PerceptronConfig, PerceptronStep, separating_plane};

use crate::{Bar, Bars};

/// Faces of one cone: two hundred for both.
const CONE_SIDES: u32 = 99;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Frames of the scene
    #[arg(long, default_value_t = 10_000)]
    frames: u32,
    /// Seed of the bodies' first poses and velocities
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Edge of the cage, in units of the cones' size
    #[arg(long, default_value_t = 3.0)]
    cage: f64,
}

/// Published share of wrong answers, by first plane and allowed updates.
const PUBLISHED: [(&str, InitialPlane, [f64; 3]); 3] = [
    ("across x", InitialPlane::Axis, [24.0, 3.0, 0.5]),
    ("means of vertices", InitialPlane::Means, [16.0, 2.8, 0.37]),
    ("centres of boxes", InitialPlane::Boxes, [15.0, 2.8, 0.37]),
];

/// Published best steps for 10, 100 and 1000 updates.
const STEPS: [(u32, f64); 3] = [(10, 0.25), (100, 0.03), (1000, 0.007)];

/// Errors that differ by no more than this factor count as reproduced; how much smaller an error is
/// than the published one is printed.
const AGREEMENT: f64 = 1.5;

/// An error of ours beside the published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ErrorComparison {
    Less,
    Same,
    More,
}

impl ErrorComparison {
    fn of(ours: f64, published: f64) -> Self {
        if ours > published {
            Self::More
        } else if ours * AGREEMENT < published {
            Self::Less
        } else {
            Self::Same
        }
    }

    fn mark(self) -> &'static str {
        match self {
            Self::Less => "-",
            Self::Same => " ",
            Self::More => "+",
        }
    }
}

fn cone() -> anyhow::Result<Polyhedron> {
    let mut points = vec![DVec3::new(0.0, 0.0, 0.5)];
    for i in 0..CONE_SIDES {
        let angle = f64::from(i) / f64::from(CONE_SIDES) * std::f64::consts::TAU;
        points.push(DVec3::new(0.5 * angle.cos(), 0.5 * angle.sin(), -0.5));
    }
    Ok(Polyhedron::new(&points)?)
}

/// A body that flies straight, turns steadily and bounces off the cage.
struct BouncingBody {
    at: DVec3,
    velocity: DVec3,
    axis: DVec3,
    rate: f64,
}

impl BouncingBody {
    fn new(rng: &mut Rng, cage: f64) -> Self {
        Self {
            at: rng.cube() * (0.5 * cage),
            velocity: rng.direction() * 0.01,
            axis: rng.direction(),
            rate: rng.range(0.005, 0.02),
        }
    }

    fn advance(&mut self, cage: f64) {
        self.at += self.velocity;
        for i in 0..3 {
            if self.at[i].abs() > 0.5 * cage {
                self.velocity[i] = -self.velocity[i].abs() * self.at[i].signum();
            }
        }
    }

    fn pose(&self, frame: u32) -> anyhow::Result<Pose> {
        Ok(Pose::from_axis_angle(
            self.axis,
            self.rate * f64::from(frame),
            self.at,
        )?)
    }
}

fn placed(shape: &Polyhedron, pose: &Pose) -> Vec<DVec3> {
    shape.vertices().iter().map(|&v| *pose * v).collect()
}

/// How much cheaper kept planes have to be than new ones.
const CHEAPER: f64 = 5.0;

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let shape = cone()?;
    let mut rng = Rng::new(args.seed);
    let mut flights = [
        BouncingBody::new(&mut rng, args.cage),
        BouncingBody::new(&mut rng, args.cage),
    ];
    let mut poses = Vec::new();
    for frame in 0..args.frames {
        for flight in &mut flights {
            flight.advance(args.cage);
        }
        poses.push([flights[0].pose(frame)?, flights[1].pose(frame)?]);
    }
    let sets: Vec<[Vec<DVec3>; 2]> = poses
        .iter()
        .map(|pair| pair.map(|pose| placed(&shape, &pose)))
        .collect();
    let relative: Vec<Pose> = poses.iter().map(|[a, b]| a.inverse() * *b).collect();
    let apart: Vec<bool> = relative
        .iter()
        .map(|pose| !intersects(&shape, &shape, pose, &mut GjkCache::new()))
        .collect();
    let apart_count = apart.iter().filter(|&&apart| apart).count();
    println!(
        "two cones of {} faces in a cage, {} frames, {apart_count} of them apart",
        CONE_SIDES + 1,
        args.frames
    );
    println!(
        "share of frames answered \"meeting\" although apart; published | ours, + more than the published one, - smaller by more than {AGREEMENT} times"
    );
    println!(
        "{:<20} {:>19} {:>19} {:>19}",
        "first plane", "10 updates", "100 updates", "1000 updates"
    );
    let mut table = Vec::new();
    for (name, initial, published) in PUBLISHED {
        let mut cells = Vec::new();
        for ((max_updates, eta), published) in STEPS.into_iter().zip(published) {
            let config = PerceptronConfig {
                initial,
                step: PerceptronStep::Relaxed { eta, factor: 1.0 },
                max_updates,
                ..PerceptronConfig::default()
            };
            let wrong = sets
                .iter()
                .zip(&apart)
                .filter(|([a, b], apart)| {
                    **apart && separating_plane(a, b, &config).plane.is_none()
                })
                .count();
            let ours = 100.0 * wrong as f64 / f64::from(args.frames);
            let beside = ErrorComparison::of(ours, published);
            table.push((format!("{name}, {max_updates} updates"), beside));
            cells.push(format!(
                "{published:>5.2} % | {ours:>5.2} %{}",
                beside.mark()
            ));
        }
        println!(
            "{name:<20} {:>19} {:>19} {:>19}",
            cells[0], cells[1], cells[2]
        );
    }
    let config = PerceptronConfig {
        max_updates: 10,
        step: PerceptronStep::Relaxed {
            eta: 0.25,
            factor: 0.97,
        },
        ..PerceptronConfig::default()
    };
    let adaptive = PerceptronConfig {
        max_updates: 10,
        step: PerceptronStep::Adaptive,
        ..PerceptronConfig::default()
    };
    for (name, config) in [("relaxed by 0.97", config), ("adaptive step", adaptive)] {
        let wrong = sets
            .iter()
            .zip(&apart)
            .filter(|([a, b], apart)| **apart && separating_plane(a, b, &config).plane.is_none())
            .count();
        println!(
            "{name:<20} {:>16.2} % (centres of boxes, 10 updates)",
            100.0 * wrong as f64 / f64::from(args.frames)
        );
    }

    // New planes: a search from the boxes' centres in every frame. Kept planes: one per pair.
    let cold_config = PerceptronConfig::default();
    let begin = Instant::now();
    let mut cold_products = 0;
    for ([a, b], apart) in sets.iter().zip(&apart) {
        if *apart {
            cold_products += black_box(separating_plane(a, b, &cold_config)).products;
        }
    }
    let cold = begin.elapsed();
    let mut tracked = CachedPlane::new();
    let begin = Instant::now();
    let mut wrong = 0;
    for (pose, apart) in relative.iter().zip(&apart) {
        if *apart {
            wrong += u32::from(black_box(tracked.intersects(&shape, &shape, pose)));
        }
    }
    let kept = begin.elapsed();
    let products = cold_products as f64 / tracked.products().max(1) as f64;
    let time = cold.as_secs_f64() / kept.as_secs_f64().max(1e-12);
    println!(
        "new planes:  {:>8.1} products, {:>8.0} ns per frame",
        cold_products as f64 / apart_count as f64,
        cold.as_nanos() as f64 / apart_count as f64
    );
    println!(
        "kept planes: {:>8.1} products, {:>8.0} ns per frame; kept {} renewed {} wrong {wrong}",
        tracked.products() as f64 / apart_count as f64,
        kept.as_nanos() as f64 / apart_count as f64,
        tracked.kept(),
        tracked.renewed()
    );
    println!("kept planes are cheaper {products:.1}x in products, {time:.1}x in time");
    let mut bars = Bars::default();
    tell_table(&table, &mut bars);
    let is_cheaper = products >= CHEAPER && time >= CHEAPER;
    bars.say(
        if apart_count == 0 {
            Bar::Open
        } else {
            Bar::of(is_cheaper && wrong == 0)
        },
        format_args!(
            "kept planes at least {CHEAPER}x cheaper than new ones, {wrong} of them wrong"
        ),
    );
    Ok(bars.end())
}

/// Says how far the table is that which was published. A smaller error than the published one is no reproduction of it, but it misses nothing either: the bar is
/// that no error is larger.
fn tell_table(table: &[(String, ErrorComparison)], bars: &mut Bars) {
    let of = |wanted: ErrorComparison| {
        let rows = table.iter().filter(|(_, beside)| *beside == wanted);
        let names: Vec<&str> = rows.map(|(name, _)| name.as_str()).collect();
        names
    };
    println!(
        "{} of {} errors are as published, up to {AGREEMENT} times smaller",
        of(ErrorComparison::Same).len(),
        table.len()
    );
    for (what, beside) in [
        ("smaller", ErrorComparison::Less),
        ("larger", ErrorComparison::More),
    ] {
        let names = of(beside);
        if !names.is_empty() {
            println!("{what}: {}", names.join("; "));
        }
    }
    bars.say(
        Bar::every(
            table
                .iter()
                .map(|(_, beside)| *beside != ErrorComparison::More),
        ),
        format_args!("no error larger than the published one"),
    );
}

#[cfg(test)]
mod tests {
    use super::ErrorComparison;

    #[test]
    fn no_error_at_all_is_no_reproduction() {
        assert_eq!(ErrorComparison::of(0.0, 0.37), ErrorComparison::Less);
        assert_eq!(ErrorComparison::of(0.25, 0.37), ErrorComparison::Same);
        assert_eq!(ErrorComparison::of(0.37, 0.37), ErrorComparison::Same);
        assert_eq!(ErrorComparison::of(0.38, 0.37), ErrorComparison::More);
    }
}
