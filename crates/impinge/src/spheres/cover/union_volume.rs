//! The volume of a union of spheres, with bounds.
//!
//! **Idea.** Space is cut into slabs. The area of a union of discs has a closed form: the integral
//! along its boundary arcs. Within a slab each sphere's disc lies between its smallest and its
//! largest cross-section, so the areas of these two unions bound the volume.
//!
//! **Promise.** The bounds hold the volume, rounding included. The value is the midpoint rule, whose error
//! is far smaller than the bracket.

use std::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3};

use crate::spheres::solid_ball::SolidBall;

/// Relative rounding of an area, far above what a few thousand arcs accumulate.
const ROUNDING: f64 = 1e-9;

/// One disc of a cut.
#[derive(Clone, Copy, Debug)]
struct Disc {
    center: DVec2,
    radius: f64,
}

/// Memory that one cut leaves to the next.
#[derive(Debug, Default)]
struct CutScratch {
    discs: Vec<Disc>,
    intervals: Vec<(f64, f64)>,
}

/// Two numbers between which the volume of the union lies, by this many slabs across its longest side.
pub(super) fn union_bounds(balls: &[SolidBall], slabs: usize) -> [f64; 2] {
    let slices = Slices::new(balls, slabs);
    let mut scratch = CutScratch::default();
    let (mut lower, mut upper) = (0.0, 0.0);
    slices.each(|from, to, active| {
        lower += slices.area(active, &mut scratch, |z| {
            (z - from).abs().max((z - to).abs())
        });
        upper += slices.area(active, &mut scratch, |z| (from - z).max(z - to).max(0.0));
    });
    [
        lower * slices.thickness * (1.0 - ROUNDING),
        upper * slices.thickness * (1.0 + ROUNDING),
    ]
}

/// The volume of the union by the midpoint rule.
pub(super) fn union_volume(balls: &[SolidBall], slabs: usize) -> f64 {
    let slices = Slices::new(balls, slabs);
    let mut scratch = CutScratch::default();
    let mut sum = 0.0;
    slices.each(|from, to, active| {
        let middle = 0.5 * (from + to);
        sum += slices.area(active, &mut scratch, |z| (z - middle).abs());
    });
    sum * slices.thickness
}

/// Slabs across the longest side of the union.
#[derive(Debug)]
struct Slices<'b> {
    balls: &'b [SolidBall],
    axis: usize,
    from: f64,
    thickness: f64,
    count: usize,
    /// Balls by their lowest coordinate.
    order: Vec<u32>,
}

impl<'b> Slices<'b> {
    fn new(balls: &'b [SolidBall], count: usize) -> Self {
        let low = balls
            .iter()
            .fold(DVec3::INFINITY, |m, b| m.min(b.center - b.radius));
        let high = balls
            .iter()
            .fold(DVec3::NEG_INFINITY, |m, b| m.max(b.center + b.radius));
        let size = (high - low).max(DVec3::ZERO);
        let axis = (0..3)
            .max_by(|&i, &j| size[i].total_cmp(&size[j]))
            .unwrap_or(0);
        let mut order: Vec<u32> = (0..balls.len() as u32).collect();
        let lowest = |k: u32| balls[k as usize].center[axis] - balls[k as usize].radius;
        order.sort_unstable_by(|&i, &j| lowest(i).total_cmp(&lowest(j)).then(i.cmp(&j)));
        // A hair thicker, so that the last slab ends beyond the last ball.
        let thickness = size[axis] / count.max(1) as f64 * (1.0 + 1e-12);
        Self {
            balls,
            axis,
            from: low[axis],
            thickness,
            count: if balls.is_empty() { 0 } else { count.max(1) },
            order,
        }
    }

    /// Calls `visit` with both ends of each slab and the balls that may reach into it.
    fn each(&self, mut visit: impl FnMut(f64, f64, &[u32])) {
        let mut active: Vec<u32> = Vec::new();
        let mut next = 0;
        for slab in 0..self.count {
            let from = self.from + self.thickness * slab as f64;
            let to = self.from + self.thickness * (slab + 1) as f64;
            while let Some(&k) = self.order.get(next) {
                let ball = &self.balls[k as usize];
                if ball.center[self.axis] - ball.radius > to {
                    break;
                }
                active.push(k);
                next += 1;
            }
            active.retain(|&k| {
                let ball = &self.balls[k as usize];
                ball.center[self.axis] + ball.radius >= from
            });
            visit(from, to, &active);
        }
    }

    /// The area of the union of the discs whose planes have these distances from the centres.
    fn area(&self, active: &[u32], scratch: &mut CutScratch, distance: impl Fn(f64) -> f64) -> f64 {
        scratch.discs.clear();
        for &k in active {
            let ball = &self.balls[k as usize];
            let d = distance(ball.center[self.axis]);
            let radius_sq = (ball.radius - d) * (ball.radius + d);
            if radius_sq > 0.0 {
                let [x, y] = [(self.axis + 1) % 3, (self.axis + 2) % 3];
                scratch.discs.push(Disc {
                    center: DVec2::new(ball.center[x], ball.center[y]),
                    radius: radius_sq.sqrt(),
                });
            }
        }
        disc_union(scratch)
    }
}

