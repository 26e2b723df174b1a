//! Volume and force under a budget, at a thousand questions a second: by the bare lens sum, and with gaps counted.

use std::time::Instant;

use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge::spheres::{BallOverlap, MeshSolid, SphereTree, TreeCache};
use impinge::volume::OverlapCache;
use impinge::{DVec3, Pose};

use super::scene::{Approach, Packed};
use super::{Args, all, model, open, told};
use crate::Bar;
use crate::measure::quantile;

const MODEL: &str = "armadillo";
const BALLS: usize = 100_000;
/// Cells along the longest side in which gaps are measured.
const RESOLUTION: u32 = 48;
/// Steps of a path of 60 s.
const STEPS: usize = 60_000;
/// Every so many steps the exact volume is asked for too.
const CHECKED: usize = 10;
/// Tests of one question. Steps count by the time they take, about 2 ns a test, so that this is half a millisecond.
const BUDGET: u64 = 200_000;
/// Runs of each question; the shortest stands for its processor time, because others may have been interrupted.
const RUNS: usize = 3;
const MOST_MS: f64 = 1.0;
/// Questions of fewer tests say little about the time of one.
const MANY_TESTS: u64 = 10_000;

/// One way of asking along the path.
struct Mode {
    name: &'static str,
    tree: SphereTree,
    cache: TreeCache,
    walls: Vec<f64>,
    shortest: Vec<f64>,
    per_test: Vec<f64>,
    /// Errors of the value in parts of the truth.
    errors: Vec<f64>,
    cut: usize,
    checked: usize,
    outside: usize,
    largest_jump: f64,
    before: Option<DVec3>,
}

impl Mode {
    fn new(name: &'static str, tree: SphereTree) -> Self {
        Self {
            name,
            tree,
            cache: TreeCache::default(),
            walls: Vec::new(),
            shortest: Vec::new(),
            per_test: Vec::new(),
            errors: Vec::new(),
            cut: 0,
            checked: 0,
            outside: 0,
            largest_jump: 0.0,
            before: None,
        }
    }

    /// Asks for volume and force at a step of the path.
    fn ask(&mut self, pose: &Pose) -> BallOverlap {
        let limits = Limits {
            max_tests: Some(BUDGET),
            ..Limits::default()
        };
        let mut ask = || {
            let start = Instant::now();
            let found = self.tree.overlap(&self.tree, pose, limits, &mut self.cache);
            (found, start.elapsed().as_secs_f64() * 1e3)
        };
        let (found, first) = ask();
        let mut least = first;
        for _ in 1..RUNS {
            least = least.min(ask().1);
        }
        self.walls.push(first);
        self.shortest.push(least);
        let tests = self.cache.tests();
        if tests >= MANY_TESTS {
            self.per_test.push(1e6 * least / tests as f64);
        }
        self.cut += usize::from(found.outcome != Outcome::Complete);
        let force = found.cones.push.force;
        if let Some(last) = self.before {
            let jump = (force - last).length() / found.value.max(1e-12);
            self.largest_jump = self.largest_jump.max(jump);
        }
        self.before = Some(force);
        found
    }

    /// Sets an answer beside the truth.
    fn check(&mut self, found: &BallOverlap, truth: f64) {
        self.checked += 1;
        let is_outside = found.lower > truth * (1.0 + 1e-9) || found.upper < truth * (1.0 - 1e-9);
        self.outside += usize::from(is_outside);
        if truth > 0.0 {
            self.errors.push((found.value / truth - 1.0).abs());
        }
    }

