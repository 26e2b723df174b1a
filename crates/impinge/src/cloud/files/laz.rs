//! LAZ: LAS whose points are packed by LASzip.
//!
//! **Idea.** The crate `laz` decompresses. Everything that it would trust is checked first: the
//! items of a point against the size of a point, the chunk table and the layers of each chunk
//! against the bytes of the file. Then each chunk is decompressed separately, from its own bytes.
//! **Promise.** Points or an error, and memory within a stated ratio of the file
//! ([`POINTS_PER_BYTE`]).
//! **Limits.** With overflow checks, the crate's decoder may panic on damaged bits. Such a panic is
//! caught and becomes an error; the program's panic hook runs first, which by default prints a
//! line. Where panics abort (`panic = "abort"`) none can be caught: there, decompress untrusted LAZ
//! files in another process.

use std::io::Cursor;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use glam::DVec3;
use laz::laszip::ChunkTable;
use laz::record::{
    LayeredPointRecordDecompressor, RecordDecompressor, SequentialPointRecordDecompressor,
};
use laz::{DecompressionSelection, LazItem, LazVlr};

use super::columns::{PointPlaces, RawPoints};
use super::error::CloudReadError;
use super::las::{LasHeader, whole};
use crate::cloud::parallel::map_all;

/// This many points a byte may hold at most, after [`FREE_POINTS`]: noise alone takes some bits of every point. A file of n bytes
/// needs at most 3 KiB times n of memory for its points.
const POINTS_PER_BYTE: usize = 128;
/// Points that a small file may have in any case: synthetic ones that repeat take almost no bits.
const FREE_POINTS: usize = 1 << 20;
/// Every extra byte of a point takes a table of its own.
const MAX_EXTRA: usize = 1024;
/// Bytes in front of a record of variable length.
const RECORD_HEADER: usize = 54;
/// Bytes of the record about LASzip before its items, and of each item.
const SCHEME: usize = 34;
const ITEM: usize = 6;
/// Chunks differ in their number of points.
const VARIABLE: usize = u32::MAX as usize;

const DAMAGED: &str = "damaged compressed points";

/// How the points are packed.
struct LazScheme {
    kind: LazKind,
    /// Points of a chunk; [`VARIABLE`] when the table says it for each.
    chunk: usize,
    /// Stretches of bytes in a chunk, apart for each field.
    layers: usize,
    items: Vec<LazItem>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LazKind {
    /// All in one stretch.
    Whole,
    Chunks,
    /// Chunks with each field apart, so that fields can be left out.
    Layers,
}

struct LazChunk {
    bytes: Range<usize>,
    points: usize,
}

pub(super) fn read(bytes: &[u8], header: &LasHeader) -> Result<RawPoints, CloudReadError> {
    let scheme = LazScheme::find(bytes, header)?;
    let chunks = chunks(bytes, header, &scheme)?;
    let allowed = FREE_POINTS.saturating_add(bytes.len().saturating_mul(POINTS_PER_BYTE));
    if header.count > allowed {
        let (count, size) = (header.count, bytes.len());
        return Err(CloudReadError::byte(
            107,
            format!(
                "{count} points in {size} bytes: more than {POINTS_PER_BYTE} for each byte are not believed"
            ),
        ));
    }
    for chunk in &chunks {
        scheme.check(bytes, chunk, header)?;
    }
    let unpacked = map_all(chunks, |chunk| {
        let points = contained(|| scheme.unpack(&bytes[chunk.bytes.clone()], chunk.points, header));
        points.ok_or_else(|| CloudReadError::byte(chunk.bytes.start, DAMAGED))
    });
    let mut raw = RawPoints {
        // Where a point stands among packed ones is not a byte of its own.
        places: PointPlaces::Bytes {
            start: header.start,
            step: 0,
        },
        ..RawPoints::default()
    };
    for points in unpacked {
        raw.points.append(&mut points?);
    }
    Ok(raw)
}

/// What comes back unless it panics.
fn contained<T>(unpack: impl FnOnce() -> Option<T>) -> Option<T> {
    // Whatever was being changed is dropped with the closure.
    catch_unwind(AssertUnwindSafe(unpack)).ok().flatten()
}

impl LazScheme {
    /// Looks through the records behind the header.
    fn find(bytes: &[u8], header: &LasHeader) -> Result<Self, CloudReadError> {
        let mut at = whole(bytes, 94, 2);
        for _ in 0..whole(bytes, 100, 4) {
            let body = at.saturating_add(RECORD_HEADER);
            let end = body.saturating_add(whole(bytes, at.saturating_add(20), 2));
            let Some(record) = bytes.get(body..end) else {
                return Err(CloudReadError::byte(
                    at.min(bytes.len()),
                    "the file ends inside a record of the header (was it cut off?)",
                ));
            };
            let is_ours = bytes[at + 2..at + 18].starts_with(LazVlr::USER_ID.as_bytes())
                && whole(bytes, at + 18, 2) == usize::from(LazVlr::RECORD_ID);
            if is_ours {
                return Self::read(record, header)
                    .map_err(|message| CloudReadError::byte(body, message));
            }
            at = end;
        }
        Err(CloudReadError::byte(
            104,
            "the points are compressed, but no record says how",
        ))
    }

