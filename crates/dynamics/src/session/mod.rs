//! Haptic session: from the pose of a device to the wrench it renders, in one tick.
//!
//! **Question.** Which stages does a safe haptic session need, and in which order?
//! **Idea.** Renderer (penalty, god-object, tool with a contact law, or guard), then passivity controller, then limits, then watchdog. The
//! wrench after the limits is reported back to the controller.
//! **Promise.** A session is a function of its inputs and edits, so that it replays byte for byte. A tick does not allocate after the first contacts have
//! grown its memory, and puts out a finite wrench whatever the device reports.
//!
//! ```
//! use impinge::{DVec3, Pose, bvh::wide::WideTree, generate};
//! use impinge_dynamics::{device::{DeviceSpecification, DeviceState}, proxy::{GodObject, ProxyScene}};
//! use impinge_dynamics::session::{HapticSession, Renderer, SessionConfig};
//! use std::sync::Arc;
//! let mut scene = ProxyScene::new();
//! scene.add(Arc::new(WideTree::new(Arc::new(generate::icosphere(0.03, 20)?))), Pose::IDENTITY)?;
//! let proxy = GodObject::new(&mut scene, 1000.0, [0.0, 0.0, 0.05])?;
//! let renderer = Renderer::GodObject { scene, proxy };
//! let mut session = HapticSession::new(renderer, &SessionConfig::new(DeviceSpecification::falcon())?)?;
//! let mut force = DVec3::ZERO;
//! // Two seconds above the ball, until the force has faded in; then one millimetre into it.
//! for tick in 0..3000_u64 {
//!     let z = if tick < 2500 { 0.05 } else { 0.029 };
//!     let state = DeviceState::at_rest(tick * 1_000_000, Pose::from_translation([0.0, 0.0, z])?);
//!     force = session.tick(&state, state.time_ns, state.time_ns).wrench.force;
//! }
//! assert!((force.z - 1.0).abs() < 0.05);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use impinge::query::Limits;
use impinge::{DVec3, Pose};
use thiserror::Error;

use crate::coupling::QuasiStaticCoupling;
use crate::device::{DeviceSpecification, DeviceState};
use crate::guard::ToolGuard;
use crate::law::ContactLaw;
use crate::penalty::PenaltyField;
use crate::proxy::{GodObject, ProxyScene};
use crate::record::{Session, WorldEdit};
use crate::stability::{
    DEFAULT_MAX_DAMPING, DamperController, Fault, OutputLimiter, PassivityController,
    PassivityObserver, TankController, Watchdog, WrenchController,
};
use crate::{QuantityError, Wrench, seconds_between};

/// How the wrench is computed.
pub enum Renderer<'t> {
    /// A point pushed out of simple solids.
    Penalty(PenaltyField),
    /// A point or ball that does not pass faces.
    GodObject {
        /// The scene.
        scene: ProxyScene,
        /// The proxy.
        proxy: GodObject,
    },
    /// A rigid tool pushed by a law.
    Tool {
        /// The contact law.
        law: Box<dyn ContactLaw + Send + 't>,
        /// The coupling to the device.
        coupling: Box<QuasiStaticCoupling>,
    },
    /// A rigid tool that does not pass faces.
    Guard(Box<ToolGuard>),
    /// Anything else.
    Custom(Box<dyn CustomRenderer + Send + 't>),
}

/// A user-defined renderer, such as one of a [deforming surface](crate::proxy::DeformingProxy).
pub trait CustomRenderer {
    /// What is wanted for a pose at a time; it should depend on nothing else but earlier calls, so that recordings replay.
    fn render(&mut self, pose: &Pose, now_ns: u64) -> CustomStep;
}

/// The result of a [`CustomRenderer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CustomStep {
    /// The wrench to render.
    pub wanted: Wrench,
    /// The position of the proxy.
    pub proxy: Pose,
    /// Number of faces in contact.
    pub contacts: usize,
    /// Whether a face was crossed.
    pub crossed: bool,
}

impl std::fmt::Debug for Renderer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Penalty(_) => "Penalty",
            Self::GodObject { .. } => "GodObject",
            Self::Tool { .. } => "Tool",
            Self::Guard(_) => "Guard",
            Self::Custom(_) => "Custom",
        })
    }
}

/// Which passivity controller is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ControllerKind {
    /// None: energy is observed only.
    Off,
    /// Damping, with a reserve.
    #[default]
    Damper,
    /// Scaled force.
    Tank,
}

/// Constants of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionConfig {
    /// What the device can do.
    pub device: DeviceSpecification,
    /// Seconds of a tick.
    pub period: f64,
    /// The controller of translation and rotation.
    pub controller: ControllerKind,
    /// N/s.
    pub force_rate: f64,
    /// Nm/s.
    pub torque_rate: f64,
}

impl SessionConfig {
    /// 1 kHz, the damper, and full force within 5 ms.
    ///
    /// # Errors
    /// [`QuantityError`] for a specification that is invalid.
    pub fn new(device: DeviceSpecification) -> Result<Self, QuantityError> {
        let device = device.checked()?;
        Ok(Self {
            force_rate: device.max_force * 200.0,
            torque_rate: device.max_torque.max(0.01) * 200.0,
            device,
            period: 1e-3,
            controller: ControllerKind::default(),
        })
    }
}

/// Why a session was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A number is out of range.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
}

