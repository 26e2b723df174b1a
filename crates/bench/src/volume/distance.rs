//! Distances by spheres, plain and refined by faces, compared with the exact ones and with FCL.

use std::time::Instant;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::WideCache;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::{BallSeparation, InnerSphereTreeCache, RefinedSeparation};
use impinge::{DVec3, Pose};

use super::scene::{ApproachLine, PackedModel};
use super::{Args, LARGE, LARGE_FACES, QUICK, all, held, joined, open, sized};
use crate::Bar;
use crate::engines::{FCL, FoundEngine, find};
use crate::own_runners;
use crate::pair_measurement::{quantile, scratch};
use crate::runner::{QUERY_LIMIT, Runner, RunnerReply};

const BALLS: usize = 500_000;
/// Steps of each path, and paths.
const STEPS: usize = 400;
const PATHS: usize = 4;
/// Every so many steps the peer is queried.
const PEER_STRIDE: usize = 20;
/// The gaps of a path, as parts of the diagonal, and what is beyond them.
const GAPS: [f64; 2] = [0.01, 0.2];
const FAR: f64 = 0.21;
/// A place is near enough to its gap when it is off by at most this part of it.
const OFF: f64 = 1e-3;
/// Steps in which a place with a gap is looked for.
const MOST_LOOKS: usize = 60;
/// What rounding may do to a distance, relative.
const ROUNDING: f64 = 1e-9;

/// Answers beside the truth.
#[derive(Default)]
struct JudgedDistances {
    /// Errors of balls, and refined, in parts of the distance.
    bare: Vec<f64>,
    refined: Vec<f64>,
    places: usize,
    /// Bounds on the wrong side: balls below, balls above, refined below, refined above.
    wrong: [usize; 4],
    /// Places without an error: nothing was answered, surfaces meet, the gap is beyond the range.
    unanswered: usize,
    touching: usize,
    far: usize,
}

impl JudgedDistances {
    /// Checks all bounds, and takes the errors where the distance has a size.
    fn judge(
        &mut self,
        balls: Option<BallSeparation>,
        found: Option<RefinedSeparation>,
        truth: f64,
        diagonal: f64,
    ) {
        self.places += 1;
        let (Some(balls), Some(found)) = (balls, found) else {
            self.unanswered += 1;
            return;
        };
        let room = ROUNDING * truth;
        let is_wrong = [
            balls.lower > truth + room,
            balls.upper < truth - room,
            found.balls.lower > truth + room,
            found.upper() < truth - room,
        ];
        for (count, is_wrong) in self.wrong.iter_mut().zip(is_wrong) {
            *count += usize::from(is_wrong);
        }
        if truth <= 0.0 {
            self.touching += 1;
        } else if truth > FAR * diagonal {
            self.far += 1;
        } else {
            let is_near = truth < GAPS[0] * (1.0 - OFF) * diagonal;
            let scale = if is_near { diagonal } else { truth };
            self.bare.push((balls.upper - truth).abs() / scale);
            self.refined.push((found.upper() - truth).abs() / scale);
        }
    }
}

