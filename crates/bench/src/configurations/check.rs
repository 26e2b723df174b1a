//! Whether every configuration of a file meets its target, by engines that had no part in making it.
//!
//! Files are made with the default tree and the boundary integral of volumes. Here distances are those of a binary tree of swept rectangles, and
//! volumes those of columns below pairs of faces; or both are those of a peer, which shares nothing with us at all.

use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, ensure};
use impinge::Pose;
use impinge::bvh::engines::{MeshEngine, PreparedPair};
use impinge::query::Limits;

use super::column_volume::ColumnVolume;
use super::file::{Configuration, FoundBy, Header, Reader};
use super::generate::{Progress, in_parallel};
use super::peer_judges::PeerJudge;
use super::sampling::{Kind, Method};
use super::scene::ModelPairScene;
use crate::engines::Engine;

/// The engine that computes distances.
pub(crate) const JUDGE: MeshEngine = MeshEngine::Rss;
/// Blocks that are read at once.
const BLOCKS: usize = 16;
/// By how much the checked part moves from block to block: a prime, so that every target and every direction has its turn.
const SHIFT: usize = 7_919;
/// How far two engines may be apart, as a part of the unit: what a file keeps in single precision, and rounding.
const AGREEMENT: f64 = 1e-6;

/// What was found about a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Checked {
    pub(crate) records: u64,
    /// Configurations by [`FoundBy`].
    pub(crate) ways: [u64; 4],
    /// Configurations that were checked.
    pub(crate) asked: u64,
    /// Those that do not meet their target, or are not what the file says of them.
    pub(crate) wrong: u64,
    /// Those about which a peer had no answer.
    pub(crate) unanswered: u64,
    /// The largest distance from a target, in tolerances.
    pub(crate) largest: f64,
    /// Whether there are as many as the sampling promises, and it leaves none out.
    pub(crate) is_complete: bool,
    pub(crate) is_thinned: bool,
    pub(crate) seconds: f64,
}

impl Checked {
    pub(super) fn add(&mut self, other: &Self) {
        self.records += other.records;
        self.asked += other.asked;
        self.wrong += other.wrong;
        self.unanswered += other.unanswered;
        self.largest = self.largest.max(other.largest);
        for (sum, more) in self.ways.iter_mut().zip(other.ways) {
            *sum += more;
        }
    }
}

/// The judges.
#[derive(Clone, Copy, Debug)]
pub(crate) enum JudgeKind<'e> {
    /// Engines of ours that had no part in making the file.
    Ours,
    /// A peer's runner for distances, and Manifold for volumes.
    Peer(&'e Engine),
}

/// Engines of one thread.
enum ThreadJudge {
    Ours {
        distances: Box<dyn PreparedPair>,
        columns: Option<Box<ColumnVolume>>,
    },
    /// None when it could not be started: then it has no answers.
    Peer(Option<Box<PeerJudge>>),
}

/// How a configuration compares with what it should be, as parts of the unit.
struct JudgedConfiguration {
    /// From the target.
    off: f64,
    /// From what the file says.
    differing: f64,
    /// What the judge itself may be off.
    room: f64,
}

impl ThreadJudge {
    fn new(court: JudgeKind<'_>, scene: &ModelPairScene, kind: Kind) -> Self {
        let (a, b) = (scene.meshes.a.clone(), scene.meshes.b.clone());
        match court {
            JudgeKind::Ours => Self::Ours {
                distances: JUDGE.prepare(a.clone(), b.clone()),
                columns: (kind == Kind::Volume).then(|| Box::new(ColumnVolume::new(a, b))),
            },
            JudgeKind::Peer(engine) => match PeerJudge::start(engine, &scene.meshes, kind) {
                Ok(peer) => Self::Peer(Some(Box::new(peer))),
                Err(error) => {
                    eprintln!("left out: {}: {error:#}", engine.name);
                    Self::Peer(None)
                }
            },
        }
    }

    fn distance(&mut self, scene: &ModelPairScene, pose: &Pose) -> anyhow::Result<Option<f64>> {
        match self {
            Self::Ours { distances, .. } => {
                let found = distances.distance(pose, Limits::default());
                let found = found.and_then(|found| found.value);
                Ok(Some(found.context("the judge knows no distance")?.distance))
            }
            Self::Peer(peer) => Ok(peer.as_mut().and_then(|p| p.distance(scene, pose))),
        }
    }

    fn volume(&mut self, pose: &Pose) -> Option<f64> {
        match self {
            Self::Ours { columns, .. } => columns.as_mut().map(|columns| columns.shared(pose)),
            Self::Peer(peer) => peer.as_mut().and_then(|p| p.volume(pose)),
        }
    }

