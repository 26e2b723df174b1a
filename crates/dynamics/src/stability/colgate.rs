//! Colgate's condition: whether a sampled spring is passive.

use thiserror::Error;

use super::passivity_controller::PassivityController;
use crate::{QuantityError, quantity};

/// Why a coupling was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ColgateError {
    /// A number is out of range.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
    /// The coupling is not passive.
    #[error(
        "not passive: a stiffness of {stiffness} N/m with a damping of {damping} N·s/m at a period of {period} s needs a device damping above {needed} N·s/m, and the device has {device_damping} N·s/m; {advice}"
    )]
    NotPassive {
        /// Requested stiffness, N/m.
        stiffness: f64,
        /// Requested damping, N·s/m.
        damping: f64,
        /// Seconds.
        period: f64,
        /// The damping that the condition requires of the device, N·s/m.
        needed: f64,
        /// The damping of the device, N·s/m.
        device_damping: f64,
        /// Which number to change.
        advice: Advice,
    },
}

/// The number to change so that a coupling becomes passive.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Advice {
    /// Below this many N/m.
    LowerStiffness(f64),
    /// Below this many N·s/m, and then the stiffness as well.
    LowerDamping(f64),
    /// The device has no damping: no stiffness is passive.
    SwitchControllerOn,
}

impl std::fmt::Display for Advice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::LowerStiffness(most) => write!(
                f,
                "lower the stiffness below {most} N/m, or switch a passivity controller on"
            ),
            Self::LowerDamping(most) => write!(
                f,
                "lower the damping below {most} N·s/m, or switch a passivity controller on"
            ),
            Self::SwitchControllerOn => {
                write!(
                    f,
                    "no stiffness is passive then: switch a passivity controller on"
                )
            }
        }
    }
}

/// A spring and a damper between device and proxy, passive by Colgate's condition or under a controller.
///
/// ```
/// use impinge_dynamics::stability::{PassivityController, PassivityObserver, VirtualCoupling};
/// let off = PassivityController::Off(PassivityObserver::default());
/// assert!(VirtualCoupling::new(1000.0, 0.0, 0.6, 1e-3, &off).is_ok());
/// let refused = VirtualCoupling::new(2000.0, 0.0, 0.6, 1e-3, &off);
/// assert!(refused.is_err_and(|e| e.to_string().contains("lower the stiffness below 1200 N/m")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VirtualCoupling {
    stiffness: f64,
    damping: f64,
}

impl VirtualCoupling {
    /// A coupling of this stiffness (N/m) and damping (N·s/m), for a device with this damping of its own and a servo period
    /// in seconds. The condition is b > KT/2 + |B|.
    ///
    /// # Errors
    /// [`ColgateError`] when a number is out of range, or the condition does not hold and the controller is off.
    pub fn new(
        stiffness: f64,
        damping: f64,
        device_damping: f64,
        period: f64,
        controller: &PassivityController,
    ) -> Result<Self, ColgateError> {
        let [stiffness, period] =
            quantity::all_positive([("coupling stiffness", stiffness), ("servo period", period)])?;
        let device_damping = quantity::not_negative("device damping", device_damping)?;
        quantity::not_negative("magnitude of the coupling damping", damping.abs())?;
        let needed = stiffness * period / 2.0 + damping.abs();
        if device_damping <= needed && !controller.is_on() {
            let room = device_damping - damping.abs();
            let advice = if device_damping == 0.0 {
                Advice::SwitchControllerOn
            } else if room <= 0.0 {
                Advice::LowerDamping(device_damping)
            } else {
                Advice::LowerStiffness(2.0 * room / period)
            };
            return Err(ColgateError::NotPassive {
                stiffness,
                damping,
                period,
                needed,
                device_damping,
                advice,
            });
        }
        Ok(Self { stiffness, damping })
    }

    /// N/m.
    ///
    /// ```
    /// # use impinge_dynamics::stability::{PassivityController, PassivityObserver, VirtualCoupling};
    /// # let off = PassivityController::Off(PassivityObserver::default());
    /// let coupling = VirtualCoupling::new(300.0, 0.1, 0.6, 1e-3, &off)?;
    /// assert_eq!((coupling.stiffness(), coupling.damping()), (300.0, 0.1));
    /// # Ok::<(), impinge_dynamics::stability::ColgateError>(())
    /// ```
    #[must_use]
    pub fn stiffness(&self) -> f64 {
        self.stiffness
    }

    /// N·s/m.
    #[must_use]
    pub fn damping(&self) -> f64 {
        self.damping
    }
}
