//! Force shading.

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::WideTree;
use impinge::math::Rng;
use impinge::query::FaceId;
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_dynamics::proxy::{GodObject, ProxyScene, SceneError};
use impinge_dynamics::shading::{MAX_SHADING_ANGLE, VertexNormals};

const STIFFNESS: f64 = 1000.0;
const TICK: f64 = 1e-3;

fn scene(mesh: TriMesh, shaded: bool) -> ProxyScene {
    let mesh = Arc::new(mesh);
    let tree = Arc::new(WideTree::new(mesh.clone()));
    let mut scene = ProxyScene::new();
    let body = scene.add(tree, Pose::IDENTITY).unwrap();
    if shaded {
        let normals = Arc::new(VertexNormals::new(&mesh));
        scene.set_shading(body, Some(normals)).unwrap();
    }
    scene
}

#[test]
fn a_flat_mesh_feels_the_same_bit_for_bit() {
    // Tilted, so that normals have no simple coordinates.
    let mesh = generate::cloth(6, 6).unwrap();
    let flat: Vec<DVec3> = mesh
        .positions()
        .iter()
        .map(|p| DVec3::new(p.x, 0.0, p.z + p.y))
        .collect();
    let mesh = TriMesh::new(flat, mesh.faces().to_vec()).unwrap();
    let tilt = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7, [0.1, 0.2, 0.3]).unwrap();
    let mesh = mesh.placed(&tilt).unwrap();
    let center = mesh.bounds().center();
    let [mut plain, mut smooth] = [false, true].map(|shaded| scene(mesh.clone(), shaded));
    let up = tilt.transform_vector(DVec3::Y);
    let start = center + up;
    let mut gods =
        [&mut plain, &mut smooth].map(|scene| GodObject::new(scene, STIFFNESS, start).unwrap());
    let mut rng = Rng::new(1);
    let mut touched = 0;
    for _ in 0..2000 {
        let target = center + rng.cube() * 0.3 - up * 0.1;
        let a = gods[0].update(&mut plain, target, TICK);
        let b = gods[1].update(&mut smooth, target, TICK);
        assert_eq!((a.proxy, a.force), (b.proxy, b.force));
        touched += a.contacts().len();
    }
    assert!(touched > 1000, "{touched}");
}

/// Largest angle between force and radius on a path over a coarse ball, and largest turn of the force in a tick.
fn roll(shaded: bool) -> (f64, f64, f64) {
    let mesh = generate::icosphere(1.0, 3).unwrap();
    let mut scene = scene(mesh.clone(), shaded);
    let place = |angle: f64, radius: f64| {
        let (s, c) = angle.sin_cos();
        DVec3::new(c * 0.96, s, 0.28 * c) * radius
    };
    let mut god_object = GodObject::new(&mut scene, STIFFNESS, place(0.0, 1.5)).unwrap();
    let (mut off, mut turn, mut energy) = (0.0_f64, 0.0_f64, 0.0_f64);
    let mut before: Option<DVec3> = None;
    for i in 0..6000 {
        let target = place(f64::from(i) * 1e-3, 0.9);
        let step = god_object.update(&mut scene, target, TICK);
        energy = energy.max(step.shading_energy);
        // Never under the true surface: outside of some face of a convex body.
        let mut faces = mesh.triangles();
        assert!(faces.any(|[a, b, c]| (b - a).cross(c - a).dot(step.proxy - a) > 0.0));
        let Some(force) = step.force.try_normalize() else {
            continue;
        };
        if i > 50 {
            let radius = target.normalize();
            off = off.max(force.angle_between(radius));
            turn = turn.max(before.map_or(0.0, |before| before.angle_between(force)));
        }
        before = Some(force);
    }
    (off, turn, energy)
}

#[test]
fn a_coarse_ball_feels_rounder_and_smoother() {
    let (plain_off, plain_turn, plain_energy) = roll(false);
    let (off, turn, energy) = roll(true);
    assert!(off < 0.6 * plain_off, "{off} beside {plain_off}");
    assert!(turn < 0.25 * plain_turn, "{turn} beside {plain_turn}");
    assert_eq!(plain_energy, 0.0);
    // The spring at this depth holds about 5 J.
    assert!(energy > 0.0 && energy < 0.5, "{energy}");
}

#[test]
fn a_shaded_proxy_passes_no_face() {
    let mesh = generate::icosphere(1.0, 2).unwrap();
    let mut scene = scene(mesh.clone(), true);
    let mut god_object = GodObject::new(&mut scene, STIFFNESS, [1.5, 0.0, 0.0]).unwrap();
    let mut rng = Rng::new(7);
    for _ in 0..5000 {
        let before = god_object.proxy();
        let step = god_object.update(&mut scene, rng.cube() * 1.2, TICK);
        assert!(!step.crossed);
        let mut faces = mesh.triangles();
        assert!(!faces.any(|t| impinge::geom::segment_meets_triangle(before, step.proxy, &t)));
    }
}

#[test]
fn normals_at_sharp_edges_are_capped() {
    let mesh = generate::cuboid(DVec3::ONE, [1; 3]).unwrap();
    let normals = VertexNormals::new(&mesh);
    for face in mesh.face_ids() {
        let [a, b, c] = mesh.face(face).unwrap();
        let own = (b - a).cross(c - a).normalize();
        for corner in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            let shaded = normals.at(&mesh, face, corner).unwrap();
            // The vertex normal is at 0.955 rad.
            assert!((shaded.angle_between(own) - MAX_SHADING_ANGLE).abs() < 1e-9);
            assert!((shaded.length() - 1.0).abs() < 1e-12);
        }
    }
    assert_eq!(normals.at(&mesh, FaceId::new(999), [1.0, 0.0, 0.0]), None);
}

#[test]
fn normals_of_another_mesh_are_refused() {
    let mesh = Arc::new(generate::tetrahedron(1.0).unwrap());
    let other = generate::icosphere(1.0, 2).unwrap();
    let tree = Arc::new(WideTree::new(mesh));
    assert_eq!(tree.mesh().face_count(), 4);
    let mut scene = ProxyScene::new();
    let body = scene.add(tree, Pose::IDENTITY).unwrap();
    let refused = scene.set_shading(body, Some(Arc::new(VertexNormals::new(&other))));
    assert!(matches!(
        refused,
        Err(SceneError::OtherMesh { vertices: 4, .. })
    ));
}
