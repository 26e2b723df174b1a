//! Pinned text: small, reviewed, one fact each.

use std::path::PathBuf;

/// Where the golden files are.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/golden")
}

/// Compares `actual` with `corpus/golden/<name>.txt`, or writes it when the environment has
/// `UPDATE_GOLDEN=1`.
///
/// # Errors
/// A sentence with both texts when they differ, or why the file could not be read.
pub fn check(name: &str, actual: &str) -> Result<(), String> {
    let path = folder().join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|v| v == "1") {
        return std::fs::create_dir_all(folder())
            .and_then(|()| std::fs::write(&path, actual))
            .map_err(|e| format!("{}: {e}", path.display()));
    }
    let expected = std::fs::read_to_string(&path).map_err(|e| {
        format!(
            "{}: {e}; run the test with UPDATE_GOLDEN=1 to write it",
            path.display()
        )
    })?;
    // A checkout may have turned line ends.
    if expected.replace("\r\n", "\n") == actual {
        Ok(())
    } else {
        Err(format!(
            "{name} changed\n--- pinned\n{expected}\n--- now\n{actual}\nIf the change is meant, run the test with UPDATE_GOLDEN=1 and review the difference."
        ))
    }
}
