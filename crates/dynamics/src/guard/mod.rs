//! A tool that never passes a surface: the god-object of six degrees of freedom.
//!
//! **Question.** Where is a rigid tool that follows the device as near as it can without passing any face?
//! **Idea.** The tool moves towards the device up to the [time of impact](impinge::ccd), so that its motion is proven free. Where it
//! stops, the nearby faces become constraints on its velocity, and it continues along the motion that is closest to the wanted one
//! and satisfies all constraints.
//! **Source.** Ortega, Redon and Coquillart 2007, *A six degree-of-freedom god-object method for haptic display of rigid bodies*.
//! **Promise.** Every part of the motion is free of contact, decided by the exact test: the tool passes no sheet, however thin, at any speed.
//! **Cost.** Up to [`MAX_ROUNDS`] time-of-impact queries per tick.
//! Bodies that move carry the tool along, by the same test of their relative motion. One that would crush the tool against another waits where it is
//! until there is room.
//! **Limits.** A body that moves pushes the tool by its whole motion of a tick, not only by the part after they meet.

mod constraint_motion;

pub use constraint_motion::{MAX_CONSTRAINTS, MotionConstraint, constrained_motion};

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::ccd::{ImpactCache, ImpactOptions, impact};
use impinge::math::Motion;
use impinge::query::{Limits, NearPair};
use impinge::{DVec3, Pose};
use thiserror::Error;

use crate::coupling::CouplingStiffness;
use crate::device::rotation_vector;
use crate::{QuantityError, Wrench};

/// Most partial motions in one tick.
pub const MAX_ROUNDS: usize = 4;

/// Largest gap at which a face becomes a constraint, as a fraction of the tool's size.
const NEAR: f64 = 1e-3;

/// The gap that is kept where the tool is stopped, as part of its size.
const KEPT: f64 = 1e-4;

/// How exactly times of impact are found.
const IMPACT_OPTIONS: ImpactOptions = ImpactOptions {
    tolerance: 1e-6,
    max_steps: 1000,
};

/// Why a guard was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GuardError {
    /// A number is out of range.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
    /// The tool must start free.
    #[error("the tool starts in contact with body {body}")]
    InContact {
        /// Its number.
        body: usize,
    },
    /// A tool without faces touches nothing.
    #[error("the tool has no faces")]
    NoFaces,
}

/// The result of one tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuardStep {
    /// The pose of the tool now.
    pub world_from_tool: Pose,
    /// The wrench on the hand, from the springs of the coupling.
    pub wrench: Wrench,
    /// Constraints of the last round.
    pub constraints: usize,
    /// Parts of the way that were examined.
    pub rounds: usize,
    /// Bodies that wait, because the tool has no room beside them.
    pub waiting: usize,
}

#[derive(Debug)]
struct GuardBody {
    tree: Arc<WideTree>,
    pose: Pose,
    /// Where it is to be.
    goal: Pose,
}

/// A rigid tool of any mesh among bodies that it cannot pass.
///
/// ```
/// use impinge::{DVec3, Pose, bvh::wide::WideTree, generate};
/// use impinge_dynamics::{coupling::CouplingStiffness, guard::ToolGuard};
/// use std::sync::Arc;
/// let cube = Arc::new(WideTree::new(Arc::new(generate::cuboid(DVec3::splat(0.02), [1; 3])?)));
/// let sheet = Arc::new(WideTree::new(Arc::new(generate::cuboid(DVec3::new(1.0, 1e-4, 1.0), [1; 3])?)));
/// let above = Pose::from_translation([0.0, 0.1, 0.0])?;
/// let mut guard = ToolGuard::new(cube, vec![(sheet, Pose::IDENTITY)], CouplingStiffness::new(500.0, 1.0)?, above)?;
/// // Through the sheet in one tick, at 200 m/s.
/// let step = guard.update(&Pose::from_translation([0.0, -0.1, 0.0])?);
/// assert!(step.world_from_tool.translation().y > 0.0 && step.wrench.force.y > 40.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ToolGuard {
    tool: Arc<WideTree>,
    bodies: Vec<GuardBody>,
    coupling: CouplingStiffness,
    world_from_tool: Pose,
    /// Largest distance of a point of the tool from its origin.
    radius: f64,
    cache: ImpactCache,
    near_cache: WideCache,
    near: Vec<NearPair>,
}