/// The result of one tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SessionTick {
    /// The wrench rendered.
    pub wrench: Wrench,
    /// The wrench of the renderer before control and limits.
    pub wanted: Wrench,
    /// Where the proxy or tool is.
    pub proxy: Pose,
    /// Number of faces or constraints in contact.
    pub contacts: usize,
    /// Energy that the hand has put in, in joules.
    pub energy: f64,
    /// Whether a face was crossed; only moving bodies can cause this.
    pub crossed: bool,
    /// Why the force was switched off.
    pub fault: Option<Fault>,
}

/// A renderer with its controller, limits and watchdog.
///
/// The [module](self) has an example.
#[doc(alias = "haptic rendering")]
#[derive(Debug)]
pub struct HapticSession<'t> {
    renderer: Renderer<'t>,
    controller: WrenchController,
    limiter: OutputLimiter,
    watchdog: Watchdog,
    period: f64,
    last_ns: Option<u64>,
}

impl<'t> HapticSession<'t> {
    /// A session at rest.
    ///
    /// # Errors
    /// [`SessionError`] for numbers out of range.
    pub fn new(renderer: Renderer<'t>, config: &SessionConfig) -> Result<Self, SessionError> {
        let controller = || -> Result<PassivityController, QuantityError> {
            Ok(match config.controller {
                ControllerKind::Off => PassivityController::Off(PassivityObserver::default()),
                ControllerKind::Damper => PassivityController::Damper(DamperController::new(
                    config.period,
                    DEFAULT_MAX_DAMPING,
                    1e-3,
                )?),
                ControllerKind::Tank => {
                    PassivityController::Tank(TankController::new(config.period, 5e-3, 400.0)?)
                }
            })
        };
        // Turns are small numbers beside metres: their damping is measured at a lever of a centimetre.
        let rotation = match config.controller {
            ControllerKind::Off => PassivityController::Off(PassivityObserver::default()),
            _ => PassivityController::Tank(TankController::new(config.period, 5e-3, 4000.0)?),
        };
        Ok(Self {
            renderer,
            controller: WrenchController::new(controller()?, rotation, config.period)?,
            limiter: OutputLimiter::new(&config.device, config.force_rate, config.torque_rate)?,
            watchdog: Watchdog::default(),
            period: config.period,
            last_ns: None,
        })
    }

    /// The renderer.
    #[must_use]
    pub fn renderer(&self) -> &Renderer<'t> {
        &self.renderer
    }

    /// Runs one tick and returns the wrench for a device state. The tick began at `now_ns` and was due at `due_ns`;
    /// `state` carries the time at which it was measured.
    pub fn tick(&mut self, state: &DeviceState, now_ns: u64, due_ns: u64) -> SessionTick {
        let before = self.last_ns.replace(now_ns);
        let duration = before.map_or(self.period, |before| seconds_between(before, now_ns));
        let rendered = self.render(&state.pose, duration, now_ns);
        let controlled = self.controller.control(&state.pose, rendered.wanted);
        let (limited, _) = self.limiter.limit(controlled, duration);
        let wrench = self.watchdog.guard(now_ns, due_ns, state.time_ns, limited);
        self.controller.hold(wrench);
        SessionTick {
            wrench,
            energy: self.controller.energy() + self.controller.rotation_energy(),
            fault: self.watchdog.fault(),
            ..rendered
        }
    }

    /// Clears a fault, so that the force may rise again.
    pub fn reset(&mut self) {
        self.watchdog.reset();
    }

    fn render(&mut self, pose: &Pose, duration: f64, now_ns: u64) -> SessionTick {
        let mut tick = SessionTick {
            wrench: Wrench::ZERO,
            wanted: Wrench::ZERO,
            proxy: *pose,
            contacts: 0,
            energy: 0.0,
            crossed: false,
            fault: None,
        };
        match &mut self.renderer {
            Renderer::Penalty(field) => {
                let force = field.force(pose.translation());
                tick.wanted = Wrench::from_force(force);
                tick.contacts = usize::from(force != DVec3::ZERO);
            }
            Renderer::GodObject { scene, proxy } => {
                let step = proxy.update(scene, pose.translation(), duration);
                let free = step.contacts().iter().all(|contact| contact.push <= 0.0);
                // A proxy that touches nothing follows the device; what is left is rounding.
                let force = if free && !step.held {
                    DVec3::ZERO
                } else {
                    step.force
                };
                tick.wanted = Wrench::from_force(force);
                tick.contacts = step.contacts().len();
                tick.crossed = step.crossed;
                tick.proxy = Pose::new(*pose.rotation(), step.proxy).unwrap_or(*pose);
            }
            Renderer::Tool { law, coupling } => {
                let step = coupling.update(law, pose, Limits::default());
                tick.wanted = step.wrench;
                tick.contacts = usize::from(step.contact != Wrench::ZERO);
                tick.proxy = step.world_from_tool;
            }
            Renderer::Guard(guard) => {
                let step = guard.update(pose);
                tick.wanted = step.wrench;
                tick.contacts = step.constraints;
                tick.proxy = step.world_from_tool;
            }
            Renderer::Custom(custom) => {
                let step = custom.render(pose, now_ns);
                tick.wanted = step.wanted;
                tick.contacts = step.contacts;
                tick.crossed = step.crossed;
                tick.proxy = step.proxy;
            }
        }
        tick
    }
}

impl Session for HapticSession<'_> {
    fn input(&mut self, state: &DeviceState) -> Wrench {
        self.tick(state, state.time_ns, state.time_ns).wrench
    }

    fn edit(&mut self, edit: &WorldEdit) {
        if let Renderer::GodObject { scene, .. } = &mut self.renderer
            && let Some(body) = scene.body_id(edit.body as usize)
        {
            let placed = scene.set_pose(body, edit.world_from_body);
            debug_assert!(placed.is_ok(), "the scene named the body");
        }
    }
}
