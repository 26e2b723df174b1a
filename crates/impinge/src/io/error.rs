//! Why a file was not read or written.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Format;
use crate::mesh::MeshError;

/// Why a file was refused: the place, and what a person can do about it.
///
/// ```
/// use impinge::io::{read_bytes, Format, ReadOptions};
/// let refused = read_bytes(b"v 0 0 0\nv 1 0 zero\n", Format::Obj, &ReadOptions::default());
/// assert_eq!(
///     refused.unwrap_err().to_string(),
///     "OBJ, line 2: expected a number, found 'zero'"
/// );
/// ```
pub type ReadError = FileError<Format, ReadFault>;

/// What is wrong with a file of some format, and where. Its message names file, format and place.
///
/// ```
/// use impinge::io::{FileError, FilePlace};
/// let error = FileError { path: None, format: Some("OBJ"), place: FilePlace::Line(2), fault: "no such vertex" };
/// assert_eq!(error.to_string(), "OBJ, line 2: no such vertex");
/// ```
#[derive(Debug)]
pub struct FileError<Format, Fault> {
    /// The file, when it was read by path.
    pub path: Option<PathBuf>,
    /// The format it was read as, when that was settled.
    pub format: Option<Format>,
    /// Where in the file.
    pub place: FilePlace,
    /// What is wrong.
    pub fault: Fault,
}

impl<Format, Fault> FileError<Format, Fault> {
    pub(crate) fn new(place: FilePlace, fault: Fault) -> Self {
        Self {
            path: None,
            format: None,
            place,
            fault,
        }
    }

    pub(crate) fn in_format(mut self, format: Format) -> Self {
        self.format = self.format.or(Some(format));
        self
    }

    pub(crate) fn in_file(mut self, path: &Path) -> Self {
        self.path = self.path.or_else(|| Some(path.to_owned()));
        self
    }
}

impl<Format: fmt::Display, Fault: fmt::Display> fmt::Display for FileError<Format, Fault> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        let comma = if let Some(format) = &self.format {
            write!(f, "{format}")?;
            ", "
        } else {
            ""
        };
        match self.place {
            FilePlace::Whole if comma.is_empty() => {}
            FilePlace::Whole => f.write_str(": ")?,
            FilePlace::Line(n) => write!(f, "{comma}line {n}: ")?,
            FilePlace::Byte(n) => write!(f, "{comma}byte {n}: ")?,
        }
        write!(f, "{}", self.fault)
    }
}

impl<Format, Fault> std::error::Error for FileError<Format, Fault>
where
    Format: fmt::Debug + fmt::Display,
    Fault: std::error::Error,
{
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The fault's own text is already in the message; only what lies behind it is a source.
        self.fault.source()
    }
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilePlace {
    /// No place in particular.
    Whole,
    /// A line of text, counted from 1.
    Line(u64),
    /// A byte of a binary file, counted from 0.
    Byte(u64),
}

/// What is wrong with a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadFault {
    /// The file system said no.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Neither name nor content is of a known format.
    #[error("{0}")]
    UnknownFormat(String),
    /// The file is understood but uses something that is not read.
    #[error("{0}")]
    Unsupported(String),
    /// The file breaks the rules of its format.
    #[error("{0}")]
    Malformed(String),
    /// The coordinates or indices do not make a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// There is nothing to collide with.
    #[error("the file holds no faces{0}; point clouds and curves are not meshes")]
    NoFaces(String),
    /// Inflated or instanced content would exceed the allowance.
    #[error(
        "{what} expands to more than {limit} bytes; raise `max_expanded_bytes` if the file can be trusted"
    )]
    TooLarge {
        /// What grows.
        what: String,
        /// The allowance.
        limit: u64,
    },
    /// The options contradict themselves.
    #[error("{0}")]
    Options(String),
}

impl ReadError {
    pub(super) fn line(line: u64, message: impl Into<String>) -> Self {
        Self::new(FilePlace::Line(line), ReadFault::Malformed(message.into()))
    }

    pub(super) fn byte(byte: usize, message: impl Into<String>) -> Self {
        Self::new(
            FilePlace::Byte(byte as u64),
            ReadFault::Malformed(message.into()),
        )
    }

    pub(super) fn malformed(message: impl Into<String>) -> Self {
        Self::new(FilePlace::Whole, ReadFault::Malformed(message.into()))
    }

    pub(super) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(FilePlace::Whole, ReadFault::Unsupported(message.into()))
    }

    pub(super) fn too_large(what: impl Into<String>, limit: u64) -> Self {
        let what = what.into();
        Self::new(FilePlace::Whole, ReadFault::TooLarge { what, limit })
    }

    pub(super) fn at(mut self, place: FilePlace) -> Self {
        self.place = place;
        self
    }
}

impl From<ReadFault> for ReadError {
    fn from(fault: ReadFault) -> Self {
        Self::new(FilePlace::Whole, fault)
    }
}

impl From<MeshError> for ReadError {
    fn from(error: MeshError) -> Self {
        ReadFault::Mesh(error).into()
    }
}

/// Why a model was not written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The file system said no.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The name ends in no known extension.
    #[error(
        "{}: the name does not say a format; end it in .obj, .stl, .ply, .off or .glb (each also with .gz), or name a format",
        path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The format is read only.
    #[error("{format} files are read but not written; write OBJ, STL, PLY, OFF or GLB")]
    NotWritten {
        /// The format requested.
        format: Format,
    },
    /// A coordinate is too large for the format's 32-bit floats.
    #[error(
        "vertex {vertex} has coordinate {value:e}, which a {format} file cannot hold; write OBJ, PLY or OFF, or scale the model"
    )]
    OutOfRange {
        /// The vertex, counted from 0 over the merged model.
        vertex: usize,
        /// The coordinate.
        value: f64,
        /// The format requested.
        format: Format,
    },
    /// More bytes, vertices or faces than the format can count.
    #[error("the model has {count} {what}, more than the {limit} that a {format} file can count")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many the format can count.
        limit: u64,
        /// The format requested.
        format: Format,
    },
}
