//! Clash rules: which pairs of parts are tested, by name.

use thiserror::Error;

use super::glob::{Glob, GlobError};
use super::part::{Clash, ClashKind, InnerPart};

/// Rules about pairs of parts, in lines of text.
///
/// | line | meaning |
/// |---|---|
/// | `select P Q` | look at pairs of a part that fits `P` and one that fits `Q` |
/// | `select P` | look at pairs with a part that fits `P` |
/// | `ignore P Q` | leave out pairs of a part that fits `P` and one that fits `Q` |
/// | `ignore P` | leave out parts that fit `P` |
/// | `ignore:KIND P Q` | leave out clashes of this [kind](super::ClashKind) of such pairs; `P` alone stands for `P *` |
/// | `# …` | nothing; also behind a rule |
///
/// Patterns are [`Glob`]s; one with spaces stands in double quotes. Without a `select`, all pairs are examined; `ignore` is stronger.
/// The order of lines does not matter, nor does the order of a line's two patterns, with one exception: `ignore:contained P Q` is one-sided. It leaves out parts that
/// fit `P` and lie inside parts that fit `Q`, not the reverse.
///
/// ```
/// use impinge::clash::ClashRules;
/// let rules = ClashRules::parse("select gear* *\nignore gear? \"shaft *\"  # they share an axis\n")?;
/// let filter = rules.filter(["gear1", "shaft left", "gear2", "lid"]);
/// assert!(!filter.accepts(0, 1) && filter.accepts(0, 2) && !filter.accepts(1, 3));
/// # Ok::<(), impinge::clash::RuleError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClashRules {
    select: Vec<PatternRule>,
    ignore: Vec<PatternRule>,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PatternRule {
    line: usize,
    patterns: [Glob; 2],
    /// The kind of clash that it is about; none for all.
    kind: Option<ClashKind>,
}

/// Why rules cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RuleError {
    /// A line begins with another word.
    #[error("line {line}: a rule begins with 'select' or 'ignore', not '{word}'")]
    UnknownWord {
        /// The line, counted from 1.
        line: usize,
        /// The word found.
        word: String,
    },
    /// No kind of clash has this name.
    #[error(
        "line {line}: there is no kind of clash '{word}'; the kinds are {}",
        kinds()
    )]
    UnknownKind {
        /// The line, counted from 1.
        line: usize,
        /// The word found.
        word: String,
    },
    /// There are no patterns or more than two.
    #[error(
        "line {line}: '{word}' needs one or two patterns, found {count}; put a pattern with spaces in double quotes"
    )]
    PatternCount {
        /// The line, counted from 1.
        line: usize,
        /// The word that begins it.
        word: String,
        /// How many patterns follow.
        count: usize,
    },
    /// A quotation does not end.
    #[error("line {line}: a quotation mark has no partner")]
    OpenQuote {
        /// The line, counted from 1.
        line: usize,
    },
    /// A pattern is none.
    #[error("line {line}: {source}")]
    BadPattern {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        source: GlobError,
    },
}

impl ClashRules {
    /// The rules in a text.
    ///
    /// # Errors
    /// [`RuleError`] with the line.
    ///
    /// ```
    /// use impinge::clash::ClashRules;
    /// let refused = ClashRules::parse("ignore bolt*\nskip nut*\n").unwrap_err();
    /// assert_eq!(refused.to_string(), "line 2: a rule begins with 'select' or 'ignore', not 'skip'");
    /// ```
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let mut rules = Self::default();
        for (line, content) in (1..).zip(text.lines()) {
            let words = words(content).ok_or(RuleError::OpenQuote { line })?;
            let Some((word, patterns)) = words.split_first() else {
                continue;
            };
            let (verb, kind) = match word.split_once(':') {
                Some((verb @ "ignore", kind)) => (verb, Some(kind)),
                _ => (word.as_str(), None),
            };
            let list = match verb {
                "select" => &mut rules.select,
                "ignore" => &mut rules.ignore,
                _ => {
                    return Err(RuleError::UnknownWord {
                        line,
                        word: word.clone(),
                    });
                }
            };
            let kind = match kind {
                None => None,
                Some(name) => Some(
                    *ClashKind::ALL
                        .iter()
                        .find(|kind| kind.name() == name)
                        .ok_or_else(|| RuleError::UnknownKind {
                            line,
                            word: name.to_owned(),
                        })?,
                ),
            };
            let glob = |text: &str| {
                text.parse::<Glob>()
                    .map_err(|source| RuleError::BadPattern { line, source })
            };
            let patterns = match patterns {
                [p] => [glob(p)?, glob("*")?],
                [p, q] => [glob(p)?, glob(q)?],
                _ => {
                    return Err(RuleError::PatternCount {
                        line,
                        word: word.clone(),
                        count: patterns.len(),
                    });
                }
            };
            list.push(PatternRule {
                line,
                patterns,
                kind,
            });
        }
        Ok(rules)
    }

    /// Whether there is no rule.
    ///
    /// ```
    /// assert!(impinge::clash::ClashRules::parse("# nothing yet\n")?.is_empty());
    /// # Ok::<(), impinge::clash::RuleError>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.select.is_empty() && self.ignore.is_empty()
    }

    /// The rules applied to these names: patterns are compared once per name, not once per pair.
    ///
    /// ```
    /// use impinge::clash::ClashRules;
    /// let filter = ClashRules::parse("ignore screw* nut*")?.filter(["nut 1", "screw 1"]);
    /// assert!(!filter.accepts(0, 1) && filter.accepts(0, 0));
    /// # Ok::<(), impinge::clash::RuleError>(())
    /// ```
    #[must_use]
    pub fn filter<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> ClashFilter {
        let names: Vec<&str> = names.into_iter().collect();
        let apply = |rules: &[PatternRule]| {
            let fits = |glob: &Glob| names.iter().map(|name| glob.matches(name)).collect();
            rules
                .iter()
                .map(|rule| AppliedRule {
                    line: rule.line,
                    fits: rule.patterns.each_ref().map(fits),
                    kind: rule.kind,
                })
                .collect()
        };
        ClashFilter {
            select: apply(&self.select),
            ignore: apply(&self.ignore),
        }
    }
}

