//! The rows that follow a PLY header.

use glam::DVec3;

use super::super::byte_cursor::{ByteCursor, fixed};
use super::super::error::{FilePlace, ReadError};
use super::super::model::Model;
use super::super::soup_builder::PolygonSoup;
use super::super::text::{self, Lines, Words};
use super::header::{self, Element, Encoding, Number, PropertyKind};

/// What the rows of an element mean.
#[derive(Clone, Copy, Debug)]
enum ElementRole {
    /// Vertices; the places of `x`, `y`, `z` among the properties.
    Vertices([usize; 3]),
    /// Polygons; the place of the list of corners.
    Faces(usize),
    /// Triangle strips; the place of the list of corners.
    Strips(usize),
    /// Nothing we need.
    Other,
}

pub(in super::super) fn read(bytes: &[u8], factor: f64) -> Result<Model, ReadError> {
    let mut lines = Lines::new(bytes);
    let header = header::read(&mut lines)?;
    let mut vertices = None;
    let mut roles = Vec::with_capacity(header.elements.len());
    for element in &header.elements {
        let role = role(element)?;
        if matches!(role, ElementRole::Vertices(_)) && vertices.replace(element.count).is_some() {
            return Err(ReadError::line(
                element.line,
                "a second element 'vertex' is declared",
            ));
        }
        roles.push(role);
    }
    let mut soup = PolygonSoup::new();
    let mut rows = Rows {
        soup: &mut soup,
        vertex_count: vertices.unwrap_or(0),
        strip: Vec::new(),
    };
    if header.encoding == Encoding::Text {
        for (element, role) in header.elements.iter().zip(roles) {
            rows.read_text(element, role, &mut lines)?;
        }
        if lines.next_filled(false).is_some() {
            return Err(ReadError::line(
                lines.number(),
                "content follows the declared elements; is a count in the header wrong?",
            ));
        }
    } else {
        let mut body = BinaryBody {
            cursor: ByteCursor::new(bytes, bytes.len() - lines.rest().len()),
            is_big_endian: header.encoding == Encoding::BigEndian,
        };
        for (element, role) in header.elements.iter().zip(roles) {
            rows.read_binary(element, role, &mut body)?;
        }
        body.cursor.expect_end()?;
    }
    soup.into_model(factor)
}

fn role(element: &Element<'_>) -> Result<ElementRole, ReadError> {
    let list = |element: &Element<'_>| {
        let found = element.find(&[b"vertex_indices", b"vertex_index"]);
        match found.map(|at| (at, element.properties[at].kind)) {
            Some((at, PropertyKind::List { item, .. })) if item.is_whole() => Ok(at),
            _ => Err(ReadError::line(
                element.line,
                format!(
                    "element '{}' needs a property list vertex_indices of a whole number type",
                    text::shown(element.name)
                ),
            )),
        }
    };
    Ok(match element.name {
        b"vertex" => {
            let mut places = [0; 3];
            for (place, axis) in places.iter_mut().zip([b"x", b"y", b"z"]) {
                let found = element.find(&[axis]);
                match found.map(|at| (at, element.properties[at].kind)) {
                    Some((at, PropertyKind::Scalar(_))) => *place = at,
                    _ => {
                        return Err(ReadError::line(
                            element.line,
                            format!(
                                "element 'vertex' has no number property '{}'",
                                axis.escape_ascii()
                            ),
                        ));
                    }
                }
            }
            ElementRole::Vertices(places)
        }
        b"face" if element.count > 0 => ElementRole::Faces(list(element)?),
        b"tristrips" if element.count > 0 => ElementRole::Strips(list(element)?),
        _ => ElementRole::Other,
    })
}

struct Rows<'s> {
    soup: &'s mut PolygonSoup,
    vertex_count: usize,
    strip: Vec<u32>,
}

