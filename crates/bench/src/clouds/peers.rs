//! Nearest points beside nanoflann, kiddo and Open3D.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};
use impinge::DVec3;
use impinge::cloud::KdTree;
use impinge::math::Rng;

use super::timing::{bar, median, own_seconds};
use crate::engines::target;

/// Places that are asked about.
const PLACES: usize = 100_000;
/// How long a question may take beside the fastest of the others.
const MAX_TIMES: f64 = 1.5;
/// Sums of distances may differ by this part: their orders do.
const AGREES: f64 = 1e-9;

/// What one index took, in seconds; a question is the mean of all places.
struct Taken {
    name: &'static str,
    build: f64,
    question: f64,
    /// The sum of all distances.
    sum: f64,
}

/// Our index beside others on the same points and places; whether every bar is met.
pub(super) fn beside_peers(points: &[DVec3], rounds: usize) -> anyhow::Result<bool> {
    let mut rng = Rng::new(9);
    // Half of them near the points, half anywhere about them.
    let place = |k: usize| match k % 2 {
        0 => points[rng.below(points.len().max(1) as u64) as usize] + rng.cube() * 0.01,
        _ => rng.cube() * 1.5,
    };
    if points.is_empty() {
        return Ok(true);
    }
    let places: Vec<DVec3> = (0..PLACES).map(place).collect();
    let rounds = rounds.max(1);
    let ours = own(points, &places, rounds);
    println!(
        "\nnearest of {} points to {PLACES} places, one thread unless told",
        points.len()
    );
    print(&ours);
    let mut met = true;
    let mut fastest = f64::INFINITY;
    match kiddo(points, &places, rounds)? {
        Some(peer) => met &= compare(&ours, &peer, &mut fastest),
        None => open("kiddo", "build with --features crate-peers"),
    }
    let file = |what: &str| {
        let name = format!("impinge-cloud-{}-{what}.bin", std::process::id());
        std::env::temp_dir().join(name)
    };
    let files = [file("points"), file("places")];
    write(&files[0], points)?;
    write(&files[1], &places)?;
    for name in ["nanoflann", "open3d"] {
        match runner(name, [&files[0], &files[1]], rounds) {
            Ok(Some(peer)) => met &= compare(&ours, &peer, &mut fastest),
            Ok(None) => open(name, "`cargo xtask peers` installs and builds it"),
            Err(error) => open(name, &format!("{error:#}")),
        }
    }
    for file in files {
        std::fs::remove_file(file)?;
    }
    if fastest.is_finite() {
        let times = ours.question / fastest;
        met &= bar(
            times <= MAX_TIMES,
            &format!(
                "a nearest point takes at most {MAX_TIMES} × the time of the fastest other, {times:.2} ×:"
            ),
        );
    }
    Ok(met)
}

fn print(taken: &Taken) {
    println!(
        "{:>10}: build {:>8.2} ms, a question {:>7.0} ns",
        taken.name,
        taken.build * 1e3,
        taken.question * 1e9
    );
}

/// A bar that nobody can tell about today.
fn open(name: &str, why: &str) {
    println!("bar: nearest points as {name} finds them: open ({why})");
}

fn compare(ours: &Taken, peer: &Taken, fastest: &mut f64) -> bool {
    print(peer);
    *fastest = fastest.min(peer.question);
    let is_equal = (ours.sum - peer.sum).abs() <= AGREES * ours.sum.abs();
    bar(
        is_equal,
        &format!("nearest points as {} finds them:", peer.name),
    )
}

fn own(points: &[DVec3], places: &[DVec3], rounds: usize) -> Taken {
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
    Taken {
        name: "ours",
        build: median(builds),
        question: median(questions),
        sum,
    }
}

#[cfg(feature = "crate-peers")]
fn kiddo(points: &[DVec3], places: &[DVec3], rounds: usize) -> anyhow::Result<Option<Taken>> {
    use kiddo::{ImmutableKdTree, SquaredEuclidean};
    let arrays: Vec<[f64; 3]> = points.iter().map(DVec3::to_array).collect();
    let (mut builds, mut questions, mut sum) = (Vec::new(), Vec::new(), 0.0);
    for _ in 0..rounds {
        let mut tree = None;
        builds.push(own_seconds(|| {
            tree = ImmutableKdTree::<f64, 3>::new_from_slice_parallel(&arrays).ok();
        }));
        let Some(tree) = tree else {
            bail!("kiddo refuses the points");
        };
        sum = 0.0;
        let asked = own_seconds(|| {
            for place in places {
                let at = black_box(place.to_array());
                let found = tree.query(&at).nearest_one::<SquaredEuclidean<f64>>();
                sum += found.execute().distance.sqrt();
            }
        });
        questions.push(asked / places.len() as f64);
    }
    Ok(Some(Taken {
        name: "kiddo",
        build: median(builds),
        question: median(questions),
        sum,
    }))
}

#[cfg(not(feature = "crate-peers"))]
#[expect(
    clippy::unnecessary_wraps,
    reason = "the same as with the feature, where it can fail"
)]
fn kiddo(_: &[DVec3], _: &[DVec3], _: usize) -> anyhow::Result<Option<Taken>> {
    Ok(None)
}

/// A 64-bit count and three doubles for each point.
fn write(path: &Path, points: &[DVec3]) -> anyhow::Result<()> {
    let mut bytes = (points.len() as u64).to_le_bytes().to_vec();
    let numbers = points.iter().flat_map(DVec3::to_array);
    bytes.extend(numbers.flat_map(f64::to_le_bytes));
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// What a program beside us took; none when it is not there.
fn runner(name: &'static str, files: [&Path; 2], rounds: usize) -> anyhow::Result<Option<Taken>> {
    let program = target().join("peers").join(name);
    if !program.is_file() {
        return Ok(None);
    }
    let output = Command::new(&program)
        .args(files)
        .arg(rounds.to_string())
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    if !output.status.success() {
        bail!(
            "it failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix("nearest "));
    let numbers: Vec<f64> = line
        .context("it said nothing")?
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let (Some((&sum, times)), true) = (numbers.split_first(), numbers.len() == 1 + 2 * rounds)
    else {
        bail!("it said {} numbers", numbers.len());
    };
    let (builds, questions) = times.split_at(rounds);
    Ok(Some(Taken {
        name,
        build: median(builds.to_vec()) * 1e-9,
        question: median(questions.to_vec()) * 1e-9 / PLACES as f64,
        sum,
    }))
}
