//! The workspace: bodies, hands and one tick.

use std::sync::Arc;

use impinge::query::{Limits, Outcome, PoseGradient};
use impinge::spheres::{BudgetedForces, InnerSphereTree, InnerSphereTreeCache, PairList};
use impinge::{DVec3, Pose};
use thiserror::Error;

use super::budget::split_budget;
use crate::coupling::{CouplingStiffness, moved};
use crate::device::rotation_vector;
use crate::{QuantityError, Wrench, quantity};

/// Why a workspace was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// A number is out of range.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
    /// A body without spheres cannot be touched.
    #[error("body {body} has no spheres")]
    NoSpheres {
        /// Its number.
        body: usize,
    },
    /// There is no such body.
    #[error("the workspace has no body {body}")]
    NoBody {
        /// The number requested.
        body: usize,
    },
    /// There is no such hand.
    #[error("the workspace has no hand {hand}")]
    NoHand {
        /// The number requested.
        hand: usize,
    },
}

/// A body of a workspace.
#[derive(Clone, Debug)]
pub struct WorkspaceBody {
    /// The spheres that fill it.
    pub tree: Arc<InnerSphereTree>,
    /// Kilograms.
    pub mass: f64,
    /// Moment of inertia about any axis through the origin of its frame, kg·m².
    pub inertia: f64,
    /// Where it is at first. Its origin should be its centre of mass.
    pub world_from_body: Pose,
}

/// Constants of a workspace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkspaceConfig {
    /// Seconds of a tick.
    pub period: f64,
    /// Contact force in N per m² of contact.
    pub pressure: f64,
    /// Springs between hands and what they hold.
    pub coupling: CouplingStiffness,
    /// Damping ratio of the coupling.
    pub damping_ratio: f64,
    /// Acceleration of all bodies.
    pub gravity: DVec3,
    /// Drag of bodies in N·s/m per kg.
    pub drag: f64,
    /// Height of a floor that carries all bodies, and its stiffness in N/m for a body.
    pub floor: Option<(f64, f64)>,
    /// Ticks between two refreshes of the lists.
    pub list_period: u32,
    /// Largest expected speed of a body in m/s, rotation included.
    pub max_speed: f64,
    /// Tests of a tick, shared by all pairs that touch.
    pub budget: u64,
}

impl WorkspaceConfig {
    /// Constants for bodies of about ten centimetres, a kilogram and a device of 10 N.
    ///
    /// # Errors
    /// None; the type says so because the coupling is checked.
    ///
    /// ```
    /// use impinge_dynamics::workspace::WorkspaceConfig;
    /// assert_eq!(WorkspaceConfig::table()?.period, 1e-3);
    /// # Ok::<(), impinge_dynamics::QuantityError>(())
    /// ```
    pub fn table() -> Result<Self, QuantityError> {
        Ok(Self {
            period: 1e-3,
            pressure: 2e5,
            coupling: CouplingStiffness::new(800.0, 2.0)?,
            damping_ratio: 1.0,
            gravity: DVec3::new(0.0, 0.0, -9.81),
            drag: 1.0,
            floor: None,
            list_period: 4,
            max_speed: 1.0,
            budget: 200_000,
        })
    }
}

#[derive(Clone, Debug)]
struct BodyState {
    body: WorkspaceBody,
    pose: Pose,
    velocity: DVec3,
    spin: DVec3,
    contact: Wrench,
    /// The ball around all spheres.
    radius: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct HandState {
    /// The body and where the hand holds it, in the body's frame.
    grip: Option<(usize, Pose)>,
    device: Option<Pose>,
    hand: DVec3,
    hand_spin: DVec3,
    wrench: Wrench,
}

/// Two bodies that may touch.
#[derive(Debug)]
struct Neighbours {
    bodies: [usize; 2],
    list: PairList,
    /// Whether the list was given up as too long, and is not complete.
    is_cut: bool,
    forces: BudgetedForces,
    age: u32,
    /// Tests of the last tick times the uncertainty they left.
    weight: f64,
    share: u64,
}

impl Neighbours {
    fn may_touch(&self) -> bool {
        self.is_cut || !self.list.is_empty()
    }
}

/// Limits of making a list: one that takes more tests than this is longer than any share of the budget, and would
/// not be evaluated.
pub(super) fn listing_limits(budget: u64) -> Limits<'static> {
    Limits {
        max_tests: Some(budget.saturating_mul(2)),
        ..Limits::default()
    }
}

/// The result of one tick for one hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandStep {
    /// The wrench on the hand.
    pub wrench: Wrench,
    /// What it holds.
    pub body: Option<usize>,
    /// The age in ticks of the oldest list that was used.
    pub list_age: u32,
}

