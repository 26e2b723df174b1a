//! Vertex animation: the same faces with new vertex positions in every frame.
//!
//! [`open_animation`] reads frames in any order, one at a time; [`read_animation`] reads them all.
//! Sources are numbered meshes, PC2, MDD, DMAT skinning and animated glTF. A damaged frame is
//! refused with its number and place; the others can still be read.
//! `docs/guide/vertex-animation.md`.
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
