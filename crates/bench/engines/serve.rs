//! What every runner in Rust shares: reading the two meshes, answering lines, timing (see PROTOCOL.md).
//!
//! Needs nothing but the standard library, so that runners outside of the workspace include it too.

use std::io::{BufRead, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Vertices and faces, as they are in the file.
#[derive(Debug)]
pub(crate) struct Mesh {
    pub(crate) positions: Vec<[f64; 3]>,
    pub(crate) faces: Vec<[u32; 3]>,
}

impl Mesh {
    /// The mesh in a file: `u64` vertices, `u64` faces, then 3 `f64` each and 3 `u32` each.
    pub(crate) fn read(path: &Path) -> std::io::Result<Self> {
        let short = || std::io::Error::other(format!("{} ends too early", path.display()));
        let bytes = std::fs::read(path)?;
        let count = |at: usize| -> Option<usize> {
            let word = bytes.get(at..at + 8)?.try_into().ok()?;
            usize::try_from(u64::from_le_bytes(word)).ok()
        };
        let (vertices, faces) = (count(0).ok_or_else(short)?, count(8).ok_or_else(short)?);
        let middle = 16 + vertices.checked_mul(24).ok_or_else(short)?;
        let end = middle + faces.checked_mul(12).ok_or_else(short)?;
        if bytes.len() < end {
            return Err(short());
        }
        let number = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            f64::from_le_bytes(word)
        };
        let index = |at: usize| {
            let mut word = [0; 4];
            word.copy_from_slice(&bytes[at..at + 4]);
            u32::from_le_bytes(word)
        };
        Ok(Self {
            positions: (0..vertices)
                .map(|i| [0, 8, 16].map(|k| number(16 + 24 * i + k)))
                .collect(),
            faces: (0..faces)
                .map(|i| [0, 4, 8].map(|k| index(middle + 12 * i + k)))
                .collect(),
        })
    }
}

/// A placement of B in A's frame: three rows of rotation and translation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) rows: [[f64; 4]; 3],
}

impl Placement {
    #[allow(dead_code, reason = "not every runner needs it")]
    pub(crate) const IDENTITY: Self = Self {
        rows: [
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
        ],
    };

    /// Where a point of B lies.
    #[allow(dead_code, reason = "not every runner needs it")]
    pub(crate) fn point(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        self.rows.map(|[a, b, c, t]| a * x + b * y + c * z + t)
    }
}

/// A motion of B over time 0 to 1: `center` travels along `velocity`, B turns about it by `turn`.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "not every runner answers `impact`")]
pub(crate) struct Motion {
    pub(crate) velocity: [f64; 3],
    pub(crate) turn: [f64; 3],
    pub(crate) center: [f64; 3],
}

/// Pairs of face numbers, of A and of B.
pub(crate) type Pairs = Vec<(u32, u32)>;

/// What is measured; `None` means that the engine does not answer that question.
pub(crate) trait Engine {
    /// `NAME VERSION PRECISION`.
    fn hello(&self) -> String;
    fn build_a(&mut self);
    fn build_b(&mut self);
    /// Bytes of a's index, its mesh not counted; 0 if unknown.
    fn bytes(&self) -> usize {
        0
    }
    /// Surface-area cost of a's tree of boxes.
    fn quality(&self) -> Option<f64> {
        None
    }
    /// Called before each asking, and not timed: whatever the last answer left behind goes, except for `warm`.
    fn forget(&mut self, _question: &str) {}
    fn ask(&mut self, _question: &str, _parameter: f64, _pose: &Placement) -> Option<f64> {
        None
    }
    /// Which way B is pushed, in A's frame; any length, nothing but zeros where it is not.
    fn force(&mut self, _pose: &Placement) -> Option<[f64; 3]> {
        None
    }
    fn impact(&mut self, _pose: &Placement, _motion: &Motion) -> Option<f64> {
        None
    }
    fn pairs(&mut self, _pose: &Placement) -> Option<Pairs> {
        None
    }
}

/// Walks a buffer larger than the second-level caches of today's cores.
fn displace_caches(buffer: &mut Vec<u8>) {
    buffer.resize(32 << 20, 0);
    for byte in buffer.iter_mut().step_by(64) {
        *byte = byte.wrapping_add(1);
    }
    std::hint::black_box(&buffer);
}

/// Reads both meshes named on the command line and answers lines until the input ends.
#[allow(
    dead_code,
    reason = "a program that serves several engines reads the meshes itself"
)]
pub(crate) fn run<E: Engine>(make: impl FnOnce(Mesh, Mesh) -> E) -> ExitCode {
    let paths: Vec<_> = std::env::args_os().skip(1).take(2).collect();
    let [a, b] = paths.as_slice() else {
        eprintln!("usage: runner A.mesh B.mesh");
        return ExitCode::from(2);
    };
    match Mesh::read(Path::new(a)).and_then(|a| Ok((a, Mesh::read(Path::new(b))?))) {
        Ok((a, b)) => serve(&mut make(a, b)),
        Err(error) => {
            eprintln!("cannot read the meshes: {error}");
            ExitCode::from(2)
        }
    }
}

