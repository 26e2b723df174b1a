//! Overlapping spheres inside a solid, and spheres whose union approximates it.

use glam::{DMat4, DVec3, DVec4};

use super::medial_balls::{greedy_cover, medial_balls};
use super::surface_samples::{SolidPoints, inside};
use super::surface_solid::SurfaceSolid;
use crate::bvh::wide::SingleTreeCache;
use crate::math::sort::sort_many;
use crate::spheres::pack::map_indexed;
use crate::spheres::solid_ball::SolidBall;

/// Points of the inside that choose inner balls.
const VOLUME_POINTS: f64 = 12_000.0;
/// Points of the surface from which inner balls grow.
const INNER_GAUGES: usize = 4000;
/// Rounds of fitting all balls, and damping of each step.
const FIT_ROUNDS: usize = 10;
const DAMPING: f64 = 1e-3;
/// Cells along the longest side that compare union and solid.
const COMPARED_CELLS: f64 = 56.0;

/// At most `count` balls inside, each the medial ball that fills most of what those before it left.
pub(super) fn inner_balls(solid: &(impl SurfaceSolid + ?Sized), count: usize) -> Vec<SolidBall> {
    let samples = SolidPoints::new(solid, INNER_GAUGES);
    let medial = medial_balls(solid, &samples);
    let centers: Vec<DVec3> = medial
        .iter()
        .map(|ball| ball.center)
        .chain(samples.points[samples.first_inside..].iter().copied())
        .collect();
    let balls: Vec<SolidBall> = map_indexed(centers.len(), 64, |cache: &mut SingleTreeCache, i| {
        let center = centers[i];
        if !solid.contains_with(center, cache) {
            return None;
        }
        let near = solid.closest_with(center, cache);
        let radius = (near - center).length() * (1.0 - 8.0 * f64::EPSILON) - solid.error();
        (radius > 0.0).then_some(SolidBall { center, radius })
    })
    .into_iter()
    .flatten()
    .collect();
    let mut chosen = greedy_cover(&balls, &inside(solid, VOLUME_POINTS), count);
    sort_many(&mut chosen, |x, y| y.radius.total_cmp(&x.radius));
    chosen
}

/// A point that balls are fitted to.
struct Target {
    point: DVec3,
    weight: f64,
    /// Only its distance outside of the balls counts.
    is_inside: bool,
}

fn targets(samples: &SolidPoints) -> Vec<Target> {
    let surface = samples.gauges.iter().zip(&samples.points);
    let mut targets: Vec<Target> = surface
        .filter(|(gauge, _)| gauge.area > 0.0)
        .map(|(gauge, &point)| Target {
            point,
            weight: gauge.area / samples.area,
            is_inside: false,
        })
        .collect();
    let weight = targets.first().map_or(0.0, |target| target.weight);
    targets.extend(
        samples.points[samples.first_inside..]
            .iter()
            .map(|&point| Target {
                point,
                weight,
                is_inside: true,
            }),
    );
    targets
}

/// The signed distance of a point from the union, and the ball that has it.
fn signed_distance(balls: &[SolidBall], p: DVec3) -> (f64, usize) {
    let mut least = (f64::INFINITY, 0);
    for (k, ball) in balls.iter().enumerate() {
        let gap = (p - ball.center).length() - ball.radius;
        if gap < least.0 {
            least = (gap, k);
        }
    }
    least
}

fn squares(balls: &[SolidBall], targets: &[Target]) -> f64 {
    targets
        .iter()
        .map(|target| {
            let (gap, _) = signed_distance(balls, target.point);
            let gap = if target.is_inside { gap.max(0.0) } else { gap };
            target.weight * gap * gap
        })
        .sum()
}

