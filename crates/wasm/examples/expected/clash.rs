use std::error::Error;
use std::sync::Arc;

use impinge::Pose;
use impinge::clash::{ClashKind, ClashOptions};
use impinge::io::{Assembly, PlacedPart};

use crate::{Numbers, model};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let (gear, ball) = (model("gear", 800)?, model("icosphere", 320)?);
    let placed = [
        ("a", &gear, [0.0, 0.0, 0.0]),
        ("b", &gear, [1.5, 0.25, 0.0625]),
        ("c", &ball, [0.0, 0.0, 4.0]),
        ("d", &ball, [0.0, 0.0, 4.0]),
        ("e", &ball, [9.0, 0.0, 0.0]),
        ("f", &ball, [11.0625, 0.0, 0.0]),
    ];
    let mut assembly = Assembly::default();
    for (name, mesh, place) in placed {
        assembly.parts.push(PlacedPart {
            name: name.to_owned(),
            mesh: Arc::clone(mesh.tri_mesh()),
            world_from_part: Pose::from_translation(place)?,
        });
    }
    let options = ClashOptions {
        clearance: Some(0.125),
        ..ClashOptions::default()
    };
    let mut numbers = Numbers::default();
    for clash in assembly.clashes(&options)? {
        let kind = ClashKind::ALL.iter().position(|kind| *kind == clash.kind);
        numbers.add(clash.a.into()).add(clash.b.into());
        numbers.count(kind.ok_or("an unknown kind")?);
        if let Some(depth) = clash.depth {
            numbers.add(depth.lower).add(depth.upper);
        }
        numbers.add(clash.distance);
        numbers.point(clash.points[0]).point(clash.points[1]);
    }
    Ok(numbers)
}
