//! Answers as text.

use impinge::Pose;
use impinge::bvh::{Curve, Curves, Relation};
use impinge::penetration::{PenetrationMethod, PenetrationVolume};
use impinge::query::{Bounded, Outcome, Work};
use impinge::spheres::Wrench;

use super::answers::{
    Answers, Contact, DepthAnswer, DistanceAnswer, ImpactAnswer, ToleranceAnswer, is_bracketed,
};
use super::query_kind::{QueryKind, SolidRule};
use super::query_runner::QueryRunner;
use crate::number::{self, count, count_of, measure, point};

/// A bracket narrower than this part of its value is rounding, and is not mentioned.
const ROUNDING: f64 = 1e-9;
/// Said of answers that a limit ended.
const CUT_SHORT: &str = " (--limit-tests was reached)";

/// Words for lengths in a unit that may be known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LengthText {
    /// The unit's symbol.
    pub(crate) unit: Option<&'static str>,
}

impl LengthText {
    /// A length to six digits.
    pub(crate) fn length(self, x: f64) -> String {
        self.with_unit(measure(x))
    }

    /// A length with all its digits.
    fn full_length(self, x: f64) -> String {
        self.with_unit(x.to_string())
    }

    fn with_unit(self, text: String) -> String {
        match self.unit {
            Some(unit) => format!("{text} {unit}"),
            None => text,
        }
    }

    /// What is certain about a value, where that is less than the value says.
    fn bracket(self, lower: f64, upper: f64) -> Option<String> {
        if upper.is_finite() && upper - lower <= ROUNDING * upper.abs() {
            return None;
        }
        Some(if upper.is_finite() {
            format!("between {} and {}", self.length(lower), self.length(upper))
        } else {
            format!("at least {}", self.length(lower))
        })
    }

    /// The one sentence when no query was named.
    pub(crate) fn sentence(self, answers: &Answers) -> String {
        let Some(contact) = &answers.contact else {
            return String::new();
        };
        let (pairs, complete) = contact
            .pairs
            .as_ref()
            .map_or((0, true), |p| (p.count, p.outcome == Outcome::Complete));
        let met = count_of(pairs, "face pair", "face pairs");
        match contact.intersects {
            Some(true) if pairs == 0 => {
                format!("yes: {}", relation_words(answers.relation))
            }
            Some(true) if complete => format!("yes: {met} intersect"),
            Some(true) => format!("yes: at least {met} intersect (--limit-tests was reached)"),
            Some(false) => match (contact.contained.flatten(), &answers.distance) {
                (Some(contained), _) => {
                    format!("no: the surfaces share no point, but {}", contained.words())
                }
                (None, Some(found)) => match found.distance {
                    Some(distance) => {
                        format!("no: the surfaces are {} apart", self.full_length(distance))
                    }
                    None if found.outcome == Outcome::Complete => format!(
                        "no: the surfaces are more than {} apart",
                        self.length(found.lower)
                    ),
                    None => "no: the surfaces share no point".to_owned(),
                },
                (None, None) => "no: the surfaces share no point".to_owned(),
            },
            None => "undecided: --limit-tests was reached before a pair was found".to_owned(),
        }
    }

    /// The lines that answer one question.
    pub(crate) fn answer(
        self,
        question: QueryKind,
        answers: &Answers,
        solid: Option<SolidRule>,
    ) -> Vec<String> {
        let lines = match question {
            QueryKind::Intersects => answers
                .contact
                .as_ref()
                .map(|contact| self.intersects(contact, answers.relation, solid)),
            QueryKind::Pairs => answers.contact.as_ref().and_then(pairs),
            QueryKind::Curves => answers.curves.as_ref().map(|met| self.curves(met)),
            QueryKind::Distance => answers.distance.as_ref().map(|found| self.distance(found)),
            QueryKind::Tolerance => answers
                .tolerance
                .as_ref()
                .map(|found| self.tolerance(found)),
            QueryKind::Depth => answers.depth.as_ref().map(|found| self.depth(found)),
            QueryKind::Volume => answers
                .volume
                .as_ref()
                .map(|found| volume(found, answers.force.is_none())),
            QueryKind::Force => answers.force.as_ref().map(force),
            QueryKind::Impact => answers
                .impact
                .as_ref()
                .map(|found| self.impact(found, &answers.a_from_b)),
        };
        lines.unwrap_or_default()
    }

