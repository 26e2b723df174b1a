//! What Mainzer's thesis claims about clusters: pairs that its threshold misses, replication, candidates, time.

use std::time::Instant;

use impinge::deform::clustering::{
    ClusterCount, Clustering, ClusteringOptions, ClusteringStage, FaceAssignment, SweepAxis,
};
use impinge::deform::{HashedGrid, Scene, SceneCounters, SceneEngine, ScenePair, SceneRequest};

use super::SceneChoice;
use super::all_pairs::all_pairs;
use super::playback::{begin, go};
use super::record::RecordWriter;
use super::truth::STRIDE;
use crate::Bar;
use crate::scenes::load;

/// The bar: by how much clusters are faster than the grid.
const FASTER_THAN_GRID: f64 = 1.8;
/// Numbers of clusters for which the safe rule is held against the thesis's.
const COUNTS: [usize; 3] = [2, 4, 8];
/// The axis that the thesis holds its principal axis against, and the others.
const FIXED: [&str; 3] = ["x", "y", "z"];
/// The number of clusters that is chosen by counted work.
const CHOSEN: &str = "c chosen";
/// Stages of a frame, as they are called in tables; what follows the last is sorting the answer.
const STAGES: [(&str, Option<ClusteringStage>); 6] = [
    ("points_ms", Some(ClusteringStage::Points)),
    ("clusters_ms", Some(ClusteringStage::Clusters)),
    ("assignment_ms", Some(ClusteringStage::Assignment)),
    ("sort_ms", Some(ClusteringStage::Sort)),
    ("decision_ms", Some(ClusteringStage::Decision)),
    ("answer_ms", None),
];

/// A way of clustering, and its sums over the frames of a scene.
struct ClusteringVariant {
    label: String,
    engine: Clustering,
    counters: Vec<SceneCounters>,
    missed: usize,
}

fn ways() -> Vec<ClusteringVariant> {
    let plain = ClusteringOptions::default();
    // The number is named in each: by default it is chosen.
    let fixed = |count: usize| ClusteringOptions {
        clusters: ClusterCount::Fixed(count),
        ..plain
    };
    let rule = |count: usize, assignment: FaceAssignment| ClusteringOptions {
        assignment,
        ..fixed(count)
    };
    let mut ways = vec![(safe(1), fixed(1))];
    for count in COUNTS {
        ways.push((safe(count), fixed(count)));
        ways.push((thesis(count), rule(count, FaceAssignment::Threshold)));
    }
    for (axis, name) in FIXED.iter().enumerate() {
        let options = ClusteringOptions {
            axis: SweepAxis::Fixed(axis),
            ..fixed(2)
        };
        ways.push((along(name), options));
    }
    ways.push((
        "c=2 radius".to_owned(),
        rule(2, FaceAssignment::RadiusThreshold),
    ));
    ways.push(("c=2 nearest".to_owned(), rule(2, FaceAssignment::Nearest)));
    ways.push((CHOSEN.to_owned(), plain));
    for (label, axis) in [
        ("c=1 curve 16", SweepAxis::Curve { segments: 16 }),
        ("c=1 curve 64", SweepAxis::Curve { segments: 64 }),
    ] {
        ways.push((label.to_owned(), ClusteringOptions { axis, ..fixed(1) }));
    }
    ways.into_iter()
        .map(|(label, options)| ClusteringVariant {
            label,
            engine: Clustering::new(options),
            counters: Vec::new(),
            missed: 0,
        })
        .collect()
}

fn safe(count: usize) -> String {
    format!("c={count}")
}

fn thesis(count: usize) -> String {
    format!("c={count} thesis")
}

fn along(axis: &str) -> String {
    format!("c=2 fixed {axis}")
}

impl ClusteringVariant {
    fn ask(&mut self, scene: &Scene, truth: &[ScenePair]) {
        let answer = self.engine.pairs(scene, &one_thread());
        let is_missed = |pair: &&ScenePair| answer.pairs.binary_search(pair).is_err();
        self.missed += truth.iter().filter(is_missed).count();
        self.counters.push(answer.counters);
    }

