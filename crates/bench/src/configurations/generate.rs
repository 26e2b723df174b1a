//! Making files of configurations: in parallel, block by block, the same bytes for any number of threads.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::file::{Configuration, FoundBy, Header, MeshMark, Writer, encode};
use super::sampling::{Kind, Method, Sampling};
use super::scene::{ModelPairScene, OrientationQuery, TOLERANCE};
use super::{grid_method, sphere_method};

/// How often progress is printed where lines cannot be overwritten.
const PROGRESS: Duration = Duration::from_secs(20);
/// Blocks per thread between two writes.
const BLOCKS_PER_WRITE: usize = 2;

/// What is to be made.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) pair: String,
    pub(crate) class: String,
    pub(crate) preset: String,
    pub(crate) kind: Kind,
    pub(crate) sampling: Sampling,
    pub(crate) levels: Vec<f64>,
    pub(crate) threads: usize,
    /// Go on with an unfinished file, and leave a finished one alone.
    pub(crate) resume: bool,
}

/// What making a file took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Made {
    pub(crate) records: u64,
    /// Configurations by [`FoundBy`], of blocks that were made now.
    pub(crate) ways: [u64; 4],
    pub(crate) queries: [u64; 2],
    pub(crate) seconds: f64,
    pub(crate) bytes: u64,
    /// Blocks that were there already.
    pub(crate) resumed: usize,
}

impl Job {
    pub(crate) fn header(&self, scene: &ModelPairScene) -> Header {
        let (method, places) = match self.sampling.method {
            Method::Sphere { direction_step } => ("sphere", direction_step),
            Method::Grid { cells } => ("grid", cells),
        };
        Header {
            pair: self.pair.clone(),
            class: self.class.clone(),
            preset: self.preset.clone(),
            kind: self.kind,
            method: method.to_owned(),
            places,
            orientation_step: self.sampling.orientation_step,
            stride: self.sampling.stride,
            levels: self.levels.clone(),
            tolerance: TOLERANCE,
            unit: match self.kind {
                Kind::Distance => "diagonal of A's bounding box along the axes",
                Kind::Volume => "volume of A",
            }
            .to_owned(),
            blocks: self.sampling.orientations(),
            meshes: [MeshMark::of(&scene.meshes.a), MeshMark::of(&scene.meshes.b)],
        }
    }

    /// The file's name.
    pub(crate) fn path(&self, folder: &Path) -> PathBuf {
        folder.join(super::file_name(&self.pair, self.kind))
    }

    /// Makes the file.
    pub(crate) fn run(&self, scene: &ModelPairScene, path: &Path) -> anyhow::Result<Made> {
        let header = self.header(scene);
        let mut writer = Writer::begin(path, &header, self.resume)?;
        let start = Instant::now();
        let mut made = Made {
            resumed: writer.blocks,
            ..Made::default()
        };
        let threads = self.threads.max(1);
        let place = format!("{}, {}", self.pair, self.kind.name());
        let mut progress = Progress::new(place, writer.blocks, header.blocks);
        while writer.blocks < header.blocks {
            let end = header
                .blocks
                .min(writer.blocks + BLOCKS_PER_WRITE * threads);
            let numbers: Vec<usize> = (writer.blocks..end).collect();
            let blocks = in_parallel(&numbers, threads, |number| self.block(scene, *number));
            for (number, block) in numbers.into_iter().zip(blocks) {
                let (found, queries) = block?;
                for (sum, more) in made.queries.iter_mut().zip(queries) {
                    *sum += more;
                }
                for (sum, way) in made.ways.iter_mut().zip(FoundBy::ALL) {
                    *sum += found.iter().filter(|c| c.way == way).count() as u64;
                }
                writer.push(&encode(number, &found)?, found.len())?;
            }
            progress.tell(writer.blocks, writer.records);
        }
        made.records = writer.records;
        writer.end()?;
        made.seconds = start.elapsed().as_secs_f64();
        made.bytes = std::fs::metadata(path)
            .with_context(|| format!("cannot read {}", path.display()))?
            .len();
        Ok(made)
    }

