//! Engines kept for comparison: cut boxes, edges against polygons, depth images, and what holds for every engine.

mod box_pair;
mod box_tree_shapes;
mod box_tree_solids;
mod box_trees;
// The laws of the library's engines hold for these too.
#[path = "../../../impinge/tests/mesh_queries/degenerate.rs"]
mod degenerate;
mod edge_polygon;
#[path = "../../../impinge/tests/bvh/recorded_answers.rs"]
mod recorded_answers;
mod registry;
mod z_buffer;
mod z_buffer_faces;

use impinge_study::engines::STUDY_ENGINES as ENGINES;
