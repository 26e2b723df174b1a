//! From two neighbours with different signs to a point on both surfaces.
//!
//! **Idea.** Linear interpolation between both values gives the centre of the intersection ball,
//! which passes through the farther neighbour. From there each step solves both linearised
//! functions for the shortest step to their common zero; the normals are the gradients. If that
//! fails, a grid in the ball is searched, refined around its best point.
//! **Source.** Klein, 5.3.5, who uses only the grid, and a weight without absolute values.

use glam::DVec3;

use super::second_surface::{EvaluationBudget, SecondSurface, evaluate_near};
use crate::cloud::{CloudSurface, EvaluationScratch, PointId};

/// Points of a grid along each side of the ball.
const GRID: i32 = 3;

/// The intersection ball of two neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct IntersectionBall {
    pub(super) centre: DVec3,
    pub(super) radius: f64,
}

impl IntersectionBall {
    /// The ball between two places with these values, which have different signs.
    pub(super) fn between(places: [DVec3; 2], values: [f64; 2]) -> Self {
        let [d0, d1] = values.map(f64::abs);
        let part = if d0 + d1 > 0.0 { d0 / (d0 + d1) } else { 0.5 };
        let [p, q] = places;
        let centre = p + (q - p) * part;
        Self {
            centre,
            radius: (centre - p).length().max((centre - q).length()),
        }
    }
}

/// A point near both surfaces.
#[derive(Clone, Copy, Debug)]
pub(super) struct RefinedCrossing {
    pub(super) point: DVec3,
    pub(super) residual: f64,
    /// Whether one of the surfaces has ended there.
    is_beyond_border: bool,
    /// Unit normals of both, in the frame of `a`.
    pub(super) normals: [DVec3; 2],
    pub(super) nearest: [PointId; 2],
}

impl RefinedCrossing {
    /// Whether both surfaces are there and this near.
    pub(super) fn is_within(&self, tolerance: f64) -> bool {
        self.residual <= tolerance && !self.is_beyond_border
    }
}

/// Both functions.
pub(super) struct BothSurfaces<'a, 'b> {
    pub(super) a: &'a CloudSurface,
    pub(super) other: &'b SecondSurface<'a>,
}

/// Both functions at a place.
struct BothValues {
    values: [f64; 2],
    refined: RefinedCrossing,
}

impl BothSurfaces<'_, '_> {
    /// None where one is undefined, and none when a limit was met.
    fn at(
        &self,
        point: DVec3,
        near: [PointId; 2],
        scratch: &mut EvaluationScratch,
        cost: &mut EvaluationBudget<'_>,
    ) -> Option<BothValues> {
        if !cost.may_go_on(scratch) {
            return None;
        }
        let (a, near_a) = evaluate_near(self.a, point, near[0], scratch)?;
        let (b, near_b) = self.other.evaluate(point, near[1], scratch)?;
        Some(BothValues {
            values: [a.value, b.value],
            refined: RefinedCrossing {
                point,
                residual: a.value.abs() + b.value.abs(),
                is_beyond_border: a.is_beyond_border || b.is_beyond_border,
                normals: [a.normal, b.normal],
                nearest: [near_a, near_b],
            },
        })
    }

    /// The best point met on the way to a common zero; `near` are points of both clouds near the ball, `reach` is how far from its centre the way may lead.
    pub(super) fn descend(
        &self,
        ball: &IntersectionBall,
        reach: f64,
        tolerance: f64,
        near: [PointId; 2],
        scratch: &mut EvaluationScratch,
        cost: &mut EvaluationBudget<'_>,
    ) -> Option<RefinedCrossing> {
        let mut here = self.at(ball.centre, near, scratch, cost)?;
        let mut best = here.refined;
        let mut failures = 0;
        // Steps converge fast where they do.
        for _ in 0..10 {
            if best.is_within(tolerance) || failures > 2 {
                break;
            }
            let ([fa, fb], [na, nb]) = (here.values, here.refined.normals);
            // n·δ = f for both, with δ in the plane of the normals; damped, as the surfaces may be parallel.
            let (own, mixed) = (1.0 + 1e-3, na.dot(nb));
            let determinant = own * own - mixed * mixed;
            let step = na * ((own * fa - mixed * fb) / determinant)
                + nb * ((own * fb - mixed * fa) / determinant);
            let step = step.clamp_length_max(reach);
            let point = here.refined.point + step;
            if (point - ball.centre).length_squared() > reach * reach {
                break;
            }
            let Some(next) = self.at(point, here.refined.nearest, scratch, cost) else {
                break;
            };
            here = next;
            // A point where both surfaces are is better than one where they are not.
            let is_better = (here.refined.is_beyond_border, here.refined.residual)
                < (best.is_beyond_border, best.residual);
            if is_better {
                best = here.refined;
                failures = 0;
            } else {
                failures += 1;
            }
        }
        Some(best)
    }

    /// The best point of ever finer grids in a ball.
    pub(super) fn search_grid(
        &self,
        ball: &IntersectionBall,
        tolerance: f64,
        near: [PointId; 2],
        scratch: &mut EvaluationScratch,
        cost: &mut EvaluationBudget<'_>,
    ) -> Option<RefinedCrossing> {
        let mut best: Option<RefinedCrossing> = None;
        let (mut centre, mut half) = (ball.centre, ball.radius);
        for _ in 0..8 {
            let cell = 2.0 * half / f64::from(GRID - 1);
            for number in 0..GRID * GRID * GRID {
                let offset = DVec3::new(
                    f64::from(number % GRID),
                    f64::from(number / GRID % GRID),
                    f64::from(number / (GRID * GRID)),
                );
                let point = centre + offset * cell - DVec3::splat(half);
                let near = best.map_or(near, |b| b.nearest);
                let Some(here) = self.at(point, near, scratch, cost) else {
                    if cost.is_spent {
                        return best;
                    }
                    continue;
                };
                let found = here.refined;
                if best.is_none_or(|b| {
                    (found.is_beyond_border, found.residual) < (b.is_beyond_border, b.residual)
                }) {
                    best = Some(found);
                }
            }
            let found = best?;
            // A grid cannot do better than its cell.
            if found.is_within(tolerance) {
                break;
            }
            // The next grid reaches a little more than one cell each way.
            centre = found.point;
            half *= 0.6;
        }
        best
    }
}
