//! OFF: counts, then vertices, then faces, one per line.
//!
//! The word `OFF` may be missing and may carry the prefixes `ST`, `C` and `N` (texture, colour and
//! normal follow the coordinates, and are skipped); `#` starts a comment anywhere. Colours after
//! the corners of a face are skipped too. Four-dimensional and binary files are refused.

use super::error::ReadError;
use super::model::Model;
use super::soup_builder::PolygonSoup;
use super::text::{self, Lines, Words, expect_word};

pub(super) fn read(bytes: &[u8], factor: f64) -> Result<Model, ReadError> {
    let mut lines = Lines::new(bytes);
    let (vertex_count, face_count) = read_header(&mut lines)?;
    let mut soup = PolygonSoup::new();
    // Coordinates need at least "0 0 0\n", a face at least "3 0 1 2\n".
    let header = lines.number();
    let needed = vertex_count
        .saturating_mul(6)
        .saturating_add(face_count.saturating_mul(8));
    if needed > lines.left() as u64 + 1 {
        return Err(ReadError::line(
            header,
            format!(
                "{vertex_count} vertices and {face_count} faces are declared, but only {} bytes follow (was the file cut off?)",
                lines.left()
            ),
        ));
    }
    soup.positions.reserve(vertex_count as usize);
    soup.reserve_corners(face_count as usize * 3);
    for vertex in 0..vertex_count as usize {
        let line = next_line(&mut lines, "vertex", vertex as u64, vertex_count)?;
        let mut words = Words(line);
        soup.positions
            .push(text::point(&mut words, lines.number(), vertex)?);
    }
    for face in 0..face_count {
        let line = next_line(&mut lines, "face", face, face_count)?;
        read_face(Words(line), lines.number(), vertex_count, &mut soup)?;
    }
    if lines.next_filled(true).is_some() {
        return Err(ReadError::line(
            lines.number(),
            format!(
                "content follows the last of the {face_count} declared faces; is the count wrong?"
            ),
        ));
    }
    soup.into_model(factor)
}

fn next_line<'a>(
    lines: &mut Lines<'a>,
    what: &str,
    have: u64,
    want: u64,
) -> Result<&'a [u8], ReadError> {
    lines.next_filled(true).ok_or_else(|| {
        ReadError::line(
            lines.number(),
            format!("the file ends after {have} of {want} {what} lines (was it cut off?)"),
        )
    })
}

/// The numbers of vertices and faces.
fn read_header(lines: &mut Lines<'_>) -> Result<(u64, u64), ReadError> {
    let empty = || ReadError::line(1, "the file is empty");
    let mut words = Words(lines.next_filled(true).ok_or_else(empty)?);
    let first = words.clone().next().unwrap_or_default();
    if let Some(prefix) = first.strip_suffix(b"OFF") {
        let rest = prefix.strip_prefix(b"ST").unwrap_or(prefix);
        let rest = rest.strip_prefix(b"C").unwrap_or(rest);
        let rest = rest.strip_prefix(b"N").unwrap_or(rest);
        let second = words.clone().nth(1);
        if second == Some(b"BINARY") || !rest.is_empty() {
            let kind = if rest.is_empty() { "binary" } else { "this" };
            return Err(ReadError::unsupported(format!(
                "{kind} variant of OFF ('{}') is not read; save it as plain three-dimensional ASCII OFF",
                text::shown(first)
            ))
            .at(super::FilePlace::Line(lines.number())));
        }
        words.next();
        if words.clone().next().is_none() {
            let cut = || ReadError::line(1, "the file ends after the word OFF");
            words = Words(lines.next_filled(true).ok_or_else(cut)?);
        }
    }
    let line = lines.number();
    let mut count = |what| -> Result<u64, ReadError> {
        let word = expect_word(&mut words, line, what)?;
        let value = text::integer(word, line)?;
        u64::try_from(value)
            .ok()
            .filter(|&n| n < u64::from(u32::MAX))
            .ok_or_else(|| ReadError::line(line, format!("{what} cannot be {value}")))
    };
    let vertices = count("the number of vertices")?;
    let faces = count("the number of faces")?;
    // The number of edges is often missing or 0: nobody needs it.
    if let Some(extra) = words.nth(1) {
        return Err(ReadError::line(
            line,
            format!(
                "expected the numbers of vertices, faces and edges, then a new line; found '{}'",
                text::shown(extra)
            ),
        ));
    }
    Ok((vertices, faces))
}

fn read_face(
    mut words: Words<'_>,
    line: u64,
    vertex_count: u64,
    soup: &mut PolygonSoup,
) -> Result<(), ReadError> {
    let size = text::integer(
        expect_word(&mut words, line, "the number of corners")?,
        line,
    )?;
    if size < 3 {
        return Err(ReadError::line(
            line,
            format!("a face needs at least 3 corners, this one has {size}"),
        ));
    }
    for _ in 0..size {
        let word = expect_word(&mut words, line, "the vertex of a corner")?;
        let vertex = text::integer(word, line)?;
        match u32::try_from(vertex) {
            Ok(v) if u64::from(v) < vertex_count => soup.add_corner(v),
            _ => {
                return Err(ReadError::line(
                    line,
                    format!(
                        "vertex {vertex} does not exist: there are {vertex_count}, numbered from 0"
                    ),
                ));
            }
        }
    }
    soup.close_polygon(size as usize);
    Ok(())
}

/// The merged model as OFF text.
pub(super) fn write(model: &Model) -> Vec<u8> {
    let (mesh, _) = model.merged();
    let mut out = Vec::with_capacity(mesh.vertex_count() * 40 + mesh.face_count() * 20);
    out.extend_from_slice(b"OFF\n");
    text::write_integer(&mut out, mesh.vertex_count() as u64);
    out.push(b' ');
    text::write_integer(&mut out, mesh.face_count() as u64);
    out.extend_from_slice(b" 0\n");
    text::write_rows(&mut out, &mesh);
    out
}
