//! Points on surfaces that are known in closed form, as vectors: the caller makes the cloud.

use std::f64::consts::{PI, TAU};

use impinge::DVec3;
use impinge::math::Rng;

/// Evenly spread points of the unit sphere, by the golden angle.
#[must_use]
pub fn even_sphere(count: usize) -> Vec<DVec3> {
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    (0..count)
        .map(|i| {
            let z = 1.0 - (2.0 * i as f64 + 1.0) / count as f64;
            let r = (1.0 - z * z).sqrt();
            let angle = golden * i as f64;
            DVec3::new(r * angle.cos(), r * angle.sin(), z)
        })
        .collect()
}

/// Random points of the unit sphere.
#[must_use]
pub fn random_sphere(count: usize, seed: u64) -> Vec<DVec3> {
    let mut rng = Rng::new(seed);
    (0..count).map(|_| rng.direction()).collect()
}

/// A ragged scan of the unit sphere: holes, one half seven times as dense as the other, a little noise, and a stray point in fifty.
#[must_use]
pub fn ragged(count: usize, seed: u64) -> Vec<DVec3> {
    let mut rng = Rng::new(seed);
    let mut points = Vec::with_capacity(count);
    while points.len() < count {
        if points.len() % 50 == 49 {
            points.push(rng.cube() * 1.2);
            continue;
        }
        let d = rng.direction();
        let is_hole = (5.0 * d.y.atan2(d.x)).sin() * (6.0 * d.z).cos() > 0.6;
        let is_thin = d.x < 0.0 && rng.unit() > 1.0 / 7.0;
        if !is_hole && !is_thin {
            points.push(d * (1.0 + 0.005 * rng.range(-1.0, 1.0)));
        }
    }
    points
}

/// A torus about the z axis with a tube of radius 0.2 about the unit circle, evenly spread.
#[must_use]
pub fn even_torus(count: usize) -> Vec<DVec3> {
    let minor = 0.2;
    let around = ((count as f64 * minor).sqrt()).round() as usize;
    let along = count / around;
    let mut points = Vec::new();
    for i in 0..along {
        for j in 0..around {
            let a = TAU * (i as f64 + 0.5 * (j % 2) as f64) / along as f64;
            let b = TAU * j as f64 / around as f64;
            let r = 1.0 + minor * b.cos();
            points.push(DVec3::new(r * a.cos(), r * a.sin(), minor * b.sin()));
        }
    }
    points
}

/// Random points of a torus about the z axis, evenly by area, with a tube of this radius about the unit circle.
pub fn random_torus(count: usize, minor: f64, rng: &mut Rng) -> Vec<DVec3> {
    let mut points = Vec::new();
    while points.len() < count {
        let (a, b) = (rng.range(0.0, TAU), rng.range(0.0, TAU));
        let r = 1.0 + minor * b.cos();
        if rng.range(0.0, 1.0 + minor) <= r {
            points.push(DVec3::new(r * a.cos(), r * a.sin(), minor * b.sin()));
        }
    }
    points
}

/// A jittered square grid in the plane z = 0 with spacing 0.05, from −1 to 1.
#[must_use]
pub fn jittered_square(seed: u64) -> Vec<DVec3> {
    let mut rng = Rng::new(seed);
    let mut points = Vec::new();
    for i in -20..=20 {
        for j in -20..=20 {
            let jitter = rng.cube() * 0.01;
            points.push(DVec3::new(
                f64::from(i) * 0.05 + jitter.x,
                f64::from(j) * 0.05 + jitter.y,
                0.0,
            ));
        }
    }
    points
}
