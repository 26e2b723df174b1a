//! Licences and sources of all dependencies, checked against `deny.toml`.
//!
//! `cargo deny` reads the same file and knows more, but has to be installed; this needs cargo alone.

use anyhow::{Context, bail};
use serde::Deserialize;

use crate::shell::{capture, cargo, root};

const RULES: &str = "deny.toml";
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[derive(Debug, Deserialize)]
struct Rules {
    licenses: Licenses,
}

#[derive(Debug, Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    /// `None` for a package of the workspace.
    source: Option<String>,
}

/// Fails unless every package of the lock file is ours or from crates.io, under an allowed licence.
pub(crate) fn are_allowed() -> anyhow::Result<()> {
    let rules = std::fs::read_to_string(root().join(RULES))
        .with_context(|| format!("cannot read {RULES}"))?;
    let rules: Rules =
        toml::from_str(&rules).with_context(|| format!("{RULES} is not as it should be"))?;
    let text = capture(&mut cargo(
        "metadata --format-version 1 --locked --all-features",
    ))?;
    let metadata: Metadata =
        serde_json::from_str(&text).context("`cargo metadata` printed something else")?;
    let refused: Vec<String> = metadata
        .packages
        .iter()
        .filter_map(|package| Some((package, refusal(package, &rules.licenses.allow)?)))
        .map(|(package, why)| format!("{} {}: {why}", package.name, package.version))
        .collect();
    if !refused.is_empty() {
        bail!("{}", refused.join("\n  "));
    }
    println!(
        "{} packages, each under {}",
        metadata.packages.len(),
        rules.licenses.allow.join(", ")
    );
    Ok(())
}

/// Why a package may not be used, if it may not.
fn refusal(package: &Package, allowed: &[String]) -> Option<String> {
    if let Some(source) = &package.source
        && source != CRATES_IO
    {
        return Some(format!("it comes from {source}"));
    }
    let Some(license) = &package.license else {
        return Some("it names no licence".to_owned());
    };
    match satisfied(license, allowed) {
        Some(true) => None,
        Some(false) => Some(format!("{license} is not allowed by {RULES}")),
        None => Some(format!("\"{license}\" is not an SPDX expression")),
    }
}

/// Whether an SPDX expression can be satisfied by `allowed` alone; `None` when it cannot be read.
/// A slash stands for `OR`, as old manifests write it.
fn satisfied(expression: &str, allowed: &[String]) -> Option<bool> {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    let value = any_of(&mut words, allowed)?;
    words.next().is_none().then_some(value)
}

type Words<'t> = std::iter::Peekable<std::str::SplitWhitespace<'t>>;

fn any_of(words: &mut Words<'_>, allowed: &[String]) -> Option<bool> {
    let mut value = all_of(words, allowed)?;
    while words.next_if_eq(&"OR").is_some() {
        value |= all_of(words, allowed)?;
    }
    Some(value)
}

fn all_of(words: &mut Words<'_>, allowed: &[String]) -> Option<bool> {
    let mut value = one_of(words, allowed)?;
    while words.next_if_eq(&"AND").is_some() {
        value &= one_of(words, allowed)?;
    }
    Some(value)
}

fn one_of(words: &mut Words<'_>, allowed: &[String]) -> Option<bool> {
    let first = words.next()?;
    if first == "(" {
        let value = any_of(words, allowed)?;
        return (words.next() == Some(")")).then_some(value);
    }
    if [")", "OR", "AND", "WITH"].contains(&first) {
        return None;
    }
    let mut name = first.to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        name = format!("{name} WITH {}", words.next()?);
    }
    Some(allowed.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::{CRATES_IO, Package, refusal, satisfied};

    fn allowed() -> Vec<String> {
        ["MIT", "Apache-2.0", "Unicode-3.0"]
            .map(str::to_owned)
            .into()
    }

    #[test]
    fn expressions_are_satisfied_by_the_allowed_licences_alone() {
        let is = |text: &str| satisfied(text, &allowed());
        assert_eq!(is("MIT"), Some(true));
        assert_eq!(is("GPL-3.0-only OR Apache-2.0"), Some(true));
        assert_eq!(is("MIT AND GPL-3.0-only"), Some(false));
        assert_eq!(is("(MIT OR GPL-3.0-only) AND Unicode-3.0"), Some(true));
        assert_eq!(is("Apache-2.0 WITH LLVM-exception"), Some(false));
        assert_eq!(is("GPL-2.0-only/MIT"), Some(true));
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for text in ["", "MIT OR", "(MIT", "MIT)", "MIT Apache-2.0", "AND"] {
            assert_eq!(satisfied(text, &allowed()), None, "{text}");
        }
    }

    #[test]
    fn packages_from_elsewhere_or_without_a_licence_are_refused() {
        let package = |license: Option<&str>, source: Option<&str>| Package {
            name: "p".to_owned(),
            version: "1.0.0".to_owned(),
            license: license.map(str::to_owned),
            source: source.map(str::to_owned),
        };
        let why = |package| refusal(&package, &allowed());
        assert_eq!(why(package(Some("MIT"), Some(CRATES_IO))), None);
        assert_eq!(why(package(Some("MIT"), None)), None);
        assert!(why(package(None, None)).is_some());
        assert!(why(package(Some("MIT"), Some("git+https://example.org/p"))).is_some());
    }
}
