//! Springs, a row at a time.
//!
//! The ends of a row are gathered into arrays, one branch-free loop evaluates them, which the compiler
//! vectorises, and forces and flows are added to the spheres lane by lane, in order. Nothing is fused, so
//! all processors give the same bits; and a spring seen from its other end gives the negative ones.

#![expect(clippy::needless_range_loop, reason = "lanes are numbered")]

use std::f64::consts::PI;

use impinge::math::simd::PlainLoops;

use super::body::SphereSpringConfig;
use super::ordering::{BLOCK, ROW, SpringRow};

/// The data of a sphere that springs read: 64 bytes, one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct SpringEnd {
    pub(super) position: [f64; 3],
    pub(super) velocity: [f64; 3],
    pub(super) radius: f64,
    /// Volume beyond that at rest.
    pub(super) excess: f64,
}

/// Sums over the springs at a sphere: 64 bytes, one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct SpringSums {
    pub(super) force: [f64; 3],
    /// The volume of its lenses.
    pub(super) overlap: f64,
    /// Volume that flows out towards rest, less what flows in.
    pub(super) net: f64,
    /// Volume that flows out towards rest.
    pub(super) given: f64,
}

/// Unit vectors of a row, from `b` to `a`, in the precision that is enough to compare directions.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowUnits([[f32; ROW]; 3]);

impl Default for RowUnits {
    fn default() -> Self {
        Self([[0.0; ROW]; 3])
    }
}

/// The neighbour in the direction of the force on a sphere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receiver {
    along: f32,
    pub(super) place: u32,
}

impl Receiver {
    pub(super) const NONE: Self = Self {
        along: 0.0,
        place: u32::MAX,
    };
}

/// What two ends differ in.
#[derive(Default)]
struct Differences {
    position: [[f64; ROW]; 3],
    velocity: [[f64; ROW]; 3],
    radii: [[f64; ROW]; 2],
    excess: [f64; ROW],
}

/// What the springs of a block's rows do to its spheres.
#[derive(Debug)]
pub(super) struct AddRows<'a> {
    pub(super) rows: &'a [SpringRow],
    pub(super) ends: &'a [SpringEnd],
    pub(super) config: &'a SphereSpringConfig,
    /// The first sphere of the block.
    pub(super) first: usize,
    pub(super) sums: &'a mut [SpringSums],
    pub(super) units: &'a mut [RowUnits],
}

impl PlainLoops for AddRows<'_> {
    #[inline(always)]
    fn run(self) {
        for (row, units) in self.rows.iter().zip(self.units) {
            add_row(row, self.ends, self.config, self.first, self.sums, units);
        }
    }
}

/// Adds what the springs of a row do to the spheres of the block that begins at `first`.
#[inline(always)]
fn add_row(
    row: &SpringRow,
    ends: &[SpringEnd],
    config: &SphereSpringConfig,
    first: usize,
    sums: &mut [SpringSums],
    units: &mut RowUnits,
) {
    let mut d = Differences::default();
    for k in 0..ROW {
        let (a, b) = (&ends[row.a[k] as usize], &ends[row.b[k] as usize]);
        for axis in 0..3 {
            d.position[axis][k] = a.position[axis] - b.position[axis];
            d.velocity[axis][k] = a.velocity[axis] - b.velocity[axis];
        }
        d.radii[0][k] = a.radius;
        d.radii[1][k] = b.radius;
        d.excess[k] = a.excess - b.excess;
    }
    let (mut force, mut overlap, mut flow) = ([[0.0; ROW]; 3], [0.0; ROW], [0.0; ROW]);
    let [x, y, z] = &d.position;
    let [u, v, w] = &d.velocity;
    let [r, s] = &d.radii;
    for k in 0..ROW {
        let length = (x[k] * x[k] + y[k] * y[k] + z[k] * z[k]).sqrt();
        // Centres that coincide have no direction; the smallest other force parts them.
        let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
        let unit = [x[k] * inverse, y[k] * inverse, z[k] * inverse];
        let lens = lens(r[k], s[k], length, inverse);
        let parting = u[k] * unit[0] + v[k] * unit[1] + w[k] * unit[2];
        let pull = row.stiffness[k] * (length - row.rest[k]) + row.damping[k] * parting
            - config.volume_stiffness * lens;
        for axis in 0..3 {
            force[axis][k] = unit[axis] * pull;
            units.0[axis][k] = unit[axis] as f32;
        }
        overlap[k] = lens;
        flow[k] = (config.rest_exchange * row.weight[k]) * d.excess[k];
    }
    for k in 0..row.count {
        let a = &mut sums[(row.a[k] as usize - first) % BLOCK];
        for axis in 0..3 {
            a.force[axis] -= force[axis][k];
        }
        a.overlap += overlap[k];
        a.net += flow[k];
        a.given += flow[k].max(0.0);
        if row.is_inner {
            let b = &mut sums[(row.b[k] as usize - first) % BLOCK];
            for axis in 0..3 {
                b.force[axis] += force[axis][k];
            }
            b.overlap += overlap[k];
            b.net -= flow[k];
            b.given += (-flow[k]).max(0.0);
        }
    }
}

