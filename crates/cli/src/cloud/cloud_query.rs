//! `impinge query` where one of the two is a cloud.

use std::time::Instant;

use anyhow::{Context, bail};
use impinge::Pose;

use super::answers::CloudQueries;
use super::cloud_or_mesh::CloudOrMesh;
use super::record::{Milliseconds, Record, RecordInput};
use super::run::{DrawnAnswers, unit_of};
use super::text;
use crate::model_source::ModelSource;
use crate::output::Output;
use crate::pose_file;
use crate::query::{
    EngineArg, LengthText, QueryArgs, QueryKind, Settings, SolidRule, milliseconds_since,
};
use crate::{ExitAnswer, number};

/// Answers the questions that clouds have an answer to, and refuses the others.
pub(crate) fn ask(args: &QueryArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let cloud = if super::is_cloud(&args.a) {
        &args.a
    } else {
        &args.b
    };
    refuse(args, cloud)?;
    let read = |path: &std::path::PathBuf| pose_file::read(path, args.repair_pose);
    let pose = args.pose.as_ref().map(read).transpose()?;
    let end = args.to.as_ref().map(read).transpose()?;
    let pose_repaired = pose.iter().chain(&end).any(|pose| pose.repaired);
    if pose_repaired {
        out.remark("a pose was not a rotation; the nearest one is used");
    }
    let a_from_b = pose.map_or(Pose::IDENTITY, |pose| pose.a_from_b);
    let settings = Settings::new(args, end.map(|end| end.a_from_b))?;
    let mut asked = settings.asked.clone();
    if settings.is_default {
        asked.retain(|question| *question != QueryKind::Pairs);
    }
    if let Some(question) = asked.iter().find(|question| !has_answer(**question)) {
        let hint = if *question == QueryKind::Curves {
            "; `impinge cloud --surface` samples the curve in which the surfaces behind two clouds cross"
        } else {
            ""
        };
        bail!(
            "{} asks about faces, and {cloud} is a cloud, which has points: clouds answer intersects, distance, tolerance, depth and impact{hint}",
            question.name()
        );
    }
    let started = Instant::now();
    let a = CloudOrMesh::load(&args.a, &args.reading, args.drop_invalid, out)?;
    let b = CloudOrMesh::load(&args.b, &args.reading, args.drop_invalid, out)?;
    let load = milliseconds_since(started);
    for pose in [Some(a_from_b), settings.end].into_iter().flatten() {
        b.check_range(&pose)
            .with_context(|| format!("{} as placed by the pose", args.b))?;
    }
    let questions = CloudQueries {
        asked,
        tolerance: settings.tolerance,
        max_distance: settings.max_distance,
        limit_tests: settings.limit_tests,
        motion: settings.motion_from(&a_from_b)?,
        solid: settings.solid.is_some(),
        budget: None,
    };
    let subjects = [&a, &b];
    let answers = questions.ask(subjects, &a_from_b)?;
    let shown = DrawnAnswers {
        subjects,
        surfaces: None,
        answers: &answers,
        crossed: None,
        graph: false,
    };
    let written = shown.write(args.png.as_deref(), args.glb.as_deref(), args.up, &a_from_b)?;
    out.record(&Record::new(RecordInput {
        sources: [&args.a, &args.b],
        subjects,
        questions: &questions,
        answers: &answers,
        crossed: None,
        a_from_b,
        pose_repaired,
        milliseconds: Milliseconds {
            load,
            search: answers.milliseconds,
            surface: None,
        },
    }))?;
    let words = LengthText {
        unit: unit_of(args.reading.units, args.reading.scale, subjects),
    };
    if settings.is_default {
        let solid = questions.solid && subjects.iter().any(|subject| subject.is_solid());
        out.line(text::sentence(words, &answers, None, solid))?;
        let mut facts = vec![
            ("a", format!("{}, {}", args.a, a.extent())),
            ("b", format!("{}, {}", args.b, b.extent())),
        ];
        if let Some(nearest) = text::nearest(&answers, subjects, &a_from_b) {
            facts.push(("nearest", nearest));
        }
        facts.push(("time", number::duration(answers.milliseconds)));
        out.facts(&facts)?;
    } else {
        let mut facts = Vec::new();
        for &question in &questions.asked {
            let lines = text::answer(words, question, &answers, &questions);
            for (k, line) in lines.into_iter().enumerate() {
                facts.push((if k == 0 { question.name() } else { "" }, line));
            }
        }
        out.line(format_args!("{} (a) and {} (b)", args.a, args.b))?;
        out.facts(&facts)?;
    }
    out.wrote(written)?;
    let first = questions.asked.iter().find(|q| q.is_yes_or_no());
    let deciding = first.or(questions.asked.first());
    Ok(
        match deciding.and_then(|&question| answers.verdict(question)) {
            Some(true) => ExitAnswer::Yes,
            Some(false) => ExitAnswer::No,
            None => ExitAnswer::Failed,
        },
    )
}

fn has_answer(question: QueryKind) -> bool {
    matches!(
        question,
        QueryKind::Intersects
            | QueryKind::Distance
            | QueryKind::Tolerance
            | QueryKind::Depth
            | QueryKind::Impact
    )
}

/// Refuses flags that mean nothing for clouds.
fn refuse(args: &QueryArgs, cloud: &ModelSource) -> anyhow::Result<()> {
    let is_given = [
        ("--poses", args.poses.is_some()),
        ("--pairs", args.pairs.is_some()),
        ("--overlap", args.overlap.is_some()),
        ("--method", args.method.is_some()),
        ("--balls", args.balls.is_some()),
        ("--show", args.show.is_some()),
        ("--engine", args.engine != EngineArg::Auto),
        ("--pixels", args.pixels.is_some()),
        ("--explain", args.explain),
        ("--abs-error", args.abs_error.is_some()),
        ("--rel-error", args.rel_error.is_some()),
        ("--solid=winding", args.solid == Some(SolidRule::Winding)),
    ];
    if let Some((flag, _)) = is_given.iter().find(|(_, given)| *given) {
        bail!("{flag} is about two meshes, and {cloud} is a cloud");
    }
    Ok(())
}
