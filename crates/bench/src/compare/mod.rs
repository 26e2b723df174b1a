//! `impinge-bench compare`: what changed between two folders of records, and how sure that is.
//!
//! **Question.** Did anything of ours become slower, or is it noise?
//! **Idea.** Only what was measured in both folders on the same thing (pose, point of a line, row of a table) is compared, as a ratio. Of
//! all ratios of one engine on one question the median counts, with the exact interval of its order statistics. Peers did not change, so
//! what they seem to have changed by is the machine's doing: with enough of them ours is divided by it.
//! **Promise.** Nothing is drawn by lot: equal records give equal words. With m quantities of ours that have enough ratios to be judged, each has its interval at
//! 1 − α/m: the chance that any of them is flagged without cause is at most α. What has too few ratios is counted, and flagged without
//! a verdict from half as long again on, single figures from three times as long on. What the older folder has and the newer has not, or has damaged, is named. Nothing of this is
//! called met.
//! **Limits.** Poses of one pair of meshes are not independent of each other, and an engine's times of one run have something in common, so intervals are somewhat too narrow: a change below
//! `--least` is never flagged, however sure it looks. Records of two machines are compared with a warning, and without enough peers on both
//! nothing is decided.

mod changes;
mod claims;
mod quantities;
mod statistics;

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::Bar;
use crate::report::{Machine, gather};
use changes::{Change, ChangeVerdict, compare};
use claims::claims;
use quantities::quantities;

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

/// Everything that changed.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Comparison {
    pub(crate) changes: Vec<Change>,
    /// The chance of a false alarm that each judged quantity has.
    pub(crate) level: f64,
    /// By what factor peers differ, which is the machine's doing; 1 with too few of them.
    pub(crate) drift: f64,
    pub(crate) drift_count: usize,
    pub(crate) lost_bars: Vec<String>,
    pub(crate) won_bars: Vec<String>,
    /// Bars that were met and that nothing was measured for now.
    pub(crate) opened_bars: Vec<String>,
    pub(crate) new_failures: Vec<String>,
    /// Parts that the older folder alone has.
    pub(crate) missing_parts: Vec<String>,
    /// Quantities of ours that the older folder alone has, in parts that both have.
    pub(crate) gone: Vec<String>,
    /// Quantities of ours of which most figures are in the older folder alone.
    pub(crate) thinned: Vec<String>,
    /// In what the machines differ that both were measured on; nothing, if that is not known of both.
    pub(crate) machines: Vec<String>,
    /// Counts of work that differ: these have no noise.
    pub(crate) work: Vec<String>,
    /// Files of either folder that are damaged.
    pub(crate) refused: Vec<String>,
}

impl Comparison {
    /// Whether something of ours became worse; open where that cannot be decided.
    pub(crate) fn bar(&self) -> Bar {
        let is_worse = self.ours(ChangeVerdict::Slower) > 0
            || !self.lost_bars.is_empty()
            || !self.new_failures.is_empty();
        let lists = [
            &self.opened_bars,
            &self.missing_parts,
            &self.gone,
            &self.thinned,
            &self.refused,
        ];
        let is_whole = lists.iter().all(|list| list.is_empty());
        let is_comparable = self.machines.is_empty() || self.is_corrected();
        if is_worse {
            Bar::Missed
        } else if self.judged() > 0
            && self.ours(ChangeVerdict::Suspect) == 0
            && is_whole
            && is_comparable
        {
            Bar::Met
        } else {
            Bar::Open
        }
    }

    /// How many quantities of ours have this verdict.
    fn ours(&self, verdict: ChangeVerdict) -> usize {
        let is_such = |c: &&Change| c.is_ours && c.verdict == verdict;
        self.changes.iter().filter(is_such).count()
    }

    /// How many quantities of ours had enough ratios.
    fn judged(&self) -> usize {
        let is_judged = |c: &&Change| c.is_ours && c.low.is_some();
        self.changes.iter().filter(is_judged).count()
    }

    /// How many had not.
    fn unjudged(&self) -> usize {
        self.changes.iter().filter(|c| c.is_ours).count() - self.judged()
    }

