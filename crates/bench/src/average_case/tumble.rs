//! Two copies of a model, one of them tumbling at a fixed distance.

use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::Instant;

use impinge::average_case::{
    AverageAnswer, AverageOptions, AverageQuery, AverageTree, AverageVolume,
};
use impinge::bound::{Aabb, BoundingVolume, Kdop};
use impinge::bvh::MeshIndex;
use impinge::bvh::tree::{Builder, Bvh, BvhConfig, Descent};
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::math::Rng;
use impinge::query::{First, Limits};
use impinge::{DVec3, Pose};

use super::thesis_models::Model;

/// All placements of one distance whose boxes overlap, and whether the meshes meet.
#[derive(Clone, Debug)]
pub(super) struct TumblePoses {
    pub(super) distance: f64,
    pub(super) poses: Vec<Pose>,
    pub(super) truth: Vec<bool>,
}

/// The distances of the published table.
pub(super) fn distances(step: f64) -> impl Iterator<Item = f64> {
    let count = (1.7 / step).round() as u32;
    (0..=count).map(move |i| 0.4 + step * f64::from(i))
}

/// Turned about z and then about x by the same angle, a whole turn in `steps`; boxes that do not overlap are left out.
pub(super) fn rounds(model: &Model, steps: u32, step: f64) -> anyhow::Result<Vec<TumblePoses>> {
    let tree = WideTree::new(model.mesh.clone());
    let mut cache = WideCache::default();
    let bounds = model.mesh.bounds();
    let mut rng = Rng::new(2005);
    let mut rounds = Vec::new();
    for distance in distances(step) {
        let (mut poses, mut truth) = (Vec::new(), Vec::new());
        for k in 0..steps {
            let pose = if model.stays_parallel {
                Pose::from_translation(rng.direction() * distance)?
            } else {
                let angle = TAU * f64::from(k) / f64::from(steps);
                let about_z = Pose::from_axis_angle(DVec3::Z, angle, DVec3::ZERO)?;
                let about_x = Pose::from_axis_angle(DVec3::X, angle, [distance, 0.0, 0.0])?;
                about_x * about_z
            };
            let relative = Aabb::relative(&pose);
            if BoundingVolume::overlaps(&bounds, &bounds, &relative) {
                truth.push(tree.intersects(&tree, &pose, &mut cache));
                poses.push(pose);
            }
        }
        rounds.push(TumblePoses {
            distance,
            poses,
            truth,
        });
    }
    Ok(rounds)
}

/// Something that says whether two copies meet.
pub(super) struct TumbleEngine {
    pub(super) name: String,
    pub(super) ask: Box<dyn FnMut(&Pose) -> bool>,
}

/// The default engine.
pub(super) fn exact(model: &Model) -> TumbleEngine {
    let tree = WideTree::new(model.mesh.clone());
    let mut cache = WideCache::default();
    TumbleEngine {
        name: "wide".to_owned(),
        // The trees beside it keep nothing from pose to pose either.
        ask: Box::new(move |pose| {
            cache.forget();
            tree.intersects(&tree, pose, &mut cache)
        }),
    }
}

/// A tree of k-DOPs that is tried.
pub(super) type KdopCandidate = (fn(&Model, &BvhConfig) -> TumbleEngine, BvhConfig);

/// The trees of k-DOPs of which the fastest is compared with; boxes are among them, as 6-DOPs.
pub(super) fn candidates() -> Vec<KdopCandidate> {
    let mut candidates: Vec<KdopCandidate> = Vec::new();
    for descent in [Descent::Larger, Descent::Simultaneous] {
        for leaf_faces in [1, 4] {
            let config = BvhConfig {
                leaf_faces,
                descent,
                builder: Builder::BinnedSah,
                ..BvhConfig::default()
            };
            candidates.push((kdop::<Kdop<6>>, config.clone()));
            candidates.push((kdop::<Kdop<14>>, config.clone()));
            candidates.push((kdop::<Kdop<18>>, config.clone()));
            candidates.push((kdop::<Kdop<24>>, config));
        }
    }
    candidates
}

fn kdop<V: BoundingVolume>(model: &Model, config: &BvhConfig) -> TumbleEngine {
    let tree = Bvh::<V>::build(model.mesh.clone(), config);
    let mut cache = Default::default();
    TumbleEngine {
        name: format!(
            "{} leaf {} {:?}",
            V::NAME,
            config.leaf_faces,
            config.descent
        ),
        ask: Box::new(move |pose| {
            let mut first = First::default();
            let _ = tree.intersections(&tree, pose, Limits::default(), &mut cache, &mut first);
            first.0.is_some()
        }),
    }
}

