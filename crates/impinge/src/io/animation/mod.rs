//! Vertex animation: the same faces with new vertex positions in every frame.
//!
//! **Question.** Where are the vertices of this mesh in frame k?
//! **Idea.** What moves the mesh is opened once, a frame is computed or read when it is requested; frames may be requested in any
//! order, so a long sequence need not be in memory. [`read_animation`] reads all of them.
//! **Promise.** A frame has as many vertices as the mesh, all of them finite, or it is refused with its number and the place in the
//! file; frames that are whole can still be read. Faces and their order never change within an animation.
//! **Limits.** Positions only. A frame whose faces are not those of the first is refused, unless it is read with its faces, by
//! [`AnimationReader::read_whole_frame`]; only numbered meshes have such frames.
//!
//! | source | given as | objects |
//! |---|---|---|
//! | numbered meshes of any format that is read | a folder, or a pattern: `cloth-*.obj`, `cloth-####.ply`, `cloth-%04d.ply` | parts of the first |
//! | recorded step | a folder with a folder `frames` inside | parts of the first |
//! | PC2, MDD | the file; the mesh is [`AnimationOptions::mesh`], or lies beside it under the same name | parts of the mesh |
//! | DMAT skinning | `NAME-anim.dmat`; mesh and `NAME-weights.dmat` are given or lie beside it | parts of the mesh |
//! | glTF, GLB | the file: moving nodes, morph targets, skins | nodes with a mesh |
//! | any mesh file | a sequence of one frame | its parts |
//!
//! ```
//! use impinge::io::{AnimationOptions, read_animation};
//! let folder = std::env::temp_dir().join(format!("impinge-doc-{}", std::process::id()));
//! std::fs::create_dir_all(&folder)?;
//! for k in 0..3 {
//!     std::fs::write(folder.join(format!("fall{k}.obj")), format!("v 0 0 {k}\nv 1 0 {k}\nv 0 1 {k}\nf 1 2 3\n"))?;
//! }
//! let falling = read_animation(&folder, &AnimationOptions::default())?;
//! assert_eq!(falling.frames.len(), 3);
//! assert_eq!(falling.frames[2][0].z, 2.0);
//! std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dmat;
mod error;
mod numbered;
mod point_cache;
mod reader;
mod sequence;
mod skinned;

pub use error::AnimationError;
pub use reader::{AnimationOptions, AnimationReader, open_animation};
pub use sequence::{Animation, AnimationFrame, read_animation};
