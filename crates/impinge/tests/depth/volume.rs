//! The volume that two solids share, against closed forms, counting and rational arithmetic.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::collections::HashMap;
use std::sync::Arc;

use impinge::math::Rng;
use impinge::query::{Bounded, Limits, Outcome};
use impinge::volume::{OverlapCache, OverlapVolume, VolumeError, VolumeIndex};
use impinge::{DMat3, DVec3, Pose, TriMesh, generate};
use impinge_testkit::generate::meshes::{nested, tetrahedron_above, two_tetrahedra};
use impinge_testkit::oracle::shared_by_tetrahedra;

fn index(mesh: TriMesh) -> VolumeIndex {
    VolumeIndex::new(Arc::new(mesh)).unwrap()
}

fn ask(a: &VolumeIndex, b: &VolumeIndex, pose: &Pose) -> Bounded<OverlapVolume> {
    let answer = a
        .overlap(b, pose, Limits::default(), &mut OverlapCache::default())
        .unwrap();
    assert_eq!(answer.outcome, Outcome::Complete);
    answer
}

fn shift(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation([x, y, z]).unwrap()
}

/// [0, 1]³.
fn unit_cube() -> VolumeIndex {
    let cube = generate::cuboid(DVec3::ONE, [1; 3]).unwrap();
    let corner = shift(0.5, 0.5, 0.5);
    index(cube.placed(&corner).unwrap())
}

#[test]
fn cubes_share_what_the_product_of_their_overlaps_says() {
    let cube = unit_cube();
    let mut rng = Rng::new(1);
    let mut coplanar = 0;
    for round in 0..600 {
        let mut axis = || match round % 3 {
            0 => rng.range(-1.2, 1.2),
            1 => rng.grid(-4, 4) / 4.0,
            _ => rng.grid(-1, 1),
        };
        let d = DVec3::new(axis(), axis(), axis());
        coplanar += u32::from(d.to_array().contains(&0.0));
        let truth = (DVec3::ONE - d.abs()).max(DVec3::ZERO);
        let answer = ask(&cube, &cube, &Pose::from_translation(d).unwrap());
        let volume = truth.x * truth.y * truth.z;
        assert!(
            (answer.value.volume - volume).abs() < 1e-15,
            "{d} {answer:?} {volume}"
        );
        assert!(answer.lower <= volume && volume <= answer.upper);
        if let Some(centroid) = answer.value.centroid {
            let expected = (d.max(DVec3::ZERO) + (d + 1.0).min(DVec3::ONE)) * 0.5;
            assert!(
                (centroid - expected).length() < 1e-13 / volume,
                "{d} {centroid}"
            );
        } else {
            assert!(volume < 1e-12);
        }
    }
    assert!(coplanar > 100);
}

#[test]
fn force_of_cubes_is_minus_the_area_in_contact() {
    let cube = unit_cube();
    let answer = ask(&cube, &cube, &shift(0.5, 0.5, 0.5)).value;
    assert_eq!(answer.gradient.translation, DVec3::splat(-0.25));
    assert_eq!(answer.centroid, Some(DVec3::splat(0.75)));
    for e in [1e-3, 1e-6, 1e-9] {
        let t = 1.0 - e;
        let answer = ask(&cube, &cube, &shift(t, t, t)).value;
        let edge = 1.0 - t;
        assert_eq!(answer.volume, edge * edge * edge);
        assert_eq!(answer.gradient.translation.x, -edge * edge);
    }
}

