//! Trees of one mesh and of two: every way to build, keep and descend one gives the answers of every other.

mod corpus;
mod determinism;
mod instruction_sets;
mod mesh_indexes;
mod rays;
mod recorded_answers;
mod saved_trees;
mod solid;
mod threads;
mod trees;
mod wide_build;
mod wide_distance;

use impinge::bvh::engines::MeshEngine;

/// What is tested of every engine is tested of these here; `impinge-study` includes the same files for its own.
const ENGINES: &[MeshEngine] = &MeshEngine::ALL;
