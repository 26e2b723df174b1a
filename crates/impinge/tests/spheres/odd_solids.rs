//! Solids with fins of zero thickness and solids of many shells: packing, tree and exact volume.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::geom::closest_point_on_triangle;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::{
    InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, MeshSolid, PackOptions, Packing,
    SolidError, pack,
};
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_testkit::oracle::ball_faults;

fn cube() -> TriMesh {
    generate::cuboid(DVec3::ONE, [1; 3]).unwrap()
}

fn joined(a: &TriMesh, b: &TriMesh) -> TriMesh {
    let (mut positions, mut faces) = a.clone().into_parts();
    let first = positions.len() as u32;
    positions.extend_from_slice(b.positions());
    faces.extend(b.faces().iter().map(|f| f.map(|v| v + first)));
    TriMesh::new(positions, faces).unwrap()
}

/// A triangle with two sides.
fn fin(corners: [DVec3; 3]) -> TriMesh {
    TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 1]]).unwrap()
}

/// The unit cube with a fin along one of its edges that ends at `tip`.
fn finned(tip: DVec3) -> TriMesh {
    let (mut positions, mut faces) = cube().into_parts();
    let at = |p: DVec3| positions.iter().position(|&q| q == p).unwrap() as u32;
    let (a, b) = (at(DVec3::new(0.5, 0.5, -0.5)), at(DVec3::splat(0.5)));
    let c = positions.len() as u32;
    positions.push(tip);
    faces.extend([[a, b, c], [a, c, b]]);
    TriMesh::new(positions, faces).unwrap()
}

fn packing(solid: &MeshSolid<'_>, count: usize) -> Packing {
    let options = PackOptions {
        count: Some(count),
        ..PackOptions::default()
    };
    pack(solid, &options).unwrap()
}

fn judge(mesh: &TriMesh, packing: &Packing) {
    let balls: Vec<(DVec3, f64)> = packing
        .balls
        .iter()
        .map(|ball| (ball.center, ball.radius))
        .collect();
    let faults = ball_faults(mesh, &balls);
    assert_eq!((faults.escapes, faults.overlaps), (0, 0));
}

fn volume(a: &VolumeIndex, b: &VolumeIndex, pose: &Pose) -> [f64; 3] {
    let found = a
        .overlap(b, pose, Limits::default(), &mut OverlapCache::default())
        .unwrap();
    [found.lower, found.value.volume, found.upper]
}

#[test]
fn a_fin_outside_changes_no_ball_and_one_inside_is_a_wall() {
    let plain = cube();
    let tree = WideTree::new(Arc::new(plain));
    let largest = packing(&MeshSolid::new(&tree).unwrap(), 1).balls[0].radius;
    assert!((largest - 0.5).abs() < 1e-9);

    let outside = finned(DVec3::new(1.5, 1.5, 0.0));
    let tree = WideTree::new(Arc::new(outside.clone()));
    let solid = MeshSolid::new(&tree).unwrap();
    assert!((solid.volume() - 1.0).abs() < 1e-12);
    let filled = packing(&solid, 100);
    judge(&outside, &filled);
    assert!((filled.balls[0].radius - 0.5).abs() < 1e-4);

    // To the axis of the cube: the largest ball keeps off it.
    let inside = finned(DVec3::ZERO);
    let tree = WideTree::new(Arc::new(inside.clone()));
    let solid = MeshSolid::new(&tree).unwrap();
    assert!((solid.volume() - 1.0).abs() < 1e-12);
    let filled = packing(&solid, 100);
    judge(&inside, &filled);
    assert!(filled.balls[0].radius < 0.49);
    let wall = [DVec3::new(0.5, 0.5, -0.5), DVec3::splat(0.5), DVec3::ZERO];
    for ball in &filled.balls {
        let near = closest_point_on_triangle(ball.center, &wall).point;
        assert!((near - ball.center).length() >= ball.radius * (1.0 - 1e-12));
    }
}

