//! Times of the steps of a run, by stage.

use impinge::world::StepTimes;
use serde::Serialize;

use crate::number::duration;

/// The mean, the shortest and the longest, in milliseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Milliseconds {
    mean: f64,
    min: f64,
    max: f64,
}

/// The stages of all steps.
#[derive(Debug, Default)]
pub(crate) struct StepTimings {
    /// Seconds of motion, boxes, broad phase, narrow phase and all of them, step by step.
    steps: Vec<[f64; 5]>,
}

/// What is printed of them.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct TimingRecord {
    /// New poses.
    motion: Milliseconds,
    /// New boxes, and the upkeep of the broad phase.
    boxes: Milliseconds,
    broad_phase: Milliseconds,
    /// Tests and events.
    narrow_phase: Milliseconds,
    step: Milliseconds,
}

impl StepTimings {
    /// Adds a step: the seconds of its motion and of its stages.
    pub(crate) fn add(&mut self, motion: f64, times: &StepTimes) {
        let narrow = times.narrow_phase + times.listeners;
        let parts = [motion, times.bounds, times.broad_phase, narrow];
        let [a, b, c, d] = parts;
        self.steps.push([a, b, c, d, parts.iter().sum()]);
    }

    /// What is printed; none before the first step.
    pub(crate) fn record(&self) -> Option<TimingRecord> {
        if self.steps.is_empty() {
            return None;
        }
        let [motion, boxes, broad_phase, narrow_phase, step] = [0, 1, 2, 3, 4].map(|k| {
            let all = || self.steps.iter().map(|step| 1e3 * step[k]);
            Milliseconds {
                mean: all().sum::<f64>() / self.steps.len() as f64,
                min: all().fold(f64::INFINITY, f64::min),
                max: all().fold(0.0, f64::max),
            }
        });
        Some(TimingRecord {
            motion,
            boxes,
            broad_phase,
            narrow_phase,
            step,
        })
    }
}

impl TimingRecord {
    /// A line for the whole step and one for its stages.
    pub(crate) fn lines(&self) -> [String; 2] {
        let step = self.step;
        [
            format!(
                "{} on average, {} to {}",
                duration(step.mean),
                duration(step.min),
                duration(step.max)
            ),
            format!(
                "motion {}, boxes {}, broad phase {}, narrow phase {}",
                duration(self.motion.mean),
                duration(self.boxes.mean),
                duration(self.broad_phase.mean),
                duration(self.narrow_phase.mean)
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_add_up_to_the_step() {
        let mut timings = StepTimings::default();
        assert!(timings.record().is_none());
        for k in [1.0, 3.0] {
            let times = StepTimes {
                bounds: k * 0.001,
                broad_phase: k * 0.002,
                narrow_phase: k * 0.003,
                listeners: k * 0.001,
            };
            timings.add(k * 0.004, &times);
        }
        let record = timings.record().unwrap();
        assert!((record.step.mean - 22.0).abs() < 1e-9);
        assert!((record.step.min - 11.0).abs() < 1e-9 && (record.step.max - 33.0).abs() < 1e-9);
        assert!((record.narrow_phase.mean - 8.0).abs() < 1e-9);
    }
}