    /// The configurations with one orientation, and how many queries they took.
    fn block(
        &self,
        scene: &ModelPairScene,
        number: usize,
    ) -> anyhow::Result<(Vec<Configuration>, [u64; 2])> {
        let mut probe = OrientationQuery::new(scene, self.sampling.orientation(number));
        let mut found = Vec::new();
        let unit = scene.unit(self.kind);
        let levels = &self.levels;
        let taken = self.sampling.taken(number);
        match self.sampling.method {
            Method::Sphere { direction_step } => {
                for place in taken {
                    let direction = Sampling::direction(direction_step, place);
                    found.extend(match self.kind {
                        Kind::Distance => sphere_method::distances(&mut probe, direction, levels)?,
                        Kind::Volume => {
                            sphere_method::volumes(&mut probe, direction, levels, unit)?
                        }
                    });
                }
            }
            Method::Grid { cells } => {
                let farthest = match self.kind {
                    Kind::Distance => levels.iter().copied().fold(0.0, f64::max) * scene.diagonal,
                    Kind::Volume => 0.0,
                };
                let cells = grid_method::Cells::new(&probe, cells, farthest);
                for place in taken {
                    found.extend(match self.kind {
                        Kind::Distance => {
                            grid_method::distances(&mut probe, &cells, place, levels)?
                        }
                        Kind::Volume => {
                            grid_method::volumes(&mut probe, &cells, place, levels, unit)?
                        }
                    });
                }
            }
        }
        Ok((found, probe.queries))
    }
}

