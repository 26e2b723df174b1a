//! Scratch memory shared by queries.

use glam::DVec3;

use super::counts::BoxTreeCounts;
use super::seen_pairs::SeenPairs;
use super::traverse::PairStacks;
use impinge::bound::Aabb;
use impinge::math::Pose;
use impinge::mesh::TriMesh;

/// Scratch memory of box-trees, and the work done for the last query.
#[derive(Clone, Debug, Default)]
pub struct BoxTreeCache {
    pub(super) counts: BoxTreeCounts,
    pub(super) placed: PlacedVertices,
    /// Pairs of elements that were tested.
    pub(super) tested: SeenPairs,
    /// Pairs of faces that were reported.
    pub(super) reported: SeenPairs,
    pub(super) collected: Vec<CollectedFace>,
    pub(super) stacks: PairStacks,
}

/// A face of `b` that was collected for a pair of leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct CollectedFace {
    pub(super) element: u32,
    pub(super) corners: [DVec3; 3],
    pub(super) bounds: Aabb,
}

impl BoxTreeCache {
    /// The work done for the last query that used the cache.
    ///
    /// ```
    /// use impinge_study::box_tree::BoxTreeCache;
    /// assert_eq!(BoxTreeCache::default().counts().leaf_pairs, 0);
    /// ```
    #[must_use]
    pub fn counts(&self) -> BoxTreeCounts {
        self.counts
    }

    pub(super) fn begin(&mut self, vertices: usize) {
        self.counts = BoxTreeCounts::default();
        self.placed.begin(vertices);
        self.tested.clear();
        self.reported.clear();
    }
}

/// Vertices of `b` placed in the frame of `a`, each when first needed.
#[derive(Clone, Debug, Default)]
pub(super) struct PlacedVertices {
    /// A position where the stamp is current.
    slots: Vec<(DVec3, u32)>,
    stamp: u32,
}

impl PlacedVertices {
    fn begin(&mut self, vertices: usize) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.slots.clear();
            self.stamp = 1;
        }
        if self.slots.len() < vertices {
            self.slots.resize(vertices, (DVec3::ZERO, 0));
        }
    }

    /// The placed vertex `v` of the mesh.
    #[inline]
    pub(super) fn get(&mut self, mesh: &TriMesh, a_from_b: &Pose, v: u32) -> DVec3 {
        let slot = &mut self.slots[v as usize];
        if slot.1 != self.stamp {
            *slot = (
                a_from_b.transform_point(mesh.positions()[v as usize]),
                self.stamp,
            );
        }
        slot.0
    }
}
