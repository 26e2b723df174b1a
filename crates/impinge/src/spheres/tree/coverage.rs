//! Coverage: how far a solid extends beyond its balls.
//!
//! **Idea.** The distance from one sphere is convex along a face, so its largest value on the face
//! is at a corner: that bounds it on the surface. Inside, cubes are split into eight until each
//! lies outside the solid, or is entirely about as near to a sphere as the farthest place found.
//!
//! **Promise.** No point of the surface, and none of the solid, is farther from all spheres than
//! the returned radius.

use glam::DVec3;

use crate::bvh::MeshIndex;
use crate::spheres::interior::{Interior as _, MeshSolid};
use crate::spheres::pack::{BallIndex, map_indexed};
use crate::spheres::solid_ball::SolidBall;

/// What the bound may be above the truth: to prove less takes smaller cubes.
const ROOM: f64 = 1.25;
/// The bound is not below this fraction of the size.
const LEAST: f64 = 1e-3;
/// Cubes of one size at most. Where more would be needed, the bound is what the last size proves.
const MOST_CUBES: usize = 1 << 22;
/// How often a cube is halved at most.
const MOST_HALVINGS: u32 = 24;
/// What rounding may do to a distance, as a part of the size.
const ROUNDING: f64 = 1e-12;

/// Lengths that nothing is farther away from all balls than.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CoverageRadius {
    /// No point of the surface.
    pub(super) surface: f64,
    /// No point of the solid; at least the other.
    pub(super) inner: f64,
}

impl CoverageRadius {
    /// None without a ball.
    pub(super) fn new(solid: &MeshSolid<'_>, balls: &[SolidBall]) -> Option<Self> {
        if balls.is_empty() {
            return None;
        }
        let mut index = BallIndex::default();
        for end in 1..=balls.len() {
            index.add_last(&balls[..end]);
        }
        let near = NearBalls {
            solid,
            balls,
            index: &index,
            size: solid.tree.mesh().bounds().diagonal().length(),
        };
        let inner = near.inner();
        // What holds in the solid holds on its surface, and may be the smaller bound where faces are large.
        let surface = near.surface().min(inner);
        Some(Self { surface, inner })
    }
}

/// Balls in a solid, and which is near a point.
struct NearBalls<'n> {
    solid: &'n MeshSolid<'n>,
    balls: &'n [SolidBall],
    index: &'n BallIndex,
    size: f64,
}

impl NearBalls<'_> {
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

    /// The bound for the whole solid.
    ///
    /// It need not be lower than [`ROOM`] times what some point of the solid is away: so few cubes are cut to the end.
    fn inner(&self) -> f64 {
        let bounds = self.solid.bounds();
        let mut enough = LEAST * self.size;
        let mut half = 0.5 * bounds.diagonal().max_element() * (1.0 + ROUNDING);
        let mut cubes = vec![bounds.center()];
        let mut far = f64::INFINITY;
        for _ in 0..MOST_HALVINGS {
            let radius = half * 3.0_f64.sqrt() * (1.0 + ROUNDING) + ROUNDING * self.size;
            let seen = map_indexed(cubes.len(), 64, |(): &mut (), i| {
                self.look(cubes[i], radius, enough)
            });
            for look in seen.iter().flatten().filter(|look| look.is_inside) {
                enough = enough.max(ROOM * look.away);
            }
            let is_open = |look: &OpenCube| look.away + radius > enough;
            let open: Vec<OpenCube> = seen.into_iter().flatten().filter(is_open).collect();
            far = open
                .iter()
                .fold(enough, |far, look| far.max(look.away + radius));
            if open.is_empty() || 8 * open.len() > MOST_CUBES {
                break;
            }
            half *= 0.5;
            cubes = open
                .iter()
                .flat_map(|look| {
                    let center = look.center;
                    (0..8_u32).map(move |k| {
                        let sign = |bit: u32| if k >> bit & 1 == 0 { -half } else { half };
                        center + DVec3::new(sign(0), sign(1), sign(2))
                    })
                })
                .collect();
        }
        far
    }

    /// How far the centre of a cube is from the nearest ball; none when the ball around the cube lies near a ball as a whole, or outside the solid.
    fn look(&self, center: DVec3, radius: f64, enough: f64) -> Option<OpenCube> {
        let within = enough - radius;
        let (_, near) = self.index.clearance_at_least(self.balls, center, within);
        if near.is_some() {
            return None;
        }
        let is_inside = self.solid.contains(center);
        let surface = (self.solid.closest_point(center) - center).length();
        if !is_inside && surface - self.solid.error() > radius {
            return None;
        }
        let ball = &self.balls[self.ball(center) as usize];
        Some(OpenCube {
            center,
            away: (center - ball.center).length() - ball.radius,
            is_inside,
        })
    }
}

/// The centre of a cube that is still to be cut.
#[derive(Clone, Copy)]
struct OpenCube {
    center: DVec3,
    /// From the nearest ball.
    away: f64,
    is_inside: bool,
}
