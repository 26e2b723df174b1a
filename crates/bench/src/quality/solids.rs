//! The solids of the scenes.

use std::f64::consts::TAU;

use anyhow::Context;
use impinge::glam::DVec2;
use impinge::poly::{PolyMesh, triangulate};
use impinge::{DMat3, DVec3, Pose, TriMesh, generate};

/// Radius of cone, ball and cylinder; the unit of length.
pub(super) const R: f64 = 1.0;
/// Height of the cone.
pub(super) const H: f64 = 2.0 * R;
/// How deep its apex is.
pub(super) const DELTA: f64 = H / 3.0;
/// Depth and height of the block with the holes: the length at which pins are in it.
pub(super) const A: f64 = 1.0;
/// Width of that block and of the plate with the pins.
pub(super) const B: f64 = 2.0 * A;
/// Side of the square pin.
pub(super) const C: f64 = 0.5;
/// Radius of the round pin.
pub(super) const PIN: f64 = C / 2.0;
/// Thickness of the plate that carries the pins.
const PLATE: f64 = 0.25;
/// How far pins reach below the block: with their ends in its lower side, lifting them would free volume too.
const BEYOND: f64 = 0.25;

/// A block along x whose top is the plane y = 0.
pub(super) fn block(length: f64, thickness: f64, width: f64) -> anyhow::Result<TriMesh> {
    let block = generate::cuboid(DVec3::new(length, thickness, width), [1; 3])?;
    Ok(block.placed(&Pose::from_translation([0.0, -0.5 * thickness, 0.0])?)?)
}

/// The cone with its apex down, its box around the origin.
pub(super) fn cone(segments: u32) -> anyhow::Result<TriMesh> {
    let upright = generate::cone(R, H, segments, (segments / 16).max(1))?;
    // A quarter turn: z goes to −y.
    let turn = DMat3::from_cols(DVec3::X, DVec3::Z, DVec3::NEG_Y);
    Ok(upright.placed(&Pose::new(turn, DVec3::ZERO)?)?)
}

pub(super) fn ball(segments: u32) -> anyhow::Result<TriMesh> {
    Ok(generate::icosphere(R, (segments / 6).max(1))?)
}

/// A cylinder around z, long enough to seem endless to the ball.
pub(super) fn cylinder(segments: u32) -> anyhow::Result<TriMesh> {
    Ok(generate::cylinder(
        R,
        4.0 * R,
        segments,
        (segments / 8).max(1),
    )?)
}

/// Where the square pin is; the round one is opposite.
pub(super) fn square_at() -> DVec2 {
    DVec2::new(-0.25 * B, 0.0)
}

/// Corners and faces that may have holes, on the way to a mesh.
#[derive(Default)]
struct MeshDraft {
    positions: Vec<DVec3>,
    faces: Vec<Vec<Vec<u32>>>,
}

/// Corners of a closed line, counter-clockwise from above.
type Ring = Vec<u32>;

impl MeshDraft {
    fn ring(&mut self, corners: &[DVec2], z: f64) -> Ring {
        let first = self.positions.len() as u32;
        self.positions.extend(corners.iter().map(|p| p.extend(z)));
        (first..self.positions.len() as u32).collect()
    }

    /// A flat face that looks up.
    fn floor(&mut self, outline: &Ring, holes: &[&Ring]) {
        let mut loops = vec![outline.clone()];
        loops.extend(holes.iter().map(|hole| reversed(hole)));
        self.faces.push(loops);
    }

    /// A flat face that looks down.
    fn ceiling(&mut self, outline: &Ring, holes: &[&Ring]) {
        let mut loops = vec![reversed(outline)];
        loops.extend(holes.iter().map(|hole| (*hole).clone()));
        self.faces.push(loops);
    }

    /// Walls that look outwards.
    fn walls(&mut self, low: &Ring, high: &Ring) {
        for i in 0..low.len() {
            let next = (i + 1) % low.len();
            self.faces
                .push(vec![vec![low[i], low[next], high[next], high[i]]]);
        }
    }

    /// Walls that look inwards.
    fn inner_walls(&mut self, low: &Ring, high: &Ring) {
        for i in 0..low.len() {
            let next = (i + 1) % low.len();
            self.faces
                .push(vec![vec![low[next], low[i], high[i], high[next]]]);
        }
    }

