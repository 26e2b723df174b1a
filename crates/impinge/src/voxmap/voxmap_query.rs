//! Penalty force of a pointshell in a voxmap.
//!
//! Why a sphere may be culled. Let `D` be the distance from the centre of a voxel to that of the
//! nearest surface voxel, in voxel sides. Voxels of points at most `r` sides apart have centres at
//! most `r + √3` apart, and `D` changes by no more than that. A path from outside to inside crosses
//! the surface, and the voxel there has its centre within `√3/2`; so from a voxel outside it is at
//! least `D − √3` to the centre of any voxel inside. Hence a sphere of radius `r` around a point
//! with `r < D − 2√3` contains only points outside, and none of them in a layer nearer than
//! `D − r − √3 − ½`.

use glam::DVec3;

use super::bricks::DEEPEST;
use super::pointshell::Pointshell;
use super::voxel_map::Voxmap;
use crate::math::Pose;
use crate::query::{Bounded, Limits, Outcome};

/// √3, a little more for rounding.
const DIAGONAL: f64 = 1.7320509;

/// Force and torque between a pointshell and a voxmap, per unit of stiffness. `a` is the solid of
/// voxels, `b` that of points; everything is in the frame of `a`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "penalty force")]
#[doc(alias = "haptics")]
#[doc(alias = "VPS")]
pub struct PenaltyForce {
    /// The force on `a`; that on `b` is the opposite.
    pub force_on_a: DVec3,
    /// Its torque about the origin of the frame of `a`.
    pub torque_on_a: DVec3,
    /// Points in voxels that are not outside.
    pub penetrating: usize,
    /// The largest depth of a point below the surface of `a`; 0 when no point is inside.
    pub depth: Bounded<f64>,
    /// The smallest distance of a point from `a`, 0 when a point is inside; infinite when no point is in a layer that is counted.
    pub distance: Bounded<f64>,
    /// Points and balls examined.
    pub tests: u64,
    /// Whether all relevant points were visited.
    pub outcome: Outcome,
}

impl PenaltyForce {
    /// The torque on `b` about a point, given in the frame of `a`.
    ///
    /// ```
    /// use impinge::voxmap::{Pointshell, Voxmap, VoxmapQuery};
    /// use impinge::{DVec3, Pose, generate, query::Limits};
    /// let cube = generate::cuboid(DVec3::ONE, [1; 3])?;
    /// let (map, shell) = (Voxmap::new(&cube, 20)?, Pointshell::new(&cube, 20)?);
    /// let pressed = VoxmapQuery::new(&map, &shell).at(&Pose::from_translation([0.0, 0.9, 0.0])?, Limits::default());
    /// assert_eq!(pressed.torque_on_b_about(DVec3::ZERO), -pressed.torque_on_a);
    /// assert!(pressed.torque_on_b_about(DVec3::X).z < 0.5 * pressed.force_on_a.y);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn torque_on_b_about(&self, center: DVec3) -> DVec3 {
        center.cross(self.force_on_a) - self.torque_on_a
    }
}

/// The penalty force query of a pointshell and a voxmap.
///
/// ```
/// use impinge::voxmap::{Pointshell, Voxmap, VoxmapQuery};
/// use impinge::{DVec3, Pose, generate, query::Limits};
/// let cube = generate::cuboid(DVec3::ONE, [1; 3])?;
/// let (map, shell) = (Voxmap::new(&cube, 20)?, Pointshell::new(&cube, 20)?);
/// let query = VoxmapQuery::new(&map, &shell);
/// let pressed = query.at(&Pose::from_translation([0.0, 0.9, 0.0])?, Limits::default());
/// assert!(pressed.depth.lower <= 0.1 && 0.1 <= pressed.depth.upper);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[doc(alias = "Voxmap-PointShell")]
#[doc(alias = "VPS")]
pub struct VoxmapQuery<'v> {
    map: &'v Voxmap,
    shell: &'v Pointshell,
}

impl<'v> VoxmapQuery<'v> {
    /// The query about these two.
    #[must_use]
    pub fn new(map: &'v Voxmap, shell: &'v Pointshell) -> Self {
        Self { map, shell }
    }

