//! Planar polygon faces with any number of corners, also with holes.
//!
//! Point in polygon, edge through polygon, point in a solid of polygons, and triangulation, exact
//! for the given corners (Zachmann 1994; ears: Meisters 1975). A face whose corners leave its plane
//! is treated as its projection. `docs/algorithms/point-in-polygon.md`.

mod convexity;
mod ear_clipping;
mod edge_tree;
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
pub use edge_tree::{EdgeTree, EdgeTreeWork};
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
