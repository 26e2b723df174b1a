//! Queries of the points.

use std::sync::Arc;
use std::time::{Duration, Instant};

use impinge::cloud::CloudShape;
use impinge::convex::ConvexPenetration;
use impinge::math::Motion;
use impinge::pair::PairConfig;
use impinge::query::{Bounded, Impact, Limits, Outcome, Separation};
use impinge::{DVec3, Pair, Pose};

use super::cloud_or_mesh::CloudOrMesh;
use crate::query::{QueryKind, milliseconds_since};

/// The queries.
#[derive(Clone, Debug, Default)]
pub(crate) struct CloudQueries {
    /// In order, each once.
    pub(crate) asked: Vec<QueryKind>,
    /// What "closer than" means.
    pub(crate) tolerance: Option<f64>,
    /// Distances beyond this are of no interest.
    pub(crate) max_distance: Option<f64>,
    /// Tests for each question.
    pub(crate) limit_tests: Option<u64>,
    /// Time for each question.
    pub(crate) budget: Option<Duration>,
    /// The motion of B.
    pub(crate) motion: Option<Motion>,
    /// Whether a closed mesh is a solid.
    pub(crate) solid: bool,
}

/// What came back.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// None when it was not queried, or stayed open.
    pub(crate) intersects: Option<bool>,
    pub(crate) distance: Option<Bounded<Option<Separation>>>,
    /// Whether they are within the tolerance; none when that stayed open.
    pub(crate) within: Option<Option<bool>>,
    pub(crate) depth: Option<Bounded<Option<ConvexPenetration>>>,
    pub(crate) impact: Option<Bounded<Option<Impact>>>,
    pub(crate) milliseconds: f64,
}

impl CloudQueries {
    /// Limits with a clock in them.
    pub(crate) fn limited<R>(&self, ask: impl FnOnce(Limits<'_>) -> R) -> R {
        let started = Instant::now();
        let is_over = || {
            self.budget
                .is_some_and(|budget| started.elapsed() >= budget)
        };
        let stop: &dyn Fn() -> bool = &is_over;
        ask(Limits {
            max_tests: self.limit_tests,
            max_distance: None,
            stop: self.budget.is_some().then_some(stop),
        })
    }

    /// Every answer about one placement.
    pub(crate) fn ask(&self, [a, b]: [&CloudOrMesh; 2], pose: &Pose) -> anyhow::Result<Answers> {
        let started = Instant::now();
        let config = PairConfig {
            solid: self.solid,
            ..PairConfig::default()
        };
        let mut pair = Pair::with_config(a.shape(), b.shape(), &config)?;
        let mut answers = Answers::default();
        for question in &self.asked {
            match question {
                QueryKind::Intersects => {
                    answers.intersects = self.intersects(&mut pair, pose);
                }
                QueryKind::Distance => {
                    answers.distance = Some(self.distance(&mut pair, pose, self.max_distance));
                }
                QueryKind::Tolerance => {
                    let found = self.distance(&mut pair, pose, self.tolerance);
                    let tolerance = self.tolerance.unwrap_or(0.0);
                    answers.within = Some(match found.value {
                        Some(_) => Some(true),
                        None if found.lower >= tolerance => Some(false),
                        None => None,
                    });
                    answers.distance.get_or_insert(found);
                }
                QueryKind::Depth => {
                    let found = self.limited(|limits| pair.limits(limits).penetration(pose));
                    answers.depth = Some(found?);
                }
                QueryKind::Impact => {
                    if let Some(motion) = &self.motion {
                        let found = self.limited(|limits| pair.limits(limits).impact(motion));
                        answers.impact = Some(found?);
                    }
                }
                // Refused before.
                QueryKind::Pairs | QueryKind::Curves | QueryKind::Volume | QueryKind::Force => {}
            }
        }
        answers.milliseconds = milliseconds_since(started);
        Ok(answers)
    }

    /// Whether they meet; none when the budget ended first.
    fn intersects(&self, pair: &mut Pair, pose: &Pose) -> Option<bool> {
        if self.budget.is_none() {
            return Some(pair.intersects(pose));
        }
        // The question for the distance can be stopped: at distance 0 they meet.
        let found = self.distance(pair, pose, Some(0.0));
        match found.value {
            Some(s) if s.distance == 0.0 => Some(true),
            _ if found.lower > 0.0 || found.outcome == Outcome::Complete => Some(false),
            _ => None,
        }
    }

    fn distance(
        &self,
        pair: &mut Pair,
        pose: &Pose,
        max_distance: Option<f64>,
    ) -> Bounded<Option<Separation>> {
        self.limited(|limits| {
            let limits = Limits {
                max_distance,
                ..limits
            };
            pair.limits(limits).distance(pose)
        })
    }
}

impl Answers {
    /// The answer of the exit code; none when it stayed open.
    pub(crate) fn verdict(&self, question: QueryKind) -> Option<bool> {
        match question {
            QueryKind::Intersects => self.intersects,
            QueryKind::Distance => {
                let found = self.distance?;
                match found.value {
                    Some(s) if s.distance == 0.0 => Some(true),
                    _ if found.lower > 0.0 => Some(false),
                    _ => None,
                }
            }
            QueryKind::Tolerance => self.within?,
            QueryKind::Depth => self.depth.map(|found| found.value.is_some()),
            QueryKind::Impact => {
                let found = self.impact?;
                match found.value {
                    Some(_) => Some(true),
                    None if found.lower >= 1.0 => Some(false),
                    None => None,
                }
            }
            _ => None,
        }
    }

    /// Two nearest points, when there is a gap between them.
    pub(crate) fn nearest(&self) -> Option<Separation> {
        self.distance?.value
    }
}

/// The number of the point of a cloud that lies at a place of its frame.
pub(crate) fn point_number(cloud: Option<&Arc<CloudShape>>, place: DVec3) -> Option<u32> {
    let near = cloud?.tree().nearest(place)?;
    Some(near.point.raw())
}
