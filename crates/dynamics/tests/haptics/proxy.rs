//! The god-object: closed forms, and no face is ever passed.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::geom::segment_meets_triangle;
use impinge::math::Rng;
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_dynamics::friction::{Friction, FrictionState};
use impinge_dynamics::proxy::{
    ConstraintPlane, GodObject, MAX_SWEEPS, ProxyScene, SceneError, nearest_under_planes,
};
use impinge_dynamics::shading::VertexNormals;
use impinge_testkit::oracle::intersects;

const STIFFNESS: f64 = 1000.0;
const TICK: f64 = 1e-3;

pub(crate) fn scene_of(mesh: TriMesh) -> ProxyScene {
    let mut scene = ProxyScene::new();
    let tree = WideTree::new(Arc::new(mesh));
    scene.add(Arc::new(tree), Pose::IDENTITY).unwrap();
    scene
}

/// A cube from -1 to 1.
fn room() -> TriMesh {
    let mesh = generate::cuboid(DVec3::splat(2.0), [1; 3]).unwrap();
    let center = mesh.bounds().center();
    mesh.placed(&Pose::from_translation(-center).unwrap())
        .unwrap()
}

/// Two slopes that meet at 30° along the z axis, with the bottom at the origin.
fn groove() -> TriMesh {
    let (x, y) = (15_f64.to_radians().tan() * 4.0, 4.0);
    let points = [
        [-x, y, -4.0],
        [0.0, 0.0, -4.0],
        [x, y, -4.0],
        [-x, y, 4.0],
        [0.0, 0.0, 4.0],
        [x, y, 4.0],
    ];
    let faces = [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]];
    TriMesh::from_points(points, faces).unwrap()
}

/// Walks at random and says how often a face was passed, by the exact test of every face.
fn crossings(mesh: &TriMesh, start: DVec3, reach: f64, ticks: u32, seed: u64) -> u32 {
    let mut scene = scene_of(mesh.clone());
    let mut god_object = GodObject::new(&mut scene, STIFFNESS, start).unwrap();
    let mut rng = Rng::new(seed);
    let (bounds, mut device) = (mesh.bounds(), start);
    let (mut crossings, mut touched) = (0, 0);
    for tick in 0..ticks {
        // Small steps, and now and then a leap anywhere or into the model.
        let target = match rng.below(8) {
            0 => start + rng.cube() * reach,
            1 => bounds.center() + rng.cube() * bounds.half_extent(),
            _ => device + rng.cube() * (0.02 * reach),
        };
        device = target;
        let before = god_object.proxy();
        let step = god_object.update(&mut scene, target, TICK);
        assert!(!step.crossed && step.sweeps <= MAX_SWEEPS);
        assert_eq!(step.proxy, god_object.proxy());
        touched += u32::from(!step.contacts().is_empty());
        let meets = mesh
            .triangles()
            .any(|t| segment_meets_triangle(before, step.proxy, &t));
        crossings += u32::from(meets);
        // Integers of unlimited size look at some of the ticks.
        if tick % 100 == 0 {
            let path = [before, step.proxy, step.proxy];
            assert!(!mesh.triangles().any(|t| intersects(&path, &t)));
        }
    }
    assert!(touched > ticks / 10, "the walk touched in {touched} ticks");
    crossings
}

#[test]
fn the_closed_form_agrees_with_the_dense_system() {
    let mut rng = Rng::new(11);
    for _ in 0..2000 {
        let target = rng.cube() * 3.0;
        let planes: Vec<ConstraintPlane> = (0..3)
            .map(|_| ConstraintPlane {
                normal: rng.direction(),
                offset: rng.range(-1.0, 1.0),
            })
            .collect();
        let [a, b, c] = [0, 1, 2].map(|i: usize| planes[i].normal);
        if a.dot(b.cross(c)).abs() < 0.1 {
            continue;
        }
        let nearest = nearest_under_planes(target, &planes).unwrap();
        let active: Vec<ConstraintPlane> = (0..3)
            .filter(|&i| nearest.push[i] > 0.0)
            .map(|i| planes[i])
            .collect();
        let (point, multipliers) = dense(target, &active);
        assert!((nearest.point - point).length() < 1e-10);
        // Optimal: on its active planes, above all, and none of the active ones pulls.
        for plane in &active {
            assert!(plane.height(nearest.point).abs() <= 1e-12);
        }
        assert!(planes.iter().all(|p| p.height(nearest.point) >= -1e-12));
        assert!(multipliers.iter().all(|&l| l <= 1e-9));
        // In any order.
        let turned = [planes[2], planes[0], planes[1]];
        let again = nearest_under_planes(target, &turned).unwrap();
        assert!((again.point - nearest.point).length() < 1e-9);
        // A point that is found is found again.
        let fixed = nearest_under_planes(nearest.point, &planes).unwrap();
        assert!((fixed.point - nearest.point).length() < 1e-12);
    }
}

