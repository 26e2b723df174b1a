//! `impinge-bench run quality`: forces and torques, compared with closed forms.
//!
//! Five scenes with known answers, four families of engines, each at the resolutions at which it is best within 0.9 ms; runners of others beside them, as they are. The protocol
//! is that of Weller's thesis (6.4), with its misprints corrected. Two more parts ask about inner spheres alone: [`convergence`] and [`coplanar_contact`];
//! a third takes the published discretisations, whatever their time: [`published_discretisation`].

mod call_times;
mod convergence;
mod coplanar_contact;
mod equivalent_resolution;
mod force_engines;
mod formulas;
mod metrics;
mod pages;
mod published_discretisation;
mod quality_targets;
mod resolution_ladder;
mod resolution_search;
mod runners;
mod scene;
mod scene_results;
mod score;
mod solids;
mod spectrum;
mod sphere_packings;
mod time_limit;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::Bar;
use crate::engines::{Engine, target};
use crate::folders::create;
use crate::result_sheet::{Failure, ResultSheet, name_after};
use crate::rigid::default_folder;
use force_engines::EngineFamily;
use resolution_search::{BuiltResolutions, SearchEffort, measure};
use scene::QualityScene;
use scene_results::{RunnerForce, SceneResults};

/// Minutes that all of it may take, unless set otherwise.
pub(crate) const MINUTES: f64 = 35.0;
pub(crate) const MINUTES_QUICK: f64 = 2.4;
/// Of that, what each part about balls may take beside the scenes.
const BALLS: f64 = 0.08;
/// What a runner may take for one question along a path; that is not taken from the minutes of ours.
const GUEST: Duration = Duration::from_secs(60);
/// What rounding may leave of a perfect score.
const PERFECT: f64 = 1e-9;

/// Forces and torques of five scenes beside their formulas, by engines at equivalent resolutions
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How fine: quick is done within about two and a half minutes, full within about half an hour, on one core
    #[arg(long, value_enum, default_value = "quick")]
    preset: Preset,
    /// Only these parts [default: scenes, with --preset full all of them]
    #[arg(long, value_enum, value_delimiter = ',')]
    parts: Vec<Section>,
    /// Runners beside our engines, as for `pair`: NAME=PROGRAM, or the name of a peer; queried for `force` and `volume` at one resolution
    #[arg(long, value_delimiter = ',')]
    engines: Vec<String>,
    /// Only these families of engines
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<EngineFamily>,
    /// Places on each path; rounded up to a multiple of 32 [default: 512, with --preset full 1024]
    #[arg(long, value_parser = crate::arguments::at_least_one)]
    places: Option<usize>,
    /// Mean milliseconds that a question may take
    #[arg(long, default_value_t = 0.9, value_parser = crate::arguments::above_zero)]
    tau: f64,
    /// Seconds that building one solid may take; what takes a quarter of it is made no finer [default: 24, with --preset full 240]
    #[arg(long, value_name = "SECONDS", value_parser = crate::arguments::above_zero)]
    patience: Option<f64>,
    /// Minutes that all of it may take; the less is left, the sooner solids are fine enough [default: 2.4, with --preset full 35]
    #[arg(long)]
    minutes: Option<f64>,
    /// Folder for quality.sheet.json [default: target/records, with --preset full records/DATE-MACHINE]; with --parts the sheet is called after them, and the
    /// default is target/records
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Preset {
    Quick,
    Full,
}

impl Preset {
    fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "full",
        }
    }
}

/// What a run is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Section {
    /// Engines at equivalent resolutions, beside formulas
    Scenes,
    /// Inner spheres with more and more balls
    Converge,
    /// Inner spheres where faces lie on each other
    Touch,
    /// Voxels, points and inner spheres at the published discretisations; runs only when named, about 10 minutes with --preset full
    Published,
}

