//! Triangle meshes: validated storage, topology, findings, repair, mass and inside tests.

mod boundary;
mod check_geometry;
mod check_topology;
mod circulators;
mod compensated_sum;
pub mod components;
mod convexity;
mod dihedral;
mod exact_sign;
mod fans;
mod finding;
mod finding_checks;
mod half_edge;
mod half_edge_build;
mod list_search_build;
mod mass;
mod mesh_class;
mod normals;
mod orientation;
mod placed_part;
pub mod point_in_mesh;
mod ray_crossing;
pub mod repair;
mod shells;
mod trimesh;
mod union_find;
mod unit_frame;
mod winding_number;

pub use boundary::BoundaryLoop;
pub use circulators::AroundVertex;
pub(crate) use compensated_sum::CompensatedSum;
pub use convexity::is_convex;
pub use dihedral::{EdgeBend, bend, dihedral_angle, reflex_edges};
pub(crate) use exact_sign::is_flat;
pub use fans::Fans;
pub use finding::{
    Finding, FindingKind, FindingOptions, FindingPlace, Findings, SelfIntersections, Severity,
};
pub use finding_checks::{findings, findings_with, first_finding, is_closed_manifold};
pub use half_edge::{Edge, EdgeKind, HalfEdges};
pub use mass::{Mass, MassError, area, mass};
pub use mesh_class::{MeshClass, classify};
pub use normals::{NormalWeight, face_normal, face_normals, vertex_normals};
pub use placed_part::PlacedPart;
pub(crate) use ray_crossing::contains_point;
pub use trimesh::{MeshError, TriMesh};
pub(crate) use union_find::UnionFind;
pub(crate) use winding_number::solid_angle;
