//! Virtual clay.
#![expect(
    clippy::unwrap_used,
    reason = "the input of a test is valid, and a panic is a failure"
)]

mod kept;
mod modes;
mod operators;
mod strokes;
mod upkeep;

use impinge::math::Rng;
use impinge::{DVec3, Pose};
use impinge_dynamics::sculpt::{Clay, Pot, SculptOptions, Sculptor, Stroke, Tool, ToolKind};

/// A sculptor of a pot.
fn sculptor(
    pot: Pot,
    polygons: usize,
    tool: ToolKind,
    size: f64,
    options: SculptOptions,
) -> Sculptor {
    let clay = Clay::new(&pot.mesh(polygons).unwrap()).unwrap();
    Sculptor::new(clay, Tool::new(tool, size).unwrap(), options).unwrap()
}

/// A stroke from outside towards a random place near the middle, the tool pointing ahead.
fn random_stroke(rng: &mut Rng, frames: usize, depth: f64) -> Stroke {
    let from = rng.direction();
    let aside = rng.direction() * 0.3;
    // The tool points along −z: its frame is turned so that −z leads from `from` inwards.
    let turn = impinge::glam::DQuat::from_rotation_arc(DVec3::Z, from);
    let pose = |p: DVec3| Pose::from_quaternion(turn, p).unwrap();
    let [start, end] = [1.5, 1.0 - depth].map(|r| pose(from * r + aside * (1.5 - r)));
    Stroke::new(&start, &end, frames, 0.0).unwrap()
}

/// A stroke straight into a face of the clay.
fn face_stroke(clay: &Clay, face: usize, frames: usize) -> Stroke {
    let [a, b, c] = clay.faces()[face].map(|v| clay.positions()[v as usize]);
    let (middle, normal) = ((a + b + c) / 3.0, clay.face_normals()[face]);
    let turn = impinge::glam::DQuat::from_rotation_arc(DVec3::Z, normal);
    let pose = |height: f64| Pose::from_quaternion(turn, middle + normal * height).unwrap();
    Stroke::new(&pose(0.1), &pose(-0.1), frames, 0.0).unwrap()
}
