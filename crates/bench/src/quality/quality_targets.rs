//! The bars of our best engine, and a check of the figures that they are about.

use impinge::DVec3;

use super::PERFECT;
use super::call_times::CallTimes;
use super::force_engines::{EngineFamily, ForceAnswer};
use super::scene::{ExpectedForce, ForceModel, PathPlace, QualityScene};
use super::scene_results::{SceneResults, score_of};
use super::score::Score;
use crate::result_sheet::ResultSheet;

/// What the theses found, and what our best engine must stay below.
const SIGMA_F: f64 = 0.043;
const SIGMA_T: f64 = 0.112;
const GAMMA_F: f64 = 2.4;
const NU: f64 = 0.12;

/// The turn, in degrees, of an engine that is known to be wrong.
const TURNED: f64 = 5.0;

/// Refuses to go on if the figures do not tell an engine that is wrong by a known amount from one
/// that answers the formulas. No bar: it says something about the figures and nothing about an
/// engine.
///
/// # Errors
/// Which scene and model, and what was reported.
pub(super) fn check_figures(count: usize) -> anyhow::Result<()> {
    for scene in QualityScene::ALL {
        let path = scene.path(count)?;
        for model in [ForceModel::Depth, ForceModel::Volume, ForceModel::Slope] {
            for turned in [0.0, TURNED] {
                let told = gamma_of_turned(scene, model, &path, turned);
                anyhow::ensure!(
                    told.is_some_and(|told| (told - turned).abs() < PERFECT),
                    "forces turned by {turned}° are told to be off by {told:?}° in scene {} by {model:?}",
                    scene.name()
                );
            }
        }
    }
    Ok(())
}

/// The reported angle of the formulas' forces and torques, each turned by so many degrees.
fn gamma_of_turned(
    scene: QualityScene,
    model: ForceModel,
    path: &[PathPlace],
    degrees: f64,
) -> Option<f64> {
    let turned = |v: DVec3| {
        let across = v.any_orthogonal_vector().normalize_or_zero();
        v * degrees.to_radians().cos() + across * v.length() * degrees.to_radians().sin()
    };
    let answers: Vec<ForceAnswer> = path
        .iter()
        .map(|stamp| {
            let ExpectedForce { force, torque } = scene.expected(model, stamp);
            ForceAnswer {
                force: turned(force),
                torque: turned(torque),
            }
        })
        .collect();
    let score = Score::new(scene, model, path, &answers);
    score.gamma_f.or(score.gamma_t)
}

/// Whether an engine answered everywhere and in time: what is slower is at no equivalent resolution.
fn is_equivalent((score, times): (&Score, &CallTimes), tau: f64) -> bool {
    times.mean() <= tau && score.missing == 0
}

/// The engine whose mean deviation from a published model over all scenes is smallest, of those that answer in time.
fn best(chapters: &[SceneResults], tau: f64) -> Option<&'static str> {
    let mean = |rule: &str| {
        let etas = QualityScene::ALL.map(|scene| {
            score_of(chapters, scene, rule)
                .filter(|found| is_equivalent(*found, tau))
                .map(|s| s.0.eta())
        });
        etas.into_iter().sum::<Option<f64>>()
    };
    EngineFamily::ALL
        .iter()
        .flat_map(|family| family.rules())
        // The theses know the models of depth and volume only.
        .filter(|rule| rule.model != ForceModel::Slope)
        .filter_map(|rule| Some((mean(rule.name)?, rule.name)))
        .min_by(|x, y| x.0.total_cmp(&y.0))
        .map(|(_, name)| name)
}

/// The bars of our best engine.
pub(super) fn quality_targets(sheet: &mut ResultSheet, chapters: &[SceneResults], tau: f64) {
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
    let mut claim =
        |what: &str, scene: QualityScene, value: fn(&Score) -> Option<f64>, bar: f64| {
            let found = score_of(chapters, scene, best);
            let reached = found.and_then(|(score, times)| Some((value(score)?, times)));
            let is_in_time = found.is_some_and(|found| is_equivalent(found, tau));
            let is_met = is_in_time && reached.is_some_and(|(value, _)| value < bar);
            let text = reached.map_or("nothing measured".to_owned(), |(value, times)| {
                let (mean, most) = (times.mean(), times.most_in_words());
                format!("{value:.4} at {mean:.3} ms ({most})")
            });
            let asked = format!(
                "our best engine ({best}): {what} below {bar} in scene {} within {tau} ms",
                scene.name()
            );
            sheet.claim(&asked, &text, is_met);
        };
    claim("sigma_F", QualityScene::Cone, |s| s.sigma_f, SIGMA_F);
    claim("sigma_T", QualityScene::Turn, |s| s.sigma_t, SIGMA_T);
    claim(
        "gamma_F in degrees",
        QualityScene::Orbit,
        |s| s.gamma_f,
        GAMMA_F,
    );
    for scene in [QualityScene::Orbit, QualityScene::Shift] {
        claim("|nu - 1|", scene, |s| s.nu.map(|nu| (nu - 1.0).abs()), NU);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bar;
    use crate::quality::scene_results::tests::chapters;

    #[test]
    fn an_engine_that_is_too_slow_or_silent_meets_no_bar() {
        let judged = |ms: f64, missing: usize, sigma: f64| {
            let mut sheet = ResultSheet::new("quality", "", "", "");
            quality_targets(
                &mut sheet,
                &chapters(EngineFamily::Exact, ms, missing, sigma),
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
    fn figures_tell_by_how_much_an_engine_is_wrong() {
        assert!(check_figures(64).is_ok());
        for scene in QualityScene::ALL {
            let path = scene.path(64).unwrap();
            let told = gamma_of_turned(scene, ForceModel::Volume, &path, 12.0);
            assert!(
                told.is_some_and(|told| (told - 12.0).abs() < 1e-9),
                "{told:?}"
            );
        }
    }
}
