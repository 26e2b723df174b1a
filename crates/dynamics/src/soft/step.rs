//! One step of a soft body.

use impinge::DVec3;
use impinge::deform::step::{ContactFeatures, MinSeparation, StepImpact, StepOptions};

use super::body::{Constraint, SoftBody};
use super::contact::{Moving, SoftContact};
use super::error::{SoftError, at_least};

/// Contact statistics of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoftReport {
    /// Contacts that impulses acted on.
    pub contacts: u64,
    /// Particles that were held where they were, because they would have crossed something.
    pub held: u64,
}

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
        // Drag in the form that never reverses a velocity.
        let kept = 1.0 / (1.0 + self.config.drag * h);
        let before = self.velocities.clone();
        for (velocity, inverse) in self.velocities.iter_mut().zip(&self.inverse_masses) {
            if *inverse > 0.0 {
                *velocity = *velocity * kept + self.config.gravity * h;
            }
        }
        let solved = self.solve(h, report);
        let moved = solved.and_then(|()| self.hold(h, report));
        match moved {
            Ok(end) => {
                if let Some(scene) = &mut self.scene {
                    scene.advance(&end)?;
                }
                self.positions = end;
                Ok(())
            }
            Err(error) => {
                self.velocities = before;
                Err(error)
            }
        }
    }

    /// Constraints and contacts, swept together so that what is stopped does not squash the rest.
    fn solve(&mut self, h: f64, report: &mut SoftReport) -> Result<(), SoftError> {
        self.multipliers.fill(0.0);
        self.sweep(h, &mut []);
        if self.scene.is_none() {
            return Ok(());
        }
        // Rounds of detection and response.
        for _ in 0..2 {
            let end = self.checked_end(h)?;
            let impacts = self.impacts(&end, true)?;
            let faces = self.scene.as_ref().map_or(&[][..], |scene| scene.faces());
            let mut contacts: Vec<SoftContact> = impacts
                .iter()
                .filter_map(|impact| SoftContact::new(impact, faces, &self.positions))
                .collect();
            if contacts.is_empty() {
                break;
            }
            report.contacts += contacts.len() as u64;
            self.sweep(h, &mut contacts);
        }
        Ok(())
    }

    /// All iterations over the constraints, each followed by one over the contacts.
    fn sweep(&mut self, h: f64, contacts: &mut [SoftContact]) {
        let (positions, inverse_masses) = (&self.positions, &self.inverse_masses);
        let velocities = &mut self.velocities;
        for _ in 0..self.config.iterations {
            for (constraint, multiplier) in self.constraints.iter().zip(&mut self.multipliers) {
                project(
                    constraint,
                    multiplier,
                    positions,
                    inverse_masses,
                    velocities,
                    h,
                );
            }
            let mut moving = Moving {
                velocities,
                inverse_masses,
            };
            for contact in contacts.iter_mut() {
                contact.solve(&mut moving, h, self.config.thickness, self.config.friction);
            }
        }
    }

    fn predicted(&self, h: f64) -> Vec<DVec3> {
        let moving = self.positions.iter().zip(&self.velocities);
        moving.map(|(p, v)| *p + *v * h).collect()
    }

    fn impacts(&mut self, end: &[DVec3], near: bool) -> Result<Vec<StepImpact>, SoftError> {
        let Some(scene) = &self.scene else {
            return Ok(Vec::new());
        };
        let separation = near.then_some(MinSeparation {
            distance: self.config.thickness,
            options: impinge::ccd::linear::MinSeparationOptions {
                tolerance: 0.05 * self.config.thickness,
                width: 0.05,
                max_parts: 200,
            },
        });
        let options = StepOptions {
            within: self.config.self_contact,
            separation,
            parallel: self.config.parallel,
            ..StepOptions::default()
        };
        let mut answer = self.stepper.step(scene, end, &options)?;
        let own = self.positions().len();
        // Obstacles do not move, so what they do among themselves says nothing.
        answer.impacts.retain(|impact| {
            let particles = particles_of(impact, scene.faces());
            particles.into_iter().any(|i| (i as usize) < own)
        });
        Ok(answer.impacts)
    }

    /// The end of the substep without any crossing: what would cross stays.
    fn hold(&mut self, h: f64, report: &mut SoftReport) -> Result<Vec<DVec3>, SoftError> {
        let mut end = self.checked_end(h)?;
        if self.scene.is_none() {
            return Ok(end);
        }
        for round in 0..=HOLDING_ROUNDS {
            let impacts = self.impacts(&end, false)?;
            if impacts.is_empty() {
                return Ok(end);
            }
            let faces = self.scene.as_ref().map_or(&[][..], |scene| scene.faces());
            let mut held: Vec<u32> = if round < HOLDING_ROUNDS {
                let each = impacts.iter().flat_map(|i| particles_of(i, faces));
                each.collect()
            } else {
                // The state before the substep has no crossing.
                (0..end.len() as u32).collect()
            };
            held.sort_unstable();
            held.dedup();
            for i in held {
                let i = i as usize;
                if let (Some(end), Some(start), Some(velocity)) = (
                    end.get_mut(i),
                    self.positions.get(i),
                    self.velocities.get_mut(i),
                ) && *end != *start
                {
                    *end = *start;
                    *velocity = DVec3::ZERO;
                    report.held += 1;
                }
            }
        }
        Ok(end)
    }

    fn checked_end(&self, h: f64) -> Result<Vec<DVec3>, SoftError> {
        let end = self.predicted(h);
        match end.iter().position(|p| !p.is_finite()) {
            Some(particle) => Err(SoftError::Diverged { particle }),
            None => Ok(end),
        }
    }
}