/// The balls moved and resized by damped Gauss-Newton steps, so that the squared distances of the surface from that of
/// their union become small on both sides.
pub(super) fn fitted_balls(samples: &SolidPoints, mut balls: Vec<SolidBall>) -> Vec<SolidBall> {
    let targets = targets(samples);
    let mut best = squares(&balls, &targets);
    for _ in 0..FIT_ROUNDS {
        let before = best;
        for k in 0..balls.len() {
            let Some(moved) = step(&balls, k, &targets) else {
                continue;
            };
            let old = balls[k];
            for share in [1.0, 0.5, 0.2] {
                balls[k] = SolidBall {
                    center: old.center + (moved.center - old.center) * share,
                    radius: old.radius + (moved.radius - old.radius) * share,
                };
                let error = squares(&balls, &targets);
                if error < best {
                    best = error;
                    break;
                }
                balls[k] = old;
            }
        }
        if best > 0.999 * before {
            break;
        }
    }
    sort_many(&mut balls, |x, y| y.radius.total_cmp(&x.radius));
    balls
}

/// One ball after a step of its own.
fn step(balls: &[SolidBall], k: usize, targets: &[Target]) -> Option<SolidBall> {
    let ball = balls.get(k)?;
    let mut matrix = DMat4::ZERO;
    let mut right = DVec4::ZERO;
    let mut weight = 0.0;
    for target in targets {
        let (gap, owner) = signed_distance(balls, target.point);
        if owner != k || (target.is_inside && gap <= 0.0) {
            continue;
        }
        let Some(away) = (target.point - ball.center).try_normalize() else {
            continue;
        };
        // Moving towards the point and growing both shorten the gap.
        let row = away.extend(1.0);
        for column in 0..4 {
            *matrix.col_mut(column) += row * (row[column] * target.weight);
        }
        right += row * (gap * target.weight);
        weight += target.weight;
    }
    if weight <= 0.0 {
        return None;
    }
    let damped = matrix + DMat4::from_diagonal(DVec4::splat(DAMPING * weight));
    let change = damped.inverse() * right;
    let radius = ball.radius + change.w;
    (change.is_finite() && radius > 0.0).then(|| SolidBall {
        center: ball.center + change.truncate(),
        radius,
    })
}

/// The largest distance of a sampled point of the surface from the union.
pub(super) fn undershoot(samples: &SolidPoints, balls: &[SolidBall]) -> f64 {
    samples.points[..samples.first_inside]
        .iter()
        .fold(0.0, |m, &p| m.max(signed_distance(balls, p).0))
}

/// The volumes of the union without the solid and of the solid without the union, counted in cells.
pub(super) fn differences(solid: &(impl SurfaceSolid + ?Sized), balls: &[SolidBall]) -> (f64, f64) {
    let bounds = solid.bounds();
    let low = balls
        .iter()
        .fold(bounds.min, |m, b| m.min(b.center - b.radius));
    let high = balls
        .iter()
        .fold(bounds.max, |m, b| m.max(b.center + b.radius));
    let size = high - low;
    let side = size.max_element() / COMPARED_CELLS;
    if side <= 0.0 {
        return (0.0, 0.0);
    }
    let counts = (size / side).to_array().map(|n| n.ceil().max(1.0));
    let cell = size / DVec3::from_array(counts);
    let [nx, ny, nz] = counts.map(|n| n as usize);
    let found = map_indexed(nx * ny * nz, 512, |cache: &mut SingleTreeCache, i| {
        let at = [i % nx, i / nx % ny, i / (nx * ny)].map(|k| k as f64 + 0.5);
        let p = low + DVec3::from_array(at) * cell;
        let in_union = signed_distance(balls, p).0 <= 0.0;
        let in_solid = solid.contains_with(p, cache);
        (in_union && !in_solid, in_solid && !in_union)
    });
    let volume = cell.x * cell.y * cell.z;
    let count = |pick: fn(&(bool, bool)) -> bool| found.iter().filter(|&f| pick(f)).count() as f64;
    (volume * count(|f| f.0), volume * count(|f| f.1))
}
