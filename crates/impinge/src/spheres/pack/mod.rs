//! Sphere packing: fills a solid with disjoint balls, largest first.
//!
//! **Question.** Which balls fill a solid best, when each is the largest that still fits?
//!
//! **Idea.** The centre of the largest ball is where the clearance, the distance from all walls and balls, is largest. Prototypes
//! ascend there, one per cell of a lattice, each confined to its cell; where an ascent leaves its cell, it continues in the next one. Balls of about
//! equal radius are inserted together if they do not overlap; only prototypes whose ball is cut by a new one ascend again. When no cell
//! of a level has a ball of the level's size any more, cells are split into eight.
//!
//! **Source.** Weller and Zachmann's Protosphere; the step of a prototype is ours: each distance is convex, so the best step of its linear
//! approximations raises the clearance. The published step with its cooling is there too ([`Ascent::Repulsion`]).
//!
//! **Cost.** Some ten ascents per ball, six steps each. Memory grows with the cells of one level.
//!
//! **Promise.** Every radius is at most the distance from every wall and every other ball, and the centre lies inside: the search may
//! be inexact, the resulting balls are valid. The same seed gives the same bytes for any number of threads and instruction set. Balls are sorted by radius.
//!
//! **Limits.** Radii come in batches of 0.1 %, and a region may be found late; [`PackWork::unordered`] and [`PackWork::late`] count it. Gaps
//! below 10⁻⁵ of the size are ignored.

mod ascent_step;
mod ball_index;
mod cell_table;
mod clearance_terms;
mod convergence;
mod cooling;
mod insert_batch;
mod nearby_terms;
mod options;
mod pack_cell;
mod packing;
mod packing_loop;
mod parallel;
mod prototype_ascent;
mod refine_f64;
mod sphere_packing;
mod surface_walls;
mod unit_frame;
mod voronoi_nodes;

pub use cooling::Cooling;
pub use options::{PackEnd, PackError, PackOptions, PackProgress, PackWork};
pub use packing::{Feasibility, Packing};
pub use prototype_ascent::Ascent;
pub use sphere_packing::{pack, pack_interior, pack_interior_with, pack_with, voronoi_nodes};

pub(in crate::spheres) use ball_index::BallIndex;
pub(in crate::spheres) use packing::by_low_end;
pub(in crate::spheres) use parallel::map_indexed;
pub(in crate::spheres) use unit_frame::UnitFrame;
