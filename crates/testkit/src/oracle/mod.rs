//! Slow, plainly right answers. Coordinates are taken as the exact dyadic numbers they are and
//! everything is decided in integers, by other methods than the library's.

mod balls;
mod convex_distance;
mod convex_sat;
mod distance;
mod inside;
mod integer;
mod linear_motion;
mod mesh_pair;
mod parts;
mod sturm;
mod tri_tri;
pub mod vectors;
mod volume;

pub use balls::{Ball, BallFaults, ball_faults};
pub use convex_distance::{hull_distance, point_to_cone, point_to_cylinder, point_to_ellipsoid};
pub use convex_sat::{HullContact, hull_contact, hulls_meet};
pub use distance::{Distance, triangle_distance};
pub use inside::{Place, locate};
pub use linear_motion::{FirstContact, Moving, edge_edge_contact, vertex_face_contact};
pub use mesh_pair::face_pairs;
pub use parts::{PartRelation, part_relation, surface_reaches_inside};
pub use tri_tri::{Contact, contact, intersects};
pub use volume::shared_by_tetrahedra;

/// Three corners.
pub type Triangle = [impinge::DVec3; 3];
