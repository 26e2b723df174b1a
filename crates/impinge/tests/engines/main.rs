//! Trees of other kinds: cut boxes, probabilities and depth images.

mod average_case;
mod average_formulas;
mod box_pair;
mod box_trees;
mod z_buffer;
mod z_buffer_faces;
