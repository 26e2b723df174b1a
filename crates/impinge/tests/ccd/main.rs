//! Continuous tests: of rigid motions, and of vertices that move on lines.

mod impact;
mod linear_nearing;
mod linear_recorded;
mod linear_truth;
