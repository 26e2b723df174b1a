//! How far a solid reaches beyond its balls.
//!
//! **Idea.** The distance from one ball is convex along a face, so that its largest value on the face is at a corner: that bounds it on the surface.
//! Inside, cubes are cut in eight until each lies outside the solid, or as a whole near a ball or near the surface.
//!
//! **Promise.** No point of the surface, and none of the solid, is farther from all balls than said.

use glam::DVec3;

use crate::bvh::MeshIndex;
use crate::spheres::ball::SolidBall;
use crate::spheres::interior::{Interior as _, MeshSolid};
use crate::spheres::pack::{BallIndex, map_indexed};

/// Points inside need not be nearer to balls than this many times what those of the surface are: to prove less takes smaller cubes.
const ROOM: f64 = 1.25;
/// Nor nearer than this part of the size.
const LEAST: f64 = 1e-3;
/// Cubes of one size at most. Where more would be needed, the bound is what the last size proves.
const MOST_CUBES: usize = 1 << 22;
/// How often a cube is halved at most.
const MOST_HALVINGS: u32 = 24;
/// What rounding may do to a distance, as a part of the size.
const ROUNDING: f64 = 1e-12;

/// Lengths that nothing is farther away from all balls than.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reach {
    /// No point of the surface.
    pub(super) surface: f64,
    /// No point of the solid; at least the other.
    pub(super) inner: f64,
}

impl Reach {
    /// None without a ball.
    pub(super) fn new(solid: &MeshSolid<'_>, balls: &[SolidBall]) -> Option<Self> {
        if balls.is_empty() {
            return None;
        }
        let mut index = BallIndex::default();
        for end in 1..=balls.len() {
            index.add_last(&balls[..end]);
        }
        let near = Near {
            solid,
            balls,
            index: &index,
            size: solid.tree.mesh().bounds().diagonal().length(),
        };
        let surface = near.surface();
        let inner = near.inner(surface);
        Some(Self { surface, inner })
    }
}

/// Balls in a solid, and which is near a point.
struct Near<'n> {
    solid: &'n MeshSolid<'n>,
    balls: &'n [SolidBall],
    index: &'n BallIndex,
    size: f64,
}

impl Near<'_> {
    /// A ball near a point, if not the nearest then the first.
    fn ball(&self, p: DVec3) -> u32 {
        // Look near by first: most points have a ball there.
        let mut within = 1e-3 * self.size;
        while within > 0.0 && within < 4.0 * self.size {
            if let (_, Some(ball)) = self.index.clearance_at_least(self.balls, p, within) {
                return ball;
            }
            within *= 4.0;
        }
        0
    }

    fn surface(&self) -> f64 {
        let mesh = self.solid.tree.mesh();
        let near: Vec<u32> = map_indexed(mesh.vertex_count(), 64, |(): &mut (), v| {
            self.ball(mesh.positions()[v])
        });
        let mut reach = 0.0_f64;
        for (face, corners) in mesh.faces().iter().zip(mesh.triangles()) {
            let farthest = |ball: u32| {
                let ball = &self.balls[ball as usize];
                let far = |m: f64, v: &DVec3| m.max((*v - ball.center).length() - ball.radius);
                corners.iter().fold(0.0_f64, far)
            };
            let best = face
                .iter()
                .map(|&v| farthest(near[v as usize]))
                .fold(f64::INFINITY, f64::min);
            reach = reach.max(best);
        }
        reach * (1.0 + 1e-12)
    }

    /// The bound for the whole solid, from that for its surface.
    fn inner(&self, surface: f64) -> f64 {
        let enough = (ROOM * surface).max(LEAST * self.size);
        let bounds = self.solid.bounds();
        let mut half = 0.5 * bounds.diagonal().max_element() * (1.0 + ROUNDING);
        let mut cubes = vec![bounds.center()];
        for _ in 0..MOST_HALVINGS {
            let radius = half * 3.0_f64.sqrt() * (1.0 + ROUNDING) + ROUNDING * self.size;
            let is_open = map_indexed(cubes.len(), 64, |(): &mut (), i| {
                !self.is_within(cubes[i], radius, surface, enough)
            });
            let open: Vec<DVec3> = cubes
                .iter()
                .zip(is_open)
                .filter_map(|(&center, is_open)| is_open.then_some(center))
                .collect();
            if open.is_empty() {
                return enough;
            }
            if 8 * open.len() > MOST_CUBES {
                let far = map_indexed(open.len(), 64, |(): &mut (), i| {
                    self.farthest(open[i], radius, surface)
                });
                return far.into_iter().fold(enough, f64::max);
            }
            half *= 0.5;
            cubes = open
                .iter()
                .flat_map(|&center| {
                    (0..8).map(move |k| {
                        let sign = |bit: u32| if k >> bit & 1 == 0 { -half } else { half };
                        center + DVec3::new(sign(0), sign(1), sign(2))
                    })
                })
                .collect();
        }
        // Not reached: such cubes are far smaller than what is enough. What holds anyway is the distance across.
        surface + 2.0 * self.size
    }

    /// Whether no point of the solid in the ball around a cube is farther than `enough` from all balls, as far as is seen without cutting it.
    fn is_within(&self, center: DVec3, radius: f64, surface: f64, enough: f64) -> bool {
        let within = enough - radius;
        let (_, ball) = self.index.clearance_at_least(self.balls, center, within);
        if ball.is_some() {
            return true;
        }
        let (away, is_apart) = self.from_surface(center, radius);
        if is_apart {
            !self.solid.contains(center)
        } else {
            surface + away + radius <= enough
        }
    }

    /// No point of the solid in the ball around a cube is farther from all balls.
    fn farthest(&self, center: DVec3, radius: f64, surface: f64) -> f64 {
        let ball = &self.balls[self.ball(center) as usize];
        let by_ball = (center - ball.center).length() - ball.radius + radius;
        let (away, _) = self.from_surface(center, radius);
        by_ball.min(surface + away + radius)
    }

    /// How far the surface is from a point at most, and whether it is surely beyond a radius.
    fn from_surface(&self, p: DVec3, radius: f64) -> (f64, bool) {
        let away = (self.solid.closest_point(p) - p).length();
        (away, away - self.solid.error() > radius)
    }
}
