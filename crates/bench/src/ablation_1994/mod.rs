//! The ratios published in 1994 beside ours: what each idea of that thesis gains today, by work and by time.
//!
//! Absolute times of that year mean nothing now, ratios do. Work is counted, so it is the same on every machine; times are
//! medians of runs in which all variants take turns. Where ours differ, the table says why, from the numbers of the same run. Two tables
//! of that thesis are counts and rates of single points, and follow after the ratios.

mod cage;
mod convex;
mod edges;
mod point_tests;
mod trees;

use std::time::Instant;

use impinge::Pose;

use crate::Bar;
use crate::sample_statistics::median;

use convex::clipping;
use edges::{pre_checks, relaxed_pot};
use point_tests::{outlines, random_points, ray_checks};
use trees::{break_even, tree_parts, two_threads};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Frames of the objects in the cage, and of the two that bounce
    #[arg(long, default_value_t = 40)]
    frames: usize,
    /// Runs of which the median counts
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Faces of the models whose box-trees are taken apart
    #[arg(long, default_value_t = 2000)]
    faces: usize,
    /// Print the ratios as JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// One published ratio and ours.
#[derive(Debug, serde::Serialize)]
struct RatioRow {
    experiment: &'static str,
    scene: String,
    published: Option<f64>,
    /// The ratio of counted work, and what was counted.
    by_work: f64,
    work: &'static str,
    by_time: f64,
    why: String,
    /// Whether this machine cannot decide it: two threads without two free processors.
    is_open: bool,
}

/// A ratio by time within this factor of the published one counts as met.
const AGREEMENT: f64 = 1.5;

/// How our ratio compares with the published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RatioVerdict {
    /// Nothing was published.
    Unpublished,
    /// This machine cannot tell.
    Open,
    Met,
    /// The idea gains more today.
    More,
    /// The idea gains less today.
    Less,
}

impl RatioVerdict {
    fn name(self) -> &'static str {
        match self {
            Self::Unpublished => "-",
            Self::Open => "open",
            Self::Met => "met",
            Self::More => "differs: more",
            Self::Less => "differs: less",
        }
    }
}

impl RatioRow {
    fn verdict(&self) -> RatioVerdict {
        match self.published {
            None => RatioVerdict::Unpublished,
            Some(_) if self.is_open => RatioVerdict::Open,
            Some(published) if self.by_time > AGREEMENT * published => RatioVerdict::More,
            Some(published) if self.by_time * AGREEMENT < published => RatioVerdict::Less,
            Some(_) => RatioVerdict::Met,
        }
    }

    /// Whether the idea gains what was published, or more; none where nothing was published.
    fn bar(&self) -> Option<Bar> {
        match self.verdict() {
            RatioVerdict::Unpublished => None,
            RatioVerdict::Open => Some(Bar::Open),
            RatioVerdict::Met | RatioVerdict::More => Some(Bar::Met),
            RatioVerdict::Less => Some(Bar::Missed),
        }
    }
}

/// The bar of all published ratios.
fn bar_of(rows: &[RatioRow]) -> Bar {
    Bar::together(rows.iter().filter_map(RatioRow::bar))
}

/// How many programs ran or waited for a processor in the last minute, on average; none where the system does not say.
fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    // Before anything is measured: later this program is a part of it.
    let load = load();
    let mut rows = Vec::new();
    pre_checks(args, &mut rows)?;
    relaxed_pot(args, &mut rows)?;
    clipping(args, &mut rows)?;
    tree_parts(args, &mut rows)?;
    break_even(args, &mut rows)?;
    two_threads(args, load, &mut rows)?;
    // Every variant gave the same answers, or an error was returned.
    let bar = bar_of(&rows);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(bar);
    }
    table(&rows, load);
    println!();
    let rays = ray_checks(args)?;
    outlines(args)?;
    Ok(bar.and(rays).and(random_points(args)?))
}