    fn mean(&self, of: impl Fn(&SceneCounters) -> f64) -> f64 {
        self.counters.iter().map(of).sum::<f64>() / self.counters.len().max(1) as f64
    }

    /// Whether its assignment is the complete one.
    fn is_safe(&self) -> bool {
        self.engine.is_complete()
    }
}

fn one_thread() -> SceneRequest {
    SceneRequest {
        parallel: false,
        ..SceneRequest::default()
    }
}

/// Asks all ways, on two threads: only counts are taken.
fn ask_all(ways: &mut [ClusteringVariant], scene: &Scene, truth: &[ScenePair]) {
    let (one, two) = ways.split_at_mut(ways.len() / 2);
    std::thread::scope(|scope| {
        scope.spawn(|| one.iter_mut().for_each(|way| way.ask(scene, truth)));
        two.iter_mut().for_each(|way| way.ask(scene, truth));
    });
}

/// Time of clusters by stage, and of the grid, in milliseconds over all frames.
#[derive(Default)]
struct StageTimes {
    stages: [f64; STAGES.len()],
    grid: f64,
}

impl StageTimes {
    fn clusters(&self) -> f64 {
        self.stages.iter().sum()
    }

    fn take(&mut self, scene: &Scene, clusters: &mut Clustering, grid: &mut HashedGrid) {
        let mut last = Instant::now();
        let stages = &mut self.stages;
        let mut note = |stage: Option<ClusteringStage>| {
            let now = Instant::now();
            if let Some(k) = STAGES.iter().position(|(_, known)| *known == stage) {
                stages[k] += (now - last).as_secs_f64() * 1e3;
            }
            last = now;
        };
        let _ = clusters.pairs_watched(scene, &one_thread(), &mut |stage| note(Some(stage)));
        note(None);
        let start = Instant::now();
        let _ = grid.pairs(scene, &one_thread());
        self.grid += start.elapsed().as_secs_f64() * 1e3;
    }
}

/// The bar of something measured over some frames: open when there should be more of them.
fn over(bar: Bar, frames: usize, wanted: usize) -> Bar {
    if frames < wanted && bar == Bar::Met {
        Bar::Open
    } else {
        bar
    }
}

/// What a scene showed about the bars.
struct SceneFindings {
    scene: String,
    frames: usize,
    wanted: usize,
    hits: usize,
    /// By count: copies of the safe rule, and of the thesis's.
    replication: Vec<(usize, f64, f64)>,
    /// Mean candidates, and mean pairs along the axis.
    one: [f64; 2],
    two: [f64; 2],
    fixed: [[f64; 2]; 3],
    /// Pairs along the axis with the number of clusters that was chosen, and along curves of 64 segments.
    chosen: f64,
    curve: f64,
    faster_than_grid: f64,
}

impl SceneFindings {
    fn amount(&self, journal: &mut RecordWriter, is_met: bool, what: &str) {
        // Over fewer frames it is another figure, whichever way it falls.
        let bar = if self.frames < self.wanted {
            Bar::Open
        } else {
            Bar::of(is_met)
        };
        journal.amount(
            bar,
            format!(
                "{}, {} of {} frames: {what}",
                self.scene, self.frames, self.wanted
            ),
        );
    }

    /// For each hit; per frame where nothing meets, since all ways have the same hits.
    fn per_hit(&self, mean: f64) -> f64 {
        if self.hits == 0 {
            return mean;
        }
        mean * self.frames as f64 / self.hits as f64
    }

