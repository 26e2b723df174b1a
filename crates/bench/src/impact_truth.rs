//! Does any contact of a moving pair escape the time of impact?
//!
//! Every motion is sampled densely with the exact test, by an index that shares no code with the search; no
//! sample before the lower end of the bracket may touch, and the upper end must.

use std::sync::Arc;
use std::time::Instant;

use impinge::bvh::wide::WideTree;
use impinge::bvh::{FaceSweep, MeshIndex};
use impinge::ccd::{ImpactCache, ImpactOptions, impact, relative_pose};
use impinge::generate::{cuboid, icosphere, model};
use impinge::math::{Motion, Rng};
use impinge::query::{First, Limits, Outcome, Work};
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::generate::{meshes, poses};

use crate::Bar;

const SEED: u64 = 2009;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Random motions of small meshes
    #[arg(long, default_value_t = 10_000)]
    motions: u32,
    /// Instants sampled evenly over each motion
    #[arg(long, default_value_t = 1000)]
    samples: u32,
    /// Motions of larger pairs to time
    #[arg(long, default_value_t = 50)]
    timed: u32,
    /// Seconds after which no further motion is begun; the bar then counts as missed
    #[arg(long, default_value_t = 600.0)]
    seconds: f64,
    /// Threads; each motion is the same with any number
    #[arg(long, default_value_t = 2)]
    threads: u32,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let start = Instant::now();
    let tally = all(args, start)?;
    println!(
        "{} random motions of small meshes, {} instants each, {:.0} s",
        tally.motions,
        args.samples,
        start.elapsed().as_secs_f64()
    );
    println!(
        "  contact {}, none {}, bracket left open {}",
        tally.hits, tally.free, tally.open
    );
    println!(
        "  steps per motion {:.1}",
        tally.steps as f64 / f64::from(tally.motions.max(1))
    );
    println!(
        "  contacts before the bracket {}, brackets without contact {}",
        tally.missed, tally.false_hits
    );
    timing(args.timed)?;
    let wrong = tally.missed + tally.false_hits + (args.motions - tally.motions.min(args.motions));
    let bar = Bar::none_wrong(wrong.into(), tally.motions.into());
    println!(
        "bar: no contact missed in {} motions ({} looked at): {}",
        args.motions,
        tally.motions,
        bar.word()
    );
    Ok(bar)
}

/// All motions, shared out to the threads.
fn all(args: &Args, start: Instant) -> anyhow::Result<Tally> {
    let threads = args.threads.max(1);
    let share = |first: u32| -> anyhow::Result<Tally> {
        let mut tally = Tally::default();
        for k in (first..args.motions).step_by(threads as usize) {
            if start.elapsed().as_secs_f64() > args.seconds {
                break;
            }
            // A seed of its own, so that no motion depends on who did the one before.
            let mut rng = Rng::new(SEED + u64::from(k));
            let (a, b) = (small_mesh(&mut rng), small_mesh(&mut rng));
            let reach = rng.range(1.0, 4.0);
            let (motion_a, motion_b) = (motion(&mut rng, reach)?, motion(&mut rng, reach)?);
            check(&a, &b, &motion_a, &motion_b, args.samples, &mut tally);
            tally.motions += 1;
        }
        Ok(tally)
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|first| scope.spawn(move || share(first)))
            .collect();
        let mut sum = Tally::default();
        for thread in running {
            let tally = thread
                .join()
                .map_err(|_| anyhow::anyhow!("a thread panicked"))??;
            sum.add(&tally);
        }
        Ok(sum)
    })
}

#[derive(Debug, Default)]
struct Tally {
    motions: u32,
    hits: u32,
    free: u32,
    open: u32,
    steps: u64,
    missed: u32,
    false_hits: u32,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.motions += other.motions;
        self.hits += other.hits;
        self.free += other.free;
        self.open += other.open;
        self.steps += other.steps;
        self.missed += other.missed;
        self.false_hits += other.false_hits;
    }
}

fn check(
    a: &TriMesh,
    b: &TriMesh,
    motion_a: &Motion,
    motion_b: &Motion,
    samples: u32,
    tally: &mut Tally,
) {
    let (a, b) = (Arc::new(a.clone()), Arc::new(b.clone()));
    let trees = [&a, &b].map(|mesh| WideTree::new(mesh.clone()));
    let config = Default::default();
    let sweeps = [&a, &b].map(|mesh| FaceSweep::build(mesh.clone(), &config));
    let mut cache = ImpactCache::default();
    let answer = impact(
        &trees[0],
        &trees[1],
        motion_a,
        motion_b,
        &ImpactOptions::default(),
        Limits::default(),
        &mut cache,
    );
    tally.steps += u64::from(cache.steps());
    let mut scratch = Default::default();
    let mut touch = |t: f64| {
        let mut first = First::default();
        let pose = relative_pose(motion_a, motion_b, t);
        let _ = sweeps[0].intersections(
            &sweeps[1],
            &pose,
            Limits::default(),
            &mut scratch,
            &mut first,
        );
        first.0.is_some()
    };
    let even = (0..=samples).map(|i| f64::from(i) / f64::from(samples.max(1)));
    let near = (0..30).map(|i| answer.lower - 0.25_f64.powi(i));
    let proven = |t: f64| t >= 0.0 && (t < answer.lower || (answer.lower >= 1.0 && t <= 1.0));
    if even
        .chain(near)
        .any(|t| proven(t) && answer.upper > 1.0 && touch(t))
        || (answer.upper <= 1.0
            && (0..=samples)
                .map(|i| answer.lower * f64::from(i) / f64::from(samples.max(1)))
                .chain((0..30).map(|i| answer.lower * (1.0 - 0.25_f64.powi(i))))
                .any(|t| t < answer.lower && touch(t)))
    {
        tally.missed += 1;
    }
    match (answer.value, answer.outcome) {
        (Some(hit), _) if !touch(hit.time) => tally.false_hits += 1,
        (_, Outcome::OutOfBudget) => tally.open += 1,
        (Some(_), _) => tally.hits += 1,
        (None, _) => tally.free += 1,
    }
}

