//! Random hands on random walls: the energy at the hand.

use impinge::math::Rng;
use impinge_dynamics::stability::{
    DEFAULT_MAX_ACCELERATION, DEFAULT_MAX_DAMPING, DEFAULT_RESERVE, DamperController,
    PassivityController, PassivityObserver, TankController,
};
use impinge_testkit::hands::{MOST_FORCE, RandomHand, TICK};

use super::sessions;
use crate::parallel_cases::{in_blocks, tell};
use crate::{Bar, Bars};

struct Case {
    worst: f64,
    /// How far the energy stayed above the bound of this case's own acceleration.
    room: f64,
    /// Share of the requested force.
    kept: f64,
    /// Whether the tool stayed within the acceleration that the bounds assume.
    calm: bool,
}

/// Ticks of a case.
const TICKS: u32 = 600;

fn touch(seed: u64, controller: &mut PassivityController) -> Case {
    let mut rng = Rng::new(seed);
    let mut hand = RandomHand::on_a_line(&mut rng);
    let mut observer = PassivityObserver::default();
    let (mut worst, mut asked, mut given) = (0.0_f64, 0.0, 0.0);
    hand.hold(TICKS, 10, &mut rng, |moved, wanted| {
        worst = worst.min(observer.observe(moved));
        let force = controller.control(moved, moved / TICK, wanted);
        let force = force.clamp_length_max(MOST_FORCE);
        controller.hold(force);
        observer.hold(force);
        asked += wanted.y;
        given += force.y.max(0.0).min(wanted.y);
        force
    });
    Case {
        worst,
        room: worst + DEFAULT_RESERVE + overdraft(hand.top_acceleration()),
        kept: if asked > 0.0 { given / asked } else { 1.0 },
        calm: hand.top_acceleration() <= DEFAULT_MAX_ACCELERATION,
    }
}

/// What a tick may give away beyond the reserve, where the tool accelerates faster than the controller assumes: the greatest force over the way that it did not
/// reserve for. Afterwards no force is left until that is paid for.
fn overdraft(top_acceleration: f64) -> f64 {
    MOST_FORCE * (top_acceleration - DEFAULT_MAX_ACCELERATION).max(0.0) * TICK * TICK
}

/// Cases that a thread takes at a time.
const BLOCK: u64 = 1000;

#[derive(Clone, Copy, PartialEq)]
enum Controlled {
    No,
    ByDamper,
    ByTank,
}

impl Controlled {
    fn name(self) -> &'static str {
        match self {
            Self::No => "none",
            Self::ByDamper => "damper",
            Self::ByTank => "tank",
        }
    }

    fn controller(self) -> anyhow::Result<PassivityController> {
        Ok(match self {
            Self::No => PassivityController::Off(PassivityObserver::default()),
            Self::ByDamper => {
                PassivityController::Damper(DamperController::new(TICK, DEFAULT_MAX_DAMPING, 1e-3)?)
            }
            Self::ByTank => PassivityController::Tank(TankController::new(
                TICK,
                DEFAULT_RESERVE,
                DEFAULT_MAX_ACCELERATION,
            )?),
        })
    }
}

/// What cases come to. Sums, extremes and a list that is sorted at the end: the order of the cases does not matter.
#[derive(Clone, Debug, PartialEq)]
struct Energies {
    worst: f64,
    rough: f64,
    room: f64,
    unstable: u64,
    calm: u64,
    kept: Vec<f64>,
}

impl Default for Energies {
    fn default() -> Self {
        Self {
            worst: 0.0,
            rough: 0.0,
            room: f64::INFINITY,
            unstable: 0,
            calm: 0,
            kept: Vec::new(),
        }
    }
}

impl Energies {
    fn add(&mut self, case: &Case) {
        if case.calm {
            self.calm += 1;
            self.worst = self.worst.min(case.worst);
        } else {
            self.rough = self.rough.min(case.worst);
        }
        self.room = self.room.min(case.room);
        self.unstable += u64::from(case.worst < -DEFAULT_RESERVE);
        self.kept.push(case.kept);
    }

    fn join(mut self, other: Self) -> Self {
        self.kept.extend(other.kept);
        Self {
            worst: self.worst.min(other.worst),
            rough: self.rough.min(other.rough),
            room: self.room.min(other.room),
            unstable: self.unstable + other.unstable,
            calm: self.calm + other.calm,
            kept: self.kept,
        }
    }

    /// Of so many cases, by so many threads. Says on stderr how far it is.
    fn of(cases: u64, controlled: Controlled, threads: u64) -> anyhow::Result<Self> {
        let fresh = controlled.controller()?;
        let blocks = cases.div_ceil(BLOCK);
        let before = format!("energy, {}: ", controlled.name());
        let parts = in_blocks(blocks, threads, |own: &mut Self, block| {
            if cases > 10 * BLOCK {
                tell(&before, block, blocks);
            }
            let first = block * BLOCK;
            for seed in first..(first + BLOCK).min(cases) {
                let mut controller = fresh;
                own.add(&touch(seed, &mut controller));
            }
        });
        let mut all = Self::default();
        for part in parts {
            let part =
                part.ok_or_else(|| anyhow::anyhow!("a thread of the energy cases failed"))?;
            all = all.join(part);
        }
        all.kept.sort_by(f64::total_cmp);
        Ok(all)
    }
}

pub(super) fn run(is_full: bool, bars: &mut Bars) -> anyhow::Result<()> {
    let cases: u64 = if is_full { 1_000_000 } else { 4000 };
    println!(
        "energy at the hand over {cases} random cases: 0.05–5 kg, 0–30 N·s/m, walls of 100–10 000 N/m, delay 0–20 ms, jitter, loss up to 10 %; controllers at the device"
    );
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    for controlled in [Controlled::No, Controlled::ByDamper, Controlled::ByTank] {
        let name = controlled.name();
        let Energies {
            worst,
            rough,
            room,
            unstable,
            calm,
            kept,
        } = Energies::of(cases, controlled, threads)?;
        let median = kept.get(kept.len() / 2).copied().unwrap_or(f64::NAN);
        println!(
            "  {name}: lowest {:.3} mJ ({calm} cases within {DEFAULT_MAX_ACCELERATION} m/s²; beyond it {:.3} mJ), below −5 mJ in {unstable}, median {:.0} % of the force kept",
            worst * 1e3,
            rough * 1e3,
            median * 100.0
        );
        if controlled == Controlled::No {
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
            bars.say(
                Bar::at_least(room, -1e-12),
                format_args!(
                    "{} faster cases: energy with the {name} below −5 mJ by no more than one tick of their excess acceleration costs",
                    cases - calm
                ),
            );
        }
    }
    sessions::run(is_full, threads, bars)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_change_no_figure() {
        for controlled in [Controlled::No, Controlled::ByTank] {
            let one = Energies::of(2500, controlled, 1).unwrap();
            assert_eq!(one.kept.len(), 2500);
            assert_eq!(one, Energies::of(2500, controlled, 3).unwrap());
        }
    }
}
