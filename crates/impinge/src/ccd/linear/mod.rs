//! Linear CCD: when do a moving vertex and face, or two moving edges, first touch?
//!
//! **Question.** Each of four points moves as `start + t (end - start)`, in exact arithmetic. Is there a `t` in `[0, 1]` at which the
//! vertex lies on the closed face, or the closed edges share a point? If so, when is the first?
//! **Idea.** They can meet only when the four points are coplanar: at a root of a cubic. There, contact is read off the
//! signs of cross products along the axes, quadratics in `t`; no normal, no division, and degenerate elements need no case of
//! their own. Comparisons, then a certified `f64` cubic, its subdivision and its roots decide all but a few
//! queries in a hundred; integers decide the rest.
//! **Source.** Coplanarity as in Provot, 1997; roots by Descartes' rule in Bernstein form as in Collins and Akritas, 1976;
//! the axis-wise signs are ours. See `docs/algorithms/linear-ccd.md`.
//! **Cost.** Comparisons decide most of what a broad phase hands over; a root costs several times that, integers tens of times.
//! `impinge-bench ccd` measures each stage.
//! **Promise.** No contact is missed and none invented: touching, grazing, resting, sliding in a plane and degenerate
//! elements included. The bracket holds the first contact and is as narrow as asked.
//! **Limits.** Straight motion only; a distance to be kept is the other, inexact query of [`vertex_face_min_separation`].

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
