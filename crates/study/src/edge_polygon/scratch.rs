//! Scratch memory kept between queries.

use glam::DVec3;

use super::counts::EdgePolygonCounts;
use super::face_slab::FaceSlab;
use super::polygon_face::PolygonShape;
use crate::box_tree::seen_pairs::SeenPairs;
use impinge::bound::Aabb;

/// Scratch memory of the edge–polygon algorithm, and the work done for the last query.
#[derive(Clone, Debug, Default)]
pub struct EdgePolygonCache {
    pub(super) placed: Vec<DVec3>,
    pub(super) boxes: Vec<Aabb>,
    pub(super) shapes: Vec<PolygonShape>,
    /// Pairs reported already, by both passes.
    pub(super) reported: SeenPairs,
    /// One for each direction.
    pub(super) passes: [PassScratch; 2],
    pub(super) counts: EdgePolygonCounts,
}

impl EdgePolygonCache {
    /// How often each check was made for the last query.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge_study::edge_polygon::{EdgePolygon, EdgePolygonCache};
    /// use impinge::{Pose, generate::tetrahedron};
    /// use std::sync::Arc;
    /// let index = EdgePolygon::build(Arc::new(tetrahedron(1.0)?), &Default::default());
    /// let mut cache = EdgePolygonCache::default();
    /// assert!(index.meets_by_two(&index, &Pose::IDENTITY, &mut cache));
    /// assert!(cache.counts().exact_tests > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn counts(&self) -> EdgePolygonCounts {
        self.counts
    }

    /// The same for edges of `a` against faces of `b`, and for the other direction; the boxes of the bodies in neither.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge_study::edge_polygon::{EdgePolygon, EdgePolygonCache};
    /// use impinge::{Pose, generate::tetrahedron};
    /// use std::sync::Arc;
    /// let index = EdgePolygon::build(Arc::new(tetrahedron(1.0)?), &Default::default());
    /// let mut cache = EdgePolygonCache::default();
    /// assert!(index.meets_by_two(&index, &Pose::IDENTITY, &mut cache));
    /// assert_eq!(cache.direction_counts().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn direction_counts(&self) -> [EdgePolygonCounts; 2] {
        [self.passes[0].counts, self.passes[1].counts]
    }
}

/// What one pass fills.
#[derive(Clone, Debug, Default)]
pub(super) struct PassScratch {
    pub(super) targets: Vec<TargetFace>,
    pub(super) stamps: Vec<u32>,
    pub(super) stamp: u32,
    pub(super) counts: EdgePolygonCounts,
}

/// A face that takes part in a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct TargetFace {
    pub(super) bounds: Aabb,
    pub(super) slab: FaceSlab,
    pub(super) face: u32,
}