/// The particles whose motion makes an impact.
fn particles_of(impact: &StepImpact, faces: &[[u32; 3]]) -> [u32; 4] {
    match impact.features {
        ContactFeatures::VertexFace { vertex, face } => {
            let [a, b, c] = faces.get(face.index()).copied().unwrap_or_default();
            [vertex.raw(), a, b, c]
        }
        ContactFeatures::EdgeEdge { a, b } => [a[0].raw(), a[1].raw(), b[0].raw(), b[1].raw()],
    }
}

/// Moves the particles of a constraint towards it. The correction is booked as velocity alone: the end of
/// the substep is where the velocities lead, and differences of positions would lose digits.
fn project(
    constraint: &Constraint,
    multiplier: &mut f64,
    positions: &[DVec3],
    inverse_masses: &[f64],
    velocities: &mut [DVec3],
    h: f64,
) {
    let at = |i: u32| {
        let i = i as usize;
        match (positions.get(i), velocities.get(i)) {
            (Some(position), Some(velocity)) => *position + *velocity * h,
            _ => DVec3::ZERO,
        }
    };
    let weight = |i: u32| inverse_masses.get(i as usize).copied().unwrap_or(0.0);
    let mut gradients = [(0, DVec3::ZERO); 4];
    let (value, compliance) = match *constraint {
        Constraint::Distance {
            ends: [i, j],
            rest,
            compliance,
        } => {
            let along = at(i) - at(j);
            let unit = along.normalize_or_zero();
            gradients[0] = (i, unit);
            gradients[1] = (j, -unit);
            (along.length() - rest, compliance)
        }
        Constraint::Volume {
            corners,
            rest,
            compliance,
        } => {
            let [a, b, c, d] = corners.map(at);
            let (p, q, r) = (b - a, c - a, d - a);
            let [gb, gc, gd] = [q.cross(r), r.cross(p), p.cross(q)];
            gradients[0] = (corners[0], (gb + gc + gd) / -6.0);
            gradients[1] = (corners[1], gb / 6.0);
            gradients[2] = (corners[2], gc / 6.0);
            gradients[3] = (corners[3], gd / 6.0);
            (p.dot(gb) / 6.0 - rest, compliance)
        }
    };
    let each = gradients.iter();
    let response: f64 = each.map(|(i, g)| weight(*i) * g.length_squared()).sum();
    let soft = compliance / (h * h);
    if response + soft <= 0.0 {
        return;
    }
    let change = -(value + soft * *multiplier) / (response + soft);
    *multiplier += change;
    for (i, gradient) in gradients {
        let moved = gradient * (weight(i) * change);
        if let Some(velocity) = velocities.get_mut(i as usize) {
            *velocity += moved / h;
        }
    }
}
