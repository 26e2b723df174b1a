//! Pairs of every kind and worlds are asked again without allocating.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use impinge::broad::DynamicAabbTreeConfig;
use impinge::cloud::{CloudShape, PointCloud};
use impinge::convex::{Segment, Triangle};
use impinge::math::Rng;
use impinge::pair::Particles;
use impinge::prelude::*;
use impinge::query::Count;
use impinge::world::WorldConfig;
use impinge_testkit::allocations::count;
use impinge_testkit::generate::{meshes, poses};

/// One of each kind.
fn shapes() -> Vec<(&'static str, Shape)> {
    let mut rng = Rng::new(81);
    let points: Vec<DVec3> = (0..40).map(|_| rng.cube()).collect();
    let heights = (0..20).map(|k| f64::from(k * 7 % 4) * 0.25).collect();
    let ten = (0..10)
        .map(|k| f64::from(k) * 0.6)
        .map(|a| DVec3::new(a.cos(), a.sin(), 0.0));
    let plate: Vec<DVec3> = ten.flat_map(|p| [p, p + DVec3::Z * 0.5]).collect();
    let ball = || Shape::from(Ball::new(0.5).unwrap());
    let aside = Pose::from_translation([0.75, 0.0, 0.0]).unwrap();
    vec![
        ("ball", ball()),
        ("box", Cuboid::new([0.5, 0.7, 0.9]).unwrap().into()),
        (
            "capsule",
            Capsule::new([0.0; 3], [0.0, 0.0, 1.0], 0.4).unwrap().into(),
        ),
        ("cylinder", Cylinder::new(0.8, 0.4).unwrap().into()),
        ("cone", Cone::new(0.8, 0.6).unwrap().into()),
        ("ellipsoid", Ellipsoid::new([0.5, 0.7, 0.9]).unwrap().into()),
        (
            "segment",
            Segment::new([-1.0, 0.0, 0.0], [1.0, 0.5, 0.0])
                .unwrap()
                .into(),
        ),
        (
            "triangle",
            Triangle::new([DVec3::X, DVec3::Y, DVec3::Z])
                .unwrap()
                .into(),
        ),
        (
            "half-space",
            HalfSpace::new([0.1, 0.0, 1.0], [0.0; 3]).unwrap().into(),
        ),
        ("plate", Polyhedron::new(&plate).unwrap().into()),
        (
            "height field",
            HeightField::new(5, 4, [0.5; 2], heights).unwrap().into(),
        ),
        (
            "particles",
            Particles::new(points.clone(), 0.1).unwrap().into(),
        ),
        ("mesh", meshes::ball(2, 0.9).into()),
        ("bent mesh", bent().into()),
        (
            "compound",
            Compound::new([(Pose::IDENTITY, ball()), (aside, ball())])
                .unwrap()
                .into(),
        ),
        (
            "cloud",
            CloudShape::new(PointCloud::from_points(points).unwrap().into()).into(),
        ),
    ]
}

/// A closed mesh that is not convex: a box of which a corner is pushed in.
fn bent() -> TriMesh {
    let cube = meshes::cuboid(DVec3::splat(-0.7), DVec3::splat(0.7));
    let pushed = |p: &DVec3| if p.min_element() > 0.0 { *p * 0.2 } else { *p };
    let points = cube.positions().iter().map(pushed).collect();
    TriMesh::new(points, cube.faces().to_vec()).unwrap()
}

/// Asks everything, then again, counting.
fn asks_without_allocating(name: &str, poses: &[Pose], mut ask: impl FnMut(&Pose)) {
    // Twice: buffers that change places both have to grow.
    poses.iter().for_each(&mut ask);
    poses.iter().for_each(&mut ask);
    let before = count();
    poses.iter().for_each(&mut ask);
    assert_eq!(count() - before, 0, "{name} allocates");
}

