//! Volume and force under a budget, at a thousand questions a second: by the bare lens sum, and with gaps counted.

use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge::spheres::{InnerSphereTree, InnerSphereTreeCache, MeshSolid};
use impinge::volume::OverlapCache;
use impinge::{DVec3, Pose};

use super::scene::{ApproachLine, PackedModel};
use super::{Args, all, held, model, open, sized};
use crate::Bar;
use crate::exact_volume::empty_loop;
use crate::pair_measurement::quantile;
use crate::thread_cpu_time::{MOST_STEP_MS, clock_step, spent};

const MODEL: &str = "armadillo";
const BALLS: usize = 100_000;
/// Cells along the longest side in which gaps are measured.
const RESOLUTION: u32 = 48;
/// Steps of a path of 60 s.
const STEPS: usize = 60_000;
/// Tests of one question. Steps count by the time they take, about 2 ns a test, so that this is half a millisecond.
const BUDGET: u64 = 200_000;
const MOST_MS: f64 = 1.0;
/// How far off the value may be on average, and by which part of its largest a force may change in
/// a step.
const MOST_OFF: f64 = 0.05;
const MOST_JUMP: f64 = 0.05;
/// Questions of fewer tests say little about the time of one.
const MANY_TESTS: u64 = 10_000;
/// What is watched for jumps.
const WATCHED: [&str; 4] = [
    "force of the value",
    "its torque",
    "force by cones",
    "its torque",
];

/// One way of asking along the path.
struct QueryMode {
    name: &'static str,
    tree: InnerSphereTree,
    walls: Vec<f64>,
    processor: Vec<f64>,
    per_test: Vec<f64>,
    /// The bracket and the value at each step.
    answers: Vec<[f64; 3]>,
    cut: usize,
    jumps: ForceJumps,
}

/// Changes of forces and torques from one step to the next, and how large they ever are.
#[derive(Default)]
struct ForceJumps {
    before: Option<[DVec3; 4]>,
    changes: [Vec<f64>; 4],
    largest: [f64; 4],
}

impl ForceJumps {
    fn see(&mut self, now: [DVec3; 4]) {
        for (k, now) in now.into_iter().enumerate() {
            self.largest[k] = self.largest[k].max(now.length());
            if let Some(before) = self.before {
                self.changes[k].push((now - before[k]).length());
            }
        }
        self.before = Some(now);
    }

    /// Tells all of them; gives the largest change of the force of the value, in parts of its
    /// largest length.
    fn report(&self, name: &str) -> Option<f64> {
        for (k, what) in WATCHED.into_iter().enumerate() {
            let at = |part| quantile(&self.changes[k], part).unwrap_or(f64::NAN);
            let unit = self.largest[k].max(f64::MIN_POSITIVE);
            println!(
                "{name}: {what} changes in a step by {:.5} of its largest length in the median, {:.4} at the 99.9th percentile, {:.4} at most",
                at(0.5) / unit,
                at(0.999) / unit,
                at(1.0) / unit
            );
        }
        let most = quantile(&self.changes[0], 1.0)?;
        Some(most / self.largest[0].max(f64::MIN_POSITIVE))
    }
}

impl QueryMode {
    fn new(name: &'static str, tree: InnerSphereTree) -> Self {
        Self {
            name,
            tree,
            walls: Vec::new(),
            processor: Vec::new(),
            per_test: Vec::new(),
            answers: Vec::new(),
            cut: 0,
            jumps: ForceJumps::default(),
        }
    }

    /// Asks for volume and force along the path, once at each step and nothing else meanwhile.
    fn walk(&mut self, poses: &[Pose], args: &Args) {
        let limits = Limits {
            max_tests: Some(BUDGET),
            ..Limits::default()
        };
        let mut cache = InnerSphereTreeCache::default();
        for pose in poses {
            if args.is_over() {
                println!(
                    "{}: stopped after {} steps, the time is up",
                    self.name,
                    self.walls.len()
                );
                break;
            }
            let (found, time) = spent(|| self.tree.overlap(&self.tree, pose, limits, &mut cache));
            self.walls.push(time.wall);
            self.processor.push(time.processor);
            if cache.tests() >= MANY_TESTS {
                let each = 1e6 * time.processor / cache.tests() as f64;
                self.per_test.push(each);
            }
            self.cut += usize::from(found.outcome != Outcome::Complete);
            self.answers.push([found.lower, found.value, found.upper]);
            let push = found.cones.push.about(pose.translation());
            let force = found.value_gradient.translation;
            self.jumps.see([
                force,
                found.value_gradient.rotation - pose.translation().cross(force),
                push.force,
                push.torque,
            ]);
        }
    }

