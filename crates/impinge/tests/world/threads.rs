//! The same bytes for any number of threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use impinge::Pose;
use impinge::broad::DynamicAabbTree;
use impinge::math::Rng;
use impinge::pair::{MeshShape, PairConfig, Shape};
use impinge::world::{Body, EventMask, PairFilter, World, WorldConfig};
use rayon::ThreadPoolBuilder;

use super::scene::{pose, shapes};

/// Everything a run tells, as text.
fn run(serial: bool, race: bool) -> String {
    let config = WorldConfig {
        serial,
        pair: PairConfig {
            race,
            ..PairConfig::default()
        },
        ..WorldConfig::default()
    };
    let mut world = World::new(DynamicAabbTree::default(), config);
    let near = EventMask::closer_than(0.25).unwrap();
    let all = EventMask::OVERLAP | EventMask::CONTACT | EventMask::CONTACTS | near;
    world.interest_mut().set_general(move |_, _| all);
    world.interest_mut().set_reach(near);
    // Who listens is found out by threads too.
    let heard = Arc::new(AtomicU64::new(0));
    let hears = Arc::clone(&heard);
    world.listen(
        PairFilter::any(),
        EventMask::CONTACT,
        move |event, reply| {
            let bits = reply.step()
                ^ u64::from(event.pair.a.slot()) << 20
                ^ u64::from(event.pair.b.slot());
            let before = hears.load(Ordering::Relaxed);
            hears.store(
                before.wrapping_mul(31).wrapping_add(bits),
                Ordering::Relaxed,
            );
        },
    );
    let mut rng = Rng::new(21);
    let shapes = shapes();
    let ids: Vec<_> = (0..150)
        .map(|k| {
            let body = Body::new(shapes[k % 8].clone()).at(pose(&mut rng, 6.0));
            world.insert(body).unwrap()
        })
        .collect();
    world.start_recording().unwrap();
    for _ in 0..12 {
        for &id in &ids {
            if rng.below(2) == 0 {
                world.set_pose(id, pose(&mut rng, 6.0)).unwrap();
            }
        }
        world.step();
    }
    let heard = heard.load(Ordering::Relaxed);
    let frame = format!("{:?}\n{heard}\n", world.frame());
    frame + &world.take_recording()
}

#[test]
fn a_step_gives_the_same_bytes_on_any_number_of_threads() {
    for race in [false, true] {
        let expected = run(true, race);
        assert!(
            expected.matches("\ncontact-begin").count() > 100,
            "a scene with contacts"
        );
        for threads in [1, 2, 3, 8] {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let told = pool.install(|| run(false, race));
            assert!(told == expected, "{threads} threads");
        }
        assert!(run(false, race) == expected, "called outside of a pool");
    }
}

/// Pairs that touch, step by step, along a coherent path.
fn touching(config: &PairConfig) -> Vec<String> {
    let config = WorldConfig {
        pair: config.clone(),
        ..WorldConfig::default()
    };
    let mut world = World::new(DynamicAabbTree::default(), config);
    world.interest_mut().set_general(|_, _| EventMask::TOUCHING);
    let knot = impinge::generate::model("torus-knot").unwrap();
    let meshes = [
        knot.make(Some(600), 1).unwrap(),
        impinge::generate::icosphere(1.0, 4).unwrap(),
        impinge::generate::tetrahedron(1.0).unwrap(),
    ];
    let shapes = meshes.map(|mesh| Shape::from(MeshShape::new(Arc::new(mesh))));
    let mut rng = Rng::new(5);
    let bodies: Vec<_> = (0..24)
        .map(|k| {
            let id = world.insert(Body::new(shapes[k % 3].clone())).unwrap();
            (id, rng.cube() * 4.0, rng.direction())
        })
        .collect();
    let mut told = Vec::new();
    for step in 0..60 {
        let t = f64::from(step) * 0.05;
        for (id, home, axis) in &bodies {
            let pose = Pose::from_axis_angle(*axis, t, *home * t.cos()).unwrap();
            world.set_pose(*id, pose).unwrap();
        }
        let events = world.step().named("touching");
        let pairs: Vec<_> = events.map(|event| event.pair).collect();
        told.push(format!("{pairs:?}"));
    }
    told
}

#[test]
fn a_race_changes_no_answer_of_a_world() {
    for solid in [false, true] {
        let exact = PairConfig {
            solid,
            ..PairConfig::default()
        };
        let raced = PairConfig {
            race: true,
            ..exact.clone()
        };
        let expected = touching(&exact);
        assert!(expected.iter().any(|pairs| pairs.len() > 200));
        assert_eq!(touching(&raced), expected);
    }
}

#[test]
fn pieces_change_no_answer_of_a_world() {
    for solid in [false, true] {
        let whole = PairConfig {
            solid,
            ..PairConfig::default()
        };
        let expected = touching(&whole);
        for race in [false, true] {
            let split = PairConfig {
                pieces: 4,
                race,
                ..whole.clone()
            };
            assert_eq!(touching(&split), expected);
        }
    }
}
