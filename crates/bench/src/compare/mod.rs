//! `impinge-bench cmp`: what changed between two folders of records, and how sure that is.
//!
//! **Question.** Did anything of ours become slower, or is it noise?
//! **Idea.** Only what was measured in both folders on the same thing (pose, point of a line, row of a table) is compared, as a ratio. Of
//! all ratios of one engine on one question the median counts, with an interval by bootstrap. Peers did not change, so
//! what they seem to have changed by is the machine's doing: with enough of them ours is divided by it.
//! **Promise.** Seeded, so equal records give equal words. With m comparisons each has its interval at 1 − α/m: the chance that any of
//! them is flagged without cause is at most about α.
//! **Limits.** Poses of one pair of meshes are not independent of each other, so intervals are somewhat too narrow: a change below
//! `--least` is never flagged, however sure it looks. Records of two machines are compared with a warning, and without enough peers on both
//! nothing is decided. Quantities with too few ratios to be judged at that level are listed without a verdict.

mod quantities;
mod statistics;

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::Bar;
use crate::report::{Collection, Machine, gather};
use crate::sheet::Claim;
use quantities::{Quantity, quantities};
use statistics::{Interval, interval, least_count, median};

/// Say what changed between two folders of records, with confidence intervals
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The older records
    old: PathBuf,
    /// The newer ones
    new: PathBuf,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Changes below this part are never flagged
    #[arg(long, default_value_t = 0.03, value_name = "PART")]
    least: f64,
    /// The chance that anything at all is flagged without cause
    #[arg(long, default_value_t = 0.05, value_name = "CHANCE")]
    alpha: f64,
}

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Same,
    Faster,
    Slower,
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
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) verdict: Verdict,
}

/// Everything that changed.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Comparison {
    pub(crate) changes: Vec<Change>,
    /// By what factor peers differ, which is the machine's doing; 1 with too few of them.
    pub(crate) drift: f64,
    pub(crate) drift_count: usize,
    pub(crate) lost_bars: Vec<String>,
    pub(crate) won_bars: Vec<String>,
    /// Bars that were met and that nothing was measured for now.
    pub(crate) opened_bars: Vec<String>,
    pub(crate) new_failures: Vec<String>,
    /// In what the machines differ that both were measured on; nothing, if that is not known of both.
    pub(crate) machines: Vec<String>,
    /// Counts of work that differ: these have no noise.
    pub(crate) work: Vec<String>,
    pub(crate) refused: Vec<String>,
}

impl Comparison {
    /// Whether something of ours became worse.
    pub(crate) fn bar(&self) -> Bar {
        let slower = |c: &Change| c.is_ours && c.verdict == Verdict::Slower;
        if self.changes.iter().any(slower)
            || !self.lost_bars.is_empty()
            || !self.new_failures.is_empty()
        {
            Bar::Missed
        } else if self.opened_bars.is_empty() && (self.machines.is_empty() || self.is_corrected()) {
            Bar::Met
        } else {
            Bar::Open
        }
    }

    /// Whether there were enough peers to take the machine's drift out of ours.
    fn is_corrected(&self) -> bool {
        self.drift_count >= LEAST_PEERS
    }

    /// What peers say of the machine.
    fn drift_words(&self) -> String {
        if self.is_corrected() {
            format!(
                "the machine drifted by {:.3} over {} ratios of peers, which ours is divided by",
                self.drift, self.drift_count
            )
        } else {
            format!(
                "{} ratios of peers are too few to tell the machine's drift ({LEAST_PEERS} would do), and ours is not corrected for it",
                self.drift_count
            )
        }
    }

    /// What to make of two machines.
    fn machine_words(&self) -> Option<String> {
        let differing = self.machines.join("; ");
        let remedy = if self.is_corrected() {
            "peers on both correct for what both machines do alike, no more"
        } else {
            "what is faster or slower here may be the machine's doing, so that nothing is decided"
        };
        (!self.machines.is_empty()).then(|| format!("{differing}: {remedy}"))
    }
}

