//! Terminal output.

use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, Stdout, Write};
use std::path::Path;

use serde::Serialize;

/// Standard output and its options.
///
/// A reader that goes away (`impinge info x.obj | head -1`) is not an error: what it does not read
/// is dropped, and the exit code still has the answer.
#[derive(Debug)]
pub(crate) struct Output {
    out: BufWriter<Stdout>,
    reader_gone: bool,
    json: bool,
    quiet: bool,
}

impl Output {
    /// Output as the flags want it.
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        Self {
            out: BufWriter::new(io::stdout()),
            reader_gone: false,
            json,
            quiet,
        }
    }

    /// Whether only results and errors are wanted.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Writes one line of text for people; nothing with `--json` or `--quiet`.
    pub(crate) fn line(&mut self, text: impl Display) -> io::Result<()> {
        if self.json || self.quiet {
            return Ok(());
        }
        self.write(format_args!("{text}\n"))
    }

    /// Writes labels and values in two columns.
    pub(crate) fn facts(&mut self, facts: &[(&str, String)]) -> io::Result<()> {
        let width = facts
            .iter()
            .map(|(label, _)| label.len())
            .max()
            .unwrap_or(0);
        for (label, value) in facts {
            self.line(format_args!("  {label:<width$}  {value}"))?;
        }
        Ok(())
    }

    /// Tells people which files were written.
    pub(crate) fn wrote<P: AsRef<Path>>(
        &mut self,
        paths: impl IntoIterator<Item = P>,
    ) -> io::Result<()> {
        for path in paths {
            self.line(format_args!("  wrote {}", path.as_ref().display()))?;
        }
        Ok(())
    }

    /// Writes a result as one line of JSON, when JSON is wanted.
    pub(crate) fn record(&mut self, record: &impl Serialize) -> io::Result<()> {
        if !self.json {
            return Ok(());
        }
        let text = serde_json::to_string(record).map_err(io::Error::other)?;
        self.write(format_args!("{text}\n"))
    }

    /// Writes a generated document, whatever the flags.
    pub(crate) fn document(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = self.out.write_all(bytes);
        self.unless_gone(written)
    }

    /// Writes a remark to standard error, unless quiet is wanted.
    pub(crate) fn remark(&self, text: impl Display) {
        if !self.quiet {
            // Nobody is left to tell when standard error is closed.
            let _ = writeln!(io::stderr(), "impinge: {text}");
        }
    }

    /// Writes to standard error what went wrong with a part of the work; the record of the result has it too.
    pub(crate) fn complaint(&self, text: impl Display) {
        // Nobody is left to tell when standard error is closed.
        let _ = writeln!(io::stderr(), "impinge: {text}");
    }

    /// Reports what went wrong: text on standard error, and a record when JSON is wanted.
    pub(crate) fn failure(&mut self, file: Option<&str>, error: &anyhow::Error) {
        let text = format!("{error:#}");
        let record = match file {
            Some(file) => serde_json::json!({ "file": file, "error": text }),
            None => serde_json::json!({ "error": text }),
        };
        // Nobody is left to tell when these fail.
        let _ = self.record(&record);
        let _ = self.flush();
        let _ = writeln!(io::stderr(), "impinge: {text}");
    }

    /// Hands everything over to the reader.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.unless_gone(flushed)
    }

    fn write(&mut self, text: std::fmt::Arguments<'_>) -> io::Result<()> {
        if self.reader_gone {
            return Ok(());
        }
        let written = self.out.write_fmt(text);
        self.unless_gone(written)
    }

    fn unless_gone(&mut self, result: io::Result<()>) -> io::Result<()> {
        match result {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.reader_gone = true;
                Ok(())
            }
            other => other,
        }
    }
}
