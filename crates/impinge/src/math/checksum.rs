//! Checksum of saved bytes.

/// The number at a place in the bytes; 0 beyond their end.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let chunk = bytes.get(at..).and_then(<[u8]>::first_chunk);
    chunk.map_or(0, |c| u32::from_le_bytes(*c))
}

/// The number at a place in the bytes; 0 beyond their end.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let chunk = bytes.get(at..).and_then(<[u8]>::first_chunk);
    chunk.map_or(0, |c| u64::from_le_bytes(*c))
}

/// One step of a hash: for a given state a different word gives a different state.
pub(crate) fn absorb(state: u64, word: u64) -> u64 {
    let x = (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ (x >> 29)).wrapping_add(0x2545_f491_4f6c_dd1d)
}

/// Bytes of a [`checksum`].
pub(crate) const CHECKSUM: usize = 8;

/// Changes with every change of a byte.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut state = absorb(0, bytes.len() as u64);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = absorb(state, u64::from_le_bytes(*word));
    }
    for &byte in rest {
        state = absorb(state, u64::from(byte));
    }
    absorb(state, 0)
}
