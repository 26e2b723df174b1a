//! Faces turned over, borders, and surfaces with one side.

use super::model::{Damaged, damaged};
use super::shape::{
    BOX, CORNER, TETRAHEDRON, box_points, hexagon_rings, moment_curve, reversed, tube_faces,
    without,
};

pub(super) fn flips() -> Vec<Damaged> {
    let unit = box_points(0.0, 1.0);
    let mut one = BOX;
    one[0] = [0, 3, 2];
    let mut side = one;
    side[1] = [0, 1, 3];
    vec![
        damaged(
            "flipped_face",
            "a box with one face turned over",
            &unit,
            one,
            &[(
                "inconsistent-orientation",
                &[
                    "edge 0-2, faces 0, 9",
                    "edge 0-3, faces 0, 1",
                    "edge 2-3, faces 0, 7",
                ],
            )],
        ),
        damaged(
            "flipped_side",
            "a box with one of its six sides turned over",
            &unit,
            side,
            &[(
                "inconsistent-orientation",
                &[
                    "edge 0-1, faces 1, 4",
                    "edge 0-2, faces 0, 9",
                    "edge 1-3, faces 1, 10",
                    "edge 2-3, faces 0, 7",
                ],
            )],
        ),
        damaged(
            "flipped_open",
            "a square of two triangles, one turned over",
            [
                [0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [1.0, 1.0, 0.0],
                [0.0, 1.0, 0.0],
            ],
            [[0, 1, 2], [0, 3, 2]],
            &[
                ("inconsistent-orientation", &["edge 0-2, faces 0, 1"]),
                ("hole", &["vertices 0, 1, 2, 3"]),
            ],
        ),
        damaged(
            "inside_out",
            "a box with all faces turned over",
            &unit,
            reversed(&BOX),
            &[("inside-out", &["12 faces from face 0 on"])],
        ),
    ]
}

pub(super) fn holes() -> Vec<Damaged> {
    let unit = box_points(0.0, 1.0);
    let tube = hexagon_rings(&[0.0, 1.0, 2.0, 3.0, 4.0]);
    let mut split_points = unit.clone();
    split_points.push([0.5, 0.0, 0.0]);
    // The front of the box uses the new vertex in the middle of its lower edge, the bottom does not.
    let mut split_faces = without(&BOX, &[4]);
    split_faces.extend([[0, 8, 5], [8, 1, 5]]);
    let mut seam_points = hexagon_rings(&[0.0, 1.0]);
    seam_points.extend([seam_points[0], seam_points[6]]);
    let seam_faces: Vec<[u32; 3]> = tube_faces(6, 1)
        .into_iter()
        .enumerate()
        .map(|(i, face)| {
            // The last cell closes the tube; its right border gets vertices of its own.
            face.map(|v| match v {
                0 if i >= 10 => 12,
                6 if i >= 10 => 13,
                _ => v,
            })
        })
        .collect();
    vec![
        damaged(
            "lone_triangle",
            "a single face",
            &CORNER[..3],
            [[0, 1, 2]],
            &[("hole", &["vertices 0, 1, 2"])],
        ),
        damaged(
            "missing_face",
            "a box without one face",
            &unit,
            without(&BOX, &[0]),
            &[("hole", &["vertices 0, 3, 2"])],
        ),
        damaged(
            "missing_lid",
            "a box without one of its six sides",
            &unit,
            without(&BOX, &[2, 3]),
            &[("hole", &["vertices 5, 4, 6, 7"])],
        ),
        damaged(
            "two_holes",
            "a box without two faces that do not touch",
            &unit,
            without(&BOX, &[0, 2]),
            &[("hole", &["vertices 0, 3, 2", "vertices 4, 7, 5"])],
        ),
        damaged(
            "holes_at_a_vertex",
            "a box without two faces that share only a vertex",
            &unit,
            without(&BOX, &[0, 10]),
            &[
                ("non-manifold-vertex", &["vertex 3"]),
                ("hole", &["vertices 0, 3, 1, 7, 3, 2"]),
            ],
        ),
        damaged(
            "open_tube",
            "a hexagonal tube without caps",
            &tube[..12],
            tube_faces(6, 1),
            &[(
                "hole",
                &["vertices 0, 1, 2, 3, 4, 5", "vertices 7, 6, 11, 10, 9, 8"],
            )],
        ),
        damaged(
            "hole_around_a_vertex",
            "a hexagonal tube without the six faces around one vertex",
            &tube,
            {
                let faces = tube_faces(6, 4);
                let around: Vec<usize> = (0..faces.len())
                    .filter(|&i| faces[i].contains(&14))
                    .collect();
                without(&faces, &around)
            },
            &[
                (
                    "hole",
                    &[
                        "vertices 0, 1, 2, 3, 4, 5",
                        "vertices 8, 7, 13, 20, 21, 15",
                        "vertices 25, 24, 29, 28, 27, 26",
                    ],
                ),
                ("unreferenced-vertex", &["vertex 14"]),
            ],
        ),
        damaged(
            "t_junction",
            "a box with an extra vertex on an edge that only one side uses",
            &split_points,
            &split_faces,
            &[("hole", &["vertices 1, 0, 8"])],
        ),
        damaged(
            "open_seam",
            "a hexagonal tube cut along one line, both sides of the cut in the same place",
            &seam_points,
            &seam_faces,
            &[
                (
                    "hole",
                    &["vertices 0, 1, 2, 3, 4, 5, 12, 13, 11, 10, 9, 8, … 14 in all"],
                ),
                ("duplicate-vertices", &["vertices 0, 12", "vertices 6, 13"]),
            ],
        ),
        damaged(
            "soup",
            "a tetrahedron whose faces share no vertex",
            TETRAHEDRON
                .iter()
                .flatten()
                .map(|&v| CORNER[v as usize])
                .collect::<Vec<_>>(),
            [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]],
            &[
                (
                    "hole",
                    &[
                        "vertices 0, 1, 2",
                        "vertices 3, 4, 5",
                        "vertices 6, 7, 8",
                        "vertices 9, 10, 11",
                    ],
                ),
                (
                    "duplicate-vertices",
                    &[
                        "vertices 0, 3, 6",
                        "vertices 1, 8, 10",
                        "vertices 2, 4, 9",
                        "vertices 5, 7, 11",
                    ],
                ),
                (
                    "several-components",
                    &["face 0", "face 1", "face 2", "face 3"],
                ),
            ],
        ),
    ]
}

