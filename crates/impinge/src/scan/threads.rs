//! Runs two tasks, in parallel if possible.

/// Does both, on two threads where there are some.
#[cfg(feature = "parallel")]
pub(super) fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    rayon::join(a, b)
}

/// Does both, one after the other.
#[cfg(not(feature = "parallel"))]
pub(super) fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    (a(), b())
}
