//! The declarations at the start of a PLY file.

use super::super::error::ReadError;
use super::super::text::{self, Lines, Words, expect_word};

/// How the numbers after the header are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// A number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Number {
    fn from_word(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    /// Bytes of the binary form.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub(super) fn is_whole(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }
}

/// What stands at one place of an element.
#[derive(Clone, Copy, Debug)]
pub(super) enum PropertyKind {
    Scalar(Number),
    List { count: Number, item: Number },
}

#[derive(Debug)]
pub(super) struct Property<'a> {
    pub(super) name: &'a [u8],
    pub(super) kind: PropertyKind,
}

/// A table of the file: so many rows with these properties.
#[derive(Debug)]
pub(super) struct Element<'a> {
    pub(super) name: &'a [u8],
    pub(super) count: usize,
    pub(super) properties: Vec<Property<'a>>,
    /// The line of its declaration.
    pub(super) line: u64,
}

impl Element<'_> {
    /// The fewest bytes a row can take in binary form.
    pub(super) fn least_size(&self) -> usize {
        self.properties
            .iter()
            .map(|p| match p.kind {
                PropertyKind::Scalar(n) | PropertyKind::List { count: n, .. } => n.size(),
            })
            .sum()
    }

    /// The place of the first property with one of these names.
    pub(super) fn find(&self, names: &[&[u8]]) -> Option<usize> {
        self.properties.iter().position(|p| names.contains(&p.name))
    }
}

#[derive(Debug)]
pub(super) struct Header<'a> {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element<'a>>,
}

/// Reads up to and including `end_header`; the body starts at what `lines` has left.
pub(super) fn read<'a>(lines: &mut Lines<'a>) -> Result<Header<'a>, ReadError> {
    if lines.next_line().map(<[u8]>::trim_ascii) != Some(b"ply") {
        return Err(ReadError::line(1, "a PLY file starts with the line 'ply'"));
    }
    let mut encoding = None;
    let mut elements: Vec<Element<'a>> = Vec::new();
    loop {
        let Some(line) = lines.next_line() else {
            return Err(ReadError::line(
                lines.number(),
                "the file ends inside the header (was it cut off?)",
            ));
        };
        let number = lines.number();
        let mut words = Words(line);
        match words.next() {
            Some(b"format") => {
                let word = expect_word(&mut words, number, "the format")?;
                encoding = Some(match word {
                    b"ascii" => Encoding::Text,
                    b"binary_little_endian" => Encoding::LittleEndian,
                    b"binary_big_endian" => Encoding::BigEndian,
                    _ => {
                        return Err(ReadError::line(
                            number,
                            format!(
                                "unknown format '{}'; expected ascii, binary_little_endian or binary_big_endian",
                                text::shown(word)
                            ),
                        ));
                    }
                });
            }
            Some(b"element") => elements.push(read_element(&mut words, number)?),
            Some(b"property") => {
                let Some(element) = elements.last_mut() else {
                    return Err(ReadError::line(number, "a property precedes every element"));
                };
                element.properties.push(read_property(&mut words, number)?);
            }
            Some(b"end_header") => break,
            Some(b"comment" | b"obj_info") | None => {}
            Some(word) => {
                return Err(ReadError::line(
                    number,
                    format!(
                        "'{}' is not a PLY declaration; expected format, element, property, comment or end_header",
                        text::shown(word)
                    ),
                ));
            }
        }
    }
    let Some(encoding) = encoding else {
        return Err(ReadError::line(
            lines.number(),
            "the header has no 'format' line",
        ));
    };
    Ok(Header { encoding, elements })
}

fn read_element<'a>(words: &mut Words<'a>, line: u64) -> Result<Element<'a>, ReadError> {
    let name = expect_word(words, line, "the name of the element")?;
    let word = expect_word(words, line, "the number of rows")?;
    let count = text::integer(word, line)?;
    let count = usize::try_from(count)
        .ok()
        .filter(|&n| n < u32::MAX as usize)
        .ok_or_else(|| {
            ReadError::line(
                line,
                format!("an element cannot have {} rows", text::shown(word)),
            )
        })?;
    Ok(Element {
        name,
        count,
        properties: Vec::new(),
        line,
    })
}

fn read_property<'a>(words: &mut Words<'a>, line: u64) -> Result<Property<'a>, ReadError> {
    let number = |word: &'a [u8]| {
        Number::from_word(word).ok_or_else(|| {
            ReadError::line(line, format!("unknown number type '{}'", text::shown(word)))
        })
    };
    let first = expect_word(words, line, "the type of the property")?;
    let kind = if first == b"list" {
        let count = number(expect_word(words, line, "the type of the list's length")?)?;
        let item = number(expect_word(words, line, "the type of the list's items")?)?;
        if !count.is_whole() {
            return Err(ReadError::line(
                line,
                "the length of a list must be of a whole number type",
            ));
        }
        PropertyKind::List { count, item }
    } else {
        PropertyKind::Scalar(number(first)?)
    };
    let name = expect_word(words, line, "the name of the property")?;
    Ok(Property { name, kind })
}