    /// Whether there were enough peers to take the machine's drift out of ours.
    fn is_corrected(&self) -> bool {
        self.drift_count >= LEAST_PEERS
    }

    /// How much was judged.
    fn count_words(&self, alpha: f64) -> String {
        let judged = match self.judged() {
            0 => "no quantity of ours has enough figures in both to be judged".to_owned(),
            n => format!(
                "{n} quantities of ours judged, each at 1 - {:.1e}, all at 1 - {alpha}",
                self.level
            ),
        };
        format!(
            "{judged}; {} have too few figures to be judged, {} of these or of their single figures much slower",
            self.unjudged(),
            self.ours(ChangeVerdict::Suspect)
        )
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
    let mut refused = Vec::new();
    let [was, is] = [(old, &folders[0]), (new, &folders[1])].map(|(path, folder)| {
        let (found, damaged) = quantities(path, folder);
        refused.extend(
            folder
                .refused
                .iter()
                .map(|r| format!("{}: {}", path.join(&r.file).display(), r.reason)),
        );
        refused.extend(damaged);
        found
    });
    let mut comparison = compare(&was, &is, alpha, least);
    comparison.refused = refused;
    comparison.machines = differences(&folders[0].machine, &folders[1].machine);
    claims(&mut comparison, &folders);
    Ok(comparison)
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
    let mut same = [0, 0];
    for change in &comparison.changes {
        let verdict = match change.verdict {
            ChangeVerdict::Same | ChangeVerdict::Unjudged => {
                same[usize::from(!change.is_ours)] += 1;
                continue;
            }
            ChangeVerdict::Faster => "faster".to_owned(),
            ChangeVerdict::Slower if change.is_ours => "SLOWER".to_owned(),
            ChangeVerdict::Suspect if change.is_ours => format!(
                "MUCH SLOWER, too few to judge; at worst {:.1} times ({})",
                change.worst_ratio, change.worst
            ),
            ChangeVerdict::Slower | ChangeVerdict::Suspect => "slower, not ours".to_owned(),
        };
        let interval = match (change.low, change.high) {
            (Some(low), Some(high)) => format!("{low:.3} … {high:.3}"),
            _ => "-".to_owned(),
        };
        println!(
            "{:<14} {:<44} {:<16} {:>6} {:>9.3}  {interval}  {verdict}",
            change.part,
            crate::report::clipped(&change.what, 44),
            crate::report::clipped(&change.engine, 16),
            change.count,
            change.ratio,
        );
    }
    println!(
        "and {} quantities of ours and {} of peers that did not change as far as can be told (--json has all)",
        same[0], same[1]
    );
    println!("{}", comparison.count_words(args.alpha));
    println!("{}", comparison.drift_words());
    if let Some(words) = comparison.machine_words() {
        println!("OTHER MACHINE: {words}");
    }
    for (title, lines) in [
        ("work changed", &comparison.work),
        ("bar won", &comparison.won_bars),
        ("bar LOST", &comparison.lost_bars),
        ("bar no longer measured, OPEN", &comparison.opened_bars),
        ("new FAILURE", &comparison.new_failures),
        ("part only in the older, OPEN", &comparison.missing_parts),
        ("times only in the older, OPEN", &comparison.gone),
        ("most times only in the older, OPEN", &comparison.thinned),
        ("DAMAGED and left out, OPEN", &comparison.refused),
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
    use super::{Comparison, compare_folders, differences};
    use crate::Bar;
    use crate::report::Machine;

    #[test]
    fn nothing_compared_is_not_met() {
        assert_eq!(Comparison::default().bar(), Bar::Open);
        let folder = std::env::temp_dir().join(format!("impinge-cmp-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let found = compare_folders(&folder, &folder, 0.05, 0.03).unwrap();
        assert_eq!(found.bar(), Bar::Open);
        assert!(found.count_words(0.05).contains("no quantity"));
        std::fs::remove_dir_all(&folder).unwrap();
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
        alone.changes.push(super::Change::none());
        assert_eq!(alone.bar(), Bar::Met);
        alone.lost_bars.push("as right as before".to_owned());
        assert_eq!(alone.bar(), Bar::Missed);
        assert_eq!(Comparison::default().machine_words(), None);
    }
}
