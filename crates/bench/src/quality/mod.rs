//! `impinge-bench run quality`: forces and torques beside those that pencil and paper give.
//!
//! Five scenes with known answers, four families of engines, each at the resolutions at which it is best within 0.9 ms. The protocol is that of Weller's thesis
//! (6.4), with its misprints corrected.

mod equivalent;
mod formulas;
mod metrics;
mod pages;
mod scene;
mod score;
mod solids;
mod spectrum;
mod subject;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;

use crate::Bar;
use crate::engines::target;
use crate::rigid::default_folder;
use crate::sheet::{Failure, Sheet};
use equivalent::{Choice, Trial, best_of, choose};
use scene::{Expected, Model, Scene, Stamp};
use score::Score;
use subject::{Answer, Family, Part, Run, ask};

/// Places of a path that the search for resolutions asks.
const SEARCHED: usize = 64;
/// Resolutions are made smaller by this factor while questions take too long, so often at most.
const COARSER: f64 = 0.85;
const MOST_COARSER: usize = 8;
/// No resolution is made smaller than this.
const COARSEST: f64 = 12.0;
/// What the theses found, and what our best engine must stay below.
const SIGMA_F: f64 = 0.043;
const SIGMA_T: f64 = 0.112;
const GAMMA_F: f64 = 2.4;
const NU: f64 = 0.12;
/// What rounding may leave of a perfect score.
const PERFECT: f64 = 1e-9;

/// Forces and torques of five scenes beside their formulas, by engines at equivalent resolutions
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How fine: quick is done within three minutes
    #[arg(long, value_enum, default_value = "quick")]
    preset: Preset,
    /// Only these families of engines
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Family>,
    /// Places on each path; rounded up to a multiple of 32 [default: 512, with --preset full 1024]
    #[arg(long)]
    places: Option<usize>,
    /// Mean milliseconds that a question may take
    #[arg(long, default_value_t = 0.9)]
    tau: f64,
    /// Folder for quality.sheet.json [default: target/records, with --preset full records/DATE-MACHINE]
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

/// What one family did in one scene.
struct Found {
    family: Family,
    choice: Choice,
    /// Whether one of the nine pairs was better than the choice, and taken.
    is_tried: bool,
    /// At which it was measured.
    resolution: [f64; 2],
    run: Run,
    /// One for each rule.
    scores: Vec<Score>,
}

