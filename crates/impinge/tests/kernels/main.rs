//! Kernels against exact integer oracles, closed forms and independent minimisation.

mod bounds;
mod boxes;
mod distances;
mod eigen;
mod lens;
mod motion;
mod oracle;
mod rays;
mod simd;
mod volumes;

use impinge::DVec3;
use impinge::geom::{
    Ray, RayHit, TriangleFeature, closest_point_on_triangle, ray_triangle, segment_distance,
    segment_parameters, triangle_distance, triangle_meets_box, triangles_intersect,
};
use impinge::math::Rng;
use impinge_testkit::generate::meshes::BOX;

/// Half the distance from 1 to the next float.
const ROUNDING: f64 = f64::EPSILON / 2.0;

fn grid_point(rng: &mut Rng, size: i64) -> oracle::Point {
    std::array::from_fn(|_| rng.grid(-size, size) as i128)
}

/// Triangles of many kinds on a grid: small, large, sliver, degenerate.
fn grid_triangle(rng: &mut Rng, size: i64) -> [oracle::Point; 3] {
    let t: [_; 3] = std::array::from_fn(|_| grid_point(rng, size));
    match rng.below(5) {
        0 => {
            // A sliver: the third corner next to a point between the others.
            let near = grid_point(rng, 1);
            let middle = std::array::from_fn(|k| (t[0][k] + t[1][k]).div_euclid(2) + near[k]);
            [t[0], t[1], middle]
        }
        1 => {
            let near = grid_point(rng, 1);
            [t[0], t[1], std::array::from_fn(|k| t[1][k] + near[k])]
        }
        _ => t,
    }
}

fn float(p: oracle::Point) -> DVec3 {
    DVec3::new(p[0] as f64, p[1] as f64, p[2] as f64)
}

fn extent(points: &[DVec3]) -> f64 {
    let lowest = points.iter().fold(DVec3::INFINITY, |m, &p| m.min(p));
    let highest = points.iter().fold(DVec3::NEG_INFINITY, |m, &p| m.max(p));
    (highest - lowest).max_element()
}

/// Shifts and scales by powers of two, under which every difference stays exact.
const PLACES: [(f64, f64); 5] = [
    (1.0, 0.0),
    (1.0, 1_048_576.0),
    (9.332636185032189e-302, 0.0), // 2^-1000
    (6.223015277861142e-61, 0.0),  // 2^-200
    (1.329227995784916e36, 0.0),   // 2^120
];
