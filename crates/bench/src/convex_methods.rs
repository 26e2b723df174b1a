//! Every method for two polyhedra by size and by motion, and whether the automatic choice takes the best.
//!
//! **Question.** From which size on, and in which motion, does which method pay?
//! **Idea.** The same hulls and the same poses for all, in turn. `--only` runs one method and nothing else, so that its instructions can be
//! counted from outside: those of `--only nothing` are the scene's.

use std::hint::black_box;
use std::time::Instant;

use impinge::convex::{
    CachedPlane, ConvexClass, ConvexMethod, ConvexQueryKind, FeatureWalk, GjkCache, Polyhedron,
    SatCache, choose_method, distance, feature_walk, intersects, polyhedra_intersect,
};
use impinge::math::Rng;
use impinge::{DVec3, Pose};
use impinge_study::convex::clipped_edge;

use crate::sample_statistics::median;
use crate::{Bar, Bars};

/// Vertices of the hulls, one of each row against the other.
const SIZES: [[usize; 2]; 9] = [
    [4, 4],
    [8, 8],
    [16, 16],
    [32, 32],
    [64, 64],
    [128, 128],
    [512, 512],
    [2048, 2048],
    [8, 512],
];
/// How much slower than the best the chosen method may be.
const FACTOR: f64 = 1.25;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Poses of each scene
    #[arg(long, default_value_t = 2000)]
    questions: usize,
    /// Rounds in which every method has its turn
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// One method alone, with nothing printed but its answers: to count its instructions
    #[arg(long, value_enum)]
    only: Option<TimedMethod>,
    /// Only hulls with so many vertices
    #[arg(long)]
    vertices: Option<usize>,
    /// Only this motion
    #[arg(long, value_enum)]
    motion: Option<Motion>,
}

/// How the second hull moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Motion {
    /// In small steps, apart all the time
    Beside,
    /// In small steps, in and out
    Through,
    /// Anywhere, each pose of its own
    Anywhere,
}

impl Motion {
    const ALL: [Self; 3] = [Self::Beside, Self::Through, Self::Anywhere];

    fn name(self) -> &'static str {
        match self {
            Self::Beside => "beside",
            Self::Through => "through",
            Self::Anywhere => "anywhere",
        }
    }
}

/// What answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum TimedMethod {
    /// Nothing: what making the scene takes
    Nothing,
    /// Whether they meet, by differences from where the last search ended
    Differences,
    /// Whether they meet, by the plane that is kept
    KeptPlane,
    /// Whether they meet, by separating axes
    Axes,
    /// Whether they meet, by clipped edges
    Clipping,
    /// The distance by differences
    Gap,
    /// The distance by the walk between features
    Walk,
}

impl TimedMethod {
    const YES_OR_NO: [Self; 4] = [
        Self::Differences,
        Self::KeptPlane,
        Self::Axes,
        Self::Clipping,
    ];
    const DISTANCE: [Self; 2] = [Self::Gap, Self::Walk];

    fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Differences | Self::Gap => "differences",
            Self::KeptPlane => "kept plane",
            Self::Axes => "axes",
            Self::Clipping => "clipping",
            Self::Walk => "walk",
        }
    }

    /// The largest hull that it is run with; others take minutes.
    fn most_vertices(self) -> usize {
        match self {
            Self::Axes => 64,
            Self::Clipping => 512,
            _ => usize::MAX,
        }
    }

    /// The sum of the answers: how many meet, or how far apart they are together.
    fn ask(self, [a, b]: &[Polyhedron; 2], poses: &[Pose]) -> f64 {
        let (mut gjk, mut sat) = (GjkCache::new(), SatCache::new());
        let (mut plane, mut steps) = (CachedPlane::new(), FeatureWalk::new());
        let mut sum = 0.0;
        for pose in poses {
            sum += match self {
                Self::Nothing => 0.0,
                Self::Differences => f64::from(intersects(a, b, pose, &mut gjk)),
                Self::KeptPlane => f64::from(plane.meets(a, b, pose)),
                Self::Axes => f64::from(polyhedra_intersect(a, b, pose, &mut sat)),
                Self::Clipping => f64::from(u8::from(clipped_edge(a, b, pose).0.is_some())),
                Self::Gap => distance(a, b, pose, &mut gjk).value.distance,
                Self::Walk => feature_walk(a, b, pose, &mut steps).value.distance,
            };
        }
        black_box(sum)
    }
}

/// A hull with so many vertices, longer than wide.
fn hull(rng: &mut Rng, vertices: usize) -> anyhow::Result<Polyhedron> {
    let stretch = DVec3::new(1.0, 0.6, 0.35);
    let points: Vec<DVec3> = (0..vertices).map(|_| rng.direction() * stretch).collect();
    Ok(Polyhedron::new(&points)?)
}

