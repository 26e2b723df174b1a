//! Calibration of a query by the exact engine, with a bound on how often answers are wrong.
//!
//! **Idea.** The confidence of an [`AverageQuery`] is a mean over models of all kinds. Here the
//! exact engine answers some poses of the two meshes at hand. On half of them a curve is fitted:
//! how often surfaces met when the traversal had found as much. The other half states how unusual
//! an answer is (split-conformal prediction): if poses come from the same distribution as those of
//! the calibration, the truth is excluded in at most a fraction α of all poses, whatever the model,
//! the trees and the curve. The fraction holds for each truth by itself: of poses that intersect
//! and of those that do not.
//! **Source.** The bound: Vovk, Gammerman and Shafer, *Algorithmic learning in a random world*,
//! 2005. Its use here is ours.
//! **Cost.** One exact and one probabilistic query per pose.

use std::sync::Arc;

use thiserror::Error;

use super::average_case_tree::{AverageTree, AverageVolume};
use super::config::{AverageOptions, Certainty, Estimate};
use super::fitted_curve::{Features, FittedCurve};
use super::query::{AverageAnswer, AverageQuery};
use crate::bound::{Aabb, BoundingVolume};
use crate::bvh::wide::{WideCache, WideTree};
use crate::math::{Pose, Rng, checksum};
use crate::query::{Limits, Outcome, Verdict};

/// How much of a nonconformity depends on the score, where probabilities are the same.
const TIE_BREAK: f64 = 1e-6;
/// Poses that are drawn at most for each one that is kept.
const TRIES: u64 = 64;

/// How often answers of a query about two meshes are right: see [`CalibratedQuery`].
///
/// ```
/// use impinge::average_case::{AverageQuery, AverageTree, CalibratedQuery, Calibration, calibration_poses};
/// use impinge::{Pose, bound::Aabb, bvh::wide::WideTree, generate::icosphere, query::Limits};
/// use std::sync::Arc;
/// let ball = icosphere(1.0, 16)?;
/// let tree = Arc::new(AverageTree::<Aabb>::new(&ball, &Default::default()));
/// let exact = WideTree::new(Arc::new(ball.clone()));
/// let mut query = AverageQuery::new(tree.clone(), tree, Default::default())?;
///
/// let poses = calibration_poses(&ball.bounds(), &ball.bounds(), 1000, 1);
/// let calibration = Arc::new(Calibration::measure(&mut query, [&exact, &exact], &poses));
/// let mut query = CalibratedQuery::new(query, calibration)?;
///
/// // At most one pose in fifty is decided wrongly; others are left to the exact engine.
/// let mut decided = |x| Ok(query.at(&Pose::from_translation([x, 0.2, 0.1])?, Limits::default()).decided(0.02));
/// let [near, far]: [Result<_, impinge::PoseError>; 2] = [decided(1.0), decided(3.0)];
/// assert!(near? != Some(false) && far? == Some(false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Of the trees and of the options that change answers.
    pub(super) fingerprint: u64,
    /// For traversals that found enough pairs, and for those that saw all.
    pub(super) curves: [FittedCurve; 2],
    /// Nonconformities of poses that do not intersect, and of those that do; ascending.
    pub(super) nonconformities: [Vec<f64>; 2],
}

impl Calibration {
    /// Measures a query on these poses by the exact engine. Half of them make the curve, the other half the bound.
    ///
    /// The bound holds for poses from the same distribution: take poses of your application, or [`calibration_poses`].
    #[must_use]
    pub fn measure<V: AverageVolume>(
        query: &mut AverageQuery<V>,
        [a, b]: [&WideTree; 2],
        poses: &[Pose],
    ) -> Self {
        let mut cache = WideCache::default();
        let placements: Vec<(Pose, bool)> = poses
            .iter()
            .map(|pose| (*pose, a.intersects(b, pose, &mut cache)))
            .collect();
        Self::from_truth(query, &placements)
    }

