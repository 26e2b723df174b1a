//! Stability: the energy that rendering generates, and how it is limited.
//!
//! **Question.** Does a sampled force make the device vibrate, and how is that prevented?
//! **Idea.** A force is held for one period while the hand moves on, so a sampled spring returns more energy
//! than it stored. The observer integrates the energy with the force that was *held*; a controller then damps or
//! scales the next force. Limiters and a watchdog follow.
//! **Source.** Colgate and Schenkel 1994, *Passivity of a class of sampled-data systems*; Hannaford and Ryu 2002,
//! *Time-domain passivity control of haptic interfaces*; energy tanks: Franken et al. 2011. Ours: the
//! observer uses the held force, the damper predicts the coming interval and is capped, the tank
//! reserves for the fastest possible acceleration.
//! **Promise.** The observer's energy is exact for the sampled positions. The tank keeps it above minus
//! its initial charge while the tool accelerates no faster than stated and no force is held longer than stated.
//! **Limits.** The motion of the hand between two samples is unknown. Where a pose is late or missing, energy is set aside for the most
//! that the stated acceleration allows, so that long silences weaken the force.

mod colgate;
mod energy_budget;
mod limiter;
mod passivity_controller;
mod passivity_observer;
mod watchdog;

pub use colgate::{Advice, ColgateError, VirtualCoupling};
pub use limiter::{OutputLimiter, SOFT_START_FORCE, SOFT_START_S, SlewLimiter, SoftStart};
pub(crate) use passivity_controller::PoseTimes;
pub use passivity_controller::{
    DEFAULT_MAX_ACCELERATION, DEFAULT_MAX_DAMPING, DEFAULT_RESERVE, DamperController,
    PassivityController, TankController, WrenchController,
};
pub use passivity_observer::PassivityObserver;
pub use watchdog::{FADE_NS, Fault, FaultCause, MAX_POSE_AGE_NS, MAX_TICK_LATENESS_NS, Watchdog};
