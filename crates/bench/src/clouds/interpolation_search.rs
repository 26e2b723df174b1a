//! Interpolation search between the surfaces of two clouds: how many candidates it takes, how fast it is beside random sampling, and how it grows.

use std::hint::black_box;
use std::path::PathBuf;

use impinge::cloud::{
    CloudSurface, CrossingResult, GraphOptions, InterpolationSearchOptions,
    InterpolationSearchScratch, PointCloud, PointId, ProximityGraph, SurfaceCrossing,
    SurfaceOptions, surface_path,
};
use impinge::math::Rng;
use impinge::query::First;
use impinge::{DVec3, Pose};

use super::confidence_check::StatedConfidence;
use super::crossings::crossings;
use super::models::{MODELS, SampledModel};
use super::sampling_baseline::{Recall, Sampling, recall};
use super::timing::{at_full_size, claim, own_seconds};
use crate::Bar;
use crate::result_sheet::{Axis, Cell, Plot, ResultSheet, Series, Table};
use crate::sample_statistics::median;

/// Largest share of collision balls that may be missed with the default number of candidates.
const MAX_MISSED: f64 = 0.01;
/// Wrong answers among those with overlapping boxes.
const MAX_WRONG: f64 = 0.01;
/// Largest mean time of a query.
const MAX_MILLISECONDS: f64 = 0.1;
/// How much faster than random sampling, and with how many times fewer evaluations.
const MIN_FASTER: f64 = 5.0;
const MIN_FEWER: f64 = 10.0;
/// Largest share of a query that finding paths may take.
const MAX_PATH_SHARE: f64 = 0.1;
/// The clock of a thread goes in steps of some milliseconds, so short work is repeated.
const REPEATED_QUERIES: usize = 4000;
const REPLAYS: usize = 20;
/// Candidates that are tried.
const CANDIDATES: [usize; 6] = [25, 50, 100, 150, 200, 400];

/// Points and poses that the bars ask for.
const FULL_POINTS: usize = 60_000;
const FULL_POSES: usize = 400;
/// The sizes of deforming clouds.
const DEFORMING: [usize; 5] = [10_000, 31_600, 100_000, 316_000, 1_000_000];

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Points of each cloud
    #[arg(long, default_value_t = FULL_POINTS)]
    pub(crate) points: usize,
    /// Poses per model
    #[arg(long, default_value_t = FULL_POSES)]
    pub(crate) poses: usize,
    /// Rounds of timing; the median counts
    #[arg(long, default_value_t = 5)]
    pub(crate) rounds: usize,
    /// Largest deforming cloud
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) max_points: usize,
    /// Folder for the sheet
    #[arg(long)]
    pub(crate) sheet: Option<PathBuf>,
}

/// A model, its cloud and its surface.
pub(super) struct Subject {
    pub(super) model: &'static SampledModel,
    pub(super) surface: CloudSurface,
}

impl Subject {
    fn new(model: &'static SampledModel, points: usize) -> anyhow::Result<Self> {
        let mut rng = Rng::new(points as u64);
        let cloud = PointCloud::from_points((0..points).map(|_| (model.draw)(&mut rng)))?;
        let graph = ProximityGraph::new(&cloud, &GraphOptions::default())?;
        let surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
        Ok(Self { model, surface })
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut sheet = ResultSheet::new(
        "cloud-brackets",
        "Interpolation search between clouds",
        "Do two sampled surfaces cross, how surely and how fast is that found without a hierarchy?",
        "impinge-bench cloud-interpolation-search",
    );
    sheet.notes.push(
        "Random sampling (RST) stops at 500 test points near the first cloud in the common box, as in the source; it then misses crossings. Both stop at the first crossing."
            .to_owned(),
    );
    protocol(args, &mut sheet)?;
    deforming(args, &mut sheet)?;
    if let Some(folder) = &args.sheet {
        println!("{}", sheet.write(folder)?.display());
    }
    Ok(sheet.bar())
}

impl Default for Args {
    fn default() -> Self {
        Self {
            points: FULL_POINTS,
            poses: FULL_POSES,
            rounds: 5,
            max_points: 1_000_000,
            sheet: None,
        }
    }
}

impl Args {
    /// A look, nothing to quote.
    pub(super) fn quick() -> Self {
        Self {
            points: 6000,
            poses: 40,
            rounds: 1,
            max_points: 30_000,
            sheet: None,
        }
    }

