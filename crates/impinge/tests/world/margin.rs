//! Contacts that are told before shapes touch: within the margin, not beyond it, and nothing else earlier.

use std::sync::Arc;

use impinge::broad::{
    BroadPhase, BruteForce, DynamicAabbTree, HashGrid, ObjectId, ObjectPair, SweepAndPrune,
};
use impinge::convex::{Ball, Capsule, Cuboid};
use impinge::math::Rng;
use impinge::pair::{DistanceQuery, MeshShape, PairConfig, Shape};
use impinge::query::Limits;
use impinge::world::{Body, EventMask, World, WorldConfig, WorldFrame};
use impinge::{Pose, generate};

const MARGIN: f64 = 0.25;

fn shapes() -> Vec<Shape> {
    vec![
        Shape::from(Ball::new(0.5).unwrap()),
        Shape::from(Cuboid::new([0.25, 0.5, 1.0]).unwrap()),
        Shape::from(Capsule::new([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], 0.25).unwrap()),
        Shape::from(MeshShape::new(Arc::new(
            generate::icosphere(0.5, 4).unwrap(),
        ))),
    ]
}

fn world(detector: Box<dyn BroadPhase>, contact_margin: f64, oriented_boxes: bool) -> World {
    let config = WorldConfig {
        contact_margin,
        oriented_boxes,
        ..WorldConfig::default()
    };
    let mut world = World::new(DynamicAabbTree::default(), config);
    world.set_broad_phase(detector).unwrap();
    let all = EventMask::OVERLAP | EventMask::CONTACT | EventMask::TOUCHING | EventMask::CONTACTS;
    world.interest_mut().set_general(move |_, _| all);
    world
}

/// The events of a frame but for contacts. Which of many faces are the witness is left to what a pair remembers.
fn others(frame: &WorldFrame) -> Vec<(ObjectPair, &'static str)> {
    let named = frame.events.iter().map(|e| (e.pair, e.what.name()));
    named.filter(|(_, name)| *name != "contacts").collect()
}

#[test]
fn contacts_come_within_the_margin_and_not_beyond_and_nothing_else_comes_earlier() {
    let mut counts = [0; 3];
    for oriented_boxes in [false, true] {
        let detectors: [Box<dyn BroadPhase>; 4] = [
            Box::new(DynamicAabbTree::default()),
            Box::new(BruteForce::default()),
            Box::new(SweepAndPrune::default()),
            Box::new(HashGrid::default()),
        ];
        for detector in detectors {
            let mut wide = world(detector, MARGIN, oriented_boxes);
            let mut plain = world(Box::new(DynamicAabbTree::default()), 0.0, oriented_boxes);
            let mut rng = Rng::new(17);
            let placed = |rng: &mut Rng| {
                let angle = rng.range(-3.0, 3.0);
                Pose::from_axis_angle(rng.direction(), angle, rng.cube() * 2.5).unwrap()
            };
            let shapes = shapes();
            let mut ids: Vec<ObjectId> = Vec::new();
            for k in 0..24 {
                let body = Body::new(shapes[k % 4].clone()).at(placed(&mut rng));
                ids.push(wide.insert(body.clone()).unwrap());
                assert_eq!(plain.insert(body).ok(), ids.last().copied());
            }
            for _ in 0..4 {
                for &id in &ids {
                    let pose = placed(&mut rng);
                    wide.set_pose(id, pose).unwrap();
                    plain.set_pose(id, pose).unwrap();
                }
                plain.step();
                wide.step();
                assert_eq!(others(wide.frame()), others(plain.frame()));
                judge(&wide, &ids, &mut counts);
            }
        }
    }
    // Beyond the margin, within it, and touching.
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

/// Compares the contacts of all pairs with their distances.
fn judge(world: &World, ids: &[ObjectId], counts: &mut [usize; 3]) {
    let frame = world.frame();
    for (k, &a) in ids.iter().enumerate() {
        for &b in &ids[k + 1..] {
            let (p, q) = (world.body(a).unwrap(), world.body(b).unwrap());
            let a_from_b = p.world_from_body.inverse() * q.world_from_body;
            let config = PairConfig::default();
            let mut query = DistanceQuery::new(&p.shape, &q.shape, &config).unwrap();
            let apart = query.at(&a_from_b, Limits::default()).value.unwrap();
            let apart = apart.distance;
            let mut told = frame.named("contacts");
            let event = told.find(|event| (event.pair.a, event.pair.b) == (a, b));
            let deepest = event.map(|event| {
                let depths = frame.points(event).iter().map(|point| point.depth);
                depths.fold(f64::NEG_INFINITY, f64::max)
            });
            if (apart - MARGIN).abs() < 1e-9 {
                continue;
            }
            if apart > MARGIN {
                assert_eq!(deepest, None, "{apart} apart");
                counts[0] += 1;
            } else if apart > 0.0 {
                let deepest = deepest.unwrap_or(f64::NAN);
                assert!((deepest + apart).abs() < 1e-7, "{deepest} for {apart}");
                counts[1] += 1;
            } else {
                assert!(deepest.is_some(), "they touch");
                counts[2] += 1;
            }
        }
    }
}

#[test]
fn a_margin_that_is_none_counts_as_zero() {
    for margin in [-1.0, f64::NAN, f64::INFINITY] {
        let mut world = world(Box::new(DynamicAabbTree::default()), margin, false);
        let ball = Shape::from(Ball::new(1.0).unwrap());
        world.insert(Body::new(ball.clone())).unwrap();
        let near = Pose::from_translation([2.125, 0.0, 0.0]).unwrap();
        let other = world.insert(Body::new(ball).at(near)).unwrap();
        assert!(world.step().events.is_empty(), "{margin}");
        let touching = Pose::from_translation([2.0, 0.0, 0.0]).unwrap();
        world.set_pose(other, touching).unwrap();
        assert_eq!(world.step().named("contacts").count(), 1, "{margin}");
    }
}
