//! `impinge cloud`: loads, queries, prints.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use impinge::Pose;
use impinge::cloud::CloudSurface;
use impinge::io::Unit;
use impinge::query::Limits;

use super::answers::{Answers, CloudQueries};
use super::args::CloudArgs;
use super::cloud_or_mesh::CloudOrMesh;
use super::drawing::CloudPicture;
use super::record::{Milliseconds, Record, RecordInput};
use super::surface::{Crossed, cross, surface_of};
use super::text;
use crate::output::Output;
use crate::pose_file;
use crate::query::{LengthText, QueryKind, milliseconds_since};
use crate::render::Up;
use crate::{ExitAnswer, number};

/// Answers about two clouds, or a cloud and a mesh.
pub(crate) fn run(args: &CloudArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let pose = match &args.pose {
        Some(path) => Some(pose_file::read(path, args.repair_pose)?),
        None => None,
    };
    let pose_repaired = pose.is_some_and(|pose| pose.repaired);
    if pose_repaired {
        out.remark("a pose was not a rotation; the nearest one is used");
    }
    let a_from_b = pose.map_or(Pose::IDENTITY, |pose| pose.a_from_b);
    let budget = budget(args.budget)?;
    if let Some(d) = args.max_distance
        && !(d >= 0.0 && d.is_finite())
    {
        bail!("--max-distance must be a finite number that is not negative, not {d}");
    }
    let started = Instant::now();
    let a = CloudOrMesh::load(&args.a, &args.reading, args.drop_invalid, out)?;
    let b = CloudOrMesh::load(&args.b, &args.reading, args.drop_invalid, out)?;
    let load = milliseconds_since(started);
    let subjects = [&a, &b];
    if subjects.iter().all(|subject| subject.cloud().is_none()) {
        bail!(
            "{} and {} are meshes: ask about them with `impinge query`",
            args.a,
            args.b
        );
    }
    b.check_range(&a_from_b)
        .with_context(|| format!("{} as placed by the pose", args.b))?;
    let unit = unit_of(args.reading.units, args.reading.scale, subjects);

    let questions = CloudQueries {
        asked: vec![QueryKind::Intersects, QueryKind::Distance],
        max_distance: args.max_distance,
        budget,
        solid: subjects.iter().any(|subject| subject.is_solid()),
        ..CloudQueries::default()
    };
    let answers = questions.ask(subjects, &a_from_b)?;
    let started = Instant::now();
    let surfaces = if args.surface {
        Some(surfaces(args, subjects)?)
    } else {
        None
    };
    let surfaces = surfaces.as_ref().map(|[a, b]| [a.as_ref(), b.as_ref()]);
    let crossed = surfaces.map(|both| {
        questions.limited(|limits| {
            let max_distance = args.max_distance;
            let limits = Limits {
                max_distance,
                ..limits
            };
            cross(both, &a_from_b, limits)
        })
    });
    let surface_ms = args.surface.then(|| milliseconds_since(started));

    let exhibit = DrawnAnswers {
        subjects,
        surfaces,
        answers: &answers,
        crossed: crossed.as_ref(),
        graph: args.graph,
    };
    let written = exhibit.write(args.png.as_deref(), args.glb.as_deref(), args.up, &a_from_b)?;

    let words = LengthText { unit };
    let solid = questions.solid;
    out.line(text::sentence(words, &answers, crossed.as_ref(), solid))?;
    let mut facts = vec![
        ("a", format!("{}, {}", args.a, a.extent())),
        ("b", format!("{}, {}", args.b, b.extent())),
    ];
    if let Some(nearest) = text::nearest(&answers, subjects, &a_from_b) {
        let apart = answers.nearest().map_or(0.0, |s| s.distance);
        facts.push(("points", format!("{} apart", words.length(apart))));
        facts.push(("nearest", nearest));
    }
    if let Some(crossed) = &crossed {
        facts.push(("surfaces", text::surfaces_apart(words, crossed)));
        facts.push((
            "curve",
            format!(
                "{}, {} of f",
                number::count_of(crossed.places.len(), "place", "places"),
                number::count_of(
                    crossed.search.evaluations as usize,
                    "evaluation",
                    "evaluations"
                )
            ),
        ));
    }
    facts.push((
        "time",
        number::duration(answers.milliseconds + surface_ms.unwrap_or(0.0)),
    ));
    out.facts(&facts)?;
    out.wrote(written)?;
    let verdict = match &crossed {
        Some(crossed) => surface_verdict(crossed),
        None => answers
            .verdict(QueryKind::Intersects)
            .or_else(|| answers.verdict(QueryKind::Distance)),
    };
    out.record(&Record::new(RecordInput {
        sources: [&args.a, &args.b],
        subjects,
        questions: &questions,
        answers: &answers,
        crossed: crossed.as_ref(),
        a_from_b,
        pose_repaired,
        milliseconds: Milliseconds {
            load,
            search: answers.milliseconds,
            surface: surface_ms,
        },
    }))?;
    Ok(match verdict {
        Some(true) => ExitAnswer::Yes,
        Some(false) => ExitAnswer::No,
        None => ExitAnswer::Failed,
    })
}

