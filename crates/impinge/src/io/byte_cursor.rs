//! A cursor over a byte slice that never runs past its end.

use super::error::ReadError;

/// A slice and how far it has been read.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByteCursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> ByteCursor<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        let at = at.min(bytes.len());
        Self { bytes, at }
    }

    /// The byte that comes next.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `count` bytes, or an error that says what they should have held.
    pub(super) fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], ReadError> {
        match self.bytes.get(self.at..self.at.saturating_add(count)) {
            Some(taken) => {
                self.at += count;
                Ok(taken)
            }
            None => Err(ReadError::byte(
                self.at,
                format!(
                    "the file ends inside {what}: {count} bytes are needed, {} are left (was it cut off?)",
                    self.left()
                ),
            )),
        }
    }

    /// A little-endian 32-bit number.
    pub(super) fn take_u32(&mut self, what: &str) -> Result<u32, ReadError> {
        let b = self.take(4, what)?;
        Ok(le_u32(b, 0))
    }

    /// Refuses what is left unless it is padding.
    pub(super) fn expect_end(&self) -> Result<(), ReadError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        match rest.iter().position(|&b| !super::text::is_space(b)) {
            None => Ok(()),
            Some(extra) => Err(ReadError::byte(
                self.at + extra,
                format!(
                    "{} bytes follow the declared content; the counts in the file are wrong or something was appended",
                    rest.len() - extra
                ),
            )),
        }
    }
}

/// The `N` bytes at `at`; zeros where the slice is too short, which callers rule out first.
pub(super) fn fixed<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes
        .get(at..)
        .and_then(|rest| rest.first_chunk::<N>())
        .copied()
        .unwrap_or([0; N])
}

pub(super) fn le_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(fixed(bytes, at))
}

pub(super) fn le_f32(bytes: &[u8], at: usize) -> f64 {
    f64::from(f32::from_le_bytes(fixed(bytes, at)))
}
