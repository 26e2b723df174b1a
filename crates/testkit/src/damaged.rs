//! Small meshes, each damaged in one known way, and what must be found in them.
//!
//! The expectations are written by hand, from the way each mesh was damaged; they are exported
//! with the meshes to `corpus/damaged`, so that tools that read files can be held to them too.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use impinge::{DVec3, TriMesh};
use serde::{Deserialize, Serialize};

/// A damaged mesh.
#[derive(Clone, Debug)]
pub struct Damaged {
    /// Its file name without extension.
    pub name: &'static str,
    /// How it was damaged.
    pub why: &'static str,
    /// The mesh.
    pub mesh: TriMesh,
    /// What must be found, and nothing else, in the order of kinds.
    pub expected: Vec<Expected>,
}

/// Findings of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// The name of the kind.
    pub kind: String,
    /// How many there are.
    pub count: usize,
    /// Where they are, in words and in order.
    pub places: Vec<String>,
}

/// The mesh as a Wavefront OBJ file that reads back to the same coordinates.
#[must_use]
pub fn to_obj(damaged: &Damaged) -> String {
    let mut text = format!("# {}\n", damaged.why);
    for p in damaged.mesh.positions() {
        let _ = writeln!(text, "v {:?} {:?} {:?}", p.x, p.y, p.z);
    }
    for [a, b, c] in damaged.mesh.faces() {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    text
}

/// What must be found in each file, as JSON, by file name.
#[must_use]
pub fn expected_json(meshes: &[Damaged]) -> String {
    let by_file: BTreeMap<String, &Vec<Expected>> = meshes
        .iter()
        .map(|damaged| (format!("{}.obj", damaged.name), &damaged.expected))
        .collect();
    let mut text = serde_json::to_string_pretty(&by_file).unwrap_or_default();
    text.push('\n');
    text
}

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
const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
const CORNER: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
];

/// The corners of a box; bit 0 of the number is x, bit 1 y, bit 2 z.
fn box_points(min: f64, max: f64) -> Vec<[f64; 3]> {
    (0..8)
        .map(|v| [0, 1, 2].map(|axis| if v >> axis & 1 == 1 { max } else { min }))
        .collect()
}

/// Points of which no three lie on a line and no four in a plane.
fn moment_curve(count: u32) -> Vec<[f64; 3]> {
    (0..count)
        .map(|t| {
            let t = f64::from(t);
            [t, t * t, t * t * t]
        })
        .collect()
}

fn moved(points: &[[f64; 3]], by: [f64; 3]) -> Vec<[f64; 3]> {
    points
        .iter()
        .map(|p| [p[0] + by[0], p[1] + by[1], p[2] + by[2]])
        .collect()
}

fn shifted(faces: &[[u32; 3]], by: u32) -> Vec<[u32; 3]> {
    faces.iter().map(|face| face.map(|v| v + by)).collect()
}

fn reversed(faces: &[[u32; 3]]) -> Vec<[u32; 3]> {
    faces.iter().map(|&[a, b, c]| [a, c, b]).collect()
}

fn without(faces: &[[u32; 3]], gone: &[usize]) -> Vec<[u32; 3]> {
    let kept = faces.iter().enumerate().filter(|(i, _)| !gone.contains(i));
    kept.map(|(_, face)| *face).collect()
}

