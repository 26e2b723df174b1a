//! Continuous tests: of rigid motions, and of vertices that move on lines.

mod impact;
mod linear_min_separation;
mod linear_recorded_queries;
mod linear_truth;
