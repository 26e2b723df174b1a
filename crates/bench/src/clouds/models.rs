//! Surfaces with known distance, and random samples of them.

use std::f64::consts::TAU;

use impinge::DVec3;
use impinge::math::Rng;

/// A surface that can be sampled evenly.
pub(super) struct SampledModel {
    pub(super) name: &'static str,
    /// A random point of it.
    pub(super) draw: fn(&mut Rng) -> DVec3,
    /// A unit normal at a point of it.
    pub(super) normal: fn(DVec3) -> DVec3,
    /// How far a place is from it, about; exact near it.
    pub(super) distance: fn(DVec3) -> f64,
    /// Its area.
    pub(super) area: f64,
    /// Whether a point of it is at least this far from any border.
    pub(super) is_inner: fn(DVec3, f64) -> bool,
}

pub(super) const MODELS: [SampledModel; 6] = [
    SampledModel {
        name: "ball",
        draw: |rng| rng.direction(),
        normal: |p| p.normalize(),
        distance: |p| (p.length() - 1.0).abs(),
        area: 2.0 * TAU,
        is_inner: |_, _| true,
    },
    SampledModel {
        name: "torus",
        draw: |rng| loop {
            let (a, b) = (rng.range(0.0, TAU), rng.range(0.0, TAU));
            let r = 1.0 + 0.4 * b.cos();
            // Outer parts have more area.
            if rng.range(0.0, 1.4) <= r {
                break DVec3::new(r * a.cos(), r * a.sin(), 0.4 * b.sin());
            }
        },
        normal: |p| {
            let ring = DVec3::new(p.x, p.y, 0.0).normalize_or_zero();
            (p - ring).normalize()
        },
        distance: |p| {
            let ring = DVec3::new(p.x, p.y, 0.0).normalize_or_zero();
            ((p - ring).length() - 0.4).abs()
        },
        area: TAU * TAU * 0.4,
        is_inner: |_, _| true,
    },
    SampledModel {
        name: "ellipsoid",
        draw: |rng| loop {
            let d = rng.direction();
            let p = d * ELLIPSOID;
            // The area element relative to the sphere's is |d / axes| up to a factor.
            if rng.unit() * 2.0 <= (d / ELLIPSOID).length() {
                break p;
            }
        },
        normal: |p| (p / (ELLIPSOID * ELLIPSOID)).normalize(),
        distance: |p| {
            let value = (p / ELLIPSOID).length();
            let slope = (p / (ELLIPSOID * ELLIPSOID)).length() / value.max(1e-12);
            ((value - 1.0) / slope.max(1e-12)).abs()
        },
        area: 7.83,
        is_inner: |_, _| true,
    },
    SampledModel {
        name: "wave",
        draw: |rng| loop {
            let (x, y) = (rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
            let slope = wave_slope(x, y);
            if rng.unit() * 1.5 <= (1.0 + slope.0 * slope.0 + slope.1 * slope.1).sqrt() {
                break DVec3::new(x, y, wave(x, y));
            }
        },
        normal: |p| {
            let (dx, dy) = wave_slope(p.x, p.y);
            DVec3::new(-dx, -dy, 1.0).normalize()
        },
        distance: |p| {
            let (dx, dy) = wave_slope(p.x, p.y);
            (p.z - wave(p.x, p.y)).abs() / (1.0 + dx * dx + dy * dy).sqrt()
        },
        area: 4.7,
        is_inner: |p, rim| p.x.abs() < 1.0 - rim && p.y.abs() < 1.0 - rim,
    },
    SampledModel {
        name: "cylinder",
        draw: |rng| {
            let a = rng.range(0.0, TAU);
            DVec3::new(0.5 * a.cos(), 0.5 * a.sin(), rng.range(-1.0, 1.0))
        },
        normal: |p| DVec3::new(p.x, p.y, 0.0).normalize(),
        distance: |p| ((p.x * p.x + p.y * p.y).sqrt() - 0.5).abs(),
        area: TAU,
        is_inner: |p, rim| p.z.abs() < 1.0 - rim,
    },
    SampledModel {
        // Twice as many points per length on one half as on the other.
        name: "two densities",
        draw: |rng| loop {
            let d = rng.direction();
            if d.z > 0.0 || rng.unit() < 0.25 {
                break d;
            }
        },
        normal: |p| p.normalize(),
        distance: |p| (p.length() - 1.0).abs(),
        area: 2.0 * TAU,
        is_inner: |_, _| true,
    },
];

/// Two sheets that are near each other beside their size, where straight distances mix them.
pub(super) const SHEETS: SampledModel = SampledModel {
    name: "two sheets",
    draw: |rng| {
        let side = if rng.unit() < 0.5 { -1.0 } else { 1.0 };
        DVec3::new(
            rng.range(-1.0, 1.0),
            rng.range(-1.0, 1.0),
            side * SHEETS_APART / 2.0,
        )
    },
    normal: |_| DVec3::Z,
    distance: |p| {
        let (x, y) = ((p.x.abs() - 1.0).max(0.0), (p.y.abs() - 1.0).max(0.0));
        DVec3::new(x, y, p.z.abs() - SHEETS_APART / 2.0).length()
    },
    area: 8.0,
    is_inner: |p, rim| p.x.abs() < 1.0 - rim && p.y.abs() < 1.0 - rim,
};

/// About five spacings of ten thousand points.
const SHEETS_APART: f64 = 0.14;

const ELLIPSOID: DVec3 = DVec3::new(1.0, 0.8, 0.6);

fn wave(x: f64, y: f64) -> f64 {
    0.2 * (3.0 * x).sin() * (2.0 * y).cos()
}

fn wave_slope(x: f64, y: f64) -> (f64, f64) {
    (
        0.6 * (3.0 * x).cos() * (2.0 * y).cos(),
        -0.4 * (3.0 * x).sin() * (2.0 * y).sin(),
    )
}

impl SampledModel {
    /// The side of a square that holds one of `n` points.
    pub(super) fn spacing(&self, n: usize) -> f64 {
        (self.area / n as f64).sqrt()
    }

    /// Points moved along the normal by Gaussian noise.
    pub(super) fn noisy(&self, n: usize, noise: f64, rng: &mut Rng) -> Vec<DVec3> {
        (0..n)
            .map(|_| {
                let p = (self.draw)(rng);
                p + (self.normal)(p) * (noise * gaussian(rng))
            })
            .collect()
    }
}

/// A number of mean 0 and variance 1.
pub(super) fn gaussian(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
    radius * (TAU * rng.unit()).cos()
}
