//! Words of the field lead to an item, a file and a page.
//!
//! A reader who searches for *GJK* or *contact manifold* must find the type, the file and the page.
//! `docs/terms.toml` lists the words; the documents step checks that each leads there.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, bail};
use serde::Deserialize;

use crate::shell::root;
use crate::sources::{Sources, definition};

const DATA: &str = "docs/terms.toml";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Terms {
    term: Vec<Term>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Term {
    /// As people write it.
    term: String,
    /// Its name holds the term, or it has the term as an alias.
    item: String,
    /// Where that is defined, or another file that says the term.
    file: String,
    /// Its first paragraph says the term.
    page: String,
}

/// Fails unless every term leads to its item, file and page.
pub(crate) fn lead_somewhere(sources: &Sources) -> anyhow::Result<()> {
    let root = root();
    let text =
        std::fs::read_to_string(root.join(DATA)).with_context(|| format!("cannot read {DATA}"))?;
    let terms: Terms =
        toml::from_str(&text).with_context(|| format!("{DATA} is not as it should be"))?;
    let mut seen = BTreeSet::new();
    for term in &terms.term {
        leads_somewhere(term, sources, &root)
            .with_context(|| format!("the term \"{}\" of {DATA}", term.term))?;
        if !seen.insert(&term.term) {
            bail!("{DATA} has the term \"{}\" twice", term.term);
        }
    }
    println!(
        "{} terms lead to an item, a file and a page",
        terms.term.len()
    );
    Ok(())
}

fn leads_somewhere(term: &Term, sources: &Sources, root: &Path) -> anyhow::Result<()> {
    let file = Path::new(&term.file);
    let led_to = sources
        .text(file)
        .with_context(|| format!("{} is not there", term.file))?;
    let defining = sources.item(&term.item)?;
    let text = sources.text(defining).unwrap_or_default();
    if file != defining && !letters(led_to).contains(&letters(&term.term)) {
        bail!("{} does not say it", term.file);
    }
    let name = term.item.rsplit("::").next().unwrap_or_default();
    let line = definition(text, name).unwrap_or_default();
    if !letters(name).contains(&letters(&term.term)) && !has_alias(text, line, &term.term) {
        bail!(
            "{name} is not called so: `#[doc(alias = \"{}\")]` mends it",
            term.term
        );
    }
    let page = std::fs::read_to_string(root.join(&term.page))
        .with_context(|| format!("cannot read {}", term.page))?;
    let first = first_paragraph(&page).to_lowercase();
    if !first.contains(&term.term.to_lowercase()) {
        bail!("the first paragraph of {} does not say it", term.page);
    }
    Ok(())
}

/// Whether an attribute above a line gives the item this alias.
fn has_alias(text: &str, line: usize, term: &str) -> bool {
    let lines: Vec<&str> = text.lines().take(line).collect();
    let above = lines
        .iter()
        .rev()
        .take_while(|line| !line.trim().is_empty());
    let quoted = format!("\"{term}\"");
    above
        .filter(|line| line.trim_start().starts_with("#[doc(alias"))
        .any(|line| line.contains(&quoted))
}

/// Letters and digits only, in lower case.
fn letters(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// The first lines of a page that are no heading and no picture, on one line.
fn first_paragraph(page: &str) -> String {
    let is_text =
        |block: &&str| !block.trim_start().starts_with(['#', '!']) && !block.trim().is_empty();
    let first = page.split("\n\n").find(is_text).unwrap_or_default();
    let words: Vec<&str> = first.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Term, first_paragraph, has_alias, leads_somewhere, letters};
    use crate::shell::root;
    use crate::sources::Sources;

    #[test]
    fn aliases_are_those_of_the_item_alone() {
        let text = "#[doc(alias = \"other\")]\npub struct A;\n\n/// B.\n#[doc(alias = \"GJK\")]\n#[must_use]\npub fn b() {}\n";
        assert!(has_alias(text, 6, "GJK"));
        assert!(!has_alias(text, 6, "other") && !has_alias(text, 6, "GJ"));
        assert_eq!(letters("k-DOP tree"), "kdoptree");
    }

    #[test]
    fn the_first_paragraph_ends_at_an_empty_line() {
        let page = "# Title\n\n![Picture](a.png)\n\nOne\ntwo.\n\nThree.\n";
        assert_eq!(first_paragraph(page), "One two.");
    }

    #[test]
    fn a_term_that_leads_nowhere_is_refused() {
        let root = root();
        let sources = Sources::read(&root).unwrap();
        let leads = |term: &str, item: &str, file: &str| {
            let term = Term {
                term: term.to_owned(),
                item: format!("impinge::bound::{item}"),
                file: format!("crates/impinge/src/bound/{file}.rs"),
                page: "docs/algorithms/bounding-volume-hierarchies.md".to_owned(),
            };
            leads_somewhere(&term, &sources, &root)
        };
        leads("AABB", "Aabb", "aabb").unwrap();
        assert!(leads("AABB", "Aab", "aabb").is_err(), "no such item");
        assert!(leads("AABB", "Aabb", "fit").is_err(), "another file");
        assert!(
            leads("AABBs of pears", "Aabb", "aabb").is_err(),
            "another word"
        );
    }
}
