//! Voxels and shells of points against brute force, exact predicates and formulas.

#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::depth::Solid;
use impinge::geom::triangle_meets_box;
use impinge::math::Rng;
use impinge::mesh::SolidError;
use impinge::mesh::point_in_mesh::{InsideTest, Location};
use impinge::query::{Limits, Outcome};
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::voxmap::{PenaltyForce, Pointshell, Voxmap, VoxmapError, VoxmapOptions, VoxmapQuery};
use impinge::{DVec3, Pose, TriMesh, generate};

/// Small solids: smooth, sharp, hollow, with faces on planes of the grid and without.
fn solids() -> Vec<TriMesh> {
    let hollow = {
        let outer = generate::cuboid(DVec3::splat(2.0), [2; 3]).unwrap();
        let inner = generate::cuboid(DVec3::splat(1.0), [1; 3]).unwrap();
        let shift = outer.vertex_count() as u32;
        let mut positions = outer.positions().to_vec();
        positions.extend(inner.positions());
        let mut faces = outer.faces().to_vec();
        let turned = |f: &[u32; 3]| [f[0] + shift, f[2] + shift, f[1] + shift];
        faces.extend(inner.faces().iter().map(turned));
        TriMesh::new(positions, faces).unwrap()
    };
    vec![
        generate::cuboid(DVec3::new(1.0, 0.5, 0.25), [1; 3]).unwrap(),
        generate::icosphere(1.0, 3).unwrap(),
        generate::torus(1.0, 0.4, 12, 8).unwrap(),
        generate::cone(1.0, 2.0, 9, 1).unwrap(),
        generate::menger_sponge(1.0, 1).unwrap(),
        hollow,
    ]
}

