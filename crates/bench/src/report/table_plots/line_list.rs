//! Which tables become lines over a number.

use super::lines::{LINES as PLAIN, Lines};

/// What the upkeep of a tree costs, of any scene.
const UPKEEP: Lines = Lines {
    part: "kinetic",
    x: "in-between frames",
    y: &[
        ["events, µs", "events"],
        ["refit, µs", "refit"],
        ["vector refit, µs", "vector refit"],
        ["chosen, µs", "ours, chosen"],
    ],
    label: "time of a frame",
    unit: "µs",
    ..PLAIN
};

/// What a frame of many boxes costs, by how many there are.
const BODIES_FRAME: Lines = Lines {
    part: "bodies",
    x: "number",
    x_label: "boxes",
    y: &[["frame ms", ""]],
    by: Some("engine"),
    label: "time of a frame",
    unit: "ms",
    ..PLAIN
};

pub(super) const LINES: &[Lines] = &[
    Lines {
        title: "How long does a frame of many boxes take, a fifth of them overlapping?",
        only: "a fifth overlapping",
        ..BODIES_FRAME
    },
    Lines {
        title: "How long does a frame of many boxes take, densely packed?",
        only: "dense",
        ..BODIES_FRAME
    },
    Lines {
        title: "How long does it take to build over many boxes, a fifth of them overlapping?",
        only: "a fifth overlapping",
        y: &[["build ms", ""]],
        label: "time to build",
        ..BODIES_FRAME
    },
    Lines {
        part: "bodies",
        title: "Which of our broad phases for how many boxes?",
        x: "bodies",
        x_label: "boxes",
        y: &[["frame ms", ""]],
        by: Some(""),
        label: "time of a frame",
        unit: "ms",
        ..PLAIN
    },
    Lines {
        part: "volume-growth",
        title: "How long does it take to pack balls?",
        x: "balls",
        y: &[["wall s", "wall clock"], ["processor s", "processors"]],
        label: "time",
        unit: "s",
        ..PLAIN
    },
    Lines {
        part: "volume-accuracy",
        title: "How far is the shared volume off, by how much is shared?",
        x: "overlap, %",
        x_label: "shared volume, % of one solid",
        y: &[
            ["lens sum, mean error, %", "lens sum"],
            ["with gaps, mean error, %", "with gaps"],
        ],
        by: Some("model"),
        label: "mean error",
        unit: "%",
        has_zeros: true,
        ..PLAIN
    },
    Lines {
        part: "volume-forces",
        title: "Do the jumps of force shrink with the step?",
        x: "steps",
        x_label: "steps of the same path",
        y: &[
            ["gradient of the lens sum", "gradient of the lens sum"],
            [
                "gradient of the value, gaps counted",
                "gradient, gaps counted",
            ],
            ["cones", "cones"],
        ],
        label: "largest change of force in a step; less is better",
        ..PLAIN
    },
    Lines {
        part: "volume-trees",
        title: "What does the shared volume cost, by how far solids are pushed in?",
        x: "pushed in, %",
        y: &[["µs", ""]],
        by: Some("what"),
        label: "time of a question",
        unit: "µs",
        ..PLAIN
    },
    Lines {
        part: "exact-volume",
        title: "What does the exact shared volume cost, by the size of the meshes?",
        x: "faces",
        y: &[["ours, ms", "ours"], ["Manifold, ms", "Manifold"]],
        label: "time of a question",
        unit: "ms",
        is_scatter: true,
        named: Some("case"),
        ..PLAIN
    },
    Lines {
        title: "Tablecloth: what does the upkeep of a tree cost, by the frames between two keys?",
        only: "tablecloth",
        ..UPKEEP
    },
    Lines {
        title: "Avatar: what does the upkeep of a tree cost, by the frames between two keys?",
        only: "avatar",
        ..UPKEEP
    },
    Lines {
        part: "cloud-surface",
        title: "Which bandwidth gives the best surface? Clouds without noise",
        x: "bandwidth, spacings",
        y: &[["error, thousandths of the spacing", ""]],
        by: Some("model"),
        label: "error",
        unit: "thousandths of the spacing",
        ..PLAIN
    },
    Lines {
        part: "cloud-brackets",
        title: "How many candidates are enough?",
        x: "candidates",
        y: &[["missed, %", ""]],
        by: Some("model"),
        label: "collision balls missed",
        unit: "%",
        ..PLAIN
    },
    Lines {
        part: "cloud-brackets",
        title: "What does a moving cloud cost, by its size?",
        x: "points",
        y: &[
            ["move, ms", "moving four points"],
            ["search, ms", "searching all crossings"],
        ],
        label: "time",
        unit: "ms",
        ..PLAIN
    },
    Lines {
        part: "cloud-graphs",
        title: "Does the time to build a graph grow with the cloud alone?",
        x: "points",
        y: &[["time, ms", "wall clock"], ["processor, ms", "processors"]],
        by: Some("scene"),
        label: "time to build",
        unit: "ms",
        ..PLAIN
    },
    Lines {
        part: "cloud-graphs",
        title: "What does an edit of a graph cost, by the size of the cloud?",
        x: "points",
        y: &[
            ["graph, µs", "graph"],
            ["with paths, µs", "graph and paths"],
        ],
        label: "time of an edit",
        unit: "µs",
        ..PLAIN
    },
    Lines {
        part: "half-edges",
        title: "Does the time for an edge stay the same as meshes grow?",
        x: "edges",
        y: &[
            ["ns/edge", "in order"],
            ["warm", "in order, warm"],
            ["shuffled", "shuffled"],
        ],
        label: "time for each edge",
        unit: "ns",
        ..PLAIN
    },
    Lines {
        part: "half-edges",
        title: "What does counting save over searching lists?",
        x: "edges",
        y: &[
            ["list search, ms", "list search"],
            ["counting, ms", "ours, counting"],
        ],
        label: "time to build",
        unit: "ms",
        ..PLAIN
    },
];
