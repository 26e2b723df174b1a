//! Whether forces and torques of full questions are continuous along a path: they change with the step, and by no more than the
//! balls that overlap allow.

use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::InnerSphereTreeCache;
use impinge::{DVec3, Pose};
use impinge_testkit::forces::{WATCHED, largest_change, watched};

use super::scene::{ApproachLine, PackedModel};
use super::{Args, all, held, model, open};
use crate::Bar;

const MODEL: &str = "bunny";
const BALLS: usize = 20_000;
/// Cells along the longest side in which gaps are measured.
const RESOLUTION: u32 = 32;
const STEPS: [usize; 3] = [400, 800, 1600];
/// A continuous force changes half as much in half a step; this much is let pass.
const MOST_RATIO: f64 = 0.7;
/// Every so many steps of the finest path a change is set beside its estimate, which looks at all pairs of balls.
const ESTIMATED: usize = 40;
/// Estimates are of one place, and what changes in a step is not quite that.
const ROOM: f64 = 1.5;
/// The turn along the path, in radians.
const TURN: f64 = 0.2;
/// The way along it, in diagonals.
const DEPTHS: [f64; 2] = [0.01, 0.06];

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    if !args.wants_model(MODEL) {
        return Ok(open("forces: its model is not wanted"));
    }
    let Some(index) = model(MODEL)? else {
        return Ok(open("forces: its model is not there"));
    };
    let packed = PackedModel::new(index, args.balls(BALLS), RESOLUTION)?;
    println!("## Largest change of force and torque in a step");
    println!("| steps | {} |", WATCHED.join(" | "));
    println!("|---|---|---|---|---|---|---|");
    let line = ApproachLine::new(&packed, &mut Rng::new(3))?;
    let (tree, diagonal) = (&packed.spheres, packed.diagonal());
    let place = |t: f64| -> anyhow::Result<Pose> {
        let turn = Pose::from_axis_angle(DVec3::Y, TURN * t, DVec3::ZERO)?;
        let depth = DEPTHS[0] + (DEPTHS[1] - DEPTHS[0]) * t;
        Ok(line.at(line.touch - depth * diagonal)? * turn)
    };
    let mut cache = InnerSphereTreeCache::default();
    let mut changes: Vec<[f64; 6]> = Vec::new();
    let mut largest = [0.0_f64; 6];
    // The largest change in parts of its estimate, and how many were estimated.
    let (mut parts, mut estimated) = ([0.0_f64; 6], 0);
    for steps in STEPS {
        let mut most = [0.0_f64; 6];
        let mut before: Option<[DVec3; 6]> = None;
        for step in 0..=steps {
            let pose = place(step as f64 / steps as f64)?;
            let found = tree.overlap(tree, &pose, Limits::default(), &mut cache);
            let now = watched(&found);
            if let Some(before) = before {
                let change = |k: usize| (now[k] - before[k]).length();
                for k in 0..6 {
                    most[k] = most[k].max(change(k));
                    largest[k] = largest[k].max(now[k].length());
                }
                if steps == STEPS[2] && step % ESTIMATED == 0 && !args.is_over() {
                    let step = 1.0 / steps as f64;
                    let way = (DEPTHS[1] - DEPTHS[0]) * diagonal * step;
                    let most = largest_change(tree, tree, &pose, way, TURN * step);
                    for k in 0..6 {
                        parts[k] = parts[k].max(change(k) / most[k].max(f64::MIN_POSITIVE));
                    }
                    estimated += 1;
                }
            }
            before = Some(now);
        }
        let shown = most.map(|change| format!("{change:.2e}"));
        println!("| {steps} | {} |", shown.join(" | "));
        changes.push(most);
    }
    let shown = parts.map(|part| format!("{part:.3}"));
    println!("| in estimates | {} |", shown.join(" | "));
    let is_full = args.is_full(BALLS) && tree.balls().len() == BALLS;
    let has_forces = largest.iter().all(|&length| length > 0.0);
    let falls = changes.windows(2).all(|w| {
        w[1].iter()
            .zip(w[0])
            .all(|(fine, coarse)| *fine <= MOST_RATIO * coarse)
    });
    let falls = if has_forces {
        Bar::of(falls)
    } else {
        Bar::Open
    };
    let is_within = if has_forces && estimated > 0 {
        Bar::of(parts.iter().all(|&part| part <= ROOM))
    } else {
        Bar::Open
    };
    Ok(all(&[
        held(
            "changes of force and torque fall with the step, gaps counted and not: no jump",
            falls,
            is_full,
        ),
        held(
            &format!(
                "no change of force or torque above its Lipschitz estimate, at {estimated} places"
            ),
            is_within,
            is_full && estimated == STEPS[2] / ESTIMATED,
        ),
    ]))
}