/// In what two machines differ, as far as both are known.
fn differences(old: &Machine, new: &Machine) -> Vec<String> {
    let cores = |machine: &Machine| match machine.cores {
        0 => String::new(),
        cores => cores.to_string(),
    };
    [
        ("processor", old.processor.clone(), new.processor.clone()),
        ("cores", cores(old), cores(new)),
        ("memory", old.memory.clone(), new.memory.clone()),
        ("system", old.system.clone(), new.system.clone()),
        ("compiler", old.compiler.clone(), new.compiler.clone()),
    ]
    .into_iter()
    .filter(|(_, was, is)| !was.is_empty() && !is.is_empty() && was != is)
    .map(|(what, was, is)| format!("{what} {was} before and {is} now"))
    .collect()
}

/// Ratios of peers that are needed before the machine is blamed for anything.
const LEAST_PEERS: usize = 30;

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    anyhow::ensure!(
        args.alpha > 0.0 && args.alpha < 1.0 && args.least >= 0.0,
        "--alpha is a chance between 0 and 1, --least a part of at least 0"
    );
    let comparison = compare_folders(&args.old, &args.new, args.alpha, args.least)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&comparison)?);
    } else {
        print(&comparison, args);
    }
    Ok(comparison.bar())
}

fn compare_folders(old: &Path, new: &Path, alpha: f64, least: f64) -> anyhow::Result<Comparison> {
    let folders = [gather(old)?, gather(new)?];
    let mut found = Vec::new();
    let mut refused = Vec::new();
    for (path, folder) in [old, new].iter().zip(&folders) {
        found.push(quantities(path, folder));
        refused.extend(
            folder
                .refused
                .iter()
                .map(|r| format!("{}: {}", path.join(&r.file).display(), r.reason)),
        );
    }
    let mut comparison = match found.as_slice() {
        [old, new] => compare(old, new, alpha, least),
        _ => Comparison::default(),
    };
    comparison.refused = refused;
    comparison.machines = differences(&folders[0].machine, &folders[1].machine);
    bars(&mut comparison, &folders);
    Ok(comparison)
}

/// Compares whatever both have.
pub(crate) fn compare(old: &[Quantity], new: &[Quantity], alpha: f64, least: f64) -> Comparison {
    let mut comparison = Comparison {
        drift: 1.0,
        ..Comparison::default()
    };
    let mut pairs: Vec<(&Quantity, Vec<f64>)> = Vec::new();
    for quantity in new {
        let Some(before) = old.iter().find(|q| q.is_like(quantity)) else {
            continue;
        };
        let ratios = quantity.ratios(before);
        if quantity.is_count {
            let differing = ratios.iter().filter(|log| log.abs() > 1e-9).count();
            if differing > 0 {
                comparison.work.push(format!(
                    "{}, {}: {} of {} counts differ, median {:+.2} %",
                    quantity.engine,
                    quantity.what,
                    differing,
                    ratios.len(),
                    100.0 * (median(&ratios).unwrap_or(0.0).exp() - 1.0)
                ));
            }
        } else if !ratios.is_empty() {
            pairs.push((quantity, ratios));
        }
    }
    let peers: Vec<f64> = pairs
        .iter()
        .filter(|(quantity, _)| !quantity.is_ours)
        .flat_map(|(_, ratios)| ratios.iter().copied())
        .collect();
    comparison.drift_count = peers.len();
    if comparison.is_corrected() {
        comparison.drift = median(&peers).unwrap_or(0.0).exp();
    }
    let judged_at = alpha / pairs.len().max(1) as f64;
    for (quantity, ratios) in pairs {
        comparison.changes.push(change(
            quantity,
            &ratios,
            comparison.drift,
            judged_at,
            least,
        ));
    }
    comparison
}