/// Everything about one scene.
struct Chapter {
    scene: Scene,
    path: Vec<Stamp>,
    found: Vec<Found>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let start = Instant::now();
    let is_full = args.preset == Preset::Full;
    let count = args.places.unwrap_or(if is_full { 1024 } else { 512 });
    let count = count.max(1).next_multiple_of(spectrum::HOP);
    let families: Vec<Family> = Family::ALL
        .into_iter()
        .filter(|family| args.only.is_empty() || args.only.contains(family))
        .collect();
    let mut sheet = pages::empty(args.preset.name(), args.tau, count);
    check_perfect(count, &mut sheet)?;
    let mut chapters = Vec::new();
    for scene in Scene::ALL {
        let mut chapter = Chapter {
            scene,
            path: scene.path(count)?,
            found: Vec::new(),
        };
        for &family in &families {
            eprintln!("{} {}: {}", scene.name(), scene.title(), family.name());
            match measure(scene, family, &chapter.path, is_full, args.tau) {
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
        pages::print(&chapter);
        chapters.push(chapter);
    }
    pages::fill(&mut sheet, &chapters);
    judge(&mut sheet, &chapters, args.tau);
    let folder = match &args.records {
        Some(folder) => folder.clone(),
        None if is_full => default_folder(),
        None => target().join("records"),
    };
    let path = sheet.write(&folder)?;
    println!(
        "{:.0} s in all; {} has every curve.",
        start.elapsed().as_secs_f64(),
        path.display()
    );
    Ok(sheet.bar())
}

/// Feeds the formulas through the figures.
fn check_perfect(count: usize, sheet: &mut Sheet) -> anyhow::Result<()> {
    let (mut most, mut nus, mut undefined) = (0.0_f64, Vec::new(), true);
    for scene in Scene::ALL {
        let path = scene.path(count)?;
        for model in [Model::Depth, Model::Volume, Model::Slope] {
            let answers: Vec<Answer> = path
                .iter()
                .map(|stamp| {
                    let Expected { force, torque } = scene.expected(model, stamp);
                    Answer { force, torque }
                })
                .collect();
            let score = Score::new(scene, model, &path, &answers);
            most = most.max(score.eta());
            nus.extend(score.nu);
            undefined &= scene.is_closed() || score.nu.is_none();
        }
    }
    let worst = nus.iter().fold(0.0_f64, |w, nu| w.max((nu - 1.0).abs()));
    let is_met = most < PERFECT && worst < PERFECT && undefined && nus.len() == 6;
    sheet.claim(
        "a perfect engine scores sigma = gamma = 0 and nu = 1 (scenes II and IV; undefined in the others)",
        &format!("sigma and gamma at most {most:.1e}, nu off by at most {worst:.1e}"),
        is_met,
    );
    Ok(())
}

/// Searches the resolutions, then asks the whole path.
fn measure(
    scene: Scene,
    family: Family,
    path: &[Stamp],
    is_full: bool,
    tau: f64,
) -> anyhow::Result<Found> {
    let length = 0.5 * scene.moving(24)?.bounds().diagonal().length();
    let few: Vec<Stamp> = path
        .iter()
        .step_by((path.len() / SEARCHED).max(1))
        .copied()
        .collect();
    let resolutions = family.resolutions(scene, is_full);
    let part = |is_fixed: bool, resolution: f64| {
        family
            .part(scene, is_fixed, resolution)
            .with_context(|| format!("at a resolution of {resolution}"))
    };
    let parts = |is_fixed: bool| -> anyhow::Result<Vec<Part>> {
        let axis = usize::from(is_fixed);
        resolutions[axis]
            .iter()
            .map(|r| part(is_fixed, *r))
            .collect()
    };
    let (moving, fixed) = (parts(false)?, parts(true)?);
    let eta = |run: &Run| {
        let model = family.rules()[0].model;
        Score::new(scene, model, &few, &run.answers[0]).eta()
    };
    let mut trials = [[Trial::default(); 3]; 3];
    for (i, row) in trials.iter_mut().enumerate() {
        for (j, trial) in row.iter_mut().enumerate() {
            let run = ask(&fixed[j], &moving[i], &few, length)?;
            *trial = Trial {
                ms: run.mean_ms,
                eta: eta(&run),
            };
        }
    }
    let choice = choose(&resolutions, &trials, tau);
    let mut resolution = choice.resolution;
    let mut pair = [part(false, resolution[0])?, part(true, resolution[1])?];
    let mut chosen = ask(&pair[1], &pair[0], &few, length)?;
    for _ in 0..MOST_COARSER {
        if chosen.mean_ms <= tau {
            break;
        }
        resolution = resolution.map(|r| (COARSER * r).max(COARSEST));
        pair = [part(false, resolution[0])?, part(true, resolution[1])?];
        chosen = ask(&pair[1], &pair[0], &few, length)?;
    }
    // Times are no plane: one of the nine pairs may be better and fast enough.
    let tried = best_of(&trials, tau).filter(|&(i, j)| trials[i][j].eta < eta(&chosen));
    let (fixed, moving) = match tried {
        Some((i, j)) => {
            resolution = [resolutions[0][i], resolutions[1][j]];
            (&fixed[j], &moving[i])
        }
        None => (&pair[1], &pair[0]),
    };
    let mut run = ask(fixed, moving, path, length)?;
    let mut is_tried = tried.is_some();
    // The whole path may be slower than the places that were searched; what was too slow for these stays so, and says so.
    let was_in_time = is_tried || chosen.mean_ms <= tau;
    for _ in 0..MOST_COARSER {
        if run.mean_ms <= tau || !was_in_time {
            break;
        }
        is_tried = false;
        resolution = resolution.map(|r| (COARSER * r).max(COARSEST));
        pair = [part(false, resolution[0])?, part(true, resolution[1])?];
        run = ask(&pair[1], &pair[0], path, length)?;
    }
    let scores = family
        .rules()
        .iter()
        .zip(&run.answers)
        .map(|(rule, answers)| Score::new(scene, rule.model, path, answers))
        .collect();
    Ok(Found {
        family,
        choice,
        is_tried,
        resolution,
        run,
        scores,
    })
}

/// The score of a rule in a scene.
fn score_of<'a>(chapters: &'a [Chapter], scene: Scene, rule: &str) -> Option<(&'a Score, f64)> {
    let chapter = chapters.iter().find(|c| c.scene == scene)?;
    chapter.found.iter().find_map(|found| {
        let index = found.family.rules().iter().position(|r| r.name == rule)?;
        Some((found.scores.get(index)?, found.run.mean_ms))
    })
}

/// Whether an engine answered everywhere and in time: what is slower is at no equivalent resolution.
fn is_equivalent((score, ms): (&Score, f64), tau: f64) -> bool {
    ms <= tau && score.missing == 0
}

/// The engine whose mean deviation from a published model over all scenes is smallest, of those that answer in time.
fn best(chapters: &[Chapter], tau: f64) -> Option<&'static str> {
    let mean = |rule: &str| {
        let etas = Scene::ALL.map(|scene| {
            score_of(chapters, scene, rule)
                .filter(|found| is_equivalent(*found, tau))
                .map(|s| s.0.eta())
        });
        etas.into_iter().sum::<Option<f64>>()
    };
    Family::ALL
        .iter()
        .flat_map(|family| family.rules())
        // The theses know the models of depth and volume only.
        .filter(|rule| rule.model != Model::Slope)
        .filter_map(|rule| Some((mean(rule.name)?, rule.name)))
        .min_by(|x, y| x.0.total_cmp(&y.0))
        .map(|(_, name)| name)
}

