//! Switches the broad phase off and on by measured cost.
//!
//! **Question.** Does the broad phase pay in this scene?
//! **Idea.** With `n` objects, a broad phase of cost `T_s` per step, `p` remaining pairs and `T_p`
//! per test, it pays exactly when `p·T_p + T_s < n(n − 1)/2 · T_p`. Without it all pairs go to the
//! narrow phase, where boxes are compared first. So most of the tests that it saves cost much less
//! than those that remain, and a single `T_p` is not accurate. Both ways are therefore measured:
//! each is tried for a few steps at intervals, and the current one is replaced only if the other is
//! clearly cheaper.
//! **Source.** Zachmann 1994, section 5.1, which has the criterion and no measurement.
//! **Promise.** Events do not depend on it; [`StepStats::near`](super::StepStats::near) does.
//! **Limits.** Tried with up to 4096 pairs only: with more, a broad phase always pays.

use std::fmt;

use super::world::World;
use crate::broad::{
    BodyTable, BroadPhase, BroadWork, Detector, DetectorPhase, FrameCost, key, swap_broad_phase,
};

/// With more pairs of objects than this the broad phase stays on.
const MAX_PAIRS: f64 = 4096.0;
/// Steps of a trial.
const TRIAL: u32 = 8;
/// Steps after a switch that are not measured: pairs that come get their caches then.
const SETTLING: u32 = 2;
/// Steps from one trial to the next.
const BETWEEN: u32 = 512;
/// Another way must cost at most this fraction of the present one.
const CLEARLY: f64 = 0.9;
/// What a new measurement weighs.
const NEWEST: f64 = 0.25;

/// Measures whether the broad phase of a world pays, and switches it off while it does not.
///
/// The library has no clock of its own; it reads the caller's three times in a step.
///
/// ```
/// use impinge::{Pose, convex::Ball, world::{Body, BroadPhaseControl, EventMask, World}};
/// let mut world = World::default();
/// world.interest_mut().set_general(|_, _| EventMask::TOUCHING);
/// let start = std::time::Instant::now();
/// world.set_broad_phase_control(Some(BroadPhaseControl::new(move || start.elapsed().as_secs_f64())));
/// let ball = world.insert(Body::new(Ball::new(1.0)?))?;
/// world.insert(Body::new(Ball::new(1.0)?))?;
/// for k in 0..20 {
///     world.set_pose(ball, Pose::from_translation([0.01 * f64::from(k), 0.0, 0.0])?)?;
///     assert_eq!(world.step().stats.touching, 1);
/// }
/// let cost = world.broad_phase_control().and_then(|control| control.cost()).ok_or("measured")?;
/// assert!(cost.bodies == 2 && cost.surviving_pairs == 1.0 && cost.broad_phase > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BroadPhaseControl {
    now: Box<dyn FnMut() -> f64 + Send>,
    /// The one that is not in use.
    away: Box<dyn BroadPhase>,
    is_on: bool,
    /// What a step cost with the broad phase and without.
    costs: [Option<f64>; 2],
    settling: u32,
    /// Steps that a trial still lasts.
    trial: u32,
    /// Steps since the last trial.
    since: u32,
    started: f64,
    found: f64,
    cost: Option<FrameCost>,
}

impl BroadPhaseControl {
    /// A control with this clock, in any unit. It begins with the broad phase on.
    #[must_use]
    pub fn new(now: impl FnMut() -> f64 + Send + 'static) -> Self {
        Self {
            now: Box::new(now),
            away: Box::new(AllPairs::default()),
            is_on: true,
            costs: [None; 2],
            settling: SETTLING,
            trial: 0,
            since: 0,
            started: 0.0,
            found: 0.0,
            cost: None,
        }
    }

    /// Whether the broad phase is on.
    ///
    /// ```
    /// use impinge::world::BroadPhaseControl;
    /// assert!(BroadPhaseControl::new(|| 0.0).is_on());
    /// ```
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// `T_s`, `T_p` and `p` of the last step with the broad phase on, in the unit of the clock; none before one that tested a pair.
    #[must_use]
    pub fn cost(&self) -> Option<FrameCost> {
        self.cost
    }

    /// A step begins.
    pub(super) fn start(&mut self) {
        self.started = (self.now)();
    }

    /// Its pairs are found.
    pub(super) fn found(&mut self) {
        self.found = (self.now)();
    }

