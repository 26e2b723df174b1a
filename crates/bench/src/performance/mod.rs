//! `impinge-bench run performance`: every engine at the same configurations, target by target.
//!
//! **Question.** How long does each engine take when the models are a given distance apart, or share a given volume?
//!
//! **Idea.** The difficulty of a question is fixed, the placement is sampled: see [`configurations`](crate::configurations). Scenario I asks at given
//! distances whether the models intersect and how far apart they are, scenario II at given shared volumes whether they intersect, how much they share and which
//! way is out. The two are never mixed in one ranking. Configurations of a target are asked in a shuffled order, so that an engine whose time is up was asked at a fair sample.
//!
//! **Source.** Weller's and Mainzer's theses.
//!
//! **Limits.** Engines that lay hold of earlier answers gain nothing here: configurations are independent of each other.

mod contestants;
mod gaps;
mod overlaps;
mod record;
mod runners;
mod summary;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use impinge::Pose;
use impinge::math::Rng;

use crate::Bar;
use crate::configurations::{
    Checked, Court, Job, Kind, Meshes, Pair, Preset as Sampled, Reader, Scene, Way, check,
    checked_row, checked_table, chosen, cores, folder_of, make,
};
use crate::engines::{Engine, Found, JUDGE, OURS, find, target};
use crate::manifold::MANIFOLD;
use crate::ours::{DEFAULT, Fill};
use crate::pair::engine_names;
use crate::rigid::{default_folder, earlier_folder};
use crate::sheet::{Failure, Sheet};
use contestants::Trees;
use gaps::Gaps;
use overlaps::Overlaps;
use record::{ENDED, Journal, PARTIAL, Record, set_beside};
use runners::Runners;

/// Every engine at placements of equal difficulty: yes or no, distance, shared volume, force
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(long, value_enum, default_value = "quick")]
    preset: Preset,
    /// Only these pairs of models
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pairs: Vec<String>,
    /// Engines, as for `pair`; absent ones are named and left out
    #[arg(long, value_delimiter = ',', default_value = "all,ours")]
    engines: Vec<String>,
    /// What the run may take; targets that no longer fit are left to --resume [default: 3.5 for quick, else no end]
    #[arg(long)]
    minutes: Option<f64>,
    /// Configurations per target [default: 24 for quick, 200 for everyday, all for full]
    #[arg(long)]
    most: Option<usize>,
    /// Go on with a run that was interrupted or whose time was up, on whatever day: with full in the newest folder of this machine that has one
    #[arg(long)]
    resume: bool,
    /// Folder for performance.csv and performance.sheet.json [default: target/records, with full records/DATE-MACHINE]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// Folder of the configurations [default: target/configurations/everyday, with quick its own]
    #[arg(long, value_name = "FOLDER")]
    configurations: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Preset {
    /// Eight pairs, few targets, few configurations: minutes
    Quick,
    /// All pairs and targets, 200 configurations each
    Everyday,
    /// All configurations of the everyday files: days, in as many pieces as you like
    Full,
}

impl Preset {
    fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Everyday => "everyday",
            Self::Full => "full",
        }
    }

    /// The targets that are measured, as parts of the unit.
    fn levels(self, kind: Kind) -> Vec<f64> {
        match (self, kind) {
            (Self::Quick, Kind::Distance) => vec![0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3],
            (Self::Quick, Kind::Volume) => vec![0.01, 0.02, 0.05, 0.1],
            _ => kind.levels(),
        }
    }

    /// Every so many-th configuration of a file is checked before it is measured at.
    fn checked_part(self, kind: Kind) -> usize {
        match (self, kind) {
            (Self::Quick, Kind::Distance) => 1,
            (Self::Quick, Kind::Volume) => 4,
            (_, Kind::Distance) => 10,
            (_, Kind::Volume) => 100,
        }
    }

    fn sizes(self) -> Sizes {
        let (balls, voxels): (&[usize], &[u32]) = match self {
            Self::Quick => (&[1_000], &[50]),
            Self::Everyday => (&[1_000, 10_000], &[50, 100]),
            Self::Full => (&[1_000, 10_000, 100_000], &[50, 100, 200]),
        };
        Sizes { balls, voxels }
    }
}

/// How finely engines that approximate solids do so.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    /// Balls of a packing.
    balls: &'static [usize],
    /// Voxels and points along the longest side.
    voxels: &'static [u32],
}