/// A probabilistic tree.
pub(super) fn average<V: AverageVolume>(
    name: &str,
    tree: &Arc<AverageTree<V>>,
    options: &AverageOptions,
) -> anyhow::Result<TumbleEngine> {
    let mut query = AverageQuery::new(tree.clone(), tree.clone(), options.clone())?;
    Ok(TumbleEngine {
        name: name.to_owned(),
        ask: Box::new(move |pose| query.at(pose, Limits::default()).verdict.answer),
    })
}

/// What an engine took and how often it erred, by distance.
#[derive(Clone, Debug, Default)]
pub(super) struct EngineScore {
    pub(super) name: String,
    pub(super) rows: Vec<ErrorRow>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ErrorRow {
    pub(super) distance: f64,
    pub(super) queries: usize,
    pub(super) false_yes: usize,
    pub(super) false_no: usize,
    /// For all queries together, the least of the repeats: what else the machine does only adds to it.
    pub(super) seconds: f64,
}

impl EngineScore {
    fn within(&self, from: f64, to: f64) -> impl Iterator<Item = &ErrorRow> {
        let is_in = move |row: &&ErrorRow| row.distance >= from - 1e-9 && row.distance <= to + 1e-9;
        self.rows.iter().filter(is_in)
    }

    pub(super) fn seconds(&self) -> f64 {
        self.rows.iter().map(|row| row.seconds).sum()
    }

    pub(super) fn microseconds(&self) -> f64 {
        let queries: usize = self.rows.iter().map(|row| row.queries).sum();
        1e6 * self.seconds() / queries.max(1) as f64
    }

    /// Wrong answers between two distances, in percent: all, false yes, false no.
    pub(super) fn error(&self, from: f64, to: f64) -> [f64; 3] {
        let (mut all, mut yes, mut no) = (0, 0, 0);
        for row in self.within(from, to) {
            all += row.queries;
            yes += row.false_yes;
            no += row.false_no;
        }
        [yes + no, yes, no].map(|wrong| 100.0 * wrong as f64 / all.max(1) as f64)
    }
}

/// Asks all engines everything, one after the other for each distance and `repeats` times, so that whatever else the machine does meets all of them.
pub(super) fn play(
    rounds: &[TumblePoses],
    engines: &mut [TumbleEngine],
    repeats: usize,
) -> Vec<EngineScore> {
    let mut scores: Vec<EngineScore> = engines
        .iter()
        .map(|engine| EngineScore {
            name: engine.name.clone(),
            rows: Vec::new(),
        })
        .collect();
    for round in rounds {
        let mut times = vec![Vec::new(); engines.len()];
        for repeat in 0..repeats.max(1) {
            for ((engine, score), times) in engines.iter_mut().zip(&mut scores).zip(&mut times) {
                let begin = Instant::now();
                let mut wrong = [0, 0];
                for (pose, &truth) in round.poses.iter().zip(&round.truth) {
                    let said = (engine.ask)(pose);
                    wrong[0] += usize::from(said && !truth);
                    wrong[1] += usize::from(!said && truth);
                }
                times.push(begin.elapsed().as_secs_f64());
                if repeat == 0 {
                    score.rows.push(ErrorRow {
                        distance: round.distance,
                        queries: round.poses.len(),
                        false_yes: wrong[0],
                        false_no: wrong[1],
                        seconds: 0.0,
                    });
                }
            }
        }
        for (score, times) in scores.iter_mut().zip(&times) {
            if let Some(row) = score.rows.last_mut() {
                row.seconds = times.iter().copied().fold(f64::INFINITY, f64::min);
            }
        }
    }
    scores
}

/// Every `nth` placement.
pub(super) fn thinned(rounds: &[TumblePoses], nth: usize) -> Vec<TumblePoses> {
    let keep = |round: &TumblePoses| TumblePoses {
        distance: round.distance,
        poses: round.poses.iter().copied().step_by(nth.max(1)).collect(),
        truth: round.truth.iter().copied().step_by(nth.max(1)).collect(),
    };
    rounds.iter().map(keep).collect()
}

/// All answers with the truth.
pub(super) fn answers<V: AverageVolume>(
    rounds: &[TumblePoses],
    tree: &Arc<AverageTree<V>>,
    options: &AverageOptions,
    limits: Limits<'_>,
) -> anyhow::Result<Vec<(AverageAnswer, bool)>> {
    let mut query = AverageQuery::new(tree.clone(), tree.clone(), options.clone())?;
    let mut answers = Vec::new();
    for round in rounds {
        for (pose, &truth) in round.poses.iter().zip(&round.truth) {
            answers.push((query.at(pose, limits), truth));
        }
    }
    Ok(answers)
}
