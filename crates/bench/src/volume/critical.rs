//! Volume and force under a budget, at a thousand questions a second.

use std::time::Instant;

use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge::spheres::TreeCache;
use impinge::volume::OverlapCache;
use impinge::{DVec3, Pose};

use super::scene::{Approach, Packed};
use super::{Args, all, model, open, told};
use crate::Bar;
use crate::measure::quantile;

const MODEL: &str = "armadillo";
const BALLS: usize = 100_000;
/// Steps of a path of 60 s.
const STEPS: usize = 60_000;
/// Tests of one question. Steps count by the time they take, about 2 ns a test, so that this is half a millisecond.
const BUDGET: u64 = 200_000;
/// Runs of each question; the shortest stands for its processor time, because others may have been interrupted.
const RUNS: usize = 3;
const MOST_MS: f64 = 1.0;
/// Questions of fewer tests say little about the time of one.
const MANY_TESTS: u64 = 10_000;

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    if !args.wants_model(MODEL) {
        return Ok(open("critical: its model is not wanted"));
    }
    let Some(index) = model(MODEL, 0)? else {
        return Ok(open("critical: its model is not there"));
    };
    let packed = Packed::new(index, args.balls(BALLS), 0)?;
    let steps = if args.quick { STEPS / 30 } else { STEPS };
    println!("## Volume and force within {BUDGET} tests, {steps} steps of a path");
    let mut rng = Rng::new(8);
    let line = Approach::new(&packed, &mut rng)?;
    let limits = Limits {
        max_tests: Some(BUDGET),
        ..Limits::default()
    };
    let (mut walls, mut shortest, mut empty) = (Vec::new(), Vec::new(), Vec::new());
    let mut per_test = Vec::new();
    let (mut cut, mut outside, mut checked, mut largest_jump) = (0, 0, 0, 0.0_f64);
    let mut cache = TreeCache::default();
    let mut exact = OverlapCache::default();
    let mut before: Option<DVec3> = None;
    let tree = &packed.spheres;
    for step in 0..steps {
        if args.is_over() {
            println!("stopped after {step} steps: the time is up");
            break;
        }
        let t = step as f64 / steps as f64;
        let depth = 0.03 + 0.09 * (1.0 - (40.0 * t).cos()) * 0.5;
        let turn = Pose::from_axis_angle(axis(), 0.6 * (7.0 * t).sin(), [0.0; 3])?;
        let pose = line.at(line.touch - depth * packed.diagonal())? * turn;
        let mut times = [0.0; RUNS];
        let mut found = None;
        for time in &mut times {
            let start = Instant::now();
            found = Some(tree.overlap(tree, &pose, limits, &mut cache));
            *time = start.elapsed().as_secs_f64() * 1e3;
        }
        walls.push(times[0]);
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        shortest.push(least);
        if cache.tests() >= MANY_TESTS {
            per_test.push(1e6 * least / cache.tests() as f64);
        }
        let start = Instant::now();
        std::hint::black_box(&pose);
        empty.push(start.elapsed().as_secs_f64() * 1e3);
        let Some(found) = found else { continue };
        cut += usize::from(found.outcome != Outcome::Complete);
        let force = found.cones.push.force;
        if let Some(last) = before {
            largest_jump = largest_jump.max((force - last).length() / found.value.max(1e-12));
        }
        before = Some(force);
        if step % (steps / 200).max(1) == 0 {
            let truth = packed.shared(&pose, &mut exact)?;
            checked += 1;
            outside += usize::from(found.lower > truth * (1.0 + 1e-9))
                + usize::from(found.upper < truth * (1.0 - 1e-9));
        }
    }
    let at = |sample: &[f64], part| quantile(sample, part).unwrap_or(f64::INFINITY);
    println!(
        "processor time (shortest of {RUNS}): median {:.3}, 99.9th percentile {:.3}, largest {:.3} ms; wall time of the first: {:.3}, {:.3}, {:.3} ms; of an empty loop: 99.9th percentile {:.4}, largest {:.4} ms",
        at(&shortest, 0.5),
        at(&shortest, 0.999),
        at(&shortest, 1.0),
        at(&walls, 0.5),
        at(&walls, 0.999),
        at(&walls, 1.0),
        at(&empty, 0.999),
        at(&empty, 1.0)
    );
    println!(
        "{cut} of {} questions met their budget; the force changes by at most {largest_jump:.3} of its volume in a step",
        walls.len()
    );
    if !per_test.is_empty() {
        println!(
            "a test takes {:.2} ns in the median, 5th to 95th percentile {:.2} to {:.2} ns",
            at(&per_test, 0.5),
            at(&per_test, 0.05),
            at(&per_test, 0.95)
        );
    }
    Ok(all(&[
        told(
            "99.9th percentile of volume and force within 1 ms of processor time",
            Bar::at_most(quantile(&shortest, 0.999), MOST_MS),
        ),
        told(
            &format!("the bracket holds the truth at all {checked} places that were checked"),
            Bar::none_wrong(outside as u64, checked),
        ),
    ]))
}

fn axis() -> DVec3 {
    DVec3::new(0.3, 1.0, 0.2).normalize()
}
