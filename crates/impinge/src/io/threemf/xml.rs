//! The XML of a 3MF model file.

use std::collections::BTreeMap;

use glam::{DMat3, DVec3};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::super::affine::Affine;
use super::super::error::{FilePlace, ReadError};
use super::super::text;
use super::super::unit::Unit;

/// A mesh or a list of components; never both in a valid file.
#[derive(Debug, Default)]
pub(super) struct ThreeMfObject {
    pub(super) name: String,
    pub(super) positions: Vec<DVec3>,
    pub(super) faces: Vec<[u32; 3]>,
    pub(super) components: Vec<ComponentInstance>,
}

/// An object placed by a component or a build item.
#[derive(Clone, Debug)]
pub(super) struct ComponentInstance {
    pub(super) object: u64,
    /// Another model file of the archive; `None` is this one.
    pub(super) file: Option<String>,
    pub(super) map: Affine,
}

/// The content of one model file.
#[derive(Debug, Default)]
pub(super) struct ModelFile {
    pub(super) unit: Option<Unit>,
    pub(super) objects: BTreeMap<u64, ThreeMfObject>,
    pub(super) items: Vec<ComponentInstance>,
}

/// The model that the relations of a package point to.
pub(super) fn model_relation(relations: &str) -> Option<String> {
    let mut reader = Reader::from_str(relations);
    loop {
        match reader.read_event() {
            Ok(Event::Start(e) | Event::Empty(e)) if e.local_name().as_ref() == "Relationship" => {
                let is_model = attribute(&e, "Type").is_some_and(|kind| kind.ends_with("/3dmodel"));
                if is_model {
                    return attribute(&e, "Target").map(str::to_owned);
                }
            }
            Ok(Event::Eof) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}

/// The raw value of an attribute, by its name without prefix.
fn attribute<'e>(element: &'e BytesStart<'_>, name: &str) -> Option<&'e str> {
    let mut rest = element.attributes_raw();
    // A plain scan keeps elements with very many attributes linear.
    loop {
        let (key, tail) = rest.split_once('=')?;
        let tail = tail.trim_start();
        let quote = tail.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, tail) = tail.get(1..)?.split_once(quote)?;
        let key = key.trim();
        if key.rsplit(':').next() == Some(name) {
            return Some(value);
        }
        rest = tail;
    }
}

pub(super) fn parse(xml: &str, file: &str) -> Result<ModelFile, ReadError> {
    let mut reader = Reader::from_str(xml);
    let mut parser = Parser::default();
    loop {
        let event = reader.read_event();
        let outcome = match event {
            Ok(Event::Start(e)) => parser.start(&e, false),
            Ok(Event::Empty(e)) => parser.start(&e, true),
            Ok(Event::End(e)) => parser.end(e.name().as_ref()),
            Ok(Event::Eof) => break,
            Ok(_) => Ok(()),
            Err(e) => Err(ReadError::malformed(e.to_string())),
        };
        outcome.map_err(|e| {
            let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
            located(e, xml, at, file)
        })?;
    }
    if !parser.closed {
        let cut = ReadError::malformed("the text ends before </model> (was it cut off?)");
        return Err(located(cut, xml, xml.len(), file));
    }
    Ok(parser.model)
}

/// The error with the line of a model file.
fn located(mut error: ReadError, xml: &str, at: usize, file: &str) -> ReadError {
    let before = &xml.as_bytes()[..at.min(xml.len())];
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    if let super::super::ReadFault::Malformed(message) = &mut error.fault {
        *message = format!("in '{}': {message}", text::shown(file.as_bytes()));
    }
    error.at(FilePlace::Line(line as u64))
}

#[derive(Default)]
struct Parser {
    model: ModelFile,
    /// The prefix that the file gives the core namespace, with its colon.
    prefix: Option<String>,
    object: Option<(u64, ThreeMfObject)>,
    closed: bool,
}

impl Parser {
    /// The element's name without the core prefix; `None` for elements of extensions.
    fn core_name<'n>(&self, name: &'n str) -> Option<&'n str> {
        let prefix = self.prefix.as_deref()?;
        let name = name.strip_prefix(prefix)?;
        (!name.contains(':')).then_some(name)
    }

    fn start(&mut self, e: &BytesStart<'_>, empty: bool) -> Result<(), ReadError> {
        let qualified = e.name();
        let qualified: &str = qualified.as_ref();
        if self.prefix.is_none() {
            return self.root(e, qualified, empty);
        }
        let Some(name) = self.core_name(qualified) else {
            return Ok(());
        };
        match name {
            "object" => {
                if self.object.is_some() {
                    return Err(ReadError::malformed("an object inside an object"));
                }
                let id = whole(e, "id")?;
                let name = attribute(e, "name").map(plain_text).unwrap_or_default();
                let object = ThreeMfObject {
                    name,
                    ..ThreeMfObject::default()
                };
                if empty {
                    self.finish_object(id, object)?;
                } else {
                    self.object = Some((id, object));
                }
            }
            "vertex" => {
                let object = open(&mut self.object)?;
                let p = DVec3::new(number(e, "x")?, number(e, "y")?, number(e, "z")?);
                let vertex = object.positions.len();
                object
                    .positions
                    .push(text::checked(p, vertex, FilePlace::Whole)?);
            }
            "triangle" => {
                let object = open(&mut self.object)?;
                let mut face = [0; 3];
                for (corner, name) in face.iter_mut().zip(["v1", "v2", "v3"]) {
                    let vertex = whole(e, name)?;
                    *corner = u32::try_from(vertex)
                        .ok()
                        .filter(|&v| (v as usize) < object.positions.len())
                        .ok_or_else(|| {
                            ReadError::malformed(format!(
                                "vertex {vertex} does not exist: there are {}, numbered from 0",
                                object.positions.len()
                            ))
                        })?;
                }
                object.faces.push(face);
            }
            "component" => {
                let placed = placed(e)?;
                open(&mut self.object)?.components.push(placed);
            }
            "item" => self.model.items.push(placed(e)?),
            _ => {}
        }
        Ok(())
    }

    fn root(&mut self, e: &BytesStart<'_>, name: &str, empty: bool) -> Result<(), ReadError> {
        let prefix = name
            .strip_suffix("model")
            .filter(|p| p.is_empty() || p.ends_with(':'))
            .ok_or_else(|| {
                ReadError::malformed(format!(
                    "the outermost element must be <model>, found <{}>",
                    text::shown(name.as_bytes())
                ))
            })?;
        self.prefix = Some(prefix.to_owned());
        self.closed = empty;
        self.model.unit = Some(match attribute(e, "unit") {
            None => Unit::Millimetre,
            Some(unit) => unit.parse().map_err(ReadError::malformed)?,
        });
        let required = attribute(e, "requiredextensions").unwrap_or_default();
        for prefix in required.split_ascii_whitespace() {
            let space = attribute(e, prefix).unwrap_or(prefix);
            // Names look like http://schemas.microsoft.com/3dmanufacturing/<what>/2015/02.
            let what = space
                .split_once("/3dmanufacturing/")
                .and_then(|(_, rest)| rest.split('/').next());
            if !matches!(
                what,
                Some("core" | "material" | "production" | "slice" | "trianglesets")
            ) {
                let name = what.unwrap_or(space);
                return Err(ReadError::unsupported(format!(
                    "the model requires the extension '{}', which is not read; export it without",
                    text::shown(name.as_bytes())
                )));
            }
        }
        Ok(())
    }

    fn end(&mut self, name: &str) -> Result<(), ReadError> {
        match self.core_name(name) {
            Some("object") => {
                if let Some((id, object)) = self.object.take() {
                    self.finish_object(id, object)?;
                }
            }
            Some("model") => self.closed = true,
            _ => {}
        }
        Ok(())
    }

    fn finish_object(&mut self, id: u64, mut object: ThreeMfObject) -> Result<(), ReadError> {
        if object.name.is_empty() {
            object.name = format!("object {id}");
        }
        if self.model.objects.insert(id, object).is_some() {
            return Err(ReadError::malformed(format!(
                "two objects have the id {id}"
            )));
        }
        Ok(())
    }
}

