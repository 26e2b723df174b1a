//! Sphere packing: fills a solid with disjoint spheres, largest first.
//!
//! Prototypes ascend to the largest clearance, after Protosphere (Weller and Zachmann 2010;
//! [`Ascent::Repulsion`] is the published step). Every sphere is inside and disjoint from all
//! others; the same seed gives the same bytes for any number of threads.
//! `docs/algorithms/sphere-packing.md`.

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
