//! Questions about faces: pairs, distances, curves and signs against looking at every face, and laws that hold for every index.

mod bounded_queries;
mod closest_point;
mod curves;
mod degenerate;
mod distance_error;
mod far_apart;
mod laws;
mod leaf_view;
mod near_pairs;
mod self_intersect;
mod tree_distance;
mod winding_number;

use impinge::bvh::engines::MeshEngine;

/// What is tested of every engine is tested of these here; `impinge-study` includes the same files for its own.
const ENGINES: &[MeshEngine] = &MeshEngine::ALL;
