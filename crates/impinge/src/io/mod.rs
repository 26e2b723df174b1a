//! Mesh files: reading and writing.
//!
//! **Question.** Which vertices, faces and named parts does this file hold?
//! **Idea.** The whole file is one byte slice; each format walks it once, checks every declared
//! size against the bytes that are left before it allocates, and hands corners and coordinates
//! to one assembler, which triangulates polygons and splits the parts.
//! **Cost.** Linear in the file, at most a small multiple of its size in memory; what compressed
//! files inflate to and instances repeat is capped by [`ReadOptions::max_expanded_bytes`].
//! **Promise.** A model or an error that names the file, the line (text) or byte (binary) and what
//! to do; never a panic and never half a mesh. Faces keep the order of the file:
//! [`Model::merged`] numbers them as the file does. OBJ, OFF, PLY (double) and ASCII STL written
//! here read back bit for bit; binary STL and GLB hold `f32`.
//! **Limits.** Geometry only: no colours, normals or textures. Something to look at is written with
//! colours, as a [`Drawing`]. What moves is read as an [`Animation`]: vertices frame by frame, from sequences of meshes, point caches,
//! skinning matrices and animated glTF.
//!
//! | format | read | written | parts |
//! |---|---|---|---|
//! | OBJ | yes | yes | `o` and `g` |
//! | STL | ASCII, binary | binary, ASCII | solids (ASCII) |
//! | PLY | ASCII, binary of both byte orders, triangle strips | binary, ASCII | – |
//! | OFF | with C, N and ST prefixes | yes | – |
//! | 3MF | objects, components, build items | – | build items |
//! | glTF, GLB | meshes placed by nodes | GLB | nodes |
//!
//! Each may be gzipped. What follows the declared content of a file may only be white space or
//! zero bytes; anything else is refused, because it means that the counts are wrong.
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
