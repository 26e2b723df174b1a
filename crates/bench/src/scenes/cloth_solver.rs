//! A small solver for cloth: particles, lengths that are kept, particles that keep apart.
//!
//! Position-based dynamics: every step moves particles by their velocities and then corrects places, one constraint after the other,
//! in a fixed order, so that equal input gives equal bytes. Particles that no edge joins keep a distance of most of an edge; as long
//! as edges are not stretched much, no two triangles can then cross. That is a hope, not a proof: frames are verified by whoever records them.

use std::collections::BTreeSet;

use impinge::DVec3;

use super::cloth_mesh::edges;
use super::obstacle::Obstacle;

/// How cloth behaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClothSettings {
    pub(super) gravity: DVec3,
    /// Steps in a frame.
    pub(super) steps: usize,
    /// Rounds over all constraints in a step.
    pub(super) rounds: usize,
    /// Particles keep this apart; 0 lets them pass through each other.
    pub(super) apart: f64,
    /// Distance to obstacles.
    pub(super) clear: f64,
    /// How much of a bend is undone in a round.
    pub(super) stiffness: f64,
    /// How much of sliding along obstacles is undone.
    pub(super) friction: f64,
    /// How much of its velocity a particle loses in a second, as a rate.
    pub(super) loss: f64,
}

/// Cloth in motion.
#[derive(Clone, Debug)]
pub(super) struct ClothState {
    pub(super) places: Vec<DVec3>,
    velocities: Vec<DVec3>,
    /// Whether a particle is held.
    pub(super) held: Vec<bool>,
    edges: Vec<(u32, u32, f64)>,
    bends: Vec<(u32, u32, f64)>,
    /// Both orders of each edge.
    joined: BTreeSet<(u32, u32)>,
    near: Vec<(u32, u32)>,
}

impl ClothState {
    /// Cloth at rest where its points are.
    pub(super) fn new(points: &[DVec3], faces: &[[u32; 3]]) -> Self {
        let length = |u: u32, v: u32| points[u as usize].distance(points[v as usize]);
        let mut lengths = Vec::new();
        let mut bends = Vec::new();
        let mut joined = BTreeSet::new();
        for ((u, v), across) in edges(faces) {
            lengths.push((u, v, length(u, v)));
            joined.extend([(u, v), (v, u)]);
            if let &[a, b] = across.as_slice() {
                bends.push((a, b, length(a, b)));
            }
        }
        Self {
            places: points.to_vec(),
            velocities: vec![DVec3::ZERO; points.len()],
            held: vec![false; points.len()],
            edges: lengths,
            bends,
            joined,
            near: Vec::new(),
        }
    }

    /// Puts a particle somewhere, at rest.
    pub(super) fn stop_at(&mut self, particle: usize, place: DVec3) {
        self.places[particle] = place;
        self.velocities[particle] = DVec3::ZERO;
    }

    /// One frame of `seconds`; obstacles and held particles at each part of it.
    pub(super) fn frame(
        &mut self,
        seconds: f64,
        settings: &ClothSettings,
        obstacles: &dyn Fn(f64) -> Vec<Obstacle>,
        hold: &dyn Fn(usize, f64) -> DVec3,
    ) {
        let dt = seconds / settings.steps as f64;
        let fade = (1.0 - settings.loss * dt).max(0.0);
        // No particle may pass another within a step.
        let fastest = if settings.apart > 0.0 {
            0.35 * settings.apart / dt
        } else {
            f64::INFINITY
        };
        let mut before = self.places.clone();
        for step in 0..settings.steps {
            let part = (step + 1) as f64 / settings.steps as f64;
            let solids = obstacles(part);
            before.copy_from_slice(&self.places);
            for (k, (p, v)) in self.places.iter_mut().zip(&mut self.velocities).enumerate() {
                if self.held[k] {
                    *p = hold(k, part);
                    continue;
                }
                *v = (*v + settings.gravity * dt).clamp_length_max(fastest);
                *p += *v * dt;
            }
            if settings.apart > 0.0 && step % 2 == 0 {
                self.find_near(settings.apart * 1.9);
            }
            for _ in 0..settings.rounds {
                self.correct(settings, &solids);
            }
            self.push_out(settings, &solids, &before, dt);
            for (k, v) in self.velocities.iter_mut().enumerate() {
                if !self.held[k] {
                    *v = (self.places[k] - before[k]) * (fade / dt);
                }
            }
        }
    }

