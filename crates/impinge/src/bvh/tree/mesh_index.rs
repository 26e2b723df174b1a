//! The BVH as a mesh index.

use std::sync::Arc;

use super::cache::BvhCache;
use super::config::BvhConfig;
use super::node::Bvh;
use super::{build, distance, intersect, validate};
use crate::bound::BoundingVolume;
use crate::bvh::mesh_index::index_of_kept_mesh;
use crate::bvh::{DistanceIndex, MeshIndex, Violation};
use crate::math::Pose;
use crate::mesh::TriMesh;
use crate::query::{Bounded, FacePair, Limits, Outcome, Separation, Sink, Work};

impl<V: BoundingVolume> MeshIndex for Bvh<V> {
    index_of_kept_mesh!(BvhConfig, BvhCache, V::NAME);

    fn build(mesh: Arc<TriMesh>, config: &BvhConfig) -> Self {
        build::build(mesh, config)
    }

    fn intersections(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut BvhCache,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome {
        cache.children.clear();
        intersect::intersections(self, other, self_from_other, limits, cache, sink)
    }

    fn validate(&self) -> Result<(), Violation> {
        validate::validate(self)
    }
}

impl<V: BoundingVolume> DistanceIndex for Bvh<V> {
    fn distance(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut BvhCache,
    ) -> Bounded<Option<Separation>> {
        distance::distance(self, other, self_from_other, limits, cache)
    }
}
