//! Query of two average-case trees.

use std::sync::Arc;

use super::average_case_tree::{AverageTree, AverageVolume};
use super::config::{
    AverageError, AverageOptions, Certainty, MAX_REFINEMENT, OpeningOrder, UndecidedAnswer,
};
use super::relative_pose::{RelativePose, SkipReason};
use super::traverse::{
    AverageTraversal, NodePairSides, Thresholds, TraversalResult, TraversalScratch,
};
use crate::bound::Aabb;
use crate::math::Pose;
use crate::query::{Limits, Outcome, Verdict, Work};

/// Two trees, queried for intersection of their meshes at any pose.
///
/// ```
/// use impinge::average_case::{AverageOptions, AverageQuery, AverageTree};
/// use impinge::{Pose, bound::Aabb, generate::icosphere, query::Limits};
/// use std::sync::Arc;
/// let ball = Arc::new(AverageTree::<Aabb>::new(&icosphere(1.0, 16)?, &Default::default()));
/// let options = AverageOptions { max_regions: 4, ..AverageOptions::default() };
/// let mut query = AverageQuery::new(ball.clone(), ball, options)?;
///
/// let meeting = query.at(&Pose::from_translation([1.0, 0.2, 0.1])?, Limits::default());
/// assert!(meeting.verdict.answer && !meeting.verdict.certain);
/// assert!(!query.regions().is_empty());
///
/// let apart = query.at(&Pose::from_translation([1.6, 1.6, 0.0])?, Limits::default());
/// assert!(!apart.verdict.answer && apart.verdict.certain);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "probabilistic collision detection")]
pub struct AverageQuery<V: AverageVolume = Aabb> {
    a: Arc<AverageTree<V>>,
    b: Arc<AverageTree<V>>,
    options: AverageOptions,
    thresholds: Thresholds,
    /// Wrong answers of a search that took all detours.
    stopped_wrong: f64,
    /// How fast boxes shrink below each node; empty for orders that do not use them.
    factors: [Arc<[f32]>; 2],
    scratch: TraversalScratch,
    sides: NodePairSides,
    regions: Vec<ContactRegion>,
}

/// A place where surfaces are likely to meet: two boxes, each in the frame of its mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRegion {
    /// The box of the first tree.
    pub a: Aabb,
    /// The box of the second.
    pub b: Aabb,
    /// How likely the surfaces in them meet, by the model.
    pub probability: f64,
}

/// What a search found out.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct AverageAnswer {
    /// Whether surfaces meet. Only a no can be certain: then no volumes of leaves overlap.
    pub verdict: Verdict,
    /// Whether all pairs were examined, enough were likely ([`Outcome::StoppedBySink`]), or a limit was met.
    pub outcome: Outcome,
    /// Pairs of nodes that were likely enough.
    pub likely_pairs: u32,
    /// Expected places at which surfaces of leaves meet, by the model.
    pub meetings: f64,
    /// The probability of the best pair.
    pub best: f64,
    /// The work that was done.
    pub work: Work,
}

