//! Methods for convex shapes and solids that are never the fastest, or never certain.
//!
//! | part | what it does |
//! |---|---|
//! | [`separating_plane`] | searches a plane by the perceptron rule |
//! | [`monte_carlo`] | looks for a common point at random |
//! | [`clipped_edge`] | clips edges by half-spaces, after Cyrus and Beck |

mod cyrus_beck;
mod monte_carlo;
mod perceptron;

pub use cyrus_beck::{ClippedEdge, CyrusBeckWork, clipped_edge};
pub use monte_carlo::{MonteCarlo, MonteCarloError, monte_carlo};
pub use perceptron::{
    InitialPlane, PerceptronConfig, PerceptronResult, PerceptronStep, separating_plane,
};
