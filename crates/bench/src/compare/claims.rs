//! Bars and parts: what was lost, won or is no longer there.

use super::quantities::DERIVED;
use super::{Comparison, without_numbers};
use crate::report::{Collection, ReportPart};
use crate::result_sheet::Claim;

/// Compares bars, failures and parts of two folders.
pub(super) fn claims(comparison: &mut Comparison, [old, new]: &[Collection; 2]) {
    for part in &new.parts {
        if let Some(before) = old.part(&part.sheet.name) {
            bars(comparison, before, part);
        }
        let before = old.part(&part.sheet.name).map(|p| &p.sheet.failures);
        for failure in part.sheet.failures.iter().filter(|f| f.is_ours) {
            if before.is_some_and(|before| !before.contains(failure)) {
                comparison.new_failures.push(format!(
                    "{}: {}: {}",
                    part.sheet.name, failure.subject, failure.reason
                ));
            }
        }
    }
    for before in &old.parts {
        let name = before.sheet.name.as_str();
        if new.part(name).is_none() && !DERIVED.contains(&name) {
            let met = before.sheet.bars.iter().filter(|bar| bar.is_met).count();
            comparison
                .missing_parts
                .push(format!("{name} (bars that were met in it: {met})"));
            // All of its times are gone with it.
            let of_it = format!("{name}, ");
            comparison.gone.retain(|gone| !gone.starts_with(&of_it));
        }
    }
}

