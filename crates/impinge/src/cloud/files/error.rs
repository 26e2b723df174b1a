//! What is wrong with a file of a cloud, and where.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::CloudFormat;
use crate::cloud::CloudError;
use crate::io::FilePlace;

/// What is wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CloudReadFault {
    /// The file system said no.
    #[error(transparent)]
    Io(std::io::Error),
    /// The name tells no format.
    #[error("the name does not say a format; end it in .ply, .xyz, .csv, .pcd, .obj, .las or .laz")]
    UnknownFormat,
    /// The content is not what the format demands.
    #[error("{0}")]
    Malformed(String),
    /// The points are not a cloud.
    #[error(transparent)]
    Cloud(CloudError),
}

/// Why a cloud was not read. Its message names file, format and place.
#[derive(Debug)]
pub struct CloudReadError {
    /// The file, if there is one.
    pub path: Option<PathBuf>,
    /// The format, if it is known.
    pub format: Option<CloudFormat>,
    /// Where.
    pub place: FilePlace,
    /// What.
    pub fault: CloudReadFault,
}

impl CloudReadError {
    pub(super) fn new(place: FilePlace, fault: CloudReadFault) -> Self {
        Self {
            path: None,
            format: None,
            place,
            fault,
        }
    }

    pub(super) fn line(line: u64, message: impl Into<String>) -> Self {
        Self::new(
            FilePlace::Line(line),
            CloudReadFault::Malformed(message.into()),
        )
    }

    pub(super) fn byte(byte: usize, message: impl Into<String>) -> Self {
        let place = FilePlace::Byte(byte as u64);
        Self::new(place, CloudReadFault::Malformed(message.into()))
    }

    pub(super) fn in_format(mut self, format: CloudFormat) -> Self {
        self.format = Some(format);
        self
    }

    pub(super) fn in_file(mut self, path: &Path) -> Self {
        self.path = Some(path.to_owned());
        self
    }
}

impl fmt::Display for CloudReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = self
            .format
            .as_ref()
            .map(|format| format as &dyn fmt::Display);
        self.place.write_before(f, self.path.as_deref(), format)?;
        write!(f, "{}", self.fault)
    }
}

impl std::error::Error for CloudReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The fault's own text is in the message.
        std::error::Error::source(&self.fault)
    }
}

/// Why a cloud was not written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CloudWriteError {
    /// The file system said no.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The name tells no format.
    #[error(
        "{}: the name does not say a format; end it in .ply, .xyz, .csv, .pcd or .obj",
        path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The format is read only.
    #[error("{format} files are read but not written")]
    NotWritten {
        /// The format asked for.
        format: CloudFormat,
    },
    /// More points than the format's counters can count.
    #[error("{points} points are more than compressed PCD can count")]
    TooMany {
        /// How many there are.
        points: usize,
    },
}
