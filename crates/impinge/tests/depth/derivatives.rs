//! Derivatives with respect to the pose agree with finite differences.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::{WideCache, WideTree};
use impinge::depth::{
    DepthOptions, Solid, deepest_point, distance_gradient, separating_translation, signed_distance,
};
use impinge::math::Rng;
use impinge::query::{Limits, PoseGradient};
use impinge::{DVec3, Pose};
use impinge_testkit::generate::{meshes, poses};

/// `b` moved by `velocity·h` and turned by `angular·h` about `center`.
fn nudged(pose: &Pose, velocity: DVec3, angular: DVec3, center: DVec3, h: f64) -> Pose {
    let turn = match angular.length() {
        0.0 => Pose::IDENTITY,
        rate => Pose::from_axis_angle(angular, rate * h, [0.0; 3]).unwrap(),
    };
    let about = Pose::from_translation(center + velocity * h).unwrap();
    let back = Pose::from_translation(-center).unwrap();
    about * turn * back * *pose
}

/// Central differences of `value` in six random directions against the gradient.
fn agrees(
    rng: &mut Rng,
    pose: &Pose,
    center: DVec3,
    gradient: &PoseGradient,
    h: f64,
    tolerance: f64,
    mut value: impl FnMut(&Pose) -> f64,
) {
    for _ in 0..6 {
        let (v, w) = (rng.cube(), rng.cube());
        let ahead = value(&nudged(pose, v, w, center, h));
        let behind = value(&nudged(pose, v, w, center, -h));
        let rate = (ahead - behind) / (2.0 * h);
        let expected = gradient.rate(v, w);
        assert!(
            (rate - expected).abs() < tolerance,
            "{rate} {expected} {pose:?}"
        );
    }
}

#[test]
fn distance_changes_as_its_gradient_says() {
    let mut rng = Rng::new(31);
    let a = WideTree::new(Arc::new(meshes::ball(2, 1.0)));
    let b = WideTree::new(Arc::new(meshes::random_soup(&mut rng, 40, 0.5)));
    let mut cache = WideCache::default();
    let mut unique = 0;
    for _ in 0..60 {
        let pose = poses::random(&mut rng, 3.0);
        let center = rng.cube();
        let Some(found) = distance_gradient(&a, &b, &pose, center, &mut cache) else {
            continue;
        };
        if !found.is_unique || found.separation.distance < 0.05 {
            continue;
        }
        unique += 1;
        agrees(&mut rng, &pose, center, &found.gradient, 1e-7, 1e-5, |p| {
            let answer = a.distance(&b, p, Limits::default(), &mut cache);
            answer.value.unwrap().distance
        });
    }
    assert!(unique >= 20, "{unique}");
}

#[test]
fn parallel_faces_and_edges_are_flagged() {
    let cube = meshes::cuboid(DVec3::splat(-0.5), DVec3::splat(0.5));
    let tree = WideTree::new(Arc::new(cube));
    let mut cache = WideCache::default();
    let mut ask = |pose: &Pose| {
        distance_gradient(&tree, &tree, pose, DVec3::ZERO, &mut cache)
            .unwrap()
            .is_unique
    };
    assert!(!ask(&Pose::from_translation([2.0, 0.1, 0.2]).unwrap()));
    assert!(!ask(&Pose::from_translation([2.0, 2.0, 0.2]).unwrap()));
    // Two corners: unique. An edge across an edge: unique. A corner over a face: unique.
    assert!(ask(&Pose::from_translation([2.0, 2.0, 2.0]).unwrap()));
    let corner = Pose::from_axis_angle([0.3, 1.0, 0.2], 0.7, [2.0, 0.0, 0.0]).unwrap();
    assert!(ask(&corner));
}

#[test]
fn depth_of_the_deepest_point_changes_as_its_gradient_says() {
    let mut rng = Rng::new(32);
    // A corner of a tetrahedron deep in a cube: one point, one nearest face.
    let cube = WideTree::new(Arc::new(meshes::cuboid(
        DVec3::splat(-2.0),
        DVec3::splat(2.0),
    )));
    let spike = WideTree::new(Arc::new(meshes::tetrahedron([
        DVec3::ZERO,
        DVec3::new(1.0, 0.2, 8.0),
        DVec3::new(-1.0, 0.4, 8.0),
        DVec3::new(0.1, -1.0, 8.0),
    ])));
    let (a, b) = (
        Solid::closed(&cube).unwrap(),
        Solid::closed(&spike).unwrap(),
    );
    let options = DepthOptions {
        absolute: 1e-9,
        relative: 0.0,
    };
    for _ in 0..10 {
        let at = DVec3::new(
            rng.range(-0.5, 0.5),
            rng.range(-0.5, 0.5),
            rng.range(1.0, 1.4),
        );
        let pose = Pose::from_axis_angle(rng.direction(), 0.2, at).unwrap();
        let center = rng.cube();
        let deep = deepest_point(
            &a,
            &b,
            &pose,
            &options,
            Limits::default(),
            &mut WideCache::default(),
        );
        let deepest = deep.value.unwrap();
        assert!(!deepest.is_point_of_a);
        let gradient = deepest.gradient(center).unwrap();
        agrees(&mut rng, &pose, center, &gradient, 1e-5, 1e-3, |p| {
            let deep = deepest_point(
                &a,
                &b,
                p,
                &options,
                Limits::default(),
                &mut WideCache::default(),
            );
            deep.value.unwrap().depth
        });
        let mut cache = WideCache::default();
        let signed = signed_distance(&a, &b, &pose, &options, Limits::default(), &mut cache);
        let opposite = signed.value.unwrap().gradient(center).unwrap();
        assert!((opposite.translation + gradient.translation).length() < 1e-9);
        assert!((opposite.rotation + gradient.rotation).length() < 1e-9);
    }
}

#[test]
fn the_way_out_changes_as_its_gradient_says() {
    let mut rng = Rng::new(33);
    let first = WideTree::new(Arc::new(meshes::ball(1, 1.0)));
    let second = WideTree::new(Arc::new(meshes::ball(1, 0.8)));
    let (a, b) = (
        Solid::closed(&first).unwrap(),
        Solid::closed(&second).unwrap(),
    );
    let mut cache = WideCache::default();
    let mut checked = 0;
    for _ in 0..30 {
        let pose = poses::random(&mut rng, 0.5);
        let direction = rng.direction();
        let center = rng.cube();
        let mut ask = |p: &Pose| {
            let limits = Limits::default();
            separating_translation(&a, &b, p, direction, limits, &mut cache)
        };
        let out = ask(&pose).value.unwrap();
        let Some(gradient) = out.gradient(center) else {
            continue;
        };
        // A contact that changes within the difference has a kink there: skip it.
        let h = 1e-6;
        let same = (0..6).all(|k| {
            let mut v = DVec3::ZERO;
            v[k / 2] = if k % 2 == 0 { 1.0 } else { -1.0 };
            let near = ask(&nudged(&pose, v, v, center, 4.0 * h)).value.unwrap();
            near.faces == out.faces
        });
        if !same {
            continue;
        }
        checked += 1;
        agrees(&mut rng, &pose, center, &gradient, h, 1e-3, |p| {
            ask(p).value.unwrap().distance
        });
    }
    assert!(checked >= 10, "{checked}");
}
