//! Linear CCD: when do a moving vertex and face, or two moving edges, first touch?
//!
//! Each point moves on a straight line; contacts are decided exactly, touching, grazing and
//! degenerate ones included. Coplanarity as in Provot 1997. A distance to be kept is another,
//! inexact query: [`vertex_face_min_separation`]. `docs/algorithms/linear-ccd.md`.

mod certified_filter;
mod contact_rule;
mod error;
mod exact;
mod fixed_integer;
mod min_separation;
mod moving_point;
mod polynomial_gcd;
mod query;
mod root_bracket;
mod root_cell;
mod root_isolation;
mod separating_axis;
mod subdivide;

pub use error::LinearError;
pub use min_separation::{
    MinSeparationOptions, MinSeparationTime, edge_edge_min_separation, vertex_face_min_separation,
};
pub use moving_point::MovingPoint;
pub use query::{
    DEFAULT_WIDTH, FirstContact, LinearTests, MIN_WIDTH, Stage, StageCounts, edge_edge,
    edge_edge_meet, vertex_face, vertex_face_meet,
};
