//! LAS, the format of airborne laser scans, without its compression.

use super::error::CloudReadError;
use super::rows::{Columns, Number, Raw};

/// Bytes of the oldest header.
const HEADER: usize = 227;

pub(super) fn read(bytes: &[u8]) -> Result<Raw, CloudReadError> {
    if !bytes.starts_with(b"LASF") {
        return Err(CloudReadError::byte(0, "the file does not begin with LASF"));
    }
    if bytes.len() < HEADER {
        return Err(CloudReadError::byte(
            bytes.len(),
            "the file ends inside the header",
        ));
    }
    let whole = |at: usize, size: u8| {
        Number::Unsigned(size).get(bytes.get(at..).unwrap_or_default(), false) as usize
    };
    let real = |at: usize| Number::F64.get(bytes.get(at..).unwrap_or_default(), false);
    let format = bytes[104];
    if format & 0xC0 != 0 {
        return Err(CloudReadError::byte(
            104,
            "the points are compressed (LAZ), which is not read; unpack them with `las2las -i in.laz -o out.las` or `pdal translate in.laz out.las`",
        ));
    }
    let (start, stride) = (whole(96, 4), whole(105, 2));
    // From version 1.4 on a wider counter stands behind; the old one may then be zero.
    let is_new = (bytes[24], bytes[25]) >= (1, 4) && bytes.len() >= 255;
    let count = match whole(107, 4) {
        0 if is_new => whole(247, 8),
        count => count,
    };
    if stride < 12 {
        return Err(CloudReadError::byte(
            105,
            format!("{stride} bytes hold no point"),
        ));
    }
    let end = count
        .checked_mul(stride)
        .and_then(|size| start.checked_add(size));
    let rows = end.and_then(|end| bytes.get(start..end)).ok_or_else(|| {
        let left = bytes.len().saturating_sub(start);
        CloudReadError::byte(
            start,
            format!("{count} points of {stride} bytes are declared, {left} bytes are left (was the file cut off?)"),
        )
    })?;
    let columns = Columns {
        place: [0, 1, 2],
        normal: None,
    };
    let mut raw = Raw::with_bytes(&columns, start, stride);
    for row in rows.chunks_exact(stride) {
        raw.add(&columns, 0, |c| {
            let whole = Number::Signed(4).get(&row[4 * c..], false);
            Ok(whole * real(131 + 8 * c) + real(155 + 8 * c))
        })?;
    }
    Ok(raw)
}
