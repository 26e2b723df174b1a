//! The index of points beside the crate kiddo, which is a program of its own.

use std::hint::black_box;
use std::time::Instant;

use impinge::DVec3;
use impinge::math::Rng;
use impinge::scan::{PointIndex, PointTree, ScanFrame, merge};

use super::arm::Room;
use super::{Args, POINTS, Report, milliseconds, quantile};
use crate::Bar;
use crate::clouds::{AGREES, KIDDO, MAX_TIMES, PointFiles, at_full_size, right_at_full_size};

/// Places of the queries.
const PLACES: usize = 100_000;
const EQUAL: &str = "nearest points of a frame as kiddo finds them";

/// Nearest neighbours beside a library for them.
pub(super) fn neighbours(args: &Args, room: &Room, report: &mut Report<'_>) -> anyhow::Result<()> {
    let faster =
        format!("a nearest point of a frame takes at most {MAX_TIMES} × the time of kiddo");
    if args.rounds == 0 {
        report.bar("nearest", EQUAL, Bar::Open);
        report.bar("nearest_time", &faster, Bar::Open);
        return Ok(());
    }
    let pose = Room::world_from_camera(0)?;
    let mut points = Vec::new();
    merge(&[(pose, &room.points(0, 0, 0.0)?)], &mut points);
    let mut rng = Rng::new(8);
    // Half of them near the points, half anywhere in the room.
    let places: Vec<DVec3> = (0..PLACES)
        .map(|k| {
            if k % 2 == 0 {
                points[rng.below(points.len() as u64) as usize] + rng.cube() * 0.05
            } else {
                DVec3::new(0.0, 0.0, 1.2) + rng.cube() * DVec3::new(2.0, 2.0, 1.2)
            }
        })
        .collect();
    let mut tree = PointTree::default();
    let (mut builds, mut asks, mut sum) = (Vec::new(), Vec::new(), 0.0);
    for _ in 0..args.rounds {
        let start = Instant::now();
        tree.rebuild(&ScanFrame::new(&points)?);
        builds.push(milliseconds(start));
        sum = 0.0;
        let start = Instant::now();
        for &p in &places {
            sum += tree
                .nearest(black_box(p))
                .map_or(f64::NAN, |hit| hit.distance);
        }
        asks.push(milliseconds(start));
    }
    let build = quantile(&mut builds, 0.5);
    let ask = quantile(&mut asks, 0.5) * 1e6 / PLACES as f64;
    let kiddo = PointFiles::write(&points, &places)?.ask(KIDDO, args.rounds);
    let is_full = points.len() >= POINTS;
    let (told, equal, times) = match &kiddo {
        Ok(kiddo) => (
            format!(
                "kiddo build {:.2} ms, question {:.0} ns",
                kiddo.build * 1e3,
                kiddo.question * 1e9
            ),
            Bar::of((sum - kiddo.sum).abs() <= AGREES * sum.abs()),
            Some(ask / (kiddo.question * 1e9)),
        ),
        Err(error) => (format!("kiddo: {error:#}"), Bar::Open, None),
    };
    report.say(
        "neighbours",
        &format!(
            "nearest neighbours in {} points: build {build:.2} ms, question {ask:.0} ns; {told}",
            points.len()
        ),
        serde_json::json!({ "points": points.len(), "build_ms": build, "ask_ns": ask, "kiddo_build_ms": kiddo.as_ref().ok().map(|k| k.build * 1e3), "kiddo_ask_ns": kiddo.as_ref().ok().map(|k| k.question * 1e9) }),
    );
    report.bar("nearest", EQUAL, right_at_full_size(is_full, equal));
    let figure = times.map_or_else(String::new, |times| format!(", {times:.2} ×"));
    report.bar(
        "nearest_time",
        &format!("{faster}{figure}"),
        at_full_size(is_full, Bar::at_most(times, MAX_TIMES)),
    );
    Ok(())
}
