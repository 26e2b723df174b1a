//! Events of volume and force: by spheres, voxels and the boundary integral, against the exact volume.

use std::sync::Arc;

use impinge::broad::{DynamicAabbTree, ObjectId, ObjectPair};
use impinge::bvh::wide::WideTree;
use impinge::convex::{Ball, Cone, Cuboid};
use impinge::math::Rng;
use impinge::pair::{MeshShape, OverlapQuery, PairConfig, Particles, Shape, VolumeMethod};
use impinge::penetration::{BodyOptions, PenetrationBody};
use impinge::query::{Bounded, Limits, Outcome};
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, SolidBall};
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::world::{
    Body, Class, ClassConfigs, EventKind, EventMask, PairFilter, Replay, World, WorldConfig,
};
use impinge::{DVec3, Pose, TriMesh, generate};
use rayon::ThreadPoolBuilder;

use super::scene::pose;

/// A mesh that carries spheres and voxels.
fn prepared(mesh: TriMesh) -> MeshShape {
    let options = BodyOptions {
        balls: 1_500,
        voxels: 50,
        ..BodyOptions::default()
    };
    let shape = MeshShape::new(Arc::new(mesh));
    let body = PenetrationBody::prepared(shape.wide(), &options).unwrap();
    shape.with_body(body)
}

fn blob() -> MeshShape {
    prepared(generate::blob(8).unwrap())
}

fn world_by(method: VolumeMethod, serial: bool) -> World {
    let config = WorldConfig {
        serial,
        pair: PairConfig {
            volume_method: method,
            ..PairConfig::default()
        },
        ..WorldConfig::default()
    };
    let mut world = World::new(DynamicAabbTree::default(), config);
    world.interest_mut().set_general(|_, _| EventMask::VOLUME);
    world
}

const METHODS: [VolumeMethod; 5] = [
    VolumeMethod::Auto,
    VolumeMethod::Exact,
    VolumeMethod::Spheres,
    VolumeMethod::ByCost,
    VolumeMethod::Voxmap,
];

#[test]
fn brackets_of_every_method_hold_the_exact_volume_and_forces_drive_apart() {
    let shape = blob();
    let index = VolumeIndex::new(Arc::clone(shape.mesh())).unwrap();
    let shape = Shape::from(shape);
    let mut cache = OverlapCache::default();
    let mut rng = Rng::new(61);
    for method in METHODS {
        let mut world = world_by(method, true);
        let still = world.insert(Body::new(shape.clone())).unwrap();
        let moving = world.insert(Body::new(shape.clone())).unwrap();
        assert_eq!(ObjectPair::new(still, moving).a, still);
        let mut told = 0;
        for step in 0..24 {
            let to = rng.direction() * (0.4 + 0.07 * f64::from(step));
            let place = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 3.0), to).unwrap();
            world.set_pose(moving, place).unwrap();
            let truth = index
                .overlap(&index, &place, Limits::default(), &mut cache)
                .unwrap();
            let frame = world.step();
            assert_eq!(frame.stats.unsupported, 0);
            let Some(event) = frame.named("volume").next() else {
                // No event says that the estimate is 0.
                assert!(truth.value.volume < 0.02, "{method:?}: {truth:?}");
                continue;
            };
            told += 1;
            let found = frame.overlap(event).unwrap();
            let room = 1e-9 * truth.upper;
            assert!(
                found.lower <= truth.upper + room && truth.lower <= found.upper + room,
                "{method:?}: {found:?} {truth:?}"
            );
            let volume = found.value.volume;
            assert!(0.0 < volume && found.lower <= volume && volume <= found.upper);
            if truth.value.volume > 0.1 {
                let apart = -truth.value.gradient.translation.normalize();
                let force = found.value.force_on_b.normalize();
                // Points press along their own normals, which is another force than the slope of the volume.
                let least = if method == VolumeMethod::Voxmap {
                    0.5
                } else {
                    0.9
                };
                assert!(force.dot(apart) > least, "{method:?}: {force} {apart}");
                assert!((volume / truth.value.volume - 1.0).abs() < 0.12);
            }
            match method {
                VolumeMethod::Exact | VolumeMethod::Spheres | VolumeMethod::Voxmap => {
                    assert_eq!(found.value.method, method);
                }
                _ => assert_ne!(found.value.method, VolumeMethod::Voxmap),
            }
        }
        assert!(told > 12, "{method:?}: {told}");
    }
}

