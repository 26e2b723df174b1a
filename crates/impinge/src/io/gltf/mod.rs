//! glTF 2.0: a scene of nodes that place meshes, as JSON or in one binary file.
//!
//! Read: triangles, strips and fans of every mesh that the scene places, one part per node; sparse and
//! quantised positions; buffers in the file, in `data:` addresses or in files beside it (never
//! outside its folder). Points and lines are skipped with a note, skins and morph targets stay in
//! their rest shape, except where an animation is read (`animated`). Compressed geometry (Draco, meshopt) is refused by the name of its extension.

mod accessor;
mod animated;
mod buffer;
mod container;
mod document;
mod drawing;
mod scene;
mod write;

pub(super) use animated::{AnimatedScene, open_animated};
pub use drawing::{Drawing, DrawingLines, DrawingSurface, drawing_bytes};
pub(super) use scene::{assembly_binary, assembly_json, read_binary, read_json};
pub(super) use write::write_binary;
