//! One iteration of a soft body.
//!
//! Blocks of spheres work apart, each on its own sums, and what they read of each other is left from the
//! pass before. So an iteration may run on any number of threads and gives the same bytes.

use impinge::math::simd::Level;
use impinge::{DVec3, Pose};

use super::body::{BlockState, Outflow, Scratch, SphereSpring, Threads};
use super::error::{SphereSpringError, at_least};
use super::kernel::{
    AddRows, FindReceivers, Radii, Receiver, SpringEnd, SpringSums, flow, radius_of,
};
use super::ordering::{BLOCK, Ordering};

/// Largest fraction of its volume that a sphere may lose in one iteration.
const MOST_GIVEN: f64 = 0.5;

impl SphereSpring {
    /// Advances the body by one iteration of `dt` seconds, with its frames where they are.
    ///
    /// # Errors
    /// [`SphereSpringError`] when `dt` is not positive, or the step diverged; then nothing has moved.
    pub fn step(&mut self, dt: f64) -> Result<(), SphereSpringError> {
        at_least("step", dt, f64::MIN_POSITIVE)?;
        self.load();
        self.iterate(dt)?;
        self.store();
        Ok(())
    }

    /// Advances the body by a frame: `iterations` steps of `dt` seconds, in which the frames of the
    /// anchors move evenly from where they are to `frames`.
    ///
    /// # Errors
    /// As [`step`](Self::step), with the iterations before the one that diverged done, and when there are not as many poses as frames.
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
        if iterations > 0 {
            at_least("step", dt, f64::MIN_POSITIVE)?;
        }
        self.load();
        let mut result = Ok(());
        let start: Vec<Pose> = self.frames.iter().map(|(_, now)| *now).collect();
        for iteration in 1..=iterations {
            let part = f64::from(iteration) / f64::from(iterations);
            for ((own, from), to) in self.frames.iter_mut().zip(&start).zip(frames) {
                *own = (own.1, between(from, to, part));
            }
            result = self.iterate(dt);
            if result.is_err() {
                break;
            }
        }
        self.store();
        result?;
        // What stands still from now on has no velocity.
        for own in &mut self.frames {
            own.0 = own.1;
        }
        Ok(())
    }

    /// Puts the spheres in the order of memory.
    fn load(&mut self) {
        let scratch = &mut self.scratch;
        let each = scratch.ends.iter_mut().zip(&mut scratch.matter);
        for ((end, matter), sphere) in each.zip(&self.ordering.sphere_at) {
            let sphere = &self.spheres[*sphere as usize];
            *end = SpringEnd {
                position: sphere.position.to_array(),
                velocity: sphere.velocity.to_array(),
                radius: radius_of(sphere.volume),
                excess: sphere.volume - sphere.rest_volume,
            };
            matter.volume = sphere.volume;
        }
    }

    /// Takes the spheres from the order of memory.
    fn store(&mut self) {
        let scratch = &self.scratch;
        let each = scratch.ends.iter().zip(&scratch.matter);
        for ((end, matter), sphere) in each.zip(&self.ordering.sphere_at) {
            let sphere = &mut self.spheres[*sphere as usize];
            sphere.position = DVec3::from_array(end.position);
            sphere.velocity = DVec3::from_array(end.velocity);
            sphere.volume = matter.volume;
        }
    }

    /// One iteration in the order of memory; nothing has moved after an error.
    fn iterate(&mut self, dt: f64) -> Result<(), SphereSpringError> {
        self.forces(dt);
        self.flows();
        self.advance(dt)
    }

    /// Sums over springs, and the force on each sphere.
    fn forces(&mut self, dt: f64) {
        let Scratch {
            ends,
            matter,
            forces,
            blocks,
            ..
        } = &mut self.scratch;
        let (ends, matter, config) = (&ends[..], &matter[..], &self.config);
        let (ordering, external, plates) = (&self.ordering, &self.external, &self.plates);
        let (anchors, anchor_starts, frames) = (&self.anchors, &self.anchor_starts, &self.frames);
        each_block(config.threads, blocks, forces, |number, block, forces| {
            let first = number * BLOCK;
            block.sums.fill(SpringSums::default());
            Level::detect().run(AddRows {
                rows: &ordering.rows[number],
                ends,
                config,
                first,
                sums: &mut block.sums,
                units: &mut block.units,
            });
            for (own, (sums, out)) in block.sums.iter_mut().zip(forces).enumerate() {
                let place = first + own;
                let (end, mass) = (&ends[place], matter[place].mass);
                let position = DVec3::from_array(end.position);
                let velocity = DVec3::from_array(end.velocity);
                let sphere = ordering.sphere_at[place] as usize;
                let mut force = external[sphere] + DVec3::from_array(sums.force);
                force += (config.gravity - velocity * config.drag) * mass;
                for anchor in piece(anchor_starts, anchors, sphere) {
                    if let Some((before, now)) = frames.get(anchor.frame as usize) {
                        let target = *now * anchor.point;
                        let speed = (target - *before * anchor.point) / dt;
                        force += (target - position) * anchor.stiffness
                            + (speed - velocity) * anchor.damping;
                    }
                }
                for plate in plates {
                    let height = (position - plate.point).dot(plate.normal) - end.radius;
                    if height < 0.0 {
                        force -= plate.normal * (plate.stiffness * height);
                    }
                }
                sums.force = force.to_array();
                let [x, y, z] = sums.force.map(|x| x as f32);
                *out = [x, y, z, 0.0];
            }
        });
    }

    /// What each sphere gives away and to whom, and what it gets.
    fn flows(&mut self) {
        let Scratch {
            ends,
            matter,
            forces,
            gains,
            blocks,
            ..
        } = &mut self.scratch;
        let (forces, matter, config, ordering) =
            (&forces[..], &matter[..], &self.config, &self.ordering);
        each_block(config.threads, blocks, gains, |number, block, gains| {
            let first = number * BLOCK;
            gains.fill(0.0);
            block.receivers.fill(Receiver::NONE);
            if config.transfer > 0.0 && block.sums.iter().any(|sums| sums.overlap > 0.0) {
                Level::detect().run(FindReceivers {
                    rows: &ordering.rows[number],
                    units: &block.units,
                    forces,
                    first,
                    receivers: &mut block.receivers,
                });
            }
            let each = block.sums.iter().zip(&block.receivers).enumerate();
            for ((own, (sums, receiver)), outflow) in each.zip(&mut block.outflow) {
                // Each of the two spheres of a lens emits half of it.
                let emits = receiver.place != u32::MAX;
                let amount = if emits {
                    0.5 * config.transfer * sums.overlap
                } else {
                    0.0
                };
                let out = amount + sums.given;
                let most = MOST_GIVEN * matter[first + own].volume;
                *outflow = Outflow {
                    amount,
                    scale: if out > most { most / out } else { 1.0 },
                };
            }
        });
        // In order, so that sums do not depend on threads.
        let mut is_scaled = false;
        for block in &*blocks {
            for (outflow, receiver) in block.outflow.iter().zip(&block.receivers) {
                if let Some(gain) = gains.get_mut(receiver.place as usize) {
                    *gain += outflow.amount * outflow.scale;
                }
                is_scaled |= outflow.scale < 1.0;
            }
        }
        if is_scaled {
            scale_flows(ordering, ends, config.rest_exchange, blocks);
        }
    }

    /// Moves every sphere, and its volume.
    fn advance(&mut self, dt: f64) -> Result<(), SphereSpringError> {
        let Scratch {
            ends,
            next,
            matter,
            next_volumes,
            gains,
            blocks,
            ..
        } = &mut self.scratch;
        let (ends_now, matter_now, gains) = (&ends[..], &matter[..], &gains[..]);
        let states = blocks.iter_mut().zip(next_volumes.chunks_mut(BLOCK));
        let mut states: Vec<_> = states.collect();
        each_block(
            self.config.threads,
            &mut states,
            next,
            |number, state, next| {
                let (block, volumes) = state;
                let first = number * BLOCK;
                block.diverged = None;
                let each = block
                    .sums
                    .iter()
                    .zip(&block.outflow)
                    .zip(volumes.iter_mut());
                for (own, ((sums, outflow), volume)) in each.enumerate() {
                    let place = first + own;
                    let change = gains[place] - outflow.amount * outflow.scale - sums.net;
                    *volume = matter_now[place].volume + change;
                }
                Level::detect().run(Radii {
                    volumes,
                    radii: &mut block.radii,
                });
                let each = block.sums.iter().zip(&block.radii);
                let out = next.iter_mut().zip(volumes.iter());
                for (own, ((sums, radius), (next, volume))) in each.zip(out).enumerate() {
                    let place = first + own;
                    let (end, matter) = (&ends_now[place], &matter_now[place]);
                    let share = dt / matter.mass;
                    for axis in 0..3 {
                        next.velocity[axis] = end.velocity[axis] + sums.force[axis] * share;
                        next.position[axis] = end.position[axis] + next.velocity[axis] * dt;
                    }
                    next.radius = *radius;
                    next.excess = *volume - matter.rest_volume;
                    // Not finite where any term is not.
                    let sum: f64 = next
                        .position
                        .iter()
                        .chain(&next.velocity)
                        .map(|x| x * 0.0)
                        .sum();
                    if !(sum + *volume).is_finite() && block.diverged.is_none() {
                        block.diverged = Some(place as u32);
                    }
                }
            },
        );
        if let Some(place) = blocks.iter().find_map(|block| block.diverged) {
            let sphere = self.ordering.sphere_at[place as usize] as usize;
            return Err(SphereSpringError::Diverged { sphere });
        }
        std::mem::swap(ends, next);
        for (matter, volume) in matter.iter_mut().zip(next_volumes) {
            matter.volume = *volume;
        }
        Ok(())
    }
}