    fn read(record: &[u8], header: &LasHeader) -> Result<Self, String> {
        let kind = match whole(record, 0, 2) {
            1 => LazKind::Whole,
            2 => LazKind::Chunks,
            3 => LazKind::Layers,
            other => return Err(format!("compressor {other} is not known")),
        };
        if whole(record, 2, 2) != 0 {
            return Err(format!("coder {} is not known", whole(record, 2, 2)));
        }
        let items = whole(record, 32, 2);
        if record.len() < SCHEME + items * ITEM {
            return Err(format!("{items} items do not fit into the record"));
        }
        let (mut size, mut layers) = (0, 0);
        for (number, item) in record[SCHEME..].chunks_exact(ITEM).take(items).enumerate() {
            let [is, said, version] = [0, 2, 4].map(|at| whole(item, at, 2));
            // Bytes of the item, and layers where it has them.
            let (true_size, true_layers, is_point) = match (is, kind == LazKind::Layers) {
                (0, false) | (14, true) if said <= MAX_EXTRA => (said, said, false),
                (6, false) => (20, 0, true),
                (7, false) => (8, 0, false),
                (8, false) => (6, 0, false),
                (9, false) => (29, 0, false),
                (10, true) => (30, 9, true),
                (11, true) => (6, 1, false),
                (12, true) => (8, 2, false),
                (13, true) => (29, 1, false),
                _ => return Err(format!("item {is} of {said} bytes is not known here")),
            };
            let is_known = match kind {
                LazKind::Layers => version == 3 || version == 4,
                _ => version == 1 || version == 2,
            };
            if said != true_size || !is_known || is_point != (number == 0) {
                return Err(format!(
                    "item {is} of {said} bytes in version {version} is not known here"
                ));
            }
            size += true_size;
            layers += true_layers;
        }
        if items == 0 || size != header.stride {
            return Err(format!(
                "the items have {size} bytes together, a point has {}",
                header.stride
            ));
        }
        let vlr = LazVlr::from_buffer(record).map_err(|error| error.to_string())?;
        Ok(Self {
            kind,
            chunk: match whole(record, 12, 4) {
                0 => VARIABLE,
                points => points,
            },
            layers,
            items: vlr.items().clone(),
        })
    }

    /// Whether the chunk has the bytes that it says.
    fn check(
        &self,
        bytes: &[u8],
        chunk: &LazChunk,
        header: &LasHeader,
    ) -> Result<(), CloudReadError> {
        let Range { start, end } = chunk.bytes;
        let refuse = |message: String| Err(CloudReadError::byte(start, message));
        let size = end - start;
        if size < header.stride {
            return refuse(format!(
                "a chunk of {size} bytes holds no point of {}",
                header.stride
            ));
        }
        if self.kind != LazKind::Layers {
            return Ok(());
        }
        let at = start + header.stride;
        let points = whole(bytes, at, 4);
        if points != chunk.points {
            return refuse(format!(
                "a chunk of {} points says that it has {points}",
                chunk.points
            ));
        }
        let body = at + 4 + 4 * self.layers;
        let layers = (0..self.layers).map(|layer| whole(bytes, at + 4 + 4 * layer, 4));
        let needed = layers.fold(body, usize::saturating_add);
        if needed > end {
            return refuse(format!(
                "the layers of a chunk end at byte {needed}, the chunk at {end}"
            ));
        }
        Ok(())
    }

