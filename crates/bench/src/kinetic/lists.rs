//! Contacts with itself and between parts: by a separation list, and by sweeping boxes frame by frame.

use std::time::Instant;

use impinge::kinetic::{Kinetic, Progress, SeparationList, SweptBoxes};

use super::Animation;
use super::trees::{flight, interpolate};

pub(super) struct Found {
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
}

impl Found {
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
    }
}

pub(super) fn measure(
    animation: &Animation,
    between: usize,
    swept_frames: usize,
) -> anyhow::Result<Found> {
    let flight = flight(animation)?;
    let start = Instant::now();
    let mut list = SeparationList::own(&flight, &animation.faces)?;
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let mut swept = SweptBoxes::own(&flight, &animation.faces)?;
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
    let per_frame = |n: u64| n as f64 / count as f64;
    let per_sample = |n: u64| n as f64 / sampled as f64;
    let work = list.work();
    Ok(Found {
        pairs: list.len(),
        meeting: list.meeting().count(),
        build_ms,
        events: per_frame(list.counts().events),
        box_tests: per_frame(work.box_tests),
        face_tests: per_frame(work.face_tests),
        list_us,
        swept_box_tests: per_sample(swept.counts().box_tests - tested.box_tests),
        swept_face_tests: per_sample(swept.counts().face_tests - tested.face_tests),
        swept_us: 1e6 * spent / sampled as f64,
        contacts,
    })
}
