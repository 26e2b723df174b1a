//! Minimum translation of two shapes, by search, when only an intersection test is known.
//!
//! **Question.** What is the shortest translation of `b` that separates two shapes, if only an intersection test is available?
//! **Idea.** Along a direction, bisect between a length that does not separate them and one that does. Start with likely directions,
//! keep the best, and rotate it slightly as long as that shortens the translation.
//! **Promise.** The upper bound is a translation for which the intersection test says that the shapes are apart. The lower
//! bound is the caller's.
//! **Limits.** The best direction may be missed; the bracket then stays open, and the outcome says so. Counts of the budget are tests of
//! whole pairs.

use glam::DVec3;

use super::config::PairConfig;
use super::distance::DistanceQuery;
use super::intersection::IntersectionQuery;
use super::shape::Shape;
use super::unsupported::{QueryKind, Unsupported};
use crate::bound::Aabb;
use crate::convex::ConvexPenetration;
use crate::math::Pose;
use crate::query::{Bounded, Limits, Outcome};

/// Halvings of a length.
const HALVINGS: u32 = 44;
/// Doublings of a length until the shapes are apart.
const DOUBLINGS: u32 = 24;
/// Times that the circle of directions around the best shrinks.
const ROUNDS: u32 = 14;
/// Directions on that circle.
const AROUND: u32 = 8;
/// The gap between the bounds, in units of the size, below which the answer counts as complete.
const COMPLETE: f64 = 1e-6;

/// The search, with the queries that it uses.
#[derive(Debug)]
pub(super) struct MinTranslation {
    meet: IntersectionQuery,
    gap: DistanceQuery,
    bounds: [Option<Aabb>; 2],
    directions: Vec<DVec3>,
}

/// A direction and a length along it that separates the shapes.
#[derive(Clone, Copy, Debug)]
struct BestTranslation {
    direction: DVec3,
    length: f64,
}

impl MinTranslation {
    pub(super) fn new(
        question: QueryKind,
        a: &Shape,
        b: &Shape,
        config: &PairConfig,
    ) -> Result<Self, Unsupported> {
        let config = PairConfig {
            solid: true,
            ..config.clone()
        };
        let asked = |refused: Unsupported| Unsupported {
            question,
            ..refused
        };
        Ok(Self {
            meet: IntersectionQuery::new(a, b, &config).map_err(asked)?,
            gap: DistanceQuery::new(a, b, &config).map_err(asked)?,
            bounds: [a, b].map(|shape| shape.bounds(&Pose::IDENTITY)),
            directions: Vec::new(),
        })
    }

    /// The shortest way found, no depth being below `lower`; `likely` directions are tried first, the last of them foremost.
    pub(super) fn at(
        &mut self,
        a_from_b: &Pose,
        lower: f64,
        likely: &[DVec3],
        limits: Limits<'_>,
    ) -> Bounded<Option<ConvexPenetration>> {
        if !self.meet.any(a_from_b) {
            return Bounded {
                value: None,
                lower: 0.0,
                upper: 0.0,
                outcome: Outcome::Complete,
            };
        }
        let size = self.size(a_from_b);
        let mut tests = 0_u64;
        let mut directions = std::mem::take(&mut self.directions);
        directions.clear();
        directions.extend(likely.iter().rev().take(8));
        if let [Some(a), Some(b)] = self.bounds {
            directions.extend((*a_from_b * b.center() - a.center()).try_normalize());
        }
        for axis in DVec3::AXES {
            let turned = a_from_b.transform_vector(axis);
            directions.extend([axis, -axis, turned, -turned]);
        }
        let mut best: Option<BestTranslation> = None;
        let enough = lower + COMPLETE * size;
        for &direction in &directions {
            if best.is_some_and(|best| best.length <= enough) {
                break;
            }
            let found = self.along(a_from_b, direction, lower, size, best, limits, &mut tests);
            best = found.or(best);
        }
        self.directions = directions;
        let mut angle = 0.5;
        for _ in 0..ROUNDS {
            let Some(now) = best else { break };
            if now.length <= enough {
                break;
            }
            let side = now.direction.any_orthonormal_vector();
            let other = now.direction.cross(side);
            let mut is_better = false;
            for k in 0..AROUND {
                let turn = f64::from(k) * std::f64::consts::TAU / f64::from(AROUND);
                let (sine, cosine) = libm::sincos(turn);
                let off = (side * cosine + other * sine) * angle;
                let direction = (now.direction + off).normalize_or_zero();
                let found = self.along(a_from_b, direction, lower, size, best, limits, &mut tests);
                is_better |= found.is_some();
                best = found.or(best);
            }
            if !is_better {
                angle *= 0.5;
            }
        }
        let Some(best) = best else {
            return Bounded::at_least(lower, Outcome::OutOfBudget);
        };
        let translation = best.direction * best.length;
        let touching = a_from_b
            .moved(translation)
            .and_then(|pose| self.gap.at(&pose, Limits::default()).value);
        let point_a = touching.map_or(a_from_b.translation(), |s| s.point_a);
        Bounded {
            value: Some(ConvexPenetration {
                depth: best.length,
                normal: best.direction,
                point_a,
                point_b: point_a - translation,
            }),
            lower: lower.min(best.length),
            upper: best.length,
            outcome: if best.length - lower <= 2.0 * COMPLETE * size {
                Outcome::Complete
            } else {
                Outcome::OutOfBudget
            },
        }
    }

    fn size(&self, a_from_b: &Pose) -> f64 {
        let mut sizes = self.bounds.iter().flatten().map(|b| b.diagonal().length());
        let sum = sizes.next().unwrap_or(0.0) + sizes.next().unwrap_or(0.0);
        if self.bounds.iter().all(Option::is_some) {
            sum.max(f64::MIN_POSITIVE)
        } else {
            sum + a_from_b.translation().length() + f64::MIN_POSITIVE
        }
    }

    /// A shorter way out along a direction than the best, if there is one.
    #[expect(
        clippy::too_many_arguments,
        reason = "the state of the search, passed down one level"
    )]
    fn along(
        &mut self,
        a_from_b: &Pose,
        direction: DVec3,
        lower: f64,
        size: f64,
        best: Option<BestTranslation>,
        limits: Limits<'_>,
        tests: &mut u64,
    ) -> Option<BestTranslation> {
        let meet = &mut self.meet;
        let mut is_free = |length: f64| {
            if !limits.allows(*tests) || limits.is_stopped() {
                return false;
            }
            *tests += 1;
            let moved = a_from_b.moved(direction * length);
            moved.is_some_and(|pose| !meet.any(&pose))
        };
        let mut free = match best {
            Some(best) => {
                let shorter = best.length - 1e-9 * size;
                if shorter <= lower || !is_free(shorter) {
                    return None;
                }
                shorter
            }
            None => {
                let mut length = size;
                let mut doublings = 0;
                while !is_free(length) {
                    doublings += 1;
                    if doublings > DOUBLINGS {
                        return None;
                    }
                    length *= 2.0;
                }
                length
            }
        };
        let mut blocked = lower.min(free);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (blocked + free);
            if middle <= blocked || middle >= free || free - blocked <= 1e-13 * size {
                break;
            }
            if is_free(middle) {
                free = middle;
            } else {
                blocked = middle;
            }
        }
        Some(BestTranslation {
            direction,
            length: free,
        })
    }
}
