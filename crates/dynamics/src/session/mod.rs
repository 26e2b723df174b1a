//! Haptic session: from the pose of a device to the wrench it renders, in one tick.
//!
//! **Question.** Which stages does a safe haptic session need, and in which order?
//! **Idea.** Renderer (penalty, god-object, tool with a contact law, or guard), then limits, then watchdog, then passivity controller: a slow fall of the
//! force and the fading after a fault cost energy, so that the controller comes after both. What follows it only takes away.
//! **Promise.** A session is a function of its inputs, their times and its edits, so that it replays byte for byte. A tick does not allocate after the first
//! contacts have grown its memory, and puts out a finite wrench whatever the device reports. With a controller, the energy at the hand stays above
//! minus its reserve while the tool accelerates no faster than the controller assumes and no force is held longer than [`SessionConfig::longest_hold`].
//! **Limits.** The stiffness of a renderer is that of its springs; textures and custom renderers may be stiffer.
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

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::query::Limits;
use impinge::{DVec3, Pose};
use thiserror::Error;

use crate::coupling::QuasiStaticCoupling;
use crate::device::{DeviceSpecification, DeviceState};
use crate::guard::ToolGuard;
use crate::law::ContactLaw;
use crate::penalty::PenaltyField;
use crate::proxy::{GodObject, ProxyScene, SceneError};
use crate::record::{Session, WorldEdit};
use crate::stability::{
    ColgateError, DEFAULT_MAX_ACCELERATION, DEFAULT_MAX_DAMPING, DEFAULT_RESERVE, DamperController,
    Fault, FaultCause, OutputLimiter, PassivityController, PassivityObserver, PoseTimes,
    TankController, VirtualCoupling, Watchdog, WrenchController,
};
use crate::{QuantityError, Wrench, quantity, seconds_between};

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

    /// The largest stiffness in N/m, which a session without a controller compares with the damping of the device; none when it is
    /// not known.
    fn stiffness(&self) -> Option<f64> {
        None
    }
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

impl Renderer<'_> {
    /// The largest stiffness that is rendered, in N/m; none when it is not known.
    #[must_use]
    pub fn stiffness(&self) -> Option<f64> {
        match self {
            Self::Penalty(field) => Some(field.stiffness()),
            Self::GodObject { proxy, .. } => Some(proxy.stiffness()),
            Self::Tool { coupling, .. } => Some(coupling.stiffness().translation),
            Self::Guard(guard) => Some(guard.coupling().translation),
            Self::Custom(custom) => custom.stiffness(),
        }
    }
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
    /// The longest time in seconds that a force may be held, because a tick is skipped or a pose is late. The controller reserves energy for all of it: a longer
    /// time gives weaker forces.
    pub longest_hold: f64,
    /// Accepts a renderer that is not passive without a controller. For demonstrations: walls may vibrate.
    pub allow_active: bool,
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
            longest_hold: 1e-3,
            allow_active: false,
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
    /// Without a controller, the renderer is too stiff for the damping of the device.
    #[error(transparent)]
    NotPassive(#[from] ColgateError),
    /// Without a controller, nobody knows whether the renderer is passive.
    #[error("the stiffness of this renderer is not known: switch a passivity controller on")]
    UnknownStiffness,
}

/// Why an edit of the world was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EditError {
    /// A body that the renderer does not have, or whose solids cannot move.
    #[error("this renderer cannot move body {body}")]
    NoSuchBody {
        /// Its number.
        body: u32,
    },
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

impl SessionTick {
    /// A tick without force.
    fn at(pose: &Pose) -> Self {
        Self {
            wrench: Wrench::ZERO,
            wanted: Wrench::ZERO,
            proxy: *pose,
            contacts: 0,
            energy: 0.0,
            crossed: false,
            fault: None,
        }
    }
}

/// The angular acceleration, in rad/s², that a hand with its device is not expected to exceed.
const MAX_ANGULAR_ACCELERATION: f64 = 4000.0;