    fn correct(&mut self, settings: &ClothSettings, solids: &[Obstacle]) {
        let (places, held) = (&mut self.places, &self.held);
        let mut pull = |u: u32, v: u32, wanted: f64, share: f64| {
            let (u, v) = (u as usize, v as usize);
            let d = places[v] - places[u];
            let length = d.length();
            let (hold_u, hold_v) = (held[u], held[v]);
            if length < 1e-12 || (hold_u && hold_v) {
                return;
            }
            let move_by = d * (share * (length - wanted) / length);
            match (hold_u, hold_v) {
                (false, false) => {
                    places[u] += move_by * 0.5;
                    places[v] -= move_by * 0.5;
                }
                (true, _) => places[v] -= move_by,
                _ => places[u] += move_by,
            }
        };
        for &(u, v, rest) in &self.bends {
            pull(u, v, rest, settings.stiffness);
        }
        for &(u, v, rest) in &self.edges {
            pull(u, v, rest, 1.0);
        }
        let apart_sq = settings.apart * settings.apart;
        for &(u, v) in &self.near {
            let d = self.places[v as usize] - self.places[u as usize];
            if d.length_squared() < apart_sq {
                let (hold_u, hold_v) = (self.held[u as usize], self.held[v as usize]);
                let length = d.length().max(1e-12);
                let by = d * ((settings.apart - length) / length);
                match (hold_u, hold_v) {
                    (false, false) => {
                        self.places[u as usize] -= by * 0.5;
                        self.places[v as usize] += by * 0.5;
                    }
                    (true, false) => self.places[v as usize] += by,
                    (false, true) => self.places[u as usize] -= by,
                    (true, true) => {}
                }
            }
        }
        for (p, &held) in self.places.iter_mut().zip(&self.held) {
            if held {
                continue;
            }
            for solid in solids {
                if let Some(push) = solid.push(*p, settings.clear) {
                    *p = push.to;
                }
            }
        }
    }

    /// Out of the obstacles for good, with friction.
    fn push_out(
        &mut self,
        settings: &ClothSettings,
        solids: &[Obstacle],
        before: &[DVec3],
        dt: f64,
    ) {
        for (k, p) in self.places.iter_mut().enumerate() {
            if self.held[k] {
                continue;
            }
            for solid in solids {
                // Particles that lie on the surface feel it too.
                let Some(push) = solid.push(*p, settings.clear * 1.02) else {
                    continue;
                };
                let slid = *p - before[k] - push.velocity * dt;
                let along = slid - push.normal * slid.dot(push.normal);
                *p -= along * settings.friction;
                if let Some(push) = solid.push(*p, settings.clear) {
                    *p = push.to;
                }
            }
        }
    }

    /// Lists particles that are close to each other and not joined.
    fn find_near(&mut self, reach: f64) {
        let count = self.places.len();
        let buckets = (2 * count).next_power_of_two();
        let cell = |p: DVec3| (p / reach).floor().to_array().map(|x| x as i64);
        let bucket = |[x, y, z]: [i64; 3]| {
            let hash = x.wrapping_mul(73_856_093)
                ^ y.wrapping_mul(19_349_663)
                ^ z.wrapping_mul(83_492_791);
            hash as usize & (buckets - 1)
        };
        let cells: Vec<[i64; 3]> = self.places.iter().map(|&p| cell(p)).collect();
        let mut starts = vec![0_u32; buckets + 1];
        for &c in &cells {
            starts[bucket(c) + 1] += 1;
        }
        for k in 0..buckets {
            starts[k + 1] += starts[k];
        }
        let mut next = starts.clone();
        let mut order = vec![0_u32; count];
        for (k, &c) in (0..).zip(&cells) {
            let slot = &mut next[bucket(c)];
            order[*slot as usize] = k;
            *slot += 1;
        }
        self.near.clear();
        for (u, &[x, y, z]) in (0_u32..).zip(&cells) {
            for dx in -1..=1 {
                for dy in -1..=1 {
                    for dz in -1..=1 {
                        let other = [x + dx, y + dy, z + dz];
                        let b = bucket(other);
                        for &v in &order[starts[b] as usize..starts[b + 1] as usize] {
                            if v <= u || cells[v as usize] != other {
                                continue;
                            }
                            let d =
                                self.places[u as usize].distance_squared(self.places[v as usize]);
                            if d < reach * reach && !self.joined.contains(&(u, v)) {
                                self.near.push((u, v));
                            }
                        }
                    }
                }
            }
        }
    }
}
