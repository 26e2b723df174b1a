//! Primitive tests: triangles, segments, rays, boxes and balls.
//!
//! Points are [`DVec3`](crate::DVec3) here and triangles arrays of three of them: these functions
//! are called in hot loops, without conversions. Arrays and `mint` points convert with `.into()`.

mod adjacent_triangles;
mod ball_ball;
mod point_triangle;
mod ray;
mod ray_triangle;
mod safe_scale;
mod segment_segment;
mod segment_triangle;
mod small_hull;
mod swept_ball;
mod tri_tri;
mod tri_tri_overlap;
mod triangle_box;
mod triangle_distance;

pub use adjacent_triangles::{SharedCorners, adjacent_triangles_intersect};
pub use ball_ball::{Lens, lens, lens_disc_area, lens_volume};
pub use point_triangle::{ClosestPoint, TriangleFeature, closest_point_on_triangle};
pub use ray::{Ray, RayError};
pub use ray_triangle::{RayHit, ray_triangle};
pub use segment_segment::{SegmentParameters, segment_distance, segment_parameters};
pub use segment_triangle::segment_meets_triangle;
pub use swept_ball::{SweptBallHit, swept_ball_triangle};
pub use tri_tri::{Contact, certified_contact, triangle_contact, triangles_intersect};
pub use tri_tri_overlap::{OverlapPolygon, TriangleOverlap, triangle_overlap};
pub use triangle_box::triangle_meets_box;
pub(crate) use triangle_distance::disjoint_triangle_distance;
pub use triangle_distance::triangle_distance;
