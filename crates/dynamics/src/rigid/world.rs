//! Simulation of many rigid bodies.

use std::collections::BTreeMap;
use std::fmt;

use impinge::bound::Aabb;
use impinge::broad::{BroadPhase, DynamicAabbTree, ObjectId};
use impinge::pair::{ContactPoint, ContactQuery, PairConfig};
use impinge::{DVec3, Pose};

use super::body::{Body, BodyDesc, BodyId, finite};
use super::config::WorldConfig;
use super::error::{RigidError, at_least};
use super::island;
use super::solver::{SolverBody, SolverContact, solve};

/// Contacts are looked for at least this far ahead, in parts of the smaller body.
const MARGIN_PART: f64 = 0.02;

/// A point where two bodies of a world touched in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldContact {
    /// The bodies, the lower id first.
    pub bodies: [BodyId; 2],
    /// The point, half-way between the surfaces.
    pub point: DVec3,
    /// The unit direction from the first body to the second.
    pub normal: DVec3,
    /// The gap along the normal at the end of the step; negative for penetration.
    pub separation: f64,
    /// The largest impulse of a substep, in N·s.
    pub impulse: f64,
}

/// What is kept about two bodies that are near each other.
struct Neighbours {
    query: ContactQuery,
    points: Vec<ContactPoint>,
    /// Impulses of the last step, by the id of the contact.
    kept: Vec<(u64, f64, DVec3)>,
}

/// A world of rigid bodies with contact and friction.
///
/// The [module](super) describes the method.
#[doc(alias = "LCP")]
#[doc(alias = "sequential impulses")]
#[doc(alias = "projected Gauss-Seidel")]
#[doc(alias = "physics engine")]
pub struct RigidWorld {
    config: WorldConfig,
    bodies: Vec<Option<Body>>,
    broad: DynamicAabbTree,
    pairs: BTreeMap<[u32; 2], Neighbours>,
    solver_bodies: Vec<SolverBody>,
    solver_contacts: Vec<SolverContact>,
    time: f64,
}

impl fmt::Debug for RigidWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RigidWorld")
            .field("bodies", &self.bodies.len())
            .field("pairs", &self.pairs.len())
            .field("time", &self.time)
            .finish_non_exhaustive()
    }
}

impl RigidWorld {
    /// An empty world.
    ///
    /// # Errors
    /// [`RigidError::OutOfRange`] for a setting that is invalid.
    ///
    /// ```
    /// use impinge_dynamics::rigid::{RigidWorld, WorldConfig};
    /// assert!(RigidWorld::new(WorldConfig { substeps: 0, ..WorldConfig::default() }).is_err());
    /// ```
    pub fn new(config: WorldConfig) -> Result<Self, RigidError> {
        Ok(Self {
            config: config.checked()?,
            bodies: Vec::new(),
            broad: DynamicAabbTree::default(),
            pairs: BTreeMap::new(),
            solver_bodies: Vec::new(),
            solver_contacts: Vec::new(),
            time: 0.0,
        })
    }