    /// None when a peer has no answer.
    fn judge(
        &mut self,
        scene: &ModelPairScene,
        header: &Header,
        number: usize,
        c: &Configuration,
    ) -> anyhow::Result<Option<JudgedConfiguration>> {
        let turn = header.sampling().orientation(number);
        let pose = scene.placed(&turn, c)?;
        let level = header.levels[usize::from(c.level)];
        let rooms = match self {
            Self::Ours { .. } => [0.0; 2],
            Self::Peer(peer) => peer.as_ref().map_or([0.0; 2], |p| p.rooms(scene)),
        };
        let unit = scene.unit(header.kind);
        let found = match header.kind {
            Kind::Distance => self.distance(scene, &pose)?,
            Kind::Volume => self.volume(&pose),
        };
        let Some(value) = found.map(|found| found / unit) else {
            return Ok(None);
        };
        let mut off = (value - level).abs();
        let mut room = rooms[usize::from(header.kind == Kind::Volume)];
        // Sharing nothing is easy; they are to touch, too.
        if header.kind == Kind::Volume && level == 0.0 {
            let Some(distance) = self.distance(scene, &pose)? else {
                return Ok(None);
            };
            off = off.max(distance / scene.diagonal);
            room = room.max(rooms[0]);
        }
        if c.way == FoundBy::Unreached {
            off = f64::INFINITY;
        }
        Ok(Some(JudgedConfiguration {
            off,
            differing: (value - f64::from(c.achieved)).abs(),
            room,
        }))
    }
}

/// Checks every `part`-th configuration of a file; the whole file is read and its checksums compared all the same.
///
/// # Errors
/// A damaged file, or one about other meshes.
pub(crate) fn check(
    path: &Path,
    scene: &ModelPairScene,
    threads: usize,
    part: usize,
    court: JudgeKind<'_>,
) -> anyhow::Result<Checked> {
    let start = Instant::now();
    let mut reader = Reader::open(path)?;
    let header = reader.header.clone();
    ensure!(
        header.is_about(&scene.meshes),
        "{} is about other meshes",
        path.display()
    );
    // Engines are made once per thread and handed on.
    let judges: Mutex<Vec<ThreadJudge>> = Mutex::new(Vec::new());
    let mut all = Checked::default();
    let place = format!("checking {}, {}", header.pair, header.kind.name());
    let mut progress = Progress::new(place, 0, header.blocks);
    let mut number = 0;
    loop {
        let mut blocks = Vec::new();
        while blocks.len() < BLOCKS
            && let Some(block) = reader.next_block()?
        {
            blocks.push((number, block));
            number += 1;
        }
        if blocks.is_empty() {
            break;
        }
        let checked = in_parallel(&blocks, threads, |(number, block)| {
            let idle = judges.lock().unwrap_or_else(|e| e.into_inner()).pop();
            let mut judge = idle.unwrap_or_else(|| ThreadJudge::new(court, scene, header.kind));
            let checked = check_block(&mut judge, scene, &header, *number, block, part);
            judges.lock().unwrap_or_else(|e| e.into_inner()).push(judge);
            checked
        });
        for checked in checked {
            all.add(&checked?);
        }
        progress.tell(number, all.records);
    }
    let sampling = header.sampling();
    all.is_thinned = sampling.stride > 1;
    all.is_complete = !all.is_thinned
        && match sampling.method {
            Method::Sphere { .. } => {
                all.records == sampling.per_level() * header.levels.len() as u64
            }
            // Nobody knows how many there should be.
            Method::Grid { .. } => all.records > 0,
        };
    all.seconds = start.elapsed().as_secs_f64();
    Ok(all)
}

fn check_block(
    judge: &mut ThreadJudge,
    scene: &ModelPairScene,
    header: &Header,
    number: usize,
    block: &[Configuration],
    part: usize,
) -> anyhow::Result<Checked> {
    let mut checked = Checked {
        records: block.len() as u64,
        ..Checked::default()
    };
    for (k, c) in block.iter().enumerate() {
        for (sum, way) in checked.ways.iter_mut().zip(FoundBy::ALL) {
            *sum += u64::from(c.way == way);
        }
        if !(SHIFT * number + k).is_multiple_of(part.max(1)) {
            continue;
        }
        checked.asked += 1;
        let Some(judged) = judge.judge(scene, header, number, c)? else {
            checked.unanswered += 1;
            continue;
        };
        let JudgedConfiguration {
            off,
            differing,
            room,
        } = judged;
        // What the file keeps of its own figure is rounded to single precision.
        if off > header.tolerance + room || differing > AGREEMENT + room || off.is_nan() {
            if checked.wrong == 0 {
                eprintln!(
                    "{}: configuration {k} with orientation {number} is {off:.3e} off: {c:?}",
                    header.pair
                );
            }
            checked.wrong += 1;
        }
        if off.is_finite() {
            checked.largest = checked.largest.max(off / header.tolerance);
        }
    }
    Ok(checked)
}
