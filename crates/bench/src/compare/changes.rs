//! Which quantities changed: ratios, their medians, and what is said of too few of them.

use serde::Serialize;

use super::quantities::Quantity;
use super::statistics::{Interval, interval, least_count, level_of_each, median};
use super::{Comparison, without_numbers};

/// A median of too few ratios for an interval is suspect from here on: the same program twice on a shared machine, after the drift is taken out, differs by less.
const FEW_NOISE: f64 = 1.5;
/// A single figure is suspect from here on.
const SINGLE_NOISE: f64 = 3.0;
/// Of what was measured before, at least this part must be there again.
const ENOUGH: f64 = 0.5;

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ChangeVerdict {
    Same,
    Faster,
    Slower,
    /// Too few ratios for an interval, but all of it, or a single figure, is slower than noise explains.
    Suspect,
    /// Too few ratios to say anything at this level.
    Unjudged,
}

/// One quantity in both folders.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Change {
    pub(crate) part: String,
    pub(crate) what: String,
    pub(crate) engine: String,
    pub(crate) is_ours: bool,
    pub(crate) count: usize,
    /// The median of new over old, after the machine's drift is taken out of ours.
    pub(crate) ratio: f64,
    /// The ends of its interval; none for too few ratios.
    pub(crate) low: Option<f64>,
    pub(crate) high: Option<f64>,
    /// The figure that became slowest.
    pub(crate) worst: String,
    pub(crate) worst_ratio: f64,
    pub(crate) verdict: ChangeVerdict,
}

#[cfg(test)]
impl Change {
    /// A quantity of ours that was judged and did not change.
    pub(super) fn none() -> Self {
        Self {
            part: String::new(),
            what: String::new(),
            engine: String::new(),
            is_ours: true,
            count: 90,
            ratio: 1.0,
            low: Some(0.99),
            high: Some(1.01),
            worst: String::new(),
            worst_ratio: 1.0,
            verdict: ChangeVerdict::Same,
        }
    }
}

/// Compares whatever both have, and names what only the older has of ours.
pub(crate) fn compare(old: &[Quantity], new: &[Quantity], alpha: f64, least: f64) -> Comparison {
    let mut comparison = Comparison {
        drift: 1.0,
        ..Comparison::default()
    };
    let mut pairs: Vec<(&Quantity, Vec<(&str, f64)>)> = Vec::new();
    for quantity in new {
        let Some(before) = old.iter().find(|q| q.is_like(quantity)) else {
            continue;
        };
        let ratios = quantity.ratios(before);
        let known = before.comparable();
        if quantity.is_ours && (ratios.len() as f64) < ENOUGH * known as f64 {
            comparison.thinned.push(format!(
                "{}, {}, {}: {} of {} figures",
                quantity.part,
                quantity.what,
                quantity.engine,
                ratios.len(),
                known
            ));
        }
        if quantity.is_count {
            comparison.work.extend(work(quantity, &ratios));
        } else if !ratios.is_empty() {
            pairs.push((quantity, ratios));
        }
    }
    comparison.gone = gone(old, new);
    let peers: Vec<f64> = pairs
        .iter()
        .filter(|(quantity, _)| !quantity.is_ours)
        .flat_map(|(_, ratios)| ratios.iter().map(|(_, log)| *log))
        .collect();
    comparison.drift_count = peers.len();
    if comparison.is_corrected() {
        comparison.drift = median(&peers).unwrap_or(0.0).exp();
    }
    let ours = pairs.iter().filter(|(quantity, _)| quantity.is_ours);
    let counts: Vec<usize> = ours.map(|(_, ratios)| ratios.len()).collect();
    comparison.level = level_of_each(&counts, alpha);
    for (quantity, ratios) in pairs {
        let drift = if quantity.is_ours {
            comparison.drift
        } else {
            1.0
        };
        let found = change(quantity, &ratios, drift, comparison.level, least);
        comparison.changes.push(found);
    }
    comparison
}

/// Counts that differ.
fn work(quantity: &Quantity, ratios: &[(&str, f64)]) -> Option<String> {
    let logs: Vec<f64> = ratios.iter().map(|(_, log)| *log).collect();
    let differing = logs.iter().filter(|log| log.abs() > 1e-9).count();
    (differing > 0).then(|| {
        format!(
            "{}, {}: {} of {} counts differ, median {:+.2} %",
            quantity.engine,
            quantity.what,
            differing,
            logs.len(),
            100.0 * (median(&logs).unwrap_or(0.0).exp() - 1.0)
        )
    })
}

/// What the older alone has of ours. A title with other figures in it is the same title.
fn gone(old: &[Quantity], new: &[Quantity]) -> Vec<String> {
    let is_there = |was: &Quantity| {
        new.iter().any(|is| {
            was.part == is.part
                && was.engine == is.engine
                && without_numbers(&was.what) == without_numbers(&is.what)
        })
    };
    old.iter()
        .filter(|was| was.is_ours && !is_there(was))
        .map(|was| format!("{}, {}, {}", was.part, was.what, was.engine))
        .collect()
}