    fn intersects(
        self,
        contact: &Contact,
        relation: Option<Relation>,
        solid: Option<SolidRule>,
    ) -> Vec<String> {
        let mut text = match (contact.intersects, contact.contained.flatten()) {
            (Some(true), _) => match relation {
                Some(Relation::SurfacesMeet) | None => "yes: the surfaces meet".to_owned(),
                _ => format!("yes: {}", relation_words(relation)),
            },
            (Some(false), Some(contained)) => format!(
                "no: the surfaces share no point, but {} (--solid counts that)",
                contained.words()
            ),
            (Some(false), None) if solid.is_some() => "no: the solids share no point".to_owned(),
            (Some(false), None) => "no: the surfaces share no point".to_owned(),
            (None, _) => "undecided: --limit-tests was reached first".to_owned(),
        };
        if solid == Some(SolidRule::Winding) {
            text += "; inside is where the winding number exceeds 1/2";
        }
        vec![text]
    }

    fn curves(self, met: &Curves) -> Vec<String> {
        let closed = met.curves.iter().filter(|curve| curve.is_closed).count();
        let length: f64 = met.curves.iter().map(Curve::length).sum();
        let mut text = if met.curves.is_empty() {
            "none".to_owned()
        } else {
            let n = met.curves.len();
            let number = match n - closed {
                0 => count_of(n, "closed curve", "closed curves"),
                _ if closed == 0 => count_of(n, "open curve", "open curves"),
                _ => format!("{} curves, {} of them closed", count(n), count(closed)),
            };
            let together = if n == 1 { "" } else { " together" };
            format!("{number}, {} long{together}", self.length(length))
        };
        if !met.touches.is_empty() {
            text += &format!(
                "; {} beside them",
                count_of(
                    met.touches.len(),
                    "single point of contact",
                    "single points of contact"
                )
            );
        }
        let mut lines = vec![text];
        if !met.coplanar.is_empty() {
            lines.push(format!(
                "{} lie in a common plane",
                count_of(met.coplanar.len(), "face pair", "face pairs")
            ));
        }
        if met.outcome != Outcome::Complete {
            lines.push("curves may be missing or cut: --limit-tests was reached".to_owned());
        }
        lines
    }

    fn distance(self, found: &DistanceAnswer) -> Vec<String> {
        let is_complete = found.outcome == Outcome::Complete;
        let Some(distance) = found.distance else {
            return vec![if is_complete {
                format!("more than {}", self.length(found.lower))
            } else {
                format!(
                    "undecided: at least {} (--limit-tests was reached)",
                    self.length(found.lower)
                )
            }];
        };
        let mut text = self.length(distance);
        if distance == 0.0 {
            text += match found.points {
                Some(_) => ": they meet",
                None => ": one solid is inside the other",
            };
        }
        if let Some(bracket) = self.bracket(found.lower, found.upper) {
            text += &format!(", {bracket}");
            // Distances are known to rounding unless an error was permitted or the tests ran out.
            if !is_complete {
                text += " (--limit-tests was reached)";
            }
        }
        let mut lines = vec![text];
        lines.extend(witnesses(found));
        lines
    }

    fn tolerance(self, found: &ToleranceAnswer) -> Vec<String> {
        let wanted = self.length(found.tolerance);
        match found.within {
            Some(true) => {
                let mut lines = vec![match found.nearest.distance {
                    Some(distance) if distance > 0.0 => {
                        format!("yes: closer than {wanted}, {} apart", self.length(distance))
                    }
                    _ => format!("yes: closer than {wanted}, they meet"),
                }];
                lines.extend(witnesses(&found.nearest));
                lines
            }
            Some(false) => vec![format!("no: farther apart than {wanted}")],
            None => vec![format!(
                "undecided: --limit-tests was reached; farther apart than {}",
                self.length(found.nearest.lower)
            )],
        }
    }