fn voxels(map: &Voxmap) -> impl Iterator<Item = [u32; 3]> {
    let [nx, ny, nz] = map.counts();
    (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
}

fn pose(rng: &mut Rng, reach: f64) -> Pose {
    let shift = rng.direction() * rng.range(0.0, reach);
    Pose::from_axis_angle(rng.direction(), rng.range(0.0, 3.0), shift).unwrap()
}

#[test]
fn layer_zero_is_what_faces_meet_and_sides_are_told_exactly() {
    for (mesh, resolution) in solids().iter().zip([16, 9, 14, 11, 12, 10]) {
        let map = Voxmap::new(mesh, resolution).unwrap();
        let inside = InsideTest::new(mesh).unwrap();
        let (origin, side) = (map.bounds().min, map.side());
        let plane = |axis: usize, i: u32| origin[axis] + f64::from(i) * side;
        for voxel in voxels(&map) {
            let corner = |k: u32| {
                DVec3::new(
                    plane(0, voxel[0] + k),
                    plane(1, voxel[1] + k),
                    plane(2, voxel[2] + k),
                )
            };
            let is_met = mesh
                .triangles()
                .any(|triangle| triangle_meets_box(&triangle, corner(0), corner(1)));
            let layer = map.layer(voxel).unwrap();
            assert_eq!(layer == 0, is_met, "{voxel:?}");
            if !is_met {
                let location = inside.locate(map.center(voxel)).unwrap();
                assert_eq!(layer > 0, location == Location::Inside, "{voxel:?}");
            }
        }
    }
}

#[test]
fn layers_are_rounded_distances_between_centres() {
    for proximity in [0, 3, 8] {
        let options = VoxmapOptions {
            resolution: 12,
            proximity,
            ..VoxmapOptions::default()
        };
        for mesh in solids() {
            let map = Voxmap::with_options(&mesh, &options).unwrap();
            let surface: Vec<[u32; 3]> = voxels(&map)
                .filter(|voxel| map.layer(*voxel) == Some(0))
                .collect();
            let between = |p: [u32; 3], q: [u32; 3]| -> u32 {
                (0..3).map(|i| p[i].abs_diff(q[i]).pow(2)).sum()
            };
            // Every third voxel is enough.
            for voxel in voxels(&map).step_by(3) {
                let square = surface.iter().map(|s| between(voxel, *s)).min().unwrap();
                let steps = f64::from(square).sqrt().round() as i32;
                let expected = match map.layer(voxel).unwrap() {
                    layer if layer >= 0 => steps,
                    _ if steps > i32::from(proximity) => i32::from(Voxmap::FREE),
                    _ => -steps,
                };
                assert_eq!(i32::from(map.layer(voxel).unwrap()), expected, "{voxel:?}");
                assert_eq!(map.layer_at(map.center(voxel)), map.layer(voxel).unwrap());
            }
        }
    }
}

/// The sum over all points, without balls.
fn by_brute_force(map: &Voxmap, shell: &Pointshell, a_from_b: &Pose) -> (DVec3, DVec3, usize) {
    let (mut force, mut torque, mut count) = (DVec3::ZERO, DVec3::ZERO, 0);
    for (point, normal) in shell.points().iter().zip(shell.normals()) {
        let p = a_from_b.transform_point(*point);
        let layer = map.layer_at(p);
        if layer < 0 {
            continue;
        }
        count += 1;
        let at = (p - map.bounds().min) * (1.0 / map.side());
        let center = map.center(at.to_array().map(|x| x as u32));
        let n = a_from_b.transform_vector(*normal);
        let depth = n.dot(center - p) + f64::from(layer) * map.side();
        if depth > 0.0 {
            force += n * depth;
            torque += p.cross(n * depth);
        }
    }
    (-force, -torque, count)
}

#[test]
fn balls_change_no_bit_of_the_sums() {
    let mut rng = Rng::new(1);
    let solids = solids();
    let mut pressed = 0;
    for (i, mesh) in solids.iter().enumerate() {
        let map = Voxmap::new(mesh, 40).unwrap();
        let other = &solids[(i + 2) % solids.len()];
        let shell = Pointshell::new(other, 30).unwrap();
        let query = VoxmapQuery::new(&map, &shell);
        for k in 0..60 {
            let pose = pose(&mut rng, 3.0);
            let (force, torque, count) = by_brute_force(&map, &shell, &pose);
            // Whether proximity is asked for or not.
            let limits = Limits {
                max_distance: (k % 2 == 0).then_some(0.0),
                ..Limits::default()
            };
            let found = query.at(&pose, limits);
            assert_eq!(
                (found.force_on_a, found.torque_on_a, found.penetrating),
                (force, torque, count)
            );
            pressed += usize::from(count > 0);
        }
    }
    assert!(pressed > 50, "{pressed}");
}

#[test]
fn points_lie_on_the_surface_and_normals_point_inwards() {
    for mesh in solids() {
        let shell = Pointshell::new(&mesh, 25).unwrap();
        let tree = WideTree::new(Arc::new(mesh.clone()));
        let solid = Solid::closed(&tree).unwrap();
        let mut inwards = 0;
        for (point, normal) in shell.points().iter().zip(shell.normals()) {
            assert!((normal.length() - 1.0).abs() < 1e-12);
            assert!(solid.depth_at(*point).abs() < 1e-12);
            let inner = *point + *normal * (1e-4 * shell.side());
            inwards += usize::from(solid.locate(inner).unwrap() == Location::Inside);
        }
        // At a corner the middle of the normals around it may point along the surface.
        let count = shell.points().len();
        assert!(20 * inwards >= 19 * count, "{inwards} of {count}");
    }
}

#[test]
fn no_place_of_the_surface_is_far_from_a_point() {
    let mut rng = Rng::new(5);
    for mesh in solids() {
        let shell = Pointshell::new(&mesh, 25).unwrap();
        for _ in 0..300 {
            let triangle = mesh
                .triangles()
                .nth(rng.below(mesh.face_count() as u64) as usize)
                .unwrap();
            let (mut u, mut v) = (rng.unit(), rng.unit());
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            let at =
                triangle[0] + (triangle[1] - triangle[0]) * u + (triangle[2] - triangle[0]) * v;
            let nearest = shell
                .points()
                .iter()
                .fold(f64::INFINITY, |d, p| d.min(p.distance(at)));
            assert!(nearest < 2.0 * shell.side(), "{}", nearest / shell.side());
        }
    }
}

/// A block whose top is the plane y = 0.
fn ground(resolution: u32) -> Voxmap {
    let block = generate::cuboid(DVec3::new(4.0, 2.0, 4.0), [1; 3]).unwrap();
    let down = Pose::from_translation([0.0, -1.0, 0.0]).unwrap();
    Voxmap::new(&block.placed(&down).unwrap(), resolution).unwrap()
}

#[test]
fn a_box_on_a_box_is_pushed_by_its_points_times_their_depth() {
    let map = ground(64);
    let cube = generate::cuboid(DVec3::ONE, [1; 3]).unwrap();
    let shell = Pointshell::new(&cube, 16).unwrap();
    let query = VoxmapQuery::new(&map, &shell);
    let side = map.side();
    // Points whose normal is vertical lie on the lower side, 15 by 15; those of its edges and corners have normals in between.
    let flat = shell.normals().iter().filter(|n| n.y > 0.999).count();
    assert_eq!(flat, 15 * 15);
    for depth in [0.01, 0.03, 0.07, 0.2, 0.33] {
        let pose = Pose::from_translation([0.0, 0.5 - depth, 0.0]).unwrap();
        let found = query.at(&pose, Limits::default());
        let mut expected = 0.0;
        for n in shell.points().iter().zip(shell.normals()) {
            let y = n.0.y + 0.5 - depth;
            // Sides do not push up; their points feel no force along their normals but in pairs that cancel.
            if n.1.y > 0.0 && y <= 0.5 * side {
                // The depth along a slanted normal: layers stand for the depth below the plane.
                let layer = (-y / side).round();
                let within = n.1.y * (-layer * side - y);
                expected += n.1.y * (within + layer * side).max(0.0);
            }
        }
        assert!(
            (-found.force_on_a.y - expected).abs() < 0.02 * expected + 1e-9,
            "{depth}: {} and {expected}",
            -found.force_on_a.y
        );
        assert!(-found.force_on_a.y >= flat as f64 * depth * (1.0 - 1e-9));
        let aside = found.force_on_a.x.hypot(found.force_on_a.z);
        assert!(aside < 1e-6 * expected, "{aside}");
        assert!(found.depth.lower <= depth && depth <= found.depth.upper);
        let about = found.torque_on_b_about(DVec3::new(0.0, 0.5, 0.0));
        assert!(about.length() < 1e-6 * expected, "{about}");
    }
}

#[test]
fn a_ball_on_a_plane_is_pushed_along_its_normal_by_the_volume_below_it() {
    // Depth times normal, summed over the surface below the plane, is the volume below it; points stand for equal shares of the surface, nearly.
    let (radius, depth) = (0.5, 0.2);
    let below = std::f64::consts::PI * depth * depth * (radius - depth / 3.0);
    let area = 4.0 * std::f64::consts::PI * radius * radius;
    let mut errors = Vec::new();
    for resolution in [20, 40, 80] {
        let map = ground(4 * resolution);
        let ball = generate::icosphere(radius, 24).unwrap();
        let shell = Pointshell::new(&ball, resolution).unwrap();
        let pose = Pose::from_translation([0.0, radius - depth, 0.0]).unwrap();
        let found = VoxmapQuery::new(&map, &shell).at(&pose, Limits::default());
        let force = -found.force_on_a * (area / shell.points().len() as f64);
        assert!(force.angle_between(DVec3::Y) < 0.01, "{force}");
        let torque = found.torque_on_b_about(pose.translation());
        assert!(torque.length() < 0.01 * radius * found.force_on_a.length());
        errors.push((force.y / below - 1.0).abs());
        assert!(found.depth.lower <= depth && depth <= found.depth.upper);
        assert!(found.depth.upper - found.depth.lower <= 4.5 * map.side());
    }
    assert!(errors.iter().all(|error| *error < 0.2), "{errors:?}");
}

#[test]
fn depth_and_distance_of_the_points_lie_in_their_bounds() {
    let mut rng = Rng::new(3);
    let solids = solids();
    for (i, mesh) in solids.iter().enumerate() {
        let tree = WideTree::new(Arc::new(mesh.clone()));
        let solid = Solid::closed(&tree).unwrap();
        let map = Voxmap::new(mesh, 30).unwrap();
        let shell = Pointshell::new(&solids[(i + 1) % solids.len()], 8).unwrap();
        let query = VoxmapQuery::new(&map, &shell);
        for _ in 0..25 {
            let pose = pose(&mut rng, 2.5);
            let deepest = shell.points().iter().fold(f64::NEG_INFINITY, |d, p| {
                d.max(solid.depth_at(pose.transform_point(*p)))
            });
            let found = query.at(&pose, Limits::default());
            let (depth, distance) = (deepest.max(0.0), (-deepest).max(0.0));
            assert!(found.depth.lower <= depth && depth <= found.depth.upper);
            assert!(found.distance.lower <= distance && distance <= found.distance.upper);
            let near = Limits {
                max_distance: Some(2.0 * map.side()),
                ..Limits::default()
            };
            let found = query.at(&pose, near);
            assert!(found.distance.lower <= distance && distance <= found.distance.upper);
        }
    }
}

#[test]
fn what_acts_on_b_is_opposite_and_turns_about_any_point() {
    let solids = solids();
    let map = Voxmap::new(&solids[1], 40).unwrap();
    let shell = Pointshell::new(&solids[0], 40).unwrap();
    let mut rng = Rng::new(9);
    for _ in 0..20 {
        let pose = pose(&mut rng, 1.2);
        let found = VoxmapQuery::new(&map, &shell).at(&pose, Limits::default());
        let center = rng.direction();
        let moved = found.torque_on_b_about(center);
        let expected = -found.torque_on_a - center.cross(-found.force_on_a);
        assert!((moved - expected).length() <= 1e-12 * (1.0 + expected.length()));
    }
}

#[test]
fn a_mirrored_scene_has_the_mirrored_force() {
    let ball = generate::icosphere(1.0, 6).unwrap();
    let flip = |mesh: &TriMesh| {
        let positions = mesh.positions().iter().map(|p| DVec3::new(-p.x, p.y, p.z));
        let faces = mesh.faces().iter().map(|f| [f[0], f[2], f[1]]);
        TriMesh::new(positions.collect(), faces.collect()).unwrap()
    };
    let ask = |mesh: &TriMesh, x: f64| {
        let (map, shell) = (
            Voxmap::new(mesh, 31).unwrap(),
            Pointshell::new(mesh, 31).unwrap(),
        );
        let pose = Pose::from_translation([x, 0.3, 0.1]).unwrap();
        VoxmapQuery::new(&map, &shell).at(&pose, Limits::default())
    };
    let (right, left) = (ask(&ball, 1.5), ask(&flip(&ball), -1.5));
    let mirrored = DVec3::new(-left.force_on_a.x, left.force_on_a.y, left.force_on_a.z);
    assert!((right.force_on_a - mirrored).length() < 0.05 * right.force_on_a.length());
}

#[test]
fn any_number_of_threads_gives_the_same_map_shell_and_force() {
    let mesh = generate::torus(1.0, 0.4, 24, 16).unwrap();
    let made = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let map = Voxmap::new(&mesh, 50).unwrap();
            let shell = Pointshell::new(&mesh, 50).unwrap();
            let pose = Pose::from_translation([0.2, 0.3, 0.6]).unwrap();
            let found: PenaltyForce = VoxmapQuery::new(&map, &shell).at(&pose, Limits::default());
            (map, shell, found)
        })
    });
    assert!(made[0] == made[1] && made[1] == made[2]);
}

