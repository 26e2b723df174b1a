//! Parallel loops over many items; results are in order of index.

/// The results for every item.
#[cfg(feature = "parallel")]
pub(super) fn map_all<A: Send, B: Send>(items: Vec<A>, f: impl Fn(A) -> B + Sync + Send) -> Vec<B> {
    use rayon::prelude::*;
    items.into_par_iter().map(f).collect()
}

/// The results for every item.
#[cfg(not(feature = "parallel"))]
pub(super) fn map_all<A: Send, B: Send>(items: Vec<A>, f: impl Fn(A) -> B + Sync + Send) -> Vec<B> {
    items.into_iter().map(f).collect()
}

/// Items per share: large enough to hide the cost of sharing, small enough to keep threads busy to the end.
const SHARE: usize = 2048;

/// The results for every share of a slice, in order.
pub(super) fn map_shares<A: Sync, B: Send>(
    items: &[A],
    f: impl Fn(&[A]) -> B + Sync + Send,
) -> Vec<B> {
    map_all(items.chunks(SHARE).collect(), f)
}
