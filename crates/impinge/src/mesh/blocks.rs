//! Boxes along the axes, for unit tests of modules that may not use the generators.

use glam::DVec3;

use super::TriMesh;

/// Boxes of twelve faces, each by its lowest corner and its size.
pub(crate) fn blocks(all: &[(DVec3, DVec3)]) -> TriMesh {
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for &(corner, size) in all {
        let first = positions.len() as u32;
        let bit = |k: u32, axis: u32| f64::from(k >> axis & 1);
        let at = |k| corner + size * DVec3::new(bit(k, 0), bit(k, 1), bit(k, 2));
        positions.extend((0..8).map(at));
        for axis in 0..3 {
            let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            let (low, high) = (first, first + (1 << axis));
            for [p, q, r, s] in [
                [low, low + v, low + u + v, low + u],
                [high, high + u, high + u + v, high + v],
            ] {
                faces.extend([[p, q, r], [p, r, s]]);
            }
        }
    }
    TriMesh::new(positions, faces).unwrap()
}
