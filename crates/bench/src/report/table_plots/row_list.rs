//! Which tables become dots in rows.

use super::rows::NamePiece::{Of, Word};
use super::rows::{Rows, dots};

pub(super) const ROWS: &[Rows] = &[
    Rows {
        part: "deform-peers",
        title: "How long does a frame of a deforming scene take?",
        of: "scene",
        label: "time of a frame",
        unit: "ms",
        is_sorted: false,
        dots: &[
            dots(&[Of("scene")], &[Word("impinge")], "one thread, ms"),
            dots(
                &[Of("scene")],
                &[Word("impinge, all threads")],
                "all threads, ms",
            ),
            dots(&[Of("scene")], &[Of("engine")], "ms").except("pairs found", "not compared"),
            dots(&[Of("scene")], &[Word("thesis, GTX 480")], "the thesis, ms").published(),
        ],
    },
    Rows {
        part: "deform-claims",
        title: "Are clusters faster than a hashed grid?",
        of: "scene",
        label: "time of a frame on one thread",
        unit: "ms",
        is_sorted: false,
        dots: &[
            dots(&[Of("scene")], &[Word("clusters")], "clusters, ms"),
            dots(&[Of("scene")], &[Word("hashed grid")], "hashed grid, ms"),
        ],
    },
    Rows {
        part: "ccd",
        title: "How long does a continuous test take?",
        of: "set of queries",
        label: "mean time of a query",
        unit: "ns",
        is_sorted: false,
        dots: &[
            dots(&[Of("set")], &[Word("impinge")], "mean, ns"),
            dots(&[Of("set")], &[Word("ipctk")], "ipctk, ns"),
            dots(&[Of("set")], &[Word("asked at most")], "asked at most, ns").published(),
        ],
    },
    Rows {
        part: "scan",
        title: "Do the stages of a frame fit into its time?",
        of: "stage",
        label: "time of a frame",
        unit: "ms",
        is_sorted: false,
        dots: &[
            dots(
                &[Word("one camera: index")],
                &[Word("ours, median")],
                "index, ms",
            ),
            dots(
                &[Word("one camera: index")],
                &[Word("asked at most")],
                "index asked at most, ms",
            )
            .published(),
            dots(
                &[Word("one camera: eight parts")],
                &[Word("ours, median")],
                "eight parts, ms",
            ),
            dots(
                &[Word("one camera: both")],
                &[Word("ours, median")],
                "both, ms",
            ),
            dots(
                &[Word("one camera: both")],
                &[Word("ours, 95 % or longest")],
                "both at 95 %, ms",
            ),
            dots(
                &[Word("one camera: both")],
                &[Word("asked at most")],
                "both asked at most, ms",
            )
            .published(),
            dots(
                &[Word("one camera: both")],
                &[Word("published")],
                "both published, ms",
            )
            .published(),
            dots(
                &[Word("one camera: both")],
                &[Word("brute force")],
                "brute force, ms",
            ),
            dots(
                &[Word("one camera: index")],
                &[Word("hashed grid")],
                "hashed grid, ms",
            ),
            dots(
                &[Word("one camera: nearest points, build")],
                &[Word("ours, median")],
                "build, ms",
            ),
            dots(
                &[Word("one camera: nearest points, build")],
                &[Word("kiddo")],
                "kiddo builds, ms",
            ),
            dots(
                &[Word("four cameras: merge, thin, index")],
                &[Word("ours, median")],
                "merged, thinned and indexed, ms",
            ),
            dots(
                &[Word("four cameras: frame")],
                &[Word("ours, median")],
                "frame, ms",
            ),
            dots(
                &[Word("four cameras: frame")],
                &[Word("ours, 95 % or longest")],
                "longest, ms",
            ),
            dots(
                &[Word("four cameras: frame")],
                &[Word("asked at most")],
                "frames a second asked",
            )
            .under(1000.0)
            .published(),
        ],
    },
    Rows {
        part: "world",
        title: "Does racing two engines cost more than the better one alone?",
        of: "pair",
        label: "median time of a question",
        unit: "µs",
        is_sorted: false,
        dots: &[
            dots(&[Of("")], &[Word("ours, race")], "race"),
            dots(&[Of("")], &[Word("exact alone")], "exact"),
            dots(&[Of("")], &[Word("planes alone")], "planes"),
        ],
    },
    Rows {
        part: "convex-speed",
        title: "Do two convex shapes intersect? Time of an answer",
        of: "shapes",
        label: "time of a question",
        unit: "ns",
        is_sorted: false,
        dots: &[
            dots(&[Of("shapes")], &[Word("impinge")], "impinge, ns").only("question", "intersects"),
            dots(&[Of("shapes")], &[Word("libccd GJK")], "libccd GJK, ns")
                .only("question", "intersects"),
            dots(&[Of("shapes")], &[Word("libccd MPR")], "libccd MPR, ns")
                .only("question", "intersects"),
            dots(&[Of("shapes")], &[Word("coal")], "coal, ns").only("question", "intersects"),
            dots(&[Of("shapes")], &[Word("parry")], "parry, ns").only("question", "intersects"),
            dots(&[Of("shapes")], &[Word("parry-f64")], "parry-f64, ns")
                .only("question", "intersects"),
        ],
    },
    Rows {
        part: "convex-speed",
        title: "How far apart are two convex shapes? Time of an answer",
        of: "shapes",
        label: "time of a question",
        unit: "ns",
        is_sorted: false,
        dots: &[
            dots(&[Of("shapes")], &[Word("impinge")], "impinge, ns").only("question", "distance"),
            dots(&[Of("shapes")], &[Word("coal")], "coal, ns").only("question", "distance"),
            dots(&[Of("shapes")], &[Word("parry")], "parry, ns").only("question", "distance"),
            dots(&[Of("shapes")], &[Word("parry-f64")], "parry-f64, ns")
                .only("question", "distance"),
        ],
    },
    Rows {
        part: "clash-truth",
        title: "How long does it take to find the clashes of an assembly?",
        of: "assembly",
        label: "time",
        unit: "ms",
        is_sorted: true,
        dots: &[
            dots(&[Of("assembly")], &[Word("ours")], "ours, ms"),
            dots(&[Of("assembly")], &[Word("brute force")], "brute force, s").times(1000.0),
        ],
    },
    Rows {
        part: "cloud-pairs",
        title: "What does a question about a cloud cost?",
        of: "against",
        label: "time of a question",
        unit: "ms",
        is_sorted: false,
        dots: &[
            dots(
                &[Of("against"), Word(", "), Of("placed")],
                &[Word("ours, distance")],
                "distance, ms",
            ),
            dots(
                &[Of("against"), Word(", "), Of("placed")],
                &[Word("ours, yes or no")],
                "intersects, ms",
            ),
            dots(
                &[Of("against"), Word(", "), Of("placed")],
                &[Word("distance of every point")],
                "one by one, ms",
            ),
        ],
    },
    Rows {
        part: "cloud-brackets",
        title: "How long does the first crossing take, beside random sampling?",
        of: "model",
        label: "mean time of a query",
        unit: "µs",
        is_sorted: true,
        dots: &[
            dots(&[Of("model")], &[Word("ours")], "ours, µs"),
            dots(&[Of("model")], &[Word("random sampling")], "sampling, µs"),
        ],
    },
    Rows {
        part: "configurations-generate",
        title: "How long does it take to make the configurations of a pair?",
        of: "pair",
        label: "time",
        unit: "s",
        is_sorted: true,
        dots: &[dots(&[Of("pair")], &[Of("kind")], "s")],
    },
    Rows {
        part: "volume-critical",
        title: "Does every volume and force come in time?",
        of: "clock",
        label: "time of a question",
        unit: "ms",
        is_sorted: false,
        dots: &[
            dots(
                &[Of("value"), Word(", "), Word("processor")],
                &[Word("median")],
                "median, ms",
            )
            .only("clock", "processor time of the thread"),
            dots(
                &[Of("value"), Word(", "), Word("processor")],
                &[Word("99.9th percentile")],
                "99.9th percentile, ms",
            )
            .only("clock", "processor time of the thread"),
            dots(
                &[Of("value"), Word(", "), Word("processor")],
                &[Word("largest")],
                "largest, ms",
            )
            .only("clock", "processor time of the thread"),
            dots(
                &[Of("value"), Word(", "), Word("wall clock")],
                &[Word("median")],
                "median, ms",
            )
            .only("clock", "wall time"),
            dots(
                &[Of("value"), Word(", "), Word("wall clock")],
                &[Word("99.9th percentile")],
                "99.9th percentile, ms",
            )
            .only("clock", "wall time"),
            dots(
                &[Of("value"), Word(", "), Word("wall clock")],
                &[Word("largest")],
                "largest, ms",
            )
            .only("clock", "wall time"),
            dots(
                &[Of("value"), Word(", "), Word("a loop alone")],
                &[Word("median")],
                "median, ms",
            )
            .only("clock", "wall time of a loop about as long, without memory"),
            dots(
                &[Of("value"), Word(", "), Word("a loop alone")],
                &[Word("99.9th percentile")],
                "99.9th percentile, ms",
            )
            .only("clock", "wall time of a loop about as long, without memory"),
            dots(
                &[Of("value"), Word(", "), Word("a loop alone")],
                &[Word("largest")],
                "largest, ms",
            )
            .only("clock", "wall time of a loop about as long, without memory"),
            dots(
                &[Of("value"), Word(", "), Word("processor")],
                &[Word("asked for 99.9 %")],
                "99.9 % asked within, ms",
            )
            .published(),
        ],
    },
    Rows {
        part: "exact-volume-path",
        title: "Does every step of a path come in time?",
        of: "clock",
        label: "time of a question",
        unit: "ms",
        is_sorted: false,
        dots: &[
            dots(&[Word("processor")], &[Word("median")], "median, ms")
                .only("clock", "processor time of the thread"),
            dots(
                &[Word("processor")],
                &[Word("99.9th percentile")],
                "99.9th percentile, ms",
            )
            .only("clock", "processor time of the thread"),
            dots(&[Word("processor")], &[Word("largest")], "largest, ms")
                .only("clock", "processor time of the thread"),
            dots(&[Word("wall clock")], &[Word("median")], "median, ms").only("clock", "wall time"),
            dots(
                &[Word("wall clock")],
                &[Word("99.9th percentile")],
                "99.9th percentile, ms",
            )
            .only("clock", "wall time"),
            dots(&[Word("wall clock")], &[Word("largest")], "largest, ms")
                .only("clock", "wall time"),
            dots(&[Word("a loop alone")], &[Word("median")], "median, ms")
                .only("clock", "wall time of a loop of fixed length"),
            dots(
                &[Word("a loop alone")],
                &[Word("99.9th percentile")],
                "99.9th percentile, ms",
            )
            .only("clock", "wall time of a loop of fixed length"),
            dots(&[Word("a loop alone")], &[Word("largest")], "largest, ms")
                .only("clock", "wall time of a loop of fixed length"),
            dots(
                &[Word("processor")],
                &[Word("asked for 99.9 %")],
                "99.9 % asked within, ms",
            )
            .published(),
        ],
    },
    Rows {
        part: "volume-distance",
        title: "How long does a distance take by balls, and how long exactly?",
        of: "engine",
        label: "time of a question",
        unit: "ms",
        is_sorted: false,
        dots: &[
            dots(&[Of("")], &[Word("mean")], "mean ms"),
            dots(&[Of("")], &[Word("median")], "median"),
            dots(&[Of("")], &[Word("99th percentile")], "99th percentile"),
        ],
    },
    Rows {
        part: "volume-trees",
        title: "Which tree over the balls answers fastest? Shared volume",
        of: "tree",
        label: "time of a question",
        unit: "µs",
        is_sorted: true,
        dots: &[dots(&[Of("tree")], &[Of("model")], "lens sum")],
    },
    Rows {
        part: "volume-trees",
        title: "Which tree over the balls answers fastest? Distance",
        of: "tree",
        label: "time of a question",
        unit: "µs",
        is_sorted: true,
        dots: &[dots(&[Of("tree")], &[Of("model")], "distance")],
    },
    Rows {
        part: "planes",
        title: "How often does the search for a plane give up in vain?",
        of: "first plane",
        label: "wrong answers about frames that are apart",
        unit: "%",
        is_sorted: false,
        dots: &[
            dots(
                &[Word("10 updates, "), Of("first plane")],
                &[Word("ours")],
                "ours %",
            ),
            dots(
                &[Word("10 updates, "), Of("first plane")],
                &[Word("published")],
                "10 updates, published %",
            )
            .published(),
            dots(
                &[Word("100 updates, "), Of("first plane")],
                &[Word("ours")],
                "ours %",
            )
            .nth(1),
            dots(
                &[Word("100 updates, "), Of("first plane")],
                &[Word("published")],
                "100 updates, published %",
            )
            .published(),
            dots(
                &[Word("1000 updates, "), Of("first plane")],
                &[Word("ours")],
                "ours %",
            )
            .nth(2),
            dots(
                &[Word("1000 updates, "), Of("first plane")],
                &[Word("published")],
                "1000 updates, published %",
            )
            .published(),
        ],
    },
    Rows {
        part: "ablation-1994",
        title: "How much does each idea of 1994 gain today?",
        of: "idea",
        label: "gain of the idea, times; more is better, below 1 it costs",
        unit: "",
        is_sorted: false,
        dots: &[
            dots(
                &[Of("idea"), Word(": "), Of("scene")],
                &[Word("by time")],
                "by time",
            ),
            dots(
                &[Of("idea"), Word(": "), Of("scene")],
                &[Word("by work")],
                "by work",
            ),
            dots(
                &[Of("idea"), Word(": "), Of("scene")],
                &[Word("published")],
                "published",
            )
            .published(),
        ],
    },
    Rows {
        part: "kinetic",
        title: "What do separation lists save over swept boxes?",
        of: "scene",
        label: "time of a frame",
        unit: "µs",
        is_sorted: false,
        dots: &[
            dots(
                &[Of("scene")],
                &[Word("ours, separation list")],
                "separation list, µs",
            ),
            dots(&[Of("scene")], &[Word("swept boxes")], "swept boxes, µs"),
        ],
    },
];
