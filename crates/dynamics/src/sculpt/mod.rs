//! Virtual clay: meshes that are shaped by what touches them, after the Potter.
//!
//! **Question.** A hand presses a mesh. Which faces does it hit, and how does the mesh give way?
//! **Idea.** Each part of the tool is tested against patches of the clay; hit faces go into a
//! double-buffered list; an [`Operator`] moves their vertices. Normals, boxes and trees are computed
//! again only where something moved.
//! **Source.** Zachmann 1994, *Exact and Fast Collision Detection*, chapter 8 (the Potter, repair of
//! dihedral angles). Pressing and dragging with a vicinity, kept volume, relaxation, splitting, undo and the guard
//! against self-intersection follow the proposals there.
//! **Promise.** The topology keeps its Euler number. The same input gives the same bytes in every mode but the concurrent one, which
//! is one frame late, for any number of threads. With the guard the clay never intersects itself, exactly.
//! **Limits.** Clay is one closed manifold. A tool that jumps over a wall between two frames is not
//! seen: see [`Tool::least_radius`].
//!
//! See `docs/algorithms/virtual-clay.md`.

mod check;
mod clay;
mod error;
mod hits;
mod operator;
mod patch;
mod pot;
mod repair;
mod sculptor;
mod split;
mod stroke;
mod tool;
mod volume;
mod world_copy;

pub use clay::{Changes, Clay};
pub use error::SculptError;
pub use hits::{HitList, PartHits};
pub use operator::Operator;
pub use pot::Pot;
pub use repair::{Repair, RepairReport};
pub use sculptor::{FrameReport, Mode, SculptOptions, Sculptor};
pub use split::Split;
pub use stroke::{Stroke, StrokeReport};
pub use tool::{Tool, ToolKind, ToolPart};
pub use world_copy::WorldCopy;
