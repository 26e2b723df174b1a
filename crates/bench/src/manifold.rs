//! Manifold's boolean in a process of its own: the volume that two placed solids share.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use anyhow::{Context, bail};
use impinge::{Pose, TriMesh};

use crate::folders::installed;
use crate::own_runners;
use crate::runner_output::{LONGEST_LINE, RunnerOutput, lines_of};

/// Its name in `target/peers`.
pub(crate) const MANIFOLD: &str = "manifold";
/// The word that begins a question and its answer.
const QUESTION: &str = "volume";
/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running peer.
#[derive(Debug)]
pub(crate) struct Manifold {
    child: Child,
    input: ChildStdin,
    lines: Receiver<RunnerOutput>,
}

impl Manifold {
    /// Whether its runner was built.
    pub(crate) fn is_there() -> bool {
        installed().join("peers").join(MANIFOLD).is_file()
    }

    /// Starts it on two solids, whose files go into `folder`.
    ///
    /// # Errors
    /// A runner that is not there, or cannot be started.
    pub(crate) fn start([a, b]: [&TriMesh; 2], folder: &Path) -> anyhow::Result<Self> {
        if !Self::is_there() {
            bail!("its runner is not there (`cargo xtask peers` installs and builds it)");
        }
        let program = installed().join("peers").join(MANIFOLD);
        let files = [folder.join("a.mesh"), folder.join("b.mesh")];
        own_runners::write(&files[0], a)?;
        own_runners::write(&files[1], b)?;
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
        Ok(Self {
            child,
            input,
            lines: lines_of(output),
        })
    }

    /// The volume that the solids share with B at a pose, and the nanoseconds it took.
    ///
    /// # Errors
    /// A peer that ended, takes too long or makes no sense.
    pub(crate) fn volume(&mut self, pose: &Pose) -> anyhow::Result<(f64, f64)> {
        let mut line = QUESTION.to_owned();
        for x in &pose.to_row_major()[..12] {
            // Writing to a string cannot fail.
            let _ = write!(line, " {x:?}");
        }
        writeln!(self.input, "{line} 1").context("it ended")?;
        let heard = self.lines.recv_timeout(PATIENCE);
        let RunnerOutput::Line(answer) = heard.context("no answer came")? else {
            bail!("it answered with a line of more than {LONGEST_LINE} bytes");
        };
        let numbers: Option<Vec<f64>> = answer
            .strip_prefix(QUESTION)
            .map(str::split_whitespace)
            .and_then(|words| words.map(|word| word.parse().ok()).collect());
        match numbers.as_deref() {
            Some([volume, nanoseconds, ..]) => Ok((*volume, *nanoseconds)),
            _ => bail!("it answered `{answer}`"),
        }
    }
}

impl Drop for Manifold {
    fn drop(&mut self) {
        // It ends by itself when its input does; killing it only hastens that.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
