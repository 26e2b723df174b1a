//! The question itself: which faces of two meshes meet?

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use impinge::bvh::engines::MeshEngine;
use impinge::query::{FacePair, Limits, Outcome, Separation, Work};
use impinge::{Pose, TriMesh};

use crate::progress::Progress;

/// What was found, and at what cost.
#[derive(Debug)]
pub(crate) struct Intersection {
    /// The pairs, in order of `a`, then `b`; none when only counted.
    pub(crate) pairs: Vec<FacePair>,
    /// How many pairs there are.
    pub(crate) count: usize,
    /// Faces of each mesh that take part in a pair.
    pub(crate) faces_hit: [usize; 2],
    /// Whether all of them were looked for.
    pub(crate) outcome: Outcome,
    /// The smallest distance, from an engine that tells it, when no pair was found.
    pub(crate) separation: Option<Separation>,
    /// Tests spent on the pairs.
    pub(crate) work: Work,
    /// Time for building the indexes.
    pub(crate) index_ms: f64,
    /// Time for the search.
    pub(crate) search_ms: f64,
}

/// All pairs of intersecting faces, or the first of them when the tests run out.
pub(crate) fn intersect(
    engine: MeshEngine,
    a: &Arc<TriMesh>,
    b: &Arc<TriMesh>,
    a_from_b: &Pose,
    max_tests: Option<u64>,
    keep_pairs: bool,
    progress: &Progress,
) -> Intersection {
    let started = Instant::now();
    let mut pair = engine.prepare(Arc::clone(a), Arc::clone(b));
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
    let (mut pairs, mut count) = (Vec::new(), 0);
    let mut hit = [vec![false; a.face_count()], vec![false; b.face_count()]];
    let outcome = pair.intersections(a_from_b, limits, &mut |found: FacePair| {
        count += 1;
        hit[0][found.a.index()] = true;
        hit[1][found.b.index()] = true;
        // Coincident meshes have as many pairs as the product of their faces: kept only on demand.
        if keep_pairs {
            pairs.push(found);
        }
        ControlFlow::Continue(())
    });
    pairs.sort_unstable();
    let work = pair.work();
    let apart = count == 0 && outcome == Outcome::Complete;
    let separation = apart
        .then(|| pair.distance(a_from_b, limits))
        .flatten()
        .filter(|answer| answer.outcome == Outcome::Complete)
        .and_then(|answer| answer.value);
    Intersection {
        pairs,
        count,
        faces_hit: hit.map(|faces| faces.iter().filter(|&&is_hit| is_hit).count()),
        outcome,
        separation,
        work,
        index_ms,
        search_ms: milliseconds_since(started),
    }
}

/// The time since then.
pub(crate) fn milliseconds_since(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}
