use std::error::Error;

use impinge::{Pair, Pose};

use crate::{Numbers, model};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let mut pair = Pair::new(&model("torus-knot", 4000)?, &model("blob", 4000)?)?;
    let mut numbers = Numbers::default();
    for at in [
        [5.0, 0.0, 0.0],
        [4.75, 0.5, 0.25],
        [4.5, 1.0, 0.5],
        [0.25, 0.125, 0.0],
    ] {
        let found = pair.distance(&Pose::from_translation(at)?);
        let gap = found.value.ok_or("nothing is there")?;
        numbers.add(gap.distance).add(found.lower).add(found.upper);
        numbers.point(gap.point_a).point(gap.point_b);
    }
    Ok(numbers)
}
