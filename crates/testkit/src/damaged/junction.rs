//! Faces and vertices given twice, and surfaces that meet where they should not.

use super::model::{Damaged, damaged};
use super::shape::{
    BOX, CORNER, TETRAHEDRON, box_points, hexagon_rings, reversed, shifted, tube_faces,
};

pub(super) fn duplicates() -> Vec<Damaged> {
    let unit = box_points(0.0, 1.0);
    let with = |extra: &[[u32; 3]]| [&BOX[..], extra].concat();
    let triple: &[&str] = &[
        "edge 0-2, faces 0, 9, 12",
        "edge 0-3, faces 0, 1, 12",
        "edge 2-3, faces 0, 7, 12",
    ];
    let mut zeros = CORNER.to_vec();
    zeros.push([-0.0, 0.0, -0.0]);
    vec![
        damaged(
            "duplicate_face",
            "a box with one face given twice",
            &unit,
            with(&[[2, 3, 0]]),
            &[
                ("non-manifold-edge", triple),
                ("duplicate-faces", &["faces 0, 12"]),
            ],
        ),
        damaged(
            "duplicate_face_reversed",
            "a box with one face given again in the other direction",
            &unit,
            with(&[[0, 3, 2]]),
            &[
                ("non-manifold-edge", triple),
                ("duplicate-faces", &["faces 0, 12"]),
            ],
        ),
        damaged(
            "two_sided_triangle",
            "one triangle given in both directions",
            &CORNER[..3],
            [[0, 1, 2], [2, 1, 0]],
            &[
                ("duplicate-faces", &["faces 0, 1"]),
                ("no-volume", &["2 faces from face 0 on"]),
            ],
        ),
        damaged(
            "wall_inside",
            "two tetrahedra on either side of a wall that both include",
            [&CORNER[..], &[[1.0, 1.0, 1.0]]].concat(),
            [
                &TETRAHEDRON[..],
                &[[1, 3, 2], [1, 2, 4], [2, 3, 4], [3, 1, 4]],
            ]
            .concat(),
            &[
                (
                    "non-manifold-edge",
                    &[
                        "edge 1-2, faces 0, 3, 4, 5",
                        "edge 1-3, faces 1, 3, 4, 7",
                        "edge 2-3, faces 2, 3, 4, 6",
                    ],
                ),
                ("duplicate-faces", &["faces 3, 4"]),
            ],
        ),
        damaged(
            "doubled_body",
            "a box given twice with vertices of its own",
            [&unit[..], &unit[..]].concat(),
            [&BOX[..], &shifted(&BOX, 8)[..]].concat(),
            &[
                (
                    "duplicate-vertices",
                    &[
                        "vertices 0, 8",
                        "vertices 1, 9",
                        "vertices 2, 10",
                        "vertices 3, 11",
                        "vertices 4, 12",
                        "vertices 5, 13",
                        "vertices 6, 14",
                        "vertices 7, 15",
                    ],
                ),
                (
                    "several-components",
                    &["12 faces from face 0 on", "12 faces from face 12 on"],
                ),
            ],
        ),
        damaged(
            "negative_zero",
            "a tetrahedron with a doubled vertex at minus zero",
            &zeros,
            [[0, 2, 1], [0, 1, 3], [4, 3, 2], [1, 2, 3]],
            &[
                ("hole", &["vertices 0, 2, 4, 3"]),
                ("duplicate-vertices", &["vertices 0, 4"]),
            ],
        ),
        damaged(
            "unreferenced_vertices",
            "a tetrahedron and two vertices without faces",
            [&[[9.0, 9.0, 9.0]], &CORNER[..], &[[8.0, 8.0, 8.0]]].concat(),
            shifted(&TETRAHEDRON, 1),
            &[("unreferenced-vertex", &["vertex 0", "vertex 5"])],
        ),
    ]
}

