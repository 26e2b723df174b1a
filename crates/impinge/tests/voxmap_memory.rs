//! Voxels take no more memory than is allowed, also while they are made.
#![expect(
    unsafe_code,
    reason = "the language offers no safe way to watch allocations"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use impinge::voxmap::{Pointshell, Voxmap, VoxmapError, VoxmapOptions};
use impinge::{DVec3, TriMesh, generate};

/// Remembers the most memory that all threads had at a time.
struct Watching;

#[global_allocator]
static ALLOCATOR: Watching = Watching;
static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn add(bytes: usize) {
    let now = NOW.fetch_add(bytes, SeqCst) + bytes;
    MOST.fetch_max(now, SeqCst);
}

// SAFETY: every call is passed on unchanged to the system allocator, which keeps the contract; watching touches atomics
// and does not allocate.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), SeqCst);
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may exist for a while.
        add(size);
        NOW.fetch_sub(layout.size(), SeqCst);
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What comes of some work, and the most memory that it had at a time.
fn watched<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.load(SeqCst);
    MOST.store(before, SeqCst);
    let made = work();
    (made, MOST.load(SeqCst) - before)
}

fn made(mesh: &TriMesh, options: VoxmapOptions) -> (Result<Voxmap, VoxmapError>, usize) {
    watched(|| Voxmap::with_options(mesh, &options))
}

// One test, so that nobody else allocates meanwhile.
#[test]
fn no_more_is_taken_than_is_allowed() {
    let cube = generate::cuboid(DVec3::ONE, [1; 3]).unwrap();
    let plate = generate::cuboid(DVec3::new(1.0, 0.001, 1.0), [1; 3]).unwrap();
    let rod = generate::cuboid(DVec3::new(0.0001, 0.0001, 1.0), [1; 3]).unwrap();
    let sponge = generate::menger_sponge(1.0, 2).unwrap();
    // Threads and what they keep for good are there from the first time on.
    assert!(Voxmap::new(&cube, 50).is_ok());
    for (mesh, resolution, proximity) in [
        (&cube, 1, 0),
        (&cube, 5, 0),
        (&cube, 15, 0),
        (&cube, 15, 8),
        (&cube, 30, 3),
        (&cube, 150, 126),
        (&plate, 700, 0),
        (&plate, 500, 8),
        (&rod, 10_000, 0),
        (&sponge, 81, 4),
        (&sponge, 243, 8),
    ] {
        let asked = |most_bytes| VoxmapOptions {
            resolution,
            proximity,
            most_bytes,
        };
        let (refused, taken) = made(mesh, asked(0));
        let Err(VoxmapError::TooLarge { bytes, voxels, .. }) = refused else {
            panic!("nothing is allowed, and {refused:?} came of it");
        };
        // Looking at the mesh takes something, but nothing for voxels.
        let mesh_bytes = 4096 + 256 * mesh.face_count();
        assert!(taken < mesh_bytes, "{taken}");
        let needed = bytes.ceil() as usize;
        assert!(bytes >= 4.0 * voxels);
        let (map, taken) = made(mesh, asked(needed));
        let map = map.unwrap();
        // The mesh and its tree are besides.
        assert!(
            taken <= needed + 2 * mesh_bytes,
            "{taken} of {needed} for {voxels} voxels, {:?}",
            map.counts()
        );
        assert!(map.bytes() <= taken);
        assert!(made(mesh, asked(needed - 1)).0.is_err());
        // Large grids take what they say, nearly.
        let [least, ..] = {
            let mut counts = map.counts();
            counts.sort_unstable();
            counts
        };
        if least >= 40 {
            assert_eq!(bytes, 4.0 * voxels);
        }
    }
    for resolution in [100_000, 1_000_000] {
        let (refused, taken) = watched(|| Pointshell::new(&cube, resolution));
        assert!(matches!(refused, Err(VoxmapError::TooLarge { .. })));
        assert!(taken < 10_000, "{taken}");
    }
    // A shell takes some hundred bytes per voxel while it is made.
    let (shell, taken) = watched(|| Pointshell::new(&cube, 300).unwrap());
    let points = shell.points().len();
    assert!(taken < 250 * points, "{taken} for {points} points");
}