impl ToolGuard {
    /// A tool at a pose among bodies at theirs.
    ///
    /// # Errors
    /// [`GuardError`] when the tool has no faces or touches a body.
    pub fn new(
        tool: Arc<WideTree>,
        bodies: Vec<(Arc<WideTree>, Pose)>,
        coupling: CouplingStiffness,
        world_from_tool: Pose,
    ) -> Result<Self, GuardError> {
        if tool.mesh().is_empty() {
            return Err(GuardError::NoFaces);
        }
        let mut near_cache = WideCache::default();
        for (body, (tree, pose)) in bodies.iter().enumerate() {
            if tree.intersects(&tool, &(pose.inverse() * world_from_tool), &mut near_cache) {
                return Err(GuardError::InContact { body });
            }
        }
        let bounds = tool.mesh().bounds();
        let radius = bounds.center().length() + bounds.diagonal().length() / 2.0;
        let bodies = bodies.into_iter().map(|(tree, pose)| GuardBody {
            tree,
            pose,
            goal: pose,
        });
        Ok(Self {
            bodies: bodies.collect(),
            tool,
            coupling,
            world_from_tool,
            radius,
            cache: ImpactCache::default(),
            near_cache,
            near: Vec::with_capacity(256),
        })
    }

    /// The pose of the tool.
    #[must_use]
    pub fn world_from_tool(&self) -> Pose {
        self.world_from_tool
    }

    /// The springs between device and tool.
    #[must_use]
    pub fn coupling(&self) -> CouplingStiffness {
        self.coupling
    }

