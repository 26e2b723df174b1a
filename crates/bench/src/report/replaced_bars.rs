//! Bars of old records that were replaced since: they could not be missed, or required less than
//! they said. They count neither as met nor as missed.

use self::ClaimPattern::{Inside, Start, Whole};
use crate::result_sheet::{Claim, ResultSheet};

/// Stands before the reason, in the words of such a bar.
const REPLACED: &str = "replaced since: ";

/// How a bar of a record is recognised. Today's bars have other words.
enum ClaimPattern {
    Whole(&'static str),
    Start(&'static str),
    Inside(&'static str),
}

impl ClaimPattern {
    fn matches(&self, claim: &str) -> bool {
        match self {
            Self::Whole(words) => claim == *words,
            Self::Start(words) => claim.starts_with(words),
            Self::Inside(words) => claim.contains(words),
        }
    }
}

const ARMADILLO: &str =
    "measured on the armadillo of 52 000 faces, each cut into six, as a model of 312 000";
const PLANES: &str = "it allowed ten times the published errors";

/// The part, its bar, and why it is none any more.
const REPLACED_BARS: [(&str, ClaimPattern, &str); 11] = [
    (
        "ablation-1994",
        Whole("every ratio that differs has its reason"),
        "it could not be missed; each ratio is a bar of its own",
    ),
    (
        "quality",
        Start("a perfect engine scores"),
        "it judged formulas by themselves",
    ),
    (
        "bodies",
        Inside("x all pairs, asked"),
        "one mover is compared with the 499 others, not with all pairs",
    ),
    (
        "bodies",
        Inside("grid leaves"),
        "it counted overlapping boxes, not pairs that share a cell",
    ),
    ("planes", Start("no error more than 10"), PLANES),
    ("planes", Start("errors of the published order"), PLANES),
    (
        "volume-accuracy",
        Whole("volume with gaps counted within 5 % on average"),
        "it had no contact shallower than 1 % of the solid",
    ),
    (
        "volume-distance",
        Start("at least 50 times as fast as FCL's exact distance"),
        ARMADILLO,
    ),
    ("volume-growth", Start("10000 balls in"), ARMADILLO),
    ("volume-growth", Start("100000 balls in"), ARMADILLO),
    (
        "volume-trees",
        Inside(", or refuted"),
        "it was met when refuted",
    ),
];

/// Moves the bars that were replaced to those that are open, with what they found and why they are
/// no bars any more.
pub(super) fn withdraw(sheet: &mut ResultSheet) {
    let part = sheet.name.clone();
    let reason = |bar: &Claim| {
        let mut bars = REPLACED_BARS.iter();
        let found = bars.find(|(of, claim, _)| *of == part && claim.matches(&bar.claim));
        found.map(|(_, _, reason)| *reason)
    };
    let open = &mut sheet.open;
    sheet.bars.retain(|bar| {
        let Some(reason) = reason(bar) else {
            return true;
        };
        let state = if bar.is_met { "met" } else { "missed" };
        let reached = match bar.reached.as_str() {
            "" => String::new(),
            reached => format!(": {reached}"),
        };
        let Claim { claim, .. } = bar;
        open.push(format!(
            "{claim}{reached}: {state} then, {REPLACED}{reason}"
        ));
        false
    });
}

/// Whether an open bar is one that was replaced.
pub(super) fn is_replaced(open: &str) -> bool {
    open.contains(REPLACED)
}

#[cfg(test)]
mod tests {
    use super::{is_replaced, withdraw};
    use crate::result_sheet::{Claim, ResultSheet};

    fn sheet(name: &str, claims: &[(&str, bool)]) -> ResultSheet {
        let mut sheet = ResultSheet::new(name, "", "", "");
        sheet.bars = claims
            .iter()
            .map(|(claim, is_met)| Claim {
                claim: (*claim).to_owned(),
                reached: String::new(),
                is_met: *is_met,
            })
            .collect();
        sheet
    }

    #[test]
    fn a_replaced_bar_is_neither_met_nor_missed() {
        let mut growth = sheet(
            "volume-growth",
            &[
                ("10000 balls in 1.5 s of wall time", false),
                ("100000 balls in 10 s of wall time", true),
                ("time not worse than n log n from 10^3 to 10^6 balls", true),
            ],
        );
        growth.open.push("one more".to_owned());
        withdraw(&mut growth);
        assert_eq!(growth.bars.len(), 1);
        assert!(growth.bars[0].claim.starts_with("time not worse"));
        assert!(growth.open[1].starts_with("10000 balls in 1.5 s of wall time: missed then, "));
        assert!(growth.open[2].starts_with("100000 balls in 10 s of wall time: met then, "));
        let replaced: Vec<bool> = growth.open.iter().map(|open| is_replaced(open)).collect();
        assert_eq!(replaced, [false, true, true]);
    }

    #[test]
    fn bars_of_today_and_of_other_parts_stay() {
        let today = [
            (
                "volume-growth",
                "dragon: 10000 balls in 1.5 s of wall time, took 1.20",
            ),
            (
                "volume-accuracy",
                "volume with gaps counted within 5 % on average, where 1 to 10 % of the solid is shared",
            ),
            (
                "volume-distance",
                "dragon: at least 50 times as fast as FCL's exact distance, on average",
            ),
            ("volume-feasible", "10000 balls in 1.5 s of wall time"),
        ];
        for (part, claim) in today {
            let mut sheet = sheet(part, &[(claim, true)]);
            withdraw(&mut sheet);
            assert_eq!((sheet.bars.len(), sheet.open.len()), (1, 0), "{claim}");
        }
    }
}
