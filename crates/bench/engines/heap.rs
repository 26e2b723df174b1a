//! What a runner holds of the heap, told by the allocator itself, so that nothing is counted while anything is timed.

/// What the GNU C library says of its allocator; see `mallinfo2(3)`.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[repr(C)]
#[expect(dead_code, reason = "the record is as the library lays it out")]
struct Allocator {
    arena: usize,
    free_chunks: usize,
    fast_chunks: usize,
    mapped_chunks: usize,
    /// Bytes in blocks that were mapped one by one.
    mapped: usize,
    most: usize,
    fast: usize,
    /// Bytes of all other blocks that are in use.
    used: usize,
    free: usize,
    top: usize,
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
unsafe extern "C" {
    fn mallinfo2() -> Allocator;
}

/// Bytes that are allocated and not freed; 0 where nobody can tell.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn held() -> usize {
    // SAFETY: it takes nothing and returns a plain record of ten numbers, which `Allocator` is.
    let now = unsafe { mallinfo2() };
    now.used + now.mapped
}

/// Bytes that are allocated and not freed; 0 where nobody can tell.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn held() -> usize {
    0
}
