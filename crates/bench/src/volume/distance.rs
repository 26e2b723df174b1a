//! Distances of balls, bare and refined by faces, beside the exact ones and beside FCL.

use std::time::Instant;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::WideCache;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::TreeCache;
use impinge::{DVec3, Pose};

use super::scene::{Approach, Packed};
use super::{Args, all, model, open, told};
use crate::Bar;
use crate::engines::{FCL, Found, find};
use crate::measure::{quantile, scratch};
use crate::ours;
use crate::runner::{QUERY_LIMIT, Reply, Runner};

const MODEL: &str = "armadillo";
const LEAST_FACES: usize = 300_000;
const BALLS: usize = 500_000;
/// Steps of each path, and paths.
const STEPS: usize = 400;
const PATHS: usize = 4;
/// Every so many steps the peer is asked.
const PEER_STRIDE: usize = 20;
const TIMES_FASTER: f64 = 50.0;
const BALL_ERROR: f64 = 5e-3;
const REFINED_ERROR: f64 = 1e-6;

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    if !args.wants_model(MODEL) {
        return Ok(open("distance: its model is not wanted"));
    }
    let least = if args.quick { 0 } else { LEAST_FACES };
    let Some(index) = model(MODEL, least)? else {
        return Ok(open("distance: its model is not there"));
    };
    let packed = Packed::new(index, args.balls(BALLS), 0)?;
    let mesh = packed.index.mesh();
    println!(
        "## Distance of {} balls in {} faces, coherent paths",
        packed.spheres.balls().len(),
        mesh.face_count()
    );
    let folder = scratch()?;
    let file = folder.join("a.mesh");
    ours::write(&file, mesh)?;
    let mut peer = match find(FCL)? {
        Found::Present(engine) => Some(Runner::start(&engine, [&file, &file], 1, QUERY_LIMIT)?),
        Found::Absent => {
            println!("absent: {FCL}; its bar is not measured");
            None
        }
    };
    let (mut cache, mut wide) = (TreeCache::default(), WideCache::default());
    let (mut bare_ms, mut refined_ms, mut exact_ms, mut peer_ms) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut bare, mut refined, mut outside) = (Vec::new(), Vec::new(), 0);
    let tree = &packed.spheres;
    let diagonal = packed.diagonal();
    let steps = if args.quick { STEPS / 10 } else { STEPS };
    for path in 0..PATHS {
        let line = Approach::new(&packed, &mut Rng::new(40 + path as u64))?;
        let mut poses = Vec::new();
        for step in 0..steps {
            let t = step as f64 / STEPS as f64;
            let turn = Pose::from_axis_angle(DVec3::Z, 0.5 * t, DVec3::ZERO)?;
            let gap = (0.01 + 0.19 * t) * diagonal;
            poses.push(line.at(line.touch + gap)? * turn);
        }
        if args.is_over() {
            break;
        }
        // Each way goes along the path alone, as a program that asks one question would: none finds the caches full of another's
        // tree. The peer repeats each pose and its median counts.
        let limits = Limits::default();
        let balls = timed(&poses, &mut bare_ms, |pose| {
            tree.distance(tree, pose, limits, &mut cache)
        });
        let found = timed(&poses, &mut refined_ms, |pose| {
            tree.refined_distance(tree, pose, limits, &mut cache)
        });
        let truths = timed(&poses, &mut exact_ms, |pose| {
            let truth = packed
                .index
                .distance(&packed.index, pose, limits, &mut wide);
            truth.value.map_or(0.0, |s| s.distance)
        });
        for ((balls, found), truth) in balls.into_iter().zip(found).zip(truths) {
            if let (Some(balls), Some(found)) = (balls, found)
                && truth > 0.0
            {
                let scale = if truth >= 0.01 * diagonal {
                    truth
                } else {
                    diagonal
                };
                bare.push((balls.upper - truth) / scale);
                refined.push((found.upper() - truth) / scale);
                outside += usize::from(balls.lower > truth * (1.0 + 1e-9))
                    + usize::from(found.upper() < truth * (1.0 - 1e-9));
            }
        }
        for pose in poses.iter().step_by(PEER_STRIDE) {
            if let Some(peer) = &mut peer {
                let index = peer.pose(pose);
                if let Reply::Answer { nanoseconds, .. } =
                    peer.ask("distance", 0.0, index, 3, false)
                {
                    peer_ms.extend(quantile(&nanoseconds, 0.5).map(|ns| ns * 1e-6));
                }
            }
        }
    }
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    println!("| | mean ms | median | 99th percentile |");
    println!("|---|---|---|---|");
    for (name, times) in [
        ("balls", &bare_ms),
        ("refined by faces", &refined_ms),
        ("exact, our tree of the mesh", &exact_ms),
        (FCL, &peer_ms),
    ] {
        let at = |part| quantile(times, part).unwrap_or(f64::NAN);
        println!(
            "| {name} | {:.4} | {:.4} | {:.4} |",
            mean(times),
            at(0.5),
            at(0.99)
        );
    }
    let at = |x: &[f64], part| quantile(x, part).unwrap_or(f64::INFINITY);
    println!(
        "error of balls: mean {:.2e}, median {:.2e}, 95th percentile {:.2e}, largest {:.2e}; refined: mean {:.2e}, median {:.2e}, 95th percentile {:.2e}, largest {:.2e}",
        mean(&bare),
        at(&bare, 0.5),
        at(&bare, 0.95),
        at(&bare, 1.0),
        mean(&refined),
        at(&refined, 0.5),
        at(&refined, 0.95),
        at(&refined, 1.0)
    );
    let mut bars = vec![
        told(
            "error of balls within 0.5 % on average",
            Bar::at_most(mean(&bare), BALL_ERROR),
        ),
        told(
            "median error refined by faces within 1e-6",
            Bar::at_most(quantile(&refined, 0.5), REFINED_ERROR),
        ),
        told(
            &format!("the bracket holds the truth at all {} places", bare.len()),
            Bar::none_wrong(outside as u64, bare.len() as u64),
        ),
    ];
    if !peer_ms.is_empty() {
        let times = mean(&peer_ms) / mean(&refined_ms);
        println!(
            "{FCL} takes {:.0} times as long as balls, {times:.0} times as long as balls refined by faces",
            mean(&peer_ms) / mean(&bare_ms)
        );
    }
    let times = (!peer_ms.is_empty()).then(|| mean(&peer_ms) / mean(&bare_ms));
    bars.push(told(
        "at least 50 times as fast as FCL's exact distance, on average",
        Bar::at_least(times, TIMES_FASTER),
    ));
    Ok(all(&bars))
}

/// The answers at all poses, and the milliseconds of each.
fn timed<A>(
    poses: &[Pose],
    milliseconds: &mut Vec<f64>,
    mut ask: impl FnMut(&Pose) -> A,
) -> Vec<A> {
    let answer = |pose: &Pose| {
        let start = Instant::now();
        let answer = ask(pose);
        milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
        answer
    };
    poses.iter().map(answer).collect()
}