    /// Adds a body.
    ///
    /// # Errors
    /// [`RigidError`] for numbers out of range; the world is unchanged then.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball};
    /// use impinge_dynamics::rigid::{BodyDesc, RigidWorld, WorldConfig};
    /// let mut world = RigidWorld::new(WorldConfig::default())?;
    /// let wrong = BodyDesc { friction: -1.0, ..BodyDesc::fixed(Ball::new(1.0)?, Pose::IDENTITY) };
    /// assert!(world.add(wrong).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add(&mut self, desc: BodyDesc) -> Result<BodyId, RigidError> {
        let most = ObjectId::MAX_SLOT as usize;
        if self.bodies.len() >= most {
            return Err(RigidError::TooMany { most });
        }
        let body = Body::new(desc)?;
        let slot = self.bodies.len() as u32;
        let bounds = swept_box(&body, &body.pose, 0.0);
        self.broad.insert(ObjectId::new(slot, 0), &bounds.into())?;
        self.bodies.push(Some(body));
        Ok(BodyId(slot))
    }

    /// Removes a body.
    ///
    /// # Errors
    /// [`RigidError::NoBody`].
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball};
    /// use impinge_dynamics::rigid::{BodyDesc, RigidWorld, WorldConfig};
    /// let mut world = RigidWorld::new(WorldConfig::default())?;
    /// let id = world.add(BodyDesc::fixed(Ball::new(1.0)?, Pose::IDENTITY))?;
    /// world.remove(id)?;
    /// assert!(world.body(id).is_none() && world.remove(id).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove(&mut self, id: BodyId) -> Result<(), RigidError> {
        let gone = self.bodies.get_mut(id.index()).and_then(Option::take);
        if gone.is_none() {
            return Err(RigidError::NoBody { id });
        }
        self.broad.remove(ObjectId::new(id.0, 0))?;
        // What lay on it falls.
        for [i, j] in self.pairs.keys() {
            for (one, other) in [(i, j), (j, i)] {
                if *one == id.0
                    && let Some(Some(body)) = self.bodies.get_mut(*other as usize)
                {
                    body.wake();
                }
            }
        }
        self.pairs.retain(|pair, _| !pair.contains(&id.0));
        self.solver_contacts
            .retain(|contact| !contact.bodies.contains(&id.0));
        Ok(())
    }

    /// A body; none when it was taken out.
    #[must_use]
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.bodies.get(id.index())?.as_ref()
    }

    /// All bodies with their ids.
    ///
    /// ```
    /// use impinge_dynamics::rigid::{RigidWorld, WorldConfig};
    /// assert_eq!(RigidWorld::new(WorldConfig::default())?.bodies().count(), 0);
    /// # Ok::<(), impinge_dynamics::rigid::RigidError>(())
    /// ```
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        let numbered = self.bodies.iter().enumerate();
        numbered.filter_map(|(slot, body)| Some((BodyId(slot as u32), body.as_ref()?)))
    }

    /// The time simulated so far, in s.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    fn body_mut(&mut self, id: BodyId) -> Result<&mut Body, RigidError> {
        let slot = self.bodies.get_mut(id.index()).and_then(Option::as_mut);
        slot.ok_or(RigidError::NoBody { id })
    }

    /// Sets the pose of a body. Its velocities stay.
    ///
    /// # Errors
    /// [`RigidError::NoBody`].
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball};
    /// use impinge_dynamics::rigid::{BodyDesc, RigidWorld, WorldConfig};
    /// let mut world = RigidWorld::new(WorldConfig::default())?;
    /// let id = world.add(BodyDesc::fixed(Ball::new(1.0)?, Pose::IDENTITY))?;
    /// let there = Pose::from_translation([1.0, 0.0, 0.0])?;
    /// world.set_pose(id, there)?;
    /// assert!(world.body(id).is_some_and(|body| *body.pose() == there));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_pose(&mut self, id: BodyId, pose: Pose) -> Result<(), RigidError> {
        let body = self.body_mut(id)?;
        let (velocity, angular) = (body.velocity(), body.angular_velocity());
        body.orientation = impinge::glam::DQuat::from_mat3(pose.rotation()).normalize();
        body.center = pose * body.local_center;
        body.pose = pose;
        body.set_velocities(velocity, angular);
        Ok(())
    }

    /// Gives a body new velocities, and wakes it.
    ///
    /// # Errors
    /// [`RigidError`] for an id without body or a number that is not finite.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::Ball};
    /// use impinge_dynamics::rigid::{BodyDesc, RigidWorld, WorldConfig};
    /// let mut world = RigidWorld::new(WorldConfig::default())?;
    /// let id = world.add(BodyDesc::fixed(Ball::new(1.0)?, Pose::IDENTITY))?;
    /// world.set_velocities(id, DVec3::X, DVec3::ZERO)?;
    /// world.step(0.5)?;
    /// assert!(world.body(id).is_some_and(|body| (body.center().x - 0.5).abs() < 1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_velocities(
        &mut self,
        id: BodyId,
        velocity: DVec3,
        angular: DVec3,
    ) -> Result<(), RigidError> {
        finite("velocity", velocity)?;
        finite("angular velocity", angular)?;
        self.body_mut(id)?.set_velocities(velocity, angular);
        Ok(())
    }

    /// Applies a force and a torque to a body at its centre of mass during the next step.
    ///
    /// # Errors
    /// [`RigidError`] for an id without body or a number that is not finite.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::Ball};
    /// use impinge_dynamics::rigid::{BodyDesc, RigidWorld, WorldConfig};
    /// let mut world = RigidWorld::new(WorldConfig { gravity: DVec3::ZERO, ..Default::default() })?;
    /// let id = world.add(BodyDesc::solid(Ball::new(1.0)?, 1.0, Pose::IDENTITY)?)?;
    /// world.apply(id, DVec3::X, DVec3::ZERO)?;
    /// world.step(0.5)?;
    /// assert!(world.body(id).is_some_and(|body| (body.momentum().x - 0.5).abs() < 1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply(&mut self, id: BodyId, force: DVec3, torque: DVec3) -> Result<(), RigidError> {
        finite("force", force)?;
        finite("torque", torque)?;
        let body = self.body_mut(id)?;
        body.force += force;
        body.torque += torque;
        if force != DVec3::ZERO || torque != DVec3::ZERO {
            body.wake();
        }
        Ok(())
    }

    /// Advances all bodies by `dt` seconds.
    ///
    /// # Errors
    /// [`RigidError`] when `dt` is not positive, two bodies come near whose shapes have no contact query,
    /// or a body leaves the range of coordinates. Bodies keep their places then.
    ///
    /// ```
    /// use impinge_dynamics::rigid::{RigidWorld, WorldConfig};
    /// let mut world = RigidWorld::new(WorldConfig::default())?;
    /// world.step(0.01)?;
    /// assert!(world.step(f64::NAN).is_err() && world.time() == 0.01);
    /// # Ok::<(), impinge_dynamics::rigid::RigidError>(())
    /// ```
    pub fn step(&mut self, dt: f64) -> Result<(), RigidError> {
        at_least("step", dt, f64::MIN_POSITIVE)?;
        self.find_pairs(dt)?;
        self.find_contacts(dt);
        let gravity = self.config.gravity;
        self.solver_bodies.clear();
        self.solver_bodies
            .extend(self.bodies.iter().map(|body| match body {
                Some(body) => SolverBody::new(body, gravity),
                None => SolverBody::nothing(),
            }));
        for contact in &self.solver_contacts {
            for index in contact.bodies {
                if let Some(body) = self.solver_bodies.get_mut(index as usize) {
                    body.is_free = false;
                }
            }
        }
        solve(
            &mut self.solver_bodies,
            &mut self.solver_contacts,
            &self.config,
            dt,
        );
        self.take_over()?;
        if let Some(sleep) = self.config.sleep {
            island::update(&mut self.bodies, &self.solver_contacts, sleep, dt);
        }
        self.time += dt;
        Ok(())
    }

    /// The pairs whose swept boxes overlap; forgets the others.
    fn find_pairs(&mut self, dt: f64) -> Result<(), RigidError> {
        for (slot, body) in self.bodies.iter().enumerate() {
            if let Some(body) = body {
                let bounds = swept_box(body, &body.pose, margin_of(body, self.config.gravity, dt));
                let id = ObjectId::new(slot as u32, 0);
                self.broad.update(id, &bounds.into())?;
            }
        }
        let mut pairs = BTreeMap::new();
        for pair in self.broad.pairs() {
            let key = [pair.a.slot(), pair.b.slot()];
            let [Some(Some(a)), Some(Some(b))] = key.map(|k| self.bodies.get(k as usize)) else {
                continue;
            };
            let unmoved = a.mass.is_none() && b.mass.is_none();
            if unmoved || (a.group != 0 && a.group == b.group) {
                continue;
            }
            let neighbours = match self.pairs.remove(&key) {
                Some(known) => known,
                None => {
                    let config = PairConfig {
                        solid: is_closed(a) && is_closed(b),
                        ..PairConfig::default()
                    };
                    let query = ContactQuery::new(&a.shape, &b.shape, &config);
                    Neighbours {
                        query: query.map_err(|reason| RigidError::Pair {
                            pair: key.map(BodyId),
                            reason,
                        })?,
                        points: Vec::new(),
                        kept: Vec::new(),
                    }
                }
            };
            pairs.insert(key, neighbours);
        }
        self.pairs = pairs;
        Ok(())
    }

    fn find_contacts(&mut self, dt: f64) {
        self.solver_contacts.clear();
        for (key, neighbours) in &mut self.pairs {
            let [Some(Some(a)), Some(Some(b))] = key.map(|k| self.bodies.get(k as usize)) else {
                continue;
            };
            let rests = |body: &Body| body.asleep || body.mass.is_none();
            let moves = |body: &Body| {
                let still = body.momentum == DVec3::ZERO && body.spin == DVec3::ZERO;
                body.mass.is_none() && !still
            };
            if rests(a) && rests(b) && !moves(a) && !moves(b) {
                continue;
            }
            let gravity = self.config.gravity;
            let smaller = a.reach.min(b.reach);
            let margin =
                margin_of(a, gravity, dt) + margin_of(b, gravity, dt) + MARGIN_PART * smaller;
            neighbours.points.clear();
            let a_from_b = a.pose.inverse() * b.pose;
            let Neighbours { query, points, .. } = neighbours;
            query.at(&a_from_b, margin, points);
            for point in &neighbours.points {
                let normal = a.pose.transform_vector(point.normal);
                let on_b = a.pose * point.point_b;
                let anchors = [
                    point.point_a - a.local_center,
                    b.orientation.inverse() * (on_b - b.center),
                ];
                let mut contact = SolverContact::new(*key, point.id, normal, anchors);
                contact.friction = (a.friction * b.friction).sqrt();
                contact.restitution = a.restitution.max(b.restitution);
                let old = neighbours.kept.iter().find(|(id, ..)| *id == point.id);
                if let Some(&(_, impulse, tangent)) = old {
                    contact.impulse = impulse;
                    contact.tangent_impulse = tangent - normal * tangent.dot(normal);
                }
                self.solver_contacts.push(contact);
            }
        }
    }

    /// Writes the solver's result back.
    fn take_over(&mut self) -> Result<(), RigidError> {
        let mut poses = Vec::with_capacity(self.bodies.len());
        for (slot, (body, solved)) in self.bodies.iter().zip(&self.solver_bodies).enumerate() {
            let Some(body) = body else {
                poses.push(Pose::IDENTITY);
                continue;
            };
            let corner = solved.center - solved.orientation * body.local_center;
            let finite = solved.momentum.is_finite() && solved.spin.is_finite();
            match Pose::from_quaternion(solved.orientation, corner) {
                Ok(pose) if finite => poses.push(pose),
                _ => {
                    return Err(RigidError::Diverged {
                        id: BodyId(slot as u32),
                    });
                }
            }
        }
        let solved = self.solver_bodies.iter().zip(poses);
        for (body, (solved, pose)) in self.bodies.iter_mut().zip(solved) {
            let Some(body) = body else { continue };
            (body.force, body.torque) = (DVec3::ZERO, DVec3::ZERO);
            if body.asleep {
                if solved.momentum == DVec3::ZERO && solved.spin == DVec3::ZERO {
                    continue;
                }
                // It was pushed.
                body.wake();
            }
            body.center = solved.center;
            body.orientation = solved.orientation;
            body.momentum = solved.momentum;
            body.spin = solved.spin;
            body.pose = pose;
        }
        for neighbours in self.pairs.values_mut() {
            neighbours.kept.clear();
        }
        for contact in &self.solver_contacts {
            if let Some(neighbours) = self.pairs.get_mut(&contact.bodies)
                && contact.impulse > 0.0
            {
                let kept = (contact.id, contact.impulse, contact.tangent_impulse);
                neighbours.kept.push(kept);
            }
        }
        Ok(())
    }

    /// The points that carried an impulse in the last step.
    ///
    /// ```
    /// use impinge_dynamics::rigid::{RigidWorld, WorldConfig};
    /// assert_eq!(RigidWorld::new(WorldConfig::default())?.contacts().count(), 0);
    /// # Ok::<(), impinge_dynamics::rigid::RigidError>(())
    /// ```
    pub fn contacts(&self) -> impl Iterator<Item = WorldContact> {
        let touching = self.solver_contacts.iter().filter(|c| c.peak > 0.0);
        touching.filter_map(|contact| {
            let [a, b] = contact.bodies;
            let a_body = self.body(BodyId(a))?;
            let b_body = self.body(BodyId(b))?;
            let on_a = a_body.center + a_body.orientation * contact.anchors[0];
            let on_b = b_body.center + b_body.orientation * contact.anchors[1];
            Some(WorldContact {
                bodies: [BodyId(a), BodyId(b)],
                point: (on_a + on_b) * 0.5,
                normal: contact.normal,
                separation: (on_b - on_a).dot(contact.normal),
                impulse: contact.peak,
            })
        })
    }

    /// The momentum of all bodies.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::rigid::{RigidWorld, WorldConfig};
    /// let world = RigidWorld::new(WorldConfig::default())?;
    /// assert_eq!((world.momentum(), world.angular_momentum()), (DVec3::ZERO, DVec3::ZERO));
    /// assert_eq!(world.energy(), 0.0);
    /// # Ok::<(), impinge_dynamics::rigid::RigidError>(())
    /// ```
    #[must_use]
    pub fn momentum(&self) -> DVec3 {
        let bodies = self.bodies.iter().flatten();
        bodies.map(Body::momentum).sum()
    }

    /// The angular momentum of all bodies about the origin.
    #[must_use]
    pub fn angular_momentum(&self) -> DVec3 {
        let bodies = self.bodies.iter().flatten();
        bodies
            .map(|body| body.spin() + body.center.cross(body.momentum()))
            .sum()
    }

    /// Kinetic and potential energy of all bodies; potential energy is 0 at the origin.
    #[must_use]
    pub fn energy(&self) -> f64 {
        let bodies = self.bodies.iter().flatten();
        bodies
            .map(|body| {
                let mass = body.mass.map_or(0.0, |m| m.mass);
                body.kinetic_energy() - mass * self.config.gravity.dot(body.center)
            })
            .sum()
    }
}

