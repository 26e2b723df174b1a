//! Scratch memory of depth queries, kept so that they do not allocate.

use crate::bvh::wide::{DepthScratch, WideCache};

/// Asks with the memory that a cache keeps for the searches of this module.
pub(super) fn with_scratch<R>(
    cache: &mut WideCache,
    ask: impl FnOnce(&mut WideCache, &mut DepthScratch) -> R,
) -> R {
    let mut scratch = cache.kept.take();
    let answer = ask(cache, &mut scratch);
    cache.kept.put(scratch);
    answer
}

/// A public query of two solids: what all of them take, and the memory that a cache keeps for them.
macro_rules! depth_query {
    (
        $(#[$attribute:meta])*
        pub fn $name:ident(
            $solids:ident, $options:ident, $limits:ident, $cache:ident, $scratch:ident
        ) -> $found:ty $body:block
    ) => {
        $(#[$attribute])*
        pub fn $name(
            a: &$crate::bvh::Solid<'_>,
            b: &$crate::bvh::Solid<'_>,
            a_from_b: &$crate::math::Pose,
            $options: &$crate::depth::DepthOptions,
            $limits: $crate::query::Limits<'_>,
            cache: &mut $crate::bvh::wide::WideCache,
        ) -> $crate::query::Bounded<Option<$found>> {
            let $solids = $crate::depth::solid_queries::SolidPair::new(a, b, a_from_b);
            $crate::depth::depth_scratch::with_scratch(cache, |$cache, $scratch| $body)
        }
    };
}
pub(super) use depth_query;