fn table(rows: &[RatioRow], load: Option<f64>) {
    println!("ratios above 1: the idea gains; published are those of 1994");
    if let Some(load) = load {
        println!(
            "load of this machine before measuring: {load}; two threads need two free processors"
        );
    }
    println!(
        "{:<22} {:<30} {:>9} {:>8} {:>8}  {:<13}  counted as work",
        "idea", "scene", "published", "by work", "by time", "by time"
    );
    for row in rows {
        let published = row
            .published
            .map_or_else(|| "-".to_owned(), |x| x.to_string());
        println!(
            "{:<22} {:<30} {published:>9} {:>8.2} {:>8.2}  {:<13}  {}",
            row.experiment,
            row.scene,
            row.by_work,
            row.by_time,
            row.verdict().name(),
            row.work
        );
        if !row.why.is_empty() {
            println!("    {}", row.why);
        }
    }
    let count = |verdict| rows.iter().filter(|row| row.verdict() == verdict).count();
    let (met, more, less) = (
        count(RatioVerdict::Met),
        count(RatioVerdict::More),
        count(RatioVerdict::Less),
    );
    println!(
        "{met} of {} published ratios are met within a factor of {AGREEMENT}; {more} ideas gain more today and {less} less, with the counts beside them; {} are open",
        met + more + less,
        count(RatioVerdict::Open)
    );
    for row in rows {
        if let Some(bar) = row.bar() {
            println!(
                "bar: {}, {}: {:.2} times by time, published {}, at least that by a factor of {AGREEMENT}: {}",
                row.experiment,
                row.scene,
                row.by_time,
                row.published.unwrap_or(f64::NAN),
                bar.word()
            );
        }
    }
}

/// Seconds of each variant over all steps: for each step the median of several runs, the variants taking turns.
///
/// A step should be short, so that a disturbance costs one run of it.
fn interleaved(rounds: usize, steps: usize, variants: &mut [&mut dyn FnMut(usize)]) -> Vec<f64> {
    let mut sums = vec![0.0; variants.len()];
    let mut times = vec![Vec::new(); variants.len()];
    for step in 0..steps {
        for _ in 0..rounds.max(1) {
            for (variant, times) in variants.iter_mut().zip(&mut times) {
                let start = Instant::now();
                variant(step);
                times.push(start.elapsed().as_secs_f64());
            }
        }
        for (times, sum) in times.iter_mut().zip(&mut sums) {
            *sum += median(&mut *times);
            times.clear();
        }
    }
    sums
}

/// Poses queried in one step: few, so that a step takes less time than a turn of the system's scheduler.
const POSES_PER_STEP: usize = 2;

/// The poses of a step.
fn few(poses: &[Pose], step: usize) -> &[Pose] {
    let first = (step * POSES_PER_STEP).min(poses.len());
    &poses[first..(first + POSES_PER_STEP).min(poses.len())]
}

#[cfg(test)]
mod tests {
    use super::{RatioRow, RatioVerdict, bar_of};
    use crate::Bar;

    fn row(published: Option<f64>, by_time: f64, is_open: bool) -> RatioRow {
        RatioRow {
            experiment: "an idea",
            scene: String::new(),
            published,
            by_work: 1.0,
            work: "tests",
            by_time,
            why: "some words".to_owned(),
            is_open,
        }
    }

    #[test]
    fn a_ratio_that_is_not_reached_misses_the_bar_whatever_is_said_about_it() {
        assert_eq!(bar_of(&[]), Bar::Open);
        assert_eq!(bar_of(&[row(None, 0.1, false)]), Bar::Open);
        let met = row(Some(1.5), 1.2, false);
        assert_eq!(
            (met.verdict(), bar_of(&[met])),
            (RatioVerdict::Met, Bar::Met)
        );
        let more = row(Some(1.5), 9.0, false);
        assert_eq!(
            (more.verdict(), bar_of(&[more])),
            (RatioVerdict::More, Bar::Met)
        );
        let less = || row(Some(1.5), 0.9, false);
        assert_eq!(
            (less().verdict(), bar_of(&[less()])),
            (RatioVerdict::Less, Bar::Missed)
        );
        // Two threads on one processor decide nothing.
        let open = row(Some(1.5), 0.2, true);
        assert_eq!(
            (open.verdict(), open.bar()),
            (RatioVerdict::Open, Some(Bar::Open))
        );
        assert_eq!(bar_of(&[open, less()]), Bar::Missed);
    }
}
