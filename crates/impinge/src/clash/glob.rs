//! Glob patterns for names.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A pattern: `*` matches any text, including none, `?` any character, `[abc]` and `[a-z]` one of
/// these, `[!a-z]` one of the others. A backslash makes the next character literal. Everything else
/// matches itself.
///
/// ```
/// use impinge::clash::Glob;
/// let bolts: Glob = "bolt M[0-9]*".parse()?;
/// assert!(bolts.matches("bolt M8x20") && !bolts.matches("bolt X8"));
/// # Ok::<(), impinge::clash::GlobError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    text: String,
    tokens: Vec<Token>,
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GlobError {
    /// A `[` has no `]`.
    #[error("'{pattern}': a '[' has no ']'; write '\\[' for the character itself")]
    OpenBracket {
        /// The whole pattern.
        pattern: String,
    },
    /// Nothing follows a backslash.
    #[error("'{pattern}': nothing follows the last backslash")]
    OpenEscape {
        /// The whole pattern.
        pattern: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Character(char),
    Any,
    Many,
    OneOf {
        ranges: Vec<(char, char)>,
        is_negated: bool,
    },
}

impl Token {
    fn takes(&self, c: char) -> bool {
        match self {
            Self::Character(own) => *own == c,
            Self::Any => true,
            Self::Many => false,
            Self::OneOf { ranges, is_negated } => {
                ranges.iter().any(|&(low, high)| (low..=high).contains(&c)) != *is_negated
            }
        }
    }
}

impl Glob {
    /// Whether the whole name fits. Takes at most as many steps as the pattern is long for each character.
    ///
    /// ```
    /// let glob: impinge::clash::Glob = "*gear*".parse()?;
    /// assert!(glob.matches("left gear 2") && !glob.matches("Gear"));
    /// # Ok::<(), impinge::clash::GlobError>(())
    /// ```
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let (mut t, mut c) = (0, 0);
        // Where to go on when a star has to take one character more.
        let mut star: Option<(usize, usize)> = None;
        while c < name.len() {
            match self.tokens.get(t) {
                Some(Token::Many) => {
                    star = Some((t, c));
                    t += 1;
                }
                Some(token) if token.takes(name[c]) => {
                    t += 1;
                    c += 1;
                }
                _ => match star {
                    Some((at, taken)) => {
                        star = Some((at, taken + 1));
                        (t, c) = (at + 1, taken + 1);
                    }
                    None => return false,
                },
            }
        }
        self.tokens[t.min(self.tokens.len())..]
            .iter()
            .all(|token| *token == Token::Many)
    }
}

impl FromStr for Glob {
    type Err = GlobError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let pattern = || text.to_owned();
        let mut tokens = Vec::new();
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            tokens.push(match c {
                '*' => Token::Many,
                '?' => Token::Any,
                '\\' => Token::Character(
                    rest.next()
                        .ok_or_else(|| GlobError::OpenEscape { pattern: pattern() })?,
                ),
                '[' => one_of(&mut rest)
                    .ok_or_else(|| GlobError::OpenBracket { pattern: pattern() })?,
                c => Token::Character(c),
            });
        }
        Ok(Self {
            text: text.to_owned(),
            tokens,
        })
    }
}

/// The rest of a set in brackets.
fn one_of(rest: &mut std::str::Chars<'_>) -> Option<Token> {
    let mut characters = Vec::new();
    loop {
        match rest.next()? {
            ']' if !characters.is_empty() => break,
            c => characters.push(c),
        }
    }
    let is_negated = characters.first() == Some(&'!') && characters.len() > 1;
    let mut left = &characters[usize::from(is_negated)..];
    let mut ranges = Vec::new();
    while let [low, after @ ..] = left {
        match after {
            ['-', high, after @ ..] => {
                ranges.push((*low, *high));
                left = after;
            }
            _ => {
                ranges.push((*low, *low));
                left = after;
            }
        }
    }
    Some(Token::OneOf { ranges, is_negated })
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
