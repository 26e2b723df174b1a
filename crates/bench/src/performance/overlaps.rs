//! The second scenario: overlapping by a given volume. How much is it, and which way is out?
//!
//! The exact integral and trees of inner balls give volume and force by one call, so both questions have its time. Manifold, as a runner,
//! gives the volume alone.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use impinge::bvh::wide::WideTree;
use impinge::query::Limits;
use impinge::spheres::{
    GasOptions, MeshSolid, PackOptions, SphereTree, Split, TreeCache, TreeOptions, pack,
};
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::{DVec3, Pose};

use super::record::{Record, Times};
use super::{Effort, Placed, Scenario, Target};
use crate::configurations::{Columns, Kind, Meshes};
use crate::engines::target as target_folder;
use crate::measure::{quantile, scratch};
use crate::ours;
use crate::sheet::Failure;

const PEER: &str = "manifold";
/// How far the peer is waited for.
const PATIENCE: Duration = Duration::from_secs(30);
/// A volume that is off by more than this part of A's is wrong.
const VOLUME_ROUNDING: f64 = 1e-9;
/// A force that is off by more than this many degrees is wrong, for engines that claim to be exact: differences of volumes are no better.
const FORCE_ROUNDING: f64 = 0.2;
/// The step of these differences, as a part of A's diagonal.
const STEP: f64 = 1e-5;
/// Forward and backward differences that differ by a larger part belong to faces that lie on each other.
const KINK: f64 = 2e-3;
/// Configurations per target at which forces are compared.
const FORCES: usize = 8;
/// Repeats that count.
const COUNTED: usize = 3;

/// Which questions a record is about.
const QUESTIONS: [&str; 2] = ["volume", "force"];

/// What an engine says.
struct Answer {
    volume: f64,
    /// On B, out of A; any length.
    force: Option<DVec3>,
    nanoseconds: f64,
    tests: Option<[u64; 2]>,
}

trait Overlapping {
    /// The answer, and how long it took.
    fn ask(&mut self, pose: &Pose) -> anyhow::Result<Answer>;
}

struct Contestant {
    name: String,
    version: String,
    is_ours: bool,
    is_exact: bool,
    engine: Box<dyn Overlapping>,
    bytes: Option<f64>,
    build_ns: Option<f64>,
    is_dead: bool,
}

/// All engines on one pair of solids.
pub(super) struct Overlaps {
    contestants: Vec<Contestant>,
    judge: Columns,
    diagonal: f64,
    effort: Effort,
    folder: PathBuf,
}

#[derive(Default)]
struct Sum {
    times: Vec<f64>,
    tests: [u64; 2],
    is_counted: bool,
    wrong: [usize; 2],
    errors: [Vec<f64>; 2],
    spent: Duration,
    verdict: Option<&'static str>,
}

impl Overlaps {
    pub(super) fn start(
        meshes: &Meshes,
        balls: &[usize],
        effort: Effort,
        failures: &mut Vec<Failure>,
    ) -> anyhow::Result<Self> {
        let mut overlaps = Self {
            contestants: Vec::new(),
            judge: Columns::new(meshes.a.clone(), meshes.b.clone()),
            diagonal: meshes.a.bounds().diagonal().length(),
            effort,
            folder: scratch()?,
        };
        overlaps.contestants.push(exact(meshes)?);
        for count in balls {
            match packed(meshes, *count) {
                Ok(contestant) => overlaps.contestants.push(contestant),
                // A solid that balls cannot fill is refused by name, which is no failure of the suite.
                Err(error) => failures.push(Failure {
                    subject: format!("balls-{count}"),
                    reason: format!("refuses the mesh: {error:#}"),
                    is_ours: false,
                }),
            }
        }
        match Peer::start(meshes, &overlaps.folder) {
            Ok(peer) => overlaps.contestants.push(Contestant {
                name: PEER.to_owned(),
                version: "3".to_owned(),
                is_ours: false,
                is_exact: true,
                engine: Box::new(peer),
                bytes: None,
                build_ns: None,
                is_dead: false,
            }),
            Err(error) => failures.push(Failure {
                subject: PEER.to_owned(),
                reason: format!("{error:#}"),
                is_ours: false,
            }),
        }
        Ok(overlaps)
    }
}

