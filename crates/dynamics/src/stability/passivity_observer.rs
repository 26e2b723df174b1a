//! Passivity observer: the energy put into the rendering.

use impinge::DVec3;

/// Integrates the energy that the hand has put into the rendered environment. A negative value means that the environment
/// has generated energy.
///
/// One observer watches translation (displacement in metres, force in newtons), another rotation
/// (radians, newton metres).
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::stability::PassivityObserver;
/// let mut observer = PassivityObserver::default();
/// observer.hold(DVec3::Y * 2.0);
/// // The hand moves against the force that was held meanwhile.
/// assert_eq!(observer.observe(DVec3::Y * -0.5), 1.0);
/// assert_eq!(observer.energy(), 1.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PassivityObserver {
    energy: f64,
    held: DVec3,
}

impl PassivityObserver {
    /// Takes how far the tool has moved since the last call, and gives the energy in joules.
    pub fn observe(&mut self, displacement: DVec3) -> f64 {
        self.energy -= self.held.dot(displacement);
        self.energy
    }

    /// Takes the force that acts on the hand from now on.
    pub fn hold(&mut self, force: DVec3) {
        self.held = force;
    }

    /// The force that acts on the hand.
    pub(super) fn held(&self) -> DVec3 {
        self.held
    }

    /// Takes energy off that may have been given away unseen.
    pub(super) fn lose(&mut self, energy: f64) {
        self.energy -= energy;
    }

    /// Energy put in so far, in joules.
    #[must_use]
    pub fn energy(&self) -> f64 {
        self.energy
    }
}
