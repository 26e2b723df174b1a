//! Trees of one mesh and of two: every way to build, keep and descend one gives the answers of every other.

mod corpus;
mod determinism;
mod edge_polygon;
mod instruction_sets;
mod mesh_indexes;
mod rays;
mod saved_trees;
mod solid;
mod threads;
mod trees;
mod wide_build;
mod wide_distance;
