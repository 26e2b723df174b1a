//! Contact constraints, solved by sequential impulses.

use impinge::DMat3;
use impinge::DVec3;
use impinge::glam::DQuat;

use super::body::Body;
use super::config::WorldConfig;
use super::orientation;

/// The state of a body in the solver.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolverBody {
    pub(super) center: DVec3,
    pub(super) orientation: DQuat,
    pub(super) momentum: DVec3,
    pub(super) spin: DVec3,
    velocity: DVec3,
    angular: DVec3,
    inverse_mass: f64,
    /// Along the axes of the world.
    inverse_inertia: DMat3,
    local_inverse_inertia: DMat3,
    acceleration: DVec3,
    torque: DVec3,
    /// Whether nothing is near, so that the flight is a parabola.
    pub(super) is_free: bool,
    is_driven: bool,
    asleep: bool,
}

impl SolverBody {
    pub(super) fn new(body: &Body, gravity: DVec3) -> Self {
        let is_driven = body.mass.is_none();
        let acceleration = if is_driven {
            DVec3::ZERO
        } else {
            gravity + body.force * body.inverse_mass
        };
        Self {
            center: body.center,
            orientation: body.orientation,
            momentum: body.momentum,
            spin: body.spin,
            velocity: body.velocity(),
            angular: body.angular_velocity(),
            inverse_mass: body.inverse_mass,
            inverse_inertia: orientation::turned(&body.inverse_inertia, body.orientation),
            local_inverse_inertia: body.inverse_inertia,
            acceleration,
            torque: body.torque,
            is_free: true,
            is_driven,
            asleep: body.asleep,
        }
    }

    /// The body of an empty slot.
    pub(super) fn nothing() -> Self {
        Self {
            center: DVec3::ZERO,
            orientation: DQuat::IDENTITY,
            momentum: DVec3::ZERO,
            spin: DVec3::ZERO,
            velocity: DVec3::ZERO,
            angular: DVec3::ZERO,
            inverse_mass: 0.0,
            inverse_inertia: DMat3::ZERO,
            local_inverse_inertia: DMat3::ZERO,
            acceleration: DVec3::ZERO,
            torque: DVec3::ZERO,
            is_free: true,
            is_driven: true,
            asleep: true,
        }
    }

    fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.angular.cross(arm)
    }

    fn push(&mut self, impulse: DVec3, arm: DVec3) {
        if self.is_driven {
            return;
        }
        let twist = arm.cross(impulse);
        self.momentum += impulse;
        self.spin += twist;
        self.velocity += impulse * self.inverse_mass;
        self.angular += self.inverse_inertia * twist;
    }

    /// What a unit impulse along `n` at `arm` changes the velocity there by, along `n`.
    fn response(&self, arm: DVec3, n: DVec3) -> f64 {
        let twist = arm.cross(n);
        self.inverse_mass + twist.dot(self.inverse_inertia * twist)
    }

    fn kick(&mut self, h: f64) {
        if self.is_driven || self.asleep {
            return;
        }
        if self.inverse_mass > 0.0 {
            self.momentum += self.acceleration * (h / self.inverse_mass);
        }
        self.spin += self.torque * h;
        self.refresh();
    }

    fn refresh(&mut self) {
        self.velocity = self.momentum * self.inverse_mass;
        self.angular = self.inverse_inertia * self.spin;
    }

    fn drift(&mut self, h: f64) {
        if self.asleep {
            return;
        }
        self.center += self.velocity * h;
        if self.is_driven {
            self.orientation = (orientation::turn(self.angular * h) * self.orientation).normalize();
            return;
        }
        if self.is_free {
            // The kick came first, as if the whole velocity gained had acted from the start.
            self.center -= self.acceleration * (0.5 * h * h);
        }
        let inverse = &self.local_inverse_inertia;
        self.orientation = orientation::advance(self.orientation, inverse, self.spin, h);
        self.inverse_inertia = orientation::turned(inverse, self.orientation);
        self.refresh();
    }
}

