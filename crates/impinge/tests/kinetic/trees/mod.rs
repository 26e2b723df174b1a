//! Kinetic trees against boxes and envelopes computed from scratch.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

mod boxes;
mod events;
mod maintenance;
mod refit;
mod traversal;

use impinge::bound::Aabb;
use impinge::kinetic::{
    IntervalTree, Keyframes, Kinetic, KineticAabbTree, KineticBoxTree, KineticDopTree, KineticNode,
};
use impinge::math::{Rng, outward_rounding};
use impinge::{DVec3, TriMesh, generate};

/// Faces over shared vertices.
fn faces(rng: &mut Rng, vertices: u32, count: usize) -> Vec<[u32; 3]> {
    (0..count)
        .map(|_| [0; 3].map(|_| rng.below(vertices.into()) as u32))
        .collect()
}

/// Integer places within a range: exact, and with many ties when the range is small.
fn frames(rng: &mut Rng, vertices: usize, keys: usize, range: i64) -> Vec<Vec<DVec3>> {
    let point = |rng: &mut Rng| DVec3::from_array([0; 3].map(|_| rng.grid(-range, range)));
    (0..keys)
        .map(|_| (0..vertices).map(|_| point(rng)).collect())
        .collect()
}

fn times(keys: usize) -> Vec<f64> {
    (0..keys).map(|k| k as f64).collect()
}

/// All nodes with the vertices below them.
fn subtrees(tree: &KineticAabbTree, faces: &[[u32; 3]]) -> Vec<(KineticNode, Vec<u32>)> {
    let mut found = Vec::new();
    let mut open = vec![KineticNode::ROOT];
    while let Some(node) = open.pop() {
        let mut below = Vec::new();
        let mut inner = vec![node];
        while let Some(n) = inner.pop() {
            match tree.children(n) {
                Some(children) => inner.extend(children),
                None => below.extend(faces[tree.face(n).unwrap().index()]),
            }
        }
        below.sort_unstable();
        below.dedup();
        open.extend(tree.children(node).into_iter().flatten());
        found.push((node, below));
    }
    found
}

/// All structures on a plan.
fn structures(flight: &Keyframes, faces: &[[u32; 3]], radius: f64) -> Vec<Box<dyn Kinetic>> {
    vec![
        Box::new(KineticAabbTree::new(flight, faces).unwrap()),
        Box::new(KineticBoxTree::new(flight, faces).unwrap()),
        Box::new(KineticDopTree::new(flight, faces).unwrap()),
        Box::new(IntervalTree::new(flight, faces, radius).unwrap()),
    ]
}

/// A sheet that ripples.
fn ripple(columns: u32, keys: usize) -> (TriMesh, Vec<Vec<DVec3>>) {
    let sheet = generate::cloth(columns, columns).unwrap();
    let frames = (0..keys)
        .map(|k| {
            let phase = 0.4 * k as f64;
            let lift = |p: &DVec3| {
                let wave = libm::sin(9.0 * p.x + phase) * libm::cos(7.0 * p.y - 0.7 * phase);
                DVec3::new(p.x + 0.02 * wave, p.y - 0.03 * wave, 0.2 * wave)
            };
            sheet.positions().iter().map(lift).collect()
        })
        .collect();
    (sheet, frames)
}

/// A box with its sides rounded outwards to `f32`.
fn rounded(b: Aabb) -> Aabb {
    let (min, max) = outward_rounding::outward(b.min, b.max);
    Aabb {
        min: DVec3::from_array(min.map(f64::from)),
        max: DVec3::from_array(max.map(f64::from)),
    }
}