#[test]
fn a_budget_ends_the_search_and_opens_the_bounds() {
    let solids = solids();
    let (map, shell) = (
        Voxmap::new(&solids[1], 30).unwrap(),
        Pointshell::new(&solids[1], 30).unwrap(),
    );
    let query = VoxmapQuery::new(&map, &shell);
    let pose = Pose::from_translation([0.5, 0.0, 0.0]).unwrap();
    let all = query.at(&pose, Limits::default());
    assert_eq!(all.outcome, Outcome::Complete);
    for most in [0, 10, 500, all.tests / 2] {
        let limits = Limits {
            max_tests: Some(most),
            ..Limits::default()
        };
        let part = query.at(&pose, limits);
        assert_eq!(part.outcome, Outcome::OutOfBudget);
        assert!(part.penetrating <= all.penetrating && part.tests <= most + 20);
        assert!(part.depth.upper == f64::INFINITY && part.depth.lower <= all.depth.upper);
        assert_eq!(part.distance.lower, 0.0);
    }
    let stop = Limits {
        stop: Some(&|| true),
        ..Limits::default()
    };
    assert_eq!(query.at(&pose, stop).outcome, Outcome::OutOfBudget);
}

#[test]
fn far_shells_cost_one_look() {
    let solids = solids();
    let (map, shell) = (
        Voxmap::new(&solids[1], 60).unwrap(),
        Pointshell::new(&solids[1], 60).unwrap(),
    );
    let pose = Pose::from_translation([40.0, 0.0, 0.0]).unwrap();
    let found = VoxmapQuery::new(&map, &shell).at(&pose, Limits::default());
    assert_eq!((found.tests, found.penetrating), (1, 0));
    assert_eq!(found.distance.upper, f64::INFINITY);
}