#[test]
fn a_fin_that_floats_is_a_wall_inside_and_refused_outside() {
    let shape = |at: DVec3| {
        let corners = [DVec3::X, DVec3::Y, DVec3::Z].map(|p| at + 0.2 * p);
        WideTree::new(Arc::new(joined(&cube(), &fin(corners))))
    };
    let tree = shape(DVec3::ZERO);
    let solid = MeshSolid::new(&tree).unwrap();
    let filled = packing(&solid, 50);
    judge(tree.mesh(), &filled);
    assert!(filled.balls[0].radius < 0.49);
    let tree = shape(DVec3::X * 2.0);
    assert!(matches!(
        MeshSolid::new(&tree),
        Err(SolidError::Nested { winding: 0, .. })
    ));
}

#[test]
fn fins_add_nothing_to_the_exact_volume() {
    let index = |mesh: TriMesh| VolumeIndex::new(Arc::new(mesh)).unwrap();
    let plain = index(cube());
    let floating = [DVec3::X, DVec3::Y, DVec3::Z].map(|p| 1.1 * p);
    let finned = [
        index(finned(DVec3::new(1.5, 1.5, 0.0))),
        index(finned(DVec3::ZERO)),
        index(joined(&cube(), &fin(floating))),
        index(joined(&cube(), &fin(floating.map(|p| 0.2 * p)))),
    ];
    let mut rng = Rng::new(3);
    for case in 0..60 {
        let pose = if case % 2 == 0 {
            let grid = DVec3::new(rng.grid(-4, 4), rng.grid(-4, 4), rng.grid(-4, 4));
            Pose::from_translation(grid / 4.0).unwrap()
        } else {
            Pose::from_axis_angle(rng.direction(), rng.range(0.0, 3.0), rng.cube()).unwrap()
        };
        let [_, truth, _] = volume(&plain, &plain, &pose);
        for (k, solid) in finned.iter().enumerate() {
            let bound = 1e-14 * solid.area() * solid.diameter();
            for (a, b) in [(solid, &plain), (&plain, solid), (solid, solid)] {
                let [lower, value, upper] = volume(a, b, &pose);
                assert!(
                    (value - truth).abs() <= bound,
                    "{case}, fin {k}: {value} {truth}"
                );
                assert!(lower <= truth + bound && truth - bound <= upper);
            }
        }
    }
}

#[test]
fn brackets_of_balls_hold_the_truth_of_finned_solids() {
    for tip in [DVec3::new(1.5, 1.5, 0.0), DVec3::ZERO] {
        let tree = WideTree::new(Arc::new(finned(tip)));
        let solid = MeshSolid::new(&tree).unwrap();
        let filled = packing(&solid, 400);
        let balls = InnerSphereTree::new(&filled.balls, &InnerSphereTreeOptions::default())
            .unwrap()
            .with_surface(&solid)
            .with_gaps(&solid, 16);
        check_brackets(&tree, &balls, 1.2);
    }
}

/// Distance and volume of a body against its own copy.
fn check_brackets(tree: &WideTree, balls: &InnerSphereTree, size: f64) {
    let exact = VolumeIndex::from_tree(tree.clone()).unwrap();
    let mut rng = Rng::new(6);
    let mut cache = InnerSphereTreeCache::default();
    for case in 0..40 {
        let to = rng.direction() * size * rng.range(0.2, 2.5);
        let pose = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 3.0), to).unwrap();
        let truth = tree
            .distance(tree, &pose, Limits::default(), &mut WideCache::default())
            .value
            .map_or(0.0, |found| found.distance);
        let gap = balls
            .distance(balls, &pose, Limits::default(), &mut cache)
            .unwrap();
        assert!(gap.lower <= truth + 1e-12, "case {case}");
        // Balls that overlap show that the solids do, also where no surfaces meet.
        assert!(
            truth <= gap.upper + 1e-12 || gap.upper == 0.0,
            "case {case}"
        );
        let [_, truth, _] = volume(&exact, &exact, &pose);
        let found = balls.overlap(balls, &pose, Limits::default(), &mut cache);
        assert!(found.lower <= truth + 1e-12, "case {case}");
        assert!(truth <= found.upper + 1e-12, "case {case}");
    }
}

