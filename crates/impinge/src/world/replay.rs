//! Running a trace again and comparing its answers.

use std::collections::BTreeMap;

use thiserror::Error;

use super::accuracy::ContactAccuracy;
use super::body::{Body, BodyBoxes, Class, Enclosure};
use super::event_mask::EventMask;
use super::shape_text::{Words, read};
use super::trace::{HEADER, OLD_HEADER, accuracy_word, told};
use super::world::World;
use crate::broad::{ObjectId, ObjectPair};
use crate::bvh::engines::MeshEngine;
use crate::pair::Shape;

/// What is wrong with a trace, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct TraceError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

/// A step that was run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayedStep {
    /// Its number.
    pub number: u64,
    /// The number of its events.
    pub events: usize,
    /// The first answer that differs.
    pub difference: Option<ReplayDifference>,
}

/// Two answers that should be the same.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: expected '{expected}', found '{found}'")]
pub struct ReplayDifference {
    /// The line of the expected answer.
    pub line: usize,
    /// The answer in the trace; empty when it has no more.
    pub expected: String,
    /// The answer now; empty when there are no more.
    pub found: String,
    /// The objects that the expected answer is about, or else the found one.
    pub objects: Option<ObjectPair>,
}

impl ReplayDifference {
    fn new(line: usize, expected: &str, found: &str) -> Self {
        Self {
            line,
            expected: expected.to_owned(),
            found: found.to_owned(),
            objects: objects(expected).or_else(|| objects(found)),
        }
    }
}

/// Numbers that differ by less than this fraction of the larger, or less than this, count as the same.
const TOLERANCE: f64 = 1e-9;

/// Slots that may lie between an object and those before it: a damaged number should not take all memory.
const MAX_GAP: usize = 1 << 16;

/// Runs a trace again, step by step.
///
/// ```
/// use impinge::world::{Replay, World};
/// let text = "impinge-trace 1\nshape 0 ball 1\n\
///     insert 0.0 shape 0 class 0 tag 0 static 0 1 0 0 0 1 0 0 0 1 0 0 0\n\
///     insert 1.0 shape 0 class 0 tag 0 static 0 1 0 0 0 1 0 0 0 1 3 0 0\n\
///     step 1 exact\ntouching 0.0 1.0\nend 1\n";
/// let mut replay = Replay::new(text, World::default())?;
/// let step = replay.step()?.ok_or("a step")?;
/// let difference = step.difference.ok_or("they do not touch")?;
/// assert_eq!((difference.line, &*difference.expected, &*difference.found), (6, "touching 0.0 1.0", ""));
/// assert_eq!(difference.objects.map(|pair| pair.b.slot()), Some(1));
/// assert_eq!(replay.world().frame().number, 1);
/// // The trace is over, and its world can go on.
/// assert!(replay.step()?.is_none());
/// let mut world = replay.into_world();
/// assert_eq!((world.len(), world.step().number), (2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Replay<'t> {
    lines: std::iter::Enumerate<std::str::Lines<'t>>,
    line: usize,
    world: World,
    shapes: BTreeMap<u32, Shape>,
    is_old: bool,
    engines: &'static [MeshEngine],
}

impl<'t> Replay<'t> {
    /// The trace, to be run in an empty world, whose broad phase and threads are free to choose.
    ///
    /// # Errors
    /// When the text does not begin as a trace of a known version.
    pub fn new(text: &'t str, world: World) -> Result<Self, TraceError> {
        let mut lines = text.lines().enumerate();
        let first = lines.next().map_or("", |(_, line)| line.trim());
        let problem = match first {
            HEADER | OLD_HEADER => None,
            other if other.starts_with("impinge-trace ") => Some(format!(
                "this is '{other}', which this version cannot read: it reads '{OLD_HEADER}' and '{HEADER}'"
            )),
            _ => Some(format!("a trace begins with '{HEADER}' or '{OLD_HEADER}'")),
        };
        if let Some(problem) = problem {
            return Err(TraceError { line: 1, problem });
        }
        Ok(Self {
            lines,
            line: 1,
            world,
            shapes: BTreeMap::new(),
            is_old: first == OLD_HEADER,
            engines: &MeshEngine::ALL,
        })
    }

