//! DMAT: a matrix of numbers as text or bytes, column after column.
//!
//! The first line holds columns and rows; `0 0` there means that another such line and little-endian `f64` follow.

use std::path::Path;

use super::super::byte_cursor::fixed;
use super::super::error::{ReadError, ReadFault};
use super::super::text::{self, Lines, Words};

/// A matrix, column after column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Matrix {
    pub(super) columns: usize,
    pub(super) rows: usize,
    pub(super) numbers: Vec<f64>,
}

impl Matrix {
    /// A column, if there is one of this number.
    pub(super) fn column(&self, column: usize) -> Option<&[f64]> {
        let start = column.checked_mul(self.rows)?;
        self.numbers.get(start..start.checked_add(self.rows)?)
    }
}

pub(super) fn read(path: &Path) -> Result<Matrix, ReadError> {
    let bytes = std::fs::read(path).map_err(|e| ReadError::from(ReadFault::Io(e)).in_file(path))?;
    parse(&bytes).map_err(|e| e.in_file(path))
}

fn size(lines: &mut Lines<'_>) -> Result<(usize, usize), ReadError> {
    let line = lines.next_filled(false).unwrap_or_default();
    let number = lines.number();
    let mut words = Words(line);
    let mut count = |what| {
        let word = text::expect_word(&mut words, number, what)?;
        let n = text::integer(word, number)?;
        usize::try_from(n).map_err(|_| {
            ReadError::line(number, format!("{what} must not be negative, but is {n}"))
        })
    };
    Ok((
        count("the number of columns")?,
        count("the number of rows")?,
    ))
}

fn parse(bytes: &[u8]) -> Result<Matrix, ReadError> {
    // The lines in front of binary numbers end with a line feed each; carriage returns would be numbers.
    let head_end = bytes
        .iter()
        .position(|&b| b == b'\n')
        .unwrap_or(bytes.len());
    let mut lines = Lines::new(bytes);
    let (columns, rows) = size(&mut lines)?;
    if (columns, rows) == (0, 0) {
        let second = bytes.get(head_end + 1..).unwrap_or_default();
        let end = second.iter().position(|&b| b == b'\n').ok_or_else(|| {
            ReadError::line(
                2,
                "the line with columns and rows of the binary numbers is missing",
            )
        })?;
        let (columns, rows) = size(&mut Lines::new(&second[..end]))?;
        let start = head_end + 1 + end + 1;
        let body = bytes.get(start..).unwrap_or_default();
        let count = checked(columns, rows, body.len() / 8, start)?;
        let numbers = (0..count)
            .map(|k| f64::from_le_bytes(fixed(body, 8 * k)))
            .collect();
        return Ok(Matrix {
            columns,
            rows,
            numbers,
        });
    }
    // Every number takes two bytes at least: itself and the sign between it and the next.
    let count = checked(columns, rows, lines.left().div_ceil(2), bytes.len())?;
    let mut numbers = Vec::with_capacity(count);
    while let Some(line) = lines.next_filled(false) {
        for word in Words(line) {
            numbers.push(text::float(word, lines.number())?);
        }
    }
    if numbers.len() != count {
        return Err(ReadError::line(
            lines.number(),
            format!(
                "{columns} columns of {rows} numbers are declared, but there are {} numbers",
                numbers.len()
            ),
        ));
    }
    Ok(Matrix {
        columns,
        rows,
        numbers,
    })
}

fn checked(columns: usize, rows: usize, most: usize, place: usize) -> Result<usize, ReadError> {
    match columns.checked_mul(rows) {
        Some(count) if count <= most => Ok(count),
        _ => Err(ReadError::byte(
            place,
            format!(
                "{columns} columns of {rows} numbers are declared, but there is room for {most} numbers (was the file cut off?)"
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_bytes_give_the_same_matrix() {
        let text = parse(b"2 3\n1\n2\n3\n4 5 6\n").unwrap();
        assert_eq!(text.column(1), Some([4.0, 5.0, 6.0].as_slice()));
        let mut bytes = b"0 0\n2 3\n".to_vec();
        for x in 1..=6 {
            bytes.extend_from_slice(&f64::from(x).to_le_bytes());
        }
        assert_eq!(parse(&bytes).unwrap(), text);
        bytes.pop();
        assert!(
            parse(&bytes)
                .unwrap_err()
                .to_string()
                .contains("room for 5")
        );
        assert!(parse(b"2 3\n1 2 3\n").is_err());
        assert!(parse(b"2 -3\n").is_err());
        assert!(parse(b"").is_err());
        assert!(parse(b"99999999999 99999999999\n1\n").is_err());
    }
}
