//! What a run has done so far, on disk, so that another can go on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use super::subprocess::{PartEnd, PartRun};

pub(super) const FILE: &str = "suite.state.json";
const WHOLE: &str = "whole";
const UNFINISHED: &str = "unfinished: ";

/// One part that has ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct EndedPart {
    pub(super) ended: String,
    pub(super) seconds: f64,
    pub(super) met: usize,
    pub(super) missed: usize,
    #[serde(default)]
    pub(super) open: usize,
    pub(super) absent: Vec<String>,
    pub(super) command: String,
}

impl EndedPart {
    pub(super) fn is_whole(&self) -> bool {
        self.ended == WHOLE
    }

    /// Whether its end, if it is none, is our own fault.
    pub(super) fn is_ours(&self) -> bool {
        !self.is_whole() && !self.ended.starts_with(UNFINISHED)
    }
}

impl From<&PartRun> for EndedPart {
    fn from(run: &PartRun) -> Self {
        Self {
            ended: match &run.ended {
                PartEnd::Whole => WHOLE.to_owned(),
                PartEnd::Unknown => "not in this program".to_owned(),
                PartEnd::Unfinished(reason) => format!("{UNFINISHED}{reason}"),
                PartEnd::Broken(reason) => reason.clone(),
                PartEnd::Stopped => "stopped: its time was up".to_owned(),
            },
            seconds: run.seconds,
            met: run.met,
            missed: run.missed,
            open: run.open,
            absent: run.absent.clone(),
            command: run.command.clone(),
        }
    }
}

/// All parts that have ended.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct ResumeState {
    preset: String,
    parts: BTreeMap<String, EndedPart>,
    #[serde(skip)]
    file: PathBuf,
    /// Why an earlier state could not be gone on with.
    #[serde(skip)]
    pub(super) refused: Option<String>,
}

impl ResumeState {
    /// The state of the last run in a folder, or a fresh one where there is none or it is damaged.
    ///
    /// # Errors
    /// The state of a run with another preset; a folder that cannot be written to.
    pub(super) fn begin(folder: &Path, preset: &str, resumes: bool) -> anyhow::Result<Self> {
        let file = folder.join(FILE);
        let mut state = Self {
            preset: preset.to_owned(),
            ..Self::default()
        };
        if resumes && file.is_file() {
            match Self::read(&file) {
                Ok(found) if found.preset == preset => state = found,
                Ok(found) => bail!(
                    "{} is of a run with --preset {}",
                    file.display(),
                    found.preset
                ),
                Err(error) => {
                    eprintln!("{} is damaged, and begun anew: {error:#}", file.display());
                    state.refused = Some(format!("damaged, and begun anew: {error:#}"));
                }
            }
        }
        state.file = file;
        state.save()?;
        Ok(state)
    }

    fn read(file: &Path) -> anyhow::Result<Self> {
        Ok(serde_json::from_slice(&std::fs::read(file)?)?)
    }

    pub(super) fn get(&self, name: &str) -> Option<&EndedPart> {
        self.parts.get(name)
    }

    /// A part that need not run again.
    pub(super) fn finished(&self, name: &str) -> Option<&EndedPart> {
        self.get(name).filter(|kept| kept.is_whole())
    }

    /// Keeps a part, on disk at once.
    pub(super) fn push(&mut self, name: &str, kept: EndedPart) -> anyhow::Result<()> {
        self.parts.insert(name.to_owned(), kept);
        self.save()
    }

    fn save(&self) -> anyhow::Result<()> {
        let aside = self.file.with_extension("json.part");
        std::fs::write(&aside, serde_json::to_string_pretty(self)? + "\n")
            .with_context(|| format!("cannot write {}", aside.display()))?;
        std::fs::rename(&aside, &self.file)
            .with_context(|| format!("cannot write {}", self.file.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::subprocess::{PartEnd, PartRun};
    use super::{EndedPart, ResumeState};

    #[test]
    fn a_resumed_run_leaves_out_what_was_whole_and_repeats_the_rest() {
        let folder = std::env::temp_dir().join(format!("impinge-suite-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let kept = |ended: &str| EndedPart {
            ended: ended.to_owned(),
            seconds: 3.0,
            ..EndedPart::default()
        };
        let mut state = ResumeState::begin(&folder, "quick", false).unwrap();
        state.push("rigid", kept("whole")).unwrap();
        state
            .push("volume", kept("stopped: its time was up"))
            .unwrap();
        let unfinished = PartRun {
            ended: PartEnd::Unfinished("2 targets left out".to_owned()),
            seconds: 1.0,
            met: 1,
            missed: 0,
            open: 1,
            absent: Vec::new(),
            command: String::new(),
        };
        state
            .push("performance", EndedPart::from(&unfinished))
            .unwrap();
        let unknown = PartRun {
            ended: PartEnd::Unknown,
            ..unfinished
        };
        state.push("model", EndedPart::from(&unknown)).unwrap();
        let state = ResumeState::begin(&folder, "quick", true).unwrap();
        assert!(state.finished("rigid").is_some() && state.finished("volume").is_none());
        // What was left out is measured by the next run, and is nobody's fault; a part that is not there is ours.
        assert!(state.finished("performance").is_none());
        assert!(state.get("performance").is_some_and(|kept| !kept.is_ours()));
        assert!(state.get("model").is_some_and(EndedPart::is_ours));
        assert!(state.get("volume").is_some_and(EndedPart::is_ours));
        assert!(ResumeState::begin(&folder, "full", true).is_err());
        let fresh = ResumeState::begin(&folder, "full", false).unwrap();
        assert!(fresh.get("rigid").is_none());
        std::fs::write(folder.join("suite.state.json"), "{").unwrap();
        let anew = ResumeState::begin(&folder, "full", true).unwrap();
        assert!(anew.refused.is_some() && anew.get("rigid").is_none());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
