//! What was found in a scene.

use super::PERFECT;
use super::call_times::CallTimes;
use super::equivalent_resolution::{ResolutionTrial, TimeReach};
use super::force_engines::{EngineFamily, PathAnswers};
use super::resolution_ladder::LadderResult;
use super::scene::{ForceModel, PathPlace, QualityScene};
use super::score::Score;
use crate::engines::Engine;

/// What one family did in one scene.
pub(super) struct FamilyResult {
    pub(super) family: EngineFamily,
    pub(super) settled: LadderResult,
    /// At which it was measured.
    pub(super) resolution: [f64; 2],
    pub(super) run: PathAnswers,
    /// One for each rule.
    pub(super) scores: Vec<Score>,
    /// Every pair that was tried.
    pub(super) trials: Vec<([f64; 2], ResolutionTrial)>,
    /// The best pair tried in time, where it is better than the one that the line of equal time gave.
    pub(super) better: Option<BetterResolution>,
}

/// A better pair than the one taken, on the whole path.
pub(super) struct BetterResolution {
    pub(super) resolution: [f64; 2],
    pub(super) times: CallTimes,
    pub(super) scores: Vec<Score>,
}

impl FamilyResult {
    /// How far the search was off about the deviation, as a part of it; none where there was no line of equal time to predict on,
    /// and none of a deviation that is nothing but rounding.
    pub(super) fn misprediction(&self) -> Option<f64> {
        self.off_by(self.scores.first()?.eta())
    }

    /// The same at the places that were searched: what interpolating did, without what other places add.
    pub(super) fn misprediction_searched(&self) -> Option<f64> {
        self.off_by(self.settled.trial.eta)
    }

    fn off_by(&self, measured: f64) -> Option<f64> {
        let off = (self.settled.predicted_eta - measured).abs() / measured;
        (self.settled.choice.reach == TimeReach::Line && measured > PERFECT).then_some(off)
    }
}

/// Everything about one scene.
pub(super) struct SceneResults {
    pub(super) scene: QualityScene,
    pub(super) path: Vec<PathPlace>,
    pub(super) found: Vec<FamilyResult>,
    pub(super) guests: Vec<RunnerForce>,
}

/// One force or volume that a runner returned, by one model.
pub(super) struct RunnerForce {
    /// The engine's name and what it returned.
    pub(super) force: String,
    pub(super) engine: Engine,
    /// None where nothing is judged.
    pub(super) model: Option<ForceModel>,
    /// With the times of the questions, or why there is none.
    pub(super) scored: Result<(Score, CallTimes), String>,
}

impl RunnerForce {
    pub(super) fn new(
        engine: &Engine,
        what: &str,
        model: ForceModel,
        score: Score,
        times: CallTimes,
    ) -> Self {
        Self {
            force: format!("{}, {what}", engine.name),
            engine: engine.clone(),
            model: Some(model),
            scored: Ok((score, times)),
        }
    }

    /// One that counts for nothing, and why.
    pub(super) fn void(engine: &Engine, what: Option<&str>, reason: String) -> Self {
        let force = match what {
            Some(what) => format!("{}, {what}", engine.name),
            None => engine.name.clone(),
        };
        Self {
            force,
            engine: engine.clone(),
            model: None,
            scored: Err(reason),
        }
    }
}

/// The score of a rule in a scene, and the times that it took.
pub(super) fn score_of<'a>(
    chapters: &'a [SceneResults],
    scene: QualityScene,
    rule: &str,
) -> Option<(&'a Score, &'a CallTimes)> {
    let chapter = chapters.iter().find(|c| c.scene == scene)?;
    chapter.found.iter().find_map(|found| {
        let index = found.family.rules().iter().position(|r| r.name == rule)?;
        Some((found.scores.get(index)?, &found.run.times))
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::call_times::tests::lasting;
    use super::super::equivalent_resolution::ResolutionChoice;
    use super::*;

    /// Every scene, with a family that took so long and left so many places without a direction.
    pub(in crate::quality) fn chapters(
        family: EngineFamily,
        ms: f64,
        missing: usize,
        sigma: f64,
    ) -> Vec<SceneResults> {
        let score = Score {
            sigma_f: Some(sigma),
            sigma_t: Some(sigma),
            gamma_f: Some(0.0),
            nu: Some(1.0),
            missing,
            ..Score::default()
        };
        let chapter = |scene| SceneResults {
            scene,
            path: Vec::new(),
            found: vec![FamilyResult {
                family,
                settled: LadderResult {
                    choice: ResolutionChoice {
                        resolution: [12.0; 2],
                        predicted_eta: 0.5 * sigma,
                        reach: TimeReach::Line,
                    },
                    resolution: [12.0; 2],
                    predicted_eta: 0.55 * sigma,
                    trial: ResolutionTrial { ms, eta: 0.0 },
                    finest: ([48.0; 2], ResolutionTrial { ms, eta: 0.0 }),
                    is_long: false,
                    best: None,
                    steepness: 1.0,
                },
                resolution: [12.0; 2],
                run: PathAnswers {
                    answers: Vec::new(),
                    times: lasting(ms),
                },
                scores: vec![score; family.rules().len()],
                trials: Vec::new(),
                better: None,
            }],
            guests: Vec::new(),
        };
        QualityScene::ALL.map(chapter).into_iter().collect()
    }

    #[test]
    fn predictions_are_off_by_a_part_of_what_was_measured() {
        let mut chapters = chapters(EngineFamily::Exact, 0.8, 0, 0.04);
        let found = &mut chapters[0].found[0];
        // 0.55 of sigma was predicted, half of it was measured.
        let off = found.misprediction().unwrap();
        assert!((off - 0.1).abs() < 1e-12, "{off}");
        // At the places searched it was 0.4 of sigma.
        found.settled.trial.eta = 0.4 * 0.04;
        let off = found.misprediction_searched().unwrap();
        assert!((off - 0.375).abs() < 1e-12, "{off}");
        found.settled.choice.reach = TimeReach::Faster;
        assert_eq!(found.misprediction(), None);
        assert_eq!(found.misprediction_searched(), None);
    }

    #[test]
    fn of_a_deviation_that_is_only_rounding_no_part_is_told() {
        for sigma in [0.0, 6e-16, 1e-9] {
            let mut chapters = chapters(EngineFamily::Depth, 0.8, 0, sigma);
            chapters[0].found[0].settled.predicted_eta = 0.04;
            assert_eq!(chapters[0].found[0].misprediction(), None, "{sigma}");
        }
        let chapters = chapters(EngineFamily::Depth, 0.8, 0, 1e-6);
        assert!(chapters[0].found[0].misprediction().is_some());
    }
}
