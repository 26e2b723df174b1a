//! Where installed peers and models are looked for, and where what a run makes is put.
//!
//! Whoever works in a checkout means that checkout, whichever one the program was built from. Whoever works elsewhere means the current folder: nothing is
//! written into sources that are not theirs.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context;

/// What a run makes is in this folder of the current one, outside of a checkout.
const ELSEWHERE: &str = "impinge-bench";

/// The root of the workspace around the current folder; elsewhere that of the workspace which this program was built from, to read from.
pub(crate) fn root() -> PathBuf {
    here().unwrap_or_else(|| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .unwrap_or(Path::new("."))
            .to_owned()
    })
}

/// Where what is kept goes: the workspace around the current folder, elsewhere a folder in the current one.
pub(crate) fn home() -> PathBuf {
    here().unwrap_or_else(|| PathBuf::from(ELSEWHERE))
}

/// Where what a run makes goes, honouring `CARGO_TARGET_DIR`: `target` of the workspace around the current folder, elsewhere a folder in the current one.
pub(crate) fn target() -> PathBuf {
    by_variable().unwrap_or_else(|| here().map_or_else(home, |root| root.join("target")))
}

/// Where peers and models were installed, honouring `CARGO_TARGET_DIR`.
pub(crate) fn installed() -> PathBuf {
    by_variable().unwrap_or_else(|| root().join("target"))
}

/// Makes a folder that files can be written to: better known before the work than after it.
///
/// # Errors
/// One that cannot be made or written to, with its name.
pub(crate) fn create(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // Threads of one program may ask about the same folder.
    static PROBES: AtomicUsize = AtomicUsize::new(0);
    let number = PROBES.fetch_add(1, Ordering::Relaxed);
    let probe = folder.join(format!(".{}-{number}.part", std::process::id()));
    std::fs::write(&probe, [])
        .and_then(|()| std::fs::remove_file(&probe))
        .with_context(|| format!("cannot write to {}", folder.display()))
}

/// A path as it is seen from the current folder, if it is below it: what is printed is kept in records, which say nothing of a machine's folders.
pub(crate) fn from_here(path: &Path) -> PathBuf {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    match below {
        Some(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Some(below) => below,
        None => path.to_owned(),
    }
}

fn by_variable() -> Option<PathBuf> {
    std::env::var_os("CARGO_TARGET_DIR").map(|folder| root().join(folder))
}

/// The root of the workspace around the current folder, if there is one.
pub(crate) fn here() -> Option<PathBuf> {
    around(&std::env::current_dir().ok()?)
}

/// The checkout that a folder is in.
fn around(folder: &Path) -> Option<PathBuf> {
    let is_root = |folder: &&Path| {
        ["crates/bench", "crates/impinge"]
            .iter()
            .all(|package| folder.join(package).join("Cargo.toml").is_file())
    };
    folder.ancestors().find(is_root).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_in_the_checkout_around_it_or_in_none() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = sources.ancestors().nth(2).unwrap();
        for folder in [root, sources, &sources.join("src/configurations")] {
            assert_eq!(around(folder).as_deref(), Some(root));
        }
        assert_eq!(around(&std::env::temp_dir()), None);
        assert_eq!(around(Path::new("/")), None);
    }

    #[test]
    fn what_is_below_the_current_folder_is_shown_from_there() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(from_here(&here.join("a/b")), Path::new("a/b"));
        assert_eq!(from_here(&here), Path::new("."));
        for elsewhere in ["a/b", "/a/b"] {
            assert_eq!(from_here(Path::new(elsewhere)), Path::new(elsewhere));
        }
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let file = std::env::temp_dir().join(format!("impinge-no-folder-{}", std::process::id()));
        std::fs::write(&file, "").unwrap();
        let error = create(&file.join("below")).unwrap_err();
        std::fs::remove_file(&file).unwrap();
        assert!(error.to_string().contains("impinge-no-folder"), "{error}");
    }
}
