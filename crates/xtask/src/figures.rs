//! `cargo xtask figures`: the pictures of the algorithm pages, drawn again.
//!
//! `impinge_testkit::figures` draws them and a test of that crate compares what is committed with what
//! it draws; this writes the files. It also fails when a page has no figure, or a figure no page.

use std::collections::BTreeSet;

use anyhow::{Context, bail};

use crate::shell::{cargo, root, run};

const PAGES: &str = "docs/algorithms";

pub(crate) fn draw() -> anyhow::Result<()> {
    run(cargo("run --quiet -p impinge-testkit --example figures --")
        .arg(root().join(PAGES).join("figures")))
}

/// Fails unless each algorithm page begins with the figure of its own name, and no figure is left over.
pub(crate) fn are_shown() -> anyhow::Result<()> {
    let folder = root().join(PAGES);
    let mut pages = BTreeSet::new();
    for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot list {PAGES}"))? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if path.extension().is_none_or(|extension| extension != "md") || stem == "README" {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        let image = format!("](figures/{stem}.svg)");
        let first = text.lines().skip(1).find(|line| !line.trim().is_empty());
        if !first.is_some_and(|line| line.starts_with("![") && line.ends_with(&image)) {
            bail!("{PAGES}/{stem}.md does not begin with its figure, figures/{stem}.svg");
        }
        pages.insert(stem.into_owned());
    }
    for entry in std::fs::read_dir(folder.join("figures")).context("there are no figures")? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if !pages.contains(stem.as_ref()) {
            bail!("{} belongs to no page", path.display());
        }
    }
    println!("{} algorithm pages begin with a figure", pages.len());
    Ok(())
}
