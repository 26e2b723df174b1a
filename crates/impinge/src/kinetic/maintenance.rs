//! Cost rule: when to maintain a tree by events and when to refit it.
//!
//! **Question.** Events cost what happens between two keys, however many frames are drawn;
//! refitting costs the same for each frame. A tree can switch to refitting at any time, and back by
//! computing all certificates again. Which is next?
//! **Idea.** At each key, the cheapest plan over the coming keys is chosen from the estimated
//! events, the frames of the last step, and the switches between. The actual cost is compared with
//! that of refitting all frames, and events are stopped, even in the middle of a frame, when the
//! budget is spent.
//! **Promise.** See [`MaintenanceLedger`]. Everything is counted in values of a refit; no clock is
//! read.

use std::fmt;

/// Keys looked ahead.
pub(super) const HORIZON: usize = 64;
/// The share of what refitting would have cost that may be lost to events.
const SLACK: f64 = 0.25;
/// Builds of all certificates that may be lost.
const GRACE: f64 = 2.0;
/// How much the past weighs at each key when events foreseen are compared with events that came.
const MEMORY: f64 = 0.5;
/// Event estimate is corrected by at most this factor.
const MOST_CORRECTION: f64 = 4.0;

/// How an [`AutoMaintainedTree`](super::AutoMaintainedTree) is maintained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maintenance {
    /// By events, as [`KineticAabbTree`](super::KineticAabbTree).
    Events,
    /// By computing all boxes again, as [`RefitTree`](super::RefitTree).
    Refit,
}

/// Why an [`AutoMaintainedTree`](super::AutoMaintainedTree) is maintained as it is; its `Display`
/// is a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum MaintenanceReason {
    /// No step was made yet.
    NotAsked,
    /// The cheapest courses for the keys to come that begin with events and with refitting were compared.
    Foreseen {
        /// Keys looked ahead.
        keys: usize,
        /// What the course that begins with events costs, in refits.
        by_events: f64,
        /// What the course that begins with refitting costs, in refits.
        by_refit: f64,
    },
    /// This many events came that refitting would have been cheaper so far; they were stopped before the next key.
    Overdrawn,
}

impl fmt::Display for MaintenanceReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotAsked => write!(f, "no step was made yet"),
            Self::Foreseen {
                keys,
                by_events,
                by_refit,
            } => write!(
                f,
                "up to {keys} keys ahead, beginning with events costs as much as {by_events:.1} refits, beginning with refits {by_refit:.1}"
            ),
            Self::Overdrawn => write!(f, "more events came than refitting would have cost"),
        }
    }
}

/// The cost of maintaining an [`AutoMaintainedTree`](super::AutoMaintainedTree) so far, and that of
/// refitting it instead, by counts: in values of a refit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaintenanceCost {
    /// The cost of events, refits, and of building event queues again.
    pub spent: f64,
    /// The cost of refitting every frame instead.
    pub by_refit: f64,
    /// The cost of an event.
    pub event: f64,
}

/// What things cost, in values of a refit.
#[derive(Clone, Copy, Debug)]
pub(super) struct MaintenancePrices {
    pub(super) event: f64,
    /// A frame refitted.
    pub(super) frame: f64,
    /// The places at one more key, when a frame after it is refitted.
    pub(super) key: f64,
    /// All certificates.
    pub(super) build: f64,
}

/// A stretch between two keys that is to come.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComingSegment {
    pub(super) events: f64,
    pub(super) frames: f64,
}

/// The account, and the choice.
///
/// Let `B` be what refitting all frames so far would have cost, and `build` the price of all certificates.
/// - Whatever events come, no more than `1.25 B + 2 build` is ever spent. For an event is paid only if after it there is enough
///   left to refit the frame, and refitting adds as much to `B` as to what is spent.
/// - If events and frames are foreseen rightly, and not farther away than the horizon, the course is the cheapest of all that change ways at keys: it
///   costs no more than events alone, nor than refitting alone. The account does not interfere: a cheapest course never loses more than one build
///   within a stay at events, besides the build that begins it, and every finished stay has paid for itself.
/// - If events are foreseen up to a factor `f` either way, it costs at most `f²` times the cheapest, or what the first promise says.
#[derive(Clone, Copy, Debug)]
pub(super) struct MaintenanceLedger {
    prices: MaintenancePrices,
    upkeep: Maintenance,
    /// What was spent.
    spent: f64,
    /// What refitting all frames would have cost.
    refits: f64,
    /// Events that came and that were foreseen, the latest weighing most.
    came: f64,
    foreseen: f64,
}