fn each_pair(mut check: impl FnMut(&str, &mut Pair, &[Pose])) {
    let shapes = shapes();
    let mut rng = Rng::new(82);
    let poses: Vec<Pose> = (0..6).map(|_| poses::random(&mut rng, 1.2)).collect();
    for (i, (name_a, a)) in shapes.iter().enumerate() {
        for (name_b, b) in &shapes[i..] {
            let mut pair = Pair::new(a, b).unwrap();
            check(&format!("{name_a} and {name_b}"), &mut pair, &poses);
        }
    }
}

/// Whether a name has one of these kinds.
fn has(name: &str, kinds: &[&str]) -> bool {
    name.split(" and ").any(|kind| kinds.contains(&kind))
}

/// Whether both kinds are among these.
fn has_only(name: &str, kinds: &[&str]) -> bool {
    name.split(" and ").all(|kind| kinds.contains(&kind))
}

#[test]
fn warm_pairs_tell_whether_and_how_far_without_allocating() {
    each_pair(|name, pair, poses| {
        // Where the rounded search leaves it open, as at the rim of a cone, a polytope is grown.
        if has(name, &["cone"]) {
            return;
        }
        asks_without_allocating(&format!("intersects of {name}"), poses, |pose| {
            let _ = pair.intersects(pose);
            let _ = pair.intersections(pose, &mut Count::default());
        });
        if !has(name, &["cloud"]) {
            asks_without_allocating(&format!("distance of {name}"), poses, |pose| {
                let _ = pair.distance(pose);
            });
        }
    });
}

#[test]
fn warm_pairs_tell_volumes_without_allocating() {
    each_pair(|name, pair, poses| {
        if has_only(name, &["ball", "ball"])
            || has_only(name, &["box", "plate", "mesh", "bent mesh"])
        {
            asks_without_allocating(&format!("volume of {name}"), poses, |pose| {
                let _ = pair.volume(pose).unwrap();
            });
        }
    });
}

#[test]
fn warm_pairs_tell_impacts_without_allocating() {
    let far = Pose::from_translation([3.0, 1.0, 2.0]).unwrap();
    each_pair(|name, pair, poses| {
        // The last gaps of these are decided by integers or by growing a polytope.
        let is_left = has(name, &["cone", "ellipsoid", "cylinder", "cloud"])
            || has_only(name, &["box", "segment", "triangle", "plate"]);
        if !is_left {
            asks_without_allocating(&format!("impact of {name}"), &poses[..2], |pose| {
                let _ = pair.impact(&Motion::between(&far, pose));
            });
        }
    });
}

#[test]
fn a_world_that_repeats_itself_steps_without_allocating() {
    let config = WorldConfig {
        serial: true,
        ..WorldConfig::default()
    };
    let broad = impinge::broad::DynamicAabbTree::new(DynamicAabbTreeConfig { parallel: false });
    let mut world = World::new(broad, config);
    let wish = EventMask::CONTACT | EventMask::TOUCHING | EventMask::closer_than(0.2).unwrap();
    world.interest_mut().set_reach(wish);
    world.interest_mut().set_general(move |_, _| wish);
    let mut rng = Rng::new(83);
    let mut objects = Vec::new();
    for (name, shape) in shapes() {
        // Their pairs stay near, so that what is made for a pair is made once.
        if ["ball", "capsule", "particles", "compound", "mesh"].contains(&name) {
            let home = rng.cube() * 0.5;
            objects.push((world.add(&shape, Pose::IDENTITY).unwrap(), home));
        }
    }
    let mut told = 0;
    let mut round = |world: &mut World| {
        for k in 0..8 {
            let swing = f64::from(k) * std::f64::consts::TAU / 8.0;
            for (id, home) in &objects {
                let pose = Pose::from_translation(*home * swing.cos()).unwrap();
                world.set_pose(*id, pose).unwrap();
            }
            told += world.step().events.len();
        }
    };
    for _ in 0..3 {
        round(&mut world);
    }
    let before = count();
    round(&mut world);
    assert_eq!(count() - before, 0);
    assert!(told > 100, "{told}");
}
