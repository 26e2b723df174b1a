//! Mesh files: reading and writing OBJ, STL, PLY, OFF, GLB, glTF and 3MF, also gzipped.
//!
//! A file is read whole or refused with the line or byte and what to do; never a panic, never half
//! a mesh. Faces keep the order of the file. Geometry only: colours are written with a [`Drawing`],
//! what moves is read as an [`Animation`]. Formats and limits: `docs/guide/files.md`.
//!
//! ```
//! use impinge::io::{self, Format, ReadOptions, WriteOptions};
//! let text = b"o tile\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
//! let model = io::read_bytes(text, Format::Obj, &ReadOptions::default())?;
//! assert_eq!(model.parts[0].name, "tile");
//! let (mesh, _) = model.merged();
//! assert_eq!(mesh.face_count(), 2); // the square, cut into triangles
//! let off = io::write_bytes(&model, Format::Off, &WriteOptions::default())?;
//! assert!(off.starts_with(b"OFF\n4 2 0\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod affine;
mod animation;
mod assembly;
mod byte_cursor;
mod decompress;
mod error;
mod format;
mod gltf;
mod mesh_instances;
mod model;
mod obj;
mod off;
mod ply;
mod read;
mod soup_builder;
mod stl;
pub(crate) mod text;
mod threemf;
mod unit;
mod write;

pub use crate::mesh::PlacedPart;
pub use animation::{
    Animation, AnimationError, AnimationFrame, AnimationOptions, AnimationReader, open_animation,
    read_animation,
};
pub use assembly::{Assembly, RefusedPart, read_assembly, read_assembly_bytes};
pub use error::{FileError, FilePlace, ReadError, ReadFault, WriteError};
pub use format::Format;
pub use gltf::{Drawing, DrawingLines, DrawingSurface, drawing_bytes};
pub use model::{FileNumbers, Model, Part};
pub use read::{ReadOptions, read, read_bytes};
pub use unit::Unit;
pub use write::{WriteOptions, write, write_bytes};
