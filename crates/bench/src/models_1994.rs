//! The models of 1994, how they bounce in their cage, and what was published about them.

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::math::Rng;
use impinge::query::{First, Limits};
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_study::box_tree::{BoxTree, BoxTreeCache, BoxTreeConfig, CutTree, CutTreeConfig};

/// Faces of the models.
pub(crate) const COUNTS: [usize; 5] = [50, 100, 200, 500, 1000];

/// A model and the published ratios at 50, 100, 500 and 1000 faces.
pub(crate) struct Model1994 {
    pub(crate) name: &'static str,
    pub(crate) make: fn(usize) -> anyhow::Result<TriMesh>,
    pub(crate) published: [Option<f64>; 5],
    /// The published ratio at 1000 faces, to be reached.
    pub(crate) at_thousand: f64,
}

pub(crate) const MODELS_1994: [Model1994; 3] = [
    Model1994 {
        name: "ball",
        make: ball,
        published: [Some(0.47), Some(0.36), None, Some(1.18), Some(2.25)],
        at_thousand: 2.25,
    },
    Model1994 {
        name: "torus",
        make: torus,
        published: [Some(0.9), Some(1.58), None, Some(4.6), Some(20.0)],
        at_thousand: 20.0,
    },
    Model1994 {
        name: "tetra-flake",
        make: tetra_flake,
        published: [Some(0.4), Some(0.5), None, Some(1.6), Some(2.1)],
        at_thousand: 2.1,
    },
];

/// Relative poses of two objects that move and turn in a cage and bounce off each other and its walls.
pub(crate) fn bouncing(mesh: &TriMesh, frames: usize) -> anyhow::Result<Vec<Pose>> {
    let size = mesh.bounds().diagonal().max_element();
    let tree = CutTree::build(Arc::new(mesh.clone()), &CutTreeConfig::default());
    let mut cache = BoxTreeCache::default();
    let mut rng = Rng::new(1994);
    let mut at = [-0.6, 0.6].map(|x| DVec3::new(x * size, 0.0, 0.0));
    let mut speed = [0; 2].map(|_| 0.02 * size * rng.direction());
    let axis = [rng.direction(), rng.direction()];
    let mut angle = [0.0, 0.0];
    let mut turn = [0.03, -0.02];
    let mut poses = Vec::new();
    for _ in 0..frames {
        for i in 0..2 {
            at[i] += speed[i];
            angle[i] += turn[i];
            for k in 0..3 {
                if at[i][k].abs() > 1.1 * size {
                    speed[i][k] = -speed[i][k].abs() * at[i][k].signum();
                }
            }
        }
        let world_from = [
            Pose::from_axis_angle(axis[0], angle[0], at[0])?,
            Pose::from_axis_angle(axis[1], angle[1], at[1])?,
        ];
        let pose = world_from[0].inverse() * world_from[1];
        poses.push(pose);
        let mut first = First::default();
        let _ = tree.intersections(&tree, &pose, Limits::default(), &mut cache, &mut first);
        if first.0.is_some() {
            let away = (at[1] - at[0]).normalize_or(DVec3::X);
            let fast = 0.02 * size;
            speed = [
                fast * (-away + 0.5 * rng.direction()),
                fast * (away + 0.5 * rng.direction()),
            ];
            turn = turn.map(|t| -t);
        }
    }
    Ok(poses)
}

/// Poses in random orientations, pushed together along a random direction until just before contact, or just after.
pub(crate) fn close_poses(mesh: &TriMesh, count: usize) -> anyhow::Result<Vec<Pose>> {
    let size = mesh.bounds().diagonal().length();
    let tree = BoxTree::build(Arc::new(mesh.clone()), &BoxTreeConfig::default());
    let mut cache = BoxTreeCache::default();
    let mut rng = Rng::new(42);
    let mut poses = Vec::new();
    while poses.len() < count {
        let (axis, angle, direction) = (
            rng.direction(),
            rng.range(0.0, std::f64::consts::TAU),
            rng.direction(),
        );
        let (mut apart, mut inside) = (1.2 * size, 0.0);
        for _ in 0..12 {
            let middle = 0.5 * (apart + inside);
            let pose = Pose::from_axis_angle(axis, angle, direction * middle)?;
            let mut first = First::default();
            let _ = tree.intersections(&tree, &pose, Limits::default(), &mut cache, &mut first);
            if first.0.is_some() {
                inside = middle;
            } else {
                apart = middle;
            }
        }
        let shift = if poses.len() % 2 == 0 { apart } else { inside };
        poses.push(Pose::from_axis_angle(axis, angle, direction * shift)?);
    }
    Ok(poses)
}

