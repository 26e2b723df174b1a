//! No engine allocates once its cache is warm.

use std::sync::Arc;

use impinge::Pose;
use impinge::math::Rng;
use impinge::query::{Count, Limits};
use impinge_testkit::allocations;
use impinge_testkit::generate::{meshes, poses};

use crate::ENGINES;

/// How often everything is asked; the last time must not allocate.
pub(crate) const ROUNDS: u32 = 5;

/// Asks about all items once, and then again, counting.
pub(crate) fn asks_without_allocating<T>(what: &str, items: &[T], mut ask: impl FnMut(&T)) {
    // What is kept from one round changes the next, and with it how much memory is needed at most.
    for _ in 1..ROUNDS {
        items.iter().for_each(&mut ask);
    }
    let before = allocations::count();
    items.iter().for_each(&mut ask);
    let count = allocations::count() - before;
    assert_eq!(count, 0, "{what} allocated");
}

/// Apart, touching, overlapping.
pub(crate) fn places() -> Vec<Pose> {
    let mut rng = Rng::new(3);
    (0..60).map(|_| poses::random(&mut rng, 2.0)).collect()
}

#[test]
fn no_engine_allocates() {
    let places = places();
    let mesh = Arc::new(meshes::ball(3, 1.0));
    for engine in ENGINES {
        let mut pair = engine.prepare(mesh.clone(), mesh.clone());
        asks_without_allocating(engine.name(), &places, |pose| {
            let _ = pair.intersections(pose, Limits::default(), &mut Count::default());
        });
        asks_without_allocating(engine.name(), &places, |pose| {
            let _ = pair.distance(pose, Limits::default());
            let _ = pair.within(pose, 0.1, Limits::default());
        });
    }
}
