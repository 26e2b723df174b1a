//! What Mainzer's thesis claims about clusters: pairs that its threshold misses, replication, candidates.

use std::time::Instant;

use impinge::deform::clustering::{
    Assignment, ClusterCount, Clustering, ClusteringOptions, SweepAxis,
};
use impinge::deform::{HashedGrid, Refit, SceneAnswer, SceneCounters, SceneEngine, SceneRequest};

use super::Clock;
use super::player::{begin, go};
use super::record::Journal;
use super::truth::STRIDE;
use crate::scenes::{SceneName, load};

/// What clusters are asked to be faster than the grid.
const FASTER_THAN_GRID: f64 = 1.8;

/// A way of clustering, and its sums over the frames of a scene.
struct Way {
    label: &'static str,
    engine: Clustering,
    counters: Vec<SceneCounters>,
    missed: usize,
}

fn ways() -> Vec<Way> {
    let plain = ClusteringOptions::default();
    let fixed = |count: usize| ClusteringOptions {
        clusters: ClusterCount::Fixed(count),
        ..plain
    };
    let rule = |count: usize, assignment: Assignment| ClusteringOptions {
        assignment,
        ..fixed(count)
    };
    let axis = |axis: usize| ClusteringOptions {
        axis: SweepAxis::Fixed(axis),
        ..fixed(2)
    };
    [
        ("c=1", fixed(1)),
        ("c=2", fixed(2)),
        ("c=4", fixed(4)),
        ("c=8", fixed(8)),
        ("c=2 fixed x", axis(0)),
        ("c=2 fixed y", axis(1)),
        ("c=2 fixed z", axis(2)),
        ("c=2 thesis", rule(2, Assignment::Threshold)),
        ("c=4 thesis", rule(4, Assignment::Threshold)),
        ("c=8 thesis", rule(8, Assignment::Threshold)),
        ("c=2 radius", rule(2, Assignment::RadiusThreshold)),
        ("c=2 nearest", rule(2, Assignment::Nearest)),
    ]
    .map(|(label, options)| Way {
        label,
        engine: Clustering::new(options),
        counters: Vec::new(),
        missed: 0,
    })
    .into()
}

impl Way {
    fn ask(&mut self, scene: &impinge::deform::Scene, truth: &SceneAnswer) {
        let answer = self.engine.pairs(scene, &one_thread());
        self.missed += answer.missing(truth).len();
        self.counters.push(answer.counters);
    }

    fn mean(&self, of: impl Fn(&SceneCounters) -> f64) -> f64 {
        self.counters.iter().map(of).sum::<f64>() / self.counters.len().max(1) as f64
    }
}

fn one_thread() -> SceneRequest {
    SceneRequest {
        parallel: false,
        ..SceneRequest::default()
    }
}

