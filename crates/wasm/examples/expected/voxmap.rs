use std::error::Error;

use impinge::query::Limits;
use impinge::voxmap::{Pointshell, Voxmap, VoxmapQuery};
use impinge::{DVec3, Pose};

use crate::{Numbers, model};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let mesh = model("gear", 800)?;
    let map = Voxmap::new(mesh.tri_mesh(), 24)?;
    let shell = Pointshell::new(mesh.tri_mesh(), 24)?;
    let mut numbers = Numbers::default();
    numbers.add(map.side()).count(map.bytes());
    numbers.count(shell.points().len());
    for step in 0..4 {
        let x = 1.75 + 0.125 * f64::from(step);
        let at = Pose::from_translation(DVec3::new(x, 0.25, 0.0625))?;
        let pressed = VoxmapQuery::new(&map, &shell).at(&at, Limits::default());
        numbers
            .point(pressed.force_on_a)
            .point(pressed.torque_on_a)
            .count(pressed.penetrating)
            .add(pressed.depth.lower)
            .add(pressed.depth.upper)
            .add(pressed.tests as f64);
    }
    let [nx, ny, nz] = map.counts();
    let voxels = (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])));
    for voxel in voxels.filter(|&voxel| map.layer(voxel) == Some(1)) {
        numbers.point(map.center(voxel));
    }
    Ok(numbers)
}
