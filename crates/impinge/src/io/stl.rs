//! STL: triangles without shared vertices.
//!
//! Binary when the size fits the triangle count (many binary files start with `solid`, too), else
//! text. Normals are ignored: they may be missing, wrong or NaN. Three new vertices per face are
//! kept as they are; welding them is the caller's choice.

use std::io::Write;

use glam::DVec3;

use super::byte_cursor::{ByteCursor, le_f32, le_u32};
use super::error::{FilePlace, ReadError, WriteError};
use super::format::Format;
use super::model::{Model, Part};
use super::soup_builder::PolygonSoup;
use super::text::{self, Lines, Words};
use crate::mesh::TriMesh;

const HEADER: usize = 84;
const RECORD: usize = 50;

pub(super) fn looks_like_stl(bytes: &[u8]) -> bool {
    fits_binary(bytes) || starts_as_text(bytes)
}

/// Whether the file is exactly as long as its triangle count requires.
fn fits_binary(bytes: &[u8]) -> bool {
    bytes.len() >= HEADER
        && (le_u32(bytes, 80) as usize)
            .checked_mul(RECORD)
            .is_some_and(|n| n == bytes.len() - HEADER)
}

/// Whether the file starts with `solid` and goes on as text.
fn starts_as_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1024)];
    let mut words = Words(head);
    words
        .next()
        .is_some_and(|w| w.eq_ignore_ascii_case(b"solid"))
        && !head.contains(&0)
}

pub(super) fn read(bytes: &[u8], factor: f64) -> Result<Model, ReadError> {
    if !fits_binary(bytes) && starts_as_text(bytes) {
        read_text(bytes, factor)
    } else if bytes.is_empty() {
        Err(ReadError::malformed("the file is empty"))
    } else {
        read_binary(bytes, factor)
    }
}

fn read_binary(bytes: &[u8], factor: f64) -> Result<Model, ReadError> {
    let mut cursor = ByteCursor::new(bytes, 0);
    cursor.take(
        80,
        "the header of a binary STL file (text would start with 'solid')",
    )?;
    let count = cursor.take_u32("the triangle count")? as usize;
    let fits = cursor.left() / RECORD;
    if count > fits {
        return Err(ReadError::byte(
            80,
            format!(
                "{count} triangles are declared, but the file has room for only {fits} (was it cut off?)"
            ),
        ));
    }
    let start = cursor.at();
    let records = cursor.take(count * RECORD, "the triangles")?;
    cursor.expect_end()?;
    let mut positions = Vec::with_capacity(count * 3);
    for (face, record) in records.chunks_exact(RECORD).enumerate() {
        for corner in 0..3 {
            let at = 12 + corner * 12;
            let p = DVec3::new(
                le_f32(record, at),
                le_f32(record, at + 4),
                le_f32(record, at + 8),
            );
            let place = FilePlace::Byte((start + face * RECORD + at) as u64);
            positions.push(text::checked(p, positions.len(), place)? * factor);
        }
    }
    let part = Part::new("", TriMesh::new(positions, unshared(count))?);
    Ok(Model::from(vec![part]))
}

/// Faces over vertices that are used once, in order.
fn unshared(faces: usize) -> Vec<[u32; 3]> {
    (0..faces as u32)
        .map(|f| {
            let v = f.wrapping_mul(3);
            [v, v.wrapping_add(1), v.wrapping_add(2)]
        })
        .collect()
}

/// The next filled line, which must start with `words` (in any case); what follows them.
fn expect<'a>(lines: &mut Lines<'a>, wanted: &str) -> Result<Words<'a>, ReadError> {
    let Some(line) = lines.next_filled(false) else {
        return Err(ReadError::line(
            lines.number(),
            format!("the file ends where '{wanted}' is expected (was it cut off?)"),
        ));
    };
    let mut words = Words(line);
    for wanted_word in wanted.split(' ') {
        if !words
            .next()
            .is_some_and(|w| w.eq_ignore_ascii_case(wanted_word.as_bytes()))
        {
            let hint = match wanted {
                "endloop" => "; a facet has exactly three vertices",
                "vertex" => "; a facet needs three vertices",
                _ => "",
            };
            return Err(ReadError::line(
                lines.number(),
                format!(
                    "expected '{wanted}', found '{}'{hint}",
                    text::shown(line.trim_ascii())
                ),
            ));
        }
    }
    Ok(words)
}

fn read_text(bytes: &[u8], factor: f64) -> Result<Model, ReadError> {
    let mut lines = Lines::new(bytes);
    let mut soup = PolygonSoup::new();
    while let Some(line) = lines.next_filled(false) {
        let mut words = Words(line);
        if !words
            .next()
            .is_some_and(|w| w.eq_ignore_ascii_case(b"solid"))
        {
            return Err(ReadError::line(
                lines.number(),
                format!(
                    "expected 'solid', found '{}'",
                    text::shown(line.trim_ascii())
                ),
            ));
        }
        soup.add_part(text::name(words.0));
        read_solid(&mut lines, &mut soup)?;
    }
    soup.into_model(factor)
}

