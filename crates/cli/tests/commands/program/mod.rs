//! Runs the program and keeps its files in a folder of their own.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

pub(crate) mod cubes;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that vanishes with the test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!(
            "impinge-cli-test-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// Runs `impinge` with these words inside the folder.
    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        let output = self.command(words).output().unwrap();
        Ran {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_impinge"));
        command
            .args(words)
            .current_dir(&self.0)
            .stdin(Stdio::null());
        command
    }

    /// Width and height of a picture, and whether more than one colour is in it.
    pub(crate) fn picture(&self, name: &str) -> (u32, u32, bool) {
        let file = std::fs::File::open(self.0.join(name)).unwrap();
        let mut reader = png::Decoder::new(std::io::BufReader::new(file))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut pixels).unwrap();
        let middle = &pixels[pixels.len() / 4..];
        let varied = middle.chunks_exact(4).any(|p| p != &middle[..4]);
        (frame.width, frame.height, varied)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// The only line of output, as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        assert_eq!(self.out.lines().count(), 1, "{self:?}");
        serde_json::from_str(&self.out).unwrap()
    }
}

/// A unit cube from the origin, its square faces in OBJ.
pub(crate) const CUBE: &str = "\
v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n";

/// A single triangle in the plane z = 1/2 that leaves the cube across the middle of its side x = 1.
pub(crate) const SHARD: &str = "v 0.25 0.5 0.5\nv 5 -1 0.5\nv 5 2 0.5\nf 1 2 3\n";

/// A translation as a pose file.
pub(crate) fn moved(x: f64, y: f64, z: f64) -> String {
    format!("[1,0,0,{x}, 0,1,0,{y}, 0,0,1,{z}, 0,0,0,1]")
}