    fn depth(self, found: &DepthAnswer) -> Vec<String> {
        if !found.overlaps {
            return vec!["0: the solids are apart".to_owned()];
        }
        let escape = &found.escape;
        let Some(way) = escape.value else {
            return vec![format!(
                "at least {}; no way out was found (--limit-tests was reached)",
                self.length(escape.lower)
            )];
        };
        let mut lines = vec![format!(
            "{}: b moved by {} is free of a",
            self.length(escape.upper),
            point(way.translation)
        )];
        if let Some(bracket) = self.bracket(escape.lower, escape.upper) {
            lines.push(format!("the shortest way out is {bracket} long"));
        }
        if let Some(deep) = found.deepest.value {
            let (inner, outer) = if deep.is_point_of_a {
                (deep.point_a, ["a", "b"])
            } else {
                (deep.point_b, ["b", "a"])
            };
            lines.push(format!(
                "deepest point {} of {}, {} below the surface of {}",
                point(inner),
                outer[0],
                self.length(deep.depth),
                outer[1]
            ));
        }
        lines
    }

    fn impact(self, found: &ImpactAnswer, start: &Pose) -> Vec<String> {
        if found.starts_inside {
            return vec!["yes: at t = 0, one solid begins inside the other".to_owned()];
        }
        let Some(hit) = &found.found.value else {
            return vec![match found.hit() {
                Some(_) => "no: nothing touches on the way".to_owned(),
                None => format!(
                    "undecided: free of contact up to t = {}, then too close to tell",
                    measure(found.found.lower)
                ),
            }];
        };
        if hit.time == 0.0 {
            return vec!["yes: at t = 0, they touch from the beginning".to_owned()];
        }
        let mut text = format!("yes: first contact at t = {}", measure(hit.time));
        // Times are parts of the whole motion: compared with that, not with themselves.
        if found.found.upper - found.found.lower > 1e-8 {
            text += &format!(
                ", between {} and {}",
                measure(found.found.lower),
                measure(found.found.upper)
            );
        }
        let mut lines = vec![text];
        lines.push(format!(
            "at {}, {} of a against {} of b",
            point(hit.point),
            hit.faces.a,
            hit.faces.b
        ));
        lines.push(format!(
            "normal {} from a to b; {} then",
            point(hit.normal),
            match found.contacts.len() {
                1 => "one face pair touches".to_owned(),
                n => format!("{} face pairs touch", count(n)),
            }
        ));
        if let Some(pose) = &found.a_from_b {
            let moved = pose.translation() - start.translation();
            lines.push(format!("b's origin has moved by {}", point(moved)));
        }
        lines
    }
}

fn pairs(contact: &Contact) -> Option<Vec<String>> {
    let pairs = contact.pairs.as_ref()?;
    let [a, b] = pairs.faces_hit;
    let number = count_of(pairs.count, "face pair", "face pairs");
    Some(vec![match (pairs.count, pairs.outcome) {
        (0, Outcome::Complete) => "none".to_owned(),
        (0, _) => "undecided: --limit-tests was reached".to_owned(),
        (_, Outcome::Complete) => format!(
            "{number}: {} of a, {} of b",
            count_of(a, "face", "faces"),
            count_of(b, "face", "faces")
        ),
        _ => format!("at least {number}; --limit-tests was reached"),
    }])
}

fn witnesses(found: &DistanceAnswer) -> Vec<String> {
    let Some([a, b]) = found.points else {
        return Vec::new();
    };
    let on = |k: usize| match found.faces {
        Some(faces) => format!("{} of {}", faces[k], ["a", "b"][k]),
        None => ["a", "b"][k].to_owned(),
    };
    if a == b {
        return vec![format!("at {} on {} and {}", point(a), on(0), on(1))];
    }
    vec![
        format!("from {} on {}", point(a), on(0)),
        format!("to   {} on {}", point(b), on(1)),
    ]
}

fn relation_words(relation: Option<Relation>) -> &'static str {
    match relation {
        Some(Relation::AInsideB) => "a lies inside b",
        Some(Relation::BInsideA) => "b lies inside a",
        Some(Relation::Overlapping) => "parts of one lie inside the other",
        Some(Relation::Disjoint) => "they share no point",
        Some(Relation::SurfacesMeet) | None => "the surfaces meet",
    }
}

/// The lines of `--explain`.
pub(crate) fn explanation(
    inquiry: &QueryRunner<'_>,
    answers: &Answers,
) -> Vec<(&'static str, String)> {
    let indexes = inquiry.indexes();
    let mut facts = vec![
        (
            "engine",
            format!(
                "{}: {}",
                indexes.choice.engine.name(),
                indexes.choice.reason
            ),
        ),
        (
            "index",
            format!(
                "{} built in {}",
                bytes(indexes.bytes()),
                number::duration(indexes.milliseconds)
            ),
        ),
    ];
    for cost in &answers.costs {
        let by = if cost.engine == indexes.choice.engine.name() {
            String::new()
        } else {
            format!(" by {}", cost.engine)
        };
        let spent = match cost.work {
            Some(work) => work_words(work),
            None => "no counters".to_owned(),
        };
        facts.push((
            cost.question.name(),
            format!("{spent}, {}{by}", number::duration(cost.milliseconds)),
        ));
    }
    facts
}

