//! Recommendations by input and query, each with the figure behind it.
//!
//! Figures are found in the records by part and by the words of a row or a bar, so that a new record changes the page. What no record
//! holds names the command that measures it.

mod clouds;
mod look_up;
mod meshes;
mod motion;
mod solids;

pub(super) use look_up::is_approximate;

use super::collect_records::{Collection, ReportPart};

/// One line of the table of decisions.
struct DecisionRow {
    have: &'static str,
    want: &'static str,
    /// What measures it, where it is not in the records.
    command: &'static str,
    answer: fn(&Collection) -> Option<RecordAnswer<'_>>,
}

/// What the records say.
pub(super) struct RecordAnswer<'c> {
    pub(super) take: String,
    pub(super) because: String,
    pub(super) part: &'c ReportPart,
}

const QUESTIONS: &[DecisionRow] = &[
    DecisionRow {
        have: "two rigid meshes",
        want: "yes or no",
        command: "run rigid",
        answer: meshes::yes_or_no,
    },
    DecisionRow {
        have: "two rigid meshes",
        want: "their distance",
        command: "run rigid",
        answer: meshes::distance,
    },
    DecisionRow {
        have: "two rigid meshes",
        want: "all pairs of intersecting faces",
        command: "run scenario-1",
        answer: meshes::all_pairs,
    },
    DecisionRow {
        have: "two rigid meshes that move and turn",
        want: "the time of impact",
        command: "run rigid",
        answer: meshes::impact,
    },
    DecisionRow {
        have: "two meshes, and a wrong answer now and then is acceptable",
        want: "probably yes or no, as fast as possible",
        command: "run average-case",
        answer: meshes::likely,
    },
    DecisionRow {
        have: "two convex shapes",
        want: "yes or no, or their distance",
        command: "convex-speed",
        answer: meshes::convex,
    },
    DecisionRow {
        have: "a convex shape and a mesh",
        want: "yes or no, or their distance",
        command: "mixed-pairs",
        answer: meshes::mixed,
    },
    DecisionRow {
        have: "two closed meshes",
        want: "their exact overlap volume",
        command: "exact-volume",
        answer: solids::exact_volume,
    },
    DecisionRow {
        have: "two closed meshes with sphere packings",
        want: "their overlap volume, with an error bound",
        command: "run volume",
        answer: solids::ball_volume,
    },
    DecisionRow {
        have: "two closed meshes with sphere packings",
        want: "their distance, with an error bound",
        command: "run volume --only distance",
        answer: solids::ball_distance,
    },
    DecisionRow {
        have: "two closed meshes",
        want: "contact forces in about a millisecond",
        command: "run quality",
        answer: solids::forces,
    },
    DecisionRow {
        have: "two closed meshes with sphere packings",
        want: "contact forces at a bounded cost",
        command: "run volume --only critical",
        answer: solids::bounded_forces,
    },
    DecisionRow {
        have: "many moving boxes",
        want: "all overlapping pairs",
        command: "run broad-phase",
        answer: motion::boxes,
    },
    DecisionRow {
        have: "cloth or any deforming mesh",
        want: "all intersecting pairs of each frame",
        command: "run deform",
        answer: motion::cloth,
    },
    DecisionRow {
        have: "a mesh between known keyframes",
        want: "a valid BVH at every time",
        command: "kinetic",
        answer: motion::moving_faces,
    },
    DecisionRow {
        have: "a point cloud, as points",
        want: "its distance to a mesh, a cloud or a shape",
        command: "cloud-pairs",
        answer: clouds::points,
    },
    DecisionRow {
        have: "two point clouds, as sampled surfaces",
        want: "whether the surfaces intersect",
        command: "run clouds",
        answer: clouds::surfaces,
    },
    DecisionRow {
        have: "frames of a depth camera",
        want: "the distance of each link of a robot",
        command: "scan",
        answer: clouds::camera,
    },
    DecisionRow {
        have: "a mesh with few queries",
        want: "a fast build",
        command: "run rigid",
        answer: meshes::building,
    },
    DecisionRow {
        have: "little memory",
        want: "a small index",
        command: "run scenario-1",
        answer: meshes::memory,
    },
];

/// The lines of the table of decisions, and what is missing.
pub(super) fn table(collection: &Collection) -> String {
    let mut text =
        "| you have | you want | take | because | measured on |\n|---|---|---|---|---|\n"
            .to_owned();
    for question in QUESTIONS {
        let DecisionRow {
            have,
            want,
            command,
            answer,
        } = question;
        let rest = match answer(collection) {
            Some(found) => {
                let preset = match found.part.sheet.preset.as_str() {
                    "" | "full" => String::new(),
                    preset => format!(", preset {preset}"),
                };
                format!(
                    "{} | {} | {}{preset}",
                    found.take,
                    // A stroke would end the cell.
                    found.because.replace('|', "\\|"),
                    found.part.origin.words()
                )
            }
            None => format!("– | not in these records: `impinge-bench {command}` measures it | –"),
        };
        text += &format!("| {have} | {want} | {rest} |\n");
    }
    text
}