    fn bars(&self, journal: &mut RecordWriter) {
        for &(count, safe, thesis) in &self.replication {
            let what = format!(
                "c = {count}: replication {safe:.3} of the safe rule, at most the thesis's {thesis:.3}"
            );
            self.amount(journal, safe <= thesis, &what);
        }
        let per = if self.hits == 0 { "frame" } else { "hit" };
        for (k, what) in ["candidates", "pairs along the axis"]
            .into_iter()
            .enumerate()
        {
            let [one, two] = [self.one[k], self.two[k]];
            let [x, y, z] = self.fixed.map(|fixed| fixed[k]);
            let [of_one, of_two, of_x, of_y, of_z] =
                [one, two, x, y, z].map(|mean| self.per_hit(mean));
            let sentence = format!(
                "{of_two:.2} {what} per {per} by the principal axis, fewer than {of_x:.2} by x, the thesis's fixed axis (y {of_y:.2}, z {of_z:.2})"
            );
            self.amount(journal, two < x, &sentence);
            let sentence = format!(
                "{of_two:.2} {what} per {per} with two clusters, fewer than {of_one:.2} with one"
            );
            self.amount(journal, two < one, &sentence);
        }
        let [one, two] = [self.one[1], self.two[1]];
        let sentence = format!(
            "{:.0} pairs along the axis with the number of clusters that is chosen, no more than {one:.0} with one and {two:.0} with two",
            self.chosen
        );
        self.amount(journal, self.chosen <= one.min(two), &sentence);
        let sentence = format!(
            "{:.0} pairs along the axis in cells along a principal curve, fewer than {one:.0} along the principal axis",
            self.curve
        );
        self.amount(journal, self.curve < one, &sentence);
        let what = format!(
            "clusters {:.2} times as fast as the hashed grid, asked {FASTER_THAN_GRID}",
            self.faster_than_grid
        );
        self.amount(journal, self.faster_than_grid >= FASTER_THAN_GRID, &what);
    }
}

