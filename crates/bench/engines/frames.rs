//! The loop that runners of frames in Rust share (see PROTOCOL-BOXES.md).
//!
//! Needs nothing but the standard library and `heap.rs` beside it.

use std::io::{BufRead, Write};
use std::time::Instant;

use crate::heap;

/// The pairs of a scene, frame by frame.
pub trait FrameRunner {
    /// From nothing to all pairs of the first frame; tells how many.
    fn build(&mut self) -> usize;
    /// From the last frame to all pairs of this one; none when the scene has no such frame.
    fn frame(&mut self, k: usize) -> Option<usize>;
}

/// Answers lines until there are no more. What was held `before` is not counted.
pub fn serve(name: &str, runner: &mut impl FrameRunner, before: usize) {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let start = Instant::now();
        match words.as_slice() {
            ["hello"] => writeln!(out, "engine {name}").unwrap(),
            ["build"] => {
                let pairs = runner.build();
                writeln!(out, "built {} {pairs}", start.elapsed().as_nanos()).unwrap();
            }
            ["frame", k] => match k.parse().ok().and_then(|k| runner.frame(k)) {
                Some(pairs) => {
                    writeln!(out, "frame {} {pairs}", start.elapsed().as_nanos()).unwrap();
                }
                None => writeln!(out, "unsupported").unwrap(),
            },
            ["bytes"] => {
                writeln!(out, "bytes {}", heap::held().saturating_sub(before)).unwrap();
            }
            ["quit"] => break,
            _ => writeln!(out, "unsupported").unwrap(),
        }
        out.flush().unwrap();
    }
}