fn change(
    quantity: &Quantity,
    ratios: &[(&str, f64)],
    drift: f64,
    alpha: f64,
    least: f64,
) -> Change {
    let logs: Vec<f64> = ratios.iter().map(|(_, log)| *log).collect();
    let times = |log: f64| log.exp() / drift;
    let ratio = times(median(&logs).unwrap_or(f64::NAN));
    let (worst, worst_log) = ratios
        .iter()
        .max_by(|p, q| p.1.total_cmp(&q.1))
        .copied()
        .unwrap_or(("", f64::NAN));
    let worst_ratio = times(worst_log);
    let found = interval(&logs, alpha).filter(|_| logs.len() >= least_count(alpha));
    let judged = found.map(|Interval { low, high, .. }| {
        if times(low) > 1.0 && ratio >= 1.0 + least {
            ChangeVerdict::Slower
        } else if times(high) < 1.0 && ratio <= 1.0 / (1.0 + least) {
            ChangeVerdict::Faster
        } else {
            ChangeVerdict::Same
        }
    });
    let is_suspect = (found.is_none() && ratio >= FEW_NOISE)
        || (!quantity.is_of_queries && worst_ratio >= SINGLE_NOISE);
    let verdict = match judged {
        Some(ChangeVerdict::Slower) => ChangeVerdict::Slower,
        _ if is_suspect => ChangeVerdict::Suspect,
        Some(verdict) => verdict,
        None => ChangeVerdict::Unjudged,
    };
    Change {
        part: quantity.part.clone(),
        what: quantity.what.clone(),
        engine: quantity.engine.clone(),
        is_ours: quantity.is_ours,
        count: logs.len(),
        ratio,
        low: found.map(|found| times(found.low)),
        high: found.map(|found| times(found.high)),
        worst: worst.to_owned(),
        worst_ratio,
        verdict,
    }
}

#[cfg(test)]
mod tests {
    use impinge::math::Rng;

    use super::super::quantities::Quantity;
    use super::{ChangeVerdict, compare};
    use crate::Bar;

    /// Times of several engines, each measurement with its own noise.
    fn run(seed: u64, slower: f64, drift: f64) -> Vec<Quantity> {
        let mut rng = Rng::new(seed);
        let mut noise = || 1.0 + 0.08 * (rng.unit() + rng.unit() + rng.unit() - 1.5);
        let mut all = Vec::new();
        for (engine, is_ours) in [("impinge", true), ("fcl", false), ("coal", false)] {
            for what in ["intersects", "pairs", "distance"] {
                let factor = if is_ours && what == "pairs" {
                    slower
                } else {
                    1.0
                };
                let samples = (0..120).map(|k| {
                    let truth = 1000.0 + 37.0 * f64::from(k);
                    (format!("{k:03}"), truth * factor * drift * noise())
                });
                all.push(Quantity {
                    part: "rigid".to_owned(),
                    what: what.to_owned(),
                    engine: engine.to_owned(),
                    is_ours,
                    samples: samples.collect(),
                    ..Quantity::default()
                });
            }
        }
        all
    }

    #[test]
    fn a_tenth_is_found_and_nothing_else() {
        let found = compare(&run(1, 1.0, 1.0), &run(2, 1.1, 1.0), 0.05, 0.03);
        assert_eq!(found.bar(), Bar::Missed);
        for change in &found.changes {
            let planted = change.is_ours && change.what == "pairs";
            let expected = if planted {
                ChangeVerdict::Slower
            } else {
                ChangeVerdict::Same
            };
            assert_eq!(change.verdict, expected, "{change:?}");
            if planted {
                let (low, high) = (change.low.unwrap(), change.high.unwrap());
                assert!(low < 1.1 && 1.1 < high, "{change:?}");
            }
        }
        let found = compare(&run(1, 1.1, 1.0), &run(2, 1.0, 1.0), 0.05, 0.03);
        assert_eq!(found.bar(), Bar::Met);
        let faster = |v: &super::Change| v.verdict == ChangeVerdict::Faster;
        assert_eq!(found.changes.iter().filter(|c| faster(c)).count(), 1);
    }

    #[test]
    fn noise_and_a_slower_machine_are_not_ours() {
        for seed in 10..18 {
            let found = compare(&run(seed, 1.0, 1.0), &run(seed + 100, 1.0, 1.0), 0.05, 0.03);
            assert_eq!(found.bar(), Bar::Met, "{found:?}");
        }
        // A machine a quarter slower: peers tell.
        let found = compare(&run(1, 1.0, 1.0), &run(2, 1.0, 1.25), 0.05, 0.03);
        assert!((found.drift - 1.25).abs() < 0.02);
        assert_eq!(found.bar(), Bar::Met);
        let found = compare(&run(1, 1.0, 1.0), &run(2, 1.1, 1.25), 0.05, 0.03);
        assert_eq!(found.bar(), Bar::Missed);
    }

