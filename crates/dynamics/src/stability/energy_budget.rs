//! Energy budget: what a force may cost until the next one is decided.

use impinge::DVec3;

use super::passivity_observer::PassivityObserver;
use crate::{QuantityError, quantity};

/// What was seen of a tool since its force was last decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenMotion {
    /// How far it moved between the last two measurements; 0 when there is no new one.
    pub(super) displacement: DVec3,
    /// The mean velocity on that way.
    pub(super) velocity: DVec3,
    /// Seconds between the last two measurements; none when there is no new one.
    pub(super) interval: Option<f64>,
    /// Seconds since the newest measurement.
    pub(super) age: f64,
}

impl SeenMotion {
    /// A motion that was measured just now, an interval after the last one.
    pub(super) fn now(displacement: DVec3, velocity: DVec3, interval: f64) -> Self {
        Self {
            displacement,
            velocity,
            interval: Some(interval),
            age: 0.0,
        }
    }
}

/// What is known of the energy at the hand, and what a force may cost until the next is decided.
///
/// Between two measurements the force may change: by forces F₀, F₁, …, Fₙ the hand gains Fₙ·D + Σ (Fᵢ − Fᵢ₊₁)·dᵢ, with the whole way D and the
/// unknown ways dᵢ up to each change. D will be known; for the others the most that the assumed acceleration allows is set aside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EnergyBudget {
    observer: PassivityObserver,
    period: f64,
    longest_hold: f64,
    max_acceleration: f64,
    /// Of the last two measurements: mean velocity and seconds between them.
    velocity: DVec3,
    interval: f64,
    /// Seconds from the newest measurement to the decision under way.
    age: f64,
    /// The force held until the decision under way.
    before: DVec3,
    /// What changes of the force since the newest measurement may have cost, without and with the decision under way.
    aside_before: f64,
    aside: f64,
}

impl EnergyBudget {
    pub(super) fn new(period: f64, max_acceleration: f64) -> Result<Self, QuantityError> {
        let period = quantity::positive("servo period", period)?;
        Ok(Self {
            observer: PassivityObserver::default(),
            period,
            longest_hold: period,
            max_acceleration: quantity::positive("largest acceleration", max_acceleration)?,
            velocity: DVec3::ZERO,
            interval: period,
            age: 0.0,
            before: DVec3::ZERO,
            aside_before: 0.0,
            aside: 0.0,
        })
    }

    pub(super) fn set_max_acceleration(&mut self, most: f64) -> Result<(), QuantityError> {
        self.max_acceleration = quantity::positive("largest acceleration", most)?;
        Ok(())
    }

    pub(super) fn set_longest_hold(&mut self, seconds: f64) -> Result<(), QuantityError> {
        let least = self.period;
        self.longest_hold = quantity::between("longest hold of a force", seconds, least, 1.0)?;
        Ok(())
    }

    pub(super) fn period(&self) -> f64 {
        self.period
    }

    /// The velocity on the last way that was measured.
    pub(super) fn velocity(&self) -> DVec3 {
        self.velocity
    }

    /// Takes a motion, and gives the energy that is certainly there.
    pub(super) fn observe(&mut self, seen: &SeenMotion) -> f64 {
        if let Some(interval) = seen.interval {
            self.observer.observe(seen.displacement);
            self.observer.lose(self.aside);
            self.aside = 0.0;
            self.velocity = seen.velocity;
            self.interval = interval;
        }
        self.age = seen.age;
        self.before = self.observer.held();
        self.aside_before = self.aside;
        self.energy() - self.aside
    }

    /// The most that a force gives to a tool in the seconds after the newest measurement. The mean velocity differs from the measured one by at
    /// most the acceleration times the time between the middles of both intervals.
    fn most_given(&self, force: DVec3, seconds: f64) -> f64 {
        let strength = force.length();
        if strength == 0.0 || seconds == 0.0 {
            return 0.0;
        }
        let outward = (force.dot(self.velocity) / strength).max(0.0);
        let middles = (self.interval + seconds) / 2.0;
        strength * (outward * seconds + self.max_acceleration * middles * seconds)
    }

    /// What a change to a force may have cost since the newest measurement.
    fn change(&self, force: DVec3) -> f64 {
        self.most_given(self.before - force, self.age)
    }

    /// Scales a force such that no more than the energy that is available is given away until the next decision, and renders it.
    pub(super) fn spend(&mut self, force: DVec3, available: f64) -> DVec3 {
        let until = self.age + self.longest_hold;
        let cost = |share: f64| self.most_given(force * share, until) + self.change(force * share);
        let out = if cost(1.0) <= available {
            force
        } else if cost(0.0) >= available {
            DVec3::ZERO
        } else if self.age == 0.0 {
            force * (available / cost(1.0))
        } else {
            // The cost is convex, and nothing is affordable: halving finds the largest share that is.
            let (mut least, mut most) = (0.0, 1.0);
            for _ in 0..30 {
                let middle = 0.5 * (least + most);
                if cost(middle) <= available {
                    least = middle;
                } else {
                    most = middle;
                }
            }
            force * least
        };
        self.hold(out);
        out
    }

    /// Takes the force that is rendered after all.
    pub(super) fn hold(&mut self, force: DVec3) {
        self.aside = self.aside_before + self.change(force);
        self.observer.hold(force);
    }

    /// Energy that the hand has put in until the newest measurement, in joules.
    pub(super) fn energy(&self) -> f64 {
        self.observer.energy()
    }
}