fn open(object: &mut Option<(u64, ThreeMfObject)>) -> Result<&mut ThreeMfObject, ReadError> {
    match object {
        Some((_, object)) => Ok(object),
        None => Err(ReadError::malformed("geometry outside of an object")),
    }
}

fn wanted<'e>(e: &'e BytesStart<'_>, name: &str) -> Result<&'e str, ReadError> {
    attribute(e, name).ok_or_else(|| {
        ReadError::malformed(format!(
            "<{}> has no attribute '{name}'",
            text::shown(e.name().as_ref().as_bytes())
        ))
    })
}

fn whole(e: &BytesStart<'_>, name: &str) -> Result<u64, ReadError> {
    let value = wanted(e, name)?;
    text::parse_integer(value.trim().as_bytes())
        .and_then(|n| u64::try_from(n).ok())
        .ok_or_else(|| {
            ReadError::malformed(format!(
                "attribute '{name}' must be a whole number, found '{}'",
                text::shown(value.as_bytes())
            ))
        })
}

fn number(e: &BytesStart<'_>, name: &str) -> Result<f64, ReadError> {
    text::float(wanted(e, name)?.trim().as_bytes(), 0)
}

fn placed(e: &BytesStart<'_>) -> Result<ComponentInstance, ReadError> {
    Ok(ComponentInstance {
        object: whole(e, "objectid")?,
        file: attribute(e, "path").map(|p| p.trim_start_matches('/').to_owned()),
        map: match attribute(e, "transform") {
            None => Affine::IDENTITY,
            Some(text) => transform(text)?,
        },
    })
}

/// Twelve numbers, three of each row: the images of the axes, then of the origin.
fn transform(value: &str) -> Result<Affine, ReadError> {
    let mut entries = [0.0; 12];
    let mut words = value.split_ascii_whitespace();
    let mut complete = true;
    for entry in &mut entries {
        match words.next() {
            Some(word) => *entry = text::float(word.as_bytes(), 0)?,
            None => complete = false,
        }
    }
    let [row_x, row_y, row_z, origin] =
        [0, 3, 6, 9].map(|at| DVec3::new(entries[at], entries[at + 1], entries[at + 2]));
    Affine::new(DMat3::from_cols(row_x, row_y, row_z), origin)
        .filter(|_| complete && words.next().is_none())
        .ok_or_else(|| {
            ReadError::malformed(format!(
                "a transform must be 12 finite numbers, found '{}'",
                text::shown(value.as_bytes())
            ))
        })
}

/// A name with the five entities of XML resolved.
fn plain_text(raw: &str) -> String {
    match quick_xml::escape::unescape(raw) {
        Ok(text) => text.trim().to_owned(),
        Err(_) => raw.trim().to_owned(),
    }
}