    /// The same with the truth about each pose, from wherever it is known.
    ///
    /// ```
    /// use impinge::average_case::{AverageQuery, AverageTree, Calibration};
    /// use impinge::{bound::Aabb, generate::tetrahedron};
    /// use std::sync::Arc;
    /// let tree = Arc::new(AverageTree::<Aabb>::new(&tetrahedron(1.0)?, &Default::default()));
    /// let mut query = AverageQuery::new(tree.clone(), tree, Default::default())?;
    /// // Without poses nothing is ever decided.
    /// assert_eq!(Calibration::from_truth(&mut query, &[]).poses(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn from_truth<V: AverageVolume>(
        query: &mut AverageQuery<V>,
        placements: &[(Pose, bool)],
    ) -> Self {
        let mut fitted = [Vec::new(), Vec::new()];
        let mut bounding = Vec::new();
        for (number, (pose, truth)) in placements.iter().enumerate() {
            let answer = query.at(pose, Limits::default());
            let Some((kind, features)) = features(query, pose, &answer) else {
                continue;
            };
            if number % 2 == 0 {
                fitted[kind].push((features, *truth));
            } else {
                bounding.push((kind, features, *truth));
            }
        }
        let mut calibration = Self {
            fingerprint: fingerprint(query),
            curves: fitted.map(|answers| FittedCurve::fit(&answers)),
            nonconformities: Default::default(),
        };
        for (kind, features, truth) in bounding {
            let (_, unusual) = calibration.judged(kind, &features);
            let of_truth = usize::from(truth);
            calibration.nonconformities[of_truth].push(unusual[of_truth]);
        }
        for of_truth in &mut calibration.nonconformities {
            of_truth.sort_by(f64::total_cmp);
        }
        calibration
    }

    /// How many poses the bound rests on: half of those whose answer was not certain.
    #[must_use]
    pub fn poses(&self) -> usize {
        self.nonconformities.iter().map(Vec::len).sum()
    }

    /// The probability of an intersection, and how unusual the answer is if the truth is no, and if it is yes.
    fn judged(&self, kind: usize, features: &Features) -> (f64, [f64; 2]) {
        let (p, score) = self.curves[kind].at(features);
        let order = p + TIE_BREAK * score / (1.0 + score.abs());
        (p, [order, -order])
    }

    /// The fraction of calibration poses with this truth that were at least as unusual.
    fn p_value(&self, truth: usize, unusual: f64) -> f64 {
        let of_truth = &self.nonconformities[truth];
        let below = of_truth.partition_point(|&known| known < unusual);
        (1 + of_truth.len() - below) as f64 / (1 + of_truth.len()) as f64
    }
}

/// Seeded poses at which the boxes of two meshes overlap, for a calibration: turned about any axis
/// by any angle, in any direction, the distance of the centres even.
///
/// Fewer than `count` come back only if boxes hardly ever overlap.
///
/// ```
/// use impinge::average_case::calibration_poses;
/// let ball = impinge::generate::icosphere(1.0, 4)?.bounds();
/// let poses = calibration_poses(&ball, &ball, 100, 7);
/// assert_eq!(poses, calibration_poses(&ball, &ball, 100, 7));
/// assert_eq!(poses.len(), 100);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
#[must_use]
pub fn calibration_poses(a: &Aabb, b: &Aabb, count: usize, seed: u64) -> Vec<Pose> {
    let mut rng = Rng::new(seed);
    let reach = a.half_extent().length() + b.half_extent().length();
    let mut poses = Vec::with_capacity(count);
    for _ in 0..(count as u64).saturating_mul(TRIES) {
        if poses.len() == count {
            break;
        }
        let (axis, angle) = (rng.direction(), rng.range(0.0, std::f64::consts::TAU));
        let away = rng.direction() * rng.range(0.0, reach);
        let Ok(turn) = Pose::from_axis_angle(axis, angle, [0.0; 3]) else {
            continue;
        };
        let shift = a.center() + away - turn.transform_point(b.center());
        let Ok(pose) = Pose::new(*turn.rotation(), shift) else {
            continue;
        };
        if BoundingVolume::overlaps(a, b, &Aabb::relative(&pose)) {
            poses.push(pose);
        }
    }
    poses
}

/// What is known of an answer that is neither certain nor cut short: of which kind it is, and its numbers.
fn features<V: AverageVolume>(
    query: &AverageQuery<V>,
    pose: &Pose,
    answer: &AverageAnswer,
) -> Option<(usize, Features)> {
    let kind = match answer.outcome {
        _ if answer.verdict.certain => return None,
        Outcome::StoppedBySink => 0,
        Outcome::Complete => 1,
        Outcome::OutOfBudget => return None,
    };
    let [a, b] = query.bounds();
    let apart = (pose.transform_point(b.center()) - a.center()).length();
    let reach = a.half_extent().length() + b.half_extent().length();
    let meetings = |expected: f64| libm::log1p(10.0 * expected.clamp(0.0, 1e30));
    Some((
        kind,
        [
            1.0,
            libm::log1p(answer.work.volume_tests as f64),
            meetings(answer.meetings),
            meetings(-libm::log1p(-answer.best.min(1.0 - 1e-12))),
            if reach > 0.0 { apart / reach } else { 0.0 },
        ],
    ))
}

