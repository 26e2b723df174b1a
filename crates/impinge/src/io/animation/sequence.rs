//! A whole animation in memory.

use std::path::Path;

use glam::DVec3;

use super::super::error::ReadError;
use super::error::AnimationError;
use super::reader::{AnimationOptions, open_animation};

/// Faces that stay and vertices that move.
///
/// ```
/// use impinge::io::Animation;
/// assert_eq!(Animation::default().frames.len(), 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// Vertex numbers of each face.
    pub faces: Vec<[u32; 3]>,
    /// For each face, the number of the object it belongs to.
    pub object_of_face: Vec<u32>,
    /// What the objects are called; empty where the file gives no name.
    pub object_names: Vec<String>,
    /// The vertices of each frame.
    pub frames: Vec<Vec<DVec3>>,
    /// The time of each frame, in seconds; growing.
    pub times: Vec<f64>,
    /// What was skipped or guessed, one sentence each.
    pub notes: Vec<String>,
}

/// A frame with faces of its own: those of a sequence may change, as when a solid breaks.
///
/// ```
/// use impinge::io::AnimationFrame;
/// assert!(AnimationFrame::default().faces.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimationFrame {
    /// Where the vertices are.
    pub positions: Vec<DVec3>,
    /// Vertex numbers of each face.
    pub faces: Vec<[u32; 3]>,
    /// For each face, the number of the object it belongs to.
    pub object_of_face: Vec<u32>,
    /// What the objects are called; empty where the file gives no name.
    pub object_names: Vec<String>,
}

/// The animation at a path, all frames of it: a folder, a pattern or a file.
///
/// # Errors
/// [`AnimationError`] naming the file and the frame; also when the frames together take more than
/// [`ReadOptions::max_expanded_bytes`](super::super::ReadOptions::max_expanded_bytes): then use [`open_animation`], which keeps one.
///
/// ```
/// use impinge::io::{AnimationOptions, read_animation};
/// let refused = read_animation("no such folder/*.obj", &AnimationOptions::default()).unwrap_err();
/// assert!(refused.to_string().starts_with("no such folder"));
/// ```
pub fn read_animation(
    path: impl AsRef<Path>,
    options: &AnimationOptions,
) -> Result<Animation, AnimationError> {
    let path = path.as_ref();
    let mut reader = open_animation(path, options)?;
    let size = (reader.frame_count() as u64)
        .saturating_mul(reader.vertex_count() as u64)
        .saturating_mul(size_of::<DVec3>() as u64);
    let limit = options.read.max_expanded_bytes;
    if size > limit {
        let refused = ReadError::too_large(
            format!("the animation of {} frames", reader.frame_count()),
            limit,
        );
        return Err(refused.in_file(path).into());
    }
    let frames = (0..reader.frame_count())
        .map(|k| reader.read_frame(k))
        .collect::<Result<Vec<_>, _>>()?;
    let times = (0..frames.len()).map(|k| reader.time(k)).collect();
    Ok(Animation {
        faces: reader.faces().to_vec(),
        object_of_face: reader.object_of_face().to_vec(),
        object_names: reader.object_names().to_vec(),
        frames,
        times,
        notes: reader.notes().to_vec(),
    })
}