/// Bodies and hands, advanced tick by tick.
///
/// ```
/// use impinge::{DVec3, Pose, spheres::*};
/// use impinge_dynamics::workspace::{Workspace, WorkspaceBody, WorkspaceConfig};
/// use std::sync::Arc;
/// let ball = SolidBall { center: DVec3::ZERO, radius: 0.05 };
/// let tree = Arc::new(InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?);
/// let body = |x: f64| Ok::<_, impinge::PoseError>(WorkspaceBody {
///     tree: tree.clone(), mass: 0.2, inertia: 2e-4, world_from_body: Pose::from_translation([x, 0.0, 0.0])?,
/// });
/// let config = WorkspaceConfig { gravity: DVec3::ZERO, ..WorkspaceConfig::table()? };
/// let mut workspace = Workspace::new(vec![body(0.0)?, body(0.12)?], 1, config)?;
/// workspace.grab(0, 0, &Pose::IDENTITY)?;
/// // The hand pushes its ball against the other, which gives way.
/// for tick in 0..200 {
///     let hand = Pose::from_translation([3e-4 * f64::from(tick), 0.0, 0.0])?;
///     workspace.tick(&[hand]);
/// }
/// assert!(workspace.pose(1).is_some_and(|pose| pose.translation().x > 0.13));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Workspace {
    config: WorkspaceConfig,
    bodies: Vec<BodyState>,
    hands: Vec<HandState>,
    steps: Vec<HandStep>,
    pairs: Vec<Neighbours>,
    cache: InnerSphereTreeCache,
    ticks: u64,
    shares: Vec<u64>,
    weights: Vec<f64>,
    refreshes: u64,
}

impl Workspace {
    /// Bodies and so many hands, which hold nothing.
    ///
    /// # Errors
    /// [`WorkspaceError`] for numbers out of range or bodies without spheres.
    pub fn new(
        bodies: Vec<WorkspaceBody>,
        hands: usize,
        config: WorkspaceConfig,
    ) -> Result<Self, WorkspaceError> {
        quantity::all_positive([
            ("servo period", config.period),
            ("pressure", config.pressure),
            ("damping ratio", config.damping_ratio),
        ])?;
        quantity::not_negative("drag", config.drag)?;
        quantity::positive("largest speed", config.max_speed)?;
        quantity::positive("ticks between lists", f64::from(config.list_period))?;
        let mut states = Vec::with_capacity(bodies.len());
        for (index, body) in bodies.into_iter().enumerate() {
            quantity::all_positive([
                ("mass of a body", body.mass),
                ("inertia of a body", body.inertia),
            ])?;
            let root = body.tree.root();
            let root = root.ok_or(WorkspaceError::NoSpheres { body: index })?;
            states.push(BodyState {
                pose: body.world_from_body,
                radius: root.center.length() + root.radius,
                body,
                velocity: DVec3::ZERO,
                spin: DVec3::ZERO,
                contact: Wrench::ZERO,
            });
        }
        let mut pairs = Vec::new();
        for a in 0..states.len() {
            for b in a + 1..states.len() {
                pairs.push(Neighbours {
                    bodies: [a, b],
                    list: PairList::with_capacity(4096),
                    is_cut: false,
                    forces: BudgetedForces::new(config.budget.max(1), 0.0),
                    age: u32::MAX,
                    weight: 0.0,
                    share: config.budget,
                });
            }
        }
        let nothing = HandStep {
            wrench: Wrench::ZERO,
            body: None,
            list_age: 0,
        };
        Ok(Self {
            config,
            bodies: states,
            hands: vec![HandState::default(); hands],
            steps: vec![nothing; hands],
            shares: vec![0; pairs.len()],
            weights: vec![0.0; pairs.len()],
            pairs,
            cache: InnerSphereTreeCache::default(),
            ticks: 0,
            refreshes: 0,
        })
    }

    /// Lets a hand hold a body where the device is now.
    ///
    /// # Errors
    /// [`WorkspaceError`] for a hand or body that is not there.
    pub fn grab(&mut self, hand: usize, body: usize, device: &Pose) -> Result<(), WorkspaceError> {
        let held = self.bodies.get(body);
        let held = held.ok_or(WorkspaceError::NoBody { body })?;
        let grip = held.pose.inverse() * *device;
        let hand = self
            .hands
            .get_mut(hand)
            .ok_or(WorkspaceError::NoHand { hand })?;
        hand.grip = Some((body, grip));
        hand.device = None;
        Ok(())
    }

