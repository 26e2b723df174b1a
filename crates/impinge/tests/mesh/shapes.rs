//! Shapes that several tests make.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use std::f64::consts::{PI, TAU};

use impinge::{DVec3, TriMesh};

/// A ball of circles of latitude and longitude.
pub(crate) fn ball(stacks: u32, slices: u32) -> TriMesh {
    let mut points = vec![DVec3::Z];
    for i in 1..stacks {
        let theta = PI * f64::from(i) / f64::from(stacks);
        for j in 0..slices {
            let phi = TAU * f64::from(j) / f64::from(slices);
            points.push(DVec3::new(
                theta.sin() * phi.cos(),
                theta.sin() * phi.sin(),
                theta.cos(),
            ));
        }
    }
    points.push(-DVec3::Z);
    let last = points.len() as u32 - 1;
    let at = |i: u32, j: u32| 1 + (i - 1) * slices + j % slices;
    let mut faces = Vec::new();
    for j in 0..slices {
        faces.push([0, at(1, j), at(1, j + 1)]);
        for i in 1..stacks - 1 {
            // A point fixed by rounding may bend a flat quadrilateral either way: cut both ways.
            faces.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            faces.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
        faces.push([last, at(stacks - 1, j + 1), at(stacks - 1, j)]);
    }
    TriMesh::new(points, faces).unwrap()
}