/// How far the surface of a body may get in `dt`.
fn margin_of(body: &Body, gravity: DVec3, dt: f64) -> f64 {
    if body.asleep {
        return 0.0;
    }
    let turning = if body.reach.is_finite() {
        // No point moves farther by turning than across the body.
        (body.angular_velocity().length() * body.reach * dt).min(2.0 * body.reach)
    } else {
        0.0
    };
    let pull = if body.mass.is_some() {
        (gravity + body.force * body.inverse_mass).length()
    } else {
        0.0
    };
    (body.velocity().length() + pull * dt) * dt + turning
}

/// The bounds of a body, widened.
fn swept_box(body: &Body, pose: &Pose, margin: f64) -> Aabb {
    let everything = Aabb {
        min: DVec3::NEG_INFINITY,
        max: DVec3::INFINITY,
    };
    let Some(bounds) = body.shape.bounds(pose) else {
        return everything;
    };
    if bounds.is_empty() {
        // A body without a point takes room only so that it can be kept.
        return Aabb {
            min: pose.translation(),
            max: pose.translation(),
        };
    }
    let room = margin + MARGIN_PART * body.reach;
    Aabb {
        min: bounds.min - DVec3::splat(room),
        max: bounds.max + DVec3::splat(room),
    }
}

/// Whether a shape can be queried as a solid: meshes only when they are closed.
fn is_closed(body: &Body) -> bool {
    use impinge::pair::Shape;
    match &body.shape {
        Shape::Mesh(mesh) => mesh.is_closed(),
        Shape::Compound(compound) => compound.children().iter().all(|child| match &child.shape {
            Shape::Mesh(mesh) => mesh.is_closed(),
            _ => true,
        }),
        _ => true,
    }
}
