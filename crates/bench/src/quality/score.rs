//! The figures of one force along one path.

use impinge::DVec3;

use super::force_engines::ForceAnswer;
use super::metrics::{SignalPair, Spurious, spurious};
use super::scene::{ExpectedForce, ForceModel, PathPlace, QualityScene};

/// None where the scene has nothing of the kind, or nothing was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Score {
    pub(super) sigma_f: Option<f64>,
    pub(super) gamma_f: Option<f64>,
    pub(super) sigma_t: Option<f64>,
    pub(super) gamma_t: Option<f64>,
    /// As printed in the theses, of force or torque.
    pub(super) printed: Option<f64>,
    /// Of the force along x.
    pub(super) nu: Option<f64>,
    /// Of its size.
    pub(super) nu_size: Option<f64>,
    /// Of the torque about z.
    pub(super) nu_t: Option<f64>,
    /// Of its size.
    pub(super) nu_t_size: Option<f64>,
    pub(super) noise: Option<f64>,
    pub(super) spurious: Option<Spurious>,
    /// Places without a direction where one was expected.
    pub(super) missing: usize,
}

impl Score {
    pub(super) fn new(
        scene: QualityScene,
        model: ForceModel,
        path: &[PathPlace],
        answers: &[ForceAnswer],
    ) -> Self {
        let expected: Vec<ExpectedForce> = path.iter().map(|s| scene.expected(model, s)).collect();
        let ideal_force: Vec<DVec3> = expected.iter().map(|e| e.force).collect();
        let ideal_torque: Vec<DVec3> = expected.iter().map(|e| e.torque).collect();
        let force: Vec<DVec3> = answers.iter().map(|a| a.force).collect();
        let torque: Vec<DVec3> = answers.iter().map(|a| a.torque).collect();
        let is_asked: Vec<bool> = path.iter().map(|s| s.has_direction).collect();
        let forces = SignalPair {
            ideal: &ideal_force,
            measured: &force,
        };
        let torques = SignalPair {
            ideal: &ideal_torque,
            measured: &torque,
        };
        let main = if scene.is_torque() { torques } else { forces };
        let gamma = main.gamma(&is_asked);
        let missing = match gamma {
            Some((_, skipped)) => skipped,
            None => is_asked.iter().filter(|asked| **asked).count(),
        };
        let gamma = gamma.map(|(angle, _)| angle);
        let only = |is_wanted: bool, value: Option<f64>| value.filter(|_| is_wanted);
        // What should not be there: torque in scenes of force, force in that of torque, and in the plane where a torque is expected, what
        // leaves the plane.
        let odd: Vec<DVec3> = match scene {
            QualityScene::Turn => force.clone(),
            QualityScene::Shift => answers
                .iter()
                .map(|a| DVec3::new(a.torque.x, a.torque.y, a.force.z))
                .collect(),
            _ => torque.clone(),
        };
        let (x, z, size) = (|v: &DVec3| v.x, |v: &DVec3| v.z, |v: &DVec3| v.length());
        Self {
            sigma_f: only(!scene.is_torque(), main.sigma()),
            gamma_f: only(!scene.is_torque(), gamma),
            sigma_t: only(scene.is_torque(), main.sigma()),
            gamma_t: only(scene.is_torque(), gamma),
            printed: main.sigma_as_printed(),
            nu: only(scene.is_closed(), forces.nu(x)),
            nu_size: only(scene.is_closed(), forces.nu(size)),
            // None where no torque is expected.
            nu_t: torques.nu(z),
            nu_t_size: torques.nu(size),
            noise: main.noise(),
            spurious: spurious(&odd, main.measured, &is_asked),
            missing,
        }
    }

    /// The sum of both deviations, equally weighted: of sizes, and of directions in half turns.
    pub(super) fn eta(&self) -> f64 {
        let sigma = self.sigma_f.or(self.sigma_t).unwrap_or(1.0);
        let gamma = self.gamma_f.or(self.gamma_t).unwrap_or(180.0);
        0.5 * (sigma + gamma / 180.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfect_engine_scores_perfectly_in_every_scene_and_model() {
        for scene in QualityScene::ALL {
            let path = scene.path(128).unwrap();
            for model in [ForceModel::Depth, ForceModel::Volume, ForceModel::Slope] {
                let answers: Vec<ForceAnswer> = path
                    .iter()
                    .map(|stamp| {
                        let ExpectedForce { force, torque } = scene.expected(model, stamp);
                        ForceAnswer {
                            force: force * 3.0,
                            torque: torque * 3.0,
                        }
                    })
                    .collect();
                let score = Score::new(scene, model, &path, &answers);
                assert!(score.eta() < 1e-12 && score.missing == 0, "{score:?}");
                assert_eq!(score.nu.is_some(), scene.is_closed());
                assert_eq!(score.nu_t.is_some(), scene.is_torque());
                assert_eq!(score.nu_t_size.is_some(), scene.is_torque());
                let nus = [score.nu, score.nu_size, score.nu_t, score.nu_t_size];
                let mut nus = nus.into_iter().flatten();
                assert!(nus.all(|nu| (nu - 1.0).abs() < 1e-12), "{score:?}");
                assert!(score.spurious.is_some_and(|s| s.most == 0.0));
            }
        }
    }

    /// What the guide says about models that differ: no engine is to blame for it.
    #[test]
    fn a_perfect_force_of_one_model_is_off_by_another() {
        let sigma = |scene: QualityScene, made: ForceModel, judged: ForceModel| {
            let path = scene.path(512).unwrap();
            let answers: Vec<ForceAnswer> = path
                .iter()
                .map(|stamp| {
                    let ExpectedForce { force, torque } = scene.expected(made, stamp);
                    ForceAnswer { force, torque }
                })
                .collect();
            let score = Score::new(scene, judged, &path, &answers);
            score.sigma_f.or(score.sigma_t).unwrap()
        };
        let cone = sigma(QualityScene::Cone, ForceModel::Volume, ForceModel::Depth);
        assert!((cone - 0.094).abs() < 1e-3, "{cone}");
        let turn = sigma(QualityScene::Turn, ForceModel::Slope, ForceModel::Volume);
        assert!((turn - 0.50).abs() < 5e-3, "{turn}");
    }
}
