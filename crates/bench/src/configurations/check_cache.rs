//! What a check found about a file, kept beside it, so that a check that was interrupted goes on with the next file.

use std::path::{Path, PathBuf};

use anyhow::Context;
use flate2::Crc;

use super::check::Checked;

/// The answers of one judge about one file.
#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct CachedCheck {
    judge: String,
    /// The version of this program, whose engines may have been the judge.
    version: String,
    /// Every so many-th configuration was checked.
    part: usize,
    /// CRC-32 of the whole file.
    checksum: String,
    checked: Checked,
}

impl CachedCheck {
    /// What is kept about the file as it is now, by the same judge; None if there is nothing, or it is about something else.
    pub(super) fn read(file: &Path, judge: &str, part: usize) -> Option<Checked> {
        let text = std::fs::read_to_string(place(file, judge, part)).ok()?;
        let kept: Self = serde_json::from_str(&text).ok()?;
        let now = Self::new(file, judge, part, kept.checked).ok()?;
        (kept == now).then_some(kept.checked)
    }

    /// Keeps what was found; a judge that left something unanswered is run again next time.
    pub(super) fn write(
        file: &Path,
        judge: &str,
        part: usize,
        checked: Checked,
    ) -> anyhow::Result<()> {
        if checked.unanswered > 0 {
            return Ok(());
        }
        let kept = Self::new(file, judge, part, checked)?;
        let place = place(file, judge, part);
        // Whole or not at all, whenever the power goes.
        let aside = place.with_extension("part");
        std::fs::write(&aside, serde_json::to_string(&kept)? + "\n")
            .and_then(|()| std::fs::rename(&aside, &place))
            .with_context(|| place.display().to_string())
    }

    fn new(file: &Path, judge: &str, part: usize, checked: Checked) -> anyhow::Result<Self> {
        let mut crc = Crc::new();
        crc.update(&std::fs::read(file).with_context(|| file.display().to_string())?);
        Ok(Self {
            judge: judge.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            part,
            checksum: format!("{:08x}", crc.sum()),
            checked,
        })
    }
}

/// `blob.volume.conf` by FCL is `blob.volume.by-fcl.json`. What was found about a part of it has a place of its own: a glance must not cost what took an hour.
fn place(file: &Path, judge: &str, part: usize) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let judge: String = judge.chars().map(plain).collect();
    let part = match part {
        1 => String::new(),
        part => format!("-every-{part}"),
    };
    file.with_extension(format!("by-{judge}{part}.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of a test, in a folder of its own.
    fn file(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("impinge-kept-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join(name);
        std::fs::write(&file, b"configurations").unwrap();
        file
    }

    #[test]
    fn what_was_found_is_kept_for_the_same_file_and_judge_only() {
        let file = file("blob.volume.conf");
        let checked = Checked {
            records: 3,
            asked: 3,
            largest: 0.75,
            is_complete: true,
            ..Checked::default()
        };
        assert_eq!(CachedCheck::read(&file, "rss", 1), None);
        CachedCheck::write(&file, "rss", 1, checked).unwrap();
        assert_eq!(CachedCheck::read(&file, "rss", 1), Some(checked));
        assert_eq!(CachedCheck::read(&file, "rss", 2), None, "another part");
        assert_eq!(CachedCheck::read(&file, "fcl", 1), None, "another judge");
        let half = Checked {
            asked: 2,
            ..checked
        };
        CachedCheck::write(&file, "rss", 2, half).unwrap();
        assert_eq!(CachedCheck::read(&file, "rss", 2), Some(half));
        assert_eq!(
            CachedCheck::read(&file, "rss", 1),
            Some(checked),
            "nothing is lost"
        );
        std::fs::write(&file, b"others").unwrap();
        assert_eq!(CachedCheck::read(&file, "rss", 1), None, "another file");
    }

    #[test]
    fn a_judge_that_was_silent_is_asked_again() {
        let file = file("blob.distance.conf");
        let checked = Checked {
            asked: 3,
            unanswered: 1,
            ..Checked::default()
        };
        CachedCheck::write(&file, "fcl", 1, checked).unwrap();
        assert_eq!(CachedCheck::read(&file, "fcl", 1), None);
    }
}
