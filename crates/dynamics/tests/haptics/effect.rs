//! Effects against their closed forms.

use impinge::DVec3;
use impinge::math::Rng;
use impinge_dynamics::effect::{
    Effect, EffectInput, HeightMap, Magnet, StickSlip, Texture, TextureError, Vibration, Viscosity,
};

fn at(position: DVec3, velocity: DVec3, time: f64) -> EffectInput {
    EffectInput {
        position,
        velocity,
        time,
    }
}

/// The size of one frequency in samples of a second, by its Fourier sum.
fn amplitude(samples: &[f64], cycles: f64) -> f64 {
    let n = samples.len() as f64;
    let (mut cosine, mut sine) = (0.0, 0.0);
    for (i, value) in samples.iter().enumerate() {
        let phase = std::f64::consts::TAU * cycles * i as f64 / n;
        cosine += value * phase.cos();
        sine += value * phase.sin();
    }
    2.0 * (cosine * cosine + sine * sine).sqrt() / n
}

/// The frequency with the largest amplitude.
fn peak(samples: &[f64]) -> (u32, f64) {
    let all = (1..samples.len() as u32 / 2).map(|f| (f, amplitude(samples, f64::from(f))));
    all.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
}

#[test]
fn viscosity_dissipates_the_square_of_the_speed() {
    let (damping, speed, step) = (3.0, 0.4, 1e-3);
    let mut viscosity = Viscosity::new(damping).unwrap();
    let mut lost = 0.0;
    for n in 0..1000 {
        let velocity = DVec3::new(0.0, 0.0, speed);
        let force = viscosity.force(&at(velocity * (n as f64 * step), velocity, 0.0));
        lost -= force.dot(velocity) * step;
    }
    assert!((lost - damping * speed * speed).abs() < 1e-12);
}

#[test]
fn leaving_a_magnet_costs_half_of_force_times_reach() {
    let (stiffness, most, reach) = (800.0, 4.0, 0.03);
    let center = DVec3::new(0.1, 0.2, 0.3);
    let mut magnet = Magnet::new(center, stiffness, most, reach).unwrap();
    let direction = Rng::new(3).direction();
    let n = 30_000;
    let step = 1.2 * reach / f64::from(n);
    let mut work = 0.0;
    for i in 0..n {
        let distance = (f64::from(i) + 0.5) * step;
        let force = magnet.force(&at(center + direction * distance, DVec3::ZERO, 0.0));
        assert!(force.length() <= most * (1.0 + 1e-12));
        assert!(force.dot(direction) <= 0.0);
        work -= force.dot(direction) * step;
    }
    assert!((work - most * reach / 2.0).abs() < 1e-6, "{work}");
    assert!(Magnet::new(center, stiffness, most, 0.001).is_err());
}

#[test]
fn a_vibration_has_its_frequency_and_amplitude() {
    let mut vibration = Vibration::new([0.0, 0.0, 2.0], 1.5, 137.0).unwrap();
    let samples: Vec<f64> = (0..1000)
        .map(|ms| {
            let force =
                vibration.force(&at(DVec3::ZERO, DVec3::ZERO, 7200.0 + f64::from(ms) * 1e-3));
            assert_eq!((force.x, force.y), (0.0, 0.0));
            force.z
        })
        .collect();
    let (frequency, size) = peak(&samples);
    assert_eq!(frequency, 137);
    assert!((size - 1.5).abs() < 1e-6, "{size}");
}

#[test]
fn stick_slip_lets_go_at_its_frequency() {
    let (stiffness, most, speed) = (1000.0, 2.0, 0.1);
    let mut stick = StickSlip::new(stiffness, most).unwrap();
    // uk/F is 50 Hz; sampled finely so that letting go late does not count.
    let (step, seconds) = (1e-5, 2.0);
    let mut slips = 0;
    let mut before = 0.0;
    for n in 0..(seconds / step) as u32 {
        let place = DVec3::X * (speed * f64::from(n) * step);
        let force = stick.force(&at(place, DVec3::X * speed, 0.0)).length();
        assert!(force <= most);
        slips += u32::from(force < before);
        before = force;
    }
    let expected = speed * stiffness / most * seconds;
    assert!(
        (f64::from(slips) - expected).abs() <= 1.5,
        "{slips} beside {expected}"
    );
}

#[test]
fn a_sine_texture_gives_its_spatial_frequency_and_no_more_than_its_slope() {
    // Ten waves of 20 mm in 200 mm, 0.5 mm high.
    let (columns, spacing) = (2000, 1e-4);
    let wave = |i: usize| {
        let x = i as f64 * spacing;
        5e-4 * (std::f64::consts::TAU * x / 0.02).sin()
    };
    let heights: Vec<f64> = (0..2 * columns).map(|i| wave(i % columns)).collect();
    let map = HeightMap::from_heights(columns, 2, spacing, &heights).unwrap();
    let steepest = 5e-4 * std::f64::consts::TAU / 0.02;
    assert!((map.max_slope() - steepest).abs() < 1e-3 * steepest);
    let max_slope = map.max_slope();
    let texture = Texture::new(map, [0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]).unwrap();
    let push = DVec3::Y * 3.0;
    let samples: Vec<f64> = (0..1000)
        .map(|i| {
            let point = DVec3::new(f64::from(i) * 2e-4, 0.0, 0.0123);
            let force = texture.apply(point, push);
            assert!((force - push).length() <= 3.0 * max_slope * (1.0 + 1e-12));
            assert_eq!((force.y, force.z), (3.0, 0.0));
            force.x
        })
        .collect();
    let (waves, size) = peak(&samples);
    assert_eq!(waves, 10);
    assert!((size - 3.0 * steepest).abs() < 1e-2 * size, "{size}");
}

#[test]
fn random_textures_keep_their_bound_and_repeat() {
    let mut rng = Rng::new(8);
    let heights: Vec<f64> = (0..35).map(|_| rng.range(0.0, 1e-3)).collect();
    let map = HeightMap::from_heights(7, 5, 1e-3, &heights).unwrap();
    for _ in 0..2000 {
        let (u, v) = (rng.range(-0.1, 0.1), rng.range(-0.1, 0.1));
        let [a, b] = map.slope(u, v);
        assert!(a.hypot(b) <= map.max_slope() * (1.0 + 1e-12));
        let [c, d] = map.slope(u + 0.007, v - 0.005);
        assert!((a - c).abs() < 1e-9 && (b - d).abs() < 1e-9);
    }
}

#[test]
fn bad_effects_are_refused() {
    assert!(Viscosity::new(-1.0).is_err());
    assert!(Vibration::new([0.0; 3], 1.0, 10.0).is_err());
    assert!(StickSlip::new(0.0, 1.0).is_err());
    let short = HeightMap::from_heights(3, 3, 1.0, &[0.0; 8]);
    assert!(matches!(short, Err(TextureError::Size { found: 8, .. })));
    let broken = HeightMap::from_heights(2, 2, 1.0, &[0.0, f64::NAN, 0.0, 0.0]);
    assert_eq!(broken, Err(TextureError::NotFinite { index: 1 }));
    let down = HeightMap::from_normals(2, 2, 1.0, &[[0.0, 0.0, -1.0]; 4]);
    assert_eq!(down, Err(TextureError::NormalNotUp { index: 0 }));
    let flat = HeightMap::from_heights(2, 2, 1.0, &[0.0; 4]).unwrap();
    let parallel = Texture::new(flat, [0.0; 3], [1.0, 0.0, 0.0], [-2.0, 0.0, 0.0]);
    assert_eq!(parallel, Err(TextureError::NoFrame));
}
