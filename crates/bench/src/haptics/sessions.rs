//! Energy at the hand over whole sessions: limits, watchdog and controller, over a servo loop that skips ticks, with late poses and faults.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use impinge::math::Rng;
use impinge::{DVec3, Pose};
use impinge_dynamics::device::{DeviceSpecification, DeviceState};
use impinge_dynamics::session::{
    ControllerKind, CustomRenderer, CustomStep, HapticSession, Renderer, SessionConfig,
};
use impinge_dynamics::stability::{DEFAULT_MAX_ACCELERATION, DEFAULT_RESERVE};
use impinge_dynamics::{SECOND_NS, Wrench};
use impinge_testkit::hands::{BadTick, RandomHand};

use crate::parallel_cases::in_blocks;
use crate::{Bar, Bars};

/// Ticks that are skipped at once at most.
const MOST_SKIPPED: u32 = 2;

/// Metres of a hand that are a radian, where it turns.
const LEVER: f64 = 0.1;

/// After the soft start.
const BEGUN_NS: u64 = 3 * SECOND_NS;

/// A wall elsewhere, whose force arrives over a line: along y, or as a torque about it.
struct DistantWall {
    newtons: Arc<AtomicU64>,
    turns: bool,
}

impl CustomRenderer for DistantWall {
    fn render(&mut self, pose: &Pose, _: u64) -> CustomStep {
        let push = DVec3::Y * f64::from_bits(self.newtons.load(Ordering::Relaxed));
        let [force, torque] = if self.turns {
            [DVec3::ZERO, push * LEVER]
        } else {
            [push, DVec3::ZERO]
        };
        CustomStep {
            wanted: Wrench { force, torque },
            proxy: *pose,
            contacts: 0,
            crossed: false,
        }
    }
}

/// What cases come to.
#[derive(Default)]
struct Sum {
    lowest: f64,
    rough: f64,
    calm: u64,
    unstable: u64,
    failed: Option<String>,
}

fn place(turns: bool, y: f64) -> anyhow::Result<Pose> {
    Ok(if turns {
        Pose::from_axis_angle(DVec3::Y, y / LEVER, DVec3::ZERO)?
    } else {
        Pose::from_translation([0.0, y, 0.0])?
    })
}

/// The force of a tick.
fn tick(
    session: &mut HapticSession<'_>,
    newtons: &AtomicU64,
    turns: bool,
    tick: &BadTick,
) -> anyhow::Result<f64> {
    newtons.store(tick.wall.to_bits(), Ordering::Relaxed);
    let now_ns = BEGUN_NS + tick.time_ns;
    let measured_ns = BEGUN_NS + tick.measured_ns;
    let mut state = DeviceState::at_rest(measured_ns, place(turns, tick.position)?);
    if !tick.is_finite {
        state.linear_velocity.x = f64::NAN;
    }
    let done = if tick.is_answered {
        session.tick(&state, now_ns, now_ns - tick.late_ns)
    } else {
        session.tick_without_state(now_ns, now_ns)
    };
    Ok(if turns {
        done.wrench.torque.y / LEVER
    } else {
        done.wrench.force.y
    })
}

/// The lowest energy of a case, and whether its acceleration stayed within what the controller assumes.
fn case(seed: u64, controller: ControllerKind) -> anyhow::Result<(f64, bool)> {
    let turns = seed.is_multiple_of(2);
    let mut config = SessionConfig::new(DeviceSpecification::virtuose())?;
    config.longest_hold = config.period * f64::from(1 + MOST_SKIPPED);
    config.controller = controller;
    config.allow_active = controller == ControllerKind::Off;
    let newtons = Arc::new(AtomicU64::new(0));
    let wall = DistantWall {
        newtons: Arc::clone(&newtons),
        turns,
    };
    let mut session = HapticSession::new(Renderer::Custom(Box::new(wall)), &config)?;
    let mut rng = Rng::new(seed);
    let mut hand = RandomHand::on_a_line(&mut rng);
    for time_ns in [0, BEGUN_NS - 1_000_000] {
        let rest = DeviceState::at_rest(time_ns, place(turns, 0.01)?);
        session.tick(&rest, time_ns, time_ns);
    }
    let mut failed = None;
    let lowest = hand.hold_badly(600, 10, MOST_SKIPPED, &mut rng, |bad| {
        tick(&mut session, &newtons, turns, bad).unwrap_or_else(|error| {
            failed = Some(error);
            0.0
        })
    });
    match failed {
        Some(error) => Err(error),
        None => Ok((lowest, hand.top_acceleration() <= DEFAULT_MAX_ACCELERATION)),
    }
}

/// Cases that a thread takes at a time.
const BLOCK: u64 = 500;

pub(super) fn run(is_full: bool, threads: u64, bars: &mut Bars) -> anyhow::Result<()> {
    let cases: u64 = if is_full { 200_000 } else { 2000 };
    println!(
        "whole sessions over {cases} of these, every other one in rotation: up to {MOST_SKIPPED} ticks skipped at once, every twentieth pose late; in four of five a silent device, a NaN, a device that does not answer, or a late tick"
    );
    for (name, controller) in [
        ("none", ControllerKind::Off),
        ("damper", ControllerKind::Damper),
        ("tank", ControllerKind::Tank),
    ] {
        let parts = in_blocks(cases.div_ceil(BLOCK), threads, |own: &mut Sum, block| {
            let first = block * BLOCK;
            for seed in first..(first + BLOCK).min(cases) {
                match case(seed, controller) {
                    Ok((lowest, is_calm)) => {
                        own.unstable += u64::from(lowest < -DEFAULT_RESERVE);
                        own.calm += u64::from(is_calm);
                        let all = if is_calm {
                            &mut own.lowest
                        } else {
                            &mut own.rough
                        };
                        *all = all.min(lowest);
                    }
                    Err(error) => own.failed = Some(error.to_string()),
                }
            }
        });
        let mut all = Sum::default();
        for part in parts {
            let part = part.ok_or_else(|| anyhow::anyhow!("a thread of the sessions failed"))?;
            if let Some(error) = part.failed {
                anyhow::bail!(error);
            }
            all.lowest = all.lowest.min(part.lowest);
            all.rough = all.rough.min(part.rough);
            all.calm += part.calm;
            all.unstable += part.unstable;
        }
        println!(
            "  {name}: lowest {:.3} mJ in {} cases within {DEFAULT_MAX_ACCELERATION} m/s²; below −5 mJ in {}; {} faster ones are not judged, as the bound assumes no more, lowest {:.3} mJ",
            all.lowest * 1e3,
            all.calm,
            all.unstable,
            cases - all.calm,
            all.rough * 1e3
        );
        if controller != ControllerKind::Off {
            bars.say(
                Bar::at_least(all.lowest, -DEFAULT_RESERVE - 1e-9),
                format_args!(
                    "energy over a session with the {name}, skipped ticks and faults never below −5 mJ ({:.3} mJ)",
                    all.lowest * 1e3
                ),
            );
        }
    }
    Ok(())
}
