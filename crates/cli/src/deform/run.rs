//! Runs all frames through an engine.

use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use impinge::DVec3;
use impinge::deform::clustering::{ClusterMetric, Clustering, nearest};
use impinge::deform::step::{StepOptions, StepQuery};
use impinge::deform::{PairKind, Scene, SceneCounters, SceneEngine, SceneRequest, Welded};

use super::args::{ColourBy, DeformArgs};
use super::drawing::DrawnFrame;
use super::key_list::{SharedList, Way};
use super::record::{FrameRecord, Stage, Summary, csv, totals};
use super::source::{FaceObjects, SceneFrames, pieces};
use super::{engines, gpu_engine};
use crate::number::{count, count_of, duration};
use crate::output::Output;
use crate::progress::{self, Progress};
use crate::{ExitAnswer, atomic_file};

/// The most frames that are looked at: each leaves a record, and so many take days.
const MOST_FRAMES: usize = 10_000_000;
/// Frames that are listed without `--all`.
const LISTED: usize = 12;

/// Runs through all frames and reports what intersects.
pub(crate) fn run(args: &DeformArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let mut gpu_count = None;
    let mut engine = match args.engine.as_str() {
        engines::GPU => {
            let (engine, count) = gpu_engine::make(args)?;
            gpu_count = Some(count);
            Some(engine)
        }
        // Made when all frames are read.
        engines::SEPARATION_LIST => None,
        name => Some(engines::named(name).ok_or_else(|| {
            anyhow!(
                "no engine is called '{name}'; there are {}",
                engines::names().join(", ")
            )
        })?),
    };
    if args.explain && gpu_count.is_none() {
        bail!("--explain tells about --engine gpu; --stages tells what the others took");
    }
    if args.every == 0 {
        bail!("--every must be at least 1");
    }
    let mut frames = progress::during("reading", || SceneFrames::open(args))
        .with_context(|| args.sequence.to_string())?;
    for note in &frames.notes {
        out.remark(format_args!("{}: {note}", args.sequence));
    }
    let wanted = frames.count.div_ceil(args.every);
    if wanted > MOST_FRAMES {
        bail!(
            "{}: {wanted} frames to look at are too many, at most {MOST_FRAMES}; look at fewer with --every, or with a lower --rate",
            args.sequence
        );
    }
    let mut pass = FramePass {
        keeps_worst: args.png.is_some() || args.picture.glb.is_some(),
        ..FramePass::default()
    };
    if args.engine == engines::SEPARATION_LIST {
        let list = progress::during("reading all frames", || SharedList::new(args, &mut frames));
        pass.list = Some(list.with_context(|| args.sequence.to_string())?);
    }
    let mut engine = match &pass.list {
        Some(list) => list.engine(),
        None => engine.take().context("no engine")?,
    };
    let bar = Progress::counted("looking at frames", wanted, out.is_quiet());
    for (done, frame) in (0..frames.count).step_by(args.every).enumerate() {
        bar.done(done);
        if let Err(error) = pass.frame(args, &mut frames, frame, engine.as_mut(), out) {
            pass.refused += 1;
            // A built-in scene or a broken first frame leaves nothing to go on with.
            if pass.scene.is_none() {
                drop(bar);
                return Err(error.context(args.sequence.to_string()));
            }
            out.complaint(format_args!(
                "{}: {error:#}; the frame is left out",
                args.sequence
            ));
        }
    }
    drop(bar);
    pass.settle(out)?;
    pass.write(args)?;
    let answer = pass.conclude(args, engine.as_ref(), out)?;
    if let Some(count) = gpu_count.filter(|_| args.explain) {
        out.facts(&count.facts())?;
    }
    out.wrote(
        [&args.csv, &args.png, &args.picture.glb]
            .into_iter()
            .flatten(),
    )?;
    Ok(answer)
}