fn read_solid(lines: &mut Lines<'_>, soup: &mut PolygonSoup) -> Result<(), ReadError> {
    loop {
        let Some(line) = lines.next_filled(false) else {
            return Err(ReadError::line(
                lines.number(),
                "the file ends without 'endsolid'; it may be cut off (if it is whole, add that line)",
            ));
        };
        let mut words = Words(line);
        let first = words.next().unwrap_or_default();
        // Some writers put a blank into the last word.
        let blank_inside = first.eq_ignore_ascii_case(b"end")
            && words
                .next()
                .is_some_and(|w| w.eq_ignore_ascii_case(b"solid"));
        if first.eq_ignore_ascii_case(b"endsolid") || blank_inside {
            return Ok(());
        }
        if !first.eq_ignore_ascii_case(b"facet") {
            return Err(ReadError::line(
                lines.number(),
                format!(
                    "expected 'facet' or 'endsolid', found '{}'",
                    text::shown(line.trim_ascii())
                ),
            ));
        }
        expect(lines, "outer loop")?;
        for _ in 0..3 {
            let mut words = expect(lines, "vertex")?;
            let vertex = soup.positions.len();
            let p = text::point(&mut words, lines.number(), vertex)?;
            if let Some(extra) = words.next() {
                return Err(ReadError::line(
                    lines.number(),
                    format!(
                        "a vertex has three coordinates, found '{}' after them",
                        text::shown(extra)
                    ),
                ));
            }
            soup.positions.push(p);
        }
        expect(lines, "endloop")?;
        expect(lines, "endfacet")?;
        let end = u32::try_from(soup.positions.len())
            .map_err(|_| ReadError::line(lines.number(), "more vertices than ids can name"))?;
        soup.add_triangle([end - 3, end - 2, end - 1]);
    }
}

/// The unit normal of a face, zero when it has no area.
fn normal(corners: [DVec3; 3]) -> DVec3 {
    let [a, b, c] = corners;
    // Scaled first: products of the largest allowed coordinates would leave the range of f32.
    let (u, v) = (b - a, c - a);
    let size = u.abs().max_element().max(v.abs().max_element());
    if size == 0.0 {
        return DVec3::ZERO;
    }
    (u / size).cross(v / size).normalize_or_zero()
}

/// The merged model as binary STL, each coordinate rounded to `f32`.
pub(super) fn write_binary(model: &Model) -> Result<Vec<u8>, WriteError> {
    let (mesh, _) = model.merged();
    let mut out = Vec::with_capacity(HEADER + mesh.face_count() * RECORD);
    out.extend_from_slice(b"binary STL written by impinge");
    out.resize(80, b' ');
    // `TriMesh::MAX_FACES` is below 2^32.
    out.extend_from_slice(&(mesh.face_count() as u32).to_le_bytes());
    for face in mesh.face_ids() {
        let corners = mesh.triangle(face);
        for x in normal(corners).to_array() {
            out.extend_from_slice(&(x as f32).to_le_bytes());
        }
        for (p, v) in corners.into_iter().zip(mesh.faces()[face.index()]) {
            for value in p.to_array() {
                let single = value as f32;
                if !single.is_finite() {
                    return Err(WriteError::OutOfRange {
                        vertex: v as usize,
                        value,
                        format: Format::Stl,
                    });
                }
                out.extend_from_slice(&single.to_le_bytes());
            }
        }
        out.extend_from_slice(&[0, 0]);
    }
    Ok(out)
}

/// The model as STL text, one solid per part, every coordinate exact.
pub(super) fn write_text(model: &Model) -> Vec<u8> {
    let mut out = Vec::with_capacity(model.face_count() * 200);
    for part in &model.parts {
        let name = text::one_line(&part.name);
        let line = |out: &mut Vec<u8>, word: &str| {
            out.extend_from_slice(word.as_bytes());
            if !name.is_empty() {
                out.push(b' ');
                out.extend_from_slice(name.as_bytes());
            }
            out.push(b'\n');
        };
        line(&mut out, "solid");
        for face in part.mesh.face_ids() {
            let corners = part.mesh.triangle(face);
            out.extend_from_slice(b"facet normal ");
            write_normal(&mut out, normal(corners));
            out.extend_from_slice(b"\n  outer loop\n");
            for p in corners {
                out.extend_from_slice(b"    vertex ");
                text::write_point(&mut out, p);
                out.push(b'\n');
            }
            out.extend_from_slice(b"  endloop\nendfacet\n");
        }
        line(&mut out, "endsolid");
    }
    out
}

/// Normals are decoration: single precision keeps the file small.
fn write_normal(out: &mut Vec<u8>, n: DVec3) {
    // Writing to memory cannot fail.
    let _ = write!(out, "{} {} {}", n.x as f32, n.y as f32, n.z as f32);
}