/// How the quick preset thins out the everyday sampling: shares no factor with the number of directions, so that all of them occur.
const QUICK_STRIDE: usize = 257;
/// Engines that may use up their time at a target.
const SLOW_ENGINES: f64 = 6.0;
/// Passes over the targets of a run whose time is short.
const MOST_PASSES: usize = 4;
/// More balls take longer to pack than a runner is waited for.
const MOST_BALLS_OF_RUNNERS: usize = 10_000;
/// What one engine may use on one question of a target when no time is short; it is then asked no more there.
const ENGINE_TIME: Duration = Duration::from_secs(120);
/// Of the time of a run, what one engine may use on one question of a target at most.
const ENGINE_PART: u32 = 8;

/// How long may be measured.
#[derive(Clone, Copy, Debug)]
struct Effort {
    /// Whether targets share the time, and are cut short when theirs is up.
    is_short: bool,
    per_target: Duration,
    /// By one engine on one question of a target.
    per_engine: Duration,
    /// For how long a query is repeated before its time counts.
    warm_up_ns: f64,
    /// When nobody is asked any more.
    deadline: Option<Instant>,
}

impl Effort {
    /// The effort of a further pass over so many targets, in the time that is left; none when nothing is unfinished, or not even one of them could have
    /// twice the time it had.
    fn again(self, left: Duration, unfinished: usize) -> Option<Self> {
        if !self.is_short || unfinished == 0 {
            return None;
        }
        let twice = self.per_target.saturating_mul(2);
        let per_target = twice.max(left.div_f64(unfinished as f64));
        (per_target <= left && !per_target.is_zero()).then(|| Self {
            per_target,
            per_engine: per_target.div_f64(SLOW_ENGINES),
            ..self
        })
    }
}

/// A placement and the figure that is held fixed, in the models' own units.
#[derive(Clone, Copy, Debug)]
struct Placed {
    pose: Pose,
    value: f64,
}

/// The configurations of one target of one pair.
#[derive(Clone, Debug)]
struct Target {
    preset: &'static str,
    pair: &'static str,
    class: &'static str,
    faces: [usize; 2],
    kind: Kind,
    level: f64,
    /// A's diagonal or volume.
    unit: f64,
    placed: Vec<Placed>,
}