    /// Sets the answers beside the truth, and prints what they took.
    fn report(&self, truths: &[f64], is_full: bool, is_fine: bool) -> Bar {
        let at = |sample: &[f64], part| quantile(sample, part).unwrap_or(f64::NAN);
        let name = self.name;
        let show = |what: &str, sample: &[f64]| {
            println!(
                "{name}: {what}: median {:.3}, 99.9th percentile {:.3}, largest {:.3} ms",
                at(sample, 0.5),
                at(sample, 0.999),
                at(sample, 1.0)
            );
        };
        show("processor time of the thread", &self.processor);
        show("wall time", &self.walls);
        show(
            "wall time of a loop about as long, without memory",
            &empty_loop(self.walls.len(), at(&self.walls, 0.5)),
        );
        let (mut outside, mut errors) = (0, Vec::new());
        for (&[lower, value, upper], &truth) in self.answers.iter().zip(truths) {
            outside += usize::from(lower > truth * (1.0 + 1e-9) || upper < truth * (1.0 - 1e-9));
            if truth > 0.0 {
                errors.push((value / truth - 1.0).abs());
            }
        }
        let checked = self.answers.len().min(truths.len());
        println!(
            "{name}: {} of {} questions met their budget; the value is off by {:.2} % on average, {:.2} % at the 99th percentile, at {} places",
            self.cut,
            self.walls.len(),
            100.0 * errors.iter().sum::<f64>() / errors.len().max(1) as f64,
            100.0 * at(&errors, 0.99),
            errors.len()
        );
        let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        let jump = self.jumps.report(name);
        if !self.per_test.is_empty() {
            println!(
                "{name}: a test takes {:.2} ns in the median, 5th to 95th percentile {:.2} to {:.2} ns",
                at(&self.per_test, 0.5),
                at(&self.per_test, 0.05),
                at(&self.per_test, 0.95)
            );
        }
        let is_full = is_full && checked == STEPS;
        all(&[
            sized(
                &format!(
                    "{name}: 99.9th percentile of volume and force within 1 ms of the thread's processor time, {} steps",
                    self.processor.len()
                ),
                Bar::at_most(quantile(&self.processor, 0.999), MOST_MS),
                is_full && is_fine,
            ),
            sized(
                &format!(
                    "{name}: the value within {:.0} % of the truth on average, budget included",
                    100.0 * MOST_OFF
                ),
                Bar::at_most((!errors.is_empty()).then_some(mean), MOST_OFF),
                is_full,
            ),
            sized(
                &format!(
                    "{name}: no step changes the force of the value by more than {:.0} % of its largest",
                    100.0 * MOST_JUMP
                ),
                Bar::at_most(jump, MOST_JUMP),
                is_full,
            ),
            held(
                &format!("{name}: the bracket holds the truth at all {checked} places"),
                Bar::none_wrong(outside as u64, checked as u64),
                is_full,
            ),
        ])
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    if !args.wants_model(MODEL) {
        return Ok(open("critical: its model is not wanted"));
    }
    let Some(index) = model(MODEL)? else {
        return Ok(open("critical: its model is not there"));
    };
    let packed = PackedModel::new(index, args.balls(BALLS), 0)?;
    let counted = {
        let solid = MeshSolid::new(&packed.index)?;
        packed.spheres.clone().with_gaps(&solid, RESOLUTION)
    };
    let steps = if args.quick { STEPS / 30 } else { STEPS };
    println!("## Volume and force within {BUDGET} tests, {steps} steps of a path");
    let step = clock_step();
    match step {
        Some(step) => println!("the clock of a thread steps by {:.1} µs", 1e3 * step),
        None => println!("there is no clock of a thread; its bars are not measured"),
    }
    let is_fine = step.is_some_and(|step| step <= MOST_STEP_MS);
    let mut rng = Rng::new(8);
    let line = ApproachLine::new(&packed, &mut rng)?;
    let mut poses = Vec::new();
    for step in 0..steps {
        let t = step as f64 / steps as f64;
        let depth = 0.03 + 0.09 * (1.0 - (40.0 * t).cos()) * 0.5;
        let turn = Pose::from_axis_angle(axis(), 0.6 * (7.0 * t).sin(), [0.0; 3])?;
        poses.push(line.at(line.touch - depth * packed.diagonal())? * turn);
    }
    // Looking up cells for a narrower bracket spends what the value would need: both ways of counting gaps are asked.
    let mut modes = [
        QueryMode::new("lens sum", packed.spheres.clone()),
        QueryMode::new("gaps counted", counted.clone().without_cells()),
        QueryMode::new("gaps counted, narrow bracket", counted),
    ];
    for mode in &mut modes {
        mode.walk(&poses, args);
    }
    let mut exact = OverlapCache::default();
    let mut truths = Vec::new();
    for pose in &poses {
        if args.is_over() {
            println!("{} places were checked, the time is up", truths.len());
            break;
        }
        truths.push(packed.shared(pose, &mut exact)?);
    }
    let is_full = args.is_full(BALLS) && packed.spheres.balls().len() == BALLS;
    let bars: Vec<Bar> = modes
        .iter()
        .map(|mode| mode.report(&truths, is_full, is_fine))
        .collect();
    Ok(all(&bars))
}

fn axis() -> DVec3 {
    DVec3::new(0.3, 1.0, 0.2).normalize()
}
