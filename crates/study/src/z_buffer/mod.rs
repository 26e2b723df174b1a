//! Z-buffer collision detection: two solids compared pixel by pixel along one direction.
//!
//! **Question.** Do two placed solids overlap, how deep, and in what volume: approximately, but
//! with bounds?
//! **Idea.** Both are projected along one direction, without perspective. In each pixel a solid is
//! a list of depth intervals; solids overlap where their intervals do. The rasteriser runs in
//! software, so the depth range of each face over the whole pixel is known as well. Depths outside
//! all these ranges are entirely inside or outside the solid in the whole pixel, and the pixel's
//! centre decides which. So every pixel gives a certain and a possible overlap.
//! **Source.** G. Zachmann, "Exact and Fast Collision Detection", 1994, section 3.7.1, described there and not built. Ours:
//! interval against interval instead of the other's surface alone, the repaired single layer, and the bounds.
//! **Cost.** One step for each face and pixel it touches; memory for each pixel, and with all layers for each such step.
//! **Promise.** With two or all layers, bounds contain the true value and a certain verdict is
//! right, for closed meshes. Bounds converge at least linearly with the size of a pixel. An open
//! mesh counts as everything between its first and its last face on each line, and no overlap with
//! it is certain. The single layer proves nothing.
//! **Limits.** Solids: containment is an overlap. Touching alone is never certain. Two layers, and one, fill the hollows of a
//! solid along the direction.

mod all_layers;
mod answer;
mod closed;
mod compare;
mod config;
mod depth_intervals;
mod faces;
mod fragment;
mod single_layer;
mod two_layers;
mod viewport;

pub use answer::ZBufferAnswer;
pub use compare::ZBuffer;
pub use config::{Layers, ZBufferConfig};
pub use faces::{ZBufferCache, ZBufferFaces};