impl Target {
    /// A record that says only where it belongs.
    fn record(&self) -> Record {
        Record {
            preset: self.preset.to_owned(),
            pair: self.pair.to_owned(),
            class: self.class.to_owned(),
            faces: self.faces,
            kind: self.kind.name().to_owned(),
            level: self.level,
            ..Record::default()
        }
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let start = Instant::now();
    let preset = args.preset;
    let mut findings = Findings::default();
    // Solids have a peer of their own.
    let mut names = args.engines.clone();
    names.push(MANIFOLD.to_owned());
    let engines = engines(&names, preset.sizes(), &mut findings.failures)?;
    let mut runners = None;
    let mut pairs = chosen(&args.pairs)?;
    if preset == Preset::Quick && args.pairs.is_empty() {
        pairs.retain(|pair| pair.is_quick);
    }
    let folder = match &args.records {
        Some(folder) => folder.clone(),
        None if preset == Preset::Full => earlier_folder(&[PARTIAL, ENDED])
            .filter(|_| args.resume)
            .unwrap_or_else(default_folder),
        None => target().join("records"),
    };
    let minutes = args.minutes.or((preset == Preset::Quick).then_some(3.5));
    let total = minutes
        .map(|minutes| Duration::try_from_secs_f64(60.0 * minutes))
        .transpose()
        .context("--minutes must be a time")?;
    let deadline = total.map(|total| start + total);
    let is_short = total.is_some() && preset != Preset::Full && !args.resume;
    let effort = effort(preset, total, is_short, pairs.len());
    let mut journal = Journal::begin(&folder, preset.name(), args.resume)?;
    let mut effort = effort;
    for pass in 0..MOST_PASSES {
        let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
        if pass > 0 {
            // What is left goes to targets that were left out or cut short, each with at least twice the time it had.
            let unfinished = findings.left_out + journal.cut();
            let Some(again) = left.and_then(|left| effort.again(left, unfinished)) else {
                break;
            };
            eprintln!("{unfinished} targets were left out or cut short: once more, with more time");
            effort = again;
            findings.left_out = 0;
            findings.notes.clear();
        }
        let places: Vec<(&Pair, Kind)> = pairs
            .iter()
            .flat_map(|pair| Kind::ALL.map(|kind| (pair, kind)))
            .collect();
        for (number, &(pair, kind)) in places.iter().enumerate() {
            let place = Place {
                args,
                pair,
                kind,
                effort: Effort { deadline, ..effort },
                // What is left is shared among the parts that are left; a run that another goes on with takes one after the other.
                deadline: deadline.map(|end| {
                    if !is_short || pass > 0 {
                        return end;
                    }
                    let left = end.saturating_duration_since(Instant::now());
                    Instant::now() + left / (places.len() - number) as u32
                }),
            };
            measure(&place, &engines, &mut runners, &mut journal, &mut findings)
                .with_context(|| format!("{}, {}", pair.name, kind.name()))
                .unwrap_or_else(|error| {
                    eprintln!("{error:#}");
                    findings.failures.push(Failure {
                        subject: format!("{}, {}", pair.name, kind.name()),
                        reason: format!("{error:#}"),
                        is_ours: true,
                    });
                });
        }
    }
    let left_out = findings.left_out;
    let cut = journal.cut();
    let (csv, records) = journal.end(left_out == 0 && cut == 0)?;
    let mut sheet = summary::sheet(&records, preset.name());
    findings.add_to(&mut sheet);
    summary::claims(&mut sheet, &records);
    let claim = "no target is left out or cut short for want of time";
    if left_out == 0 && cut == 0 {
        sheet.claim(claim, &format!("{} records", records.len()), true);
    } else {
        sheet.leave_open(&format!(
            "{claim} ({left_out} left out, {cut} cut short; --resume goes on)"
        ));
        eprintln!("unfinished: {left_out} targets left out, {cut} cut short; --resume goes on");
    }
    println!("{:.0} s in all.", start.elapsed().as_secs_f64());
    println!(
        "wrote {} and {}",
        csv.display(),
        sheet.write(&folder)?.display()
    );
    Ok(sheet.bar())
}

/// What a run finds besides its records.
#[derive(Debug, Default)]
struct Findings {
    failures: Vec<Failure>,
    notes: Vec<String>,
    /// Targets for which there was no time.
    left_out: usize,
    /// Files of configurations, as other engines see them.
    checked: Vec<(Pair, Kind, Checked)>,
}

impl Findings {
    /// Each failure once.
    fn add_to(self, sheet: &mut Sheet) {
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

fn effort(preset: Preset, total: Option<Duration>, is_short: bool, pairs: usize) -> Effort {
    let targets = preset.levels(Kind::Distance).len() + preset.levels(Kind::Volume).len();
    let share = |total: Duration| total.div_f64((pairs * targets).max(1) as f64);
    let per_target = total.filter(|_| is_short).map_or(Duration::MAX, share);
    Effort {
        is_short,
        per_target,
        per_engine: if is_short {
            per_target.div_f64(SLOW_ENGINES)
        } else {
            total.map_or(ENGINE_TIME, |total| ENGINE_TIME.min(total / ENGINE_PART))
        },
        warm_up_ns: if preset == Preset::Quick { 1e5 } else { 3e5 },
        deadline: None,
    }
}

/// The engines that are there; those that are not are told as failures, none of them ours.
fn engines(
    names: &[String],
    sizes: Sizes,
    failures: &mut Vec<Failure>,
) -> anyhow::Result<Vec<Engine>> {
    let mut engines: Vec<Engine> = Vec::new();
    let is_all_ours = names.iter().any(|name| name == "ours");
    let mut names = engine_names(names);
    if is_all_ours {
        let balls = sizes.balls.iter().filter(|n| **n <= MOST_BALLS_OF_RUNNERS);
        names.extend(balls.map(|count| format!("balls-{count}")));
        let voxels = sizes.voxels.iter();
        names.extend(voxels.map(|along| format!("voxmap-{along}")));
    }
    let has_default = names.iter().any(|name| name == OURS);
    for name in &names {
        // The judge is no competitor, and the default engine has a name of its own.
        if name == JUDGE || (name == DEFAULT && has_default) {
            continue;
        }
        match find(name)? {
            Found::Present(engine) if engines.contains(&engine) => {}
            Found::Present(engine) => engines.push(engine),
            Found::Absent => {
                eprintln!("absent: {name} (`cargo xtask peers` installs and builds it)");
                failures.push(Failure {
                    subject: name.clone(),
                    reason: "its runner is not there (`cargo xtask peers` installs and builds it)"
                        .to_owned(),
                    is_ours: false,
                });
            }
        }
    }
    Ok(engines)
}

/// All engines on one pair of models, in one of the two scenarios.
trait Scenario {
    /// The records of one target, all questions.
    fn measure(
        &mut self,
        target: &Target,
        failures: &mut Vec<Failure>,
    ) -> anyhow::Result<Vec<Record>>;
}

/// One pair and one scenario of a run.
struct Place<'a> {
    args: &'a Args,
    pair: &'a Pair,
    kind: Kind,
    effort: Effort,
    deadline: Option<Instant>,
}

impl Place<'_> {
    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }
}

