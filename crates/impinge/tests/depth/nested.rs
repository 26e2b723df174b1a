//! A solid within a solid.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use impinge::{DVec3, TriMesh, generate};

/// A cube of side 2 with a cube of side 1 inside, which faces outwards as well, or into its hollow.
pub(crate) fn nested(is_hollow: bool) -> TriMesh {
    let outer = generate::cuboid(DVec3::splat(2.0), [1; 3]).unwrap();
    let inner = generate::cuboid(DVec3::ONE, [1; 3]).unwrap();
    let mut positions = outer.positions().to_vec();
    let first = positions.len() as u32;
    positions.extend(inner.positions());
    let mut faces = outer.faces().to_vec();
    let turned = |[a, b, c]: [u32; 3]| if is_hollow { [a, c, b] } else { [a, b, c] };
    faces.extend(inner.faces().iter().map(|f| turned(f.map(|v| v + first))));
    TriMesh::new(positions, faces).unwrap()
}