/// What the surfaces say; none when the search was cut off before it found anything.
fn surface_verdict(crossed: &Crossed) -> Option<bool> {
    let verdict = crossed.search.verdict;
    let is_cut_off = crossed.search.outcome == impinge::query::Outcome::OutOfBudget;
    (verdict.answer || verdict.certain || !is_cut_off).then_some(verdict.answer)
}

fn budget(milliseconds: Option<f64>) -> anyhow::Result<Option<Duration>> {
    match milliseconds {
        None => Ok(None),
        Some(ms) if ms > 0.0 && ms.is_finite() => {
            Ok(Some(Duration::from_secs_f64((ms / 1000.0).min(1e9))))
        }
        Some(ms) => bail!("--budget must be a positive number of milliseconds, not {ms}"),
    }
}

fn surfaces(args: &CloudArgs, [a, b]: [&CloudOrMesh; 2]) -> anyhow::Result<[Arc<CloudSurface>; 2]> {
    let (Some(a), Some(b)) = (a.cloud(), b.cloud()) else {
        let mesh = if a.cloud().is_none() {
            &args.a
        } else {
            &args.b
        };
        bail!(
            "--surface asks about the surfaces behind two clouds, and {mesh} is a mesh; leave --surface away to ask about points and faces"
        );
    };
    Ok([
        surface_of(&args.a.to_string(), a)?,
        surface_of(&args.b.to_string(), b)?,
    ])
}

/// The unit of lengths, where the caller says it or a mesh does.
pub(crate) fn unit_of(
    wanted: Option<Unit>,
    scale: f64,
    subjects: [&CloudOrMesh; 2],
) -> Option<&'static str> {
    if wanted.is_some() {
        return Some(Unit::Metre.symbol());
    }
    let own = subjects[0].unit().or(subjects[1].unit());
    own.filter(|_| scale == 1.0).map(|unit| unit.symbol())
}

/// What is drawn.
pub(crate) struct DrawnAnswers<'s> {
    pub(crate) subjects: [&'s CloudOrMesh; 2],
    pub(crate) surfaces: Option<[&'s CloudSurface; 2]>,
    pub(crate) answers: &'s Answers,
    pub(crate) crossed: Option<&'s Crossed>,
    /// Whether the edges of the graphs are in the picture; in the model they are always.
    pub(crate) graph: bool,
}

impl DrawnAnswers<'_> {
    /// Writes the pictures that are wanted and says which.
    pub(crate) fn write<'p>(
        &self,
        png: Option<&'p Path>,
        glb: Option<&'p Path>,
        up: Up,
        a_from_b: &Pose,
    ) -> anyhow::Result<Vec<&'p Path>> {
        if png.is_none() && glb.is_none() {
            return Ok(Vec::new());
        }
        let exhibit = CloudPicture::new(
            self.subjects,
            self.surfaces,
            a_from_b,
            self.answers,
            self.crossed,
        )?;
        exhibit.write(png, glb, up, self.graph)
    }
}
