//! Repairs: each does one thing, only when asked, and says what became of every face and vertex.
//!
//! **Question.** How is a finding made to disappear?
//!
//! **Idea.** Small steps that can be combined: [`weld`] joins vertices, [`drop_degenerate`],
//! [`drop_duplicate_faces`] and [`drop_unreferenced`] remove, [`reorient`] turns faces,
//! [`fill_holes`] adds some, [`split_pinched`] parts surfaces that touch in a vertex. [`repair_all`]
//! runs them in an order in which none undoes another.
//!
//! **Promise.** Nothing is repaired behind the caller's back. Results depend on the input alone,
//! and each carries maps from old to new.
//!
//! **Limits.** Self-intersections and edges of three or more different faces stay: which part to
//! give up is a decision about the model.

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
