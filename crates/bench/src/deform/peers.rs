//! `Auto` and `Clustering` beside others that find self-intersections, on the two scenes of the thesis, from the first frame to the last.
//!
//! `cargo xtask peers` installs ipctk and libigl as Python packages with a script each, and builds a runner in Rust around parry's tree. All get the
//! same frames and one thread. Absent ones are named, and leave the bars beside them open.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::Context;
use impinge::deform::{Auto, Clustering, SceneEngine, SceneRequest};

use super::playback::{begin, go};
use super::record::RecordWriter;
use crate::Bar;
use crate::engines::script_runner;
use crate::folders::{create, installed, target};
use crate::sample_statistics::median;
use crate::scenes::{SceneName, Sequence, load};

/// Scenes with the mean of a frame in the thesis, in milliseconds on a GTX 480.
const SCENES: [(&str, f64); 2] = [("cloth-on-ball", 20.24), ("funnel", 6.53)];
/// Rounds in which everyone has a turn; the median of each counts. The costly frames are the last, so that none is left out.
const ROUNDS: usize = 3;
/// Sequences of more frames are played once by everyone.
const SHORT: usize = 100;
/// Turns that we take in a round, with one thread and with all: they alternate, so that none profits from the one before.
const OURS_PER_ROUND: usize = 3;
/// Our engines: the one that a caller gets, and the one of the thesis.
const OURS: [&str; 2] = ["auto", "clustering"];
/// The bar of ours on one thread beside the fastest other.
const FASTER: f64 = 3.0;
/// The bar of the gain by the second thread.
const TWO_THREADS: f64 = 1.6;

/// How a peer is run.
struct PeerCommand {
    name: &'static str,
    /// Whether it only says that something meets, and stops there.
    is_yes_or_no: bool,
}

const PEERS: [PeerCommand; 4] = [
    PeerCommand {
        name: "ipctk",
        is_yes_or_no: true,
    },
    PeerCommand {
        name: "libigl",
        is_yes_or_no: false,
    },
    PeerCommand {
        name: "parry-refit",
        is_yes_or_no: false,
    },
    PeerCommand {
        name: "parry-rebuilt",
        is_yes_or_no: false,
    },
];

/// Who must have answered before anyone is called the fastest; each by any of its ways.
const ASKED: [&str; 3] = ["ipctk", "libigl", "parry"];

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

/// The command that runs a peer, none when it is not installed.
fn command(peer: &PeerCommand, input: &Path) -> Option<Command> {
    if peer.name.starts_with("parry") {
        let program = installed().join("peers/frames-rs");
        let mut command = Command::new(&program);
        command.arg(peer.name).arg(input);
        return program.is_file().then_some(command);
    }
    let mut command = script_runner(peer.name)?;
    command.arg("frames").arg(input);
    Some(command)
}

/// The peers of which none of the ways has answered.
fn silent(answered: &[&str]) -> Vec<&'static str> {
    ASKED
        .into_iter()
        .filter(|asked| !answered.iter().any(|name| name.starts_with(asked)))
        .collect()
}

/// Mean milliseconds without the first frame, and what was found in all frames.
fn ask_peer(mut command: Command, frames: usize) -> anyhow::Result<(f64, usize)> {
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
        out.status.success() && lines.len() == frames,
        "it failed after {} of {frames} frames: {}",
        lines.len(),
        errors.lines().last().unwrap_or("no output")
    );
    let times: f64 = lines.iter().skip(1).map(|(time, _)| time).sum();
    let found = lines.iter().map(|(_, found)| found).sum();
    Ok((times / frames.saturating_sub(1).max(1) as f64, found))
}

