//! Parallel loops; results are in order of index.

use std::sync::Mutex;

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// `work(scratch, i)` for each `i` below `count`, in order; `least` of them are not worth a thread.
pub(in crate::spheres) fn map_indexed<S: Default, T: Send>(
    count: usize,
    least: usize,
    work: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    map_with(S::default, count, least, work)
}

/// [`map_indexed`] with scratch memory from `lend`, once for each thread.
fn map_with<S, T: Send>(
    lend: impl Fn() -> S + Send + Sync,
    count: usize,
    least: usize,
    work: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    #[cfg(feature = "parallel")]
    if count > 2 * least {
        return (0..count)
            .into_par_iter()
            .with_min_len(least)
            .map_init(lend, |scratch, i| work(scratch, i))
            .collect();
    }
    let _ = least;
    let mut scratch = lend();
    (0..count).map(|i| work(&mut scratch, i)).collect()
}

/// Scratch memory of threads, kept from one loop to the next: short loops would else spend their time getting it.
#[derive(Debug)]
pub(super) struct ThreadScratch<S>(Mutex<Vec<S>>);

impl<S> Default for ThreadScratch<S> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<S: Default> ThreadScratch<S> {
    fn lend(&self) -> LentScratch<'_, S> {
        let own = self.0.lock().ok().and_then(|mut kept| kept.pop());
        LentScratch {
            kept: self,
            own: own.unwrap_or_default(),
        }
    }
}

/// Goes back when it is no longer needed.
struct LentScratch<'k, S: Default> {
    kept: &'k ThreadScratch<S>,
    own: S,
}

impl<S: Default> Drop for LentScratch<'_, S> {
    fn drop(&mut self) {
        if let Ok(mut kept) = self.kept.0.lock() {
            kept.push(std::mem::take(&mut self.own));
        }
    }
}

/// [`map_indexed`] with memory that is kept.
pub(super) fn map_kept<S: Default + Send, T: Send>(
    kept: &ThreadScratch<S>,
    count: usize,
    least: usize,
    work: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    let lend = || kept.lend();
    map_with(lend, count, least, |lent, i| work(&mut lent.own, i))
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
