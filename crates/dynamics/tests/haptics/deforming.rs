//! The proxy on surfaces that deform.

use std::sync::Arc;

use impinge::ccd::linear::{MovingPoint, vertex_face_meet};
use impinge::math::Rng;
use impinge::{DVec3, TriMesh, generate};
use impinge_dynamics::proxy::{DeformingProxy, DeformingSurface};

/// Ticks of an update at 60 Hz.
const TICKS: u32 = 17;

/// A surface that breathes and waves: where a vertex is at a time in seconds.
fn skin(p: DVec3, t: f64) -> DVec3 {
    let breath = 1.0 + 0.1 * (5.0 * t).sin();
    let wave = 0.05 * (4.0 * p.x + 7.0 * t).sin() * (3.0 * p.y - 5.0 * t).cos();
    p * (breath + wave)
}

fn shape(mesh: &TriMesh, t: f64) -> Vec<DVec3> {
    mesh.positions().iter().map(|&p| skin(p, t)).collect()
}

/// Random walks on a skin at 60 Hz; faces passed by the exact test against every face, and ticks in contact.
fn walk(mesh: &TriMesh, updates: u32, seed: u64) -> (u32, u32, u32) {
    let mut rng = Rng::new(seed);
    let faces = mesh.faces().to_vec();
    let at = |update: u32| shape(mesh, f64::from(update) / 60.0);
    let made = |points: Vec<DVec3>| Arc::new(TriMesh::new(points, faces.clone()).unwrap());
    let start = DVec3::new(0.9, 1.1, 1.0);
    let mut device = start;
    let mut surface = DeformingSurface::new(made(at(0)), at(1)).unwrap();
    let mut proxy = DeformingProxy::new(&surface, 1000.0, start).unwrap();
    let (mut passed, mut touched, mut crossed) = (0, 0, 0);
    for update in 0..updates {
        if update > 0 {
            surface = DeformingSurface::new(made(at(update)), at(update + 1)).unwrap();
            proxy.begin();
        }
        let (a, b) = (at(update), at(update + 1));
        for tick in 0..TICKS {
            device = match rng.below(40) {
                0 => rng.cube() * 1.2,
                _ => device + rng.cube() * 0.02,
            };
            let before = proxy.proxy();
            let parts = [tick, tick + 1].map(|k| f64::from(k) / f64::from(TICKS));
            let step = proxy.update(&surface, parts[1], device);
            touched += u32::from(step.contacts > 0);
            crossed += u32::from(step.crossed);
            let way = MovingPoint::new(before, step.proxy).unwrap();
            let place = |vertex: u32, part: f64| {
                let (p, q) = (a[vertex as usize], b[vertex as usize]);
                if part >= 1.0 {
                    q
                } else if part <= 0.0 {
                    p
                } else {
                    p + (q - p) * part
                }
            };
            for face in &faces {
                let corner = |k: usize| {
                    MovingPoint::new(place(face[k], parts[0]), place(face[k], parts[1])).unwrap()
                };
                passed += u32::from(vertex_face_meet(way, [corner(0), corner(1), corner(2)]));
            }
        }
    }
    (passed, touched, crossed)
}

#[test]
fn no_face_of_a_moving_skin_is_passed() {
    let mesh = generate::icosphere(1.0, 6).unwrap();
    for seed in 0..3 {
        let (passed, touched, crossed) = walk(&mesh, 60, seed);
        assert_eq!((passed, crossed), (0, 0), "seed {seed}");
        assert!(touched > 100, "{touched} ticks in contact");
    }
}

#[test]
fn a_plane_that_rises_lifts_the_proxy_and_pushes_the_hand() {
    let points = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 2.0, 0.0]];
    let mesh = Arc::new(TriMesh::from_points(points, [[0, 1, 2]]).unwrap());
    let up: Vec<DVec3> = mesh
        .positions()
        .iter()
        .map(|&p| p + DVec3::Z * 0.05)
        .collect();
    let surface = DeformingSurface::new(mesh, up).unwrap();
    let mut proxy = DeformingProxy::new(&surface, 500.0, DVec3::Z * 0.01).unwrap();
    for tick in 1..=TICKS {
        let part = f64::from(tick) / f64::from(TICKS);
        let step = proxy.update(&surface, part, DVec3::Z * 0.01);
        let height = 0.05 * part;
        if height > 0.0102 {
            assert!(
                (step.proxy.z - height).abs() < 1e-3,
                "{} at {height}",
                step.proxy.z
            );
            assert!((step.force.z - 500.0 * (step.proxy.z - 0.01)).abs() < 1e-9);
        }
        assert!(!step.crossed);
    }
}
