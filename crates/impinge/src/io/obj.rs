//! Wavefront OBJ: statements, one per line.
//!
//! Read: `v` (with weight or colour), `f` with any number of corners and with negative indices, `o`
//! and `g`, continued lines. Vertices may follow the faces that use them. Statements about looks
//! are skipped silently, points, lines and curves with a note. A word that is no OBJ statement is
//! refused: skipping it could shift the vertex numbers of everything after it.

use std::collections::{BTreeSet, HashMap};

use glam::DVec3;

use super::error::{FilePlace, ReadError};
use super::model::Model;
use super::soup_builder::PolygonSoup;
use super::text::{self, Lines, Words};

/// Statements without faces: appearance, grouping by material, free-form attributes.
const SILENT: [&[u8]; 34] = [
    b"vt",
    b"vn",
    b"vp",
    b"s",
    b"mg",
    b"usemtl",
    b"mtllib",
    b"usemat",
    b"maplib",
    b"usemap",
    b"bevel",
    b"c_interp",
    b"d_interp",
    b"lod",
    b"shadow_obj",
    b"trace_obj",
    b"ctech",
    b"stech",
    b"deg",
    b"bmat",
    b"step",
    b"cstype",
    b"parm",
    b"trim",
    b"hole",
    b"scrv",
    b"sp",
    b"end",
    b"con",
    b"res",
    b"cdc",
    b"cdp",
    b"bzp",
    b"bsp",
];

/// Statements with geometry that is not faces, and what to call it.
const SKIPPED: [(&[u8], &str); 6] = [
    (b"p", "point"),
    (b"l", "line"),
    (b"curv", "curve"),
    (b"curv2", "curve"),
    (b"surf", "free-form surface"),
    (b"call", "call of another file"),
];

pub(super) fn read(bytes: &[u8], factor: f64) -> Result<Model, ReadError> {
    let mut reader = ObjReader::default();
    let mut lines = Lines::new(bytes);
    let mut joined = Vec::new();
    while let Some(line) = lines.next_line() {
        let number = lines.number();
        let start = line
            .iter()
            .position(|&b| !text::is_space(b))
            .unwrap_or(line.len());
        let line = &line[start..];
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        if line.ends_with(b"\\") {
            joined.clear();
            join(line, &mut lines, &mut joined);
            reader.statement(&joined, number)?;
        } else {
            reader.statement(line, number)?;
        }
    }
    reader.finish(factor)
}

/// Appends a line and those that continue it, with blanks for the backslashes between.
fn join(first: &[u8], lines: &mut Lines<'_>, joined: &mut Vec<u8>) {
    let mut line = first;
    while let Some(head) = line.strip_suffix(b"\\") {
        joined.extend_from_slice(head);
        joined.push(b' ');
        line = lines.next_line().unwrap_or_default();
    }
    joined.extend_from_slice(line);
}

#[derive(Default)]
struct ObjReader {
    soup: PolygonSoup,
    object: Vec<u8>,
    group: Vec<u8>,
    /// Whether `object` or `group` changed since the last face.
    renamed: bool,
    parts: HashMap<(Vec<u8>, Vec<u8>), u32>,
    /// The largest vertex number used so far (counted from 1) and the line that used it.
    largest: (u64, u64),
    skipped: [u64; SKIPPED.len()],
    notes: Vec<String>,
}

