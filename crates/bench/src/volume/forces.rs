//! Whether forces and torques of full questions are continuous along a path.

use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::TreeCache;
use impinge::{DVec3, Pose};

use super::scene::{Approach, Packed};
use super::{Args, bar, model, open};
use crate::Bar;

const MODEL: &str = "bunny";
const BALLS: usize = 20_000;
const STEPS: [usize; 3] = [400, 800, 1600];
/// A continuous force changes half as much in half a step; this much is let pass.
const MOST_RATIO: f64 = 0.7;

pub(super) fn run(args: &Args) -> anyhow::Result<Bar> {
    if !args.wants_model(MODEL) {
        return Ok(open("forces: its model is not wanted"));
    }
    let Some(index) = model(MODEL, 0)? else {
        return Ok(open("forces: its model is not there"));
    };
    let packed = Packed::new(index, args.balls(BALLS), 0)?;
    println!("## Largest change of force and torque in a step");
    println!("| steps | gradient | its torque | cones | their torque |");
    println!("|---|---|---|---|---|");
    let line = Approach::new(&packed, &mut Rng::new(3))?;
    let tree = &packed.spheres;
    let mut cache = TreeCache::default();
    let mut all: Vec<[f64; 4]> = Vec::new();
    for steps in STEPS {
        let mut most = [0.0_f64; 4];
        let mut before: Option<[DVec3; 4]> = None;
        for step in 0..=steps {
            let t = step as f64 / steps as f64;
            let turn = Pose::from_axis_angle(DVec3::Y, 0.2 * t, DVec3::ZERO)?;
            let pose = line.at(line.touch - (0.01 + 0.05 * t) * packed.diagonal())? * turn;
            let found = tree.overlap(tree, &pose, Limits::default(), &mut cache);
            let now = [
                found.gradient.translation,
                found.gradient.rotation,
                found.cones.push.force,
                found.cones.push.torque,
            ];
            if let Some(before) = before {
                for ((most, now), before) in most.iter_mut().zip(now).zip(before) {
                    *most = most.max((now - before).length());
                }
            }
            before = Some(now);
        }
        println!(
            "| {steps} | {:.2e} | {:.2e} | {:.2e} | {:.2e} |",
            most[0], most[1], most[2], most[3]
        );
        all.push(most);
    }
    let is_continuous = all.windows(2).all(|w| {
        w[1].iter()
            .zip(w[0])
            .all(|(fine, coarse)| *fine <= MOST_RATIO * coarse)
    });
    Ok(bar(
        "changes of force and torque fall with the step: no jump",
        is_continuous,
    ))
}