/// Changes with the trees, and with every option that changes answers but a function of one's own and the contents of tables.
fn fingerprint<V: AverageVolume>(query: &AverageQuery<V>) -> u64 {
    let AverageOptions {
        p_min,
        k_min,
        estimate,
        certainty,
        refinement,
        shared,
        correction,
        order,
        leaves,
        at_end,
        ignore_below,
        max_regions: _,
    } = query.options();
    let estimate = match estimate {
        Estimate::Tables(_) => "Tables".to_owned(),
        other => format!("{other:?}"),
    };
    let certainty = match certainty {
        Certainty::Own(_) => "Own".to_owned(),
        other => format!("{other:?}"),
    };
    let text = format!(
        "{p_min} {k_min} {estimate} {certainty} {refinement} {shared:?} {correction:?} {order:?} {leaves:?} {at_end:?} {ignore_below}"
    );
    let of_trees = query.trees().map(AverageTree::fingerprint);
    let state = of_trees
        .iter()
        .fold(0, |state, &of| checksum::absorb(state, of));
    checksum::absorb(state, checksum::checksum(text.as_bytes()))
}

/// Why a calibration is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// It says nothing of these trees or of queries with these options.
    #[error("the calibration is of other trees or of other options than the query")]
    OtherQuery,
}

/// A query whose confidence was measured on the two meshes at hand.
///
/// See [`Calibration`] for an example.
#[derive(Clone, Debug)]
#[doc(alias = "conformal prediction")]
pub struct CalibratedQuery<V: AverageVolume = Aabb> {
    query: AverageQuery<V>,
    calibration: Arc<Calibration>,
}

impl<V: AverageVolume> CalibratedQuery<V> {
    /// A query with its calibration.
    ///
    /// # Errors
    /// A calibration of other trees, or of a query with other options.
    pub fn new(
        query: AverageQuery<V>,
        calibration: Arc<Calibration>,
    ) -> Result<Self, CalibrationError> {
        if calibration.fingerprint != fingerprint(&query) {
            return Err(CalibrationError::OtherQuery);
        }
        Ok(Self { query, calibration })
    }

    /// Whether the meshes intersect at this pose. A search that a limit stops keeps the confidence that it states by itself, and decides nothing.
    pub fn at(&mut self, a_from_b: &Pose, limits: Limits<'_>) -> CalibratedAnswer {
        let found = self.query.at(a_from_b, limits);
        let Some((kind, features)) = features(&self.query, a_from_b, &found) else {
            // What is proven excludes the other answer; what was cut short excludes none.
            let excluded = found.verdict.certain;
            let possible =
                |truth: bool| f64::from(u8::from(!excluded || truth == found.verdict.answer));
            return CalibratedAnswer {
                verdict: found.verdict,
                found,
                p_values: [possible(false), possible(true)],
            };
        };
        let (p, unusual) = self.calibration.judged(kind, &features);
        CalibratedAnswer {
            verdict: Verdict::likely(p >= 0.5, p.max(1.0 - p)),
            found,
            p_values: [0, 1].map(|truth| self.calibration.p_value(truth, unusual[truth])),
        }
    }
}

/// An answer of a [`CalibratedQuery`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct CalibratedAnswer {
    /// The likelier answer for these meshes, with the confidence that was measured.
    pub verdict: Verdict,
    /// What the traversal found, with the verdict that it states by itself.
    pub found: AverageAnswer,
    /// Conformal p-values of the truths no and yes: how usual such an answer is for poses with that truth.
    pub p_values: [f64; 2],
}

impl CalibratedAnswer {
    /// The answer, if all but one are excluded with this probability of an error; none if both remain possible.
    ///
    /// Of all poses that intersect, a fraction of at most `error` is decided as *no*, and of all that do not, at most this fraction as
    /// *yes*: on average over calibrations, if poses have the distribution of those that were calibrated with.
    ///
    /// ```
    /// use impinge::average_case::{AverageQuery, AverageTree, CalibratedQuery, Calibration};
    /// use impinge::{Pose, bound::Aabb, generate::icosphere, query::Limits};
    /// use std::sync::Arc;
    /// let tree = Arc::new(AverageTree::<Aabb>::new(&icosphere(1.0, 8)?, &Default::default()));
    /// let mut query = AverageQuery::new(tree.clone(), tree, Default::default())?;
    /// let nothing = Arc::new(Calibration::from_truth(&mut query, &[]));
    /// let mut query = CalibratedQuery::new(query, nothing)?;
    /// // Nothing was measured: only what is proven is decided.
    /// let near = query.at(&Pose::from_translation([1.0, 0.2, 0.1])?, Limits::default());
    /// let far = query.at(&Pose::from_translation([9.0, 0.0, 0.0])?, Limits::default());
    /// assert_eq!((near.decided(0.01), far.decided(0.01)), (None, Some(false)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn decided(&self, error: f64) -> Option<bool> {
        let [no, yes] = self.p_values;
        match (no > error, yes > error) {
            (true, true) => None,
            (false, false) => Some(yes > no),
            (_, is_yes) => Some(is_yes),
        }
    }
}