/// A grid of `width × height` cells whose left and right borders are one.
fn tube_faces(width: u32, height: u32) -> Vec<[u32; 3]> {
    let at = |x: u32, y: u32| x % width + y * width;
    (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .flat_map(|(x, y)| {
            [
                [at(x, y), at(x + 1, y), at(x + 1, y + 1)],
                [at(x, y), at(x + 1, y + 1), at(x, y + 1)],
            ]
        })
        .collect()
}

/// A hexagon with integer corners, counter-clockwise.
const HEXAGON: [[f64; 2]; 6] = [
    [2.0, 0.0],
    [1.0, 2.0],
    [-1.0, 2.0],
    [-2.0, 0.0],
    [-1.0, -2.0],
    [1.0, -2.0],
];

fn hexagon_rings(heights: &[f64]) -> Vec<[f64; 3]> {
    heights
        .iter()
        .flat_map(|&z| HEXAGON.map(|[x, y]| [x, y, z]))
        .collect()
}

fn damaged(
    name: &'static str,
    why: &'static str,
    points: impl AsRef<[[f64; 3]]>,
    faces: impl AsRef<[[u32; 3]]>,
    expected: &[(&str, &[&str])],
) -> Damaged {
    let positions = points.as_ref().iter().map(|&p| DVec3::from_array(p));
    let mesh = TriMesh::from_points(positions, faces.as_ref().iter().copied());
    Damaged {
        name,
        why,
        // Only constants of this file come here; a mistake in them shows as a mesh without faces.
        mesh: mesh.unwrap_or_default(),
        expected: expected
            .iter()
            .map(|(kind, places)| Expected {
                kind: (*kind).to_owned(),
                count: places.len(),
                places: places.iter().map(|place| (*place).to_owned()).collect(),
            })
            .collect(),
    }
}

/// All damaged meshes, by name of damage.
#[must_use]
pub fn damaged_meshes() -> Vec<Damaged> {
    let mut all = flips();
    all.extend(holes());
    all.extend(duplicates());
    all.extend(pinches());
    all.extend(one_sided());
    all.extend(thin());
    all.extend(pieces());
    all
}

fn flips() -> Vec<Damaged> {
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

fn holes() -> Vec<Damaged> {
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

fn duplicates() -> Vec<Damaged> {
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

fn pinches() -> Vec<Damaged> {
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

fn one_sided() -> Vec<Damaged> {
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

fn thin() -> Vec<Damaged> {
    let unit = box_points(0.0, 1.0);
    let mut split_points = unit.clone();
    split_points.push([0.5, 0.0, 0.0]);
    let mut capped = without(&BOX, &[4]);
    capped.extend([[0, 8, 5], [8, 1, 5], [0, 1, 8]]);
    let flat: Vec<[f64; 3]> = unit.iter().map(|&[x, y, _]| [x, y, 0.0]).collect();
    vec![
        damaged(
            "empty",
            "nothing at all",
            [[0.0; 3]; 0],
            [[0; 3]; 0],
            &[("empty", &["whole mesh"])],
        ),
        damaged(
            "points_only",
            "vertices without faces",
            &CORNER[..2],
            [[0; 3]; 0],
            &[
                ("empty", &["whole mesh"]),
                ("unreferenced-vertex", &["vertex 0", "vertex 1"]),
            ],
        ),
        damaged(
            "repeated_index",
            "a box with an extra face that names a vertex twice",
            &unit,
            [&BOX[..], &[[0, 0, 1]]].concat(),
            &[("repeated-index", &["face 12"])],
        ),
        damaged(
            "collapsed_face",
            "a face that names one vertex three times",
            CORNER,
            [&TETRAHEDRON[..], &[[2, 2, 2]]].concat(),
            &[
                ("repeated-index", &["face 4"]),
                ("several-components", &["4 faces from face 0 on", "face 4"]),
            ],
        ),
        damaged(
            "collinear_face",
            "a box closed by a face whose vertices lie on one line",
            &split_points,
            &capped,
            &[("zero-area", &["face 13"])],
        ),
        damaged(
            "sliver",
            "a tetrahedron with one very thin face",
            [
                [0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [0.5, 0.0001, 0.0],
                [0.5, 0.5, 1.0],
            ],
            TETRAHEDRON,
            &[("sliver", &["face 0"])],
        ),
        damaged(
            "flattened_box",
            "a box pressed into a plane",
            &flat,
            BOX,
            &[
                (
                    "zero-area",
                    &[
                        "face 4", "face 5", "face 6", "face 7", "face 8", "face 9", "face 10",
                        "face 11",
                    ],
                ),
                ("no-volume", &["12 faces from face 0 on"]),
                (
                    "duplicate-vertices",
                    &[
                        "vertices 0, 4",
                        "vertices 1, 5",
                        "vertices 2, 6",
                        "vertices 3, 7",
                    ],
                ),
            ],
        ),
        damaged(
            "far_away",
            "a tetrahedron of size 1 at a distance of 2^30",
            moved(&CORNER, [1_073_741_824.0, 0.0, 0.0]),
            TETRAHEDRON,
            &[("far-from-origin", &["whole mesh"])],
        ),
    ]
}

fn pieces() -> Vec<Damaged> {
    let outer = box_points(0.0, 8.0);
    let middle = box_points(2.0, 6.0);
    let inner = box_points(3.0, 5.0);
    let two = |second: Vec<[u32; 3]>| [&BOX[..], &second[..]].concat();
    let pair: &[&str] = &["12 faces from face 0 on", "12 faces from face 12 on"];
    let nested: (&str, &[&str]) = ("nested-shell", &["12 faces from face 12 on"]);
    vec![
        damaged(
            "two_bodies",
            "two boxes side by side",
            [&outer[..], &moved(&outer, [9.0, 0.0, 0.0])[..]].concat(),
            two(shifted(&BOX, 8)),
            &[("several-components", pair)],
        ),
        damaged(
            "second_body_inside_out",
            "two boxes side by side, the second inside out",
            [&outer[..], &moved(&outer, [9.0, 0.0, 0.0])[..]].concat(),
            two(reversed(&shifted(&BOX, 8))),
            &[
                ("inside-out", &["12 faces from face 12 on"]),
                ("several-components", pair),
            ],
        ),
        damaged(
            "body_in_a_body",
            "a box inside a box, both facing outwards",
            [&outer[..], &middle[..]].concat(),
            two(shifted(&BOX, 8)),
            &[("several-components", pair), nested],
        ),
        damaged(
            "cavity",
            "a box with a cavity that faces its hollow, as it should",
            [&outer[..], &middle[..]].concat(),
            two(reversed(&shifted(&BOX, 8))),
            &[("several-components", pair), nested],
        ),
        damaged(
            "cavity_inside_out",
            "a box with a cavity, everything turned over",
            [&outer[..], &middle[..]].concat(),
            [&reversed(&BOX)[..], &shifted(&BOX, 8)[..]].concat(),
            &[
                ("inside-out", &["12 faces from face 0 on"]),
                ("several-components", pair),
                nested,
            ],
        ),
        damaged(
            "kernel_inside_out",
            "a box with a cavity and in it a smaller box that has its inside out",
            [&outer[..], &middle[..], &inner[..]].concat(),
            [
                &BOX[..],
                &reversed(&shifted(&BOX, 8))[..],
                &reversed(&shifted(&BOX, 16))[..],
            ]
            .concat(),
            &[
                ("inside-out", &["12 faces from face 24 on"]),
                (
                    "several-components",
                    &[
                        "12 faces from face 0 on",
                        "12 faces from face 12 on",
                        "12 faces from face 24 on",
                    ],
                ),
                (
                    "nested-shell",
                    &["12 faces from face 12 on", "12 faces from face 24 on"],
                ),
            ],
        ),
        damaged(
            "debris",
            "a box and a lone triangle beside it",
            [&outer[..], &moved(&CORNER[..3], [20.0, 0.0, 0.0])[..]].concat(),
            two(vec![[8, 9, 10]]),
            &[
                ("hole", &["vertices 8, 9, 10"]),
                (
                    "several-components",
                    &["12 faces from face 0 on", "face 12"],
                ),
            ],
        ),
    ]
}
