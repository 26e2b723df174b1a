//! Passivity observer and controllers, limiters, watchdog, Colgate's condition.

use impinge::math::Rng;
use impinge::{DVec3, Pose};
use impinge_dynamics::device::DeviceSpecification;
use impinge_dynamics::stability::{
    Advice, ColgateError, DEFAULT_MAX_DAMPING, DEFAULT_RESERVE, DamperController, FADE_NS,
    FaultCause, OutputLimiter, PassivityController, PassivityObserver, SlewLimiter, TankController,
    VirtualCoupling, Watchdog, WrenchController,
};
use impinge_dynamics::{MILLISECOND_NS, Wrench};

const TICK: f64 = 1e-3;

fn off() -> PassivityController {
    PassivityController::Off(PassivityObserver::default())
}

/// Presses into a sampled wall of stiffness `k` down to `d` and comes back, at speed `v`, with the damping `b` of the
/// device taken into account; energy by the held force, and by force times velocity of the same instant.
fn press(k: f64, v: f64, d: f64, b: f64) -> (f64, f64) {
    let ticks = (d / (v * TICK)).round() as i32;
    let mut observer = PassivityObserver::default();
    let (mut textbook, mut dissipated) = (0.0, 0.0);
    let mut before = 0.0;
    for n in 1..=2 * ticks {
        let depth = v * TICK * f64::from(if n <= ticks { n } else { 2 * ticks - n });
        let moved = DVec3::Y * (before - depth);
        observer.observe(moved);
        let force = DVec3::Y * (k * depth);
        observer.hold(force);
        textbook -= force.dot(moved);
        dissipated += b * v * v * TICK;
        before = depth;
    }
    (observer.energy() + dissipated, textbook)
}

#[test]
fn a_sampled_wall_leaks_stiffness_times_period_times_speed_times_depth() {
    let (k, v, d) = (1000.0, 0.1, 0.004);
    let (held, textbook) = press(k, v, d, 0.0);
    assert!((held + k * TICK * v * d).abs() < 1e-12, "{held}");
    assert!((held + 4e-4).abs() < 1e-12);
    // The form of the textbooks sees energy where there is none left.
    assert!((textbook - 4e-4).abs() < 1e-12, "{textbook}");
}

#[test]
fn a_damping_of_half_stiffness_times_period_pays_for_the_leak() {
    for (k, v, d) in [
        (1000.0, 0.1, 0.004),
        (5000.0, 0.02, 0.001),
        (300.0, 0.5, 0.02),
    ] {
        let enough = k * TICK / 2.0;
        assert!(press(k, v, d, enough).0.abs() < 1e-9 * k);
        assert!(press(k, v, d, enough * 1.01).0 > 0.0);
        assert!(press(k, v, d, enough * 0.99).0 < 0.0);
    }
}

#[test]
fn a_coupling_is_refused_with_the_number_to_change() {
    let coupling = |k, b_coupling, b| VirtualCoupling::new(k, b_coupling, b, TICK, &off());
    assert!(coupling(1999.0, 0.0, 1.0).is_ok());
    let refused = coupling(2500.0, -0.25, 1.0).unwrap_err();
    let expected = Advice::LowerStiffness(1500.0);
    assert!(
        matches!(refused, ColgateError::NotPassive { advice, needed, .. }
        if advice == expected && (needed - 1.5).abs() < 1e-12)
    );
    assert!(
        refused
            .to_string()
            .contains("lower the stiffness below 1500 N/m")
    );
    // What it advises is accepted.
    assert!(coupling(1499.9, -0.25, 1.0).is_ok());
    let refused = coupling(10.0, 1.5, 1.0).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("lower the damping below 1 N·s/m")
    );
    let refused = coupling(10.0, 0.0, 0.0).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("switch a passivity controller on")
    );
    let tank = PassivityController::Tank(TankController::new(TICK, 1e-3, 400.0).unwrap());
    assert!(VirtualCoupling::new(9999.0, 0.0, 0.0, TICK, &tank).is_ok());
    assert!(VirtualCoupling::new(f64::NAN, 0.0, 1.0, TICK, &tank).is_err());
}

