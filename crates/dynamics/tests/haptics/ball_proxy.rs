//! The god-object as a ball.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::geom::closest_point_on_triangle;
use impinge::math::Rng;
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_dynamics::proxy::{GodObject, ProxyScene};

const TICK: f64 = 1e-3;

fn scene_of(mesh: &TriMesh) -> ProxyScene {
    let mut scene = ProxyScene::new();
    let tree = Arc::new(WideTree::new(Arc::new(mesh.clone())));
    scene.add(tree, Pose::IDENTITY).unwrap();
    scene
}

/// Three walls that meet at the origin, open towards +x, +y, +z.
fn corner() -> TriMesh {
    let p = |x: f64, y: f64, z: f64| [x, y, z];
    let points = [
        p(0.0, 0.0, 0.0),
        p(1.0, 0.0, 0.0),
        p(0.0, 1.0, 0.0),
        p(0.0, 0.0, 1.0),
        p(1.0, 1.0, 0.0),
        p(0.0, 1.0, 1.0),
        p(1.0, 0.0, 1.0),
    ];
    let faces = [
        [0, 1, 4],
        [0, 4, 2],
        [0, 2, 5],
        [0, 5, 3],
        [0, 3, 6],
        [0, 6, 1],
    ];
    TriMesh::from_points(points, faces).unwrap()
}

fn distance(mesh: &TriMesh, p: DVec3) -> f64 {
    mesh.triangles()
        .map(|t| closest_point_on_triangle(p, &t).distance)
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn in_a_corner_a_ball_ends_at_the_offset_point() {
    let mesh = corner();
    let mut scene = scene_of(&mesh);
    let radius = 0.05;
    let proxy = GodObject::new(&mut scene, 1000.0, [0.4, 0.3, 0.35]).unwrap();
    let mut proxy = proxy.with_radius(&mut scene, radius).unwrap();
    let target = DVec3::new(-0.01, -0.02, -0.03);
    let mut step = proxy.update(&mut scene, target, TICK);
    for _ in 0..10 {
        step = proxy.update(&mut scene, target, TICK);
    }
    let wanted = DVec3::splat(radius + proxy.offset());
    assert!((step.proxy - wanted).length() < 1e-9, "{}", step.proxy);
    assert!((step.force - (wanted - target) * 1000.0).length() < 1e-6);
    assert_eq!(step.contacts().len(), 3);
}

#[test]
fn over_an_edge_a_ball_rolls_on_the_offset_surface() {
    // A convex box: outside its top edge the ball's centre keeps its distance.
    let mesh = generate::cuboid(DVec3::ONE, [1; 3]).unwrap();
    let bounds = mesh.bounds();
    let mut scene = scene_of(&mesh);
    let radius = 0.1;
    let top = bounds.center() + DVec3::Z * (bounds.half_extent().z + 0.3);
    let proxy = GodObject::new(&mut scene, 1000.0, top).unwrap();
    let mut proxy = proxy.with_radius(&mut scene, radius).unwrap();
    let (mut touched, mut floats) = (0_u32, 0_u32);
    for tick in 0..2000 {
        let angle = std::f64::consts::FRAC_PI_2 * f64::from(tick) / 2000.0;
        let target = bounds.center() + DVec3::new(angle.sin(), 0.0, angle.cos()) * 0.55;
        let step = proxy.update(&mut scene, target, TICK);
        let gap = distance(&mesh, step.proxy) - radius;
        assert!(gap > 0.0 && !step.crossed, "{gap}");
        if tick > 10 && !step.contacts().is_empty() {
            touched += 1;
            // At the convex edge planes are tangents: the ball may float for a tick.
            floats += u32::from(gap > 0.01);
        }
    }
    assert!(
        touched > 1200 && floats * 20 < touched,
        "{floats} of {touched}"
    );
}

#[test]
fn a_ball_never_comes_nearer_than_its_radius() {
    let mut rng = Rng::new(61);
    for mesh in [
        generate::icosphere(1.0, 5).unwrap(),
        corner(),
        generate::model("terrain")
            .unwrap()
            .make(Some(500), 3)
            .unwrap(),
    ] {
        let bounds = mesh.bounds();
        let size = bounds.half_extent().max_element();
        let radius = 0.07 * size;
        let start = bounds.center() + DVec3::ONE * (2.0 * size);
        let mut scene = scene_of(&mesh);
        let proxy = GodObject::new(&mut scene, 1000.0, start).unwrap();
        let mut proxy = proxy.with_radius(&mut scene, radius).unwrap();
        let (mut device, mut touched) = (start, 0);
        for _ in 0..4000 {
            device = match rng.below(10) {
                0 => bounds.center() + rng.cube() * size,
                _ => device + rng.cube() * (0.03 * size),
            };
            let before = proxy.proxy();
            let step = proxy.update(&mut scene, device, TICK);
            touched += u32::from(!step.contacts().is_empty());
            for k in 0..=4 {
                let p = before + (step.proxy - before) * (f64::from(k) / 4.0);
                assert!(distance(&mesh, p) > radius * (1.0 - 1e-9));
            }
        }
        assert!(touched > 400, "{touched}");
    }
}

#[test]
fn a_moving_body_pushes_the_ball_along() {
    let mesh = generate::icosphere(1.0, 5).unwrap();
    let mut scene = scene_of(&mesh);
    let body = scene.body_id(0).unwrap();
    let proxy = GodObject::new(&mut scene, 1000.0, [0.0, 0.0, 1.5]).unwrap();
    let mut proxy = proxy.with_radius(&mut scene, 0.2).unwrap();
    for tick in 0..1000 {
        let pose = Pose::from_translation([0.0, 0.0, 1e-3 * f64::from(tick)]).unwrap();
        scene.set_pose(body, pose).unwrap();
        let step = proxy.update(&mut scene, DVec3::new(0.05, 0.0, 1.25), TICK);
        assert!(!step.crossed);
        let own = pose.inverse() * step.proxy;
        assert!(
            distance(&mesh, own) > 0.2 * (1.0 - 1e-6),
            "{tick}: {}",
            distance(&mesh, own)
        );
    }
    assert!(proxy.proxy().z > 2.0);
}