impl Rows<'_> {
    fn read_text(
        &mut self,
        element: &Element<'_>,
        role: ElementRole,
        lines: &mut Lines<'_>,
    ) -> Result<(), ReadError> {
        if element.properties.is_empty() {
            return Ok(());
        }
        // A row holds at least a digit and a blank per property.
        let least = element.properties.len().saturating_mul(2);
        self.make_room(
            element,
            role,
            least,
            lines.left() + 1,
            FilePlace::Line(element.line),
        )?;
        for row in 0..element.count {
            let Some(line) = lines.next_filled(false) else {
                return Err(ReadError::line(
                    lines.number(),
                    format!(
                        "the file ends after {row} of {} rows of element '{}' (was it cut off?)",
                        element.count,
                        text::shown(element.name)
                    ),
                ));
            };
            self.read_text_row(element, role, Words(line), lines.number())?;
        }
        Ok(())
    }

    fn read_text_row(
        &mut self,
        element: &Element<'_>,
        role: ElementRole,
        mut words: Words<'_>,
        line: u64,
    ) -> Result<(), ReadError> {
        let mut point = DVec3::ZERO;
        for (at, property) in element.properties.iter().enumerate() {
            let word = text::expect_word(&mut words, line, "the value of a declared property")?;
            match property.kind {
                PropertyKind::Scalar(_) => {
                    if let ElementRole::Vertices(places) = role
                        && let Some(axis) = places.iter().position(|&p| p == at)
                    {
                        point[axis] = text::float(word, line)?;
                    }
                }
                PropertyKind::List { .. } => {
                    let size = text::integer(word, line)?;
                    if size < 0 {
                        return Err(ReadError::line(
                            line,
                            format!("a list cannot have {size} items"),
                        ));
                    }
                    let corners =
                        matches!(role, ElementRole::Faces(p) | ElementRole::Strips(p) if p == at);
                    // Each item takes a word, so a wrong size ends with the line.
                    for _ in 0..size {
                        let word = text::expect_word(&mut words, line, "an item of a list")?;
                        if corners {
                            let vertex = text::integer(word, line)?;
                            self.corner(role, vertex, FilePlace::Line(line))?;
                        }
                    }
                    if corners {
                        self.end_list(role, size, FilePlace::Line(line))?;
                    }
                }
            }
        }
        if let Some(extra) = words.next() {
            return Err(ReadError::line(
                line,
                format!(
                    "the line has more values than the header declares for element '{}', from '{}' on",
                    text::shown(element.name),
                    text::shown(extra)
                ),
            ));
        }
        if let ElementRole::Vertices(_) = role {
            self.vertex(point, FilePlace::Line(line))?;
        }
        Ok(())
    }

    fn read_binary(
        &mut self,
        element: &Element<'_>,
        role: ElementRole,
        body: &mut BinaryBody<'_>,
    ) -> Result<(), ReadError> {
        let least = element.least_size();
        if least == 0 {
            return Ok(());
        }
        self.make_room(element, role, least, body.cursor.left(), body.place())?;
        let fixed_rows = element
            .properties
            .iter()
            .all(|p| matches!(p.kind, PropertyKind::Scalar(_)));
        if fixed_rows {
            let start = body.cursor.at();
            let table = body
                .cursor
                .take(element.count * least, "the rows of an element")?;
            if let ElementRole::Vertices(places) = role {
                self.read_vertex_table(element, places, table, start, body)?;
            }
            return Ok(());
        }
        for _ in 0..element.count {
            self.read_binary_row(element, role, body)?;
        }
        Ok(())
    }

    fn read_vertex_table(
        &mut self,
        element: &Element<'_>,
        places: [usize; 3],
        table: &[u8],
        start: usize,
        body: &BinaryBody<'_>,
    ) -> Result<(), ReadError> {
        let stride = element.least_size();
        let column = |place: usize| {
            let mut offset = 0;
            for (at, property) in element.properties.iter().enumerate() {
                if let PropertyKind::Scalar(number) = property.kind {
                    if at == place {
                        return (offset, number);
                    }
                    offset += number.size();
                }
            }
            (0, Number::U8)
        };
        let columns = places.map(column);
        for (row, bytes) in table.chunks_exact(stride).enumerate() {
            let [x, y, z] = columns.map(|(offset, number)| body.float(bytes, offset, number));
            let place = FilePlace::Byte((start + row * stride) as u64);
            self.vertex(DVec3::new(x, y, z), place)?;
        }
        Ok(())
    }

    fn read_binary_row(
        &mut self,
        element: &Element<'_>,
        role: ElementRole,
        body: &mut BinaryBody<'_>,
    ) -> Result<(), ReadError> {
        let mut point = DVec3::ZERO;
        let row = body.place();
        for (at, property) in element.properties.iter().enumerate() {
            match property.kind {
                PropertyKind::Scalar(number) => {
                    let bytes = body.cursor.take(number.size(), "a property")?;
                    if let ElementRole::Vertices(places) = role
                        && let Some(axis) = places.iter().position(|&p| p == at)
                    {
                        point[axis] = body.float(bytes, 0, number);
                    }
                }
                PropertyKind::List { count, item } => {
                    let place = body.place();
                    let bytes = body.cursor.take(count.size(), "the length of a list")?;
                    let size = body.whole(bytes, 0, count);
                    let Ok(length) = usize::try_from(size) else {
                        return Err(ReadError::malformed(format!(
                            "a list cannot have {size} items"
                        ))
                        .at(place));
                    };
                    let length = length.saturating_mul(item.size());
                    let bytes = body.cursor.take(length, "a list")?;
                    if matches!(role, ElementRole::Faces(p) | ElementRole::Strips(p) if p == at) {
                        for offset in (0..bytes.len()).step_by(item.size()) {
                            self.corner(role, body.whole(bytes, offset, item), place)?;
                        }
                        self.end_list(role, size, place)?;
                    }
                }
            }
        }
        if let ElementRole::Vertices(_) = role {
            self.vertex(point, row)?;
        }
        Ok(())
    }

    /// Reserves memory for the declared rows; an error if the rest of the file is too short to hold them.
    fn make_room(
        &mut self,
        element: &Element<'_>,
        role: ElementRole,
        least: usize,
        left: usize,
        place: FilePlace,
    ) -> Result<(), ReadError> {
        if element.count.saturating_mul(least) > left {
            return Err(ReadError::malformed(format!(
                "{} rows of element '{}' are declared, but only {left} bytes are left (was the file cut off?)",
                element.count,
                text::shown(element.name)
            ))
            .at(place));
        }
        match role {
            ElementRole::Vertices(_) => self.soup.positions.reserve(element.count),
            ElementRole::Faces(_) => self.soup.reserve_corners(element.count * 3),
            ElementRole::Strips(_) | ElementRole::Other => {}
        }
        Ok(())
    }

    fn vertex(&mut self, p: DVec3, place: FilePlace) -> Result<(), ReadError> {
        let vertex = self.soup.positions.len();
        self.soup.positions.push(text::checked(p, vertex, place)?);
        Ok(())
    }

    fn corner(
        &mut self,
        role: ElementRole,
        vertex: i64,
        place: FilePlace,
    ) -> Result<(), ReadError> {
        let known = u32::try_from(vertex)
            .ok()
            .filter(|&v| (v as usize) < self.vertex_count);
        match (role, known) {
            (ElementRole::Strips(_), Some(v)) => self.strip.push(v),
            (_, Some(v)) => self.soup.add_corner(v),
            (ElementRole::Strips(_), None) if vertex == -1 => self.end_strip(),
            _ => {
                return Err(ReadError::malformed(format!(
                    "vertex {vertex} does not exist: there are {}, numbered from 0",
                    self.vertex_count
                ))
                .at(place));
            }
        }
        Ok(())
    }

    fn end_strip(&mut self) {
        self.soup.add_strip(&self.strip);
        self.strip.clear();
    }

    fn end_list(
        &mut self,
        role: ElementRole,
        size: i64,
        place: FilePlace,
    ) -> Result<(), ReadError> {
        if let ElementRole::Strips(_) = role {
            self.end_strip();
        } else if size < 3 {
            return Err(ReadError::malformed(format!(
                "a face needs at least 3 corners, this one has {size}"
            ))
            .at(place));
        } else {
            self.soup.close_polygon(size as usize);
        }
        Ok(())
    }
}

