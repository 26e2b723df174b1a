//! Edge-polygon tests: edges of each mesh against the faces of the other, without a tree.
//!
//! **Question.** Which faces of two placed meshes share a point, if faces may be polygons with any
//! number of corners and holes?
//! **Idea.** Two faces intersect exactly if an edge of one intersects the other. So the edges of
//! `a` are tested against the faces of `b`, then vice versa. Cheap comparisons come first: the
//! boxes of the bodies, the faces in the other body's box, the edge and the body, the edge and the
//! face, the edge and the face's plane. Only the remaining pairs are decided exactly.
//! **Source.** G. Zachmann, "Exact and Fast Collision Detection", 1994, sections 3.2 and 7.3.3. Ours: exact decisions, the coplanar
//! case that the source leaves out, all pairs instead of the first, incidence lists instead of a closed manifold for
//! the relaxed collect, and faces that are not exactly flat.
//! **Cost.** O(n²) comparisons, without any preparation beyond the list of edges: for small,
//! deforming or rarely queried meshes.
//! **Promise.** With [`EdgePolygonAccuracy::Exact`] and the coplanar test, the pairs of the exact triangle test, each once, whichever
//! pre-checks are on. [`EdgePolygonAccuracy::RelaxedCollect`] reports a subset of them, [`EdgePolygonAccuracy::PreChecksOnly`] a superset.
//! **Limits.** Surfaces only: containment is not an intersection. Each polygon is treated as its
//! triangles, see [`PolygonIndex`].

mod config;
mod counts;
mod edge_face_pass;
mod edges;
mod face_slab;
mod index;
mod polygon_face;
mod polygon_index;
mod prepared_mesh;
mod query;
mod scratch;

pub use config::{EdgePolygonAccuracy, EdgePolygonConfig, PreChecks};
pub use counts::EdgePolygonCounts;
pub use index::EdgePolygon;
pub use polygon_index::PolygonIndex;
pub use scratch::EdgePolygonCache;
