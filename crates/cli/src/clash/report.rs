//! What a run found, before it is written in one way or another.

use std::collections::BTreeMap;
use std::sync::Arc;

use impinge::TriMesh;
use impinge::clash::{Clash, ClashKind, ClashStatus, Part, compare, content_hash};

use super::assembly::{AssemblyParts, Skipped};
use super::record::ClashRecord;

/// Clashes, the gravest first, and what became of those of an earlier run.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) gathered: AssemblyParts,
    pub(super) clashes: Vec<Clash>,
    /// One for each clash.
    pub(super) records: Vec<ClashRecord>,
    /// With a baseline.
    pub(super) before: Option<ResolvedClashes>,
    pub(super) pairs: usize,
    pub(super) is_complete: bool,
}

/// Clashes of an earlier run that are no more.
#[derive(Debug, Default)]
pub(super) struct ResolvedClashes {
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
        let parts = &gathered.parts;
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
        let mut before = ResolvedClashes::default();
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
        [clash.a, clash.b].map(|part| &self.gathered.parts[part as usize])
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
