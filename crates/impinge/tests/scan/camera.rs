//! What the depth camera sees, and where the parts of an arm are.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::{SingleTreeCache, WideTree};
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::scan::depth_camera::{CameraError, DepthCamera, DepthImage, DepthNoise};
use impinge::scan::{ChainError, Joint, KinematicChain, drop_invalid};
use impinge::{DVec3, Pose, generate};
use rayon::ThreadPoolBuilder;

fn scene() -> Vec<(WideTree, Pose)> {
    let models = [
        (generate::icosphere(0.5, 8).unwrap(), [0.0, 0.0, 3.0]),
        (generate::torus(0.6, 0.2, 32, 16).unwrap(), [0.8, 0.1, 4.0]),
        (
            generate::cuboid(DVec3::new(6.0, 6.0, 0.1), [2, 2, 1]).unwrap(),
            [0.0, 0.0, 6.0],
        ),
    ];
    let mut rng = Rng::new(1);
    models
        .into_iter()
        .enumerate()
        .map(|(k, (mesh, at))| {
            let angle = if k == 2 { 0.0 } else { rng.range(-1.0, 1.0) };
            let pose = Pose::from_axis_angle(rng.direction(), angle, at).unwrap();
            (WideTree::new(Arc::new(mesh)), pose)
        })
        .collect()
}

