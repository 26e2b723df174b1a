//! `Auto` beside others that find self-intersections, on the two scenes of the thesis.
//!
//! ipctk and libigl are called from Python (`IMPINGE_PYTHON` names the interpreter), parry's tree from a runner in Rust that
//! `cargo xtask peers` builds. All get the same frames and one thread. Absent ones are named.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::Context;
use impinge::deform::{Auto, SceneEngine, SceneRequest};

use super::player::{begin, go};
use super::record::Journal;
use crate::engines::target;
use crate::scenes::{SceneName, Sequence, load};

/// Scenes with the mean of a frame in the thesis, in milliseconds on a GTX 480.
const SCENES: [(&str, f64); 2] = [("cloth-on-ball", 20.24), ("funnel", 6.53)];
/// Frames that are compared, each the one after the last: the middle of a scene.
const FRAMES: usize = 48;
/// Rounds in which everyone has a turn; the median of each counts.
const ROUNDS: usize = 3;
/// What is asked of ours on one thread beside the fastest other.
const FASTER: f64 = 3.0;
/// What the second thread is asked to add.
const TWO_THREADS: f64 = 1.6;

/// How a peer is asked.
struct Peer {
    name: &'static str,
    /// Whether it only says that something meets, and stops there.
    is_yes_or_no: bool,
}

const PEERS: [Peer; 4] = [
    Peer {
        name: "ipctk",
        is_yes_or_no: true,
    },
    Peer {
        name: "libigl",
        is_yes_or_no: false,
    },
    Peer {
        name: "parry-refit",
        is_yes_or_no: false,
    },
    Peer {
        name: "parry-rebuilt",
        is_yes_or_no: false,
    },
];

const SCRIPT: &str = r#"import os, sys, time
os.environ["IGL_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np
which, path = sys.argv[1:3]
nv, nf, n = (int(x) for x in np.fromfile(path, dtype="<u8", count=3))
F = np.fromfile(path, dtype="<u4", count=3 * nf, offset=24).reshape(-1, 3).astype(np.int32)
V = np.fromfile(path, dtype="<f4", count=3 * nv * n, offset=24 + 12 * nf)
V = V.reshape(n, nv, 3).astype(np.float64)
if which == "ipctk":
    import ipctk
    if hasattr(ipctk, "set_num_threads"):
        ipctk.set_num_threads(1)
    mesh = ipctk.CollisionMesh(V[0], ipctk.edges(F), F)
    ask = lambda x: int(bool(ipctk.has_intersections(mesh, x)))
else:
    import igl
    F = F.astype(np.int64)
    try:
        import igl.predicates as predicates
    except ImportError:
        predicates = None
    if predicates is not None and hasattr(predicates, "find_self_intersections"):
        def ask(x):
            _, pairs, _ = predicates.find_self_intersections(x, F)
            return len(pairs)
    elif hasattr(igl, "fast_find_self_intersections"):
        ask = lambda x: int(np.count_nonzero(igl.fast_find_self_intersections(x, F)[1]))
    else:
        from igl.copyleft import cgal
        ask = lambda x: len(cgal.remesh_self_intersections(x, F, detect_only=True)[2])
for x in V:
    x = np.ascontiguousarray(x)
    t = time.perf_counter_ns(); k = ask(x); t = time.perf_counter_ns() - t
    print(t, k, flush=True)
"#;

/// The frames that are compared, in a file for the peers.
fn export(sequence: &Sequence, frames: &[usize], path: &Path) -> anyhow::Result<()> {
    let faces = &sequence.topology(0).faces;
    let vertices = sequence.frames.first().map_or(0, Vec::len);
    let mut bytes = Vec::new();
    for count in [vertices, faces.len(), frames.len()] {
        bytes.extend_from_slice(&(count as u64).to_le_bytes());
    }
    for v in faces.iter().flatten() {
        bytes.extend_from_slice(&v.to_le_bytes());
    }
    for x in frames
        .iter()
        .flat_map(|&k| sequence.frames[k].iter().flat_map(|p| p.to_array()))
    {
        bytes.extend_from_slice(&(x as f32).to_le_bytes());
    }
    std::fs::write(path, bytes).with_context(|| path.display().to_string())
}

/// The command that asks a peer, none when it is not installed.
fn command(peer: &Peer, script: &Path, input: &Path) -> Option<Command> {
    if peer.name.starts_with("parry") {
        let program = target().join("peers/frames-rs");
        let mut command = Command::new(&program);
        command.arg(peer.name).arg(input);
        return program.is_file().then_some(command);
    }
    let python = std::env::var_os("IMPINGE_PYTHON").unwrap_or_else(|| "python3".into());
    let module = if peer.name == "ipctk" { "ipctk" } else { "igl" };
    let installed = Command::new(&python)
        .args(["-c", &format!("import numpy, {module}")])
        .output();
    let mut command = Command::new(&python);
    command.arg(script).arg(peer.name).arg(input);
    installed
        .is_ok_and(|out| out.status.success())
        .then_some(command)
}

/// Mean milliseconds without the first frame, and what was found in all frames.
fn ask_peer(mut command: Command) -> anyhow::Result<(f64, usize)> {
    let out = command.output()?;
    let text = String::from_utf8_lossy(&out.stdout);
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if let (Some(time), Some(found)) = (words.next(), words.next()) {
            lines.push((time.parse::<f64>()? * 1e-6, found.parse::<usize>()?));
        }
    }
    let errors = String::from_utf8_lossy(&out.stderr);
    anyhow::ensure!(
        out.status.success() && lines.len() > 1,
        "it failed: {}",
        errors.lines().last().unwrap_or("no output")
    );
    let times: f64 = lines.iter().skip(1).map(|(time, _)| time).sum();
    let found = lines.iter().map(|(_, found)| found).sum();
    Ok((times / (lines.len() - 1) as f64, found))
}

