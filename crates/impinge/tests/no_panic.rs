//! No number, however odd, makes a public constructor or query panic.

use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::bvh::{FaceSweep, MeshIndex};
use impinge::geom::{
    segment_meets_triangle, triangle_contact, triangle_overlap, triangles_intersect,
};
use impinge::glam::DQuat;
use impinge::math::{MAX_COORDINATE, Rng, is_valid_point};
use impinge::query::{Count, Limits};
use impinge::{DMat3, DVec3, Pose, TriMesh};

/// Numbers that break things.
const ODD: [f64; 20] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    f64::from_bits(1),
    -f64::from_bits(1),
    f64::from_bits(0x000f_ffff_ffff_ffff),
    MAX_COORDINATE,
    -MAX_COORDINATE,
    MAX_COORDINATE * 1.000_000_000_000_000_2,
    1e300,
    1e-300,
    f64::EPSILON,
];

const INDICES: [u32; 8] = [
    0,
    1,
    2,
    3,
    u32::MAX / 3,
    i32::MAX as u32,
    u32::MAX - 1,
    u32::MAX,
];

fn odd(rng: &mut Rng) -> f64 {
    ODD[rng.below(ODD.len() as u64) as usize]
}

fn odd_point(rng: &mut Rng) -> DVec3 {
    let (x, y, z) = (odd(rng), odd(rng), odd(rng));
    DVec3::new(x, y, z)
}

/// A point that a mesh accepts, with odd coordinates.
fn valid_point(rng: &mut Rng) -> DVec3 {
    loop {
        let p = odd_point(rng);
        if is_valid_point(p) {
            return p;
        }
    }
}

/// Half odd, half ordinary poses: whatever the constructors accept.
fn odd_pose(rng: &mut Rng) -> Option<Pose> {
    let columns = DMat3::from_cols(odd_point(rng), odd_point(rng), odd_point(rng));
    let made = match rng.below(5) {
        0 => Pose::new(columns, odd_point(rng)),
        1 => Pose::nearest(columns, odd_point(rng)),
        2 => Pose::from_translation(odd_point(rng)),
        3 => Pose::from_axis_angle(odd_point(rng), odd(rng), odd_point(rng)),
        _ => {
            let [x, y, z, w] = std::array::from_fn(|_| odd(rng));
            Pose::from_quaternion(DQuat::from_xyzw(x, y, z, w), odd_point(rng))
        }
    };
    let pose = made.ok()?;
    assert!(pose.rotation().is_finite() && is_valid_point(pose.translation()));
    Some(pose)
}

#[test]
fn poses_are_refused_or_finite() {
    let mut rng = Rng::new(1);
    let mut accepted = 0;
    for _ in 0..100_000 {
        let rows: [f64; 16] = std::array::from_fn(|_| odd(&mut rng));
        let _ = Pose::from_row_major(&rows);
        if let Some(pose) = odd_pose(&mut rng) {
            accepted += 1;
            let placed = pose * valid_point(&mut rng);
            assert!(placed.is_finite(), "{pose:?}");
            let _ = (pose * pose).inverse().to_row_major();
        }
    }
    assert!(accepted > 1000, "only {accepted} poses accepted");
}

#[test]
fn meshes_are_refused_or_valid() {
    let mut rng = Rng::new(2);
    let mut accepted = 0;
    for _ in 0..20_000 {
        let careful = rng.below(2) == 0;
        let positions: Vec<DVec3> = (0..rng.below(5))
            .map(|_| {
                if careful {
                    valid_point(&mut rng)
                } else {
                    odd_point(&mut rng)
                }
            })
            .collect();
        let faces: Vec<[u32; 3]> = (0..rng.below(4))
            .map(|_| {
                std::array::from_fn(|_| INDICES[rng.below(if careful { 3 } else { 8 }) as usize])
            })
            .collect();
        let Ok(mesh) = TriMesh::new(positions, faces) else {
            continue;
        };
        accepted += 1;
        let _ = mesh.bounds().overlaps(&Aabb::EMPTY);
        if let Some(pose) = odd_pose(&mut rng) {
            let _ = mesh.placed(&pose);
        }
        for face in mesh.face_ids() {
            let _ = mesh.triangle(face);
        }
    }
    assert!(accepted > 1000, "only {accepted} meshes accepted");
}

fn ask_triangles(a: &[DVec3; 3], b: &[DVec3; 3]) {
    let _ = (triangles_intersect(a, b), triangle_contact(a, b));
    let _ = triangle_overlap(a, b).corners();
    let _ = segment_meets_triangle(a[0], a[1], b);
}

#[test]
fn triangle_tests_answer_for_all_valid_corners() {
    let mut rng = Rng::new(3);
    for _ in 0..20_000 {
        let a = std::array::from_fn(|_| valid_point(&mut rng));
        let b = std::array::from_fn(|_| valid_point(&mut rng));
        ask_triangles(&a, &b);
    }
}

#[test]
fn triangle_tests_return_for_invalid_corners_too() {
    let mut rng = Rng::new(4);
    for _ in 0..20_000 {
        let a = std::array::from_fn(|_| odd_point(&mut rng));
        let b = std::array::from_fn(|_| odd_point(&mut rng));
        ask_triangles(&a, &b);
    }
}

#[test]
fn mesh_queries_answer_for_all_valid_meshes_and_poses() {
    let mut rng = Rng::new(5);
    let mut cache = Default::default();
    let index = |rng: &mut Rng| {
        let positions: Vec<DVec3> = (0..9).map(|_| valid_point(rng)).collect();
        let faces = (0..rng.below(12))
            .map(|_| std::array::from_fn(|_| rng.below(9) as u32))
            .collect();
        FaceSweep::build(
            Arc::new(TriMesh::new(positions, faces).unwrap()),
            &Default::default(),
        )
    };
    for _ in 0..2_000 {
        let (a, b) = (index(&mut rng), index(&mut rng));
        let pose = odd_pose(&mut rng).unwrap_or_default();
        let limits = Limits {
            max_tests: (rng.below(2) == 0).then(|| rng.below(40)),
            max_distance: Some(odd(&mut rng)),
            stop: None,
        };
        let _ = a.intersections(&b, &pose, limits, &mut cache, &mut Count::default());
        a.validate().unwrap();
    }
}