/// Solves [I Nᵀ; N 0][x; l] = [p; D] by elimination with pivoting.
fn dense(target: DVec3, planes: &[ConstraintPlane]) -> (DVec3, Vec<f64>) {
    let n = 3 + planes.len();
    let mut rows = vec![vec![0.0; n + 1]; n];
    for i in 0..3 {
        rows[i][i] = 1.0;
        rows[i][n] = target[i];
        for (k, plane) in planes.iter().enumerate() {
            rows[i][3 + k] = plane.normal[i];
            rows[3 + k][i] = plane.normal[i];
            rows[3 + k][n] = plane.offset;
        }
    }
    for column in 0..n {
        let pivot = (column..n)
            .max_by(|&i, &j| rows[i][column].abs().total_cmp(&rows[j][column].abs()))
            .unwrap();
        rows.swap(column, pivot);
        let pivot = rows[column].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = row[column] / pivot[column];
            for (value, other) in row.iter_mut().zip(&pivot) {
                *value -= if i == column { 0.0 } else { factor * other };
            }
        }
    }
    let solution: Vec<f64> = (0..n).map(|i| rows[i][n] / rows[i][i]).collect();
    (DVec3::from_slice(&solution), solution[3..].to_vec())
}

#[test]
fn parallel_and_opposed_planes_do_not_run_away() {
    let plane = |normal, offset| ConstraintPlane { normal, offset };
    let tilted = DVec3::new(1e-9, 1.0, 0.0).normalize();
    let same = [plane(DVec3::Y, 0.0), plane(tilted, 0.0)];
    let nearest = nearest_under_planes(DVec3::NEG_Y, &same).unwrap();
    assert!(nearest.point.length() < 1e-6);
    let opposed = [plane(DVec3::Y, 1.0), plane(DVec3::NEG_Y, 1.0)];
    assert_eq!(nearest_under_planes(DVec3::ZERO, &opposed), None);
}

#[test]
fn on_a_plane_the_proxy_is_above_the_device() {
    let mut scene = scene_of(room());
    let mut god_object = GodObject::new(&mut scene, STIFFNESS, [0.0; 3]).unwrap();
    let above = god_object.offset();
    assert!((above - 1e-5 * 12_f64.sqrt()).abs() < 1e-15);
    let mut rng = Rng::new(2);
    for _ in 0..1000 {
        let (x, z, d) = (
            rng.range(-0.9, 0.9),
            rng.range(-0.9, 0.9),
            rng.range(0.0, 1.0),
        );
        let step = god_object.update(&mut scene, DVec3::new(x, -1.0 - d, z), TICK);
        assert!((step.proxy - DVec3::new(x, -1.0 + above, z)).length() < 1e-12);
        let force = DVec3::Y * STIFFNESS * (d + above);
        assert!((step.force - force).length() < 1e-9);
        assert_eq!(step.contacts().len(), 1);
    }
}

#[test]
fn in_free_space_the_proxy_is_the_device() {
    let mut scene = scene_of(room());
    let mut god_object = GodObject::new(&mut scene, STIFFNESS, [0.0; 3]).unwrap();
    let mut rng = Rng::new(3);
    for _ in 0..1000 {
        let target = rng.cube() * 0.9;
        let step = god_object.update(&mut scene, target, TICK);
        assert_eq!((step.proxy, step.force), (target, DVec3::ZERO));
        assert_eq!((step.sweeps, step.contacts().len()), (1, 0));
    }
}

#[test]
fn a_closed_room_clamps_the_device_within_one_tick() {
    let mut scene = scene_of(room());
    let mut rng = Rng::new(4);
    let mut by_planes = [0; 4];
    for _ in 0..5000 {
        let start = rng.cube() * 0.99;
        let mut god_object = GodObject::new(&mut scene, STIFFNESS, start).unwrap();
        let inner = DVec3::splat(1.0 - god_object.offset());
        let target = rng.cube() * 3.0;
        let step = god_object.update(&mut scene, target, TICK);
        let expected = target.clamp(-inner, inner);
        assert!(
            (step.proxy - expected).length() < 1e-12,
            "{start} to {target}"
        );
        assert!(!step.held);
        by_planes[step.contacts().len()] += 1;
    }
    // Faces, edges and corners all occurred.
    assert!(by_planes.iter().all(|&n| n > 50), "{by_planes:?}");
}