impl Scenario for Overlaps {
    fn measure(
        &mut self,
        target: &Target,
        failures: &mut Vec<Failure>,
    ) -> anyhow::Result<Vec<Record>> {
        let mut sums: Vec<Sum> = Vec::new();
        sums.resize_with(self.contestants.len(), Sum::default);
        let start = Instant::now();
        for (number, placed) in target.placed.iter().enumerate() {
            if start.elapsed() > self.effort.per_target && number > 0 {
                break;
            }
            let volume = self.judge.shared(&placed.pose);
            anyhow::ensure!(
                (volume - placed.value).abs() <= 1e-6 * target.unit,
                "the file says {}, the judge {volume}: check the configurations",
                placed.value
            );
            let force = if number < FORCES && target.level > 0.0 {
                self.force(&placed.pose, volume)?
            } else {
                None
            };
            for (contestant, sum) in self.contestants.iter_mut().zip(&mut sums) {
                let is_over = sum.spent > self.effort.per_engine && !sum.times.is_empty();
                if contestant.is_dead || is_over {
                    continue;
                }
                if let Err(error) = ask(
                    contestant,
                    placed,
                    volume,
                    force,
                    target.unit,
                    self.effort,
                    sum,
                ) {
                    contestant.is_dead = true;
                    sum.verdict = Some("died");
                    failures.push(Failure {
                        subject: contestant.name.clone(),
                        reason: format!("{error:#}"),
                        is_ours: contestant.is_ours,
                    });
                }
            }
        }
        let all = self.contestants.iter().zip(&sums);
        Ok(all.flat_map(|(c, sum)| records(c, sum, target)).collect())
    }
}

impl Overlaps {
    /// The direction of the force on B by differences of the judge's volumes; none at a kink, where there is more than one.
    fn force(&mut self, pose: &Pose, here: f64) -> anyhow::Result<Option<DVec3>> {
        let step = STEP * self.diagonal;
        let (mut ahead, mut behind) = (DVec3::ZERO, DVec3::ZERO);
        for (k, axis) in DVec3::AXES.into_iter().enumerate() {
            let mut slope = |step: f64| -> anyhow::Result<f64> {
                let moved = Pose::new(*pose.rotation(), pose.translation() + axis * step)?;
                Ok((self.judge.shared(&moved) - here) / step)
            };
            ahead[k] = slope(step)?;
            behind[k] = slope(-step)?;
        }
        let is_smooth = ahead.distance(behind) <= KINK * (ahead.length() + behind.length());
        Ok((-(ahead + behind)).try_normalize().filter(|_| is_smooth))
    }
}

