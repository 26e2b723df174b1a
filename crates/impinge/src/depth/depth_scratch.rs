//! Scratch memory of depth queries, kept so that they do not allocate.

use crate::bvh::wide::{DepthScratch, WideCache};

/// Queries with the memory that a cache keeps for the searches of this module.
pub(super) fn with_scratch<R>(
    cache: &mut WideCache,
    ask: impl FnOnce(&mut WideCache, &mut DepthScratch) -> R,
) -> R {
    let mut scratch = cache.kept.take();
    let answer = ask(cache, &mut scratch);
    cache.kept.put(scratch);
    answer
}