struct Case {
    worst: f64,
    kept: f64,
}

/// A random hand against a random wall for two seconds; the lowest energy and the share of the force that was left.
fn touch(rng: &mut Rng, controller: &mut PassivityController) -> Case {
    let mass = rng.range(0.1, 0.4);
    let (hand_k, hand_b) = (rng.range(20.0, 300.0), rng.range(0.2, 4.0));
    let wall = rng.range(500.0, 4000.0);
    let (frequency, depth) = (rng.range(0.3, 3.0), rng.range(0.005, 0.04));
    let mut observer = PassivityObserver::default();
    let (mut x, mut v) = (DVec3::Y * 0.01, DVec3::ZERO);
    let mut before = x;
    let (mut worst, mut asked, mut given) = (0.0_f64, 0.0, 0.0);
    let substeps = 20;
    let h = TICK / f64::from(substeps);
    for tick in 0..2000 {
        let moved = x - before;
        before = x;
        worst = worst.min(observer.observe(moved));
        let wanted = DVec3::Y * (wall * (-x.y).max(0.0)).min(10.0);
        let force = controller.control(moved, moved / TICK, wanted);
        // No device puts out more than this.
        let force = force.clamp_length_max(10.0);
        controller.hold(force);
        observer.hold(force);
        if wanted.y > 0.0 {
            asked += wanted.y;
            given += force.y;
        }
        for substep in 0..substeps {
            let time = f64::from(tick) * TICK + f64::from(substep) * h;
            let phase = std::f64::consts::TAU * frequency * time;
            let target = DVec3::Y * (0.01 - depth * (1.0 - phase.cos()));
            v += (force + (target - x) * hand_k - v * hand_b) / mass * h;
            x += v * h;
        }
    }
    assert_eq!(controller.energy(), observer.energy());
    let kept = if asked > 0.0 { given / asked } else { 1.0 };
    Case { worst, kept }
}

fn cases(make: impl Fn() -> PassivityController) -> (f64, Vec<f64>) {
    let mut rng = Rng::new(60);
    let mut kept = Vec::new();
    let mut worst = 0.0_f64;
    for _ in 0..300 {
        let case = touch(&mut rng, &mut make());
        worst = worst.min(case.worst);
        kept.push(case.kept);
    }
    kept.sort_by(f64::total_cmp);
    (worst, kept)
}

#[test]
fn without_a_controller_walls_give_energy_away() {
    let (worst, _) = cases(off);
    assert!(worst < -0.05, "{worst}");
}

#[test]
fn the_damper_keeps_nearly_all_energy_and_force() {
    let damper = |most| DamperController::new(TICK, most, 1e-3).unwrap();
    let (worst, kept) = cases(|| PassivityController::Damper(damper(DEFAULT_MAX_DAMPING)));
    assert!(worst > -5e-3, "{worst}");
    assert!(kept[kept.len() / 2] > 0.9, "{}", kept[kept.len() / 2]);
    // Without its cap the damper is a wall of its own.
    let (uncapped, _) = cases(|| PassivityController::Damper(damper(1e9)));
    assert!(uncapped < worst, "{uncapped} beside {worst}");
}

#[test]
fn the_tank_never_gives_more_than_its_charge() {
    let charge = 2e-3;
    let tank = || PassivityController::Tank(TankController::new(TICK, charge, 400.0).unwrap());
    let (worst, kept) = cases(tank);
    assert!(worst >= -charge - 1e-12, "{worst}");
    assert!(kept[kept.len() / 2] > 0.2, "{}", kept[kept.len() / 2]);
}

