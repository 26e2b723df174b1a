//! Atomic file writes: a file is written completely or not at all.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use impinge::io::{Model, WriteError, WriteOptions};

/// Writes a file under another name and then renames it, so that an interrupted program never leaves half a
/// file, nor has lost the old one. What is no plain file (a pipe, `/dev/stdout`) is written directly.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_no_plain_file(path) {
        return fs::write(path, bytes);
    }
    let partial = beside(path);
    let written = fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, path));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&partial);
    }
    written
}

/// The same for a model, in the format that the name says. Errors name the file.
pub(crate) fn write_model(
    path: &Path,
    model: &Model,
    options: &WriteOptions,
) -> anyhow::Result<()> {
    let is_direct = is_no_plain_file(path);
    let to = if is_direct {
        path.to_owned()
    } else {
        beside(path)
    };
    let renamed = || match is_direct {
        true => Ok(()),
        false => fs::rename(&to, path).map_err(|cause| anyhow!("{}: {cause}", path.display())),
    };
    let written = impinge::io::write(&to, model, options)
        .map_err(|error| match error {
            WriteError::Io { cause, .. } => anyhow!("{}: {cause}", path.display()),
            WriteError::UnknownFormat { .. } => WriteError::UnknownFormat {
                path: path.to_owned(),
            }
            .into(),
            other => anyhow!("{}: {other}", path.display()),
        })
        .and_then(|()| renamed());
    if written.is_err() && !is_direct {
        let _ = fs::remove_file(&to);
    }
    written
}

/// A file that is written piece by piece and takes its name when it is [finished](Self::finish); dropped before, it leaves nothing. What is no plain file is
/// written directly.
#[derive(Debug)]
pub(crate) struct AtomicFile {
    out: BufWriter<fs::File>,
    path: PathBuf,
    /// Its name until then; none when it is written directly, or finished.
    partial: Option<PathBuf>,
}

impl AtomicFile {
    /// An empty one.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let partial = (!is_no_plain_file(path)).then(|| beside(path));
        let file = fs::File::create(partial.as_deref().unwrap_or(path))?;
        Ok(Self {
            out: BufWriter::new(file),
            path: path.to_owned(),
            partial,
        })
    }

    /// Adds a piece.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    /// Gives the file its name.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        if let Some(partial) = &self.partial {
            fs::rename(partial, &self.path)?;
        }
        self.partial = None;
        Ok(())
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // The error that led here is the one to tell.
            let _ = fs::remove_file(partial);
        }
    }
}

fn is_no_plain_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|there| !there.is_file())
}

/// A name in the same folder with the same ending, which selects the format.
fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(format!("partial-{}-", std::process::id()));
    name.push(path.file_name().unwrap_or_default());
    path.with_file_name(name)
}
