//! Triangle meshes: validated storage, topology, findings, repair, mass and inside tests.

mod boundary;
mod check;
mod check_geometry;
mod check_topology;
mod circulate;
mod class;
pub mod components;
mod convexity;
mod crossing;
mod dihedral;
mod fans;
mod finding;
mod frame;
mod half_edge;
mod half_edge_build;
pub mod inside;
mod mass;
mod naive;
mod normals;
mod orientation;
pub mod repair;
mod shells;
mod sign;
mod sum;
mod trimesh;
mod union_find;
mod winding;

pub use boundary::BoundaryLoop;
pub use check::{findings, findings_with, first_finding, is_closed_manifold};
pub use circulate::AroundVertex;
pub use class::{MeshClass, classify};
pub use convexity::is_convex;
pub(crate) use crossing::contains_point;
pub use dihedral::{Bend, bend, dihedral_angle, reflex_edges};
pub use fans::Fans;
pub use finding::{
    Finding, FindingKind, FindingOptions, Findings, Place, SelfIntersections, Severity,
};
pub use half_edge::{Edge, EdgeKind, HalfEdges};
pub use mass::{Mass, MassError, area, mass};
pub use normals::{NormalWeight, face_normal, face_normals, vertex_normals};
pub(crate) use sign::is_flat;
pub(crate) use sum::Sum;
pub use trimesh::{MeshError, TriMesh};
pub(crate) use winding::solid_angle;