/// Bars of a part that were met and are not, or the other way round.
fn bars(comparison: &mut Comparison, before: &ReportPart, part: &ReportPart) {
    let (old, new) = (&before.sheet.bars, &part.sheet.bars);
    let line = |bar: &Claim| {
        let line = format!("{}: {} {}", part.sheet.name, bar.claim, bar.reached);
        line.trim_end().to_owned()
    };
    let mut rest = Vec::new();
    for bar in new {
        match old.iter().find(|was| was.claim == bar.claim) {
            Some(was) if was.is_met && !bar.is_met => comparison.lost_bars.push(line(bar)),
            Some(was) if !was.is_met && bar.is_met => comparison.won_bars.push(line(bar)),
            Some(_) => {}
            None => rest.push(bar),
        }
    }
    // Claims with other figures in them. Those that only their figures tell apart are compared by how many of them are met.
    let gone: Vec<&Claim> = old
        .iter()
        .filter(|was| new.iter().all(|bar| bar.claim != was.claim))
        .collect();
    let mut keys: Vec<String> = Vec::new();
    for bar in rest.iter().chain(&gone) {
        let key = without_numbers(&bar.claim);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    for key in keys {
        let is_alike = |bar: &&&Claim| without_numbers(&bar.claim) == key;
        let is: Vec<&Claim> = rest.iter().filter(is_alike).copied().collect();
        let was: Vec<&Claim> = gone.iter().filter(is_alike).copied().collect();
        let met = |bars: &[&Claim]| bars.iter().filter(|bar| bar.is_met).count();
        let (met_before, met_now) = (met(&was), met(&is));
        let missed_before = was.len() - met_before;
        if was.is_empty() {
            // New, and so neither lost nor won.
        } else if is.len() - met_now > missed_before && met_now < met_before {
            let missed = is.iter().filter(|bar| !bar.is_met);
            comparison.lost_bars.extend(missed.map(|bar| line(bar)));
        } else if met_now < met_before {
            // Named below if it is open now.
            let is_open = |claim: &String| is_alike_open(&key, claim);
            if !part.sheet.open.iter().any(is_open) {
                let words = format!("{}: {} (not there now)", part.sheet.name, was[0].claim);
                comparison.opened_bars.push(words);
            }
        } else if met_now > met_before && is.len() - met_now < missed_before {
            let met = is.iter().filter(|bar| bar.is_met);
            comparison.won_bars.extend(met.map(|bar| line(bar)));
        }
    }
    for claim in &part.sheet.open {
        let was_met =
            |was: &Claim| was.is_met && is_alike_open(&without_numbers(&was.claim), claim);
        if old.iter().any(was_met) {
            comparison
                .opened_bars
                .push(format!("{}: {claim}", part.sheet.name));
        }
    }
}

/// Whether an open bar is that of a claim: it may say more than the claim, or lack what was reached.
fn is_alike_open(key: &str, open: &str) -> bool {
    let open = without_numbers(open);
    open.starts_with(key) || key.starts_with(&open)
}

#[cfg(test)]
mod tests {
    use super::claims;
    use crate::Bar;
    use crate::compare::Comparison;
    use crate::compare::changes::Change;
    use crate::report::{Collection, ReportPart};
    use crate::result_sheet::{Failure, ResultSheet};

    fn folder(sheets: Vec<ResultSheet>) -> Collection {
        let part = |sheet| ReportPart {
            sheet,
            ..ReportPart::default()
        };
        Collection {
            parts: sheets.into_iter().map(part).collect(),
            ..Collection::default()
        }
    }

    /// A comparison that would be met by its times alone.
    fn compared(old: &Collection, new: &Collection) -> Comparison {
        let mut comparison = Comparison {
            changes: vec![Change::none()],
            ..Comparison::default()
        };
        claims(&mut comparison, &[old.clone(), new.clone()]);
        comparison
    }

    fn average(claim: impl FnOnce(&mut ResultSheet)) -> Collection {
        let mut sheet = ResultSheet::new("average", "", "", "");
        sheet.claim("as fast as 3 peers", "2.0", true);
        sheet.leave_open("never measured");
        claim(&mut sheet);
        folder(vec![sheet])
    }

    #[test]
    fn a_bar_that_was_met_and_is_open_or_gone_now_is_flagged() {
        let met = average(|sheet| sheet.claim("beside coal", "1.5", true));
        let open = average(|sheet| sheet.leave_open("beside coal (not installed)"));
        let gone = average(|_| {});
        assert_eq!(compared(&met, &met).bar(), Bar::Met);
        assert_eq!(compared(&open, &met).bar(), Bar::Met);
        let opened = compared(&met, &open);
        assert_eq!(opened.opened_bars, ["average: beside coal (not installed)"]);
        assert_eq!(opened.bar(), Bar::Open);
        let lost = compared(&met, &gone);
        assert_eq!(lost.opened_bars, ["average: beside coal (not there now)"]);
        assert_eq!(lost.bar(), Bar::Open);
        assert_eq!(compared(&gone, &met).bar(), Bar::Met);
    }

    #[test]
    fn bars_that_only_their_figures_tell_apart_are_lost_all_the_same() {
        let two = |first: bool, second: bool, figures: [&str; 2]| {
            average(|sheet| {
                sheet.claim(&format!("{} times fewer", figures[0]), "", first);
                sheet.claim(&format!("{} times fewer", figures[1]), "", second);
            })
        };
        let old = two(true, true, ["3.1", "4.1"]);
        assert_eq!(
            compared(&old, &two(true, true, ["3.2", "4.2"])).bar(),
            Bar::Met
        );
        let lost = compared(&old, &two(true, false, ["3.2", "4.2"]));
        assert_eq!(lost.lost_bars, ["average: 4.2 times fewer"]);
        assert_eq!(lost.bar(), Bar::Missed);
        // With the same figures each is compared with its own.
        let lost = compared(&old, &two(false, true, ["3.1", "4.1"]));
        assert_eq!(lost.lost_bars, ["average: 3.1 times fewer"]);
        let won = compared(&two(true, false, ["3.1", "4.1"]), &old);
        assert_eq!(won.won_bars, ["average: 4.1 times fewer"]);
        assert_eq!(won.bar(), Bar::Met);
    }

    #[test]
    fn a_part_that_is_gone_is_named_and_decides_nothing() {
        let old = average(|_| {});
        let mut new = old.clone();
        new.parts.clear();
        let found = compared(&old, &new);
        assert_eq!(
            found.missing_parts,
            ["average (bars that were met in it: 1)"]
        );
        assert_eq!(found.bar(), Bar::Open);
        // A part more is no loss, nor is what is made from others.
        assert_eq!(compared(&new, &old).bar(), Bar::Met);
        let suite = folder(vec![ResultSheet::new("suite", "", "", "")]);
        assert_eq!(compared(&suite, &new).bar(), Bar::Met);
    }

    #[test]
    fn what_broke_anew_fails() {
        let old = average(|_| {});
        let failed = |is_ours| {
            average(|sheet| {
                sheet.failures.push(Failure {
                    subject: "x".to_owned(),
                    reason: "died".to_owned(),
                    is_ours,
                });
            })
        };
        assert_eq!(compared(&old, &failed(true)).bar(), Bar::Missed);
        assert_eq!(compared(&old, &failed(false)).bar(), Bar::Met);
        assert_eq!(compared(&failed(true), &failed(true)).bar(), Bar::Met);
    }
}