impl<V: AverageVolume> AverageQuery<V> {
    /// Two trees, and the options of the query. [`OpeningOrder::Shrinking`] computes the factors of trees that do not [keep](super::AverageConfig::keep_factors) them.
    ///
    /// # Errors
    /// A `p_min` that is not above 0 and at most 1, a `k_min` of 0, an `ignore_below` that is negative or not below `p_min`, a `refinement` that is not from 0 to a million,
    /// a [`Certainty::Fixed`] that is not from 0 to 1, and trees with different numbers of cells.
    ///
    /// ```
    /// use impinge::average_case::{AverageError, AverageOptions, AverageQuery, AverageTree};
    /// use impinge::{TriMesh, bound::Aabb};
    /// use std::sync::Arc;
    /// let tree = Arc::new(AverageTree::<Aabb>::new(&TriMesh::default(), &Default::default()));
    /// let options = AverageOptions { k_min: 0, ..AverageOptions::default() };
    /// assert_eq!(AverageQuery::new(tree.clone(), tree, options).err(), Some(AverageError::NoPairs));
    /// ```
    pub fn new(
        a: Arc<AverageTree<V>>,
        b: Arc<AverageTree<V>>,
        options: AverageOptions,
    ) -> Result<Self, AverageError> {
        let (p_min, ignore_below) = (options.p_min, options.ignore_below);
        if !(p_min > 0.0 && p_min <= 1.0) {
            return Err(AverageError::Probability { p_min });
        }
        if options.k_min == 0 {
            return Err(AverageError::NoPairs);
        }
        if !(0.0..p_min).contains(&ignore_below) {
            return Err(AverageError::Ignore { ignore_below });
        }
        if a.side != b.side {
            return Err(AverageError::Cells {
                a: a.side,
                b: b.side,
            });
        }
        let refinement = options.refinement;
        if !(0.0..=MAX_REFINEMENT).contains(&refinement) {
            return Err(AverageError::Refinement { refinement });
        }
        if let Certainty::Fixed(certainty) = options.certainty
            && !(0.0..=1.0).contains(&certainty)
        {
            return Err(AverageError::Certainty { certainty });
        }
        let factors = match options.order {
            OpeningOrder::Shrinking => {
                let of_a = a.factors();
                let of_b = if Arc::ptr_eq(&a, &b) {
                    of_a.clone()
                } else {
                    b.factors()
                };
                [of_a, of_b]
            }
            _ => [Arc::default(), Arc::default()],
        };
        let enough = -libm::log1p(-p_min);
        Ok(Self {
            a,
            b,
            thresholds: Thresholds::new(&options),
            stopped_wrong: STOPPED_WRONG / (enough * f64::from(options.k_min).sqrt()),
            options,
            factors,
            scratch: TraversalScratch::default(),
            sides: NodePairSides::default(),
            regions: Vec::new(),
        })
    }

    /// Whether the meshes intersect at this pose. If a limit is met first, the best answer known by
    /// then: pairs that may intersect are left, so a *no* has a low confidence. As long as no pair
    /// expects a tenth of an intersection the answer is *yes* with confidence 0.5: a missed
    /// collision does more harm than one that is examined without need.
    pub fn at(&mut self, a_from_b: &Pose, limits: Limits<'_>) -> AverageAnswer {
        self.regions.clear();
        if self.a.is_empty() || self.b.is_empty() {
            return answer(
                Verdict::proven(false),
                Outcome::Complete,
                &TraversalResult::default(),
            );
        }
        let relative = match RelativePose::new(&self.a, &self.b, a_from_b) {
            Ok(relative) => relative,
            Err(SkipReason::Apart) => {
                return answer(
                    Verdict::proven(false),
                    Outcome::Complete,
                    &TraversalResult::default(),
                );
            }
            Err(SkipReason::Unlike) => {
                return answer(UNDECIDED, Outcome::OutOfBudget, &TraversalResult::default());
            }
        };
        let search = AverageTraversal::new(
            [(&self.a, &self.factors[0]), (&self.b, &self.factors[1])],
            (&self.options, self.thresholds),
            relative,
            V::digest(a_from_b),
            limits,
            &mut self.scratch,
            &mut self.regions,
        );
        let (found, outcome) = search.run(&mut self.sides);
        answer(self.verdict(&found, outcome), outcome, &found)
    }

    /// Both trees.
    pub(super) fn trees(&self) -> [&AverageTree<V>; 2] {
        [&self.a, &self.b]
    }

    /// The boxes of both meshes.
    pub(super) fn bounds(&self) -> [&Aabb; 2] {
        [&self.a.bounds, &self.b.bounds]
    }

    pub(super) fn options(&self) -> &AverageOptions {
        &self.options
    }

    /// The pairs of nodes that were likely in the last search, up to [`AverageOptions::max_regions`].
    ///
    /// ```
    /// use impinge::average_case::{AverageQuery, AverageTree};
    /// use impinge::{TriMesh, bound::Aabb};
    /// use std::sync::Arc;
    /// let tree = Arc::new(AverageTree::<Aabb>::new(&TriMesh::default(), &Default::default()));
    /// let query = AverageQuery::new(tree.clone(), tree, Default::default())?;
    /// assert!(query.regions().is_empty());
    /// # Ok::<(), impinge::average_case::AverageError>(())
    /// ```
    #[must_use]
    pub fn regions(&self) -> &[ContactRegion] {
        &self.regions
    }

