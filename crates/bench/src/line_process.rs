//! A process that answers queries line by line.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::Context;

/// Where a program of runners is, if it was built.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/peers");
    let path = folder.join(name);
    path.is_file().then_some(path)
}

/// A started process, which gets the command to quit at the end.
#[derive(Debug)]
pub(crate) struct LineProcess {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl LineProcess {
    /// # Errors
    /// A program that cannot be started.
    pub(crate) fn start(
        program: &Path,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> anyhow::Result<Self> {
        let mut child = Command::new(program)
            .args(arguments)
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

    /// The line that comes back on a line; empty when the process has ended.
    ///
    /// # Errors
    /// A pipe that is closed.
    pub(crate) fn ask(&mut self, line: &str) -> anyhow::Result<String> {
        writeln!(self.input, "{line}")?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for LineProcess {
    fn drop(&mut self) {
        // It may be gone already; then there is nothing left to end.
        let _ = writeln!(self.input, "quit");
        let _ = self.child.wait();
    }
}