#[test]
fn a_turned_cube_shares_an_octagon() {
    let cube = index(generate::cuboid(DVec3::ONE, [1; 3]).unwrap());
    let turned =
        Pose::from_axis_angle([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_4, [0.0; 3]).unwrap();
    let answer = ask(&cube, &cube, &turned);
    assert!((answer.value.volume - (2.0 * 2.0_f64.sqrt() - 2.0)).abs() < 1e-15);
}

#[test]
fn what_lies_inside_is_shared_whole_and_feels_no_force() {
    let large = unit_cube();
    let small = index(generate::cuboid(DVec3::splat(0.5), [2; 3]).unwrap());
    let inside = ask(&large, &small, &shift(0.5, 0.5, 0.5)).value;
    assert_eq!(
        (inside.volume, inside.gradient.translation),
        (0.125, DVec3::ZERO)
    );
    let around = ask(&small, &large, &shift(-0.5, -0.5, -0.5)).value;
    assert_eq!(
        (around.volume, around.gradient.translation),
        (0.125, DVec3::ZERO)
    );
    // Three faces in common.
    assert_eq!(
        ask(&large, &small, &shift(0.25, 0.25, 0.25)).value.volume,
        0.125
    );
    assert_eq!(ask(&large, &small, &shift(5.0, 0.0, 0.0)).value.volume, 0.0);
}

/// The surface of the filled cells of an n³ grid, with vertices shared, edges between diagonal cells included.
fn voxels(filled: &[bool], n: usize, scale: f64) -> TriMesh {
    let at = |p: [i64; 3]| {
        p.iter().all(|&x| x >= 0 && x < n as i64)
            && filled[(p[0] as usize * n + p[1] as usize) * n + p[2] as usize]
    };
    let mut numbers: HashMap<[i64; 3], u32> = HashMap::new();
    let mut points = Vec::new();
    let mut faces = Vec::new();
    for cell in 0..n * n * n {
        let cell = [cell / (n * n), cell / n % n, cell % n].map(|x| x as i64);
        if !at(cell) {
            continue;
        }
        for axis in 0..3 {
            for high in [0, 1] {
                let mut next = cell;
                next[axis] += 2 * high - 1;
                if at(next) {
                    continue;
                }
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut corner = |i: i64, j: i64| {
                    let mut p = cell;
                    p[axis] += high;
                    p[u] += i;
                    p[v] += j;
                    *numbers.entry(p).or_insert_with(|| {
                        points.push(DVec3::from(p.map(|x| x as f64)) * scale);
                        points.len() as u32 - 1
                    })
                };
                let square = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                let [p, q, r, s] = square;
                if high == 1 {
                    faces.extend([[p, q, r], [p, r, s]]);
                } else {
                    faces.extend([[p, r, q], [p, s, r]]);
                }
            }
        }
    }
    TriMesh::new(points, faces).unwrap()
}

#[test]
fn voxel_solids_share_what_counting_says() {
    const N: usize = 4;
    let mut rng = Rng::new(3);
    let turns = [
        DMat3::IDENTITY,
        DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z),
        DMat3::from_cols(DVec3::NEG_X, DVec3::Z, DVec3::Y),
        DMat3::from_cols(DVec3::Z, DVec3::X, DVec3::Y),
    ];
    for round in 0..160 {
        let mut draw = || -> Vec<bool> { (0..N * N * N).map(|_| rng.unit() < 0.5).collect() };
        let (fill_a, fill_b) = (draw(), draw());
        // Cells of edge 2, so that half a cell is an integer.
        let a = index(voxels(&fill_a, N, 2.0));
        let b = index(voxels(&fill_b, N, 2.0));
        let turn = turns[round % 4];
        let step = if round % 2 == 0 { 2.0 } else { 1.0 };
        let mut offset = || rng.grid(-3, 3) * step;
        let center = DVec3::splat(N as f64);
        let move_by = DVec3::new(offset(), offset(), offset()) + center - turn * center;
        let pose = Pose::new(turn, move_by).unwrap();
        let back = pose.inverse();
        // Count half cells by their centres.
        let filled = |fill: &[bool], p: DVec3| {
            let cell = (p * 0.5).floor();
            let inside = cell.min_element() >= 0.0 && cell.max_element() < N as f64;
            inside && fill[(cell.x as usize * N + cell.y as usize) * N + cell.z as usize]
        };
        let mut truth = 0.0;
        for i in 0..(2 * N).pow(3) {
            let half = DVec3::new(
                (i / (4 * N * N)) as f64,
                (i / (2 * N) % (2 * N)) as f64,
                (i % (2 * N)) as f64,
            ) + 0.5;
            if filled(&fill_a, half) && filled(&fill_b, back * half) {
                truth += 1.0;
            }
        }
        let volume = ask(&a, &b, &pose).value.volume;
        assert!((volume - truth).abs() < 1e-11, "{round}: {volume} {truth}");
    }
}

#[test]
fn tetrahedra_share_what_rational_arithmetic_says() {
    let mut rng = Rng::new(5);
    let mut overlapping = 0;
    for round in 0..400 {
        // Shared vertices, edges and faces too.
        let [a, b] = two_tetrahedra(&mut rng, round, 1.0);
        let meshes = (tetrahedron_above(&a, 1e-3), tetrahedron_above(&b, 1e-3));
        let (Some(mesh_a), Some(mesh_b)) = meshes else {
            continue;
        };
        let truth = shared_by_tetrahedra(&a, &b);
        let answer = ask(&index(mesh_a), &index(mesh_b), &Pose::IDENTITY);
        assert!(
            (answer.value.volume - truth).abs() < 1e-13,
            "{round}: {} {truth}",
            answer.value.volume
        );
        assert!(answer.lower <= truth && truth <= answer.upper);
        overlapping += u32::from(truth > 0.0);
    }
    assert!(overlapping > 100, "{overlapping}");
}