pub(super) fn run(chosen: &SceneChoice<'_>, journal: &mut RecordWriter) -> anyhow::Result<()> {
    let (mut thesis_missed, mut safe_missed, mut hits) = (0, 0, 0);
    let (mut all_frames, mut all_wanted) = (0, 0);
    let mut shown = Vec::new();
    for name in chosen.scenes {
        let sequence = load(name, chosen.is_small)?;
        let deadline = chosen.clock.deadline();
        let mut ways = ways();
        let (mut grid, mut clusters) = (HashedGrid::default(), Clustering::default());
        let mut times = StageTimes::default();
        let mut scene = begin(&sequence)?;
        let (mut at, mut frames, mut pairs) = (0, 0, 0);
        let wanted: Vec<usize> = (0..sequence.frames.len()).rev().step_by(STRIDE).collect();
        for &frame in &wanted {
            if frames > 0 && deadline.is_some_and(|deadline| Instant::now() > deadline) {
                break;
            }
            go(&mut scene, &sequence, at, frame)?;
            at = frame;
            frames += 1;
            let truth = all_pairs(&scene);
            pairs += truth.len();
            ask_all(&mut ways, &scene, &truth);
            // As in a sequence: each engine comes from the frame before.
            if frame > 0 {
                go(&mut scene, &sequence, at, frame - 1)?;
                at = frame - 1;
                let _ = clusters.pairs(&scene, &one_thread());
                let _ = grid.pairs(&scene, &one_thread());
            }
            go(&mut scene, &sequence, at, frame)?;
            at = frame;
            times.take(&scene, &mut clusters, &mut grid);
        }
        hits += pairs;
        all_frames += frames;
        all_wanted += wanted.len();
        println!(
            "\n{} ({frames} of {} frames, {pairs} pairs)\n  {:<14} {:>8} {:>12} {:>14} {:>12} {:>14} {:>8}",
            name.text(),
            wanted.len(),
            "clusters",
            "entries",
            "along axis",
            "axis pairs/hit",
            "candidates",
            "candidates/hit",
            "missed"
        );
        for way in &ways {
            let entries = way.mean(SceneCounters::replication);
            let along = way.mean(|c| c.axis_pairs as f64);
            let decided = way.mean(|c| c.candidates as f64);
            let [along_per_hit, decided_per_hit] =
                [along, decided].map(|mean| mean * frames as f64 / (pairs as f64).max(1.0));
            println!(
                "  {:<14} {entries:>8.3} {along:>12.0} {along_per_hit:>14.1} {decided:>12.0} {decided_per_hit:>14.2} {:>8}",
                way.label, way.missed
            );
            for (what, value) in [
                ("replication", entries),
                ("axis_pairs", along),
                ("candidates", decided),
                ("missed_pairs", way.missed as f64),
            ] {
                journal.push("claims", &name.text(), &way.label, what, value);
            }
            if way.is_safe() {
                safe_missed += way.missed;
            } else if way.label.ends_with("thesis") {
                thesis_missed += way.missed;
            }
        }
        let stages: Vec<String> = STAGES
            .iter()
            .zip(times.stages)
            .map(|(&(what, _), ms)| {
                let ms = ms / frames.max(1) as f64;
                journal.push("claims", &name.text(), "clustering", what, ms);
                format!("{} {ms:.2}", what.trim_end_matches("_ms"))
            })
            .collect();
        println!(
            "  clusters on one thread, {:.2} ms a frame: {}; the hashed grid {:.2} ms",
            times.clusters() / frames.max(1) as f64,
            stages.join(", "),
            times.grid / frames.max(1) as f64
        );
        let faster = times.grid / times.clusters().max(1e-6);
        journal.push(
            "claims",
            &name.text(),
            "clustering",
            "times_faster_than_grid",
            faster,
        );
        let is_cloth =
            !name.name.contains("balls") && name.is_free.is_some() && name.name != "breaking-solid";
        if !is_cloth {
            continue;
        }
        let of = |label: String| ways.iter().find(|way| way.label == label);
        let copies =
            |label: String| of(label).map_or(f64::NAN, |w| w.mean(SceneCounters::replication));
        let work = |label: String| {
            of(label).map_or([f64::NAN; 2], |way| {
                [
                    way.mean(|c| c.candidates as f64),
                    way.mean(|c| c.axis_pairs as f64),
                ]
            })
        };
        shown.push(SceneFindings {
            scene: name.text(),
            frames,
            wanted: wanted.len(),
            hits: pairs,
            replication: COUNTS
                .iter()
                .map(|&count| (count, copies(safe(count)), copies(thesis(count))))
                .collect(),
            one: work(safe(1)),
            two: work(safe(2)),
            fixed: FIXED.map(|axis| work(along(axis))),
            chosen: work(CHOSEN.to_owned())[1],
            curve: work("c=1 curve 64".to_owned())[1],
            faster_than_grid: faster,
        });
    }
    println!();
    println!(
        "the thesis's threshold missed {thesis_missed} of {} pairs (c = 2, 4, 8 together)",
        COUNTS.len() * hits
    );
    journal.answers(
        over(
            Bar::none_wrong(safe_missed as u64, hits as u64),
            all_frames,
            all_wanted,
        ),
        format!(
            "the safe rule misses {safe_missed} of {hits} pairs in {all_frames} of {all_wanted} frames, asked 0"
        ),
    );
    for scene in shown {
        scene.bars(journal);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_frames_leave_what_is_met_open() {
        assert_eq!(over(Bar::Met, 3, 3), Bar::Met);
        assert_eq!(over(Bar::Met, 2, 3), Bar::Open);
        assert_eq!(over(Bar::Missed, 2, 3), Bar::Missed);
        assert_eq!(over(Bar::none_wrong(0, 0), 3, 3), Bar::Open);
    }

    #[test]
    fn every_stage_of_the_clusters_has_a_column() {
        let named: Vec<ClusteringStage> = STAGES.iter().filter_map(|(_, stage)| *stage).collect();
        assert_eq!(named, ClusteringStage::ALL);
    }
}
