//! Every family at whatever resolutions are wanted: built once, searched, then measured on the whole path.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::equivalent_resolution::ResolutionTrial;
use super::force_engines::{EngineFamily, EngineSolid, PathAnswers, ask};
use super::resolution_ladder::{TrialRunner, scaled, search};
use super::scene::{PathPlace, QualityScene};
use super::scene_results::{BetterResolution, FamilyResult};
use super::score::Score;

/// Places of a path that the search for resolutions queries.
const SEARCHED: usize = 64;
const SEARCHED_QUICK: usize = 32;
/// How often a pair that is too slow on the whole path is made coarser.
const MOST_COARSER: usize = 4;
/// Of the time that is left, how much one solid may take to build.
const PATIENCE: f64 = 0.25;
/// Seconds that one may take even if no time is left: what comes last is not to be coarse because something before was slow.
const LEAST_PATIENCE: f64 = 4.0;
/// A deviation below this part of another is better, and not just about as good.
const BETTER: f64 = 0.95;

/// How long and how finely may be searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchEffort {
    pub(super) is_full: bool,
    pub(super) tau: f64,
    pub(super) patience: Duration,
}

impl SearchEffort {
    /// The same, with no more patience than what is left allows.
    pub(super) fn within(self, left: Duration) -> Self {
        let least = Duration::from_secs_f64(LEAST_PATIENCE);
        let most = left.mul_f64(PATIENCE).max(least);
        Self {
            patience: self.patience.min(most),
            ..self
        }
    }
}

/// The moving and the fixed solid at several resolutions, with what building took.
pub(super) type BuiltResolutions = [Vec<(f64, EngineSolid, Duration)>; 2];

/// A family in a scene, at whatever resolutions are wanted.
struct ResolutionSearch<'p> {
    scene: QualityScene,
    family: EngineFamily,
    /// Half the diagonal of the moving solid.
    length: f64,
    few: &'p [PathPlace],
    parts: &'p mut BuiltResolutions,
    trials: Vec<([f64; 2], ResolutionTrial)>,
}

impl ResolutionSearch<'_> {
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

    fn find(&self, axis: usize, resolution: f64) -> Option<&(f64, EngineSolid, Duration)> {
        self.parts[axis].iter().find(|part| part.0 == resolution)
    }

    fn ask(&mut self, resolution: [f64; 2], path: &[PathPlace]) -> anyhow::Result<PathAnswers> {
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
            Some((_, EngineSolid::Balls(trees), _)) => trees[0].balls().len() as f64,
            _ => resolution[axis].round(),
        })
    }

    /// The scores of all rules on a path.
    fn scores(&self, run: &PathAnswers, path: &[PathPlace]) -> Vec<Score> {
        let rules = self.family.rules().iter().zip(&run.answers);
        rules
            .map(|(rule, answers)| Score::new(self.scene, rule.model, path, answers))
            .collect()
    }

    /// The pair with the smallest deviation of all that were tried in time, on the whole path; none if that is not better, or too slow there.
    fn better(
        &mut self,
        than: &Score,
        path: &[PathPlace],
        tau: f64,
    ) -> anyhow::Result<Option<BetterResolution>> {
        let in_time = self.trials.iter().filter(|(_, trial)| trial.ms <= tau);
        let best = in_time.min_by(|x, y| x.1.eta.total_cmp(&y.1.eta)).copied();
        let Some((resolution, _)) = best.filter(|(_, trial)| trial.eta < BETTER * than.eta())
        else {
            return Ok(None);
        };
        let run = self.ask(resolution, path)?;
        let better = BetterResolution {
            resolution: self.true_resolution(resolution),
            scores: self.scores(&run, path),
            times: run.times,
        };
        let eta = better.scores.first().map(Score::eta);
        let is_better = eta.is_some_and(|eta| eta < BETTER * than.eta());
        let is_better = is_better && better.times.mean() <= tau;
        Ok(is_better.then_some(better))
    }
}

