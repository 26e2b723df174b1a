//! External runners on the poses of a scene, at one resolution.
//!
//! **Idea.** A runner gets the meshes of a scene and the queries `force` and `volume` at every
//! pose. The protocol does not fix the magnitude of a force, so it is compared with each of the
//! three models as it is; and if the runner also returns volumes, once more scaled to the volume,
//! like our exact volume.
//!
//! **Limits.** The protocol has no torque. Scene III, where a torque and no force is expected, uses
//! only the magnitude of volumes.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use impinge::DVec3;

use super::call_times::CallTimes;
use super::force_engines::{ForceAnswer, SEGMENTS};
use super::scene::{ForceModel, PathPlace, QualityScene};
use super::scene_results::RunnerForce;
use super::score::Score;
use crate::engines::{Engine, present_or};
use crate::own_runners;
use crate::pair_measurement::scratch;
use crate::result_sheet::Failure;
use crate::runner::{QUERY_LIMIT, Runner, RunnerReply};

/// Askings of each place; the fastest counts.
const REPEATS: usize = 2;

/// The engines that are there; those that are not are reported as failures, none of them ours.
///
/// # Errors
/// A name that no engine has.
pub(super) fn engines(
    names: &[String],
    failures: &mut Vec<Failure>,
) -> anyhow::Result<Vec<Engine>> {
    present_or(names, |name| {
        let reason = "its runner is not there (`cargo xtask peers` installs and builds it)";
        eprintln!("absent: {name}: {reason}");
        failures.push(Failure {
            subject: name.to_owned(),
            reason: reason.to_owned(),
            is_ours: false,
        });
    })
}

/// What came back along a path on one question.
#[derive(Debug, PartialEq)]
enum RunnerForces<T> {
    /// With the times of the questions.
    All(Vec<T>, CallTimes),
    /// The engine does not answer this.
    Nothing,
    /// Why its answers count for nothing.
    Void(String),
}

/// Asks one question at every place, for so long at most.
fn along<T>(
    path: &[PathPlace],
    allowed: Duration,
    mut ask: impl FnMut(usize) -> Result<(T, Vec<f64>), RunnerReply>,
    is_finite: fn(&T) -> bool,
) -> RunnerForces<T> {
    let start = Instant::now();
    let (mut told, mut all) = (Vec::with_capacity(path.len()), CallTimes::default());
    for place in 0..path.len() {
        let at = format!("at place {place} of {}", path.len());
        if start.elapsed() > allowed {
            return RunnerForces::Void(format!("its time was up {at}"));
        }
        let (value, times) = match ask(place) {
            Ok(answer) => answer,
            Err(RunnerReply::Unsupported) if place == 0 => return RunnerForces::Nothing,
            Err(RunnerReply::Unsupported) => {
                return RunnerForces::Void(format!("it answered before, and not {at}"));
            }
            Err(RunnerReply::TimedOut) => {
                return RunnerForces::Void(format!("it took too long {at}"));
            }
            Err(_) => return RunnerForces::Void(format!("it ended or made no sense {at}")),
        };
        if !is_finite(&value) {
            return RunnerForces::Void(format!("it told what is no number {at}"));
        }
        let is_none = |ns: &f64| !(ns.is_finite() && *ns >= 0.0);
        if times.is_empty() || times.iter().any(is_none) {
            return RunnerForces::Void(format!("it told a time that is none {at}"));
        }
        told.push(value);
        let ms: Vec<f64> = times.iter().map(|ns| 1e-6 * ns).collect();
        all.push(&ms);
    }
    RunnerForces::All(told, all)
}

/// Asks an engine about a scene. Each question may take so long along the path.
pub(super) fn ask(
    engine: &Engine,
    scene: QualityScene,
    path: &[PathPlace],
    allowed: Duration,
) -> anyhow::Result<Vec<RunnerForce>> {
    let folder = SceneFiles(scratch()?);
    let files = [folder.0.join("a.mesh"), folder.0.join("b.mesh")];
    own_runners::write(&files[0], &scene.fixed(SEGMENTS)?)?;
    own_runners::write(&files[1], &scene.moving(SEGMENTS)?)?;
    let meshes = [files[0].as_path(), files[1].as_path()];
    let mut runner = match Runner::start(engine, meshes, 1, QUERY_LIMIT) {
        Ok(runner) => runner,
        Err(error) => return Ok(vec![RunnerForce::void(engine, None, format!("{error:#}"))]),
    };
    let indices: Vec<usize> = path.iter().map(|stamp| runner.pose(&stamp.pose)).collect();
    let forces = along(
        path,
        allowed,
        |place| runner.force(indices[place], REPEATS),
        |force: &[f64; 3]| force.iter().all(|x| x.is_finite()),
    );
    let volumes = along(
        path,
        allowed,
        |place| match runner.ask("volume", 0.0, indices[place], REPEATS, false) {
            RunnerReply::Answer { value, nanoseconds } => Ok((value, nanoseconds)),
            other => Err(other),
        },
        |volume: &f64| volume.is_finite(),
    );
    Ok(guests(engine, scene, path, &forces, &volumes))
}

