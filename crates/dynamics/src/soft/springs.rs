//! Distance and volume constraints in the order in which they are solved.
//!
//! Distances stand by blocks of particles that fit the cache, and within a block by colours: no two of a colour share a particle, so the
//! processor works on several at once. The order is that of one thread, so there is one result.

use impinge::DVec3;

use super::body::Constraint;

/// A particle during a substep: one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Particle {
    /// Where it is before the substep.
    pub(super) start: DVec3,
    /// 0 for what does not move.
    pub(super) inverse_mass: f64,
    /// How far it moves. Sums of small numbers keep their digits, and momentum with them.
    pub(super) shift: DVec3,
}

impl Particle {
    pub(super) fn end(&self) -> DVec3 {
        self.start + self.shift
    }
}

/// Particles of a block.
const BLOCK: u32 = 256;
/// Colours; what finds none free is solved one by one.
const COLOURS: u32 = 63;
/// Distances solved at once.
const LANES: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Distance {
    ends: [u32; 2],
    rest: f64,
    compliance: f64,
    /// Compliance over the square of the substep.
    soft: f64,
    /// 1 over the response of the particles with it; 0 where nothing can move.
    inverse: f64,
}

#[derive(Clone, Copy, Debug)]
struct Volume {
    corners: [u32; 4],
    rest: f64,
    compliance: f64,
    multiplier: f64,
}

/// Distances one after the other that share no particles, or that may.
#[derive(Clone, Copy, Debug)]
struct Run {
    to: usize,
    is_apart: bool,
}

/// The constraints of a body.
#[derive(Clone, Debug, Default)]
pub(super) struct Springs {
    distances: Vec<Distance>,
    multipliers: Vec<f64>,
    runs: Vec<Run>,
    volumes: Vec<Volume>,
    /// The substep that `soft` and `inverse` belong to.
    prepared: Option<f64>,
}

impl Springs {
    pub(super) fn new(constraints: &[Constraint], particles: usize) -> Self {
        let (mut distances, mut volumes) = (Vec::new(), Vec::new());
        for constraint in constraints {
            match *constraint {
                Constraint::Distance {
                    ends,
                    rest,
                    compliance,
                } => distances.push(Distance {
                    ends,
                    rest,
                    compliance,
                    soft: 0.0,
                    inverse: 0.0,
                }),
                Constraint::Volume {
                    corners,
                    rest,
                    compliance,
                } => volumes.push(Volume {
                    corners,
                    rest,
                    compliance,
                    multiplier: 0.0,
                }),
            }
        }
        let (order, runs) = coloured(&distances, particles);
        Self {
            multipliers: vec![0.0; distances.len()],
            distances: order.iter().map(|&i| distances[i]).collect(),
            runs,
            volumes,
            prepared: None,
        }
    }

    /// Masses have changed.
    pub(super) fn forget(&mut self) {
        self.prepared = None;
    }

    /// Begins a substep of `h` seconds.
    pub(super) fn begin(&mut self, h: f64, particles: &[Particle]) {
        self.multipliers.fill(0.0);
        for volume in &mut self.volumes {
            volume.multiplier = 0.0;
        }
        if self.prepared == Some(h) {
            return;
        }
        self.prepared = Some(h);
        let weight = |i: u32| particles[i as usize].inverse_mass;
        for d in &mut self.distances {
            d.soft = d.compliance / (h * h);
            let response = weight(d.ends[0]) + weight(d.ends[1]);
            let total = response + d.soft;
            d.inverse = if response > 0.0 { 1.0 / total } else { 0.0 };
        }
    }

    /// One sweep over all constraints.
    pub(super) fn sweep(&mut self, h: f64, particles: &mut [Particle]) {
        for volume in &mut self.volumes {
            project_volume(volume, h, particles);
        }
        let mut from = 0;
        for run in &self.runs {
            let distances = &self.distances[from..run.to];
            let multipliers = &mut self.multipliers[from..run.to];
            from = run.to;
            let mut whole = 0;
            if run.is_apart {
                let chunks = distances.chunks_exact(LANES);
                for (d, m) in chunks.zip(multipliers.chunks_exact_mut(LANES)) {
                    project_distances::<LANES>(d, m, particles);
                    whole += LANES;
                }
            }
            for k in whole..distances.len() {
                project_distances::<1>(&distances[k..=k], &mut multipliers[k..=k], particles);
            }
        }
    }
}