    fn verdict(&self, found: &TraversalResult, outcome: Outcome) -> Verdict {
        let by_best = || -libm::expm1(-f64::from(found.best));
        let likelier = |p: f64| Verdict::likely(p >= 0.5, p.max(1.0 - p));
        match outcome {
            Outcome::StoppedBySink => Verdict::likely(true, self.stopped_confidence(found.tests)),
            Outcome::OutOfBudget => self.cut_short(found),
            Outcome::Complete if found.leaf_pairs == 0 && !found.has_ignored => {
                Verdict::proven(false)
            }
            Outcome::Complete => match self.options.at_end {
                UndecidedAnswer::No => Verdict::likely(false, 1.0 - by_best()),
                UndecidedAnswer::Likelier => likelier(observed(found.leaf_meetings)),
            },
        }
    }

    /// How often a search that found enough likely pairs after this many tests is right.
    fn stopped_confidence(&self, tests: u64) -> f64 {
        let detour = (tests as f64 / (DETOUR * f64::from(self.options.k_min))).min(1.0);
        let wrong = self.stopped_wrong * detour * detour * detour * detour;
        1.0 - wrong.min(0.5)
    }

    /// What is likelier when pairs are left that were not opened: the more was found in few tests the likelier it is that surfaces meet. That little was found in many tests is a weak *no*.
    fn cut_short(&self, found: &TraversalResult) -> Verdict {
        let best = f64::from(found.best).max(found.leaf_meetings);
        if best.is_nan() || best < CUT_UNDECIDED {
            return UNDECIDED;
        }
        let of_leaves = if found.leaf_meetings > 0.0 {
            found.leaf_meetings / f64::from(self.thresholds.enough)
        } else {
            0.0
        };
        let likely = (f64::from(found.likely) + of_leaves).min(MOST_MEETINGS);
        let odds = CUT_ODDS * (1.0 + likely) * libm::exp(CUT_GROWTH * best.min(CUT_MOST))
            / libm::pow(found.tests as f64, CUT_POWER);
        let p = odds / (1.0 + odds);
        if p >= 0.5 {
            Verdict::likely(true, p)
        } else {
            Verdict::likely(false, (1.0 - p).min(CUT_NO))
        }
    }
}

/// Wrong answers among those of a search that was stopped after detours, by one pair with one expected meeting. Fitted to thirteen models of all kinds,
/// each with the same weight, and judged by fifteen others; single models are wrong up to eight times as often, or never.
const STOPPED_WRONG: f64 = 0.63;
/// From so many tests for each pair that had to be found on, more of them no longer tell anything. A search that goes straight to its pairs is nearly always right.
const DETOUR: f64 = 2.5;
/// The odds of a collision for one expected meeting of leaves, and the power by which they grow: measured on the same models.
const ODDS: [f64; 2] = [0.6, 0.72];

/// The verdict while nothing is known: *yes*, because a false *yes* does less harm, with confidence 0.5.
const UNDECIDED: Verdict = Verdict {
    answer: true,
    certain: false,
    confidence: 0.5,
};
/// While the best pair has fewer expected meetings, a search that is cut short knows nothing.
const CUT_UNDECIDED: f64 = 0.1;
/// The odds of a collision when the roots overlap and nothing else is known, and the power of the tests by which they fall while nothing is found. Fitted to searches of
/// the thirteen models that were cut after 2 to 256 tests, then rounded; the form was chosen among a dozen with the errors of all models in view.
const CUT_ODDS: f64 = 11.6;
const CUT_POWER: f64 = 0.9;
/// How the logarithm of the odds grows with each expected meeting of the best pair, and up to how many.
const CUT_GROWTH: f64 = 0.1;
const CUT_MOST: f64 = 40.0;
/// The most that a *no* states while pairs are left.
const CUT_NO: f64 = 0.65;

/// How often meshes met when all pairs of leaves were seen and so many meetings were expected. Cells are not independent, so this grows
/// more slowly than the model says.
fn observed(meetings: f64) -> f64 {
    if meetings.is_nan() {
        return 0.5;
    }
    let meetings = meetings.min(MOST_MEETINGS);
    let odds = ODDS[0] * libm::pow(meetings, ODDS[1]);
    odds / (1.0 + odds)
}

/// More expected meetings tell nothing more.
const MOST_MEETINGS: f64 = 1e30;

fn answer(verdict: Verdict, outcome: Outcome, found: &TraversalResult) -> AverageAnswer {
    AverageAnswer {
        verdict,
        outcome,
        likely_pairs: found.likely,
        meetings: found.leaf_meetings,
        best: -libm::expm1(-f64::from(found.best)),
        work: Work {
            volume_tests: found.tests + found.walked,
            ..Work::default()
        },
    }
}
