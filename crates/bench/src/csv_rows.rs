//! Records as files of rows of words between commas, under one header.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::engines::root;

/// The rows of a file, in order.
///
/// # Errors
/// A file that cannot be read or has another header; a row that makes no sense, with its line.
pub(crate) fn read<T>(
    file: &Path,
    header: &str,
    parse: impl Fn(&str) -> anyhow::Result<T>,
) -> anyhow::Result<Vec<T>> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut lines = text.lines();
    if lines.next() != Some(header) {
        bail!("{} does not begin with the expected header", file.display());
    }
    lines
        .enumerate()
        .map(|(k, line)| parse(line).with_context(|| format!("{}:{}", file.display(), k + 2)))
        .collect()
}

/// The newest file of this name among the records in the repository; `workload` writes such files.
///
/// # Errors
/// There is none.
pub(crate) fn newest(name: &str, workload: &str) -> anyhow::Result<PathBuf> {
    let folder = root().join("records");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .with_context(|| format!("there is no {}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path().join(name)))
        .filter(|file| file.is_file())
        .collect();
    files.sort();
    let newest = files.pop();
    newest.with_context(|| format!("no records of `run {workload}` yet"))
}