fn change(quantity: &Quantity, ratios: &[f64], drift: f64, alpha: f64, least: f64) -> Change {
    let drift = if quantity.is_ours { drift } else { 1.0 };
    let Interval { low, middle, high } = interval(ratios, alpha, &quantity.name());
    let times = |log: f64| log.exp() / drift;
    let (low, ratio, high) = (times(low), times(middle), times(high));
    let verdict = if ratios.len() < least_count(alpha) {
        Verdict::Unjudged
    } else if low > 1.0 && ratio >= 1.0 + least {
        Verdict::Slower
    } else if high < 1.0 && ratio <= 1.0 / (1.0 + least) {
        Verdict::Faster
    } else {
        Verdict::Same
    };
    Change {
        part: quantity.part.clone(),
        what: quantity.what.clone(),
        engine: quantity.engine.clone(),
        is_ours: quantity.is_ours,
        count: ratios.len(),
        ratio,
        low,
        high,
        verdict,
    }
}

/// Bars that were met and are not, or the other way round, and failures that are new.
fn bars(comparison: &mut Comparison, [old, new]: &[Collection; 2]) {
    for part in &new.parts {
        let Some(before) = old.part(&part.sheet.name) else {
            continue;
        };
        for bar in &part.sheet.bars {
            let key = without_numbers(&bar.claim);
            let mut alike = before
                .sheet
                .bars
                .iter()
                .filter(|b| without_numbers(&b.claim) == key);
            // A claim that is told from others by its numbers alone is compared with nothing.
            let (Some(was), None) = (alike.next(), alike.next()) else {
                continue;
            };
            let line = format!("{}: {} {}", part.sheet.name, bar.claim, bar.reached);
            match (was.is_met, bar.is_met) {
                (true, false) => comparison.lost_bars.push(line.trim_end().to_owned()),
                (false, true) => comparison.won_bars.push(line.trim_end().to_owned()),
                _ => {}
            }
        }
        for claim in &part.sheet.open {
            let key = without_numbers(claim);
            // An open bar may say more than the claim, or lack what was reached.
            let is_alike = |was: &&Claim| {
                let was = without_numbers(&was.claim);
                key.starts_with(&was) || was.starts_with(&key)
            };
            if before
                .sheet
                .bars
                .iter()
                .any(|was| was.is_met && is_alike(&was))
            {
                comparison
                    .opened_bars
                    .push(format!("{}: {claim}", part.sheet.name));
            }
        }
        for failure in part.sheet.failures.iter().filter(|f| f.is_ours) {
            if !before.sheet.failures.contains(failure) {
                comparison.new_failures.push(format!(
                    "{}: {}: {}",
                    part.sheet.name, failure.subject, failure.reason
                ));
            }
        }
    }
}

/// What is claimed, whatever was reached: many bars are printed with their figures inside.
pub(crate) fn without_numbers(claim: &str) -> String {
    claim
        .chars()
        .filter(|c| !c.is_ascii_digit() && *c != '.')
        .collect()
}

fn print(comparison: &Comparison, args: &Args) {
    println!(
        "{:<14} {:<44} {:<16} {:>6} {:>9}  interval",
        "part", "what", "engine", "pairs", "new/old"
    );
    let mut hidden = 0;
    for change in &comparison.changes {
        if !change.is_ours && change.verdict != Verdict::Slower && change.verdict != Verdict::Faster
        {
            hidden += 1;
            continue;
        }
        let verdict = match change.verdict {
            Verdict::Same => "",
            Verdict::Faster => "faster",
            Verdict::Slower if change.is_ours => "SLOWER",
            Verdict::Slower => "slower, not ours",
            Verdict::Unjudged => "too few to judge",
        };
        println!(
            "{:<14} {:<44} {:<16} {:>6} {:>9.3}  {:.3} … {:.3}  {verdict}",
            change.part,
            crate::report::clipped(&change.what, 44),
            crate::report::clipped(&change.engine, 16),
            change.count,
            change.ratio,
            change.low,
            change.high
        );
    }
    if hidden > 0 {
        println!("and {hidden} quantities of peers that did not change");
    }
    println!(
        "{} comparisons, each at 1 - {:.1e}; {}",
        comparison.changes.len(),
        args.alpha / comparison.changes.len().max(1) as f64,
        comparison.drift_words()
    );
    if let Some(words) = comparison.machine_words() {
        println!("OTHER MACHINE: {words}");
    }
    for (title, lines) in [
        ("work changed", &comparison.work),
        ("bar won", &comparison.won_bars),
        ("bar LOST", &comparison.lost_bars),
        ("bar no longer measured, OPEN", &comparison.opened_bars),
        ("new FAILURE", &comparison.new_failures),
        ("left out", &comparison.refused),
    ] {
        for line in lines {
            println!("{title}: {line}");
        }
    }
    println!(
        "bar: nothing of ours slower by {} % or more beyond its interval: {}",
        100.0 * args.least,
        comparison.bar().word()
    );
}

