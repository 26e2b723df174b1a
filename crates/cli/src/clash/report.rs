//! What a run found, before it is written in one way or another.

use std::collections::BTreeMap;
use std::sync::Arc;

use impinge::TriMesh;
use impinge::clash::{
    Clash, ClashKind, ClashStatus, Part, compare, content_hash, group_by_part, group_by_place,
};

use super::args::GroupBy;
use super::assembly::{AssemblyParts, Skipped};
use super::record::ClashRecord;
use crate::number;

/// Clashes, the worst first, and what became of those of an earlier run.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) gathered: AssemblyParts,
    pub(super) clashes: Vec<Clash>,
    /// One for each clash.
    pub(super) records: Vec<ClashRecord>,
    /// With a baseline.
    pub(super) before: Option<ResolvedClashes>,
    /// With `--group`: in the order of [`ClashRecord::group`].
    pub(super) groups: Vec<Group>,
    pub(super) pairs: usize,
    pub(super) is_complete: bool,
}

/// Clashes that belong together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The part that all share, or the place of the first.
    pub(super) name: String,
    /// Places in the list of clashes.
    pub(super) members: Vec<usize>,
}

/// What became of the clashes of an earlier run.
#[derive(Debug, Default)]
pub(super) struct ResolvedClashes {
    /// How many clashes were found that were not there, also when only these are kept.
    pub(super) new: usize,
    /// How many were found that were there.
    pub(super) persisting: usize,
    /// How many of these have a part that changed or moved.
    pub(super) changed: usize,
    pub(super) resolved: Vec<ClashRecord>,
    pub(super) unchecked: Vec<ClashRecord>,
}

impl Report {
    /// The report of ranked clashes.
    pub(super) fn new(
        gathered: AssemblyParts,
        clashes: Vec<Clash>,
        pairs: usize,
        is_complete: bool,
    ) -> Self {
        // Only parts that clash are hashed, and each once.
        let mut contents: BTreeMap<u32, u128> = BTreeMap::new();
        let parts = gathered.parts();
        let mut content = |part: u32| {
            *contents.entry(part).or_insert_with(|| {
                let Part {
                    mesh,
                    world_from_part,
                    ..
                } = &parts[part as usize];
                content_hash(mesh, world_from_part)
            })
        };
        let records = clashes
            .iter()
            .map(|clash| {
                let both = [clash.a, clash.b];
                let named = both.map(|part| &parts[part as usize]);
                ClashRecord::new(clash, named, both.map(&mut content))
            })
            .collect();
        Self {
            gathered,
            clashes,
            records,
            before: None,
            groups: Vec::new(),
            pairs,
            is_complete,
        }
    }

    /// Marks each clash as new or persisting, and keeps what is resolved.
    pub(super) fn compare_with(&mut self, baseline: Vec<ClashRecord>) {
        let known =
            |records: &[ClashRecord]| records.iter().map(ClashRecord::known).collect::<Vec<_>>();
        let found = compare(&known(&self.records), &known(&baseline));
        for (record, status) in self.records.iter_mut().zip(&found.now) {
            let (word, changed) = match status {
                ClashStatus::New => ("new", None),
                ClashStatus::Persisting { is_changed, .. } => ("persisting", Some(*is_changed)),
            };
            record.status = Some(word.to_owned());
            record.changed = changed;
        }
        let mut before = ResolvedClashes {
            new: self.with_status("new"),
            persisting: self.with_status("persisting"),
            changed: (self.records.iter())
                .filter(|r| r.changed == Some(true))
                .count(),
            ..ResolvedClashes::default()
        };
        for i in found.resolved {
            let mut record = baseline[i].clone();
            record.changed = None;
            let is_unchecked = [&record.a, &record.b]
                .iter()
                .any(|part| is_skipped(&part.name, &self.gathered.skipped));
            if is_unchecked {
                record.status = Some("unchecked".to_owned());
                before.unchecked.push(record);
            } else {
                record.status = Some("resolved".to_owned());
                before.resolved.push(record);
            }
        }
        self.before = Some(before);
    }

    /// Keeps only what is new.
    pub(super) fn keep_new(&mut self) {
        let is_new: Vec<bool> = self
            .records
            .iter()
            .map(|record| record.status.as_deref() == Some("new"))
            .collect();
        let mut keep = is_new.iter();
        self.clashes
            .retain(|_| keep.next().copied().unwrap_or(false));
        let mut keep = is_new.iter();
        self.records
            .retain(|_| keep.next().copied().unwrap_or(false));
    }

    /// Puts clashes together, by part or by place.
    pub(super) fn group(&mut self, by: GroupBy, distance: f64) {
        let groups = match by {
            GroupBy::Part => group_by_part(&self.clashes),
            GroupBy::Place => group_by_place(&self.clashes, distance),
        };
        self.groups = groups
            .into_iter()
            .map(|group| {
                let name = match group.part {
                    Some(part) => self.gathered.parts()[part as usize].name.clone(),
                    None => {
                        let first = self.clashes[group.members[0]].middle();
                        format!("near {}", number::point(first))
                    }
                };
                Group {
                    name,
                    members: group.members,
                }
            })
            .collect();
        for (number, group) in (1..).zip(&self.groups) {
            for &member in &group.members {
                self.records[member].group = Some(number);
            }
        }
    }

    /// How many touching clashes only the rounding of files makes or parts.
    pub(super) fn within_precision(&self) -> usize {
        (self.clashes.iter())
            .filter(|c| c.is_within_precision)
            .count()
    }

    /// How many clashes of each kind there are; kinds without any are left out.
    pub(super) fn counts(&self) -> Vec<(ClashKind, usize)> {
        ClashKind::ALL
            .into_iter()
            .map(|kind| (kind, self.clashes.iter().filter(|c| c.kind == kind).count()))
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    /// How many clashes have this status.
    pub(super) fn with_status(&self, status: &str) -> usize {
        let has = |record: &&ClashRecord| record.status.as_deref() == Some(status);
        self.records.iter().filter(has).count()
    }

    pub(super) fn parts_of(&self, clash: &Clash) -> [&Part; 2] {
        [clash.a, clash.b].map(|part| &self.gathered.parts()[part as usize])
    }

    /// A part's mesh in world coordinates; empty when it does not fit into them.
    pub(super) fn placed(part: &Part) -> Arc<TriMesh> {
        if part.world_from_part == impinge::Pose::IDENTITY {
            return Arc::clone(&part.mesh);
        }
        Arc::new(part.mesh.placed(&part.world_from_part).unwrap_or_default())
    }
}

fn is_skipped(name: &str, skipped: &[Skipped]) -> bool {
    skipped.iter().any(|skipped| {
        name.strip_prefix(&skipped.name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '#']))
    })
}
