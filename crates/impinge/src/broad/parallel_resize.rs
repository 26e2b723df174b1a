//! Grows long lists in parallel: the first write to new memory costs more than the computation of
//! its content.

/// From this many new entries on, threads share them.
#[cfg(feature = "parallel")]
const MANY: usize = 1 << 13;

/// Makes the list at least this long.
pub(super) fn grow<T: Copy + Send + Sync>(
    list: &mut Vec<T>,
    length: usize,
    value: T,
    parallel: bool,
) {
    let missing = length.saturating_sub(list.len());
    #[cfg(feature = "parallel")]
    if parallel && missing >= MANY {
        use rayon::prelude::*;
        let new = rayon::iter::repeat_n(value, missing).with_min_len(MANY / 4);
        list.par_extend(new.with_max_len(MANY / 2));
        return;
    }
    let _ = parallel;
    list.resize(list.len() + missing, value);
}