/// A random hand on a random wall over a line with delay, jitter and loss; the controller sits at the device. The lowest energy, and whether
/// the tool stayed within the acceleration that the bound assumes.
fn delayed(rng: &mut Rng, controller: &mut PassivityController) -> (f64, bool) {
    let mass = rng.range(0.05, 5.0);
    let (hand_k, hand_b) = (rng.range(20.0, 300.0), rng.range(0.0, 30.0));
    let wall = rng.range(100.0, 10_000.0);
    let (delay, jitter) = (rng.below(21) as usize, 1 + rng.below(3) as usize);
    let loss = rng.range(0.0, 0.1);
    let (frequency, depth) = (rng.range(0.3, 3.0), rng.range(0.005, 0.04));
    let mut observer = PassivityObserver::default();
    let (mut x, mut v) = (DVec3::Y * 0.01, DVec3::ZERO);
    let mut before = x;
    // Forces on their way, and the one that arrived last.
    let mut line = vec![DVec3::ZERO; delay + jitter + 1];
    let (mut worst, mut fastest) = (0.0_f64, 0.0_f64);
    let substeps = 10;
    let h = TICK / f64::from(substeps);
    for tick in 0..1000 {
        let moved = x - before;
        before = x;
        worst = worst.min(observer.observe(moved));
        let rendered = DVec3::Y * (wall * (-x.y).max(0.0)).min(10.0);
        let slot = (tick as usize + delay + rng.below(jitter as u64) as usize) % line.len();
        if rng.range(0.0, 1.0) >= loss {
            line[slot] = rendered;
        }
        let arrived = line[tick as usize % line.len()];
        let force = controller.control(moved, moved / TICK, arrived);
        let force = force.clamp_length_max(10.0);
        controller.hold(force);
        observer.hold(force);
        for substep in 0..substeps {
            let time = f64::from(tick) * TICK + f64::from(substep) * h;
            let phase = std::f64::consts::TAU * frequency * time;
            let target = DVec3::Y * (0.01 - depth * (1.0 - phase.cos()));
            let acceleration = (force + (target - x) * hand_k - v * hand_b) / mass;
            fastest = fastest.max(acceleration.length());
            v += acceleration * h;
            x += v * h;
        }
    }
    (worst, fastest <= 400.0)
}

#[test]
fn delay_jitter_and_loss_do_not_break_the_bounds() {
    let reserve = DEFAULT_RESERVE;
    let damper = || DamperController::new(TICK, DEFAULT_MAX_DAMPING, 1e-3).unwrap();
    let tank = || TankController::new(TICK, reserve, 400.0).unwrap();
    let (mut unstable, mut calm_cases) = (0, 0);
    for seed in 0..1500 {
        let mut within = true;
        for make in 0..3 {
            let mut controller = match make {
                0 => off(),
                1 => PassivityController::Damper(damper()),
                _ => PassivityController::Tank(tank()),
            };
            let (worst, calm) = delayed(&mut Rng::new(seed), &mut controller);
            within &= calm;
            match make {
                0 => unstable += u32::from(worst < -reserve),
                _ => assert!(!calm || worst >= -reserve - 1e-12, "case {seed}: {worst}"),
            }
        }
        calm_cases += u32::from(within);
    }
    assert!(
        calm_cases > 1350,
        "{calm_cases} of 1500 within the stated acceleration"
    );
    assert!(
        unstable > 300,
        "{unstable} of 1500 would have given energy away"
    );
}

#[test]
fn translation_and_rotation_are_controlled_apart() {
    let tank = || PassivityController::Tank(TankController::new(TICK, 1e-3, 400.0).unwrap());
    let mut controller = WrenchController::new(tank(), off(), TICK).unwrap();
    let torque = DVec3::Z * 0.5;
    let wrench = Wrench {
        force: DVec3::X * 100.0,
        torque,
    };
    let mut pose = Pose::IDENTITY;
    for n in 0..100 {
        let out = controller.control(&pose, wrench);
        assert!(out.force.length() < 100.0);
        assert_eq!(out.torque, torque);
        // Turns with the torque by 1 mrad a tick.
        pose = Pose::from_axis_angle([0.0, 0.0, 1.0], f64::from(n + 1) * 1e-3, [0.0; 3]).unwrap();
    }
    controller.control(&pose, wrench);
    assert!((controller.rotation_energy() + 0.5 * 0.1).abs() < 1e-9);
    assert_eq!(controller.energy(), 0.0);
}

