//! An allocator that counts allocations and the peak memory of a section of code.
//!
//! Counting is off unless a measurement runs, so that other benchmarks pay one relaxed load per
//! allocation. Measurements are for one thread at a time.
#![expect(
    unsafe_code,
    reason = "the language offers no safe way to watch allocations"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};

struct CountingAlloc;

#[global_allocator]
static ALLOCATOR: CountingAlloc = CountingAlloc;

static COUNTING: AtomicBool = AtomicBool::new(false);
static HELD: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);
static ASKED: AtomicI64 = AtomicI64::new(0);
static GIVEN: AtomicI64 = AtomicI64::new(0);

/// Memory is allocated.
fn take(bytes: usize) {
    if COUNTING.load(Relaxed) {
        ASKED.fetch_add(1, Relaxed);
        GIVEN.fetch_add(bytes as i64, Relaxed);
        count(bytes as i64);
    }
}

fn count(change: i64) {
    if COUNTING.load(Relaxed) {
        let held = HELD.fetch_add(change, Relaxed) + change;
        PEAK.fetch_max(held, Relaxed);
    }
}

// SAFETY: every call is passed on unchanged to the system allocator, which keeps the contract;
// counting touches atomics only and does not allocate.
unsafe impl GlobalAlloc for CountingAlloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // Old and new block may exist side by side while the content moves.
        take(new_size);
        // SAFETY: the pointer came from `System` with this layout.
        let moved = unsafe { System.realloc(pointer, layout, new_size) };
        count(-(layout.size() as i64));
        moved
    }
}

/// How often `run` allocates memory, and how many bytes in all.
pub(crate) fn allocations_of(run: impl FnOnce()) -> [u64; 2] {
    ASKED.store(0, Relaxed);
    GIVEN.store(0, Relaxed);
    COUNTING.store(true, Relaxed);
    run();
    COUNTING.store(false, Relaxed);
    [&ASKED, &GIVEN].map(|sum| sum.load(Relaxed).unsigned_abs())
}

/// What `run` gives, and the most bytes that it held at once beyond those held before.
pub(crate) fn peak_of<T>(run: impl FnOnce() -> T) -> (T, u64) {
    HELD.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    COUNTING.store(true, Relaxed);
    let result = run();
    COUNTING.store(false, Relaxed);
    (result, PEAK.load(Relaxed).unsigned_abs())
}
