//! One iteration of a soft body.
//!
//! Every loop writes one item from what the loop before left, so it may run on any number of threads and
//! gives the same bytes.

use std::f64::consts::PI;

use impinge::{DVec3, Pose};

use super::body::{
    Link, Outflow, Sphere, SphereSpring, SphereSpringConfig, Spring, SpringEnd, SpringState,
    Threads,
};
use super::error::{SphereSpringError, at_least};

/// Largest fraction of its volume that a sphere may lose in one iteration.
const MOST_GIVEN: f64 = 0.5;

/// Items below which threads cost more than they gain.
#[cfg(feature = "parallel")]
const PIECE: usize = 256;

impl SphereSpring {
    /// Advances the body by one iteration of `dt` seconds, with its frames where they are.
    ///
    /// # Errors
    /// [`SphereSpringError`] when `dt` is not positive, or the step diverged; then nothing has moved.
    pub fn step(&mut self, dt: f64) -> Result<(), SphereSpringError> {
        at_least("step", dt, f64::MIN_POSITIVE)?;
        self.forces(dt);
        self.exchange(dt)
    }

    /// Advances the body by a frame: `iterations` steps of `dt` seconds, in which the frames of the
    /// anchors move evenly from where they are to `frames`.
    ///
    /// # Errors
    /// As [`step`](Self::step), and when there are not as many poses as frames.
    ///
    /// ```
    /// use impinge::{DVec3, Pose};
    /// use impinge_dynamics::sphere_spring::{Anchor, Sphere, SphereSpring, SphereSpringConfig};
    /// let one = vec![Sphere::new(DVec3::ZERO, 0.1, 1000.0)];
    /// let mut body = SphereSpring::new(one, vec![], SphereSpringConfig::default())?;
    /// let anchor =
    ///     Anchor { sphere: 0, frame: 0, point: DVec3::ZERO, stiffness: 1000.0, damping: 120.0 };
    /// body.set_anchors(vec![anchor], &[Pose::IDENTITY])?;
    /// let there = Pose::from_translation([0.1, 0.0, 0.0])?;
    /// for _ in 0..20 {
    ///     body.frame(&[there], 50, 1e-3)?;
    /// }
    /// assert!((body.spheres()[0].position.x - 0.1).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn frame(
        &mut self,
        frames: &[Pose],
        iterations: u32,
        dt: f64,
    ) -> Result<(), SphereSpringError> {
        if frames.len() != self.frames.len() {
            return Err(SphereSpringError::OutOfRange {
                what: "number of frames",
                value: frames.len() as f64,
            });
        }
        let start: Vec<Pose> = self.frames.iter().map(|(_, now)| *now).collect();
        for iteration in 1..=iterations {
            let part = f64::from(iteration) / f64::from(iterations);
            for ((own, from), to) in self.frames.iter_mut().zip(&start).zip(frames) {
                *own = (own.1, between(from, to, part));
            }
            self.step(dt)?;
        }
        // What stands still from now on has no velocity.
        for own in &mut self.frames {
            own.0 = own.1;
        }
        Ok(())
    }

    /// Springs and overlaps; then the force on each sphere, and what it gives away to whom.
    fn forces(&mut self, dt: f64) {
        let (spheres, config) = (&self.spheres, &self.config);
        let (springs, frames) = (&self.springs, &self.frames);
        let threads = config.threads;
        fill(threads, &mut self.scratch.ends, |index| {
            let Some(sphere) = spheres.get(index) else {
                return SpringEnd::default();
            };
            SpringEnd {
                position: sphere.position,
                velocity: sphere.velocity,
                radius: sphere.radius(),
                excess: sphere.volume - sphere.rest_volume,
            }
        });
        let ends = &self.scratch.ends;
        fill(threads, &mut self.scratch.springs, |index| {
            let found = springs.get(index).and_then(|spring| {
                let [i, j] = spring.ends;
                let ends = [ends.get(i as usize)?, ends.get(j as usize)?];
                Some(spring_state(spring, ends, config))
            });
            found.unwrap_or_default()
        });
        let of_springs = &self.scratch.springs;
        let (starts, links) = (&self.starts, &self.links);
        let (anchors, anchor_starts) = (&self.anchors, &self.anchor_starts);
        let (plates, external) = (&self.plates, &self.external);
        fill(threads, &mut self.scratch.outflow, |index| {
            let (Some(sphere), Some(end)) = (spheres.get(index), ends.get(index)) else {
                return Outflow::default();
            };
            let mut force = external.get(index).copied().unwrap_or_default();
            force += (config.gravity - sphere.velocity * config.drag) * sphere.mass;
            let (mut overlap, mut given) = (0.0, 0.0);
            let own = piece(starts, links, index);
            for link in own {
                let spring = at(of_springs, link.spring);
                force -= spring.unit * (link.sign * spring.pull);
                overlap += spring.overlap;
                let other = ends.get(link.other as usize).map_or(0.0, |end| end.excess);
                given += flow(link, end.excess, other).max(0.0);
            }
            for anchor in piece(anchor_starts, anchors, index) {
                if let Some((before, now)) = frames.get(anchor.frame as usize) {
                    let target = *now * anchor.point;
                    let speed = (target - *before * anchor.point) / dt;
                    force += (target - sphere.position) * anchor.stiffness
                        + (speed - sphere.velocity) * anchor.damping;
                }
            }
            for plate in plates {
                let height = (sphere.position - plate.point).dot(plate.normal) - end.radius;
                if height < 0.0 {
                    force -= plate.normal * (plate.stiffness * height);
                }
            }
            let (mut receiver, mut amount, mut best) = (u32::MAX, 0.0, 0.0);
            if overlap > 0.0 {
                for link in own {
                    let along = -link.sign * at(of_springs, link.spring).unit.dot(force);
                    if along > best {
                        (best, receiver) = (along, link.other);
                    }
                }
                if receiver != u32::MAX {
                    // Each of the two spheres of a lens emits half of it.
                    amount = 0.5 * config.transfer * overlap;
                }
            }
            let out = amount + given;
            let most = MOST_GIVEN * sphere.volume;
            Outflow {
                force,
                excess: end.excess,
                receiver,
                amount,
                scale: if out > most { most / out } else { 1.0 },
            }
        });
    }

    /// Every sphere gathers the volume that is addressed to it, and moves.
    fn exchange(&mut self, dt: f64) -> Result<(), SphereSpringError> {
        let spheres = &self.spheres;
        let (starts, links) = (&self.starts, &self.links);
        let outflow = &self.scratch.outflow;
        fill(self.config.threads, &mut self.scratch.next, |index| {
            let (Some(sphere), Some(own)) = (spheres.get(index), outflow.get(index)) else {
                return Sphere::new(DVec3::ZERO, 1.0, 1.0);
            };
            let mut change = -own.amount * own.scale;
            for link in piece(starts, links, index) {
                let Some(theirs) = outflow.get(link.other as usize) else {
                    continue;
                };
                if theirs.receiver == index as u32 {
                    change += theirs.amount * theirs.scale;
                }
                // The giver's scale counts on both sides.
                let given = flow(link, own.excess, theirs.excess);
                change -= given * if given > 0.0 { own.scale } else { theirs.scale };
            }
            let velocity = sphere.velocity + own.force * (dt / sphere.mass);
            Sphere {
                position: sphere.position + velocity * dt,
                velocity,
                volume: sphere.volume + change,
                ..*sphere
            }
        });
        let wrong = |sphere: &Sphere| !sphere.position.is_finite() || !sphere.velocity.is_finite();
        if let Some(sphere) = self.scratch.next.iter().position(wrong) {
            return Err(SphereSpringError::Diverged { sphere });
        }
        std::mem::swap(&mut self.spheres, &mut self.scratch.next);
        Ok(())
    }
}

