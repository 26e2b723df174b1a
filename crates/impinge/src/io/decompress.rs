//! Decompression with a size limit.

use std::io::Read;

use flate2::read::MultiGzDecoder;

use super::error::ReadError;

/// Whether the bytes start like a gzip file.
pub(super) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1F, 0x8B])
}

/// The inflated bytes of a gzip file.
pub(super) fn gunzip(bytes: &[u8], limit: u64) -> Result<Vec<u8>, ReadError> {
    read_capped(MultiGzDecoder::new(bytes), limit, "the gzip stream")
}

/// Everything the stream gives, unless that is more than `limit` bytes.
pub(super) fn read_capped(stream: impl Read, limit: u64, what: &str) -> Result<Vec<u8>, ReadError> {
    let mut out = Vec::new();
    let mut capped = stream.take(limit.saturating_add(1));
    capped
        .read_to_end(&mut out)
        .map_err(|e| ReadError::malformed(format!("{what} is damaged: {e}")))?;
    if out.len() as u64 > limit {
        return Err(ReadError::too_large(what, limit));
    }
    Ok(out)
}
