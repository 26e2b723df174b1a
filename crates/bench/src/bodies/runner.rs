//! A runner of boxes as a process: see `engines/PROTOCOL-BOXES.md`.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, bail};

/// Time in milliseconds and number of pairs.
pub(super) type Measured = (f64, u64);

/// A started runner.
#[derive(Debug)]
pub(super) struct Runner {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// Where a program of runners is, if it was built.
pub(super) fn program(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/peers");
    let path = folder.join(name);
    path.is_file().then_some(path)
}

impl Runner {
    pub(super) fn start(
        program: &Path,
        engine: &str,
        scene: &Path,
        threads: usize,
    ) -> anyhow::Result<Self> {
        let mut child = Command::new(program)
            .arg(engine)
            .arg(scene)
            .arg(threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {program:?}"))?;
        let input = child.stdin.take().context("no input")?;
        let output = BufReader::new(child.stdout.take().context("no output")?);
        Ok(Self {
            child,
            input,
            output,
        })
    }

    fn ask(&mut self, line: &str) -> anyhow::Result<Measured> {
        writeln!(self.input, "{line}")?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        let words: Vec<&str> = answer.split_whitespace().collect();
        match words.as_slice() {
            ["built" | "frame", ns, pairs] => Ok((ns.parse::<f64>()? / 1e6, pairs.parse()?)),
            _ => bail!("{line}: {answer}"),
        }
    }

    /// Waits until the runner has read its scene and answers.
    pub(super) fn hello(&mut self) -> anyhow::Result<()> {
        writeln!(self.input, "hello")?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        anyhow::ensure!(answer.starts_with("engine "), "hello: {answer}");
        Ok(())
    }

    pub(super) fn build(&mut self) -> anyhow::Result<Measured> {
        self.ask("build")
    }

    /// The memory that the engine says it holds; none when it does not say.
    pub(super) fn bytes(&mut self) -> anyhow::Result<Option<u64>> {
        writeln!(self.input, "bytes")?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        let words: Vec<&str> = answer.split_whitespace().collect();
        Ok(match words.as_slice() {
            ["bytes", bytes] => Some(bytes.parse()?).filter(|bytes| *bytes > 0),
            _ => None,
        })
    }

    pub(super) fn frame(&mut self, k: usize) -> anyhow::Result<Measured> {
        self.ask(&format!("frame {k}"))
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // The runner may be gone already; then there is nothing left to end.
        let _ = writeln!(self.input, "quit");
        let _ = self.child.wait();
    }
}
