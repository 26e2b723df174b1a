//! Limbs of long integers, on the stack as long as they fit.

/// Digits kept without an allocation: enough for determinants of coordinates that differ by a factor of up to 2^450.
const SHORT: usize = 24;

/// Little-endian digits of 64 bits.
#[derive(Clone, Debug)]
pub(super) struct Limbs {
    short: [u64; SHORT],
    /// How many of the short ones are in use.
    len: usize,
    /// In use instead when there are more; empty and without memory otherwise.
    long: Vec<u64>,
}

impl Limbs {
    /// As many zeros.
    pub(super) fn zeros(len: usize) -> Self {
        let fits = len <= SHORT;
        Self {
            short: [0; SHORT],
            len: if fits { len } else { 0 },
            long: if fits { Vec::new() } else { vec![0; len] },
        }
    }

    pub(super) fn as_slice(&self) -> &[u64] {
        if self.long.is_empty() {
            &self.short[..self.len]
        } else {
            &self.long
        }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [u64] {
        if self.long.is_empty() {
            &mut self.short[..self.len]
        } else {
            &mut self.long
        }
    }

    /// Drops leading zeros.
    pub(super) fn trim(&mut self) {
        while self.long.last() == Some(&0) {
            self.long.pop();
        }
        while self.len > 0 && self.short[self.len - 1] == 0 {
            self.len -= 1;
        }
    }
}
