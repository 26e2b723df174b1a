//! Repeated query of two clouds.

use std::sync::Arc;

use super::answer::{CloudAnswer, CloudDistance};
use super::confidence::{distance_error, far, judge, told_apart};
use super::distance_bounds::{box_gap, distance_bounds};
use super::node::CloudTree;
use super::options::CloudCollisionOptions;
use super::relative_pose::RelativePose;
use super::traverse::{HierarchyTraversal, SearchMemory, TraversalGoal, TraversalResult};
use crate::math::Pose;
use crate::query::{Limits, Outcome, Verdict};

/// Surfaces meet when they come nearer than this fraction of the mean sampling radius.
pub(super) const ACCEPT: f64 = 0.1;

/// Whether the surfaces of two clouds meet, for any placement of the second.
///
/// ```
/// use std::sync::Arc;
/// use impinge::{Pose, cloud::*, math::Rng, query::Limits};
/// let mut rng = Rng::new(1);
/// let ball = PointCloud::from_points((0..2000).map(|_| rng.direction()))?;
/// let graph = ProximityGraph::new(&ball, &GraphOptions::default())?;
/// let surface = Arc::new(CloudSurface::new(graph.into(), SurfaceOptions::default())?);
/// let tree = Arc::new(CloudTree::new(surface, &CloudTreeOptions::default())?);
/// let mut question = CloudCollision::new(tree.clone(), tree, CloudCollisionOptions::default());
/// let near = question.at(&Pose::from_translation([1.9, 0.0, 0.0])?, Limits::default());
/// let far = question.at(&Pose::from_translation([2.1, 0.0, 0.0])?, Limits::default());
/// assert!(near.verdict.answer && !far.verdict.answer);
/// let apart = question.distance(&Pose::from_translation([2.5, 0.0, 0.0])?, Limits::default());
/// assert!((apart.distance - 0.5).abs() <= apart.error && apart.error < 0.3 && apart.confidence > 0.9);
/// assert!(apart.lower <= 0.5 && 0.5 <= apart.upper);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CloudCollision {
    a: Arc<CloudTree>,
    b: Arc<CloudTree>,
    options: CloudCollisionOptions,
    accept: f64,
    memory: SearchMemory,
}

impl CloudCollision {
    /// The query about two trees, which may be the same.
    #[must_use]
    pub fn new(a: Arc<CloudTree>, b: Arc<CloudTree>, options: CloudCollisionOptions) -> Self {
        let mut question = Self {
            a,
            b,
            options,
            accept: 0.0,
            memory: SearchMemory::default(),
        };
        question.set_options(options);
        question
    }

    /// Changes the options of later queries.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use impinge::cloud::*;
    /// let graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default())?;
    /// let surface = Arc::new(CloudSurface::new(graph.into(), SurfaceOptions::default())?);
    /// let tree = Arc::new(CloudTree::new(surface, &CloudTreeOptions::default())?);
    /// let mut question = CloudCollision::new(tree.clone(), tree, CloudCollisionOptions::default());
    /// question.set_options(CloudCollisionOptions { accept: Some(0.25), ..*question.options() });
    /// assert_eq!(question.accept(), 0.25);
    /// assert_eq!(question.trees().0.nodes(), 0);
    /// # Ok::<(), CloudError>(())
    /// ```
    pub fn set_options(&mut self, options: CloudCollisionOptions) {
        let wanted = options.accept.filter(|d| *d >= 0.0 && d.is_finite());
        let own = self.radius() * ACCEPT;
        self.accept = wanted.unwrap_or(own);
        self.options = options;
    }

    /// How the query is answered.
    #[must_use]
    pub fn options(&self) -> &CloudCollisionOptions {
        &self.options
    }

    /// Surfaces that come nearer than this meet.
    #[must_use]
    pub fn accept(&self) -> f64 {
        self.accept
    }

    /// The two trees.
    #[must_use]
    pub fn trees(&self) -> (&Arc<CloudTree>, &Arc<CloudTree>) {
        (&self.a, &self.b)
    }

    /// Whether the surfaces intersect, with b placed at `a_from_b`.
    ///
    /// Node pairs and evaluations count as tests; [`Limits::max_distance`] is ignored. If a limit
    /// is met, the answer is estimated from the samples of the nodes that were not visited, and its
    /// confidence says so.
    pub fn at(&mut self, a_from_b: &Pose, limits: Limits<'_>) -> CloudAnswer {
        if self.is_far(a_from_b) {
            return far();
        }
        let sought = self.search(a_from_b, limits, TraversalGoal::Meeting);
        CloudAnswer {
            verdict: judge(&sought, self.options.leaf, self.accept, self.radius()),
            point: sought.place,
            distance: sought.distance,
            evaluations: sought.evaluations,
            node_pairs: sought.node_pairs,
            outcome: outcome(&sought),
        }
    }

    /// The distance of the surfaces, with b placed at `a_from_b`: an estimate, its error, and
    /// proven bounds.
    ///
    /// Pairs farther apart than [`Limits::max_distance`] are pruned. If an intersection is found
    /// during the search, the distance is 0. If a limit is met, the estimate is the smallest
    /// distance of two samples or places found, and its error includes all distances that coverings
    /// do not exclude; [`CloudDistance::outcome`] says so. The bounds are proven either way.
    pub fn distance(&mut self, a_from_b: &Pose, limits: Limits<'_>) -> CloudDistance {
        let mut sought = self.search(a_from_b, limits, TraversalGoal::Distance);
        let radius = self.radius();
        let placement = RelativePose::new(&self.a, &self.b, a_from_b);
        let proof = distance_bounds(&self.a, &self.b, &placement, sought.place, sought.points);
        let verdict = if proof.lower > 2.0 * self.accept {
            Verdict::proven(false)
        } else if sought.outcome == Outcome::OutOfBudget && !sought.is_met {
            told_apart(&sought, self.accept, radius)
        } else {
            judge(&sought, self.options.leaf, self.accept, radius)
        };
        if sought.is_met {
            sought.distance = 0.0;
        }
        sought.distance = sought.distance.max(proof.lower).min(proof.upper);
        let (error, confidence) = distance_error(&sought, radius);
        CloudDistance {
            verdict,
            point: sought.place,
            distance: sought.distance,
            error,
            confidence,
            lower: proof.lower,
            upper: proof.upper,
            evaluations: sought.evaluations,
            node_pairs: sought.node_pairs,
            outcome: outcome(&sought),
        }
    }

    /// Whether the boxes of the clouds are so far apart that no zero of one is near the other.
    fn is_far(&self, a_from_b: &Pose) -> bool {
        let placement = RelativePose::new(&self.a, &self.b, a_from_b);
        let gap = box_gap(&self.a, &self.b, &placement);
        gap > self.a.overhang + self.b.overhang + 2.0 * self.accept
    }

    /// The mean sampling radius of both.
    fn radius(&self) -> f64 {
        0.5 * (self.a.sampling_radius + self.b.sampling_radius)
    }

    fn search(
        &mut self,
        a_from_b: &Pose,
        limits: Limits<'_>,
        wanted: TraversalGoal,
    ) -> TraversalResult {
        let search = HierarchyTraversal {
            a: &self.a,
            b: &self.b,
            options: &self.options,
            accept: self.accept,
            limits,
            wanted,
        };
        search.run(a_from_b, &mut self.memory)
    }
}

/// A meeting needs no more than was seen.
fn outcome(sought: &TraversalResult) -> Outcome {
    match sought.outcome {
        Outcome::OutOfBudget if sought.is_met => Outcome::Complete,
        outcome => outcome,
    }
}
