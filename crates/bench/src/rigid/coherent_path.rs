//! The coherent path: B moves around A in small steps, with a distance query at each.
//!
//! Ours starts each question from the last answer. The peers carry nothing from call to call, so
//! a step costs them what any pose costs, and they are queried at one pose in every chunk of the path only.

use std::sync::Arc;

use anyhow::ensure;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::{DMat3, DVec3, Pose, TriMesh};

use super::pair_list::{LIST_FILE, path_checksum};
use super::workload::MeshPair;
use super::{PATH_WEIGHT, Record, RecordWriter, SEED, SLOW_ON_PATHS, Scale, answering};
use crate::engines::{Engine, OURS};
use crate::pair_measurement::{Bench, MeasuredQuery, quantile};
use crate::pose_sampling::random_turn;
use crate::runner::RunnerReply;

/// The longest step, as a part of A's diagonal.
const STEP: f64 = 0.002;
/// The largest turn in a step.
const TURN_DEGREES: f64 = 0.2;
/// The gap around which the path stays, as a part of A's diagonal.
const GAP: f64 = 0.03;
/// How often the path is walked.
const SWEEPS: usize = 5;

/// Steps of a whole path. A quick run queries the first of them.
pub(super) const STEPS: usize = 10_000;

/// The pairs that are walked: more faces would take the peers too long.
pub(super) fn walked(pairs: &[MeshPair]) -> impl Iterator<Item = &MeshPair> {
    pairs.iter().filter(|pair| !pair.is_large())
}

/// The checksum of the path of a pair.
pub(super) fn checksum(pair: &MeshPair) -> anyhow::Result<String> {
    let (a, b) = pair.load()?;
    Ok(path_checksum(&walk(&a, &b, STEPS)?.0))
}

pub(super) fn measure(
    pairs: &[MeshPair],
    engines: &[Engine],
    scale: &Scale,
    journal: &mut RecordWriter,
) -> anyhow::Result<()> {
    for pair in walked(pairs) {
        one(pair, engines, scale, journal)?;
    }
    Ok(())
}

fn one(
    pair: &MeshPair,
    engines: &[Engine],
    scale: &Scale,
    journal: &mut RecordWriter,
) -> anyhow::Result<()> {
    let part = journal.part(PATH_WEIGHT);
    let (a, b) = pair.load()?;
    let place = format!("{}, path of {} steps", pair.name, scale.path_steps);
    let faces = [a.face_count(), b.face_count()];
    let (mut poses, diagonal) = walk(&a, &b, STEPS)?;
    if let Some(listed) = &pair.path {
        let found = path_checksum(&poses);
        ensure!(
            found == *listed,
            "the path around {} is not the listed one: checksum {found} found, {listed} listed in {LIST_FILE}. \
             It follows from distances alone, so some distance has changed",
            pair.name
        );
    }
    poses.truncate(scale.path_steps);
    let mut bench = Bench::start(
        a,
        b,
        &answering(engines),
        scale.effort(&part, SLOW_ON_PATHS),
    )?;
    let Some(ours) = bench
        .runners
        .iter()
        .position(|runner| runner.engine.name == OURS)
    else {
        return Ok(());
    };
    let first = bench.runners[ours].pose(&poses[0]);
    for pose in &poses[1..] {
        bench.runners[ours].pose(pose);
    }
    let RunnerReply::Answer {
        value: plain_sum, ..
    } = bench.runners[ours].sweep("distance", first, poses.len())
    else {
        return Ok(());
    };
    // The whole path several times, so that each step has a median too.
    let mut sweeps: Vec<Vec<f64>> = Vec::new();
    let mut verdict = "right";
    for _ in 0..SWEEPS {
        let RunnerReply::Answer { value, nanoseconds } =
            bench.runners[ours].sweep("warm", first, poses.len())
        else {
            return Ok(());
        };
        // Sums of the same numbers in the same order: not one answer may differ.
        if value != plain_sum {
            verdict = "wrong";
        }
        sweeps.push(nanoseconds);
    }
    let step = |k: usize| {
        let times: Vec<f64> = sweeps
            .iter()
            .filter_map(|sweep| sweep.get(k).copied())
            .collect();
        quantile(&times, 0.5).unwrap_or(0.0)
    };
    let nanoseconds: Vec<f64> = (0..poses.len()).map(step).collect();
    let chunks = poses.len().div_ceil(scale.path_chunk);
    for (k, times) in nanoseconds.chunks(scale.path_chunk).enumerate() {
        if part.is_over() && k > 0 {
            break;
        }
        journal.progress(&place, k, chunks);
        let pose = poses[k * scale.path_chunk];
        let found = bench.measure(k, &pose, &[MeasuredQuery::Distance])?;
        for row in found.rows {
            let mut record = Record {
                question: "warm".to_owned(),
                ..Record::from(row)
            };
            if record.engine == OURS {
                record.hot_ns = Some(times.iter().sum::<f64>() / times.len() as f64);
                record.cold_ns = None;
                record.spread_ns = None;
                // Somebody who asks once has nothing to start from.
                record.build_ns = None;
                record.first_ns = None;
                record.verdict = verdict.to_owned();
            }
            journal.push(Record {
                pair: pair.name.clone(),
                set: pair.set.name().to_owned(),
                class: pair.class.clone(),
                faces,
                level: GAP,
                intersects: found.intersects,
                gap: found.distance.map_or(f64::NAN, |d| d / diagonal),
                ..record
            })?;
        }
    }
    journal.progress(&place, chunks, chunks);
    Ok(())
}

