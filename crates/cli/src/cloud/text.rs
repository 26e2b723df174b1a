//! Answers as text.

use impinge::Pose;
use impinge::query::Outcome;

use super::answers::{Answers, CloudQueries, point_number};
use super::cloud_or_mesh::CloudOrMesh;
use super::surface::Crossed;
use crate::number::{measure, point};
use crate::query::{LengthText, QueryKind};

/// One sentence that answers all that most people want to know.
pub(crate) fn sentence(
    words: LengthText,
    answers: &Answers,
    crossed: Option<&Crossed>,
    solid: bool,
) -> String {
    if let Some(crossed) = crossed {
        let verdict = crossed.search.verdict;
        let how = if verdict.certain {
            "certainly".to_owned()
        } else {
            format!("with confidence {}", measure(verdict.confidence))
        };
        let is_complete = crossed.search.outcome == Outcome::Complete;
        return match (verdict.answer, is_complete) {
            (true, _) => format!("yes: the surfaces cross, {how}"),
            (false, true) => match crossed.nearest {
                Some(s) if s.distance > 0.0 => format!(
                    "no: the surfaces do not cross, {how}; they are {} {} apart",
                    about(crossed),
                    words.length(s.distance)
                ),
                _ => format!("no: the surfaces do not cross, {how}"),
            },
            (false, false) => {
                "undecided: --budget was reached before a crossing was found".to_owned()
            }
        };
    }
    match (answers.intersects, &answers.distance) {
        (Some(true), _) if solid => "yes: a point lies in or on the solid".to_owned(),
        (Some(true), _) => "yes: they share a point".to_owned(),
        (None, Some(found)) if found.value.is_some_and(|s| s.distance == 0.0) => {
            "yes: they share a point".to_owned()
        }
        (None, Some(found)) if found.lower <= 0.0 && found.outcome != Outcome::Complete => {
            "undecided: --budget was reached before they were told apart".to_owned()
        }
        (_, Some(found)) => match found.value {
            Some(s) if found.outcome == Outcome::Complete => {
                format!("no: they are {} apart", words.length(s.distance))
            }
            Some(s) => format!(
                "no: they are between {} and {} apart (--budget was reached)",
                words.length(found.lower),
                words.length(s.distance)
            ),
            None => format!("no: they are more than {} apart", words.length(found.lower)),
        },
        _ => "no: they share no point".to_owned(),
    }
}

/// How sure a distance of surfaces is: an estimate, or only the nearest that was seen until `--budget` was reached.
fn about(crossed: &Crossed) -> &'static str {
    if crossed.is_nearest_complete {
        "about"
    } else {
        "at most about (--budget was reached)"
    }
}

/// How far apart the surfaces are, as far as that was found.
pub(crate) fn surfaces_apart(words: LengthText, crossed: &Crossed) -> String {
    match crossed.nearest {
        Some(s) if s.distance == 0.0 => "0 apart: they cross".to_owned(),
        Some(s) => format!(
            "{} {} apart, at {} on a, {} on b",
            about(crossed),
            words.length(s.distance),
            point(s.point_a),
            point(s.point_b)
        ),
        None => "no nearest places were found".to_owned(),
    }
}

/// The points that are nearest, with their numbers.
pub(crate) fn nearest(answers: &Answers, [a, b]: [&CloudOrMesh; 2], pose: &Pose) -> Option<String> {
    let s = answers.nearest()?;
    let name = |subject: &CloudOrMesh, own, side: &str| match point_number(subject.cloud(), own) {
        Some(number) => format!("point {number} of {side}"),
        None => side.to_owned(),
    };
    Some(format!(
        "{} on {}, {} on {}",
        point(s.point_a),
        name(a, s.point_a, "a"),
        point(s.point_b),
        name(b, pose.inverse() * s.point_b, "b")
    ))
}

/// The lines that answer one question.
pub(crate) fn answer(
    words: LengthText,
    question: QueryKind,
    answers: &Answers,
    questions: &CloudQueries,
) -> Vec<String> {
    let undecided = "undecided: --limit-tests was reached".to_owned();
    match question {
        QueryKind::Intersects => vec![match answers.intersects {
            Some(true) => "yes".to_owned(),
            Some(false) => "no".to_owned(),
            None => undecided,
        }],
        QueryKind::Distance => match &answers.distance {
            Some(found) => vec![match found.value {
                Some(s) if s.distance == 0.0 => "0: they meet".to_owned(),
                Some(s) if found.outcome == Outcome::Complete => words.length(s.distance),
                Some(s) => format!(
                    "between {} and {} (--limit-tests was reached)",
                    words.length(found.lower),
                    words.length(s.distance)
                ),
                None => format!("more than {}", words.length(found.lower)),
            }],
            None => Vec::new(),
        },
        QueryKind::Tolerance => {
            let wanted = words.length(questions.tolerance.unwrap_or(0.0));
            vec![match answers.within.flatten() {
                Some(true) => format!("yes: closer than {wanted}"),
                Some(false) => format!("no: farther apart than {wanted}"),
                None => undecided,
            }]
        }
        QueryKind::Depth => match &answers.depth {
            Some(found) => vec![match found.value {
                Some(deep) => format!(
                    "{}: b moved by {} is free of a; no way out is shorter than {}",
                    words.length(deep.depth),
                    point(deep.normal * deep.depth),
                    words.length(found.lower)
                ),
                None if found.upper > 0.0 => undecided,
                None => "0: they are apart".to_owned(),
            }],
            None => Vec::new(),
        },
        QueryKind::Impact => match &answers.impact {
            Some(found) => vec![match found.value {
                Some(hit) => format!(
                    "yes: first contact at t = {}, at {}",
                    measure(hit.time),
                    point(hit.point)
                ),
                None if found.lower >= 1.0 => "no: nothing touches on the way".to_owned(),
                None => format!(
                    "undecided: free of contact up to t = {}",
                    measure(found.lower)
                ),
            }],
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}
