//! Evaluating the surface of a cloud, and asking whether two meet, allocates nothing once the memory has grown.
#![expect(
    unsafe_code,
    reason = "the language offers no safe way to watch allocations"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::{DVec3, Pose};

struct Watching;

#[global_allocator]
static ALLOCATOR: Watching = Watching;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // Threads that end have no counter any more, and nobody asks for it.
    let _ = COUNT.try_with(|n| n.set(n.get() + 1));
}

// SAFETY: every call is passed on unchanged to the system allocator, which keeps the contract; counting touches a
// thread-local number and does not allocate.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[test]
fn evaluations_allocate_nothing_once_the_scratch_has_grown() {
    let mut rng = Rng::new(1);
    let cloud = PointCloud::from_points((0..2000).map(|_| rng.direction())).unwrap();
    let graph = Arc::new(ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap());
    let places: Vec<DVec3> = (0..500)
        .map(|_| rng.direction() * rng.range(0.8, 1.2))
        .collect();
    for distance in [
        Distance::Euclidean,
        Distance::Geodesic,
        Distance::Shortest,
        Distance::Hops,
        Distance::Averaged(0.3),
    ] {
        let options = SurfaceOptions {
            distance,
            ..SurfaceOptions::default()
        };
        let surface = CloudSurface::new(graph.clone(), options).unwrap();
        let mut scratch = Scratch::default();
        let mut run = || {
            let before = COUNT.get();
            for &x in &places {
                let _ = surface.evaluate(x, &mut scratch);
            }
            COUNT.get() - before
        };
        run();
        assert_eq!(run(), 0, "{distance:?}");
    }
}

#[test]
fn questions_about_two_clouds_allocate_nothing_once_they_were_asked() {
    let mut rng = Rng::new(2);
    let cloud = PointCloud::from_points((0..2000).map(|_| rng.direction())).unwrap();
    let graph = Arc::new(ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap());
    let surface = Arc::new(CloudSurface::new(graph, SurfaceOptions::default()).unwrap());
    let tree = Arc::new(CloudTree::new(surface, &CloudTreeOptions::default()).unwrap());
    let poses: Vec<Pose> = (0..12)
        .map(|_| Pose::from_translation(rng.direction() * rng.range(0.5, 2.3)).unwrap())
        .collect();
    let brackets = LeafTest::Crossings(BracketOptions::default());
    for leaf in [
        LeafTest::default(),
        LeafTest::Random { tests: 20 },
        brackets,
    ] {
        let options = CloudCollisionOptions {
            leaf,
            ..CloudCollisionOptions::default()
        };
        let mut question = CloudCollision::new(tree.clone(), tree.clone(), options);
        let mut run = || {
            let before = COUNT.get();
            for pose in &poses {
                let _ = question.at(pose, Limits::default());
                let _ = question.distance(pose, Limits::default());
            }
            COUNT.get() - before
        };
        run();
        assert_eq!(run(), 0, "{leaf:?}");
    }
}
