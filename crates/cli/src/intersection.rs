//! The question itself: which faces of two meshes meet?

use std::sync::Arc;
use std::time::Instant;

use impinge::bvh::{FaceSweep, MeshIndex};
use impinge::query::{FacePair, Limits, Outcome, Work};
use impinge::{Pose, TriMesh};

use crate::progress::Progress;

/// The name of the engine that answers.
pub(crate) const ENGINE: &str = FaceSweep::NAME;

/// What was found, and at what cost.
#[derive(Debug)]
pub(crate) struct Intersection {
    /// The pairs, in order of `a`, then `b`.
    pub(crate) pairs: Vec<FacePair>,
    /// Whether all of them were looked for.
    pub(crate) outcome: Outcome,
    /// Tests spent.
    pub(crate) work: Work,
    /// Time for building the indexes.
    pub(crate) index_ms: f64,
    /// Time for the search.
    pub(crate) search_ms: f64,
}

/// All pairs of intersecting faces, or the first of them when the tests run out.
pub(crate) fn intersect(
    a: &Arc<TriMesh>,
    b: &Arc<TriMesh>,
    a_from_b: &Pose,
    max_tests: Option<u64>,
    progress: &Progress,
) -> Intersection {
    let started = Instant::now();
    let index_a = FaceSweep::build(Arc::clone(a), &Default::default());
    let index_b = FaceSweep::build(Arc::clone(b), &Default::default());
    let index_ms = milliseconds_since(started);

    let started = Instant::now();
    let still_alive = || {
        progress.tick();
        false
    };
    let limits = Limits {
        max_tests,
        stop: Some(&still_alive),
        ..Limits::default()
    };
    let mut cache = Default::default();
    let mut pairs = Vec::new();
    let outcome = index_a.intersections(&index_b, a_from_b, limits, &mut cache, &mut pairs);
    Intersection {
        pairs,
        outcome,
        work: FaceSweep::work(&cache),
        index_ms,
        search_ms: milliseconds_since(started),
    }
}

/// The time since then.
pub(crate) fn milliseconds_since(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}