#[test]
fn deep_solids_count_to_the_last_layer() {
    let options = VoxmapOptions {
        resolution: 260,
        proximity: 0,
        ..VoxmapOptions::default()
    };
    let cube = generate::cuboid(DVec3::ONE, [1; 3]).unwrap();
    let map = Voxmap::with_options(&cube, &options).unwrap();
    assert_eq!(map.layer_at(DVec3::ZERO), 126);
    let shell = Pointshell::new(&generate::icosphere(0.01, 2).unwrap(), 4).unwrap();
    let found = VoxmapQuery::new(&map, &shell).at(&Pose::IDENTITY, Limits::default());
    assert_eq!(found.depth.upper, f64::INFINITY);
    assert!(found.depth.lower <= 0.5);
}

#[test]
fn bad_input_is_refused_by_name() {
    let cube = generate::cuboid(DVec3::ONE, [1; 3]).unwrap();
    let refused = |mesh: &TriMesh, resolution: u32| {
        let map = Voxmap::new(mesh, resolution).unwrap_err();
        let shell = Pointshell::new(mesh, resolution).unwrap_err();
        assert_eq!(
            std::mem::discriminant(&map),
            std::mem::discriminant(&shell),
            "{map} and {shell}"
        );
        map
    };
    assert_eq!(
        refused(&TriMesh::default(), 10),
        VoxmapError::Mesh(SolidError::Empty)
    );
    let open = TriMesh::new(cube.positions().to_vec(), cube.faces()[1..].to_vec()).unwrap();
    assert!(matches!(
        refused(&open, 10),
        VoxmapError::Mesh(SolidError::NotClosed { .. })
    ));
    let turned = cube.faces().iter().map(|f| [f[0], f[2], f[1]]).collect();
    let turned = TriMesh::new(cube.positions().to_vec(), turned).unwrap();
    assert!(matches!(
        refused(&turned, 10),
        VoxmapError::Mesh(SolidError::Inverted { .. })
    ));
    let flat = TriMesh::from_points(
        [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [[0, 1, 2], [0, 2, 1]],
    )
    .unwrap();
    assert_eq!(refused(&flat, 10), VoxmapError::Mesh(SolidError::NoVolume));
    assert!(matches!(
        refused(&cube, 0),
        VoxmapError::BadResolution { resolution: 0, .. }
    ));
    let far = cube
        .placed(&Pose::from_translation([1e12, 0.0, 0.0]).unwrap())
        .unwrap();
    assert!(matches!(
        refused(&far, 1000),
        VoxmapError::BadResolution { .. }
    ));
    let error = Voxmap::new(&cube, 5000).unwrap_err();
    assert!(matches!(error, VoxmapError::TooLarge { .. }), "{error}");
    let beyond = VoxmapOptions {
        resolution: 1_000_000,
        most_bytes: usize::MAX,
        ..VoxmapOptions::default()
    };
    let error = Voxmap::with_options(&cube, &beyond).unwrap_err();
    assert!(matches!(error, VoxmapError::TooLarge { .. }), "{error}");
}

#[test]
fn shells_with_too_many_voxels_are_refused_without_counting_them() {
    let turn = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), 0.7, DVec3::X).unwrap();
    let cube = generate::cuboid(DVec3::ONE, [1; 3]).unwrap();
    let rod = generate::cuboid(DVec3::new(1.0, 0.01, 0.02), [1; 3]).unwrap();
    let ball = generate::icosphere(1.0, 24).unwrap();
    for (mesh, resolutions) in [
        (&cube.placed(&turn).unwrap(), [30_000, 100_000, 1_000_000]),
        (&cube, [12_000, 100_000, 1_000_000]),
        (&rod, [100_000, 500_000, 1_000_000]),
        (&ball, [800_000, 900_000, 1_000_000]),
    ] {
        for resolution in resolutions {
            match Pointshell::new(mesh, resolution) {
                Err(VoxmapError::TooLarge {
                    voxels,
                    bytes,
                    most,
                }) => {
                    let side = mesh.bounds().diagonal().max_element() / f64::from(resolution);
                    let area: f64 = mesh
                        .triangles()
                        .map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length())
                        .sum();
                    assert!(voxels < area / (side * side), "{voxels}");
                    assert!(voxels > f64::from(1 << 26) && bytes > most as f64);
                }
                other => panic!("{resolution}: {:?}", other.map(|shell| shell.side())),
            }
        }
        let error = Pointshell::new(mesh, 1_000_001).unwrap_err();
        assert!(
            matches!(error, VoxmapError::BadResolution { .. }),
            "{error}"
        );
    }
}

