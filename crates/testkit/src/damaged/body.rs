//! Faces without area, nothing at all, and several bodies in one mesh.

use super::model::{Damaged, damaged};
use super::shape::{BOX, CORNER, TETRAHEDRON, box_points, moved, reversed, shifted, without};

pub(super) fn thin() -> Vec<Damaged> {
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

pub(super) fn pieces() -> Vec<Damaged> {
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
