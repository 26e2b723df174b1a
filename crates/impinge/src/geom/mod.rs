//! Facts about a few primitives: triangles, segments, rays, boxes and balls.

mod ball_ball;
mod point_triangle;
mod scale;
mod segment_segment;
mod triangle_distance;

pub use ball_ball::{Lens, lens, lens_disc_area, lens_volume};
pub use point_triangle::{ClosestPoint, TriangleFeature, closest_point_on_triangle};
pub use segment_segment::{SegmentParameters, segment_distance, segment_parameters};