#[cfg(test)]
mod tests {
    use impinge::math::Rng;

    use super::quantities::Quantity;
    use super::{Comparison, Verdict, bars, compare, differences};
    use crate::Bar;
    use crate::report::{Collection, Machine, Part};
    use crate::sheet::Sheet;

    #[test]
    fn a_bar_that_was_met_and_is_open_now_is_flagged() {
        let folder = |is_open: bool| {
            let mut sheet = Sheet::new("average", "", "", "");
            sheet.claim("as fast as 3 peers", "2.0", true);
            if is_open {
                sheet.leave_open("beside coal (not installed)");
            } else {
                sheet.claim("beside coal", "1.5", true);
            }
            sheet.leave_open("never measured");
            Collection {
                parts: vec![Part {
                    sheet,
                    ..Part::default()
                }],
                ..Collection::default()
            }
        };
        let compared = |old: bool, new: bool| {
            let mut comparison = Comparison::default();
            bars(&mut comparison, &[folder(old), folder(new)]);
            comparison
        };
        assert_eq!(compared(false, false).bar(), Bar::Met);
        assert_eq!(compared(true, false).bar(), Bar::Met);
        let opened = compared(false, true);
        assert_eq!(opened.opened_bars, ["average: beside coal (not installed)"]);
        assert_eq!(opened.bar(), Bar::Open);
    }

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
                    is_count: false,
                    samples: samples.collect(),
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
                Verdict::Slower
            } else {
                Verdict::Same
            };
            assert_eq!(change.verdict, expected, "{change:?}");
            if planted {
                assert!(change.low < 1.1 && 1.1 < change.high, "{change:?}");
            }
        }
        let found = compare(&run(1, 1.1, 1.0), &run(2, 1.0, 1.0), 0.05, 0.03);
        assert_eq!(found.bar(), Bar::Met);
        let faster = |v: &super::Change| v.verdict == Verdict::Faster;
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

    #[test]
    fn records_of_two_machines_are_told_apart_and_decide_nothing_without_peers() {
        let machine = |processor: &str, cores: usize| Machine {
            processor: processor.to_owned(),
            cores,
            ..Machine::default()
        };
        assert!(differences(&machine("a", 2), &machine("a", 2)).is_empty());
        // Of an unknown machine nothing is said.
        assert!(differences(&machine("", 0), &machine("a", 2)).is_empty());
        let machines = differences(&machine("a", 2), &machine("b", 4));
        assert_eq!(
            machines,
            ["processor a before and b now", "cores 2 before and 4 now"]
        );
        let mut alone = Comparison {
            machines,
            ..Comparison::default()
        };
        assert_eq!(alone.bar(), Bar::Open);
        let words = alone.machine_words().unwrap_or_default();
        assert!(words.contains("processor a before") && words.contains("nothing is decided"));
        let json = serde_json::to_string(&alone).unwrap();
        assert!(json.contains("\"machines\":[\"processor a before and b now\""));
        alone.drift_count = super::LEAST_PEERS;
        assert_eq!(alone.bar(), Bar::Met);
        alone.lost_bars.push("as right as before".to_owned());
        assert_eq!(alone.bar(), Bar::Missed);
        assert_eq!(Comparison::default().machine_words(), None);
    }

    #[test]
    fn few_ratios_are_listed_without_a_verdict() {
        let few = |factor: f64| {
            let mut all = run(3, factor, 1.0);
            for quantity in &mut all {
                quantity.samples.truncate(4);
            }
            all
        };
        let found = compare(&few(1.0), &few(2.0), 0.05, 0.03);
        assert!(found.changes.iter().all(|c| c.verdict == Verdict::Unjudged));
        assert_eq!(found.bar(), Bar::Met);
    }
}