pub(super) fn run(
    scenes: &[SceneName],
    is_small: bool,
    clock: Clock,
    journal: &mut Journal,
) -> anyhow::Result<()> {
    let (mut thesis_missed, mut safe_missed, mut hits) = (0, 0, 0);
    let mut replication = Vec::new();
    let mut candidates = Vec::new();
    let mut speed = Vec::new();
    for name in scenes {
        let sequence = load(name, is_small)?;
        let deadline = clock.deadline();
        let mut ways = ways();
        let (mut refit, mut grid, mut clusters) = (
            Refit::default(),
            HashedGrid::default(),
            Clustering::default(),
        );
        let mut times = [0.0; 2];
        let mut scene = begin(&sequence)?;
        let (mut at, mut frames, mut pairs) = (0, 0, 0);
        for frame in (0..sequence.frames.len()).rev().step_by(STRIDE) {
            if frames > 0 && Instant::now() > deadline {
                break;
            }
            go(&mut scene, &sequence, at, frame)?;
            at = frame;
            frames += 1;
            // The tree was judged in `truth`.
            let truth = refit.pairs(&scene, &one_thread());
            pairs += truth.pairs.len();
            for way in &mut ways {
                way.ask(&scene, &truth);
            }
            for (time, engine) in times.iter_mut().zip([
                &mut clusters as &mut dyn SceneEngine,
                &mut grid as &mut dyn SceneEngine,
            ]) {
                let start = Instant::now();
                let _ = engine.pairs(&scene, &one_thread());
                *time += start.elapsed().as_secs_f64();
            }
        }
        hits += pairs;
        println!(
            "\n{} ({frames} frames, {pairs} pairs)\n  {:<14} {:>8} {:>12} {:>14} {:>12} {:>8}",
            name.text(),
            "clusters",
            "entries",
            "along axis",
            "axis pairs/hit",
            "candidates",
            "missed"
        );
        for way in &ways {
            let entries = way.mean(SceneCounters::replication);
            let along = way.mean(|c| c.axis_pairs as f64);
            let decided = way.mean(|c| c.candidates as f64);
            let per_hit = along * frames as f64 / (pairs as f64).max(1.0);
            println!(
                "  {:<14} {entries:>8.3} {along:>12.0} {per_hit:>14.1} {decided:>12.0} {:>8}",
                way.label, way.missed
            );
            for (what, value) in [
                ("replication", entries),
                ("axis_pairs", along),
                ("candidates", decided),
                ("missed_pairs", way.missed as f64),
            ] {
                journal.push("claims", &name.text(), way.label, what, value);
            }
            if way.label.ends_with("thesis") {
                thesis_missed += way.missed;
            } else if !way.label.ends_with("nearest") && !way.label.ends_with("radius") {
                safe_missed += way.missed;
            }
        }
        let of = |label: &str| ways.iter().find(|way| way.label == label);
        let is_cloth =
            !name.name.contains("balls") && name.is_free.is_some() && name.name != "breaking-solid";
        if let (true, Some(safe), Some(thesis)) = (is_cloth, of("c=2"), of("c=2 thesis")) {
            let [safe, thesis] = [safe, thesis].map(|way| way.mean(SceneCounters::replication));
            replication.push((name.text(), safe, thesis));
        }
        if let (true, Some(one), Some(two)) = (is_cloth, of("c=1"), of("c=2")) {
            let along = |way: &Way| way.mean(|c| c.axis_pairs as f64);
            let fixed = of("c=2 fixed x").map_or(0.0, along);
            candidates.push((name.text(), along(one), along(two), fixed));
        }
        if is_cloth {
            speed.push((name.text(), times[1] / times[0].max(1e-9)));
            journal.push(
                "claims",
                &name.text(),
                "clustering",
                "times_faster_than_grid",
                times[1] / times[0].max(1e-9),
            );
        }
    }
    println!();
    println!(
        "the thesis's threshold missed {thesis_missed} of {} pairs (c = 2, 4, 8 together)",
        3 * hits
    );
    journal.bar(
        format!("the safe rule misses {safe_missed} pairs, asked 0"),
        safe_missed == 0,
    );
    for (scene, safe, thesis) in replication {
        journal.bar(
            format!(
                "{scene}: replication {safe:.3} of the safe rule, at most the thesis's {thesis:.3}"
            ),
            safe <= thesis,
        );
    }
    for (scene, one, two, fixed) in candidates {
        journal.bar(
            format!(
                "{scene}: {two:.0} pairs along the principal axis, fewer than {fixed:.0} along x"
            ),
            two < fixed,
        );
        journal.bar(
            format!("{scene}: {two:.0} pairs with two clusters, fewer than {one:.0} with one"),
            two < one,
        );
    }
    for (scene, ratio) in speed {
        journal.bar(
            format!("{scene}: clusters {ratio:.2} times as fast as the hashed grid, asked {FASTER_THAN_GRID}"),
            ratio >= FASTER_THAN_GRID,
        );
    }
    Ok(())
}
