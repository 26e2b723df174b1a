//! Frame after frame through an engine.

use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use impinge::deform::step::{StepOptions, Stepper};
use impinge::deform::{PairKind, Scene, SceneEngine, SceneRequest};

use super::args::DeformArgs;
use super::drawing::Shown;
use super::engines;
use super::record::{FrameRecord, Summary, csv};
use super::source::Frames;
use crate::number::{count, count_of, duration};
use crate::output::Output;
use crate::progress::{self, Progress};
use crate::{Answer, whole_file};

/// Frames that are listed without `--all`.
const LISTED: usize = 12;

/// Runs through all frames and tells what meets.
pub(crate) fn run(args: &DeformArgs, out: &mut Output) -> anyhow::Result<Answer> {
    let mut engine = engines::named(&args.engine).ok_or_else(|| {
        anyhow!(
            "no engine is called '{}'; there are {}",
            args.engine,
            engines::names().join(", ")
        )
    })?;
    if args.every == 0 {
        bail!("--every must be at least 1");
    }
    let mut frames = progress::during("reading", || Frames::open(args))
        .with_context(|| args.sequence.to_string())?;
    for note in &frames.notes {
        out.remark(format_args!("{}: {note}", args.sequence));
    }
    let wanted: Vec<usize> = (0..frames.count).step_by(args.every).collect();
    let mut pass = Pass {
        scene: None,
        stepper: Stepper::default(),
        records: Vec::new(),
        refused: 0,
        worst: None,
        keeps_worst: args.png.is_some() || args.glb.is_some(),
    };
    let bar = Progress::counted("looking at frames", wanted.len(), out.is_quiet());
    for (done, &frame) in wanted.iter().enumerate() {
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
    pass.write(args, &frames)?;
    let answer = pass.conclude(args, &frames, engine.as_ref(), out)?;
    out.wrote([&args.csv, &args.png, &args.glb].into_iter().flatten())?;
    Ok(answer)
}

/// What is kept while frames go by.
struct Pass {
    scene: Option<Scene>,
    stepper: Stepper,
    records: Vec<FrameRecord>,
    refused: usize,
    /// The frame with most pairs.
    worst: Option<(usize, Shown)>,
    keeps_worst: bool,
}

impl Pass {
    fn frame(
        &mut self,
        args: &DeformArgs,
        frames: &mut Frames,
        frame: usize,
        engine: &mut dyn SceneEngine,
        out: &mut Output,
    ) -> anyhow::Result<()> {
        let positions = frames.read(frame)?;
        let mut on_the_way = None;
        let scene = match &mut self.scene {
            Some(scene) => {
                if args.continuous {
                    let options = StepOptions::default();
                    let found = self.stepper.step(scene, &positions, &options);
                    on_the_way = Some(found.with_context(|| format!("frame {frame}"))?);
                }
                scene
                    .advance(&positions)
                    .with_context(|| format!("frame {frame}"))?;
                scene
            }
            None => {
                let faces = frames.faces.clone();
                let objects = frames.object_of_face.clone();
                self.scene
                    .insert(Scene::from_parts(positions, faces, objects)?)
            }
        };
        // What was found on the way belongs to the frame it began at.
        if let (Some(way), Some(last)) = (on_the_way, self.records.last_mut()) {
            last.on_the_way = Some(way.impacts.len());
            last.first_contact = way.first.map(|when| when.lower);
            out.record(&last)?;
        }
        let start = Instant::now();
        let answer = engine.pairs(scene, &SceneRequest::default());
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        let mut record = FrameRecord::new(frame, frames.time(frame), &answer.counters);
        record.within = answer
            .pairs
            .iter()
            .filter(|pair| pair.kind == PairKind::Within)
            .count();
        record.between = answer.pairs.len() - record.within;
        record.milliseconds = milliseconds;
        if !args.continuous {
            out.record(&record)?;
        }
        let is_worst = self
            .worst
            .as_ref()
            .is_none_or(|(worst, _)| record.pairs() > self.records[*worst].pairs());
        if is_worst {
            let shown = if self.keeps_worst {
                Shown {
                    positions: scene.positions().to_vec(),
                    pairs: answer.pairs,
                }
            } else {
                Shown::default()
            };
            self.worst = Some((self.records.len(), shown));
        }
        self.records.push(record);
        Ok(())
    }

    fn write(&self, args: &DeformArgs, frames: &Frames) -> anyhow::Result<()> {
        if let Some(path) = &args.csv {
            whole_file::write(path, csv(&self.records).as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        let Some((_, shown)) = &self.worst else {
            return Ok(());
        };
        if let Some(path) = &args.png {
            shown.png(&frames.faces, &frames.object_of_face, args.up, path)?;
        }
        if let Some(path) = &args.glb {
            shown.glb(
                &frames.faces,
                &frames.object_of_face,
                &frames.object_names,
                path,
            )?;
        }
        Ok(())
    }

    fn conclude(
        &self,
        args: &DeformArgs,
        frames: &Frames,
        engine: &dyn SceneEngine,
        out: &mut Output,
    ) -> anyhow::Result<Answer> {
        if let (true, Some(last)) = (args.continuous, self.records.last()) {
            out.record(last)?;
        }
        let meets =
            |record: &&FrameRecord| record.pairs() > 0 || record.on_the_way.is_some_and(|n| n > 0);
        let touched: Vec<&FrameRecord> = self.records.iter().filter(meets).collect();
        let worst = self.worst.as_ref().map(|(k, _)| &self.records[*k]);
        let times = self.records.iter().map(|r| r.milliseconds);
        let summary = Summary {
            sequence: args.sequence.to_string(),
            engine: engine.name(),
            frames: self.records.len(),
            refused_frames: self.refused,
            faces: frames.faces.len(),
            vertices: self.scene.as_ref().map_or(0, |s| s.positions().len()),
            objects: frames.objects(),
            frames_with_contact: touched.len(),
            first_contact_frame: touched.first().map(|r| r.frame),
            worst_frame: worst.filter(|r| r.pairs() > 0).map(|r| r.frame),
            most_pairs: worst.map_or(0, FrameRecord::pairs),
            mean_milliseconds: times.clone().sum::<f64>() / self.records.len().max(1) as f64,
            most_milliseconds: times.fold(0.0, f64::max),
        };
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
        if let Some(worst) = worst.filter(|r| r.pairs() > 0) {
            facts.push((
                "worst",
                format!(
                    "frame {}: {} within, {} between",
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
        out.facts(&facts)?;
        Ok(if self.refused > 0 {
            Answer::Failed
        } else if touched.is_empty() {
            Answer::No
        } else {
            Answer::Yes
        })
    }
}
