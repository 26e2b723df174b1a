//! Kinetic trees, separation lists and their schedule against searches from scratch.

mod keyframe_changes;
mod scheduler;
mod separation_list;
mod trees;
