//! An inner sphere tree, laid out for point queries.

use glam::DVec3;

use crate::math::{Pose, is_valid_point};
use crate::spheres::{InnerSphereTree, SolidBall};

/// What the rounding of a distance takes off it at most, as a part of it.
pub(super) const DISTANCE_ERROR: f64 = 2e-15;
/// Below this, squares vanish.
const TINY: f64 = 1e-150;

/// A ball around balls, or a ball.
#[derive(Clone, Copy, Debug)]
struct BoundingBall {
    center: DVec3,
    radius: f64,
    /// The first child, or the number of the ball.
    first: u32,
    /// Children; 0 for a ball.
    count: u32,
}

/// The balls of a tree and the balls around them, children side by side.
#[derive(Clone, Debug)]
pub(super) struct PackedSphereTree {
    around: Vec<BoundingBall>,
    balls: Vec<SolidBall>,
    /// How far from the origin anything is.
    reach: f64,
}

impl PackedSphereTree {
    /// A copy of the tree; the number of the first ball that is not valid where there is one.
    pub(super) fn new(tree: &InnerSphereTree) -> Result<Self, usize> {
        let balls = tree.balls().to_vec();
        let is_bad = |ball: &SolidBall| {
            !is_valid_point(ball.center)
                || !(0.0..=crate::math::MAX_COORDINATE).contains(&ball.radius)
        };
        if let Some(bad) = balls.iter().position(is_bad) {
            return Err(bad);
        }
        let mut parts = Vec::new();
        if let Some(root) = tree.root() {
            parts.push((root.center, 0..balls.len()));
        }
        tree.visit(|ball, range, _| parts.push((ball.center, range)));
        // An outer part comes before those in it.
        parts.sort_by_key(|(_, range)| (range.start, std::cmp::Reverse(range.end)));
        parts.dedup_by(|later, before| later.1 == before.1);
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); parts.len()];
        let mut open: Vec<usize> = Vec::new();
        for (i, (_, range)) in parts.iter().enumerate() {
            while open
                .last()
                .is_some_and(|&o| parts[o].1.end < range.end || parts[o].1.end <= range.start)
            {
                open.pop();
            }
            if let Some(&parent) = open.last() {
                children[parent].push(i);
            }
            open.push(i);
        }
        let reach = balls
            .iter()
            .fold(0.0_f64, |m, b| m.max(b.center.length() + b.radius));
        let mut around: Vec<BoundingBall> = Vec::with_capacity(parts.len());
        let mut sources = Vec::with_capacity(parts.len());
        let make = |i: usize| {
            let (center, range) = &parts[i];
            if let [ball] = balls[range.clone()] {
                return BoundingBall {
                    center: ball.center,
                    radius: ball.radius,
                    first: range.start as u32,
                    count: 0,
                };
            }
            let farthest = balls[range.clone()].iter().fold(0.0_f64, |m, b| {
                m.max((b.center - *center).length() + b.radius)
            });
            BoundingBall {
                center: *center,
                radius: farthest * (1.0 + DISTANCE_ERROR),
                first: 0,
                count: 0,
            }
        };
        if !parts.is_empty() {
            around.push(make(0));
            sources.push(0);
        }
        let mut next = 0;
        while next < around.len() {
            let own = &children[sources[next]];
            if parts[sources[next]].1.len() > 1 {
                around[next].first = around.len() as u32;
                around[next].count = own.len() as u32;
                for &child in own {
                    around.push(make(child));
                    sources.push(child);
                }
            }
            next += 1;
        }
        Ok(Self {
            around,
            balls,
            reach,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.balls.is_empty()
    }

    pub(super) fn ball(&self, ball: u32) -> &SolidBall {
        &self.balls[ball as usize]
    }
}

/// A tree of balls at its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedSphereTree<'b> {
    pub(super) tree: &'b PackedSphereTree,
    pose: &'b Pose,
    /// By how much the matrix may lengthen, and what placing rounds.
    stretch: f64,
    margin: f64,
}