/// One point of contact in the solver.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolverContact {
    pub(super) bodies: [u32; 2],
    pub(super) id: u64,
    /// From the first body to the second.
    pub(super) normal: DVec3,
    /// The touching points, in the frames of the bodies' centres.
    pub(super) anchors: [DVec3; 2],
    pub(super) friction: f64,
    pub(super) restitution: f64,
    pub(super) impulse: f64,
    pub(super) tangent_impulse: DVec3,
    /// The largest impulse of a substep.
    pub(super) peak: f64,
    pub(super) separation: f64,
    arms: [DVec3; 2],
    tangents: [DVec3; 2],
    normal_mass: f64,
    tangent_masses: [f64; 2],
    /// Velocity along the normal before the substep's impulses.
    approach: f64,
    /// Whether one of the two cannot give way.
    is_hard: bool,
}

impl SolverContact {
    pub(super) fn new(bodies: [u32; 2], id: u64, normal: DVec3, anchors: [DVec3; 2]) -> Self {
        Self {
            bodies,
            id,
            normal,
            anchors,
            friction: 0.0,
            restitution: 0.0,
            impulse: 0.0,
            tangent_impulse: DVec3::ZERO,
            peak: 0.0,
            separation: 0.0,
            arms: [DVec3::ZERO; 2],
            tangents: tangents_of(normal),
            normal_mass: 0.0,
            tangent_masses: [0.0; 2],
            approach: 0.0,
            is_hard: false,
        }
    }

    /// The gap along the normal where the bodies stand now, and the point half-way.
    fn gap(&self, a: &SolverBody, b: &SolverBody) -> (f64, DVec3) {
        let on_a = a.center + a.orientation * self.anchors[0];
        let on_b = b.center + b.orientation * self.anchors[1];
        ((on_b - on_a).dot(self.normal), (on_a + on_b) * 0.5)
    }

    fn prepare(&mut self, a: &SolverBody, b: &SolverBody) {
        let (gap, point) = self.gap(a, b);
        self.separation = gap;
        // One point for both bodies: what one gains of angular momentum the other loses.
        self.arms = [point - a.center, point - b.center];
        let [first, second] = self.tangents;
        let masses = [self.normal, first, second].map(|n| {
            let sum = a.response(self.arms[0], n) + b.response(self.arms[1], n);
            if sum > 0.0 { 1.0 / sum } else { 0.0 }
        });
        self.normal_mass = masses[0];
        self.tangent_masses = [masses[1], masses[2]];
        self.approach = self.relative_velocity(a, b).dot(self.normal);
        self.is_hard = a.inverse_mass == 0.0 || b.inverse_mass == 0.0;
    }

    fn relative_velocity(&self, a: &SolverBody, b: &SolverBody) -> DVec3 {
        b.velocity_at(self.arms[1]) - a.velocity_at(self.arms[0])
    }

    fn push(&self, a: &mut SolverBody, b: &mut SolverBody, impulse: DVec3) {
        a.push(-impulse, self.arms[0]);
        b.push(impulse, self.arms[1]);
    }
}

/// Two unit vectors across a unit vector.
fn tangents_of(n: DVec3) -> [DVec3; 2] {
    let (first, second) = n.any_orthonormal_pair();
    [first, second]
}

/// Spring and damper of a contact, in the form that an implicit step takes them.
#[derive(Clone, Copy, Debug)]
struct Softness {
    bias_rate: f64,
    mass_scale: f64,
    impulse_scale: f64,
}

impl Softness {
    fn new(frequency: f64, damping: f64, h: f64) -> Self {
        let omega = 2.0 * std::f64::consts::PI * frequency;
        let a = 2.0 * damping + h * omega;
        let c = h * omega * a;
        Self {
            bias_rate: omega / a,
            mass_scale: c / (1.0 + c),
            impulse_scale: 1.0 / (1.0 + c),
        }
    }
}