    /// The points of one chunk.
    fn unpack(&self, chunk: &[u8], count: usize, header: &LasHeader) -> Option<Vec<DVec3>> {
        let source = Cursor::new(chunk);
        let mut decoder: Box<dyn RecordDecompressor<Cursor<&[u8]>>> = match self.kind {
            LazKind::Layers => Box::new(LayeredPointRecordDecompressor::new(source)),
            _ => Box::new(SequentialPointRecordDecompressor::new(source)),
        };
        decoder.set_fields_from(&self.items).ok()?;
        decoder.set_selection(DecompressionSelection::xy_returns_channel().decompress_z());
        // Not as many as are declared: what is damaged mostly ends soon.
        let mut points = Vec::new();
        let mut row = vec![0; header.stride];
        for _ in 0..count {
            decoder.decompress_next(&mut row).ok()?;
            let [x, y, z] = [0, 1, 2].map(|axis| header.coordinate(&row, axis));
            points.push(DVec3::new(x, y, z));
        }
        Some(points)
    }
}

/// Where the chunks are, each within the file and together with all points.
fn chunks(
    bytes: &[u8],
    header: &LasHeader,
    scheme: &LazScheme,
) -> Result<Vec<LazChunk>, CloudReadError> {
    let &LasHeader { start, count, .. } = header;
    if count == 0 {
        return Ok(Vec::new());
    }
    let refuse = |at: usize, message: String| Err(CloudReadError::byte(at, message));
    if start > bytes.len() {
        return refuse(
            96,
            format!("the points begin at byte {start}, after the end of the file"),
        );
    }
    if scheme.kind == LazKind::Whole {
        let bytes = start..bytes.len();
        return Ok(vec![LazChunk {
            bytes,
            points: count,
        }]);
    }
    let first = start + 8;
    let Some(table) = table(bytes, start) else {
        return refuse(
            start,
            "there is no table of chunks (was the file cut off?)".to_owned(),
        );
    };
    // A chunk begins with a point that is not packed. Some writers end with an empty one.
    // The tables of a decoder are made for every chunk and take a millisecond; so after the first thousand, chunks have a KiB on the mean.
    let number = whole(bytes, table + 4, 4);
    let space = table - first;
    if number > 1 + space / header.stride || number > 1000 + space / 1024 {
        return refuse(table + 4, format!("{number} chunks in {space} bytes"));
    }
    let is_variable = scheme.chunk == VARIABLE;
    let entries =
        contained(|| ChunkTable::read(&mut Cursor::new(&bytes[table..]), is_variable).ok());
    let Some(entries) = entries else {
        return refuse(table, "the table of chunks is damaged".to_owned());
    };
    let (mut at, mut left) = (first, count);
    let mut chunks = Vec::with_capacity(entries.len());
    for entry in &entries {
        let points = match is_variable {
            true => usize::try_from(entry.point_count).unwrap_or(usize::MAX),
            false => scheme.chunk.min(left),
        };
        let size = usize::try_from(entry.byte_count).unwrap_or(usize::MAX);
        let end = at.saturating_add(size);
        if end > table || points > left {
            return refuse(
                table,
                format!(
                    "a chunk of {points} points at byte {at} and {size} bytes long, with {left} points left and the table at byte {table}"
                ),
            );
        }
        if points > 0 {
            chunks.push(LazChunk {
                bytes: at..end,
                points,
            });
        }
        (at, left) = (end, left - points);
    }
    if left > 0 {
        return refuse(
            table,
            format!(
                "{count} points are declared, the chunks have {}",
                count - left
            ),
        );
    }
    Ok(chunks)
}

/// Where the table of chunks is: stored before the points, or in the last bytes of the file by a writer that could not go back.
fn table(bytes: &[u8], start: usize) -> Option<usize> {
    [start, bytes.len().saturating_sub(8)]
        .map(|at| whole(bytes, at, 8))
        .into_iter()
        .find(|&at| at >= start + 8 && at.saturating_add(8) <= bytes.len())
}
