//! The record of each frame, and the table of all frames.

use std::fmt::Write as _;

use impinge::deform::SceneCounters;
use serde::Serialize;

use super::key_list::ListTotals;

/// One frame.
#[derive(Clone, Debug, Serialize)]
pub(super) struct FrameRecord {
    pub(super) frame: usize,
    pub(super) time: f64,
    /// Pairs of faces of one object that meet.
    pub(super) within: usize,
    /// Pairs of faces of two objects that meet.
    pub(super) between: usize,
    pub(super) candidates: u64,
    pub(super) exact_tests: u64,
    pub(super) box_tests: u64,
    pub(super) replication: f64,
    pub(super) milliseconds: f64,
    /// Whether the faces are others than in the frame before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) faces_changed: bool,
    /// Only with `--stages`: what each stage took, in milliseconds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) stages: Vec<Stage>,
    /// Only with `--continuous` or a separation list: contacts on the way to the next frame, and the first of them as a part of the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) on_the_way: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first_contact: Option<f64>,
    /// What finding these took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) step_milliseconds: Option<f64>,
}

/// A stage of the work, and what it took.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Stage {
    pub(super) stage: &'static str,
    pub(super) milliseconds: f64,
}

/// The same stages added up, in the order in which they first came.
pub(super) fn totals<'s>(stages: impl IntoIterator<Item = &'s Stage>) -> Vec<Stage> {
    let mut sums: Vec<Stage> = Vec::new();
    for stage in stages {
        match sums.iter_mut().find(|sum| sum.stage == stage.stage) {
            Some(sum) => sum.milliseconds += stage.milliseconds,
            None => sums.push(stage.clone()),
        }
    }
    sums
}

impl FrameRecord {
    pub(super) fn new(frame: usize, time: f64, counters: &SceneCounters) -> Self {
        Self {
            frame,
            time,
            within: 0,
            between: 0,
            candidates: counters.candidates,
            exact_tests: counters.exact_tests,
            box_tests: counters.box_tests,
            replication: counters.replication(),
            milliseconds: 0.0,
            faces_changed: false,
            stages: Vec::new(),
            on_the_way: None,
            first_contact: None,
            step_milliseconds: None,
        }
    }

    pub(super) fn pairs(&self) -> usize {
        self.within + self.between
    }

    /// Pairs, and contacts on the way to the next frame.
    pub(super) fn contacts(&self) -> usize {
        self.pairs() + self.on_the_way.unwrap_or(0)
    }
}

/// The whole run.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Summary {
    pub(super) sequence: String,
    pub(super) engine: &'static str,
    /// Why the engine works as it does, when it makes a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    pub(super) frames: usize,
    pub(super) refused_frames: usize,
    pub(super) faces: usize,
    pub(super) vertices: usize,
    pub(super) objects: usize,
    pub(super) frames_with_contact: usize,
    pub(super) first_contact_frame: Option<usize>,
    pub(super) worst_frame: Option<usize>,
    pub(super) most_pairs: usize,
    pub(super) most_contacts: usize,
    pub(super) mean_milliseconds: f64,
    pub(super) most_milliseconds: f64,
    /// Only with `--continuous`, for each step between frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mean_step_milliseconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) most_step_milliseconds: Option<f64>,
    /// Only with `--stages`: the total time of each stage over all frames.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) stages: Vec<Stage>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) counters: Vec<(&'static str, u64)>,
    /// Only of a separation list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) list: Option<ListTotals>,
}

/// The table of all frames.
pub(super) fn csv(records: &[FrameRecord]) -> String {
    let is_continuous = records.iter().any(|r| r.on_the_way.is_some());
    let mut text =
        "frame,time,within,between,candidates,exact_tests,box_tests,replication,milliseconds"
            .to_owned();
    text += if is_continuous {
        ",on_the_way,first_contact,step_milliseconds\n"
    } else {
        "\n"
    };
    for r in records {
        // Writing to memory cannot fail.
        let _ = write!(
            text,
            "{},{},{},{},{},{},{},{:.4},{:.4}",
            r.frame,
            r.time,
            r.within,
            r.between,
            r.candidates,
            r.exact_tests,
            r.box_tests,
            r.replication,
            r.milliseconds
        );
        if is_continuous {
            let number = |x: Option<String>| x.unwrap_or_default();
            let _ = write!(
                text,
                ",{},{},{}",
                number(r.on_the_way.map(|n| n.to_string())),
                number(r.first_contact.map(|t| t.to_string())),
                number(r.step_milliseconds.map(|t| format!("{t:.4}")))
            );
        }
        text.push('\n');
    }
    text
}