/// The bars of our best engine.
fn judge(sheet: &mut Sheet, chapters: &[Chapter], tau: f64) {
    let Some(best) = best(chapters, tau) else {
        sheet.notes.push(format!(
            "No engine answered at every place of every scene within {tau} ms, so that no best one can be named."
        ));
        sheet.claim(
            &format!("our best engine within {tau} ms"),
            "none answered everywhere in every scene",
            false,
        );
        return;
    };
    let mut claim = |what: &str, scene: Scene, value: fn(&Score) -> Option<f64>, bar: f64| {
        let found = score_of(chapters, scene, best);
        let reached = found.and_then(|(score, ms)| Some((value(score)?, ms)));
        let is_in_time = found.is_some_and(|found| is_equivalent(found, tau));
        let is_met = is_in_time && reached.is_some_and(|(value, _)| value < bar);
        let text = reached.map_or("nothing measured".to_owned(), |(value, ms)| {
            format!("{value:.4} at {ms:.3} ms")
        });
        let asked = format!(
            "our best engine ({best}): {what} below {bar} in scene {} within {tau} ms",
            scene.name()
        );
        sheet.claim(&asked, &text, is_met);
    };
    claim("sigma_F", Scene::Cone, |s| s.sigma_f, SIGMA_F);
    claim("sigma_T", Scene::Turn, |s| s.sigma_t, SIGMA_T);
    claim("gamma_F in degrees", Scene::Orbit, |s| s.gamma_f, GAMMA_F);
    for scene in [Scene::Orbit, Scene::Shift] {
        claim("|nu - 1|", scene, |s| s.nu.map(|nu| (nu - 1.0).abs()), NU);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every scene, with a family that took so long and left so many places without a direction.
    fn chapters(family: Family, ms: f64, missing: usize, sigma: f64) -> Vec<Chapter> {
        let score = Score {
            sigma_f: Some(sigma),
            sigma_t: Some(sigma),
            gamma_f: Some(0.0),
            nu: Some(1.0),
            missing,
            ..Score::default()
        };
        let chapter = |scene| Chapter {
            scene,
            path: Vec::new(),
            found: vec![Found {
                family,
                choice: Choice {
                    resolution: [12.0; 2],
                    predicted_eta: 0.0,
                    is_reached: true,
                },
                is_tried: false,
                resolution: [12.0; 2],
                run: Run {
                    answers: Vec::new(),
                    mean_ms: ms,
                },
                scores: vec![score; family.rules().len()],
            }],
        };
        Scene::ALL.map(chapter).into_iter().collect()
    }

    #[test]
    fn an_engine_that_is_too_slow_or_silent_meets_no_bar() {
        let judged = |ms: f64, missing: usize, sigma: f64| {
            let mut sheet = Sheet::new("quality", "", "", "");
            judge(
                &mut sheet,
                &chapters(Family::Exact, ms, missing, sigma),
                0.9,
            );
            sheet.bar()
        };
        assert_eq!(judged(0.8, 0, 0.01), Bar::Met);
        assert_eq!(judged(1.0, 0, 0.01), Bar::Missed);
        assert_eq!(judged(0.8, 1, 0.01), Bar::Missed);
        assert_eq!(judged(0.8, 0, 0.1), Bar::Missed);
    }
}
