//! G. Zachmann, Exact and fast collision detection (Darmstadt, 1994).

use super::entry::Place::{All, Bar, Line, Row, Said, Under};
use super::entry::{Entry, by_nature, entry, unmeasured};

const ABLATION: &str = "`impinge-bench ablation-1994` measures it";
const BODIES: &str = "`impinge-bench run bodies` measures it";
const MACHINE: &str = "a figure of its machine, with drawing";

pub(super) const FIGURES: &[Entry] = &[
    entry(
        "3.1a",
        "an edge is compared with the box of a face first",
        "11.3x",
        &[Row("ablation-1994", &["edge against face box"])],
        ABLATION,
    ),
    entry(
        "3.1b",
        "faces are collected first",
        "0.92x",
        &[Row("ablation-1994", &["face collect"])],
        ABLATION,
    ),
    entry(
        "3.1c",
        "faces are collected by their vertices",
        "0.94x, in the Potter 1.7x",
        &[Row("ablation-1994", &["relaxed collect"])],
        ABLATION,
    ),
    entry(
        "3.1d",
        "all pre-checks together",
        "10.3x",
        &[Row("ablation-1994", &["all pre-checks"])],
        ABLATION,
    ),
    unmeasured(
        "3.2",
        "point in polygon: rays for which a division is left",
        "1 % of 3 million",
        "tests hold our point-in-polygon to the exact answer; nothing counts its divisions",
    ),
    entry(
        "3.3",
        "Cyrus–Beck beside the arbitrary algorithm",
        "0.4 to 1.2x, in a unit that is unclear; convex pre-checks 2.34x",
        &[All(&[
            Row("ablation-1994", &["cyrus–beck", "balls"]),
            Row("ablation-1994", &["cyrus–beck", "cones"]),
        ])],
        ABLATION,
    ),
    entry(
        "3.4",
        "separating planes: errors after 10, 100, 1000 updates, centres of boxes",
        "15 %, 2.8 %, 0.37 %",
        &[Row("planes", &["meeting", "centres of boxes"])],
        "`impinge-bench planes` measures it",
    ),
    entry(
        "3.4b",
        "separating planes, first across x",
        "24 %, 3.0 %, 0.5 %",
        &[Row("planes", &["meeting", "across x"])],
        "`impinge-bench planes` measures it",
    ),
    unmeasured(
        "3.5",
        "random points in closed bodies",
        "17, 12 and 7 frames/s; under 1 % found by points alone",
        "the library has the method, whose answer is relaxed; no benchmark asks it",
    ),
    entry(
        "3.6a",
        "box-tree: flags for empty intervals",
        "1.14x",
        &[Row("ablation-1994", &["empty-interval flags"])],
        ABLATION,
    ),
    entry(
        "3.6b",
        "box-tree: collecting at leaves",
        "1.5x",
        &[Row("ablation-1994", &["collect at leaves"])],
        ABLATION,
    ),
    entry(
        "3.6c",
        "box-tree beside no tree, ball of 1000 faces",
        "2.25x, break-even at 300",
        &[Row(
            "ablation-1994",
            &["box-tree, no tree", "ball, 1020 faces"],
        )],
        ABLATION,
    ),
    entry(
        "3.6d",
        "box-tree beside no tree, torus of 1000 faces",
        "20x, break-even at 60",
        &[Row(
            "ablation-1994",
            &["box-tree, no tree", "torus, 1024 faces"],
        )],
        ABLATION,
    ),
    entry(
        "3.6e",
        "box-tree beside no tree, tetra-flake of 1000 faces",
        "2.1x, break-even at 300",
        &[Row(
            "ablation-1994",
            &["box-tree, no tree", "tetra-flake, 1000 faces"],
        )],
        ABLATION,
    ),
    entry(
        "3.7",
        "half-edges of 1220 edges: neighbour lists beside all pairs",
        "70x",
        &[All(&[
            Under(
                "at the published size",
                &Row("half-edges", &[" 1200 ", "×"]),
            ),
            Said(
                "less than published: a list of 1200 edges fits into the caches of today, so that searching it costs little",
            ),
            Under(
                "the gain grows with the edges",
                &Row("half-edges", &[" 9918 ", "×"]),
            ),
            Row("half-edges", &[" 40020 ", "×"]),
        ])],
        "`impinge-bench half-edges` measures it",
    ),
    by_nature(
        "3.8",
        "operations of transforming a box",
        "18/18/9 instead of 72/72/48",
        "a count of operations in the source, with nothing to run; ours has the same 18 products",
    ),
    entry(
        "3.9",
        "dynamic octree: allocations per frame at depth 5",
        "4821, 2264 kB held",
        &[Line("bodies", &["octree", "allocations a frame"])],
        BODIES,
    ),
    entry(
        "3.10a",
        "grid: pairs left of 615",
        "155, 4.0x fewer",
        &[Bar("bodies", &["615"])],
        BODIES,
    ),
    entry(
        "3.10b",
        "one mover among 500 static objects",
        "5x",
        &[Bar("bodies", &["one mover"])],
        BODIES,
    ),
    entry(
        "3.11a",
        "two processors share a pair of 2 × 132 polygons",
        "1.73x",
        &[Row("ablation-1994", &["two threads", "132"])],
        ABLATION,
    ),
    entry(
        "3.11b",
        "two processors share a pair of 2 × 442 polygons",
        "1.76x, box-tree 1.83x",
        &[Row("ablation-1994", &["two threads", "462"])],
        ABLATION,
    ),
    entry(
        "3.11c",
        "two algorithms race",
        "1.5 to 3.5x for two objects; ten objects 0.73x",
        &[Under(
            "median time of a question in µs, the ratio beside the better of both",
            &All(&[
                Row("world", &["race", "blobs apart"]),
                Row("world", &["race", "blobs in contact"]),
                Row("world", &["race", "ball in a ball, apart"]),
            ]),
        )],
        "`impinge-bench world` measures it",
    ),
    by_nature(
        "3.12",
        "time-stamps instead of clearing flags",
        "30 % of the processor",
        "ours never had flags to clear",
    ),
    entry(
        "3.13",
        "the Potter, 9944 polygons, full hand",
        "3–4 frames/s, relaxed 5–7, concurrent 13–15",
        &[Row("ablation-1994", &["pot of 10000"])],
        MACHINE,
    ),
];
