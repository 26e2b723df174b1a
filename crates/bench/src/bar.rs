//! Whether a bar is met, missed or open.
//!
//! What was not measured is neither met nor missed: a peer that is not installed, a model that is not there, a list of cases that
//! came out empty, a ratio that is not a number. Such a bar is *open*, it is printed as such, and a benchmark with an open bar has not
//! met its bars.

use std::fmt::Display;

/// What became of the bar that a benchmark holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bar {
    Met,
    /// Nothing was measured that could decide it.
    Open,
    Missed,
}

impl Bar {
    /// The bar of something that was looked at.
    pub(crate) fn of(is_met: bool) -> Self {
        if is_met { Self::Met } else { Self::Missed }
    }

    /// A figure that must be at least so large; open without a figure.
    pub(crate) fn at_least(figure: impl Into<Option<f64>>, asked: f64) -> Self {
        Self::judged(figure.into(), |figure| figure >= asked)
    }

    /// A figure that must be at most so large; open without a figure.
    pub(crate) fn at_most(figure: impl Into<Option<f64>>, asked: f64) -> Self {
        Self::judged(figure.into(), |figure| figure <= asked)
    }

    fn judged(figure: Option<f64>, is_met: impl Fn(f64) -> bool) -> Self {
        match figure {
            Some(figure) if !figure.is_nan() => Self::of(is_met(figure)),
            _ => Self::Open,
        }
    }

    /// None wrong of so many cases; open without a case.
    pub(crate) fn none_wrong(wrong: u64, cases: u64) -> Self {
        if wrong == 0 && cases == 0 {
            Self::Open
        } else {
            Self::of(wrong == 0)
        }
    }

    /// All of them; open if there is none.
    pub(crate) fn every(cases: impl IntoIterator<Item = bool>) -> Self {
        Self::together(cases.into_iter().map(Self::of))
    }

    /// Several bars as one: missed if one is, else open if one is or if there is none.
    pub(crate) fn together(bars: impl IntoIterator<Item = Self>) -> Self {
        bars.into_iter().reduce(Self::and).unwrap_or(Self::Open)
    }

    /// Both as one.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Missed, _) | (_, Self::Missed) => Self::Missed,
            (Self::Open, _) | (_, Self::Open) => Self::Open,
            (Self::Met, Self::Met) => Self::Met,
        }
    }

    /// As it is printed at the end of its line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Open => "open",
            Self::Missed => "missed",
        }
    }

    /// What the program ends with. An error of its own ends with 1 as well, wrong arguments end with 2.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::Met => 0,
            Self::Missed => 1,
            Self::Open => OPEN_EXIT,
        }
    }
}

/// The exit code of a run that missed no bar and left one open.
pub(crate) const OPEN_EXIT: u8 = 3;

/// The bars of one run, printed as they come.
#[derive(Debug, Default)]
pub(crate) struct Bars(Option<Bar>);

impl Bars {
    /// Prints a bar and counts it.
    pub(crate) fn say(&mut self, bar: Bar, text: impl Display) {
        println!("bar: {text}: {}", bar.word());
        self.count(bar);
    }

    /// Counts a bar that was printed elsewhere.
    pub(crate) fn count(&mut self, bar: Bar) {
        self.0 = Some(self.0.map_or(bar, |all| all.and(bar)));
    }

    /// All of them as one; open if there was none.
    pub(crate) fn end(&self) -> Bar {
        self.0.unwrap_or(Bar::Open)
    }
}

#[cfg(test)]
mod tests {
    use super::{Bar, Bars};

    #[test]
    fn what_was_not_measured_is_open() {
        assert_eq!(Bar::at_least(None::<f64>, 2.0), Bar::Open);
        assert_eq!(Bar::at_least(f64::NAN, 2.0), Bar::Open);
        assert_eq!(Bar::at_most(f64::NAN, 2.0), Bar::Open);
        assert_eq!(Bar::every([]), Bar::Open);
        assert_eq!(Bar::none_wrong(0, 0), Bar::Open);
        assert_eq!(Bars::default().end(), Bar::Open);
    }

    #[test]
    fn what_was_measured_is_met_or_missed() {
        assert_eq!(Bar::at_least(2.0, 2.0), Bar::Met);
        assert_eq!(Bar::at_least(Some(1.9), 2.0), Bar::Missed);
        assert_eq!(Bar::at_most(f64::INFINITY, 2.0), Bar::Missed);
        assert_eq!(Bar::every([true, false]), Bar::Missed);
        assert_eq!(Bar::none_wrong(0, 9), Bar::Met);
        assert_eq!(Bar::none_wrong(1, 0), Bar::Missed);
    }

    #[test]
    fn a_missed_bar_outweighs_an_open_one_and_an_open_one_a_met_one() {
        let all = [Bar::Met, Bar::Open, Bar::Missed];
        for (i, a) in all.into_iter().enumerate() {
            for (j, b) in all.into_iter().enumerate() {
                assert_eq!(a.and(b), all[i.max(j)]);
            }
        }
        let mut bars = Bars::default();
        bars.say(Bar::Met, "one");
        assert_eq!(bars.end(), Bar::Met);
        bars.count(Bar::Open);
        bars.say(Bar::Met, "another");
        assert_eq!(bars.end(), Bar::Open);
        let codes = all.map(Bar::exit_code);
        assert!(codes[0] == 0 && codes[1] != 0 && codes[1] != codes[2]);
    }
}