fn small_mesh(rng: &mut Rng) -> TriMesh {
    let block = |x: f64, y: f64, z: f64| {
        let half = DVec3::new(x, y, z) / 2.0;
        meshes::cuboid(-half, half)
    };
    match rng.below(7) {
        0 => meshes::ball(1, 0.6),
        1 => meshes::tetrahedron(std::array::from_fn(|_| rng.cube())),
        2 => block(1.0, 0.8, 0.5),
        3 => block(2.0, 0.02, 0.03),
        4 => block(1.5, 1.5, 1e-4),
        5 => meshes::grid_solid(rng, 1),
        _ => meshes::random_soup(rng, 12, 0.6),
    }
}

fn motion(rng: &mut Rng, reach: f64) -> anyhow::Result<Motion> {
    let start = poses::random(rng, reach);
    Ok(match rng.below(5) {
        0 => Motion::still(&start),
        1 => Motion::between(&start, &poses::random(rng, reach)),
        2 => Motion::screw(&start, &poses::random(rng, reach))?,
        _ => {
            let turns = [0.0, 0.1, 1.0, 5.0, 50.0][rng.below(5) as usize] * rng.unit();
            let spin = rng.direction() * (turns * std::f64::consts::TAU);
            Motion::from_velocity(&start, rng.cube() * 3.0 * reach, spin, rng.cube())?
        }
    })
}

/// Median time for pairs of 5 k and 20 k faces that fly at each other while turning.
fn timing(motions: u32) -> anyhow::Result<()> {
    let knot = model("torus");
    let mut rng = Rng::new(7);
    for faces in [5_000_u32, 20_000] {
        let n = (f64::from(faces) / 20.0).sqrt().round() as u32;
        let d = (f64::from(faces) / 12.0).sqrt().round() as u32;
        let mut pairs = vec![
            ("ball, ball", icosphere(1.0, n)?, icosphere(1.0, n)?),
            (
                "box, ball",
                cuboid(DVec3::splat(1.5), [d; 3])?,
                icosphere(1.0, n)?,
            ),
        ];
        if let Some(kind) = knot {
            let mesh = kind.make(Some(faces as usize), 1)?;
            pairs.push((kind.name, mesh.clone(), mesh));
        }
        for (name, a, b) in pairs {
            let size = a.bounds().diagonal().length() / 2.0;
            let trees = [a, b].map(|mesh| WideTree::new(Arc::new(mesh)));
            let mut cache = ImpactCache::default();
            let (mut times, mut steps, mut hits) = (Vec::new(), 0, 0);
            let mut work = Work::default();
            for _ in 0..motions {
                let start = poses::random(&mut rng, 0.0);
                let from = rng.direction() * 2.5 * size;
                let start = Pose::new(*start.rotation(), from)?;
                let aim = -from * 1.6 + rng.cube() * size;
                let spin = rng.direction() * rng.range(0.0, 3.0);
                let motion = Motion::from_velocity(&start, aim, spin, [0.0; 3])?;
                let still = Motion::still(&Pose::IDENTITY);
                let before = Instant::now();
                let answer = impact(
                    &trees[0],
                    &trees[1],
                    &still,
                    &motion,
                    &ImpactOptions::default(),
                    Limits::default(),
                    &mut cache,
                );
                times.push(before.elapsed().as_secs_f64());
                steps += cache.steps();
                work += cache.work();
                hits += u32::from(answer.value.is_some());
            }
            times.sort_by(f64::total_cmp);
            let median = times.get(times.len() / 2).copied().unwrap_or(0.0);
            let worst = times.last().copied().unwrap_or(0.0);
            println!(
                "  {faces:>6} faces, {name:<12} median {:>8.1} µs, worst {:>9.1} µs, {:.1} steps, {} volume and {} face tests, {hits} of {motions} hit",
                median * 1e6,
                worst * 1e6,
                f64::from(steps) / f64::from(motions.max(1)),
                work.volume_tests / u64::from(motions.max(1)),
                work.face_tests / u64::from(motions.max(1)),
            );
        }
    }
    Ok(())
}