impl ObjReader {
    fn statement(&mut self, statement: &[u8], line: u64) -> Result<(), ReadError> {
        let mut words = Words(statement);
        match words.next() {
            Some(b"v") => self.vertex(Words(text::before_comment(words.0)), line),
            Some(b"f" | b"fo") => self.face(Words(text::before_comment(words.0)), line),
            Some(b"o") => {
                self.object = words.0.trim_ascii().to_vec();
                self.renamed = true;
                Ok(())
            }
            Some(b"g") => {
                self.group = words.0.trim_ascii().to_vec();
                self.renamed = true;
                Ok(())
            }
            Some(word) => {
                if self.is_count_line(statement) {
                    self.notes.push(format!(
                        "skipped: line {line}, '{}', taken for counts",
                        text::shown(statement)
                    ));
                } else if let Some(kind) = SKIPPED.iter().position(|(name, _)| *name == word) {
                    self.skipped[kind] += 1;
                } else if !SILENT.contains(&word) {
                    return Err(ReadError::line(
                        line,
                        format!(
                            "'{}' is not an OBJ statement; if the line is an extension without geometry, remove it",
                            text::shown(word)
                        ),
                    ));
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Whether a line of bare numbers precedes all geometry, as some writers put their counts there.
    fn is_count_line(&self, statement: &[u8]) -> bool {
        self.soup.positions.is_empty()
            && self.soup.polygon_count() == 0
            && Words(statement).all(|word| word.iter().all(u8::is_ascii_digit))
    }

    fn vertex(&mut self, mut words: Words<'_>, line: u64) -> Result<(), ReadError> {
        let vertex = self.soup.positions.len();
        let mut p = text::point(&mut words, line, vertex)?;
        if let Some(fourth) = words.next() {
            match words.count() {
                0 => {
                    let weight = text::float(fourth, line)?;
                    if weight != 1.0 {
                        p = text::checked(p / weight, vertex, FilePlace::Line(line))?;
                    }
                }
                // Red, green, blue and perhaps alpha.
                2 | 3 => {}
                n => {
                    return Err(ReadError::line(
                        line,
                        format!(
                            "a vertex has 3 coordinates and perhaps a weight or a colour, this one has {} values",
                            n + 4
                        ),
                    ));
                }
            }
        }
        self.soup.positions.push(p);
        Ok(())
    }

    fn face(&mut self, words: Words<'_>, line: u64) -> Result<(), ReadError> {
        if self.renamed || self.soup.polygon_count() == 0 {
            self.select_part();
        }
        let mut size = 0;
        for word in words {
            let vertex = self.corner(word, line)?;
            self.soup.add_corner(vertex);
            size += 1;
        }
        if size < 3 {
            return Err(ReadError::line(
                line,
                format!("a face needs at least 3 corners, this one has {size}"),
            ));
        }
        self.soup.close_polygon(size);
        Ok(())
    }

    /// The vertex of a corner, counted from 0.
    fn corner(&mut self, word: &[u8], line: u64) -> Result<u32, ReadError> {
        let end = word.iter().position(|&b| b == b'/').unwrap_or(word.len());
        let (vertex, rest) = word.split_at(end);
        let plain = |b: &u8| b.is_ascii_digit() || matches!(b, b'/' | b'-');
        let Some(index) = text::parse_integer(vertex).filter(|_| rest.iter().all(plain)) else {
            return Err(ReadError::line(
                line,
                format!(
                    "expected a corner such as 7, 7/1 or 7//2, found '{}'",
                    text::shown(word)
                ),
            ));
        };
        let defined = self.soup.positions.len() as i64;
        let from_one = if index < 0 {
            defined + 1 + index
        } else {
            index
        };
        if from_one < 1 || from_one >= i64::from(u32::MAX) {
            let problem = match index {
                0 => "vertices are numbered from 1, so 0 names none".to_owned(),
                _ => format!("vertex {index} does not exist: {defined} are defined up to here"),
            };
            return Err(ReadError::line(line, problem));
        }
        if from_one as u64 > self.largest.0 {
            self.largest = (from_one as u64, line);
        }
        Ok((from_one - 1) as u32)
    }

    fn select_part(&mut self) {
        self.renamed = false;
        let key = (self.object.clone(), self.group.clone());
        if let Some(&part) = self.parts.get(&key) {
            self.soup.select_part(part);
            return;
        }
        let object = text::name(&self.object);
        let group = text::name(&self.group);
        let name = match (object.is_empty(), group.is_empty()) {
            (true, _) => group,
            (_, true) => object,
            _ if object == group => object,
            _ => format!("{object}/{group}"),
        };
        let part = self.soup.add_part(name);
        self.parts.insert(key, part);
    }

    fn finish(self, factor: f64) -> Result<Model, ReadError> {
        let vertices = self.soup.positions.len();
        let (largest, line) = self.largest;
        if largest > vertices as u64 {
            return Err(ReadError::line(
                line,
                format!("vertex {largest} does not exist: the file has {vertices}"),
            ));
        }
        let mut model = self.soup.into_model(factor)?;
        model.notes.extend(self.notes);
        for ((_, what), count) in SKIPPED.iter().zip(self.skipped) {
            if count > 0 {
                model.notes.push(format!("skipped: {what} (×{count})"));
            }
        }
        Ok(model)
    }
}

/// The model as OBJ text: all vertices, then the faces in order, `o` where the part changes.
pub(super) fn write(model: &Model) -> Vec<u8> {
    let (mesh, part_of_face) = model.merged();
    let names = distinct_names(model);
    let mut out = Vec::with_capacity(mesh.vertex_count() * 40 + mesh.face_count() * 20);
    for &p in mesh.positions() {
        write_vertex(&mut out, p);
    }
    let mut current = None;
    for (face, part) in mesh.faces().iter().zip(part_of_face) {
        if current != Some(part) {
            current = Some(part);
            let name = names.get(part as usize).map_or("", String::as_str);
            if !(name.is_empty() && names.len() == 1) {
                out.extend_from_slice(b"o ");
                out.extend_from_slice(name.as_bytes());
                out.push(b'\n');
            }
        }
        out.push(b'f');
        for v in face {
            out.push(b' ');
            text::write_integer(&mut out, u64::from(*v) + 1);
        }
        out.push(b'\n');
    }
    out
}

fn write_vertex(out: &mut Vec<u8>, p: DVec3) {
    out.extend_from_slice(b"v ");
    text::write_point(out, p);
    out.push(b'\n');
}

/// One name per part; parts of equal name would otherwise be read back as one.
fn distinct_names(model: &Model) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut names = Vec::with_capacity(model.parts.len());
    for part in &model.parts {
        let wanted = text::one_line(&part.name);
        // A backslash at the end would swallow the next line.
        let wanted = wanted.trim_end_matches('\\').to_owned();
        let mut name = wanted.clone();
        let mut copy = 1u64;
        while !taken.insert(name.clone()) {
            copy += 1;
            name = format!("{wanted}.{copy}");
        }
        names.push(name);
    }
    names
}
