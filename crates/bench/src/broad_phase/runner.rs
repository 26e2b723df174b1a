//! A runner of boxes as a process: see `engines/PROTOCOL-BOXES.md`.

use std::path::Path;

use anyhow::bail;

use crate::line_process::LineProcess;

/// Time in milliseconds and number of pairs.
pub(super) type Measured = (f64, u64);

/// A started runner.
#[derive(Debug)]
pub(super) struct BoxRunner(LineProcess);

impl BoxRunner {
    pub(super) fn start(
        program: &Path,
        engine: &str,
        scene: &Path,
        threads: usize,
    ) -> anyhow::Result<Self> {
        let threads = threads.to_string();
        let arguments = [engine.as_ref(), scene.as_os_str(), threads.as_ref()];
        LineProcess::start(program, arguments).map(Self)
    }

    fn ask(&mut self, line: &str) -> anyhow::Result<Measured> {
        let answer = self.0.ask(line)?;
        let words: Vec<&str> = answer.split_whitespace().collect();
        match words.as_slice() {
            ["built" | "frame", ns, pairs] => Ok((ns.parse::<f64>()? / 1e6, pairs.parse()?)),
            _ => bail!("{line}: {answer}"),
        }
    }

    /// Waits until the runner has read its scene and answers.
    pub(super) fn hello(&mut self) -> anyhow::Result<()> {
        let answer = self.0.ask("hello")?;
        anyhow::ensure!(answer.starts_with("engine "), "hello: {answer}");
        Ok(())
    }

    pub(super) fn build(&mut self) -> anyhow::Result<Measured> {
        self.ask("build")
    }

    /// The memory that the engine says it holds; none when it does not say.
    pub(super) fn bytes(&mut self) -> anyhow::Result<Option<u64>> {
        let answer = self.0.ask("bytes")?;
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