/// What flows out of a sphere along a link; negative when it flows in. Seen from the other end it is the same with the other sign, bit for bit.
#[inline(always)]
fn flow(link: &Link, own: f64, other: f64) -> f64 {
    link.share * (own - other)
}

/// What a spring does to the spheres at its ends.
#[inline(always)]
fn spring_state(
    spring: &Spring,
    [a, b]: [&SpringEnd; 2],
    config: &SphereSpringConfig,
) -> SpringState {
    let along = a.position - b.position;
    let length = along.length();
    // Centres that coincide have no direction; the smallest other force parts them.
    let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
    let unit = along * inverse;
    let overlap = lens(a.radius, b.radius, length, inverse);
    let parting = (a.velocity - b.velocity).dot(unit);
    let pull = spring.stiffness * (length - spring.rest) + spring.damping * parting
        - config.volume_stiffness * overlap;
    SpringState {
        unit,
        pull,
        overlap,
    }
}

/// The volume that balls of radii `r` and `s` share at a distance, whose inverse is known: a division less than the general function takes.
#[inline(always)]
fn lens(r: f64, s: f64, distance: f64, inverse: f64) -> f64 {
    let depth = (r + s) - distance;
    if depth <= 0.0 {
        return 0.0;
    }
    let difference = r - s;
    if distance <= difference.abs() {
        let small = r.min(s);
        return 4.0 / 3.0 * PI * small * small * small;
    }
    // π(r+s−d)²(d² + 2d(r+s) − 3(r−s)²) / 12d
    let bracket = distance * (distance + 2.0 * (r + s)) - 3.0 * difference * difference;
    PI / 12.0 * depth * depth * bracket * inverse
}

/// The items that belong to a sphere.
fn piece<'a, T>(starts: &[u32], items: &'a [T], index: usize) -> &'a [T] {
    match (starts.get(index), starts.get(index + 1)) {
        (Some(&from), Some(&to)) => items.get(from as usize..to as usize).unwrap_or(&[]),
        _ => &[],
    }
}

fn at(springs: &[SpringState], index: u32) -> SpringState {
    springs.get(index as usize).copied().unwrap_or_default()
}

/// A pose between two: the translation on a line, the rotation by the smallest angle.
fn between(from: &Pose, to: &Pose, part: f64) -> Pose {
    use impinge::glam::DQuat;
    if part >= 1.0 || from == to {
        return *to;
    }
    let (p, q) = (
        DQuat::from_mat3(from.rotation()),
        DQuat::from_mat3(to.rotation()),
    );
    let q = if p.dot(q) < 0.0 { -q } else { q };
    // Normalised interpolation: for the turn of one frame its speed differs little from even.
    let turned = p * (1.0 - part) + q * part;
    let moved = from.translation() * (1.0 - part) + to.translation() * part;
    Pose::from_quaternion(turned, moved).unwrap_or(*to)
}

/// Writes every item from its number.
fn fill<T: Send, F: Fn(usize) -> T + Sync>(threads: Threads, items: &mut [T], f: F) {
    #[cfg(feature = "parallel")]
    if threads == Threads::All && items.len() > PIECE {
        use rayon::prelude::*;
        let numbered = items.par_iter_mut().with_min_len(PIECE).enumerate();
        numbered.for_each(|(index, item)| *item = f(index));
        return;
    }
    let _ = threads;
    for (index, item) in items.iter_mut().enumerate() {
        *item = f(index);
    }
}
