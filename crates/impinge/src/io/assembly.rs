//! Assemblies: placed parts, instances share one mesh.

use std::path::Path;
use std::sync::Arc;

use super::error::{ReadError, ReadFault};
use super::format::Format;
use super::model::Model;
use super::read::{ReadOptions, factor_of, open, read_plain};
use super::unit::Unit;
use super::{decompress, gltf, threemf};
use crate::math::Pose;
use crate::mesh::PlacedPart;

/// The content of a file as parts that are placed meshes: what the file repeats is held once.
#[derive(Debug, Default)]
pub struct Assembly {
    /// The parts, in the order of the file.
    pub parts: Vec<PlacedPart>,
    /// Parts that are damaged, and why; the others are whole.
    pub refused: Vec<RefusedPart>,
    /// The unit that the file declares its coordinates to be in, if it does.
    pub unit: Option<Unit>,
    /// What was skipped or guessed while reading, one sentence each.
    pub notes: Vec<String>,
}

/// A part that could not be read.
#[derive(Debug)]
pub struct RefusedPart {
    /// The name in the file, or one made from its place there.
    pub name: String,
    /// What is wrong with it.
    pub error: ReadError,
}

/// The assembly in a file.
///
/// A mesh that the file places once has its coordinates in the frame of the file, as [`read`](super::read) gives them,
/// and the identity for a pose. A mesh that it places several times by rigid maps, or by rigid maps and one scale, is held once: scaled, but not
/// turned or moved. Maps that stretch unevenly give a mesh for each different stretch. Only glTF and 3MF repeat meshes.
///
/// A mesh in a glTF file that is damaged does not spoil the others: its parts are in [`Assembly::refused`].
///
/// # Errors
/// [`ReadError`] with the path and the line or byte, when nothing could be read.
///
/// ```
/// use impinge::io;
/// let refused = io::read_assembly("no such file.glb", &io::ReadOptions::default()).unwrap_err();
/// assert!(refused.to_string().starts_with("no such file.glb: "));
/// ```
pub fn read_assembly(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Assembly, ReadError> {
    let path = path.as_ref();
    let read = || -> Result<Assembly, ReadError> {
        let opened = open(path, options)?;
        let mut assembly = assemble(&opened.bytes, opened.format, path.parent(), options)?;
        assembly.notes.extend(opened.note);
        Ok(assembly)
    };
    read().map_err(|e| e.in_file(path))
}

/// The assembly in these bytes, which may be gzipped.
///
/// # Errors
/// [`ReadError`] with the line or byte.
///
/// ```
/// use impinge::io::{read_assembly_bytes, Format, ReadOptions};
/// let text = b"o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n";
/// let assembly = read_assembly_bytes(text, Format::Obj, &ReadOptions::default())?;
/// assert_eq!(assembly.parts[1].name, "two");
/// # Ok::<(), impinge::io::ReadError>(())
/// ```
pub fn read_assembly_bytes(
    bytes: &[u8],
    format: Format,
    options: &ReadOptions,
) -> Result<Assembly, ReadError> {
    if decompress::is_gzip(bytes) {
        let plain = decompress::gunzip(bytes, options.max_expanded_bytes)
            .map_err(|e| e.in_format(format))?;
        assemble(&plain, format, None, options)
    } else {
        assemble(bytes, format, None, options)
    }
}

fn assemble(
    bytes: &[u8],
    format: Format,
    folder: Option<&Path>,
    options: &ReadOptions,
) -> Result<Assembly, ReadError> {
    let (factor, limit) = (factor_of(options)?, options.max_expanded_bytes);
    let assembly = match format {
        Format::ThreeMf => threemf::read_assembly(bytes, factor, limit),
        Format::Gltf => gltf::assembly_json(bytes, folder, factor, limit),
        Format::Glb => gltf::assembly_binary(bytes, folder, factor, limit),
        _ => return read_plain(bytes, format, folder, options).map(Assembly::from),
    }
    .map_err(|e| e.in_format(format))?;
    if assembly.parts.is_empty() && assembly.refused.is_empty() && !options.allow_empty {
        let skipped = if assembly.notes.is_empty() {
            String::new()
        } else {
            format!(" ({})", assembly.notes.join("; "))
        };
        return Err(ReadError::from(ReadFault::NoFaces(skipped)).in_format(format));
    }
    Ok(assembly)
}

impl From<Model> for Assembly {
    fn from(model: Model) -> Self {
        let parts = model.parts.into_iter().map(|part| PlacedPart {
            name: part.name,
            mesh: Arc::new(part.mesh),
            world_from_part: Pose::IDENTITY,
        });
        Self {
            parts: parts.collect(),
            refused: Vec::new(),
            unit: model.unit,
            notes: model.notes,
        }
    }
}
