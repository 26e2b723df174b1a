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
mod search;
mod solids;
mod spectrum;
mod subject;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::Bar;
use crate::engines::target;
use crate::rigid::default_folder;
use crate::sheet::{Failure, Sheet};
use equivalent::{Reach, Trial};
use scene::{Expected, Model, Scene, Stamp};
use score::Score;
use search::{Lab, Settled, scaled, search};
use subject::{Answer, Family, Part, Run, ask};

/// Places of a path that the search for resolutions asks.
const SEARCHED: usize = 64;
const SEARCHED_QUICK: usize = 32;
/// How often a pair that is too slow on the whole path is made coarser.
const MOST_COARSER: usize = 4;
/// Minutes that all of it may take, unless told otherwise.
pub(crate) const MINUTES: f64 = 30.0;
pub(crate) const MINUTES_QUICK: f64 = 2.4;
/// Of the time that is left, how much one solid may take to build.
const PATIENCE: f64 = 0.25;
/// Seconds that one may take even if no time is left: what comes last is not to be coarse because something before was slow.
const LEAST_PATIENCE: f64 = 4.0;
/// What the theses found, and what our best engine must stay below.
const SIGMA_F: f64 = 0.043;
const SIGMA_T: f64 = 0.112;
const GAMMA_F: f64 = 2.4;
const NU: f64 = 0.12;
/// A deviation below this part of another is better, and not just about as good.
const BETTER: f64 = 0.95;
/// What rounding may leave of a perfect score.
const PERFECT: f64 = 1e-9;

/// Forces and torques of five scenes beside their formulas, by engines at equivalent resolutions
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How fine: quick is done within about two and a half minutes, full within about half an hour, on one core
    #[arg(long, value_enum, default_value = "quick")]
    preset: Preset,
    /// Only these families of engines
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Family>,
    /// Places on each path; rounded up to a multiple of 32 [default: 512, with --preset full 1024]
    #[arg(long, value_parser = crate::arguments::at_least_one)]
    places: Option<usize>,
    /// Mean milliseconds that a question may take
    #[arg(long, default_value_t = 0.9, value_parser = crate::arguments::above_zero)]
    tau: f64,
    /// Seconds that building one solid may take; what takes a quarter of it is made no finer [default: 24, with --preset full 240]
    #[arg(long, value_name = "SECONDS", value_parser = crate::arguments::above_zero)]
    patience: Option<f64>,
    /// Minutes that all of it may take; the less is left, the sooner solids are fine enough [default: 2.4, with --preset full 30]
    #[arg(long)]
    minutes: Option<f64>,
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
    settled: Settled,
    /// At which it was measured.
    resolution: [f64; 2],
    run: Run,
    /// One for each rule.
    scores: Vec<Score>,
    /// Every pair that was tried.
    trials: Vec<([f64; 2], Trial)>,
    /// The best pair tried in time, where it is better than the one that the line of equal time gave.
    better: Option<Better>,
}

/// A better pair than the one taken, on the whole path.
struct Better {
    resolution: [f64; 2],
    mean_ms: f64,
    scores: Vec<Score>,
}

impl Found {
    /// How far the search was off about the deviation, as a part of it; none where there was no line of equal time to predict on,
    /// and none of a deviation that is nothing but rounding.
    fn misprediction(&self) -> Option<f64> {
        self.off_by(self.scores.first()?.eta())
    }

    /// The same at the places that were searched: what interpolating did, without what other places add.
    fn misprediction_searched(&self) -> Option<f64> {
        self.off_by(self.settled.trial.eta)
    }

