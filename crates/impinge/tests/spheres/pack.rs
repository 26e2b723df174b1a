//! Packings: known truths, exact feasibility, determinism, bad input.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::bvh::MeshIndex;
use impinge::bvh::wide::WideTree;
use impinge::math::Rng;
use impinge::mesh::inside::{Location, locate_by_parity};
use impinge::spheres::{
    Ascent, Cooling, Interior, MeshSolid, PackEnd, PackError, PackOptions, Packing, SolidError,
    VoxelOptions, exchange, pack, pack_interior, pack_single, pack_voxels, pack_voxels_with,
    pack_with, voronoi_nodes,
};
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_testkit::oracle::triangle_distance;

fn count(count: usize) -> PackOptions {
    PackOptions {
        count: Some(count),
        ..PackOptions::default()
    }
}

fn packed(mesh: TriMesh, options: &PackOptions) -> Packing {
    let tree = WideTree::new(Arc::new(mesh));
    pack(&MeshSolid::new(&tree).unwrap(), options).unwrap()
}

fn cube() -> TriMesh {
    generate::cuboid(DVec3::ONE, [1; 3]).unwrap()
}

/// Escapes and overlaps by rational arithmetic: every face and every pair.
fn judge(mesh: &TriMesh, packing: &Packing) {
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

#[test]
fn a_full_ball_ends_by_itself() {
    let mesh = generate::icosphere(1.0, 40).unwrap();
    let packing = packed(mesh, &count(1_000_000));
    assert_eq!(packing.end, PackEnd::Full);
}

#[test]
fn balls_are_inside_and_disjoint_by_rational_arithmetic() {
    let turned =
        Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), 0.7, DVec3::new(5.0, -3.0, 100.0));
    let models = [
        cube(),
        generate::torus(1.0, 0.3, 24, 12).unwrap(),
        generate::tetrahedron(1e-3).unwrap(),
        generate::blob(6).unwrap(),
        cube().placed(&turned.unwrap()).unwrap(),
    ];
    for mesh in models {
        let packing = packed(mesh.clone(), &count(150));
        assert_eq!(packing.balls.len(), 150);
        judge(&mesh, &packing);
    }
}

#[test]
fn our_own_check_finds_no_fault_either_and_radii_do_not_increase() {
    let mesh = generate::torus(1.0, 0.3, 48, 24).unwrap();
    let tree = WideTree::new(Arc::new(mesh));
    let solid = MeshSolid::new(&tree).unwrap();
    let packing = pack(&solid, &count(3000)).unwrap();
    assert!(packing.check(&solid).is_feasible());
    assert!(packing.balls.windows(2).all(|w| w[1].radius <= w[0].radius));
    assert!(packing.fill() > 0.8, "{}", packing.fill());
    let mut broken = packing.clone();
    broken.balls[7].radius *= 1.01;
    assert!(!broken.check(&solid).is_feasible());
}

#[test]
fn threads_do_not_change_a_bit_and_seeds_do() {
    let mesh = Arc::new(generate::blob(8).unwrap());
    let tree = WideTree::new(Arc::clone(&mesh));
    let solid = MeshSolid::new(&tree).unwrap();
    let with = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| pack(&solid, &PackOptions { seed, ..count(300) }).unwrap())
    };
    let one = with(1, 5);
    for threads in [2, 3, 7] {
        assert_eq!(with(threads, 5), one);
    }
    assert_ne!(with(1, 6).balls, one.balls);
}

#[test]
fn packing_stops_at_the_first_bound() {
    let mesh = generate::torus(1.0, 0.3, 24, 12).unwrap();
    let by_fill = packed(
        mesh.clone(),
        &PackOptions {
            fill: Some(0.7),
            count: None,
            ..PackOptions::default()
        },
    );
    assert_eq!(by_fill.end, PackEnd::Fill);
    assert!(
        by_fill.fill() >= 0.7 && by_fill.fill() < 0.71,
        "{}",
        by_fill.fill()
    );
    let by_radius = packed(
        mesh,
        &PackOptions {
            min_radius: Some(0.05),
            count: None,
            ..PackOptions::default()
        },
    );
    assert_eq!(by_radius.end, PackEnd::MinRadius);
    let least = by_radius.balls.last().unwrap().radius;
    assert!((0.0499..0.06).contains(&least), "{least}");
}