fn random_pose(rng: &mut Rng, reach: f64) -> Pose {
    let turn = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 6.0), [0.0; 3]).unwrap();
    Pose::new(*turn.rotation(), rng.cube() * reach).unwrap()
}

#[test]
fn forces_and_torques_are_the_derivatives_of_the_volume() {
    let mut rng = Rng::new(7);
    let a = index(generate::blob(8).unwrap());
    let b = index(generate::torus(1.0, 0.4, 24, 12).unwrap());
    let mut cache = OverlapCache::default();
    let mut checked = 0;
    for _ in 0..20 {
        let pose = random_pose(&mut rng, 1.0);
        let at = ask(&a, &b, &pose).value;
        let h = 1e-5;
        let mut volume = |pose: Pose| {
            let answer = a.overlap(&b, &pose, Limits::default(), &mut cache);
            answer.unwrap().value.volume
        };
        let size = at.gradient.translation.length().max(0.1);
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let moved =
                |s: f64| Pose::new(*pose.rotation(), pose.translation() + axis * s).unwrap();
            let rate = (volume(moved(h)) - volume(moved(-h))) / (2.0 * h);
            assert!((rate - at.gradient.translation.dot(axis)).abs() < 1e-6 * size);
            let turned = |s: f64| Pose::from_axis_angle(axis, s, [0.0; 3]).unwrap() * pose;
            let rate = (volume(turned(h)) - volume(turned(-h))) / (2.0 * h);
            assert!((rate - at.gradient.rotation.dot(axis)).abs() < 1e-6 * size);
        }
        checked += u32::from(at.volume > 0.01);
    }
    assert!(checked > 5, "{checked}");
}

#[test]
fn swapping_the_solids_keeps_the_volume_and_reverses_the_force() {
    let mut rng = Rng::new(8);
    let a = index(generate::torus_knot(2, 3, 0.4, 96, 12).unwrap());
    let b = index(generate::icosphere(0.8, 6).unwrap());
    for _ in 0..30 {
        let pose = random_pose(&mut rng, 1.5);
        let (one, other) = (ask(&a, &b, &pose).value, ask(&b, &a, &pose.inverse()).value);
        assert!((one.volume - other.volume).abs() < 1e-13);
        let back = pose.transform_vector(other.gradient.translation);
        assert!((one.gradient.translation + back).length() < 1e-12);
    }
}

#[test]
fn a_hollow_counts_as_empty_and_a_solid_on_itself_is_whole() {
    let (outer, inner) = (
        generate::icosphere(1.0, 5).unwrap(),
        generate::icosphere(0.6, 5).unwrap(),
    );
    let mut positions = outer.positions().to_vec();
    let mut faces = outer.faces().to_vec();
    let first = positions.len() as u32;
    positions.extend(inner.positions());
    faces.extend(
        inner
            .faces()
            .iter()
            .map(|&[p, q, r]| [p, r, q].map(|v| v + first)),
    );
    let hollow = index(TriMesh::new(positions, faces).unwrap());
    let small = index(generate::icosphere(0.3, 3).unwrap());
    assert_eq!(ask(&hollow, &small, &Pose::IDENTITY).value.volume, 0.0);
    let whole = ask(&hollow, &hollow, &Pose::IDENTITY);
    assert!((whole.value.volume - hollow.volume()).abs() < 1e-13);
    let ball = index(outer);
    let shared = ask(&ball, &hollow, &Pose::IDENTITY);
    assert!((shared.value.volume - hollow.volume()).abs() < 1e-13);
}

