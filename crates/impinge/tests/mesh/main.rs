//! Meshes, good and bad: what is found in them, mended, measured and generated.

mod findings;
mod generate;
mod half_edges;
mod inside;
mod mass;
mod repair;
mod shapes;
mod wrap;
