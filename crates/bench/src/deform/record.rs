//! What was measured, as tables for programs, and the bars.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use crate::folders::create;
use crate::rigid::{date, processor};
use crate::{Bar, Bars};

/// One number about one engine on one scene.
#[derive(Clone, Debug, Serialize)]
pub(super) struct EngineNumber {
    pub(super) part: &'static str,
    pub(super) scene: String,
    pub(super) engine: String,
    pub(super) what: &'static str,
    pub(super) value: f64,
}

#[derive(Clone, Debug, Serialize)]
struct TargetVerdict {
    what: String,
    /// met, open or missed.
    bar: &'static str,
}

/// Everything that was measured.
#[derive(Debug, Default)]
pub(super) struct RecordWriter {
    rows: Vec<EngineNumber>,
    bars: Vec<TargetVerdict>,
    all: Bars,
    /// Scenes are smaller than what the bars are about.
    is_small: bool,
}

impl RecordWriter {
    pub(super) fn new(is_small: bool) -> Self {
        Self {
            is_small,
            ..Self::default()
        }
    }

    pub(super) fn push(
        &mut self,
        part: &'static str,
        scene: &str,
        engine: &str,
        what: &'static str,
        value: f64,
    ) {
        self.rows.push(EngineNumber {
            part,
            scene: scene.to_owned(),
            engine: engine.to_owned(),
            what,
            value,
        });
    }

    /// Prints a bar about answers and keeps it. On small scenes a wrong answer is wrong; right ones leave it open.
    pub(super) fn answers(&mut self, bar: Bar, what: impl Into<String>) {
        let bar = if self.is_small && bar == Bar::Met {
            Bar::Open
        } else {
            bar
        };
        self.keep(bar, what.into());
    }

    /// Prints a bar about amounts and keeps it. On small scenes it stays open.
    pub(super) fn amount(&mut self, bar: Bar, what: impl Into<String>) {
        let bar = if self.is_small { Bar::Open } else { bar };
        self.keep(bar, what.into());
    }

    fn keep(&mut self, bar: Bar, what: String) {
        self.all.say(bar, &what);
        self.bars.push(TargetVerdict {
            what,
            bar: bar.word(),
        });
    }

    pub(super) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        create(folder)?;
        let mut text = "part,scene,engine,what,value\n".to_owned();
        for r in &self.rows {
            // Writing to memory cannot fail.
            let _ = writeln!(
                text,
                "{},{},{},{},{}",
                r.part, r.scene, r.engine, r.what, r.value
            );
        }
        std::fs::write(folder.join("deform.csv"), text)?;
        let json = serde_json::json!({
            "date": date(), "processor": processor(), "is_small": self.is_small, "rows": self.rows, "bars": self.bars,
        });
        std::fs::write(
            folder.join("deform.json"),
            serde_json::to_vec_pretty(&json)?,
        )?;
        Ok(())
    }

    pub(super) fn conclude(&self) -> Bar {
        self.all.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_bars_are_written_too_and_small_scenes_meet_none() {
        let folder = std::env::temp_dir().join(format!("impinge-journal-{}", std::process::id()));
        let mut journal = RecordWriter::new(true);
        journal.answers(Bar::Met, "right");
        journal.amount(Bar::Missed, "slow");
        assert_eq!(journal.conclude(), Bar::Open);
        journal.answers(Bar::Missed, "wrong");
        assert_eq!(journal.conclude(), Bar::Missed);
        journal.write(&folder).unwrap();
        let text = std::fs::read_to_string(folder.join("deform.json")).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let words: Vec<&str> = json["bars"]
            .as_array()
            .unwrap()
            .iter()
            .map(|bar| bar["bar"].as_str().unwrap())
            .collect();
        assert_eq!(words, ["open", "open", "missed"]);
    }
}