/// A renderer with its controller, limits and watchdog.
///
/// The [module](self) has an example.
#[doc(alias = "haptic rendering")]
#[derive(Debug)]
pub struct HapticSession<'t> {
    renderer: Renderer<'t>,
    controller: WrenchController,
    /// The controller as it was at the start.
    fresh: WrenchController,
    limiter: OutputLimiter,
    watchdog: Watchdog,
    period: f64,
    last_ns: Option<u64>,
    /// The last state, and what was rendered of it.
    last: Option<(DeviceState, SessionTick)>,
}

impl<'t> HapticSession<'t> {
    /// A session at rest.
    ///
    /// # Errors
    /// [`SessionError`] for numbers out of range, and without a controller for a renderer that violates Colgate's condition.
    ///
    /// ```
    /// use impinge_dynamics::device::DeviceSpecification;
    /// use impinge_dynamics::penalty::{PenaltyField, PenaltyVolume};
    /// use impinge_dynamics::session::{ControllerKind, HapticSession, Renderer, SessionConfig};
    /// let wall = || -> Result<_, Box<dyn std::error::Error>> {
    ///     let floor = PenaltyVolume::half_space([0.0, 1.0, 0.0], 0.0)?;
    ///     Ok(Renderer::Penalty(PenaltyField::new(2000.0, vec![floor])?))
    /// };
    /// let device = DeviceSpecification { damping: 0.6, ..DeviceSpecification::falcon() };
    /// let mut config = SessionConfig::new(device)?;
    /// assert!(HapticSession::new(wall()?, &config).is_ok());
    /// config.controller = ControllerKind::Off;
    /// let refused = HapticSession::new(wall()?, &config);
    /// assert!(refused.is_err_and(|e| e.to_string().contains("lower the stiffness below 1200 N/m")));
    /// config.allow_active = true;
    /// assert!(HapticSession::new(wall()?, &config).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(renderer: Renderer<'t>, config: &SessionConfig) -> Result<Self, SessionError> {
        let (period, hold) = (config.period, config.longest_hold);
        let off = PassivityController::Off(PassivityObserver::default());
        let tank = |most: f64| -> Result<PassivityController, QuantityError> {
            let tank = TankController::new(period, DEFAULT_RESERVE, most)?;
            Ok(PassivityController::Tank(tank.with_longest_hold(hold)?))
        };
        let translation = match config.controller {
            ControllerKind::Off => off,
            ControllerKind::Damper => {
                let damper = DamperController::new(period, DEFAULT_MAX_DAMPING, 1e-3)?;
                PassivityController::Damper(damper.with_longest_hold(hold)?)
            }
            ControllerKind::Tank => tank(DEFAULT_MAX_ACCELERATION)?,
        };
        let rotation = match config.controller {
            ControllerKind::Off => off,
            _ => tank(MAX_ANGULAR_ACCELERATION)?,
        };
        if !translation.is_on() && !config.allow_active {
            let stiffness = renderer.stiffness().ok_or(SessionError::UnknownStiffness)?;
            let damping = config.device.damping;
            VirtualCoupling::new(stiffness, 0.0, damping, period, &translation)?;
        }
        let controller = WrenchController::new(translation, rotation, period)?;
        Ok(Self {
            renderer,
            controller,
            fresh: controller,
            limiter: OutputLimiter::new(&config.device, config.force_rate, config.torque_rate)?,
            watchdog: Watchdog::default(),
            period: quantity::positive("servo period", period)?,
            last_ns: None,
            last: None,
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
        let duration = self.duration(now_ns);
        let rendered = self.render(&state.pose, duration, now_ns);
        let is_finite = state.is_finite() && rendered.wanted.is_finite();
        let known = (!is_finite).then_some(FaultCause::NotFinite);
        self.finish(state, rendered, known, [now_ns, due_ns], duration)
    }

    /// Runs a tick of a device that did not answer: the force fades to zero, [disconnected](FaultCause::Disconnected) is the cause. Before the first
    /// state there is no force and no fault.
    pub fn tick_without_state(&mut self, now_ns: u64, due_ns: u64) -> SessionTick {
        let duration = self.duration(now_ns);
        let Some((state, last)) = self.last else {
            return SessionTick::at(&Pose::IDENTITY);
        };
        let rendered = SessionTick {
            wanted: Wrench::ZERO,
            contacts: 0,
            crossed: false,
            ..last
        };
        let known = Some(FaultCause::Disconnected);
        self.finish(&state, rendered, known, [now_ns, due_ns], duration)
    }

    /// Seconds since the last tick.
    fn duration(&mut self, now_ns: u64) -> f64 {
        let before = self.last_ns.replace(now_ns);
        before.map_or(self.period, |before| seconds_between(before, now_ns))
    }

    /// Limits, watchdog and controller.
    fn finish(
        &mut self,
        state: &DeviceState,
        rendered: SessionTick,
        known: Option<FaultCause>,
        [now_ns, due_ns]: [u64; 2],
        duration: f64,
    ) -> SessionTick {
        let limited = if known.is_none() {
            self.limiter.limit(rendered.wanted, duration).0
        } else {
            Wrench::ZERO
        };
        let times = [now_ns, due_ns, state.time_ns];
        let guarded = self.watchdog.guard_knowing(known, times, limited);
        let times = PoseTimes {
            measured_ns: state.time_ns,
            now_ns,
        };
        let is_fading = self.watchdog.fault().is_some();
        let pose = &state.pose;
        let controlled = self.controller.control_at(pose, times, guarded, is_fading);
        let wrench = self.limiter.settle(controlled, duration);
        self.controller.hold(wrench);
        self.watchdog.hold(wrench);
        let done = SessionTick {
            wrench,
            energy: self.controller.energy() + self.controller.rotation_energy(),
            fault: self.watchdog.fault(),
            ..rendered
        };
        self.last = Some((*state, done));
        done
    }

    /// Clears a fault. The force starts softly again: it rises once the wanted one has been small. Energy is counted from here.
    pub fn reset(&mut self) {
        self.controller = self.fresh;
        self.watchdog.reset();
        self.limiter.restart();
    }

    /// Moves a body. The proxy, the tool or the guard is carried along or pushed away at the next tick.
    ///
    /// # Errors
    /// [`EditError`] for a body that is not there, or a renderer whose bodies cannot move.
    pub fn place(&mut self, edit: &WorldEdit) -> Result<(), EditError> {
        let index = edit.body as usize;
        let is_placed = match &mut self.renderer {
            Renderer::GodObject { scene, .. } => scene
                .body_id(index)
                .is_some_and(|body| scene.set_pose(body, edit.world_from_body).is_ok()),
            Renderer::Tool { law, .. } => law.set_pose(index, &edit.world_from_body),
            Renderer::Guard(guard) => guard.set_pose(index, &edit.world_from_body),
            Renderer::Penalty(_) | Renderer::Custom(_) => false,
        };
        let refused = EditError::NoSuchBody { body: edit.body };
        is_placed.then_some(()).ok_or(refused)
    }

    /// Replaces the mesh of a body that a god-object may be touching; see [`GodObject::replace_mesh`]. The step of the force is limited like any other. Not for
    /// the servo path, and not recorded.
    ///
    /// # Errors
    /// [`SceneError`] when there is no such body or god-object, or no room for the proxy.
    pub fn replace_mesh(&mut self, body: usize, tree: Arc<WideTree>) -> Result<(), SceneError> {
        let Renderer::GodObject { scene, proxy } = &mut self.renderer else {
            return Err(SceneError::NoBody { index: body });
        };
        let id = scene.body_id(body);
        let id = id.ok_or(SceneError::NoBody { index: body })?;
        proxy.replace_mesh(scene, id, tree)
    }

    fn render(&mut self, pose: &Pose, duration: f64, now_ns: u64) -> SessionTick {
        let mut tick = SessionTick::at(pose);
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

    fn run_tick(&mut self, state: Option<&DeviceState>, now_ns: u64, due_ns: u64) -> Wrench {
        let done = match state {
            Some(state) => self.tick(state, now_ns, due_ns),
            None => self.tick_without_state(now_ns, due_ns),
        };
        done.wrench
    }

    /// What cannot be moved stays; [`HapticSession::place`] says so.
    fn edit(&mut self, edit: &WorldEdit) {
        let _ = self.place(edit);
    }
}