/// Advances bodies and contacts by `dt`.
pub(super) fn solve(
    bodies: &mut [SolverBody],
    contacts: &mut [SolverContact],
    config: &WorldConfig,
    dt: f64,
) {
    let h = dt / f64::from(config.substeps);
    let frequency = config.contact_frequency.min(0.25 / h);
    let soft = Softness::new(frequency, config.contact_damping, h);
    let hard = Softness::new((2.0 * frequency).min(0.5 / h), config.contact_damping, h);
    for _ in 0..config.substeps {
        for body in bodies.iter_mut() {
            body.kick(h);
        }
        for contact in contacts.iter_mut() {
            with(bodies, contact, |contact, a, b| contact.prepare(a, b));
        }
        for contact in contacts.iter_mut() {
            with(bodies, contact, |contact, a, b| {
                let kept = contact.normal * contact.impulse + contact.tangent_impulse;
                contact.push(a, b, kept);
            });
        }
        for _ in 0..config.iterations {
            for contact in contacts.iter_mut() {
                let softness = if contact.is_hard { hard } else { soft };
                with(bodies, contact, |contact, a, b| {
                    one(contact, a, b, Some(softness), config, h);
                });
            }
        }
        for body in bodies.iter_mut() {
            body.drift(h);
        }
        for contact in contacts.iter_mut() {
            with(bodies, contact, |contact, a, b| {
                let approach = contact.approach;
                contact.prepare(a, b);
                contact.approach = approach;
            });
        }
        for _ in 0..config.iterations {
            for contact in contacts.iter_mut() {
                with(bodies, contact, |contact, a, b| {
                    one(contact, a, b, None, config, h);
                });
            }
        }
        for contact in contacts.iter_mut() {
            contact.peak = contact.peak.max(contact.impulse);
            let bounces = contact.restitution > 0.0
                && contact.impulse > 0.0
                && contact.approach < -config.bounce_speed;
            if bounces {
                with(bodies, contact, rebound);
            }
        }
    }
}

/// Applies restitution.
fn rebound(contact: &mut SolverContact, a: &mut SolverBody, b: &mut SolverBody) {
    let now = contact.relative_velocity(a, b).dot(contact.normal);
    let lacking = -contact.restitution * contact.approach - now;
    if lacking > 0.0 {
        contact.push(a, b, contact.normal * (contact.normal_mass * lacking));
    }
    // A collision does not last: its impulse says nothing about the next substep.
    contact.impulse = 0.0;
    contact.tangent_impulse = DVec3::ZERO;
}

fn one(
    contact: &mut SolverContact,
    a: &mut SolverBody,
    b: &mut SolverBody,
    softness: Option<Softness>,
    config: &WorldConfig,
    h: f64,
) {
    let s = contact.separation;
    let (bias, mass_scale, impulse_scale) = if s > 0.0 {
        // Not touching yet: only what would overlap within the substep is taken away.
        (s / h, 1.0, 0.0)
    } else if let Some(soft) = softness {
        let bias = (soft.bias_rate * (s + config.slop).min(0.0)).max(-config.max_push);
        (bias, soft.mass_scale, soft.impulse_scale)
    } else {
        (0.0, 1.0, 0.0)
    };
    let speed = contact.relative_velocity(a, b).dot(contact.normal);
    let wanted =
        -contact.normal_mass * mass_scale * (speed + bias) - impulse_scale * contact.impulse;
    let total = (contact.impulse + wanted).max(0.0);
    let change = total - contact.impulse;
    contact.impulse = total;
    contact.push(a, b, contact.normal * change);

    let slip = contact.relative_velocity(a, b);
    let mut tangent = contact.tangent_impulse;
    for (axis, mass) in contact.tangents.into_iter().zip(contact.tangent_masses) {
        tangent -= axis * (mass * slip.dot(axis));
    }
    let (limit, length) = (contact.friction * contact.impulse, tangent.length());
    if length > limit {
        tangent *= limit / length;
    }
    let change = tangent - contact.tangent_impulse;
    contact.tangent_impulse = tangent;
    contact.push(a, b, change);
}

/// Calls `f` with the two bodies of a contact.
fn with(
    bodies: &mut [SolverBody],
    contact: &mut SolverContact,
    f: impl FnOnce(&mut SolverContact, &mut SolverBody, &mut SolverBody),
) {
    let [i, j] = contact.bodies.map(|index| index as usize);
    // The first is the lower; a contact that says otherwise is left out.
    if i < j
        && let Some((low, high)) = bodies.split_at_mut_checked(j)
        && let (Some(a), Some(b)) = (low.get_mut(i), high.first_mut())
    {
        f(contact, a, b);
    }
}
