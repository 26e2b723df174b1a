//! Contacts of a soft body: four particles that come too close.

use impinge::DVec3;

use super::near::{Features, Nearest};
use super::springs::Particle;

/// A vertex and a face, or two edges, that keep a distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct SoftContact {
    particles: [u32; 4],
    /// How each moves the distance: positive on one side, negative on the other, adding up to 0.
    weights: [f64; 4],
    normal: DVec3,
    /// How much the distance is to change in the substep, at least.
    wanted: f64,
    /// 1 over the response of the particles.
    inverse: f64,
    impulse: f64,
}

impl SoftContact {
    /// The contact of features that should be `floor` apart; none where nothing can move.
    pub(super) fn new(
        features: &Features,
        nearest: &Nearest,
        floor: f64,
        particles: &[Particle],
    ) -> Option<Self> {
        let each = features.particles.into_iter().zip(nearest.weights);
        let response: f64 = each
            .map(|(i, weight)| weight * weight * particles[i as usize].inverse_mass)
            .sum();
        let lacking = floor - nearest.distance;
        (response > 0.0).then(|| Self {
            particles: features.particles,
            weights: nearest.weights,
            normal: nearest.normal,
            // A tenth of what is lacking at a time, so that nothing is thrown.
            wanted: if lacking > 0.0 {
                0.1 * lacking
            } else {
                lacking
            },
            inverse: 1.0 / response,
            impulse: 0.0,
        })
    }

    /// Whether it has pushed.
    pub(super) fn is_active(&self) -> bool {
        self.impulse > 0.0
    }

    /// Slows the approach so that the distance left after the substep is the one to be kept; pushes out slowly what is closer already.
    pub(super) fn solve(&mut self, particles: &mut [Particle], friction: f64) {
        let mut speed = DVec3::ZERO;
        for (i, weight) in self.particles.into_iter().zip(self.weights) {
            speed += particles[i as usize].shift * weight;
        }
        let along = speed.dot(self.normal);
        let total = (self.impulse + (self.wanted - along) * self.inverse).max(0.0);
        let change = total - self.impulse;
        if change == 0.0 {
            return;
        }
        self.impulse = total;
        let mut push = self.normal * change;
        if change > 0.0 && friction > 0.0 {
            let slip = speed - self.normal * along;
            let size = slip.length();
            if size > 0.0 {
                push -= slip * ((friction * change).min(size * self.inverse) / size);
            }
        }
        for (i, weight) in self.particles.into_iter().zip(self.weights) {
            let own = &mut particles[i as usize];
            own.shift += push * (weight * own.inverse_mass);
        }
    }
}
