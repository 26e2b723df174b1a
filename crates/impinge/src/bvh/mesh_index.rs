//! The traits of all mesh indexes: intersection and distance queries.

use std::sync::Arc;

use thiserror::Error;

use crate::math::Pose;
use crate::mesh::TriMesh;
use crate::query::{Bounded, FacePair, Limits, Outcome, Separation, Sink, Work};

/// One way of indexing a mesh so that queries about two placed meshes are answered fast.
///
/// Answers are about the coordinates that [`TriMesh::placed`] yields for the other mesh, and are
/// the same for every index.
#[doc(alias = "narrow phase")]
#[doc(alias = "BVH")]
#[doc(alias = "narrowphase")]
pub trait MeshIndex: Send + Sync + Sized + 'static {
    /// How to build. Every value is valid.
    type Config: Clone + Default;
    /// Scratch memory and coherence between queries. Dropping it never changes an answer.
    type Cache: Default + Send;
    /// The engine's name, for reports.
    const NAME: &'static str;

    /// The index of a mesh; an empty mesh has an empty one.
    fn build(mesh: Arc<TriMesh>, config: &Self::Config) -> Self;

    /// The mesh that is indexed.
    fn mesh(&self) -> &Arc<TriMesh>;

    /// Reports every pair of faces that share a point, each once, in an order of the index's own.
    ///
    /// `a` is a face of `self`, `b` of `other`. The order depends on the two indexes and the placement alone. When a limit is met first,
    /// what was reported is the beginning of the full list.
    fn intersections(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut Self::Cache,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome;

    /// The work done for the last query that used the cache.
    fn work(cache: &Self::Cache) -> Work;

    /// Checks the index's own promises against its mesh.
    ///
    /// # Errors
    /// The first promise that does not hold.
    fn validate(&self) -> Result<(), Violation>;
}

/// An index that also computes the distance between two placed meshes.
pub trait DistanceIndex: MeshIndex {
    /// The smallest distance, with a point of each mesh: exactly 0 when they intersect.
    ///
    /// `None` when nothing is within `limits.max_distance`, when a mesh is empty, or when a limit was met before the first pair of faces was seen.
    /// Whatever the outcome, the distance is within `lower..=upper`, rounding included; an empty mesh is infinitely far away.
    fn distance(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut Self::Cache,
    ) -> Bounded<Option<Separation>>;

    /// Two points at most `distance` apart, one of each mesh, if there are any: not necessarily the nearest.
    ///
    /// `lower` and `upper` hold the smallest distance. [`Limits::max_distance`] is ignored.
    fn within(
        &self,
        other: &Self,
        self_from_other: &Pose,
        distance: f64,
        limits: Limits<'_>,
        cache: &mut Self::Cache,
    ) -> Bounded<Option<Separation>> {
        let limits = Limits {
            max_distance: Some(distance),
            ..limits
        };
        let mut found = self.distance(other, self_from_other, limits, cache);
        found.value = found.value.filter(|s| s.distance <= distance);
        found
    }
}

/// The items of [`MeshIndex`] that are the same for every index with a field `mesh` and a cache with a field `work`.
macro_rules! index_of_kept_mesh {
    ($config:ty, $cache:ty, $name:expr) => {
        type Config = $config;
        type Cache = $cache;
        const NAME: &'static str = $name;

        fn mesh(&self) -> &Arc<TriMesh> {
            &self.mesh
        }

        fn work(cache: &$cache) -> Work {
            cache.work
        }
    };
}
pub(super) use index_of_kept_mesh;

/// A violated invariant of an index; only a bug makes one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{index}: {promise}")]
pub struct Violation {
    /// The engine's name.
    pub index: &'static str,
    /// What does not hold, and where.
    pub promise: String,
}
