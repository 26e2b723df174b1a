//! The three failures of the point penalty method, and that the god-object has none of them.

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::{DVec3, Pose, generate};
use impinge_dynamics::penalty::{PenaltyField, PenaltyVolume};
use impinge_dynamics::proxy::{GodObject, ProxyScene};

const STIFFNESS: f64 = 1000.0;

fn boxes(boxes: &[([f64; 3], [f64; 3])]) -> (PenaltyField, ProxyScene) {
    let mut scene = ProxyScene::new();
    let mut volumes = Vec::new();
    for &(low, high) in boxes {
        volumes.push(PenaltyVolume::cuboid(low, high).unwrap());
        let (low, high) = (DVec3::from(low), DVec3::from(high));
        let mesh = generate::cuboid(high - low, [1; 3]).unwrap();
        let center = (mesh.bounds().center(), (low + high) / 2.0);
        let pose = Pose::from_translation(center.1 - center.0).unwrap();
        let tree = WideTree::new(Arc::new(mesh));
        scene.add(Arc::new(tree), pose).unwrap();
    }
    (PenaltyField::new(STIFFNESS, volumes).unwrap(), scene)
}

#[test]
fn each_volume_pushes_by_its_depth() {
    let ball = PenaltyVolume::ball([1.0, 0.0, 0.0], 0.5).unwrap();
    let field = PenaltyField::new(STIFFNESS, vec![ball]).unwrap();
    // The force falls with the distance from the centre, as it must: it is proportional to depth.
    let force = field.force(DVec3::new(1.4, 0.0, 0.0));
    assert!((force - DVec3::X * 100.0).length() < 1e-10);
    assert_eq!(field.force(DVec3::new(1.6, 0.0, 0.0)), DVec3::ZERO);
    assert!((field.force(DVec3::X) - DVec3::Y * 500.0).length() < 1e-10);
}

#[test]
fn on_a_diagonal_of_a_box_the_force_turns_by_ninety_degrees() {
    let (field, mut scene) = boxes(&[([-0.1; 3], [0.1; 3])]);
    let (d, step) = (0.02, 1e-9);
    let place = |e: f64| DVec3::new(0.1 - d - e, 0.1 - d + e, 0.0);
    let (above, below) = (field.force(place(step)), field.force(place(-step)));
    assert!(above.normalize().dot(below.normalize()).abs() < 1e-12);
    let jump = (above - below).length();
    let expected = std::f64::consts::SQRT_2 * STIFFNESS * d;
    assert!((jump - expected).abs() < 1e-4, "{jump} beside {expected}");

    // The god-object came from above and stays on the upper face.
    let mut god_object = GodObject::new(&mut scene, STIFFNESS, [0.08, 0.2, 0.0]).unwrap();
    let mut before = god_object.update(&mut scene, place(0.01), 1e-3).force;
    for i in 0..100 {
        let target = place(0.01 - 0.0002 * f64::from(i));
        let force = god_object.update(&mut scene, target, 1e-3).force;
        assert!(force.normalize().dot(DVec3::Y) > 0.999_999);
        assert!((force - before).length() < STIFFNESS * 0.00021);
        before = force;
    }
}

/// Pushes a damped mass against a slab that fills y from 0 to `thickness`; where it ends.
fn push_slowly(push: f64, thickness: f64, mut respond: impl FnMut(DVec3) -> DVec3) -> f64 {
    let (mass, damping, step) = (0.1, 60.0, 1e-4);
    let mut position = DVec3::new(0.001, thickness + 0.001, 0.002);
    let mut velocity = DVec3::ZERO;
    for _ in 0..40_000 {
        let force = respond(position) + DVec3::NEG_Y * push - velocity * damping;
        velocity += force / mass * step;
        position += velocity * step;
    }
    position.y
}

#[test]
fn a_slab_lets_through_whoever_pushes_with_more_than_half_its_stiffness() {
    let thickness = 0.01;
    let slab = [([-5.0, 0.0, -5.0], [5.0, thickness, 5.0])];
    let (field, mut scene) = boxes(&slab);
    let limit = STIFFNESS * thickness / 2.0;
    let held = push_slowly(0.98 * limit, thickness, |p| field.force(p));
    assert!(held > thickness / 2.0, "held at {held}");
    let lost = push_slowly(1.02 * limit, thickness, |p| field.force(p));
    assert!(lost < 0.0, "lost at {lost}");

    let start = [0.001, thickness + 0.001, 0.002];
    let mut god_object = GodObject::new(&mut scene, STIFFNESS, start).unwrap();
    let push = 20.0 * limit;
    let end = push_slowly(push, thickness, |p| {
        god_object.update(&mut scene, p, 1e-4).force
    });
    // Far below the slab, yet pushed back with what it pushes.
    let expected = thickness + god_object.offset() - push / STIFFNESS;
    assert!((end - expected).abs() < 1e-6, "{end} beside {expected}");
    assert!(god_object.proxy().y > thickness);
}

#[test]
fn overlapping_slabs_push_twice() {
    let low = ([-1.0, -1.0, -1.0], [0.5, 0.0, 1.0]);
    let high = ([-0.5, -1.0, -1.0], [1.0, 0.0, 1.0]);
    let (field, mut scene) = boxes(&[low, high]);
    let d = 0.01;
    let both = field.force(DVec3::new(0.0, -d, 0.0));
    let one = field.force(DVec3::new(0.7, -d, 0.0));
    assert!((one - DVec3::Y * STIFFNESS * d).length() < 1e-9);
    assert!((both - DVec3::Y * 2.0 * STIFFNESS * d).length() < 1e-9);

    let mut god_object = GodObject::new(&mut scene, STIFFNESS, [0.7, 0.1, 0.0]).unwrap();
    let depth = d + god_object.offset();
    for x in [0.7, 0.6, 0.4, 0.0, -0.4, -0.7] {
        let step = god_object.update(&mut scene, DVec3::new(x, -d, 0.0), 1e-3);
        assert!(
            (step.force - DVec3::Y * STIFFNESS * depth).length() < 1e-9,
            "{x}"
        );
    }
}

#[test]
fn bad_volumes_are_refused() {
    assert!(PenaltyVolume::ball([0.0; 3], 0.0).is_err());
    assert!(PenaltyVolume::ball([f64::NAN; 3], 1.0).is_err());
    assert!(PenaltyVolume::half_space([0.0; 3], 1.0).is_err());
    assert!(PenaltyVolume::half_space([0.0, 1.0, 0.0], f64::NAN).is_err());
    let flat = PenaltyVolume::cuboid([0.0; 3], [1.0, 0.0, 1.0]);
    assert!(flat.unwrap_err().to_string().contains("no volume"));
    assert!(PenaltyField::new(f64::INFINITY, vec![]).is_err());
}