pub(super) fn pinches() -> Vec<Damaged> {
    let fin_points = [
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 0.0],
        [-1.0, 1.0, 0.0],
        [-1.0, -1.0, 0.0],
    ];
    let opposite = CORNER.map(|[x, y, z]| [-x, -y, z]);
    let below = CORNER.map(|p| p.map(|x| -x));
    // Mirrored in a point, so its faces must be turned; shares vertex 0.
    let share_vertex: Vec<[u32; 3]> = reversed(&TETRAHEDRON)
        .iter()
        .map(|face| face.map(|v| if v == 0 { 0 } else { v + 3 }))
        .collect();
    // Mirrored in two coordinates, so still outward; shares vertices 0 and 3.
    let share_edge: Vec<[u32; 3]> = TETRAHEDRON
        .iter()
        .map(|face| face.map(|v| if v == 0 || v == 3 { v } else { v + 3 }))
        .collect();
    // A hexagonal tube whose ends are dented so deep that both dents touch in the middle.
    let mut dented_points = hexagon_rings(&[-2.0, 2.0]);
    dented_points.push([0.0, 0.0, 0.0]);
    let mut dented = tube_faces(6, 1);
    dented.extend((0..6).map(|i| [(i + 1) % 6, i, 12]));
    dented.extend((0..6).map(|i| [6 + i, 6 + (i + 1) % 6, 12]));
    vec![
        damaged(
            "three_faces_at_an_edge",
            "three faces around one edge",
            fin_points,
            [[0, 1, 2], [0, 1, 3], [0, 1, 4]],
            &[
                ("non-manifold-edge", &["edge 0-1, faces 0, 1, 2"]),
                (
                    "hole",
                    &["vertices 1, 2, 0", "vertices 1, 3, 0", "vertices 1, 4, 0"],
                ),
            ],
        ),
        damaged(
            "fin",
            "a box with a triangle standing on one edge",
            [&box_points(0.0, 1.0)[..], &[[0.5, -1.0, -1.0]]].concat(),
            [&BOX[..], &[[0, 1, 8]]].concat(),
            &[
                ("non-manifold-edge", &["edge 0-1, faces 1, 4, 12"]),
                ("hole", &["vertices 1, 8, 0"]),
            ],
        ),
        damaged(
            "bow_tie",
            "two triangles that share a vertex",
            [
                [0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [1.0, 1.0, 0.0],
                [-1.0, 0.0, 0.0],
                [-1.0, -1.0, 0.0],
            ],
            [[0, 1, 2], [0, 3, 4]],
            &[
                ("non-manifold-vertex", &["vertex 0"]),
                ("hole", &["vertices 0, 1, 2", "vertices 0, 3, 4"]),
                ("several-components", &["face 0", "face 1"]),
            ],
        ),
        damaged(
            "bodies_at_a_vertex",
            "two tetrahedra that share a vertex",
            [&CORNER[..], &below[1..]].concat(),
            [&TETRAHEDRON[..], &share_vertex[..]].concat(),
            &[
                ("non-manifold-vertex", &["vertex 0"]),
                (
                    "several-components",
                    &["4 faces from face 0 on", "4 faces from face 4 on"],
                ),
            ],
        ),
        damaged(
            "bodies_at_an_edge",
            "two tetrahedra that share an edge",
            [&CORNER[..], &opposite[1..3]].concat(),
            [&TETRAHEDRON[..], &share_edge[..]].concat(),
            &[("non-manifold-edge", &["edge 0-3, faces 1, 2, 5, 6"])],
        ),
        damaged(
            "body_at_an_edge_inside_out",
            "two tetrahedra that share an edge, the second inside out",
            [&CORNER[..], &opposite[1..3]].concat(),
            [&TETRAHEDRON[..], &reversed(&share_edge)[..]].concat(),
            &[
                ("non-manifold-edge", &["edge 0-3, faces 1, 2, 5, 6"]),
                ("inside-out", &["4 faces from face 4 on"]),
            ],
        ),
        damaged(
            "pinched_tube",
            "a closed surface that touches itself in one vertex",
            dented_points,
            dented,
            &[("non-manifold-vertex", &["vertex 12"])],
        ),
    ]
}