    /// Force, torque, depth and distance with `b` at this pose.
    ///
    /// [`Limits::max_distance`] is the distance up to which layers outside are of interest: with 0,
    /// only penetrating points are searched. Under a budget, points that were not visited are
    /// missing from the sums, and the bounds are open.
    pub fn at(&self, a_from_b: &Pose, limits: Limits<'_>) -> PenaltyForce {
        let map = self.map;
        let side = map.side();
        let is_bounded = limits.max_tests.is_some() || limits.stop.is_some();
        let reach = (limits.within() / side).clamp(0.0, f64::from(map.proximity()));
        let (points, normals, balls) = (
            self.shell.points(),
            self.shell.normals(),
            &self.shell.balls[..],
        );
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        let mut penetrating = 0;
        // The deepest layer so far, and the lowest outside.
        let (mut deepest, mut nearest) = (None::<i8>, f64::INFINITY);
        let mut tests = 0;
        let mut outcome = Outcome::Complete;
        let mut at = 0;
        while let Some(ball) = balls.get(at) {
            if is_bounded && (!limits.allows(tests) || limits.is_stopped()) {
                outcome = Outcome::OutOfBudget;
                break;
            }
            tests += 1;
            let outside = map.sides_outside(a_from_b.transform_point(ball.center));
            let radius = ball.radius / side;
            let is_apart = radius < outside - 2.0 * DIAGONAL
                && outside - radius - DIAGONAL - 0.5 > reach.min(nearest);
            if is_apart {
                at = ball.next as usize;
                continue;
            }
            at += 1;
            if ball.is_divided {
                continue;
            }
            let group = ball.first as usize..ball.last as usize;
            tests += group.len() as u64;
            for (point, normal) in points[group.clone()].iter().zip(&normals[group]) {
                let p = a_from_b.transform_point(*point);
                let Some((layer, center)) = map.look(p) else {
                    continue;
                };
                if layer < 0 {
                    nearest = nearest.min(-f64::from(layer));
                    continue;
                }
                penetrating += 1;
                deepest = deepest.max(Some(layer));
                let n = a_from_b.transform_vector(*normal);
                let depth = n.dot(center - p) + f64::from(layer) * side;
                if depth > 0.0 {
                    let push = n * depth;
                    force += push;
                    torque += p.cross(push);
                }
            }
        }
        let is_complete = outcome == Outcome::Complete;
        PenaltyForce {
            force_on_a: DVec3::ZERO - force,
            torque_on_a: DVec3::ZERO - torque,
            penetrating,
            depth: self.depth(deepest, outcome),
            distance: self.distance(deepest, nearest, reach, is_complete, outcome),
            tests,
            outcome,
        }
    }

    fn depth(&self, deepest: Option<i8>, outcome: Outcome) -> Bounded<f64> {
        let error = self.map.error();
        let value = deepest.map_or(0.0, |layer| f64::from(layer) * self.map.side());
        let is_counted = deepest.is_none_or(|layer| layer < DEEPEST as i8);
        Bounded {
            value,
            lower: (value - error).max(0.0),
            upper: match deepest {
                _ if outcome != Outcome::Complete || !is_counted => f64::INFINITY,
                None => 0.0,
                Some(_) => value + error,
            },
            outcome,
        }
    }

    fn distance(
        &self,
        deepest: Option<i8>,
        nearest: f64,
        reach: f64,
        is_complete: bool,
        outcome: Outcome,
    ) -> Bounded<f64> {
        let (side, error) = (self.map.side(), self.map.error());
        let (value, lower, upper) = match deepest {
            // A voxel of the surface may hold the point outside; one further in does not.
            Some(layer) => (0.0, 0.0, if layer > 0 { 0.0 } else { error }),
            None if nearest.is_finite() => (
                nearest * side,
                (nearest.min(reach) * side - error).max(0.0),
                nearest * side + error,
            ),
            None => (
                f64::INFINITY,
                (reach * side - error).max(0.0),
                f64::INFINITY,
            ),
        };
        Bounded {
            value,
            lower: if is_complete { lower } else { 0.0 },
            upper,
            outcome,
        }
    }
}
