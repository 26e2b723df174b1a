//! Memory of the searches, kept between questions so that they do not allocate.

use std::collections::BinaryHeap;

use glam::DVec3;

use super::deepest::Piece;
use super::directions::Cone;
use crate::bvh::wide::{Part, ProbeCache, WideCache};

/// What the searches walk with. None of it is an answer.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// For where a point lies.
    pub(super) probe: ProbeCache,
    /// Parts with a bound each.
    pub(super) parts: Vec<(f64, Part)>,
    /// Parts that a ray may meet.
    pub(super) ahead: Vec<Part>,
    /// Pairs of parts with a bound each.
    pub(super) pairs: Vec<(f64, Part, Part)>,
    /// Pairs of parts in no order.
    pub(super) near: Vec<(Part, Part)>,
    pub(super) pieces: BinaryHeap<Piece>,
    pub(super) cones: BinaryHeap<Cone>,
    pub(super) directions: Vec<DVec3>,
}

/// Asks with the memory that a cache keeps for the searches of this module.
pub(super) fn with_scratch<R>(
    cache: &mut WideCache,
    ask: impl FnOnce(&mut WideCache, &mut Scratch) -> R,
) -> R {
    let mut scratch = cache.kept.take::<Scratch>();
    let answer = ask(cache, &mut scratch);
    cache.kept.put(scratch);
    answer
}
