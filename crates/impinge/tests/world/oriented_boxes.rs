//! Boxes along the objects' own axes: the same events in every detector, and fewer pairs.

use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::broad::{
    BroadPhase, DynamicAabbTree, OrientedCells, SlabDirections, SlabOctree, UniformGrid,
    UniformGridConfig,
};
use impinge::convex::{Ball, Capsule, Cuboid, Polyhedron};
use impinge::math::Rng;
use impinge::pair::{MeshShape, Shape};
use impinge::world::{
    Body, BodyBoxes, ContactAccuracy, Event, EventMask, StepStats, World, WorldConfig,
};
use impinge::{DVec3, Pose, generate};

use super::scene::{broad, ground};

/// Rods of several kinds, and a ball.
fn rods() -> [Shape; 4] {
    let rod = generate::cuboid(DVec3::new(0.3, 6.0, 0.3), [1; 3]).unwrap();
    [
        Shape::from(Cuboid::new([3.0, 0.1, 0.2]).unwrap()),
        Shape::from(Capsule::new([-2.0, -2.0, -1.0], [2.0, 2.0, 1.0], 0.2).unwrap()),
        Shape::from(MeshShape::new(Arc::new(rod))),
        Shape::from(Ball::new(0.5).unwrap()),
    ]
}

fn detectors() -> Vec<Box<dyn BroadPhase>> {
    let mut all: Vec<_> = (0..9).map(broad).collect();
    all.push(oriented_grid());
    all.push(Box::new(SlabOctree::new(SlabDirections::Thirteen)));
    all
}

fn oriented_grid() -> Box<dyn BroadPhase> {
    Box::new(UniformGrid::new(UniformGridConfig {
        cells: 24,
        universe: Some(Aabb {
            min: DVec3::splat(-12.0),
            max: DVec3::splat(12.0),
        }),
        oriented: OrientedCells::Conservative,
        ..UniformGridConfig::default()
    }))
}

const EXACT: [ContactAccuracy; 1] = [ContactAccuracy::Exact];
/// Mostly exact, now and then by boxes.
const MIXED: [ContactAccuracy; 5] = [
    ContactAccuracy::Exact,
    ContactAccuracy::Exact,
    ContactAccuracy::OrientedBoxes,
    ContactAccuracy::Exact,
    ContactAccuracy::Boxes,
];

/// What a program of moves tells, with the counts of each step.
fn run(
    detector: Box<dyn BroadPhase>,
    oriented_boxes: bool,
    mask: EventMask,
    accuracies: &[ContactAccuracy],
) -> (Vec<Vec<Event>>, Vec<StepStats>) {
    let config = WorldConfig {
        oriented_boxes,
        ..WorldConfig::default()
    };
    let mut world = World::new(DynamicAabbTree::default(), config);
    world.set_broad_phase(detector).unwrap();
    let reach = mask.distance().unwrap_or(0.0);
    let interest = world.interest_mut();
    interest
        .set_general_within(reach, move |_, _| mask)
        .unwrap();
    let mut rng = Rng::new(5);
    let turned = |rng: &mut Rng| {
        Pose::from_axis_angle(rng.direction(), rng.range(-3.0, 3.0), rng.cube() * 7.0).unwrap()
    };
    let shapes = rods();
    let ids: Vec<_> = (0..80)
        .map(|k| {
            let body = Body::new(shapes[k % 4].clone()).at(turned(&mut rng));
            world.insert(body).unwrap()
        })
        .collect();
    world.insert(Body::new(ground()).fixed()).unwrap();
    let (mut events, mut stats) = (Vec::new(), Vec::new());
    for step in 0..12 {
        world.set_accuracy(accuracies[step % accuracies.len()]);
        for _ in 0..30 {
            let id = ids[rng.below(80) as usize];
            world.set_pose(id, turned(&mut rng)).unwrap();
        }
        let frame = world.step();
        events.push(frame.events.clone());
        stats.push(frame.stats);
    }
    (events, stats)
}

#[test]
fn events_are_the_same_in_every_detector() {
    let near = EventMask::closer_than(0.2).unwrap();
    let all = EventMask::OVERLAP | EventMask::CONTACT | EventMask::TOUCHING;
    for mask in [all, all | near] {
        let (expected, _) = run(Box::new(DynamicAabbTree::default()), true, mask, &MIXED);
        let count: usize = expected.iter().map(Vec::len).sum();
        assert!(count > 300, "{count}");
        for detector in detectors() {
            let name = detector.name();
            let (events, _) = run(detector, true, mask, &MIXED);
            assert!(events == expected, "{name}");
        }
    }
}

#[test]
fn all_but_hello_and_goodbye_is_told_as_without_them() {
    let mask = EventMask::OVERLAP
        | EventMask::CONTACT
        | EventMask::TOUCHING
        | EventMask::closer_than(0.2).unwrap();
    let without_boxes = |events: Vec<Vec<Event>>| -> Vec<Vec<Event>> {
        let kept = |event: &Event| !matches!(event.what.name(), "overlap-begin" | "overlap-end");
        let steps = events.into_iter();
        steps
            .map(|step| step.into_iter().filter(kept).collect())
            .collect()
    };
    let (with, _) = run(Box::new(DynamicAabbTree::default()), true, mask, &EXACT);
    let (without, _) = run(Box::new(DynamicAabbTree::default()), false, mask, &EXACT);
    let hellos = |events: &[Vec<Event>]| {
        let all = events.iter().flatten();
        all.filter(|event| event.what.name() == "overlap-begin")
            .count()
    };
    assert!(2 * hellos(&with) < hellos(&without));
    assert!(without_boxes(with) == without_boxes(without));
}

