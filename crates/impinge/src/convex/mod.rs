//! Convex shapes: what they are, how far apart, how deep in one another.
//!
//! Two shapes are asked about with `a_from_b`, which places `b` in the frame of `a`. Normals point from `a` to `b`.

mod advance;
mod axes;
mod blocks;
mod cache;
mod choice;
mod climb;
mod clip;
mod differences;
mod epa;
mod error;
mod exact;
mod finish;
mod gjk;
mod glance;
mod half_space;
mod hull;
mod inscribed;
mod monte_carlo;
mod pieces;
mod plane;
mod polyhedron;
mod primitive;
mod quick;
mod ray;
mod round;
mod sat;
mod setting;
mod shape;
mod simplex;
mod support;
mod track;
mod walk;

pub(crate) use axes::axes;
pub(crate) use glance::{balls_meet, glimpse};

pub use advance::{Approach, MAX_ADVANCES, approach};
pub use cache::GjkCache;
pub use choice::{
    ConvexChoice, ConvexClass, ConvexMethod, ConvexQuestion, KEEP_PLANE_FROM, choose,
};
pub use clip::{ClipWork, ClippedEdge, clipped_edge};
pub use epa::{Depth, MAX_EXPANSIONS, penetration};
pub use error::ShapeError;
pub use gjk::{MAX_STEPS, distance, intersects};
pub use half_space::{HalfSpace, Height};
pub use monte_carlo::{MonteCarlo, MonteCarloError, monte_carlo};
pub use pieces::{PieceCost, Pieces, notches};
pub use plane::{InitialPlane, Plane, PlaneConfig, PlaneSearch, Step, separating_plane};
pub use polyhedron::{Edge, Polyhedron};
pub use primitive::{Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Segment, Triangle};
pub use ray::{ConvexHit, SUPPORT_TOLERANCE, ray_convex, ray_half_space};
pub use sat::{SatCache, cuboids_intersect, polyhedra_depth, polyhedra_intersect};
pub use shape::{Convex, Solid};
pub use support::{Extent, Support, SupportPoint};
pub use track::{TrackedPlane, pulled_plane};
pub use walk::{Feature, Walk, walk};