/// The files of one scene.
struct SceneFiles(PathBuf);

impl Drop for SceneFiles {
    fn drop(&mut self) {
        // Only our own files are in it; what cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Forces as they came, volumes as they came, and volumes along forces; none where an engine answers neither.
fn guests(
    engine: &Engine,
    scene: QualityScene,
    path: &[PathPlace],
    forces: &RunnerForces<[f64; 3]>,
    volumes: &RunnerForces<f64>,
) -> Vec<RunnerForce> {
    let mut guests = Vec::new();
    match forces {
        RunnerForces::Nothing => {}
        RunnerForces::Void(reason) => {
            guests.push(RunnerForce::void(engine, Some("force"), reason.clone()))
        }
        // A torque is expected there, and the protocol has none.
        RunnerForces::All(_, _) if scene.is_torque() => {}
        RunnerForces::All(forces, times) => {
            let answers = answers(forces.iter().map(|force| DVec3::from_array(*force)));
            for model in [ForceModel::Depth, ForceModel::Volume, ForceModel::Slope] {
                let score = without_torque(Score::new(scene, model, path, &answers));
                guests.push(RunnerForce::new(
                    engine,
                    "force",
                    model,
                    score,
                    times.clone(),
                ));
            }
        }
    }
    match volumes {
        RunnerForces::Nothing => {}
        RunnerForces::Void(reason) => {
            guests.push(RunnerForce::void(engine, Some("volume"), reason.clone()))
        }
        RunnerForces::All(volumes, times) => {
            let score = of_sizes(scene, path, volumes);
            let model = ForceModel::Volume;
            guests.push(RunnerForce::new(
                engine,
                "volume",
                model,
                score,
                times.clone(),
            ));
        }
    }
    if let (RunnerForces::All(forces, of_force), RunnerForces::All(volumes, of_volume)) =
        (forces, volumes)
        && !scene.is_torque()
    {
        let both = forces.iter().zip(volumes).map(|(force, volume)| {
            let along = DVec3::from_array(*force).normalize_or_zero();
            along * *volume
        });
        let score = Score::new(scene, ForceModel::Volume, path, &answers(both));
        let (what, times) = ("volume along force", of_force.then(of_volume));
        guests.push(RunnerForce::new(
            engine,
            what,
            ForceModel::Volume,
            without_torque(score),
            times,
        ));
    }
    guests
}

fn answers(forces: impl Iterator<Item = DVec3>) -> Vec<ForceAnswer> {
    forces
        .map(|force| ForceAnswer {
            force,
            torque: DVec3::ZERO,
        })
        .collect()
}

/// A score of forces whose torques are not known, and so not zero either.
fn without_torque(score: Score) -> Score {
    Score {
        spurious: None,
        ..score
    }
}

/// A score of sizes without directions.
fn of_sizes(scene: QualityScene, path: &[PathPlace], sizes: &[f64]) -> Score {
    let answers: Vec<ForceAnswer> = sizes
        .iter()
        .map(|size| ForceAnswer {
            force: DVec3::X * *size,
            torque: DVec3::X * *size,
        })
        .collect();
    let all = Score::new(scene, ForceModel::Volume, path, &answers);
    Score {
        sigma_f: all.sigma_f,
        sigma_t: all.sigma_t,
        printed: all.printed,
        nu_size: all.nu_size,
        nu_t_size: all.nu_t_size,
        ..Score::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::{FoundEngine, find};
    use crate::quality::call_times::tests::lasting;

    fn place(told: &RunnerForces<f64>) -> &str {
        match told {
            RunnerForces::Void(reason) => reason,
            _ => "",
        }
    }

    #[test]
    fn one_bad_answer_voids_all_and_says_where() {
        let path = QualityScene::Orbit.path(4).unwrap();
        let long = Duration::from_secs(60);
        let with = |third: Result<(f64, Vec<f64>), RunnerReply>| {
            along(
                &path,
                long,
                |place| {
                    if place == 2 {
                        third.clone()
                    } else {
                        Ok((0.5, vec![3e6, 1e6]))
                    }
                },
                |x| x.is_finite(),
            )
        };
        // The faster of two calls counts, in milliseconds.
        let RunnerForces::All(values, times) = with(Ok((0.25, vec![5e6, 5e6]))) else {
            panic!("not all were told");
        };
        assert_eq!(values, [0.5, 0.5, 0.25, 0.5]);
        assert_eq!((times.mean(), times.calls()), (2.0, 8));
        assert_eq!((times.median(), times.largest()), (Some(3.0), Some(5.0)));
        for (third, reason) in [
            (Ok((f64::NAN, vec![1.0])), "no number"),
            (Ok((f64::INFINITY, vec![1.0])), "no number"),
            (Ok((0.5, vec![f64::NAN])), "a time that is none"),
            (Ok((0.5, vec![-1.0])), "a time that is none"),
            (Ok((0.5, vec![1.0, f64::NAN])), "a time that is none"),
            (Ok((0.5, vec![])), "a time that is none"),
            (Err(RunnerReply::Died), "ended or made no sense"),
            (Err(RunnerReply::TimedOut), "took too long"),
            (Err(RunnerReply::Unsupported), "answered before"),
        ] {
            let told = with(third);
            assert!(place(&told).contains(reason), "{told:?}");
            assert!(place(&told).ends_with("at place 2 of 4"), "{told:?}");
        }
        let silent = |_: usize| Err(RunnerReply::Unsupported);
        let told: RunnerForces<f64> = along(&path, long, silent, |_| true);
        assert_eq!(told, RunnerForces::Nothing);
    }

    #[test]
    fn a_perfect_stranger_scores_perfectly_and_what_it_did_not_tell_is_not_judged() {
        let FoundEngine::Present(engine) = find("impinge").unwrap() else {
            panic!("ours is not there");
        };
        for scene in QualityScene::ALL {
            let path = scene.path(128).unwrap();
            let ideal: Vec<_> = path
                .iter()
                .map(|stamp| scene.expected(ForceModel::Volume, stamp))
                .collect();
            let forces: Vec<[f64; 3]> = ideal.iter().map(|e| e.force.to_array()).collect();
            let sizes = ideal.iter().map(|e| (e.force + e.torque).length());
            let volumes = RunnerForces::All(sizes.collect(), lasting(0.2));
            let all = guests(
                &engine,
                scene,
                &path,
                &RunnerForces::All(forces, lasting(0.1)),
                &volumes,
            );
            let names: Vec<&str> = all.iter().map(|guest| guest.force.as_str()).collect();
            if scene.is_torque() {
                assert_eq!(names, ["impinge, volume"]);
            } else {
                assert_eq!(names[..3], ["impinge, force"; 3]);
                assert_eq!(
                    names[3..],
                    ["impinge, volume", "impinge, volume along force"]
                );
                let (score, times) = all[4].scored.as_ref().unwrap();
                assert!(
                    score.eta() < 1e-12 && (times.mean() - 0.3).abs() < 1e-12,
                    "{score:?}"
                );
                assert!(score.spurious.is_none());
                assert_eq!(score.nu.is_some(), scene.is_closed());
                // By the model of volume its forces are as good; by that of depth they are another's.
                assert!(all[1].scored.as_ref().unwrap().0.eta() < 1e-12);
            }
            let volume = all.iter().find(|guest| guest.force == "impinge, volume");
            let (score, _) = volume.unwrap().scored.as_ref().unwrap();
            let sigma = score.sigma_f.or(score.sigma_t);
            assert!(sigma.is_some_and(|sigma| sigma < 1e-12), "{score:?}");
            assert!(score.gamma_f.or(score.gamma_t).or(score.nu).is_none());
            // A crash at one question leaves the other.
            let crashed = RunnerForces::Void("it ended".to_owned());
            let left = guests(&engine, scene, &path, &crashed, &volumes);
            assert_eq!(left.len(), 2);
            assert_eq!(left[0].scored, Err("it ended".to_owned()));
            assert!(left[1].scored.is_ok());
            assert!(
                guests(
                    &engine,
                    scene,
                    &path,
                    &RunnerForces::Nothing,
                    &RunnerForces::Nothing
                )
                .is_empty()
            );
        }
    }
}