#[test]
fn in_a_groove_the_proxy_rests_on_the_raised_edge() {
    let mesh = groove();
    let mut scene = scene_of(mesh);
    let mut god_object = GodObject::new(&mut scene, STIFFNESS, [0.0, 1.0, 0.5]).unwrap();
    let step = god_object.update(&mut scene, DVec3::new(0.02, -0.5, 0.5), TICK);
    // Both planes raised by the offset meet above the edge.
    let height = god_object.offset() / 15_f64.to_radians().sin();
    assert!((step.proxy - DVec3::new(0.0, height, 0.5)).length() < 1e-12);
    assert_eq!(step.contacts().len(), 2);
    assert!(step.contacts().iter().all(|c| c.push > 0.0));
}

#[test]
fn a_plane_that_would_pull_is_dropped() {
    let mut scene = scene_of(groove());
    let mut god_object = GodObject::new(&mut scene, STIFFNESS, [0.0, 1.0, 0.0]).unwrap();
    god_object.update(&mut scene, DVec3::new(0.0, -0.5, 0.0), TICK);
    // Out along the right slope, well clear of the left one: only one plane may act.
    let along = DVec3::new(15_f64.to_radians().sin(), 15_f64.to_radians().cos(), 0.0);
    let into = DVec3::new(along.y, -along.x, 0.0);
    let target = along * 0.5 + into * 0.01;
    let step = god_object.update(&mut scene, target, TICK);
    let expected = along * 0.5 - into * god_object.offset();
    assert!((step.proxy - expected).length() < 1e-12);
    let pushing = step.contacts().iter().filter(|c| c.push > 0.0);
    assert_eq!(pushing.count(), 1);
}

#[test]
fn no_face_is_passed_in_rooms_grooves_and_on_terrains() {
    assert_eq!(crossings(&room(), DVec3::ZERO, 3.0, 20_000, 1), 0);
    let outside = DVec3::new(2.0, 0.1, 0.2);
    assert_eq!(crossings(&room(), outside, 4.0, 20_000, 2), 0);
    assert_eq!(crossings(&groove(), DVec3::Y, 2.0, 20_000, 3), 0);
    for seed in 0..6 {
        let terrain = generate::terrain(8, 8, seed).unwrap();
        let above = DVec3::Z * (terrain.bounds().max.z + 0.5);
        assert_eq!(crossings(&terrain, above, 3.0, 2000, seed), 0);
    }
    let knot = generate::torus_knot(2, 3, 0.4, 60, 10).unwrap();
    let outside = knot.bounds().max + DVec3::splat(0.1);
    assert_eq!(crossings(&knot, outside, 4.0, 2000, 9), 0);
}

#[test]
fn rough_and_shaded_bodies_that_move_are_not_passed_either() {
    let mut rng = Rng::new(41);
    for seed in 0..4 {
        let terrain = Arc::new(generate::terrain(8, 8, seed).unwrap());
        let blob = Arc::new(generate::blob(8).unwrap());
        let meshes = [terrain, blob];
        let mut scene = ProxyScene::new();
        let bodies = meshes.clone().map(|mesh| {
            let tree = Arc::new(WideTree::new(mesh.clone()));
            let body = scene.add(tree, Pose::IDENTITY).unwrap();
            let friction = Friction::coulomb(0.6, 0.3).unwrap();
            scene.set_friction(body, friction).unwrap();
            let normals = Some(Arc::new(VertexNormals::new(&mesh)));
            scene.set_shading(body, normals).unwrap();
            body
        });
        let start = DVec3::Z * 6.0;
        let mut poses = [0.0, 9.0].map(|z| Pose::from_translation([0.0, 0.0, z]).unwrap());
        scene.set_pose(bodies[1], poses[1]).unwrap();
        let mut god_object = GodObject::new(&mut scene, STIFFNESS, start).unwrap();
        let mut before = poses.map(|pose| pose.inverse() * start);
        let (mut touched, mut slid) = (0, 0);
        for _ in 0..1500 {
            for (body, pose) in bodies.into_iter().zip(&mut poses) {
                let turn = Pose::from_axis_angle(rng.direction(), 0.02, [0.0; 3]).unwrap();
                let turned = turn * Pose::new(*pose.rotation(), [0.0; 3]).unwrap();
                let moved = pose.translation() + rng.cube() * 0.02;
                *pose = Pose::new(*turned.rotation(), moved).unwrap();
                scene.set_pose(body, *pose).unwrap();
            }
            let middle = poses[rng.below(2) as usize].translation();
            let target = middle + rng.cube() * 2.0;
            let step = god_object.update(&mut scene, target, TICK);
            touched += step.contacts().len();
            slid += usize::from(step.friction == FrictionState::Slip);
            for (k, mesh) in meshes.iter().enumerate() {
                let now = poses[k].inverse() * step.proxy;
                let path = (std::mem::replace(&mut before[k], now), now);
                let mut faces = mesh.triangles();
                let meets = faces.any(|t| segment_meets_triangle(path.0, path.1, &t));
                assert!(step.crossed || !meets);
            }
            assert!(!step.crossed);
        }
        assert!(
            touched > 300 && slid > 100,
            "{touched} contacts, {slid} slips"
        );
    }
}

