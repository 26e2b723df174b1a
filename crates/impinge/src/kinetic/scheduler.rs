//! One clock for all kinetic structures of a scene.

use glam::DVec3;

use super::kinetic_structure::{Kinetic, Progress};
use super::{FeatureContact, Keyframes, KineticError};
use crate::query::VertexId;

/// The plan and the time of a scene. It drives any number of structures, reports contacts in order of time, and lets a response change
/// plans.
///
/// ```
/// use impinge::DVec3;
/// use impinge::kinetic::{Keyframes, Kinetic, KineticAabbTree, Scheduler, SeparationList};
/// use impinge::query::VertexId;
/// let places = [[0., 0., 0.], [4., 0., 0.], [0., 4., 0.], [1., 1., 2.], [2., 1., 3.], [1., 2., 3.]].map(DVec3::from_array);
/// let fall = DVec3::new(0.0, 0.0, -4.0);
/// let speeds = [DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, fall, fall, fall];
/// let flight = Keyframes::linear(&places, &speeds, 0.0, 1.0)?;
/// let mut list = SeparationList::between(&flight, &[[0, 1, 2]], &[[3, 4, 5]])?;
/// let mut tree = KineticAabbTree::new(&flight, &[[3, 4, 5]])?;
/// let mut schedule = Scheduler::new(flight);
/// // Four frames; what falls bounces.
/// for frame in 1..=4 {
///     schedule.run_to(0.25 * frame as f64, &mut [&mut list, &mut tree], |_, response| {
///         for v in 3..6 {
///             response.redirect(VertexId::new(v), DVec3::new(0.0, 0.0, 4.0))?;
///         }
///         Ok(())
///     })?;
/// }
/// let landed = schedule.flight().position(VertexId::new(3), 1.0).unwrap();
/// assert!((landed.z - 2.0).abs() < 1e-9);
/// assert_eq!((schedule.now(), list.now(), tree.now()), (1.0, 1.0, 1.0));
/// assert!(tree.validate(schedule.flight()).is_ok() && list.validate(schedule.flight()).is_ok());
/// # Ok::<(), impinge::kinetic::KineticError>(())
/// ```
#[derive(Debug)]
pub struct Scheduler {
    flight: Keyframes,
    now: f64,
    /// By structure, a time before which nothing happens; kept for its memory.
    next: Vec<f64>,
}

/// What a response to a contact may do.
#[derive(Debug)]
pub struct Response<'a> {
    flight: &'a mut Keyframes,
    now: f64,
    changed: &'a mut Vec<VertexId>,
}

impl Response<'_> {
    /// The time now.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge::kinetic::{Keyframes, Response, Scheduler};
    /// use impinge::query::VertexId;
    /// let flight = Keyframes::linear(&[DVec3::ZERO], &[DVec3::X], 0.0, 2.0)?;
    /// let mut schedule = Scheduler::new(flight);
    /// schedule.respond(&mut [], |response: &mut Response| {
    ///     assert_eq!(response.now(), 0.0);
    ///     assert_eq!(response.flight().vertex_count(), 1);
    ///     // A plan that begins elsewhere is refused.
    ///     let far = DVec3::splat(9.0);
    ///     assert!(response.reroute(VertexId::new(0), far, &[far]).is_err());
    ///     response.reroute(VertexId::new(0), DVec3::ZERO, &[DVec3::Y])
    /// })?;
    /// assert_eq!(schedule.flight().position(VertexId::new(0), 1.0), Some(DVec3::new(0.0, 0.5, 0.0)));
    /// # Ok::<(), impinge::kinetic::KineticError>(())
    /// ```
    #[must_use]
    pub fn now(&self) -> f64 {
        self.now
    }

    /// The plans as they are.
    #[must_use]
    pub fn flight(&self) -> &Keyframes {
        self.flight
    }

    /// Gives a vertex a new velocity from now until the end of the plan.
    ///
    /// # Errors
    /// There is no such vertex, or it would leave the range of coordinates. Then its plan stays.
    pub fn redirect(&mut self, vertex: VertexId, velocity: DVec3) -> Result<(), KineticError> {
        let Some(here) = self.flight.position(vertex, self.now) else {
            return Err(KineticError::NoSuchVertex {
                vertex: vertex.index(),
                vertices: self.flight.vertex_count(),
            });
        };
        let times = self.flight.key_times();
        let later: Vec<DVec3> = times
            .iter()
            .filter(|&&t| t > self.now)
            .map(|&t| here + velocity * (t - self.now))
            .collect();
        self.reroute(vertex, here, &later)
    }

    /// Gives a vertex a new plan: where it is now, and where it will be at each key to come.
    ///
    /// # Errors
    /// The plan begins elsewhere than the vertex is, names too few or too many places, or a coordinate is not finite. Then the old one stays.
    pub fn reroute(
        &mut self,
        vertex: VertexId,
        start: DVec3,
        later: &[DVec3],
    ) -> Result<(), KineticError> {
        self.flight.reroute(vertex, self.now, start, later)?;
        self.changed.push(vertex);
        Ok(())
    }
}

