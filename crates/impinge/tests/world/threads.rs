//! The same bytes for any number of threads.

use impinge::broad::DynamicAabbTree;
use impinge::math::Rng;
use impinge::world::{Body, EventMask, World, WorldConfig};
use rayon::ThreadPoolBuilder;

use super::scene::{pose, shapes};

/// Everything a run tells, as text.
fn run(serial: bool) -> String {
    let config = WorldConfig {
        serial,
        ..WorldConfig::default()
    };
    let mut world = World::new(DynamicAabbTree::default(), config);
    let near = EventMask::closer_than(0.25).unwrap();
    let all = EventMask::OVERLAP | EventMask::CONTACT | EventMask::CONTACTS | near;
    world.interest_mut().set_general(move |_, _| all);
    world.interest_mut().set_reach(near);
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
    let frame = format!("{:?}\n", world.frame());
    frame + &world.take_recording()
}

#[test]
fn a_step_gives_the_same_bytes_on_any_number_of_threads() {
    let expected = run(true);
    assert!(
        expected.matches("\ncontact-begin").count() > 100,
        "a scene with contacts"
    );
    for threads in [1, 2, 3, 8] {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        assert!(pool.install(|| run(false)) == expected, "{threads} threads");
    }
}
