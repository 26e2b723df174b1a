use std::error::Error;

use impinge::query::FacePair;
use impinge::{Mesh, Pair, Pose};

use crate::{Numbers, model};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let brain = impinge::generate::model("brain").ok_or("there is no brain")?;
    let brain: Mesh = brain.make(Some(3000), 1)?.into();
    let scalpel = model("scalpel", 1000)?;
    let mut pair = Pair::new(&brain, &scalpel)?;
    let mut numbers = Numbers::default();
    for at in [[0.25, 0.25, 0.25], [0.125, 0.0, 0.5], [3.0, 0.5, 0.25]] {
        let at = Pose::from_translation(at)?;
        let gap = pair.distance(&at).value.ok_or("nothing is there")?;
        let mut pairs: Vec<FacePair> = Vec::new();
        numbers.truth(pair.intersects(&at));
        let _ = pair.intersections(&at, &mut pairs);
        pairs.sort_unstable();
        for pair in pairs {
            numbers.add(pair.a.raw().into()).add(pair.b.raw().into());
        }
        numbers.add(pair.volume(&at)?.value.volume);
        numbers
            .add(gap.distance)
            .point(gap.point_a)
            .point(gap.point_b);
    }
    Ok(numbers)
}
