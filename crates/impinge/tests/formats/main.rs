//! Mesh files are read as they are meant, written so that they read back, and refused with a place.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

mod animation;
#[cfg(feature = "clouds")]
mod clouds;
mod drawing;
mod fuzz;
mod plain;
mod scenes;
mod shared_models;

use std::path::PathBuf;

use impinge::io::{Format, Model, ReadError, ReadOptions, read_bytes};

fn read(bytes: impl AsRef<[u8]>, format: Format) -> Result<Model, ReadError> {
    read_bytes(bytes.as_ref(), format, &ReadOptions::default())
}

fn refusal(bytes: impl AsRef<[u8]>, format: Format) -> String {
    read(bytes, format).unwrap_err().to_string()
}

/// A folder of its own for a test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("impinge-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn with(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