/// How many of these targets have no record at all.
fn missing(journal: &Journal, place: &Place<'_>, levels: &[f64]) -> usize {
    let is_missing = |level: &&f64| !journal.has(place.pair.name, place.kind, **level);
    levels.iter().filter(is_missing).count()
}

fn measure(
    place: &Place<'_>,
    engines: &[Engine],
    runners: &mut Option<Runners>,
    journal: &mut Journal,
    findings: &mut Findings,
) -> anyhow::Result<()> {
    let (pair, kind, preset) = (place.pair, place.kind, place.args.preset);
    if kind == Kind::Volume && !pair.is_solid {
        return Ok(());
    }
    let mut levels = preset.levels(kind);
    levels.retain(|level| {
        !journal.has(pair.name, kind, *level) || journal.is_cut(pair.name, kind, *level)
    });
    if levels.is_empty() {
        return Ok(());
    }
    if place.is_over() {
        let left_out = missing(journal, place, &levels);
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
    let targets = targets(place, &meshes, &levels, findings)?;
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
    let trees = Trees::new(&meshes)?;
    // Both scenarios of a pair ask the same runners.
    let runners = match runners {
        Some(runners) if runners.pair == pair.name => runners,
        _ => {
            // What is open cannot be filled, and shares no volume.
            let is_for_solids = |engine: &Engine| {
                engine.name == MANIFOLD || Fill::from_name(&engine.name).is_some()
            };
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
        Kind::Distance => Box::new(Gaps::new(&meshes, runners, place.effort)),
        Kind::Volume => Box::new(Overlaps::start(
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
            let levels: Vec<f64> = targets[number..].iter().map(|t| t.level).collect();
            let left_out = missing(journal, place, &levels);
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

/// The configurations of a pair, from its file; the file is made when it is not there, or damaged.
fn targets(
    place: &Place<'_>,
    meshes: &Meshes,
    levels: &[f64],
    findings: &mut Findings,
) -> anyhow::Result<Vec<Target>> {
    let (pair, kind, preset) = (place.pair, place.kind, place.args.preset);
    let scene = Scene::new(meshes.clone(), kind)?;
    let folder = match &place.args.configurations {
        Some(folder) => folder.clone(),
        None if preset == Preset::Quick => folder_of("quick"),
        None => folder_of("everyday"),
    };
    let stride = if preset == Preset::Quick {
        QUICK_STRIDE
    } else {
        1
    };
    let job = Job {
        pair: pair.name.to_owned(),
        class: pair.class.to_owned(),
        preset: Sampled::Everyday.name().to_owned(),
        kind,
        sampling: Sampled::Everyday.sampling(kind).thinned(stride),
        levels: kind.levels(),
        threads: cores(),
        resume: true,
    };
    let path = job.path(&folder);
    let is_given = place.args.configurations.is_some();
    if !is_given || !path.is_file() {
        make(&job, &scene, &folder)?;
    }
    let is_same =
        |checked: &(Pair, Kind, Checked)| checked.0.name == pair.name && checked.1 == kind;
    if findings.checked.iter().any(is_same) {
        // A further pass.
        return read(&path, place, &scene, levels);
    }
    let part = place.args.preset.checked_part(kind);
    let mut found = check(&path, &scene, cores(), part, Court::Ours);
    if let Err(error) = &found {
        eprintln!("{error:#}");
        let fate = if is_given {
            "it was left out"
        } else {
            "it was made anew"
        };
        findings.failures.push(Failure {
            subject: path.display().to_string(),
            reason: format!("{error:#}; {fate}"),
            is_ours: false,
        });
        if is_given {
            return Ok(Vec::new());
        }
        let again = Job {
            resume: false,
            ..job
        };
        make(&again, &scene, &folder)?;
        found = check(&path, &scene, cores(), part, Court::Ours);
    }
    findings.checked.push((*pair, kind, found?));
    read(&path, place, &scene, levels)
}

fn read(
    path: &Path,
    place: &Place<'_>,
    scene: &Scene,
    levels: &[f64],
) -> anyhow::Result<Vec<Target>> {
    let preset = place.args.preset;
    let most = place.args.most.unwrap_or(match preset {
        Preset::Quick => 24,
        Preset::Everyday => 200,
        Preset::Full => usize::MAX,
    });
    let mut reader = Reader::open(path)?;
    let header = reader.header.clone();
    let sampling = header.sampling();
    let unit = scene.unit(place.kind);
    let mut targets: Vec<Target> = levels
        .iter()
        .map(|level| Target {
            preset: preset.name(),
            pair: place.pair.name,
            class: place.pair.class,
            faces: [scene.meshes.a.face_count(), scene.meshes.b.face_count()],
            kind: place.kind,
            level: *level,
            unit,
            placed: Vec::new(),
        })
        .collect();
    // Evenly over the file, so that every part of it has a share.
    let step = (sampling.per_level() as usize).div_ceil(most.max(1)).max(1);
    let mut seen = vec![0_usize; header.levels.len()];
    let mut number = 0;
    while let Some(block) = reader.next_block()? {
        let turn = sampling.orientation(number);
        for c in block.iter().filter(|c| c.way != Way::Unreached) {
            let k = usize::from(c.level);
            let target = targets.iter_mut().find(|t| t.level == header.levels[k]);
            if let Some(target) = target
                && seen[k].is_multiple_of(step)
            {
                target.placed.push(Placed {
                    pose: scene.placed(&turn, c)?,
                    value: f64::from(c.achieved) * unit,
                });
            }
            seen[k] += 1;
        }
        number += 1;
    }
    targets.retain(|target| !target.placed.is_empty());
    for target in &mut targets {
        let seed = seed(target.pair, target.kind, target.level);
        shuffle(&mut target.placed, seed);
    }
    Ok(targets)
}

/// The same for a target in every run.
fn seed(pair: &str, kind: Kind, level: f64) -> u64 {
    let bytes = pair.bytes().chain(kind.name().bytes());
    let bytes = bytes.chain(level.to_bits().to_le_bytes());
    // FNV-1a.
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// A file goes from orientation to orientation. In a shuffled order the first few are a fair sample of all, whoever is asked at no more.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut rng = Rng::new(seed);
    for k in (1..items.len()).rev() {
        items.swap(k, rng.below(k as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_further_pass_has_twice_the_time_for_each_target_or_there_is_none() {
        let seconds = Duration::from_secs;
        let effort = effort(Preset::Quick, Some(seconds(88)), true, 8);
        assert_eq!(effort.per_target, seconds(1));
        let again = |left: u64, unfinished: usize| {
            effort
                .again(seconds(left), unfinished)
                .map(|effort| effort.per_target)
        };
        assert_eq!(again(60, 10), Some(seconds(6)));
        assert_eq!(again(60, 60), Some(seconds(2)));
        assert_eq!(again(60, 0), None);
        assert_eq!(again(1, 5), None);
        let endless = Effort {
            is_short: false,
            ..effort
        };
        assert!(endless.again(seconds(60), 10).is_none());
    }

    #[test]
    fn a_shuffled_order_is_fair_and_the_same_in_every_run() {
        let order = |pair: &str, level: f64| {
            let mut order: Vec<usize> = (0..200).collect();
            shuffle(&mut order, seed(pair, Kind::Distance, level));
            order
        };
        let one = order("blob", 0.01);
        assert_eq!(one, order("blob", 0.01));
        assert_ne!(one, order("blob", 0.02));
        assert_ne!(one, order("gear", 0.01));
        let mut sorted = one.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..200).collect::<Vec<_>>());
        // The first tenth of many targets comes from all parts of their files.
        let mut parts = [0_usize; 4];
        for k in 0..100 {
            for number in &order("blob", f64::from(k))[..20] {
                parts[number / 50] += 1;
            }
        }
        assert!(parts.iter().all(|n| (400..600).contains(n)), "{parts:?}");
    }

    #[test]
    fn all_of_ours_take_part_with_balls_and_voxels_too() {
        let names = |asked: &str, preset: Preset| -> Vec<String> {
            let found = engines(&[asked.to_owned()], preset.sizes(), &mut Vec::new()).unwrap();
            found.into_iter().map(|engine| engine.name).collect()
        };
        let has = |names: &[String], name: &str| names.iter().any(|n| n == name);
        let quick = names("ours", Preset::Quick);
        assert!(has(&quick, "balls-1000") && has(&quick, "voxmap-50") && has(&quick, "average"));
        let full = names("ours", Preset::Full);
        assert!(has(&full, "balls-10000") && has(&full, "voxmap-200"));
        assert!(!has(&full, "balls-100000"));
        assert_eq!(names("balls-20", Preset::Quick), ["balls-20"]);
        assert_eq!(names("impinge", Preset::Quick), ["impinge"]);
    }
}