    fn off_by(&self, measured: f64) -> Option<f64> {
        let off = (self.settled.predicted_eta - measured).abs() / measured;
        (self.settled.choice.reach == Reach::Line && measured > PERFECT).then_some(off)
    }
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
    let patience = args.patience.unwrap_or(if is_full { 240.0 } else { 24.0 });
    let effort = Effort {
        is_full,
        tau: args.tau,
        patience: Duration::try_from_secs_f64(patience).context("--patience must be a time")?,
    };
    let minutes = args
        .minutes
        .unwrap_or(if is_full { MINUTES } else { MINUTES_QUICK });
    let whole = Duration::try_from_secs_f64(60.0 * minutes).context("--minutes must be a time")?;
    let mut sheet = pages::empty(args.preset.name(), args.tau, count);
    check_perfect(count, &mut sheet)?;
    let mut chapters = Vec::new();
    for scene in Scene::ALL {
        let mut chapter = Chapter {
            scene,
            path: scene.path(count)?,
            found: Vec::new(),
        };
        let mut stock = Stock::default();
        for &family in &families {
            if !family.shares_parts() {
                stock = Stock::default();
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
        pages::print(&chapter, args.tau);
        chapters.push(chapter);
    }
    pages::fill(&mut sheet, &chapters, args.tau);
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

/// How long and how finely may be searched.
#[derive(Clone, Copy, Debug)]
struct Effort {
    is_full: bool,
    tau: f64,
    patience: Duration,
}

impl Effort {
    /// The same, with no more patience than what is left allows.
    fn within(self, left: Duration) -> Self {
        let least = Duration::from_secs_f64(LEAST_PATIENCE);
        let most = left.mul_f64(PATIENCE).max(least);
        Self {
            patience: self.patience.min(most),
            ..self
        }
    }
}

/// The moving and the fixed solid at several resolutions, with what building took.
type Stock = [Vec<(f64, Part, Duration)>; 2];

/// A family in a scene, at whatever resolutions are wanted.
struct Shop<'p> {
    scene: Scene,
    family: Family,
    /// Half the diagonal of the moving solid.
    length: f64,
    few: &'p [Stamp],
    parts: &'p mut Stock,
    trials: Vec<([f64; 2], Trial)>,
}

impl Shop<'_> {
    /// Builds a solid, unless it is there.
    fn build(&mut self, axis: usize, resolution: f64) -> anyhow::Result<()> {
        let is_fixed = axis == 1;
        if self.find(axis, resolution).is_some() {
            return Ok(());
        }
        let start = Instant::now();
        let part = self
            .family
            .part(self.scene, is_fixed, resolution)
            .with_context(|| format!("at a resolution of {resolution}"))?;
        self.parts[axis].push((resolution, part, start.elapsed()));
        Ok(())
    }

    fn find(&self, axis: usize, resolution: f64) -> Option<&(f64, Part, Duration)> {
        self.parts[axis].iter().find(|part| part.0 == resolution)
    }

    fn ask(&mut self, resolution: [f64; 2], path: &[Stamp]) -> anyhow::Result<Run> {
        self.build(0, resolution[0])?;
        self.build(1, resolution[1])?;
        let found = [0, 1].map(|axis| self.find(axis, resolution[axis]));
        let [Some(moving), Some(fixed)] = found else {
            bail!("a solid that was built is gone");
        };
        ask(self.family, &fixed.1, &moving.1, path, self.length)
    }

    /// A resolution as it came out: solids may be full before there are so many balls.
    fn true_resolution(&self, resolution: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|axis| match self.find(axis, resolution[axis]) {
            Some((_, Part::Balls(trees), _)) => trees[0].balls().len() as f64,
            _ => resolution[axis].round(),
        })
    }

    /// The scores of all rules on a path.
    fn scores(&self, run: &Run, path: &[Stamp]) -> Vec<Score> {
        let rules = self.family.rules().iter().zip(&run.answers);
        rules
            .map(|(rule, answers)| Score::new(self.scene, rule.model, path, answers))
            .collect()
    }

    /// The pair with the smallest deviation of all that were tried in time, on the whole path; none if that is not better, or too slow there.
    fn better(&mut self, than: &Score, path: &[Stamp], tau: f64) -> anyhow::Result<Option<Better>> {
        let in_time = self.trials.iter().filter(|(_, trial)| trial.ms <= tau);
        let best = in_time.min_by(|x, y| x.1.eta.total_cmp(&y.1.eta)).copied();
        let Some((resolution, _)) = best.filter(|(_, trial)| trial.eta < BETTER * than.eta())
        else {
            return Ok(None);
        };
        let run = self.ask(resolution, path)?;
        let better = Better {
            resolution: self.true_resolution(resolution),
            mean_ms: run.mean_ms,
            scores: self.scores(&run, path),
        };
        let eta = better.scores.first().map(Score::eta);
        let is_better = eta.is_some_and(|eta| eta < BETTER * than.eta()) && run.mean_ms <= tau;
        Ok(is_better.then_some(better))
    }
}

