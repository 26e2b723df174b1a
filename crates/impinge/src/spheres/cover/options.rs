//! Options and results of sphere covers.

use thiserror::Error;

use super::sequence::MOST_BALLS;
use crate::spheres::solid_ball::SolidBall;

/// On which side of the surface the balls are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CoverMode {
    /// They contain the solid.
    #[default]
    Outer,
    /// They lie inside, overlapping, and fill as much as they can.
    Inner,
    /// The surface of their union is as near to that of the solid as it can be, on both sides.
    Fit,
}

/// Options of a cover.
///
/// ```
/// use impinge::spheres::{CoverMode, CoverOptions};
/// assert_eq!(CoverOptions::default().mode, CoverMode::Outer);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverOptions {
    /// Balls at most.
    pub count: usize,
    /// On which side of the surface they are.
    pub mode: CoverMode,
    /// Of an outer cover: the fewest balls, up to `count`, whose volume beyond the solid is at most this fraction of the solid's.
    pub max_excess: Option<f64>,
    /// Of an outer cover: the fewest spheres, up to `count`, that extend at most this far beyond
    /// the solid.
    pub max_overshoot: Option<f64>,
}

impl Default for CoverOptions {
    fn default() -> Self {
        Self {
            count: 32,
            mode: CoverMode::Outer,
            max_excess: None,
            max_overshoot: None,
        }
    }
}

/// Why there is no cover.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CoverError {
    /// No ball is allowed.
    #[error("a cover has at least one ball")]
    NoBalls,
    /// More balls than are made.
    #[error("a cover of {count} balls is not made, only up to {MOST_BALLS}")]
    TooManyBalls {
        /// The requested options.
        count: usize,
    },
    /// A target that is no positive number, or one for balls that are not around the solid.
    #[error(
        "{value} is no target: excess and overshoot are positive numbers, and those of outer covers"
    )]
    BadTarget {
        /// What was given.
        value: f64,
    },
    /// The box around the solid has no size.
    #[error("the solid has no size")]
    NoSize,
    /// No ball fits inside.
    #[error("no ball fits inside the solid")]
    NoInside,
}

/// What is proven about a cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CoverProof {
    /// Nothing: the balls only fit the solid.
    #[default]
    None,
    /// Every face lies in the union; points inside were only sampled.
    Surface,
    /// The solid lies in the union.
    Solid,
    /// The union lies in the solid.
    Inside,
}

/// A sphere cover of a solid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cover {
    /// The balls, largest first.
    pub balls: Vec<SolidBall>,
    /// For each sphere the part of the surface for which it is the outermost: its importance for a
    /// planner.
    pub weights: Vec<f64>,
    /// The volume of their union.
    pub union_volume: f64,
    /// Proven bounds on that volume.
    pub union_bounds: [f64; 2],
    /// The volume of their union outside the solid, relative to the solid's volume; infinite when
    /// the solid has none.
    pub excess: f64,
    /// The volume of the solid outside their union, relative to the solid's volume; 0 for an outer
    /// cover.
    pub missing: f64,
    /// A distance from the solid that no point of the union exceeds.
    pub overshoot: f64,
    /// The largest distance from the solid of a point of the union that was found.
    pub overshoot_found: f64,
    /// The largest distance from the union of any sampled point of the surface; 0 for an outer cover, where it is proven.
    pub undershoot: f64,
    /// What is proven.
    pub proof: CoverProof,
    /// Whether the targets of the options were reached.
    pub is_within_target: bool,
}
