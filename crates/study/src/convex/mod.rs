//! Methods for convex shapes and solids that are never the fastest, or never certain.
//!
//! | part | what it does |
//! |---|---|
//! | [`separating_plane`] | searches a plane by the perceptron rule |
//! | [`SortedPolyhedron`] | pulls a plane towards a point, for its distance |
//! | [`monte_carlo`] | looks for a common point at random |
//! | [`clipped_edge`] | clips edges by half-spaces, after Cyrus and Beck; [`clipped_edges`] gives all |

mod cyrus_beck;
mod monte_carlo;
mod perceptron;
mod plane_pulling;

pub use cyrus_beck::{
    ClippedEdge, CyrusBeckConfig, CyrusBeckWork, clipped_edge, clipped_edge_with, clipped_edges,
};
pub use monte_carlo::{
    MonteCarlo, MonteCarloConfig, MonteCarloError, MonteCarloPair, MonteCarloPrior, monte_carlo,
};
pub use perceptron::{
    InitialPlane, PerceptronConfig, PerceptronResult, PerceptronStep, separating_plane,
};
pub use plane_pulling::{PulledPlane, SortedPolyhedron};