#[test]
fn faces_without_area_change_nothing() {
    // A cube whose edges carry flat extra faces: each face's first edge is split with a sliver of no area.
    let cube = generate::cuboid(DVec3::ONE, [1; 3]).unwrap();
    let mut positions = cube.positions().to_vec();
    let mut faces = Vec::new();
    for &[p, q, r] in cube.faces() {
        let middle = (positions[p as usize] + positions[q as usize]) * 0.5;
        let m = positions.len() as u32;
        positions.push(middle);
        faces.extend([[p, m, r], [m, q, r], [p, q, m]]);
    }
    let (flat, plain) = (index(TriMesh::new(positions, faces).unwrap()), index(cube));
    let mut rng = Rng::new(11);
    for round in 0..200 {
        let pose = if round % 2 == 0 {
            random_pose(&mut rng, 0.8)
        } else {
            shift(
                rng.grid(-2, 2) / 4.0,
                rng.grid(-2, 2) / 4.0,
                rng.grid(-4, 4) / 4.0,
            )
        };
        let truth = ask(&plain, &plain, &pose).value;
        for (a, b) in [(&flat, &plain), (&plain, &flat), (&flat, &flat)] {
            let answer = ask(a, b, &pose).value;
            assert!((answer.volume - truth.volume).abs() < 1e-14);
        }
    }
}

#[test]
fn scale_and_place_cost_no_accuracy_beyond_rounding() {
    let ball = generate::icosphere(1.0, 4).unwrap();
    let reference = ask(
        &index(ball.clone()),
        &index(ball.clone()),
        &shift(0.7, 0.2, 0.1),
    )
    .value;
    for power in [-100, -40, 0, 40, 100] {
        let factor = 2.0_f64.powi(power);
        let scaled = ball.positions().iter().map(|&p| p * factor).collect();
        let scaled = index(TriMesh::new(scaled, ball.faces().to_vec()).unwrap());
        let pose = shift(0.7 * factor, 0.2 * factor, 0.1 * factor);
        let volume = ask(&scaled, &scaled, &pose).value.volume / factor.powi(3);
        assert_eq!(volume, reference.volume);
    }
    let far = DVec3::splat(1e6);
    let moved = ball.positions().iter().map(|&p| p + far).collect();
    let moved = index(TriMesh::new(moved, ball.faces().to_vec()).unwrap());
    let answer = ask(&moved, &moved, &shift(0.7, 0.2, 0.1)).value;
    assert!((answer.volume - reference.volume).abs() < 1e-8);
}

#[test]
fn open_and_inverted_meshes_are_refused_by_name() {
    let ball = generate::icosphere(1.0, 2).unwrap();
    let open = TriMesh::new(ball.positions().to_vec(), ball.faces()[1..].to_vec()).unwrap();
    let error = VolumeIndex::new(Arc::new(open)).unwrap_err();
    assert!(matches!(error, VolumeError::NotClosed { .. }), "{error}");
    let mut one_flipped = ball.faces().to_vec();
    one_flipped[3].swap(0, 1);
    let flipped = TriMesh::new(ball.positions().to_vec(), one_flipped).unwrap();
    assert!(VolumeIndex::new(Arc::new(flipped)).is_err());
    let inverted = ball.faces().iter().map(|&[p, q, r]| [p, r, q]).collect();
    let inverted = TriMesh::new(ball.positions().to_vec(), inverted).unwrap();
    let error = VolumeIndex::new(Arc::new(inverted)).unwrap_err();
    assert!(
        matches!(error, VolumeError::InsideOut { volume } if volume < -3.0),
        "{error}"
    );
    let empty = index(TriMesh::new(Vec::new(), Vec::new()).unwrap());
    let ball = index(ball);
    assert_eq!(ask(&empty, &ball, &Pose::IDENTITY).value.volume, 0.0);
    assert_eq!(ask(&ball, &empty, &Pose::IDENTITY).value.volume, 0.0);
}

#[test]
fn a_budget_leaves_valid_bounds() {
    let ball = index(generate::icosphere(1.0, 8).unwrap());
    let limits = Limits {
        max_tests: Some(3),
        ..Limits::default()
    };
    let answer = ball.overlap(
        &ball,
        &shift(0.5, 0.0, 0.0),
        limits,
        &mut OverlapCache::default(),
    );
    let answer = answer.unwrap();
    assert_eq!(answer.outcome, Outcome::OutOfBudget);
    assert!(answer.lower == 0.0 && answer.upper > 4.0);
}

