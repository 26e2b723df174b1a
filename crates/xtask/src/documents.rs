//! Documents do not lie: the code they show is tested code, and their links lead somewhere.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::shell::root;
use crate::sources::Sources;
use crate::{figures, splice, terms, theses};

/// Fails unless both readme files show the same code, the front page shows the newest record, every page is listed in its
/// folder's, every algorithm page begins with its figure, every relative link and every file that a document names exists, and theses and terms lead to what they name.
pub(crate) fn agree() -> anyhow::Result<()> {
    code_agrees()?;
    splice::is_current()?;
    pages_are_listed()?;
    figures::are_shown()?;
    links_lead_somewhere()?;
    named_files_exist()?;
    let sources = Sources::read(&root())?;
    theses::is_current(&sources)?;
    terms::lead_somewhere(&sources)
}

/// `crates/impinge/README.md` is a documentation test; `README.md` must show the same code.
fn code_agrees() -> anyhow::Result<()> {
    let shown = code_of("README.md")?;
    let tested = code_of("crates/impinge/README.md")?;
    if tested.is_empty() {
        bail!("crates/impinge/README.md shows no code");
    }
    if shown != tested {
        bail!("README.md and crates/impinge/README.md show different code");
    }
    let lines: usize = tested.iter().map(|block| block.lines().count()).sum();
    println!("{lines} lines of code agree");
    Ok(())
}

/// The Rust blocks of a Markdown file, in order.
fn code_of(path: &str) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(root().join(path))
        .with_context(|| format!("cannot read {path}"))?;
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match &mut open {
            None if line.trim_end() == "```rust" => open = Some(String::new()),
            None => {}
            Some(_) if line.trim_end() == "```" => blocks.extend(open.take()),
            Some(block) => {
                block.push_str(line.trim_end());
                block.push('\n');
            }
        }
    }
    Ok(blocks)
}

/// Every page of the guide and of the algorithms is linked from the `README.md` beside it.
fn pages_are_listed() -> anyhow::Result<()> {
    for folder in ["docs/guide", "docs/algorithms"] {
        let folder = root().join(folder);
        let list = std::fs::read_to_string(folder.join("README.md"))
            .with_context(|| format!("{} has no README.md", folder.display()))?;
        for document in documents()? {
            let name = document
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let is_here = document.parent() == Some(folder.as_path());
            if is_here && name != "README.md" && !list.contains(&format!("]({name})")) {
                bail!("{} is not in the list of pages", document.display());
            }
        }
    }
    Ok(())
}

fn links_lead_somewhere() -> anyhow::Result<()> {
    let mut count = 0;
    for document in documents()? {
        let text = std::fs::read_to_string(&document)?;
        let folder = document.parent().unwrap_or(Path::new("."));
        for rest in text.split("](").skip(1) {
            let target = rest.split([')', '#', ' ']).next().unwrap_or_default();
            if target.is_empty() || target.contains(':') {
                continue;
            }
            count += 1;
            if !folder.join(target).exists() {
                bail!(
                    "{} links to {target}, which is not there",
                    document.display()
                );
            }
        }
    }
    println!("{count} relative links lead somewhere");
    Ok(())
}

/// Paths in code spans that begin at the root, such as `crates/xtask/src/steps.rs`, are files or folders.
fn named_files_exist() -> anyhow::Result<()> {
    const TOPS: [&str; 4] = ["crates/", "docs/", "records/", "corpus/"];
    let mut count = 0;
    for document in documents()? {
        let text = std::fs::read_to_string(&document)?;
        for line in text.lines() {
            for span in line.split('`').skip(1).step_by(2) {
                // Patterns and commands are no paths.
                let is_path = TOPS.iter().any(|top| span.starts_with(top))
                    && !span.contains(['*', ' ', '{', '<', '…']);
                if !is_path {
                    continue;
                }
                count += 1;
                if !root().join(span).exists() {
                    bail!("{} names {span}, which is not there", document.display());
                }
            }
        }
    }
    println!("{count} files that documents name are there");
    Ok(())
}

/// Every Markdown file at the root, under `docs`, and at the top of each crate.
fn documents() -> anyhow::Result<Vec<PathBuf>> {
    let mut folders = vec![root(), root().join("docs")];
    for entry in std::fs::read_dir(root().join("crates"))? {
        folders.push(entry?.path());
    }
    let mut documents = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in
            std::fs::read_dir(&folder).with_context(|| format!("cannot list {folder:?}"))?
        {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "md") {
                documents.push(path);
            } else if path.is_dir() && path.starts_with(root().join("docs")) {
                folders.push(path);
            }
        }
    }
    documents.sort();
    Ok(documents)
}