pub(super) fn one_sided() -> Vec<Damaged> {
    // Five triangles around a band, each vertex joined to the next two.
    let moebius: Vec<[u32; 3]> = (0..5).map(|i| [i, (i + 1) % 5, (i + 2) % 5]).collect();
    // Six vertices, every two joined: the smallest one-sided surface without border.
    let projective_plane = [
        [0, 1, 2],
        [0, 2, 3],
        [0, 3, 4],
        [0, 4, 5],
        [0, 5, 1],
        [1, 2, 4],
        [2, 3, 5],
        [3, 4, 1],
        [4, 5, 2],
        [5, 1, 3],
    ];
    // A grid of 3 × 4 cells: left meets right, bottom meets top reversed.
    let at = |x: u32, y: u32| {
        let x = if y == 4 { (3 - x % 3) % 3 } else { x % 3 };
        x + y % 4 * 3
    };
    let klein: Vec<[u32; 3]> = (0..4)
        .flat_map(|y| (0..3).map(move |x| (x, y)))
        .flat_map(|(x, y)| {
            [
                [at(x, y), at(x + 1, y), at(x + 1, y + 1)],
                [at(x, y), at(x + 1, y + 1), at(x, y + 1)],
            ]
        })
        .collect();
    vec![
        damaged(
            "moebius_strip",
            "a band of five triangles with half a twist",
            moment_curve(5),
            moebius,
            &[
                (
                    "inconsistent-orientation",
                    &[
                        "edge 0-1, faces 0, 4",
                        "edge 0-4, faces 3, 4",
                        "edge 1-2, faces 0, 1",
                        "edge 2-3, faces 1, 2",
                        "edge 3-4, faces 2, 3",
                    ],
                ),
                ("not-orientable", &["5 faces from face 0 on"]),
                ("hole", &["vertices 2, 0, 3, 1, 4"]),
            ],
        ),
        damaged(
            "projective_plane",
            "a closed surface of ten faces with one side",
            moment_curve(6),
            projective_plane,
            &[
                (
                    "inconsistent-orientation",
                    &[
                        "edge 1-2, faces 0, 5",
                        "edge 1-3, faces 7, 9",
                        "edge 1-4, faces 5, 7",
                        "edge 1-5, faces 4, 9",
                        "edge 2-3, faces 1, 6",
                        "edge 2-4, faces 5, 8",
                        "edge 2-5, faces 6, 8",
                        "edge 3-4, faces 2, 7",
                        "edge 3-5, faces 6, 9",
                        "edge 4-5, faces 3, 8",
                    ],
                ),
                ("not-orientable", &["10 faces from face 0 on"]),
            ],
        ),
        damaged(
            "klein_bottle",
            "a grid closed to a tube and then, reversed, to a ring",
            moment_curve(12),
            klein,
            &[
                (
                    "inconsistent-orientation",
                    &[
                        "edge 0-1, faces 0, 23",
                        "edge 0-2, faces 4, 19",
                        "edge 1-2, faces 2, 21",
                    ],
                ),
                ("not-orientable", &["24 faces from face 0 on"]),
            ],
        ),
    ]
}