#[test]
fn a_solid_within_a_solid_counts_as_often_as_it_winds() {
    let (twice, hollow) = (index(nested(false)), index(nested(true)));
    assert_eq!((twice.volume(), hollow.volume()), (9.0, 7.0));
    let probe = index(generate::cuboid(DVec3::splat(0.5), [1; 3]).unwrap());
    // In the middle both shells are around the probe, near a corner only one is.
    for (at, in_twice, in_hollow) in [
        (0.0, 0.25, 0.0),
        (0.5, 0.125 + 0.015625, 0.125 - 0.015625),
        (0.75, 0.125, 0.125),
        (3.0, 0.0, 0.0),
    ] {
        let pose = shift(at, at, at);
        let found = ask(&twice, &probe, &pose).value;
        assert!((found.volume - in_twice).abs() < 1e-14, "{at} {found:?}");
        let found = ask(&hollow, &probe, &pose).value;
        assert!((found.volume - in_hollow).abs() < 1e-14, "{at} {found:?}");
    }
    // A point that one mesh winds around twice and the other too counts four times: every shell of one with every shell of the other.
    let near = shift(1e-3, 2e-3, -1e-3);
    let found = ask(&twice, &twice, &near).value;
    let both = |side: f64| {
        let left = DVec3::splat(side) - DVec3::new(1e-3, 2e-3, 1e-3);
        left.x * left.y * left.z
    };
    let truth = both(2.0) + 1.0 + 1.0 + both(1.0);
    assert!((found.volume - truth).abs() < 1e-12, "{found:?}");
}

#[test]
fn out_of_budget_the_bounds_hold_for_meshes_that_wind_twice_and_for_hollow_ones() {
    let limits = Limits {
        max_tests: Some(0),
        ..Limits::default()
    };
    let solids = [
        index(nested(false)),
        index(nested(true)),
        unit_cube(),
        index(generate::icosphere(1.0, 8).unwrap()),
    ];
    for (i, a) in solids.iter().enumerate() {
        for (j, b) in solids.iter().enumerate() {
            for at in [1e-3, 0.25, 0.6] {
                let pose = shift(at, 2.0 * at, -at);
                let part = a
                    .overlap(b, &pose, limits, &mut OverlapCache::default())
                    .unwrap();
                assert_eq!(part.outcome, Outcome::OutOfBudget);
                let truth = ask(a, b, &pose).value.volume;
                assert!(
                    part.lower <= truth && truth <= part.upper,
                    "{i} {j} {at}: {part:?} {truth}"
                );
            }
        }
    }
    // Nothing is given away where each mesh winds once: the smaller volume.
    let (cube, ball) = (&solids[2], &solids[3]);
    let part = cube
        .overlap(
            ball,
            &shift(0.0, 0.0, 0.0),
            limits,
            &mut OverlapCache::default(),
        )
        .unwrap();
    assert!((part.upper - 1.0).abs() < 1e-12, "{part:?}");
}

#[test]
fn a_ball_pressed_into_a_half_space_feels_the_disc_that_the_face_cuts_out() {
    use std::f64::consts::PI;
    let block = index(generate::cuboid(DVec3::new(4.0, 4.0, 2.0), [1; 3]).unwrap());
    let mesh = generate::icosphere(0.5, 48).unwrap();
    // The polyhedron lies between the ball through its corners and that which touches its nearest face.
    let nearest = mesh
        .triangles()
        .map(|[p, q, r]| p.dot((q - p).cross(r - p).normalize()))
        .fold(f64::INFINITY, f64::min);
    assert!(nearest > 0.499 && nearest < 0.5);
    let ball = index(mesh);
    for depth in [0.02, 0.1, 0.25, 0.4] {
        let at = DVec3::new(0.11, -0.07, 1.0 + 0.5 - depth);
        let found = ask(&block, &ball, &Pose::from_translation(at).unwrap()).value;
        // The height of the face above the middle of the ball, and what it cuts off a ball of a radius.
        let height = 0.5 - depth;
        let disc = |r: f64| PI * (r * r - height * height);
        let cap = |r: f64| PI / 3.0 * (r - height).powi(2) * (2.0 * r + height);
        let force = -found.gradient.translation;
        let closed = PI * (2.0 * 0.5 * depth - depth * depth);
        assert!((disc(0.5) - closed).abs() < 1e-15);
        assert!(
            disc(nearest) <= force.z && force.z <= closed,
            "{depth}: {force} {closed}"
        );
        assert!(
            (force.z / closed - 1.0).abs() < 1e-2,
            "{depth}: {force} {closed}"
        );
        assert!(
            cap(nearest) <= found.volume && found.volume <= cap(0.5),
            "{depth}"
        );
        // The face is level: nothing pushes sideways, and nothing turns the ball about the vertical through it.
        assert!(force.truncate().length() < 1e-13, "{depth}: {force}");
        let torque = -(found.gradient.rotation - at.cross(found.gradient.translation));
        assert!(torque.length() < 2e-4, "{depth}: {torque}");
    }
}
