//! The judge of packings, in rational arithmetic.

use impinge::mesh::point_in_mesh::{Location, locate_by_parity};
use impinge::spheres::{PackOptions, Packing};
use impinge::{DVec3, TriMesh, generate};
use impinge_testkit::oracle::triangle_distance;

pub(crate) fn count(count: usize) -> PackOptions {
    PackOptions {
        count: Some(count),
        ..PackOptions::default()
    }
}

pub(crate) fn cube() -> TriMesh {
    generate::cuboid(DVec3::ONE, [1; 3]).unwrap()
}

/// Escapes and overlaps by rational arithmetic: every face and every pair.
pub(crate) fn judge(mesh: &TriMesh, packing: &Packing) {
    for (i, ball) in packing.balls.iter().enumerate() {
        let inside = locate_by_parity(mesh, ball.center).unwrap();
        assert_eq!(inside, Location::Inside, "ball {i}");
        for triangle in mesh.triangles() {
            let rough = triangle
                .iter()
                .map(|v| (*v - ball.center).length())
                .fold(f64::INFINITY, f64::min);
            let longest = (triangle[0] - triangle[1])
                .length()
                .max((triangle[0] - triangle[2]).length());
            if rough - longest > 1.001 * ball.radius {
                continue;
            }
            let distance = triangle_distance(&[ball.center; 3], &triangle);
            assert!(
                distance.lower >= ball.radius,
                "ball {i} of radius {} is {} from a face",
                ball.radius,
                distance.lower
            );
        }
        for (j, other) in packing.balls[..i].iter().enumerate() {
            let reach = ball.radius + other.radius;
            if (ball.center - other.center).length() > 1.001 * reach {
                continue;
            }
            // The distance of two points is bracketed by rational arithmetic; the sum of radii by its neighbours.
            let apart = triangle_distance(&[ball.center; 3], &[other.center; 3]);
            assert!(apart.lower >= reach.next_down(), "balls {i} and {j}");
        }
    }
}