    fn finish(self) -> anyhow::Result<TriMesh> {
        let solid = triangulate(&PolyMesh::new(self.positions, self.faces)?);
        anyhow::ensure!(solid.findings.is_empty(), "{:?}", solid.findings);
        Ok(solid.mesh)
    }
}

fn reversed(ring: &Ring) -> Ring {
    ring.iter().rev().copied().collect()
}

fn rectangle(center: DVec2, size: DVec2) -> Vec<DVec2> {
    let half = 0.5 * size;
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .map(|(x, y)| center + DVec2::new(x * half.x, y * half.y))
        .to_vec()
}

/// The outlines of the pins: square, and round if wanted.
fn outlines(segments: u32, with_round: bool) -> Vec<Vec<DVec2>> {
    let mut outlines = vec![rectangle(square_at(), DVec2::splat(C))];
    if with_round {
        let corner = |i: u32| {
            // Half a step aside, so that no corner lies on an axis.
            let angle = TAU * (f64::from(i) + 0.5) / f64::from(segments);
            -square_at() + DVec2::new(angle.cos(), angle.sin()) * PIN
        };
        outlines.push((0..segments).map(corner).collect());
    }
    outlines
}

/// The plate above z = 0 with the pins below it.
pub(super) fn pins(segments: u32, with_round: bool) -> anyhow::Result<TriMesh> {
    let mut draft = MeshDraft::default();
    let plate = rectangle(DVec2::ZERO, DVec2::new(B, A));
    let (low, high) = (draft.ring(&plate, 0.0), draft.ring(&plate, PLATE));
    draft.walls(&low, &high);
    draft.floor(&high, &[]);
    let mut roots = Vec::new();
    for outline in outlines(segments, with_round) {
        let (end, root) = (draft.ring(&outline, -A - BEYOND), draft.ring(&outline, 0.0));
        draft.walls(&end, &root);
        draft.ceiling(&end, &[]);
        roots.push(root);
    }
    let roots: Vec<&Ring> = roots.iter().collect();
    draft.ceiling(&low, &roots);
    draft.finish().context("the pins")
}

/// The block below z = 0 with matching holes through it.
pub(super) fn holes(segments: u32, with_round: bool) -> anyhow::Result<TriMesh> {
    let mut draft = MeshDraft::default();
    let outline = rectangle(DVec2::ZERO, DVec2::new(B, A));
    let (low, high) = (draft.ring(&outline, -A), draft.ring(&outline, 0.0));
    draft.walls(&low, &high);
    let (mut lows, mut highs) = (Vec::new(), Vec::new());
    for outline in outlines(segments, with_round) {
        let (low, high) = (draft.ring(&outline, -A), draft.ring(&outline, 0.0));
        draft.inner_walls(&low, &high);
        lows.push(low);
        highs.push(high);
    }
    let (lows, highs): (Vec<&Ring>, Vec<&Ring>) = (lows.iter().collect(), highs.iter().collect());
    draft.floor(&high, &highs);
    draft.ceiling(&low, &lows);
    draft.finish().context("the holes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::mesh::{classify, mass};

    #[test]
    fn solids_are_closed_and_have_their_volumes() {
        let round = |n: u32| 0.5 * f64::from(n) * PIN * PIN * (TAU / f64::from(n)).sin();
        let n = 24;
        let expected = [
            (
                pins(n, true),
                B * A * PLATE + (A + BEYOND) * (C * C + round(n)),
            ),
            (pins(n, false), B * A * PLATE + (A + BEYOND) * C * C),
            (holes(n, true), A * (B * A - C * C - round(n))),
            (holes(n, false), A * (B * A - C * C)),
            (block(6.0, 2.0, 3.0), 36.0),
        ];
        for (mesh, volume) in expected {
            let mesh = mesh.unwrap();
            assert!(classify(&mesh).is_solid());
            assert!((mass(&mesh).unwrap().volume - volume).abs() < 1e-12);
        }
    }

    #[test]
    fn the_cone_stands_on_its_apex() {
        let cone = cone(48).unwrap();
        let lowest = cone.positions().iter().fold(0.0_f64, |y, p| y.min(p.y));
        let count = cone.positions().iter().filter(|p| p.y == lowest).count();
        assert_eq!((lowest, count), (-0.5 * H, 1));
    }
}