/// What is kept while frames go by.
#[derive(Default)]
struct FramePass {
    scene: Option<Scene>,
    /// Which vertices were joined, with `--weld`.
    welded: Option<Welded>,
    stepper: StepQuery,
    /// Of the engine that goes from frame to frame by events.
    list: Option<SharedList>,
    records: Vec<FrameRecord>,
    refused: usize,
    /// The last frame, of which it is not yet known what happens on the way to the next.
    last: Option<DrawnFrame>,
    /// The frame with most contacts.
    worst: Option<(usize, DrawnFrame)>,
    keeps_worst: bool,
    counters: SceneCounters,
}

/// The scene of a frame, and which vertices were joined.
pub(super) fn scene_of(
    args: &DeformArgs,
    faces: &FaceObjects,
    positions: Vec<DVec3>,
) -> anyhow::Result<(Scene, Option<Welded>)> {
    let objects = faces.object_of_face.clone();
    let mut scene = Scene::from_parts(positions, faces.faces.clone(), objects)?;
    let mut welded = None;
    if args.weld {
        let joined = scene.welded();
        scene = joined.scene.clone();
        welded = Some(joined);
    }
    if args.pieces {
        let objects = pieces(scene.faces());
        let (positions, faces) = (scene.positions().to_vec(), scene.faces().to_vec());
        scene = Scene::from_parts(positions, faces, objects)?;
    }
    Ok((scene, welded))
}

/// Whether all vertices that were joined still lie in one place.
pub(super) fn holds(welded: &Welded, positions: &[DVec3]) -> bool {
    let new = welded.new_of_old.iter();
    positions.len() == welded.new_of_old.len()
        && positions
            .iter()
            .zip(new)
            .all(|(p, new)| *p == positions[welded.old_of_new[new.index()].index()])
}

impl FramePass {
    fn frame(
        &mut self,
        args: &DeformArgs,
        frames: &mut SceneFrames,
        frame: usize,
        engine: &mut dyn SceneEngine,
        out: &mut Output,
    ) -> anyhow::Result<()> {
        let seen = frames.read(frame)?;
        let is_torn = self
            .welded
            .as_ref()
            .is_some_and(|welded| seen.changed.is_none() && !holds(welded, &seen.positions));
        let mut way = None;
        let mut faces_changed = false;
        match &mut self.scene {
            Some(scene) if seen.changed.is_none() && !is_torn => {
                let positions = match &self.welded {
                    Some(welded) => welded.frame(&seen.positions).unwrap_or_default(),
                    None => seen.positions,
                };
                if let Some(list) = &self.list {
                    way = Some(list.advance().with_context(|| format!("frame {frame}"))?);
                } else if args.continuous {
                    let start = Instant::now();
                    let found = self
                        .stepper
                        .step(scene, &positions, &StepOptions::default());
                    let found = found.with_context(|| format!("frame {frame}"))?;
                    let faces = found.impacts.iter().flat_map(|i| [i.faces.a, i.faces.b]);
                    way = Some(Way {
                        contacts: found.impacts.len(),
                        first: found.first.map(|when| when.lower),
                        faces: faces.collect(),
                        milliseconds: start.elapsed().as_secs_f64() * 1e3,
                    });
                }
                scene
                    .advance(&positions)
                    .with_context(|| format!("frame {frame}"))?;
            }
            _ => {
                faces_changed = self.scene.is_some();
                let faces = seen.changed.as_ref().unwrap_or(&frames.faces);
                let (scene, welded) = scene_of(args, faces, seen.positions)
                    .with_context(|| format!("frame {frame}"))?;
                if faces_changed {
                    let what = if is_torn {
                        "vertices that were joined come apart"
                    } else {
                        "the faces change"
                    };
                    out.remark(format_args!(
                        "{}: frame {frame}: {what}: {}, {}",
                        args.sequence,
                        count_of(scene.faces().len(), "face", "faces"),
                        count_of(objects(&scene), "object", "objects")
                    ));
                }
                self.scene = Some(scene);
                self.welded = welded;
                if let Some(faces) = seen.changed {
                    frames.accept(faces);
                }
            }
        }
        self.note_way(way);
        self.settle(out)?;
        self.look(args, frames, (frame, faces_changed), engine);
        Ok(())
    }