/// Whether each name fits the one pattern of a rule, and the other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AppliedRule {
    line: usize,
    fits: [Vec<bool>; 2],
    kind: Option<ClashKind>,
}

impl AppliedRule {
    /// Whether the parts fit the patterns in this order.
    fn fits_in_order(&self, first: u32, second: u32) -> bool {
        let at = |which: &Vec<bool>, part: u32| which.get(part as usize).copied().unwrap_or(false);
        at(&self.fits[0], first) && at(&self.fits[1], second)
    }

    fn fits(&self, a: u32, b: u32) -> bool {
        self.fits_in_order(a, b) || self.fits_in_order(b, a)
    }
}

/// [`ClashRules`] applied to the names of parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClashFilter {
    select: Vec<AppliedRule>,
    ignore: Vec<AppliedRule>,
}

impl ClashFilter {
    /// Whether the pair of these numbers is examined; numbers beyond the names fit no pattern.
    ///
    /// ```
    /// use impinge::clash::ClashFilter;
    /// assert!(ClashFilter::default().accepts(0, 1));
    /// ```
    #[must_use]
    pub fn accepts(&self, a: u32, b: u32) -> bool {
        let ignores = |rule: &AppliedRule| rule.kind.is_none() && rule.fits(a, b);
        (self.select.is_empty() || self.select.iter().any(|rule| rule.fits(a, b)))
            && !self.ignore.iter().any(ignores)
    }

    /// Whether a clash is kept: no rule ignores its kind for its parts.
    ///
    /// ```
    /// use impinge::clash::{Clash, ClashKind, ClashRules, InnerPart};
    /// use impinge::DVec3;
    /// let filter = ClashRules::parse("ignore:contained bar* slab*")?.filter(["bar 1", "slab 1"]);
    /// let clash = |inner| Clash { a: 0, b: 1, kind: ClashKind::Contained, depth: None, distance: 0.0, points: [DVec3::ZERO; 2],
    ///     inner: Some(inner), is_within_precision: false };
    /// assert!(!filter.keeps(&clash(InnerPart::A)) && filter.keeps(&clash(InnerPart::B)));
    /// # Ok::<(), impinge::clash::RuleError>(())
    /// ```
    #[must_use]
    pub fn keeps(&self, clash: &Clash) -> bool {
        let (a, b) = (clash.a, clash.b);
        let ignores = |rule: &AppliedRule| {
            rule.kind == Some(clash.kind)
                && match (clash.kind, clash.inner) {
                    (ClashKind::Contained, Some(InnerPart::A)) => rule.fits_in_order(a, b),
                    (ClashKind::Contained, Some(InnerPart::B)) => rule.fits_in_order(b, a),
                    _ => rule.fits(a, b),
                }
        };
        !self.ignore.iter().any(ignores)
    }

    /// The lines of rules with a pattern that matches no name, ascending: such a rule has no
    /// effect.
    ///
    /// ```
    /// use impinge::clash::ClashRules;
    /// let filter = ClashRules::parse("ignore nut*\nignore bolt* lid\n")?.filter(["bolt 1", "nut 1"]);
    /// assert_eq!(filter.idle_lines(), [2]);
    /// # Ok::<(), impinge::clash::RuleError>(())
    /// ```
    #[must_use]
    pub fn idle_lines(&self) -> Vec<usize> {
        let is_idle = |rule: &&AppliedRule| rule.fits.iter().any(|fits| !fits.contains(&true));
        let rules = self.select.iter().chain(&self.ignore);
        let mut lines: Vec<usize> = rules.filter(is_idle).map(|rule| rule.line).collect();
        lines.sort_unstable();
        lines
    }
}

/// The names of all kinds, for a message.
fn kinds() -> String {
    ClashKind::ALL.map(ClashKind::name).join(", ")
}

/// The words of a line before a `#`; words in double quotes may hold spaces. `None` when a quotation does not end.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() && !rest.starts_with('#') {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Some(words)
}