    /// Lets go.
    ///
    /// # Errors
    /// [`WorkspaceError`] for a hand that is not there.
    pub fn release(&mut self, hand: usize) -> Result<(), WorkspaceError> {
        let hand = self
            .hands
            .get_mut(hand)
            .ok_or(WorkspaceError::NoHand { hand })?;
        hand.grip = None;
        Ok(())
    }

    /// What a hand holds.
    #[must_use]
    pub fn held(&self, hand: usize) -> Option<usize> {
        self.hands.get(hand)?.grip.map(|(body, _)| body)
    }

    /// Where a body is.
    #[must_use]
    pub fn pose(&self, body: usize) -> Option<Pose> {
        Some(self.bodies.get(body)?.pose)
    }

    /// The contact wrench on a body in the last tick, about its origin.
    #[must_use]
    pub fn contact(&self, body: usize) -> Option<Wrench> {
        Some(self.bodies.get(body)?.contact)
    }

    /// How many bodies there are.
    #[must_use]
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// How often lists were refreshed.
    #[must_use]
    pub fn refreshes(&self) -> u64 {
        self.refreshes
    }

    pub(super) fn config(&self) -> &WorkspaceConfig {
        &self.config
    }

    pub(super) fn body(&self, body: usize) -> Option<&WorkspaceBody> {
        Some(&self.bodies.get(body)?.body)
    }

    /// Sets the pose of a body that its own thread has moved in so many seconds.
    pub(super) fn place(&mut self, body: usize, pose: Pose, elapsed: f64) {
        if let Some(state) = self.bodies.get_mut(body) {
            let moved = pose.translation() - state.pose.translation();
            state.velocity = moved / elapsed.max(self.config.period);
            state.pose = pose;
        }
    }

    /// Forgets the pairs of which both bodies are moved by threads of their own, which find their contacts themselves.
    pub(super) fn leave_pairs_of(&mut self, held: &[Option<usize>]) {
        let is_held = |body: usize| held.contains(&Some(body));
        self.pairs
            .retain(|pair| !pair.bodies.into_iter().all(is_held));
        self.shares.truncate(self.pairs.len());
        self.weights.truncate(self.pairs.len());
    }

    /// How far two bodies can come nearer until lists that are made now are replaced.
    pub(super) fn margin(&self) -> f64 {
        let ticks = f64::from(self.config.list_period) + 1.0;
        2.0 * self.config.max_speed * self.config.period * ticks
    }

    /// Rebuilds all pair lists.
    pub fn refresh_lists(&mut self) {
        let margin = self.margin();
        let limits = listing_limits(self.config.budget);
        for pair in &mut self.pairs {
            let [Some(a), Some(b)] = pair.bodies.map(|body| self.bodies.get(body)) else {
                continue;
            };
            pair.age = 0;
            let a_from_b = a.pose.inverse() * b.pose;
            let outcome = a.body.tree.overlap_pairs(
                &b.body.tree,
                &a_from_b,
                margin,
                limits,
                &mut self.cache,
                &mut pair.list,
            );
            pair.is_cut = outcome != Outcome::Complete;
        }
        self.refreshes += 1;
    }

    /// Contact wrenches of all pairs at the poses of now.
    fn contacts(&mut self) {
        for body in &mut self.bodies {
            body.contact = Wrench::ZERO;
        }
        for (weight, pair) in self.weights.iter_mut().zip(&self.pairs) {
            *weight = pair.weight;
        }
        let least = self.config.budget / (4 * self.pairs.len().max(1)) as u64;
        split_budget(self.config.budget, least, &self.weights, &mut self.shares);
        for (pair, &share) in self.pairs.iter_mut().zip(&self.shares) {
            pair.age = pair.age.saturating_add(1);
            pair.weight = 0.0;
            pair.share = share;
            if !pair.may_touch() {
                continue;
            }
            let [i, j] = pair.bodies;
            let (Some(a), Some(b)) = (self.bodies.get(i), self.bodies.get(j)) else {
                continue;
            };
            let (a_pose, b_pose) = (a.pose, b.pose);
            let a_from_b = a_pose.inverse() * b_pose;
            let tests = pair.list.len() as u64;
            let gradient: PoseGradient = if tests <= share && !pair.is_cut {
                pair.weight = tests as f64;
                pair.list
                    .forces(&a.body.tree, &b.body.tree, &a_from_b)
                    .gradient
            } else {
                pair.forces.set_budget(share);
                let found = pair.forces.at(&a.body.tree, &b.body.tree, &a_from_b);
                let unknown = (found.upper - found.lower) / found.upper.max(f64::MIN_POSITIVE);
                pair.weight = found.tests as f64 * (1.0 + unknown);
                found.gradient
            };
            // On b, about the origin of a, in the frame of a.
            let force = a_pose.transform_vector(gradient.translation * -self.config.pressure);
            let torque = a_pose.transform_vector(gradient.rotation * -self.config.pressure);
            let arm = b_pose.translation() - a_pose.translation();
            if let Some(a) = self.bodies.get_mut(i) {
                a.contact = a.contact - Wrench { force, torque };
            }
            if let Some(b) = self.bodies.get_mut(j) {
                b.contact = b.contact
                    + Wrench {
                        force,
                        torque: torque - arm.cross(force),
                    };
            }
        }
    }

