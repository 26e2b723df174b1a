//! Two solids compared pixel by pixel along one direction.
//!
//! **Question.** Do two placed solids overlap, how deep, and in what volume: roughly, but with bounds?
//! **Idea.** Look at both along one direction, without perspective. In each pixel a solid is a list of depth intervals; solids
//! overlap where their intervals do. Software draws the pixels, so each face also tells between which
//! depths it lies *anywhere* in the pixel. Depths that no face of a solid has in the whole pixel are inside or outside it as a block, and the pixel's
//! centre tells which. So every pixel yields what is surely and what is possibly shared.
//! **Source.** G. Zachmann, "Exact and Fast Collision Detection", 1994, section 3.7.1, described there and not built. Ours:
//! interval against interval instead of the other's surface alone, the repaired single layer, and the bounds.
//! **Cost.** One step for each face and pixel it touches; memory for each pixel, and with all layers for each such step.
//! **Promise.** With two or all layers, bounds hold the truth and a certain verdict is right, for closed meshes. Bounds close in at least
//! linearly with the size of a pixel. An open mesh counts as all that is between its first and its last face on each line, and no
//! overlap with it is certain. The single layer proves nothing.
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