    /// The same, for traces that may name these engines; by default those of the library.
    ///
    /// ```
    /// use impinge::bvh::engines::MeshEngine;
    /// use impinge::world::{Replay, World};
    /// let text = "impinge-trace 1\nconfig engine=wide\n";
    /// let mut replay = Replay::new(text, World::default())?.with_engines(&[MeshEngine::Obb]);
    /// assert!(replay.step().is_err());
    /// # Ok::<(), impinge::world::TraceError>(())
    /// ```
    #[must_use]
    pub fn with_engines(self, engines: &'static [MeshEngine]) -> Self {
        Self { engines, ..self }
    }

    /// The world as the last step left it.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to continue with.
    #[must_use]
    pub fn into_world(self) -> World {
        self.world
    }

    /// Applies changes up to the next step and runs it; none at the end of the trace.
    ///
    /// # Errors
    /// When a line cannot be understood or done; the line before it is the last that was.
    pub fn step(&mut self) -> Result<Option<ReplayedStep>, TraceError> {
        let step = self.run();
        step.map_err(|problem| TraceError {
            line: self.line,
            problem,
        })
    }

    fn next_line(&mut self) -> Option<&'t str> {
        for (place, line) in self.lines.by_ref() {
            self.line = place + 1;
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                return Some(line);
            }
        }
        None
    }

    fn run(&mut self) -> Result<Option<ReplayedStep>, String> {
        while let Some(line) = self.next_line() {
            let mut words = Words::of(line);
            let verb = words.next("a word")?;
            if verb == "step" {
                let number = words.parse("the number of a step")?;
                let wanted = words.next("an accuracy")?;
                words.end()?;
                let accuracy = ContactAccuracy::ALL
                    .into_iter()
                    .find(|&a| accuracy_word(a) == wanted);
                let accuracy = accuracy.ok_or_else(|| format!("'{wanted}' is not an accuracy"))?;
                self.world.set_accuracy(accuracy);
                return self.one_step(number).map(Some);
            }
            self.edit(verb, &mut words)?;
            words.end()?;
        }
        Ok(None)
    }

    fn edit(&mut self, verb: &str, words: &mut Words<'_>) -> Result<(), String> {
        let world = &mut self.world;
        match verb {
            "config" => self.configure(words),
            "shape" => {
                let number = words.parse("the number of a shape")?;
                let shape = read(words, &self.shapes)?;
                match self.shapes.insert(number, shape) {
                    Some(_) => Err(format!("shape {number} was there already")),
                    None => Ok(()),
                }
            }
            "insert" => self.insert(words),
            "pose" => {
                let id = object(words)?;
                world.set_pose(id, words.pose()?).map_err(|e| e.to_string())
            }
            "remove" => world.remove(object(words)?).map_err(|e| e.to_string()),
            "static" => {
                let (id, is_static) = (object(words)?, flag(words)?);
                world.set_static(id, is_static).map_err(|e| e.to_string())
            }
            "enclose" => {
                let (child, parent) = (object(words)?, object(words)?);
                let mode = match words.next("parent or inherit")? {
                    "parent" => Enclosure::ParentOnly,
                    "inherit" => Enclosure::InheritPairs,
                    other => return Err(format!("'{other}' is neither parent nor inherit")),
                };
                world
                    .enclose(child, parent, mode)
                    .map_err(|e| e.to_string())
            }
            "release" => world.release(object(words)?).map_err(|e| e.to_string()),
            "name" | "reshape" | "class" | "tag" if !self.is_old => self.alter(verb, words),
            other => Err(format!("'{other}' is not a change or a step")),
        }
    }

    /// The changes that came with the second version.
    fn alter(&mut self, verb: &str, words: &mut Words<'_>) -> Result<(), String> {
        let id = object(words)?;
        let world = &mut self.world;
        let altered = match verb {
            "name" => world.set_name(id, &words.name()?),
            "reshape" => {
                let number: u32 = words.parse("the number of a shape")?;
                let shape = self.shapes.get(&number).cloned();
                let shape = shape.ok_or_else(|| format!("there is no shape {number} yet"))?;
                world.set_shape(id, shape)
            }
            "class" => world.set_class(id, Class(words.parse("a class")?)),
            _ => world.set_tag(id, words.parse("a tag")?),
        };
        altered.map_err(|e| e.to_string())
    }

    fn configure(&mut self, words: &mut Words<'_>) -> Result<(), String> {
        let config = &mut self.world.config;
        config.contact_margin = 0.0;
        config.boxes = BodyBoxes::PerPose;
        while let Ok(word) = words.next("") {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let is_on = value == "1";
            match (name, value) {
                ("solid", "0" | "1") => config.pair.solid = is_on,
                ("boxes_only", "0" | "1") => config.boxes_only = is_on,
                ("news_only", "0" | "1") => config.news_only = is_on,
                ("oriented_boxes", "0" | "1") => config.oriented_boxes = is_on,
                ("max_contacts", count) => {
                    let problem = |_| format!("'{count}' is not a count");
                    config.pair.max_contacts = count.parse().map_err(problem)?;
                }
                ("contact_margin", distance) => {
                    let margin = distance.parse().ok();
                    let margin = margin.filter(|&m: &f64| m.is_finite() && m >= 0.0);
                    config.contact_margin =
                        margin.ok_or_else(|| format!("'{distance}' is not a distance"))?;
                }
                ("boxes", "incremental") => config.boxes = BodyBoxes::Incremental,
                ("boxes", "maximal") => config.boxes = BodyBoxes::Maximal,
                ("engine", "auto") => config.pair.engine = None,
                ("engine", name) => {
                    let engine = self.engines.iter().find(|e| e.name() == name);
                    let engine = engine.ok_or_else(|| format!("there is no engine '{name}'"))?;
                    config.pair.engine = Some(*engine);
                }
                _ => return Err(format!("'{word}' is not a setting")),
            }
        }
        if self.world.recorder.is_some() {
            // A recording that has begun tells of the settings before.
            self.world.start_recording().map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    fn insert(&mut self, words: &mut Words<'_>) -> Result<(), String> {
        let id = object(words)?;
        if id.slot() as usize > self.world.ids().len() + MAX_GAP {
            return Err(format!("{id} is far beyond the objects before it"));
        }
        let number: u32 = named(words, "shape")?;
        let class = Class(named(words, "class")?);
        let tag = named(words, "tag")?;
        let is_static = named::<u8>(words, "static")? != 0;
        let shape = self.shapes.get(&number).cloned();
        let shape = shape.ok_or_else(|| format!("there is no shape {number} yet"))?;
        let body = Body {
            shape,
            world_from_body: words.pose()?,
            class,
            tag,
            is_static,
            name: None,
        };
        if self.world.insert_as(id, body) {
            Ok(())
        } else {
            Err(format!("{id} is there already, or was"))
        }
    }

    fn one_step(&mut self, number: u64) -> Result<ReplayedStep, String> {
        let mut expected: Vec<(usize, &'t str)> = Vec::new();
        loop {
            let Some(line) = self.next_line() else {
                return Err(format!("the trace ends within step {number}"));
            };
            let mut words = Words::of(line);
            match words.next("a word")? {
                // The second is the word of earlier traces.
                "mask" | "wish" => {
                    let pair = ObjectPair::new(object(&mut words)?, object(&mut words)?);
                    let bits = words.parse("bits of a mask")?;
                    let distance = words.real()?;
                    words.end()?;
                    let mask = EventMask::from_bits(bits, distance);
                    let mask = mask.ok_or_else(|| format!("{bits} {distance} is not a mask"))?;
                    self.world.interest_mut().set_pair(pair, mask);
                }
                "end" => {
                    let ended: u64 = words.parse("the number of a step")?;
                    if ended != number {
                        return Err(format!("step {ended} ends, but step {number} began"));
                    }
                    break;
                }
                "overlap-begin" | "overlap-end" | "contact-begin" | "contact-end" | "touching" | "contacts" | "volume" | "closer"
                // Words of earlier traces.
                | "hello" | "goodbye" | "began" | "ended" => {
                    expected.push((self.line, line));
                }
                other => return Err(format!("'{other}' is not an answer")),
            }
        }
        self.world.step();
        let frame = self.world.frame();
        let mut answers = String::new();
        for event in &frame.events {
            told(&mut answers, event, frame);
        }
        let mut found = answers.lines();
        let mut difference = None;
        for (line, expected) in expected {
            let found = found.next().unwrap_or("");
            if difference.is_none() && !is_same(expected, found) {
                difference = Some(ReplayDifference::new(line, expected, found));
            }
        }
        if let (None, Some(more)) = (&difference, found.next()) {
            difference = Some(ReplayDifference::new(self.line, "", more));
        }
        Ok(ReplayedStep {
            number,
            events: frame.events.len(),
            difference,
        })
    }
}

/// Whether two lines have the same words, numbers compared as numbers.
fn is_same(expected: &str, found: &str) -> bool {
    let (mut x, mut y) = (
        expected.split_ascii_whitespace(),
        found.split_ascii_whitespace(),
    );
    if let (Some(p), Some(q)) = (bracket(expected), bracket(found)) {
        // Methods differ in how narrow their brackets are; both hold the truth.
        let room = TOLERANCE * p[1].abs().max(q[1].abs());
        let is_same_pair = objects(expected) == objects(found);
        return is_same_pair && p[0] <= q[1] + room && q[0] <= p[1] + room;
    }
    // The kind and the objects are names, also where they look like numbers.
    for place in 0_usize.. {
        match (x.next(), y.next()) {
            (None, None) => return true,
            (Some(p), Some(q)) if p == q => {}
            // Words of earlier traces.
            (Some("hello"), Some("overlap-begin"))
            | (Some("goodbye"), Some("overlap-end"))
            | (Some("began"), Some("contact-begin"))
            | (Some("ended"), Some("contact-end"))
                if place == 0 => {}
            (Some(p), Some(q)) if place > 2 => match (p.parse::<f64>(), q.parse::<f64>()) {
                (Ok(p), Ok(q)) if (p - q).abs() <= TOLERANCE * p.abs().max(q.abs()).max(1.0) => {}
                _ => return false,
            },
            _ => return false,
        }
    }
    true
}

/// Lower and upper bound of the line of a shared volume.
fn bracket(line: &str) -> Option<[f64; 2]> {
    let mut words = line.split_ascii_whitespace();
    if words.next() != Some("volume") {
        return None;
    }
    let mut bounds = words.skip(2).map(|word| word.parse().ok());
    Some([bounds.next()??, bounds.next()??])
}

/// The objects of the line of an answer.
fn objects(line: &str) -> Option<ObjectPair> {
    let mut words = Words::of(line);
    words.next("").ok()?;
    Some(ObjectPair::new(
        object(&mut words).ok()?,
        object(&mut words).ok()?,
    ))
}

fn object(words: &mut Words<'_>) -> Result<ObjectId, String> {
    let word = words.next("an object")?;
    let id = word.split_once('.').and_then(|(slot, generation)| {
        Some(ObjectId::new(slot.parse().ok()?, generation.parse().ok()?))
    });
    id.filter(|id| id.slot() <= ObjectId::MAX_SLOT)
        .ok_or_else(|| format!("'{word}' is not an object: 'slot.generation' is"))
}

fn flag(words: &mut Words<'_>) -> Result<bool, String> {
    match words.next("0 or 1")? {
        "0" => Ok(false),
        "1" => Ok(true),
        other => Err(format!("'{other}' is neither 0 nor 1")),
    }
}

fn named<T: std::str::FromStr>(words: &mut Words<'_>, name: &str) -> Result<T, String> {
    match words.next(name)? {
        found if found == name => words.parse("a number"),
        found => Err(format!("'{found}' stands where '{name}' should")),
    }
}