    /// Moves a body at the next update; returns whether there is a body of this number.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, bvh::wide::WideTree, generate};
    /// use impinge_dynamics::{coupling::CouplingStiffness, guard::ToolGuard};
    /// use std::sync::Arc;
    /// let cube = Arc::new(WideTree::new(Arc::new(generate::cuboid(DVec3::splat(0.02), [1; 3])?)));
    /// let wall = Arc::new(WideTree::new(Arc::new(generate::cuboid(DVec3::new(1.0, 1e-4, 1.0), [1; 3])?)));
    /// let above = Pose::from_translation([0.0, 0.1, 0.0])?;
    /// let mut guard = ToolGuard::new(cube, vec![(wall, Pose::IDENTITY)], CouplingStiffness::new(500.0, 1.0)?, above)?;
    /// // The wall rises through the place of the tool, and takes it along.
    /// assert!(guard.set_pose(0, &Pose::from_translation([0.0, 0.2, 0.0])?));
    /// let step = guard.update(&above);
    /// assert!(step.world_from_tool.translation().y > 0.2 && step.waiting == 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_pose(&mut self, body: usize, world_from_body: &Pose) -> bool {
        let found = self.bodies.get_mut(body);
        found.map(|found| found.goal = *world_from_body).is_some()
    }

    /// Brings the bodies to where they are to be, with the tool where it is or carried along. Returns how many wait.
    fn carry(&mut self) -> usize {
        let mut waiting = 0;
        for index in 0..self.bodies.len() {
            let Some((pose, goal)) = self.bodies.get(index).map(|body| (body.pose, body.goal))
            else {
                continue;
            };
            if pose == goal {
                continue;
            }
            let stays = self.world_from_tool;
            let carried = goal * pose.inverse() * stays;
            let mut place = None;
            for tool in [stays, carried] {
                // In the frame of the body that carries it the tool does not move.
                let is_carried = tool != stays;
                if place.is_none() && self.is_reached(index, &goal, &tool, is_carried) {
                    place = Some(tool);
                }
            }
            match (place, self.bodies.get_mut(index)) {
                (Some(tool), Some(body)) => {
                    body.pose = goal;
                    self.world_from_tool = tool;
                }
                _ => waiting += 1,
            }
        }
        waiting
    }

    /// Whether the tool comes to a pose without contact while one body moves to its goal: for each body the tool has a free way in the body's frame.
    fn is_reached(&mut self, moved: usize, goal: &Pose, tool: &Pose, is_carried: bool) -> bool {
        for (index, body) in self.bodies.iter().enumerate() {
            let end = if index == moved { goal } else { &body.pose };
            let is_resting = if index == moved {
                is_carried
            } else {
                *tool == self.world_from_tool
            };
            if is_resting {
                continue;
            }
            let from = body.pose.inverse() * self.world_from_tool;
            let to = end.inverse() * *tool;
            let found = impact(
                &body.tree,
                &self.tool,
                &Motion::still(&Pose::IDENTITY),
                &Motion::between(&from, &to),
                &IMPACT_OPTIONS,
                Limits::default(),
                &mut self.cache,
            );
            let is_apart = |cache: &mut WideCache| !body.tree.intersects(&self.tool, &to, cache);
            if found.lower < 1.0 || !is_apart(&mut self.near_cache) {
                return false;
            }
        }
        // The product of poses is rounded: the tool that is carried must be free where it ends.
        !is_carried
            || self.bodies.get(moved).is_none_or(|body| {
                let to = goal.inverse() * *tool;
                !body.tree.intersects(&self.tool, &to, &mut self.near_cache)
            })
    }

    /// Moves the tool towards the device as far as faces allow.
    pub fn update(&mut self, world_from_device: &Pose) -> GuardStep {
        let waiting = self.carry();
        let mut constraints = [MotionConstraint::NONE; MAX_CONSTRAINTS];
        let mut count = 0;
        let mut rounds = 0;
        for round in 0..MAX_ROUNDS {
            let now = self.world_from_tool;
            let movement = world_from_device.translation() - now.translation();
            let turn = rotation_vector(&(*world_from_device * now.inverse()));
            if movement == DVec3::ZERO && turn == DVec3::ZERO {
                break;
            }
            rounds = round + 1;
            if round > 0 {
                count = self.constraints(&mut constraints);
            }
            let active = constraints.get(..count).unwrap_or_default();
            let (movement, turn) = constrained_motion(movement, turn, self.radius, active);
            let size = movement.length() + turn.length() * self.radius;
            if size <= 1e-12 * self.radius {
                break;
            }
            let goal = if count == 0 {
                *world_from_device
            } else {
                crate::coupling::moved(&now, movement, turn)
            };
            let motion = Motion::between(&now, &goal);
            let free = self.free_part(&motion);
            if free >= 1.0 {
                self.world_from_tool = goal;
                if count == 0 {
                    break;
                }
                continue;
            }
            // A gap is kept, so that the next way does not start in contact and the direction of the gap is
            // known.
            let gap = KEPT * self.radius / size;
            if free > gap {
                let reached = motion.at(free - gap);
                if self.is_free(&reached) {
                    self.world_from_tool = reached;
                }
            }
        }
        let pull = self.coupling.pull(world_from_device, &self.world_from_tool);
        GuardStep {
            world_from_tool: self.world_from_tool,
            wrench: -pull,
            constraints: count,
            rounds,
            waiting,
        }
    }

    /// The part of a motion that is proven free.
    fn free_part(&mut self, motion: &Motion) -> f64 {
        let mut free = 1.0_f64;
        for body in &self.bodies {
            let still = Motion::still(&body.pose);
            let found = impact(
                &body.tree,
                &self.tool,
                &still,
                motion,
                &IMPACT_OPTIONS,
                Limits::default(),
                &mut self.cache,
            );
            free = free.min(found.lower);
        }
        free
    }

    fn is_free(&mut self, world_from_tool: &Pose) -> bool {
        let (tool, cache) = (&self.tool, &mut self.near_cache);
        self.bodies.iter().all(|body| {
            let pose = body.pose.inverse() * *world_from_tool;
            !body.tree.intersects(tool, &pose, cache)
        })
    }

    /// Faces near the tool, as constraints on its velocity.
    fn constraints(&mut self, found: &mut [MotionConstraint; MAX_CONSTRAINTS]) -> usize {
        let mut count = 0;
        let origin = self.world_from_tool.translation();
        for body in &self.bodies {
            let body_from_tool = body.pose.inverse() * self.world_from_tool;
            self.near.clear();
            let _ = body.tree.near_pairs(
                &self.tool,
                &body_from_tool,
                NEAR * self.radius,
                Limits {
                    max_tests: Some(20_000),
                    ..Limits::default()
                },
                &mut self.near_cache,
                &mut self.near,
            );
            self.near.sort_unstable_by(|x, y| {
                let key = |p: &NearPair| (p.faces.a, p.faces.b);
                let near = x.separation.distance.total_cmp(&y.separation.distance);
                near.then(key(x).cmp(&key(y)))
            });
            for pair in &self.near {
                let apart = pair.separation.point_b - pair.separation.point_a;
                let Some(normal) = apart.try_normalize() else {
                    continue;
                };
                let normal = body.pose.transform_vector(normal);
                let arm = body.pose * pair.separation.point_b - origin;
                let is_known = found.iter().take(count).any(|known| {
                    known.normal.dot(normal) > 1.0 - 1e-9
                        && (known.arm - arm).length() < NEAR * self.radius
                });
                if is_known {
                    continue;
                }
                let Some(slot) = found.get_mut(count) else {
                    return count;
                };
                *slot = MotionConstraint {
                    normal,
                    arm,
                    gap: (pair.separation.distance - KEPT * self.radius).max(0.0),
                };
                count += 1;
            }
        }
        count
    }
}
