//! A separation list over all frames as keys: contacts in order of time, and the pairs of faces that
//! meet at each frame.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::{Context, bail};
use impinge::DVec3;
use impinge::deform::{
    Scene, SceneAnswer, SceneCounters, SceneEngine, ScenePair, SceneRequest, Welded,
};
use impinge::kinetic::{Keyframes, Kinetic, Progress, SeparationList};
use impinge::query::FaceId;
use serde::Serialize;

use super::args::DeformArgs;
use super::run::{holds, scene_of};
use super::source::SceneFrames;
use crate::number::count;

/// Vertices times frames of a plan: 48 bytes each.
const MOST_PLACES: usize = 1 << 26;

/// What happened on the way to a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    pub(super) contacts: usize,
    /// The first, as a part of the way.
    pub(super) first: Option<f64>,
    pub(super) faces: Vec<FaceId>,
    pub(super) milliseconds: f64,
}

/// What the list did in all.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct ListTotals {
    /// Pairs in the list at the end; of these, leaves whose boxes overlap.
    pairs: usize,
    overlapping_leaves: usize,
    events: u64,
    box_tests: u64,
    face_tests: u64,
    contacts: u64,
    build_milliseconds: f64,
}

impl ListTotals {
    pub(super) fn text(&self) -> String {
        format!(
            "{} pairs, {} overlapping leaves at the end; {} events, {} boxes compared, {} pairs of faces tested, {} contacts in order of time",
            count(self.pairs),
            count(self.overlapping_leaves),
            count(self.events as usize),
            count(self.box_tests as usize),
            count(self.face_tests as usize),
            count(self.contacts as usize)
        )
    }
}

/// The list and its plan; a key is a frame, and its time the frame's number among those looked at.
#[derive(Debug)]
struct KeyList {
    flight: Keyframes,
    list: SeparationList,
    build_milliseconds: f64,
}

/// The list, as the engine and the loop over the frames share it.
#[derive(Clone, Debug)]
pub(super) struct SharedList(Arc<Mutex<KeyList>>);

impl SharedList {
    /// The list of all frames that are looked at.
    pub(super) fn new(args: &DeformArgs, frames: &mut SceneFrames) -> anyhow::Result<Self> {
        if args.changing_faces {
            bail!(
                "--engine separation-list needs faces that stay the same; leave --changing-faces out"
            );
        }
        let (scene, keys) = read_keys(args, frames)?;
        if keys.len() < 2 {
            bail!("--engine separation-list needs at least 2 frames");
        }
        let start = Instant::now();
        let times: Vec<f64> = (0..keys.len()).map(|k| k as f64).collect();
        let flight = Keyframes::new(&times, &keys)?;
        drop(keys);
        let list = SeparationList::with_itself(&flight, scene.faces())?;
        Ok(Self(Arc::new(Mutex::new(KeyList {
            flight,
            list,
            build_milliseconds: start.elapsed().as_secs_f64() * 1e3,
        }))))
    }

    fn lock(&self) -> MutexGuard<'_, KeyList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes on to the next frame.
    pub(super) fn advance(&self) -> anyhow::Result<Way> {
        let mut guard = self.lock();
        let KeyList { flight, list, .. } = &mut *guard;
        let start = Instant::now();
        let from = list.now();
        let mut way = Way::default();
        while let Progress::Touched(contact) = list.advance(flight, from + 1.0)? {
            way.contacts += 1;
            way.first
                .get_or_insert((contact.lower - from).clamp(0.0, 1.0));
            way.faces.extend([contact.faces.a, contact.faces.b]);
        }
        way.milliseconds = start.elapsed().as_secs_f64() * 1e3;
        Ok(way)
    }

    pub(super) fn totals(&self) -> ListTotals {
        let this = self.lock();
        let work = this.list.work();
        ListTotals {
            pairs: this.list.len(),
            overlapping_leaves: this.list.meeting().count(),
            events: this.list.counts().events,
            box_tests: work.box_tests,
            face_tests: work.face_tests,
            contacts: work.contacts,
            build_milliseconds: this.build_milliseconds,
        }
    }

    pub(super) fn engine(&self) -> Box<dyn SceneEngine> {
        Box::new(ListEngine(self.clone()))
    }
}

/// The first scene, and where its vertices are at each frame that is looked at.
fn read_keys(
    args: &DeformArgs,
    frames: &mut SceneFrames,
) -> anyhow::Result<(Scene, Vec<Vec<DVec3>>)> {
    let mut first: Option<(Scene, Option<Welded>)> = None;
    let mut keys = Vec::new();
    let wanted = frames.count.div_ceil(args.every.max(1));
    for frame in (0..frames.count).step_by(args.every.max(1)) {
        let positions = frames
            .read(frame)
            .with_context(|| format!("frame {frame}: a separation list needs every frame"))?
            .positions;
        let Some((scene, welded)) = &first else {
            let made = scene_of(args, &frames.faces, positions)
                .with_context(|| format!("frame {frame}"))?;
            let vertices = made.0.positions().len();
            if vertices.saturating_mul(wanted) > MOST_PLACES {
                bail!(
                    "{} vertices in {} frames are too many for a separation list; look at fewer frames with --every",
                    count(vertices),
                    count(wanted)
                );
            }
            keys.push(made.0.positions().to_vec());
            first = Some(made);
            continue;
        };
        let positions = match welded {
            None => positions,
            Some(joined) if holds(joined, &positions) => {
                joined.frame(&positions).unwrap_or_default()
            }
            Some(_) => bail!(
                "frame {frame}: vertices that were joined come apart, which a plan cannot have; leave --weld out"
            ),
        };
        if positions.len() != scene.positions().len() {
            bail!("frame {frame} has another number of vertices than the first");
        }
        keys.push(positions);
    }
    let (scene, _) = first.context("no frame")?;
    Ok((scene, keys))
}

/// The pairs that meet at a frame: of the leaves whose boxes overlap, those that the exact rule confirms.
struct ListEngine(SharedList);

impl SceneEngine for ListEngine {
    fn name(&self) -> &'static str {
        super::engines::SEPARATION_LIST
    }

    fn pairs(&mut self, scene: &Scene, request: &SceneRequest) -> SceneAnswer {
        let mut counters = SceneCounters {
            faces: scene.faces().len() as u64,
            entries: scene.faces().len() as u64,
            ..SceneCounters::default()
        };
        let mut found = Vec::new();
        for pair in self.0.lock().list.meeting() {
            counters.candidates += 1;
            counters.exact_tests += 1;
            if ScenePair::meets(scene, request, pair.a, pair.b) {
                counters.hits += 1;
                found.push([pair.a, pair.b]);
            }
        }
        SceneAnswer::of_pairs(scene, request, found, counters)
    }

    fn any(&mut self, scene: &Scene, request: &SceneRequest) -> bool {
        let shared = self.0.lock();
        let mut pairs = shared.list.meeting();
        pairs.any(|pair| ScenePair::meets(scene, request, pair.a, pair.b))
    }
}
