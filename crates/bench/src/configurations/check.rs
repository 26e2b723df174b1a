//! Whether every configuration of a file meets its target, by engines that had no part in making it.
//!
//! Files are made with the default tree and the boundary integral of volumes. Here distances are those of a binary tree of swept rectangles, and
//! volumes those of columns below pairs of faces.

use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, ensure};
use impinge::bvh::engines::{MeshEngine, PreparedPair};
use impinge::query::Limits;

use super::columns::Columns;
use super::file::{Configuration, Header, Reader, Way};
use super::generate::{Progress, in_parallel};
use super::sampling::{Kind, Method};
use super::scene::Scene;

/// The engine that distances are asked of.
pub(crate) const JUDGE: MeshEngine = MeshEngine::Rss;
/// Blocks that are read at once.
const BLOCKS: usize = 16;
/// How far two engines may be apart, as a part of the unit: what a file keeps in single precision, and rounding.
const AGREEMENT: f64 = 1e-6;

/// What was found about a file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Checked {
    pub(crate) records: u64,
    /// Configurations by [`Way`].
    pub(crate) ways: [u64; 4],
    /// Configurations that were asked about.
    pub(crate) asked: u64,
    /// Those that do not meet their target, or are not what the file says of them.
    pub(crate) wrong: u64,
    /// The largest distance from a target, in tolerances.
    pub(crate) largest: f64,
    /// Whether there are as many as the sampling promises, and it leaves none out.
    pub(crate) is_complete: bool,
    pub(crate) is_thinned: bool,
    pub(crate) seconds: f64,
}

impl Checked {
    fn add(&mut self, other: &Self) {
        self.records += other.records;
        self.asked += other.asked;
        self.wrong += other.wrong;
        self.largest = self.largest.max(other.largest);
        for (sum, more) in self.ways.iter_mut().zip(other.ways) {
            *sum += more;
        }
    }
}

/// Engines of one thread.
struct Judge {
    distances: Box<dyn PreparedPair>,
    columns: Option<Columns>,
}

impl Judge {
    fn new(scene: &Scene, kind: Kind) -> Self {
        let (a, b) = (scene.meshes.a.clone(), scene.meshes.b.clone());
        Self {
            distances: JUDGE.prepare(a.clone(), b.clone()),
            columns: (kind == Kind::Volume).then(|| Columns::new(a, b)),
        }
    }

    /// Distance from the target and from what the file says, as parts of the unit.
    fn judge(
        &mut self,
        scene: &Scene,
        header: &Header,
        number: usize,
        c: &Configuration,
    ) -> anyhow::Result<[f64; 2]> {
        let turn = header.sampling().orientation(number);
        let pose = scene.placed(&turn, c)?;
        let level = header.levels[usize::from(c.level)];
        let mut distance = || -> anyhow::Result<f64> {
            let found = self.distances.distance(&pose, Limits::default());
            let found = found.and_then(|found| found.value);
            Ok(found.context("the judge knows no distance")?.distance / scene.diagonal)
        };
        let (value, mut off) = match &mut self.columns {
            Some(columns) => {
                let value = columns.shared(&pose) / scene.unit(Kind::Volume);
                let mut off = (value - level).abs();
                // Sharing nothing is easy; they are to touch, too.
                if level == 0.0 {
                    off = off.max(distance()?);
                }
                (value, off)
            }
            None => {
                let value = distance()?;
                (value, (value - level).abs())
            }
        };
        if c.way == Way::Unreached {
            off = f64::INFINITY;
        }
        Ok([off, (value - f64::from(c.achieved)).abs()])
    }
}

/// Checks every `part`-th configuration of a file; the whole file is read and its checksums compared all the same.
///
/// # Errors
/// A damaged file, or one about other meshes.
pub(crate) fn check(
    path: &Path,
    scene: &Scene,
    threads: usize,
    part: usize,
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
    let judges: Mutex<Vec<Judge>> = Mutex::new(Vec::new());
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
            let mut judge = idle.unwrap_or_else(|| Judge::new(scene, header.kind));
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
    judge: &mut Judge,
    scene: &Scene,
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
        for (sum, way) in checked.ways.iter_mut().zip(Way::ALL) {
            *sum += u64::from(c.way == way);
        }
        if !(number + k).is_multiple_of(part.max(1)) {
            continue;
        }
        let [off, differing] = judge.judge(scene, header, number, c)?;
        checked.asked += 1;
        // What the file keeps of its own figure is rounded to single precision.
        if off > header.tolerance || differing > AGREEMENT || off.is_nan() {
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