impl MaintenanceLedger {
    /// With all certificates computed and paid for.
    pub(super) fn new(prices: MaintenancePrices) -> Self {
        Self {
            prices,
            upkeep: Maintenance::Events,
            spent: 0.0,
            refits: 0.0,
            came: 0.0,
            foreseen: 0.0,
        }
    }

    pub(super) fn maintenance(&self) -> Maintenance {
        self.upkeep
    }

    pub(super) fn cost(&self) -> MaintenanceCost {
        MaintenanceCost {
            spent: self.spent,
            by_refit: self.refits,
            event: self.prices.event,
        }
    }

    /// Takes note of the events that came between two keys.
    pub(super) fn learn(&mut self, came: f64, foreseen: f64) {
        self.came = MEMORY * self.came + came;
        self.foreseen = MEMORY * self.foreseen + foreseen;
    }

    /// By what event estimate is multiplied. Events that cost less than a refit say nothing.
    fn correction(&self) -> f64 {
        let noise = self.prices.frame / self.prices.event;
        let ratio = (self.came + noise) / (self.foreseen + noise);
        ratio.clamp(MOST_CORRECTION.recip(), MOST_CORRECTION)
    }

    /// Chooses at a key for the stretches to come. When it changes to events, all certificates are to be computed.
    pub(super) fn choose(
        &mut self,
        coming: impl DoubleEndedIterator<Item = ComingSegment>,
    ) -> MaintenanceReason {
        let prices = self.prices;
        let correction = self.correction();
        let (mut by_events, mut by_refit) = (0.0_f64, 0.0_f64);
        let mut keys = 0;
        for stretch in coming.rev() {
            keys += 1;
            let events = correction * stretch.events * prices.event;
            let refits = stretch.frames * prices.frame + stretch.frames.min(1.0) * prices.key;
            (by_events, by_refit) = (
                events + by_events.min(by_refit),
                refits + by_refit.min(by_events + prices.build),
            );
        }
        match self.upkeep {
            Maintenance::Events => {
                if by_refit < by_events {
                    self.upkeep = Maintenance::Refit;
                }
            }
            Maintenance::Refit => {
                by_events += prices.build;
                let left = self.left(prices.frame + prices.key);
                if by_events < by_refit && left >= prices.build + prices.frame + prices.key {
                    self.upkeep = Maintenance::Events;
                    self.spent += prices.build;
                }
            }
        }
        MaintenanceReason::Foreseen {
            keys,
            by_events: by_events / prices.frame,
            by_refit: by_refit / prices.frame,
        }
    }

    /// What is left to be spent, were the next frame to cost so much by refitting.
    fn left(&self, frame: f64) -> f64 {
        (1.0 + SLACK) * (self.refits + frame) + GRACE * self.prices.build - self.spent
    }

    /// How many events may come before the next frame.
    pub(super) fn allowance(&self, is_new_key: bool) -> u64 {
        let left = self.left(self.frame(is_new_key)) - self.frame(true);
        (left / self.prices.event).max(0.0) as u64
    }

    fn frame(&self, is_new_key: bool) -> f64 {
        self.prices.frame + if is_new_key { self.prices.key } else { 0.0 }
    }

    /// Books the events before a frame that was reached by them, or was not: then it has to be refitted.
    pub(super) fn book_events(&mut self, events: u64, is_reached: bool, is_new_key: bool) {
        self.spent += events as f64 * self.prices.event;
        self.refits += self.frame(is_new_key);
        if !is_reached {
            self.spent += self.frame(true);
            self.upkeep = Maintenance::Refit;
        }
    }