const TIMES_FASTER: f64 = 50.0;
const BALL_ERROR: f64 = 5e-3;
const REFINED_ERROR: f64 = 1e-6;

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    let name = if args.quick { QUICK } else { LARGE };
    if !args.wants_model(name) {
        return Ok(open("distance: its model is not wanted"));
    }
    let Some(index) = joined(name)? else {
        return Ok(open("distance: its model is not there"));
    };
    let packed = PackedModel::new(index, args.balls(BALLS), 0)?;
    let mesh = packed.index.mesh();
    println!(
        "## Distance of {} balls in the {name} of {} faces, coherent paths",
        packed.spheres.balls().len(),
        mesh.face_count()
    );
    let folder = scratch()?;
    let file = folder.join("a.mesh");
    own_runners::write(&file, mesh)?;
    let mut peer = match find(FCL)? {
        FoundEngine::Present(engine) => {
            Some(Runner::start(&engine, [&file, &file], 1, QUERY_LIMIT)?)
        }
        FoundEngine::Absent => {
            println!("absent: {FCL}; its bar is not measured");
            None
        }
    };
    let (mut cache, mut wide) = (InnerSphereTreeCache::default(), WideCache::default());
    let (mut bare_ms, mut refined_ms, mut exact_ms, mut peer_ms) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut judged = JudgedDistances::default();
    let tree = &packed.spheres;
    let diagonal = packed.diagonal();
    let steps = if args.quick { STEPS / 10 } else { STEPS };
    for path in 0..PATHS {
        if args.is_over() {
            break;
        }
        let line = ApproachLine::new(&packed, &mut Rng::new(40 + path as u64))?;
        let mut poses = Vec::new();
        let mut at = line.touch + GAPS[0] * diagonal;
        for step in 0..steps {
            let t = step as f64 / (steps - 1).max(1) as f64;
            let turn = Pose::from_axis_angle(DVec3::Z, 0.5 * t, DVec3::ZERO)?;
            let gap = (GAPS[0] + (GAPS[1] - GAPS[0]) * t) * diagonal;
            // The distance changes by no more than the way along the line: what lacks is gone, and what is too much is gone back.
            for _ in 0..MOST_LOOKS {
                let pose = line.at(at)? * turn;
                let found =
                    packed
                        .index
                        .distance(&packed.index, &pose, Limits::default(), &mut wide);
                let lacking = gap - found.value.map_or(0.0, |s| s.distance);
                if lacking.abs() <= OFF * gap {
                    break;
                }
                at += lacking;
            }
            poses.push(line.at(at)? * turn);
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
            judged.judge(balls, found, truth, diagonal);
        }
        for pose in poses.iter().step_by(PEER_STRIDE) {
            if let Some(peer) = &mut peer {
                let index = peer.pose(pose);
                if let RunnerReply::Answer { nanoseconds, .. } =
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
    let JudgedDistances { bare, refined, .. } = &judged;
    let at = |x: &[f64], part| quantile(x, part).unwrap_or(f64::INFINITY);
    println!(
        "{} places; no error of {} where surfaces meet, of {} farther than {FAR} of the diagonal, of {} without an answer",
        judged.places, judged.touching, judged.far, judged.unanswered
    );
    println!(
        "bounds on the wrong side: balls below {}, balls above {}, refined below {}, refined above {}",
        judged.wrong[0], judged.wrong[1], judged.wrong[2], judged.wrong[3]
    );
    println!(
        "error of balls: mean {:.2e}, median {:.2e}, 95th percentile {:.2e}, largest {:.2e}; refined: mean {:.2e}, median {:.2e}, 95th percentile {:.2e}, largest {:.2e}",
        mean(bare),
        at(bare, 0.5),
        at(bare, 0.95),
        at(bare, 1.0),
        mean(refined),
        at(refined, 0.5),
        at(refined, 0.95),
        at(refined, 1.0)
    );
    let is_full = args.is_full(BALLS)
        && packed.spheres.balls().len() == BALLS
        && mesh.face_count() == LARGE_FACES
        && judged.places == PATHS * STEPS
        && bare.len() == judged.places;
    let mut bars = vec![
        sized(
            "error of balls within 0.5 % on average",
            Bar::at_most(mean(bare), BALL_ERROR),
            is_full,
        ),
        sized(
            "median error refined by faces within 1e-6",
            Bar::at_most(quantile(refined, 0.5), REFINED_ERROR),
            is_full,
        ),
        held(
            &format!(
                "both brackets hold the truth at all {} places",
                judged.places
            ),
            Bar::none_wrong(
                judged.wrong.iter().sum::<usize>() as u64,
                judged.places as u64,
            ),
            is_full,
        ),
    ];
    if !peer_ms.is_empty() {
        let times = mean(&peer_ms) / mean(&refined_ms);
        println!(
            "{name}: {FCL} takes {:.0} times as long as balls, {times:.0} times as long as balls refined by faces",
            mean(&peer_ms) / mean(&bare_ms)
        );
    }
    println!(
        "{name}: our exact distance takes {:.1} times as long as balls",
        mean(&exact_ms) / mean(&bare_ms)
    );
    let times = (!peer_ms.is_empty()).then(|| mean(&peer_ms) / mean(&bare_ms));
    bars.push(sized(
        &format!("{name}: at least 50 times as fast as FCL's exact distance, on average"),
        Bar::at_least(times, TIMES_FASTER),
        is_full,
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
