//! Dynamic virtual coupling: the tool is a body with a mass.

use impinge::query::Limits;
use impinge::{DVec3, Pose};

use super::{CouplingStiffness, ToolStep, moved};
use crate::law::ContactLaw;
use crate::{QuantityError, Wrench, quantity};

/// A tool with mass, moved by implicit Euler.
///
/// ```
/// use impinge::{DVec3, Pose, query::Limits};
/// use impinge_dynamics::coupling::{CouplingStiffness, DynamicCoupling};
/// use impinge_dynamics::law::{ContactLaw, ContactResponse};
/// struct Nothing;
/// impl ContactLaw for Nothing {
///     fn at(&mut self, _: &Pose, _: Limits<'_>) -> ContactResponse { ContactResponse::NONE }
/// }
/// let stiffness = CouplingStiffness::new(1000.0, 1.0)?;
/// let mut tool = DynamicCoupling::new(stiffness, 0.1, 1e-4, 1.0, Pose::IDENTITY)?;
/// // A hand that moves evenly feels nothing once the tool follows.
/// let mut step = None;
/// for tick in 1..=1000 {
///     let device = Pose::from_translation([1e-4 * f64::from(tick), 0.0, 0.0])?;
///     step = Some(tool.update(&mut Nothing, &device, 1e-3, Limits::default()));
/// }
/// assert!(step.is_some_and(|step| step.wrench.force.length() < 1e-9));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "virtual coupling")]
#[derive(Clone, Debug)]
pub struct DynamicCoupling {
    stiffness: CouplingStiffness,
    mass: f64,
    inertia: f64,
    damping: [f64; 2],
    world_from_tool: Pose,
    velocity: DVec3,
    spin: DVec3,
    device: Option<Pose>,
}

impl DynamicCoupling {
    /// A tool with a mass (kg), a moment of inertia (kg·m²) and a damping ratio: 1 is critical damping, without overshoot.
    ///
    /// # Errors
    /// [`QuantityError`] for a number that is not positive.
    pub fn new(
        stiffness: CouplingStiffness,
        mass: f64,
        inertia: f64,
        damping_ratio: f64,
        world_from_tool: Pose,
    ) -> Result<Self, QuantityError> {
        let [mass, inertia, ratio] = quantity::all_positive([
            ("tool mass", mass),
            ("tool inertia", inertia),
            ("damping ratio", damping_ratio),
        ])?;
        Ok(Self {
            damping: [
                2.0 * ratio * libm::sqrt(mass * stiffness.translation),
                2.0 * ratio * libm::sqrt(inertia * stiffness.rotation),
            ],
            stiffness,
            mass,
            inertia,
            world_from_tool,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            device: None,
        })
    }

    /// The pose of the tool.
    #[must_use]
    pub fn world_from_tool(&self) -> Pose {
        self.world_from_tool
    }

    /// Moves the tool by `dt` seconds towards the device.
    pub fn update(
        &mut self,
        law: &mut impl ContactLaw,
        world_from_device: &Pose,
        dt: f64,
        limits: Limits<'_>,
    ) -> ToolStep {
        let before = self.device.replace(*world_from_device);
        let before = before.unwrap_or(*world_from_device);
        let dt = dt.max(f64::MIN_POSITIVE);
        let hand = (world_from_device.translation() - before.translation()) / dt;
        let hand_spin =
            crate::device::rotation_vector(&(*world_from_device * before.inverse())) / dt;
        let contact = law.at(&self.world_from_tool, limits);
        let pull = self
            .stiffness
            .pull(world_from_device, &self.world_from_tool);
        let [b, b_spin] = self.damping;
        // m(v' − v) = dt·(k(x_h − x − dt·v') + b(v_h − v') + F − dt·s·n(n·v')), solved for v'.
        let inert = self.mass + dt * b + dt * dt * self.stiffness.translation;
        let pushed =
            self.velocity * self.mass + (pull.force + hand * b + contact.wrench.force) * dt;
        let along = contact.wrench.force.normalize_or_zero();
        let stiff = dt * dt * contact.stiffness;
        let free = pushed / inert;
        self.velocity = free - along * (stiff * free.dot(along) / (inert + stiff));
        let inert = self.inertia + dt * b_spin + dt * dt * self.stiffness.rotation;
        self.spin = (self.spin * self.inertia
            + (pull.torque + hand_spin * b_spin + contact.wrench.torque) * dt)
            / inert;
        self.world_from_tool = moved(&self.world_from_tool, self.velocity * dt, self.spin * dt);
        let pull = self
            .stiffness
            .pull(world_from_device, &self.world_from_tool);
        let drag = Wrench {
            force: (hand - self.velocity) * b,
            torque: (hand_spin - self.spin) * b_spin,
        };
        ToolStep {
            world_from_tool: self.world_from_tool,
            wrench: -(pull + drag),
            contact: contact.wrench,
            evaluations: 1,
            residual: 0.0,
        }
    }
}
