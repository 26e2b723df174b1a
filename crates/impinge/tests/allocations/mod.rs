//! An allocator that counts what each thread asks it for.

#![allow(dead_code, reason = "not every test asks about bytes")]
#![expect(
    unsafe_code,
    reason = "the language offers no safe way to watch allocations"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Watching;

#[global_allocator]
static ALLOCATOR: Watching = Watching;

thread_local! {
    // Without a destructor and initialised by a constant: reading it does not allocate.
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

/// How often this thread has allocated.
pub(crate) fn count() -> u64 {
    COUNT.get()
}

/// How much this thread has allocated, what was freed included.
pub(crate) fn bytes() -> usize {
    BYTES.get()
}

fn note(bytes: usize) {
    // Threads that end have no counter any more, and nobody asks for it.
    let _ = COUNT.try_with(|n| n.set(n.get() + 1));
    let _ = BYTES.try_with(|n| n.set(n.get() + bytes));
}

// SAFETY: every call is passed on unchanged to the system allocator, which keeps the contract; counting touches
// thread-local numbers and does not allocate.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