/// What follows the header of a binary file.
struct BinaryBody<'a> {
    cursor: ByteCursor<'a>,
    is_big_endian: bool,
}

impl BinaryBody<'_> {
    /// Where the next byte is.
    fn place(&self) -> FilePlace {
        FilePlace::Byte(self.cursor.at() as u64)
    }

    fn whole(&self, bytes: &[u8], at: usize, number: Number) -> i64 {
        match (number, self.is_big_endian) {
            (Number::I8, _) => i64::from(i8::from_le_bytes(fixed(bytes, at))),
            (Number::U8, _) => i64::from(u8::from_le_bytes(fixed(bytes, at))),
            (Number::I16, false) => i64::from(i16::from_le_bytes(fixed(bytes, at))),
            (Number::I16, true) => i64::from(i16::from_be_bytes(fixed(bytes, at))),
            (Number::U16, false) => i64::from(u16::from_le_bytes(fixed(bytes, at))),
            (Number::U16, true) => i64::from(u16::from_be_bytes(fixed(bytes, at))),
            (Number::I32, false) => i64::from(i32::from_le_bytes(fixed(bytes, at))),
            (Number::I32, true) => i64::from(i32::from_be_bytes(fixed(bytes, at))),
            (Number::U32, false) => i64::from(u32::from_le_bytes(fixed(bytes, at))),
            (Number::U32, true) => i64::from(u32::from_be_bytes(fixed(bytes, at))),
            // The header refuses fractional types where a whole number is needed.
            (Number::F32 | Number::F64, _) => -1,
        }
    }

    fn float(&self, bytes: &[u8], at: usize, number: Number) -> f64 {
        match (number, self.is_big_endian) {
            (Number::F32, false) => f64::from(f32::from_le_bytes(fixed(bytes, at))),
            (Number::F32, true) => f64::from(f32::from_be_bytes(fixed(bytes, at))),
            (Number::F64, false) => f64::from_le_bytes(fixed(bytes, at)),
            (Number::F64, true) => f64::from_be_bytes(fixed(bytes, at)),
            _ => self.whole(bytes, at, number) as f64,
        }
    }
}