    /// Advances by a tick; what each hand feels, in their order. A hand without a pose lets its body hang where it was.
    pub fn tick(&mut self, devices: &[Pose]) -> &[HandStep] {
        let is_fast = |state: &BodyState| {
            state.velocity.length() + state.spin.length() * state.radius > self.config.max_speed
        };
        let due = self
            .ticks
            .is_multiple_of(u64::from(self.config.list_period));
        if due || self.bodies.iter().any(is_fast) {
            self.refresh_lists();
        }
        self.ticks += 1;
        self.contacts();
        let dt = self.config.period;
        for (hand, device) in self.hands.iter_mut().zip(devices) {
            let before = hand.device.replace(*device).unwrap_or(*device);
            hand.hand = (device.translation() - before.translation()) / dt;
            hand.hand_spin = rotation_vector(&(*device * before.inverse())) / dt;
            hand.wrench = Wrench::ZERO;
        }
        for index in 0..self.bodies.len() {
            self.advance(index, dt);
        }
        for (step, hand) in self.steps.iter_mut().zip(&self.hands) {
            let body = hand.grip.map(|(body, _)| body);
            let felt = self.pairs.iter().filter(|pair| {
                pair.may_touch() && body.is_some_and(|body| pair.bodies.contains(&body))
            });
            *step = HandStep {
                wrench: hand.wrench,
                body,
                list_age: felt.map(|pair| pair.age).max().unwrap_or(0),
            };
        }
        &self.steps
    }

    /// Moves one body by implicit Euler under its contacts and the hands that hold it.
    fn advance(&mut self, index: usize, dt: f64) {
        let config = self.config;
        let Some(state) = self.bodies.get_mut(index) else {
            return;
        };
        let (mass, inertia) = (state.body.mass, state.body.inertia);
        let CouplingStiffness {
            translation: k,
            rotation: k_spin,
        } = config.coupling;
        let b = 2.0 * config.damping_ratio * libm::sqrt(mass * k);
        let b_spin = 2.0 * config.damping_ratio * libm::sqrt(inertia * k_spin);
        let holding = |hand: &&HandState| hand.grip.is_some_and(|(body, _)| body == index);
        let mut force = state.contact.force + config.gravity * mass;
        let mut torque = state.contact.torque;
        let mut inert = mass + dt * config.drag * mass;
        let mut inert_spin = inertia + dt * config.drag * inertia;
        for hand in self.hands.iter().filter(holding) {
            let (Some((_, grip)), Some(device)) = (hand.grip, hand.device) else {
                continue;
            };
            // Where the body would be if it followed this hand.
            let pull = config
                .coupling
                .pull(&(device * grip.inverse()), &state.pose);
            force += pull.force + hand.hand * b;
            torque += pull.torque + hand.hand_spin * b_spin;
            inert += dt * b + dt * dt * k;
            inert_spin += dt * b_spin + dt * dt * k_spin;
        }
        if let Some((height, stiffness)) = config.floor {
            let lowest = state.pose.translation().z - state.radius;
            let depth = (height - lowest).max(0.0);
            if depth > 0.0 {
                // Critically damped, so that bodies come to rest.
                let damping = 2.0 * libm::sqrt(mass * stiffness);
                force.z += depth * stiffness;
                inert += dt * damping + dt * dt * stiffness;
            }
        }
        state.velocity = (state.velocity * mass + force * dt) / inert;
        state.spin = (state.spin * inertia + torque * dt) / inert_spin;
        state.pose = moved(&state.pose, state.velocity * dt, state.spin * dt);
        let (velocity, spin, pose) = (state.velocity, state.spin, state.pose);
        for hand in &mut self.hands {
            let (Some((body, grip)), Some(device)) = (hand.grip, hand.device) else {
                continue;
            };
            if body == index {
                let pull = config.coupling.pull(&(device * grip.inverse()), &pose);
                let drag = Wrench {
                    force: (hand.hand - velocity) * b,
                    torque: (hand.hand_spin - spin) * b_spin,
                };
                hand.wrench = -(pull + drag);
            }
        }
    }
}