impl Drop for Overlaps {
    fn drop(&mut self) {
        // Only our own files are in it; what cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn ask(
    contestant: &mut Contestant,
    placed: &Placed,
    volume: f64,
    force: Option<DVec3>,
    unit: f64,
    effort: Effort,
    sum: &mut Sum,
) -> anyhow::Result<()> {
    let engine = &mut contestant.engine;
    let first = engine.ask(&placed.pose)?;
    let error = (first.volume - volume).abs() / unit;
    sum.errors[0].push(error);
    if error > VOLUME_ROUNDING || error.is_nan() {
        sum.wrong[0] += 1;
    }
    if let Some((given, force)) = first.force.zip(force) {
        let angle = given
            .normalize_or_zero()
            .dot(force)
            .clamp(-1.0, 1.0)
            .acos()
            .to_degrees();
        sum.errors[1].push(angle);
        if angle > FORCE_ROUNDING || angle.is_nan() {
            sum.wrong[1] += 1;
        }
    }
    if let Some(tests) = first.tests {
        sum.is_counted = true;
        sum.tests[0] += tests[0];
        sum.tests[1] += tests[1];
    }
    let mut times = Vec::new();
    let mut spent = first.nanoseconds;
    let warm_up = effort.warm_up_ns.min(20.0 * first.nanoseconds);
    while spent < warm_up || times.len() < COUNTED {
        let ns = engine.ask(&placed.pose)?.nanoseconds;
        spent += ns.max(100.0);
        times.push(ns);
        if first.nanoseconds > 5e6 {
            break;
        }
    }
    let last = times.len().saturating_sub(COUNTED);
    sum.times
        .push(quantile(&times[last..], 0.5).unwrap_or(first.nanoseconds));
    sum.spent += Duration::from_nanos(spent as u64);
    Ok(())
}

/// The records about volume and force; the latter only of engines that tell forces.
fn records(contestant: &Contestant, sum: &Sum, target: &Target) -> Vec<Record> {
    let mean = |values: &[f64]| {
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let n = sum.times.len();
    let tests = |k: usize| {
        sum.is_counted
            .then(|| sum.tests[k] as f64 / n.max(1) as f64)
    };
    let record = |k: usize| {
        let verdict = match sum.verdict {
            Some(verdict) => verdict,
            None if n == 0 && contestant.is_dead => "died",
            None if n == 0 => "skipped",
            None if !contestant.is_exact => "approximate",
            None if sum.wrong[k] > 0 => "wrong",
            None => "right",
        };
        let is_timed = matches!(verdict, "right" | "approximate");
        Record {
            kind: Kind::Volume.name().to_owned(),
            question: QUESTIONS[k].to_owned(),
            engine: contestant.name.clone(),
            version: contestant.version.clone(),
            is_ours: contestant.is_ours,
            verdict: verdict.to_owned(),
            configurations: n,
            wrong: sum.wrong[k],
            times: is_timed.then(|| Times::of(&sum.times)).flatten(),
            volume_tests: tests(0),
            face_tests: tests(1),
            bytes: contestant.bytes,
            build_ns: contestant.build_ns,
            error: mean(&sum.errors[k]),
            ..target.record()
        }
    };
    let has_force = !sum.errors[1].is_empty();
    (0..if has_force { 2 } else { 1 }).map(record).collect()
}

/// The boundary integral.
struct Exact {
    a: VolumeIndex,
    b: Option<VolumeIndex>,
    cache: OverlapCache,
}

fn exact(meshes: &Meshes) -> anyhow::Result<Contestant> {
    let start = Instant::now();
    let a = VolumeIndex::new(meshes.a.clone())?;
    let build_ns = start.elapsed().as_nanos() as f64;
    let b = (!std::sync::Arc::ptr_eq(&meshes.a, &meshes.b))
        .then(|| VolumeIndex::new(meshes.b.clone()))
        .transpose()?;
    let bytes = a.bytes() + b.as_ref().map_or(0, VolumeIndex::bytes);
    Ok(Contestant {
        name: "exact-volume".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        is_ours: true,
        is_exact: true,
        engine: Box::new(Exact {
            a,
            b,
            cache: OverlapCache::default(),
        }),
        bytes: Some(bytes as f64),
        build_ns: Some(build_ns),
        is_dead: false,
    })
}

impl Overlapping for Exact {
    fn ask(&mut self, pose: &Pose) -> anyhow::Result<Answer> {
        let b = self.b.as_ref().unwrap_or(&self.a);
        let start = Instant::now();
        let found = self
            .a
            .overlap(b, pose, Limits::default(), &mut self.cache)?;
        let nanoseconds = start.elapsed().as_nanos() as f64;
        Ok(Answer {
            volume: found.value.volume,
            force: Some(-found.value.gradient.translation),
            nanoseconds,
            tests: Some([0, found.value.crossings as u64]),
        })
    }
}

/// Trees of inner balls.
struct Balls {
    a: SphereTree,
    b: Option<SphereTree>,
    cache: TreeCache,
}

fn packed(meshes: &Meshes, count: usize) -> anyhow::Result<Contestant> {
    let tree = |mesh: &std::sync::Arc<impinge::TriMesh>| -> anyhow::Result<SphereTree> {
        let index = WideTree::new(mesh.clone());
        let solid = MeshSolid::new(&index)?;
        let options = PackOptions {
            count: Some(count),
            ..PackOptions::default()
        };
        let balls = pack(&solid, &options)?.balls;
        let options = TreeOptions {
            split: Split::NeuralGas(GasOptions::default()),
            width: 8,
        };
        Ok(SphereTree::new(&balls, &options).with_surface(&solid))
    };
    let start = Instant::now();
    let a = tree(&meshes.a)?;
    let build_ns = start.elapsed().as_nanos() as f64;
    let b = (!std::sync::Arc::ptr_eq(&meshes.a, &meshes.b))
        .then(|| tree(&meshes.b))
        .transpose()?;
    let bytes = a.bytes() + b.as_ref().map_or(0, SphereTree::bytes);
    Ok(Contestant {
        name: format!("balls-{count}"),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        is_ours: true,
        is_exact: false,
        engine: Box::new(Balls {
            a,
            b,
            cache: TreeCache::default(),
        }),
        bytes: Some(bytes as f64),
        build_ns: Some(build_ns),
        is_dead: false,
    })
}

impl Overlapping for Balls {
    fn ask(&mut self, pose: &Pose) -> anyhow::Result<Answer> {
        let b = self.b.as_ref().unwrap_or(&self.a);
        let start = Instant::now();
        let found = self.a.overlap(b, pose, Limits::default(), &mut self.cache);
        let nanoseconds = start.elapsed().as_nanos() as f64;
        // Balls that do not meet yet push nowhere.
        let force = Some(-found.gradient.translation).filter(|force| *force != DVec3::ZERO);
        Ok(Answer {
            volume: found.value,
            force,
            nanoseconds,
            tests: Some([self.cache.tests(), 0]),
        })
    }
}

/// Manifold's boolean in a process of its own.
struct Peer {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Peer {
    fn start(meshes: &Meshes, folder: &Path) -> anyhow::Result<Self> {
        let program = target_folder().join("peers").join(PEER);
        if !program.is_file() {
            bail!("its runner is not there (`cargo xtask peers` installs and builds it)");
        }
        let files = [folder.join("a.mesh"), folder.join("b.mesh")];
        ours::write(&files[0], &meshes.a)?;
        ours::write(&files[1], &meshes.b)?;
        let mut child = Command::new(&program)
            .args(&files)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("it has no pipes");
        };
        let (sender, lines) = channel();
        // Ends with the peer, whose output then ends.
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self {
            child,
            input,
            lines,
        })
    }
}

impl Overlapping for Peer {
    fn ask(&mut self, pose: &Pose) -> anyhow::Result<Answer> {
        let mut line = String::from("volume");
        for x in &pose.to_row_major()[..12] {
            // Writing to a string cannot fail.
            let _ = write!(line, " {x:?}");
        }
        writeln!(self.input, "{line} 1").context("it ended")?;
        let answer = self
            .lines
            .recv_timeout(PATIENCE)
            .context("no answer came")?;
        let numbers: Option<Vec<f64>> = answer.strip_prefix("volume ").and_then(|rest| {
            let words = rest.split_whitespace();
            words.map(|word| word.parse().ok()).collect()
        });
        match numbers.as_deref() {
            Some([volume, nanoseconds, ..]) => Ok(Answer {
                volume: *volume,
                force: None,
                nanoseconds: *nanoseconds,
                tests: None,
            }),
            _ => bail!("it answered `{answer}`"),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It ends by itself when its input does; killing it only hastens that.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
