//! Friction of the proxy.
//!
//! **Question.** How far may the proxy slide along a surface in one tick?
//! **Idea.** The spring from proxy to device has a normal and a tangential part. While the tangential one
//! is within the cone of static friction, the proxy stays. Once it leaves the cone the proxy slides at
//! the speed at which dynamic friction and viscosity balance it.
//! **Source.** Sections 3.2.2 of Sjöberg and Ylinenpää 2009 (equations 3.5 and 3.6), after Ruspini, Kolarov and
//! Khatib 1997. Ours: the states stick and slip, and sliding without viscosity up to the border of
//! the dynamic cone.
//! **Promise.** At depth d and lag s the proxy sticks exactly when s ≤ μ_s·d. Sliding towards a device at rest, the
//! lag after N ticks is μ_d·d + (s₀ − μ_d·d)(1 − kT/b)^N. Of several contacts the strictest decides.
//! **Limits.** The proxy has no mass.

use crate::{QuantityError, quantity};

/// Coefficients of friction of a surface.
///
/// ```
/// use impinge_dynamics::friction::Friction;
/// assert!(Friction::coulomb(0.5, 0.3).is_ok());
/// // Sliding would be faster than sticking allows.
/// assert!(Friction::coulomb(0.3, 0.5).is_err());
/// // kT/b is 2: the proxy would overshoot.
/// let refused = Friction::viscous(0.5, 0.3, 0.5, 1000.0, 1e-3);
/// assert!(refused.is_err_and(|e| e.to_string().contains("viscosity")));
/// assert_eq!(Friction::NONE, Friction::coulomb(0.0, 0.0)?);
/// # Ok::<(), impinge_dynamics::QuantityError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    pub(crate) stick: f64,
    pub(crate) slide: f64,
    pub(crate) viscosity: f64,
}

impl Friction {
    /// A smooth surface.
    pub const NONE: Self = Self {
        stick: 0.0,
        slide: 0.0,
        viscosity: 0.0,
    };

    /// Friction without viscosity, by the static and the dynamic coefficient.
    ///
    /// # Errors
    /// [`QuantityError`] when a coefficient is negative or the dynamic one is larger.
    pub fn coulomb(stick: f64, slide: f64) -> Result<Self, QuantityError> {
        let stick = quantity::not_negative("static friction", stick)?;
        Ok(Self {
            stick,
            slide: quantity::between("dynamic friction", slide, 0.0, stick)?,
            viscosity: 0.0,
        })
    }

    /// Friction with a viscosity in N·s/m, for a proxy of this stiffness (N/m) and a servo period (s).
    /// The dynamic coefficient may exceed the static one here, so that 0 switches sticking off.
    ///
    /// # Errors
    /// [`QuantityError`] when a coefficient is negative, or the viscosity is below stiffness times period: the
    /// proxy would overshoot and oscillate.
    pub fn viscous(
        stick: f64,
        slide: f64,
        viscosity: f64,
        stiffness: f64,
        period: f64,
    ) -> Result<Self, QuantityError> {
        let [stiffness, period] =
            quantity::all_positive([("stiffness", stiffness), ("servo period", period)])?;
        let least = stiffness * period;
        Ok(Self {
            stick: quantity::not_negative("static friction", stick)?,
            slide: quantity::not_negative("dynamic friction", slide)?,
            viscosity: quantity::between(
                "viscosity (at least stiffness times servo period)",
                viscosity,
                least,
                f64::MAX,
            )?,
        })
    }

    pub(crate) fn is_none(&self) -> bool {
        *self == Self::NONE
    }
}

/// Whether the proxy sticks to the surface or slides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionState {
    /// The proxy sticks; also when it touches nothing.
    #[default]
    Stick,
    /// The proxy slides.
    Slip,
}

/// One contact as friction sees it: the parts of the spring's elongation, in metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pressed {
    pub(crate) friction: Friction,
    pub(crate) depth: f64,
    pub(crate) lag: f64,
}

/// How far the proxy may slide, in metres, and its state afterwards.
pub(crate) fn slide(
    state: FrictionState,
    contacts: &[Pressed],
    stiffness: f64,
    duration: f64,
) -> (f64, FrictionState) {
    let held = |limit: fn(&Friction) -> f64| {
        let mut sticky = contacts.iter().filter(|c| !c.friction.is_none());
        sticky.any(|c| c.lag <= limit(&c.friction) * c.depth)
    };
    let sticks = match state {
        FrictionState::Stick => held(|friction| friction.stick),
        // Sliding without viscosity ends at the border of the cone; roundings do not keep it going.
        FrictionState::Slip => held(|friction| friction.slide * (1.0 + 1e-9)),
    };
    if sticks {
        return (0.0, FrictionState::Stick);
    }
    let mut travel = f64::INFINITY;
    for contact in contacts.iter().filter(|c| !c.friction.is_none()) {
        let excess = (contact.lag - contact.friction.slide * contact.depth).max(0.0);
        let viscosity = contact.friction.viscosity;
        // Written so that without viscosity the share is 1.
        let share = if stiffness * duration < viscosity {
            stiffness * duration / viscosity
        } else {
            1.0
        };
        travel = travel.min(excess * share);
    }
    (travel, FrictionState::Slip)
}
