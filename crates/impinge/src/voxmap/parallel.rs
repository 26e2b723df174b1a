//! Parallel loops; results are in order of index.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// `work(scratch, i)` for each `i` below `count`, in order.
pub(super) fn map_indexed<S: Default, T: Send>(
    count: usize,
    work: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    #[cfg(feature = "parallel")]
    return (0..count)
        .into_par_iter()
        .map_init(S::default, |scratch, i| work(scratch, i))
        .collect();
    #[cfg(not(feature = "parallel"))]
    {
        let mut scratch = S::default();
        (0..count).map(|i| work(&mut scratch, i)).collect()
    }
}

/// `work(i, slice)` for the pieces of `length` that a slice is cut into.
pub(super) fn each_slice<T: Send>(
    values: &mut [T],
    length: usize,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    #[cfg(feature = "parallel")]
    values
        .par_chunks_mut(length.max(1))
        .enumerate()
        .for_each(|(i, slice)| work(i, slice));
    #[cfg(not(feature = "parallel"))]
    for (i, slice) in values.chunks_mut(length.max(1)).enumerate() {
        work(i, slice);
    }
}
