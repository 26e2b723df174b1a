//! Time of impact of rotating meshes, compared with the peers that support it; no contact is passed
//! over.

use std::sync::Arc;

use anyhow::Context;
use impinge::bvh::wide::WideTree;
use impinge::math::Rng;
use impinge::{DVec3, Pose, TriMesh, generate};

use super::{IMPACT_WEIGHT, Record, RecordWriter, SEED, SLOW_ON_IMPACT, Scale, TimeShare};
use crate::engines::{Engine, OURS};
use crate::ground_truth::AnswerVerdict;
use crate::motion_truth::{MotionTruth, motion_of};
use crate::pair_measurement::{Bench, MeasuredQuery};
use crate::pose_sampling::SphereMethod;
use crate::runner::{RunnerReply, SentMotion};

/// The models, each against a copy of itself.
pub(super) const MODELS: &[(&str, usize)] =
    &[("blob", 5_000), ("gear", 10_000), ("torus-knot", 20_000)];
/// The gap at which motions begin, as a part of A's diagonal.
const START: f64 = 0.2;

pub(super) fn measure(
    engines: &[Engine],
    scale: &Scale,
    journal: &mut RecordWriter,
) -> anyhow::Result<()> {
    let chosen: Vec<Engine> = engines
        .iter()
        .filter(|engine| engine.name == OURS || engine.name.starts_with("parry"))
        .cloned()
        .collect();
    for (name, faces) in MODELS {
        let model = generate::model(name).with_context(|| format!("no model {name}"))?;
        let mesh = model.make(Some(*faces), 1)?;
        let part = journal.part(IMPACT_WEIGHT);
        one(name, mesh, &chosen, scale, part, journal)?;
    }
    Ok(())
}

fn one(
    name: &str,
    mesh: TriMesh,
    engines: &[Engine],
    scale: &Scale,
    part: TimeShare,
    journal: &mut RecordWriter,
) -> anyhow::Result<()> {
    let place = format!("{name}, time of impact");
    journal.progress(&place, 0, scale.motions);
    let faces = [mesh.face_count(); 2];
    let tree = WideTree::new(Arc::new(mesh.clone()));
    let center = mesh.bounds().center();
    let mut sphere = SphereMethod::new(&tree, &tree);
    let diagonal = sphere.diagonal;
    let checked = scale.checked_motions.div_ceil(MODELS.len());
    // Each start serves several motions: they differ in where they aim and how they turn.
    let starts = sphere.poses(&[START], scale.motions.max(checked.div_ceil(8)), SEED)?;
    let mut rng = Rng::new(SEED);
    let motions: Vec<(Pose, SentMotion)> = starts
        .iter()
        .cycle()
        .take(checked.max(scale.motions))
        .map(|start| (start.pose, towards(&start.pose, center, diagonal, &mut rng)))
        .collect();

    let mut truth = MotionTruth::new(&mesh, &mesh);
    let effort = scale.effort(&part, SLOW_ON_IMPACT);
    let mut bench = Bench::start(mesh.clone(), mesh, engines, effort)?;
    for (pose, motion) in motions.iter().take(scale.motions) {
        bench.add_motion(pose, *motion);
    }
    check(
        name,
        &mut bench,
        &motions[..checked.min(motions.len())],
        &mut truth,
        part,
        journal,
    )?;
    for (k, (pose, sent)) in motions.iter().enumerate().take(scale.motions) {
        if part.is_long_over() && k > 0 {
            break;
        }
        journal.progress(&place, k, scale.motions);
        let hit = truth.first_hit(&motion_of(pose, sent)?);
        for row in bench.measure(k, pose, &[MeasuredQuery::Impact])?.rows {
            journal.push(Record {
                pair: format!("{name}-motion"),
                class: "motion".to_owned(),
                faces,
                gap: hit,
                ..Record::from(row)
            })?;
        }
    }
    journal.progress(&place, scale.motions, scale.motions);
    Ok(())
}

/// Queries ours about many motions and checks each; the record says how many it passed the first contact of.
///
/// It comes before the peers, which may use up all of the time.
fn check(
    name: &str,
    bench: &mut Bench,
    motions: &[(Pose, SentMotion)],
    truth: &mut MotionTruth,
    part: TimeShare,
    journal: &mut RecordWriter,
) -> anyhow::Result<()> {
    let Some(ours) = bench
        .runners
        .iter_mut()
        .find(|runner| runner.engine.name == OURS)
    else {
        return Ok(());
    };
    let place = format!("{name}, motions checked");
    let (mut seen, mut missed) = (0, 0);
    for (pose, sent) in motions {
        if part.is_over() {
            break;
        }
        journal.progress(&place, seen, motions.len());
        let pose_index = ours.pose(pose);
        let index = ours.motion(SentMotion {
            pose: pose_index,
            ..*sent
        });
        let is_right = match ours.ask("impact", 0.0, index, 1, false) {
            RunnerReply::Answer { value, .. } => {
                truth.judge(&motion_of(pose, sent)?, value, true) == AnswerVerdict::Right
            }
            _ => false,
        };
        seen += 1;
        missed += usize::from(!is_right);
    }
    journal.progress(&place, seen, motions.len());
    journal.push(Record {
        pair: format!("{name}-motion"),
        class: "motion".to_owned(),
        pose: missed,
        question: "impact-check".to_owned(),
        engine: OURS.to_owned(),
        answer: Some(seen as f64),
        verdict: if missed == 0 { "right" } else { "wrong" }.to_owned(),
        ..Record::default()
    })
}

/// A motion about as long as A, roughly towards its middle, turning by up to a quarter turn.
fn towards(start: &Pose, center: DVec3, diagonal: f64, rng: &mut Rng) -> SentMotion {
    let from = start.transform_point(center);
    let aim = center - from + rng.direction() * 0.3 * diagonal;
    SentMotion {
        pose: 0,
        velocity: (aim.normalize_or(DVec3::X) * diagonal).to_array(),
        turn: (rng.direction() * rng.range(0.1, 1.5)).to_array(),
        center: from.to_array(),
    }
}
