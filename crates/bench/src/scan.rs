//! A robot of eight packed parts against the frames of depth cameras.

mod arm;
mod neighbours;

use std::time::{Duration, Instant};

use impinge::scan::{
    Link, LinkCache, LinkSet, NearestPoint, PointGrid, PointTree, ScanFrame, Thin, merge,
};
use impinge::spheres::InnerSphereTree;
use impinge::{DVec3, Pose};

use crate::Bar;
use crate::clouds::{at_full_size, right_at_full_size};
use crate::sample_statistics::quantile;
use arm::{Arm, Room};
use neighbours::neighbours;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Balls of each of the eight parts
    #[arg(long, default_value_t = 10_000)]
    balls: usize,
    /// Frames of one camera whose times are taken
    #[arg(long, default_value_t = FRAMES)]
    frames: usize,
    /// How long the run with four merged cameras lasts; 0 leaves it out
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Points that stay at most in that run
    #[arg(long, default_value_t = MERGED)]
    points: usize,
    /// Size of the cubes of which one point each stays in that run, in millimetres, instead of one that leaves as many points as may stay
    #[arg(long)]
    cube: Option<f64>,
    /// Rounds in which nearest neighbours are compared with kiddo, which `cargo xtask peers nearest-kiddo` builds; 0 leaves them out
    #[arg(long, default_value_t = 11)]
    rounds: usize,
    /// Print numbers as JSON
    #[arg(long)]
    json: bool,
}

/// Frames per second of a depth camera.
const RATE: f64 = 30.0;
/// Every so many frames the answer is compared with brute force.
const CHECKED: usize = 30;
/// Frames of four cameras that are taken beforehand and shown to and fro.
const LOOP: usize = 10;
/// What the bars ask for: points of a frame, balls of a part, frames of one camera, seconds of the run and points that may stay in it.
const POINTS: usize = 300_000;
const BALLS: usize = 10_000;
const FRAMES: usize = 90;
const SECONDS: u64 = 60;
const MERGED: usize = 1_000_000;
/// The part of the frames that may be late. Catching up keeps the rate however many are.
const MAX_LATE: f64 = 0.05;
/// Bars of the run with merged cameras.
const KEPT: &str = "merged clouds thinned to at most 1000000 points";
const SUSTAINED: &str = "30 frames a second sustained for 60 s with at most a million points";
const PUNCTUAL: &str = "at most 5 % of the frames late";
const BRACKETED: &str = "distances to merged clouds bracket those of brute force on all points";
/// What the published system took for build and questions.
const PUBLISHED_MS: f64 = 40.0;

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let started = Instant::now();
    let arm = Arm::new(args.balls)?;
    let room = Room::new()?;
    if !args.json {
        println!(
            "eight parts of {} balls packed in {:.1} s",
            args.balls,
            started.elapsed().as_secs_f64()
        );
    }
    let mut report = Report {
        args,
        bar: Bar::Met,
        json: serde_json::Map::new(),
    };
    frames(args, &arm, &room, &mut report)?;
    neighbours(args, &room, &mut report)?;
    if args.seconds > 0 {
        sustained(args, &arm, &room, &mut report)?;
    } else {
        report.bar("kept", KEPT, Bar::Open);
        report.bar("rate", SUSTAINED, Bar::Open);
        report.bar("late", PUNCTUAL, Bar::Open);
        report.bar("bracketed", BRACKETED, Bar::Open);
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report.json)?);
    }
    Ok(report.bar)
}

struct Report<'a> {
    args: &'a Args,
    bar: Bar,
    json: serde_json::Map<String, serde_json::Value>,
}