    #[test]
    fn what_is_said_of_the_machine_is_true_with_few_peers_and_with_many() {
        let many = compare(&run(1, 1.0, 1.0), &run(2, 1.0, 1.25), 0.05, 0.03);
        assert!(many.drift_words().contains("which ours is divided by"));
        let few = |drift: f64| {
            let mut all = run(3, 1.0, drift);
            all.retain(|quantity| quantity.is_ours || quantity.engine == "fcl");
            for quantity in all.iter_mut().filter(|q| !q.is_ours) {
                quantity.samples.truncate(9);
            }
            all
        };
        let few = compare(&few(1.0), &few(1.25), 0.05, 0.03);
        assert_eq!(few.drift_count, 27);
        assert_eq!(few.drift, 1.0);
        let words = few.drift_words();
        assert!(
            words.contains("27") && words.contains("too few") && words.contains("not corrected")
        );
        assert!(!words.contains("divided"));
    }

    /// As a run, but with few figures of each engine.
    fn few(factor: f64) -> Vec<Quantity> {
        let mut all = run(3, factor, 1.0);
        for quantity in &mut all {
            quantity.samples.truncate(4);
        }
        all
    }

    #[test]
    fn few_ratios_are_not_judged_but_twice_as_slow_is_not_passed_over() {
        let found = compare(&few(1.0), &few(1.3), 0.05, 0.03);
        assert!(
            found
                .changes
                .iter()
                .all(|c| c.verdict == ChangeVerdict::Unjudged)
        );
        assert!(
            found
                .changes
                .iter()
                .all(|c| c.low.is_none() && c.high.is_none())
        );
        assert_eq!(found.unjudged(), 3);
        // Nothing was judged, so nothing is met.
        assert_eq!(found.bar(), Bar::Open);
        let found = compare(&few(1.0), &few(2.0), 0.05, 0.03);
        let suspect: Vec<&str> = found
            .changes
            .iter()
            .filter(|c| c.verdict == ChangeVerdict::Suspect)
            .map(|c| c.what.as_str())
            .collect();
        assert_eq!(suspect, ["pairs"]);
        // Beside others that were judged it leaves the verdict open all the same.
        let (mut old, mut new) = (run(1, 1.0, 1.0), run(2, 1.0, 1.0));
        let small = |factor: f64, all: &mut Vec<Quantity>| {
            let mut engine = few(factor).swap_remove(1);
            engine.engine = "small".to_owned();
            all.push(engine);
        };
        small(1.0, &mut old);
        small(1.0, &mut new);
        assert_eq!(compare(&old, &new, 0.05, 0.03).bar(), Bar::Met);
        new.pop();
        small(10.0, &mut new);
        assert_eq!(compare(&old, &new, 0.05, 0.03).bar(), Bar::Open);
    }

    #[test]
    fn a_single_figure_that_is_ten_times_slower_is_named() {
        let (old, mut new) = (run(1, 1.0, 1.0), run(2, 1.0, 1.0));
        new[2].samples[7].1 *= 10.0;
        let found = compare(&old, &new, 0.05, 0.03);
        let suspect: Vec<&super::Change> = found
            .changes
            .iter()
            .filter(|c| c.verdict == ChangeVerdict::Suspect)
            .collect();
        assert_eq!(suspect.len(), 1);
        assert_eq!(
            (suspect[0].what.as_str(), suspect[0].worst.as_str()),
            ("distance", "007")
        );
        assert_eq!(found.bar(), Bar::Open);
        // Of single queries there are thousands, and one says nothing.
        new[2].is_of_queries = true;
        assert_eq!(compare(&old, &new, 0.05, 0.03).bar(), Bar::Met);
    }

    #[test]
    fn an_engine_or_most_of_its_figures_that_are_gone_are_named() {
        let (old, mut new) = (run(1, 1.0, 1.0), run(2, 1.0, 1.0));
        new[1].samples.truncate(59);
        let found = compare(&old, &new, 0.05, 0.03);
        assert_eq!(found.thinned, ["rigid, pairs, impinge: 59 of 120 figures"]);
        assert_eq!(found.bar(), Bar::Open);
        new.remove(1);
        let found = compare(&old, &new, 0.05, 0.03);
        assert_eq!(found.gone, ["rigid, pairs, impinge"]);
        assert_eq!(found.bar(), Bar::Open);
        // What is new, or a peer's, is no loss.
        assert_eq!(compare(&new, &old, 0.05, 0.03).bar(), Bar::Met);
        let peers = |all: &[Quantity]| -> Vec<Quantity> {
            all.iter().filter(|q| q.engine != "coal").cloned().collect()
        };
        let found = compare(&old, &peers(&old), 0.05, 0.03);
        assert!(found.gone.is_empty() && found.thinned.is_empty());
    }
}
