//! Trace: a scene and its answers as text, for bug reports, golden tests and the viewer.
//!
//! A trace is lines of words. The first line is `impinge-trace 2`. Numbers are decimal, with as
//! many digits as needed to read back the same number, so that a replay has exactly the same input.
//! Objects are `slot.generation`. A pose is nine numbers of the rotation, column by column, and
//! three of the translation.
//!
//! | line | |
//! |---|---|
//! | `config WORD=VALUE …` | `solid`, `boxes_only`, `news_only`, `oriented_boxes`: 0 or 1; `max_contacts`: a count; `engine`: a name or `auto`; `contact_margin`: a distance, 0 when it is not there; `boxes`: `incremental` or `maximal`, one per pose when it is not there |
//! | `shape N KIND …` | a shape, before it is used |
//! | `insert ID shape N class C tag T static 0 POSE` | an object |
//! | `name ID NAME` | what it is called: one word, with `\\` for a backslash and `\u{HEX}` for a space or another such character; `\e` for no name |
//! | `pose ID POSE`, `remove ID`, `static ID 0`, `enclose ID ID MODE`, `release ID` | changes; `MODE` is `parent` or `inherit` |
//! | `reshape ID N`, `class ID C`, `tag ID T` | more changes: another shape, class, tag |
//! | `step N ACCURACY` | a step begins: `exact`, `oriented` or `boxes` |
//! | `mask ID ID KINDS DISTANCE` | what is requested of a pair from now on, as [`EventMask`] bits |
//! | `overlap-begin ID ID`, `contact-begin`, `touching`, `contact-end`, `overlap-end` | answers |
//! | `contacts ID ID COUNT`, each `POINT POINT NORMAL DEPTH` | |
//! | `volume ID ID LOWER UPPER` | the bracket of a shared volume; another bracket that has a number in common with it counts as the same, since shapes are written without the spheres and voxels that they carry |
//! | `closer ID ID DISTANCE POINT POINT` | |
//! | `end N` | the step is over |
//!
//! Version 1 is the same without `name`, `reshape`, `class`, `tag` and `oriented_boxes`; it is read, and no longer written.
//! Older traces have `hello`, `goodbye`, `began` and `ended` for begin and end of overlaps and contacts.
//!
//! User-defined filters and rules are not stored, only their result: the requested events of each
//! pair. Empty lines, and lines that begin with `#`, are ignored.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::accuracy::ContactAccuracy;
use super::body::{Body, BodyBoxes, Class, Enclosure};
use super::event_mask::EventMask;
use super::events::{Event, EventKind, WorldFrame};
use super::shape_text::{ShapeNumbers, number, point, pose, word};
use super::world::{World, WorldConfig, WorldError};
use crate::broad::{ObjectId, ObjectPair};
use crate::math::Pose;
use crate::pair::Shape;

/// The first line of a trace, and that of the version before.
pub(super) const HEADER: &str = "impinge-trace 2";
pub(super) const OLD_HEADER: &str = "impinge-trace 1";

/// Writes down what happens to a world.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    out: String,
    shapes: ShapeNumbers,
    masks: BTreeMap<ObjectPair, EventMask>,
    /// The masks of the step under way: they are resolved in it, so they come after its beginning.
    new_masks: String,
}

impl World {
    /// Writes down everything from now on, objects that are there included; see [`take_recording`](Self::take_recording).
    ///
    /// # Errors
    /// When a step was made already: a replay could not know what was reported before.
    ///
    /// ```
    /// use impinge::{convex::Ball, pair::Shape, world::{Body, Replay, World}};
    /// let mut world = World::default();
    /// world.start_recording()?;
    /// world.insert(Body::new(Shape::from(Ball::new(1.0)?)).named("my ball"))?;
    /// world.step();
    /// let text = world.take_recording();
    /// assert!(text.starts_with("impinge-trace 2\n") && text.contains("ball 1\n"));
    /// assert!(text.contains("\nname 0.0 my\\u{20}ball\n"));
    /// let mut replay = Replay::new(&text, World::default())?;
    /// while let Some(step) = replay.step()? { assert!(step.difference.is_none()); }
    /// assert!(world.start_recording().is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start_recording(&mut self) -> Result<(), WorldError> {
        if self.frame.number > 0 {
            return Err(WorldError::TooLate {
                step: self.frame.number,
            });
        }
        let mut recorder = Box::new(Recorder::default());
        let _ = writeln!(recorder.out, "{HEADER}");
        recorder.configured(&self.config);
        for (id, object) in self.objects.iter() {
            recorder.inserted(id, &object.body);
        }
        for (id, object) in self.objects.iter() {
            if object.enclosed.is_some() {
                recorder.enclosed(id, object.enclosed);
            }
        }
        self.recorder = Some(recorder);
        Ok(())
    }

    /// The recording since the last call; empty if nothing is recorded.
    pub fn take_recording(&mut self) -> String {
        let recorder = self.recorder.as_mut();
        recorder.map_or_else(String::new, |recorder| std::mem::take(&mut recorder.out))
    }
}

