//! PCD, the format of the Point Cloud Library: text, binary, and compressed column by column.

use super::columns::{NumberType, PointColumns, RawPoints};
use super::error::{CloudReadError, CloudWriteError};
use super::lzf;
use super::text::{Lines, float, shown, whole, words, write_float};
use crate::cloud::PointCloud;

/// How the points are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PcdStorage {
    Text,
    Binary,
    Compressed,
}

#[derive(Default)]
struct PcdHeader {
    names: Vec<String>,
    sizes: Vec<usize>,
    types: Vec<u8>,
    counts: Vec<usize>,
    width: Option<usize>,
    height: Option<usize>,
    points: Option<usize>,
}

/// A field and where it lies in a row.
#[derive(Clone, Copy)]
struct PcdField {
    number: NumberType,
    count: usize,
    /// In bytes.
    offset: usize,
    /// In values.
    column: usize,
}

pub(super) fn read(bytes: &[u8]) -> Result<RawPoints, CloudReadError> {
    let mut lines = Lines::new(bytes);
    let (header, storage) = header(&mut lines)?;
    let at = lines.number();
    let fields = fields(&header, at)?;
    let found = PointColumns::find(|wanted| {
        let is_wanted = |name: &String| wanted.contains(&name.as_str());
        header.names.iter().position(is_wanted)
    });
    let Some(columns) = found else {
        return Err(CloudReadError::line(at, "there are no fields x, y and z"));
    };
    let (width, height) = (header.width.unwrap_or(0), header.height.unwrap_or(1));
    // More than can be counted is more than the file has.
    let points = header.points.unwrap_or(width.saturating_mul(height));
    let stride = fields
        .last()
        .map_or(0, |f| f.offset + f.number.size() * f.count);
    match storage {
        PcdStorage::Text => text_rows(&fields, &columns, points, &mut lines),
        PcdStorage::Binary => {
            let start = lines.at();
            let rows = taken(bytes, start, points, stride)?;
            let mut raw = RawPoints::with_bytes(&columns, start, stride);
            for row in rows.chunks_exact(stride.max(1)) {
                raw.add(&columns, 0, |c| Ok(value(fields.get(c), row, |f| f.offset)))?;
            }
            Ok(raw)
        }
        PcdStorage::Compressed => {
            let start = lines.at();
            let table = expanded(bytes, start, points, stride)?;
            let mut raw = RawPoints::with_bytes(&columns, start, 0);
            for i in 0..points {
                // All values of the first field come first, then all of the second.
                let place = |f: &PcdField| f.offset * points + i * f.number.size() * f.count;
                raw.add(&columns, 0, |c| Ok(value(fields.get(c), &table, place)))?;
            }
            Ok(raw)
        }
    }
}

fn value(field: Option<&PcdField>, bytes: &[u8], place: impl Fn(&PcdField) -> usize) -> f64 {
    field.map_or(f64::NAN, |field| {
        let bytes = bytes.get(place(field)..).unwrap_or_default();
        field.number.get(bytes, false)
    })
}

