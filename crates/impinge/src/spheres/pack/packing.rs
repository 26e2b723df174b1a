//! A packing, and whether it is feasible: disjoint balls inside the solid.

use super::options::{PackEnd, PackWork};
use super::parallel::map_indexed;
use crate::math::sort::sort_many;
use crate::spheres::interior::Interior;
use crate::spheres::solid_ball::SolidBall;

/// Disjoint balls inside a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Packing {
    /// The balls, largest first.
    pub balls: Vec<SolidBall>,
    /// The volume of the solid.
    pub solid_volume: f64,
    /// Why the packing ended.
    pub end: PackEnd,
    /// Counters of the search.
    pub work: PackWork,
}

/// Violations: how many spheres are outside or overlap, and by how much.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Feasibility {
    /// Balls whose centre is not inside, or that reach beyond the surface.
    pub escapes: usize,
    /// Pairs that overlap in more than a point.
    pub overlaps: usize,
    /// The largest length by which a sphere extends beyond the surface or into another.
    pub worst: f64,
}

impl Feasibility {
    /// Whether there are no violations.
    ///
    /// ```
    /// use impinge::spheres::Feasibility;
    /// assert!(Feasibility::default().is_feasible());
    /// ```
    #[must_use]
    pub fn is_feasible(&self) -> bool {
        self.escapes == 0 && self.overlaps == 0
    }
}

impl Packing {
    /// The volume of all balls.
    ///
    /// ```
    /// use impinge::{bvh::wide::WideTree, generate, spheres::{MeshSolid, PackOptions, pack}};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(generate::icosphere(1.0, 4)?));
    /// let packing = pack(&MeshSolid::new(&tree)?, &PackOptions { count: Some(1), ..Default::default() })?;
    /// assert_eq!(packing.volume(), packing.balls[0].volume());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.balls.iter().map(SolidBall::volume).sum()
    }

    /// The part of the solid that the balls fill.
    ///
    /// ```
    /// use impinge::{bvh::wide::WideTree, generate, spheres::{MeshSolid, PackOptions, pack}};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(generate::icosphere(1.0, 4)?));
    /// let packing = pack(&MeshSolid::new(&tree)?, &PackOptions { count: Some(1), ..Default::default() })?;
    /// assert!(packing.fill() > 0.9 && packing.fill() < 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn fill(&self) -> f64 {
        self.volume() / self.solid_volume
    }

    /// Whether all spheres lie inside the solid and none overlaps another: overlaps exactly,
    /// escapes to the accuracy of the solid's distance.
    ///
    /// ```
    /// use impinge::{bvh::wide::WideTree, generate, spheres::{MeshSolid, PackOptions, pack}};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(generate::icosphere(1.0, 4)?));
    /// let solid = MeshSolid::new(&tree)?;
    /// let packing = pack(&solid, &PackOptions { count: Some(20), ..Default::default() })?;
    /// assert!(packing.check(&solid).is_feasible());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn check(&self, solid: &(impl Interior + ?Sized)) -> Feasibility {
        let beyond = map_indexed(self.balls.len(), 64, |(): &mut (), i| {
            let ball = &self.balls[i];
            let distance = (solid.closest_point(ball.center) - ball.center).length();
            if solid.contains(ball.center) {
                ball.radius - distance
            } else {
                ball.radius + distance
            }
        });
        let mut feasibility = overlaps(&self.balls);
        for excess in beyond {
            if excess > 0.0 {
                feasibility.escapes += 1;
                feasibility.worst = feasibility.worst.max(excess);
            }
        }
        feasibility
    }
}

/// The pairs of balls that overlap, counted.
pub(in crate::spheres) fn overlaps(balls: &[SolidBall]) -> Feasibility {
    let order = by_low_end(balls);
    let per_ball = map_indexed(order.len(), 256, |(): &mut (), i| {
        let a = &balls[order[i] as usize];
        let (mut count, mut worst) = (0, 0.0_f64);
        let end = a.center.x + a.radius;
        for &j in &order[i + 1..] {
            let b = &balls[j as usize];
            if b.center.x - b.radius > end {
                break;
            }
            if overlap(a, b) {
                count += 1;
                worst = worst.max(-a.gap(b));
            }
        }
        (count, worst)
    });
    let mut sum = Feasibility::default();
    for (count, worst) in per_ball {
        sum.overlaps += count;
        sum.worst = sum.worst.max(worst);
    }
    sum
}

/// Numbers of balls by their smallest x.
pub(in crate::spheres) fn by_low_end(balls: &[SolidBall]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..balls.len() as u32).collect();
    let low = |i: u32| balls[i as usize].center.x - balls[i as usize].radius;
    sort_many(&mut order, |&i, &j| {
        low(i).total_cmp(&low(j)).then(i.cmp(&j))
    });
    order
}

/// Whether two balls share more than a point, decided with twice the usual precision.
pub(in crate::spheres) fn overlap(a: &SolidBall, b: &SolidBall) -> bool {
    let rough = (a.center - b.center).length_squared();
    let reach = a.radius + b.radius;
    if rough > reach * reach * (1.0 + 1e-14) {
        return false;
    }
    if rough < reach * reach * (1.0 - 1e-14) {
        return true;
    }
    let mut sum = DoubleDouble::default();
    for (x, y) in [
        (a.center.x, b.center.x),
        (a.center.y, b.center.y),
        (a.center.z, b.center.z),
    ] {
        sum = sum.plus(DoubleDouble::sum(x, -y).squared());
    }
    let reach = DoubleDouble::sum(a.radius, b.radius).squared();
    let gap = sum.plus(DoubleDouble {
        high: -reach.high,
        low: -reach.low,
    });
    gap.high + gap.low < 0.0
}

/// An unevaluated sum of two numbers.
#[derive(Clone, Copy, Debug, Default)]
struct DoubleDouble {
    high: f64,
    low: f64,
}

impl DoubleDouble {
    /// `x + y` without error.
    fn sum(x: f64, y: f64) -> Self {
        let high = x + y;
        let virtual_y = high - x;
        let low = (x - (high - virtual_y)) + (y - virtual_y);
        Self { high, low }
    }

    /// `x · y` without error, if nothing overflows.
    fn product(x: f64, y: f64) -> Self {
        let split = |x: f64| {
            let big = x * 134_217_729.0;
            let high = big - (big - x);
            (high, x - high)
        };
        let high = x * y;
        let ((xh, xl), (yh, yl)) = (split(x), split(y));
        let low = xl * yl - (((high - xh * yh) - xl * yh) - xh * yl);
        Self { high, low }
    }

    fn squared(self) -> Self {
        let square = Self::product(self.high, self.high);
        let low = square.low + (2.0 * self.high * self.low + self.low * self.low);
        Self::sum(square.high, low)
    }

    fn plus(self, other: Self) -> Self {
        let sum = Self::sum(self.high, other.high);
        Self::sum(sum.high, sum.low + (self.low + other.low))
    }
}
