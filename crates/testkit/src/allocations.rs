//! Counts what the calling thread allocates, so that tests may run side by side.
//!
//! A test program that wants to know declares the allocator once:
//!
//! ```
//! use impinge_testkit::allocations::{Counting, count};
//!
//! #[global_allocator]
//! static ALLOCATOR: Counting = Counting;
//!
//! let before = count();
//! let kept = std::hint::black_box(vec![1_u8]);
//! assert_eq!(count(), before + 1);
//! # drop(kept);
//! ```
#![expect(
    unsafe_code,
    reason = "the language offers no safe way to watch allocations"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    // Without a destructor and initialised by a constant: reading it does not allocate.
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which also counts.
#[derive(Debug)]
pub struct Counting;

/// How often this thread has allocated memory; always zero unless [`Counting`] is the program's allocator.
pub fn count() -> u64 {
    COUNT.get()
}

/// How many bytes this thread has allocated in all; what it gave back is not subtracted.
pub fn bytes() -> usize {
    BYTES.get()
}

fn add(bytes: usize) {
    // Threads that end have no counters any more, and nobody asks for them.
    let _ = COUNT.try_with(|n| n.set(n.get() + 1));
    let _ = BYTES.try_with(|n| n.set(n.get() + bytes));
}

// SAFETY: every call is passed on unchanged to the system allocator, which keeps the contract;
// counting touches plain thread-local numbers and does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        add(new_size);
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}
