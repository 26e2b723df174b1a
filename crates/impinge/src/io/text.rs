//! Lines, words and numbers of text formats.

use std::io::Write;

use glam::DVec3;

use super::error::{FilePlace, ReadError, ReadFault};
use crate::math::{MAX_COORDINATE, is_valid_point};
use crate::mesh::{MeshError, TriMesh};

/// The physical lines of a text, numbered from 1, without their ends.
#[derive(Clone, Debug)]
pub(super) struct Lines<'a> {
    rest: Option<&'a [u8]>,
    end: u8,
    number: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        // Lone carriage returns end lines only where nothing else does (pre-2001 Macintosh).
        let end = if bytes.contains(&b'\n') { b'\n' } else { b'\r' };
        Self {
            rest: Some(bytes),
            end,
            number: 0,
        }
    }

    /// The number of the line returned last.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.rest.map_or(0, <[u8]>::len)
    }

    /// The bytes that are left.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest.unwrap_or_default()
    }

    pub(super) fn next_line(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        self.number += 1;
        let line = match rest.iter().position(|&b| b == self.end) {
            Some(at) => {
                self.rest = rest.get(at + 1..);
                rest.get(..at)?
            }
            None => {
                self.rest = None;
                rest
            }
        };
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// The next line that holds a word, cut at `#` where that starts a comment.
    pub(super) fn next_filled(&mut self, comments: bool) -> Option<&'a [u8]> {
        loop {
            let mut line = self.next_line()?;
            if comments {
                line = before_comment(line);
            }
            if !line.iter().all(|&b| is_space(b)) {
                return Some(line);
            }
        }
    }
}

/// White space between words, including the zero bytes that pad some files.
pub(super) fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0x0B | 0x0C | 0)
}

/// The line up to a `#`.
pub(super) fn before_comment(line: &[u8]) -> &[u8] {
    match line.iter().position(|&b| b == b'#') {
        Some(at) => &line[..at],
        None => line,
    }
}

/// The words of a line.
#[derive(Clone, Debug)]
pub(super) struct Words<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.0.iter().position(|&b| !is_space(b))?;
        let rest = self.0.get(start..)?;
        let end = rest.iter().position(|&b| is_space(b)).unwrap_or(rest.len());
        let (word, rest) = rest.split_at_checked(end)?;
        self.0 = rest;
        Some(word)
    }
}

/// The first word that is not in a comment line, for telling formats apart.
pub(super) fn first_word(bytes: &[u8]) -> &[u8] {
    // Far more than any banner; a longer one only loses the guess.
    const LOOK: usize = 64 * 1024;
    let mut lines = Lines::new(&bytes[..bytes.len().min(LOOK)]);
    lines
        .next_filled(true)
        .and_then(|line| Words(line).next())
        .unwrap_or_default()
}

/// A word as it may be shown in a message: short, and without control characters.
pub(super) fn shown(word: &[u8]) -> String {
    const LONGEST: usize = 40;
    if word.len() > LONGEST {
        format!("{}…", word[..LONGEST].escape_ascii())
    } else {
        match std::str::from_utf8(word) {
            Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
            _ => word.escape_ascii().to_string(),
        }
    }
}

/// A name in a file as text.
pub(super) fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

pub(super) fn float(word: &[u8], line: u64) -> Result<f64, ReadError> {
    std::str::from_utf8(word)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| not_a_number(word, line))
}

#[cold]
fn not_a_number(word: &[u8], line: u64) -> ReadError {
    ReadError::line(line, expected_number(word, &shown(word)))
}

/// What is wrong with a word that is no number.
pub(crate) fn expected_number(word: &[u8], shown: &str) -> String {
    let hint = if word.contains(&b',') {
        " (decimal comma? write a point)"
    } else {
        ""
    };
    format!("expected a number, found '{shown}'{hint}")
}

/// A whole number, with the sign it may have.
pub(super) fn integer(word: &[u8], line: u64) -> Result<i64, ReadError> {
    parse_integer(word).ok_or_else(|| {
        ReadError::line(
            line,
            format!("expected a whole number, found '{}'", shown(word)),
        )
    })
}

/// A whole number of at most 18 digits, or `None`.
pub(super) fn parse_integer(word: &[u8]) -> Option<i64> {
    let (negative, digits) = match word.split_first()? {
        (b'-', rest) => (true, rest),
        (b'+', rest) => (false, rest),
        _ => (false, word),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0i64;
    for &d in digits {
        if !d.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(d - b'0');
    }
    Some(if negative { -value } else { value })
}

/// The next word of a line, or an error that says what is missing.
pub(super) fn expect_word<'a>(
    words: &mut Words<'a>,
    line: u64,
    what: &str,
) -> Result<&'a [u8], ReadError> {
    words
        .next()
        .ok_or_else(|| ReadError::line(line, format!("the line ends where {what} is expected")))
}

/// Three coordinates from the next words, checked.
pub(super) fn point(words: &mut Words<'_>, line: u64, vertex: usize) -> Result<DVec3, ReadError> {
    let mut coordinate = |what| float(expect_word(words, line, what)?, line);
    let x = coordinate("the x coordinate")?;
    let y = coordinate("the y coordinate")?;
    let z = coordinate("the z coordinate")?;
    checked(DVec3::new(x, y, z), vertex, FilePlace::Line(line))
}

/// The point, or what is wrong with it and where.
pub(super) fn checked(p: DVec3, vertex: usize, place: FilePlace) -> Result<DVec3, ReadError> {
    if is_valid_point(p) {
        return Ok(p);
    }
    let error = p
        .to_array()
        .into_iter()
        .find(|x| x.is_nan() || x.abs() > MAX_COORDINATE)
        .map_or(
            MeshError::NotFinite {
                vertex,
                value: f64::NAN,
            },
            |value| {
                if value.is_finite() {
                    MeshError::TooFar { vertex, value }
                } else {
                    MeshError::NotFinite { vertex, value }
                }
            },
        );
    Err(ReadError::new(place, ReadFault::Mesh(error)))
}

/// Appends the shortest decimal that reads back as the same number.
pub(crate) fn write_float(out: &mut Vec<u8>, x: f64) {
    let size = x.abs();
    // Writing to memory cannot fail.
    let _ = if size != 0.0 && !(1e-5..1e16).contains(&size) {
        write!(out, "{x:e}")
    } else {
        write!(out, "{x}")
    };
}

/// Appends three numbers with blanks between.
pub(super) fn write_point(out: &mut Vec<u8>, p: DVec3) {
    write_float(out, p.x);
    out.push(b' ');
    write_float(out, p.y);
    out.push(b' ');
    write_float(out, p.z);
}

/// Appends a whole number.
pub(super) fn write_integer(out: &mut Vec<u8>, n: u64) {
    let _ = write!(out, "{n}");
}

/// Appends a line for each vertex, then one for each face: how many corners, and which.
pub(super) fn write_rows(out: &mut Vec<u8>, mesh: &TriMesh) {
    for &p in mesh.positions() {
        write_point(out, p);
        out.push(b'\n');
    }
    for face in mesh.faces() {
        out.push(b'3');
        for v in face {
            out.push(b' ');
            write_integer(out, u64::from(*v));
        }
        out.push(b'\n');
    }
}

/// A name that fits on one line: control characters become blanks.
pub(super) fn one_line(name: &str) -> String {
    let flat: String = name
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    flat.trim().to_owned()
}