/// About `faces` faces around a ball: rings between two poles.
fn ball(faces: usize) -> anyhow::Result<TriMesh> {
    // 2·u·(v − 1) faces with u = 2·v.
    let v = ((1.0 + (1.0 + faces as f64).sqrt()) / 2.0).round().max(2.0) as u32;
    let u = (faces as u32).div_ceil(2 * (v - 1)).max(3);
    let mut points = vec![DVec3::Z];
    for j in 1..v {
        let theta = std::f64::consts::PI * f64::from(j) / f64::from(v);
        for i in 0..u {
            let phi = std::f64::consts::TAU * f64::from(i) / f64::from(u);
            let (s, c) = (theta.sin(), theta.cos());
            points.push(DVec3::new(s * phi.cos(), s * phi.sin(), c));
        }
    }
    let south = points.len() as u32;
    points.push(DVec3::NEG_Z);
    let at = |i: u32, j: u32| 1 + (j - 1) * u + i % u;
    let mut all = Vec::new();
    for i in 0..u {
        all.push([0, at(i, 1), at(i + 1, 1)]);
        for j in 1..v - 1 {
            all.push([at(i, j), at(i, j + 1), at(i + 1, j)]);
            all.push([at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]);
        }
        all.push([south, at(i + 1, v - 1), at(i, v - 1)]);
    }
    Ok(TriMesh::new(points, all)?)
}

/// About `faces` faces around a torus of radii 1 and 0.4.
fn torus(faces: usize) -> anyhow::Result<TriMesh> {
    let v = (faces as f64 / 4.0).sqrt().round().max(3.0) as u32;
    let u = (faces as u32).div_ceil(2 * v).max(3);
    let mut points = Vec::new();
    for i in 0..u {
        let phi = std::f64::consts::TAU * f64::from(i) / f64::from(u);
        for j in 0..v {
            let theta = std::f64::consts::TAU * f64::from(j) / f64::from(v);
            let r = 1.0 + 0.4 * theta.cos();
            points.push(DVec3::new(r * phi.cos(), r * phi.sin(), 0.4 * theta.sin()));
        }
    }
    let at = |i: u32, j: u32| i % u * v + j % v;
    let mut all = Vec::new();
    for i in 0..u {
        for j in 0..v {
            all.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
            all.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    Ok(TriMesh::new(points, all)?)
}

/// Flakes deeper than this have millions of faces.
const MOST_DEPTH: u32 = 13;

/// The flake of 1994 whose number of faces, 4, 16, 52, 160, 484, 1456 and so on, is nearest as a
/// ratio: a tetrahedron that carries one of half its size on each face, and so on.
fn tetra_flake(faces: usize) -> anyhow::Result<TriMesh> {
    let count = |depth: u32| 2.0 * (3_f64.powi(depth as i32 + 1) - 1.0);
    let off = |depth: u32| (count(depth) / faces.max(1) as f64).ln().abs();
    let depth = (0..MOST_DEPTH).min_by(|p, q| off(*p).total_cmp(&off(*q)));
    Ok(generate::tetra_flake(1.0, depth.unwrap_or(0))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flake_is_that_of_1994() {
        let counts = COUNTS.map(|faces| tetra_flake(faces).unwrap().face_count());
        assert_eq!(counts, [52, 160, 160, 484, 1456]);
        // Caps stand on faces that stay: all corners of the first tetrahedron are still there, and
        // its faces too.
        let (small, large) = (tetra_flake(4).unwrap(), tetra_flake(52).unwrap());
        assert_eq!(small.positions(), &large.positions()[..4]);
        assert_eq!(small.faces(), &large.faces()[..4]);
        // Caps stand outside, where a Sierpinski tetrahedron has nothing.
        assert!(large.bounds().diagonal().length() > small.bounds().diagonal().length());
    }
}
