//! Contacts with itself and between parts: by a separation list, by sweeping boxes frame by frame
//! and key by key, and by one step from key to key.
//!
//! The list stops at every frame; so do boxes that are swept frame by frame, the published baseline.
//! Between two keys all vertices go straight, so that one sweep over a key, or one step, finds every
//! contact with its time. Who wants contacts and not stops can take these, so that they are the
//! baselines that a list has to beat.

use std::time::Instant;

use impinge::TriMesh;
use impinge::deform::Scene;
use impinge::deform::step::{StepOptions, StepQuery};
use impinge::kinetic::{Kinetic, Progress, SeparationList, SweptBoxes};

use super::Animation;
use super::trees::{flight, interpolate};

pub(super) struct ListResult {
    pairs: usize,
    meeting: usize,
    build_ms: f64,
    /// For each frame.
    events: f64,
    box_tests: f64,
    face_tests: f64,
    list_us: f64,
    swept_box_tests: f64,
    swept_face_tests: f64,
    swept_us: f64,
    contacts: u64,
    /// Of a sweep from key to key, the mean over the keys that were looked at.
    key_sweep_us: f64,
    key_box_tests: f64,
    /// Of a step from key to key, the mean over all keys, and frames between two keys.
    step_us: f64,
    step_impacts: usize,
    between: usize,
}

impl ListResult {
    /// How many times as fast the list is as one step over the same key.
    pub(super) fn beside_step(&self) -> f64 {
        self.step_us / (self.list_us * self.between as f64)
    }

    /// How many times as fast the list is as one sweep over the same key.
    pub(super) fn beside_key_sweep(&self) -> f64 {
        self.key_sweep_us / (self.list_us * self.between as f64)
    }

    /// How many times as fast the list is as sweeps of every frame.
    pub(super) fn beside_swept(&self) -> f64 {
        self.swept_us / self.list_us
    }

    pub(super) fn fewer_tests(&self) -> f64 {
        self.swept_box_tests / self.box_tests.max(1e-9)
    }

    /// With the published ratio of times beside ours.
    pub(super) fn print(&self, animation: &Animation, published: &str, json: bool) {
        if json {
            println!(
                "{}",
                serde_json::json!({
                    "scene": animation.name, "pairs": self.pairs, "meeting": self.meeting, "build_ms": self.build_ms,
                    "events": self.events, "box_tests": self.box_tests, "face_tests": self.face_tests, "list_us": self.list_us,
                    "swept_box_tests": self.swept_box_tests, "swept_face_tests": self.swept_face_tests, "swept_us": self.swept_us,
                    "contacts": self.contacts, "times_faster": self.swept_us / self.list_us, "published_times_faster": published,
                    "step_us_of_a_key": self.step_us, "step_impacts": self.step_impacts, "times_faster_than_a_step": self.beside_step(),
                    "key_sweep_us": self.key_sweep_us, "key_sweep_box_tests": self.key_box_tests, "times_faster_than_a_key_sweep": self.beside_key_sweep(),
                })
            );
            return;
        }
        println!(
            "  separation list: {} pairs, {} leaves meet, built in {:.0} ms, {} contacts in all",
            self.pairs, self.meeting, self.build_ms, self.contacts
        );
        println!(
            "  for each frame: {:.1} events, {:.1} boxes compared ({:.0} by swept boxes), {:.0} pairs of faces tested ({:.0}), {:.0} µs ({:.0}): {:.1} times faster (published: {published})",
            self.events,
            self.box_tests,
            self.swept_box_tests,
            self.face_tests,
            self.swept_face_tests,
            self.list_us,
            self.swept_us,
            self.swept_us / self.list_us
        );
        println!(
            "  for each key of {} frames: {:.1} ms by the list, {:.1} ms by one step on one thread, with {} impacts in all: the list is {:.2} times as fast",
            self.between,
            1e-3 * self.list_us * self.between as f64,
            1e-3 * self.step_us,
            self.step_impacts,
            self.beside_step()
        );
        println!(
            "  one sweep over a key: {:.1} ms with {:.0} boxes compared: the list is {:.2} times as fast",
            1e-3 * self.key_sweep_us,
            self.key_box_tests,
            self.beside_key_sweep()
        );
    }
}

