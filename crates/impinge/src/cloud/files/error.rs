//! What is wrong with a file of a cloud, and where.

use std::path::PathBuf;

use thiserror::Error;

use super::CloudFormat;
use crate::cloud::CloudError;
use crate::io::{FileError, FilePlace};

/// What is wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CloudReadFault {
    /// The file system said no.
    #[error(transparent)]
    Io(std::io::Error),
    /// The file name implies no format.
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
pub type CloudReadError = FileError<CloudFormat, CloudReadFault>;

impl CloudReadError {
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
    /// The file name implies no format.
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
        /// The format requested.
        format: CloudFormat,
    },
    /// More points than the format's counters can count.
    #[error("{points} points are more than compressed PCD can count")]
    TooMany {
        /// How many there are.
        points: usize,
    },
}
