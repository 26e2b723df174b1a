//! Reading a file of any format.

use std::path::Path;

use super::error::{ReadError, ReadFault};
use super::format::{Format, extension};
use super::model::Model;
use super::unit::Unit;
use super::{decompress, gltf, obj, off, ply, stl, threemf};

/// How to read a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadOptions {
    /// Every coordinate is multiplied by this positive number.
    pub scale: f64,
    /// The unit the coordinates are in: they are converted to metres. `None` leaves them as stored
    /// (see [`Model::unit`] for what the file declares).
    pub units: Option<Unit>,
    /// Whether a file without faces gives an empty model instead of an error.
    pub allow_empty: bool,
    /// The most bytes that a compressed file may inflate to, and the most memory that repeated
    /// instances may take beyond eight times the size of the file. One GiB unless set.
    pub max_expanded_bytes: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            scale: 1.0,
            units: None,
            allow_empty: false,
            max_expanded_bytes: 1 << 30,
        }
    }
}

/// What coordinates are multiplied by.
pub(super) fn factor_of(options: &ReadOptions) -> Result<f64, ReadError> {
    let factor = options.scale * options.units.map_or(1.0, Unit::metres);
    if options.scale > 0.0 && factor > 0.0 && factor.is_finite() {
        Ok(factor)
    } else {
        Err(ReadFault::Options(format!(
            "the scale must be a positive finite number, not {}",
            options.scale
        ))
        .into())
    }
}

/// The model in a file; the format comes from the content where that shows it, else from the name.
///
/// # Errors
/// [`ReadError`] with the path and the line or byte.
///
/// ```
/// use impinge::io;
/// let refused = io::read("no such file.obj", &io::ReadOptions::default()).unwrap_err();
/// assert!(refused.to_string().starts_with("no such file.obj: "));
/// ```
pub fn read(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Model, ReadError> {
    let path = path.as_ref();
    read_path(path, options).map_err(|e| e.in_file(path))
}

fn read_path(path: &Path, options: &ReadOptions) -> Result<Model, ReadError> {
    let opened = open(path, options)?;
    let mut model = read_plain(&opened.bytes, opened.format, path.parent(), options)?;
    model.notes.extend(opened.note);
    Ok(model)
}

/// A file's bytes, inflated, and what they are.
pub(super) struct OpenedFile {
    pub(super) bytes: Vec<u8>,
    pub(super) format: Format,
    /// A remark when the name and the content disagree.
    pub(super) note: Option<String>,
}

pub(super) fn open(path: &Path, options: &ReadOptions) -> Result<OpenedFile, ReadError> {
    let named = Format::from_path(path);
    let bytes = std::fs::read(path).map_err(ReadFault::Io)?;
    let bytes = if decompress::is_gzip(&bytes) {
        decompress::gunzip(&bytes, options.max_expanded_bytes)?
    } else {
        bytes
    };
    let content = Format::from_content(&bytes, named);
    if named.is_none()
        && !matches!(
            content,
            Some(Format::Ply | Format::Glb | Format::Off | Format::ThreeMf)
        )
        && let Some(reason) = extension(path).and_then(|e| foreign(&e))
    {
        return Err(ReadError::unsupported(reason));
    }
    let Some(format) = content else {
        return Err(ReadFault::UnknownFormat(
            "neither the name nor the content is of a known format; OBJ, STL, PLY, OFF, 3MF, glTF and GLB are read, each also gzipped".into(),
        )
        .into());
    };
    let note = named.filter(|&named| named != format).map(|named| {
        format!("the name says {named}, but the content is {format} and was read as such")
    });
    Ok(OpenedFile {
        bytes,
        format,
        note,
    })
}

/// The model in these bytes, which may be gzipped.
///
/// glTF that keeps its buffers in separate files needs [`read`], which has the folder.
///
/// # Errors
/// [`ReadError`] with the line or byte.
///
/// ```
/// use impinge::io::{read_bytes, Format, ReadOptions, Unit};
/// let options = ReadOptions { units: Some(Unit::Centimetre), ..ReadOptions::default() };
/// let model = read_bytes(b"OFF 3 1 0\n0 0 0\n100 0 0\n0 100 0\n3 0 1 2\n", Format::Off, &options)?;
/// assert_eq!(model.parts[0].mesh.positions()[1].x, 1.0);
/// # Ok::<(), impinge::io::ReadError>(())
/// ```
pub fn read_bytes(bytes: &[u8], format: Format, options: &ReadOptions) -> Result<Model, ReadError> {
    if decompress::is_gzip(bytes) {
        let plain = decompress::gunzip(bytes, options.max_expanded_bytes)
            .map_err(|e| e.in_format(format))?;
        read_plain(&plain, format, None, options)
    } else {
        read_plain(bytes, format, None, options)
    }
}

pub(super) fn read_plain(
    bytes: &[u8],
    format: Format,
    folder: Option<&Path>,
    options: &ReadOptions,
) -> Result<Model, ReadError> {
    let factor = factor_of(options)?;
    let model = match format {
        Format::Obj => obj::read(bytes, factor),
        Format::Stl => stl::read(bytes, factor),
        Format::Ply => ply::read(bytes, factor),
        Format::Off => off::read(bytes, factor),
        Format::ThreeMf => threemf::read(bytes, factor, options.max_expanded_bytes),
        Format::Gltf => gltf::read_json(bytes, folder, factor, options.max_expanded_bytes),
        Format::Glb => gltf::read_binary(bytes, folder, factor, options.max_expanded_bytes),
    }
    .map_err(|e| e.in_format(format))?;
    if model.face_count() == 0 && !options.allow_empty {
        let skipped = if model.notes.is_empty() {
            String::new()
        } else {
            format!(" ({})", model.notes.join("; "))
        };
        return Err(ReadError::from(ReadFault::NoFaces(skipped)).in_format(format));
    }
    Ok(model)
}

/// Why a file with this extension is not read, for the formats people are likely to try.
fn foreign(extension: &str) -> Option<String> {
    let (what, remedy) = match extension {
        "3ds" | "fbx" | "dae" | "blend" | "max" | "lwo" | "x" | "ac" | "usd" | "usda" | "usdc"
        | "usdz" | "x3d" | "wrl" | "vrml" | "iv" | "ase" | "md2" | "amf" | "abc" | "c4d" => (
            "this format is not read",
            "convert it to OBJ, PLY or GLB, for instance with Blender or assimp",
        ),
        "step" | "stp" | "iges" | "igs" | "brep" | "sat" | "x_t" | "ifc" | "sldprt" | "f3d"
        | "scad" | "dxf" | "dwg" => (
            "this is a CAD format with curved or parametric surfaces",
            "export a triangle mesh (STL, 3MF or OBJ) from the CAD program",
        ),
        "pcd" | "las" | "laz" | "xyz" | "pts" | "pwn" | "e57" | "ptx" | "asc" => (
            "this is a point cloud, not a mesh",
            "reconstruct a surface first and save it as PLY",
        ),
        "msh" | "vtk" | "vtu" | "vtp" | "mesh" | "node" | "ele" | "inp" | "dmat" => (
            "this is a simulation format",
            "export its surface as OBJ, PLY or OFF",
        ),
        "zip" | "7z" | "rar" | "tar" | "tgz" | "bz2" | "xz" | "zst" => (
            "this is an archive",
            "unpack it and read the mesh inside (only gzip is looked through)",
        ),
        _ => return None,
    };
    Some(format!("{what} (.{extension}): {remedy}"))
}