/// Microseconds of a sweep from key to key and boxes compared, the mean of so many keys.
fn by_key_sweeps(
    animation: &Animation,
    swept: &mut SweptBoxes,
    keys: usize,
) -> anyhow::Result<(f64, f64)> {
    let count = animation.frames.len() - 1;
    let sampled = keys.clamp(1, count);
    let tested = swept.counts().box_tests;
    let mut spent = 0.0;
    for k in 0..sampled {
        let key = count * k / sampled;
        let [before, after] = [key, key + 1].map(|key| &animation.frames[key][..]);
        swept.prepare(before)?;
        let times = [key as f64, (key + 1) as f64];
        let start = Instant::now();
        swept.next_contacts(times, [before, after], |_| ())?;
        spent += start.elapsed().as_secs_f64();
    }
    let tests = swept.counts().box_tests - tested;
    Ok((1e6 * spent / sampled as f64, tests as f64 / sampled as f64))
}

/// Microseconds of a step from key to key on one thread, the mean over all keys, and the impacts of
/// all.
fn by_steps(animation: &Animation) -> anyhow::Result<(f64, usize)> {
    let (Some(first), keys) = (animation.frames.first(), animation.frames.len()) else {
        anyhow::bail!("{}: no key", animation.name);
    };
    let mesh = TriMesh::new(first.clone(), animation.faces.clone())?;
    let mut scene = Scene::new(&[mesh])?;
    let options = StepOptions {
        parallel: false,
        ..StepOptions::default()
    };
    let mut stepper = StepQuery::default();
    let (mut spent, mut impacts) = (0.0, 0);
    for end in animation.frames.iter().skip(1) {
        let start = Instant::now();
        impacts += stepper.step(&scene, end, &options)?.impacts.len();
        spent += start.elapsed().as_secs_f64();
        scene.advance(end)?;
    }
    Ok((1e6 * spent / (keys - 1).max(1) as f64, impacts))
}

pub(super) fn measure(
    animation: &Animation,
    between: usize,
    swept_frames: usize,
) -> anyhow::Result<ListResult> {
    let flight = flight(animation)?;
    let start = Instant::now();
    let mut list = SeparationList::with_itself(&flight, &animation.faces)?;
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let mut swept = SweptBoxes::with_itself(&flight, &animation.faces)?;
    let count = (animation.frames.len() - 1) * between;
    let time = |frame: usize| frame as f64 / between as f64;
    let start = Instant::now();
    let mut contacts = 0;
    for frame in 1..=count {
        while let Progress::Touched(_) = list.advance(&flight, time(frame))? {
            contacts += 1;
        }
    }
    let list_us = 1e6 * start.elapsed().as_secs_f64() / count as f64;
    let mut spent = 0.0;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let sampled = swept_frames.clamp(1, count);
    let tested = swept.counts();
    for k in 0..sampled {
        let frame = count * k / sampled;
        // The tree is where the frame begins, as it would be if all frames were done.
        interpolate(&animation.frames, time(frame), &mut before);
        interpolate(&animation.frames, time(frame + 1), &mut after);
        swept.prepare(&before)?;
        let start = Instant::now();
        swept.next_contacts([time(frame), time(frame + 1)], [&before, &after], |_| ())?;
        spent += start.elapsed().as_secs_f64();
    }
    let frame_counts = swept.counts();
    let (key_sweep_us, key_box_tests) = by_key_sweeps(animation, &mut swept, sampled)?;
    let (step_us, step_impacts) = by_steps(animation)?;
    let per_frame = |n: u64| n as f64 / count as f64;
    let per_sample = |n: u64| n as f64 / sampled as f64;
    let work = list.work();
    Ok(ListResult {
        pairs: list.len(),
        meeting: list.meeting().count(),
        build_ms,
        events: per_frame(list.counts().events),
        box_tests: per_frame(work.box_tests),
        face_tests: per_frame(work.face_tests),
        list_us,
        swept_box_tests: per_sample(frame_counts.box_tests - tested.box_tests),
        swept_face_tests: per_sample(frame_counts.face_tests - tested.face_tests),
        swept_us: 1e6 * spent / sampled as f64,
        contacts,
        key_sweep_us,
        key_box_tests,
        step_us,
        step_impacts,
        between,
    })
}
