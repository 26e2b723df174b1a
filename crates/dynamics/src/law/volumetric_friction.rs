//! Friction of a contact volume.
//!
//! **Idea.** The pressure of a lens acts on the area |∇Vol| of each ball of the tool, so that each ball has a
//! normal force, and Coulomb's law bounds its tangential one. Each ball drags a bristle: the displacement
//! since it stuck, at most as long as the slack. Within the slack it sticks elastically; at the slack it
//! slides with the full force. Torques about the contact come from the balls' arms.
//! **Energy.** A bristle stores μ·p·A·|z|²/2d for area A and slack d. Where the area grows the bristle is
//! shortened by the root of the ratio, so that pressing stores nothing; where it shrinks, energy is lost.
//! So friction never gives more than the hand has put in.

use std::sync::Arc;

use impinge::geom::lens;
use impinge::query::{Limits, Outcome};
use impinge::spheres::{InnerSphereTree, InnerSphereTreeCache, PairList};
use impinge::{DVec3, Pose};

use super::solid_frame::LawBodies;
use super::{ContactLaw, ContactResponse};
use crate::{QuantityError, quantity};

/// What a ball of the tool remembers of its contact.
#[derive(Clone, Copy, Debug)]
struct Bristle {
    /// Displacement since it stuck, in the frame of the solid.
    bent: DVec3,
    /// Area at the last tick; 0 where the ball did not touch.
    area: f64,
}

impl Bristle {
    const NONE: Self = Self {
        bent: DVec3::ZERO,
        area: 0.0,
    };
}

/// Force proportional to the negative gradient of the overlap volume of the balls, with Coulomb friction on it.
///
/// [`ContactLaw::at`] answers for any pose with what the last [`commit`](Self::commit) left, so that a coupling
/// may ask often in a tick; `commit` ends the tick.
///
/// ```
/// use impinge::{DVec3, Pose, query::Limits, spheres::*};
/// use impinge_dynamics::law::{ContactLaw, FrictionLaw, FrictionDesc};
/// use std::sync::Arc;
/// let tree = |radius| {
///     let ball = SolidBall { center: DVec3::ZERO, radius };
///     InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default()).map(Arc::new)
/// };
/// let desc = FrictionDesc { pressure: 100.0, coefficient: 0.5, slack: 1e-4 };
/// let mut law = FrictionLaw::new(tree(1000.0)?, Pose::IDENTITY, tree(1.0)?, &desc)?;
/// let at = |x: f64| Pose::from_translation([x, 0.0, 1000.5]);
/// law.commit(&at(0.0)?, Limits::default());
/// let slid = law.at(&at(0.01)?, Limits::default()).wrench.force;
/// assert!((slid.x / slid.z + 0.5).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FrictionLaw {
    bodies: LawBodies<Arc<InnerSphereTree>, FrictionCache>,
    coefficient: f64,
    slack: f64,
    /// By ball of the tool.
    bristles: Vec<Bristle>,
    /// Where the tool was at the last tick, in the frame of the solid.
    last: Option<Pose>,
}

/// Material of a contact with friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionDesc {
    /// Newtons per square metre of contact.
    pub pressure: f64,
    /// Coefficient of friction.
    pub coefficient: f64,
    /// How far a ball moves elastically before it slides, in m.
    pub slack: f64,
}

#[derive(Debug)]
struct FrictionCache {
    tree: InnerSphereTreeCache,
    list: PairList,
    /// Area times outward normal for each ball of the tool.
    areas: Vec<DVec3>,
    /// Balls of the tool that touch.
    touching: Vec<u32>,
}

impl FrictionLaw {
    /// A tool against a solid.
    ///
    /// # Errors
    /// [`QuantityError`] when pressure or slack are not positive, or the coefficient is negative.
    pub fn new(
        solid: Arc<InnerSphereTree>,
        world_from_solid: Pose,
        tool: Arc<InnerSphereTree>,
        desc: &FrictionDesc,
    ) -> Result<Self, QuantityError> {
        let balls = tool.balls().len();
        let cache = FrictionCache {
            tree: InnerSphereTreeCache::default(),
            list: PairList::with_capacity(4096),
            areas: vec![DVec3::ZERO; balls],
            touching: Vec::with_capacity(balls),
        };
        let pressure = ("pressure", desc.pressure);
        Ok(Self {
            bodies: LawBodies::new([solid, tool], world_from_solid, pressure, cache)?,
            coefficient: quantity::not_negative("coefficient of friction", desc.coefficient)?,
            slack: quantity::positive("slack of friction", desc.slack)?,
            bristles: vec![Bristle::NONE; balls],
            last: None,
        })
    }