#[test]
fn tiny_and_huge_solids_press_as_others_do() {
    let scaled = |mesh: &TriMesh, scale: f64| {
        let positions = mesh.positions().iter().map(|p| *p * scale).collect();
        TriMesh::new(positions, mesh.faces().to_vec()).unwrap()
    };
    let solids = solids();
    let (fixed, moving) = (&solids[1], &solids[2]);
    let (map, shell) = (
        Voxmap::new(fixed, 12).unwrap(),
        Pointshell::new(moving, 24).unwrap(),
    );
    // Powers of two change no digit.
    for exponent in [-900, -560, -500, -470, -440, -200, 140] {
        let scale = 2_f64.powi(exponent);
        let (fixed, moving) = (scaled(fixed, scale), scaled(moving, scale));
        let scaled_map = match Voxmap::new(&fixed, 12) {
            // Volumes of the tiniest vanish, and so they are refused.
            Err(VoxmapError::Mesh(SolidError::NoVolume)) if exponent < -300 => {
                assert_eq!(
                    Pointshell::new(&moving, 24),
                    Err(VoxmapError::Mesh(SolidError::NoVolume))
                );
                continue;
            }
            made => made.unwrap(),
        };
        for voxel in voxels(&map) {
            assert_eq!(scaled_map.layer(voxel), map.layer(voxel));
        }
        let scaled_shell = Pointshell::new(&moving, 24).unwrap();
        assert_eq!(scaled_shell.normals(), shell.normals(), "2^{exponent}");
        for (small, plain) in scaled_shell.points().iter().zip(shell.points()) {
            assert_eq!(*small, *plain * scale);
        }
        let mut rng = Rng::new(8);
        for _ in 0..40 {
            let turn = rng.direction();
            let (angle, shift) = (rng.range(0.0, 3.0), rng.direction() * rng.range(0.0, 2.5));
            let pose = |scale: f64| Pose::from_axis_angle(turn, angle, shift * scale).unwrap();
            let ask = |map, shell, pose| VoxmapQuery::new(map, shell).at(&pose, Limits::default());
            let plain = ask(&map, &shell, pose(1.0));
            let small = ask(&scaled_map, &scaled_shell, pose(scale));
            assert_eq!(small.penetrating, plain.penetrating, "2^{exponent}");
            assert_eq!(small.force_on_a, plain.force_on_a * scale);
            assert_eq!(small.depth.value, plain.depth.value * scale);
            assert_eq!(small.distance.value, plain.distance.value * scale);
        }
    }
}