    /// The pairs are tested, so many of so many objects; whether to switch.
    pub(super) fn tested(&mut self, pairs: u64, bodies: u64) -> bool {
        let now = (self.now)();
        let (broad, tests) = (self.found - self.started, now - self.found);
        if self.is_on && pairs > 0 {
            self.cost = Some(FrameCost {
                bodies,
                exact_test: tests / pairs as f64,
                broad_phase: broad,
                surviving_pairs: pairs as f64,
            });
        }
        let n = bodies as f64;
        self.judge(broad + tests, 0.5 * n * (n - 1.0))
    }

    /// Takes the cost of a step into account; whether to switch.
    fn judge(&mut self, cost: f64, all_pairs: f64) -> bool {
        if !self.is_on && all_pairs > MAX_PAIRS {
            self.trial = 0;
            return true;
        }
        if self.settling > 0 {
            self.settling -= 1;
            return false;
        }
        let [own, other] = if self.is_on { [0, 1] } else { [1, 0] };
        let before = self.costs[own].unwrap_or(cost);
        self.costs[own] = Some(before + NEWEST * (cost - before));
        if self.trial > 0 {
            self.trial -= 1;
            // Not better when a cost is no number.
            let is_better = self.costs[own] < self.costs[other].map(|cost| CLEARLY * cost);
            return self.trial == 0 && !is_better;
        }
        self.since += 1;
        let is_due = self.costs[other].is_none() || self.since >= BETWEEN;
        if !is_due || all_pairs > MAX_PAIRS || self.since < TRIAL {
            return false;
        }
        // Measured anew.
        self.costs[other] = None;
        self.since = 0;
        self.trial = TRIAL;
        true
    }

    /// Forgets everything that was measured of a broad phase that is replaced.
    pub(super) fn restart(&mut self) {
        *self = Self {
            now: std::mem::replace(&mut self.now, Box::new(|| 0.0)),
            ..Self::new(|| 0.0)
        };
    }
}

impl fmt::Debug for BroadPhaseControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BroadPhaseControl")
            .field("is_on", &self.is_on)
            .field("cost", &self.cost)
            .finish_non_exhaustive()
    }
}

impl World {
    /// Sets a control that switches the broad phase off and on; without one it is always on. Events
    /// are the same either way.
    pub fn set_broad_phase_control(&mut self, control: Option<BroadPhaseControl>) {
        if self.broad_control.as_ref().is_some_and(|c| !c.is_on) {
            self.switch_broad_phase();
        }
        self.broad_control = control;
    }

    /// What switches the broad phase, if anything does.
    #[must_use]
    pub fn broad_phase_control(&self) -> Option<&BroadPhaseControl> {
        self.broad_control.as_ref()
    }

    pub(super) fn switch_broad_phase(&mut self) {
        let Some(control) = &mut self.broad_control else {
            return;
        };
        if swap_broad_phase(&*self.broad, &mut *control.away).is_err() {
            return;
        }
        std::mem::swap(&mut self.broad, &mut control.away);
        // The one that goes is emptied: it comes back later.
        let ids: Vec<_> = control.away.bodies().ids().collect();
        for id in ids {
            let removed = control.away.remove(id);
            debug_assert!(removed.is_ok(), "{removed:?}");
        }
        control.is_on = !control.is_on;
        control.settling = SETTLING;
    }
}

/// Holds every pair near.
type AllPairs = DetectorPhase<AllPairsDetector>;

#[derive(Debug, Default)]
struct AllPairsDetector {
    slots: Vec<u32>,
}

impl Detector for AllPairsDetector {
    const NAME: &'static str = "all pairs";

    fn entered(&mut self, _: &BodyTable, _: u32) {}
    fn left(&mut self, _: &BodyTable, _: u32) {}

    fn find(&mut self, bodies: &BodyTable, keys: &mut Vec<u64>) -> bool {
        self.slots.clear();
        self.slots.extend(bodies.bounded());
        let mut rest = self.slots.as_slice();
        while let [first, others @ ..] = rest {
            keys.extend(others.iter().map(|&other| key(*first, other)));
            rest = others;
        }
        true
    }

    fn check(&self, _: &BodyTable) -> Result<(), String> {
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.slots.capacity() * 4
    }

    fn work(&self) -> BroadWork {
        BroadWork::default()
    }
}
