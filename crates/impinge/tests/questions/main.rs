//! Questions about faces: pairs, distances, curves and signs against looking at every face, and laws that hold for every index.

mod curves;
mod degenerate;
mod distance_error;
mod far_apart;
mod laws;
mod limited;
mod near_pairs;
mod nearest;
mod outline;
mod own;
mod tree_distance;
mod winding;