fn ask_ours(
    name: &str,
    sequence: &Sequence,
    frames: &[usize],
    parallel: bool,
) -> anyhow::Result<(f64, usize)> {
    let request = SceneRequest {
        parallel,
        ..SceneRequest::default()
    };
    let mut engine: Box<dyn SceneEngine> = match name {
        "clustering" => Box::new(Clustering::default()),
        _ => Box::new(Auto::default()),
    };
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

pub(super) fn run(
    scenes: &[SceneName],
    is_small: bool,
    journal: &mut RecordWriter,
) -> anyhow::Result<()> {
    let folder = target().join("deform-peers");
    create(&folder)?;
    for (name, thesis_ms) in SCENES {
        for scene in scenes.iter().filter(|scene| scene.name == name) {
            let sequence = load(scene, is_small)?;
            let count = sequence.frames.len();
            let frames: Vec<usize> = (0..count).collect();
            let rounds = if count > SHORT { 1 } else { ROUNDS };
            let input = folder.join("frames.bin");
            export(&sequence, &frames, &input)?;
            // By engine: on one thread, and with all.
            let mut ours = OURS.map(|_| [Vec::new(), Vec::new()]);
            let mut found = 0;
            let mut theirs: Vec<(&PeerCommand, Vec<f64>, usize)> = Vec::new();
            for round in 0..rounds {
                for _ in 0..OURS_PER_ROUND {
                    for (name, times) in OURS.iter().zip(&mut ours) {
                        for (times, parallel) in times.iter_mut().zip([false, true]) {
                            let (ms, pairs) = ask_ours(name, &sequence, &frames, parallel)?;
                            times.push(ms);
                            found = pairs;
                        }
                    }
                }
                for peer in &PEERS {
                    let Some(command) = command(peer, &input) else {
                        if round == 0 {
                            eprintln!(
                                "absent: {} (`cargo xtask peers` installs and builds it)",
                                peer.name
                            );
                        }
                        continue;
                    };
                    match ask_peer(command, frames.len()) {
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
            println!("\n{text}: {} frames, {found} pairs", frames.len());
            let ours = ours.map(|mut times| [0, 1].map(|k| median(&mut times[k])));
            for (name, [one, two]) in OURS.iter().zip(ours) {
                if *name == OURS[0] {
                    println!("  {name:<16} {one:>10.2} ms on one thread, {two:.2} ms with threads");
                } else {
                    println!(
                        "  by the method of the thesis, {name}: {one:.2} ms, threads {two:.2} ms"
                    );
                }
                journal.push("peers", &text, name, "ms_one_thread", one);
                journal.push("peers", &text, name, "ms_threads", two);
            }
            let [[one, two], _] = ours;
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
            // Who failed in a round has not answered.
            let answered: Vec<&str> = theirs
                .iter()
                .filter(|(_, times, _)| times.len() == rounds)
                .map(|(peer, _, _)| peer.name)
                .collect();
            let silent = silent(&answered);
            let mut what = match fastest {
                Some((ms, peer)) => {
                    format!(
                        "auto {:.1} times as fast as {peer}, asked {FASTER}",
                        ms / one
                    )
                }
                None => format!("auto {FASTER} times as fast as the fastest other"),
            };
            if !silent.is_empty() {
                what += &format!("; no answer from {}", silent.join(", "));
            }
            let beside = fastest.map(|(ms, _)| ms / one);
            let bar = match Bar::at_least(beside, FASTER) {
                // Somebody who did not answer could be faster.
                Bar::Met if !silent.is_empty() => Bar::Open,
                bar => bar,
            };
            journal.amount(bar, format!("{text}: {what}"));
            let gain = one / two;
            journal.amount(
                Bar::at_least(gain, TWO_THREADS),
                format!("{text}: auto with threads {gain:.2} times as fast, by turns, asked {TWO_THREADS}"),
            );
            // The figure of the thesis is that of its method: a tree that is faster says nothing about it.
            for (name, [_, two]) in OURS.iter().zip(ours) {
                journal.amount(
                    Bar::at_most(two, thesis_ms),
                    format!(
                        "{text}: {name} {two:.2} ms a frame with threads over all frames, the thesis had {thesis_ms} ms on a GTX 480"
                    ),
                );
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_that_is_asked_for_must_answer() {
        assert!(silent(&["ipctk", "libigl", "parry-rebuilt"]).is_empty());
        assert_eq!(
            silent(&["ipctk", "parry-refit", "parry-rebuilt"]),
            ["libigl"]
        );
        assert_eq!(silent(&[]), ASKED);
    }

    #[cfg(unix)]
    #[test]
    fn a_peer_that_stops_early_has_not_answered() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let lines = "echo 5000000 1; echo 2000000 2; echo 4000000 0";
        let (ms, found) = ask_peer(shell(lines), 3).unwrap();
        assert_eq!((ms, found), (3.0, 3));
        assert!(ask_peer(shell(lines), 4).is_err());
        assert!(ask_peer(shell(&format!("{lines}; exit 1")), 3).is_err());
        assert!(ask_peer(shell("exit 0"), 3).is_err());
    }
}
