//! What to take for what one has and wants, each with the figure that says so.
//!
//! Figures are found in the records by part and by the words of a row or a bar, so that a new record changes the page. What no record
//! holds names the command that measures it.

mod clouds;
mod look_up;
mod meshes;
mod motion;
mod solids;

pub(super) use look_up::is_approximate;

use super::gather::{Collection, Part};

/// One line of the table of decisions.
struct Question {
    have: &'static str,
    want: &'static str,
    /// What measures it, where it is not in the records.
    command: &'static str,
    answer: fn(&Collection) -> Option<Answer<'_>>,
}

/// What the records say.
pub(super) struct Answer<'c> {
    pub(super) take: String,
    pub(super) because: String,
    pub(super) part: &'c Part,
}

const QUESTIONS: &[Question] = &[
    Question {
        have: "two rigid meshes",
        want: "yes or no",
        command: "run rigid",
        answer: meshes::yes_or_no,
    },
    Question {
        have: "two rigid meshes",
        want: "their distance",
        command: "run rigid",
        answer: meshes::distance,
    },
    Question {
        have: "two rigid meshes",
        want: "all pairs of faces that meet",
        command: "run scenario-1",
        answer: meshes::all_pairs,
    },
    Question {
        have: "two rigid meshes that move and turn",
        want: "the time of impact",
        command: "run rigid",
        answer: meshes::impact,
    },
    Question {
        have: "two meshes, and a wrong verdict now and then may be borne",
        want: "probably yes or no, in as little time as can be",
        command: "run average",
        answer: meshes::likely,
    },
    Question {
        have: "two convex shapes",
        want: "yes or no, or their distance",
        command: "convex-speed",
        answer: meshes::convex,
    },
    Question {
        have: "two closed meshes",
        want: "the volume they share, exactly",
        command: "exact-volume",
        answer: solids::exact_volume,
    },
    Question {
        have: "two closed meshes, packed with balls once",
        want: "the volume they share, an error allowed",
        command: "run volume",
        answer: solids::ball_volume,
    },
    Question {
        have: "two closed meshes, packed with balls once",
        want: "their distance, an error allowed",
        command: "run volume --only distance",
        answer: solids::ball_distance,
    },
    Question {
        have: "two closed meshes",
        want: "forces, each in about a millisecond",
        command: "run quality",
        answer: solids::forces,
    },
    Question {
        have: "two closed meshes, packed with balls once",
        want: "forces whose cost is known beforehand",
        command: "run volume --only critical",
        answer: solids::bounded_forces,
    },
    Question {
        have: "many boxes that move",
        want: "all pairs that overlap",
        command: "run bodies",
        answer: motion::boxes,
    },
    Question {
        have: "a cloth, or faces that deform in any way",
        want: "all pairs that meet in each frame",
        command: "run deform",
        answer: motion::cloth,
    },
    Question {
        have: "faces between keys that are known ahead",
        want: "a tree that stays right",
        command: "kinetic",
        answer: motion::moving_faces,
    },
    Question {
        have: "a cloud, and its points are what counts",
        want: "its distance to a mesh, a cloud or a shape",
        command: "cloud-pairs",
        answer: clouds::points,
    },
    Question {
        have: "two clouds, and the surfaces behind them count",
        want: "whether those meet",
        command: "run clouds",
        answer: clouds::surfaces,
    },
    Question {
        have: "frames of a depth camera",
        want: "distances of a robot's parts in each",
        command: "scan",
        answer: clouds::camera,
    },
    Question {
        have: "a mesh that is asked about seldom",
        want: "an index soon",
        command: "run rigid",
        answer: meshes::building,
    },
    Question {
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
        let Question {
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