fn nearest(scene: &[(&WideTree, Pose)], p: DVec3) -> f64 {
    let mut cache = SingleTreeCache::default();
    scene
        .iter()
        .map(|(tree, pose)| {
            let found = tree.closest_face(pose.inverse() * p, Limits::default(), &mut cache);
            found.unwrap().value.unwrap().distance
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn points_of_a_camera_lie_on_surfaces_and_nothing_is_before_them() {
    let models = scene();
    let scene: Vec<(&WideTree, Pose)> = models.iter().map(|(tree, pose)| (tree, *pose)).collect();
    let camera = DepthCamera::new(80, 60, 0.9, 20.0).unwrap();
    let place = Pose::from_axis_angle([0.0, 1.0, 0.0], 0.1, [0.1, -0.2, -0.5]).unwrap();
    let (mut image, mut points) = (DepthImage::default(), Vec::new());
    camera.capture(&place, &scene, &DepthNoise::NONE, 0, &mut image);
    camera.points(&image, &mut points);
    assert_eq!(points.len(), 80 * 60);
    let dropped = drop_invalid(&mut points);
    assert!(dropped < 4000 && points.len() > 1000);
    for &p in &points {
        assert!(nearest(&scene, place * p) < 1e-12);
        // Half way to it there is nothing: the segment before it meets no face.
        for (tree, pose) in &scene {
            let [from, to] = [DVec3::ZERO, p * (1.0 - 1e-9)].map(|q| pose.inverse() * (place * q));
            let line = impinge::bvh::wide::RayOrSegment::segment(from, to).unwrap();
            assert!(!tree.is_hit(&line, &mut SingleTreeCache::default()));
        }
    }
    assert_eq!(image.depth(80, 0), None);
    assert_eq!(image.depth(0, 60), None);
}

#[test]
fn what_is_too_far_is_not_seen() {
    let models = scene();
    let scene: Vec<(&WideTree, Pose)> = models.iter().map(|(tree, pose)| (tree, *pose)).collect();
    let camera = DepthCamera::new(40, 30, 0.9, 4.0).unwrap();
    let (mut image, mut points) = (DepthImage::default(), Vec::new());
    camera.capture(&Pose::IDENTITY, &scene, &DepthNoise::NONE, 0, &mut image);
    camera.points(&image, &mut points);
    drop_invalid(&mut points);
    assert!(!points.is_empty() && points.iter().all(|p| p.z <= 4.0));
}

#[test]
fn noise_follows_the_seed_and_the_depth() {
    let models = scene();
    let scene: Vec<(&WideTree, Pose)> = models.iter().map(|(tree, pose)| (tree, *pose)).collect();
    let camera = DepthCamera::new(160, 120, 0.9, 20.0).unwrap();
    let shot = |noise: &DepthNoise, frame| {
        let (mut image, mut points) = (DepthImage::default(), Vec::new());
        camera.capture(&Pose::IDENTITY, &scene, noise, frame, &mut image);
        camera.points(&image, &mut points);
        points
    };
    let noise = DepthNoise {
        deviation: 0.002,
        dropout: 0.1,
        seed: 5,
    };
    let (clean, noisy) = (shot(&DepthNoise::NONE, 0), shot(&noise, 0));
    let bytes = |points: &[DVec3]| format!("{points:?}");
    assert_eq!(bytes(&noisy), bytes(&shot(&noise, 0)));
    assert_ne!(bytes(&noisy), bytes(&shot(&noise, 1)));
    assert_ne!(
        bytes(&noisy),
        bytes(&shot(&DepthNoise { seed: 6, ..noise }, 0))
    );
    let both: Vec<(f64, f64)> = clean
        .iter()
        .zip(&noisy)
        .filter(|(a, _)| a.z.is_finite())
        .map(|(a, b)| (a.z, b.z))
        .collect();
    let lost = both.iter().filter(|(_, b)| b.is_nan()).count() as f64 / both.len() as f64;
    assert!((lost - 0.1).abs() < 0.02, "{lost}");
    let errors: Vec<f64> = both
        .iter()
        .filter(|(_, b)| b.is_finite())
        .map(|(a, b)| (b - a) / (a * a))
        .collect();
    let square = errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64;
    assert!((square.sqrt() - 0.002).abs() < 1e-4, "{}", square.sqrt());
    let pool = |threads| {
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    };
    let [one, two, eight] = [1, 2, 8].map(|n| pool(n).install(|| bytes(&shot(&noise, 0))));
    assert!(one == two && two == eight);
}

#[test]
fn bad_cameras_and_chains_are_refused() {
    assert!(matches!(
        DepthCamera::new(0, 5, 1.0, 1.0),
        Err(CameraError::BadSize { .. })
    ));
    assert!(matches!(
        DepthCamera::new(5, 1 << 20, 1.0, 1.0),
        Err(CameraError::BadSize { .. })
    ));
    for angle in [0.0, -1.0, 3.2, f64::NAN] {
        assert!(matches!(
            DepthCamera::new(5, 5, angle, 1.0),
            Err(CameraError::BadAngle { .. })
        ));
    }
    for far in [0.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            DepthCamera::new(5, 5, 1.0, far),
            Err(CameraError::BadRange { .. })
        ));
    }
    let joint = |axis| Joint {
        offset: DVec3::X,
        axis,
    };
    let bad = KinematicChain::new(vec![joint(DVec3::Z), joint(DVec3::ZERO)]);
    assert!(matches!(bad, Err(ChainError::BadJoint { joint: 1, .. })));
    let chain = KinematicChain::new(vec![joint(DVec3::Z); 2]).unwrap();
    let mut poses = Vec::new();
    let few = chain.poses(&Pose::IDENTITY, &[0.0], &mut poses);
    assert_eq!(
        few,
        Err(ChainError::AngleCount {
            angles: 1,
            joints: 2
        })
    );
    let nan = chain.poses(&Pose::IDENTITY, &[0.0, f64::NAN], &mut poses);
    assert!(matches!(nan, Err(ChainError::BadJoint { joint: 1, .. })));
}

#[test]
fn a_joint_turns_everything_after_it() {
    let mut rng = Rng::new(3);
    let joints: Vec<Joint> = (0..7)
        .map(|_| Joint {
            offset: rng.cube(),
            axis: rng.direction(),
        })
        .collect();
    let chain = KinematicChain::new(joints.clone()).unwrap();
    let angles: Vec<f64> = (0..7).map(|_| rng.range(-2.0, 2.0)).collect();
    let mut poses = Vec::new();
    chain.poses(&Pose::IDENTITY, &angles, &mut poses).unwrap();
    assert_eq!(poses.len(), 8);
    for (k, joint) in joints.iter().enumerate() {
        // A joint stays on the part before it, and so does what lies on its axis.
        let on_axis = joint.offset + joint.axis * 0.7;
        assert!((poses[k] * on_axis - poses[k + 1] * (joint.axis * 0.7)).length() < 1e-12);
    }
}
