//! Memory of the searches, kept between questions so that they do not allocate.

use std::collections::BinaryHeap;

use glam::DVec3;

use super::deepest_point::SurfacePiece;
use super::min_width::DirectionCone;
use crate::bvh::wide::{NodeView, SingleTreeCache, WideCache};

/// What the searches walk with. None of it is an answer.
#[derive(Debug, Default)]
pub(crate) struct DepthScratch {
    /// For where a point lies.
    pub(super) probe: SingleTreeCache,
    /// Parts with a bound each.
    pub(super) parts: Vec<(f64, NodeView)>,
    /// Parts that a ray may meet.
    pub(super) ahead: Vec<NodeView>,
    /// Pairs of parts with a bound each.
    pub(super) pairs: Vec<(f64, NodeView, NodeView)>,
    /// Pairs of parts in no order.
    pub(super) near: Vec<(NodeView, NodeView)>,
    pub(super) pieces: BinaryHeap<SurfacePiece>,
    pub(super) cones: BinaryHeap<DirectionCone>,
    pub(super) directions: Vec<DVec3>,
}

/// Asks with the memory that a cache keeps for the searches of this module.
pub(super) fn with_scratch<R>(
    cache: &mut WideCache,
    ask: impl FnOnce(&mut WideCache, &mut DepthScratch) -> R,
) -> R {
    let mut scratch = cache.kept.take::<DepthScratch>();
    let answer = ask(cache, &mut scratch);
    cache.kept.put(scratch);
    answer
}
