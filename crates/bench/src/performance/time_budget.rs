//! How long a run may measure at a target, and an engine at a question.

use std::time::{Duration, Instant};

use super::preset::Preset;
use crate::configurations::Kind;

/// Engines that may use up their time at a target.
const SLOW_ENGINES: f64 = 6.0;
/// What one engine may use on one question of a target when no time is short; it is then queried no more there.
const ENGINE_TIME: Duration = Duration::from_secs(120);
/// Of the time of a run, what one engine may use on one question of a target at most.
const ENGINE_PART: u32 = 8;

/// How long may be measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeBudget {
    /// Whether targets share the time, and are cut short when theirs is up.
    pub(super) is_short: bool,
    pub(super) per_target: Duration,
    /// By one engine on one question of a target.
    pub(super) per_engine: Duration,
    /// For how long a query is repeated before its time counts.
    pub(super) warm_up_ns: f64,
    /// When no engine is queried any more.
    pub(super) deadline: Option<Instant>,
}

impl TimeBudget {
    /// Of a run over so many pairs, in so much time where it has an end.
    pub(super) fn new(
        preset: Preset,
        total: Option<Duration>,
        is_short: bool,
        pairs: usize,
    ) -> Self {
        let targets = preset.levels(Kind::Distance).len() + preset.levels(Kind::Volume).len();
        let share = |total: Duration| total.div_f64((pairs * targets).max(1) as f64);
        let per_target = total.filter(|_| is_short).map_or(Duration::MAX, share);
        Self {
            is_short,
            per_target,
            per_engine: if is_short {
                per_target.div_f64(SLOW_ENGINES)
            } else {
                total.map_or(ENGINE_TIME, |total| ENGINE_TIME.min(total / ENGINE_PART))
            },
            warm_up_ns: if preset == Preset::Quick { 1e5 } else { 3e5 },
            deadline: None,
        }
    }

    /// The effort of a further pass over so many targets, in the time that is left; none when nothing is unfinished, or not even one of them could have
    /// twice the time it had.
    pub(super) fn again(self, left: Duration, unfinished: usize) -> Option<Self> {
        if !self.is_short || unfinished == 0 {
            return None;
        }
        let twice = self.per_target.saturating_mul(2);
        let per_target = twice.max(left.div_f64(unfinished as f64));
        (per_target <= left && !per_target.is_zero()).then(|| Self {
            per_target,
            per_engine: per_target.div_f64(SLOW_ENGINES),
            ..self
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_further_pass_has_twice_the_time_for_each_target_or_there_is_none() {
        let seconds = Duration::from_secs;
        let effort = TimeBudget::new(Preset::Quick, Some(seconds(88)), true, 8);
        assert_eq!(effort.per_target, seconds(1));
        let again = |left: u64, unfinished: usize| {
            effort
                .again(seconds(left), unfinished)
                .map(|effort| effort.per_target)
        };
        assert_eq!(again(60, 10), Some(seconds(6)));
        assert_eq!(again(60, 60), Some(seconds(2)));
        assert_eq!(again(60, 0), None);
        assert_eq!(again(1, 5), None);
        let endless = TimeBudget {
            is_short: false,
            ..effort
        };
        assert!(endless.again(seconds(60), 10).is_none());
    }
}