fn work_words(work: Work) -> String {
    let [volumes, faces, updates] =
        [work.volume_tests, work.face_tests, work.updates].map(|n| n as usize);
    let mut text = format!(
        "{}, {}",
        count_of(volumes, "volume test", "volume tests"),
        count_of(faces, "face test", "face tests")
    );
    if updates > 0 {
        text += &format!(", {}", count_of(updates, "update", "updates"));
    }
    text
}

fn bytes(n: usize) -> String {
    if n < 10_000 {
        format!("{n} bytes")
    } else if n < 10_000_000 {
        format!("{:.1} kB", n as f64 / 1e3)
    } else {
        format!("{:.1} MB", n as f64 / 1e6)
    }
}

/// The volume that the solids share; with its force, when that is not separate.
fn volume(found: &Bounded<PenetrationVolume>, with_force: bool) -> Vec<String> {
    let shared = &found.value;
    let is_complete = found.outcome == Outcome::Complete;
    let mut lines = if is_bracketed(shared.method) {
        let by = if shared.method == PenetrationMethod::Voxmap {
            "voxels"
        } else {
            "balls"
        };
        vec![format!(
            "{} by {by}, between {} and {}{}",
            measure(shared.volume),
            measure(found.lower),
            measure(found.upper),
            if is_complete { "" } else { CUT_SHORT }
        )]
    } else if is_complete {
        vec![format!(
            "{} (off by at most {:.1e})",
            measure(shared.volume),
            found.upper - shared.volume
        )]
    } else {
        return vec![format!("between 0 and {}{CUT_SHORT}", measure(found.upper))];
    };
    if let Some(centroid) = shared.centroid {
        lines.push(format!("centroid {}", point(centroid)));
        if with_force {
            lines.extend(shared.force_on_b().as_ref().map(force_words));
        }
    }
    lines
}

/// The force that drives the solids apart, for a pressure of one.
fn force(found: &Bounded<PenetrationVolume>) -> Vec<String> {
    let shared = &found.value;
    let is_balls = is_bracketed(shared.method);
    let is_complete = found.outcome == Outcome::Complete;
    if !is_complete && !is_balls {
        return vec!["undecided: --limit-tests was reached".to_owned()];
    }
    // Points press before voxels prove that a volume is shared.
    let presses = shared.method == PenetrationMethod::Voxmap && shared.volume > 0.0;
    if found.lower <= 0.0 && !presses {
        let reason = if is_balls && found.upper > 0.0 {
            let what = if shared.method == PenetrationMethod::Voxmap {
                "no voxel surely lies in both"
            } else {
                "no balls overlap"
            };
            format!(
                "none: {what}; the solids may share up to {}",
                measure(found.upper)
            )
        } else {
            "none: the solids share no volume".to_owned()
        };
        return vec![reason];
    }
    let mut lines: Vec<String> = shared
        .force_on_b()
        .as_ref()
        .map(force_words)
        .into_iter()
        .collect();
    lines.push("what acts on a is the opposite".to_owned());
    if let Some(cones) = &shared.cones {
        lines.push(format!("by cones of normals: {}", force_words(&cones.push)));
    }
    if !is_complete {
        lines.push("of what --limit-tests let it look at".to_owned());
    }
    lines
}

fn force_words(wrench: &Wrench) -> String {
    format!(
        "force on b {}, torque {} about the origin of a",
        point(wrench.force),
        point(wrench.torque)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_that_are_rounding_are_not_mentioned() {
        let words = LengthText { unit: Some("mm") };
        assert_eq!(words.bracket(0.5 - 1e-15, 0.5), None);
        assert_eq!(
            words.bracket(0.25, 0.5).as_deref(),
            Some("between 0.25 mm and 0.5 mm")
        );
        assert_eq!(
            words.bracket(0.25, f64::INFINITY).as_deref(),
            Some("at least 0.25 mm")
        );
        assert_eq!(bytes(12_345), "12.3 kB");
    }
}
