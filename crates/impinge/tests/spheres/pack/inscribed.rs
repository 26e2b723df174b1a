//! The largest balls of solids that formulas know, in every pose.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::math::Rng;
use impinge::spheres::{MeshSolid, PackOptions, Packing, pack};
use impinge::{DVec3, Pose, TriMesh, generate};

use super::{count, cube, packed};

#[test]
fn a_cube_gets_one_ball_then_eight_in_its_corners() {
    for seed in 0..4 {
        let packing = packed(cube(), &PackOptions { seed, ..count(10) });
        let radii: Vec<f64> = packing.balls.iter().map(|ball| ball.radius).collect();
        assert!((radii[0] - 0.5).abs() < 1e-5, "{radii:?}");
        assert!(packing.balls[0].center.length() < 1e-4);
        let corner = 1.0 - 0.75_f64.sqrt();
        for radius in &radii[1..9] {
            assert!((radius - corner).abs() < 1e-4, "{radii:?}");
        }
        assert!((radii[9] - 0.093_351).abs() < 1e-4, "{radii:?}");
        assert!((packing.fill() - 0.6076).abs() < 1e-3);
    }
}

/// Convex solids with the radius of their largest inscribed ball, by formula.
fn pointed() -> Vec<(&'static str, TriMesh, f64)> {
    // The sides of a cone of `segments` faces touch the ball at the middles of the polygon's sides.
    let cone = |radius: f64, height: f64, segments: u32, rows: u32| {
        let side = radius * (std::f64::consts::PI / f64::from(segments)).cos();
        let inscribed = side * height / (side + side.hypot(height));
        let mesh = generate::cone(radius, height, segments, rows).unwrap();
        (mesh, inscribed)
    };
    let (cone_64, of_cone_64) = cone(1.0, 2.0, 64, 4);
    let (fine, of_fine) = cone(1.0, 2.0, 400, 2);
    let (slender, of_slender) = cone(0.3, 2.0, 32, 2);
    let (pyramid, of_pyramid) = cone(1.0, 1.5, 4, 1);
    let wedge = TriMesh::from_points(
        [
            [0.0, 0.0, 0.0],
            [2.0, 0.0, 0.0],
            [0.0, 0.5, 0.0],
            [0.0, 0.0, 1.0],
            [2.0, 0.0, 1.0],
            [0.0, 0.5, 1.0],
        ],
        [
            [0, 2, 1],
            [3, 4, 5],
            [0, 1, 4],
            [0, 4, 3],
            [1, 2, 5],
            [1, 5, 4],
            [2, 0, 3],
            [2, 3, 5],
        ],
    )
    .unwrap();
    vec![
        ("cone", cone_64, of_cone_64),
        ("fine cone", fine, of_fine),
        ("slender cone", slender, of_slender),
        ("pyramid", pyramid, of_pyramid),
        ("wedge", wedge, 0.5 * (2.5 - 4.25_f64.sqrt())),
        (
            "box",
            generate::cuboid(DVec3::new(9.0, 1.0, 1.3), [1; 3]).unwrap(),
            0.5,
        ),
    ]
}

/// The unturned pose, quarter turns both ways, then random ones.
fn turned(k: u64) -> Pose {
    let quarter = std::f64::consts::FRAC_PI_2;
    let (axis, angle) = match k {
        0 => (DVec3::X, 0.0),
        1 => (DVec3::X, quarter),
        2 => (DVec3::X, -quarter),
        _ => {
            let mut rng = Rng::new(k);
            let axis = DVec3::new(rng.unit() - 0.5, rng.unit() - 0.5, rng.unit() - 0.5);
            (axis, 6.3 * rng.unit())
        }
    };
    Pose::from_axis_angle(axis, angle, DVec3::ZERO).unwrap()
}

#[test]
fn the_largest_inscribed_ball_is_found_in_every_pose() {
    for (name, mesh, inscribed) in pointed() {
        for k in 0..20 {
            let tree = WideTree::new(Arc::new(mesh.placed(&turned(k)).unwrap()));
            let solid = MeshSolid::new(&tree).unwrap();
            for seed in [0, 1 + k] {
                let packing = pack(&solid, &PackOptions { seed, ..count(1) }).unwrap();
                let radius = packing.balls[0].radius;
                assert!(
                    (radius - inscribed).abs() < 1e-3 * inscribed,
                    "{name}, pose {k}, seed {seed}: {radius} instead of {inscribed}"
                );
            }
        }
    }
}

/// The largest clearance among random places of a convex solid, by the planes of its faces.
fn sampled_clearance(mesh: &TriMesh, packing: &Packing, samples: usize) -> f64 {
    let planes: Vec<(DVec3, f64)> = mesh
        .triangles()
        .map(|[a, b, c]| {
            let normal = (b - a).cross(c - a).normalize();
            (normal, normal.dot(a))
        })
        .collect();
    let bounds = mesh.bounds();
    let mut rng = Rng::new(9);
    let mut most = 0.0_f64;
    for _ in 0..samples {
        let part = DVec3::new(rng.unit(), rng.unit(), rng.unit());
        let p = bounds.min + part * bounds.diagonal();
        let mut clearance = f64::INFINITY;
        for (normal, offset) in &planes {
            clearance = clearance.min(offset - normal.dot(p));
            if clearance <= most {
                break;
            }
        }
        for ball in &packing.balls {
            clearance = clearance.min((ball.center - p).length() - ball.radius);
            if clearance <= most {
                break;
            }
        }
        most = most.max(clearance);
    }
    most
}

#[test]
fn tips_are_filled_alike_in_every_pose() {
    for (name, mesh, _) in pointed() {
        // In a long box the largest balls may lie anywhere along the middle, and how many find room is chance.
        if name == "box" {
            continue;
        }
        let mut fills: Vec<f64> = Vec::new();
        for k in 0..4 {
            let mesh = mesh.placed(&turned(k)).unwrap();
            let tree = WideTree::new(Arc::new(mesh.clone()));
            let solid = MeshSolid::new(&tree).unwrap();
            for seed in k..k + if k == 0 { 2 } else { 1 } {
                let packing = pack(&solid, &PackOptions { seed, ..count(200) }).unwrap();
                fills.push(packing.fill());
                let least = packing.balls.last().unwrap().radius;
                let left = sampled_clearance(&mesh, &packing, 10_000);
                assert!(
                    left <= 1.001 * least,
                    "{name}, pose {k}, seed {seed}: {left} is free, {least} was the last"
                );
                let work = packing.work;
                assert!(
                    work.unordered <= 20,
                    "{name}, pose {k}, seed {seed}: {work:?}"
                );
            }
        }
        let least = fills.iter().copied().fold(f64::INFINITY, f64::min);
        let most = fills.iter().copied().fold(0.0, f64::max);
        assert!(most - least < 0.01 * least, "{name}: {fills:?}");
    }
}

#[test]
fn a_ball_is_filled_by_itself() {
    let mesh = generate::icosphere(2.0, 16).unwrap();
    let packing = packed(mesh.clone(), &count(1));
    // The facets cut into the ball; their nearest points decide.
    let inner = mesh
        .triangles()
        .map(|[a, b, c]| (a.dot((b - a).cross(c - a).normalize())).abs())
        .fold(f64::INFINITY, f64::min);
    // Hundreds of facets are almost equally near.
    assert!((packing.balls[0].radius - inner).abs() < 4.0 * 1e-6);
    assert!(packing.balls[0].center.length() < 4.0 * 1e-4);
    assert!(packing.fill() > 0.98);
}
