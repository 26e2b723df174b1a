//! Planar polygon faces with any number of corners, also with holes.
//!
//! **Question.** Is a point inside a polygon, does an edge pierce it, is a point inside a solid of
//! polygons, and which triangles make it up?
//! **Idea.** Drop the coordinate in which the face's normal is longest and decide in the plane, by
//! comparisons first and by the exact sign of one determinant where they do not suffice.
//! **Source.** The lazy edge and point tests follow G. Zachmann, "Exact and Fast Collision
//! Detection", 1994, with its printed signs corrected; ears by G. Meisters, 1975.
//! **Cost.** O(k) per point, O(log k) on convex faces, O(k·r) to triangulate k corners of which r are reflex.
//! **Promise.** Two-dimensional answers are exact for the given corners; triangulation ends on any
//! input and says so when a face was not what it should be.
//! **Limits.** A face whose corners leave its plane is treated as its projection;
//! for exact contact triangulate and use the triangle tests.

mod convexity;
mod ear_clipping;
mod face_plane;
mod finding;
mod hole_bridges;
mod orientation;
mod point_in_convex;
mod point_in_polygon;
mod point_in_solid;
mod polygon;
mod polymesh;
mod ring;
mod triangulate;

pub use convexity::{is_convex, is_simple, is_strictly_convex};
pub use face_plane::{FacePlane, area_vector};
pub use finding::{PolyFinding, PolyFindingKind, findings};
pub use point_in_convex::{Wedges, convex_contains, convex_locate};
pub use point_in_polygon::{
    PolygonLocation, PrecheckHits, angle_sum, contains, contains_counted, locate,
};
pub use point_in_solid::{PolySolid, SolidLocation};
pub use polygon::{EdgeHit, Polygon};
pub use polymesh::{PolyError, PolyFace, PolyMesh};
pub use ring::{Projection, Ring, RingView};
pub use triangulate::{Triangulated, triangulate};
