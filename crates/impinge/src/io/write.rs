//! Writing a file of any format.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::error::WriteError;
use super::format::{Format, is_gzip_name};
use super::model::Model;
use super::{gltf, obj, off, ply, stl};

/// How to write a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// The format; `None` takes it from the name.
    pub format: Option<Format>,
    /// Whether STL and PLY are written as text instead of binary.
    pub ascii: bool,
}

/// Writes the model, gzipped when the name ends in `.gz`.
///
/// Faces are written as triangles, in the order of [`Model::merged`]. OBJ, ASCII STL and GLB keep
/// the parts; PLY, OFF and binary STL hold one mesh. Binary STL and GLB round to `f32`.
///
/// # Errors
/// [`WriteError`] when the format is not written, cannot hold a coordinate, or the disk refuses.
///
/// ```
/// use impinge::{io, TriMesh};
/// let model = io::Model::from(TriMesh::default());
/// let refused = io::write("part.3mf", &model, &io::WriteOptions::default()).unwrap_err();
/// assert!(refused.to_string().starts_with("3MF files are read but not written"));
/// ```
pub fn write(
    path: impl AsRef<Path>,
    model: &Model,
    options: &WriteOptions,
) -> Result<(), WriteError> {
    let path = path.as_ref();
    let io = |cause| WriteError::Io {
        path: path.to_owned(),
        cause,
    };
    let format = options
        .format
        .or_else(|| Format::from_path(path))
        .ok_or_else(|| WriteError::UnknownFormat {
            path: path.to_owned(),
        })?;
    let mut bytes = write_bytes(model, format, options)?;
    if is_gzip_name(path) {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&bytes).map_err(io)?;
        bytes = encoder.finish().map_err(io)?;
    }
    std::fs::write(path, bytes).map_err(io)
}

/// The bytes of a file in this format, not gzipped.
///
/// # Errors
/// As [`write()`]; `options.format` is ignored.
///
/// ```
/// use impinge::{io, TriMesh};
/// let mesh = TriMesh::from_points([[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0]], [[0, 1, 2]])?;
/// let text = io::write_bytes(&mesh.into(), io::Format::Obj, &io::WriteOptions::default())?;
/// assert_eq!(text, b"v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nf 1 2 3\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_bytes(
    model: &Model,
    format: Format,
    options: &WriteOptions,
) -> Result<Vec<u8>, WriteError> {
    Ok(match (format, options.ascii) {
        (Format::Obj, _) => obj::write(model),
        (Format::Off, _) => off::write(model),
        (Format::Stl, true) => stl::write_text(model),
        (Format::Stl, false) => stl::write_binary(model)?,
        (Format::Ply, true) => ply::write_text(model),
        (Format::Ply, false) => ply::write_binary(model),
        (Format::Glb, _) => gltf::write_binary(model)?,
        (Format::ThreeMf | Format::Gltf, _) => return Err(WriteError::NotWritten { format }),
    })
}