/// The poses of a walk around A, and A's diagonal.
fn walk(a: &TriMesh, b: &TriMesh, steps: usize) -> anyhow::Result<(Vec<Pose>, f64)> {
    let [tree_a, tree_b] = [a, b].map(|mesh| WideTree::new(Arc::new(mesh.clone())));
    let mut cache = WideCache::default();
    let (bounds_a, bounds_b) = (a.bounds(), b.bounds());
    let diagonal = bounds_a.diagonal().length();
    let mut rng = Rng::new(SEED);
    let mut turn = random_turn(&mut rng);
    let mut out = rng.direction();
    let mut heading = out.any_orthonormal_vector();
    let mut place = bounds_a.center() + out * 0.5 * (diagonal + bounds_b.diagonal().length());
    let mut axis = rng.direction();
    let mut poses = Vec::with_capacity(steps);
    // Approach until the gap is met, then walk; only the walk is measured.
    let mut arrived = false;
    while poses.len() < steps {
        let pose = Pose::nearest(turn, place - turn * bounds_b.center())?;
        // In `f32`, so that the path stays what it is when a distance changes in its last bits.
        let gap = tree_a
            .distance(&tree_b, &pose, Limits::default(), &mut cache)
            .value
            .map_or(0.0, |s| f64::from(s.distance as f32));
        out = (place - bounds_a.center()).normalize_or(out);
        if !arrived {
            let excess = gap - GAP * diagonal;
            arrived = excess <= STEP * diagonal;
            if !arrived {
                place -= out * excess.min((place - bounds_a.center()).length());
                // Gliding past A never arrives; its middle is near enough.
                arrived = (place - bounds_a.center()).length() < STEP * diagonal;
                continue;
            }
        }
        poses.push(pose);
        axis = (axis + rng.direction() * 0.1).normalize_or(axis);
        turn = DMat3::from_axis_angle(axis, (0.99 * TURN_DEGREES).to_radians()) * turn;
        heading = (heading + rng.direction() * 0.05)
            .reject_from(out)
            .normalize_or(heading);
        // Outwards when too near, inwards when too far, else along.
        let push = ((GAP * diagonal - gap) / (GAP * diagonal)).clamp(-1.0, 1.0);
        let step: DVec3 = (heading + out * push).normalize_or(out);
        place += step * 0.99 * STEP * diagonal;
    }
    Ok((poses, diagonal))
}
