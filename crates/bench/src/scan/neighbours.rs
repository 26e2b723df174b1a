//! The index of points beside the crate kiddo.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{bail, ensure};
use impinge::DVec3;
use impinge::math::Rng;
use impinge::scan::{PointIndex, PointTree, ScanFrame, merge};
use kiddo::{ImmutableKdTree, SquaredEuclidean};

use super::arm::Room;
use super::{Args, Report, milliseconds, quantile};

/// Nearest neighbours beside a library for them.
pub(super) fn neighbours(args: &Args, room: &Room, report: &mut Report<'_>) -> anyhow::Result<()> {
    let pose = Room::world_from_camera(0)?;
    let mut points = Vec::new();
    merge(&[(pose, &room.points(0, 0, 0.0)?)], &mut points);
    let arrays: Vec<[f64; 3]> = points.iter().map(DVec3::to_array).collect();
    let mut rng = Rng::new(8);
    // Half of them near the points, half anywhere in the room.
    let places: Vec<DVec3> = (0..100_000)
        .map(|k| {
            if k % 2 == 0 {
                points[rng.below(points.len() as u64) as usize] + rng.cube() * 0.05
            } else {
                DVec3::new(0.0, 0.0, 1.2) + rng.cube() * DVec3::new(2.0, 2.0, 1.2)
            }
        })
        .collect();
    let mut tree = PointTree::default();
    let [mut own_build, mut own_ask, mut peer_build, mut peer_ask] = [const { Vec::new() }; 4];
    for _ in 0..args.rounds {
        let start = Instant::now();
        tree.rebuild(&ScanFrame::new(&points)?);
        own_build.push(milliseconds(start));
        let start = Instant::now();
        for &p in &places {
            black_box(tree.nearest(black_box(p)));
        }
        own_ask.push(milliseconds(start));
        let start = Instant::now();
        let Ok(peer) = ImmutableKdTree::<f64, 3>::new_from_slice_parallel(&arrays) else {
            bail!("kiddo refuses the points");
        };
        peer_build.push(milliseconds(start));
        let start = Instant::now();
        for p in &places {
            let p = black_box(p.to_array());
            black_box(
                peer.query(&p)
                    .nearest_one::<SquaredEuclidean<f64>>()
                    .execute(),
            );
        }
        peer_ask.push(milliseconds(start));
        for p in places.iter().step_by(97) {
            let at = p.to_array();
            let found = peer.query(&at).nearest_one::<SquaredEuclidean<f64>>();
            let theirs = found.execute().distance.sqrt();
            let ours = tree.nearest(*p).map_or(f64::NAN, |hit| hit.distance);
            ensure!(
                (theirs - ours).abs() <= 1e-12,
                "kiddo finds {theirs} and we {ours} at {p}"
            );
        }
    }
    let [own_build, own_ask, peer_build, peer_ask] =
        [&mut own_build, &mut own_ask, &mut peer_build, &mut peer_ask].map(|t| quantile(t, 0.5));
    let each = |ms: f64| ms * 1e6 / places.len() as f64;
    report.say(
        "neighbours",
        &format!(
            "nearest neighbours in {} points: build {own_build:.2} ms, question {:.0} ns; kiddo build {peer_build:.2} ms, question {:.0} ns",
            points.len(),
            each(own_ask),
            each(peer_ask)
        ),
        serde_json::json!({ "points": points.len(), "build_ms": own_build, "ask_ns": each(own_ask), "kiddo_build_ms": peer_build, "kiddo_ask_ns": each(peer_ask) }),
    );
    Ok(())
}
