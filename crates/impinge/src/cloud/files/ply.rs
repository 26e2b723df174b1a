//! The vertices of PLY files.

use super::columns::{NumberType, PointColumns, RawPoints};
use super::error::CloudReadError;
use super::text::{Lines, float, is_space, shown, whole, words, write_float};
use crate::cloud::PointCloud;

#[derive(Clone, Copy, PartialEq, Eq)]
enum PlyEncoding {
    Text,
    Little,
    Big,
}

enum PlyProperty {
    Scalar(NumberType),
    List(NumberType, NumberType),
}

struct PlyElement {
    is_vertex: bool,
    count: usize,
    line: u64,
    names: Vec<String>,
    properties: Vec<PlyProperty>,
}

pub(super) fn read(bytes: &[u8]) -> Result<RawPoints, CloudReadError> {
    let mut lines = Lines::new(bytes);
    let (encoding, elements) = header(&mut lines)?;
    if !elements.iter().any(|element| element.is_vertex) {
        return Err(CloudReadError::line(
            lines.number(),
            "there is no element 'vertex'",
        ));
    }
    let mut at = lines.at();
    for element in &elements {
        if !element.is_vertex {
            // What comes before the vertices has to be passed; what comes behind does not matter.
            match encoding {
                PlyEncoding::Text => {
                    for _ in 0..element.count {
                        if lines.next_filled().is_none() {
                            return Err(cut_off(element, lines.number()));
                        }
                    }
                }
                _ => at = skip(element, bytes, at, encoding == PlyEncoding::Big)?,
            }
            continue;
        }
        let columns = PointColumns::find(|wanted| {
            let is_wanted = |name: &String| wanted.contains(&name.as_str());
            element.names.iter().position(is_wanted)
        });
        let Some(columns) = columns else {
            return Err(CloudReadError::line(
                element.line,
                "element 'vertex' has no properties x, y and z",
            ));
        };
        if element
            .properties
            .iter()
            .any(|p| matches!(p, PlyProperty::List(..)))
        {
            return Err(CloudReadError::line(
                element.line,
                "lists in element 'vertex' are not read",
            ));
        }
        return match encoding {
            PlyEncoding::Text => text_rows(element, &columns, &mut lines),
            _ => binary_rows(element, &columns, bytes, at, encoding == PlyEncoding::Big),
        };
    }
    Ok(RawPoints::default())
}

fn cut_off(element: &PlyElement, line: u64) -> CloudReadError {
    CloudReadError::line(
        line,
        format!(
            "the file ends before {} declared rows (was it cut off?)",
            element.count
        ),
    )
}

fn header(lines: &mut Lines<'_>) -> Result<(PlyEncoding, Vec<PlyElement>), CloudReadError> {
    if lines.next_line().map(<[u8]>::trim_ascii) != Some(b"ply") {
        return Err(CloudReadError::line(1, "the first line is not 'ply'"));
    }
    let mut encoding = None;
    let mut elements: Vec<PlyElement> = Vec::new();
    loop {
        let Some(line) = lines.next_line() else {
            return Err(CloudReadError::line(
                lines.number(),
                "the header has no end_header",
            ));
        };
        let at = lines.number();
        let row: Vec<&[u8]> = words(line).collect();
        match row[..] {
            [b"end_header", ..] => break,
            [b"comment" | b"obj_info", ..] | [] => {}
            [b"format", which, ..] => {
                encoding = Some(match which {
                    b"ascii" => PlyEncoding::Text,
                    b"binary_little_endian" => PlyEncoding::Little,
                    b"binary_big_endian" => PlyEncoding::Big,
                    _ => {
                        let message = format!("format '{}' is not known", shown(which));
                        return Err(CloudReadError::line(at, message));
                    }
                });
            }
            [b"element", name, count] => elements.push(PlyElement {
                is_vertex: name == b"vertex",
                count: whole(count, at)?,
                line: at,
                names: Vec::new(),
                properties: Vec::new(),
            }),
            [b"property", b"list", count, item, name] => {
                let list = PlyProperty::List(type_of(count, at)?, type_of(item, at)?);
                property(&mut elements, name, list, at)?;
            }
            [b"property", kind, name] => {
                property(
                    &mut elements,
                    name,
                    PlyProperty::Scalar(type_of(kind, at)?),
                    at,
                )?;
            }
            [word, ..] => {
                let message = format!("'{}' does not belong in a header", shown(word));
                return Err(CloudReadError::line(at, message));
            }
        }
    }
    match encoding {
        Some(encoding) => Ok((encoding, elements)),
        None => Err(CloudReadError::line(
            lines.number(),
            "the header declares no format",
        )),
    }
}

fn property(
    elements: &mut [PlyElement],
    name: &[u8],
    property: PlyProperty,
    line: u64,
) -> Result<(), CloudReadError> {
    let Some(element) = elements.last_mut() else {
        return Err(CloudReadError::line(
            line,
            "a property stands before any element",
        ));
    };
    element
        .names
        .push(String::from_utf8_lossy(name).into_owned());
    element.properties.push(property);
    Ok(())
}

