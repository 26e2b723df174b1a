//! Batch queries: two meshes at many relative poses.
//!
//! **Idea.** Poses are divided into runs of a fixed length that are answered in parallel, each in
//! order. So caches, and with them counters, are the same for any number of threads: answer `i`
//! belongs to pose `i`.
//!
//! **Promise.** The same bytes for any number of threads, also when limits truncate answers. With
//! the feature `parallel` the pool of threads is rayon's: that of the caller, or the global one.
//!
//! ```
//! use impinge::bvh::wide::{WideTree, batch};
//! use impinge::{Pose, TriMesh};
//! use std::sync::Arc;
//! let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
//! let tree = WideTree::new(Arc::new(face));
//! let poses = [Pose::IDENTITY, Pose::from_translation([0.0, 0.0, 2.0])?];
//! let options = batch::BatchOptions::default();
//! let met = batch::intersects_all(&tree, &tree, &poses, &options);
//! assert!(met[0].pair.is_some() && met[1].pair.is_none());
//! let distances = batch::distance_all(&tree, &tree, &poses, &options);
//! assert_eq!(distances[1].value.map(|s| s.distance), Some(2.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::intersect::WideCache;
use super::tree::WideTree;
use crate::bvh::{Curves, MeshIndex, intersection_curves};
use crate::math::Pose;
use crate::math::simd::Level;
use crate::query::{Bounded, FacePair, First, Limits, NearPair, Outcome, Separation};

/// Poses that are answered one after the other.
const RUN: usize = 32;

/// What holds for every pose of a batch.
#[derive(Clone, Copy, Default)]
pub struct BatchOptions<'a> {
    /// As [`Limits::max_tests`], for each pose by itself.
    pub max_tests: Option<u64>,
    /// As [`Limits::max_distance`].
    pub max_distance: Option<f64>,
    /// As [`Limits::stop`]; called from several threads. Which poses are then cut short is a matter of chance.
    pub stop: Option<&'a (dyn Fn() -> bool + Sync)>,
    /// Whether neighbouring poses are much alike, as on a path: distances then begin where the last one was.
    pub is_path: bool,
    /// Instructions to use; the best the processor has when unset.
    pub level: Option<Level>,
}

impl fmt::Debug for BatchOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchOptions")
            .field("max_tests", &self.max_tests)
            .field("max_distance", &self.max_distance)
            .field("stop", &self.stop.map(|_| "Fn() -> bool"))
            .field("is_path", &self.is_path)
            .field("level", &self.level)
            .finish()
    }
}

/// The first pair of intersecting faces that a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstPair {
    /// The faces, if any intersect.
    pub pair: Option<FacePair>,
    /// Whether the search was finished; without a pair only [`Outcome::Complete`] means that there is none.
    pub outcome: Outcome,
}

/// All pairs that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs<T = FacePair> {
    /// The pairs, in the order of [`MeshIndex::intersections`].
    pub pairs: Vec<T>,
    /// Whether the search was finished.
    pub outcome: Outcome,
}

/// Whether the meshes intersect, for each pose.
///
/// ```
/// use impinge::bvh::wide::{WideTree, batch};
/// use impinge::{Pose, generate::tetrahedron};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
/// let poses = [Pose::IDENTITY, Pose::from_translation([9.0, 0.0, 0.0])?];
/// let met = batch::intersects_all(&tree, &tree, &poses, &Default::default());
/// assert!(met[0].pair.is_some() && met[1].pair.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn intersects_all(
    a: &WideTree,
    b: &WideTree,
    poses: &[Pose],
    options: &BatchOptions<'_>,
) -> Vec<FirstPair> {
    run(poses, options, |pose, limits, cache| {
        let mut first = First::default();
        let outcome = a.intersections(b, pose, limits, cache, &mut first);
        FirstPair {
            pair: first.0,
            outcome,
        }
    })
}

/// All pairs of intersecting faces, for each pose.
///
/// ```
/// use impinge::bvh::wide::{WideTree, batch};
/// use impinge::{Pose, generate::tetrahedron};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
/// let all = batch::pairs_all(&tree, &tree, &[Pose::IDENTITY], &Default::default());
/// assert_eq!(all[0].pairs.len(), 16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn pairs_all(
    a: &WideTree,
    b: &WideTree,
    poses: &[Pose],
    options: &BatchOptions<'_>,
) -> Vec<Pairs> {
    run(poses, options, |pose, limits, cache| {
        let mut pairs = Vec::new();
        let outcome = a.intersections(b, pose, limits, cache, &mut pairs);
        Pairs { pairs, outcome }
    })
}

/// All pairs of faces at most `distance` apart, for each pose, as [`WideTree::near_pairs`] reports them.
///
/// ```
/// use impinge::bvh::wide::{WideTree, batch};
/// use impinge::{Pose, generate::tetrahedron};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
/// let poses = [Pose::from_translation([9.0, 0.0, 0.0])?];
/// assert!(batch::near_pairs_all(&tree, &tree, &poses, 1.0, &Default::default())[0].pairs.is_empty());
/// assert!(!batch::near_pairs_all(&tree, &tree, &poses, 9.0, &Default::default())[0].pairs.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn near_pairs_all(
    a: &WideTree,
    b: &WideTree,
    poses: &[Pose],
    distance: f64,
    options: &BatchOptions<'_>,
) -> Vec<Pairs<NearPair>> {
    run(poses, options, |pose, limits, cache| {
        let mut pairs = Vec::new();
        let outcome = a.near_pairs(b, pose, distance, limits, cache, &mut pairs);
        Pairs { pairs, outcome }
    })
}

