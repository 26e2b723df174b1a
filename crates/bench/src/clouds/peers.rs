//! Nearest points, compared with nanoflann, kiddo and Open3D, each a separate program.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use impinge::DVec3;
use impinge::cloud::KdTree;
use impinge::math::Rng;

use super::timing::{at_full_size, own_seconds, right_at_full_size};
use crate::folders::installed;
use crate::sample_statistics::median;
use crate::{Bar, Bars};

/// Places of the queries.
const PLACES: usize = 100_000;
/// How long a question may take beside the fastest of the others.
pub(crate) const MAX_TIMES: f64 = 1.5;
/// Sums of distances may differ by this part: their orders do.
pub(crate) const AGREES: f64 = 1e-9;
/// The others, and their programs.
const OTHERS: [(&str, &str); 3] = [
    ("kiddo", KIDDO),
    ("nanoflann", "nanoflann"),
    ("Open3D", "open3d"),
];
pub(crate) const KIDDO: &str = "nearest-kiddo";

/// What one index took, in seconds; a question is the mean of all places.
pub(crate) struct IndexTimes {
    pub(crate) build: f64,
    pub(crate) question: f64,
    /// The sum of all distances.
    pub(crate) sum: f64,
}

/// Our index beside others on the same points and places.
pub(super) fn beside_peers(
    points: &[DVec3],
    rounds: usize,
    is_full: bool,
    bars: &mut Bars,
) -> anyhow::Result<()> {
    let mut rng = Rng::new(9);
    // Half of them near the points, half anywhere about them.
    let place = |k: usize| match k % 2 {
        0 => points[rng.below(points.len().max(1) as u64) as usize] + rng.cube() * 0.01,
        _ => rng.cube() * 1.5,
    };
    if points.is_empty() {
        bars.say(Bar::Open, "nearest points beside others, of no point");
        return Ok(());
    }
    let places: Vec<DVec3> = (0..PLACES).map(place).collect();
    let rounds = rounds.max(1);
    let ours = own(points, &places, rounds);
    println!(
        "\nnearest of {} points to {PLACES} places, one thread unless told",
        points.len()
    );
    print("ours", &ours);
    let mut fastest: Option<f64> = None;
    let mut is_every_one_there = true;
    let files = PointFiles::write(points, &places)?;
    for (name, program) in OTHERS {
        match files.ask(program, rounds) {
            Ok(peer) => {
                print(name, &peer);
                fastest = Some(fastest.map_or(peer.question, |f| f.min(peer.question)));
                let is_equal = (ours.sum - peer.sum).abs() <= AGREES * ours.sum.abs();
                bars.say(
                    right_at_full_size(is_full, Bar::of(is_equal)),
                    format!("nearest points as {name} finds them"),
                );
            }
            Err(error) => {
                is_every_one_there = false;
                bars.say(
                    Bar::Open,
                    format!("nearest points as {name} finds them ({error:#})"),
                );
            }
        }
    }
    let times = fastest.map(|fastest| ours.question / fastest);
    let figure = times.map_or_else(String::new, |times| format!(", {times:.2} ×"));
    // One who is missing may have been the fastest: then nothing is met.
    let bar = right_at_full_size(is_every_one_there, Bar::at_most(times, MAX_TIMES));
    bars.say(
        at_full_size(is_full, bar),
        format!(
            "a nearest point takes at most {MAX_TIMES} × the time of the fastest other{figure}"
        ),
    );
    Ok(())
}

fn print(name: &str, taken: &IndexTimes) {
    println!(
        "{name:>10}: build {:>8.2} ms, a question {:>7.0} ns",
        taken.build * 1e3,
        taken.question * 1e9
    );
}

fn own(points: &[DVec3], places: &[DVec3], rounds: usize) -> IndexTimes {
    let (mut builds, mut questions, mut sum) = (Vec::new(), Vec::new(), 0.0);
    for _ in 0..rounds {
        let mut tree = None;
        builds.push(own_seconds(|| tree = Some(KdTree::new(points))));
        let Some(tree) = tree else { continue };
        sum = 0.0;
        let asked = own_seconds(|| {
            for &place in places {
                sum += black_box(tree.nearest(black_box(place))).map_or(0.0, |n| n.distance());
            }
        });
        questions.push(asked / places.len() as f64);
    }
    IndexTimes {
        build: median(builds),
        question: median(questions),
        sum,
    }
}

/// Points and places in files that programs beside us read; the files go with this.
pub(crate) struct PointFiles {
    files: [PathBuf; 2],
    places: usize,
}

impl PointFiles {
    pub(crate) fn write(points: &[DVec3], places: &[DVec3]) -> anyhow::Result<Self> {
        let files = Self {
            files: ["points", "places"].map(|what| temporary(&format!("cloud-{what}"))),
            places: places.len(),
        };
        write(&files.files[0], points.iter().map(DVec3::to_array))?;
        write(&files.files[1], places.iter().map(DVec3::to_array))?;
        Ok(files)
    }

    /// What a program took.
    pub(crate) fn ask(&self, program: &str, rounds: usize) -> anyhow::Result<IndexTimes> {
        let numbers = answer(program, "nearest ", &self.files, rounds)?;
        let (Some((&sum, times)), true) = (numbers.split_first(), numbers.len() == 1 + 2 * rounds)
        else {
            bail!("it said {} numbers", numbers.len());
        };
        let (builds, questions) = times.split_at(rounds);
        Ok(IndexTimes {
            build: median(builds.to_vec()) * 1e-9,
            question: median(questions.to_vec()) * 1e-9 / self.places.max(1) as f64,
            sum,
        })
    }
}

impl Drop for PointFiles {
    fn drop(&mut self) {
        for file in &self.files {
            // What is left in the folder for such files hurts nobody.
            let _ = std::fs::remove_file(file);
        }
    }
}

/// A file for this process alone.
pub(super) fn temporary(what: &str) -> PathBuf {
    let name = format!("impinge-{}-{what}.bin", std::process::id());
    std::env::temp_dir().join(name)
}

/// A 64-bit count and the doubles of each row.
pub(super) fn write<const N: usize>(
    path: &Path,
    rows: impl ExactSizeIterator<Item = [f64; N]>,
) -> anyhow::Result<()> {
    let mut bytes = (rows.len() as u64).to_le_bytes().to_vec();
    bytes.extend(rows.flatten().flat_map(f64::to_le_bytes));
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// The numbers in the line that a program beside us answers with.
pub(super) fn answer(
    program: &str,
    line: &str,
    files: &[PathBuf],
    rounds: usize,
) -> anyhow::Result<Vec<f64>> {
    let path = installed().join("peers").join(program);
    if !path.is_file() {
        bail!("`cargo xtask peers {program}` builds it");
    }
    let output = Command::new(&path)
        .args(files)
        .arg(rounds.to_string())
        .output()
        .with_context(|| format!("cannot start {}", path.display()))?;
    if !output.status.success() {
        bail!(
            "it failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let found = text.lines().find_map(|found| found.strip_prefix(line));
    let numbers = found.context("it said nothing")?.split_whitespace();
    Ok(numbers.map(str::parse).collect::<Result<_, _>>()?)
}
