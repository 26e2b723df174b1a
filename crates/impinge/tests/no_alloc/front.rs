//! Pairs of every kind and worlds are asked again without allocating.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use impinge::broad::{DynamicAabbTreeConfig, ObjectId};
use impinge::cloud::{CloudShape, PointCloud};
use impinge::convex::{Segment, Triangle};
use impinge::generate;
use impinge::math::Rng;
use impinge::pair::{MeshShape, PairConfig, Particles, VolumeMethod};
use impinge::penetration::{BodyOptions, PenetrationBody};
use impinge::prelude::*;
use impinge::query::Count;
use impinge::world::{PairFilter, WorldConfig};
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

/// A verb: asks it, and tells whether the kinds answer it.
type Verb = fn(&mut Pair, &Pose) -> bool;

/// Every verb, and how many of the poses it is asked about.
const VERBS: [(&str, usize, Verb); 8] = [
    ("intersects", 6, |pair, pose| {
        let _ = pair.intersects(pose);
        true
    }),
    ("intersections", 6, |pair, pose| {
        let _ = pair.intersections(pose, &mut Count::default());
        true
    }),
    ("distance", 6, |pair, pose| {
        let _ = pair.distance(pose);
        true
    }),
    ("penetration", 3, |pair, pose| {
        pair.penetration(pose).is_ok()
    }),
    ("contacts", 6, |pair, pose| {
        pair.contacts(pose, 0.05).is_ok()
    }),
    ("all contacts", 3, |pair, pose| {
        let sink = &mut Count::default();
        pair.all_contacts(pose, 0.05, sink).is_ok()
    }),
    ("impact", 2, |pair, pose| {
        let far = Pose::from_translation([3.0, 1.0, 2.0]).unwrap();
        pair.impact(&Motion::between(&far, pose)).is_ok()
    }),
    ("volume", 3, |pair, pose| pair.volume(pose).is_ok()),
];

/// Rounds after which all memory has grown.
const WARM_ROUNDS: usize = 24;

/// Asks every verb of every two kinds until the memory has grown, then again, counting. Gives back how many were answered.
fn each_verb(make: fn(&Shape, &Shape) -> Option<Pair>) -> usize {
    let shapes = shapes();
    let mut rng = Rng::new(82);
    let poses: Vec<Pose> = (0..6).map(|_| poses::random(&mut rng, 1.2)).collect();
    let (mut answered, mut allocating) = (0, Vec::new());
    for (i, (name_a, a)) in shapes.iter().enumerate() {
        for (name_b, b) in &shapes[i..] {
            let Some(mut pair) = make(a, b) else {
                continue;
            };
            for (verb, count_poses, ask) in VERBS {
                let mut round = || {
                    let before = count();
                    let mut is_answered = true;
                    for pose in &poses[..count_poses] {
                        is_answered &= ask(&mut pair, pose);
                    }
                    (is_answered, count() - before)
                };
                // Several times: buffers change places, and what is kept from the last round changes the next.
                if (0..WARM_ROUNDS).any(|_| !round().0) {
                    continue;
                }
                answered += 1;
                let (_, allocations) = round();
                if allocations > 0 {
                    allocating.push(format!("{verb} of {name_a} and {name_b}: {allocations}"));
                }
            }
        }
    }
    assert!(allocating.is_empty(), "{}", allocating.join("\n"));
    answered
}

#[test]
fn no_warm_pair_allocates() {
    let answered = each_verb(|a, b| Pair::new(a, b).ok());
    // 136 pairs, nearly all of which answer all but the volume.
    assert!(answered > 136 * 6, "{answered}");
}

#[test]
fn no_warm_pair_of_solids_allocates() {
    let answered = each_verb(|a, b| {
        let has_mesh = [a, b].iter().any(|s| matches!(s, Shape::Mesh(_)));
        has_mesh.then(|| Pair::solids(a, b).ok()).flatten()
    });
    assert!(answered > 150, "{answered}");
}

/// A world that stays on its thread and tells everything of every two objects. Boxes reach so far that pairs stay near, so that what is made
/// for a pair is made once.
fn world(race: bool) -> World {
    let config = WorldConfig {
        serial: true,
        pair: PairConfig {
            race,
            ..PairConfig::default()
        },
        ..WorldConfig::default()
    };
    let broad = impinge::broad::DynamicAabbTree::new(DynamicAabbTreeConfig { parallel: false });
    let mut world = World::new(broad, config);
    let near = EventMask::closer_than(6.0).unwrap();
    let wish = EventMask::CONTACT | EventMask::TOUCHING | EventMask::CONTACTS | near;
    world.interest_mut().set_reach(wish);
    world.interest_mut().set_general(move |_, _| wish);
    world
}