/// The smallest distance, for each pose, as [`WideTree::distance`] returns it.
///
/// ```
/// use impinge::bvh::wide::{WideTree, batch};
/// use impinge::{Pose, generate::tetrahedron};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
/// let poses = [Pose::IDENTITY, Pose::from_translation([9.0, 0.0, 0.0])?];
/// let found = batch::distance_all(&tree, &tree, &poses, &Default::default());
/// assert!(found[0].upper == 0.0 && found[1].lower > 7.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn distance_all(
    a: &WideTree,
    b: &WideTree,
    poses: &[Pose],
    options: &BatchOptions<'_>,
) -> Vec<Bounded<Option<Separation>>> {
    run(poses, options, |pose, limits, cache| {
        if !options.is_path {
            cache.forget();
        }
        a.distance(b, pose, limits, cache)
    })
}

/// Whether the meshes come as close as `distance`, for each pose, as [`WideTree::within`] returns it.
///
/// ```
/// use impinge::bvh::wide::{WideTree, batch};
/// use impinge::{Pose, generate::tetrahedron};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
/// let poses = [Pose::from_translation([9.0, 0.0, 0.0])?];
/// assert!(batch::within_all(&tree, &tree, &poses, 9.0, &Default::default())[0].value.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn within_all(
    a: &WideTree,
    b: &WideTree,
    poses: &[Pose],
    distance: f64,
    options: &BatchOptions<'_>,
) -> Vec<Bounded<Option<Separation>>> {
    run(poses, options, |pose, limits, cache| {
        a.within(b, pose, distance, limits, cache)
    })
}

/// The curves in which the meshes meet, for each pose, as [`intersection_curves`] finds them.
///
/// ```
/// use impinge::bvh::wide::{WideTree, batch};
/// use impinge::{Pose, generate::icosphere};
/// use std::sync::Arc;
/// let ball = WideTree::new(Arc::new(icosphere(1.0, 6)?));
/// let poses = [Pose::from_translation([1.01, 0.02, 0.03])?, Pose::from_translation([3.0, 0.0, 0.0])?];
/// let met = batch::curves_all(&ball, &ball, &poses, &Default::default());
/// assert_eq!((met[0].curves.len(), met[1].curves.len()), (1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn curves_all(
    a: &WideTree,
    b: &WideTree,
    poses: &[Pose],
    options: &BatchOptions<'_>,
) -> Vec<Curves> {
    run(poses, options, |pose, limits, cache| {
        intersection_curves(a, b, pose, limits, cache)
    })
}

impl BatchOptions<'_> {
    /// The answer under the limits of one item.
    pub(crate) fn limited<R>(&self, ask: impl FnOnce(Limits<'_>) -> R) -> R {
        let stop = || self.stop.is_some_and(|stop| stop());
        ask(Limits {
            max_tests: self.max_tests,
            max_distance: self.max_distance,
            stop: self.stop.is_some().then_some(&stop),
        })
    }

    /// A cache for the queries about two trees.
    pub(crate) fn wide_cache(&self) -> WideCache {
        WideCache {
            level: self.level,
            ..WideCache::default()
        }
    }
}

/// The answers for placements of two trees.
pub(crate) fn run<R: Send>(
    poses: &[Pose],
    options: &BatchOptions<'_>,
    ask: impl Fn(&Pose, Limits<'_>, &mut WideCache) -> R + Sync + Send,
) -> Vec<R> {
    in_runs(
        poses,
        options,
        || options.wide_cache(),
        WideCache::forget,
        ask,
    )
}

/// The answers for items that are cut into runs; `forget` makes a cache that has served any other run before as good as new.
pub(crate) fn in_runs<T: Sync, C: Send, R: Send>(
    items: &[T],
    options: &BatchOptions<'_>,
    new_cache: impl Fn() -> C + Sync + Send,
    forget: impl Fn(&mut C) + Sync + Send,
    ask: impl Fn(&T, Limits<'_>, &mut C) -> R + Sync + Send,
) -> Vec<R> {
    let answer = |cache: &mut C, items: &[T]| -> Vec<R> {
        forget(cache);
        let mut one = |item: &T| options.limited(|limits| ask(item, limits, &mut *cache));
        items.iter().map(&mut one).collect()
    };
    #[cfg(feature = "parallel")]
    let runs: Vec<Vec<R>> = items.par_chunks(RUN).map_init(new_cache, answer).collect();
    #[cfg(not(feature = "parallel"))]
    let runs: Vec<Vec<R>> = {
        let mut cache = new_cache();
        let runs = items.chunks(RUN);
        runs.map(|items| answer(&mut cache, items)).collect()
    };
    runs.into_iter().flatten().collect()
}