    /// Ends a tick with the tool at a pose: bristles move with it.
    pub fn commit(&mut self, world_from_tool: &Pose, limits: Limits<'_>) {
        let pose = self.bodies.frame.solid_from_tool(world_from_tool);
        let _ = self.touch(world_from_tool, limits);
        let last = self.last.replace(pose);
        let (areas, touching) = (&self.bodies.cache.areas, &self.bodies.cache.touching);
        // Balls that touched at the last tick and do not now forget.
        let mut touched = touching.iter().copied().peekable();
        for (ball, bristle) in self.bristles.iter_mut().enumerate() {
            if touched.next_if_eq(&(ball as u32)).is_none() {
                *bristle = Bristle::NONE;
            }
        }
        let balls = self.bodies.tool().balls();
        for &ball in touching {
            let ball = ball as usize;
            let (Some(area), Some(bristle), Some(sphere)) = (
                areas.get(ball),
                self.bristles.get_mut(ball),
                balls.get(ball),
            ) else {
                continue;
            };
            let moved = last.map(|last| pose * sphere.center - last * sphere.center);
            *bristle = Bristle {
                bent: bent(bristle, *area, moved, self.slack),
                area: area.length(),
            };
        }
    }

    /// The elastic energy that friction holds since the last tick, in J.
    #[must_use]
    pub fn stored(&self) -> f64 {
        let stiffness = 0.5 * self.coefficient * self.bodies.factor / self.slack;
        let each = self.bristles.iter();
        each.map(|b| stiffness * b.area * b.bent.length_squared())
            .sum()
    }

    /// Sums the areas of the balls of the tool at a pose.
    fn touch(&mut self, world_from_tool: &Pose, limits: Limits<'_>) -> Outcome {
        self.bodies
            .ask(world_from_tool, |solid, tool, pose, cache| {
                for ball in cache.touching.drain(..) {
                    if let Some(area) = cache.areas.get_mut(ball as usize) {
                        *area = DVec3::ZERO;
                    }
                }
                let (tree, list) = (&mut cache.tree, &mut cache.list);
                let outcome = solid.overlap_pairs(tool, pose, 0.0, limits, tree, list);
                for &(i, j) in list.pairs() {
                    let pair = (solid.balls().get(i as usize), tool.balls().get(j as usize));
                    let ((Some(a), Some(b)), Some(area)) = (pair, cache.areas.get_mut(j as usize))
                    else {
                        continue;
                    };
                    let shared = lens(a.center, a.radius, *pose * b.center, b.radius);
                    if shared.gradient != DVec3::ZERO {
                        if *area == DVec3::ZERO {
                            cache.touching.push(j);
                        }
                        *area -= shared.gradient;
                    }
                }
                cache.touching.sort_unstable();
                cache.touching.dedup();
                outcome
            })
    }
}

/// Where a bristle stands after its ball has moved: shortened by growing area, turned into the tangent plane, no longer than the slack.
fn bent(bristle: &Bristle, area: DVec3, moved: Option<DVec3>, slack: f64) -> DVec3 {
    let (now, normal) = (area.length(), area.normalize_or_zero());
    // Where contact began within the tick, none of the motion counts.
    let (true, Some(moved)) = (bristle.area > 0.0, moved) else {
        return DVec3::ZERO;
    };
    let kept = if now > bristle.area {
        libm::sqrt(bristle.area / now)
    } else {
        1.0
    };
    let bent = bristle.bent * kept + moved;
    (bent - normal * bent.dot(normal)).clamp_length_max(slack)
}

impl ContactLaw for FrictionLaw {
    fn at(&mut self, world_from_tool: &Pose, limits: Limits<'_>) -> ContactResponse {
        let outcome = self.touch(world_from_tool, limits);
        let pose = self.bodies.frame.solid_from_tool(world_from_tool);
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        let balls = self.bodies.tool().balls();
        let cache = &self.bodies.cache;
        for &ball in &cache.touching {
            let ball = ball as usize;
            let (Some(area), Some(bristle), Some(sphere)) = (
                cache.areas.get(ball),
                self.bristles.get(ball),
                balls.get(ball),
            ) else {
                continue;
            };
            let center = pose * sphere.center;
            let moved = self.last.map(|last| center - last * sphere.center);
            let bent = bent(bristle, *area, moved, self.slack);
            let friction = bent * (-self.coefficient * area.length() / self.slack);
            force += *area + friction;
            torque += center.cross(*area + friction);
        }
        self.bodies
            .response(world_from_tool, [force, torque], outcome)
    }

    fn set_pose(&mut self, solid: usize, world_from_solid: &Pose) -> bool {
        self.bodies.frame.set_pose(solid, world_from_solid)
    }
}