impl Section {
    /// Those of a full run, and those that are run only when they are named.
    const ALL: [Self; 3] = [Self::Scenes, Self::Converge, Self::Touch];
    const NAMED: [Self; 1] = [Self::Published];

    fn name(self) -> &'static str {
        match self {
            Self::Scenes => "scenes",
            Self::Converge => "converge",
            Self::Touch => "touch",
            Self::Published => "published",
        }
    }
}

impl Args {
    /// The parts of this run, in their order.
    fn sections(&self) -> Vec<Section> {
        let is_full = self.preset == Preset::Full;
        let is_wanted = |section: &Section| {
            if self.parts.is_empty() {
                is_full || *section == Section::Scenes
            } else {
                self.parts.contains(section)
            }
        };
        let named = Section::NAMED.into_iter();
        let named = named.filter(|section| self.parts.contains(section));
        Section::ALL
            .into_iter()
            .filter(is_wanted)
            .chain(named)
            .collect()
    }

    /// The name of the sheet: a run of some parts has its own, so that it hides nothing that was measured before.
    fn sheet_name(&self) -> String {
        let parts = if self.parts.is_empty() {
            Vec::new()
        } else {
            self.sections()
        };
        name_after("quality", parts.into_iter().map(Section::name))
    }

    /// What to type for the same sheet.
    fn command(&self) -> String {
        let mut command = format!("impinge-bench run quality --preset {}", self.preset.name());
        let joined = |names: Vec<&str>| names.join(",");
        if !self.parts.is_empty() {
            let names = self.sections().into_iter().map(Section::name).collect();
            command += &format!(" --parts {}", joined(names));
        }
        if !self.engines.is_empty() {
            let names = self.engines.iter().map(String::as_str).collect();
            command += &format!(" --engines {}", joined(names));
        }
        command
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let start = Instant::now();
    let is_full = args.preset == Preset::Full;
    let minutes = args
        .minutes
        .unwrap_or(if is_full { MINUTES } else { MINUTES_QUICK });
    let whole = Duration::try_from_secs_f64(60.0 * minutes).context("--minutes must be a time")?;
    let count = args.places.unwrap_or(if is_full { 1024 } else { 512 });
    let count = count.max(1).next_multiple_of(spectrum::HOP);
    let mut sheet = pages::empty(&args.sheet_name(), &args.command(), args.preset.name());
    let sections = args.sections();
    let has_scenes = sections.contains(&Section::Scenes);
    anyhow::ensure!(
        has_scenes || args.engines.is_empty(),
        "--engines are asked in the part scenes, which is not wanted"
    );
    let engines = runners::engines(&args.engines, &mut sheet.failures)?;
    quality_targets::check_figures(count)?;
    // Beside the scenes, balls have a small part of the time; they come first, because the search takes all that is left.
    let part = if has_scenes { BALLS } else { 1.0 };
    let folder = match &args.records {
        Some(folder) => folder.clone(),
        None if is_full && args.parts.is_empty() => default_folder(),
        None => target().join("records"),
    };
    create(&folder)?;
    let left = || whole.saturating_sub(start.elapsed());
    if sections.contains(&Section::Converge) {
        convergence::add(&mut sheet, is_full, left().mul_f64(part))?;
    }
    if sections.contains(&Section::Touch) {
        coplanar_contact::add(&mut sheet, is_full, left().mul_f64(part))?;
    }
    if sections.contains(&Section::Published) {
        published_discretisation::add(&mut sheet, is_full, left())?;
    }
    if has_scenes {
        scenes(args, &engines, count, (start, whole), &mut sheet)?;
    }
    let path = sheet.write(&folder)?;
    println!(
        "{:.0} s in all; {} has every curve.",
        start.elapsed().as_secs_f64(),
        path.display()
    );
    Ok(sheet.bar())
}

/// Every engine in every scene.
fn scenes(
    args: &Args,
    engines: &[Engine],
    count: usize,
    (start, mut whole): (Instant, Duration),
    sheet: &mut ResultSheet,
) -> anyhow::Result<()> {
    let is_full = args.preset == Preset::Full;
    let families: Vec<EngineFamily> = EngineFamily::ALL
        .into_iter()
        .filter(|family| args.only.is_empty() || args.only.contains(family))
        .collect();
    let patience = args.patience.unwrap_or(if is_full { 240.0 } else { 24.0 });
    let effort = SearchEffort {
        is_full,
        tau: args.tau,
        patience: Duration::try_from_secs_f64(patience).context("--patience must be a time")?,
    };
    let mut chapters = Vec::new();
    for scene in QualityScene::ALL {
        let mut chapter = SceneResults {
            scene,
            path: scene.path(count)?,
            found: Vec::new(),
            guests: Vec::new(),
        };
        let mut stock = BuiltResolutions::default();
        for &family in &families {
            if !family.shares_parts() {
                stock = BuiltResolutions::default();
            }
            let (begun, left) = (Instant::now(), whole.saturating_sub(start.elapsed()));
            let effort = effort.within(left);
            let measured = measure(scene, family, &chapter.path, effort, &mut stock);
            eprintln!(
                "{} {}: {}, {:.1} s",
                scene.name(),
                scene.title(),
                family.name(),
                begun.elapsed().as_secs_f64()
            );
            match measured {
                Ok(found) => chapter.found.push(found),
                Err(error) => {
                    eprintln!("  failed: {error:#}");
                    sheet.failures.push(Failure {
                        subject: format!("{} in scene {}", family.name(), scene.name()),
                        reason: format!("{error:#}"),
                        is_ours: true,
                    });
                }
            }
        }
        for engine in engines {
            let begun = Instant::now();
            invite(&mut chapter, engine, GUEST, sheet);
            whole = whole.saturating_add(begun.elapsed());
        }
        pages::print(&chapter, args.tau);
        chapters.push(chapter);
    }
    pages::fill(sheet, &chapters, args.tau, count);
    quality_targets::quality_targets(sheet, &chapters, args.tau);
    Ok(())
}

/// Queries a runner about a scene, and reports as failures what it could not do.
fn invite(chapter: &mut SceneResults, engine: &Engine, allowed: Duration, sheet: &mut ResultSheet) {
    let scene = chapter.scene;
    let guests = match runners::ask(engine, scene, &chapter.path, allowed) {
        Ok(guests) => guests,
        Err(error) => vec![RunnerForce::void(engine, None, format!("{error:#}"))],
    };
    for guest in &guests {
        if let Err(reason) = &guest.scored {
            sheet.failures.push(Failure {
                subject: format!("{} in scene {}", guest.force, scene.name()),
                reason: reason.clone(),
                is_ours: guest.engine.is_ours(),
            });
        }
    }
    chapter.guests.extend(guests);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_some_parts_is_named_after_them_and_says_what_to_type() {
        let args = |preset: Preset, parts: &[Section]| Args {
            preset,
            parts: parts.to_vec(),
            engines: Vec::new(),
            only: Vec::new(),
            places: None,
            tau: 0.9,
            patience: None,
            minutes: None,
            records: None,
        };
        let quick = args(Preset::Quick, &[]);
        assert_eq!(quick.sections(), [Section::Scenes]);
        assert_eq!(quick.sheet_name(), "quality");
        let full = args(Preset::Full, &[]);
        assert_eq!(full.sections(), Section::ALL);
        assert_eq!(full.sheet_name(), "quality");
        assert_eq!(full.command(), "impinge-bench run quality --preset full");
        let mut balls = args(Preset::Full, &[Section::Touch, Section::Converge]);
        balls.engines = vec!["mine=./mine".to_owned()];
        assert_eq!(balls.sheet_name(), "quality-converge-touch");
        assert_eq!(
            balls.command(),
            "impinge-bench run quality --preset full --parts converge,touch --engines mine=./mine"
        );
    }
}
