//! One step of a soft body.

use super::body::SoftBody;
use super::contact::SoftContact;
use super::error::{SoftError, at_least};
use super::near::Features;
use super::proximity::Proximity;
use super::springs::Particle;

/// Contact statistics of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoftReport {
    /// Contacts that impulses acted on.
    pub contacts: u64,
    /// Particles that were held where they were, because they would have crossed something.
    pub held: u64,
}

/// Rounds in which features that would meet get contacts of their own, before anything is held.
const PUSHING_ROUNDS: usize = 3;
/// Rounds in which particles that would cross are held, before all are.
const HOLDING_ROUNDS: usize = 12;

impl SoftBody {
    /// Advances the body by `dt` seconds.
    ///
    /// # Errors
    /// [`SoftError`] when `dt` is not positive or a particle leaves the range of coordinates. Substeps before
    /// the refused one are done.
    pub fn step(&mut self, dt: f64) -> Result<SoftReport, SoftError> {
        at_least("step", dt, f64::MIN_POSITIVE)?;
        let h = dt / f64::from(self.config.substeps);
        let mut report = SoftReport::default();
        for _ in 0..self.config.substeps {
            self.substep(h, &mut report)?;
        }
        Ok(report)
    }

    fn substep(&mut self, h: f64, report: &mut SoftReport) -> Result<(), SoftError> {
        self.predict(h)?;
        self.contacts.clear();
        if let Some(proximity) = &mut self.proximity {
            proximity.gather(&self.config, &self.particles, &mut self.contacts);
        }
        self.springs.begin(h, &self.particles);
        for _ in 0..self.config.iterations {
            self.springs.sweep(h, &mut self.particles);
            self.press();
        }
        self.check()?;
        if let Some(mut proximity) = self.proximity.take() {
            report.held += self.keep_apart(&mut proximity);
            self.proximity = Some(proximity);
        }
        self.advance(h)?;
        report.contacts += self.contacts.iter().filter(|c| c.is_active()).count() as u64;
        Ok(())
    }

    /// Sets the particles to where they would move by themselves.
    fn predict(&mut self, h: f64) -> Result<(), SoftError> {
        // Drag in the form that never reverses a velocity.
        let kept = 1.0 / (1.0 + self.config.drag * h);
        self.particles.clear();
        let each = self.positions.iter().zip(&self.velocities);
        for ((start, velocity), inverse_mass) in each.zip(&self.inverse_masses) {
            let velocity = if *inverse_mass > 0.0 {
                *velocity * kept + self.config.gravity * h
            } else {
                *velocity
            };
            self.particles.push(Particle {
                start: *start,
                inverse_mass: *inverse_mass,
                shift: velocity * h,
            });
        }
        self.check()
    }

    fn check(&self) -> Result<(), SoftError> {
        match self.particles.iter().position(|p| !p.end().is_finite()) {
            Some(particle) => Err(SoftError::Diverged { particle }),
            None => Ok(()),
        }
    }

    /// One sweep over the contacts.
    fn press(&mut self) {
        for contact in &mut self.contacts {
            contact.solve(&mut self.particles, self.config.friction);
        }
    }

    /// Changes the ends so that nothing crosses: what would meet is pushed apart, and what would still meet stays. Returns how many
    /// particles do.
    fn keep_apart(&mut self, proximity: &mut Proximity) -> u64 {
        let mut hits = std::mem::take(&mut self.hits);
        let mut held = 0;
        for round in 0..PUSHING_ROUNDS + HOLDING_ROUNDS {
            proximity.meeting(&self.config, &self.particles, &mut hits);
            if hits.is_empty() {
                break;
            }
            if round < PUSHING_ROUNDS {
                for hit in &hits {
                    self.contacts.extend(self.push_of(hit, proximity));
                }
                for _ in 0..self.config.iterations {
                    self.press();
                }
            } else {
                for i in hits.iter().flat_map(|hit| hit.particles) {
                    held += u64::from(hold(&mut self.particles[i as usize]));
                }
            }
        }
        if !hits.is_empty() {
            proximity.meeting(&self.config, &self.particles, &mut hits);
        }
        if !hits.is_empty() {
            // The state before the substep has no crossing.
            let all = self.particles.iter_mut();
            held += all.map(|p| u64::from(hold(p))).sum::<u64>();
            proximity.meeting(&self.config, &self.particles, &mut hits);
        }
        self.hits = hits;
        proximity.commit();
        held
    }

    fn push_of(&self, hit: &Features, proximity: &Proximity) -> Option<SoftContact> {
        let near = hit.nearest(hit.starts(&self.particles))?;
        let floor = proximity.floor(hit, self.config.thickness);
        SoftContact::new(hit, &near, floor, &self.particles)
    }

    /// Makes the ends of the substep the state of the body.
    fn advance(&mut self, h: f64) -> Result<(), SoftError> {
        self.ends.clear();
        self.ends.extend(self.particles.iter().map(Particle::end));
        if let Some(scene) = &mut self.scene {
            scene.advance(&self.ends)?;
        }
        std::mem::swap(&mut self.positions, &mut self.ends);
        for (velocity, particle) in self.velocities.iter_mut().zip(&self.particles) {
            *velocity = particle.shift / h;
        }
        Ok(())
    }
}

/// Keeps a particle where it is; whether it would have moved.
fn hold(particle: &mut Particle) -> bool {
    std::mem::take(&mut particle.shift) != impinge::DVec3::ZERO
}
