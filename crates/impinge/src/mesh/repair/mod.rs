//! Repairs of a mesh: each does one thing, only on request, with maps from old to new.
//!
//! [`weld`], [`drop_degenerate`], [`drop_duplicate_faces`], [`drop_unreferenced`], [`reorient`],
//! [`fill_holes`] and [`split_pinched`]; [`repair_all`] runs them in an order in which none undoes
//! another. Self-intersections and edges of three or more different faces stay.
//! `docs/guide/files.md`.

mod drop;
mod fill;
mod pipeline;
mod reorient;
mod repaired;
mod split;
mod triangulate;
mod weld;

pub use drop::{
    OppositeFaces, drop_degenerate, drop_duplicate_faces, drop_unreferenced, flip_flat,
};
pub use fill::{FillOptions, fill_holes};
pub use pipeline::{RepairOptions, repair_all};
pub use reorient::{Nesting, reorient};
pub use repaired::{RepairCounts, Repaired};
pub use split::split_pinched;
pub use weld::{WeldError, weld};
