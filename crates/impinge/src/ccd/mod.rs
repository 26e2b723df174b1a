//! Continuous collision detection (CCD): when do moving meshes first touch?
//!
//! Conservative advancement on trees (Mirtich 1996; Tang, Kim and Manocha 2009,
//! doi:10.1109/ROBOT.2009.5152234). The returned bracket contains the first contact: no contact is
//! passed over. `docs/algorithms/conservative-advancement.md`.

mod batch;
mod conservative_advancement;
pub mod linear;
mod motion_bounds;
mod time_of_impact;

pub use batch::impact_all;
pub use time_of_impact::{ImpactCache, ImpactOptions, contacts_at, impact, relative_pose};
