use std::error::Error;
use std::sync::Arc;

use impinge::query::Limits;
use impinge::volume::VolumeIndex;
use impinge::{DVec3, Mesh, Pose, TriMesh};
use impinge_dynamics::coupling::{CouplingStiffness, QuasiStaticCoupling};
use impinge_dynamics::guard::ToolGuard;
use impinge_dynamics::law::ExactVolumeLaw;

use crate::{Numbers, placement};

/// A square plate with a square hole: the inner half width 0 leaves the hole out.
fn plate(outer: f64, inner: f64, height: f64) -> Result<Mesh, Box<dyn Error>> {
    const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let (mut positions, mut faces): (Vec<DVec3>, Vec<[u32; 3]>) = (Vec::new(), Vec::new());
    let has_hole = inner > 0.0;
    let rings: &[f64] = if has_hole { &[outer, inner] } else { &[outer] };
    for z in [-height, height] {
        for r in rings {
            positions.extend(CORNERS.map(|[x, y]| DVec3::new(x * r, y * r, z)));
        }
    }
    let top = 4 * rings.len() as u32;
    for k in 0..4 {
        let n = (k + 1) % 4;
        faces.extend([[k, n, top + n], [k, top + n, top + k]]);
        if has_hole {
            let (i, j, o, p) = (k + 4, n + 4, top + k, top + n);
            faces.extend([[o, p, top + j], [o, top + j, top + i], [k, j, n], [k, i, j]]);
            faces.extend([[i, top + j, j], [i, top + i, top + j]]);
        }
    }
    if !has_hole {
        faces.extend([[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7]]);
    }
    Ok(TriMesh::new(positions, faces)?.into())
}

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let (block, peg) = (plate(0.8, 0.25, 0.35)?, plate(0.24, 0.0, 0.5)?);
    let springs = CouplingStiffness::new(100.0, 10.0)?;
    let start = placement([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])?;
    let bodies = vec![(Arc::clone(block.index()), Pose::IDENTITY)];
    let mut guard = ToolGuard::new(Arc::clone(peg.index()), bodies, springs, start)?;
    let mut coupling = QuasiStaticCoupling::new(springs, start);
    let [block, peg] = [block, peg].map(|mesh| VolumeIndex::new(Arc::clone(mesh.tri_mesh())));
    let mut law = ExactVolumeLaw::new(Arc::new(block?), Pose::IDENTITY, Arc::new(peg?), 4000.0)?;
    let mut numbers = Numbers::default();
    for tick in 0..24 {
        let device = placement([
            0.03125,
            0.0,
            1.0 - 0.03125 * f64::from(tick),
            0.02,
            0.01,
            0.03,
            1.0,
        ])?;
        let held = guard.update(&device);
        numbers.matrix(&held.world_from_tool);
        numbers.point(held.wrench.force).point(held.wrench.torque);
        numbers.count(held.constraints).count(held.rounds);
        let pressed = coupling.update(&mut law, &device, Limits::default());
        numbers.matrix(&pressed.world_from_tool);
        numbers
            .point(pressed.wrench.force)
            .point(pressed.wrench.torque);
        numbers.count(pressed.evaluations);
    }
    Ok(numbers)
}