/// The distances by block, colour and number, and the runs of one colour.
fn coloured(distances: &[Distance], particles: usize) -> (Vec<usize>, Vec<Run>) {
    let block_of = |d: &Distance| d.ends[0].min(d.ends[1]) / BLOCK;
    let mut by_block: Vec<usize> = (0..distances.len()).collect();
    by_block.sort_by_key(|&i| block_of(&distances[i]));
    // The colours taken at a particle, in the block that came last to it.
    let mut taken = vec![(u32::MAX, 0_u64); particles];
    let mut keys = Vec::with_capacity(distances.len());
    for i in by_block {
        let d = &distances[i];
        let block = block_of(d);
        let mut used = 0;
        for end in d.ends {
            let own = &mut taken[end as usize];
            if own.0 != block {
                *own = (block, 0);
            }
            used |= own.1;
        }
        let colour = used.trailing_ones().min(COLOURS);
        if colour < COLOURS {
            for end in d.ends {
                taken[end as usize].1 |= 1 << colour;
            }
        }
        keys.push((block, colour, i));
    }
    keys.sort_unstable();
    let mut runs: Vec<Run> = Vec::new();
    let mut to = 0;
    for same in keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        to += same.len();
        runs.push(Run {
            to,
            is_apart: same.first().is_some_and(|key| key.1 < COLOURS),
        });
    }
    (keys.into_iter().map(|(_, _, i)| i).collect(), runs)
}

/// Moves the ends of `N` distances, no two of which share one, towards their lengths at rest.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "lanes are numbered")]
fn project_distances<const N: usize>(
    distances: &[Distance],
    multipliers: &mut [f64],
    particles: &mut [Particle],
) {
    let mut along = [DVec3::ZERO; N];
    let (mut weights, mut length) = ([[0.0; N]; 2], [0.0; N]);
    for k in 0..N {
        let [a, b] = distances[k].ends.map(|i| &particles[i as usize]);
        along[k] = (a.start - b.start) + (a.shift - b.shift);
        length[k] = along[k].length_squared();
        weights[0][k] = a.inverse_mass;
        weights[1][k] = b.inverse_mass;
    }
    let mut scale = [0.0; N];
    for k in 0..N {
        length[k] = length[k].sqrt();
    }
    for k in 0..N {
        let d = &distances[k];
        let value = (length[k] - d.rest) + d.soft * multipliers[k];
        // Ends that coincide have no direction.
        let change = if length[k] > 0.0 {
            -value * d.inverse
        } else {
            0.0
        };
        multipliers[k] += change;
        scale[k] = change;
    }
    for k in 0..N {
        scale[k] /= length[k].max(f64::MIN_POSITIVE);
    }
    for k in 0..N {
        let [i, j] = distances[k].ends;
        particles[i as usize].shift += along[k] * (scale[k] * weights[0][k]);
        particles[j as usize].shift -= along[k] * (scale[k] * weights[1][k]);
    }
}

/// Moves the corners of a tetrahedron towards its volume at rest.
fn project_volume(volume: &mut Volume, h: f64, particles: &mut [Particle]) {
    let [a, b, c, d] = volume.corners.map(|i| particles[i as usize]);
    let edge = |q: &Particle| (q.start - a.start) + (q.shift - a.shift);
    let [p, q, r] = [edge(&b), edge(&c), edge(&d)];
    let [gb, gc, gd] = [q.cross(r), r.cross(p), p.cross(q)].map(|g| g / 6.0);
    let gradients = [-(gb + gc + gd), gb, gc, gd];
    let mut response = 0.0;
    for (i, gradient) in volume.corners.into_iter().zip(gradients) {
        response += particles[i as usize].inverse_mass * gradient.length_squared();
    }
    let soft = volume.compliance / (h * h);
    if response + soft <= 0.0 {
        return;
    }
    let value = p.dot(gb) - volume.rest;
    let change = -(value + soft * volume.multiplier) / (response + soft);
    volume.multiplier += change;
    for (i, gradient) in volume.corners.into_iter().zip(gradients) {
        let own = &mut particles[i as usize];
        own.shift += gradient * (own.inverse_mass * change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_shares_no_particle() {
        // A grid with diagonals, and a hub with more spokes than there are colours.
        let mut constraints = Vec::new();
        let mut join = |i: u32, j: u32| {
            constraints.push(Constraint::Distance {
                ends: [i, j],
                rest: 1.0,
                compliance: 0.0,
            });
        };
        for i in 0..1000 {
            for step in [1, 2, 30, 31, 60] {
                join(i, i + step);
            }
        }
        for i in 0..200 {
            join(1100, i);
        }
        let springs = Springs::new(&constraints, 1101);
        let mut from = 0;
        let mut apart = 0;
        for run in &springs.runs {
            let distances = &springs.distances[from..run.to];
            from = run.to;
            if run.is_apart {
                let mut ends: Vec<u32> = distances.iter().flat_map(|d| d.ends).collect();
                ends.sort_unstable();
                assert!(ends.windows(2).all(|two| two[0] != two[1]));
                apart += distances.len();
            }
        }
        assert_eq!(from, constraints.len());
        assert!(apart > 5000, "{apart}");
    }
}