    /// What was found on the way belongs to the frame it began at.
    fn note_way(&mut self, way: Option<Way>) {
        let (Some(way), Some(last)) = (way, self.records.last_mut()) else {
            return;
        };
        last.on_the_way = Some(way.contacts);
        last.first_contact = way.first;
        last.step_milliseconds = Some(way.milliseconds);
        if let Some(shown) = self.last.as_mut().filter(|_| self.keeps_worst) {
            shown.on_the_way = way.faces;
        }
    }

    /// Tells about the last frame, of which everything is known by now, and keeps it if it is the worst.
    fn settle(&mut self, out: &mut Output) -> anyhow::Result<()> {
        let (Some(shown), Some(record)) = (self.last.take(), self.records.last()) else {
            return Ok(());
        };
        out.record(record)?;
        let is_worst = self
            .worst
            .as_ref()
            .is_none_or(|(worst, _)| record.contacts() > self.records[*worst].contacts());
        if is_worst {
            self.worst = Some((self.records.len() - 1, shown));
        }
        Ok(())
    }

    /// Asks the engine about the scene.
    fn look(
        &mut self,
        args: &DeformArgs,
        frames: &SceneFrames,
        (frame, faces_changed): (usize, bool),
        engine: &mut dyn SceneEngine,
    ) {
        let Some(scene) = &self.scene else {
            return;
        };
        let request = SceneRequest::default();
        let start = Instant::now();
        let mut stages = Vec::new();
        let answer = if args.stages {
            let mut before = start;
            engine.pairs_by_stage(scene, &request, &mut |stage| {
                let now = Instant::now();
                let milliseconds = (now - before).as_secs_f64() * 1e3;
                stages.push(Stage {
                    stage,
                    milliseconds,
                });
                before = now;
            })
        } else {
            engine.pairs(scene, &request)
        };
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        let mut record = FrameRecord::new(frame, frames.time(frame), &answer.counters);
        let of_one = |pair: &&impinge::deform::ScenePair| pair.kind == PairKind::Within;
        record.within = answer.pairs.iter().filter(of_one).count();
        record.between = answer.pairs.len() - record.within;
        record.milliseconds = milliseconds;
        record.faces_changed = faces_changed;
        record.stages = stages;
        add(&mut self.counters, &answer.counters);
        self.last = Some(if self.keeps_worst {
            let names = if args.pieces {
                let names = 0..objects(scene);
                names.map(|k| format!("piece {k}")).collect()
            } else {
                frames.faces.object_names.clone()
            };
            let (object_of_face, names, by_cluster) = match args.colour {
                ColourBy::Objects => (scene.objects_of_faces().to_vec(), names, false),
                ColourBy::Clusters => {
                    let (clusters, names) = clusters_of(scene);
                    (clusters, names, true)
                }
            };
            DrawnFrame {
                by_cluster,
                positions: scene.positions().to_vec(),
                faces: scene.faces().to_vec(),
                object_of_face,
                object_names: names,
                pairs: answer.pairs,
                on_the_way: Vec::new(),
            }
        } else {
            DrawnFrame::default()
        });
        self.records.push(record);
    }