#[test]
fn torques_are_about_the_origin_of_a() {
    let beam = Shape::from(Cuboid::new([2.0, 0.5, 0.5]).unwrap());
    let mut query = OverlapQuery::new(&beam, &beam, &PairConfig::default()).unwrap();
    let place = Pose::from_translation([3.0, 0.75, 0.0]).unwrap();
    let found = query.at(&place, Limits::default()).unwrap();
    let h = 1e-6;
    let turned = Pose::from_axis_angle(DVec3::Z, h, DVec3::ZERO).unwrap() * place;
    let after = query.at(&turned, Limits::default()).unwrap();
    let slope = (after.value.volume - found.value.volume) / h;
    assert!(
        (found.value.torque_on_b.z + slope).abs() < 1e-3,
        "{found:?} {slope}"
    );
}

/// The frames of a crowd that moves, as text.
fn crowd(serial: bool, method: VolumeMethod) -> String {
    let mut world = world_by(method, serial);
    let shapes = [
        Shape::from(blob()),
        Shape::from(prepared(generate::torus(1.0, 0.4, 16, 12).unwrap())),
    ];
    let mut rng = Rng::new(62);
    let ids: Vec<ObjectId> = (0..40)
        .map(|k| {
            let body = Body::new(shapes[k % 2].clone()).at(pose(&mut rng, 2.5));
            world.insert(body).unwrap()
        })
        .collect();
    let mut text = String::new();
    for _ in 0..4 {
        for &id in &ids {
            world.set_pose(id, pose(&mut rng, 2.5)).unwrap();
        }
        let frame = world.step();
        text += &format!(
            "{:?} {:?} {:?}\n",
            frame.events, frame.overlaps, frame.stats
        );
    }
    assert!(text.matches("Volume(").count() > 200);
    text
}

#[test]
fn threads_change_no_byte() {
    for method in [VolumeMethod::ByCost, VolumeMethod::Voxmap] {
        let alone = crowd(true, method);
        for threads in [2, 5] {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            assert!(pool.install(|| crowd(false, method)) == alone, "{threads}");
        }
    }
}

#[test]
fn the_method_may_differ_by_class_and_a_budget_keeps_the_bracket() {
    let by = |volume_method, volume_tests| PairConfig {
        volume_method,
        volume_tests,
        ..PairConfig::default()
    };
    let mut classes = ClassConfigs::default();
    classes.set(Class(0), Class(1), by(VolumeMethod::Voxmap, None));
    classes.set(Class(1), Class(1), by(VolumeMethod::Spheres, Some(2_000)));
    let config = WorldConfig {
        classes,
        pair: by(VolumeMethod::Exact, None),
        ..WorldConfig::default()
    };
    let mut world = World::new(DynamicAabbTree::default(), config);
    world.interest_mut().set_general(|_, _| EventMask::VOLUME);
    let shape = Shape::from(blob());
    for (class, x) in [(0, 0.0), (0, 0.5), (1, 1.0), (1, 1.5)] {
        let place = Pose::from_translation([x, 0.1, 0.0]).unwrap();
        let body = Body::new(shape.clone()).in_class(Class(class)).at(place);
        world.insert(body).unwrap();
    }
    let frame = world.step();
    let found: Vec<&Bounded<_>> = frame
        .events
        .iter()
        .filter_map(|e| frame.overlap(e))
        .collect();
    assert_eq!(found.len(), 6);
    let methods: Vec<VolumeMethod> = found.iter().map(|o| o.value.method).collect();
    let (exact, voxmap, spheres) = (
        VolumeMethod::Exact,
        VolumeMethod::Voxmap,
        VolumeMethod::Spheres,
    );
    assert_eq!(methods, [exact, voxmap, voxmap, voxmap, voxmap, spheres]);
    assert_eq!(found[5].outcome, Outcome::OutOfBudget);
    let truth = found[0];
    // The last two stand to each other as the first two.
    assert!(found[5].lower <= truth.upper && truth.lower <= found[5].upper);
}

#[test]
fn what_is_not_prepared_and_what_is_no_solid_is_refused_and_counted() {
    let bare = Shape::from(generate::blob(4).unwrap());
    let full = Shape::from(blob());
    let cone = Shape::from(Cone::new(1.0, 1.0).unwrap());
    let ball = Shape::from(Ball::new(1.0).unwrap());
    let cases = [
        (VolumeMethod::Spheres, &bare, &full, true),
        (VolumeMethod::Auto, &bare, &full, false),
        (VolumeMethod::Auto, &cone, &ball, true),
        (VolumeMethod::Auto, &ball, &ball, false),
    ];
    for (method, a, b, is_refused) in cases {
        let mut world = world_by(method, true);
        world.insert(Body::new(a)).unwrap();
        let at = Pose::from_translation([0.5, 0.0, 0.0]).unwrap();
        world.insert(Body::new(b).at(at)).unwrap();
        let frame = world.step();
        assert_eq!(frame.stats.unsupported, u64::from(is_refused), "{method:?}");
        assert_eq!(frame.named("volume").count(), usize::from(!is_refused));
    }
    let config = PairConfig {
        volume_method: VolumeMethod::Spheres,
        ..PairConfig::default()
    };
    let refused = OverlapQuery::new(&full, &bare, &config).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the second shape carries nothing for the method spheres"
    );
}