/// Answers lines until the input ends.
pub(crate) fn serve(engine: &mut dyn Engine) -> ExitCode {
    let mut server = Server::default();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        if line.trim() == "quit" {
            break;
        }
        let answer = server
            .answer(engine, &line)
            .unwrap_or_else(|| "unsupported".to_owned());
        let mut out = std::io::stdout().lock();
        if writeln!(out, "{answer}")
            .and_then(|()| out.flush())
            .is_err()
        {
            break;
        }
    }
    ExitCode::SUCCESS
}

#[derive(Default)]
struct Server {
    poses: Vec<Placement>,
    motions: Vec<(usize, Motion)>,
    buffer: Vec<u8>,
}

impl Server {
    fn answer(&mut self, engine: &mut dyn Engine, line: &str) -> Option<String> {
        let mut words = line.split_whitespace();
        match words.next()? {
            "hello" => Some(format!("engine {}", engine.hello())),
            "build" => {
                let start = Instant::now();
                engine.build_a();
                let first = start.elapsed().as_nanos();
                let start = Instant::now();
                engine.build_b();
                let second = start.elapsed().as_nanos();
                Some(format!("built {first} {second} {}", engine.bytes()))
            }
            "quality" => engine.quality().map(|cost| format!("quality {cost}")),
            "pose" => {
                let n: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
                let rows = [n.get(0..4)?, n.get(4..8)?, n.get(8..12)?];
                let rows = rows.map(|row| [row[0], row[1], row[2], row[3]]);
                self.poses.push(Placement { rows });
                Some(format!("pose {}", self.poses.len() - 1))
            }
            "motion" => {
                let pose = words.next()?.parse().ok()?;
                let n: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
                let [velocity, turn, center] =
                    [n.get(0..3)?, n.get(3..6)?, n.get(6..9)?].map(|v| [v[0], v[1], v[2]]);
                let motion = Motion {
                    velocity,
                    turn,
                    center,
                };
                self.motions.push((pose, motion));
                Some(format!("motion {}", self.motions.len() - 1))
            }
            kind @ ("ask" | "cold") => {
                let question = words.next()?;
                let parameter = words.next()?.parse().ok()?;
                let index: usize = words.next()?.parse().ok()?;
                let repeats: usize = words.next()?.parse().ok()?;
                self.ask(engine, question, parameter, index, repeats, kind == "cold")
            }
            "sweep" => {
                let question = words.next()?;
                let parameter = words.next()?.parse().ok()?;
                let first: usize = words.next()?.parse().ok()?;
                let count: usize = words.next()?.parse().ok()?;
                let poses = self.poses.get(first..first.checked_add(count)?)?;
                let mut answer = String::new();
                let mut sum = 0.0;
                for pose in poses {
                    engine.forget(question);
                    let start = Instant::now();
                    sum += engine.ask(question, parameter, pose)?;
                    answer.push_str(&format!(" {}", start.elapsed().as_nanos()));
                }
                Some(format!("answer {sum:?}{answer}"))
            }
            "list" => {
                let (index, path) = line.trim().strip_prefix("list ")?.split_once(' ')?;
                let mut pairs = engine.pairs(self.poses.get(index.parse::<usize>().ok()?)?)?;
                pairs.sort_unstable();
                pairs.dedup();
                let text: String = pairs.iter().map(|(a, b)| format!("{a},{b}\n")).collect();
                std::fs::write(path, text).ok()?;
                Some(format!("listed {}", pairs.len()))
            }
            _ => None,
        }
    }

    fn ask(
        &mut self,
        engine: &mut dyn Engine,
        question: &str,
        parameter: f64,
        index: usize,
        repeats: usize,
        cold: bool,
    ) -> Option<String> {
        let mut values: Vec<f64> = Vec::with_capacity(3);
        let mut times = String::new();
        for _ in 0..repeats {
            engine.forget(question);
            if cold {
                displace_caches(&mut self.buffer);
            }
            values.clear();
            let elapsed;
            if question == "impact" {
                let (pose, motion) = self.motions.get(index)?;
                let pose = self.poses.get(*pose)?;
                let start = Instant::now();
                let value = engine.impact(pose, motion)?;
                elapsed = start.elapsed();
                values.push(value);
            } else if question == "force" {
                let pose = self.poses.get(index)?;
                let start = Instant::now();
                let force = engine.force(pose)?;
                elapsed = start.elapsed();
                values.extend(force);
            } else {
                let pose = self.poses.get(index)?;
                let start = Instant::now();
                let value = engine.ask(question, parameter, pose)?;
                elapsed = start.elapsed();
                values.push(value);
            }
            times.push_str(&format!(" {}", elapsed.as_nanos()));
        }
        if values.is_empty() {
            return None;
        }
        // The shortest text that reads back to the same number.
        let values: String = values.iter().map(|value| format!(" {value:?}")).collect();
        Some(format!("answer{values}{times}"))
    }
}
