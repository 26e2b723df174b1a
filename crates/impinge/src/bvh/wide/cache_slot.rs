//! Memory that depth queries keep in a cache between calls. Its types are here because the cache
//! belongs to a lower layer than the module that uses them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fmt;

use glam::DVec3;

use super::node_view::NodeView;
use super::single_tree::SingleTreeCache;
use crate::query::FaceId;

/// A place for the memory of searches for depth, made when first needed. It holds no answers, so that a clone begins empty.
#[derive(Default)]
pub(crate) struct CacheSlot(Option<Box<DepthScratch>>);

impl CacheSlot {
    /// What was put here last, or a new one.
    pub(crate) fn take(&mut self) -> Box<DepthScratch> {
        self.0.take().unwrap_or_default()
    }

    /// Keeps it for the next query.
    pub(crate) fn put(&mut self, scratch: Box<DepthScratch>) {
        self.0 = Some(scratch);
    }
}

impl Clone for CacheSlot {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for CacheSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Kept" } else { "Nothing" })
    }
}

/// What the searches walk with. None of it is an answer.
#[derive(Debug, Default)]
pub(crate) struct DepthScratch {
    /// For where a point lies.
    pub(crate) probe: SingleTreeCache,
    /// Parts with a bound each.
    pub(crate) parts: Vec<(f64, NodeView)>,
    /// Parts that a ray may meet.
    pub(crate) ahead: Vec<NodeView>,
    /// Pairs of parts with a bound each.
    pub(crate) pairs: Vec<(f64, NodeView, NodeView)>,
    /// Pairs of parts in no order.
    pub(crate) near: Vec<(NodeView, NodeView)>,
    pub(crate) pieces: BinaryHeap<SurfacePiece>,
    pub(crate) cones: BinaryHeap<DirectionCone>,
    pub(crate) directions: Vec<DVec3>,
}

/// A point whose depth is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownDepth {
    pub(crate) point: DVec3,
    /// Negative outside.
    pub(crate) depth: f64,
    pub(crate) face: FaceId,
}

/// A piece of surface and the most that any point of it can be deep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfacePiece {
    pub(crate) upper: f64,
    pub(crate) order: u64,
    pub(crate) side: usize,
    pub(crate) shape: OtherSolid,
    pub(crate) sounding: KnownDepth,
}

/// What the piece is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OtherSolid {
    /// In the frame of the inner solid.
    Part(NodeView),
    /// In the frame of the outer solid, and how often it may be cut before it is quartered.
    Face([DVec3; 3], u8),
}

impl PartialEq for SurfacePiece {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for SurfacePiece {}
impl PartialOrd for SurfacePiece {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for SurfacePiece {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_upper = self.upper.total_cmp(&other.upper);
        by_upper.then(other.order.cmp(&self.order))
    }
}

/// A unit vector, the points of the solids farthest along it and against it, and their difference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SupportDirection {
    pub(crate) n: DVec3,
    pub(crate) points: [DVec3; 2],
    pub(crate) s: DVec3,
}

/// The directions between three.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirectionCone {
    pub(crate) lower: f64,
    pub(crate) order: u64,
    pub(crate) corners: [SupportDirection; 3],
}

impl PartialEq for DirectionCone {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for DirectionCone {}
impl PartialOrd for DirectionCone {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for DirectionCone {
    /// The least bound is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_lower = other.lower.total_cmp(&self.lower);
        by_lower.then(other.order.cmp(&self.order))
    }
}