#[test]
fn limits_keep_size_rate_and_direction() {
    let falcon = DeviceSpecification::falcon();
    let rate = 500.0;
    let mut limiter = OutputLimiter::new(&falcon, rate, 10.0).unwrap();
    // Switched on under full force: limp.
    let push = Wrench::from_force(DVec3::new(30.0, 40.0, 0.0));
    for _ in 0..100 {
        assert_eq!(limiter.limit(push, TICK).0, Wrench::ZERO);
    }
    // Below 0.2 N once, then two seconds of rise.
    let quiet = Wrench::from_force(DVec3::X * 0.1);
    assert_eq!(limiter.limit(quiet, TICK).0, Wrench::ZERO);
    let mut before = DVec3::ZERO;
    let mut rng = Rng::new(4);
    for n in 1..=3000 {
        let (out, saturation) = limiter.limit(push, TICK);
        let force = out.force;
        assert!(force.length() <= 10.0 + 1e-12);
        assert!((force - before).length() <= rate * TICK + 1e-12);
        assert!(force.cross(push.force).length() < 1e-9);
        let gain = f64::from(n) * TICK / 2.0;
        assert!(force.length() <= 50.0 * gain + 1e-12);
        if (gain - 0.2).abs() > 1e-9 {
            assert_eq!(saturation.force, 50.0 * gain.min(1.0) > 10.0);
        }
        before = force;
    }
    assert!((before - DVec3::new(6.0, 8.0, 0.0)).length() < 1e-9);
    for _ in 0..1000 {
        let (out, _) = limiter.limit(Wrench::from_force(rng.cube() * 30.0), TICK);
        assert!((out.force - before).length() <= rate * TICK + 1e-12);
        before = out.force;
    }
    assert!(SlewLimiter::new(0.0).is_err());
    assert!(OutputLimiter::new(&falcon, f64::NAN, 1.0).is_err());
}

#[test]
fn each_fault_fades_the_force_and_is_latched_with_its_cause() {
    let push = Wrench {
        force: DVec3::new(1.0, 2.0, 3.0),
        torque: DVec3::Z,
    };
    let ms = MILLISECOND_NS;
    let broken = Wrench::from_force(DVec3::X * f64::NAN);
    let faults = [
        // A pose 5 ms old is taken, one older is not.
        (
            107 * ms,
            107 * ms,
            102 * ms - 1,
            push,
            FaultCause::NoPose { age_ns: 5 * ms + 1 },
        ),
        (
            107 * ms,
            104 * ms - 1,
            107 * ms,
            push,
            FaultCause::LateTick {
                late_ns: 3 * ms + 1,
            },
        ),
        (107 * ms, 107 * ms, 107 * ms, broken, FaultCause::NotFinite),
    ];
    for (now, due, pose, wrench, cause) in faults {
        let mut watchdog = Watchdog::default();
        assert_eq!(watchdog.guard(100 * ms, 97 * ms, 95 * ms, push), push);
        assert_eq!(watchdog.fault(), None);
        assert_eq!(watchdog.guard(now, due, pose, wrench), push);
        let fault = watchdog.fault().unwrap();
        assert_eq!((fault.cause, fault.time_ns), (cause, now));
        for tick in 1..40 {
            let later = now + tick * ms;
            // All is well again, and still the force fades.
            let out = watchdog.guard(later, later, later, push * 2.0);
            let share = (1.0 - (tick * ms) as f64 / FADE_NS as f64).max(0.0);
            assert!((out.force - push.force * share).length() < 1e-12);
            assert!((out.torque - push.torque * share).length() < 1e-12);
        }
        assert_eq!(watchdog.fault(), Some(fault));
        watchdog.reset();
        assert_eq!(watchdog.guard(now, now, now, push), push);
    }
}
