use std::error::Error;

use impinge::bvh::intersection_curves;
use impinge::convex::{Capsule, Cone};
use impinge::query::{FacePair, Limits};
use impinge::{Pair, Pose};

use crate::{Numbers, model};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let (knot, gear) = (model("torus-knot", 2000)?, model("gear", 2000)?);
    let at = Pose::from_translation([1.5, 0.25, 0.125])?;
    let mut meshes = Pair::new(&knot, &gear)?;
    let mut pairs: Vec<FacePair> = Vec::new();
    let _ = meshes.intersections(&at, &mut pairs);
    pairs.sort_unstable();
    let mut numbers = Numbers::default();
    numbers.truth(meshes.intersects(&at)).count(pairs.len() * 2);
    for pair in &pairs {
        numbers.add(pair.a.raw().into()).add(pair.b.raw().into());
    }
    let (limits, cache) = (Limits::default(), &mut Default::default());
    let met = intersection_curves(&**knot.index(), &**gear.index(), &at, limits, cache);
    for curve in met.curves {
        numbers.truth(curve.is_closed);
        for corner in &curve.points {
            numbers.point(corner.point);
        }
    }
    let capsule = Capsule::new([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], 0.25)?;
    let mut round = Pair::new(Cone::new(0.75, 0.5)?, capsule)?;
    let deep = round.penetration(&Pose::from_translation([0.25, 0.125, 0.25])?)?;
    let deep = deep.value.ok_or("they do not meet")?;
    numbers.add(deep.depth).point(deep.normal);
    let gap = round.distance(&Pose::from_translation([2.0, 1.0, 0.5])?);
    let gap = gap.value.ok_or("nothing is there")?;
    numbers
        .add(gap.distance)
        .point(gap.point_a)
        .point(gap.point_b);
    Ok(numbers)
}