    fn write(&self, args: &DeformArgs) -> anyhow::Result<()> {
        if let Some(path) = &args.csv {
            atomic_file::write(path, csv(&self.records).as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        let Some((_, shown)) = &self.worst else {
            return Ok(());
        };
        if let Some(path) = &args.png {
            shown.png(args.picture.up, path)?;
        }
        if let Some(path) = &args.picture.glb {
            shown.glb(path)?;
        }
        Ok(())
    }

    fn summary(&self, args: &DeformArgs, engine: &dyn SceneEngine) -> Summary {
        let touched = self.records.iter().filter(|r| r.contacts() > 0);
        let worst = self.worst.as_ref().map(|(k, _)| &self.records[*k]);
        let times = self.records.iter().map(|r| r.milliseconds);
        let steps: Vec<f64> = self
            .records
            .iter()
            .filter_map(|r| r.step_milliseconds)
            .collect();
        let (stages, counters) = if args.stages {
            let stages = totals(self.records.iter().flat_map(|r| &r.stages));
            (stages, named(&self.counters))
        } else {
            (Vec::new(), Vec::new())
        };
        Summary {
            sequence: args.sequence.to_string(),
            engine: engine.name(),
            reason: engine.reason(),
            frames: self.records.len(),
            refused_frames: self.refused,
            faces: self.scene.as_ref().map_or(0, |s| s.faces().len()),
            vertices: self.scene.as_ref().map_or(0, |s| s.positions().len()),
            objects: self.scene.as_ref().map_or(0, objects),
            frames_with_contact: touched.clone().count(),
            first_contact_frame: touched.clone().next().map(|r| r.frame),
            worst_frame: worst.filter(|r| r.contacts() > 0).map(|r| r.frame),
            most_pairs: self
                .records
                .iter()
                .map(FrameRecord::pairs)
                .max()
                .unwrap_or(0),
            most_contacts: worst.map_or(0, FrameRecord::contacts),
            mean_milliseconds: times.clone().sum::<f64>() / self.records.len().max(1) as f64,
            most_milliseconds: times.fold(0.0, f64::max),
            mean_step_milliseconds: (!steps.is_empty())
                .then(|| steps.iter().sum::<f64>() / steps.len() as f64),
            most_step_milliseconds: steps.iter().copied().reduce(f64::max),
            stages,
            counters,
            list: self.list.as_ref().map(SharedList::totals),
        }
    }

    fn conclude(
        &self,
        args: &DeformArgs,
        engine: &dyn SceneEngine,
        out: &mut Output,
    ) -> anyhow::Result<ExitAnswer> {
        let summary = self.summary(args, engine);
        let touched: Vec<&FrameRecord> = self.records.iter().filter(|r| r.contacts() > 0).collect();
        out.record(&summary)?;
        let shown = if args.all { touched.len() } else { LISTED };
        for record in touched.iter().take(shown) {
            let way = match (record.on_the_way, record.first_contact) {
                (Some(n), Some(t)) if n > 0 => {
                    format!(", {} on the way, first at {t:.6}", count(n))
                }
                _ => String::new(),
            };
            out.line(format_args!(
                "frame {}: {} within, {} between objects{way}",
                record.frame,
                count(record.within),
                count(record.between)
            ))?;
        }
        if touched.len() > shown {
            out.line(format_args!(
                "… and {} more frames (--all lists them)",
                touched.len() - shown
            ))?;
        }
        out.facts(&self.facts(&summary, &touched))?;
        Ok(if self.refused > 0 {
            ExitAnswer::Failed
        } else if touched.is_empty() {
            ExitAnswer::No
        } else {
            ExitAnswer::Yes
        })
    }

    fn facts(&self, summary: &Summary, touched: &[&FrameRecord]) -> Vec<(&'static str, String)> {
        let contacts = match touched.first() {
            None => "no two faces meet in any frame".to_owned(),
            Some(first) => format!(
                "in {} of {} frames, from frame {} on",
                touched.len(),
                self.records.len(),
                first.frame
            ),
        };
        let mut facts = vec![
            (
                "scene",
                format!(
                    "{}: {}, {}, {}",
                    summary.sequence,
                    count_of(summary.frames, "frame", "frames"),
                    count_of(summary.faces, "face", "faces"),
                    count_of(summary.objects, "object", "objects")
                ),
            ),
            ("contacts", contacts),
        ];
        let worst = self.worst.as_ref().map(|(k, _)| &self.records[*k]);
        if let Some(worst) = worst.filter(|r| r.contacts() > 0) {
            let way = match worst.on_the_way {
                Some(n) if n > 0 => format!(", {} on the way", count(n)),
                _ => String::new(),
            };
            facts.push((
                "worst",
                format!(
                    "frame {}: {} within, {} between{way}",
                    worst.frame,
                    count_of(worst.within, "pair", "pairs"),
                    count_of(worst.between, "pair", "pairs")
                ),
            ));
        }
        facts.push((
            "time",
            format!(
                "{} a frame, at most {} ({})",
                duration(summary.mean_milliseconds),
                duration(summary.most_milliseconds),
                summary.engine
            ),
        ));
        let steps = (
            summary.mean_step_milliseconds,
            summary.most_step_milliseconds,
        );
        if let (Some(mean), Some(most)) = steps {
            facts.push((
                "steps",
                format!("{} a step, at most {}", duration(mean), duration(most)),
            ));
        }
        if let Some(list) = &summary.list {
            facts.push(("list", list.text()));
        }
        if let Some(reason) = &summary.reason {
            facts.push(("reason", reason.clone()));
        }
        for stage in &summary.stages {
            facts.push((stage.stage, duration(stage.milliseconds)));
        }
        for &(name, number) in &summary.counters {
            facts.push((name, count(number as usize)));
        }
        facts
    }
}

/// The cluster that each face lies in, by the library's engine, and their names.
fn clusters_of(scene: &Scene) -> (Vec<u32>, Vec<String>) {
    let mut engine = Clustering::default();
    let _ = engine.any(scene, &SceneRequest::default());
    let origin = scene_middle(scene);
    let middle = |face: &[u32; 3]| {
        let corners = face.map(|v| scene.positions()[v as usize] - origin);
        (corners[0] + corners[1] + corners[2]) / 3.0
    };
    let cluster = |face| nearest(middle(face), engine.centers(), ClusterMetric::L2) as u32;
    let names = (0..engine.clusters()).map(|k| format!("cluster {k}"));
    (scene.faces().iter().map(cluster).collect(), names.collect())
}

/// The middle of the box of all vertices, from which the engine counts.
fn scene_middle(scene: &Scene) -> DVec3 {
    let points = scene.positions();
    let low = points.iter().fold(DVec3::INFINITY, |m, &p| m.min(p));
    let high = points.iter().fold(DVec3::NEG_INFINITY, |m, &p| m.max(p));
    if points.is_empty() {
        return DVec3::ZERO;
    }
    low * 0.5 + high * 0.5
}

fn objects(scene: &Scene) -> usize {
    let last = scene.objects_of_faces().iter().max();
    last.map_or(0, |&object| object as usize + 1)
}

/// The counters by name, but for those that are zero.
fn named(counters: &SceneCounters) -> Vec<(&'static str, u64)> {
    let all = [
        ("entries", counters.entries),
        ("rebuilt", counters.rebuilt),
        ("boxes computed", counters.boxes),
        ("box tests", counters.box_tests),
        ("clusters", counters.clusters),
        ("rounds", counters.rounds),
        ("sort moves", counters.sort_moves),
        ("axis pairs", counters.axis_pairs),
        ("second axis pairs", counters.second_axis_pairs),
        ("candidates", counters.candidates),
        ("neighbours", counters.neighbours),
        ("separated", counters.separated),
        ("exact tests", counters.exact_tests),
        ("hits", counters.hits),
    ];
    all.into_iter().filter(|(_, number)| *number > 0).collect()
}

fn add(sum: &mut SceneCounters, counters: &SceneCounters) {
    sum.entries += counters.entries;
    sum.rebuilt += counters.rebuilt;
    sum.boxes += counters.boxes;
    sum.box_tests += counters.box_tests;
    sum.clusters += counters.clusters;
    sum.rounds += counters.rounds;
    sum.sort_moves += counters.sort_moves;
    sum.axis_pairs += counters.axis_pairs;
    sum.second_axis_pairs += counters.second_axis_pairs;
    sum.candidates += counters.candidates;
    sum.neighbours += counters.neighbours;
    sum.separated += counters.separated;
    sum.exact_tests += counters.exact_tests;
    sum.hits += counters.hits;
}
