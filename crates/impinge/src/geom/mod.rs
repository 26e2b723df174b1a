//! Facts about a few primitives: triangles, segments, rays, boxes and balls.

mod hull;
mod segment_triangle;
mod tri_tri;
mod tri_tri_overlap;

pub use segment_triangle::segment_meets_triangle;
pub use tri_tri::{Contact, certified_contact, triangle_contact, triangles_intersect};
pub use tri_tri_overlap::{Overlap, OverlapPolygon, triangle_overlap};
