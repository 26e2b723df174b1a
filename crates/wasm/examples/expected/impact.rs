use std::error::Error;

use impinge::glam::DQuat;
use impinge::math::Motion;
use impinge::{Pair, Pose};

use crate::{Numbers, model};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let mut pair = Pair::new(&model("torus-knot", 2000)?, &model("gear", 1000)?)?;
    let pose = |at: [f64; 3], turn: [f64; 4]| {
        Pose::from_quaternion(DQuat::from_array(turn).normalize(), at)
    };
    let start = pose([-6.0, 0.5, 1.0], [0.0, 0.0, 0.0, 1.0])?;
    let end = pose([6.0, -0.25, 0.0], [0.0, 0.0, 0.8, 0.6])?;
    let mut numbers = Numbers::default();
    for motion in [Motion::between(&start, &end), Motion::screw(&start, &end)?] {
        let found = pair.impact(&motion)?;
        let hit = found.value.ok_or("they pass each other")?;
        numbers.add(hit.time).add(found.lower).add(found.upper);
        numbers.point(hit.point).point(hit.normal);
        numbers.matrix(&motion.at(0.25));
    }
    Ok(numbers)
}
