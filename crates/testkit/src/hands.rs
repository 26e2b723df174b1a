//! Random hands that press a device against random walls, for controllers that have to keep them passive.

use std::f64::consts::TAU;

use impinge::DVec3;
use impinge::math::Rng;

/// Seconds between two forces of the device.
pub const TICK: f64 = 1e-3;
/// No device puts out more, in newtons.
pub const MOST_FORCE: f64 = 10.0;

/// The same in nanoseconds.
const TICK_NS: u64 = 1_000_000;
/// How high above the wall hands begin.
const START: f64 = 0.01;

/// A tick of a servo loop that does not always run, with a device that does not always answer.
#[derive(Clone, Copy, Debug)]
pub struct BadTick {
    /// When it runs.
    pub time_ns: u64,
    /// How late that is.
    pub late_ns: u64,
    /// The newest position of the device that is known.
    pub position: f64,
    /// When that was measured.
    pub measured_ns: u64,
    /// The force of the wall, in newtons.
    pub wall: f64,
    /// Whether the device reports numbers.
    pub is_finite: bool,
    /// Whether the device answers.
    pub is_answered: bool,
}

/// A line on which forces come late, by a time that varies, or not at all.
#[derive(Clone, Debug)]
struct ForceLine {
    delay: usize,
    jitter: usize,
    loss: f64,
    /// Forces on their way, and the one that arrived last.
    slots: [f64; 32],
}

impl ForceLine {
    fn random(rng: &mut Rng) -> Self {
        Self {
            delay: rng.below(21) as usize,
            jitter: 1 + rng.below(3) as usize,
            loss: rng.range(0.0, 0.1),
            slots: [0.0; 32],
        }
    }

    /// Sends a force and returns the one that arrives.
    fn pass(&mut self, tick: usize, force: f64, rng: &mut Rng) -> f64 {
        let arrives = tick + self.delay + rng.below(self.jitter as u64) as usize;
        if rng.range(0.0, 1.0) >= self.loss {
            self.slots[arrives % self.slots.len()] = force;
        }
        self.slots[tick % self.slots.len()]
    }
}

/// A hand that moves a device up and down through a spring and a damper, above a springy wall.
///
/// ```
/// use impinge::{DVec3, math::Rng};
/// use impinge_testkit::hands::RandomHand;
/// let mut rng = Rng::new(1);
/// let mut hand = RandomHand::at_the_wall(&mut rng);
/// let mut pressed = 0.0_f64;
/// hand.hold(2000, 20, &mut rng, |_, wall| {
///     pressed = pressed.max(wall.y);
///     wall
/// });
/// assert!(pressed > 0.0 && hand.top_acceleration() > 0.0);
/// ```
#[derive(Clone, Debug)]
pub struct RandomHand {
    mass: f64,
    stiffness: f64,
    damping: f64,
    wall: f64,
    line: Option<ForceLine>,
    frequency: f64,
    depth: f64,
    top_acceleration: f64,
}

impl RandomHand {
    /// A light device at a wall whose force comes at once.
    #[must_use]
    pub fn at_the_wall(rng: &mut Rng) -> Self {
        Self::random(rng, [[0.1, 0.4], [0.2, 4.0], [500.0, 4000.0]], |_| None)
    }

    /// Any device, at a wall behind a line with delay, jitter and loss.
    #[must_use]
    pub fn on_a_line(rng: &mut Rng) -> Self {
        Self::random(rng, [[0.05, 5.0], [0.0, 30.0], [100.0, 10_000.0]], |rng| {
            Some(ForceLine::random(rng))
        })
    }

    fn random(
        rng: &mut Rng,
        [mass, damping, wall]: [[f64; 2]; 3],
        line: impl FnOnce(&mut Rng) -> Option<ForceLine>,
    ) -> Self {
        let [mass, stiffness, damping, wall] =
            [mass, [20.0, 300.0], damping, wall].map(|[low, high]| rng.range(low, high));
        Self {
            mass,
            stiffness,
            damping,
            wall,
            line: line(rng),
            frequency: rng.range(0.3, 3.0),
            depth: rng.range(0.005, 0.04),
            top_acceleration: 0.0,
        }
    }

    /// Moves the device for so many ticks, each of so many substeps. `control` gets how far the tool moved since the last call
    /// and the force of the wall, and returns the force that the device renders.
    pub fn hold(
        &mut self,
        ticks: u32,
        substeps: u32,
        rng: &mut Rng,
        mut control: impl FnMut(DVec3, DVec3) -> DVec3,
    ) {
        let (mut x, mut v) = (START, 0.0_f64);
        let mut before = x;
        let h = TICK / f64::from(substeps);
        for tick in 0..ticks {
            let moved = x - before;
            before = x;
            let rendered = (self.wall * (-x).max(0.0)).min(MOST_FORCE);
            let wall = match &mut self.line {
                Some(line) => line.pass(tick as usize, rendered, rng),
                None => rendered,
            };
            let force = control(DVec3::Y * moved, DVec3::Y * wall).y;
            for substep in 0..substeps {
                let time = f64::from(tick) * TICK + f64::from(substep) * h;
                let phase = TAU * self.frequency * time;
                let target = START - self.depth * (1.0 - phase.cos());
                let spring = force + (target - x) * self.stiffness;
                let acceleration = (spring - v * self.damping) / self.mass;
                self.top_acceleration = self.top_acceleration.max(acceleration.abs());
                v += acceleration * h;
                x += v * h;
            }
        }
    }

    /// The same over a servo loop that skips ticks, up to `most_skipped` at once, and a device whose poses come late now and then; in four of five cases something breaks
    /// as well. `control` is called in each tick that runs, and returns the force that the device holds from then on. Returns the lowest energy that
    /// the hand had put in at any time, in joules.
    pub fn hold_badly(
        &mut self,
        ticks: u32,
        substeps: u32,
        most_skipped: u32,
        rng: &mut Rng,
        mut control: impl FnMut(&BadTick) -> f64,
    ) -> f64 {
        let mut own = Rng::new(rng.next_u64());
        let (fault, breaks) = (own.below(5), 300 + own.below(u64::from(ticks / 2)));
        let (mut energy, mut lowest, mut held) = (0.0_f64, 0.0_f64, 0.0);
        let (mut position, mut skipped, mut tick) = (START, 0, 0_u64);
        let mut measured = (START, 0);
        self.hold(ticks, substeps, rng, |moved, wall| {
            energy -= held * moved.y;
            lowest = lowest.min(energy);
            position += moved.y;
            let (time_ns, is_broken) = (tick * TICK_NS, (breaks..breaks + 30).contains(&tick));
            let breaks_now = tick == breaks;
            tick += 1;
            if skipped < most_skipped && own.below(8) == 0 {
                skipped += 1;
                return DVec3::Y * held;
            }
            skipped = 0;
            let is_silent = fault == 1 && is_broken;
            if !is_silent && own.below(20) > 0 {
                measured = (position, time_ns);
            }
            held = control(&BadTick {
                time_ns,
                late_ns: if fault == 4 && breaks_now {
                    4 * TICK_NS
                } else {
                    0
                },
                position: measured.0,
                measured_ns: measured.1,
                wall: wall.y,
                is_finite: !(fault == 2 && breaks_now),
                is_answered: !(fault == 3 && is_broken),
            });
            DVec3::Y * held
        });
        lowest
    }

    /// The largest acceleration of the device so far, in m/s².
    #[must_use]
    pub fn top_acceleration(&self) -> f64 {
        self.top_acceleration
    }
}