/// Swings the objects about the origin; gives the events told and the allocations made.
fn swing(world: &mut World, objects: &[(ObjectId, DVec3)]) -> (usize, u64) {
    let (mut told, before) = (0, count());
    for k in 0..8 {
        let swing = f64::from(k) * std::f64::consts::TAU / 8.0;
        for (id, home) in objects {
            let pose = Pose::from_axis_angle([0.6, 0.0, 0.8], 0.3 * swing, *home * swing.cos());
            world.set_pose(*id, pose.unwrap()).unwrap();
        }
        told += world.step().events.len();
    }
    (told, count() - before)
}

#[test]
fn a_world_of_any_two_kinds_that_repeats_itself_steps_without_allocating() {
    let shapes = shapes();
    let mut rng = Rng::new(83);
    let (mut told, mut allocating) = (0, Vec::new());
    for (i, (name_a, a)) in shapes.iter().enumerate() {
        for (name_b, b) in &shapes[i..] {
            let mut world = world(i % 2 == 0);
            let objects = [a, b].map(|shape| {
                let id = world.add(shape, Pose::IDENTITY).unwrap();
                (id, rng.cube() * 1.5)
            });
            for _ in 0..WARM_ROUNDS {
                swing(&mut world, &objects);
            }
            let (events, allocations) = swing(&mut world, &objects);
            told += events;
            if allocations > 0 {
                allocating.push(format!("{name_a} and {name_b}: {allocations}"));
            }
        }
    }
    assert!(allocating.is_empty(), "{}", allocating.join("\n"));
    assert!(told > 136 * 8, "{told}");
}

#[test]
fn a_world_of_all_kinds_that_repeats_itself_steps_without_allocating() {
    let mut rng = Rng::new(84);
    let mut world = world(false);
    let heard = Arc::new(AtomicU64::new(0));
    let hears = Arc::clone(&heard);
    world.listen(PairFilter::any(), EventMask::CONTACTS, move |_, _| {
        hears.fetch_add(1, Ordering::Relaxed);
    });
    let objects: Vec<_> = shapes()
        .into_iter()
        .map(|(_, shape)| {
            let id = world.add(&shape, Pose::IDENTITY).unwrap();
            (id, rng.cube())
        })
        .collect();
    for _ in 0..WARM_ROUNDS {
        swing(&mut world, &objects);
    }
    let (told, allocations) = swing(&mut world, &objects);
    assert_eq!(allocations, 0);
    assert!(told > 1000 && heard.load(Ordering::Relaxed) > 1000);
}

#[test]
fn a_world_that_tells_volumes_steps_without_allocating() {
    let options = BodyOptions {
        balls: 400,
        voxels: 24,
        ..BodyOptions::default()
    };
    let shape = MeshShape::new(Arc::new(generate::blob(6).unwrap()));
    let body = PenetrationBody::prepared(shape.wide(), &options).unwrap();
    let shape = Shape::from(shape.with_body(body));
    let methods = [
        VolumeMethod::Exact,
        VolumeMethod::Spheres,
        VolumeMethod::ByCost,
        VolumeMethod::Voxmap,
    ];
    for volume_method in methods {
        let config = WorldConfig {
            serial: true,
            pair: PairConfig {
                volume_method,
                ..PairConfig::default()
            },
            ..WorldConfig::default()
        };
        let broad = impinge::broad::DynamicAabbTree::new(DynamicAabbTreeConfig { parallel: false });
        let mut world = World::new(broad, config);
        // Boxes reach so far that the pair stays near.
        let near = EventMask::closer_than(9.0).unwrap();
        world.interest_mut().set_reach(near);
        let wish = EventMask::VOLUME | near;
        world.interest_mut().set_general(move |_, _| wish);
        let objects = [0.3, -0.4].map(|x| {
            let id = world.add(&shape, Pose::IDENTITY).unwrap();
            (id, DVec3::new(x, 0.1, 0.0))
        });
        for _ in 0..WARM_ROUNDS {
            swing(&mut world, &objects);
        }
        let (_, allocations) = swing(&mut world, &objects);
        assert_eq!(allocations, 0, "{volume_method:?}");
        assert!(world.frame().named("volume").count() == 1);
    }
}
