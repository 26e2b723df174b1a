//! Searching for crossings allocates nothing once its scratch has grown.
#![expect(
    unsafe_code,
    reason = "the language offers no safe way to watch allocations"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;


use impinge::Pose;
use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::{Count, Limits};

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
fn searches_allocate_nothing_once_the_scratch_has_grown() {
    let mut rng = Rng::new(1);
    let cloud = PointCloud::from_points((0..4000).map(|_| rng.direction())).unwrap();
    let graph = ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap();
    let surface = CloudSurface::new(graph.into(), SurfaceOptions::default()).unwrap();
    let poses: Vec<Pose> = (0..40)
        .map(|_| Pose::from_translation(rng.direction() * rng.range(0.2, 2.2)).unwrap())
        .collect();
    for completion in [Completion::Influence, Completion::Annulus] {
        let options = BracketOptions {
            completion,
            ..BracketOptions::default()
        };
        let mut scratch = BracketScratch::default();
        let mut run = || {
            let before = COUNT.get();
            let mut found = Count::default();
            for pose in &poses {
                let limits = Limits::default();
                find_crossings(
                    &surface,
                    &surface,
                    pose,
                    None,
                    &options,
                    limits,
                    &mut scratch,
                    &mut found,
                );
                nearest_approach(&surface, &surface, pose, &options, limits, &mut scratch);
            }
            assert!(found.0 > 0);
            COUNT.get() - before
        };
        run();
        assert_eq!(run(), 0, "{completion:?}");
    }
}