#[test]
fn slivers_and_faces_without_area_do_no_harm() {
    // A box with a vertex in the middle of an edge, and a face without area there.
    let cube = generate::cuboid(DVec3::ONE, [1; 3]).unwrap();
    let mut positions = cube.positions().to_vec();
    let mut faces = cube.faces().to_vec();
    let [a, b, c] = faces[0];
    let middle = positions.len() as u32;
    positions.push((positions[a as usize] + positions[b as usize]) * 0.5);
    faces[0] = [a, middle, c];
    faces.push([middle, b, c]);
    faces.push([a, b, middle]);
    let mesh = TriMesh::new(positions, faces).unwrap();
    let (map, plain) = (
        Voxmap::new(&mesh, 20).unwrap(),
        Voxmap::new(&cube, 20).unwrap(),
    );
    assert_eq!(map, plain);
    let shell = Pointshell::new(&mesh, 20).unwrap();
    assert!(shell.normals().iter().all(|n| n.is_finite()));
    assert!(shell.points().len() + 25 > Pointshell::new(&cube, 20).unwrap().points().len());
}

#[test]
fn the_bracket_of_voxels_holds_the_exact_volume_and_narrows() {
    let mut rng = Rng::new(91);
    let solids = solids();
    let mut cache = OverlapCache::default();
    let (mut cases, mut widths) = (0, [0.0; 2]);
    for (i, a) in solids.iter().enumerate() {
        let b = &solids[(i + 1) % solids.len()];
        let index = [a, b].map(|mesh| VolumeIndex::new(Arc::new(mesh.clone())).unwrap());
        let maps = [12, 48].map(|along| [a, b].map(|mesh| Voxmap::new(mesh, along).unwrap()));
        for case in 0..20 {
            let to = rng.direction() * (0.08 * f64::from(case));
            let pose = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 3.0), to).unwrap();
            let truth = index[0]
                .overlap(&index[1], &pose, Limits::default(), &mut cache)
                .unwrap();
            for (k, [map_a, map_b]) in maps.iter().enumerate() {
                for max_tests in [None, Some(500)] {
                    let limits = Limits {
                        max_tests,
                        ..Limits::default()
                    };
                    let found = map_a.overlap(map_b, &pose, limits);
                    let volume = found.volume;
                    let room = 1e-9 * truth.upper;
                    assert!(
                        volume.lower <= truth.upper + room && truth.lower <= volume.upper + room,
                        "{i} {case}: {volume:?} {truth:?}"
                    );
                    assert!(volume.lower <= volume.value && volume.value <= volume.upper);
                    if max_tests.is_none() {
                        assert_eq!(volume.outcome, Outcome::Complete);
                        widths[k] += volume.upper - volume.lower;
                    }
                }
            }
            cases += usize::from(truth.value.volume > 0.0);
        }
    }
    assert!(
        cases > 60 && widths[1] < 0.6 * widths[0],
        "{cases} {widths:?}"
    );
}
