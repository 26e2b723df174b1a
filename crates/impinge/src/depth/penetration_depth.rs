//! Penetration depth of two meshes: their minimum translation (MTV).
//!
//! **Question.** What is the smallest translation of `b` after which the solids are disjoint?
//! **Idea.** *Upper bound:* every direction has a separating translation; try a few directions, then
//! rotate each towards the normal of its last contact, which for convex solids leads to the shortest.
//! *Lower bound* for nearly convex solids: bounds for whole cones of directions (`min_width.rs`). For
//! others: a point at depth `r` in `a` and depth `s` in `b` is the centre of a sphere in each; after a
//! translation shorter than `r + s` those two spheres still overlap. The point with the largest sum is
//! found by ascent, from the middle of the deepest overlap and from the middle of all overlaps.
//! **Source.** Both arguments are elementary; for convex solids turning towards the normal is the descent of
//! Cameron, 1997, doi:10.1109/ROBOT.1997.606761.
//! **Cost.** Some dozens of directional depths and some hundreds of point queries.
//! **Promise.** Any point gives a valid lower bound, and the exact test confirms the upper.
//! **Limits.** For interlocked or thin solids the bounds stay apart, and the outcome says so.

use glam::DVec3;

use super::deepest_point::{DepthOptions, deepest};
use super::depth_scratch::with_scratch;
use super::directional_depth::{DirectionalDepth, last_exit, separating};
use super::min_width::narrowest;
use super::solid_queries::SolidPair;
use crate::bvh::wide::{DepthScratch, WideCache};
use crate::bvh::{Relation, Solid};
use crate::math::Pose;
use crate::query::{Bounded, Limits, Outcome};

/// Turns of a direction towards the normal of its last contact.
const MAX_TURNS: u32 = 12;
/// Rounds of the climb to the point with the largest sum of depths, and of the search among directions nearby.
const MAX_ROUNDS: u32 = 40;

/// A translation of `b` that makes the solids disjoint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "MTV")]
#[doc(alias = "minimum translation vector")]
pub struct MinTranslation {
    /// How to move `b`, in the frame of `a`.
    pub translation: DVec3,
    /// The last contact along it.
    pub exit: DirectionalDepth,
}

/// The smallest translation of `b` that makes the solids disjoint, with bounds on its length; 0 when they are disjoint.
///
/// ```
/// use impinge::bvh::wide::{WideCache, WideTree};
/// use impinge::depth::{penetration_depth, Solid};
/// use impinge::generate::icosphere;
/// use impinge::query::Limits;
/// use impinge::Pose;
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(icosphere(1.0, 8)?));
/// let ball = Solid::closed(&tree)?;
/// let aside = Pose::from_translation([0.0, 1.5, 0.0])?;
/// let (options, mut cache) = (Default::default(), WideCache::default());
/// let deep = penetration_depth(&ball, &ball, &aside, &options, Limits::default(), &mut cache);
/// assert!(deep.lower > 0.47 && deep.upper < 0.5 && deep.upper < 1.01 * deep.lower);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "minimum translation")]
#[doc(alias = "MTV")]
#[doc(alias = "PD")]
pub fn penetration_depth(
    a: &Solid<'_>,
    b: &Solid<'_>,
    a_from_b: &Pose,
    options: &DepthOptions,
    limits: Limits<'_>,
    cache: &mut WideCache,
) -> Bounded<Option<MinTranslation>> {
    let solids = SolidPair::new(a, b, a_from_b);
    with_scratch(cache, |cache, scratch| {
        way_out(solids, options, limits, cache, scratch)
    })
}

/// The same with the memory at hand.
fn way_out(
    solids: SolidPair<'_>,
    options: &DepthOptions,
    limits: Limits<'_>,
    cache: &mut WideCache,
    scratch: &mut DepthScratch,
) -> Bounded<Option<MinTranslation>> {
    let SolidPair { a, b, a_from_b } = solids;
    let Some(relation) = a.bounded_relation(b, a_from_b, limits, cache) else {
        return Bounded::at_least(0.0, Outcome::OutOfBudget);
    };
    if relation == Relation::Disjoint {
        return Bounded {
            value: None,
            lower: 0.0,
            upper: 0.0,
            outcome: Outcome::Complete,
        };
    }
    let off = solids.slack();
    let width = |lower: f64| {
        (options.relative * lower)
            .max(options.absolute)
            .max(8.0 * off)
    };
    let mut lower;
    let mut directions = std::mem::take(&mut scratch.directions);
    directions.clear();
    let enough = |least: f64| 0.9 * width(0.99 * least);
    if let Some(narrow) = narrowest(solids, enough, limits, scratch) {
        lower = narrow.lower;
        directions.push(narrow.direction);
    } else {
        let deepest = deepest(solids, options, limits, scratch);
        lower = deepest.lower;
        let mut middle = None;
        if let Some(deep) = &deepest.value {
            directions.extend(deep.normal());
            middle = Some(0.5 * (deep.point_a + deep.point_b));
        }
        let starts = middles(solids).into_iter().flatten().chain(middle);
        lower = lower.max(climb(solids, starts, scratch) - 4.0 * off);
    }
    if let (Some(whole_a), Some(whole_b)) = (a.tree().whole(), b.tree().whole()) {
        let center_a = whole_a.bounds.center;
        let center_b = a_from_b.transform_point(whole_b.bounds.center);
        directions.extend((center_b - center_a).try_normalize());
    }
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        let turned = a_from_b.transform_vector(axis);
        directions.extend([axis, -axis, turned, -turned]);
    }
    let tolerance = width(lower);
    let mut best: Option<DirectionalDepth> = None;
    for &direction in &directions {
        let Some(exit) = turn_to_normal(solids, direction, limits, scratch) else {
            continue;
        };
        if best.is_none_or(|b| exit.distance < b.distance) {
            best = Some(exit);
        }
        if best.is_some_and(|b| b.distance <= lower + tolerance) {
            break;
        }
    }
    scratch.directions = directions;
    let Some(best) = best else {
        return Bounded::at_least(lower, Outcome::OutOfBudget);
    };
    let best = search_nearby(solids, best, lower + tolerance, limits, scratch);
    let out = separating(solids, best.direction, limits, cache, scratch);
    Bounded {
        value: out.value.map(|exit| MinTranslation {
            translation: exit.direction * out.upper,
            exit,
        }),
        lower: lower.min(out.upper),
        upper: out.upper,
        outcome: if out.upper - lower <= 1.01 * tolerance + 64.0 * off {
            Outcome::Complete
        } else {
            Outcome::OutOfBudget
        },
    }
}