impl Report<'_> {
    fn say(&mut self, name: &str, line: &str, value: serde_json::Value) {
        if !self.args.json {
            println!("{line}");
        }
        self.json.insert(name.to_owned(), value);
    }

    fn bar(&mut self, name: &str, what: &str, bar: Bar) {
        self.bar = self.bar.and(bar);
        let value = match bar {
            Bar::Open => serde_json::Value::Null,
            Bar::Met | Bar::Missed => (bar == Bar::Met).into(),
        };
        self.say(name, &format!("bar: {what}: {}", bar.word()), value);
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// One camera: index and all parts, frame by frame.
fn frames(args: &Args, arm: &Arm, room: &Room, report: &mut Report<'_>) -> anyhow::Result<()> {
    let links = LinkSet::new(
        arm.balls
            .iter()
            .map(Link::spheres)
            .collect::<Result<Vec<_>, _>>()?,
    );
    let pose = Room::world_from_camera(0)?;
    let (mut tree, mut grid) = (PointTree::default(), PointGrid::default());
    let (mut cache, mut answers, mut poses) = (LinkCache::default(), Vec::new(), Vec::new());
    let (mut builds, mut asks, mut totals, mut grids) = (vec![], vec![], vec![], vec![]);
    let (mut checked, mut wrong, mut brute_ms, mut least) = (0_u64, 0_u64, vec![], usize::MAX);
    let mut points = Vec::new();
    for frame in 0..args.frames.max(1) {
        let seconds = frame as f64 / RATE;
        let seen = room.points(0, frame as u64, seconds)?;
        merge(&[(pose, &seen)], &mut points);
        least = least.min(points.len());
        arm.poses(seconds, &mut poses)?;
        let start = Instant::now();
        let valid = ScanFrame::new(&points)?;
        tree.rebuild(&valid);
        let build = milliseconds(start);
        links.nearest(&tree, &poses, &mut cache, &mut answers)?;
        let total = milliseconds(start);
        // The first frame finds no memory that is kept.
        if frame > 0 {
            builds.push(build);
            asks.push(total - build);
            totals.push(total);
        }
        let start = Instant::now();
        grid.rebuild(&valid, 0.08)?;
        grids.push(milliseconds(start));
        if frame % CHECKED == 0 {
            let start = Instant::now();
            let expected = brute(&arm.balls, &poses, &points);
            brute_ms.push(milliseconds(start));
            checked += 1;
            wrong += u64::from(answers.iter().map(|a| a.as_ref().map(key)).ne(expected));
        }
    }
    let brute_ms = quantile(&mut brute_ms, 0.5);
    let [build, ask, total] =
        [&mut builds, &mut asks, &mut totals].map(|t| (quantile(t, 0.5), quantile(t, 0.95)));
    let grid = quantile(&mut grids, 0.5);
    report.say(
        "frame",
        &format!(
            "one camera, at least {least} points: index {:.2} ms, eight parts {:.2} ms, together {:.2} ms (median), {:.2} ms (95 %); hashed grid {grid:.2} ms; brute force {brute_ms:.0} ms",
            build.0, ask.0, total.0, total.1
        ),
        serde_json::json!({ "points": least, "build_ms": build.0, "ask_ms": ask.0, "total_ms": total.0, "total_95_ms": total.1, "grid_ms": grid, "brute_ms": brute_ms }),
    );
    let is_full_frame = least >= POINTS && args.frames >= FRAMES;
    let is_full = is_full_frame && args.balls >= BALLS;
    // The first frame is not timed, so that one frame alone has no figure.
    report.bar(
        "build",
        &format!("index of 300 000 points in at most 5 ms, {:.2} ms", build.0),
        at_full_size(is_full_frame, Bar::at_most(build.0, 5.0)),
    );
    report.bar(
        "total",
        &format!(
            "index and eight parts in at most 10 ms (published {PUBLISHED_MS} ms), {:.2} ms",
            total.0
        ),
        at_full_size(is_full, Bar::at_most(total.0, 10.0)),
    );
    report.bar(
        "equal",
        &format!("equal to brute force on every {CHECKED}th frame, {wrong} of {checked} differ"),
        right_at_full_size(is_full, Bar::none_wrong(wrong, checked)),
    );
    report.bar(
        "brute",
        &format!(
            "at least 100 times faster than brute force, {:.0} times",
            brute_ms / total.0
        ),
        at_full_size(is_full, Bar::at_least(brute_ms / total.0, 100.0)),
    );
    Ok(())
}

type Key = (f64, u32, u32);

fn key(found: &NearestPoint) -> Key {
    (found.distance, found.point, found.ball.unwrap_or(u32::MAX))
}

/// Every ball against every point, on two threads.
fn brute(trees: &[InnerSphereTree], poses: &[Pose], points: &[DVec3]) -> Vec<Option<Key>> {
    let (left, right) = points.split_at(points.len() / 2);
    let half = |points: &[DVec3], first: usize| -> Vec<Option<Key>> {
        let each = trees.iter().zip(poses);
        each.map(|(tree, pose)| brute_link(tree, pose, points, first))
            .collect()
    };
    let (a, b) = std::thread::scope(|scope| {
        let a = scope.spawn(|| half(left, 0));
        let b = half(right, left.len());
        (a.join().unwrap_or_default(), b)
    });
    let nearer = |(a, b): (&Option<Key>, &Option<Key>)| match (*a, *b) {
        (Some(a), Some(b)) => Some(if a < b { a } else { b }),
        (a, b) => a.or(b),
    };
    a.iter().zip(&b).map(nearer).collect()
}

fn brute_link(tree: &InnerSphereTree, pose: &Pose, points: &[DVec3], first: usize) -> Option<Key> {
    // Side by side, so that the processor's vectors serve brute force too.
    let [xs, ys, zs] = [0, 1, 2].map(|k| points.iter().map(|p| p[k]).collect::<Vec<f64>>());
    let mut best: Option<Key> = None;
    for (ball, own) in tree.balls().iter().enumerate() {
        let center = pose.transform_point(own.center);
        let mut least = f64::INFINITY;
        for ((x, y), z) in xs.iter().zip(&ys).zip(&zs) {
            let (x, y, z) = (x - center.x, y - center.y, z - center.z);
            let sq = (x * x + y * y) + z * z;
            least = if sq < least { sq } else { least };
        }
        // The root grows with the square, so that the least square has the least root.
        let gap = least.sqrt() - own.radius;
        if best.is_some_and(|best| gap > best.0) {
            continue;
        }
        for (i, p) in points.iter().enumerate() {
            let d = *p - center;
            let gap_here = ((d.x * d.x + d.y * d.y) + d.z * d.z).sqrt() - own.radius;
            let own = (gap_here, (first + i) as u32, ball as u32);
            if gap_here == gap && best.is_none_or(|best| own < best) {
                best = Some(own);
            }
        }
    }
    best
}

/// Four cameras, merged and thinned, thirty times a second.
fn sustained(args: &Args, arm: &Arm, room: &Room, report: &mut Report<'_>) -> anyhow::Result<()> {
    let links = LinkSet::new(
        arm.balls
            .iter()
            .map(Link::spheres)
            .collect::<Result<Vec<_>, _>>()?,
    );
    let places: Vec<Pose> = (0..4)
        .map(Room::world_from_camera)
        .collect::<Result<_, _>>()?;
    let mut shots: Vec<Vec<Vec<DVec3>>> = Vec::new();
    for frame in 0..LOOP {
        let shot = |k| room.points(k, frame as u64, frame as f64 / RATE);
        shots.push((0..4).map(shot).collect::<Result<_, _>>()?);
    }
    let (mut tree, mut cache) = (PointTree::default(), LinkCache::default());
    let (mut answers, mut poses) = (Vec::new(), Vec::new());
    let thin = match args.cube {
        Some(millimetres) => Thin::Cubes(millimetres * 1e-3),
        None => Thin::AtMost(args.points),
    };
    let period = Duration::from_secs_f64(1.0 / RATE);
    let count = args.seconds * RATE as u64;
    let (mut times, mut builds, mut late) = (Vec::new(), Vec::new(), 0_u64);
    let (mut least, mut most, mut given, mut error) = (usize::MAX, 0, 0, 0.0_f64);
    let mut kept_answers = Vec::new();
    let begun = Instant::now();
    for frame in 0..count {
        let due = period * frame as u32;
        if let Some(rest) = due.checked_sub(begun.elapsed()) {
            std::thread::sleep(rest);
        }
        // To and fro, so that nothing jumps.
        let turn = frame as usize % (2 * LOOP - 2);
        let shot = &shots[turn.min(2 * LOOP - 2 - turn)];
        let start = Instant::now();
        let frames: Vec<(Pose, &[DVec3])> = places
            .iter()
            .copied()
            .zip(shot.iter().map(|s| &s[..]))
            .collect();
        let thinned = tree.rebuild_merged(&frames, thin)?;
        builds.push(milliseconds(start));
        arm.poses(frame as f64 / RATE, &mut poses)?;
        links.nearest(&tree, &poses, &mut cache, &mut answers)?;
        times.push(milliseconds(start));
        late += u64::from(begun.elapsed() > due + period);
        least = least.min(thinned.kept);
        most = most.max(thinned.kept);
        given = given.max(thinned.kept + thinned.dropped);
        error = error.max(thinned.error);
        if frame == 0 || frame + 1 == count {
            kept_answers.push((frames, poses.clone(), answers.clone(), thinned));
        }
    }
    let elapsed = begun.elapsed().as_secs_f64();
    let rate = count as f64 / elapsed.max(args.seconds as f64);
    let (median, slowest) = (quantile(&mut times, 0.5), quantile(&mut times, 1.0));
    let build = quantile(&mut builds, 0.5);
    let late_part = late as f64 / count.max(1) as f64;
    report.say(
        "sustained",
        &format!(
            "four cameras for {} s: {given} points thinned to {least} to {most}, distances bracketed to {:.2} mm; merged, thinned and indexed in {build:.1} ms, {median:.1} ms a frame (median), {slowest:.1} ms (longest), {late} of {count} late ({:.1} %), {rate:.2} frames a second",
            args.seconds,
            error * 1e3,
            late_part * 100.0
        ),
        serde_json::json!({ "seconds": args.seconds, "points": given, "kept": most, "kept_least": least, "error": error, "build_ms": build, "median_ms": median, "longest_ms": slowest, "late": late, "frames": count, "rate_hz": rate }),
    );
    // Fewer points than may stay, or none to thin, would be less work.
    let is_full = args.balls >= BALLS
        && args.seconds >= SECONDS
        && args.points >= MERGED
        && args.cube.is_none()
        && given > MERGED;
    report.bar(
        "kept",
        &format!("{KEPT}, {most}"),
        right_at_full_size(is_full, Bar::of(most <= MERGED)),
    );
    report.bar(
        "rate",
        &format!("{SUSTAINED}, {rate:.2} for {} s", args.seconds),
        at_full_size(is_full, Bar::of(rate >= 0.995 * RATE && most <= MERGED)),
    );
    report.bar(
        "late",
        &format!("{PUNCTUAL}, {:.1} %", late_part * 100.0),
        at_full_size(is_full, Bar::at_most(late_part, MAX_LATE)),
    );
    let (mut checked, mut wrong) = (0_u64, 0_u64);
    let mut points = Vec::new();
    for (frames, poses, answers, thinned) in kept_answers {
        merge(&frames, &mut points);
        let truths = brute(&arm.balls, &poses, &points);
        checked += 1;
        let is_right =
            |(answer, truth): (&Option<NearestPoint>, &Option<Key>)| match (answer, truth) {
                (Some(answer), Some(truth)) => {
                    let (lower, upper) = thinned.bracket(answer.distance);
                    lower <= truth.0 && truth.0 <= upper
                }
                (answer, truth) => answer.is_none() && truth.is_none(),
            };
        let is_complete = answers.len() == truths.len();
        wrong += u64::from(!(is_complete && answers.iter().zip(&truths).all(is_right)));
    }
    report.bar(
        "bracketed",
        &format!("{BRACKETED}, {wrong} of {checked} frames differ"),
        right_at_full_size(is_full, Bar::none_wrong(wrong, checked)),
    );
    Ok(())
}