/// 125 unit cubes, half a unit apart, the first about the origin.
fn many() -> TriMesh {
    generate::cube_array([5; 3], 0.5).unwrap()
}

#[test]
fn more_shells_than_64_are_packed_and_bracketed() {
    let tree = WideTree::new(Arc::new(many()));
    let solid = MeshSolid::new(&tree).unwrap();
    assert!((solid.volume() - 125.0).abs() < 1e-9);
    let filled = packing(&solid, 2000);
    judge(tree.mesh(), &filled);
    let large = filled.balls.iter().filter(|b| b.radius > 0.499).count();
    assert_eq!(large, 125, "one in each cube");
    let balls = InnerSphereTree::new(&filled.balls, &InnerSphereTreeOptions::default())
        .unwrap()
        .with_surface(&solid)
        .with_gaps(&solid, 24);
    check_brackets(&tree, &balls, 4.0);
}

#[test]
fn the_exact_volume_counts_every_shell() {
    let index = |mesh: TriMesh| VolumeIndex::new(Arc::new(mesh)).unwrap();
    let (cubes, wide) = (
        index(many()),
        index(generate::cuboid(DVec3::splat(4.25), [1; 3]).unwrap()),
    );
    let mut rng = Rng::new(9);
    for case in 0..60 {
        let offset = if case % 2 == 0 {
            DVec3::new(rng.grid(-8, 32), rng.grid(-8, 32), rng.grid(-8, 32)) / 4.0
        } else {
            rng.cube() * 5.0 + 2.0
        };
        // Along each axis, what the box shares with the five intervals.
        let part = |at: f64| -> f64 {
            (0..5)
                .map(|k| 1.5 * f64::from(k))
                .map(|c| ((c + 0.5).min(at + 2.125) - (c - 0.5).max(at - 2.125)).max(0.0))
                .sum()
        };
        let truth = part(offset.x) * part(offset.y) * part(offset.z);
        let pose = Pose::from_translation(offset).unwrap();
        let bound = 1e-14 * wide.area() * wide.diameter();
        let [lower, value, upper] = volume(&cubes, &wide, &pose);
        assert!((value - truth).abs() <= bound, "{case}: {value} {truth}");
        assert!(lower <= truth + bound && truth - bound <= upper);
    }
}

#[test]
fn a_wrong_shell_is_found_however_many_come_before_it() {
    let hollow = |edge: f64, is_turned: bool, at: DVec3| {
        let (positions, faces) = generate::cuboid(DVec3::splat(edge), [1; 3])
            .unwrap()
            .into_parts();
        let turn = |[a, b, c]: [u32; 3]| if is_turned { [a, c, b] } else { [a, b, c] };
        let positions = positions.into_iter().map(|p| p + at).collect();
        TriMesh::new(positions, faces.into_iter().map(turn).collect()).unwrap()
    };
    let solid_of = |mesh: TriMesh| {
        let tree = WideTree::new(Arc::new(mesh));
        MeshSolid::new(&tree).map(|solid| solid.volume())
    };
    let last = DVec3::splat(6.0);
    let kind = |is_turned, at| solid_of(joined(&many(), &hollow(0.5, is_turned, at)));
    assert!(matches!(
        kind(false, last),
        Err(SolidError::Nested { winding: 2, .. })
    ));
    assert!(matches!(
        kind(true, DVec3::splat(9.0)),
        Err(SolidError::Nested { winding: 0, .. })
    ));
    let volume = kind(true, last).unwrap();
    assert!((volume - 124.875).abs() < 1e-9);
    assert!((kind(false, DVec3::splat(9.0)).unwrap() - 125.125).abs() < 1e-9);
}