/// Sums the flows towards rest again, where some spheres may not give all that they should: the giver's
/// scale counts on both sides.
fn scale_flows(
    ordering: &Ordering,
    ends: &[SpringEnd],
    rest_exchange: f64,
    blocks: &mut [BlockState],
) {
    let scale = |blocks: &[BlockState], place: u32| {
        let place = place as usize;
        blocks[place / BLOCK].outflow[place % BLOCK].scale
    };
    for sums in blocks.iter_mut().flat_map(|block| &mut block.sums) {
        sums.net = 0.0;
    }
    for (number, rows) in ordering.rows.iter().enumerate() {
        for row in rows {
            for k in 0..row.count {
                let (a, b) = (row.a[k], row.b[k]);
                let flow = flow(row, k, ends, rest_exchange);
                let flow = flow * scale(blocks, if flow > 0.0 { a } else { b });
                let sums = &mut blocks[number].sums;
                sums[a as usize % BLOCK].net += flow;
                if row.is_inner {
                    sums[b as usize % BLOCK].net -= flow;
                }
            }
        }
    }
}

/// The items that belong to a sphere.
fn piece<'a, T>(starts: &[u32], items: &'a [T], index: usize) -> &'a [T] {
    match (starts.get(index), starts.get(index + 1)) {
        (Some(&from), Some(&to)) => items.get(from as usize..to as usize).unwrap_or(&[]),
        _ => &[],
    }
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

/// Works on every block and its part of `items`.
fn each_block<B: Send, T: Send>(
    threads: Threads,
    blocks: &mut [B],
    items: &mut [T],
    f: impl Fn(usize, &mut B, &mut [T]) + Sync,
) {
    #[cfg(feature = "parallel")]
    if threads == Threads::All && blocks.len() > 1 {
        use rayon::prelude::*;
        let parts = blocks.par_iter_mut().zip(items.par_chunks_mut(BLOCK));
        let numbered = parts.enumerate();
        numbered.for_each(|(number, (block, items))| f(number, block, items));
        return;
    }
    let _ = threads;
    for (number, (block, items)) in blocks.iter_mut().zip(items.chunks_mut(BLOCK)).enumerate() {
        f(number, block, items);
    }
}