    /// Books a frame that was refitted.
    pub(super) fn book_refit(&mut self, is_new_key: bool) {
        self.spent += self.frame(is_new_key);
        self.refits += self.frame(is_new_key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rng;

    const PRICES: MaintenancePrices = MaintenancePrices {
        event: 500.0,
        frame: 20_000.0,
        key: 3_000.0,
        build: 900_000.0,
    };

    /// What the rule spends when `came` events come and `foreseen` are foreseen, with this many frames for each key; the account is checked on the way.
    fn spend(prices: MaintenancePrices, came: &[u64], foreseen: &[f64], frames: u64) -> f64 {
        let mut ledger = MaintenanceLedger::new(prices);
        for (k, &events) in came.iter().enumerate() {
            let before = ledger.maintenance();
            let coming = foreseen[k..]
                .iter()
                .take(HORIZON)
                .map(|&events| ComingSegment {
                    events,
                    frames: frames as f64,
                });
            ledger.choose(coming);
            let mut done = 0;
            for frame in 1..=frames {
                match ledger.maintenance() {
                    Maintenance::Events => {
                        let due = events * frame / frames - done;
                        let most = ledger.allowance(frame == 1);
                        ledger.book_events(due.min(most), due <= most, frame == 1);
                        done += due.min(most);
                    }
                    Maintenance::Refit => ledger.book_refit(frame == 1),
                }
                let most = (1.0 + SLACK) * ledger.refits + GRACE * prices.build;
                assert!(ledger.spent <= most * (1.0 + 1e-12), "{before:?}");
            }
            if ledger.maintenance() == Maintenance::Events {
                ledger.learn(events as f64, foreseen[k]);
            }
        }
        ledger.spent
    }

    fn alone(prices: MaintenancePrices, came: &[u64], frames: u64) -> [f64; 2] {
        let events: u64 = came.iter().sum();
        let key = frames as f64 * prices.frame + prices.key;
        [events as f64 * prices.event, came.len() as f64 * key]
    }

    /// Quiet, bursts, steady, alternating and random.
    fn courses(rng: &mut Rng) -> Vec<Vec<u64>> {
        let mut made = vec![
            vec![0; 40],
            vec![5_000; 40],
            (0..40).map(|k| 50_000 * u64::from(k == 7)).collect(),
            (0..40).map(|k| 9_000 * (k % 2)).collect(),
            (0..40).map(|k| 3_000 * (k / 8 % 2)).collect(),
        ];
        for _ in 0..200 {
            let most = 1 << rng.below(18);
            let jump = |rng: &mut Rng| rng.below(most) * rng.below(3);
            made.push((0..40).map(|_| jump(rng)).collect());
        }
        made
    }

    #[test]
    fn with_right_foresight_it_costs_no_more_than_the_better_way() {
        let mut rng = Rng::new(6);
        for came in courses(&mut rng) {
            let foreseen: Vec<f64> = came.iter().map(|&n| n as f64).collect();
            for frames in [1, 10, 100] {
                let [events, refits] = alone(PRICES, &came, frames);
                let spent = spend(PRICES, &came, &foreseen, frames);
                assert!(
                    spent <= events.min(refits) + 1e-3,
                    "{frames}: {spent} of {events}, {refits}"
                );
            }
        }
    }

    #[test]
    fn with_foresight_wrong_by_a_factor_it_costs_at_most_its_square_more() {
        let mut rng = Rng::new(7);
        for came in courses(&mut rng) {
            let wrong = |rng: &mut Rng| 1.25_f64.powf(rng.range(-1.0, 1.0));
            let foreseen: Vec<f64> = came.iter().map(|&n| n as f64 * wrong(&mut rng)).collect();
            for frames in [1, 10, 100] {
                let [events, refits] = alone(PRICES, &came, frames);
                let spent = spend(PRICES, &came, &foreseen, frames);
                // What came corrects what is foreseen by up to the factor again.
                assert!(
                    spent <= 1.25_f64.powi(4) * events.min(refits) + 1e-3,
                    "{frames}: {spent} of {events}, {refits}"
                );
            }
        }
    }

    #[test]
    fn with_foresight_that_is_all_wrong_little_more_than_refitting_is_spent() {
        let mut rng = Rng::new(8);
        for came in courses(&mut rng) {
            for frames in [1, 10, 100] {
                for foreseen in [0.0, 1e12] {
                    let spent = spend(PRICES, &came, &vec![foreseen; came.len()], frames);
                    let [_, refits] = alone(PRICES, &came, frames);
                    assert!(spent <= 1.25 * refits + 2.0 * PRICES.build + 1e-3);
                }
                // An adversary who foresees the contrary.
                let contrary: Vec<f64> = came
                    .iter()
                    .map(|&n| if n > 1_000 { 0.0 } else { 1e6 })
                    .collect();
                spend(PRICES, &came, &contrary, frames);
            }
        }
    }
}