#[test]
fn a_thin_sheet_stops_any_speed() {
    let points = [[-9.0, 0.0, -9.0], [9.0, 0.0, -9.0], [0.0, 0.0, 9.0]];
    let mut scene = scene_of(TriMesh::from_points(points, [[0, 1, 2]]).unwrap());
    for side in [1.0, -1.0] {
        for depth in [1e-9, 1.0, 1e6, 1e12] {
            let start = DVec3::Y * side;
            let mut god_object = GodObject::new(&mut scene, STIFFNESS, start).unwrap();
            let step = god_object.update(&mut scene, DVec3::Y * (-side * depth), TICK);
            let expected = DVec3::Y * (side * god_object.offset());
            assert!((step.proxy - expected).length() < 1e-9 * depth.max(1.0));
            assert!(step.proxy.y * side > 0.0);
        }
    }
}

/// A pit with its lowest point at the origin and an uneven rim.
fn pit(sides: u32, rng: &mut Rng) -> TriMesh {
    let mut points = vec![DVec3::ZERO];
    let turn = std::f64::consts::TAU / f64::from(sides);
    for i in 0..sides {
        let angle = turn * (f64::from(i) + rng.range(-0.3, 0.3));
        let radius = rng.range(0.7, 1.4);
        let height = rng.range(0.6, 1.2);
        points.push(DVec3::new(
            radius * angle.cos(),
            height,
            radius * angle.sin(),
        ));
    }
    let faces = (0..sides).map(|i| [0, 1 + i, 1 + (i + 1) % sides]);
    TriMesh::new(points, faces.collect()).unwrap()
}

#[test]
fn a_fourth_plane_holds_the_proxy() {
    let mut rng = Rng::new(21);
    let mut held = 0;
    for _ in 0..300 {
        let mesh = pit(9, &mut rng);
        let mut scene = scene_of(mesh.clone());
        let mut god_object = GodObject::new(&mut scene, STIFFNESS, DVec3::Y * 0.3).unwrap();
        for _ in 0..10 {
            let target = rng.cube() * 0.1 - DVec3::Y * 0.4;
            let before = god_object.proxy();
            let step = god_object.update(&mut scene, target, TICK);
            assert!(!step.crossed);
            let path = [before, step.proxy];
            let mut faces = mesh.triangles();
            assert!(!faces.any(|t| segment_meets_triangle(path[0], path[1], &t)));
            if step.held {
                assert_eq!(step.proxy, before);
                assert_eq!(step.contacts().len(), 3);
                assert_eq!(step.force, (before - target) * STIFFNESS);
                held += 1;
            }
        }
    }
    assert!(held > 20, "held {held} times");
}

