//! The precision of the coordinates of a file, from its format.
//!
//! Binary formats with 32-bit numbers round each coordinate to 24 bits. Text has as many digits as were printed: when every number has the same count of decimals, the
//! last of them was rounded; otherwise the significant digits were. A file whose longest number has fewer than [`ROUNDED`]
//! digits was written by hand or by rule and is taken as it is.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use impinge::clash::Part;
use impinge::io::Format;

/// Digits from which on numbers in a text count as rounded.
const ROUNDED: usize = 6;
/// Digits that a 64-bit number needs: from here on nothing is lost in print.
const FULL: usize = 16;
/// The beginning of a file that is looked at.
const BEGINNING: u64 = 4 << 20;

/// How the coordinates of a file are rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Precision {
    /// They are taken as they are.
    Exact,
    /// 64-bit numbers that were computed.
    Double,
    /// 32-bit numbers.
    Single,
    /// Text with so many decimals.
    Decimals(usize),
    /// Text with so many significant digits.
    Digits(usize),
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact"),
            Self::Double => f.write_str("64-bit numbers"),
            Self::Single => f.write_str("32-bit numbers"),
            Self::Decimals(count) => write!(f, "{count} decimals"),
            Self::Digits(count) => write!(f, "{count} digits"),
        }
    }
}

impl Precision {
    /// What the content of a file says; exact for formats that do not tell.
    pub(super) fn of_file(path: &Path) -> Self {
        let mut bytes = Vec::new();
        let read = File::open(path).map(|file| file.take(BEGINNING).read_to_end(&mut bytes));
        // A file that cannot be read is reported by the reader.
        let Ok(Ok(_)) = read else {
            return Self::Exact;
        };
        Self::of_content(&bytes, Format::from_path(path))
    }

    fn of_content(bytes: &[u8], hint: Option<Format>) -> Self {
        // Packed content says nothing about its numbers.
        if bytes.starts_with(&[0x1f, 0x8b]) {
            return Self::Exact;
        }
        let lines = || bytes.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
        match Format::from_content(bytes, hint) {
            Some(Format::Gltf | Format::Glb) => Self::Single,
            Some(Format::Stl) if !bytes.contains(&0) => {
                Self::of_numbers(lines().filter_map(|line| line.strip_prefix(b"vertex ")))
            }
            Some(Format::Stl) => Self::Single,
            Some(Format::Obj) => {
                Self::of_numbers(lines().filter_map(|line| line.strip_prefix(b"v ")))
            }
            Some(Format::Ply) => Self::of_ply(lines()),
            Some(Format::Off) => {
                let is_point = |line: &&[u8]| line.contains(&b'.');
                Self::of_numbers(lines().filter(is_point))
            }
            _ => Self::Exact,
        }
    }

