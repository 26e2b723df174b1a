//! One pair of models in one scenario: all engines at every target of it.

use std::time::Instant;

use super::Args;
use super::engine_selection::is_for_solids;
use super::overlap_scenario::OverlapScenario;
use super::record::{Record, set_beside};
use super::record_writer::RecordWriter;
use super::run_notes::RunNotes;
use super::runners::Runners;
use super::separated_scenario::SeparatedScenario;
use super::target_poses::{TargetPoses, targets};
use super::time_budget::TimeBudget;
use super::volume_engines::FaceTrees;
use crate::configurations::{Kind, ModelPair};
use crate::engines::Engine;
use crate::result_sheet::Failure;

/// All engines on one pair of models, in one of the two scenarios.
pub(super) trait Scenario {
    /// The records of one target, all questions.
    fn measure(
        &mut self,
        target: &TargetPoses,
        failures: &mut Vec<Failure>,
    ) -> anyhow::Result<Vec<Record>>;
}

/// One pair and one scenario of a run.
pub(super) struct ScenarioRun<'a> {
    pub(super) args: &'a Args,
    pub(super) pair: &'a ModelPair,
    pub(super) kind: Kind,
    pub(super) effort: TimeBudget,
    pub(super) deadline: Option<Instant>,
}

impl ScenarioRun<'_> {
    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }
}

/// How many of these targets have no record at all, or of fewer configurations than they have. Those that were cut short are counted by themselves.
fn missing(
    journal: &RecordWriter,
    place: &ScenarioRun<'_>,
    targets: impl Iterator<Item = (f64, usize)>,
) -> usize {
    let (pair, kind) = (place.pair.name, place.kind);
    let is_missing = |&(level, placed): &(f64, usize)| {
        !journal.has(pair, kind, level)
            || (!journal.is_cut(pair, kind, level)
                && journal.configurations(pair, kind, level) < placed)
    };
    targets.filter(is_missing).count()
}

/// Measures what has no record yet, as long as there is time.
pub(super) fn measure(
    place: &ScenarioRun<'_>,
    engines: &[Engine],
    runners: &mut Option<Runners>,
    journal: &mut RecordWriter,
    findings: &mut RunNotes,
) -> anyhow::Result<()> {
    let (pair, kind, preset) = (place.pair, place.kind, place.args.preset);
    if kind == Kind::Volume && !pair.is_solid {
        return Ok(());
    }
    let mut levels = preset.levels(kind);
    // Whether a target is not yet measured at so many configurations.
    let is_open = |journal: &RecordWriter, level: f64, most: usize| {
        !journal.has(pair.name, kind, level)
            || journal.is_cut(pair.name, kind, level)
            || journal.configurations(pair.name, kind, level) < most
    };
    levels.retain(|level| is_open(journal, *level, place.args.most.unwrap_or(0)));
    if levels.is_empty() {
        return Ok(());
    }
    if place.is_over() {
        // How many configurations they have is not known yet.
        let left_out = missing(journal, place, levels.iter().map(|level| (*level, 0)));
        if left_out > 0 {
            let note = format!("{}, {}: left out, the time was up", pair.name, kind.name());
            eprintln!("{note}");
            findings.notes.push(note);
            findings.left_out += left_out;
        }
        return Ok(());
    }
    let Some(meshes) = pair.load()? else {
        findings.failures.push(Failure {
            subject: pair.name.to_owned(),
            reason: "a model is not there (`cargo xtask models` fetches it)".to_owned(),
            is_ours: false,
        });
        return Ok(());
    };
    let mut targets = targets(place, &meshes, &levels, findings)?;
    // A file may have fewer configurations than were asked for.
    targets.retain(|target| is_open(journal, target.level, target.placed.len()));
    if targets.is_empty() {
        return Ok(());
    }
    eprintln!(
        "{}, {}: {} targets with {} configurations each at most",
        pair.name,
        kind.name(),
        targets.len(),
        targets.iter().map(|t| t.placed.len()).max().unwrap_or(0)
    );
    let trees = FaceTrees::new(&meshes)?;
    // Both scenarios of a pair ask the same runners.
    let runners = match runners {
        Some(runners) if runners.pair == pair.name => runners,
        _ => {
            let engines: Vec<Engine> = engines
                .iter()
                .filter(|engine| pair.is_solid || !is_for_solids(engine))
                .cloned()
                .collect();
            // The earlier ones end before others begin.
            *runners = None;
            let started = Runners::start(pair.name, &meshes, &engines, &mut findings.failures)?;
            runners.insert(started)
        }
    };
    let mut scenario: Box<dyn Scenario + '_> = match kind {
        Kind::Distance => Box::new(SeparatedScenario::new(&meshes, runners, place.effort)),
        Kind::Volume => Box::new(OverlapScenario::start(
            &meshes,
            &trees,
            runners,
            preset.sizes(),
            place.effort,
            &mut findings.failures,
        )?),
    };
    for (number, target) in targets.iter().enumerate() {
        if place.is_over() {
            let rest = targets[number..].iter().map(|t| (t.level, t.placed.len()));
            let left_out = missing(journal, place, rest);
            if left_out > 0 {
                let note = format!(
                    "{}, {}: targets from {} % on were left out, the time was up",
                    pair.name,
                    kind.name(),
                    100.0 * target.level
                );
                eprintln!("{note}");
                findings.notes.push(note);
                findings.left_out += left_out;
            }
            break;
        }
        let mut records = scenario.measure(target, &mut findings.failures)?;
        set_beside(&mut records);
        journal.push(records)?;
    }
    Ok(())
}