fn ask_ours(sequence: &Sequence, frames: &[usize], parallel: bool) -> anyhow::Result<(f64, usize)> {
    let request = SceneRequest {
        parallel,
        ..SceneRequest::default()
    };
    let mut engine = Auto::default();
    let mut scene = begin(sequence)?;
    let (mut sum, mut found) = (0.0, 0);
    let mut last = 0;
    for (k, &frame) in frames.iter().enumerate() {
        let start = Instant::now();
        go(&mut scene, sequence, last, frame)?;
        last = frame;
        found += engine.pairs(&scene, &request).pairs.len();
        if k > 0 {
            sum += start.elapsed().as_secs_f64() * 1e3;
        }
    }
    Ok((sum / frames.len().saturating_sub(1).max(1) as f64, found))
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

pub(super) fn run(
    scenes: &[SceneName],
    is_small: bool,
    journal: &mut Journal,
) -> anyhow::Result<()> {
    let folder = target().join("deform-peers");
    std::fs::create_dir_all(&folder)?;
    let script: PathBuf = folder.join("ask.py");
    std::fs::write(&script, SCRIPT)?;
    for (name, thesis_ms) in SCENES {
        for scene in scenes.iter().filter(|scene| scene.name == name) {
            let sequence = load(scene, is_small)?;
            let count = sequence.frames.len();
            let first = count.saturating_sub(FRAMES) / 2;
            let frames: Vec<usize> = (first..count.min(first + FRAMES)).collect();
            let input = folder.join("frames.bin");
            export(&sequence, &frames, &input)?;
            let mut ours = [Vec::new(), Vec::new()];
            let mut found = 0;
            let mut theirs: Vec<(&Peer, Vec<f64>, usize)> = Vec::new();
            for round in 0..ROUNDS {
                for (k, parallel) in [false, true].into_iter().enumerate() {
                    let (ms, pairs) = ask_ours(&sequence, &frames, parallel)?;
                    ours[k].push(ms);
                    found = pairs;
                }
                for peer in &PEERS {
                    let Some(command) = command(peer, &script, &input) else {
                        if round == 0 {
                            println!("absent: {}", peer.name);
                        }
                        continue;
                    };
                    match ask_peer(command) {
                        Ok((ms, pairs)) => {
                            match theirs.iter_mut().find(|t| t.0.name == peer.name) {
                                Some(known) => known.1.push(ms),
                                None => theirs.push((peer, vec![ms], pairs)),
                            }
                        }
                        Err(error) if round == 0 => println!("{}: {error}", peer.name),
                        Err(_) => {}
                    }
                }
            }
            let text = scene.text();
            let [one, two] = [0, 1].map(|k| median(&mut ours[k]));
            println!("\n{text}: {} frames, {found} pairs", frames.len());
            println!(
                "  {:<16} {one:>10.2} ms on one thread, {two:.2} ms with threads",
                "auto"
            );
            journal.push("peers", &text, "auto", "ms_one_thread", one);
            journal.push("peers", &text, "auto", "ms_threads", two);
            let mut fastest: Option<(f64, &str)> = None;
            for (peer, times, theirs_found) in &mut theirs {
                let ms = median(times);
                // Who stops at the first pair did less.
                let counts = !(peer.is_yes_or_no && found > 0);
                println!(
                    "  {:<16} {ms:>10.2} ms, {:.1} times ours; found {theirs_found}{}",
                    peer.name,
                    ms / one,
                    if counts {
                        ""
                    } else {
                        " (stops at the first: not compared)"
                    }
                );
                journal.push("peers", &text, peer.name, "ms_one_thread", ms);
                if counts && fastest.is_none_or(|(least, _)| ms < least) {
                    fastest = Some((ms, peer.name));
                }
            }
            if let Some((ms, peer)) = fastest {
                journal.bar(
                    format!(
                        "{text}: {:.1} times as fast as {peer}, asked {FASTER}",
                        ms / one
                    ),
                    ms / one >= FASTER,
                );
            } else {
                journal.open(&format!(
                    "{text}: beside the fastest other, none is there to compare with"
                ));
            }
            let gain = one / two;
            journal.bar(
                format!("{text}: with threads {gain:.2} times as fast, asked {TWO_THREADS}"),
                gain >= TWO_THREADS,
            );
            if !is_small {
                journal.bar(
                    format!("{text}: {two:.2} ms a frame with threads, the thesis had {thesis_ms} ms on a GTX 480"),
                    two <= thesis_ms,
                );
            }
        }
    }
    Ok(())
}