    fn of_ply<'b>(mut lines: impl Iterator<Item = &'b [u8]>) -> Self {
        let (mut is_text, mut is_double) = (false, false);
        for line in lines.by_ref() {
            match line {
                b"end_header" => break,
                _ if line.starts_with(b"format ascii") => is_text = true,
                b"property double x" | b"property float64 x" => is_double = true,
                _ => {}
            }
        }
        match (is_text, is_double) {
            (true, _) => Self::of_numbers(lines.filter(|line| line.contains(&b'.'))),
            (false, true) => Self::Double,
            (false, false) => Self::Single,
        }
    }

    /// What the first three numbers of each line say together.
    fn of_numbers<'b>(lines: impl Iterator<Item = &'b [u8]>) -> Self {
        let (mut most_digits, mut most_decimals, mut least_decimals) = (0, 0, usize::MAX);
        for line in lines {
            for word in line
                .split(u8::is_ascii_whitespace)
                .filter(|w| !w.is_empty())
                .take(3)
            {
                let Some((digits, decimals)) = digits(word) else {
                    break;
                };
                most_digits = most_digits.max(digits);
                most_decimals = most_decimals.max(decimals);
                least_decimals = least_decimals.min(decimals);
            }
        }
        if most_digits < ROUNDED {
            Self::Exact
        } else if most_decimals == least_decimals && most_decimals > 0 {
            Self::Decimals(most_decimals)
        } else if most_digits >= FULL {
            Self::Double
        } else {
            Self::Digits(most_digits)
        }
    }

    /// How far the coordinates of these parts may be from where they were meant, for numbers multiplied by `factor` when they were read.
    pub(super) fn length(self, parts: &[Part], factor: f64) -> f64 {
        let of_part = |part: &Part| {
            let own = part.mesh.bounds();
            let world = own.transformed(&part.world_from_part);
            [own, world]
                .iter()
                .filter(|b| !b.is_empty())
                .map(|b| b.min.abs().max(b.max.abs()).max_element())
                .fold(
                    part.world_from_part.translation().abs().max_element(),
                    f64::max,
                )
        };
        let largest = parts.iter().map(of_part).fold(0.0, f64::max);
        // A corner is rounded once, and the place of its part once more.
        let times = match parts
            .iter()
            .all(|p| p.world_from_part == impinge::Pose::IDENTITY)
        {
            true => 1.0,
            false => 2.0,
        };
        let half_unit = |decimals: i32| 0.5 * 10.0_f64.powi(-decimals);
        match self {
            Self::Exact => 0.0,
            // A few roundings of what was computed before it was written.
            Self::Double => 4.0 * times * largest * f64::EPSILON,
            Self::Single => 0.5 * times * largest * f64::from(f32::EPSILON),
            Self::Decimals(count) => times * factor * half_unit(count as i32),
            Self::Digits(count) => {
                let before_point = (largest / factor).log10().floor() as i32 + 1;
                let by_digits = factor * half_unit(count as i32 - before_point);
                times * if largest > 0.0 { by_digits } else { 0.0 }
            }
        }
    }
}

/// The significant digits of a number and its decimals; none for what is no number.
fn digits(word: &[u8]) -> Option<(usize, usize)> {
    let (mut significant, mut decimals, mut is_behind) = (0, 0, false);
    let mut has_digit = false;
    let mut bytes = word.iter().enumerate();
    for (i, &byte) in bytes.by_ref() {
        match byte {
            b'0'..=b'9' => {
                has_digit = true;
                significant += usize::from(significant > 0 || byte != b'0');
                decimals += usize::from(is_behind);
            }
            b'.' if !is_behind => is_behind = true,
            b'+' | b'-' if i == 0 => {}
            b'e' | b'E' if has_digit => break,
            _ => return None,
        }
    }
    // An exponent moves the point: what was behind it is not comparable with other numbers.
    let exponent: String = bytes.map(|(_, &b)| char::from(b)).collect();
    if !exponent.is_empty() {
        let shift: i64 = exponent.parse().ok()?;
        decimals = usize::try_from((decimals as i64).saturating_sub(shift)).unwrap_or(0);
    }
    has_digit.then_some((significant, decimals))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_obj(text: &str) -> Precision {
        Precision::of_content(text.as_bytes(), Some(Format::Obj))
    }

    #[test]
    fn digits_and_decimals_are_counted() {
        assert_eq!(digits(b"-0.0120"), Some((3, 4)));
        assert_eq!(digits(b"12.5e-3"), Some((3, 4)));
        assert_eq!(digits(b"100"), Some((3, 0)));
        assert_eq!(digits(b"x"), None);
    }

    #[test]
    fn the_format_tells_how_numbers_were_rounded() {
        assert_eq!(of_obj("v 0.5 1 0.25\nf 1 2 3\n"), Precision::Exact);
        assert_eq!(
            of_obj("v 0.500000 1.000000 0.250000\nv 12.123457 0.000000 1.000000\n"),
            Precision::Decimals(6)
        );
        assert_eq!(of_obj("v 0.1 12.3457 1\n"), Precision::Digits(6));
        assert_eq!(of_obj("v 0.30000000000000004 1 2\n"), Precision::Double);
        let ply = "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nend_header\n";
        assert_eq!(
            Precision::of_content(ply.as_bytes(), Some(Format::Ply)),
            Precision::Single
        );
    }
}
