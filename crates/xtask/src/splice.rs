//! `cargo xtask splice`: the newest records, between their markers in the front page.
//!
//! The benchmark program writes a fragment beside its records; this copies it. So the numbers in the front page are those of
//! a committed record, and the documents step fails when they are not.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::shell::root;

const PAGE: &str = "README.md";
const BEGIN: &str = "<!-- rigid -->\n";
const END: &str = "<!-- /rigid -->";
const PICTURE: &str = "docs/images/rigid.svg";

/// Writes the newest fragment into the front page.
pub(crate) fn run() -> anyhow::Result<()> {
    let path = root().join(PAGE);
    let page = read(&path)?;
    let Some((source, fragment)) = newest()? else {
        bail!("no record has a rigid.md: `impinge-bench run rigid` makes one");
    };
    std::fs::write(&path, spliced(&page, &fragment)?)?;
    println!("{PAGE} shows {}", source.display());
    Ok(())
}

/// Fails unless the front page shows the newest fragment; without any record there is nothing to show.
pub(crate) fn is_current() -> anyhow::Result<()> {
    let page = read(&root().join(PAGE))?;
    let Some((source, fragment)) = newest()? else {
        println!("no record to be shown");
        return Ok(());
    };
    if spliced(&page, &fragment)? != page {
        bail!(
            "{PAGE} does not show {}: `cargo xtask splice` mends it",
            source.display()
        );
    }
    println!("{PAGE} shows the newest record");
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The newest fragment, with the picture before it.
fn newest() -> anyhow::Result<Option<(PathBuf, String)>> {
    let Ok(folders) = std::fs::read_dir(root().join("records")) else {
        return Ok(None);
    };
    let mut files: Vec<PathBuf> = folders
        .filter_map(|entry| Some(entry.ok()?.path().join("rigid.md")))
        .filter(|file| file.is_file())
        .collect();
    files.sort();
    let Some(file) = files.pop() else {
        return Ok(None);
    };
    let mut fragment = String::new();
    if root().join(PICTURE).is_file() {
        fragment.push_str(&format!(
            "![Times faster than each peer, by question]({PICTURE})\n\n"
        ));
    }
    fragment.push_str(&read(&file)?);
    Ok(Some((file, fragment)))
}

/// The page with the fragment between its markers.
fn spliced(page: &str, fragment: &str) -> anyhow::Result<String> {
    let (before, rest) = page
        .split_once(BEGIN)
        .with_context(|| format!("{PAGE} has no line `{}`", BEGIN.trim_end()))?;
    let (_, after) = rest
        .split_once(END)
        .with_context(|| format!("{PAGE} has no line `{END}` after `{}`", BEGIN.trim_end()))?;
    Ok(format!("{before}{BEGIN}{fragment}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::spliced;

    #[test]
    fn only_what_is_between_the_markers_changes() {
        let page = "a\n<!-- rigid -->\nold\n<!-- /rigid -->\nb\n";
        let new = spliced(page, "new\n").unwrap();
        assert_eq!(new, "a\n<!-- rigid -->\nnew\n<!-- /rigid -->\nb\n");
        assert_eq!(spliced(&new, "new\n").unwrap(), new);
        assert!(spliced("no markers", "new\n").is_err());
    }
}