#[test]
fn cancelling_leaves_a_valid_packing() {
    let mesh = generate::torus(1.0, 0.3, 24, 12).unwrap();
    let tree = WideTree::new(Arc::new(mesh.clone()));
    let solid = MeshSolid::new(&tree).unwrap();
    let mut calls = 0;
    let packing = pack_with(&solid, &count(100_000), &mut |_| {
        calls += 1;
        if calls == 20 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
    .unwrap();
    assert_eq!(packing.end, PackEnd::Cancelled);
    assert!(!packing.balls.is_empty());
    judge(&mesh, &packing);
}

#[test]
fn meshes_without_an_inside_are_refused_by_name() {
    let refused = |mesh: TriMesh| {
        let tree = WideTree::new(Arc::new(mesh));
        MeshSolid::new(&tree).map(|_| ()).unwrap_err()
    };
    assert_eq!(refused(TriMesh::default()), SolidError::Empty);
    let (positions, faces) = cube().into_parts();
    let open = TriMesh::new(positions.clone(), faces[1..].to_vec()).unwrap();
    assert!(matches!(refused(open), SolidError::NotClosed { .. }));
    let mut turned_face = faces.clone();
    turned_face[0].swap(0, 1);
    let torn = TriMesh::new(positions.clone(), turned_face).unwrap();
    assert!(matches!(refused(torn), SolidError::NotClosed { .. }));
    let inside_out = faces.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let inverted = TriMesh::new(positions, inside_out).unwrap();
    assert!(matches!(refused(inverted), SolidError::Inverted { .. }));
    let flat = TriMesh::from_points(
        [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [[0, 1, 2], [0, 2, 1]],
    );
    assert_eq!(refused(flat.unwrap()), SolidError::NoVolume);
}

fn two_shells(inner_faces_out: bool, inner: f64) -> TriMesh {
    let (mut positions, mut faces) = cube().into_parts();
    let (small, small_faces) = generate::cuboid(DVec3::splat(inner), [1; 3])
        .unwrap()
        .into_parts();
    let first = positions.len() as u32;
    positions.extend(small);
    faces.extend(small_faces.iter().map(|&[a, b, c]| {
        let [a, b, c] = [a + first, b + first, c + first];
        if inner_faces_out {
            [a, b, c]
        } else {
            [a, c, b]
        }
    }));
    TriMesh::new(positions, faces).unwrap()
}

#[test]
fn a_hollow_stays_empty_and_a_solid_in_a_solid_is_refused() {
    let hollow = two_shells(false, 0.5);
    let packing = packed(hollow.clone(), &count(60));
    judge(&hollow, &packing);
    assert!(
        packing
            .balls
            .iter()
            .all(|b| b.center.abs().max_element() > 0.25)
    );
    let tree = WideTree::new(Arc::new(two_shells(true, 0.5)));
    assert!(matches!(
        MeshSolid::new(&tree),
        Err(SolidError::Nested { winding: 2, .. })
    ));
}

#[test]
fn a_shell_as_thin_as_paper_is_packed_or_refused_but_never_wrong() {
    let sheet = generate::cuboid(DVec3::new(1.0, 1.0, 1e-2), [1; 3]).unwrap();
    let packing = packed(sheet.clone(), &count(40));
    assert!((packing.balls[0].radius - 5e-3).abs() < 1e-6);
    judge(&sheet, &packing);
    let foil = generate::cuboid(DVec3::new(1.0, 1.0, 1e-7), [1; 3]).unwrap();
    let tree = WideTree::new(Arc::new(foil));
    let solid = MeshSolid::new(&tree).unwrap();
    let options = PackOptions {
        min_radius: Some(2e-2),
        count: None,
        ..PackOptions::default()
    };
    assert!(matches!(
        pack(&solid, &options),
        Err(PackError::NoInterior { .. })
    ));
}

#[test]
fn bounds_that_make_no_sense_are_refused() {
    let tree = WideTree::new(Arc::new(cube()));
    let solid = MeshSolid::new(&tree).unwrap();
    let none = PackOptions {
        count: None,
        ..PackOptions::default()
    };
    assert_eq!(pack(&solid, &none), Err(PackError::Endless));
    for value in [0.0, 1.0, -3.0, f64::NAN] {
        let options = PackOptions {
            fill: Some(value),
            ..none
        };
        assert!(matches!(
            pack(&solid, &options),
            Err(PackError::BadFill { .. })
        ));
        let options = PackOptions {
            min_radius: Some(if value == 1.0 { f64::INFINITY } else { value }),
            ..none
        };
        assert!(matches!(
            pack(&solid, &options),
            Err(PackError::BadRadius { .. })
        ));
    }
    assert!(pack(&solid, &count(0)).unwrap().balls.is_empty());
}

/// A ball with another cut out of it: known by formulas alone.
struct Bowl;

impl Interior for Bowl {
    fn bounds(&self) -> Aabb {
        Aabb {
            min: DVec3::NEG_ONE,
            max: DVec3::ONE,
        }
    }

    fn volume(&self) -> f64 {
        4.0 / 3.0 * std::f64::consts::PI * (1.0 - 0.125)
    }

    fn closest_point(&self, p: DVec3) -> DVec3 {
        let direction = p.try_normalize().unwrap_or(DVec3::X);
        if p.length() > 0.75 {
            direction
        } else {
            direction * 0.5
        }
    }

    fn contains(&self, p: DVec3) -> bool {
        (0.5..1.0).contains(&p.length())
    }
}

#[test]
fn any_solid_that_knows_its_surface_can_be_packed() {
    let packing = pack_interior(&Bowl, &count(40)).unwrap();
    assert!(packing.check(&Bowl).is_feasible());
    assert!((packing.balls[0].radius - 0.25).abs() < 1e-4);
    assert!((packing.balls[5].radius - 0.25).abs() < 1e-2);
}

#[test]
fn the_published_rules_pack_too() {
    let mesh = cube();
    let tree = WideTree::new(Arc::new(mesh.clone()));
    let solid = MeshSolid::new(&tree).unwrap();
    let repulsion = PackOptions {
        ascent: Ascent::Repulsion(Cooling {
            progress_exponent: None,
            ..Cooling::default()
        }),
        ..count(40)
    };
    let parallel = pack(&solid, &repulsion).unwrap();
    judge(&mesh, &parallel);
    assert!((parallel.balls[0].radius - 0.5).abs() < 5e-3);
    let single = pack_single(&solid, &count(40), &Cooling::default(), &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    judge(&mesh, &single);
    assert_eq!(single.balls.len(), 40);
}

#[test]
fn cooling_has_the_published_values() {
    let cooling = Cooling::default();
    for (t, value) in [
        (0, 1.0),
        (10, 0.995),
        (20, 0.712),
        (25, 0.393),
        (30, 0.151),
        (50, 0.0),
    ] {
        assert!((cooling.in_time(t) - value).abs() < 1e-3, "{t}");
    }
    for (ratio, value) in [
        (0.0, 0.865),
        (0.5, 0.393),
        (1.0, 0.0),
        (1.5, 0.393),
        (2.0, 0.865),
    ] {
        assert!((cooling.by_progress(ratio) - value).abs() < 1e-3, "{ratio}");
    }
}

#[test]
fn voxels_are_packed_greedily_and_their_secondary_volume_is_theirs() {
    let mesh = cube();
    let tree = WideTree::new(Arc::new(mesh.clone()));
    let solid = MeshSolid::new(&tree).unwrap();
    let voxels = pack_voxels(
        &solid,
        &VoxelOptions {
            resolution: 15,
            ..VoxelOptions::default()
        },
    )
    .unwrap();
    judge(&mesh, &voxels.packing);
    let balls = &voxels.packing.balls;
    assert!((balls[0].radius - 0.5).abs() < 1e-9);
    assert!(balls.windows(2).all(|w| w[1].radius <= w[0].radius));
    let secondary: f64 = voxels.secondary_radii.iter().map(|r| r.powi(3)).sum();
    let secondary = secondary * 4.0 / 3.0 * std::f64::consts::PI;
    assert!((secondary - 1.0).abs() < 1e-9, "{secondary}");
    assert!(
        pack_voxels(
            &solid,
            &VoxelOptions {
                resolution: 0,
                ..VoxelOptions::default()
            }
        )
        .is_err()
    );
}

#[test]
fn voxel_packings_stop_where_asked_and_what_there_is_is_valid() {
    let mesh = generate::torus(1.0, 0.4, 24, 12).unwrap();
    let tree = WideTree::new(Arc::new(mesh.clone()));
    let solid = MeshSolid::new(&tree).unwrap();
    let base = VoxelOptions {
        resolution: 40,
        ..VoxelOptions::default()
    };
    let whole = pack_voxels(&solid, &base).unwrap();
    assert_eq!(whole.packing.end, PackEnd::Full);
    let all = &whole.packing.balls;
    // Each bound gives the first balls of the whole packing.
    let stopped = |options: VoxelOptions, end: PackEnd| {
        let part = pack_voxels(&solid, &options).unwrap();
        assert_eq!(part.packing.end, end);
        assert_eq!(part.packing.balls, all[..part.packing.balls.len()]);
        assert_eq!(part.secondary_radii.len(), part.packing.balls.len());
        judge(&mesh, &part.packing);
        part.packing
    };
    let count = Some(25);
    assert_eq!(
        stopped(VoxelOptions { count, ..base }, PackEnd::Count)
            .balls
            .len(),
        25
    );
    let none = stopped(
        VoxelOptions {
            count: Some(0),
            ..base
        },
        PackEnd::Count,
    );
    assert!(none.balls.is_empty());
    let fill = Some(0.4);
    let part = stopped(VoxelOptions { fill, ..base }, PackEnd::Fill);
    assert!(
        part.fill() >= 0.4
            && part.fill() - part.balls[part.balls.len() - 1].volume() / part.solid_volume < 0.4
    );
    let least = all[60].radius;
    let min_radius = Some(least);
    let part = stopped(VoxelOptions { min_radius, ..base }, PackEnd::MinRadius);
    assert!(part.balls.iter().all(|ball| ball.radius >= least) && part.balls.len() > 60);
    // Progress is told after every ball, and a break ends it.
    let mut told = Vec::new();
    let part = pack_voxels_with(&solid, &base, &mut |now| {
        told.push((now.count, now.fill));
        if now.count < 30 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })
    .unwrap();
    assert_eq!(part.packing.end, PackEnd::Cancelled);
    assert_eq!(part.packing.balls, all[..30]);
    judge(&mesh, &part.packing);
    assert!(told.iter().enumerate().all(|(i, entry)| entry.0 == i + 1));
    assert!(told.windows(2).all(|w| w[0].1 < w[1].1));
    assert!((told[29].1 - part.packing.fill()).abs() < 1e-12);
    for bad in [
        VoxelOptions {
            fill: Some(1.0),
            ..base
        },
        VoxelOptions {
            fill: Some(f64::NAN),
            ..base
        },
        VoxelOptions {
            min_radius: Some(0.0),
            ..base
        },
        VoxelOptions {
            min_radius: Some(f64::INFINITY),
            ..base
        },
        VoxelOptions {
            min_radius: Some(10.0),
            ..base
        },
    ] {
        assert!(pack_voxels(&solid, &bad).is_err(), "{bad:?}");
    }
}

#[test]
fn voronoi_nodes_of_a_cube_and_a_ball_are_their_centres() {
    let place = DVec3::new(3.0, -1.0, 7.0);
    let pose = Pose::from_translation(place).unwrap();
    for (mesh, tolerance) in [
        (cube(), 1e-4),
        (generate::icosphere(0.5, 24).unwrap(), 1e-4),
    ] {
        let tree = WideTree::new(Arc::new(mesh.placed(&pose).unwrap()));
        let nodes = voronoi_nodes(&MeshSolid::new(&tree).unwrap(), 8).unwrap();
        assert!(
            (nodes[0].center - place).length() < tolerance,
            "{:?}",
            nodes[0]
        );
        assert!((nodes[0].radius - 0.5).abs() < 2e-3);
        let _ = tree.mesh();
    }
}

#[test]
fn lists_come_back_bit_by_bit() {
    let packing = packed(generate::torus(1.0, 0.3, 24, 12).unwrap(), &count(50));
    let mut json = Vec::new();
    exchange::write_json(&packing.balls, &mut json).unwrap();
    let json = String::from_utf8(json).unwrap();
    assert_eq!(exchange::read_json(&json).unwrap(), packing.balls);
    let mut urdf = Vec::new();
    exchange::write_urdf("torus", &packing.balls, &mut urdf).unwrap();
    let urdf = String::from_utf8(urdf).unwrap();
    assert_eq!(exchange::read_urdf(&urdf).unwrap(), packing.balls);
    for bad in [
        "",
        "{}",
        "[1]",
        r#"[{"center": [1, 2], "radius": 1}]"#,
        r#"[{"center": [1, 2, 3], "radius": -1}]"#,
    ] {
        assert!(exchange::read_json(bad).is_err(), "{bad}");
    }
    assert!(exchange::read_json(r#"{"version": 9, "spheres": []}"#).is_err());
    assert!(exchange::read_urdf("<collision><sphere radius='x'/>").is_err());
    for origin in ["1 2", "1 x 2 3", "1 2 3 x", "1 2 3 4", "x", "1 2 1e400"] {
        let text = format!(
            "<collision><sphere radius='1'/></collision><collision><origin xyz='{origin}'/><sphere radius='1'/>"
        );
        let refused = exchange::read_urdf(&text).unwrap_err();
        assert!(refused.to_string().starts_with("ball 1 "), "{refused}");
    }
}