    fn report(&self, empty: &[f64]) -> Bar {
        let at = |sample: &[f64], part| quantile(sample, part).unwrap_or(f64::INFINITY);
        let name = self.name;
        println!(
            "{name}: processor time (shortest of {RUNS}): median {:.3}, 99.9th percentile {:.3}, largest {:.3} ms; wall time of the first: {:.3}, {:.3}, {:.3} ms; of an empty loop: 99.9th percentile {:.4}, largest {:.4} ms",
            at(&self.shortest, 0.5),
            at(&self.shortest, 0.999),
            at(&self.shortest, 1.0),
            at(&self.walls, 0.5),
            at(&self.walls, 0.999),
            at(&self.walls, 1.0),
            at(empty, 0.999),
            at(empty, 1.0)
        );
        println!(
            "{name}: {} of {} questions met their budget; the force changes by at most {:.3} of its volume in a step; the value is off by {:.2} % on average, {:.2} % at the 99th percentile, at {} places",
            self.cut,
            self.walls.len(),
            self.largest_jump,
            100.0 * self.errors.iter().sum::<f64>() / self.errors.len().max(1) as f64,
            100.0 * at(&self.errors, 0.99),
            self.errors.len()
        );
        if !self.per_test.is_empty() {
            println!(
                "{name}: a test takes {:.2} ns in the median, 5th to 95th percentile {:.2} to {:.2} ns",
                at(&self.per_test, 0.5),
                at(&self.per_test, 0.05),
                at(&self.per_test, 0.95)
            );
        }
        all(&[
            told(
                &format!(
                    "{name}: 99.9th percentile of volume and force within 1 ms of processor time"
                ),
                Bar::at_most(quantile(&self.shortest, 0.999), MOST_MS),
            ),
            told(
                &format!(
                    "{name}: the bracket holds the truth at all {} of {} places that were checked",
                    self.checked,
                    self.walls.len()
                ),
                Bar::none_wrong(self.outside as u64, self.checked as u64),
            ),
        ])
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    if !args.wants_model(MODEL) {
        return Ok(open("critical: its model is not wanted"));
    }
    let Some(index) = model(MODEL, 0)? else {
        return Ok(open("critical: its model is not there"));
    };
    let packed = Packed::new(index, args.balls(BALLS), 0)?;
    let counted = {
        let solid = MeshSolid::new(&packed.index)?;
        packed.spheres.clone().with_gaps(&solid, RESOLUTION)
    };
    let steps = if args.quick { STEPS / 30 } else { STEPS };
    println!("## Volume and force within {BUDGET} tests, {steps} steps of a path");
    let mut rng = Rng::new(8);
    let line = Approach::new(&packed, &mut rng)?;
    // Looking up cells for a narrower bracket spends what the value would need: both ways of counting gaps are asked.
    let mut modes = [
        Mode::new("lens sum", packed.spheres.clone()),
        Mode::new("gaps counted", counted.clone().without_cells()),
        Mode::new("gaps counted, narrow bracket", counted),
    ];
    let mut empty = Vec::new();
    let mut exact = OverlapCache::default();
    for step in 0..steps {
        if args.is_over() {
            println!("stopped after {step} steps: the time is up");
            break;
        }
        let t = step as f64 / steps as f64;
        let depth = 0.03 + 0.09 * (1.0 - (40.0 * t).cos()) * 0.5;
        let turn = Pose::from_axis_angle(axis(), 0.6 * (7.0 * t).sin(), [0.0; 3])?;
        let pose = line.at(line.touch - depth * packed.diagonal())? * turn;
        let start = Instant::now();
        std::hint::black_box(&pose);
        empty.push(start.elapsed().as_secs_f64() * 1e3);
        let truth = if step % CHECKED == 0 {
            Some(packed.shared(&pose, &mut exact)?)
        } else {
            None
        };
        for mode in &mut modes {
            let found = mode.ask(&pose);
            if let Some(truth) = truth {
                mode.check(&found, truth);
            }
        }
    }
    let bars: Vec<Bar> = modes.iter().map(|mode| mode.report(&empty)).collect();
    Ok(all(&bars))
}

fn axis() -> DVec3 {
    DVec3::new(0.3, 1.0, 0.2).normalize()
}