impl Recorder {
    fn configured(&mut self, config: &WorldConfig) {
        let flag = u8::from;
        let engine = config.pair.engine.map_or("auto", |engine| engine.name());
        let _ = write!(
            self.out,
            "config solid={} boxes_only={} news_only={} oriented_boxes={} max_contacts={} engine={engine}",
            flag(config.pair.solid),
            flag(config.boxes_only),
            flag(config.news_only),
            flag(config.oriented_boxes),
            config.pair.max_contacts,
        );
        if config.margin() > 0.0 {
            let _ = write!(self.out, " contact_margin={}", config.margin());
        }
        match config.boxes {
            BodyBoxes::PerPose => {}
            BodyBoxes::Incremental => self.out.push_str(" boxes=incremental"),
            BodyBoxes::Maximal => self.out.push_str(" boxes=maximal"),
        }
        self.out.push('\n');
    }

    pub(super) fn inserted(&mut self, id: ObjectId, body: &Body) {
        let shape = self.shapes.number(&body.shape, &mut self.out);
        let _ = write!(
            self.out,
            "insert {} shape {shape} class {} tag {} static {}",
            TraceName(id),
            body.class.0,
            body.tag,
            u8::from(body.is_static)
        );
        pose(&mut self.out, &body.world_from_body);
        self.out.push('\n');
        if let Some(name) = &body.name {
            self.named(id, name);
        }
    }

    pub(super) fn named(&mut self, id: ObjectId, name: &str) {
        let _ = writeln!(self.out, "name {} {}", TraceName(id), word(name));
    }

    pub(super) fn reshaped(&mut self, id: ObjectId, shape: &Shape) {
        let number = self.shapes.number(shape, &mut self.out);
        let _ = writeln!(self.out, "reshape {} {number}", TraceName(id));
    }

    pub(super) fn classed(&mut self, id: ObjectId, class: Class) {
        let _ = writeln!(self.out, "class {} {}", TraceName(id), class.0);
    }

    pub(super) fn tagged(&mut self, id: ObjectId, tag: u64) {
        let _ = writeln!(self.out, "tag {} {tag}", TraceName(id));
    }

    pub(super) fn removed(&mut self, id: ObjectId) {
        let _ = writeln!(self.out, "remove {}", TraceName(id));
    }

    pub(super) fn moved(&mut self, id: ObjectId, world_from_body: &Pose) {
        let _ = write!(self.out, "pose {}", TraceName(id));
        pose(&mut self.out, world_from_body);
        self.out.push('\n');
    }

    pub(super) fn made_static(&mut self, id: ObjectId, is_static: bool) {
        let _ = writeln!(self.out, "static {} {}", TraceName(id), u8::from(is_static));
    }

    pub(super) fn enclosed(&mut self, child: ObjectId, parent: Option<(ObjectId, Enclosure)>) {
        let _ = match parent {
            Some((parent, Enclosure::ParentOnly)) => {
                writeln!(
                    self.out,
                    "enclose {} {} parent",
                    TraceName(child),
                    TraceName(parent)
                )
            }
            Some((parent, Enclosure::InheritPairs)) => {
                writeln!(
                    self.out,
                    "enclose {} {} inherit",
                    TraceName(child),
                    TraceName(parent)
                )
            }
            None => writeln!(self.out, "release {}", TraceName(child)),
        };
    }

    pub(super) fn requested(&mut self, pair: ObjectPair, mask: EventMask) {
        let before = self.masks.get(&pair).copied().unwrap_or(EventMask::NOTHING);
        if mask != before {
            self.masks.insert(pair, mask);
            let distance = mask.distance().unwrap_or(0.0);
            let (a, b, bits) = (TraceName(pair.a), TraceName(pair.b), mask.bits());
            let _ = writeln!(self.new_masks, "mask {a} {b} {bits} {distance}");
        }
    }

    pub(super) fn stepped(&mut self, frame: &WorldFrame) {
        let word = accuracy_word(frame.accuracy);
        let _ = writeln!(self.out, "step {} {word}", frame.number);
        self.out.push_str(&self.new_masks);
        self.new_masks.clear();
        for event in &frame.events {
            told(&mut self.out, event, frame);
        }
        let _ = writeln!(self.out, "end {}", frame.number);
    }
}

/// How an object is written.
pub(super) struct TraceName(pub(super) ObjectId);

impl std::fmt::Display for TraceName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0.slot(), self.0.generation())
    }
}

pub(super) fn accuracy_word(accuracy: ContactAccuracy) -> &'static str {
    match accuracy {
        ContactAccuracy::Exact => "exact",
        ContactAccuracy::OrientedBoxes => "oriented",
        ContactAccuracy::Boxes => "boxes",
    }
}

/// Writes the line of an event.
pub(super) fn told(out: &mut String, event: &Event, frame: &WorldFrame) {
    let ObjectPair { a, b } = event.pair;
    let _ = write!(
        out,
        "{} {} {}",
        event.what.name(),
        TraceName(a),
        TraceName(b)
    );
    match &event.what {
        EventKind::Contacts(_) => {
            let points = frame.points(event);
            let _ = write!(out, " {}", points.len());
            for contact in points {
                point(out, contact.point_a);
                point(out, contact.point_b);
                point(out, contact.normal);
                number(out, contact.depth);
            }
        }
        EventKind::Volume(_) => {
            if let Some(found) = frame.overlap(event) {
                number(out, found.lower);
                number(out, found.upper);
            }
        }
        EventKind::Closer(found) => {
            number(out, found.distance);
            point(out, found.point_a);
            point(out, found.point_b);
        }
        _ => {}
    }
    out.push('\n');
}