/// The way out along a direction, turned towards the normal of its last contact as long as that shortens it.
fn turn_to_normal(
    solids: SolidPair<'_>,
    direction: DVec3,
    limits: Limits<'_>,
    scratch: &mut DepthScratch,
) -> Option<DirectionalDepth> {
    let mut best = last_exit(solids, direction, limits, scratch)?;
    for _ in 0..MAX_TURNS {
        let Some(exit) = last_exit(solids, best.normal, limits, scratch) else {
            break;
        };
        if exit.distance >= best.distance * (1.0 - 1e-12) {
            break;
        }
        best = exit;
    }
    Some(best)
}

/// Tries directions ever nearer to the best until it is good enough.
fn search_nearby(
    solids: SolidPair<'_>,
    mut best: DirectionalDepth,
    enough: f64,
    limits: Limits<'_>,
    scratch: &mut DepthScratch,
) -> DirectionalDepth {
    let mut spread = 0.2;
    for _ in 0..MAX_ROUNDS {
        if best.distance <= enough || spread < 1e-6 {
            break;
        }
        let (u, v) = best.direction.any_orthonormal_pair();
        let mut is_better = false;
        for aside in [u, v, -u, -v] {
            let Some(direction) = (best.direction + aside * spread).try_normalize() else {
                continue;
            };
            if let Some(exit) = turn_to_normal(solids, direction, limits, scratch)
                && exit.distance < best.distance * (1.0 - 1e-9)
            {
                best = exit;
                is_better = true;
                break;
            }
        }
        if !is_better {
            spread *= 0.4;
        }
    }
    best
}

/// Points that often lie in both solids, in the frame of `a`: the middles of their boxes and of where those overlap.
fn middles(solids: SolidPair<'_>) -> Option<[DVec3; 4]> {
    let SolidPair { a, b, a_from_b } = solids;
    let (whole_a, whole_b) = (a.tree().whole()?, b.tree().whole()?);
    let (box_a, box_b) = (whole_a.bounds, whole_b.bounds.placed(a_from_b));
    let [low, high] = [-1.0, 1.0].map(|side| {
        [&box_a, &box_b].map(|b| {
            let reach = DVec3::from(DVec3::AXES.map(|axis| b.radius(axis)));
            b.center + reach * side
        })
    });
    let overlap = 0.5 * (low[0].max(low[1]) + high[0].min(high[1]));
    let between = 0.5 * (box_a.center + box_b.center);
    Some([overlap, between, box_a.center, box_b.center])
}

/// The largest sum of depths in both solids found by climbing from the best of some points.
fn climb(
    solids: SolidPair<'_>,
    starts: impl Iterator<Item = DVec3>,
    scratch: &mut DepthScratch,
) -> f64 {
    let SolidPair { a, b, a_from_b } = solids;
    let b_from_a = a_from_b.inverse();
    let mut sum = |p: DVec3| {
        let in_a = a.depth_with(p, scratch);
        let in_b = b.depth_with(b_from_a.transform_point(p), scratch);
        // The argument needs a ball in each solid.
        if in_a < 0.0 || in_b < 0.0 {
            f64::NEG_INFINITY
        } else {
            in_a + in_b
        }
    };
    let (mut at, mut most) = (DVec3::ZERO, f64::NEG_INFINITY);
    for start in starts {
        let here = sum(start);
        if here > most {
            (at, most) = (start, here);
        }
    }
    let reach = 0.5 * most;
    let mut step = reach;
    for _ in 0..MAX_ROUNDS {
        if step.is_nan() || step <= 1e-4 * reach {
            break;
        }
        let mut is_better = false;
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            for aside in [axis * step, -axis * step] {
                let here = sum(at + aside);
                if here > most {
                    (at, most, is_better) = (at + aside, here, true);
                }
            }
        }
        if !is_better {
            step *= 0.5;
        }
    }
    most
}
