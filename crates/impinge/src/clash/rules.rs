//! Clash rules: which pairs of parts are tested, by name.

use thiserror::Error;

use super::glob::{Glob, GlobError};

/// Rules about pairs of parts, in lines of text.
///
/// | line | meaning |
/// |---|---|
/// | `select P Q` | look at pairs of a part that fits `P` and one that fits `Q` |
/// | `select P` | look at pairs with a part that fits `P` |
/// | `ignore P Q` | leave out pairs of a part that fits `P` and one that fits `Q` |
/// | `ignore P` | leave out parts that fit `P` |
/// | `# …` | nothing; also behind a rule |
///
/// Patterns are [`Glob`]s; one with spaces stands in double quotes. Without a `select`, all pairs are examined; `ignore` is stronger.
/// The order of lines does not matter, nor does the order of a line's two patterns.
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
    select: Vec<[Glob; 2]>,
    ignore: Vec<[Glob; 2]>,
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
            let (list, other) = match word.as_str() {
                "select" => (&mut rules.select, "*"),
                "ignore" => (&mut rules.ignore, "*"),
                _ => {
                    return Err(RuleError::UnknownWord {
                        line,
                        word: word.clone(),
                    });
                }
            };
            let glob = |text: &str| {
                text.parse::<Glob>()
                    .map_err(|source| RuleError::BadPattern { line, source })
            };
            list.push(match patterns {
                [p] => [glob(p)?, glob(other)?],
                [p, q] => [glob(p)?, glob(q)?],
                _ => {
                    return Err(RuleError::PatternCount {
                        line,
                        word: word.clone(),
                        count: patterns.len(),
                    });
                }
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
        let apply = |globs: &[[Glob; 2]]| {
            let fits = |glob: &Glob| names.iter().map(|name| glob.matches(name)).collect();
            globs
                .iter()
                .map(|pair| [fits(&pair[0]), fits(&pair[1])])
                .collect()
        };
        ClashFilter {
            select: apply(&self.select),
            ignore: apply(&self.ignore),
        }
    }
}

/// Whether each name fits the one pattern of a rule, and the other.
type PatternFits = [Vec<bool>; 2];

/// [`ClashRules`] applied to the names of parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClashFilter {
    select: Vec<PatternFits>,
    ignore: Vec<PatternFits>,
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
        let fits = |list: &[PatternFits]| {
            let at =
                |which: &Vec<bool>, part: u32| which.get(part as usize).copied().unwrap_or(false);
            list.iter()
                .any(|[p, q]| (at(p, a) && at(q, b)) || (at(p, b) && at(q, a)))
        };
        (self.select.is_empty() || fits(&self.select)) && !fits(&self.ignore)
    }
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
