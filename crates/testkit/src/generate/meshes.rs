//! Small meshes, closed ones and soups.

use impinge::math::Rng;
use impinge::{DVec3, TriMesh};

use super::grid;
use crate::oracle::Triangle;

/// The mesh with these vertices and faces, which a generator vouches for.
#[expect(
    clippy::panic,
    reason = "a generator that makes a wrong mesh is a bug in a test"
)]
fn mesh(positions: Vec<DVec3>, faces: Vec<[u32; 3]>) -> TriMesh {
    TriMesh::new(positions, faces).unwrap_or_else(|e| panic!("generated mesh: {e}"))
}

/// The faces of a box whose vertex `v` has the bits of `v` as coordinates.
pub const BOX: [[u32; 3]; 12] = [
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

/// The twelve faces of a box along the axes, outward.
#[must_use]
pub fn cuboid(min: DVec3, max: DVec3) -> TriMesh {
    let corners = (0..8)
        .map(|i| {
            DVec3::new(
                if i & 1 == 0 { min.x } else { max.x },
                if i & 2 == 0 { min.y } else { max.y },
                if i & 4 == 0 { min.z } else { max.z },
            )
        })
        .collect();
    let faces = vec![
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    mesh(corners, faces)
}

/// The four faces of a tetrahedron.
#[must_use]
pub fn tetrahedron(corners: [DVec3; 4]) -> TriMesh {
    mesh(
        corners.to_vec(),
        vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    )
}

/// `2 · cells²` faces over the square `[0, cells]²` at z = `height(x, y)`.
#[must_use]
pub fn sheet(cells: u32, mut height: impl FnMut(u32, u32) -> f64) -> TriMesh {
    let side = cells + 1;
    let mut positions = Vec::new();
    for y in 0..side {
        for x in 0..side {
            positions.push(DVec3::new(f64::from(x), f64::from(y), height(x, y)));
        }
    }
    let mut faces = Vec::new();
    for y in 0..cells {
        for x in 0..cells {
            let i = y * side + x;
            faces.push([i, i + 1, i + side]);
            faces.push([i + 1, i + side + 1, i + side]);
        }
    }
    mesh(positions, faces)
}

/// A closed ball-like mesh of `8 · 4^levels` faces: an octahedron split again and again, its
/// vertices moved to the sphere.
#[must_use]
pub fn ball(levels: u32, radius: f64) -> TriMesh {
    let mut positions = vec![
        DVec3::X,
        DVec3::Y,
        DVec3::NEG_X,
        DVec3::NEG_Y,
        DVec3::Z,
        DVec3::NEG_Z,
    ];
    let mut faces: Vec<[u32; 3]> = (0..4)
        .flat_map(|i| [[i, (i + 1) % 4, 4], [(i + 1) % 4, i, 5]])
        .collect();
    for _ in 0..levels {
        let mut middles = std::collections::BTreeMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                let sum = positions[a as usize] + positions[b as usize];
                positions.push(sum / sum.dot(sum).sqrt());
                positions.len() as u32 - 1
            })
        };
        faces = faces
            .iter()
            .flat_map(|&[a, b, c]| {
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    mesh(positions.iter().map(|&p| p * radius).collect(), faces)
}

/// Unconnected faces.
#[must_use]
pub fn soup(triangles: impl IntoIterator<Item = Triangle>) -> TriMesh {
    let positions: Vec<DVec3> = triangles.into_iter().flatten().collect();
    let faces = (0..positions.len() as u32 / 3)
        .map(|i| [3 * i, 3 * i + 1, 3 * i + 2])
        .collect();
    mesh(positions, faces)
}

/// `faces` faces over at most `2 · faces + 3` common vertices on the grid: shared corners and
/// edges, duplicate and degenerate faces.
pub fn grid_soup(rng: &mut Rng, faces: usize, range: (i64, i64)) -> TriMesh {
    let vertices = 3 + rng.below(2 * faces as u64 + 1);
    let positions = (0..vertices).map(|_| grid::point(rng, range)).collect();
    let faces = (0..faces)
        .map(|_| std::array::from_fn(|_| rng.below(vertices) as u32))
        .collect();
    mesh(positions, faces)
}

/// `faces` random triangles of diameter about `size`, centred in `[-1, 1)³`.
pub fn random_soup(rng: &mut Rng, faces: usize, size: f64) -> TriMesh {
    soup((0..faces).map(|_| {
        let centre = rng.cube();
        std::array::from_fn(|_| centre + 0.5 * size * rng.cube())
    }))
}

/// A closed mesh on the grid: a box, a tetrahedron, or two boxes.
pub fn grid_solid(rng: &mut Rng, reach: i64) -> TriMesh {
    let mut cube = || {
        let p = grid::point(rng, (-reach, reach - 1));
        let size = grid::point(rng, (1, reach));
        cuboid(p, p + size)
    };
    let first = cube();
    let second = cube();
    match rng.below(3) {
        0 => first,
        1 => merged(&first, &second),
        _ => tetrahedron(std::array::from_fn(|_| grid::point(rng, (-reach, reach)))),
    }
}

/// Both meshes as one, the faces of `b` after those of `a`.
#[must_use]
pub fn merged(a: &TriMesh, b: &TriMesh) -> TriMesh {
    let shift = a.vertex_count() as u32;
    let positions = a.positions().iter().chain(b.positions()).copied().collect();
    let faces = a
        .faces()
        .iter()
        .copied()
        .chain(b.faces().iter().map(|f| f.map(|v| v + shift)))
        .collect();
    mesh(positions, faces)
}

/// The tetrahedron with these corners, outward; none when six times its volume is not above `flattest`.
#[must_use]
pub fn tetrahedron_above(corners: &[DVec3; 4], flattest: f64) -> Option<TriMesh> {
    let [p, q, r, s] = *corners;
    let six = (q - p).cross(r - p).dot(s - p);
    let faces = if six > 0.0 {
        [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    } else {
        [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]
    };
    (six.abs() > flattest).then(|| mesh(corners.to_vec(), faces.to_vec()))
}

/// The corners of two tetrahedra of about this size: by the number of the case random or on a grid, and with up to three in common.
#[must_use]
pub fn two_tetrahedra(rng: &mut Rng, case: usize, size: f64) -> [[DVec3; 4]; 2] {
    let mut corner = || {
        let p = if case.is_multiple_of(2) {
            rng.cube()
        } else {
            DVec3::new(rng.grid(-2, 2), rng.grid(-2, 2), rng.grid(-2, 2))
        };
        p * size
    };
    let a: [DVec3; 4] = std::array::from_fn(|_| corner());
    let mut b: [DVec3; 4] = std::array::from_fn(|_| corner());
    b[..case % 4].copy_from_slice(&a[..case % 4]);
    [a, b]
}

/// A cube of side 2 with a cube of side 1 inside, which faces outwards as well, or into its hollow.
#[must_use]
#[expect(
    clippy::panic,
    reason = "cubes of such sizes are never refused; a test may stop here"
)]
pub fn nested(is_hollow: bool) -> TriMesh {
    let cube = |side| {
        impinge::generate::cuboid(DVec3::splat(side), [1; 3])
            .unwrap_or_else(|e| panic!("cube of side {side}: {e}"))
    };
    let (outer, inner) = (cube(2.0), cube(1.0));
    let mut positions = outer.positions().to_vec();
    let first = positions.len() as u32;
    positions.extend(inner.positions());
    let mut faces = outer.faces().to_vec();
    let turned = |[a, b, c]: [u32; 3]| if is_hollow { [a, c, b] } else { [a, b, c] };
    faces.extend(inner.faces().iter().map(|f| turned(f.map(|v| v + first))));
    mesh(positions, faces)
}
