//! LAS, the format of airborne laser scans.

use glam::DVec3;

use super::columns::{NumberType, PointColumns, RawPoints};
use super::error::CloudReadError;

/// Bytes of the oldest header.
const HEADER: usize = 227;

/// What the beginning of the file says about its points.
#[derive(Clone, Copy, Debug)]
pub(super) struct LasHeader {
    /// Where the points begin.
    pub(super) start: usize,
    /// Bytes of a point, unpacked.
    pub(super) stride: usize,
    pub(super) count: usize,
    scale: DVec3,
    offset: DVec3,
}

impl LasHeader {
    fn read(bytes: &[u8]) -> Result<Self, CloudReadError> {
        if !bytes.starts_with(b"LASF") {
            return Err(CloudReadError::byte(0, "the file does not begin with LASF"));
        }
        if bytes.len() < HEADER {
            return Err(CloudReadError::byte(
                bytes.len(),
                "the file ends inside the header",
            ));
        }
        let three = |at: usize| {
            let real = |at: usize| NumberType::F64.get(bytes.get(at..).unwrap_or_default(), false);
            DVec3::new(real(at), real(at + 8), real(at + 16))
        };
        // From version 1.4 on a wider counter stands behind; the old one may then be zero.
        let is_new = (bytes[24], bytes[25]) >= (1, 4) && bytes.len() >= 255;
        let header = Self {
            start: whole(bytes, 96, 4),
            stride: whole(bytes, 105, 2),
            count: match whole(bytes, 107, 4) {
                0 if is_new => whole(bytes, 247, 8),
                count => count,
            },
            scale: three(131),
            offset: three(155),
        };
        if header.stride < 12 {
            return Err(CloudReadError::byte(
                105,
                format!("{} bytes hold no point", header.stride),
            ));
        }
        Ok(header)
    }

    /// The coordinate of a point that is not packed.
    pub(super) fn coordinate(&self, row: &[u8], axis: usize) -> f64 {
        let steps = NumberType::Signed(4).get(row.get(4 * axis..).unwrap_or_default(), false);
        steps * self.scale[axis] + self.offset[axis]
    }
}

/// The whole number of `size` bytes; what is not there counts as zero.
pub(super) fn whole(bytes: &[u8], at: usize, size: u8) -> usize {
    NumberType::Unsigned(size).get(bytes.get(at..).unwrap_or_default(), false) as usize
}

pub(super) fn read(bytes: &[u8]) -> Result<RawPoints, CloudReadError> {
    let header = LasHeader::read(bytes)?;
    if bytes[104] & 0xC0 == 0 {
        plain(bytes, &header)
    } else {
        packed(bytes, &header)
    }
}

fn plain(bytes: &[u8], header: &LasHeader) -> Result<RawPoints, CloudReadError> {
    let &LasHeader {
        start,
        stride,
        count,
        ..
    } = header;
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
    let columns = PointColumns {
        place: [0, 1, 2],
        normal: None,
    };
    let mut raw = RawPoints::with_bytes(&columns, start, stride);
    for row in rows.chunks_exact(stride) {
        raw.add(&columns, 0, |c| Ok(header.coordinate(row, c)))?;
    }
    Ok(raw)
}

#[cfg(feature = "laz")]
fn packed(bytes: &[u8], header: &LasHeader) -> Result<RawPoints, CloudReadError> {
    super::laz::read(bytes, header)
}

#[cfg(not(feature = "laz"))]
fn packed(_: &[u8], _: &LasHeader) -> Result<RawPoints, CloudReadError> {
    Err(CloudReadError::byte(
        104,
        "the points are compressed (LAZ), which is read only with the feature `laz`; unpack them with `las2las -i in.laz -o out.las` or `pdal translate in.laz out.las`",
    ))
}