/// A placed ball around balls, or a placed ball.
#[derive(Clone, Copy, Debug)]
pub(super) struct SphereView {
    pub(super) center: DVec3,
    pub(super) radius: f64,
    pub(super) kind: SphereKind,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum SphereKind {
    Ball(u32),
    Around { first: u32, count: u32 },
}

impl SphereView {
    /// A number that no gap between a point and a ball of this part falls short of, when the point is at least `distance` from the centre.
    #[inline(always)]
    pub(super) fn gap_at_least(&self, distance: f64) -> f64 {
        match self.kind {
            SphereKind::Ball(_) => distance - self.radius,
            SphereKind::Around { .. } => distance * (1.0 - DISTANCE_ERROR) - self.radius,
        }
    }
}

/// The largest stretch of a pose's matrix, which is a rotation only within a tolerance.
pub(super) fn stretch(pose: &Pose) -> f64 {
    let r = pose.rotation();
    let deviation = (r.transpose() * *r - glam::DMat3::IDENTITY)
        .to_cols_array()
        .iter()
        .fold(0.0_f64, |m, x| m.max(x.abs()));
    1.0 + 2.0 * deviation + 1e-14
}

impl<'b> PlacedSphereTree<'b> {
    pub(super) fn new(tree: &'b PackedSphereTree, pose: &'b Pose) -> Self {
        let far = pose.translation().abs().max_element() + tree.reach;
        Self {
            tree,
            pose,
            stretch: stretch(pose),
            margin: 64.0 * f64::EPSILON * far + TINY,
        }
    }

    /// A part; number 0 is everything.
    #[inline(always)]
    pub(super) fn part(&self, number: u32) -> SphereView {
        let around = &self.tree.around[number as usize];
        let center = self.pose.transform_point(around.center);
        if around.count == 0 {
            return SphereView {
                center,
                radius: around.radius,
                kind: SphereKind::Ball(around.first),
            };
        }
        SphereView {
            center,
            radius: around.radius * self.stretch + self.margin,
            kind: SphereKind::Around {
                first: around.first,
                count: around.count,
            },
        }
    }

    /// The ball with the smallest gap to `p` and the gap, negative inside; of several the first. None when every gap exceeds `within`.
    pub(super) fn nearest(
        &self,
        p: DVec3,
        within: f64,
        waiting: &mut Vec<(f64, u32)>,
    ) -> Option<(f64, u32)> {
        if self.tree.is_empty() {
            return None;
        }
        let mut best = (within, u32::MAX);
        waiting.clear();
        waiting.push((f64::NEG_INFINITY, 0));
        while let Some((bound, number)) = waiting.pop() {
            if bound > best.0 {
                continue;
            }
            match self.part(number).kind {
                SphereKind::Ball(ball) => best = best_of(best, (self.part(number).gap(p), ball)),
                SphereKind::Around { first, count } => {
                    let from = waiting.len();
                    for child in first..first + count {
                        let part = self.part(child);
                        let bound = part.gap(p);
                        if bound > best.0 {
                            continue;
                        }
                        if let SphereKind::Ball(ball) = part.kind {
                            best = best_of(best, (bound, ball));
                            continue;
                        }
                        let at = waiting[from..].partition_point(|&(other, _)| other >= bound);
                        waiting.insert(from + at, (bound, child));
                    }
                }
            }
        }
        (best.1 != u32::MAX).then_some(best)
    }
}

impl SphereView {
    #[inline(always)]
    fn gap(&self, p: DVec3) -> f64 {
        let d = p - self.center;
        self.gap_at_least((d.x * d.x + d.y * d.y + d.z * d.z).sqrt())
    }
}

fn best_of(a: (f64, u32), b: (f64, u32)) -> (f64, u32) {
    if b < a { b } else { a }
}

impl PlacedSphereTree<'_> {
    /// The point of a ball's surface nearest to `p`.
    pub(super) fn surface_point(&self, ball: u32, p: DVec3, gap: f64) -> DVec3 {
        let center = self.center(ball);
        match (p - center).try_normalize() {
            Some(way) => p - way * gap,
            None => center + DVec3::X * self.tree.ball(ball).radius,
        }
    }

    /// Where the centre of a ball is.
    pub(super) fn center(&self, ball: u32) -> DVec3 {
        self.pose.transform_point(self.tree.ball(ball).center)
    }
}
