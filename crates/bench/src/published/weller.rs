//! R. Weller, New geometric data structures for collision detection (Bremen, 2012).

use super::entry::Place::{All, Bar, Line, Row, Under, Verdict};
use super::entry::{Entry, entry};

const KINETIC: &str = "`impinge-bench kinetic` measures it";
const VOLUME: &str = "`impinge-bench run volume` measures it";
const QUALITY: &str = "`impinge-bench run quality` measures it";
const PERFORMANCE: &str = "`impinge-bench run performance` measures it";

pub(super) const FIGURES: &[Entry] = &[
    entry(
        "3.1a",
        "kinetic AABB tree beside bottom-up updates, tablecloth",
        "5x, 400 events and 1000 updates a frame instead of 60 000",
        &[
            Bar("kinetic", &["cloth", "faster than refitting"]),
            Bar("kinetic", &["faster than refitting"]),
        ],
        KINETIC,
    ),
    entry(
        "3.1b",
        "kinetic AABB tree beside bottom-up updates, avatars",
        "10x",
        &[Bar("kinetic", &["avatar", "faster than refitting"])],
        KINETIC,
    ),
    entry(
        "3.1c",
        "separation list beside swept boxes, tablecloth with itself",
        "50x, 500 events instead of several 10 000 checks",
        &[All(&[
            Bar("kinetic", &["tablecloth", "swept"]),
            Line("kinetic", &["by swept boxes", "published: 50)"]),
        ])],
        KINETIC,
    ),
    entry(
        "3.1d",
        "kinetic DOP tree beside the kinetic AABB tree",
        "slower in all cases, interval DOPs over 2x",
        &[All(&[
            Line("kinetic", &["kinetic AABB tree", "updates"]),
            Line("kinetic", &["kinetic 18-dop tree", "updates"]),
            Line("kinetic", &["kinetic interval tree", "updates"]),
        ])],
        KINETIC,
    ),
    entry(
        "3.2a",
        "100 000 balls into models of up to 300 000 triangles",
        "a few seconds on a GTX 480",
        &[All(&[
            Under(
                "armadillo of 312 000 faces",
                &Row("volume", &["time, armadillo", "faces 100000 "]),
            ),
            Verdict("volume", &["100000 balls in"]),
        ])],
        VOLUME,
    ),
    entry(
        "3.2b",
        "fill rate by the number of balls",
        "independent of the shape",
        &[All(&[
            Row("volume", &["is filled", "armadillo 100000 "]),
            Row("volume", &["is filled", "bunny 100000 "]),
            Row("volume", &["is filled", "rotor 100000 "]),
        ])],
        VOLUME,
    ),
    entry(
        "3.3a",
        "distance of ball trees beside PQP",
        "50x at 1 % error, 0.05 ms with 500 000 balls, worst 2 ms",
        &[All(&[
            Line("volume", &["fcl takes", "times as long as balls"]),
            Under(
                "balls, 500 000",
                &Row("volume", &["distance of 500000 balls", "paths balls "]),
            ),
            Line("volume", &["error of balls: mean"]),
            Verdict("volume", &["fcl"]),
            Verdict("volume", &["error of balls"]),
        ])],
        VOLUME,
    ),
    entry(
        "3.3b",
        "shared volume",
        "0.1 to 2.5 ms, 2.5 ms with 237 000 balls at 0.5 % error",
        &[All(&[
            Under(
                "100 000 balls",
                &All(&[
                    Row("volume", &["by how far", "in 2 lens sum with its gradient"]),
                    Row(
                        "volume",
                        &["by how far", "in 10 lens sum with its gradient"],
                    ),
                    Row("volume", &["by how far", "in 10 cones, and gaps counted"]),
                ]),
            ),
            Under(
                "240 000 balls",
                &Row("volume", &["mean error of the shared volume"]),
            ),
            Verdict("volume", &["lens sum", "at 2 %"]),
            Verdict("volume", &["lens sum", "at 10 %"]),
            Verdict("volume", &["gaps counted", "on average"]),
        ])],
        VOLUME,
    ),
    entry(
        "3.3c",
        "exact volume by tetrahedra",
        "over 2 s a frame",
        &[Bar("exact-volume", &["99.9"])],
        "`impinge-bench exact-volume` measures it",
    ),
    entry(
        "3.3d",
        "volume within a budget of time",
        "acceptable; curve lost",
        &[All(&[
            Row(
                "volume",
                &["within a budget of tests", "tests lens sum processor"],
            ),
            Row("volume", &["what a budget costs", "truth lens sum "]),
            Verdict("volume", &["99.9th"]),
        ])],
        VOLUME,
    ),
    entry(
        "3.4a",
        "AABB trees beside OBB and DOP trees, castle",
        "up to 4x faster",
        &[All(&[
            Row("scenario-1", &["times the fastest", "aabb "]),
            Row("scenario-1", &["times the fastest", "obb "]),
            Row("scenario-1", &["times the fastest", "24-dop "]),
        ])],
        "`impinge-bench run scenario-1` measures it",
    ),
    entry(
        "3.4b",
        "DOP trees on all models",
        "between both nearly everywhere",
        &[
            Row("scenario-1", &["times the fastest", "24-dop"]),
            Row("scenario-1", &["times the fastest", "dop"]),
        ],
        "`impinge-bench run scenario-1` measures it",
    ),
    entry(
        "3.4c",
        "volumes of ball trees with 100 000 balls, small overlaps",
        "under 1 ms",
        &[All(&[
            Row(
                "performance",
                &[
                    "how much do they share",
                    "engines over all",
                    "balls-100000 ",
                ],
            ),
            Under(
                "100 000 balls",
                &All(&[
                    Row("volume", &["by how far", "in 1 lens sum with its gradient"]),
                    Row("volume", &["by how far", "in 2 lens sum with its gradient"]),
                ]),
            ),
            Verdict("volume", &["lens sum", "at 2 %"]),
        ])],
        PERFORMANCE,
    ),
    entry(
        "3.5a",
        "σ_F, Scenario I",
        "VPS 0.043, IST 0.176",
        &[
            Row("quality", &["published figures", "sigma_f"]),
            Bar("quality", &["sigma_f"]),
        ],
        QUALITY,
    ),
    entry(
        "3.5b",
        "σ_T, Scenario III",
        "VPS 0.169, IST 0.112",
        &[
            Row("quality", &["published figures", "sigma_t"]),
            Bar("quality", &["sigma_t"]),
        ],
        QUALITY,
    ),
    entry(
        "3.5c",
        "γ_F, Scenario II",
        "VPS 2.40°, IST 7.64°",
        &[
            Row("quality", &["published figures", "gamma"]),
            Bar("quality", &["gamma_f"]),
        ],
        QUALITY,
    ),
    entry(
        "3.5d",
        "ν, 1 is ideal",
        "VPS 0.620, IST 1.12, of Scenario III, where it is undefined",
        &[
            Row("quality", &["published figures", "nu"]),
            Bar("quality", &["|nu - 1|"]),
        ],
        QUALITY,
    ),
    entry(
        "3.5e",
        "resolutions that are equivalent at 0.9 ms: predicted beside measured",
        "VPS 1.2 %, IST 2.1 %",
        &[All(&[
            Row("quality", &["equivalent resolutions", "voxmap"]),
            Row("quality", &["equivalent resolutions", "inner spheres"]),
        ])],
        QUALITY,
    ),
];