#[test]
fn a_shaken_room_keeps_its_proxy() {
    let mut rng = Rng::new(31);
    let mesh = room();
    let mut scene = scene_of(mesh.clone());
    let other = Arc::new(WideTree::new(Arc::new(room())));
    // A second room around the first, far away from everything, that moves too.
    let outer_pose = Pose::from_translation([50.0, 0.0, 0.0]).unwrap();
    scene.add(other, outer_pose).unwrap();
    let mut god_object = GodObject::new(&mut scene, STIFFNESS, [0.0; 3]).unwrap();
    let body = god_object
        .update(&mut scene, DVec3::Y * 5.0, TICK)
        .contacts()[0]
        .body;
    let mut pose = Pose::IDENTITY;
    let mut before = god_object.proxy();
    for _ in 0..20_000 {
        let turn = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 0.3), rng.cube() * 0.3);
        pose = turn.unwrap() * pose;
        if pose.translation().length() > 3.0 {
            pose = Pose::new(*pose.rotation(), [0.0; 3]).unwrap();
        }
        scene.set_pose(body, pose).unwrap();
        let target = rng.cube() * 2.0;
        let step = god_object.update(&mut scene, target, TICK);
        assert!(!step.crossed);
        let inside = pose.inverse() * step.proxy;
        assert!(inside.abs().max_element() < 1.0, "{inside}");
        let mut faces = mesh.triangles();
        assert!(!faces.any(|t| segment_meets_triangle(before, inside, &t)));
        before = inside;
    }
}

#[test]
fn a_wall_pushes_a_resting_proxy_ahead_of_itself() {
    let mut scene = scene_of(room());
    let mut god_object = GodObject::new(&mut scene, STIFFNESS, [3.0, 0.0, 0.0]).unwrap();
    let target = DVec3::new(3.0, 0.0, 0.0);
    let mut body = None;
    for tick in 0..400 {
        let x = f64::from(tick) * 0.01;
        if let Some(body) = body {
            scene
                .set_pose(body, Pose::from_translation([x, 0.0, 0.0]).unwrap())
                .unwrap();
        } else {
            body = Some(scene_body(&mut scene));
        }
        let step = god_object.update(&mut scene, target, TICK);
        let expected = target.x.max(x + 1.0 + god_object.offset());
        assert!(
            (step.proxy.x - expected).abs() < 1e-9,
            "{} at {x}",
            step.proxy.x
        );
        assert!(!step.crossed && step.proxy.y.abs() < 1e-9);
    }
}

/// The first body of a scene, found by touching it.
fn scene_body(scene: &mut ProxyScene) -> impinge_dynamics::proxy::BodyId {
    let mut finder = GodObject::new(scene, STIFFNESS, [3.0, 0.1, 0.2]).unwrap();
    finder
        .update(scene, DVec3::new(0.0, 0.1, 0.2), TICK)
        .contacts()[0]
        .body
}

#[test]
fn two_walls_that_leave_no_room_are_reported() {
    let mut scene = ProxyScene::new();
    let wall = Arc::new(WideTree::new(Arc::new(room())));
    let place = |x: f64| Pose::from_translation([x, 0.0, 0.0]).unwrap();
    let left = scene.add(wall.clone(), place(-2.0)).unwrap();
    let right = scene.add(wall, place(2.0)).unwrap();
    let mut god_object = GodObject::new(&mut scene, STIFFNESS, [0.0; 3]).unwrap();
    scene.set_pose(left, place(-0.5)).unwrap();
    scene.set_pose(right, place(0.5)).unwrap();
    let step = god_object.update(&mut scene, DVec3::ZERO, TICK);
    assert!(step.crossed);
}

#[test]
fn bad_starts_and_targets_are_refused() {
    let mut scene = scene_of(room());
    let on_face = GodObject::new(&mut scene, STIFFNESS, [1.0, 0.0, 0.0]);
    assert!(matches!(on_face, Err(SceneError::OnSurface { .. })));
    assert!(GodObject::new(&mut scene, STIFFNESS, [f64::NAN; 3]).is_err());
    assert!(GodObject::new(&mut scene, 0.0, [0.0; 3]).is_err());
    let empty = TriMesh::new(vec![], vec![]).unwrap();
    let refused = scene.add(Arc::new(WideTree::new(Arc::new(empty))), Pose::IDENTITY);
    assert_eq!(refused, Err(SceneError::NoFaces));

    let mut god_object = GodObject::new(&mut scene, STIFFNESS, [0.0; 3]).unwrap();
    for target in [
        DVec3::splat(f64::NAN),
        DVec3::X * f64::INFINITY,
        DVec3::X * 1e300,
    ] {
        let step = god_object.update(&mut scene, target, TICK);
        assert_eq!((step.proxy, step.force), (DVec3::ZERO, DVec3::ZERO));
        assert!(step.held && !step.crossed);
    }
}
