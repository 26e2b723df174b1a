//! J. Klein, Efficient collision detection for point and polygon based models (Paderborn, 2005).

use super::entry::Place::{All, Bar, Line, Row, Said, Under};
use super::entry::{Entry, entry};

const AVERAGE: &str = "`impinge-bench run average` measures it";
const MODEL: &str = "`impinge-bench run model` measures it";
const SURFACE: &str = "`impinge-bench cloud-surface` measures it";
const GRAPHS: &str = "`impinge-bench cloud-graphs` measures it";
const BRACKETS: &str = "`impinge-bench cloud-brackets` measures it";
const CLOUDS: &str = "`impinge-bench run clouds` measures it";

pub(super) const FIGURES: &[Entry] = &[
    entry(
        "H1",
        "ADB-tree beside a DOP tree, car body, p_min 0.99, k_min 10",
        "about 3x on average",
        &[
            Bar("average", &["car", "is 3 times as fast"]),
            Bar("average", &["is 3 times as fast"]),
            Row("average", &["errors and times", "car", "average k 10"]),
        ],
        AVERAGE,
    ),
    entry(
        "H2",
        "the same with k_min 5",
        "over 6x, error 0.2 points higher",
        &[
            Bar("average", &["car", "is 6 times as fast"]),
            Bar("average", &["is 6 times as fast"]),
            Row("average", &["errors and times", "car", "average k 5"]),
        ],
        AVERAGE,
    ),
    entry(
        "H3",
        "overall: faster, at which error",
        "3 to 6x at about 4 %",
        &[All(&[
            Line("average", &["mean over models", "average k 10"]),
            Line("average", &["mean over models", "average k 5"]),
        ])],
        AVERAGE,
    ),
    entry(
        "H4",
        "wrong answers among queries whose root boxes overlap, distances 0.4 to 2.1",
        "car 1.89 %, lock 1.54 %, pipes 2.10 %",
        &[All(&[
            Bar("average", &["car errs at most", "average k 10"]),
            Bar("average", &["lock errs at most", "average k 10"]),
            Bar("average", &["pipes-9814 errs at most", "average k 10"]),
            Bar("average", &["pipes-124736 errs at most", "average k 10"]),
        ])],
        AVERAGE,
    ),
    entry(
        "H5",
        "the same, distances 1 to 2",
        "car 3.19 %, lock 1.71 %, pipes 3.15 %",
        &[
            All(&[
                Row(
                    "average",
                    &["errors and times", "car 20026", "average k 10"],
                ),
                Row(
                    "average",
                    &["errors and times", "lock 207290", "average k 10"],
                ),
                Row(
                    "average",
                    &["errors and times", "pipes-9814", "average k 10"],
                ),
                Row(
                    "average",
                    &["errors and times", "pipes-124736", "average k 10"],
                ),
            ]),
            All(&[
                Line("average", &["car ", "average k 10", "at 1 to 2"]),
                Line("average", &["lock ", "average k 10", "at 1 to 2"]),
                Line("average", &["pipes-9814 ", "average k 10", "at 1 to 2"]),
                Line("average", &["pipes-124736 ", "average k 10", "at 1 to 2"]),
            ]),
        ],
        AVERAGE,
    ),
    entry(
        "H6",
        "error by p_min, car, k_min 10, distances 1.2 to 2",
        "0.99 and 0.9 less than 2 points apart, 0.9 and 0.5 about 5",
        &[
            All(&[
                Row(
                    "average",
                    &["p_min and k_min", "1.2 to 2", "p_min 0.99, k_min 10 "],
                ),
                Row(
                    "average",
                    &["p_min and k_min", "1.2 to 2", "p_min 0.9, k_min 10 "],
                ),
                Row(
                    "average",
                    &["p_min and k_min", "1.2 to 2", "p_min 0.5, k_min 10 "],
                ),
            ]),
            All(&[
                Line("average", &["p_min 0.99, k_min 10 ", "1.2 to 2"]),
                Line("average", &["p_min 0.9, k_min 10 ", "1.2 to 2"]),
                Line("average", &["p_min 0.5, k_min 10 ", "1.2 to 2"]),
            ]),
        ],
        AVERAGE,
    ),
    entry(
        "H7",
        "error by k_min, p_min 0.99",
        "10 and 5 0.2 points apart, 5 and 1 2 points",
        &[
            All(&[
                Row(
                    "average",
                    &["p_min and k_min", "1.2 to 2", "p_min 0.99, k_min 10 "],
                ),
                Row(
                    "average",
                    &["p_min and k_min", "1.2 to 2", "p_min 0.99, k_min 5 "],
                ),
                Row(
                    "average",
                    &["p_min and k_min", "1.2 to 2", "p_min 0.99, k_min 1 "],
                ),
            ]),
            All(&[
                Line("average", &["p_min 0.99, k_min 10 ", "1.2 to 2"]),
                Line("average", &["p_min 0.99, k_min 5 ", "1.2 to 2"]),
                Line("average", &["p_min 0.99, k_min 1 ", "1.2 to 2"]),
            ]),
        ],
        AVERAGE,
    ),
    entry(
        "H8",
        "time by k_min, car",
        "5 is 2.3 times faster than 10",
        &[
            All(&[
                Row("average", &["p_min and k_min", "p_min 0.99, k_min 10 "]),
                Row("average", &["p_min and k_min", "p_min 0.99, k_min 5 "]),
            ]),
            All(&[
                Line("average", &["p_min 0.99, k_min 10 ", "µs"]),
                Line("average", &["p_min 0.99, k_min 5 ", "µs"]),
            ]),
        ],
        AVERAGE,
    ),
    entry(
        "H9",
        "mean time by order of traversal, car",
        "probability 0.13 ms, greedy 0.16 ms, random 0.18 ms",
        &[
            All(&[
                Row("average", &["order of the search", "most probable"]),
                Row("average", &["order of the search", "largest volume"]),
                Row("average", &["order of the search", ") random"]),
            ]),
            All(&[
                Line("average", &["most probable", "µs, error"]),
                Line("average", &["largest volume", "µs, error"]),
                Line("average", &["  random  ", "µs, error"]),
            ]),
        ],
        AVERAGE,
    ),
    entry(
        "H10",
        "binary AABB tree beside an octree, car",
        "over 3x",
        &[
            Line("average", &["as fast as the octree"]),
            Row("average", &["choices", "octree"]),
        ],
        AVERAGE,
    ),
    entry(
        "H11",
        "time and error by the number of polygons",
        "nearly independent; pipes of 9 814 slower than of 124 736",
        &[
            All(&[
                Row(
                    "average",
                    &["errors and times", "pipes-9814", "average k 10"],
                ),
                Row(
                    "average",
                    &["errors and times", "pipes-124736", "average k 10"],
                ),
            ]),
            All(&[
                Line("average", &["pipes-9814 ", "average k 10", "error"]),
                Line("average", &["pipes-124736 ", "average k 10", "error"]),
            ]),
        ],
        AVERAGE,
    ),
    entry(
        "H12",
        "counting possible-collision cells",
        "exact 2 minutes, approximate under 2 s for 200 000 polygons at 0.2 points",
        &[All(&[
            Bar(
                "average",
                &["counted in 0.5 s", "single faces", "approximate"],
            ),
            Row("average", &["counting cells", "single faces", "exact"]),
            Row("average", &["counting cells", "by size", "exact"]),
        ])],
        AVERAGE,
    ),
    entry(
        "H13",
        "ten look-up tables",
        "93 hours, 256 MB each, compressed 17 times",
        &[Line("average", &["tables of filled bins"])],
        AVERAGE,
    ),
    entry(
        "H14",
        "bytes per node of an ADB-tree over AABBs",
        "36, without polygons",
        &[Bar("average", &["36 bytes"])],
        AVERAGE,
    ),
    entry(
        "H15",
        "uniformity of cells, door lock of 207 290 polygons",
        "largest and smallest 30 % off the mean",
        &[
            Row("average", &["512 cells", "lock"]),
            Line("average", &["cells of the lock", "off the mean"]),
        ],
        AVERAGE,
    ),
    entry(
        "H16",
        "visited nodes of CAD models at distance 0.4",
        "logarithmic in n",
        &[All(&[
            Line("model", &["grow logarithmically", "car:"]),
            Line("model", &["grow logarithmically", "lock:"]),
            Line("model", &["grow logarithmically", "pipes:"]),
            Line("model", &["grow logarithmically", "knot:"]),
        ])],
        MODEL,
    ),
    entry(
        "H17",
        "visited nodes of artificial hierarchies",
        "factor 0.5 constant, 0.63 logarithmic, with p = 0.5 linear",
        &[
            All(&[
                Row("model", &["classes of growth", "O(1)"]),
                Row("model", &["classes of growth", "O(log n)"]),
                Row("model", &["classes of growth", "O(n)"]),
            ]),
            Bar("model", &["predicted power"]),
        ],
        MODEL,
    ),
    entry(
        "H18",
        "ADB-tree beside the detection on clouds",
        "about 3x faster, higher error, no points",
        &[All(&[
            Bar(
                "clouds",
                &["probabilistic tree", "times as fast as the clouds"],
            ),
            Row("clouds", &["probabilistic tree beside", "car"]),
            Row("clouds", &["probabilistic tree beside", "blob"]),
        ])],
        CLOUDS,
    ),
    entry(
        "H19",
        "evaluation of f(x), geodesic beside Euclidean kernel",
        "same order of magnitude",
        &[Bar("cloud-surface", &["geodesic", "euclidean"])],
        SURFACE,
    ),
    entry(
        "H20",
        "smallest eigenvector",
        "4x faster than Jacobi, 8x faster than SVD",
        &[All(&[
            Bar("cloud-surface", &["jacobi"]),
            Bar("cloud-surface", &["svd"]),
        ])],
        SURFACE,
    ),
    entry(
        "H21",
        "error by bandwidth",
        "geodesic: low over a wide range",
        &[Under(
            "geodesic kernel, ball without noise",
            &All(&[
                Row("cloud-surface", &["bandwidth", "ball 0 1.27 "]),
                Row("cloud-surface", &["bandwidth", "ball 0 1.71 "]),
                Row("cloud-surface", &["bandwidth", "ball 0 2.29 "]),
                Row("cloud-surface", &["bandwidth", "ball 0 3.09 "]),
                Said("the error of the Euclidean kernel over the bandwidth is not measured"),
            ]),
        )],
        "`impinge-bench cloud-surface --curves` prints the error over the bandwidth; the automatic one is compared with the best fixed one (H22)",
    ),
    entry(
        "H22",
        "automatic bandwidth",
        "as good as the best fixed one, better where irregular",
        &[Bar("cloud-surface", &["automatic bandwidth"])],
        SURFACE,
    ),
    entry(
        "H23",
        "order r of the sphere-of-influence graph",
        "3 to 6 works for all models",
        &[Bar("cloud-surface", &["orders from 3 to 6"])],
        SURFACE,
    ),
    entry(
        "H24",
        "growth of graphs, paths and evaluations",
        "linear, linear, logarithmic",
        &[All(&[
            Under(
                "graphs",
                &All(&[
                    Bar("cloud-graphs", &["ball: processor time grows"]),
                    Bar("cloud-graphs", &["volume: processor time grows"]),
                ]),
            ),
            Under(
                "paths, of an edit",
                &Bar("cloud-graphs", &["an edit of graph and paths"]),
            ),
            Said("evaluations over the number of points are not measured; H19 has their time"),
        ])],
        GRAPHS,
    ),
    entry(
        "H25",
        "mean query of two clouds, hierarchy and randomised sampling",
        "0.5 to 2.5 ms over all models",
        &[
            All(&[
                Bar("clouds", &["car-shell:", "ms on the mean"]),
                Bar("clouds", &["blob:", "ms on the mean"]),
                Bar("clouds", &["mushroom:", "ms on the mean"]),
                Bar("clouds", &["torus-knot:", "ms on the mean"]),
                Bar("clouds", &["buddha:", "ms on the mean"]),
            ]),
            Row("clouds", &["tumbling pairs"]),
        ],
        CLOUDS,
    ),
    entry(
        "H26",
        "difference from a mesh over the same points",
        "buddha 1.2 %, elephant 1.06 %, aphrodite 1.20 %, car 0.64 %",
        &[All(&[
            Under(
                "from the mesh whose vertices are its points",
                &Bar("clouds", &["buddha:", "differ from the truth"]),
            ),
            Under(
                "from the exact mesh that points were spread over, which is finer than any over the points",
                &All(&[
                    Bar("clouds", &["car-shell:", "differ from the truth"]),
                    Bar("clouds", &["blob:", "differ from the truth"]),
                    Bar("clouds", &["mushroom:", "differ from the truth"]),
                    Bar("clouds", &["torus-knot:", "differ from the truth"]),
                ]),
            ),
        ])],
        CLOUDS,
    ),
    entry(
        "H27",
        "open models: grid, unconnected spheres",
        "as good as the others",
        &[
            All(&[
                Bar("clouds", &["grid:", "differ from the truth"]),
                Bar("clouds", &["spheres:", "differ from the truth"]),
            ]),
            Row("clouds", &["tumbling pairs", "grid"]),
        ],
        CLOUDS,
    ),
    entry(
        "H28",
        "bytes per node of the hierarchy of clouds",
        "32 + 4(c1 + c2), at most about 150",
        &[All(&[
            Bar("clouds", &["car-shell:", "bytes per node"]),
            Bar("clouds", &["blob:", "bytes per node"]),
            Bar("clouds", &["mushroom:", "bytes per node"]),
            Bar("clouds", &["torus-knot:", "bytes per node"]),
            Bar("clouds", &["buddha:", "bytes per node"]),
        ])],
        CLOUDS,
    ),
    entry(
        "H29",
        "building the hierarchy of clouds",
        "fairly short, O(n log n)",
        &[
            All(&[
                Row("clouds", &["tumbling pairs", "car-shell"]),
                Row("clouds", &["tumbling pairs", "torus-knot"]),
            ]),
            All(&[
                Line("clouds", &["car-shell", "35056"]),
                Line("clouds", &["torus-knot", "1486"]),
            ]),
        ],
        CLOUDS,
    ),
    entry(
        "H30",
        "best sampling ratio of {70, 50, 25}",
        "50, on the elephant",
        &[
            All(&[
                Row("clouds", &["samples per node", "growth(70"]),
                Row("clouds", &["samples per node", "growth(50"]),
                Row("clouds", &["samples per node", "growth(25"]),
            ]),
            All(&[
                Line("clouds", &["growth(70"]),
                Line("clouds", &["growth(50"]),
                Line("clouds", &["growth(25"]),
            ]),
        ],
        CLOUDS,
    ),
    entry(
        "H31",
        "time-critical control",
        "time nearly constant",
        &[Bar("clouds", &["budget"])],
        CLOUDS,
    ),
    entry(
        "H32",
        "interpolation search beside randomised sampling",
        "5 to 10x faster, evaluations a tenth",
        &[
            All(&[
                Bar("cloud-brackets", &["as fast as random sampling"]),
                Bar("cloud-brackets", &["fewer evaluations"]),
            ]),
            All(&[
                Row("clouds", &["ways to test", "brackets among leaves"]),
                Row("clouds", &["ways to test", "random, 100"]),
            ]),
        ],
        BRACKETS,
    ),
    entry(
        "H33",
        "bracket sampling with 200 points",
        "error at most 1.0 % on all models",
        &[Bar("cloud-brackets", &["200 candidates"])],
        BRACKETS,
    ),
    entry(
        "H34",
        "reconstructing paths on the fly",
        "at most 10 % of the query",
        &[Bar("cloud-brackets", &["finding paths"])],
        BRACKETS,
    ),
    entry(
        "H35",
        "time for all intersections by density",
        "sub-linear, as O(log log n)",
        &[
            Bar("cloud-brackets", &["all crossings"]),
            Bar("cloud-brackets", &["grows"]),
        ],
        BRACKETS,
    ),
    entry(
        "H36",
        "Lemma 7: c = 3.5, a = 30, N about 200",
        "found with chance of at least 97 %",
        &[Under(
            "collision balls missed, at most 3 % by the lemma",
            &All(&[
                Line("cloud-brackets", &[" ball ", " 200 candidates:"]),
                Line("cloud-brackets", &[" torus ", " 200 candidates:"]),
                Line("cloud-brackets", &["ellipsoid", " 200 candidates:"]),
                Line("cloud-brackets", &["two densities", " 200 candidates:"]),
            ]),
        )],
        BRACKETS,
    ),
];