impl TrialRunner for ResolutionSearch<'_> {
    fn trial(&mut self, resolution: [f64; 2]) -> anyhow::Result<ResolutionTrial> {
        if let Some((_, trial)) = self.trials.iter().find(|tried| tried.0 == resolution) {
            return Ok(*trial);
        }
        let run = self.ask(resolution, self.few)?;
        let model = self.family.rules()[0].model;
        let trial = ResolutionTrial {
            ms: run.times.mean(),
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

/// Searches the resolutions, then queries the whole path.
pub(super) fn measure(
    scene: QualityScene,
    family: EngineFamily,
    path: &[PathPlace],
    effort: SearchEffort,
    stock: &mut BuiltResolutions,
) -> anyhow::Result<FamilyResult> {
    let SearchEffort {
        is_full,
        tau,
        patience,
    } = effort;
    let searched = if is_full { SEARCHED } else { SEARCHED_QUICK };
    let few: Vec<PathPlace> = path
        .iter()
        .step_by((path.len() / searched).max(1))
        .copied()
        .collect();
    let mut searcher = ResolutionSearch {
        scene,
        family,
        length: 0.5 * scene.moving(24)?.bounds().diagonal().length(),
        few: &few,
        parts: stock,
        trials: Vec::new(),
    };
    let mut settled = search(
        &family.ladder(scene, is_full)?,
        tau,
        patience,
        &mut searcher,
    )?;
    settled.finest.0 = searcher.true_resolution(settled.finest.0);
    if let Some(best) = &mut settled.best {
        best.0 = searcher.true_resolution(best.0);
    }
    let mut resolution = settled.resolution;
    let mut run = searcher.ask(resolution, path)?;
    // The whole path may be slower than the places that were searched; what was too slow for these stays so, and says so.
    for _ in 0..MOST_COARSER {
        if run.times.mean() <= tau || settled.trial.ms > tau {
            break;
        }
        resolution = scaled(resolution, run.times.mean(), tau, settled.steepness);
        run = searcher.ask(resolution, path)?;
    }
    let scores = searcher.scores(&run, path);
    let better = match scores.first() {
        Some(score) => searcher.better(score, path, tau)?,
        None => None,
    };
    Ok(FamilyResult {
        family,
        settled,
        resolution: searcher.true_resolution(resolution),
        run,
        scores,
        trials: searcher.trials,
        better,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_is_a_part_of_what_is_left_and_never_quite_at_its_end() {
        let effort = |patience: u64| SearchEffort {
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
        let path = QualityScene::Orbit.path(32).unwrap();
        let mut searcher = ResolutionSearch {
            scene: QualityScene::Orbit,
            family: EngineFamily::Exact,
            length: 1.0,
            few: &path,
            parts: &mut BuiltResolutions::default(),
            trials: Vec::new(),
        };
        for segments in [12.0, 24.0, 48.0] {
            searcher.trial([segments; 2]).unwrap();
        }
        let coarse = searcher.ask([12.0; 2], &path).unwrap();
        let coarse = searcher.scores(&coarse, &path);
        // Whatever the time, the finest is the best of the three.
        let better = searcher.better(&coarse[0], &path, f64::INFINITY).unwrap();
        let better = better.expect("finer meshes are nearer to round solids");
        assert_eq!(better.resolution, [48.0; 2]);
        assert!(better.scores[0].eta() < BETTER * coarse[0].eta());
        // Nothing is better than itself, and nothing is tried in no time.
        let same = searcher.better(&better.scores[0], &path, f64::INFINITY);
        assert!(same.unwrap().is_none());
        assert!(searcher.better(&coarse[0], &path, 0.0).unwrap().is_none());
    }

    #[test]
    fn what_was_tried_is_kept_and_the_balls_that_came_out_are_told() {
        let path = QualityScene::Orbit.path(4).unwrap();
        let mut searcher = ResolutionSearch {
            scene: QualityScene::Orbit,
            family: EngineFamily::Spheres,
            length: 1.0,
            few: &path,
            parts: &mut BuiltResolutions::default(),
            trials: Vec::new(),
        };
        searcher.trial([200.0, 100.0]).unwrap();
        searcher.trial([400.0, 100.0]).unwrap();
        // What was tried is not tried again.
        searcher.trial([200.0, 100.0]).unwrap();
        assert_eq!((searcher.trials.len(), searcher.parts[0].len()), (2, 2));
        assert_eq!(searcher.parts[1].len(), 1);
        // What came out is told: a round solid is full before there are so many, and sooner on some grids than on others.
        for asked in [200.0, 400.0] {
            let [told, _] = searcher.true_resolution([asked, 100.0]);
            let (_, part, _) = searcher.find(0, asked).unwrap();
            let EngineSolid::Balls(trees) = part else {
                panic!("no balls");
            };
            assert!(told >= 1.0 && told < asked, "{told} of {asked}");
            assert_eq!(told, trees[0].balls().len() as f64);
        }
        // Whoever counts gaps asks the same solids, and answers otherwise.
        let bare = searcher.ask([200.0, 100.0], &path).unwrap();
        searcher.family = EngineFamily::Gaps;
        let counted = searcher.ask([200.0, 100.0], &path).unwrap();
        assert_eq!((searcher.parts[0].len(), searcher.parts[1].len()), (2, 1));
        assert_eq!((bare.answers.len(), counted.answers.len()), (3, 2));
        for (gradient, slope) in bare.answers[2].iter().zip(&counted.answers[1]) {
            assert!(slope.force.length() > gradient.force.length());
        }
    }
}
