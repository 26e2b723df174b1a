//! Documents that are built in by name, or read from a file.

use std::path::Path;

use anyhow::{Context, bail};

use crate::did_you_mean::did_you_mean;

/// A document of the program: its name, what it shows, its text.
pub(crate) type BuiltIn = (&'static str, &'static str, &'static str);

/// Reads the document of this name, or of this file. `kind` is what it is called in errors; `parse`
/// takes the name, the text and the folder that other files are beside.
pub(crate) fn open<T>(
    kind: &str,
    name: &Path,
    known: &[BuiltIn],
    parse: impl Fn(&str, &str, &Path) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let word = name.to_string_lossy();
    if let Some((name, _, text)) = known.iter().find(|(known, ..)| *known == word) {
        return parse(name, text, Path::new("."));
    }
    if !name.exists() && name.extension().is_none() {
        let names = || known.iter().map(|(name, ..)| *name);
        let near = did_you_mean(&word, names());
        let near = near.map_or_else(String::new, |near| format!(" did you mean '{near}'?"));
        let all = names().collect::<Vec<_>>().join(", ");
        bail!("there is no {kind} '{word}';{near} there are {all}, and files");
    }
    let text = std::fs::read_to_string(name)
        .with_context(|| format!("cannot read the {kind} {}", name.display()))?;
    let folder = name.parent().unwrap_or_else(|| Path::new("."));
    parse(&word, &text, folder).with_context(|| format!("{kind} {}", name.display()))
}
