//! The search for equivalent resolutions: finer and finer until the time allowed lies between pairs that were tried.
//!
//! **Idea.** Both solids climb a ladder of resolutions until a question takes longer than allowed. The last three rungs are the three resolutions of the
//! published procedure: nine pairs, of which [`choose`] makes a choice. Times are no plane, so that the pair chosen is made finer or coarser until its
//! own time is a little less than what is allowed.
//!
//! **Limits.** Ladders end, and so does patience with building. An engine that is still faster then has no equivalent resolution, and the search says so.

use std::time::Duration;

use super::equivalent_resolution::{ResolutionChoice, ResolutionTrial, TimeReach, best_of, choose};

/// Rungs above the first that a search begins with: three are needed.
const BEGIN: usize = 2;
/// One that took this part of it is followed by none.
const LONG: f64 = 0.25;
/// Windows of three rungs that are tried at most.
const MOST_WINDOWS: usize = 4;
/// A time between this part of what is allowed and all of it is near enough.
pub(super) const NEAR: f64 = 0.8;
/// The part that is aimed at.
const AIM: f64 = 0.9;
/// How often the pair chosen is made finer, and how often it is made coarser.
const MOST_FINER: usize = 3;
const MOST_COARSER: usize = 8;
/// No resolution is made smaller than this.
const COARSEST: f64 = 12.0;

/// Resolutions of the moving and of the fixed solid, from coarse to fine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ResolutionLadder {
    pub(super) first: [f64; 2],
    pub(super) most: [f64; 2],
    /// From rung to rung.
    pub(super) factor: f64,
}

impl ResolutionLadder {
    /// The number of the last rung; every ladder has three.
    fn last(&self, axis: usize) -> usize {
        let rungs = (self.most[axis] / self.first[axis]).ln() / self.factor.ln();
        // Rounding adds no rung.
        ((rungs - 1e-9).ceil().max(0.0) as usize).max(BEGIN)
    }

    fn highest(&self) -> usize {
        self.last(0).max(self.last(1))
    }

    /// The resolution of a rung; all above the last are the last.
    fn at(&self, axis: usize, rung: usize) -> f64 {
        let last = self.last(axis);
        if rung >= last {
            return self.most[axis];
        }
        self.first[axis] * self.factor.powi(rung as i32)
    }

    fn pair(&self, rung: usize) -> [f64; 2] {
        [self.at(0, rung), self.at(1, rung)]
    }

    /// The rung and the two below it.
    fn window(&self, rung: usize) -> [[f64; 3]; 2] {
        [0, 1].map(|axis| {
            let top = rung.clamp(BEGIN, self.last(axis));
            [2, 1, 0].map(|below| self.at(axis, top - below))
        })
    }
}

/// Whoever tries pairs of resolutions.
pub(super) trait TrialRunner {
    /// What a pair took, and how far its forces are off.
    fn trial(&mut self, resolution: [f64; 2]) -> anyhow::Result<ResolutionTrial>;