fn header(lines: &mut Lines<'_>) -> Result<(PcdHeader, PcdStorage), CloudReadError> {
    let mut header = PcdHeader::default();
    // More lines than any header has; a file of another kind is given up early.
    for _ in 0..1000 {
        let Some(line) = lines.next_filled() else {
            break;
        };
        let at = lines.number();
        let mut rest = words(line);
        let keyword = rest.next().unwrap_or_default();
        match keyword {
            b"FIELDS" | b"COLUMNS" => {
                let names = rest.map(|w| String::from_utf8_lossy(w).to_ascii_lowercase());
                header.names = names.collect();
            }
            b"SIZE" => header.sizes = rest.map(|w| whole(w, at)).collect::<Result<_, _>>()?,
            b"TYPE" => header.types = rest.map(|w| w[0]).collect(),
            b"COUNT" => header.counts = rest.map(|w| whole(w, at)).collect::<Result<_, _>>()?,
            b"WIDTH" => header.width = rest.next().map(|w| whole(w, at)).transpose()?,
            b"HEIGHT" => header.height = rest.next().map(|w| whole(w, at)).transpose()?,
            b"POINTS" => header.points = rest.next().map(|w| whole(w, at)).transpose()?,
            b"DATA" => {
                let storage = match rest.next() {
                    Some(b"ascii") => PcdStorage::Text,
                    Some(b"binary") => PcdStorage::Binary,
                    Some(b"binary_compressed") => PcdStorage::Compressed,
                    other => {
                        let other = shown(other.unwrap_or_default());
                        let message = format!("DATA '{other}' is not known");
                        return Err(CloudReadError::line(at, message));
                    }
                };
                return Ok((header, storage));
            }
            b"VERSION" | b"VIEWPOINT" => {}
            word if word.starts_with(b"#") => {}
            word => {
                let message = format!("'{}' does not belong in a header", shown(word));
                return Err(CloudReadError::line(at, message));
            }
        }
    }
    Err(CloudReadError::line(
        lines.number(),
        "the header has no DATA line",
    ))
}

fn fields(header: &PcdHeader, line: u64) -> Result<Vec<PcdField>, CloudReadError> {
    let count = header.names.len();
    let one_each = vec![1; count];
    let counts = if header.counts.is_empty() {
        &one_each
    } else {
        &header.counts
    };
    if header.sizes.len() != count || header.types.len() != count || counts.len() != count {
        let message = "FIELDS, SIZE, TYPE and COUNT do not have the same length";
        return Err(CloudReadError::line(line, message));
    }
    let (mut offset, mut column) = (0_usize, 0_usize);
    let mut fields = Vec::with_capacity(count);
    let types = header.types.iter().zip(&header.sizes);
    for ((&kind, &size), &count) in types.zip(counts) {
        let number = match (kind, size) {
            (b'F', 4) => NumberType::F32,
            (b'F', 8) => NumberType::F64,
            (b'I', size @ (1 | 2 | 4 | 8)) => NumberType::Signed(size as u8),
            (b'U', size @ (1 | 2 | 4 | 8)) => NumberType::Unsigned(size as u8),
            (kind, size) => {
                let message = format!("type {} of {size} bytes is not known", kind.escape_ascii());
                return Err(CloudReadError::line(line, message));
            }
        };
        fields.push(PcdField {
            number,
            count,
            offset,
            column,
        });
        let size = number.size().checked_mul(count);
        let next = size.and_then(|size| offset.checked_add(size));
        let Some(next) = next.filter(|&next| next <= 1 << 20) else {
            return Err(CloudReadError::line(
                line,
                "a point takes more than a megabyte",
            ));
        };
        (offset, column) = (next, column + count);
    }
    Ok(fields)
}

fn text_rows(
    fields: &[PcdField],
    columns: &PointColumns,
    points: usize,
    lines: &mut Lines<'_>,
) -> Result<RawPoints, CloudReadError> {
    let width = fields.last().map_or(0, |f| f.column + f.count);
    if points.saturating_mul(2 * width) > lines.left() + 1 {
        let message = format!(
            "{points} points are declared, {} bytes are left (was the file cut off?)",
            lines.left()
        );
        return Err(CloudReadError::line(lines.number(), message));
    }
    let mut raw = RawPoints::with_lines(columns);
    let mut row: Vec<&[u8]> = Vec::new();
    for read in 0..points {
        let Some(line) = lines.next_filled() else {
            let message = format!("the file ends after {read} of {points} points");
            return Err(CloudReadError::line(lines.number(), message));
        };
        let at = lines.number();
        row.clear();
        row.extend(words(line));
        if row.len() != width {
            let message = format!("{} values where {width} are declared", row.len());
            return Err(CloudReadError::line(at, message));
        }
        raw.add(columns, at, |c| {
            let word = fields.get(c).and_then(|f| row.get(f.column));
            float(word.copied().unwrap_or_default(), at)
        })?;
    }
    Ok(raw)
}

