//! What was measured, as tables for programs, and the bars.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context;
use serde::Serialize;

use crate::Bar;
use crate::rigid::{date, processor};

/// One number about one engine on one scene.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    pub(super) part: &'static str,
    pub(super) scene: String,
    pub(super) engine: String,
    pub(super) what: &'static str,
    pub(super) value: f64,
}

#[derive(Clone, Debug, Serialize)]
struct Verdict {
    what: String,
    met: bool,
}

/// Everything that was measured.
#[derive(Debug, Default)]
pub(super) struct Journal {
    rows: Vec<Row>,
    bars: Vec<Verdict>,
    /// Nothing was measured for a bar.
    is_open: bool,
}

impl Journal {
    pub(super) fn push(
        &mut self,
        part: &'static str,
        scene: &str,
        engine: &str,
        what: &'static str,
        value: f64,
    ) {
        self.rows.push(Row {
            part,
            scene: scene.to_owned(),
            engine: engine.to_owned(),
            what,
            value,
        });
    }

    /// Prints a bar that nothing was measured for.
    pub(super) fn open(&mut self, what: &str) {
        println!("bar: {what}: {}", Bar::Open.word());
        self.is_open = true;
    }

    /// Prints a bar and keeps it.
    pub(super) fn bar(&mut self, what: impl Into<String>, met: bool) {
        let what = what.into();
        println!("bar: {what}: {}", if met { "met" } else { "missed" });
        self.bars.push(Verdict { what, met });
    }

    pub(super) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
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
            "date": date(), "processor": processor(), "rows": self.rows, "bars": self.bars,
        });
        std::fs::write(
            folder.join("deform.json"),
            serde_json::to_vec_pretty(&json)?,
        )?;
        Ok(())
    }

    pub(super) fn conclude(&self) -> Bar {
        let measured = Bar::every(self.bars.iter().map(|bar| bar.met));
        if self.is_open {
            measured.and(Bar::Open)
        } else {
            measured
        }
    }
}
