//! Keeps the cost of queries near a budget.

use super::super::interpolation_search::InterpolationSearchOptions;
use super::super::point_cloud::CloudError;
use super::answer::CloudAnswer;
use super::options::{CloudCollisionOptions, LeafTest};
use super::query::CloudCollision;
use crate::math::Pose;
use crate::query::Limits;

/// What a query may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CloudBudget {
    /// In the units of the clock that is given with each query.
    Time(f64),
    /// Node pairs and evaluations together.
    Tests(u64),
}

/// How the controller adapts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BudgetOptions {
    /// The effort is multiplied by this after a query that used up its budget, and divided by it after one that did not.
    pub step: f64,
    /// The smallest effort, as a fraction of that in the query's own options.
    pub least: f64,
    /// The most effort.
    pub most: f64,
    /// The fraction of the budget after which the search is stopped; steps in progress are
    /// finished.
    pub stop_at: f64,
}

impl Default for BudgetOptions {
    fn default() -> Self {
        Self {
            step: 0.9,
            least: 0.25,
            most: 2.0,
            stop_at: 0.85,
        }
    }
}

/// Runs one query repeatedly within a budget: if it is exceeded, fewer places are tested and a
/// larger distance is accepted as an intersection, and vice versa.
///
/// Every pair of clouds needs its own controller. A search that exceeds its budget is stopped, and
/// answers with what is known.
///
/// ```
/// use std::{cell::Cell, sync::Arc};
/// use impinge::{Pose, cloud::*, math::Rng};
/// let mut rng = Rng::new(1);
/// let ball = PointCloud::from_points((0..2000).map(|_| rng.direction()))?;
/// let graph = ProximityGraph::new(&ball, &GraphOptions::default())?;
/// let surface = Arc::new(CloudSurface::new(graph.into(), SurfaceOptions::default())?);
/// let tree = Arc::new(CloudTree::new(surface, &CloudTreeOptions::default())?);
/// let question = CloudCollision::new(tree.clone(), tree, CloudCollisionOptions::default());
/// let mut controller = BudgetController::new(question, CloudBudget::Tests(100), BudgetOptions::default())?;
/// let ticks = Cell::new(0.0);
/// let clock = || { ticks.set(ticks.get() + 1.0); ticks.get() };
/// for _ in 0..20 {
///     let answer = controller.at(&Pose::from_translation([1.17, 1.17, 1.17])?, &clock);
///     assert!(answer.evaluations + answer.node_pairs <= 104);
/// }
/// assert!(controller.effort() < 1.0 && controller.question().accept() > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "time-critical")]
pub struct BudgetController {
    question: CloudCollision,
    /// The options of the query at effort 1.
    wanted: CloudCollisionOptions,
    accept: f64,
    budget: CloudBudget,
    options: BudgetOptions,
    effort: f64,
}

impl BudgetController {
    /// The controller of a query.
    ///
    /// # Errors
    /// [`CloudError::Setting`] when the budget is not positive, the step is not between 0 and 1, or the bounds of the effort do not hold 1.
    pub fn new(
        question: CloudCollision,
        budget: CloudBudget,
        options: BudgetOptions,
    ) -> Result<Self, CloudError> {
        let refuse = |what, value| Err(CloudError::Setting { what, value });
        match budget {
            CloudBudget::Time(time) if !(time > 0.0 && time.is_finite()) => {
                return refuse("the budget", time);
            }
            CloudBudget::Tests(0) => return refuse("the budget", 0.0),
            _ => {}
        }
        if !(options.step > 0.0 && options.step < 1.0) {
            return refuse("the step of the effort", options.step);
        }
        if !(options.least > 0.0 && options.least <= 1.0) {
            return refuse("the least effort", options.least);
        }
        if !(options.most >= 1.0 && options.most.is_finite()) {
            return refuse("the most effort", options.most);
        }
        if !(options.stop_at > 0.0 && options.stop_at <= 1.0) {
            return refuse("the part of the budget", options.stop_at);
        }
        Ok(Self {
            wanted: *question.options(),
            accept: question.accept(),
            question,
            budget,
            options,
            effort: 1.0,
        })
    }

    /// Whether the surfaces meet, within the budget. `clock` returns the time and is not read when the budget is in tests.
    pub fn at(&mut self, a_from_b: &Pose, clock: &dyn Fn() -> f64) -> CloudAnswer {
        let (answer, is_over) = match self.budget {
            CloudBudget::Time(budget) => {
                let start = clock();
                let until = start + self.options.stop_at * budget;
                let stop = || clock() >= until;
                let limits = Limits {
                    stop: Some(&stop),
                    ..Limits::default()
                };
                let answer = self.question.at(a_from_b, limits);
                (answer, clock() >= until)
            }
            CloudBudget::Tests(budget) => {
                let limits = Limits {
                    max_tests: Some(budget),
                    ..Limits::default()
                };
                let answer = self.question.at(a_from_b, limits);
                (answer, answer.evaluations + answer.node_pairs >= budget)
            }
        };
        self.react(is_over);
        answer
    }

    /// Changes the effort by one step.
    fn react(&mut self, is_over: bool) {
        let step = if is_over {
            self.options.step
        } else {
            1.0 / self.options.step
        };
        self.effort = (self.effort * step).clamp(self.options.least, self.options.most);
        let scaled = |count: u32| (f64::from(count) * self.effort).ceil().max(1.0) as u32;
        let leaf = match self.wanted.leaf {
            LeafTest::Newton { steps } => LeafTest::Newton {
                steps: scaled(steps).max(2),
            },
            LeafTest::Random { tests } => LeafTest::Random {
                tests: scaled(tests),
            },
            LeafTest::Precise { precision } => LeafTest::Precise {
                precision: precision / self.effort,
            },
            LeafTest::Crossings(options) => LeafTest::Crossings(InterpolationSearchOptions {
                candidates: (options.candidates as f64 * self.effort).ceil() as usize,
                ..options
            }),
        };
        self.question.set_options(CloudCollisionOptions {
            leaf,
            accept: Some(self.accept / self.effort),
            ..self.wanted
        });
    }

    /// The current effort; 1 is that of the query's own options.
    #[must_use]
    pub fn effort(&self) -> f64 {
        self.effort
    }

    /// The query with its current options.
    #[must_use]
    pub fn question(&self) -> &CloudCollision {
        &self.question
    }
}