fn taken(
    bytes: &[u8],
    start: usize,
    points: usize,
    stride: usize,
) -> Result<&[u8], CloudReadError> {
    let end = points
        .checked_mul(stride)
        .and_then(|size| start.checked_add(size));
    end.and_then(|end| bytes.get(start..end)).ok_or_else(|| {
        let left = bytes.len().saturating_sub(start);
        CloudReadError::byte(
            start,
            format!("{points} points of {stride} bytes are declared, {left} bytes are left (was the file cut off?)"),
        )
    })
}

fn expanded(
    bytes: &[u8],
    start: usize,
    points: usize,
    stride: usize,
) -> Result<Vec<u8>, CloudReadError> {
    let size = |at: usize| {
        let four = bytes
            .get(at..at + 4)
            .and_then(|four| four.first_chunk::<4>());
        four.map(|four| u32::from_le_bytes(*four) as usize)
            .ok_or_else(|| {
                CloudReadError::byte(at, "the file ends before the sizes of the compressed block")
            })
    };
    let (packed, plain) = (size(start)?, size(start + 4)?);
    if points.checked_mul(stride) != Some(plain) {
        let message = format!(
            "{points} points of {stride} bytes are declared, the block holds {plain} bytes"
        );
        return Err(CloudReadError::byte(start + 4, message));
    }
    let start = start + 8;
    let block = bytes
        .get(start..start.saturating_add(packed))
        .ok_or_else(|| {
            let left = bytes.len().saturating_sub(start);
            CloudReadError::byte(
                start,
                format!("{packed} compressed bytes are declared, {left} are left"),
            )
        })?;
    lzf::expand(block, plain)
        .ok_or_else(|| CloudReadError::byte(start, "the compressed block is damaged"))
}

pub(super) fn write(cloud: &PointCloud, storage: PcdStorage) -> Result<Vec<u8>, CloudWriteError> {
    let has_normals = cloud.normals().is_some();
    let (fields, width) = if has_normals {
        ("x y z normal_x normal_y normal_z", 6)
    } else {
        ("x y z", 3)
    };
    let repeated = |word: &str| [word].repeat(width).join(" ");
    let count = cloud.len();
    let name = match storage {
        PcdStorage::Text => "ascii",
        PcdStorage::Binary => "binary",
        PcdStorage::Compressed => "binary_compressed",
    };
    let header = format!(
        "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS {fields}\nSIZE {}\nTYPE {}\nCOUNT {}\nWIDTH {count}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {count}\nDATA {name}\n",
        repeated("8"),
        repeated("F"),
        repeated("1"),
    );
    let mut out = header.into_bytes();
    let row = |i: usize| {
        let normal = cloud.normals().and_then(|normals| normals.get(i));
        let vectors = [cloud.points().get(i), normal].into_iter().flatten();
        vectors.flat_map(|v| v.to_array())
    };
    match storage {
        PcdStorage::Text => {
            for i in 0..count {
                for (k, x) in row(i).enumerate() {
                    if k > 0 {
                        out.push(b' ');
                    }
                    write_float(&mut out, x);
                }
                out.push(b'\n');
            }
        }
        PcdStorage::Binary => {
            for i in 0..count {
                out.extend(row(i).flat_map(f64::to_le_bytes));
            }
        }
        PcdStorage::Compressed => {
            let mut table = Vec::with_capacity(count * width * 8);
            for vectors in [Some(cloud.points()), cloud.normals()]
                .into_iter()
                .flatten()
            {
                for axis in 0..3 {
                    table.extend(vectors.iter().flat_map(|v| v[axis].to_le_bytes()));
                }
            }
            let packed = lzf::compress(&table);
            let size = |bytes: &[u8]| u32::try_from(bytes.len());
            let (Ok(small), Ok(large)) = (size(&packed), size(&table)) else {
                return Err(CloudWriteError::TooMany { points: count });
            };
            out.extend_from_slice(&small.to_le_bytes());
            out.extend_from_slice(&large.to_le_bytes());
            out.extend_from_slice(&packed);
        }
    }
    Ok(out)
}
