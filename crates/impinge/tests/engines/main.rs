//! Trees of other kinds: cut boxes, probabilities and depth images.

mod average_case;
mod average_cells;
mod average_formulas;
mod average_order;
mod box_pair;
mod box_tree_shapes;
mod box_tree_solids;
mod box_trees;
mod z_buffer;
mod z_buffer_faces;