fn poses(motion: Motion, count: usize) -> anyhow::Result<Vec<Pose>> {
    let mut rng = Rng::new(5);
    let step = |k: usize| {
        let t = 0.01 * k as f64;
        let away = match motion {
            Motion::Through => 1.15 + 0.5 * (1.7 * t).sin(),
            _ => 2.15 + 0.1 * (1.7 * t).sin(),
        };
        let along = DVec3::new((0.9 * t).cos(), (0.9 * t).sin(), 0.4 * (0.5 * t).sin());
        Pose::from_axis_angle([1.0, 0.5, 0.2], t, along.normalize() * away)
    };
    let poses: Result<Vec<Pose>, _> = (0..count)
        .map(|k| match motion {
            Motion::Anywhere => {
                let at = rng.direction() * rng.range(0.4, 2.2);
                Pose::from_axis_angle(rng.direction(), rng.range(0.0, 6.0), at)
            }
            Motion::Beside | Motion::Through => step(k),
        })
        .collect();
    Ok(poses?)
}

/// The way that the choice takes.
fn chosen(hulls: &[Polyhedron; 2], is_distance: bool, motion: Motion) -> TimedMethod {
    let question = if is_distance {
        ConvexQueryKind::Distance
    } else {
        ConvexQueryKind::Intersection
    };
    let classes = [&hulls[0], &hulls[1]].map(ConvexClass::from);
    match choose_method(question, classes, motion != Motion::Anywhere).method {
        ConvexMethod::KeptPlane => TimedMethod::KeptPlane,
        _ if is_distance => TimedMethod::Gap,
        _ => TimedMethod::Differences,
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut bars = Bars::default();
    if args.only.is_none() {
        println!("nanoseconds a question; * is chosen");
    }
    for sizes in SIZES {
        if args.vertices.is_some_and(|wanted| wanted != sizes[1]) {
            continue;
        }
        let mut rng = Rng::new(sizes[1] as u64);
        let hulls = [hull(&mut rng, sizes[0])?, hull(&mut rng, sizes[1])?];
        for motion in Motion::ALL {
            if args.motion.is_some_and(|wanted| wanted != motion) {
                continue;
            }
            let poses = poses(motion, args.questions)?;
            if let Some(way) = args.only {
                println!("{} {}", way.name(), way.ask(&hulls, &poses));
                continue;
            }
            for (what, ways) in [
                ("yes or no", &TimedMethod::YES_OR_NO[..]),
                ("distance", &TimedMethod::DISTANCE[..]),
            ] {
                let ways: Vec<TimedMethod> = ways
                    .iter()
                    .copied()
                    .filter(|way| sizes[1] <= way.most_vertices())
                    .collect();
                let mut times = vec![Vec::new(); ways.len()];
                let mut sums = vec![0.0; ways.len()];
                for _ in 0..args.rounds.max(1) {
                    for (k, way) in ways.iter().enumerate() {
                        let start = Instant::now();
                        sums[k] = way.ask(&hulls, &poses);
                        times[k].push(start.elapsed().as_secs_f64() * 1e9);
                    }
                }
                let each = poses.len().max(1) as f64;
                let times: Vec<f64> = times.iter_mut().map(|t| median(t) / each).collect();
                let taken = chosen(&hulls, what == "distance", motion);
                let mut line = format!("{:>4} and {:>4}, {:<9}", sizes[0], sizes[1], motion.name());
                for (way, time) in ways.iter().zip(&times) {
                    let mark = if *way == taken { "*" } else { "" };
                    line += &format!(" {} {time:.0}{mark}", way.name());
                }
                println!("{line}");
                let best = times.iter().copied().fold(f64::INFINITY, f64::min);
                let own = ways.iter().position(|way| *way == taken);
                let ratio = own.map(|k| times[k] / best);
                let place = format!("{what} of {} and {}, {}", sizes[0], sizes[1], motion.name());
                bars.say(
                    Bar::at_most(ratio, FACTOR),
                    format_args!("{place}: the chosen method within {FACTOR} times the best"),
                );
                let is_same = sums
                    .iter()
                    .all(|sum| (sum - sums[0]).abs() <= 1e-9 * sums[0]);
                bars.say(Bar::of(is_same), format_args!("{place}: one answer of all"));
            }
        }
    }
    // One method alone is for counting instructions, and a part of the scenes says nothing of the others.
    let is_part = args.only.is_some() || args.vertices.is_some() || args.motion.is_some();
    let measured = bars.end();
    Ok(if is_part {
        measured.and(Bar::Open)
    } else {
        measured
    })
}