    fn is_full(&self) -> bool {
        self.points >= FULL_POINTS && self.poses >= FULL_POSES
    }
}

/// Candidates, answers, rivals and paths: everything but points that move.
pub(super) fn protocol(args: &Args, sheet: &mut ResultSheet) -> anyhow::Result<()> {
    let mut subjects = Vec::new();
    for model in MODELS.iter().filter(|m| CROSSED.contains(&m.name)) {
        subjects.push(Subject::new(model, args.points)?);
    }
    calibration(args, &subjects, sheet)?;
    answers(args, &subjects, sheet)?;
    rivals(args, &subjects, sheet)?;
    paths(args, &subjects, sheet)
}

/// Models without a border whose distance is known.
const CROSSED: [&str; 4] = ["ball", "torus", "ellipsoid", "two densities"];

/// Random poses at centre distances in a range.
pub(super) fn poses(count: usize, range: (f64, f64), rng: &mut Rng) -> anyhow::Result<Vec<Pose>> {
    (0..count)
        .map(|_| {
            let shift = rng.direction() * rng.range(range.0, range.1);
            let angle = rng.range(0.0, std::f64::consts::TAU);
            Ok(Pose::from_axis_angle(rng.direction(), angle, shift)?)
        })
        .collect()
}

/// Whether a crossing comes first, and what it took.
pub(super) fn first_crossing(
    subject: &Subject,
    pose: &Pose,
    options: &InterpolationSearchOptions,
    scratch: &mut InterpolationSearchScratch,
) -> (Option<SurfaceCrossing>, CrossingResult) {
    let mut first = First::default();
    let surface = &subject.surface;
    let search = crossings([surface; 2], pose, options, scratch, &mut first);
    (first.0, search)
}

/// How many candidates are needed.
fn calibration(args: &Args, subjects: &[Subject], sheet: &mut ResultSheet) -> anyhow::Result<()> {
    println!("collision balls missed, by the number of candidates");
    let mut plot = Plot {
        title: "Collision balls missed".to_owned(),
        x: axis("candidates", "", true),
        y: axis("missed", "%", false),
        ..Plot::default()
    };
    let poses = poses((args.poses / 8).max(8), (0.3, 1.6), &mut Rng::new(11))?;
    let mut worst: Option<f64> = None;
    for subject in subjects {
        let mut points = Vec::new();
        for candidates in CANDIDATES {
            let mut sum = Recall::default();
            for (number, pose) in poses.iter().enumerate() {
                sum.add(recall(subject, pose, candidates, number as u64));
            }
            let missed = sum.missed();
            println!(
                "  {:>14} {candidates:>5} candidates: {:>7.3} % of {} balls",
                subject.model.name,
                100.0 * missed,
                sum.balls
            );
            points.push([candidates as f64, 100.0 * missed]);
            if candidates == 200 {
                worst = Some(larger(worst, missed));
            }
        }
        plot.series.push(Series {
            name: subject.model.name.to_owned(),
            points,
            ..Series::default()
        });
    }
    sheet.plots.push(plot);
    claim(
        sheet,
        at_full_size(args.is_full(), Bar::at_most(worst, MAX_MISSED)),
        "200 candidates miss at most 1 % of the collision balls on every model",
        &format!("{:.2} %", 100.0 * worst.unwrap_or(f64::NAN)),
    );
    Ok(())
}

/// Yes or no against the closed form.
fn answers(args: &Args, subjects: &[Subject], sheet: &mut ResultSheet) -> anyhow::Result<()> {
    let Some(ball) = subjects.iter().find(|s| s.model.name == "ball") else {
        return Ok(());
    };
    let mut scratch = InterpolationSearchScratch::default();
    let mut rng = Rng::new(12);
    let count = 5 * args.poses;
    let (mut missed, mut invented) = (0, 0);
    let mut stated = StatedConfidence::default();
    for number in 0..count {
        let distance = rng.range(0.6, 2.2);
        let pose = Pose::from_axis_angle(rng.direction(), 1.0, rng.direction() * distance)?;
        let options = InterpolationSearchOptions {
            seed: number as u64,
            ..InterpolationSearchOptions::default()
        };
        let (_, search) = first_crossing(ball, &pose, &options, &mut scratch);
        missed += usize::from(distance <= 2.0 && !search.verdict.answer);
        invented += usize::from(distance > 2.0 && search.verdict.answer);
        if !search.verdict.certain {
            let is_right = search.verdict.answer == (distance <= 2.0);
            stated.push(search.verdict.confidence, is_right);
        }
    }
    let wrong = (missed + invented) as f64 / count as f64;
    println!(
        "balls at distances from 0.6 to 2.2 radii: {missed} crossings missed, {invented} invented of {count}"
    );
    claim(
        sheet,
        at_full_size(args.is_full(), Bar::at_most(wrong, MAX_WRONG)),
        "at most 1 % wrong answers about two balls",
        &format!("{:.2} %", 100.0 * wrong),
    );
    stated.report("crossings of two balls", 0.05, args.is_full(), sheet);
    Ok(())
}

/// Beside random sampling.
fn rivals(args: &Args, subjects: &[Subject], sheet: &mut ResultSheet) -> anyhow::Result<()> {
    let mut table = Table {
        title: "First crossing, mean per query".to_owned(),
        columns: [
            "model",
            "points",
            "ours µs",
            "sampling µs",
            "faster",
            "ours evaluations",
            "lookups",
            "sampling evaluations",
            "fewer",
            "crossings missed by sampling",
        ]
        .map(str::to_owned)
        .to_vec(),
        ..Table::default()
    };
    let (mut slowest, mut least, mut fewest) = (0.0_f64, f64::INFINITY, f64::INFINITY);
    let mut scratch = InterpolationSearchScratch::default();
    println!("first crossing beside random sampling, mean per query");
    for subject in subjects {
        let poses = poses(args.poses, (0.2, 1.9), &mut Rng::new(13))?;
        let options = InterpolationSearchOptions::default();
        let mut sampling = Sampling::new(subject);
        let (mut evaluations, mut lookups, mut missed, mut crossings) = (0, 0, 0, 0);
        for pose in &poses {
            let (found, search) = first_crossing(subject, pose, &options, &mut scratch);
            evaluations += search.evaluations;
            lookups += search.lookups;
            let sampled = sampling.crosses(subject, pose);
            crossings += usize::from(found.is_some());
            missed += usize::from(found.is_some() && !sampled);
        }
        let sampled_evaluations = sampling.evaluations();
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..args.rounds.max(1) {
            let each = 1e6 / poses.len() as f64;
            let repeats = (REPEATED_QUERIES / poses.len()).max(1);
            let passed = own_seconds(|| {
                for pose in (0..repeats).flat_map(|_| &poses) {
                    black_box(first_crossing(subject, pose, &options, &mut scratch));
                }
            });
            ours.push(each * passed / repeats as f64);
            theirs.push(
                each * own_seconds(|| {
                    for pose in &poses {
                        black_box(sampling.crosses(subject, pose));
                    }
                }),
            );
        }
        let (ours, theirs) = (median(ours), median(theirs));
        let count = poses.len() as f64;
        let (own, other) = (
            evaluations as f64 / count,
            sampled_evaluations as f64 / count,
        );
        println!(
            "  {:>14}: {ours:>7.1} µs beside {theirs:>7.1}, {own:>5.1} evaluations and {:>5.1} lookups beside {other:>6.1}; sampling missed {missed} of {crossings}",
            subject.model.name,
            lookups as f64 / count
        );
        table.rows.push(vec![
            Cell::Text(subject.model.name.to_owned()),
            Cell::Number(args.points as f64),
            Cell::Number(ours),
            Cell::Number(theirs),
            Cell::Number(theirs / ours),
            Cell::Number(own),
            Cell::Number(lookups as f64 / count),
            Cell::Number(other),
            Cell::Number(other / own),
            Cell::Text(format!("{missed} of {crossings}")),
        ]);
        slowest = slowest.max(ours * 1e-3);
        least = least.min(theirs / ours);
        fewest = fewest.min(other / own);
    }
    sheet.tables.push(table);
    let is_full = args.is_full() && !subjects.is_empty();
    claim(
        sheet,
        at_full_size(is_full, Bar::at_most(slowest, MAX_MILLISECONDS)),
        "mean query at most 0.1 ms on every model",
        &format!("{slowest:.3} ms"),
    );
    claim(
        sheet,
        at_full_size(is_full, Bar::at_least(least, MIN_FASTER)),
        "at least 5 times as fast as random sampling on every model",
        &format!("{least:.1} times"),
    );
    claim(
        sheet,
        at_full_size(is_full, Bar::at_least(fewest, MIN_FEWER)),
        "at least 10 times fewer evaluations than random sampling on every model",
        &format!("{fewest:.1} times"),
    );
    Ok(())
}

/// The part of a whole search that finding paths takes: the paths of all brackets are found again, and counted by their steps.
fn paths(args: &Args, subjects: &[Subject], sheet: &mut ResultSheet) -> anyhow::Result<()> {
    let mut scratch = InterpolationSearchScratch::default();
    let mut largest: Option<f64> = None;
    for subject in subjects {
        let poses = poses((args.poses / 4).max(8), (0.2, 1.6), &mut Rng::new(14))?;
        let surface = &subject.surface;
        let options = InterpolationSearchOptions::default();
        let (mut ends, mut steps): (Vec<[PointId; 2]>, u64) = (Vec::new(), 0);
        let mut found: Vec<SurfaceCrossing> = Vec::new();
        let mut search_all = |found: &mut Vec<SurfaceCrossing>| {
            let mut steps = 0;
            for pose in &poses {
                let search = crossings([surface; 2], pose, &options, &mut scratch, found);
                steps += search.path_steps;
            }
            steps
        };
        steps += search_all(&mut found);
        ends.extend(found.iter().map(|c| c.bracket));
        let mut replay = InterpolationSearchScratch::default();
        let mut path = Vec::new();
        let (mut whole, mut part) = (Vec::new(), Vec::new());
        let mut replayed = 0;
        for _ in 0..args.rounds.max(1) {
            found.clear();
            whole.push(own_seconds(|| search_all(&mut found)));
            replayed = 0;
            part.push(own_seconds(|| {
                for &[from, to] in (0..REPLAYS).flat_map(|_| &ends) {
                    surface_path(surface, from, to, true, &mut replay, &mut path);
                    // A step per point but the last, unless a detour was needed.
                    replayed += path.len().saturating_sub(1) as u64;
                }
            }));
        }
        let per_step = median(part) / replayed.max(1) as f64;
        let share = per_step * steps as f64 / median(whole);
        println!(
            "  {:>14}: paths take {:.1} % of a search for all crossings",
            subject.model.name,
            100.0 * share
        );
        // Without a path there is no share.
        let share = if replayed > 0 { share } else { f64::NAN };
        largest = Some(larger(largest, share));
    }
    claim(
        sheet,
        at_full_size(args.is_full(), Bar::at_most(largest, MAX_PATH_SHARE)),
        "finding paths takes at most 10 % of a search",
        &format!("{:.1} %", 100.0 * largest.unwrap_or(f64::NAN)),
    );
    Ok(())
}

/// Points that move between searches.
fn deforming(args: &Args, sheet: &mut ResultSheet) -> anyhow::Result<()> {
    /// Points that move before each search.
    const MOVED: usize = 4;
    println!(
        "deforming ball: {MOVED} points move, graph and path lengths follow, then a search for all crossings"
    );
    let mut plot = Plot {
        title: "Moving points and searching".to_owned(),
        x: axis("points", "", true),
        y: axis("time per frame", "ms", false),
        ..Plot::default()
    };
    let mut points = Vec::new();
    for n in DEFORMING {
        if n > args.max_points {
            continue;
        }
        let mut subject = Subject::new(&MODELS[0], n)?;
        let other = Subject::new(&MODELS[0], 10_000)?;
        let spacing = subject.model.spacing(n);
        let mut rng = Rng::new(15);
        let poses = poses(60, (0.5, 1.6), &mut rng)?;
        let (mut moves, mut searches) = (Vec::new(), Vec::new());
        let mut scratch = InterpolationSearchScratch::default();
        for pose in &poses {
            let mut done = Ok(());
            let moved = own_seconds(|| {
                for _ in 0..MOVED {
                    let id = PointId::new(rng.below(n as u64) as u32);
                    let place = subject.surface.graph().place(id).unwrap_or(DVec3::X);
                    let moved = (place + rng.cube() * (0.3 * spacing)).normalize();
                    done = done.and(subject.surface.relocate(id, moved).map(drop));
                }
            });
            done?;
            let mut found = Vec::new();
            let options = InterpolationSearchOptions::default();
            let both = [&subject.surface, &other.surface];
            let searched =
                own_seconds(|| crossings(both, pose, &options, &mut scratch, &mut found));
            moves.push(moved * 1e3);
            searches.push(searched * 1e3);
        }
        // The clock is coarser than a frame: sums are right, single frames are not.
        let mean = |sample: Vec<f64>| sample.iter().sum::<f64>() / poses.len() as f64;
        let (moved, searched) = (mean(moves), mean(searches));
        println!("  {n:>8} points: {moved:.3} ms to move, {searched:.3} ms to search");
        points.push([n as f64, moved + searched]);
    }
    let growth = match (points.first(), points.last()) {
        (Some(first), Some(last)) if last[0] > first[0] => {
            Some((last[1] / first[1], last[0].ln() / first[0].ln()))
        }
        _ => None,
    };
    plot.series.push(Series {
        name: "ball".to_owned(),
        points,
        ..Series::default()
    });
    sheet.plots.push(plot);
    let is_full = args.max_points >= DEFORMING[DEFORMING.len() - 1];
    match growth {
        Some((grown, logarithm)) => claim(
            sheet,
            at_full_size(is_full, Bar::at_most(grown, logarithm)),
            &format!("moving and searching grows no faster than log n, {logarithm:.2} times"),
            &format!("{grown:.2} times"),
        ),
        None => sheet.leave_open("moving and searching grows no faster than log n"),
    }
    Ok(())
}

/// The larger one; not a number if either is not, as for a model that said nothing.
fn larger(so_far: Option<f64>, here: f64) -> f64 {
    match so_far {
        Some(so_far) if so_far.is_nan() || so_far > here => so_far,
        _ => here,
    }
}

fn axis(label: &str, unit: &str, is_logarithmic: bool) -> Axis {
    Axis {
        label: label.to_owned(),
        unit: unit.to_owned(),
        is_logarithmic,
    }
}