#[test]
fn particles_with_a_tree_share_the_lenses_of_their_balls() {
    let balls: Vec<SolidBall> = (0..8)
        .map(|k| SolidBall {
            center: DVec3::X * 2.0 * f64::from(k),
            radius: 1.0,
        })
        .collect();
    let tree = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default()).unwrap();
    let chain = Shape::from(Particles::of_tree(tree).unwrap());
    let mut world = world_by(VolumeMethod::Auto, true);
    world.insert(Body::new(chain.clone())).unwrap();
    let above = Pose::from_translation([0.0, 1.0, 0.0]).unwrap();
    world.insert(Body::new(chain).at(above)).unwrap();
    let frame = world.step();
    let found = frame.overlap(&frame.events[0]).unwrap();
    // Two unit balls one radius apart share 5/12 pi.
    let truth = 8.0 * 5.0 / 12.0 * std::f64::consts::PI;
    assert!((found.value.volume / truth - 1.0).abs() < 1e-9, "{found:?}");
    assert!(found.value.force_on_b.y > 0.0 && found.value.force_on_b.x.abs() < 1e-6);
}

#[test]
fn listeners_hear_of_volumes_and_a_handle_asks_again() {
    let shape = Shape::from(blob());
    let mut world = World::default();
    let a = world.insert(Body::new(shape.clone())).unwrap();
    let at = Pose::from_translation([1.0, 0.0, 0.0]).unwrap();
    let b = world.insert(Body::new(shape).at(at)).unwrap();
    let heard = Arc::new(std::sync::Mutex::new(Vec::new()));
    let list = Arc::clone(&heard);
    world.listen(PairFilter::any(), EventMask::VOLUME, move |event, reply| {
        assert!(matches!(event.what, EventKind::Volume(_)));
        list.lock().unwrap().extend(reply.overlap(event).copied());
    });
    world.step();
    world.step();
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 2);
    assert_eq!(heard[0], heard[1]);
    let mut pair = world.pair(ObjectPair::new(a, b)).unwrap();
    assert_eq!(pair.overlap(Limits::default()).unwrap(), heard[0]);
}

#[test]
fn a_recording_replays_though_it_has_no_spheres() {
    let mut world = world_by(VolumeMethod::Spheres, true);
    world.start_recording().unwrap();
    let shape = Shape::from(blob());
    world.insert(Body::new(shape.clone())).unwrap();
    let moving = world.insert(Body::new(shape)).unwrap();
    for x in [0.6, 1.1, 5.0] {
        let place = Pose::from_translation([x, 0.2, 0.0]).unwrap();
        world.set_pose(moving, place).unwrap();
        world.step();
    }
    let text = world.take_recording();
    assert_eq!(text.matches("\nvolume 0.0 1.0 ").count(), 2, "{text}");
    let steps = |text: &str| {
        let mut replay = Replay::new(text, World::default()).unwrap();
        let mut differing = 0;
        while let Some(step) = replay.step().unwrap() {
            differing += usize::from(step.difference.is_some());
        }
        differing
    };
    assert_eq!(steps(&text), 0);
    let line = text
        .lines()
        .find(|line| line.starts_with("volume"))
        .unwrap();
    assert_eq!(steps(&text.replace(line, "volume 0.0 1.0 90 91")), 1);
}

#[test]
fn a_tree_that_belongs_to_the_mesh_is_shared_with_its_index() {
    let mesh = Arc::new(generate::blob(4).unwrap());
    let tree = Arc::new(WideTree::new(Arc::clone(&mesh)));
    let options = BodyOptions {
        is_exact: false,
        balls: 300,
        voxels: 0,
    };
    let body = PenetrationBody::prepared(&tree, &options).unwrap();
    // Its exact index comes from the shape, so that shallow contacts are exact.
    let shape = Shape::from(MeshShape::new(mesh).with_body(body));
    let mut query = OverlapQuery::new(&shape, &shape, &PairConfig::default()).unwrap();
    let place = Pose::from_translation([1.9, 0.0, 0.0]).unwrap();
    let found = query.at(&place, Limits::default()).unwrap();
    assert_eq!(found.value.method, VolumeMethod::Exact);
}