#[test]
fn an_oriented_grid_holds_fewer_pairs_near_and_fewer_are_tested() {
    let sum = |stats: &[StepStats], of: fn(&StepStats) -> u64| stats.iter().map(of).sum::<u64>();
    let (_, plain) = run(
        Box::new(DynamicAabbTree::default()),
        false,
        EventMask::TOUCHING,
        &EXACT,
    );
    let (_, tree) = run(
        Box::new(DynamicAabbTree::default()),
        true,
        EventMask::TOUCHING,
        &EXACT,
    );
    let (_, grid) = run(oriented_grid(), true, EventMask::TOUCHING, &EXACT);
    let (_, slabs) = run(broad(7), true, EventMask::TOUCHING, &EXACT);
    let near = |stats: &[StepStats]| sum(stats, |s| s.near);
    let tested = |stats: &[StepStats]| sum(stats, |s| s.tested);
    assert!(
        4 * near(&grid) < 3 * near(&tree),
        "{} {}",
        near(&grid),
        near(&tree)
    );
    assert!(
        4 * near(&slabs) < 3 * near(&tree),
        "{} {}",
        near(&slabs),
        near(&tree)
    );
    assert!(
        2 * tested(&grid) < tested(&plain),
        "{} {}",
        tested(&grid),
        tested(&plain)
    );
    assert_eq!(
        tested(&grid),
        tested(&tree),
        "what is tested does not depend on the detector"
    );
}

#[test]
fn however_boxes_are_found_contacts_are_the_same() {
    let mut rng = Rng::new(77);
    let ball: Vec<DVec3> = (0..300).map(|_| rng.direction()).collect();
    let rod: Vec<DVec3> = (0..200)
        .map(|_| rng.direction() * DVec3::new(2.0, 0.1, 0.1))
        .collect();
    let shapes = [
        Shape::from(Polyhedron::new(&ball).unwrap()),
        Shape::from(Polyhedron::new(&rod).unwrap()),
        Shape::from(Cuboid::new([0.5, 0.25, 1.0]).unwrap()),
        MeshShape::new(Arc::new(generate::icosphere(0.7, 3).unwrap())).into(),
    ];
    let kinds = [
        BodyBoxes::PerPose,
        BodyBoxes::Incremental,
        BodyBoxes::Maximal,
    ];
    let mut worlds = kinds.map(|boxes| {
        let config = WorldConfig {
            boxes,
            ..WorldConfig::default()
        };
        let mut world = World::new(DynamicAabbTree::default(), config);
        world
            .interest_mut()
            .set_general(|_, _| EventMask::CONTACT | EventMask::TOUCHING);
        world
    });
    let mut poses = Vec::new();
    let mut ids = Vec::new();
    for k in 0..24 {
        poses.push((rng.cube() * 4.0, rng.direction(), 0.0, rng.range(-0.2, 0.2)));
        let added = worlds
            .each_mut()
            .map(|world| world.insert(Body::new(shapes[k % 4].clone())).unwrap());
        ids.push(added[0]);
    }
    let (mut near, mut touching) = ([0; 3], 0);
    for _ in 0..40 {
        for (id, (at, axis, angle, spin)) in ids.iter().zip(&mut poses) {
            *angle += *spin;
            let pose = Pose::from_axis_angle(*axis, *angle, *at).unwrap();
            for world in &mut worlds {
                world.set_pose(*id, pose).unwrap();
            }
        }
        let events = worlds
            .each_mut()
            .map(|world| format!("{:?}", world.step().events));
        assert!(events.iter().all(|text| *text == events[0]));
        for (sum, world) in near.iter_mut().zip(&worlds) {
            *sum += world.frame().stats.near;
        }
        touching += worlds[0].frame().stats.touching;
        // The polyhedra are in their boxes, which are tight where they are kept from pose to pose.
        for (k, id) in ids.iter().enumerate().filter(|(k, _)| k % 4 < 2) {
            let (at, axis, angle, _) = poses[k];
            let pose = Pose::from_axis_angle(axis, angle, at).unwrap();
            let Shape::Polyhedron(shape) = &shapes[k % 4] else {
                panic!("a polyhedron");
            };
            let truth = Aabb::enclosing(shape.vertices().iter().map(|&v| pose * v));
            let [loose, tight, maximal] = worlds.each_ref().map(|w| w.bounds(*id).unwrap());
            for bounds in [loose, tight, maximal] {
                assert!(bounds.contains_box(&truth));
            }
            assert!(truth.inflated(1e-6).contains_box(&tight));
        }
    }
    assert!(touching > 40, "{touching}");
    assert!(near[1] < near[0] && near[0] < near[2], "{near:?}");
}
