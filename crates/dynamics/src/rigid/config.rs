//! Settings of a world.

use impinge::DVec3;

use super::error::{RigidError, at_least};

/// When bodies that lie still are put to sleep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sleep {
    /// Speed below which a body counts as still, in m/s and rad/s.
    pub speed: f64,
    /// How long a whole island must be still, in s.
    pub delay: f64,
}

impl Default for Sleep {
    fn default() -> Self {
        Self {
            speed: 0.02,
            delay: 0.5,
        }
    }
}

/// Settings of a world.
///
/// ```
/// use impinge_dynamics::rigid::WorldConfig;
/// assert_eq!(WorldConfig::default().gravity.z, -9.81);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldConfig {
    /// Acceleration of all bodies, in m/s².
    pub gravity: DVec3,
    /// Substeps of a step.
    pub substeps: u32,
    /// Sweeps over all contacts in a substep.
    pub iterations: u32,
    /// The natural frequency of contacts, in Hz: lower is softer. Never above a quarter of the
    /// substep rate.
    pub contact_frequency: f64,
    /// Damping ratio of contacts; large, so that correction does not rebound.
    pub contact_damping: f64,
    /// Penetration that is not corrected, in m.
    pub slop: f64,
    /// Fastest correction of penetration, in m/s.
    pub max_push: f64,
    /// Slower impacts do not rebound, in m/s.
    pub bounce_speed: f64,
    /// When bodies sleep; none never. A sleeping body has no momentum.
    pub sleep: Option<Sleep>,
}

impl Default for WorldConfig {
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            substeps: 4,
            iterations: 2,
            contact_frequency: 60.0,
            contact_damping: 10.0,
            slop: 1e-4,
            max_push: 3.0,
            bounce_speed: 0.1,
            sleep: None,
        }
    }
}

impl WorldConfig {
    pub(super) fn checked(self) -> Result<Self, RigidError> {
        for value in self.gravity.to_array() {
            if !value.is_finite() {
                return Err(RigidError::OutOfRange {
                    what: "gravity",
                    value,
                });
            }
        }
        at_least("number of substeps", self.substeps.into(), 1.0)?;
        at_least("number of iterations", self.iterations.into(), 1.0)?;
        at_least("contact frequency", self.contact_frequency, 1e-3)?;
        at_least("contact damping", self.contact_damping, 0.0)?;
        at_least("slop", self.slop, 0.0)?;
        at_least("push speed", self.max_push, 0.0)?;
        at_least("bounce speed", self.bounce_speed, 0.0)?;
        if let Some(sleep) = self.sleep {
            at_least("sleep speed", sleep.speed, 0.0)?;
            at_least("sleep delay", sleep.delay, 0.0)?;
        }
        Ok(self)
    }
}