fn type_of(name: &[u8], line: u64) -> Result<NumberType, CloudReadError> {
    Ok(match name {
        b"char" | b"int8" => NumberType::Signed(1),
        b"uchar" | b"uint8" => NumberType::Unsigned(1),
        b"short" | b"int16" => NumberType::Signed(2),
        b"ushort" | b"uint16" => NumberType::Unsigned(2),
        b"int" | b"int32" => NumberType::Signed(4),
        b"uint" | b"uint32" => NumberType::Unsigned(4),
        b"float" | b"float32" => NumberType::F32,
        b"double" | b"float64" => NumberType::F64,
        _ => {
            let message = format!("'{}' is no type", shown(name));
            return Err(CloudReadError::line(line, message));
        }
    })
}

fn text_rows(
    element: &PlyElement,
    columns: &PointColumns,
    lines: &mut Lines<'_>,
) -> Result<RawPoints, CloudReadError> {
    // A row holds at least a digit and a blank per property.
    if element.count.saturating_mul(2 * element.properties.len()) > lines.left() + 1 {
        return Err(cut_off(element, element.line));
    }
    let mut raw = RawPoints::with_lines(columns);
    let mut row: Vec<&[u8]> = Vec::new();
    for _ in 0..element.count {
        let Some(line) = lines.next_filled() else {
            return Err(cut_off(element, lines.number()));
        };
        let at = lines.number();
        row.clear();
        row.extend(line.split(|&b| is_space(b)).filter(|word| !word.is_empty()));
        if row.len() != element.properties.len() {
            return Err(CloudReadError::line(
                at,
                format!(
                    "{} values where {} are declared",
                    row.len(),
                    element.properties.len()
                ),
            ));
        }
        raw.add(columns, at, |c| {
            float(row.get(c).copied().unwrap_or_default(), at)
        })?;
    }
    Ok(raw)
}

fn binary_rows(
    element: &PlyElement,
    columns: &PointColumns,
    bytes: &[u8],
    start: usize,
    big: bool,
) -> Result<RawPoints, CloudReadError> {
    let mut offsets = Vec::new();
    let mut stride = 0;
    for property in &element.properties {
        if let PlyProperty::Scalar(number) = property {
            offsets.push((stride, *number));
            stride += number.size();
        }
    }
    let rows = table(bytes, start, element.count, stride)?;
    let mut raw = RawPoints::with_bytes(columns, start, stride);
    for row in rows.chunks_exact(stride.max(1)) {
        raw.add(columns, 0, |c| {
            let (offset, number) = offsets
                .get(c)
                .copied()
                .unwrap_or((0, NumberType::Unsigned(1)));
            Ok(number.get(row.get(offset..).unwrap_or_default(), big))
        })?;
    }
    Ok(raw)
}

/// The bytes of `count` rows.
fn table(bytes: &[u8], start: usize, count: usize, stride: usize) -> Result<&[u8], CloudReadError> {
    let size = count.checked_mul(stride);
    let end = size.and_then(|size| start.checked_add(size));
    end.and_then(|end| bytes.get(start..end)).ok_or_else(|| {
        let left = bytes.len().saturating_sub(start);
        CloudReadError::byte(
            start,
            format!("{count} rows of {stride} bytes are declared, {left} bytes are left (was the file cut off?)"),
        )
    })
}

/// The byte behind an element.
fn skip(
    element: &PlyElement,
    bytes: &[u8],
    start: usize,
    big: bool,
) -> Result<usize, CloudReadError> {
    let mut at = start;
    let ends =
        |at: usize| CloudReadError::byte(at, "the file ends inside an element (was it cut off?)");
    let mut smallest = 0;
    for property in &element.properties {
        smallest += match property {
            PlyProperty::Scalar(number) | PlyProperty::List(number, _) => number.size(),
        };
    }
    table(bytes, start, element.count, smallest)?;
    if smallest == 0 {
        return Ok(start);
    }
    for _ in 0..element.count {
        for property in &element.properties {
            let (size, items) = match property {
                PlyProperty::Scalar(number) => (number.size(), None),
                PlyProperty::List(count, item) => (count.size(), Some((count, item))),
            };
            let field = bytes.get(at..at + size).ok_or_else(|| ends(at))?;
            at += size;
            if let Some((count, item)) = items {
                let length = count.get(field, big);
                if length.is_nan()
                    || length < 0.0
                    || length * item.size() as f64 > (bytes.len() - at) as f64
                {
                    return Err(ends(at));
                }
                at += length as usize * item.size();
            }
        }
    }
    Ok(at)
}

pub(super) fn write(cloud: &PointCloud, text: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(cloud.len() * 48 + 300);
    let format = if text {
        "ascii"
    } else {
        "binary_little_endian"
    };
    out.extend_from_slice(
        format!("ply\nformat {format} 1.0\nelement vertex {}\n", cloud.len()).as_bytes(),
    );
    let names: &[&str] = match cloud.normals() {
        Some(_) => &["x", "y", "z", "nx", "ny", "nz"],
        None => &["x", "y", "z"],
    };
    for name in names {
        out.extend_from_slice(format!("property double {name}\n").as_bytes());
    }
    out.extend_from_slice(b"end_header\n");
    for (i, p) in cloud.points().iter().enumerate() {
        let normal = cloud.normals().and_then(|normals| normals.get(i));
        let numbers = [Some(p), normal].into_iter().flatten();
        for (k, x) in numbers.flat_map(|v| v.to_array()).enumerate() {
            if !text {
                out.extend_from_slice(&x.to_le_bytes());
                continue;
            }
            if k > 0 {
                out.push(b' ');
            }
            write_float(&mut out, x);
        }
        if text {
            out.push(b'\n');
        }
    }
    out
}
