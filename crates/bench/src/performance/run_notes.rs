//! What a run finds besides its records: failures, notes, and what was checked.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::configurations::{Checked, Kind, ModelPair, checked_row, checked_table};
use crate::result_sheet::{Failure, ResultSheet};

/// What a run finds besides its records.
#[derive(Debug, Default)]
pub(super) struct RunNotes {
    pub(super) failures: Vec<Failure>,
    pub(super) notes: Vec<String>,
    /// Targets for which there was no time.
    pub(super) left_out: usize,
    /// Files of configurations that were given and cannot be used.
    pub(super) files_left_out: BTreeSet<PathBuf>,
    /// Files of configurations, as other engines see them.
    pub(super) checked: Vec<(ModelPair, Kind, Checked)>,
}

impl RunNotes {
    /// Each failure once.
    pub(super) fn add_to(self, sheet: &mut ResultSheet) {
        sheet.notes.extend(self.notes);
        for failure in self.failures {
            if !sheet.failures.contains(&failure) {
                println!("failed: {}: {}", failure.subject, failure.reason);
                sheet.failures.push(failure);
            }
        }
        if self.checked.is_empty() {
            return;
        }
        let mut table = checked_table();
        let (mut asked, mut wrong) = (0, 0);
        for (pair, kind, checked) in &self.checked {
            table.rows.push(checked_row(pair, *kind, checked));
            asked += checked.asked;
            wrong += checked.wrong;
        }
        sheet.tables.push(table);
        let claim = "every configuration that was checked meets its target within 0.001 %, by engines that did not make it";
        if asked == 0 {
            sheet.leave_open(claim);
        } else {
            let reached = format!("{asked} checked, {wrong} wrong");
            sheet.claim(claim, &reached, wrong == 0);
        }
    }
}
