//! Lines, words and numbers.

use super::error::CloudReadError;
use crate::io::text::expected_number;
pub(super) use crate::io::text::write_float;

/// The lines of a text, numbered from 1, without their ends.
#[derive(Clone, Debug)]
pub(super) struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    number: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(b"\xEF\xBB\xBF") {
            3
        } else {
            0
        };
        Self {
            bytes,
            at,
            number: 0,
        }
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The byte that comes next.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(super) fn next_line(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        self.number += 1;
        let end = rest.iter().position(|&b| b == b'\n');
        self.at += end.map_or(rest.len(), |end| end + 1);
        let line = &rest[..end.unwrap_or(rest.len())];
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// The next line that holds a word.
    pub(super) fn next_filled(&mut self) -> Option<&'a [u8]> {
        loop {
            let line = self.next_line()?;
            if line.iter().any(|&b| !is_space(b)) {
                return Some(line);
            }
        }
    }
}

pub(super) fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0x0B | 0x0C | 0)
}

pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&b| is_space(b)).filter(|word| !word.is_empty())
}

pub(super) fn shown(word: &[u8]) -> String {
    let short = &word[..word.len().min(40)];
    short.escape_ascii().to_string()
}

pub(super) fn number(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

pub(super) fn float(word: &[u8], line: u64) -> Result<f64, CloudReadError> {
    number(word).ok_or_else(|| CloudReadError::line(line, expected_number(word, &shown(word))))
}

pub(super) fn whole(word: &[u8], line: u64) -> Result<usize, CloudReadError> {
    let parsed = std::str::from_utf8(word)
        .ok()
        .and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| {
        CloudReadError::line(
            line,
            format!("expected a whole number, found '{}'", shown(word)),
        )
    })
}
