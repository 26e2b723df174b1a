//! Clouds of points: neighbours, surfaces, crossings, collisions.

mod brackets;
mod centres;
mod delaunay;
mod edits;
mod fit;
mod hierarchy;
mod neighbours;
mod proofs;
mod shared_clouds;
mod surface;
