//! Why an animation was not read.

use std::path::PathBuf;

use thiserror::Error;

use super::super::error::ReadError;

/// Why an animation, or one of its frames, was refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AnimationError {
    /// A file that belongs to the whole animation.
    #[error(transparent)]
    File(#[from] ReadError),
    /// A frame could not be read.
    #[error("frame {frame}: {error}")]
    Frame {
        /// The frame, counted from 0.
        frame: usize,
        /// What is wrong with it.
        error: ReadError,
    },
    /// A frame has another number of vertices than the mesh.
    #[error(
        "frame {frame}{}: {found} vertices, but {expected} are expected",
        in_file(path)
    )]
    VertexCount {
        /// The frame, counted from 0.
        frame: usize,
        /// Its file, when it has one of its own.
        path: Option<PathBuf>,
        /// How many the mesh has.
        expected: usize,
        /// How many the frame has.
        found: usize,
    },
    /// The faces of a frame are not those of the first.
    #[error(
        "frame {frame}{}: face {face} is not as in the first frame; faces must stay the same",
        in_file(path)
    )]
    FacesChanged {
        /// The frame, counted from 0.
        frame: usize,
        /// Its file.
        path: Option<PathBuf>,
        /// The first face that differs, or that only one of the two has.
        face: usize,
    },
    /// Time does not grow from one frame to the next.
    #[error("frame {frame}: its time {time} is not after {before}, the time of the frame before")]
    TimeReversed {
        /// The frame, counted from 0.
        frame: usize,
        /// Its time.
        time: f64,
        /// The time of the frame before.
        before: f64,
    },
    /// There is no such frame.
    #[error("there is no frame {frame}: there are {frames}, counted from 0")]
    NoFrame {
        /// What was requested.
        frame: usize,
        /// How many there are.
        frames: usize,
    },
    /// Nothing there is a sequence, or it is not clear which.
    #[error("{}: {why}", path.display())]
    NoSequence {
        /// What was given.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
}

fn in_file(path: &Option<PathBuf>) -> String {
    path.as_ref()
        .map_or_else(String::new, |path| format!(" ({})", path.display()))
}

impl AnimationError {
    pub(super) fn frame(frame: usize, error: ReadError) -> Self {
        Self::Frame { frame, error }
    }

    pub(super) fn no_sequence(path: impl Into<PathBuf>, why: impl Into<String>) -> Self {
        Self::NoSequence {
            path: path.into(),
            why: why.into(),
        }
    }
}