/// What `work` gives for each item, in order, with so many threads.
pub(super) fn in_parallel<I: Sync, O: Send>(
    items: &[I],
    threads: usize,
    work: impl Fn(&I) -> O + Sync,
) -> Vec<O> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, O)>> = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, items.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(k) else { break };
                    let result = work(item);
                    // A thread that panicked ends the scope with its panic; what it left is whole.
                    let mut results = results.lock().unwrap_or_else(|e| e.into_inner());
                    results.push((k, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    results.sort_by_key(|(k, _)| *k);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Tells on standard error how far a file is, how fast it grows and when it will be whole.
pub(super) struct Progress {
    place: String,
    start: Instant,
    told: Option<Instant>,
    first: usize,
    all: usize,
    is_terminal: bool,
}

impl Progress {
    pub(super) fn new(place: String, first: usize, all: usize) -> Self {
        Self {
            place,
            start: Instant::now(),
            told: None,
            first,
            all,
            is_terminal: std::io::stderr().is_terminal(),
        }
    }

    pub(super) fn tell(&mut self, done: usize, records: u64) {
        let wait = if self.is_terminal {
            Duration::from_millis(200)
        } else {
            PROGRESS
        };
        let is_due = self.told.unwrap_or(self.start).elapsed() >= wait;
        let is_last = done == self.all && self.told.is_some();
        if !(is_due || is_last) {
            return;
        }
        self.told = Some(Instant::now());
        let seconds = self.start.elapsed().as_secs_f64().max(1e-9);
        let rate = (done - self.first) as f64 / seconds;
        let left = (self.all - done) as f64 / rate.max(1e-9);
        let line = format!(
            "{}: block {done} of {}, {records} configurations, {rate:.1} blocks/s, {} left",
            self.place,
            self.all,
            clock(left)
        );
        if self.is_terminal {
            eprint!("\r{line:<78}");
            if done == self.all {
                eprintln!();
            }
        } else {
            eprintln!("{line}");
        }
    }
}

/// A time in hours, minutes and seconds.
fn clock(seconds: f64) -> String {
    let s = seconds.min(1e9) as u64;
    match s {
        0..60 => format!("{s} s"),
        60..3600 => format!("{}:{:02} min", s / 60, s % 60),
        _ => format!("{}:{:02} h", s / 3600, s / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::{Reader, unfinished};
    use super::super::pairs::Meshes;
    use super::super::sampling::Preset;
    use super::*;
    use impinge::generate::torus;
    use std::sync::Arc;

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("impinge-conf-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn job(preset: Preset, kind: Kind, stride: usize) -> Job {
        Job {
            pair: "ring".to_owned(),
            class: "test".to_owned(),
            preset: preset.name().to_owned(),
            kind,
            sampling: Sampling {
                stride,
                ..preset.sampling(kind)
            },
            levels: kind.levels(),
            threads: 1,
            resume: false,
        }
    }

    fn scene() -> ModelPairScene {
        let mesh = Arc::new(torus(1.0, 0.4, 24, 12).unwrap());
        let b = Arc::clone(&mesh);
        ModelPairScene::new(Meshes { a: mesh, b }, Kind::Volume).unwrap()
    }

    fn all(path: &Path) -> Vec<Configuration> {
        let mut reader = Reader::open(path).unwrap();
        let mut all = Vec::new();
        while let Some(block) = reader.next_block().unwrap() {
            all.extend(block);
        }
        all
    }

    #[test]
    fn every_configuration_meets_its_target() {
        let folder = folder("meets");
        for (preset, kind, stride) in [
            (Preset::Everyday, Kind::Distance, 97),
            (Preset::Everyday, Kind::Volume, 797),
            (Preset::Grid, Kind::Distance, 4999),
            (Preset::Grid, Kind::Volume, 9973),
        ] {
            let job = job(preset, kind, stride);
            let path = job.path(&folder);
            let made = job.run(&scene(), &path).unwrap();
            let all = all(&path);
            assert_eq!(made.records, all.len() as u64);
            assert!(!all.is_empty());
            if preset == Preset::Everyday {
                let expected = job.sampling.per_level() * job.levels.len() as u64;
                assert_eq!(made.records, expected);
            }
            for c in &all {
                assert_ne!(c.way, FoundBy::Unreached);
                let level = job.levels[usize::from(c.level)];
                assert!((f64::from(c.achieved) - level).abs() <= TOLERANCE, "{c:?}");
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn threads_and_interruptions_change_no_byte() {
        for (kind, stride) in [(Kind::Distance, 397), (Kind::Volume, 1_999)] {
            interrupted(kind, stride);
        }
    }

    fn interrupted(kind: Kind, stride: usize) {
        let folder = folder(&format!("same-{}", kind.name()));
        let one = job(Preset::Everyday, kind, stride);
        let path = one.path(&folder);
        one.run(&scene(), &path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let many = Job {
            threads: 3,
            resume: true,
            ..one.clone()
        };
        // Cut within a block, between blocks, within the header, and before the name was given.
        for length in [0, 100, 1_000, bytes.len() / 2, bytes.len() - 1, bytes.len()] {
            std::fs::remove_file(&path).unwrap();
            std::fs::write(unfinished(&path), &bytes[..length]).unwrap();
            many.run(&scene(), &path).unwrap();
            let is_same = std::fs::read(&path).unwrap() == bytes;
            assert!(is_same, "{} cut at {length}", kind.name());
        }
        // What was begun with other settings is not gone on with.
        let other = Job {
            levels: vec![0.1],
            ..many.clone()
        };
        std::fs::write(unfinished(&path), &bytes[..bytes.len() / 2]).unwrap();
        assert_eq!(other.run(&scene(), &path).unwrap().resumed, 0);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn damaged_files_are_refused() {
        let folder = folder("damaged");
        let job = job(Preset::Everyday, Kind::Distance, 997);
        let path = job.path(&folder);
        job.run(&scene(), &path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let is_read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let mut reader = Reader::open(&path)?;
            while reader.next_block()?.is_some() {}
            anyhow::Ok(())
        };
        is_read(&bytes).unwrap();
        for k in (0..bytes.len())
            .step_by(41)
            .chain(bytes.len() - 20..bytes.len())
        {
            let mut damaged = bytes.clone();
            damaged[k] ^= 0x10;
            let error = is_read(&damaged).unwrap_err();
            assert!(
                format!("{error:#}").contains("ring.distance.conf"),
                "byte {k}"
            );
            assert!(is_read(&bytes[..k]).is_err(), "cut at {k}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(is_read(&longer).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