    /// How long the slower solid of a pair took to build.
    fn built(&self, resolution: [f64; 2]) -> Duration;
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LadderResult {
    pub(super) choice: ResolutionChoice,
    /// The choice, made finer or coarser until it took the time.
    pub(super) resolution: [f64; 2],
    /// What was to be expected of it.
    pub(super) predicted_eta: f64,
    pub(super) trial: ResolutionTrial,
    /// The finest pair that was tried.
    pub(super) finest: ([f64; 2], ResolutionTrial),
    /// Whether building takes too long for anything finer; otherwise the ladder ended.
    pub(super) is_long: bool,
    /// The best of the nine pairs that are fast enough.
    pub(super) best: Option<([f64; 2], ResolutionTrial)>,
    /// With which power of the resolution time grows.
    pub(super) steepness: f64,
}

/// The search. A pair that takes longer to build than `patience` is not followed by a finer one.
pub(super) fn search(
    ladder: &ResolutionLadder,
    tau_ms: f64,
    patience: Duration,
    lab: &mut dyn TrialRunner,
) -> anyhow::Result<LadderResult> {
    let (mut rung, mut is_long) = climb(ladder, tau_ms, patience, lab)?;
    let mut visited = vec![rung];
    let (resolutions, trials, choice) = loop {
        let resolutions = ladder.window(rung);
        let trials = nine(&resolutions, lab)?;
        let choice = choose(&resolutions, &trials, tau_ms);
        is_long |= lab.built(ladder.pair(rung)).as_secs_f64() > LONG * patience.as_secs_f64();
        let next = match choice.reach {
            TimeReach::Line => None,
            TimeReach::Faster => {
                Some(rung + 1).filter(|next| *next <= ladder.highest() && !is_long)
            }
            TimeReach::Slower => rung.checked_sub(1).filter(|next| *next >= BEGIN),
        };
        match next.filter(|next| !visited.contains(next)) {
            Some(next) if visited.len() < MOST_WINDOWS => rung = next,
            _ => break (resolutions, trials, choice),
        }
        visited.push(rung);
    };
    let steepness = steepness(&resolutions, &trials);
    let mut settled = LadderResult {
        choice,
        resolution: choice.resolution,
        predicted_eta: choice.predicted_eta,
        trial: lab.trial(choice.resolution)?,
        finest: ([resolutions[0][2], resolutions[1][2]], trials[2][2]),
        is_long,
        best: best_of(&trials, tau_ms)
            .map(|(i, j)| ([resolutions[0][i], resolutions[1][j]], trials[i][j])),
        steepness,
    };
    fit(&mut settled, &resolutions, &trials, tau_ms, lab)?;
    Ok(settled)
}

/// Visits of rungs at most.
const MOST_VISITS: usize = 32;
/// Rungs that are passed over at once at most.
const MOST_STEPS: f64 = 4.0;
/// Time is taken to grow with this power of the resolution, so that no rung is passed over which is too slow already.
const STEEPEST: f64 = 2.0;
/// One that took this part of the patience is followed by the next rung, without passing over any.
const SHORT: f64 = 1.0 / 16.0;

/// The first rung that is visited at which both solids together are too slow, or the last that can be built; and whether building was what ended it.
fn climb(
    ladder: &ResolutionLadder,
    tau_ms: f64,
    patience: Duration,
    lab: &mut dyn TrialRunner,
) -> anyhow::Result<(usize, bool)> {
    let mut rung = BEGIN;
    for _ in 0..MOST_VISITS {
        let ms = lab.trial(ladder.pair(rung))?.ms;
        if ms > tau_ms || rung >= ladder.highest() {
            return Ok((rung, false));
        }
        let part = lab.built(ladder.pair(rung)).as_secs_f64() / patience.as_secs_f64();
        if part > LONG {
            return Ok((rung, true));
        }
        let steps = (tau_ms / ms.max(1e-6)).ln() / (STEEPEST * ladder.factor.ln());
        let most = if part > SHORT { 1.0 } else { MOST_STEPS };
        rung = (rung + steps.clamp(1.0, most) as usize).min(ladder.highest());
    }
    Ok((rung, false))
}

fn nine(
    resolutions: &[[f64; 3]; 2],
    lab: &mut dyn TrialRunner,
) -> anyhow::Result<[[ResolutionTrial; 3]; 3]> {
    let mut trials = [[ResolutionTrial::default(); 3]; 3];
    for (i, row) in trials.iter_mut().enumerate() {
        for (j, trial) in row.iter_mut().enumerate() {
            *trial = lab.trial([resolutions[0][i], resolutions[1][j]])?;
        }
    }
    Ok(trials)
}

/// Between the coarsest and the finest pair.
fn steepness(resolutions: &[[f64; 3]; 2], trials: &[[ResolutionTrial; 3]; 3]) -> f64 {
    let ratio: f64 = resolutions.iter().map(|r| (r[2] / r[0]).ln()).sum();
    let power = 2.0 * (trials[2][2].ms / trials[0][0].ms).ln() / ratio;
    if power.is_finite() {
        power.clamp(0.5, 4.0)
    } else {
        1.0
    }
}

/// The resolution at which a pair takes about the time allowed, if time grows with that power.
pub(super) fn scaled(resolution: [f64; 2], ms: f64, tau_ms: f64, steepness: f64) -> [f64; 2] {
    let factor = (AIM * tau_ms / ms.max(1e-6)).powf(1.0 / steepness);
    resolution.map(|r| (r * factor.clamp(0.5, 2.0)).max(COARSEST.min(r)))
}

/// Makes the choice finer or coarser until it takes about the time allowed; finer only if there is a line of equal time.
fn fit(
    settled: &mut LadderResult,
    resolutions: &[[f64; 3]; 2],
    trials: &[[ResolutionTrial; 3]; 3],
    tau_ms: f64,
    lab: &mut dyn TrialRunner,
) -> anyhow::Result<()> {
    let (mut finer, mut coarser) = (0, 0);
    loop {
        let is_slow = settled.trial.ms > tau_ms;
        let is_fast = settled.trial.ms < NEAR * tau_ms && settled.choice.reach == TimeReach::Line;
        if is_slow && coarser < MOST_COARSER {
            coarser += 1;
        } else if is_fast && finer < MOST_FINER {
            finer += 1;
        } else {
            return Ok(());
        }
        let mut next = scaled(
            settled.resolution,
            settled.trial.ms,
            tau_ms,
            settled.steepness,
        );
        for (axis, r) in next.iter_mut().enumerate() {
            *r = r.min(resolutions[axis][2]);
        }
        if next == settled.resolution {
            return Ok(());
        }
        settled.trial = lab.trial(next)?;
        settled.resolution = next;
        settled.predicted_eta =
            super::equivalent_resolution::interpolated(resolutions, trials, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times and deviations by formulas; building takes a microsecond for each unit.
    struct Formulas<T, E> {
        ms: T,
        eta: E,
        finest: f64,
        asked: usize,
    }

    impl<T: Fn(f64, f64) -> f64, E: Fn(f64, f64) -> f64> TrialRunner for Formulas<T, E> {
        fn trial(&mut self, [x, y]: [f64; 2]) -> anyhow::Result<ResolutionTrial> {
            self.asked += 1;
            self.finest = self.finest.max(x.max(y));
            Ok(ResolutionTrial {
                ms: (self.ms)(x, y),
                eta: (self.eta)(x, y),
            })
        }

        fn built(&self, resolution: [f64; 2]) -> Duration {
            Duration::from_secs_f64(1e-6 * resolution[0].max(resolution[1]))
        }
    }

    const LADDER: ResolutionLadder = ResolutionLadder {
        first: [1000.0, 500.0],
        most: [1e6, 1e6],
        factor: 2.0,
    };

    fn found(
        ms: impl Fn(f64, f64) -> f64,
        ladder: &ResolutionLadder,
        patience: f64,
    ) -> (LadderResult, f64) {
        let mut lab = Formulas {
            ms,
            eta: |x: f64, y: f64| 1.0 / x + 2.0 / y,
            finest: 0.0,
            asked: 0,
        };
        let patience = Duration::from_secs_f64(patience);
        let settled = search(ladder, 0.9, patience, &mut lab).unwrap();
        assert!(lab.asked < 80, "{}", lab.asked);
        (settled, lab.finest)
    }

    #[test]
    fn every_law_of_time_is_followed_to_the_time_allowed() {
        let laws: [fn(f64, f64) -> f64; 5] = [
            |x, y| 1e-6 * (x + y),
            |x, y| 4e-7 * (x * y).sqrt() * (x * y).powf(0.05),
            |x, _| 4e-6 * x,
            |x, y| 1e-9 * x * y,
            |x, y| 0.01 + 1e-4 * x.sqrt() * y.powf(0.25),
        ];
        for (number, law) in laws.iter().enumerate() {
            let (settled, _) = found(law, &LADDER, 60.0);
            assert_eq!(settled.choice.reach, TimeReach::Line, "law {number}");
            let ms = settled.trial.ms;
            assert!((NEAR * 0.9..=0.9).contains(&ms), "law {number}: {ms}");
        }
    }

    #[test]
    fn what_is_faster_at_the_end_of_the_ladder_says_so_with_its_time() {
        let (settled, finest) = found(|x, y| 1e-8 * (x + y), &LADDER, 60.0);
        assert_eq!(settled.choice.reach, TimeReach::Faster);
        assert_eq!((settled.finest.0, finest), ([1e6; 2], 1e6));
        assert!((settled.finest.1.ms - 0.02).abs() < 1e-12 && !settled.is_long);
        // Finer is better by this law, so that the finest is taken.
        assert_eq!(settled.resolution, [1e6; 2]);
    }

    #[test]
    fn what_takes_long_to_build_is_not_made_finer() {
        let (settled, finest) = found(|x, y| 1e-8 * (x + y), &LADDER, 0.1);
        assert_eq!(settled.choice.reach, TimeReach::Faster);
        assert!(settled.is_long && finest < 1e5, "{finest}");
        assert_eq!(settled.finest.0[0], finest);
    }

    #[test]
    fn what_is_slower_at_the_foot_of_the_ladder_is_made_coarser() {
        let (settled, _) = found(|x, y| 1e-3 * (x + y), &LADDER, 60.0);
        assert_eq!(settled.choice.reach, TimeReach::Slower);
        assert!(settled.trial.ms <= 0.9 && settled.resolution[0] < 1000.0);
        // Nothing helps what takes its time whatever the resolution.
        let (settled, _) = found(|_, _| 2.0, &LADDER, 60.0);
        assert_eq!(settled.choice.reach, TimeReach::Slower);
        assert!(settled.trial.ms > 0.9);
    }

    #[test]
    fn ladders_of_different_length_end_one_after_the_other() {
        let ladder = ResolutionLadder {
            first: [10.0, 10.0],
            most: [50.0, 640.0],
            factor: 2.0,
        };
        assert_eq!((ladder.last(0), ladder.last(1)), (3, 6));
        assert_eq!(
            ladder.window(6),
            [[20.0, 40.0, 50.0], [160.0, 320.0, 640.0]]
        );
        assert_eq!(ladder.window(0), [[10.0, 20.0, 40.0]; 2]);
        let (settled, _) = found(|_, y| 0.9 / 400.0 * y, &ladder, 60.0);
        assert_eq!(settled.choice.reach, TimeReach::Line);
        assert!((NEAR * 0.9..=0.9).contains(&settled.trial.ms));
    }
}
