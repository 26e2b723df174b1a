//! Meshes, good and bad: what is found in them, mended, measured and generated.

mod findings;
mod generate;
mod half_edges;
mod inside;
mod mass;
mod repair;

/// The faces of a box whose vertex `v` has the bits of `v` as coordinates.
const BOX: [[u32; 3]; 12] = [
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
];
