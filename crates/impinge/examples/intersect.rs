//! Place a copy of a mesh and list the faces in which the two meet.

use impinge::bvh::{FaceSweep, MeshIndex};
use impinge::generate::cuboid;
use impinge::geom::{Contact, triangle_contact};
use impinge::query::{Count, First, Limits, Outcome};
use impinge::{DVec3, Pose};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let index = FaceSweep::build(cuboid(DVec3::ONE, [1; 3])?.into(), &Default::default());
    let mut cache = Default::default();

    // Turn the copy about the vertical and push it half into the first cube.
    let a_from_b = Pose::from_axis_angle(DVec3::Z, 0.5, [0.5, 0.25, 0.5])?;
    let mut pairs = Vec::new();
    let outcome = index.intersections(&index, &a_from_b, Limits::default(), &mut cache, &mut pairs);
    println!("{} pairs of faces meet, {outcome:?}", pairs.len());

    // How each pair meets, for the placed coordinates.
    let placed = index.mesh().placed(&a_from_b)?;
    let crossing = pairs
        .iter()
        .filter(|pair| {
            let faces = index.mesh().face(pair.a).zip(placed.face(pair.b));
            faces.is_some_and(|(a, b)| triangle_contact(&a, &b) == Contact::Crossing)
        })
        .count();
    println!("{crossing} of them cross, the others only touch");
    // One pair is enough to know that they meet.
    let mut first = First::default();
    let outcome = index.intersections(&index, &a_from_b, Limits::default(), &mut cache, &mut first);
    assert_eq!(outcome, Outcome::StoppedBySink);
    assert_eq!(first.0, pairs.first().copied());

    // Side by side the cubes share a side, and touching counts. A hair apart they do not meet.
    for (x, meets) in [(1.0, true), (1.0_f64.next_up(), false)] {
        let mut count = Count::default();
        let beside = Pose::from_translation([x, 0.0, 0.0])?;
        let outcome =
            index.intersections(&index, &beside, Limits::default(), &mut cache, &mut count);
        println!("moved by {x}: {} pairs, {outcome:?}", count.0);
        assert_eq!(count.0 > 0, meets);
    }
    Ok(())
}