/// The neighbours in the direction of forces, along the springs of a block's rows.
#[derive(Debug)]
pub(super) struct FindReceivers<'a> {
    pub(super) rows: &'a [SpringRow],
    pub(super) units: &'a [RowUnits],
    pub(super) forces: &'a [[f32; 4]],
    pub(super) first: usize,
    pub(super) receivers: &'a mut [Receiver],
}

impl PlainLoops for FindReceivers<'_> {
    #[inline(always)]
    fn run(self) {
        for (row, units) in self.rows.iter().zip(self.units) {
            find_receivers(row, units, self.forces, self.first, self.receivers);
        }
    }
}

/// Looks along the springs of a row for the neighbours in the direction of forces.
#[inline(always)]
fn find_receivers(
    row: &SpringRow,
    units: &RowUnits,
    forces: &[[f32; 4]],
    first: usize,
    receivers: &mut [Receiver],
) {
    let mut along = [[0.0_f32; ROW]; 2];
    let [x, y, z] = &units.0;
    for k in 0..ROW {
        let dot = |[u, v, w, _]: [f32; 4]| x[k] * u + y[k] * v + z[k] * w;
        along[0][k] = -dot(forces[row.a[k] as usize]);
        along[1][k] = dot(forces[row.b[k] as usize]);
    }
    for k in 0..row.count {
        let mut look = |own: u32, other: u32, along: f32| {
            let receiver = &mut receivers[(own as usize - first) % BLOCK];
            if along > receiver.along {
                *receiver = Receiver {
                    along,
                    place: other,
                };
            }
        };
        look(row.a[k], row.b[k], along[0][k]);
        if row.is_inner {
            look(row.b[k], row.a[k], along[1][k]);
        }
    }
}

/// What flows towards rest along a spring, from its first end to its second.
pub(super) fn flow(row: &SpringRow, k: usize, ends: &[SpringEnd], rest_exchange: f64) -> f64 {
    let [a, b] = [row.a[k], row.b[k]].map(|end| ends[end as usize].excess);
    (rest_exchange * row.weight[k]) * (a - b)
}

/// The volume that balls of radii `r` and `s` share at a distance, whose inverse is known: a division less than the general function takes, and no branch.
#[inline(always)]
fn lens(r: f64, s: f64, distance: f64, inverse: f64) -> f64 {
    let depth = (r + s) - distance;
    let difference = (r - s).abs();
    let small = if r < s { r } else { s };
    // π(r+s−d)²(d² + 2d(r+s) − 3(r−s)²) / 12d
    let bracket = distance * (distance + 2.0 * (r + s)) - 3.0 * difference * difference;
    let lens = PI / 12.0 * depth * depth * bracket * inverse;
    let whole = 4.0 / 3.0 * PI * small * small * small;
    let some = if distance <= difference { whole } else { lens };
    if depth > 0.0 { some } else { 0.0 }
}

/// The radii of balls of volumes.
#[derive(Debug)]
pub(super) struct Radii<'a> {
    pub(super) volumes: &'a [f64],
    pub(super) radii: &'a mut [f64],
}

impl PlainLoops for Radii<'_> {
    #[inline(always)]
    fn run(self) {
        for (radius, volume) in self.radii.iter_mut().zip(self.volumes) {
            *radius = radius_of(*volume);
        }
    }
}

/// The radius of a ball of a volume.
#[inline(always)]
pub(super) fn radius_of(volume: f64) -> f64 {
    let x = volume * (3.0 / (4.0 * PI));
    // A third of the exponent: within 4 %. The upper half of the bits is enough, and 32 bits times 32 vectorise. Halley's method cubes the
    // error: 3e-5, 2e-14, rounding.
    let third = ((x.to_bits() >> 32) * 0xAAAA_AAAB) >> 33;
    let mut root = f64::from_bits((third << 32) + 0x2A9F_7893_782D_A1CE);
    for _ in 0..3 {
        let cube = root * root * root;
        root *= (cube + 2.0 * x) / (2.0 * cube + x);
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radii_are_those_of_the_cube_root() {
        for exponent in -250..250 {
            for mantissa in [1.0, 1.5, 2.7, 4.4, 7.9] {
                let volume = mantissa * libm::pow(10.0, f64::from(exponent));
                let exact = libm::cbrt(volume * (3.0 / (4.0 * PI)));
                assert!((radius_of(volume) / exact - 1.0).abs() < 1e-15);
            }
        }
    }
}
