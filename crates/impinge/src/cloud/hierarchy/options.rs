//! Options of trees and queries.

use super::super::interpolation_search::InterpolationSearchOptions;
use super::super::point_cloud::CloudError;

/// Points per leaf at most.
pub(super) const MAX_LEAF: u32 = 64;
/// Samples of a node at most.
pub(super) const MAX_SAMPLES: u32 = 256;

/// How many samples an inner node has.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SampleSize {
    /// The same number everywhere.
    Constant(u32),
    /// As many as keep the sampling radius of the samples below this many sampling radii of the cloud: the points of the node divided by the square of it.
    Growth(f64),
}

/// How the samples of an inner node are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NodeSampling {
    /// One after another, each the farthest from those before among a few random points.
    #[default]
    Farthest,
    /// The point nearest to a mean of the points of a random leaf under random weights: as published.
    RandomWeights,
}

/// How the places are drawn that a covering has to cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CoverDraw {
    /// From the cells of random points.
    #[default]
    Cells,
    /// Means of the points of random leaves under random weights; around each that is not covered, more are drawn: as published.
    ///
    /// Cells reach beyond the hulls of the leaves, and balls need not cover them then.
    Stratified {
        /// How many places are drawn around one that is not covered.
        around: u32,
    },
}

/// Which pair of nodes is visited next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PairPriority {
    /// Most samples on both sides of the other node's plane, then the deepest, then the nearest.
    #[default]
    Planes,
    /// By the signs of the surface of the other node's samples at the samples that its covering does not reach: as published. For the
    /// intersection query; the distance query visits the nearest pair first in any case.
    Signs,
}

/// How a tree is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CloudTreeOptions {
    /// Points per leaf at most, up to 64.
    pub leaf: u32,
    /// Samples per inner node, from 3 to 256; a node with fewer points takes all.
    pub samples: SampleSize,
    /// The number of random places in a row that must be covered before a covering is accepted:
    /// after `n` the uncovered part is below 3/n in 19 of 20 cases.
    pub covered: u32,
    /// How samples are chosen.
    pub sampling: NodeSampling,
    /// How coverings are tested.
    pub cover: CoverDraw,
    /// For the samples and the covering.
    pub seed: u64,
}

impl Default for CloudTreeOptions {
    fn default() -> Self {
        Self {
            leaf: 11,
            samples: SampleSize::Constant(11),
            covered: 300,
            sampling: NodeSampling::Farthest,
            cover: CoverDraw::Cells,
            seed: 1,
        }
    }
}

impl CloudTreeOptions {
    pub(super) fn check(&self) -> Result<(), CloudError> {
        let refuse = |what, value| Err(CloudError::Setting { what, value });
        if self.leaf == 0 || self.leaf > MAX_LEAF {
            return refuse("the points per leaf", f64::from(self.leaf));
        }
        if self.covered == 0 {
            return refuse("the number of covered places", 0.0);
        }
        match self.samples {
            SampleSize::Constant(count) if count == 0 || count > MAX_SAMPLES => {
                refuse("the samples per node", f64::from(count))
            }
            SampleSize::Growth(tau) if !(tau > 0.0 && tau.is_finite()) => {
                refuse("the growth of the sampling radius", tau)
            }
            _ => Ok(()),
        }
    }

    /// Samples of a node with this many points.
    pub(super) fn sample_count(&self, points: usize) -> usize {
        let wanted = match self.samples {
            SampleSize::Constant(count) => count as usize,
            SampleSize::Growth(tau) => (points as f64 / (tau * tau)).ceil() as usize,
        };
        wanted.clamp(3, MAX_SAMPLES as usize).min(points)
    }
}

/// How two leaves are tested.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[doc(alias = "random sampling")]
pub enum LeafTest {
    /// Newton's steps towards a common zero, from where points of both are nearest to each other: two evaluations each.
    Newton {
        /// Steps at most.
        steps: u32,
    },
    /// Random places in the balls of one that reach the other: the randomised sampling test.
    Random {
        /// How many places.
        tests: u32,
    },
    /// Places of a lattice, so that none of either covering is farther than this from one: the distance is found to twice as much.
    Precise {
        /// In the units of the clouds.
        precision: f64,
    },
    /// Brackets along the surface of a, as [`find_crossings`](super::super::find_crossings) does it, among the points of the leaf: sides must be known.
    Crossings(InterpolationSearchOptions),
}

impl Default for LeafTest {
    fn default() -> Self {
        Self::Newton { steps: 5 }
    }
}

/// How a query is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CloudCollisionOptions {
    /// How two leaves are tested.
    pub leaf: LeafTest,
    /// Surfaces nearer than this intersect; by default a fraction of the sampling radii. Negative
    /// or not finite numbers mean the default.
    pub accept: Option<f64>,
    /// Nodes at this depth are treated as leaves, with their samples as points.
    pub resolution: Option<u32>,
    /// Which pair of nodes is visited next.
    pub priority: PairPriority,
    /// For random places.
    pub seed: u64,
}