impl Scheduler {
    /// A scene at the start of its plan.
    #[must_use]
    pub fn new(flight: Keyframes) -> Self {
        Self {
            now: flight.start(),
            flight,
            next: Vec::new(),
        }
    }

    /// The plans as they are.
    #[must_use]
    pub fn flight(&self) -> &Keyframes {
        &self.flight
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.now
    }

    /// The fixed-frame loop: advances to a time, such as the next frame's. Contacts on the way are
    /// passed to the response, in order of time, and it may change plans; the given structures are
    /// notified at once. All structures that are to stay valid must be passed each time.
    ///
    /// # Errors
    /// The time is before now or beyond the plan, or a structure is not at the schedule's time: then nothing is done. Also what the
    /// response returns: then the time is that of the contact, and the structures are valid there.
    pub fn run_to(
        &mut self,
        to: f64,
        structures: &mut [&mut dyn Kinetic],
        mut respond: impl FnMut(&FeatureContact, &mut Response<'_>) -> Result<(), KineticError>,
    ) -> Result<(), KineticError> {
        self.check(to, structures)?;
        self.look_ahead(structures);
        loop {
            let first = least(&self.next, usize::MAX).filter(|&k| self.next[k] <= to);
            let progress = match first {
                Some(k) => {
                    // It may run alone until another has an event.
                    let limit = least(&self.next, k).map_or(to, |other| self.next[other].min(to));
                    let progress = structures[k].advance(&self.flight, limit)?;
                    let next = structures[k].next_event(&self.flight);
                    // What is not after the limit is a key there, and what follows it comes later.
                    self.next[k] = next.unwrap_or(f64::INFINITY).max(limit.next_up());
                    progress
                }
                None => settle(structures, &self.flight, to)?,
            };
            match progress {
                Progress::Touched(contact) => {
                    let times = structures.iter().map(|s| s.now());
                    self.now = times.fold(self.now, f64::max);
                    let mut contacts = vec![contact];
                    // The others have no event before now, but may have one at this instant.
                    while let Progress::Touched(other) = settle(structures, &self.flight, self.now)?
                    {
                        contacts.push(other);
                    }
                    for contact in &contacts {
                        self.respond(structures, |response| respond(contact, response))?;
                    }
                    self.look_ahead(structures);
                }
                Progress::Reached if first.is_none() => break,
                Progress::Reached => {}
            }
        }
        self.now = to;
        Ok(())
    }

    fn look_ahead(&mut self, structures: &[&mut dyn Kinetic]) {
        self.next.clear();
        let next = structures.iter().map(|s| s.next_event(&self.flight));
        self.next
            .extend(next.map(|time| time.unwrap_or(f64::INFINITY)));
    }

    /// The free-running loop: advances to the next event or key and processes it. None when the
    /// plan holds no more events; then the time is the plan's end. A contact is passed to the
    /// response as in [`Scheduler::run_to`].
    ///
    /// # Errors
    /// As [`Scheduler::run_to`].
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge::kinetic::{Keyframes, Kinetic, KineticAabbTree, Scheduler};
    /// let start = [DVec3::ZERO, DVec3::X, DVec3::Y];
    /// let speeds = [DVec3::new(3.0, 0.0, 0.0), DVec3::ZERO, DVec3::ZERO];
    /// let flight = Keyframes::linear(&start, &speeds, 0.0, 1.0)?;
    /// let mut tree = KineticAabbTree::new(&flight, &[[0, 1, 2]])?;
    /// let mut schedule = Scheduler::new(flight);
    /// let mut times = Vec::new();
    /// while let Some(time) = schedule.run_next(&mut [&mut tree], |_, _| Ok(()))? {
    ///     times.push(time);
    /// }
    /// assert!(times.last().is_some_and(|t| (t - 1.0 / 3.0).abs() < 1e-12));
    /// # Ok::<(), impinge::kinetic::KineticError>(())
    /// ```
    pub fn run_next(
        &mut self,
        structures: &mut [&mut dyn Kinetic],
        respond: impl FnMut(&FeatureContact, &mut Response<'_>) -> Result<(), KineticError>,
    ) -> Result<Option<f64>, KineticError> {
        self.look_ahead(structures);
        let first = least(&self.next, usize::MAX).map_or(f64::INFINITY, |k| self.next[k]);
        if first == f64::INFINITY {
            self.run_to(self.flight.end(), structures, respond)?;
            return Ok(None);
        }
        // All events until now are done: what is not later is a key's time, and the key is passed.
        let to = first.max(self.now.next_up()).min(self.flight.end());
        self.run_to(to, structures, respond)?;
        Ok(Some(self.now))
    }

    /// Changes plans now, other than after a contact. Changes that were made before an error stay, and the structures are notified.
    ///
    /// # Errors
    /// What the change returns, or a structure is not at the schedule's time.
    pub fn respond(
        &mut self,
        structures: &mut [&mut dyn Kinetic],
        change: impl FnOnce(&mut Response<'_>) -> Result<(), KineticError>,
    ) -> Result<(), KineticError> {
        self.check(self.now, structures)?;
        let mut changed = Vec::new();
        let outcome = change(&mut Response {
            flight: &mut self.flight,
            now: self.now,
            changed: &mut changed,
        });
        if !changed.is_empty() {
            changed.sort_unstable();
            changed.dedup();
            for structure in structures.iter_mut() {
                structure.rerouted(&self.flight, &changed);
            }
        }
        outcome
    }

    /// Appends a key to the plan: where all vertices are at a time after its end.
    ///
    /// # Errors
    /// The time is not after the plan's end, vertices are missing or too many, or a coordinate is not finite. Also when the plan was
    /// [sampled](Keyframes::sampled) and the key is farther from the last than its keys were. Then the plan stays.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge::kinetic::{Keyframes, KineticError, Scheduler};
    /// let mut schedule = Scheduler::new(Keyframes::linear(&[DVec3::ZERO], &[DVec3::X], 0.0, 1.0)?);
    /// schedule.extend(2.0, &[DVec3::ZERO], &mut [])?;
    /// assert_eq!(schedule.flight().end(), 2.0);
    /// let broken = schedule.extend(3.0, &[DVec3::NAN], &mut []);
    /// assert!(matches!(broken, Err(KineticError::Coordinate { key: 3, vertex: 0, .. })));
    /// # Ok::<(), impinge::kinetic::KineticError>(())
    /// ```
    pub fn extend(
        &mut self,
        time: f64,
        frame: &[DVec3],
        structures: &mut [&mut dyn Kinetic],
    ) -> Result<(), KineticError> {
        self.check(self.now, structures)?;
        self.flight.extend(time, frame)?;
        for structure in structures.iter_mut() {
            structure.extended(&self.flight);
        }
        Ok(())
    }

    /// Whether all structures can go there.
    fn check(&self, to: f64, structures: &mut [&mut dyn Kinetic]) -> Result<(), KineticError> {
        if to.is_nan() {
            return Err(KineticError::NotATime { time: to });
        }
        if to < self.now {
            return Err(KineticError::Backwards { now: self.now, to });
        }
        if to > self.flight.end() {
            return Err(KineticError::BeyondPlan {
                end: self.flight.end(),
                to,
            });
        }
        for structure in structures {
            if structure.now() != self.now || !structure.belongs_to(&self.flight) {
                return Err(KineticError::ForeignPlan);
            }
        }
        Ok(())
    }
}

/// The structure with the earliest event, another than `except`.
fn least(next: &[f64], except: usize) -> Option<usize> {
    let others = next.iter().enumerate().filter(|&(k, _)| k != except);
    others.min_by(|a, b| a.1.total_cmp(b.1)).map(|(k, _)| k)
}

/// Takes all structures to a time, or until one reports a contact.
fn settle(
    structures: &mut [&mut dyn Kinetic],
    flight: &Keyframes,
    to: f64,
) -> Result<Progress, KineticError> {
    for structure in structures {
        if let touched @ Progress::Touched(_) = structure.advance(flight, to)? {
            return Ok(touched);
        }
    }
    Ok(Progress::Reached)
}