/// The area of the union of the discs.
fn disc_union(scratch: &mut CutScratch) -> f64 {
    let CutScratch { discs, intervals } = scratch;
    let Some(first) = discs.first() else {
        return 0.0;
    };
    // Coordinates near 0 lose least.
    let origin = first.center;
    let mut area = 0.0;
    for (i, disc) in discs.iter().enumerate() {
        intervals.clear();
        let mut is_hidden = false;
        for (j, other) in discs.iter().enumerate() {
            if i == j {
                continue;
            }
            let between = other.center - disc.center;
            let reach = disc.radius + other.radius;
            let d_sq = between.length_squared();
            if d_sq >= reach * reach {
                continue;
            }
            let d = d_sq.sqrt();
            // Of two equal discs the first counts.
            let inside = d + disc.radius - other.radius;
            if inside < 0.0 || (inside <= 0.0 && (d > 0.0 || j < i)) {
                is_hidden = true;
                break;
            }
            if d + other.radius <= disc.radius {
                continue;
            }
            let cos = (d_sq + (disc.radius - other.radius) * reach) / (2.0 * d * disc.radius);
            let half = libm::acos(cos.clamp(-1.0, 1.0));
            let middle = libm::atan2(between.y, between.x);
            let from = middle - half;
            let from = if from < -PI { from + TAU } else { from };
            let to = from + 2.0 * half;
            if to > PI {
                intervals.push((from, PI));
                intervals.push((-PI, to - TAU));
            } else {
                intervals.push((from, to));
            }
        }
        if is_hidden {
            continue;
        }
        intervals.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        let center = disc.center - origin;
        let mut arc = |from: f64, to: f64| {
            let turn = center.x * (libm::sin(to) - libm::sin(from))
                - center.y * (libm::cos(to) - libm::cos(from));
            area += 0.5 * disc.radius * (disc.radius * (to - from) + turn);
        };
        let mut end = -PI;
        for &(from, to) in intervals.iter() {
            if from > end {
                arc(end, from);
            }
            end = end.max(to);
        }
        if end < PI {
            arc(end, PI);
        }
    }
    area.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball(x: f64, y: f64, z: f64, radius: f64) -> SolidBall {
        SolidBall {
            center: DVec3::new(x, y, z),
            radius,
        }
    }

    #[test]
    fn one_two_and_hidden_balls_have_the_volumes_of_the_formulas() {
        let unit = 4.0 / 3.0 * PI;
        let lens = |d: f64| PI * (4.0 + d) * (2.0 - d) * (2.0 - d) / 12.0;
        let one = ball(0.3, -0.2, 5.0, 1.0);
        for (balls, truth) in [
            (vec![one], unit),
            (vec![one, one], unit),
            (vec![one, ball(0.4, -0.2, 5.0, 0.5)], unit),
            (vec![one, ball(4.3, -0.2, 5.0, 1.0)], 2.0 * unit),
            (vec![one, ball(0.3, 1.0, 5.0, 1.0)], 2.0 * unit - lens(1.2)),
            (vec![one, ball(0.3, -0.2, 6.2, 1.0)], 2.0 * unit - lens(1.2)),
        ] {
            let [lower, upper] = union_bounds(&balls, 512);
            assert!(lower <= truth && truth <= upper, "{balls:?}");
            assert!(upper - lower < 0.02 * truth);
            let value = union_volume(&balls, 192);
            // An estimate: in a long box as many lines lie farther apart.
            assert!((value - truth).abs() < 2e-4 * truth, "{value} {truth}");
        }
        assert_eq!(union_volume(&[], 8), 0.0);
    }

    #[test]
    fn many_balls_have_the_volume_that_sampling_finds() {
        let mut rng = crate::math::Rng::new(5);
        let balls: Vec<SolidBall> = (0..40)
            .map(|_| SolidBall {
                center: rng.cube(),
                radius: rng.range(0.1, 0.5),
            })
            .collect();
        let value = union_volume(&balls, 192);
        let [lower, upper] = union_bounds(&balls, 192);
        let samples = 200_000;
        let mut hits = 0.0;
        for _ in 0..samples {
            let p = rng.cube() * 1.5;
            let is_in = balls
                .iter()
                .any(|b| (b.center - p).length_squared() <= b.radius * b.radius);
            hits += f64::from(u8::from(is_in));
        }
        let sampled = 27.0 * hits / f64::from(samples);
        assert!((sampled / value - 1.0).abs() < 0.02);
        assert!(lower <= value && value <= upper);
    }
}
