//! Random hands on random walls: the energy at the hand.

use impinge::DVec3;
use impinge::math::Rng;
use impinge_dynamics::stability::{
    DEFAULT_MAX_ACCELERATION, DEFAULT_MAX_DAMPING, DEFAULT_RESERVE, DamperController,
    PassivityController, PassivityObserver, TankController,
};

use crate::{Bar, Bars};

const TICK: f64 = 1e-3;
/// Ticks of a case.
const TICKS: u32 = 600;
/// No device puts out more.
const MOST: f64 = 10.0;

struct Case {
    worst: f64,
    /// Share of the force asked for.
    kept: f64,
    /// Whether the tool stayed within the acceleration that the bounds assume.
    calm: bool,
}

fn touch(seed: u64, controller: &mut PassivityController) -> Case {
    let mut rng = Rng::new(seed);
    let mass = rng.range(0.05, 5.0);
    let (hand_k, hand_b) = (rng.range(20.0, 300.0), rng.range(0.0, 30.0));
    let wall = rng.range(100.0, 10_000.0);
    let (delay, jitter) = (rng.below(21) as usize, 1 + rng.below(3) as usize);
    let loss = rng.range(0.0, 0.1);
    let (frequency, depth) = (rng.range(0.3, 3.0), rng.range(0.005, 0.04));
    let mut observer = PassivityObserver::default();
    let (mut x, mut v) = (0.01_f64, 0.0_f64);
    let mut before = x;
    let mut line = [0.0; 32];
    let (mut worst, mut fastest, mut asked, mut given) = (0.0_f64, 0.0_f64, 0.0, 0.0);
    let substeps = 10;
    let h = TICK / f64::from(substeps);
    for tick in 0..TICKS {
        let moved = DVec3::Y * (x - before);
        before = x;
        worst = worst.min(observer.observe(moved));
        let rendered = (wall * (-x).max(0.0)).min(MOST);
        let arrives = tick as usize + delay + rng.below(jitter as u64) as usize;
        if rng.range(0.0, 1.0) >= loss {
            line[arrives % line.len()] = rendered;
        }
        let wanted = DVec3::Y * line[tick as usize % line.len()];
        let force = controller.control(moved, moved / TICK, wanted);
        let force = force.clamp_length_max(MOST);
        controller.hold(force);
        observer.hold(force);
        asked += wanted.y;
        given += force.y.max(0.0).min(wanted.y);
        for substep in 0..substeps {
            let time = f64::from(tick) * TICK + f64::from(substep) * h;
            let phase = std::f64::consts::TAU * frequency * time;
            let target = 0.01 - depth * (1.0 - phase.cos());
            let acceleration = (force.y + (target - x) * hand_k - v * hand_b) / mass;
            fastest = fastest.max(acceleration.abs());
            v += acceleration * h;
            x += v * h;
        }
    }
    Case {
        worst,
        kept: if asked > 0.0 { given / asked } else { 1.0 },
        calm: fastest <= DEFAULT_MAX_ACCELERATION,
    }
}

pub(super) fn run(is_full: bool, bars: &mut Bars) -> anyhow::Result<()> {
    let cases: u64 = if is_full { 1_000_000 } else { 4000 };
    println!(
        "energy at the hand over {cases} random cases: 0.05–5 kg, 0–30 N·s/m, walls of 100–10 000 N/m, delay 0–20 ms, jitter, loss up to 10 %; controllers at the device"
    );
    for name in ["none", "damper", "tank"] {
        let (mut worst, mut rough, mut unstable, mut calm) = (0.0_f64, 0.0_f64, 0, 0);
        let mut kept = Vec::new();
        for seed in 0..cases {
            let mut controller = match name {
                "none" => PassivityController::Off(PassivityObserver::default()),
                "damper" => PassivityController::Damper(DamperController::new(
                    TICK,
                    DEFAULT_MAX_DAMPING,
                    1e-3,
                )?),
                _ => PassivityController::Tank(TankController::new(
                    TICK,
                    DEFAULT_RESERVE,
                    DEFAULT_MAX_ACCELERATION,
                )?),
            };
            let case = touch(seed, &mut controller);
            if case.calm {
                calm += 1;
                worst = worst.min(case.worst);
            } else {
                rough = rough.min(case.worst);
            }
            unstable += u64::from(case.worst < -DEFAULT_RESERVE);
            kept.push(case.kept);
        }
        kept.sort_by(f64::total_cmp);
        let median = kept.get(kept.len() / 2).copied().unwrap_or(f64::NAN);
        println!(
            "  {name}: lowest {:.3} mJ ({calm} cases within {DEFAULT_MAX_ACCELERATION} m/s²; beyond it {:.3} mJ), below −5 mJ in {unstable}, median {:.0} % of the force kept",
            worst * 1e3,
            rough * 1e3,
            median * 100.0
        );
        if name == "none" {
            println!(
                "  without a controller {:.1} % would have given energy away",
                unstable as f64 / cases as f64 * 100.0
            );
        } else {
            bars.say(
                Bar::at_least(worst, -DEFAULT_RESERVE - 1e-12),
                format_args!(
                    "energy with the {name} never below −5 mJ ({:.3} mJ)",
                    worst * 1e3
                ),
            );
        }
    }
    Ok(())
}
