//! Loops that may be shared among threads; results come back by index.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// `work(scratch, i)` for each `i` below `count`, in order; `least` of them are not worth a thread.
pub(in crate::spheres) fn map_indexed<S: Default, T: Send>(
    count: usize,
    least: usize,
    work: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    #[cfg(feature = "parallel")]
    if count > 2 * least {
        return (0..count)
            .into_par_iter()
            .with_min_len(least)
            .map_init(S::default, |scratch, i| work(scratch, i))
            .collect();
    }
    let _ = least;
    let mut scratch = S::default();
    (0..count).map(|i| work(&mut scratch, i)).collect()
}

/// Both results, if possible at the same time.
pub(in crate::spheres) fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "parallel")]
    return rayon::join(a, b);
    #[cfg(not(feature = "parallel"))]
    (a(), b())
}