impl Lab for Shop<'_> {
    fn trial(&mut self, resolution: [f64; 2]) -> anyhow::Result<Trial> {
        if let Some((_, trial)) = self.trials.iter().find(|tried| tried.0 == resolution) {
            return Ok(*trial);
        }
        let run = self.ask(resolution, self.few)?;
        let model = self.family.rules()[0].model;
        let trial = Trial {
            ms: run.mean_ms,
            eta: Score::new(self.scene, model, self.few, &run.answers[0]).eta(),
        };
        self.trials.push((resolution, trial));
        Ok(trial)
    }

    fn built(&self, resolution: [f64; 2]) -> Duration {
        let of = |axis: usize| self.find(axis, resolution[axis]).map(|part| part.2);
        of(0).max(of(1)).unwrap_or_default()
    }
}

/// Searches the resolutions, then asks the whole path.
fn measure(
    scene: Scene,
    family: Family,
    path: &[Stamp],
    effort: Effort,
    stock: &mut Stock,
) -> anyhow::Result<Found> {
    let Effort {
        is_full,
        tau,
        patience,
    } = effort;
    let searched = if is_full { SEARCHED } else { SEARCHED_QUICK };
    let few: Vec<Stamp> = path
        .iter()
        .step_by((path.len() / searched).max(1))
        .copied()
        .collect();
    let mut shop = Shop {
        scene,
        family,
        length: 0.5 * scene.moving(24)?.bounds().diagonal().length(),
        few: &few,
        parts: stock,
        trials: Vec::new(),
    };
    let mut settled = search(&family.ladder(scene, is_full)?, tau, patience, &mut shop)?;
    settled.finest.0 = shop.true_resolution(settled.finest.0);
    if let Some(best) = &mut settled.best {
        best.0 = shop.true_resolution(best.0);
    }
    let mut resolution = settled.resolution;
    let mut run = shop.ask(resolution, path)?;
    // The whole path may be slower than the places that were searched; what was too slow for these stays so, and says so.
    for _ in 0..MOST_COARSER {
        if run.mean_ms <= tau || settled.trial.ms > tau {
            break;
        }
        resolution = scaled(resolution, run.mean_ms, tau, settled.steepness);
        run = shop.ask(resolution, path)?;
    }
    let scores = shop.scores(&run, path);
    let better = match scores.first() {
        Some(score) => shop.better(score, path, tau)?,
        None => None,
    };
    Ok(Found {
        family,
        settled,
        resolution: shop.true_resolution(resolution),
        run,
        scores,
        trials: shop.trials,
        better,
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
    use super::equivalent::Choice;
    use super::*;

    /// Every scene, with a family that took so long and left so many places without a direction.
    pub(super) fn chapters(family: Family, ms: f64, missing: usize, sigma: f64) -> Vec<Chapter> {
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
                settled: Settled {
                    choice: Choice {
                        resolution: [12.0; 2],
                        predicted_eta: 0.5 * sigma,
                        reach: Reach::Line,
                    },
                    resolution: [12.0; 2],
                    predicted_eta: 0.55 * sigma,
                    trial: Trial { ms, eta: 0.0 },
                    finest: ([48.0; 2], Trial { ms, eta: 0.0 }),
                    is_long: false,
                    best: None,
                    steepness: 1.0,
                },
                resolution: [12.0; 2],
                run: Run {
                    answers: Vec::new(),
                    mean_ms: ms,
                },
                scores: vec![score; family.rules().len()],
                trials: Vec::new(),
                better: None,
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

    #[test]
    fn predictions_are_off_by_a_part_of_what_was_measured() {
        let mut chapters = chapters(Family::Exact, 0.8, 0, 0.04);
        let found = &mut chapters[0].found[0];
        // 0.55 of sigma was predicted, half of it was measured.
        let off = found.misprediction().unwrap();
        assert!((off - 0.1).abs() < 1e-12, "{off}");
        // At the places searched it was 0.4 of sigma.
        found.settled.trial.eta = 0.4 * 0.04;
        let off = found.misprediction_searched().unwrap();
        assert!((off - 0.375).abs() < 1e-12, "{off}");
        found.settled.choice.reach = Reach::Faster;
        assert_eq!(found.misprediction(), None);
        assert_eq!(found.misprediction_searched(), None);
    }

    #[test]
    fn of_a_deviation_that_is_only_rounding_no_part_is_told() {
        for sigma in [0.0, 6e-16, 1e-9] {
            let mut chapters = chapters(Family::Depth, 0.8, 0, sigma);
            chapters[0].found[0].settled.predicted_eta = 0.04;
            assert_eq!(chapters[0].found[0].misprediction(), None, "{sigma}");
        }
        let chapters = chapters(Family::Depth, 0.8, 0, 1e-6);
        assert!(chapters[0].found[0].misprediction().is_some());
    }

    #[test]
    fn patience_is_a_part_of_what_is_left_and_never_quite_at_its_end() {
        let effort = |patience: u64| Effort {
            is_full: false,
            tau: 0.9,
            patience: Duration::from_secs(patience),
        };
        let seconds = |patience: u64, left: u64| {
            let effort = effort(patience).within(Duration::from_secs(left));
            effort.patience.as_secs_f64()
        };
        assert_eq!(seconds(24, 1000), 24.0);
        assert_eq!(seconds(24, 40), PATIENCE * 40.0);
        assert_eq!(seconds(24, 0), LEAST_PATIENCE);
        // Who is told to have less has less.
        assert_eq!(seconds(1, 0), 1.0);
    }

    #[test]
    fn the_best_pair_tried_in_time_is_measured_on_the_whole_path() {
        let path = Scene::Orbit.path(32).unwrap();
        let mut shop = Shop {
            scene: Scene::Orbit,
            family: Family::Exact,
            length: 1.0,
            few: &path,
            parts: &mut Stock::default(),
            trials: Vec::new(),
        };
        for segments in [12.0, 24.0, 48.0] {
            shop.trial([segments; 2]).unwrap();
        }
        let coarse = shop.ask([12.0; 2], &path).unwrap();
        let coarse = shop.scores(&coarse, &path);
        // Whatever the time, the finest is the best of the three.
        let better = shop.better(&coarse[0], &path, f64::INFINITY).unwrap();
        let better = better.expect("finer meshes are nearer to round solids");
        assert_eq!(better.resolution, [48.0; 2]);
        assert!(better.scores[0].eta() < BETTER * coarse[0].eta());
        // Nothing is better than itself, and nothing is tried in no time.
        let same = shop.better(&better.scores[0], &path, f64::INFINITY);
        assert!(same.unwrap().is_none());
        assert!(shop.better(&coarse[0], &path, 0.0).unwrap().is_none());
    }

    #[test]
    fn what_was_tried_is_kept_and_the_balls_that_came_out_are_told() {
        let path = Scene::Orbit.path(4).unwrap();
        let mut shop = Shop {
            scene: Scene::Orbit,
            family: Family::Spheres,
            length: 1.0,
            few: &path,
            parts: &mut Stock::default(),
            trials: Vec::new(),
        };
        shop.trial([200.0, 100.0]).unwrap();
        shop.trial([400.0, 100.0]).unwrap();
        // What was tried is not tried again.
        shop.trial([200.0, 100.0]).unwrap();
        assert_eq!((shop.trials.len(), shop.parts[0].len()), (2, 2));
        assert_eq!(shop.parts[1].len(), 1);
        // What came out is told: a round solid is full before there are so many, and sooner on some grids than on others.
        for asked in [200.0, 400.0] {
            let [told, _] = shop.true_resolution([asked, 100.0]);
            let (_, part, _) = shop.find(0, asked).unwrap();
            let Part::Balls(trees) = part else {
                panic!("no balls");
            };
            assert!(told >= 1.0 && told < asked, "{told} of {asked}");
            assert_eq!(told, trees[0].balls().len() as f64);
        }
        // Whoever counts gaps asks the same solids, and answers otherwise.
        let bare = shop.ask([200.0, 100.0], &path).unwrap();
        shop.family = Family::Gaps;
        let counted = shop.ask([200.0, 100.0], &path).unwrap();
        assert_eq!((shop.parts[0].len(), shop.parts[1].len()), (2, 1));
        assert_eq!((bare.answers.len(), counted.answers.len()), (3, 2));
        for (gradient, slope) in bare.answers[2].iter().zip(&counted.answers[1]) {
            assert!(slope.force.length() > gradient.force.length());
        }
    }
}
