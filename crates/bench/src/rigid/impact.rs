//! Time of impact of turning meshes: ours beside those peers that know it, and none passed.

use std::sync::Arc;

use anyhow::Context;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::math::{Motion, Rng};
use impinge::{DVec3, Pose, TriMesh, generate};

use super::{Record, SEED, Scale};
use crate::engines::{Engine, OURS};
use crate::measure::{Bench, Question};
use crate::poses::Sphere;
use crate::runner::{Reply, SentMotion};

/// The models, each against a copy of itself.
const MODELS: &[(&str, usize)] = &[("blob", 5_000), ("gear", 5_000), ("torus-knot", 20_000)];
/// Poses along a motion at which the truth is looked at.
const SAMPLES: usize = 256;
/// Later than the truth by more than this is a miss for a peer, whose times are approximate.
const PEER_ERROR: f64 = 1e-3;

pub(super) fn measure(
    engines: &[Engine],
    scale: &Scale,
    records: &mut Vec<Record>,
) -> anyhow::Result<()> {
    let chosen: Vec<Engine> = engines
        .iter()
        .filter(|engine| engine.name == OURS || engine.name.starts_with("parry"))
        .cloned()
        .collect();
    for (name, faces) in MODELS {
        let model = generate::model(name).with_context(|| format!("no model {name}"))?;
        let mesh = model.make(Some(*faces), 1)?;
        eprintln!("{name}: time of impact");
        if !one(name, mesh, &chosen, scale, records)? {
            eprintln!("  not measured: impinge does not answer it yet");
            break;
        }
    }
    Ok(())
}

/// Returns whether ours answers at all.
fn one(
    name: &str,
    mesh: TriMesh,
    engines: &[Engine],
    scale: &Scale,
    records: &mut Vec<Record>,
) -> anyhow::Result<bool> {
    let faces = [mesh.face_count(); 2];
    let tree = WideTree::new(Arc::new(mesh.clone()));
    let center = mesh.bounds().center();
    let mut sphere = Sphere::new(&tree, &tree);
    let diagonal = sphere.diagonal;
    let count = scale
        .motions
        .max(scale.checked_motions.div_ceil(MODELS.len()));
    let starts = sphere.poses(&[0.2], count, SEED)?;
    let mut rng = Rng::new(SEED);
    let motions: Vec<(Pose, SentMotion)> = starts
        .iter()
        .map(|start| (start.pose, towards(&start.pose, center, diagonal, &mut rng)))
        .collect();

    let mut bench = Bench::start(mesh.clone(), mesh, engines, scale.effort)?;
    let Some(ours) = bench
        .runners
        .iter()
        .position(|runner| runner.engine.name == OURS)
    else {
        return Ok(false);
    };
    for (pose, motion) in motions.iter().take(scale.motions) {
        bench.add_motion(pose, *motion)?;
    }
    if bench.runners[ours].ask("impact", 0.0, 0, 1, false)? == Reply::Unsupported {
        return Ok(false);
    }
    for (k, (pose, motion)) in motions.iter().enumerate().take(scale.motions) {
        let truth = first_hit(&tree, pose, motion)?;
        for row in bench.measure(k, pose, &[Question::Impact])?.rows {
            let mut record = Record {
                pair: format!("{name}-motion"),
                class: "motion".to_owned(),
                faces,
                gap: truth,
                ..Record::from(row)
            };
            if let Some(answer) = record.answer {
                let late = if record.engine == OURS {
                    0.0
                } else {
                    PEER_ERROR
                };
                if answer <= truth + late {
                    record.verdict = "right".to_owned();
                } else {
                    record.verdict = "wrong".to_owned();
                    record.hot_ns = None;
                    record.cold_ns = None;
                }
            }
            records.push(record);
        }
    }
    let mut missed = 0;
    for (pose, motion) in motions
        .iter()
        .take(scale.checked_motions.div_ceil(MODELS.len()))
    {
        let runner = &mut bench.runners[ours];
        let pose_index = runner.pose(pose)?;
        let index = runner.motion(SentMotion {
            pose: pose_index,
            ..*motion
        })?;
        let Reply::Answer { value, .. } = runner.ask("impact", 0.0, index, 1, false)? else {
            missed += 1;
            continue;
        };
        if value > first_hit(&tree, pose, motion)? {
            missed += 1;
        }
    }
    let checked = motions
        .len()
        .min(scale.checked_motions.div_ceil(MODELS.len()));
    println!("{name}: {missed} of {checked} motions passed their first contact");
    if missed > 0 {
        records.push(Record {
            pair: format!("{name}-motion"),
            question: "impact-check".to_owned(),
            engine: OURS.to_owned(),
            verdict: "wrong".to_owned(),
            ..Record::default()
        });
    }
    Ok(true)
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

/// The first of many sampled times at which the meshes intersect, infinite if at none.
fn first_hit(tree: &WideTree, start: &Pose, sent: &SentMotion) -> anyhow::Result<f64> {
    let body_center = start.inverse().transform_point(DVec3::from(sent.center));
    let motion = Motion::from_velocity(start, sent.velocity, sent.turn, body_center)?;
    let mut cache = WideCache::default();
    let hits = |t: f64, cache: &mut WideCache| tree.intersects(tree, &motion.at(t), cache);
    for k in 0..=SAMPLES {
        let t = k as f64 / SAMPLES as f64;
        if hits(t, &mut cache) {
            // The time at hand is certain; bisection only brings it nearer to the first contact.
            let (mut before, mut after) = (t - 1.0 / SAMPLES as f64, t);
            for _ in 0..30 {
                let middle = 0.5 * (before + after);
                if hits(middle, &mut cache) {
                    after = middle;
                } else {
                    before = middle;
                }
            }
            return Ok(after);
        }
    }
    Ok(f64::INFINITY)
}
